"""ONNX graphs for the tests, and what they give by the reference evaluator of the package onnx."""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

FLOAT = TensorProto.FLOAT


class Graph:
    """Nodes and constants of a model; a node's result has the name that is given, the node that name and `_node`."""

    def __init__(self, seed=1):
        self.nodes, self.constants, self.random = [], [], np.random.default_rng(seed)

    def constant(self, value, name=None):
        name = name or "constant%d" % len(self.constants)
        self.constants.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def floats(self, *shape, scale=1.0):
        return self.constant((self.random.standard_normal(shape) * scale).astype(np.float32))

    def node(self, op, inputs, output, domain="", **attributes):
        outputs = [output] if isinstance(output, str) else list(output)
        self.nodes.append(helper.make_node(op, inputs, outputs, name=outputs[0] + "_node", domain=domain, **attributes))
        return output

    def conv(self, x, out, shape, bias=True, **attributes):
        """A convolution with random weights [O, I, Kh, Kw]."""
        weight = self.floats(*shape, scale=1 / np.sqrt(np.prod(shape[1:])))
        return self.node("Conv", [x, weight] + ([self.floats(shape[0])] if bias else []), out, **attributes)

    def qdq(self, x, scale, zero, dtype=np.uint8, out=None):
        """Quantises a value and takes that back."""
        a, b = self.constant(np.float32(scale)), self.constant(np.dtype(dtype).type(zero))
        self.node("QuantizeLinear", [x, a, b], x + "_q")
        return self.node("DequantizeLinear", [x + "_q", a, b], out or x + "_dq")

    def integers(self, *shape, axis=0):
        """int8 weights with a scale a channel along an axis: the name, the integers, the scales."""
        values = self.random.integers(-127, 128, shape).astype(np.int8)
        count = shape[axis]
        size = np.prod(shape) / count
        scale = (self.random.uniform(0.5, 1.5, count) / (60 * np.sqrt(size))).astype(np.float32)
        name = "weights%d" % len(self.constants)
        inputs = [self.constant(values), self.constant(scale), self.constant(np.zeros(count, np.int8))]
        self.node("DequantizeLinear", inputs, name, axis=axis)
        return name, values, scale

    def model(self, shape, outputs=("y",), name="x", dtype=FLOAT, opset=17):
        body = helper.make_graph(self.nodes, "test", [helper.make_tensor_value_info(name, dtype, shape)],
                                 [helper.make_tensor_value_info(output, FLOAT, None) for output in outputs], self.constants)
        sets = [helper.make_opsetid("", opset), helper.make_opsetid("com.microsoft", 1)]
        return helper.make_model(body, opset_imports=sets, ir_version=8)


def expected(model, x, name="x"):
    """What the package onnx's own evaluator, in NumPy, gives."""
    return ReferenceEvaluator(model).run(None, {name: x})


__all__ = ["Graph", "expected", "onnx"]
