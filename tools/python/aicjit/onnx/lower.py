"""From layers to kernels: where every value lies, and what computes it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Optional

import numpy as np

import aicjit

from .. import _blocks, _curves, _linear, _moves, _pools
from .._blocks import BLOCK, PLAIN, Act, Integers, Tensor, Window, slots_of
from .._program import Array, Floats, Host, Place, Port, Program
from .._quantise import integers
from .graph import Finding, Graph, Refused
from .layer import Layer
from .places import Places
from .scales import Scales, never_negative, unshuffled

HostRun = Callable[[Layer], Callable[[Any], Any]]


def _floats(run: Callable[[Any], Any], sources: Sequence[Optional[Tensor]]) -> Callable[[Any], Any]:
    """The function with inputs as float32: of float16, or of integers with the scale of a tensor."""
    def convert(array: Array, x: Optional[Tensor]) -> Array:
        if x is None:
            return array.astype(np.float32)
        return (array.astype(np.float32) - np.float32(x.zero)) * x.scale[None, :, None, None]

    return lambda arrays: run([convert(array, x) for array, x in zip(arrays, sources)])


class Lowering(Places):
    """Writes the kernels of all layers; `found` has the layers that could not be."""

    def __init__(self, graph: Graph, layers: list[Layer], dtype: str, scales: Optional[Scales], host: HostRun) -> None:
        super().__init__(graph, layers, dtype, scales)
        self.host = host
        self.found: list[Finding] = []
        self.rectified = never_negative(layers)

    # ---- the whole ----

    def run(self) -> Program:
        """All kernels; findings where layers cannot be."""
        for name, (dtype, shape) in self.graph.inputs.items():
            self._guard("input", name, "input", lambda: self._input(name, dtype, shape), [name] if name in self.slots else [])
        for layer in self.layers:
            self.program.layer = layer.name
            node = layer.nodes[0]
            self._guard(node.name, node.name, node.op, lambda: self._layer(layer), layer.outputs)
        for name, (dtype, shape) in self.graph.outputs.items():
            self.program.layer = name
            self._guard("output", name, "output", lambda: self._output(name, dtype, shape))
        return self.program

    def _guard(self, kind: str, name: str, op: str, work: Callable[[], None], outputs: Any = ()) -> None:
        """Does it, or writes down why it cannot be done, and goes on with what it would have given."""
        try:
            work()
        except (Refused, aicjit.Error) as reason:
            self.found.append(Finding(name, op, str(reason)))
            for output in outputs:
                if output and output not in self.tensors:
                    channels, height, width = self.image(output)
                    self.tensors[output] = Tensor(Place(""), self.dtype, self.slots[output], height, width,
                                                  self.c0(output), np.ones(channels, np.float32))

    def _layer(self, layer: Layer) -> None:
        make: Callable[[Layer], None] = getattr(self, "_emit_" + layer.kind)
        make(layer)

    def _input(self, name: str, dtype: str, shape: tuple[int, ...]) -> None:
        if not self.readers.get(name) and name not in self.results:
            raise Refused("nothing reads it")
        channels = self.image(name)[0]
        buffer = "in_%d" % len(self.program.inputs)
        size = int(np.prod(shape))
        source = self.program.buffer(dtype, shape if dtype != "uint8" else (_blocks.up(size, 4),), buffer)
        self.program.inputs.append(Port(name, buffer, dtype, tuple(shape)))
        self.program.layer = name
        y = self.new(name)
        if dtype in ("int8", "uint8") and self.dtype != "int8":
            raise Refused("is %s, and the network is not quantised" % dtype)
        if dtype == "float16" and self.dtype == "int8":
            raise Refused("is float16: networks in int8 take float32 or 8 bits")
        if dtype == "uint8":
            signed = self.program.buffer("int8", (_blocks.up(size, 4),))
            _moves.flip_sign(self.program, source, signed, _blocks.up(size, 4))
            source, dtype = signed, "int8"
        if name in self.graph.turned and channels > 1 and y.pixels > 1:
            planes = self.program.buffer(dtype, (channels, y.height, y.width))
            _moves.transdata(self.program, dtype, "NHWC", "NCHW", (1, y.height, y.width, channels), source, planes)
            source = planes
        _moves.pack(self.program, source, dtype, channels, y, y.scale if self.dtype == "int8" and dtype != "int8" else None)

    def _output(self, name: str, dtype: str, shape: tuple[int, ...]) -> None:
        value = self.graph.results[name]
        buffer = "out_%d" % len(self.program.outputs)
        channels, height, width = self.image(value)
        turned = name in self.graph.turned and channels > 1 and height * width > 1
        shape = tuple(shape) or ((1, height, width, channels) if name in self.graph.turned else (1, channels, height, width))
        if int(np.prod(shape)) != channels * height * width:
            raise Refused("has the shape %s, but %d elements" % (list(shape), channels * height * width))
        if dtype not in ("float32", "float16", "int8", "uint8"):
            raise Refused("is %s" % dtype)
        size = channels * height * width
        place = Place("out:" + value) if "out:" + value in self.program.buffers else \
            self.program.buffer(dtype, shape if dtype != "uint8" else (_blocks.up(size, 4),), buffer)
        self.program.outputs.append(Port(name, place.name, dtype, shape))
        if turned:
            if dtype == "uint8":
                raise Refused("is uint8 and NHWC")
            planes, end = self.program.buffer(dtype, (channels, height, width)), place
            _moves.transdata(self.program, dtype, "NCHW", "NHWC", (1, channels, height, width), planes, end)
            turn, place = self.program.steps.pop(), planes
        if not place.name.startswith("out:"):
            self._flat(self.tensors[value], dtype, place, channels, size)
        if turned:
            self.program.steps.append(turn)

    def _flat(self, x: Tensor, dtype: str, place: Place, channels: int, size: int) -> None:
        """A value as an output [C, H, W]."""
        if dtype == "float32":
            x = x if _moves.runs(x) <= 8 else self._ordered(x, slots_of(x.channels, x.c0))
            _moves.unpack(self.program, x, x.scale, place)
            return
        if (dtype == "float16") != (x.dtype == "float16"):
            raise Refused("is %s, and is computed in %s" % (dtype, x.dtype))
        x = self._ordered(x, slots_of(x.channels, x.c0))
        if dtype != "uint8":
            _moves.flatten(self.program, x, place)
            return
        signed = self.program.buffer("int8", (_blocks.up(size, 4),))
        if size % 4:  # the rest of the last word
            _moves.clear(self.program, signed.at(size // 4 * 4), 4)
        _moves.flatten(self.program, x, signed)
        _moves.flip_sign(self.program, signed, place, _blocks.up(size, 4))

    # ---- layers ----

    def _straight(self, layer: Layer) -> Optional[tuple[Place, tuple[int, int, int]]]:
        """Where a convolution whose sums are an output leaves them, as float32 [C, H, W]."""
        name = layer.outputs[0]
        outputs = [key for key, value in self.graph.results.items() if value == name]
        if self.readers.get(name) or len(outputs) != 1 or name in self.graph.quant:
            return None
        dtype, shape = self.graph.outputs[outputs[0]]
        if dtype != "float32" or outputs[0] in self.graph.turned:
            return None
        image = self.image(name)
        self.tensors[name] = Tensor(Place(""), self.dtype, self.slots[name], *image[1:], BLOCK[self.dtype],
                                    np.ones(image[0], np.float32))
        return self.program.buffer("float32", tuple(shape) or (1, *image), "out:" + name), image

    def _integers(self, layer: Layer, x: Tensor, y_scale: Floats) -> Integers:
        """The layer in integers: those of the file, or chosen here."""
        assert layer.weight is not None
        if layer.integers is None:
            return integers(layer.weight, layer.bias, x.scale, x.zero, y_scale)
        values, quant = layer.integers
        if (x.scale != x.scale[0]).any():
            return integers(layer.weight, layer.bias, x.scale, x.zero, y_scale)
        whole = values.astype(np.int64) - quant.zero
        if whole.min() < -128 or whole.max() > 127:
            raise Refused("weights less their zero point are %d..%d, beyond int8" % (whole.min(), whole.max()))
        step = (np.broadcast_to(quant.scale.reshape(-1), (len(whole),)) * x.scale[0]).astype(np.float32)
        bias = np.zeros(len(whole)) if layer.bias is None else np.rint(layer.bias.astype(np.float64) / step)
        start = bias - x.zero * whole.sum(axis=(1, 2, 3))
        if np.abs(start).max(initial=0) >= 2**31:
            raise Refused("a bias of %g steps, beyond int32" % np.abs(start).max())
        return Integers(whole.astype(np.int8), start.astype(np.int32), (step / y_scale).astype(np.float32))

    @staticmethod
    def _inner(act: Act, y: Tensor) -> Act:
        """What of act is part of a chain: of int8, whose steps a chain computes in, not the bounds other than 0."""
        return act if y.dtype == "float16" else replace(act, hi=np.inf, lo=act.lo if act.rectifies else -np.inf)

    def _bounds(self, act: Act, y: Tensor) -> None:
        """Bounds that the range of y does not have anyway."""
        if y.dtype != "int8":
            return
        top, low = y.scale * np.float32(127 - y.zero), y.scale * np.float32(-128 - y.zero)
        if (act.hi < top * np.float32(0.9999)).any():
            limit = np.clip(np.rint(np.float32(act.hi) / y.scale) + y.zero, -128, 127)
            _pools.bound_channels(self.program, y, "BM_MIN", limit)
        if act.lo != -np.inf and act.lo != 0 and (act.lo > low * np.float32(0.9999)).any():
            limit = np.clip(np.rint(np.float32(act.lo) / y.scale) + y.zero, -128, 127)
            _pools.bound_channels(self.program, y, "BM_MAX", limit)
        if act.lo == 0 and act.slope is not None:
            raise Refused("slopes and a bound")

    def _emit_conv(self, layer: Layer) -> None:
        assert layer.weight is not None
        x = self.tensor(layer.inputs[0])
        straight = self._straight(layer)
        if straight is not None:
            self._sums(layer, x, *straight)
        elif self.dtype == "float16":
            y = self.new(layer.outputs[0])
            _blocks.float_convolution(self.program, x, layer.weight, layer.bias, layer.window, layer.act, y,
                                      self._accumulated(layer, y.slots))
        else:
            y = self.new(layer.outputs[0])
            _blocks.integer_convolution(self.program, x, self._integers(layer, x, y.scale), layer.window, layer.act, y)
            self._bounds(layer.act, y)

    def _accumulated(self, layer: Layer, slots: tuple[int, ...]) -> Optional[Tensor]:
        """What is added to the sums of a layer, whose channels lie in these slots."""
        if layer.residual is None:
            return None
        other = self._ordered(self.tensor(layer.residual), slots)
        return _pools.accumulators(self.program, other, np.ones(other.channels, np.float32))

    def _ordered(self, x: Tensor, slots: tuple[int, ...]) -> Tensor:
        """The tensor with its channels in these slots: a product with a matrix that exchanges them, if need be."""
        if x.slots == slots:
            return x
        y = _blocks.allocate(self.program, x.dtype, slots, x.height, x.width, x.scale, x.zero)
        unit = np.eye(x.channels, dtype=np.float32)[:, :, None, None]
        if x.dtype == "float16":
            _blocks.float_convolution(self.program, x, unit, None, Window(), PLAIN, y)
        else:
            whole = Integers(unit.astype(np.int8), np.full(x.channels, -x.zero, np.int32), np.ones(x.channels, np.float32))
            _blocks.integer_convolution(self.program, x, whole, Window(), PLAIN, y)
        return y

    def _sums(self, layer: Layer, x: Tensor, out: Place, image: tuple[int, int, int]) -> None:
        """A convolution that ends as float32 [C, H, W]."""
        assert layer.weight is not None
        slots = slots_of(image[0], 16)
        y = Tensor(Place(""), "float32", slots, image[1], image[2], 16, np.ones(image[0], np.float32))
        if self.dtype == "float16":
            packed, window = _blocks.weight_blocks(x, slots, _blocks.halves(layer.weight), layer.window)
            start = self.program.constant(y.spread(layer.bias)) if layer.bias is not None else None
            text = _blocks.conv_text(x, len(slots), window, bias=start is not None, packed=packed)
            chain = _blocks.Chain(text, feature_map=x.place, weight=self.program.constant(packed), l1out=start)
            residual = self._accumulated(layer, slots)
            if residual is not None:
                chain.operand("BM_ADD", residual.place)
        else:
            whole = self._integers(layer, x, np.ones(image[0], np.float32))
            chain = _blocks.float_sums(self.program, x, whole, layer.window, y, slots)
            _blocks.spread_factor(chain, self.program, y, whole.factor)
        chain.activate(self.program, layer.act, y)
        rows = out if y.pixels == 1 or image[0] == 1 else self.program.buffer("float32", (y.pixels, image[0]))
        _pools.end_rows(chain, self.program, _pools.Rows(rows, image[0]), layer.act)
        if rows != out:
            _moves.planes(self.program, rows, image[0], y, out)

    def _emit_affine(self, layer: Layer) -> None:
        assert layer.gain is not None and layer.shift is not None
        x, y = self.tensor(layer.inputs[0]), self.new(layer.outputs[0])
        gain, shift = layer.gain, layer.shift
        if y.dtype == "int8":
            gain, shift = gain * x.scale / y.scale, shift / y.scale
        if layer.act.slope is None:
            _pools.blockwise(self.program, x, y, gain, shift, self._inner(layer.act, y))
        else:
            self._sloped(x, y, gain, shift, layer.act)
        self._bounds(layer.act, y)

    def _sloped(self, x: Tensor, y: Tensor, gain: Floats, shift: Floats, act: Act) -> None:
        """Slopes make a chain of integers too long where there are a gain and a shift, too: two kernels then."""
        if not shift.any() or x.dtype == "float16":
            _pools.blockwise(self.program, x, y, gain, shift, act)
        else:
            _pools.act_on_sums(self.program, x, _pools.accumulators(self.program, x, gain, shift), y, act)

    def _emit_act(self, layer: Layer) -> None:
        x, y = self.tensor(layer.inputs[0]), self.new(layer.outputs[0])
        if layer.act.rectifies and x.in_steps_of(y) and (x.dtype == "int8" or layer.act.hi == np.inf):
            _pools.rectify(self.program, x, y)
        else:
            _pools.blockwise(self.program, x, y, x.scale / y.scale, None, self._inner(layer.act, y))
        self._bounds(layer.act, y)

    def _emit_same(self, layer: Layer) -> None:
        self._emit_act(layer)

    def _emit_add(self, layer: Layer) -> None:
        y = self.new(layer.outputs[0])
        a, b = (self._ordered(self.tensor(name), y.slots) for name in layer.inputs)
        act = layer.act
        if y.dtype == "int8" and y.zero == 0 and a.in_steps_of(y) and b.in_steps_of(y):
            _pools.each(self.program, a, "BM_ADD", y, b)
            if act.lo == 0:
                _pools.rectify(self.program, y, y)
        else:
            sums = _pools.accumulators(self.program, a, a.scale / y.scale)
            _pools.blockwise(self.program, b, y, b.scale / y.scale, None, self._inner(act, y), residual=sums)
        self._bounds(act, y)

    def _emit_pair(self, layer: Layer) -> None:
        y = self.new(layer.outputs[0])
        a, b = (self._ordered(self.tensor(name), y.slots) for name in layer.inputs)
        apart = layer.op in ("BM_MUL", "BM_DIV")  # the step of the result is a factor of a alone
        first, second = a.scale / y.scale, b.scale / (1 if apart else y.scale)
        _pools.blockwise(self.program, a, y, first, None, self._inner(layer.act, y), op=layer.op,
                         residual=_pools.accumulators(self.program, b, second.astype(np.float32)))
        self._bounds(layer.act, y)

    def _emit_curve(self, layer: Layer) -> None:
        _curves.curve(self.program, self.tensor(layer.inputs[0]), self.new(layer.outputs[0]), layer.op)

    def _pooled(self, layer: Layer, x: Tensor) -> tuple[Tensor, Tensor]:
        """The output, and a tensor in the input's steps that is to become it."""
        y = self.new(layer.outputs[0])
        if x.in_steps_of(y):
            return y, y
        return y, _blocks.allocate(self.program, x.dtype, y.slots, y.height, y.width, x.scale, x.zero)

    def _step(self, x: Tensor, y: Tensor) -> None:
        """From one scale to another."""
        if x is not y:
            _pools.blockwise(self.program, x, y, x.scale / y.scale)

    def _rescaled(self, x: Tensor, scale: Floats, zero: int) -> Tensor:
        """The tensor in these steps: a kernel where they are others."""
        if x.in_steps_of(replace(x, scale=scale, zero=zero)):
            return x
        y = _blocks.allocate(self.program, x.dtype, x.slots, x.height, x.width, scale, zero)
        self._step(x, y)
        return y

    def _emit_max(self, layer: Layer) -> None:
        x = self.tensor(layer.inputs[0])
        y, made = self._pooled(layer, x)
        _pools.max_pool(self.program, x, layer.window, made, layer.inputs[0] in self.rectified)
        self._step(made, y)

    def _emit_average(self, layer: Layer) -> None:
        _pools.average_pool(self.program, self.tensor(layer.inputs[0]), layer.window, self.new(layer.outputs[0]),
                            layer.include_pad)

    def _emit_pad(self, layer: Layer) -> None:
        x, y = self.tensor(layer.inputs[0]), self.new(layer.outputs[0])
        _pools.blockwise(self.program, x, y, x.scale / y.scale, window=layer.window)

    def _emit_resize(self, layer: Layer) -> None:
        x = self.tensor(layer.inputs[0])
        if layer.linear is not None:
            _linear.resize(self.program, x, self.new(layer.outputs[0]), layer.linear == "asymmetric")
            return
        y, made = self._pooled(layer, x)
        _moves.resize(self.program, x, made)
        self._step(made, y)

    def _emit_concat(self, layer: Layer) -> None:
        y, first, channel = self.new(layer.outputs[0]), 0, 0
        for name in layer.inputs:
            x = self.tensor(name)
            place = y.place.at(first * y.pixels * 32)
            if x.place != place:
                part = replace(x, place=place, scale=y.scale[channel : channel + x.channels], zero=y.zero)
                if x.in_steps_of(part):
                    _moves.copy_blocks(self.program, x, place)
                else:
                    _pools.blockwise(self.program, x, part, x.scale / part.scale)
            first, channel = first + x.blocks, channel + x.channels

    def _emit_append(self, layer: Layer) -> None:
        y, first = self.new(layer.outputs[0]), 0
        for name in layer.inputs:
            x = self._rescaled(self._ordered(self.tensor(name), y.slots), y.scale, y.zero)
            _moves.copy(self.program, x.place, y.place.at(32 * first), (1, x.blocks, x.pixels, _pools.WORDS),
                        (0, x.pixels * _pools.WORDS, _pools.WORDS, 1), (0, y.pixels * _pools.WORDS, _pools.WORDS, 1))
            first += x.pixels

    def _emit_pick(self, layer: Layer) -> None:
        x = self.tensor(layer.inputs[0])
        slots, first = self.pick(layer, x.c0)
        name, scale = layer.outputs[0], x.scale[list(layer.order)]
        seen = Tensor(x.place.at(first * x.block_bytes), x.dtype, slots, *layer.image[1:], x.c0, scale, x.zero)
        self.tensors[name] = seen if self.scales is None else \
            self._rescaled(seen, self.scales.scale.get(name, scale), self.scales.zero.get(name, x.zero))

    def _emit_flatten(self, layer: Layer) -> None:
        x = self.tensor(layer.inputs[0])
        x = self._ordered(x, slots_of(x.channels, x.c0))
        y = self.new(layer.outputs[0])
        x = self._rescaled(x, y.scale[:: x.pixels], y.zero)
        if len(y.slots) != y.channels:
            raise Refused("%d elements, no multiple of %d" % (y.channels, y.c0))
        _moves.flatten(self.program, x, y.place)

    def _emit_shuffle(self, layer: Layer) -> None:
        x, name = self.tensor(layer.inputs[0]), layer.outputs[0]
        if self.at_the_end(layer) and not self.graph.quant.get(name):
            output = next(key for key, value in self.graph.results.items() if value == name)
            shape = self.graph.outputs[output][1] or (1, *layer.image)
            flat = self.program.buffer("float32", (x.channels, x.height, x.width))
            _moves.unpack(self.program, x, x.scale, flat)
            out = self.program.buffer("float32", tuple(shape), "out:" + name)
            _moves.shuffle_planes(self.program, flat, layer.image, layer.factor, layer.crd, out)
            return
        x = self._ordered(x, self.phases(layer, x.channels, x.c0))
        y = self.new(name)
        x = self._rescaled(x, unshuffled(layer, y.scale), y.zero)
        _moves.pixel_shuffle(self.program, x, (layer.factor, layer.factor), y)

    def _emit_host(self, layer: Layer) -> None:
        ins, outs = [], []
        sources: list[Optional[Tensor]] = []
        for name in layer.inputs:
            x, plain = self.tensor(name), len(self.slots[name]) != 4
            x = self._ordered(x, slots_of(x.channels, x.c0)) if plain else x
            place = self.program.buffer(x.dtype if plain else "float32", (1, *self.image(name)))
            if plain:
                _moves.flatten(self.program, x, place)
            else:
                _moves.unpack(self.program, x, x.scale, place)
            ins.append(place)
            sources.append(x if plain and x.dtype == "int8" else None)
        for name in layer.outputs:
            outs.append(self.program.buffer("float32", self.graph.shapes.get(name) or (1, *self.image(name))))
        ends = [place if name not in self.results or self.readers.get(name) else self._end(name, place)
                for name, place in zip(layer.outputs, outs)]
        self.program.steps.append(Host(layer.name, "onnxruntime: " + layer.nodes[0].op, _floats(self.host(layer), sources), ins, ends))
        for name, place, end in zip(layer.outputs, outs, ends):
            if place is end:
                y = self.new(name)
                _moves.pack(self.program, place, "float32", y.channels, y, y.scale if y.dtype == "int8" else None)

    def _end(self, name: str, place: Place) -> Place:
        """Lets what a host gives be an output itself."""
        self.program.buffers["out:" + name] = replace(self.program.buffers.pop(place.name), name="out:" + name)
        self.tensors[name] = Tensor(Place(""), self.dtype, self.slots[name], 1, 1, BLOCK[self.dtype], np.ones(1, np.float32))
        return Place("out:" + name)
