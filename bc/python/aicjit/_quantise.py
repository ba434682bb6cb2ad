"""Layers of float32 as integers: a scale a channel, which quantisation words hold exactly."""

from __future__ import annotations

from typing import Optional

import numpy as np

import aicjit

from ._blocks import Integers
from ._program import Array, Floats

_LOW = np.uint32(0x1FFF)  # the bits that words do not keep
_SMALLEST = np.float32(2.0**-100)


def word_above(values: Array) -> Floats:
    """The next larger numbers that quantisation words hold."""
    bits = np.maximum(np.asarray(values, np.float32), _SMALLEST).view(np.uint32)
    rounded: Floats = ((bits + _LOW) & ~_LOW).view(np.float32)
    return rounded


def integers(weight: Floats, bias: Optional[Floats], x_scale: Floats, x_zero: int, y_scale: Floats) -> Integers:
    """Weights [O, I, Kh, Kw] and bias [O], for inputs in steps of x_scale and outputs in steps of y_scale [O]. x_scale: [I],
    or, for groups of I channels, one after the other."""
    bias = np.zeros(len(weight), np.float32) if bias is None else bias
    if not (np.isfinite(weight).all() and np.isfinite(bias).all()):
        raise aicjit.UnsupportedError("weights that are not finite")
    steps = x_scale.astype(np.float64).reshape(-1, weight.shape[1])
    steps = np.repeat(steps, len(weight) // len(steps), axis=0)
    whole = weight * steps[:, :, None, None]  # in place from here on: weights are large
    largest = np.maximum(whole.max(axis=(1, 2, 3), initial=0), -whole.min(axis=(1, 2, 3), initial=0)) / 127
    factor = word_above(np.maximum(largest, np.abs(bias) * 2.0**-24) / y_scale)
    step = factor.astype(np.float64) * y_scale
    whole /= step[:, None, None, None]
    np.clip(np.rint(whole, out=whole), -127, 127, out=whole)
    start = np.rint(bias / step) - x_zero * whole.sum(axis=(1, 2, 3))
    return Integers(whole.astype(np.int8), start.astype(np.int32), factor)


def step_of(largest: Array, zero: int) -> Floats:
    """The step of values up to these, for a zero point of 0 or -128; a channel without values gets one of its own."""
    steps: Floats = np.where(largest > 0, largest, 1).astype(np.float32) / np.float32(127 - zero)
    return steps
