"""python -m aicjit.onnx FILE FOLDER: the network of an ONNX file as a folder. `aicjit network compile FILE.onnx` calls it,
and exit status and messages are those of the tool."""

from __future__ import annotations

import sys

import aicjit

from . import load

_SYSTEM = (aicjit.Status.OUT_OF_MEMORY, aicjit.Status.IO)
# What is wrong with a name that was given, which no other try of the system mends.
_NAMES = (FileNotFoundError, FileExistsError, IsADirectoryError, NotADirectoryError, PermissionError)


def main(arguments: list[str]) -> int:
    if len(arguments) != 2:
        sys.stderr.write("usage: python -m aicjit.onnx FILE FOLDER\n")
        return 2
    try:
        load(arguments[0]).save(arguments[1])
    except (aicjit.Error, OSError) as error:
        said = "%s: %s" % (error.filename, error.strerror) if isinstance(error, _NAMES) else error
        sys.stderr.write("aicjit: network: %s\n" % said)
        wrong = isinstance(error, _NAMES) or isinstance(error.__cause__, _NAMES)
        return 3 if not wrong and getattr(error, "status", aicjit.Status.IO) in _SYSTEM else 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
