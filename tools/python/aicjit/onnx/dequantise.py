"""Takes quantisation out of a graph: what is left computes with floats, and values have a note of how they are
quantised. QuantizeLinear and DequantizeLinear go; the operators that begin with QLinear become those without."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from .._program import Array
from .graph import Finding, Graph, Node, Quant, Refused


#: The types of integers, as QuantizeLinear's output_dtype has them.
_TYPES = {0: "uint8", 2: "uint8", 3: "int8"}


def _quant(graph: Graph, node: Node, scale: int, zero: int, dtype: str = "uint8") -> Quant:
    """Scale and zero point at these inputs; dtype: the type of the integers, where there is no zero point to say it."""
    if node.attr("block_size", 0):
        raise Refused("scales of blocks")
    scales = np.asarray(graph.constant(node, scale, "scale"), np.float32)
    zeros = graph.optional(node, zero, "zero point", np.zeros((), dtype))
    if zeros.dtype.name not in ("int8", "uint8", "int32"):
        raise Refused("zero point: is %s, not int8 or uint8" % zeros.dtype)
    if scales.ndim > 1 or zeros.size not in (1, scales.size):
        raise Refused("scales of the shape %s, zero points of %s" % (list(scales.shape), list(zeros.shape)))
    if (np.asarray(zeros) != np.ravel(zeros)[0]).any():
        raise Refused("zero points that differ")
    if (~np.isfinite(scales) | (scales <= 0)).any():
        raise Refused("scale: is not positive and finite")
    return Quant(scales, int(np.ravel(zeros)[0]), zeros.dtype.name)


def _activation(quant: Quant) -> Quant:
    if quant.scale.size != 1:
        raise Refused("activations with a scale a channel")
    if quant.dtype not in ("int8", "uint8"):
        raise Refused("activations of %s" % quant.dtype)
    return Quant(quant.scale.reshape(()), quant.zero, quant.dtype)


def _along(values: Array, quant: Quant, axis: int) -> Quant:
    """The scales of a constant, along this axis where there are several."""
    if quant.scale.size == 1:
        return replace(quant, scale=quant.scale.reshape(()))
    if not -values.ndim <= axis < values.ndim or quant.scale.size != values.shape[axis]:
        raise Refused("%d scales along axis %d of the shape %s" % (quant.scale.size, axis, list(values.shape)))
    return replace(quant, axis=axis % values.ndim)


def _floats(values: Array, quant: Quant) -> Array:
    shape = [1] * values.ndim
    if quant.scale.size > 1:
        shape[quant.axis] = quant.scale.size
    result: Array = ((values.astype(np.int64) - quant.zero) * quant.scale.reshape(shape)).astype(np.float32)
    return result


class _Pass:
    """The graph as it is rewritten."""

    def __init__(self, graph: Graph) -> None:
        self.graph, self.same, self.nodes, self.found = graph, dict[str, str](), list[Node](), list[Finding]()

    def name(self, name: str) -> str:
        while name in self.same:
            name = self.same[name]
        return name

    def note(self, name: str, quant: Quant) -> bool:
        """Writes down how a value is quantised; False: it is, in another way."""
        known = self.graph.quant.setdefault(name, quant)
        return (float(known.scale), known.zero, known.dtype) == (float(quant.scale), quant.zero, quant.dtype)

    def quantize(self, node: Node) -> None:
        dtype = node.attr("output_dtype", 0)
        if dtype not in _TYPES:
            raise Refused("output_dtype: %d is not int8 or uint8" % dtype)
        quant = _activation(_quant(self.graph, node, 1, 2, _TYPES[dtype]))
        source = self.name(node.inputs[0])
        if self.note(source, quant):
            self.same[node.outputs[0]] = source
        else:  # a second scale for the same value
            self.graph.quant[node.outputs[0]] = quant
            self.nodes.append(Node("Identity", node.name, [source], node.outputs, {}))

    def dequantize(self, node: Node) -> None:
        graph, source, output = self.graph, self.name(node.inputs[0]), node.outputs[0]
        values = graph.constants.get(source)
        known = values.dtype.name if values is not None else graph.quant[source].dtype if source in graph.quant else \
            graph.types.get(node.inputs[0], "")
        if not known and (len(node.inputs) < 3 or not node.inputs[2]):
            raise Refused("no zero point says of which type %s is" % source)
        quant = _quant(graph, node, 1, 2, known or "uint8")
        if quant.dtype != (known or quant.dtype):
            raise Refused("its zero point is %s, %s is %s" % (quant.dtype, source, known))
        if values is not None:
            quant = _along(values, quant, int(node.attr("axis", 1)))
            graph.constants[output], graph.integers[output] = _floats(values, quant), (values, quant)
            return
        if self.note(source, _activation(quant)):
            self.same[output] = source
        else:
            raise Refused("its scale is not that by which %s was quantised" % source)

    def constant(self, name: str, quant: Quant, axis: int) -> str:
        """A constant of integers as floats."""
        made, quant = self.graph.fresh(name + "/float"), _along(self.graph.constants[name], quant, axis)
        self.graph.constants[made] = _floats(self.graph.constants[name], quant)
        self.graph.integers[made] = self.graph.constants[name], quant
        self.graph.shapes[made] = self.graph.constants[name].shape
        return made

    def product(self, node: Node, op: str, axis: int) -> None:
        """QLinearConv, QLinearMatMul, QGemm: x, scale, zero, weight, scale, zero, then those of the output and a bias."""
        graph, inputs = self.graph, [self.name(name) for name in node.inputs]
        is_gemm = op == "Gemm"
        out = 7 if is_gemm else 6
        if len(inputs) <= out or not inputs[out]:
            raise Refused("a result that is not quantised")
        x_quant, y_quant = _activation(_quant(graph, node, 1, 2)), _activation(_quant(graph, node, out, out + 1))
        if inputs[3] not in graph.constants:
            raise Refused("weights (%s) are not constant" % inputs[3])
        w_quant = _quant(graph, node, 4, 5)
        if not self.note(inputs[0], x_quant) or not self.note(node.outputs[0], y_quant):
            raise Refused("%s is quantised in two ways" % inputs[0])
        made = [inputs[0], self.constant(inputs[3], w_quant, axis)]
        at = 6 if is_gemm else 8
        if at < len(inputs) and inputs[at]:
            made.append(self.constant(inputs[at], Quant(x_quant.scale * w_quant.scale.ravel(), 0, "int32"), 0))
        self.nodes.append(Node(op, node.name, made, node.outputs, node.attrs))

    def several(self, node: Node, op: str, first: int, count: int) -> None:
        """Operators with inputs in threes (tensor, scale, zero) from `first`, and scale and zero of the output at 0 (first 2)
        or behind."""
        out = 0 if first == 2 else 3 * count
        names = []
        for i in range(first, first + 3 * count, 3):
            name, quant = self.name(node.inputs[i]), _activation(_quant(self.graph, node, i + 1, i + 2))
            if name in self.graph.constants:
                name = self.constant(name, quant, 0)
            elif not self.note(name, quant):
                raise Refused("%s is quantised in two ways" % name)
            names.append(name)
        self.note(node.outputs[0], _activation(_quant(self.graph, node, out, out + 1)))
        self.nodes.append(Node(op, node.name, names, node.outputs, node.attrs))

    def step(self, node: Node) -> None:
        op = node.op
        if op in ("QuantizeLinear", "DequantizeLinear"):
            (self.quantize if op == "QuantizeLinear" else self.dequantize)(node)
        elif op == "QLinearConv":
            self.product(node, "Conv", 0)
        elif op == "QLinearMatMul":
            self.product(node, "MatMul", 1)
        elif op == "QGemm":
            self.product(node, "Gemm", 0 if node.attr("transB", 0) else 1)
        elif op in _SEVERAL:
            name, first, count = _SEVERAL[op]
            self.several(node, name, first, count or (len(node.inputs) - 2) // 3)
        else:
            self.nodes.append(Node(op, node.name, [self.name(name) for name in node.inputs], node.outputs, node.attrs,
                                   node.domain))


#: Operator: its name without quantisation, the first tensor's place, how many there are (0: the rest).
_SEVERAL = {"QLinearAdd": ("Add", 0, 2), "QLinearGlobalAveragePool": ("GlobalAveragePool", 0, 1),
            "QLinearAveragePool": ("AveragePool", 0, 1), "QLinearLeakyRelu": ("LeakyRelu", 0, 1),
            "QLinearConcat": ("Concat", 2, 0), "QLinearMul": ("Mul", 0, 2), "QLinearSigmoid": ("Sigmoid", 0, 1)}


def dequantise(graph: Graph) -> list[Finding]:
    """Rewrites the graph. Gives the nodes that cannot be rewritten."""
    work = _Pass(graph)
    for node in graph.nodes:
        try:
            work.step(node)
        except Refused as reason:
            work.found.append(Finding(node.name, node.op, str(reason)))
            for output in node.outputs:
                graph.shapes.setdefault(output, graph.shapes.get(node.inputs[0], ()))
    graph.nodes = work.nodes
    for name in list(work.same):
        target = work.name(name)
        if name in graph.shapes:
            graph.shapes.setdefault(target, graph.shapes[name])
    graph.rename(work.same)
    return work.found
