"""Larger pictures whose new pixels are mixed from those around them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from . import _blocks, _moves
from ._blocks import BLOCK, PLAIN, Integers, Tensor, Window
from ._pools import WORDS
from ._program import Floats, Program
from ._quantise import integers


def _framed(program: Program, x: Tensor) -> Tensor:
    """The picture with its first and last pixels once more around it."""
    y = _blocks.allocate(program, x.dtype, x.slots, x.height + 2, x.width + 2, x.scale, x.zero)
    line, long = x.width * WORDS, y.width * WORDS
    for top, tall, to in ((0, 1, 0), (0, x.height, 1), (x.height - 1, 1, x.height + 1)):
        for left, wide, at in ((0, 1, 0), (0, x.width, 1), (x.width - 1, 1, x.width + 1)):
            _moves.copy(program, x.place.at(4 * (top * line + left * WORDS)), y.place.at(4 * (to * long + at * WORDS)),
                        (x.blocks, tall, wide, WORDS), (x.height * line, line, WORDS, 1), (y.height * long, long, WORDS, 1))
    return y


def _taps(factor: int, asymmetric: bool) -> Floats:
    """For each new pixel what the pixels before, at and behind its place count."""
    made = np.zeros((factor, 3), np.float32)
    for phase in range(factor):
        ahead = phase / factor if asymmetric else (phase + 0.5) / factor - 0.5
        made[phase] = max(-ahead, 0), 1 - abs(ahead), max(ahead, 0)
    return made


def _layer(weight: Floats, unit: int, x: Tensor, y: Tensor) -> Integers:
    """The mixture in integers, which are exact where they fit into int8."""
    whole = np.rint(weight * unit)
    if np.abs(whole).max() > 127:
        return integers(weight, None, x.scale, x.zero, y.scale)
    start = -x.zero * whole.sum(axis=(1, 2, 3))
    return Integers(whole.astype(np.int8), start.astype(np.int32), (x.scale / y.scale / unit).astype(np.float32))


def resize(program: Program, x: Tensor, y: Tensor, asymmetric: bool) -> None:
    """Linear, by whole factors: a convolution of each block of channels for each pixel of a rectangle."""
    tall, wide = y.height // x.height, y.width // x.width
    framed, unit = _framed(program, x), tall * wide * (1 if asymmetric else 4)
    phases = _blocks.allocate(program, x.dtype, y.slots * (tall * wide), x.height, x.width, y.scale, y.zero)
    c0, own = BLOCK[x.dtype], tuple(range(BLOCK[x.dtype]))
    scales = [tensor.spread(tensor.scale, 1).reshape(-1, c0) for tensor in (x, y)]
    scales = [np.where(np.asarray(tensor.slots).reshape(-1, c0) < 0, np.float32(1), scale) for tensor, scale in zip((x, y), scales)]
    for phase in range(tall * wide):
        taps = np.outer(_taps(tall, asymmetric)[phase // wide], _taps(wide, asymmetric)[phase % wide])
        weight = (np.eye(c0, dtype=np.float32)[:, :, None, None] * taps).astype(np.float32)
        for block in range(x.blocks):
            source = replace(framed, place=framed.place.at(block * framed.block_bytes), slots=own, scale=scales[0][block])
            target = replace(phases, place=phases.place.at((phase * x.blocks + block) * phases.block_bytes), slots=own,
                             scale=scales[1][block])
            if x.dtype == "float16":
                _blocks.float_convolution(program, source, weight, None, Window((3, 3)), PLAIN, target)
            else:
                _blocks.integer_convolution(program, source, _layer(weight, unit, source, target), Window((3, 3)), PLAIN, target)
    _moves.pixel_shuffle(program, phases, (tall, wide), y)
