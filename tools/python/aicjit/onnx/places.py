"""Where every value of a network lies: which channel in which place, in a buffer of its own or in that of a concatenation."""

from __future__ import annotations

from typing import Optional

import numpy as np

from .._blocks import BLOCK, Tensor, slots_of
from .._program import Place, Program
from .graph import Graph, Refused
from .layer import Layer
from .scales import Scales


class Places:
    """Places of all values; `tensors` has those that are written."""

    def __init__(self, graph: Graph, layers: list[Layer], dtype: str, scales: Optional[Scales]) -> None:
        self.graph, self.layers, self.dtype, self.scales = graph, layers, dtype, scales
        self.program = Program()
        self.tensors: dict[str, Tensor] = {}
        self.maker = {name: layer for layer in layers for name in layer.outputs}
        self.readers: dict[str, list[Layer]] = {}
        for layer in layers:
            for name in layer.inputs:
                self.readers.setdefault(name, []).append(layer)
        self.results = set(graph.results.values())
        self.slots: dict[str, tuple[int, ...]] = {}
        self._homes: dict[str, tuple[str, int]] = {}
        self._rooms: dict[str, Place] = {}
        self._plan()
        self._settle()

    def _is_picture(self, name: str) -> bool:
        """Whether an input lies in blocks of 4 channels, as convolutions alone take it."""
        readers = self.readers.get(name, [])
        return self.graph.image(name)[0] <= 4 and bool(readers) and name not in self.results and all(
            layer.kind == "conv" and layer.residual != name for layer in readers)

    def _plan(self) -> None:
        """Slots of all values. A convolution puts channels where those who read them want them."""
        unit = BLOCK[self.dtype]
        for name in self.graph.inputs:
            if self.readers.get(name) or name in self.results:  # others may have any shape, and are refused
                self.slots[name] = slots_of(self.graph.image(name)[0], 4 if self._is_picture(name) else unit)
        for layer in self.layers:
            for name in layer.outputs:
                if name:
                    self.slots[name] = self._slots(layer, name, unit)

    def _slots(self, layer: Layer, name: str, unit: int) -> tuple[int, ...]:
        first = self.slots.get(layer.inputs[0], ()) if layer.inputs else ()
        if layer.kind == "concat":
            parts: list[int] = []
            base = 0
            for source in layer.inputs:
                parts.extend(slot if slot < 0 else slot + base for slot in self.slots[source])
                base += self.graph.image(source)[0]
            return tuple(parts)
        if layer.kind == "pick":
            return self.pick(layer, unit)[0]
        if layer.kind in ("affine", "act", "max", "average", "pad", "resize", "add", "same", "pair", "curve", "append"):
            return first
        depthwise = layer.kind == "conv" and layer.weight is not None and layer.weight.shape[1] == 1
        if depthwise and layer.image[0] == self.graph.image(layer.inputs[0])[0] and len(first) % unit == 0:
            return first  # each channel where it was
        channels = layer.image[0] if layer.kind != "host" else self.graph.image(name)[0]
        readers = self.readers.get(name, [])
        if layer.kind == "conv" and len(readers) == 1 and readers[0].kind == "shuffle" and not self.at_the_end(readers[0]):
            return self.phases(readers[0], channels, unit)
        return slots_of(channels, unit)

    def pick(self, layer: Layer, unit: int) -> tuple[tuple[int, ...], int]:
        """Slots of some channels of a value, and the first block that has one: a view of the value."""
        at = {channel: i for i, channel in enumerate(layer.order)}
        slots = [at.get(slot, -1) for slot in self.slots[layer.inputs[0]]]
        there = [i // unit for i, slot in enumerate(slots) if slot >= 0]
        first, last = min(there), max(there) + 1
        return tuple(slots[first * unit : last * unit]), first

    def planes_at_the_end(self, name: str) -> bool:
        """Whether the outputs that are this value are all float32 and [C, H, W]."""
        outputs = [key for key, value in self.graph.results.items() if value == name]
        return all(self.graph.outputs[key][0] == "float32" and key not in self.graph.turned for key in outputs)

    def at_the_end(self, layer: Layer) -> bool:
        """Whether a shuffle gives an output that nobody else reads: it then moves pixels, not blocks."""
        return layer.outputs[0] in self.results and not self.readers.get(layer.outputs[0]) and \
            self.planes_at_the_end(layer.outputs[0])

    @staticmethod
    def phases(layer: Layer, channels: int, unit: int) -> tuple[int, ...]:
        """Channels by the place of their pixel in a square, then in blocks."""
        square = layer.factor**2
        count = channels // square
        slots: list[int] = []
        for phase in range(square):
            own = [c * square + phase if layer.crd else phase * count + c for c in range(count)]
            slots += own + [-1] * (-count % unit)
        return tuple(slots)

    def _settle(self) -> None:
        """Inputs of a concatenation that are written where they end up. The last one, which may hold others, first. What
        runs elsewhere splits the kernels into networks, each of which writes whole buffers."""
        hosts = np.cumsum([layer.kind == "host" for layer in self.layers])
        network = {name: int(count) for layer, count in zip(self.layers, hosts) for name in layer.outputs}
        for layer in reversed(self.layers):
            if layer.kind != "concat":
                continue
            offset = 0
            for name in layer.inputs:
                maker = self.maker.get(name)
                free = name not in self._homes and name not in self.graph.inputs and maker is not None and \
                    network[name] == network[layer.outputs[0]]
                if free and maker is not None and maker.kind not in ("pick", "host") and self._same_steps(name, layer):
                    self._homes[name] = layer.outputs[0], offset
                offset += len(self.slots[name]) // BLOCK[self.dtype]

    def _same_steps(self, name: str, layer: Layer) -> bool:
        """Whether a part of a concatenation has the steps that the whole has there."""
        if self.scales is None or name not in self.scales.scale or layer.outputs[0] not in self.scales.scale:
            return self.scales is None
        at = sum(self.graph.image(other)[0] for other in layer.inputs[: layer.inputs.index(name)])
        own, whole = self.scales.scale[name], self.scales.scale[layer.outputs[0]]
        return self.scales.zero[name] == self.scales.zero[layer.outputs[0]] and np.array_equal(own, whole[at : at + len(own)])

    def room(self, name: str) -> Place:
        """The place of a value, within that of the concatenation which it is part of."""
        if name not in self._rooms:
            _, height, width = self.image(name)
            c0 = self.c0(name)
            if name in self._homes:
                whole, first = self._homes[name]
                self._rooms[name] = self.room(whole).at(first * height * width * 32)
            else:
                self._rooms[name] = self.program.buffer(self.dtype, (len(self.slots[name]) // c0, height, width, c0))
        return self._rooms[name]

    def c0(self, name: str) -> int:
        """Channels of a block."""
        return 4 if len(self.slots[name]) == 4 else BLOCK[self.dtype]

    def image(self, name: str) -> tuple[int, int, int]:
        """Channels, height and width of a value."""
        return self.graph.images.get(name) or self.graph.image(name)

    def tensor(self, name: str) -> Tensor:
        """A value that is there already."""
        return self.tensors[name]

    def new(self, name: str, place: Optional[Place] = None) -> Tensor:
        """A value that is about to be written."""
        channels, height, width = self.image(name)
        scale, zero = np.ones(channels, np.float32), 0
        if self.dtype == "int8":
            if self.scales is None or name not in self.scales.scale:
                raise Refused("%s is not quantised: quantize= gives it a scale" % name)
            scale, zero = self.scales.scale[name], self.scales.zero[name]
        made = Tensor(place or self.room(name), self.dtype, self.slots[name], height, width, self.c0(name), scale, zero)
        self.tensors[name] = made
        return made
