"""Kernels that treat every channel alone: factors, sums of tensors, pooling. A convolution of one block of channels by a
unit matrix, once for each block, brings elements to the accumulators, where arithmetic is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Optional

import numpy as np

import aicjit

from ._blocks import (BLOCK, CHANNEL, INTEGER_BITS, PLAIN, Act, Chain, Tensor, Window, conv_text, finish, fitting, fixpipe,
                      lines, up, word_scale)
from ._program import Array, Floats, Place, Program

WORDS = 8  # of a pixel in a block of channels: 32 bytes


@dataclass(frozen=True)
class Rows:
    """float32 [pixels, columns], the channels of each pixel side by side: what leaves the blocks."""

    place: Place
    columns: int


def _is_word(values: Floats) -> bool:
    """Whether quantisation words hold these factors exactly."""
    return bool((values > 0).all() and np.array_equal(word_scale(aicjit.quant_words(values)), values))


def stage(chain: Chain, program: Program, op: str, x: Tensor, values: Floats, neutral: float) -> None:
    """A number a channel, or one for all; none where all are neutral."""
    if (values == neutral).all():
        return
    if (values == values[0]).all():
        chain.constant(op, float(values[0]))
        return
    place = program.constant(x.spread(values.astype(np.float32)))
    chain.operand(op, place.at(0, 4 * x.c0 if x.blocks > 1 else 0), input1_stride=CHANNEL)


def blockwise(program: Program, x: Tensor, y: Tensor | Rows, gain: Floats, shift: Optional[Floats] = None,
              act: Act = PLAIN, *, window: Window = Window(), residual: Optional[Tensor] = None, op: str = "BM_ADD",
              pixels: Optional[Floats] = None, gains: Optional[Floats] = None) -> None:
    """y = act((sum of x over the window) * gain + shift + residual), in steps of y's elements: gain and shift are numbers
    of the channels, pixels a factor of each pixel, gains one of each accumulator, residual accumulators, of all pixels or of
    one that stands for all; op may be another one than a sum."""
    if x.c0 != BLOCK[x.dtype]:
        raise aicjit.UnsupportedError("a picture in blocks of %d channels" % x.c0)
    taps, c0, times = window.kernel[0] * window.kernel[1], x.c0, x.blocks
    shift = np.zeros_like(gain) if shift is None else shift
    eye = np.broadcast_to(np.eye(c0, dtype=x.dtype)[:, :, None, None], (c0, c0, *window.kernel))
    eye, window = fitting(x, eye, window)
    unit = aicjit.pack_weights(np.ascontiguousarray(eye), c0=c0)
    whole = isinstance(y, Tensor) and y.dtype == "int8" and x.dtype == "int8" and residual is None and pixels is None \
        and act.slope is None and not shift.any() and _is_word(gain)
    bias = None
    if x.dtype == "int8" and (x.zero or not whole):
        bias = program.constant(np.full(c0, (0 if whole else INTEGER_BITS) - x.zero * taps, np.int32))
    text = conv_text(x, c0, window, blocks=1, pad_value=x.zero, bias=bias is not None)
    chain = Chain(text, feature_map=x.place.at(0, x.block_bytes), weight=program.constant(unit), l1out=bias)
    if not whole and x.dtype == "int8":
        chain.to_float()
    if pixels is not None:
        chain.operand("BM_MUL", program.constant(np.append(pixels, np.zeros(-len(pixels) % 16, np.float32))),
                      input1_stride=(0, 0, 1, 0))
    if gains is not None:
        chain.operand("BM_MUL", program.constant(gains))
    if not whole:
        stage(chain, program, "BM_MUL", x, gain, 1)
        stage(chain, program, "BM_ADD", x, shift, 0)
    if residual is not None:
        one = isinstance(y, Tensor) and residual.pixels < y.pixels
        keys = {"input1_stride": (0, residual.block_bytes // 4, 0, 1)} if one else {}
        chain.operand(op, residual.place.at(0, residual.bytes // times), **keys)
    chain.activate(program, act, x, 4 * c0 if times > 1 else 0)
    end_blocks(chain, program, x, y, gain if whole else None, act, times)


def end_blocks(chain: Chain, program: Program, x: Tensor, y: Tensor | Rows, gain: Optional[Floats], act: Act, times: int) -> None:
    if isinstance(y, Rows):
        end_rows(chain, program, y, act, x.c0, times)
        return
    if y.dtype == "float32" and act.rectifies:
        chain.constant("BM_MAX", 0)
    words = None
    if y.dtype == "int8":
        factors = x.spread(gain, float(gain[0])) if gain is not None else np.ones(len(x.slots), np.float32)
        words = aicjit.quant_words(factors, y.zero)
    finish(chain, program, y, act.rectifies, words, times, floats=gain is None)


def end_rows(chain: Chain, program: Program, y: Rows, act: Act, c0: int = 0, times: int = 1) -> None:
    """The end of a chain of floats as rows, of all columns or of c0 columns each time."""
    keys = {"dstStride": y.columns} if times > 1 else {"nSize": y.columns}
    chain | fixpipe(src="float32", dst="float32", format="ROW_MAJOR", reluEn=act.rectifies, **keys)
    chain.emit(program, y.place.at(0, 4 * c0) if times > 1 else y.place, times)


def accumulators(program: Program, x: Tensor, gain: Floats, shift: Optional[Floats] = None) -> Tensor:
    """x times gain, and shift, as accumulators."""
    place = program.buffer("float32", (len(x.slots) // 16, up(x.pixels, 16), 16))
    y = replace(x, place=place, dtype="float32", c0=16)
    blockwise(program, x, y, gain, shift)
    return y


def constants(program: Program, x: Tensor, values: Optional[Floats] = None) -> Chain:
    """A chain whose accumulators are these floats of the channels, or 0, for all pixels of x: products with nothing."""
    c0, bias = x.c0, None
    if values is not None:
        spread = x.spread(values.astype(np.float32))
        bias = program.constant(spread if x.dtype == "float16" else spread.view(np.int32)).at(0, 4 * c0 if x.blocks > 1 else 0)
    text = conv_text(x, c0, Window(), blocks=1, bias=bias is not None)
    return Chain(text, feature_map=x.place.at(0, x.block_bytes), l1out=bias,
                 weight=program.constant(np.zeros((1, 1, 1, c0, c0), x.dtype)))


def act_on_sums(program: Program, x: Tensor, sums: Tensor, y: Tensor, act: Act) -> None:
    """y = act(sums)."""
    c0, times = x.c0, x.blocks
    chain = constants(program, x)
    chain.operand("BM_ADD", sums.place.at(0, sums.bytes // times)).activate(program, act, x, 4 * c0 if times > 1 else 0)
    end_blocks(chain, program, x, y, None, act, times)


# ---- element by element on 8 and 16 bits ----


def elementwise(program: Program, x: Tensor, op: str, out: Place, shape: tuple[int, int, int], strides: tuple[
        tuple[int, ...], tuple[int, ...], tuple[int, ...]], in0: Place, in1: Optional[Place] = None, value: int = 0,
        **keys: object) -> None:
    """A kernel on words: shape [C, H, W] and, for input0, input1, output, the words between neighbours; several where H is
    more than its limit. Without in1 the other operand is a constant."""
    bits = 8 if x.dtype == "int8" else 16
    if bits == 16:
        keys.update(input0_8bit=False, input1_8bit=False, output_8bit=False)
    if in1 is None:
        keys.update(input1_is_const=True, input1_addr=value & ((1 << bits) - 1))
    else:
        keys["input1_stride"] = (0, *strides[1])
    for first, rows in lines(shape[1]):
        text = str(aicjit.op("tensor_arithmetic_quantized", op=op, shape=(32 // bits, shape[0], rows, shape[2]),
                             input0_stride=(0, *strides[0]), output_stride=(0, *strides[2]), **keys))
        inputs = {"input0": in0.at(4 * first * strides[0][1])}
        if in1 is not None:
            inputs["input1"] = in1.at(4 * first * strides[1][1])
        program.kernel(text, out.at(4 * first * strides[2][1]), inputs)


def each(program: Program, x: Tensor, op: str, y: Tensor, other: Optional[Tensor] = None, value: int = 0,
         **keys: object) -> None:
    """An operation on all elements, with those of another tensor or with a constant."""
    shape = x.blocks, x.pixels, WORDS
    dense = (x.pixels * WORDS, WORDS, 1)
    elementwise(program, x, op, y.place, shape, (dense, dense, dense), x.place, other.place if other else None, value, **keys)


def bound_channels(program: Program, x: Tensor, op: str, values: Array) -> None:
    """BM_MAX or BM_MIN of an int8 tensor, in place, with a value a channel."""
    words = program.constant(x.spread(values.astype(np.int8)).view(np.uint32))
    dense = (x.pixels * WORDS, WORDS, 1)
    elementwise(program, x, op, x.place, (x.blocks, x.pixels, WORDS), (dense, (WORDS, 0, 1), dense), x.place, words)


def rectify(program: Program, x: Tensor, y: Tensor) -> None:
    """Negative values become 0: for float16, too, whose sign is that of the bits."""
    each(program, x, "BM_MAX", y, value=x.zero)


# ---- pooling ----


@dataclass(frozen=True)
class _Tap:
    """An element of a window, and the outputs for which it lies in the tensor: [first, last)."""

    shift: int
    first: int
    last: int


def _taps(size: int, kernel: int, stride: int, before: int, count: int, dilation: int) -> list[_Tap]:
    found = []
    for k in range(kernel):
        shift = k * dilation - before
        first = max(0, -(-max(0, -shift) // stride))
        last = min(count, (size - 1 - shift) // stride + 1)
        if first < last:
            found.append(_Tap(shift, first, last))
    return sorted(found, key=lambda tap: tap.first - tap.last)


def _along(program: Program, x: Tensor, source: Place, out: Place, taps: list[_Tap], count: int, stride: int,
           outer: int, apart: tuple[int, int], step: tuple[int, int], run: int) -> None:
    """The `count` largest elements along an axis: of `outer` parts, `apart` words from one to the next in source and out, elements of
    `run` words, `step` words from one to the next."""
    whole, *rest = taps
    begin, end = whole.first, whole.last
    other = rest.pop(0) if rest and (rest[0].first, rest[0].last) == (begin, end) else whole

    def largest(tap: _Tap, first: int, last: int, onto: bool) -> None:
        second = other if tap is whole else tap
        _largest(program, x, source, out, tap, second, first, last, stride, outer, apart, step, run, onto)

    largest(whole, begin, end, False)
    for tap in rest:
        if tap.first > end or tap.last < begin:
            raise aicjit.UnsupportedError("windows that see padding only, or only some of their elements")
        for first, last, onto in ((tap.first, min(tap.last, begin), False), (max(tap.first, begin), min(tap.last, end), True),
                                  (max(tap.first, end), tap.last, False)):
            if first < last:
                largest(tap, first, last, onto)
        begin, end = min(begin, tap.first), max(end, tap.last)
    if (begin, end) != (0, count):
        raise aicjit.UnsupportedError("windows that see padding only")


def _largest(program: Program, x: Tensor, source: Place, out: Place, tap: _Tap, other: _Tap, first: int, last: int,
             stride: int, outer: int, apart: tuple[int, int], step: tuple[int, int], run: int, onto: bool) -> None:
    """out[first:last] = the larger of a tap and another one, or, onto, of a tap and what is there."""
    def at(t: _Tap) -> Place:
        return source.at(4 * step[0] * (first * stride + t.shift))

    target = out.at(4 * step[1] * first)
    near, far = (apart[1], step[1], 1), (apart[0], step[0] * stride, 1)
    if onto:
        elementwise(program, x, "BM_MAX", target, (outer, last - first, run), (near, far, near), target, at(tap))
    else:
        elementwise(program, x, "BM_MAX", target, (outer, last - first, run), (far, far, near), at(tap), at(other))


def max_pool(program: Program, x: Tensor, window: Window, y: Tensor, nonneg: bool = False) -> None:
    """Largest elements, first of rows, then of columns. Floats that may be negative are compared by bits in which order is
    that of integers."""
    ordered = x.dtype == "float16" and not nonneg
    source = _order(program, x, replace(x, place=program.buffer(x.dtype, (x.blocks, x.pixels, x.c0)))) if ordered else x
    (kh, kw), (sh, sw), (dh, dw), (left, _, top, _) = window.kernel, window.stride, window.dilation, window.pad
    down = _taps(x.height, kh, sh, top, y.height, dh)
    across = _taps(x.width, kw, sw, left, y.width, dw)
    if not down or not across:
        raise aicjit.UnsupportedError("windows that see padding only")
    line, short = x.width * WORDS, y.width * WORDS
    middle, halfway = source.place, (kh, sh, top, y.height) == (1, 1, 0, x.height)
    if not halfway:
        middle = program.buffer(x.dtype, (x.blocks, y.height * x.width, x.c0))
        _along(program, x, source.place, middle, down, y.height, sh, x.blocks, (x.height * line, y.height * line), (line, line), line)
    parts = [(0, x.blocks * y.height)] if x.blocks * y.height < 4096 else [(i, y.height) for i in range(x.blocks)]
    for i, outer in parts:
        _along(program, x, middle.at(4 * i * y.height * line), y.place.at(4 * i * y.height * short), across, y.width, sw,
               outer, (line, short), (WORDS, WORDS), WORDS)
    if ordered:
        _order(program, y, y)


def _order(program: Program, x: Tensor, y: Tensor) -> Tensor:
    """float16 to integers of the same order, or back: negative numbers have their 15 lower bits turned over."""
    signs = replace(x, place=program.buffer(x.dtype, (x.blocks, x.pixels, x.c0)))
    each(program, x, "BM_SHIFT", signs, value=-15, shift_type=1)
    each(program, signs, "BM_AND", signs, value=0x7FFF)
    each(program, x, "BM_XOR", y, signs)
    return y


def average_pool(program: Program, x: Tensor, window: Window, y: Tensor, include_pad: bool = False) -> None:
    """Means, by sums over the window; where padding does not count, by a number of elements of each pixel."""
    (kh, kw), (sh, sw), (left, _, top, _) = window.kernel, window.stride, window.pad
    gain = x.scale / y.scale
    tall = np.array([tap_count(x.height, kh, sh, top, i) for i in range(y.height)])
    wide = np.array([tap_count(x.width, kw, sw, left, i) for i in range(y.width)])
    counts = np.outer(tall, wide).ravel().astype(np.float32)
    if include_pad:
        counts[:] = kh * kw
    if not counts.all():
        raise aicjit.UnsupportedError("windows that see padding only")
    if (counts == counts[0]).all():
        blockwise(program, x, y, (gain / counts[0]).astype(np.float32), window=window)
    else:
        blockwise(program, x, y, gain.astype(np.float32), window=window, pixels=(1 / counts).astype(np.float32))


def tap_count(size: int, kernel: int, stride: int, before: int, output: int) -> int:
    """Elements of a window that lie in the tensor."""
    start = output * stride - before
    return max(0, min(size, start + kernel) - max(0, start))
