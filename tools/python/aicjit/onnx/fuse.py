"""Layers that become part of their neighbours: normalisation, rectification, padding, flattening, sums."""

from __future__ import annotations

from dataclasses import replace
from typing import Optional

import numpy as np

from .._blocks import Window
from .graph import Graph, Quant
from .layer import Layer


class _Net:
    """The layers, who makes a value and how many read it."""

    def __init__(self, graph: Graph, layers: list[Layer]) -> None:
        self.graph, self.layers = graph, layers
        self.maker = {output: layer for layer in layers for output in layer.outputs}
        self.readers: dict[str, int] = {}
        for layer in layers:
            for name in layer.inputs:
                self.readers[name] = self.readers.get(name, 0) + 1
        for name in graph.results.values():
            self.readers[name] = self.readers.get(name, 0) + 1

    def sole(self, name: str, *kinds: str) -> Optional[Layer]:
        """The layer that makes a value which one layer reads alone, and which is not rounded in between."""
        made = self.maker.get(name)
        if made is None or made.kind not in kinds or self.readers.get(name) != 1 or name in self.graph.quant:
            return None
        return made if len(made.outputs) == 1 else None

    def take(self, into: Layer, layer: Layer) -> None:
        """`into` gives what `layer` gave, which is part of it now."""
        into.nodes = [*into.nodes, *layer.nodes]
        into.outputs = layer.outputs
        into.image = layer.image
        self.maker[layer.outputs[0]] = into
        self.layers.remove(layer)


def _alias(graph: Graph, layers: list[Layer]) -> dict[str, str]:
    """Takes layers out that change nothing; gives the names of their inputs in place of their outputs."""
    same: dict[str, str] = {}
    for layer in list(layers):
        layer.inputs = [same.get(name, name) for name in layer.inputs]
        if layer.kind == "same":
            source, output = layer.inputs[0], layer.outputs[0]
            ours, theirs = graph.quant.get(source), graph.quant.get(output)
            if ours is None and theirs is not None and source not in graph.inputs:
                graph.quant[source] = theirs
            elif theirs is not None and theirs != ours:
                continue  # a second rounding: a kernel
            same[output] = source
            layers.remove(layer)
    return same


def _affine_into_conv(net: _Net, layer: Layer) -> bool:
    made = net.sole(layer.inputs[0], "conv")
    if made is None or not made.act.plain or made.weight is None or layer.gain is None or layer.shift is None:
        return False
    gain = layer.gain
    bias = np.zeros(len(gain), np.float32) if made.bias is None else made.bias
    made.weight = (made.weight * gain[:, None, None, None]).astype(np.float32, copy=False)
    made.bias = (bias * gain + layer.shift).astype(np.float32, copy=False)
    if made.integers is not None:
        weights, quant = made.integers
        made.integers = (weights, Quant(np.broadcast_to(quant.scale, gain.shape) * gain, quant.zero, quant.dtype)) \
            if (gain > 0).all() else None
    made.act = layer.act
    net.take(made, layer)
    return True


def _affine_into_affine(net: _Net, layer: Layer) -> bool:
    made = net.sole(layer.inputs[0], "affine")
    if made is None or not made.act.plain or made.gain is None or layer.gain is None:
        return False
    assert made.shift is not None and layer.shift is not None
    made.gain, made.shift = made.gain * layer.gain, made.shift * layer.gain + layer.shift
    made.act = layer.act
    net.take(made, layer)
    return True


def _act(net: _Net, layer: Layer) -> bool:
    made = net.sole(layer.inputs[0], "conv", "affine", "add", "act", "pair")
    if made is None:
        return False
    if made.act.plain and not (made.kind in ("add", "pair") and layer.act.slope is not None):
        made.act = layer.act
    elif made.act.slope is None and layer.act.slope is None:
        made.act = made.act.bounded(layer.act.lo, layer.act.hi)
    else:
        return False
    net.take(made, layer)
    return True


def _pad(net: _Net, layer: Layer) -> bool:
    """Zeros around the input of a convolution."""
    made = net.sole(layer.inputs[0], "pad")
    if made is None or layer.kind != "conv":
        return False
    pad = tuple(a + b for a, b in zip(made.window.pad, layer.window.pad))
    if max(pad) > 255:
        return False
    layer.window = replace(layer.window, pad=(pad[0], pad[1], pad[2], pad[3]))
    layer.inputs[0] = made.inputs[0]
    layer.nodes = [*layer.nodes, *made.nodes]
    net.layers.remove(made)
    return True


def _flat(net: _Net, layer: Layer) -> bool:
    """A product with a flattened picture: a convolution whose window is the picture."""
    made = net.maker.get(layer.inputs[0])
    if made is None or made.kind != "flatten" or layer.weight is None or layer.weight.shape[2:] != (1, 1):
        return False
    source = made.inputs[0]
    channels, height, width = net.graph.images.get(source) or net.graph.image(source)
    ours, theirs = net.graph.quant.get(source), net.graph.quant.get(layer.inputs[0])
    alone = ours is None and net.readers.get(source) == 1 and source not in net.graph.inputs
    if max(height, width) > 255 or (theirs is not None and theirs != ours and not alone):
        return False
    if theirs is not None:
        net.graph.quant[source] = theirs
    shape = len(layer.weight), channels, height, width
    layer.weight = layer.weight.reshape(shape)
    if layer.integers is not None:
        layer.integers = layer.integers[0].reshape(shape), layer.integers[1]
    layer.window = Window((height, width))
    layer.inputs[0] = source
    net.readers[made.outputs[0]] -= 1
    net.readers[source] = net.readers.get(source, 0) + 1
    return True


def _silu(net: _Net, layer: Layer) -> bool:
    """A value times its sigmoid."""
    for i, name in enumerate(layer.inputs):
        made = net.sole(name, "curve")
        if layer.op == "BM_MUL" and made is not None and made.op == "Sigmoid" and made.inputs == [layer.inputs[1 - i]]:
            net.readers[made.inputs[0]] -= 1
            layer.kind, layer.op, layer.inputs, layer.nodes = "curve", "Silu", made.inputs, [*layer.nodes, *made.nodes]
            net.layers.remove(made)
            return True
    return False


def _residual(net: _Net, layer: Layer) -> bool:
    """A sum with what a convolution gives: part of the convolution, which moves to where the sum is."""
    for i, name in enumerate(layer.inputs):
        made = net.sole(name, "conv")
        if made is not None and made.act.plain and made.residual is None and layer.inputs[1 - i] != name:
            made.residual, made.act = layer.inputs[1 - i], layer.act
            made.inputs = [made.inputs[0], made.residual]
            net.layers.remove(made)
            net.layers.insert(net.layers.index(layer), made)
            net.take(made, layer)
            return True
    return False


def _unused(net: _Net) -> None:
    """Takes out layers whose results nobody reads."""
    for layer in reversed(list(net.layers)):
        if not any(net.readers.get(name) for name in layer.outputs):
            for name in layer.inputs:
                net.readers[name] -= 1
            net.layers.remove(layer)


_PASSES = {"affine": (_affine_into_conv, _affine_into_affine), "act": (_act,), "pair": (_silu,), "conv": (_pad, _flat)}


def fuse(graph: Graph, layers: list[Layer], residuals: bool) -> None:
    """Fuses in place; residuals: sums, too, as float16 does it."""
    graph.rename(_alias(graph, layers))
    net = _Net(graph, layers)
    for layer in list(layers):
        for one in _PASSES.get(layer.kind, ()):
            if one(net, layer) and layer.kind != "conv":
                break
    if residuals:
        for layer in [layer for layer in layers if layer.kind == "add"]:
            _residual(net, layer)
    _unused(net)
