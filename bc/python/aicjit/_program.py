"""A network as it is written: buffers, constants, and kernels in the order in which they run."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Optional

import numpy as np

import aicjit

if TYPE_CHECKING:
    import numpy.typing as npt

    Array = npt.NDArray[Any]
    Floats = npt.NDArray[np.float32]
else:  # numpy.typing takes longer to import than the modules that would use it
    Array = Floats = np.ndarray


_LARGEST = 1 << 32  # bytes of a tensor of a network


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
        made = Buffer(name or "b%d" % len(self.buffers), dtype, tuple(int(n) for n in shape))
        if made.bytes > _LARGEST:
            raise aicjit.UnsupportedError("a tensor of %d bytes, more than 4 GiB" % made.bytes)
        self.buffers[made.name] = made
        return Place(made.name)

    def constant(self, array: Array) -> Place:
        """A constant; equal ones are one."""
        import hashlib  # networks that are opened need none

        array = np.ascontiguousarray(array)
        content = hashlib.sha256(repr((array.dtype.str, array.shape)).encode())
        content.update(array.reshape(-1).view(np.uint8).data)
        key = content.digest()
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


def kept(program: Program) -> Program:
    """The program with all that its kernels write as outputs, behind its own."""
    own = {port.buffer for port in (*program.inputs, *program.outputs)}
    written = dict.fromkeys(name for step in program.steps for name in _writes(step) if name not in own)
    ports = [Port(name, name, program.buffers[name].dtype, program.buffers[name].shape) for name in written]
    return replace(program, outputs=[*program.outputs, *ports])


def _writes(step: Step | Host) -> list[str]:
    return [place.name for place in step.outputs] if isinstance(step, Host) else [step.out.name]


def _reads(step: Step | Host) -> list[str]:
    return [place.name for place in (step.inputs if isinstance(step, Host) else step.inputs.values())]


def parts(program: Program) -> list[Program | Host]:
    """The program as runs of kernels, each a program of its own, and what runs between them."""
    if not any(isinstance(step, Host) for step in program.steps):
        return [program]
    made: list[Program | Host] = []
    at = 0
    for is_host, group in itertools.groupby(program.steps, lambda step: isinstance(step, Host)):
        steps = list(group)
        at += len(steps)
        if is_host:
            made += [step for step in steps if isinstance(step, Host)]
            continue
        written = dict.fromkeys(name for step in steps for name in _writes(step))
        taken = dict.fromkeys(name for step in steps for name in _reads(step) if name not in program.constants)
        later = {name for step in program.steps[at:] for name in _reads(step)} | {port.buffer for port in program.outputs}
        ends = [[Port(name, name, program.buffers[name].dtype, program.buffers[name].shape) for name in names]
                for names in ([n for n in taken if n not in written], [n for n in written if n in later])]
        made.append(replace(program, inputs=ends[0], outputs=ends[1], steps=list(steps)))
    return made
