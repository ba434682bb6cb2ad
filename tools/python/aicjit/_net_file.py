"""A network as a folder: network.txt, a line a kernel, and a .npy file for each constant. tools/networks.md describes it."""

from __future__ import annotations

import os
import pathlib
import re
import shutil
from collections.abc import Sequence

import numpy as np

import aicjit

from ._program import Place, Program, Step

_HEAD = "# aicjit network, version 1"


def _shape(shape: Sequence[int]) -> str:
    return "[%s]" % ",".join(map(str, shape))


class _Writer:
    """The lines of a network; views get names as they are needed."""

    def __init__(self, program: Program) -> None:
        self.program, self.lines = program, [_HEAD]
        self.names: dict[str, str] = {}
        self.views: dict[tuple[str, int, str, int], str] = {}
        for port in (*program.inputs, *program.outputs):
            self._name(port.buffer, port.name)
        for name in (*program.buffers, *program.constants):
            self._name(name, name)

    def _name(self, key: str, wanted: str) -> None:
        """A C identifier for a buffer or constant, close to the name it had."""
        if key in self.names:
            return
        name = re.sub(r"\W", "_", wanted, flags=re.ASCII)[:56] or "_"
        name = name if not name[0].isdigit() else "_" + name
        taken, base, i = set(self.names.values()), name, 1
        while name in taken or re.fullmatch(r"v\d+", name):
            name, i = "%s_%d" % (base, i), i + 1
        self.names[key] = name

    def _view(self, place: Place, dtype: str, count: int) -> str:
        """The name of an operand's memory: that of the buffer, or of a part of it."""
        if place.name in self.program.constants:
            array = self.program.constants[place.name]
            own, size = array.dtype.name, array.size
        else:
            buffer = self.program.buffers[place.name]
            own, size = buffer.dtype, int(np.prod(buffer.shape))
        if place.offset == 0 and own == dtype and size == count:
            return self.names[place.name]
        key = place.name, place.offset, dtype, count
        if key not in self.views:
            self.views[key] = "v%d" % len(self.views)
            self.lines.append("view %s %s %s [%d] at %d" % (self.views[key], self.names[place.name], dtype, count, place.offset))
        return self.views[key]

    def _kernel(self, step: Step, operands: Sequence[aicjit.Operand]) -> None:
        for i in range(step.times):
            parts = []
            for j, operand in enumerate(operands):
                place = step.out if j == 0 else step.inputs[operand.name]
                place = Place(place.name, place.offset + i * place.step)
                parts.append("%s=%s" % (operand.name, self._view(place, operand.dtype, operand.elements)))
            self.lines.append("kernel %s : %s" % (step.text, " ".join(parts)))

    def write(self) -> str:
        """The text."""
        program, ports = self.program, {port.buffer for port in self.program.inputs}
        for port in program.inputs:
            buffer = program.buffers[port.buffer]
            self.lines.append("input %s %s %s" % (self.names[port.buffer], buffer.dtype, _shape(buffer.shape)))
        used = {place.name for step in program.steps if isinstance(step, Step) for place in (step.out, *step.inputs.values())}
        for name in program.constants:
            if name in used:
                self.lines.append("constant %s %s.npy" % (self.names[name], self.names[name]))
        for name, buffer in program.buffers.items():
            if name not in ports and (name in used or name in {port.buffer for port in program.outputs}):
                self.lines.append("buffer %s %s %s" % (self.names[name], buffer.dtype, _shape(buffer.shape)))
        known: dict[str, list[aicjit.Operand]] = {}
        for step in program.steps:
            if not isinstance(step, Step):
                raise aicjit.UnsupportedError("network: %s: runs at onnxruntime and cannot be saved" % step.layer,
                                              aicjit.Status.UNSUPPORTED)
            if step.text not in known:
                known[step.text] = [operand for operand in aicjit.Spec(step.text).operands() if operand.direction != "unused"]
            self._kernel(step, known[step.text])
        self.lines += ["output %s" % self.names[port.buffer] for port in program.outputs]
        return "\n".join(self.lines) + "\n"


def _replace(target: pathlib.Path, text: str) -> None:
    new = target / "network.txt.new"
    new.write_text(text, encoding="ascii")
    os.replace(new, target / "network.txt")


def write(program: Program, folder: str | os.PathLike[str]) -> None:
    """Writes the folder: network.txt last, so that one which is there is whole, unless the folder had another before."""
    writer = _Writer(program)
    text = writer.write()
    target = pathlib.Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    used = {place.name for step in program.steps if isinstance(step, Step) for place in step.inputs.values()}
    for name in program.constants:
        if name in used:
            np.save(target / (writer.names[name] + ".npy"), program.constants[name])
    _replace(target, text)


def copy(source: str | os.PathLike[str], folder: str | os.PathLike[str]) -> None:
    """Copies a folder: network.txt and the constants that it names."""
    origin, target = pathlib.Path(source), pathlib.Path(folder)
    text = (origin / "network.txt").read_text(encoding="ascii")
    target.mkdir(parents=True, exist_ok=True)
    if target.resolve() == origin.resolve():
        return
    for name in re.findall(r"^\s*constant\s+\S+\s+(\S+)\s*$", text, re.MULTILINE):
        shutil.copyfile(origin / name, target / name)
    _replace(target, text)
