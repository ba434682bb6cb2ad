"""Feature maps in blocks of channels, and the kernels of convolutions on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Optional

import numpy as np

import aicjit

from ._program import Array, Floats, Place, Program

#: 1.5 * 2^23: an integer between -2^22 and 2^22 added to the bits of this float gives those of the float's sum.
INTEGER_BITS, INTEGER_FLOAT = 0x4B400000, 12582912
INTEGER_LIMIT = 1 << 22
BLOCK = {"int8": 32, "float16": 16, "float32": 16}


def up(n: int, unit: int) -> int:
    return -(-n // unit) * unit


def lines(count: int) -> list[tuple[int, int]]:
    """Lines of element-wise kernels, whose axes have at most 65535: from which one on, and how many, for each kernel."""
    return [(first, min(65535, count - first)) for first in range(0, count, 65535)]


@dataclass(frozen=True)
class Tensor:
    """A feature map [C1, H, W, c0] of int8 or float16. slots: which channel of the network lies in each place, -1 none.
    An element q of channel c stands for (q - zero) * scale[c]; in float16 networks scales are 1. dtype float32:
    accumulators [C1, round_howo, 16]."""

    place: Place
    dtype: str
    slots: tuple[int, ...]
    height: int
    width: int
    c0: int
    scale: Floats
    zero: int = 0

    @property
    def pixels(self) -> int:
        return self.height * self.width

    @property
    def blocks(self) -> int:
        return len(self.slots) // self.c0

    @property
    def channels(self) -> int:
        return len(self.scale)

    @property
    def block_bytes(self) -> int:
        """From a block of channels to the next one."""
        size = {"int8": 1, "float16": 2, "float32": 4}[self.dtype]
        return (up(self.pixels, 16) if self.dtype == "float32" else self.pixels) * self.c0 * size

    @property
    def bytes(self) -> int:
        return self.blocks * self.block_bytes

    def in_steps_of(self, other: Tensor) -> bool:
        """Whether an element stands for the same value in both."""
        return self.zero == other.zero and np.array_equal(self.scale, other.scale)

    def spread(self, values: Array, fill: float = 0) -> Array:
        """Values of the channels as values of the slots."""
        padded = np.append(np.asarray(values), np.asarray(values).dtype.type(fill))
        result: Array = padded[np.asarray(self.slots)]
        return result


def slots_of(channels: int, c0: int) -> tuple[int, ...]:
    """Channels one after the other, the last block filled up."""
    return tuple(c if c < channels else -1 for c in range(up(channels, c0)))


def allocate(program: Program, dtype: str, slots: Sequence[int], height: int, width: int, scale: Floats, zero: int = 0,
             place: Optional[Place] = None) -> Tensor:
    """A tensor with room of its own, or at a place."""
    made = Tensor(Place(""), dtype, tuple(slots), height, width, BLOCK[dtype], scale, zero)
    if place is None:
        rows = up(height * width, 16) if dtype == "float32" else height * width
        place = program.buffer(dtype, (made.blocks, rows, made.c0))
    return replace(made, place=place)


@dataclass(frozen=True)
class Window:
    """How a kernel moves over a feature map; pad: left, right, top, bottom."""

    kernel: tuple[int, int] = (1, 1)
    stride: tuple[int, int] = (1, 1)
    pad: tuple[int, int, int, int] = (0, 0, 0, 0)
    dilation: tuple[int, int] = (1, 1)

    def output(self, height: int, width: int) -> tuple[int, int]:
        left, right, top, bottom = self.pad
        (kh, kw), (sh, sw), (dh, dw) = self.kernel, self.stride, self.dilation
        return (height + top + bottom - dh * (kh - 1) - 1) // sh + 1, (width + left + right - dw * (kw - 1) - 1) // sw + 1


@dataclass(frozen=True, eq=False)
class Act:
    """What follows a sum: negative values times slope (a number a channel, None: as they are), then between lo and hi."""

    slope: Optional[Floats] = None
    lo: float = -np.inf
    hi: float = np.inf

    @property
    def plain(self) -> bool:
        """Whether nothing follows."""
        return self.slope is None and self.lo == -np.inf and self.hi == np.inf

    @property
    def rectifies(self) -> bool:
        return self.slope is None and self.lo == 0

    def bounded(self, lo: float, hi: float) -> Act:
        """The same and bounds behind it. Where bounds exclude each other the last ones count."""
        return replace(self, lo=min(max(self.lo, lo), hi), hi=min(max(self.hi, lo), hi))


PLAIN = Act()


def conv_text(x: Tensor, cout: int, window: Window, *, blocks: Optional[int] = None, pad_value: int = 0,
              bias: bool = True, packed: Optional[Array] = None) -> str:
    """conv2d, as text; packed: weights, whose blocks of channels say how many groups there are."""
    blocks = x.blocks if blocks is None else blocks
    seen, c0 = (blocks, x.c0) if packed is None else (packed.shape[0], packed.shape[4])
    # A column of pixels is a row to a window of one: of columns the document has no convolution.
    size = (1, x.height) if x.width == 1 and window == Window() else (x.height, x.width)
    keys: dict[str, object] = {"dtype": x.dtype, "fm_shape": (blocks, *size, x.c0), "pad": window.pad,
            "stride": window.stride, "kernel_shape": (seen, *window.kernel, cout, c0), "dilation": window.dilation}
    if (seen, c0) != (blocks, x.c0):
        keys["groups"] = blocks * x.c0 // (seen * c0)
    if x.dtype == "float16":
        keys["accumulate"] = "fast"
    if pad_value and any(window.pad):
        keys["pad_value"] = pad_value
    if bias:
        keys.update(init_l1out=False, l1out="channel")
    return str(aicjit.op("conv2d", **keys))


def arithmetic(op: str, **keys: object) -> str:
    return str(aicjit.op("tensor_arithmetic", op=op, **keys))


CHANNEL = (0, 16, 0, 1)  # input1_stride of one value a channel


class Chain:
    """A chain being written: text and operands, whose names the library gives in order."""

    def __init__(self, text: str, **inputs: Optional[Place]) -> None:
        self.stages, self.inputs, self._count = [text], inputs, 0

    def __or__(self, text: str) -> Chain:
        self.stages.append(text)
        return self

    def operand(self, op: str, place: Place, **keys: object) -> Chain:
        """A stage of arithmetic that reads a tensor."""
        self._count += 1
        self.inputs["input1" if self._count == 1 else "input1_%d" % self._count] = place
        return self | arithmetic(op, **keys)

    def constant(self, op: str, value: float) -> Chain:
        return self | arithmetic(op, input1_is_const=True, input1_const=value)

    def square(self) -> Chain:
        """The accumulators by themselves."""
        return self | arithmetic("BM_MUL", input1_stage=len(self.stages))

    def to_float(self) -> Chain:
        """int32 sums whose bias has INTEGER_BITS as the floats that they are."""
        return self.constant("BM_SUB", INTEGER_FLOAT)

    def activate(self, program: Program, act: Act, slots: Tensor, step: int = 0) -> Chain:
        """Slopes; bounds other than a lower one of 0, which fixpipe has. step: bytes between the slopes of several calls."""
        if act.slope is not None:
            at = len(self.stages)
            slopes = slots.spread(act.slope.astype(np.float32))
            if (act.slope <= 1).all() or (act.slope >= 1).all():  # the larger or smaller one of x and slope * x
                self.operand("BM_MUL", program.constant(slopes).at(0, step), input1_stride=CHANNEL)
                self.stages.append(arithmetic("BM_MAX" if (act.slope <= 1).all() else "BM_MIN", input1_stage=at))
            else:
                self.constant("BM_MIN", 0)
                self.operand("BM_MUL", program.constant(slopes - np.float32(1)).at(0, step), input1_stride=CHANNEL)
                self.stages.append(arithmetic("BM_ADD", input1_stage=at))
        if act.hi != np.inf:
            self.constant("BM_MIN", act.hi)
        if act.lo != -np.inf and not act.rectifies:
            self.constant("BM_MAX", act.lo)
        return self

    def emit(self, program: Program, out: Place, times: int = 1) -> None:
        """Writes the kernel; once for each time where results of one call enclose those of the next."""
        if len(self.stages) > 6:
            raise aicjit.UnsupportedError("a chain of %d operators, more than 6" % len(self.stages))
        text = " | ".join(self.stages)
        if "format=ROW_MAJOR" not in text or times == 1:
            program.kernel(text, out, self.inputs, times)
            return
        for i in range(times):
            inputs = {name: place and place.at(i * place.step) for name, place in self.inputs.items()}
            program.kernel(text, out.at(i * out.step), inputs)


def fixpipe(**keys: object) -> str:
    return str(aicjit.op("fixpipe", **keys))


def word_scale(words: Array) -> Floats:
    """The scales of quantisation words."""
    return (words & 0xFFFFFFFF).astype(np.uint32).view(np.float32)


def finish(chain: Chain, program: Program, y: Tensor, relu: bool, words: Optional[Array], times: int = 1,
           floats: bool = True) -> None:
    """The end of a chain: to the elements of y. words: quantisation words of the slots, for int8."""
    place = y.place if times == 1 else y.place.at(0, y.bytes // times)
    if y.dtype == "float32":
        chain.emit(program, place, times)
        return
    if y.dtype == "float16":
        chain | fixpipe(src="float32", dst="float16", format="NZ", quantPre="F322F16", reluEn=relu)
        chain.emit(program, place, times)
        return
    assert words is not None
    equal = bool((words == words[0]).all())
    mode = ("" if equal else "V") + ("QF322B8_PRE" if floats else "REQ8")
    keys: dict[str, object] = {"deqScalar": int(words[0])} if equal else {}
    if not equal:
        chain.inputs["cbufWorkspace"] = program.constant(words).at(0, 8 * len(words) // times if times > 1 else 0)
    cout = len(words) // times
    if cout // 16 % 2:
        keys["fill_block"] = True
    chain | fixpipe(src="float32" if floats else "int32", dst="int8", format="NZ", quantPre=mode, reluEn=relu, **keys)
    chain.emit(program, place, times)


def _span(x: Tensor, y_slots: Sequence[int], outputs: int, inputs: int) -> int:
    """The fewest slots of x by which all groups of so many outputs and inputs can be cut out; all of them: by none."""
    slots, there, groups = np.asarray(x.slots), np.asarray(y_slots), x.channels // inputs
    wanted, given = there[there >= 0] // (outputs // groups), slots[slots >= 0] // inputs  # groups
    spans: list[int] = [*(1 << i for i in range(6)), *range(x.c0, len(slots), x.c0)]
    for span in spans:
        if span >= len(slots) or span > x.c0 and span % x.c0 or len(slots) % span or len(there) % (len(slots) // span):
            continue
        cuts = len(slots) // span
        first, last = np.full(groups, cuts), np.full(groups, -1)  # cuts in which a group has inputs
        np.minimum.at(first, given, np.flatnonzero(slots >= 0) // span)
        np.maximum.at(last, given, np.flatnonzero(slots >= 0) // span)
        cut = np.flatnonzero(there >= 0) // (len(there) // cuts)
        if (first[wanted] == cut).all() and (last[wanted] == cut).all():
            return span
    return len(slots)


def _grouped_blocks(x: Tensor, y_slots: Sequence[int], weight: Array) -> Array:
    """The same for groups: of the inputs that an output sees, or, where groups lie otherwise than in equal runs of slots,
    of all inputs, with zeros."""
    outputs, inputs, kh, kw = weight.shape
    slots, span = np.asarray(x.slots), _span(x, y_slots, outputs, inputs)
    taken = np.zeros((len(y_slots), span, kh, kw), weight.dtype)
    outs, rows = np.asarray(y_slots)[:, None], np.arange(len(y_slots))[:, None]
    seen = slots[rows // (len(y_slots) * span // len(slots)) * span + np.arange(span)]  # of each output the inputs it may see
    own = seen - outs // (outputs * inputs // x.channels) * inputs
    inside = (outs >= 0) & (seen >= 0) & (own >= 0) & (own < inputs)
    taken[inside] = weight[np.broadcast_to(outs, own.shape)[inside], own[inside]]
    packed: Array = aicjit.pack_weights(taken, c0=min(span, x.c0))
    return packed


def fitting(x: Tensor, weight: Array, window: Window) -> tuple[Array, Window]:
    """Weights [O, I, Kh, Kw] and a window that conv2d has. The document has no kernel as wide as the feature map and less
    tall: a column of zeros makes it wider, and one of padding the feature map."""
    (tall, wide), (left, right, top, bottom) = window.kernel, window.pad
    fits = x.width != wide or x.height <= tall or window == Window()
    if fits or wide == 255 or right + window.dilation[1] > 255:
        return weight, window
    return np.pad(weight, ((0, 0), (0, 0), (0, 0), (0, 1))), replace(
        window, kernel=(tall, wide + 1), pad=(left, right + window.dilation[1], top, bottom))


def weight_blocks(x: Tensor, y_slots: Sequence[int], weight: Array, window: Window) -> tuple[Array, Window]:
    """Weights [O, I, Kh, Kw] of the slots of x and y, packed, and the window that conv2d has for them. I is less than the
    channels of x where there are groups."""
    weight, window = fitting(x, weight, window)
    return _packed(x, y_slots, weight), window


def _packed(x: Tensor, y_slots: Sequence[int], weight: Array) -> Array:
    o, i, kh, kw = weight.shape
    if i < x.channels:
        return _grouped_blocks(x, y_slots, weight)
    if slots_of(o, 16) == tuple(y_slots) and slots_of(i, x.c0) == x.slots:  # what is filled up pack_weights fills up
        straight: Array = aicjit.pack_weights(weight, c0=x.c0)
        return straight
    padded = np.zeros((o + 1, i + 1, kh, kw), weight.dtype)
    padded[:o, :i] = weight
    taken = padded[np.asarray(y_slots)][:, np.asarray(x.slots)]
    packed: Array = aicjit.pack_weights(np.ascontiguousarray(taken), c0=x.c0)
    return packed


def out_slots(y: Tensor) -> tuple[int, ...]:
    """The slots that a convolution computes: of a last block of 32 whose upper half is empty the lower one."""
    empty = y.dtype == "int8" and all(slot < 0 for slot in y.slots[-16:]) and len(y.slots) > 16
    return y.slots[:-16] if empty else y.slots


def halves(weight: Floats) -> Array:
    """Weights as float16."""
    if not -65520 < weight.min() <= weight.max() < 65520:
        raise aicjit.UnsupportedError("weights that are not finite, or beyond the 65504 of float16")
    return weight.astype(np.float16)


def float_convolution(program: Program, x: Tensor, weight: Floats, bias: Optional[Floats], window: Window, act: Act,
                      y: Tensor, residual: Optional[Tensor] = None) -> None:
    """A layer of float16; y: float16, or accumulators. residual: accumulators that are added before act."""
    packed, window = weight_blocks(x, y.slots, halves(weight), window)
    start = program.constant(y.spread(bias.astype(np.float32))) if bias is not None else None
    chain = Chain(conv_text(x, len(y.slots), window, bias=bias is not None, packed=packed), feature_map=x.place,
                  weight=program.constant(packed), l1out=start)
    if residual is not None:
        chain.operand("BM_ADD", residual.place)
    chain.activate(program, act, y)
    if y.dtype == "float32" and act.rectifies:
        chain.constant("BM_MAX", 0)
    finish(chain, program, y, act.rectifies, None)


@dataclass(frozen=True)
class Integers:
    """A layer in integers: weights int8 [O, I, Kh, Kw], with groups I is a group's, bias int32 [O] with the zero point of the input in it, and the
    factor that brings sums to the steps of the output."""

    weight: Array
    bias: Array
    factor: Floats


def _parts(x: Tensor, layer: Integers) -> list[tuple[int, int]]:
    """Runs of blocks of channels whose sums are all below INTEGER_LIMIT; of groups all blocks."""
    padded = np.zeros((layer.weight.shape[0], x.channels + 1), np.int64)
    largest = np.abs(layer.weight.astype(np.int64)).sum(axis=(2, 3)) * 128
    if largest.shape[1] < x.channels:
        padded[:, 0] = largest.sum(axis=1)
    else:
        padded[:, :-1] = largest
    blocks = padded[:, np.asarray(x.slots)].reshape(len(padded), x.blocks, x.c0).sum(axis=2)
    start = np.abs(layer.bias.astype(np.int64))
    if (blocks.max(axis=1) + start >= INTEGER_LIMIT).any():
        raise aicjit.UnsupportedError("sums of %d over one block of channels, beyond 2^22, do not become floats"
                                      % int((blocks.max(axis=1) + start).max()))
    parts, first, room = [], 0, start
    for i in range(x.blocks):
        if (room + blocks[:, i] >= INTEGER_LIMIT).any():
            parts.append((first, i))
            first, room = i, start
        room = room + blocks[:, i]
    return [*parts, (first, x.blocks)]


def float_sums(program: Program, x: Tensor, layer: Integers, window: Window, y: Tensor, slots: Sequence[int]) -> Chain:
    """A chain whose accumulators are the sums as floats: from several kernels where int32 sums may be too large for that."""
    before: Optional[Place] = None
    shape = len(slots) // 16, up(y.pixels, 16), 16
    parts = _parts(x, layer)
    taken, window = weight_blocks(x, slots, layer.weight, window)
    for first, last in parts:
        packed = taken[first:last] if len(parts) > 1 else taken
        bias = replace(y, slots=tuple(slots)).spread(layer.bias.astype(np.int32)) if last == x.blocks else np.zeros(len(slots))
        start = program.constant((bias + INTEGER_BITS).astype(np.int32))
        text = conv_text(x, len(slots), window, blocks=last - first, pad_value=x.zero, packed=packed)
        chain = Chain(text, l1out=start, feature_map=x.place.at(first * x.block_bytes),
                      weight=program.constant(packed)).to_float()
        if before is not None:
            chain.operand("BM_ADD", before)
        if last < x.blocks:
            before = program.buffer("float32", shape)
            chain.emit(program, before)
    return chain


def integer_convolution(program: Program, x: Tensor, layer: Integers, window: Window, act: Act, y: Tensor) -> None:
    """A layer of int8. Bounds of act are met by the range of y, or by the caller."""
    slots = out_slots(y) if layer.weight.shape[1] == x.channels else y.slots
    half = replace(y, slots=slots)
    words = aicjit.quant_words(half.spread(layer.factor, layer.factor[0]), y.zero)
    if act.slope is not None:
        chain = float_sums(program, x, layer, window, y, slots).activate(program, Act(slope=act.slope), half)
    else:
        bias = half.spread(layer.bias.astype(np.int32))
        packed, window = weight_blocks(x, slots, layer.weight, window)
        chain = Chain(conv_text(x, len(slots), window, pad_value=x.zero, packed=packed), feature_map=x.place,
                      weight=program.constant(packed), l1out=program.constant(bias))
    finish(chain, program, y, act.rectifies, words, floats=act.slope is not None)


def spread_factor(chain: Chain, program: Program, slots: Tensor, factor: Floats) -> Chain:
    """A factor a channel, or one for all."""
    if (factor == factor[0]).all():
        return chain.constant("BM_MUL", float(factor[0]))
    return chain.operand("BM_MUL", program.constant(slots.spread(factor.astype(np.float32))), input1_stride=CHANNEL)
