"""Which steps the integers of a quantised network have: from the file, or from what its values were like."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from .._program import Array, Floats
from .._quantise import step_of
from .convert import Layer
from .graph import Graph

#: Layers whose output has the scale of their input, or inputs, channel by channel.
_KEEP = ("max", "pad", "resize", "add")
#: Layers that hand on the scales of a file.
_HANDED = ("max", "pad", "resize", "shuffle", "pick", "flatten", "act", "concat")


@dataclass
class Scales:
    """Of values: the step of each channel, and the zero point."""

    scale: dict[str, Floats] = field(default_factory=dict)
    zero: dict[str, int] = field(default_factory=dict)


def from_file(graph: Graph, layers: list[Layer]) -> Scales:
    """The scales that the file has; where nothing else than the place of elements changes they are handed on. Sums and
    averages that the file leaves in floats get what their inputs can reach."""
    found = Scales()
    for name, quant in graph.quant.items():
        if name in graph.images or name in graph.inputs:
            found.scale[name] = np.full(graph.image(name)[0], quant.scale, np.float32)
            found.zero[name] = quant.zero - quant.shift
    for layer in layers:
        if layer.kind in _HANDED:
            _forward(found, layer)
    for layer in reversed(layers):
        if layer.kind in ("max", "pad", "resize", "act", "shuffle"):
            source, output = layer.inputs[0], layer.outputs[0]
            if source not in found.scale and output in found.scale:
                scale = found.scale[output]
                if layer.kind == "shuffle":
                    scale = np.repeat(scale, layer.factor**2) if layer.crd else np.tile(scale, layer.factor**2)
                found.scale[source], found.zero[source] = scale, found.zero[output]
    for layer in layers:
        if layer.kind in (*_HANDED, "average"):
            _forward(found, layer)
        elif layer.kind == "add":
            _reach(found, layer)
    return found


def _reach(found: Scales, layer: Layer) -> None:
    """The step of a sum whose inputs have steps: of all that int8 inputs can add up to."""
    output = layer.outputs[0]
    if output in found.scale or any(name not in found.scale for name in layer.inputs):
        return
    ends = []
    for end, furthest in ((-128, np.min), (127, np.max)):
        total = sum(float(furthest(found.scale[name] * (end - found.zero[name]))) for name in layer.inputs)
        ends.append(min(max(total, layer.act.lo), layer.act.hi))
    low, high = ends
    step = max(high - low, 1e-30) / 255
    found.scale[output] = np.full(len(found.scale[layer.inputs[0]]), step, np.float32)
    found.zero[output] = int(np.clip(round(-128 - low / step), -128, 127))


def _forward(found: Scales, layer: Layer) -> None:
    source, output = layer.inputs[0], layer.outputs[0]
    if output in found.scale or any(name not in found.scale for name in layer.inputs):
        return
    scale = found.scale[source]
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


class _Cells:
    """Channels that must have one step, by a union of sets."""

    def __init__(self) -> None:
        self.parent: list[int] = []

    def new(self, count: int) -> Array:
        first = len(self.parent)
        self.parent.extend(range(first, first + count))
        return np.arange(first, first + count)

    def root(self, cell: int) -> int:
        while self.parent[cell] != cell:
            self.parent[cell] = cell = self.parent[self.parent[cell]]
        return cell

    def join(self, a: Array, b: Array) -> None:
        for one, other in zip(a.tolist(), b.tolist()):
            self.parent[self.root(one)] = self.root(other)


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
        handed = layer.kind in ("max", "average", "concat", "pick", "flatten", "shuffle", "resize", "pad", "add")
        if (layer.act.slope is None and layer.act.lo >= 0) or (handed and all(name in found for name in layer.inputs)):
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
    plain = {cells.root(int(zeros[name][0])) for name in names if name not in rectified}
    plain |= {cells.root(int(zeros[layer.outputs[0]][0])) for layer in layers if layer.kind == "add"}
    tops: dict[int, float] = {}
    for name in names:
        for cell, value in zip(of[name].tolist(), np.broadcast_to(largest.get(name, 0), of[name].shape).tolist()):
            root = cells.root(cell)
            tops[root] = max(tops.get(root, 0.0), value)
    found = Scales()
    for name in names:
        found.zero[name] = 0 if cells.root(int(zeros[name][0])) in plain else -128
        values = np.array([tops[cells.root(cell)] for cell in of[name].tolist()], np.float32)
        found.scale[name] = step_of(values, found.zero[name])
    return found
