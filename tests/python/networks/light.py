"""The light models that the package onnx carries: graphs of known networks, whose weights are numbers from nodes that fill.
Here random numbers take their place."""

import pathlib

import numpy as np
import onnx
from onnx import numpy_helper

FOLDER = pathlib.Path(onnx.__file__).parent / "backend" / "test" / "data" / "light"


def names():
    """Of the models that this package has."""
    return sorted(path.stem[len("light_"):] for path in FOLDER.glob("light_*.onnx"))


def weight(shape, op, place, random):
    """Numbers that keep values within bounds."""
    if len(shape) > 1:
        return random.standard_normal(shape) * np.sqrt(2 / np.prod(shape[1:]))
    if op in ("BatchNormalization", "Unsqueeze") and place in (0, 1, 4):
        return random.uniform(0.5, 1.2, shape)
    return random.standard_normal(shape) * 0.1


def light(name, seed=1):
    """A light model with random weights instead of equal ones."""
    model, random = onnx.load(FOLDER / ("light_%s.onnx" % name)), np.random.default_rng(seed)
    shapes = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    readers = {name: (node.op_type, i) for node in model.graph.node for i, name in enumerate(node.input)}
    nodes = []
    for node in model.graph.node:
        if node.op_type == "ConstantOfShape":
            values = weight(tuple(shapes[node.input[0]].tolist()), *readers[node.output[0]], random)
            values *= 0.5 if name == "shufflenet" and values.ndim > 1 else 1  # its sums grow from block to block
            model.graph.initializer.append(numpy_helper.from_array(values.astype(np.float32), node.output[0]))
        else:
            nodes.append(node)
    inputs = [value for value in model.graph.input if value.name in readers and value.name.endswith("data_0")]
    read = {name for node in nodes for name in node.input}
    kept = [tensor for tensor in model.graph.initializer if tensor.name in read]
    del model.graph.node[:], model.graph.input[:], model.graph.initializer[:]
    model.graph.initializer.extend(kept)
    model.graph.node.extend(nodes)
    model.graph.input.extend(inputs)
    model.ir_version = 8
    return model


def before_softmax(model):
    """The value before a softmax at the end, as a list; None: there is none."""
    last = model.graph.node[-1]
    return [last.input[0]] if last.op_type == "Softmax" else None
