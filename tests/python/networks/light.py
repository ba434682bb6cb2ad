"""The light models that the package onnx carries: graphs of known networks, whose weights are numbers from nodes that fill.
Here random numbers take their place."""

import pathlib

import numpy as np
import onnx
from onnx import numpy_helper

from build import Graph

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


def mobilenet_v2(seed=1):
    """MobileNet v2 of width 1 for pictures of 224 x 224, batch normalisation folded in, random weights."""
    g = Graph(seed)

    def clip(x):
        return g.node("Clip", [x, g.constant(np.float32(0)), g.constant(np.float32(6))], x + "_6")

    def conv(x, out, size, outputs, inputs, group=1, stride=1):
        weight = g.constant(weight_of((outputs, inputs // group, size, size), g.random), out + "_w")
        return g.node("Conv", [x, weight, g.floats(outputs, scale=0.1)], out, group=group, strides=[stride] * 2,
                      pads=[size // 2] * 4)

    x, inputs, number = clip(conv("x", "first", 3, 32, 3, stride=2)), 32, 0
    for widen, outputs, count, stride in ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1),
                                          (6, 160, 3, 2), (6, 320, 1, 1)):
        for i in range(count):
            name, wide, start = "block%d" % number, widen * inputs, x
            if widen > 1:
                x = clip(conv(x, name + "_widen", 1, wide, inputs))
            x = clip(conv(x, name + "_depth", 3, wide, wide, wide, stride if i == 0 else 1))
            x = conv(x, name + "_narrow", 1, outputs, wide)
            if i > 0:
                x = g.node("Add", [x, start], name)
            inputs, number = outputs, number + 1
    x = g.node("GlobalAveragePool", [clip(conv(x, "last", 1, 1280, 320))], "average")
    conv(x, "y", 1, 1000, 1280)
    return g.model([1, 3, 224, 224])


def weight_of(shape, random):
    return (random.standard_normal(shape) * np.sqrt(2 / np.prod(shape[1:]))).astype(np.float32)


def before_softmax(model):
    """The value before a softmax at the end, as a list; None: there is none."""
    last = model.graph.node[-1]
    return [last.input[0]] if last.op_type == "Softmax" else None
