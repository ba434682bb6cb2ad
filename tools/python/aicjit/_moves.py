"""Kernels that move elements: between blocks of channels and plain tensors, copies, flattening, larger pictures."""

from __future__ import annotations

from dataclasses import replace
from typing import Optional

import numpy as np

import aicjit

from ._blocks import Tensor, lines, up
from ._pools import WORDS, Rows, blockwise
from ._program import Array, Floats, Place, Program

_ROWS = 4080  # of a product at a time, below mmad's limit, and a multiple of 16
_LINE = 65532  # words along an axis


def copy(program: Program, source: Place, out: Place, shape: tuple[int, int, int, int], apart: tuple[int, int, int, int],
         there: tuple[int, int, int, int]) -> None:
    """Copies words: how many along four axes, and the words between neighbours here and there."""
    for first, rows in lines(shape[2]):
        text = aicjit.op("tensor_arithmetic", op="BM_CPY", shape=(*shape[:2], rows, shape[3]), input0_stride=apart,
                         output_stride=there)
        program.kernel(str(text), out.at(4 * first * there[2]), {"input0": source.at(4 * first * apart[2])})


def copy_blocks(program: Program, x: Tensor, out: Place) -> None:
    """Copies whole blocks of channels."""
    dense = (0, x.pixels * WORDS, WORDS, 1)
    copy(program, x.place, out, (1, x.blocks, x.pixels, WORDS), dense, dense)


def transdata(program: Program, dtype: str, src: str, dst: str, shape: tuple[int, ...], source: Place, out: Place) -> None:
    program.kernel(str(aicjit.op("transdata", dtype=dtype, src=src, dst=dst, shape=shape)), out, {"src": source})


def _words(program: Program, text: str, count: int, out: Place, source: Optional[Place] = None) -> None:
    """A kernel of one operand, or of a constant alone, on so many words; as many kernels as its limit asks for."""
    for at in range(0, count, _LINE):
        inputs = {} if source is None else {"input0": source.at(4 * at)}
        program.kernel(text % min(_LINE, count - at), out.at(4 * at), inputs)


def clear(program: Program, out: Place, count: int) -> None:
    """Zeros; count: bytes, a multiple of 4."""
    _words(program, "tensor_arithmetic(op=BM_CPY, shape=[1,1,1,%d], input0_is_const=true)", count // 4, out)


def flip_sign(program: Program, source: Place, out: Place, count: int) -> None:
    """uint8 to int8 less 128, or back; count: bytes, a multiple of 4."""
    text = "tensor_arithmetic(op=BM_XOR, shape=[1,1,1,%d], input1_is_const=true, input1_const=0x80808080)"
    _words(program, text, count // 4, out, source)


def pack(program: Program, source: Place, dtype: str, channels: int, y: Tensor, scale: Optional[Array] = None) -> None:
    """A plain tensor [1, C, H, W] to blocks of channels: float32, divided by scale; float16 or int8, as y is, too."""
    if dtype == "float32":
        _pack_floats(program, source, channels, y, scale)
    elif y.c0 != 4:
        transdata(program, dtype, "NCHW", "NC1HWC0", (1, channels, y.height, y.width), source, y.place)
    elif channels * y.pixels * (1 if dtype == "int8" else 2) % 4 == 0:
        _pack_picture(program, source, dtype, channels, y)
    else:
        _pack_rows(program, source, dtype, channels, y)


def _pack_floats(program: Program, source: Place, channels: int, y: Tensor, scale: Optional[Array]) -> None:
    """A product with a number a channel puts elements where they belong, and fixpipe converts them."""
    gain = program.constant((1 / scale).astype(np.float32) if scale is not None else np.ones(channels, np.float32))
    floats = program.buffer("float32", (y.blocks, y.pixels, y.c0))
    plane, line, whole = y.pixels, 0, channels // y.c0
    for first, blocks, count in ((0, whole, y.c0), (whole, 1, channels % y.c0)):
        if blocks * count == 0:
            continue
        there = (plane * y.c0, 1, y.width * y.c0, y.c0)
        text = aicjit.op("tensor_arithmetic", op="BM_MUL", shape=(blocks, count, y.height, y.width), output_stride=there,
                         input0_stride=(plane * y.c0, plane, y.width, 1), input1_stride=(y.c0, 1, 0, 0))
        at = 4 * first * y.c0
        program.kernel(str(text), floats.at(at * plane), {"input0": source.at(at * plane), "input1": gain.at(at)})
        if count < y.c0:
            zeros = aicjit.op("tensor_arithmetic", op="BM_CPY", shape=(1, y.c0 - count, y.height, y.width), output_stride=there,
                              input0_is_const=True)
            program.kernel(str(zeros), floats.at(at * plane + 4 * count), {})
    total, size = y.blocks * y.pixels * y.c0, 1 if y.dtype == "int8" else 2
    while line < total:
        rows, columns = (min(65520, (total - line) // 16), 16) if total - line >= 16 else (1, total - line)
        keys: dict[str, object] = {"quantPre": "F322F16"} if y.dtype == "float16" else {
            "quantPre": "QF322B8_PRE", "deqScalar": aicjit.quant_word(1, y.zero)}
        text = aicjit.op("fixpipe", src="float32", dst=y.dtype, nSize=columns, mSize=rows, srcStride=rows,
                         format="NZ" if columns == 16 else "ROW_MAJOR", dstStride=rows if columns == 16 else columns, **keys)
        program.kernel(str(text), y.place.at(line * size), {"src": floats.at(4 * line)})
        line += rows * columns


def _pack_picture(program: Program, source: Place, dtype: str, channels: int, y: Tensor) -> None:
    """Planes of up to four channels to pixels of four."""
    planes, size = program.buffer(dtype, (4, y.height, y.width)), 1 if dtype == "int8" else 2
    count = channels * y.pixels * size
    _words(program, "tensor_arithmetic(op=BM_CPY, shape=[1,1,1,%d])", count // 4, planes, source)
    clear(program, planes.at(count), 4 * y.pixels * size - count)
    transdata(program, dtype, "NCHW", "NHWC", (1, 4, y.height, y.width), planes, y.place)


def _pack_rows(program: Program, source: Place, dtype: str, channels: int, y: Tensor) -> None:
    """The same where planes are no whole words: [pixels, C], then a product with a unit matrix."""
    if channels > 1 and y.pixels > 1:
        turned = program.buffer(dtype, (y.pixels, channels))
        transdata(program, dtype, "NCHW", "NHWC", (1, channels, y.height, y.width), source, turned)
        source = turned
    matrix = program.constant(np.eye(channels, 4, dtype=dtype))
    is_int, size = dtype == "int8", 1 if dtype == "int8" else 2
    fixpipe = aicjit.op("fixpipe", src="int32" if is_int else "float32", dst=dtype, quantPre="REQ8" if is_int else "F322F16",
                        deqScalar=aicjit.quant_word(1) if is_int else None)
    for done in range(0, y.pixels, _ROWS):
        text = aicjit.op("mmad", dtype=dtype, m=min(_ROWS, y.pixels - done), k=channels, n=4) | fixpipe
        program.kernel(str(text), y.place.at(done * 4 * size), {"a": source.at(done * channels * size), "b": matrix})


def unpack(program: Program, x: Tensor, gain: Floats, out: Place) -> None:
    """Blocks of channels to float32 [1, C, H, W], every channel times its gain."""
    if x.pixels == 1 and in_order(x) and (x.blocks == 1 or x.channels % x.c0 == 0):
        _unpack_pixel(program, x, gain, out)
        return
    last = max(i for i, slot in enumerate(x.slots) if slot >= 0)  # a part of a block may begin in its middle
    columns = len(x.slots) if x.blocks > 1 else last + 1
    rows = out if columns == x.channels and (x.pixels == 1 or columns == 1) and in_order(x) \
        else program.buffer("float32", (x.pixels, columns))
    blockwise(program, x, Rows(rows, columns), gain)
    if rows != out:
        planes(program, rows, columns, x, out)


def _unpack_pixel(program: Program, x: Tensor, gain: Floats, out: Place) -> None:
    """One pixel: its blocks of channels taken for pixels of one block, so that one kernel does it."""
    if x.blocks == 1:
        blockwise(program, x, Rows(out, x.channels), gain)
        return
    line = replace(x, width=x.blocks, slots=tuple(range(x.c0)), scale=np.ones(x.c0, np.float32))
    if (gain == gain[0]).all():
        blockwise(program, line, Rows(out, x.c0), np.full(x.c0, gain[0], np.float32))
        return
    gains = np.zeros((x.c0 // 16, up(x.blocks, 16), 16), np.float32)
    gains[:, : x.blocks] = gain.reshape(x.blocks, -1, 16).transpose(1, 0, 2)
    blockwise(program, line, Rows(out, x.c0), np.ones(x.c0, np.float32), gains=gains)


def runs(x: Tensor) -> int:
    """How many runs of channels lie one after the other."""
    there = [slot for slot in x.slots if slot >= 0]
    return 1 + sum(b != a + 1 for a, b in zip(there, there[1:]))


def in_order(x: Tensor) -> bool:
    """Whether the channels lie one after the other."""
    return x.slots[: x.channels] == tuple(range(x.channels))


def planes(program: Program, rows: Place, columns: int, x: Tensor, out: Place) -> None:
    """float32 [pixels, columns], in the slots' order, to [C, H, W]."""
    straight = out if columns == x.channels and in_order(x) else program.buffer("float32", (columns, x.height, x.width))
    if x.pixels > 1 and columns > 1:
        transdata(program, "float32", "NHWC", "NCHW", (1, x.height, x.width, columns), rows, straight)
    else:
        straight = rows
    if straight == out:
        return
    slots, at = x.slots[:columns], 0
    while at < columns:
        run = 1
        while slots[at] >= 0 and at + run < columns and slots[at + run] == slots[at] + run:
            run += 1
        if slots[at] >= 0:
            words = (0, x.pixels, x.width, 1)
            copy(program, straight.at(4 * at * x.pixels), out.at(4 * slots[at] * x.pixels), (1, run, x.height, x.width), words,
                 words)
        at += run


def flatten(program: Program, x: Tensor, out: Place) -> None:
    """Blocks of channels to all elements of [C, H, W] one after the other; the channels lie in order."""
    transdata(program, x.dtype, "NC1HWC0", "NCHW", (1, x.channels, x.height, x.width), x.place, out)


def resize(program: Program, x: Tensor, y: Tensor) -> None:
    """Every pixel as often as y is larger: whole factors."""
    tall, wide = y.height // x.height, y.width // x.width
    line, long = x.width * WORDS, y.width * WORDS
    for column in range(wide):
        for block in range(x.blocks):
            copy(program, x.place.at(4 * block * x.pixels * WORDS), y.place.at(4 * (block * y.pixels + column) * WORDS),
                 (tall, x.height, x.width, WORDS), (0, line, WORDS, 1), (long, tall * long, wide * WORDS, 1))


def pixel_shuffle(program: Program, x: Tensor, factors: tuple[int, int], y: Tensor) -> None:
    """Blocks of channels that stand for the pixels of a rectangle, one place of it after the other, to a larger picture,
    which may end within the last rectangles."""
    tall, wide = factors
    line, long = x.width * WORDS, y.width * WORDS
    for row in range(tall):
        for column in range(wide):
            size = len(range(row, y.height, tall)), len(range(column, y.width, wide))
            for block in range(y.blocks if min(size) else 0):
                source = ((row * wide + column) * y.blocks + block) * x.pixels
                target = block * y.pixels + row * y.width + column
                copy(program, x.place.at(4 * source * WORDS), y.place.at(4 * target * WORDS), (1, *size, WORDS),
                     (0, line, WORDS, 1), (0, tall * long, wide * WORDS, 1))


def shuffle_planes(program: Program, source: Place, shape: tuple[int, int, int], factor: int, crd: bool, out: Place) -> None:
    """The same of float32; shape: C, H, W of the larger picture. crd: channels are [C, factor, factor], else [factor,
    factor, C]."""
    channels, tall, wide = shape
    height, width = -(-tall // factor), -(-wide // factor)
    plane, square = height * width, factor * factor
    between, rows = (square * plane, factor * plane) if crd else (plane, factor * channels * plane)
    step = factor if tall % factor == 0 else 1  # rows of a square that have as many pixels
    for row in range(0, min(tall, factor), step):
        for column in range(min(wide, factor)):
            start = row * rows + column * (plane if crd else channels * plane)
            # C varies slowest; the axes of a kernel are [N, C, H, W] with C the rows of a square.
            copy(program, source.at(4 * start), out.at(4 * (row * wide + column)),
                 (channels, step, len(range(row, tall, factor)), len(range(column, wide, factor))), (between, rows, width, 1),
                 (tall * wide, wide, factor * wide, factor))
