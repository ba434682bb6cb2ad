"""A network as it is written: buffers, constants, and kernels in the order in which they run."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Optional

import numpy as np
import numpy.typing as npt

import aicjit

Array = npt.NDArray[Any]
Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Place:
    """Where an operand lies: a buffer or a constant, and bytes from its start; where a kernel runs several times, the
    bytes from one time to the next."""

    name: str
    offset: int = 0
    step: int = 0

    def at(self, offset: int, step: int = 0) -> Place:
        """Further on; nothing of a step remains."""
        return Place(self.name, self.offset + offset, step)


@dataclass(frozen=True)
class Buffer:
    """Memory of a network; dtype and shape say what lies there."""

    name: str
    dtype: str
    shape: tuple[int, ...]

    @property
    def bytes(self) -> int:
        return int(np.prod(self.shape, dtype=np.int64)) * np.dtype(self.dtype).itemsize


@dataclass(frozen=True)
class Port:
    """An input or output of a network: what a caller passes, as the buffer has it, and the axes that it has outside."""

    name: str
    buffer: str
    dtype: str
    shape: tuple[int, ...]


@dataclass(frozen=True)
class Step:
    """A kernel and its operands, the output first; times: how often it runs, from places that move on by their steps."""

    layer: str
    text: str
    out: Place
    inputs: Mapping[str, Place]
    times: int = 1


@dataclass(frozen=True)
class Host:
    """Work that is not the library's, between kernels: a function of arrays."""

    layer: str
    text: str
    run: Callable[[Sequence[Array]], Sequence[Array]]
    inputs: Sequence[Place]
    outputs: Sequence[Place]


@dataclass
class Program:
    """Collects what a network is made of; functions of _blocks.py and its like write to it."""

    inputs: list[Port] = field(default_factory=list)
    outputs: list[Port] = field(default_factory=list)
    buffers: dict[str, Buffer] = field(default_factory=dict)
    constants: dict[str, Array] = field(default_factory=dict)
    steps: list[Step | Host] = field(default_factory=list)
    layer: str = ""
    _known: dict[bytes, str] = field(default_factory=dict)
    _checked: set[str] = field(default_factory=set)

    def buffer(self, dtype: str, shape: Sequence[int], name: str = "") -> Place:
        """Room for a tensor."""
        name = name or "b%d" % len(self.buffers)
        self.buffers[name] = Buffer(name, dtype, tuple(int(n) for n in shape))
        return Place(name)

    def constant(self, array: Array) -> Place:
        """A constant; equal ones are one."""
        array = np.ascontiguousarray(array)
        key = hashlib.sha256(repr((array.dtype.str, array.shape)).encode() + array.tobytes()).digest()
        if key not in self._known:
            self._known[key] = "c%d" % len(self._known)
            self.constants[self._known[key]] = array
        return Place(self._known[key])

    def kernel(self, text: str, out: Place, inputs: Mapping[str, Optional[Place]], times: int = 1) -> None:
        """A kernel at the end of those that are there. Inputs that are None are none of its operands."""
        if text not in self._checked:
            aicjit.Spec(text).operands()  # raises where a rule is broken
            self._checked.add(text)
        given = {name: place for name, place in inputs.items() if place is not None}
        self.steps.append(Step(self.layer, text, out, given, times))
