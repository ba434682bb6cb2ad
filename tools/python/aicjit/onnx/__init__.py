"""Networks from ONNX files, as kernels of the operators. The PyPI package onnx reads the files; nothing else is needed.

    net = aicjit.onnx.load("model.onnx")                     what the file has: float32 and float16 in float16, QDQ in int8
    net = aicjit.onnx.load("float.onnx", quantize=images)    int8, with scales from these arrays
    y = net(x); print(net.table()); net.bench(peer="onnxruntime"); net.save("folder")
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Optional

import aicjit

from .._blocks import Tensor
from .._net import Network, Progress
from . import calibrate as _calibrate
from .calibrate import Images, Noise
from .convert import convert
from .dequantise import dequantise
from .fuse import fuse
from .graph import Finding, Graph, ModelError, Unsupported
from .layer import Layer
from .lower import Lowering
from .read import Shapes, Source, read
from .run import host
from .scales import Scales, from_file, from_values

__all__ = ["load", "noise", "Finding", "ModelError", "Noise", "Unsupported"]


@dataclass
class _Made:
    """A network with what is needed to look into it."""

    net: Network
    tensors: dict[str, Tensor]
    names: dict[str, str]


class _Source:
    """A file, read once; networks are made from it in several ways."""

    def __init__(self, source: Source, shapes: Optional[Shapes], outputs: Optional[list[str]], hosted: bool,
                 progress: Optional[Progress] = None) -> None:
        self.graph, self.model = read(source, shapes, outputs)
        self.hosted: set[str] = set()
        self.may_host, self.progress = hosted, progress

    def prepare(self, residuals: bool) -> tuple[Graph, list[Layer], list[Finding]]:
        """Layers, fused, and what is not supported."""
        graph = self.graph.copy()
        found = dequantise(graph)
        layers, more = convert(graph, self.hosted)
        if not found and not more:
            fuse(graph, layers, residuals)
        return graph, layers, found + more

    def lower(self, dtype: str, residuals: bool, scales: Callable[[Graph, list[Layer]], Optional[Scales]],
              context: Optional[aicjit.Context], keep: bool) -> _Made:
        """The network; where nodes are not supported and may run elsewhere, once more with those elsewhere."""
        while True:
            graph, layers, found = self.prepare(residuals)
            lowering = None
            if not found:
                lowering = Lowering(graph, layers, dtype, scales(graph, layers), lambda layer: host(graph, layer))
                program = lowering.run()
                found = lowering.found
            if not found and lowering is not None:
                net = Network(program, context=context, keep=keep, progress=self.progress)
                net._model = self.model
                names = {output: layer.name for layer in layers for output in layer.outputs}
                return _Made(net, lowering.tensors, names)
            new = {finding.node for finding in found} - self.hosted
            known = {node.name for node in graph.nodes if node.op not in ("QuantizeLinear", "DequantizeLinear")
                     and not node.op.startswith("QLinear")}
            if not self.may_host or not new <= known or not new:
                raise Unsupported(found)
            self.hosted |= new


def _no_scales(graph: Graph, layers: list[Layer]) -> Optional[Scales]:
    return None


def _is_quantised(source: _Source) -> bool:
    ops = {node.op for node in source.graph.nodes}
    return any(op in ("QuantizeLinear", "DequantizeLinear", "QGemm") or op.startswith("QLinear") for op in ops)


def _integers(source: _Source, images: Images, method: str, percentile: float, context: Optional[aicjit.Context],
              keep: bool) -> tuple[_Made, _Made]:
    """The network in int8, and the one in float16 that its scales are from: of the same layers, so once more where int8 lets
    more nodes run elsewhere."""
    while True:
        floats = source.lower("float16", False, _no_scales, context, True)
        hosted = set(source.hosted)
        tops = _calibrate.largest(floats.net, floats.tensors, images, method, percentile)
        made = source.lower("int8", False, lambda graph, layers: from_values(graph, layers, tops), context, keep)
        if source.hosted == hosted:
            return made, floats


def _check(fallback: Optional[str], dtype: Optional[str]) -> None:
    if fallback not in (None, "onnxruntime"):
        raise aicjit.ArgumentError("onnx.load: fallback: %r is not onnxruntime" % (fallback,))
    if dtype not in (None, "float16", "int8"):
        raise aicjit.ArgumentError("onnx.load: dtype: %r is not float16 or int8" % (dtype,))


def load(source: Source, *, quantize: Optional[Images] = None, method: str = "max", percentile: float = 99.99,
         shapes: Optional[Shapes] = None, outputs: Optional[list[str]] = None, fallback: Optional[str] = None,
         context: Optional[aicjit.Context] = None, keep: bool = False, progress: Optional[Progress] = None) -> Network:
    """The network of an ONNX file (a path, its bytes or a ModelProto), for one image; calls take several along the first
    axis. Graphs of float32 and float16 run in float16 with sums in float32, quantised ones (QDQ, QLinear...) in int8.

    quantize: arrays of inputs, [N, ...] or a mapping of such by name: the network runs in int8 then, with a scale a channel
    by method "max", "percentile" or "mse". shapes: of inputs that have none, by name. outputs: names of the values to
    compute. fallback="onnxruntime": runs there what the library does not have. keep: buffers do not share memory.
    progress(made, kernels): is told as kernels are made, and stops that by returning False.

    Raises Unsupported, which lists all nodes with reasons, or ModelError.
    """
    _check(fallback, None)
    made = _Source(source, shapes, outputs, fallback is not None, progress)
    if _is_quantised(made):
        if quantize is not None:
            raise aicjit.ArgumentError("onnx.load: quantize: the file is quantised already")
        return made.lower("int8", False, from_file, context, keep).net
    if quantize is None:
        return made.lower("float16", True, _no_scales, context, keep).net
    return _integers(made, quantize, method, percentile, context, keep)[0].net


def noise(source: Source, quantize: Images, images: Optional[Images] = None, *, method: str = "max",
          percentile: float = 99.99, shapes: Optional[Shapes] = None, outputs: Optional[list[str]] = None,
          fallback: Optional[str] = None, context: Optional[aicjit.Context] = None) -> Noise:
    """How far the layers of load(source, quantize=...) are from float16, on these images or on those of quantize: rows
    with layer, signal, noise and db; str() is a table."""
    _check(fallback, None)
    made = _Source(source, shapes, outputs, fallback is not None)
    whole, floats = _integers(made, quantize, method, percentile, context, True)
    return _calibrate.compare(floats.net, floats.tensors, whole.net, whole.tensors, whole.names,
                              quantize if images is None else images)
