"""The same network for onnxruntime: quantised convolutions (u8 by s8), sums, pooling and the dense layer.

onnxruntime is fast with unsigned activations only. So an activation q of ours is q + 128 there, with zero point 128, and
a rectified one is q, with zero point 0: what is negative is cut off on the way to 8 bits. The scales are ours; rectified
values end at 255 there and at 127 here, so results are alike, not equal.
"""

import json
import os
import tempfile

import numpy as np

ZERO = 128

#: What follows a layer's name in the names of its nodes.
PARTS = ("", "_sum", "_4")


class Graph:
    """Nodes and constants of the model; rectified: the results that have zero point 0."""

    def __init__(self):
        self.nodes, self.constants, self.rectified = [], {}, set()

    def constant(self, name, value):
        from onnx import numpy_helper

        if name not in self.constants:
            self.constants[name] = numpy_helper.from_array(np.asarray(value), name)
        return name

    def scale(self, value):
        return self.constant("scale_%.9g" % value, np.float32(value))

    def zero(self, value=ZERO, dtype=np.uint8):
        return self.constant("zero_%d_%s" % (value, np.dtype(dtype).name), dtype(value))

    def node(self, kind, inputs, output, domain="", **attributes):
        from onnx import helper

        self.nodes.append(helper.make_node(kind, inputs, [output], name=output, domain=domain, **attributes))


def _convolution(graph, layer, own, zero):
    scales = graph.constant(layer.name + "_scale", own.scale.astype(np.float32))
    weight = graph.constant(layer.name + "_weight", own.weight)
    zeros = graph.constant(layer.name + "_zero", np.zeros(len(own.weight), np.int8))
    bias = graph.constant(layer.name + "_bias", own.bias)
    one, out_zero = graph.scale(1), graph.zero(0 if layer.relu else ZERO)
    graph.node("QLinearConv", [layer.source[0], one, zero, weight, scales, zeros, one, out_zero, bias], layer.name,
               strides=[layer.stride] * 2, pads=[layer.pad] * 4)


def model(layers, constants, shape):
    """The bytes of the ONNX model; shape: of the picture, [H, W]."""
    from onnx import TensorProto, helper

    graph = Graph()
    one = graph.scale(1)
    for layer in layers:
        own = constants.get(layer.name)
        zero_of = {name: graph.zero(0) if name in graph.rectified else graph.zero() for name in layer.source}
        if layer.kind == "conv":
            _convolution(graph, layer, own, zero_of[layer.source[0]])
        elif layer.kind == "add":
            a, b = layer.source
            graph.node("QLinearAdd", [a, one, zero_of[a], b, one, zero_of[b], one, graph.zero(0)], layer.name,
                       "com.microsoft")
        elif layer.kind == "max_pool":
            graph.node("MaxPool", list(layer.source), layer.name, kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
        elif layer.kind == "average_pool":
            zero = zero_of[layer.source[0]]
            graph.node("QLinearGlobalAveragePool", [layer.source[0], one, zero, one, zero], layer.name + "_4",
                       "com.microsoft", channels_last=0)
            graph.node("Flatten", [layer.name + "_4"], layer.name)
        else:
            weight = graph.constant(layer.name + "_weight", np.ascontiguousarray(own.weight.T))
            zero = zero_of[layer.source[0]]
            graph.node("MatMulInteger", [layer.source[0], weight, zero], layer.name + "_sum")
            graph.node("Add", [layer.name + "_sum", graph.constant(layer.name + "_bias", own.bias)], layer.name)
        if layer.kind in ("add", "max_pool", "average_pool") or layer.relu:
            graph.rectified.add(layer.name)
    first, last = layers[0], layers[-1]
    inputs = [helper.make_tensor_value_info(first.source[0], TensorProto.UINT8, [1, 3, *shape])]
    outputs = [helper.make_tensor_value_info(last.name, TensorProto.INT32, [1, len(constants[last.name].bias)])]
    body = helper.make_graph(graph.nodes, "resnet50", inputs, outputs, list(graph.constants.values()))
    sets = [helper.make_opsetid("", 13), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(body, opset_imports=sets, ir_version=8).SerializeToString()


class Peer:
    """A session of onnxruntime."""

    def __init__(self, content, threads, profile=False):
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        if profile:
            options.enable_profiling = True
            options.profile_file_prefix = os.path.join(tempfile.mkdtemp(), "profile")
        self.session = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
        self.version = onnxruntime.__version__
        self.name = self.session.get_inputs()[0].name

    def run(self, picture):
        """The logits; picture: uint8 [H, W, 3]."""
        return self.session.run(None, {self.name: np.ascontiguousarray(picture.transpose(2, 0, 1))[np.newaxis]})[0][0]

    def profile(self):
        """{name of a result: median microseconds}, of a session made with profile=True, which ends here."""
        times = {}
        with open(self.session.end_profiling()) as file:
            for event in json.load(file):
                name = event.get("name", "")
                if name.endswith("_kernel_time"):
                    node = name[: -len("_kernel_time")].split("_token_")[0]
                    times.setdefault(node, []).append(event["dur"])
        return {name: float(np.median(values)) for name, values in times.items()}
