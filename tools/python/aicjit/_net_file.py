"""A network as a folder: network.txt, a line a kernel, and a .npy file for each constant. tools/networks.md describes it."""

from __future__ import annotations

import os
import pathlib
import re
from collections.abc import Callable, Sequence

import numpy as np

import aicjit

from ._program import Buffer, Place, Port, Program, Step
from ._values import text

_HEAD = "# aicjit network, version 1"
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,62}")
_TYPES = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "uint64", "float16", "float32")
_LINE = 16383


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


def write(program: Program, folder: str | os.PathLike[str]) -> None:
    """Writes the folder: network.txt last, so that one which is there is whole."""
    writer = _Writer(program)
    text = writer.write()
    target = pathlib.Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    used = {place.name for step in program.steps if isinstance(step, Step) for place in step.inputs.values()}
    for name in program.constants:
        if name in used:
            np.save(target / (writer.names[name] + ".npy"), program.constants[name])
    new = target / "network.txt.new"
    new.write_text(text, encoding="ascii")
    os.replace(new, target / "network.txt")


class _Reader:
    """What the lines of a file have said so far."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.folder, self.program = folder, Program()
        self.places: dict[str, tuple[Place, str, tuple[int, ...]]] = {}
        self.inputs: set[str] = set()
        self.written: set[str] = set()
        self.make: dict[str, Callable[[str], None]] = {
            "input": self._input, "buffer": self._buffer, "constant": self._constant, "view": self._view,
            "kernel": self._kernel, "output": self._output}

    @staticmethod
    def _fail(message: str, *values: object) -> None:
        raise aicjit.ArgumentError(message % values)

    def _new(self, name: str) -> str:
        if not _NAME.fullmatch(name):
            self._fail("%s: is no name: a C identifier of at most 63 characters", name)
        if name in self.places:
            self._fail("%s: is declared twice", name)
        return name

    def _tensor(self, text: str) -> tuple[str, str, tuple[int, ...]]:
        found = re.fullmatch(r"(\S+)\s+(\w+)\s+\[\s*([0-9,\s]*)\]", text)
        if not found:
            raise aicjit.ArgumentError("NAME TYPE [SHAPE] is expected")
        name, dtype, sizes = found.groups()
        if dtype not in _TYPES:
            self._fail("%s: %s is no element type", name, dtype)
        shape = tuple(int(size) for size in sizes.split(","))
        if not 1 <= len(shape) <= 6 or min(shape) < 1:
            self._fail("%s: %s is no shape of 1 to 6 axes", name, _shape(shape))
        return self._new(name), dtype, shape

    def _input(self, rest: str) -> None:
        name, dtype, shape = self._tensor(rest)
        self.places[name] = self.program.buffer(dtype, shape, name), dtype, shape
        self.program.inputs.append(Port(name, name, dtype, shape))
        self.inputs.add(name)
        self.written.add(name)

    def _buffer(self, rest: str) -> None:
        name, dtype, shape = self._tensor(rest)
        self.places[name] = self.program.buffer(dtype, shape, name), dtype, shape

    def _constant(self, rest: str) -> None:
        parts = rest.split()
        if len(parts) != 2 or os.path.basename(parts[1]) != parts[1] or not parts[1].endswith(".npy"):
            raise aicjit.ArgumentError("constant NAME FILE.npy is expected, with a file of the folder itself")
        name, path = self._new(parts[0]), self.folder / parts[1]
        if path.is_symlink() or not path.is_file():
            self._fail("%s: %s is no file of the folder", name, parts[1])
        try:
            array = np.load(path, allow_pickle=False)
        except (ValueError, OSError, EOFError) as error:
            raise aicjit.ArgumentError("%s: %s: %s" % (name, parts[1], error)) from error
        self.program.constants[name] = np.ascontiguousarray(array)
        self.places[name] = Place(name), array.dtype.name, array.shape
        self.written.add(name)

    def _place(self, name: str) -> tuple[Place, str, tuple[int, ...]]:
        if name not in self.places:
            self._fail("%s: is not declared", name)
        return self.places[name]

    def _room(self, name: str) -> int:
        buffers, constants = self.program.buffers, self.program.constants
        return buffers[name].bytes if name in buffers else constants[name].nbytes

    def _view(self, rest: str) -> None:
        found = re.fullmatch(r"(\S+)\s+(\S+)\s+(\w+\s+\[[^\]]*\])\s+at\s+(\d+)", rest)
        if not found:
            raise aicjit.ArgumentError("view NAME OF TYPE [SHAPE] at BYTE is expected")
        name, dtype, shape = self._tensor("%s %s" % (found[1], found[3]))
        base, offset = self._place(found[2])[0], int(found[4])
        count = Buffer(name, dtype, shape).bytes
        if offset % np.dtype(dtype).itemsize:
            self._fail("%s: %d is no multiple of the size of %s", name, offset, dtype)
        if base.offset + offset + count > self._room(base.name):
            self._fail("%s: ends at byte %d of %s, which has %d", name, base.offset + offset + count, base.name,
                       self._room(base.name))
        self.places[name] = base.at(offset), dtype, shape

    def _kernel(self, rest: str) -> None:
        text, colon, names = rest.rpartition(" : ")
        if not colon:
            raise aicjit.ArgumentError("kernel TEXT : OPERAND=NAME ... is expected")
        given = {}
        for part in names.split():
            operand, equals, name = part.partition("=")
            if not equals or operand in given:
                self._fail("%s: OPERAND=NAME is expected, each once", part)
            given[operand] = name
        operands = [operand for operand in aicjit.Spec(text).operands() if operand.direction != "unused"]
        for name in given:
            if name not in [operand.name for operand in operands]:
                self._fail("%s: is no operand of %s", name, text)
        places = {operand.name: self._operand(operand, given, text) for operand in operands}
        out = places.pop(operands[0].name)
        if out.name in self.inputs or out.name in self.program.constants:
            self._fail("%s: is written, but is an input or a constant", out.name)
        for place in places.values():
            if place.name not in self.written:
                self._fail("%s: is read before it is written", place.name)
        self.written.add(out.name)
        self.program.layer = out.name
        self.program.kernel(text.strip(), out, places)

    def _operand(self, operand: aicjit.Operand, given: dict[str, str], text: str) -> Place:
        if operand.name not in given:
            self._fail("%s: is not given for %s", operand.name, text)
        place, dtype, shape = self._place(given[operand.name])
        count, wanted = int(np.prod(shape, dtype=np.int64)), operand.elements
        longer = operand.strided and operand.direction == "in" and count > wanted
        if np.dtype(dtype).itemsize != (operand.numpy_dtype.itemsize) or not (operand.words or dtype == str(operand.numpy_dtype)):
            self._fail("%s=%s: is %s, not %s", operand.name, given[operand.name], dtype, operand.dtype)
        if count != wanted and not longer:
            self._fail("%s=%s: has %d elements, not %d", operand.name, given[operand.name], count, wanted)
        return place

    def _output(self, rest: str) -> None:
        name = rest.strip()
        place, dtype, shape = self._place(name)
        if place.name not in self.written or name not in self.program.buffers or name in self.inputs:
            self._fail("%s: is no buffer that a kernel writes", name)
        self.program.outputs.append(Port(name, name, dtype, shape))


def read(folder: str | os.PathLike[str]) -> Program:
    """The network of a folder; an error names the line."""
    if text("network: folder", folder) is None:
        raise aicjit.ArgumentTypeError("network: folder: is None, not text")
    path = pathlib.Path(os.fspath(folder)) / "network.txt"
    try:
        lines = path.read_text(encoding="ascii").splitlines()
    except OSError as error:
        raise aicjit.FileError("%s: %s" % (path, error.strerror), aicjit.Status.IO) from error
    except UnicodeDecodeError as error:
        raise aicjit.ArgumentError("%s: is no text: %s" % (path, error)) from error
    if not lines or lines[0] != _HEAD:
        raise aicjit.ArgumentError("%s: line 1: is not %r" % (path, _HEAD))
    reader = _Reader(path.parent)
    for number, line in enumerate(lines[1:], 2):
        if not line.strip() or line.startswith("#"):
            continue
        word, _, rest = line.strip().partition(" ")
        try:
            if len(line) > _LINE or word not in reader.make:
                raise aicjit.ArgumentError("%s: is no statement" % word[:40] if len(line) <= _LINE else "is too long")
            reader.make[word](rest.strip())
        except aicjit.Error as error:
            raise aicjit.ArgumentError("%s: line %d: %s" % (path, number, error)) from error
    if not reader.program.outputs:
        raise aicjit.ArgumentError("%s: there is no output" % path)
    return reader.program
