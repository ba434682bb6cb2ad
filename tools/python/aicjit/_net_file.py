"""A network as a folder: network.txt, a line a kernel, and a .npy file for each constant. tools/networks.md describes it."""

from __future__ import annotations

import contextlib
import fcntl
import itertools
import os
import pathlib
import re
import shutil
from collections.abc import Callable, Mapping, Sequence

import numpy as np

import aicjit

from ._program import Array, Place, Program, Step

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


class _Install:
    """Puts a network where another one may be: that one stays whole until network.txt is replaced, in one step, since files that
    it reads are not written to. A constant that is there already is taken; one of another content gets another name. Who
    comes meanwhile waits."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.target = pathlib.Path(folder)
        self.target.mkdir(parents=True, exist_ok=True)
        self.files: dict[str, str] = {}  # of constants: the name that each has
        self.new: list[pathlib.Path] = []  # what goes unless the text takes its place
        self.made = self.target / "network.txt.new"
        self.lock = os.open(self.target, os.O_RDONLY)
        with contextlib.suppress(OSError):  # of a file system that has no locks
            fcntl.flock(self.lock, fcntl.LOCK_EX)

    def constant(self, name: str, store: Callable[[pathlib.Path], object]) -> None:
        """A file NAME.npy, or NAME.1.npy and so on, that store() writes."""
        stem, used = _stem(name), self.files.values()
        path = self.target / (stem + ".npy")
        if path.name not in used and not os.path.lexists(path):
            self.new.append(path)
            store(path)
            self.files[name] = path.name
            return
        made = self._fresh("constant.npy.new")
        store(made)
        names = (stem + ".npy" if i == 0 else "%s.%d.npy" % (stem, i) for i in itertools.count())
        for candidate in (one for one in names if one not in used):
            path = self.target / candidate
            if not os.path.lexists(path):
                self.new.append(path)
                os.rename(made, path)
            elif path.is_file() and not path.is_symlink() and _same_bytes(made, path):
                made.unlink()
            else:
                continue
            self.files[name] = candidate
            return

    def text(self, text: str) -> None:
        """network.txt; what it takes the place of goes."""
        self._fresh(self.made.name).write_text(text, encoding="ascii")
        os.replace(self.made, self.target / "network.txt")
        self.new = []
        stems, used = {_stem(name) for name in self.files}, set(self.files.values())
        for path in list(self.target.iterdir()):
            if path.name.endswith(".npy") and path.name not in used and _stem(path.name) in stems:
                with contextlib.suppress(OSError):
                    path.unlink()

    def _fresh(self, name: str) -> pathlib.Path:
        path = self.target / name
        self.new.append(path)
        with contextlib.suppress(FileNotFoundError):
            path.unlink()  # of a process that was ended
        return path

    def __enter__(self) -> _Install:
        return self

    def __exit__(self, *error: object) -> None:
        if self.made in self.new and not self.made.exists():
            self.new = []  # it has taken its place
        for path in self.new:
            with contextlib.suppress(OSError):
                path.unlink()
        os.close(self.lock)  # which others waited for


def _same_bytes(one: pathlib.Path, other: pathlib.Path) -> bool:
    import filecmp  # new folders need none

    return filecmp.cmp(one, other, shallow=False)


def _stem(name: str) -> str:
    """The name of a constant's file as it was before it met others."""
    return re.sub(r"(\.\d+)?(\.npy)?$", "", name)


def write(program: Program, folder: str | os.PathLike[str]) -> None:
    """Writes the folder: a network that is there before is whole until the new one is."""
    writer = _Writer(program)
    text = writer.write()
    used = {place.name for step in program.steps if isinstance(step, Step) for place in step.inputs.values()}
    with _Install(folder) as install:
        for name in program.constants:
            if name in used:
                array = program.constants[name]
                install.constant(writer.names[name] + ".npy", lambda path: _save(path, array))
        install.text(_renamed(text, install.files))


def _save(path: pathlib.Path, array: Array) -> None:
    with open(path, "wb") as file:  # np.save() would add a suffix to a name
        np.save(file, array)


def _renamed(text: str, files: Mapping[str, str]) -> str:
    """The text with other names of files."""
    return re.sub(_CONSTANT, lambda line: line[1] + files[line[2]], text, flags=re.MULTILINE)


_CONSTANT = r"^(\s*constant\s+\S+\s+)(\S+)(?=\s*$)"


def copy(source: str | os.PathLike[str], folder: str | os.PathLike[str]) -> None:
    """Copies a folder: network.txt and the constants that it names."""
    origin, target = pathlib.Path(source), pathlib.Path(folder)
    text = (origin / "network.txt").read_text(encoding="ascii")
    with _Install(target) as install:
        if target.resolve() == origin.resolve():
            return
        for name in dict.fromkeys(name for _, name in re.findall(_CONSTANT, text, re.MULTILINE)):
            install.constant(name, lambda path: shutil.copyfile(origin / name, path))
        install.text(_renamed(text, install.files))
