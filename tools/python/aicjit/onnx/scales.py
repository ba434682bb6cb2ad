"""Which steps the integers of a quantised network have: from the file, or from what its values were like."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from .._program import Array, Floats
from .._quantise import step_of
from .graph import Graph
from .layer import Layer

#: Layers whose output has the scale of their input, or inputs, channel by channel.
_KEEP = ("max", "pad", "resize", "add", "append")
#: Layers, and operations of layers, that give nothing negative of what is not.
_POSITIVE = ("max", "average", "concat", "pick", "flatten", "shuffle", "resize", "pad", "add", "append")
_POSITIVE_OPS = ("BM_MUL", "BM_ADD", "BM_MAX", "BM_MIN", "Silu", "Tanh")
#: Layers that hand on the scales of a file, and those that hand them back to an input that nobody else reads, whose values are
#: cut off where those of the result would be: bounds, too, but no slopes, which reach further than one of their sides, and
#: no means.
_HANDED = ("max", "pad", "resize", "shuffle", "pick", "flatten", "act", "concat", "append")
_HANDED_BACK = ("max", "pad", "resize", "act", "shuffle")


@dataclass
class Scales:
    """Of values: the step of each channel, and the zero point."""

    scale: dict[str, Floats] = field(default_factory=dict)
    zero: dict[str, int] = field(default_factory=dict)


def from_file(graph: Graph, layers: list[Layer]) -> Scales:
    """The scales that the file has; where nothing else than the place of elements changes they are handed on. Arithmetic
    that the file leaves in floats gets what its inputs can reach."""
    found = Scales()
    for name, quant in graph.quant.items():
        if name in graph.images or name in graph.inputs:
            found.scale[name] = np.full(graph.image(name)[0], quant.scale, np.float32)
            found.zero[name] = quant.zero - quant.shift
    plain = [layer for layer in layers if layer.act.slope is None]
    for layer in plain:
        if layer.kind in _HANDED:
            _forward(found, layer)
    readers = Counter([*graph.results.values(), *(name for layer in layers for name in layer.inputs)])
    for layer in reversed(plain):
        if layer.kind in _HANDED_BACK and layer.linear is None:
            source, output = layer.inputs[0], layer.outputs[0]
            if source not in found.scale and output in found.scale and readers[source] == 1:
                scale = found.scale[output]
                found.scale[source] = unshuffled(layer, scale) if layer.kind == "shuffle" else scale
                found.zero[source] = found.zero[output]
    for layer in layers:
        if layer.kind in (*_HANDED, "average") and layer.act.slope is None:
            _forward(found, layer)
        if layer.kind in _RANGES:
            _reach(found, layer)
    return found


Range = tuple[Floats, Floats]  # of values: the least and the greatest one, of each channel or of all


def _affine(layer: Layer, x: Range) -> Range:
    assert layer.gain is not None and layer.shift is not None
    return _ends(*(layer.gain * end + layer.shift for end in x))


def _sloped(layer: Layer, x: Range) -> Range:
    slope = layer.act.slope
    return x if slope is None else _ends(*(np.where(end < 0, slope * end, end) for end in x), np.zeros_like(x[0]))


_CURVES: dict[str, tuple[float, float]] = {"Sigmoid": (0, 1), "Tanh": (-1, 1), "Silu": (-0.2785, np.inf)}


def _curve(layer: Layer, x: Range) -> Range:
    low, high = _CURVES[layer.op]
    return np.full_like(x[0], low), np.minimum(np.maximum(x[1], 0), high).astype(np.float32)


def _pair(layer: Layer, x: Range, y: Range) -> Range:
    combine: dict[str, Callable[[Floats, Floats], Floats]] = {
        "": np.add, "BM_ADD": np.add, "BM_SUB": np.subtract, "BM_MUL": np.multiply, "BM_MAX": np.maximum, "BM_MIN": np.minimum}
    return _ends(*(combine[layer.op](a, b) for a in x for b in y))


def _ends(*values: Floats) -> Range:
    return np.minimum.reduce(values), np.maximum.reduce(values)


#: By kind of layer: what its results lie between before slopes and bounds, of what its inputs do. A quotient may be anything.
_RANGES: dict[str, Callable[..., Range]] = {
    "affine": _affine, "act": lambda layer, x: x, "curve": _curve, "pair": _pair, "add": _pair}


def _reach(found: Scales, layer: Layer) -> None:
    """The step of arithmetic whose inputs have steps: of all that int8 inputs can become, and of 0."""
    output = layer.outputs[0]
    if output in found.scale or any(name not in found.scale for name in layer.inputs) or layer.op == "BM_DIV":
        return
    inputs = [tuple(found.scale[name] * np.float32(end - found.zero[name]) for end in (-128, 127)) for name in layer.inputs]
    least, greatest = _sloped(layer, _RANGES[layer.kind](layer, *inputs))
    low = min(max(float(least.min()), layer.act.lo), layer.act.hi, 0)
    high = max(min(float(greatest.max()), layer.act.hi), layer.act.lo, 0)
    step = max(high - low, 1e-30) / 255
    found.scale[output] = np.full(len(least), step, np.float32)
    found.zero[output] = int(np.clip(round(-128 - low / step), -128, 127))


def _forward(found: Scales, layer: Layer) -> None:
    source, output = layer.inputs[0], layer.outputs[0]
    if output in found.scale or any(name not in found.scale for name in layer.inputs):
        return
    scale = found.scale[source]
    low, high = ((scale * (end - found.zero[source])) for end in (-128, 127))
    if layer.act.lo > high.min() or layer.act.hi < low.max():
        return  # the input does not reach what a bound makes of it
    if layer.kind == "concat":
        if len({found.zero[name] for name in layer.inputs}) > 1:
            return
        scale = np.concatenate([found.scale[name] for name in layer.inputs])
    found.scale[output], found.zero[output] = _channels(layer, scale), found.zero[source]


def _channels(layer: Layer, values: Array) -> Array:
    """Values of the input's channels as values of the output's."""
    if layer.kind == "pick":
        return values[list(layer.order)]
    if layer.kind == "flatten":
        return np.repeat(values, layer.image[0] // len(values))
    return shuffled(layer, values)[0] if layer.kind == "shuffle" else values


def shuffled(layer: Layer, values: Array) -> Array:
    """Values of the channels that become pixels, a row for each place in a square."""
    count = layer.factor**2
    return values.reshape(-1, count).T if layer.crd else values.reshape(count, -1)


def unshuffled(layer: Layer, values: Array) -> Array:
    """Values of the channels that pixels become, for the channels that they are made of."""
    count = layer.factor**2
    return np.repeat(values, count) if layer.crd else np.tile(values, count)


class _Cells:
    """Channels that must have one step: cells, of which some pairs are joined."""

    def __init__(self) -> None:
        self.count, self.pairs = 0, [np.zeros((2, 0), np.int64)]

    def new(self, count: int) -> Array:
        self.count += count
        return np.arange(self.count - count, self.count)

    def join(self, a: Array, b: Array) -> None:
        self.pairs.append(np.stack([a, b]))

    def roots(self) -> Array:
        """Of each cell the first one that it is joined to."""
        one, other = np.concatenate(self.pairs, axis=1)
        found = np.arange(self.count)
        while (found[one] != found[other]).any():
            least = np.minimum(found[one], found[other])
            for cells in (one, other):
                np.minimum.at(found, found[cells], least)
            found = found[found]
        return found


def _sources(graph: Graph, layers: list[Layer]) -> list[str]:
    return [*graph.inputs, *(name for layer in layers for name in layer.outputs if name)]


def _join(cells: _Cells, of: dict[str, Array], zeros: dict[str, Array], layer: Layer) -> None:
    """What one layer asks for."""
    out = layer.outputs[0]
    if layer.kind == "concat":
        of[out] = np.concatenate([of[name] for name in layer.inputs])
    elif layer.kind in ("pick", "flatten"):
        of[out] = _channels(layer, of[layer.inputs[0]])
    elif layer.kind == "shuffle":
        parts = shuffled(layer, of[layer.inputs[0]])
        for part in parts[1:]:
            cells.join(part, parts[0])
        of[out] = parts[0]
    elif layer.kind in _KEEP or (layer.kind == "act" and layer.act.slope is None):
        for name in layer.inputs:
            cells.join(of[name], of[out])
    else:
        return
    for name in layer.inputs:
        cells.join(zeros[name], zeros[out])


def never_negative(layers: list[Layer]) -> set[str]:
    """Values that are rectified, or made of such values alone."""
    found: set[str] = set()
    for layer in layers:
        handed = layer.kind in _POSITIVE or layer.op in _POSITIVE_OPS
        rectified = layer.op == "Sigmoid" or (layer.act.slope is None and layer.act.lo >= 0)
        if rectified or (handed and all(name in found for name in layer.inputs)):
            found.update(layer.outputs)
    return found


def from_values(graph: Graph, layers: list[Layer], largest: dict[str, Floats]) -> Scales:
    """Scales of channels whose values go up to these. Values that are never negative have the zero point -128, unless they
    are summed up: sums are exact where the zero point is 0."""
    cells, names = _Cells(), _sources(graph, layers)
    of = {name: cells.new(graph.image(name)[0]) for name in names}
    zeros = {name: cells.new(1) for name in names}
    rectified = never_negative(layers)
    for layer in layers:
        _join(cells, of, zeros, layer)
    root = cells.roots()
    plain = {int(root[zeros[name][0]]) for name in names if name not in rectified}
    plain |= {int(root[zeros[layer.outputs[0]][0]]) for layer in layers if layer.kind == "add"}
    tops = np.zeros(cells.count, np.float32)
    for name in names:
        np.maximum.at(tops, root[of[name]], largest.get(name, np.float32(0)))
    found = Scales()
    for name in names:
        found.zero[name] = 0 if int(root[zeros[name][0]]) in plain else -128
        found.scale[name] = step_of(tops[root[of[name]]], found.zero[name])
    return found
