"""python -m aicjit.onnx FILE FOLDER [NAME=SHAPE]...: the network of an ONNX file as a folder. `aicjit network compile FILE.onnx` calls it,
and exit status and messages are those of the tool."""

from __future__ import annotations

import sys

import aicjit

from . import load

_SYSTEM = (aicjit.Status.OUT_OF_MEMORY, aicjit.Status.IO)
# What is wrong with a name that was given, which no other try of the system mends.
_NAMES = (FileNotFoundError, FileExistsError, IsADirectoryError, NotADirectoryError, PermissionError)


def _shapes(arguments: list[str]) -> dict[str, list[int]]:
    """"x=1,3,224,224" by name."""
    shapes: dict[str, list[int]] = {}
    for argument in arguments:
        name, equals, sizes = argument.rpartition("=")
        words = sizes.strip("[]()").split(",")
        if not equals or not name or not all(word.strip().isdecimal() for word in words):
            raise aicjit.ArgumentError("--shape: %r is not NAME=N,C,H,W" % argument)
        if name in shapes:
            raise aicjit.ArgumentError("--shape: %s is given twice" % name)
        shapes[name] = [int(word) for word in words]
    return shapes


def main(arguments: list[str]) -> int:
    if len(arguments) < 2:
        sys.stderr.write("usage: python -m aicjit.onnx FILE FOLDER [NAME=SHAPE]...\n")
        return 2
    try:
        load(arguments[0], shapes=_shapes(arguments[2:])).save(arguments[1])
    except (aicjit.Error, OSError) as error:
        said = "%s: %s" % (error.filename, error.strerror) if isinstance(error, _NAMES) else error
        sys.stderr.write("aicjit: network: %s\n" % said)
        wrong = isinstance(error, _NAMES) or isinstance(error.__cause__, _NAMES)
        return 3 if not wrong and getattr(error, "status", aicjit.Status.IO) in _SYSTEM else 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
