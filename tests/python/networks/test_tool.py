"""`aicjit network compile FILE.onnx`: the tool, which asks this interpreter to read the file."""

import os
import subprocess
import sys

import numpy as np
import pytest
from build import Graph, onnx

import aicjit
from aicjit.__main__ import _tool


def compile_file(file, *more):
    return subprocess.run([_tool(), "network", "compile", str(file), *more], capture_output=True, text=True,
                          env={**os.environ, "AIC_PYTHON": sys.executable})


@pytest.fixture
def file(tmp_path):
    g = Graph()
    g.conv("x", "y", (8, 3, 3, 3))
    onnx.save(g.model([1, 3, 8, 8]), tmp_path / "model.onnx")
    return tmp_path / "model.onnx"


def test_folder(file, tmp_path):
    """The folder is what save() writes; its kernels are at hand then."""
    done = compile_file(file, "-o", str(tmp_path / "folder"))
    assert (done.returncode, done.stderr) == (0, "")
    aicjit.onnx.load(file).save(tmp_path / "saved")
    assert done.stdout.startswith("%d kernels: " % (tmp_path / "saved/network.txt").read_text().count("\nkernel "))
    for saved in sorted((tmp_path / "saved").iterdir()):
        assert (tmp_path / "folder" / saved.name).read_bytes() == saved.read_bytes()
    x = np.random.default_rng(1).standard_normal((1, 3, 8, 8)).astype(np.float32)
    assert np.array_equal(aicjit.Network.open(tmp_path / "folder")(x), aicjit.onnx.load(file)(x))


def test_name_of_the_file(file, tmp_path):
    assert compile_file(file).returncode == 0
    assert (tmp_path / "model" / "network.txt").is_file()


@pytest.mark.skipif(sys.version_info < (3, 11), reason="-m looks into the working folder first")
def test_modules_in_the_working_folder(file, tmp_path, monkeypatch):
    """They are not run."""
    for name in ("onnx", "numpy", "aicjit"):
        (tmp_path / (name + ".py")).write_text("raise SystemExit(7)")
    monkeypatch.chdir(tmp_path)
    assert compile_file("model.onnx").returncode == 0


def test_wrong_files(file, tmp_path):
    """Status and message are the tool's, and nothing is written."""
    g = Graph()
    g.node("NonZero", ["x"], "y")
    onnx.save(g.model([1, 3, 8, 8]), tmp_path / "other.onnx")
    (tmp_path / "broken.onnx").write_bytes(b"no model")
    for name, status, said in (("other", 2, "aicjit: network: 1 node is not supported:\n  y_node (NonZero)"),
                               ("broken", 2, "aicjit: network: "), ("none", 2, "none.onnx: No such file")):
        done = compile_file(tmp_path / (name + ".onnx"))
        assert done.returncode == status and said in done.stderr and done.stdout == ""
        assert not (tmp_path / name).exists()
    done = compile_file(file, "-o", str(tmp_path / "broken.onnx"))
    assert (done.returncode, done.stderr) == (2, "aicjit: network: %s: File exists\n" % (tmp_path / "broken.onnx"))


def test_a_folder_of_another_network(file, tmp_path):
    """A network that fails leaves the old one; one that is made takes its place, and nothing of the old one stays."""
    folder = tmp_path / "folder"
    assert compile_file(file, "-o", str(folder)).returncode == 0
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    g = Graph(2)
    g.node("NonZero", [g.conv("x", "c", (8, 3, 3, 3))], "y")
    onnx.save(g.model([1, 3, 8, 8]), tmp_path / "wrong.onnx")
    assert compile_file(tmp_path / "wrong.onnx", "-o", str(folder)).returncode == 2
    g = Graph(2)
    g.conv("x", "y", (8, 3, 3, 3))
    onnx.save(g.model([1, 3, 8, 8]), tmp_path / "other.onnx")
    done = compile_file(tmp_path / "other.onnx", "-o", str(folder), "--isa", "none")
    assert done.returncode == 2 and "none" in done.stderr
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    assert compile_file(tmp_path / "other.onnx", "-o", str(folder)).returncode == 0
    x = np.random.default_rng(1).standard_normal((1, 3, 8, 8)).astype(np.float32)
    assert np.array_equal(aicjit.Network.open(folder)(x), aicjit.onnx.load(tmp_path / "other.onnx")(x))
    assert len(list(folder.iterdir())) == len(before)


def test_shapes(file, tmp_path):
    """Of inputs without a fixed size, which the message asks for."""
    g = Graph()
    g.conv("x", "y", (8, 3, 3, 3))
    onnx.save(g.model(["n", 3, "height", 8]), tmp_path / "open.onnx")
    done = compile_file(tmp_path / "open.onnx")
    assert done.returncode == 2 and "has no fixed size: pass shapes={'x': (1, 3, 224, 8)}, or the tool --shape 'x=1,3,224,8'" in done.stderr
    assert compile_file(tmp_path / "open.onnx", "--shape", "x=1,3,9,8").returncode == 0
    assert aicjit.Network.open(tmp_path / "open")(np.zeros((1, 3, 9, 8), np.float32)).shape == (1, 8, 7, 6)
    for shape, said in (("x", "'x' is not NAME=N,C,H,W"), ("x=1,3,9", "x has 4 axes, not 3"), ("x=1,3,0,8", "0 is outside of 1.."),
                        ("x=1,3,-9,8", "is not NAME=N,C,H,W"), ("z=1", "there is no input z"), ("=1,2", "is not NAME=N,C,H,W")):
        done = compile_file(tmp_path / "open.onnx", "--shape", shape)
        assert done.returncode == 2 and said in done.stderr and done.stderr.startswith("aicjit: network: "), done.stderr
    done = compile_file(tmp_path / "open.onnx", "--shape", "x=1,3,9,8", "--shape", "x=1,3,9,8")
    assert done.returncode == 2 and "x is given twice" in done.stderr
