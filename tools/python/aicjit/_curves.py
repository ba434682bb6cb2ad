"""Functions that bend: by the exponential, which sums, squares and a quotient of accumulators make.

e^-x is (1 + t + t^2 / 2)^32 with t = -x / 32. Twice the bracket is (1 + t)^2 + 1, so that four squares of it, and one before,
give 2^32 e^-x; where that and 2^32 are added up, a quotient is the sigmoid, within 0.0003."""

from __future__ import annotations

import numpy as np

from ._blocks import Act, Chain, Tensor, up
from ._pools import blockwise, constants, end_blocks, stage
from ._program import Floats, Program

_UNIT = np.float32(2.0**32)
_FURTHEST = 24  # beyond it the sigmoid is 0 or 1 to all that float16 has


def _sums(program: Program, x: Tensor) -> Tensor:
    """Room for accumulators of the pixels of x."""
    place = program.buffer("float32", (len(x.slots) // 16, up(x.pixels, 16), 16))
    return Tensor(place, "float32", x.slots, x.height, x.width, 16, x.scale)


def _onto(program: Program, x: Tensor, sums: Tensor) -> Chain:
    """A chain that goes on with accumulators."""
    return constants(program, x).operand("BM_ADD", sums.place.at(0, sums.bytes // x.blocks))


def _denominator(program: Program, x: Tensor, factor: float) -> Tensor:
    """2^32 (1 + e^(-factor x)) as accumulators."""
    bases, fourth, sums = (_sums(program, x) for _ in range(3))
    gain = x.scale * np.float32(-factor / 32)
    reach = _FURTHEST / 32
    blockwise(program, x, bases, gain.astype(np.float32), np.ones_like(gain), Act(lo=1 - reach, hi=1 + reach))
    chain = _onto(program, x, bases).square().constant("BM_ADD", 1).square().square()
    end_blocks(chain, program, x, fourth, None, Act(), x.blocks)
    chain = _onto(program, x, fourth).square().square().square().constant("BM_ADD", float(_UNIT))
    end_blocks(chain, program, x, sums, None, Act(), x.blocks)
    return sums


def curve(program: Program, x: Tensor, y: Tensor, name: str) -> None:
    """y = the function of this name of x: Sigmoid, Tanh, which is 2 sigmoid(2 x) - 1, or Silu, x sigmoid(x)."""
    one: Floats = (1 / y.scale).astype(np.float32)
    below = _denominator(program, x, 2 if name == "Tanh" else 1)
    if name == "Silu":
        gain = one * _UNIT * x.scale
        blockwise(program, x, y, gain.astype(np.float32), residual=below, op="BM_DIV")
        return
    chain = constants(program, x, (one * _UNIT * (2 if name == "Tanh" else 1)).astype(np.float32))
    chain.operand("BM_DIV", below.place.at(0, below.bytes // x.blocks))
    if name == "Tanh":
        stage(chain, program, "BM_ADD", x, -one, 0)
    end_blocks(chain, program, x, y, None, Act(), x.blocks)
