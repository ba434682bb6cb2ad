"""Nodes and models at onnxruntime: a peer to compare with, and where nodes run that the library does not have."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import aicjit

from .._program import Array
from .graph import Graph, Node
from .layer import Layer
from .read import package


def session(content: bytes, threads: int = 0) -> Any:
    """A session of onnxruntime."""
    try:
        import onnxruntime  # type: ignore[import-untyped, import-not-found, unused-ignore]
    except ImportError as error:
        raise aicjit.Error("this needs the package onnxruntime (pip install onnxruntime): %s" % error) from error
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])


def _shapes(graph: Graph, node: Node) -> dict[str, tuple[int, ...]]:
    """The inputs of a node that are no constants, by the names that the file has."""
    return {name: graph.shapes.get(name) or (1, *graph.image(name))
            for name in node.inputs if name and name not in graph.constants}


def node_model(graph: Graph, layer: Layer) -> bytes:
    """A model of one node, with its constants, on float32."""
    onnx = package()
    node = layer.nodes[0]
    float32 = onnx.TensorProto.FLOAT
    made = onnx.helper.make_node(node.op, node.inputs, node.outputs, name=node.name, domain=node.domain, **node.attrs)
    ins = [onnx.helper.make_tensor_value_info(name, float32, shape) for name, shape in _shapes(graph, node).items()]
    outs = [onnx.helper.make_tensor_value_info(name, float32, None) for name in layer.outputs]
    constants = [onnx.numpy_helper.from_array(np.asarray(graph.constants[name]), name)
                 for name in dict.fromkeys(node.inputs) if name in graph.constants]
    body = onnx.helper.make_graph([made], "node", ins, outs, constants)
    sets = [onnx.helper.make_opsetid("", max(graph.opset, 1)), onnx.helper.make_opsetid("com.microsoft", 1)]
    content: bytes = onnx.helper.make_model(body, opset_imports=sets, ir_version=8).SerializeToString()
    return content


def host(graph: Graph, layer: Layer) -> Callable[[Sequence[Array]], Sequence[Array]]:
    """The function of a node that runs at onnxruntime."""
    try:
        made = session(node_model(graph, layer), 1)
    except Exception as error:  # onnxruntime's own kinds
        raise aicjit.UnsupportedError("onnxruntime: %s" % error) from error
    shapes = _shapes(graph, layer.nodes[0])
    names = [name for name in layer.nodes[0].inputs if name in shapes]

    def run(inputs: Sequence[Array]) -> Sequence[Array]:
        feed = {name: array.reshape(shapes[name]) for name, array in zip(names, inputs)}
        results: Sequence[Array] = made.run(list(layer.outputs), feed)
        return results

    return run
