"""A network's folder while it is written: network.txt, a line at a time, and constants (tools/networks.md has the format)."""

import pathlib

import numpy as np


class Folder:
    """network.txt and its constants as they come."""

    def __init__(self, path):
        self.path, self.lines = pathlib.Path(path), ["# aicjit network, version 1"]
        self.path.mkdir(parents=True, exist_ok=True)

    def tensor(self, kind, name, dtype, shape):
        self.lines.append("%s %s %s [%s]" % (kind, name, dtype, ",".join(map(str, shape))))
        return name

    def view(self, name, of, dtype, shape, at=0):
        """at: the byte where it begins."""
        self.lines.append("view %s %s %s [%s] at %d" % (name, of, dtype, ",".join(map(str, shape)), at))
        return name

    def constant(self, name, array):
        np.save(self.path / (name + ".npy"), array)
        self.lines.append("constant %s %s.npy" % (name, name))
        return name

    def kernel(self, text, **operands):
        self.lines.append("kernel %s : %s" % (text, " ".join("%s=%s" % pair for pair in operands.items())))

    def close(self, *outputs):
        self.lines += ["output " + name for name in outputs]
        (self.path / "network.txt").write_text("\n".join(self.lines) + "\n")
