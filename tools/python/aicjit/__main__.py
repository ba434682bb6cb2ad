"""python -m aicjit, and the command aicjit that pip installs: the command line tool, which takes this process's place."""

import os
import shutil
import sys

from ._library import folders


def _tool():
    """That of the package (aicjit-tool), of the build folder, or the system's."""
    for folder, name in zip(folders(), ("aicjit-tool", "aicjit")):
        path = os.path.join(folder, name)
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    found = shutil.which("aicjit")
    return None if found and os.path.exists(sys.argv[0]) and os.path.samefile(found, sys.argv[0]) else found


def main():
    tool = _tool()
    if tool is None:
        sys.stderr.write("aicjit: the command line tool is not installed\n")
        return 3
    os.environ.setdefault("AIC_PYTHON", sys.executable)  # by which the tool reads ONNX files
    os.execv(tool, ["aicjit", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
