"""Networks from Python: results, several outputs, batches, what is refused."""

import concurrent.futures
import fcntl
import os
import pathlib
import shutil
import subprocess
import sys

import numpy as np
import pytest

import aicjit

TEXT = """# aicjit network, version 1
input a float32 [3,4]
input b float32 [3,4]
constant two two.npy
buffer sum float32 [3,4]
buffer twice float32 [12]
kernel tensor_arithmetic(op=BM_ADD, shape=[1,1,3,4]) : output=sum input0=a input1=b
kernel tensor_arithmetic(op=BM_MUL, shape=[1,1,3,4]) : output=twice input0=sum input1=two
output twice
output sum
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "network.txt").write_text(TEXT)
    np.save(tmp_path / "two.npy", np.full((3, 4), 2, np.float32))
    return tmp_path


@pytest.fixture
def arrays(random):
    return random.random((3, 4), np.float32), random.random((3, 4), np.float32)


@pytest.mark.parametrize("reference", [False, True])
def test_results(folder, arrays, reference):
    a, b = arrays
    with aicjit.Network.open(folder, reference=reference) as network:
        for twice, total in (network(a, b), network(b=b, a=a)):
            assert np.array_equal(total, a + b) and np.array_equal(twice, (2 * (a + b)).ravel())
        out = np.empty(12, np.float32), np.empty((3, 4), np.float32)
        result = network(a, b, out=out)
        assert result[0] is out[0] and result[1] is out[1] and np.array_equal(out[1], a + b)


def test_info(folder):
    network = aicjit.Network.open(str(folder), context=aicjit.Context(threads=1))
    info = network.info
    assert [o.name for o in info.inputs] == ["a", "b"] and [o.name for o in info.outputs] == ["twice", "sum"]
    assert info.inputs[0].shape == (3, 4) and info.outputs[0].dtype == "float32"
    assert [k.line for k in info.kernels] == [7, 8] and info.kernels[1].output == "twice"
    assert "op=BM_ADD" in info.kernels[0].text and info.kernels[0].threads == 1
    assert info.arena_bytes == 0 and info.constant_bytes == 48
    assert "2 kernels" in repr(network)


def test_batches(folder, random):
    network = aicjit.Network.open(folder)
    a, b = random.random((5, 3, 4), np.float32), random.random((5, 3, 4), np.float32)
    twice, total = network.call_batch(a, b)
    assert np.array_equal(total, a + b) and twice.shape == (5, 12)
    with pytest.raises(aicjit.OperandValueError, match="different numbers of images"):
        network.call_batch(a, b[:4])


def test_export(folder, tmp_path):
    network = aicjit.Network.open(folder)
    network.export(tmp_path / "net.o", tmp_path / "net.h", name="sums", isa="generic", target="x86_64-linux-gnu")
    assert (tmp_path / "net.o").read_bytes()[:4] == b"\x7fELF"
    assert "void sums(const void *in_a, const void *in_b, void *out_twice, void *out_sum, void *workspace);" \
        in (tmp_path / "net.h").read_text()
    with pytest.raises(aicjit.ArgumentError, match="avx9"):
        network.export(tmp_path / "net.o", tmp_path / "net.h", isa="avx9")


def test_what_is_refused(folder, arrays):
    a, b = arrays
    network = aicjit.Network.open(folder)
    with pytest.raises(aicjit.OperandTypeError, match="network: input a: is float64, not float32"):
        network(a.astype(np.float64), b)
    with pytest.raises(aicjit.ArgumentError, match="input b is not given; its inputs are a float32"):
        network(a)
    with pytest.raises(aicjit.OperandValueError, match="out: 1 arrays given, 2 needed"):
        network(a, b, out=[np.empty(12, np.float32)])
    with pytest.raises(aicjit.ArgumentError, match="overlaps"):
        network(a, b, out=(np.empty(12, np.float32), a))
    network.close()
    with pytest.raises(aicjit.ArgumentError, match="is closed"):
        network(a, b)
    with pytest.raises(TypeError, match="program|Network.open"):
        aicjit.Network()
    with pytest.raises(aicjit.ArgumentTypeError, match="folder"):
        aicjit.Network.open(3)
    (folder / "network.txt").write_text(TEXT.replace("two.npy", "../two.npy"))
    with pytest.raises(aicjit.ArgumentError, match="line 4: two"):
        aicjit.Network.open(folder)


def test_first_result_imports_little(folder):
    """Opening and calling a network imports what that needs alone; the rest is there when it is asked for."""
    program = ("import sys, numpy\nbefore = set(sys.modules)\nimport aicjit\n"
               "net = aicjit.Network.open(sys.argv[1])\n"
               "net(*[numpy.zeros(shape, dtype) for dtype, shape in net.inputs.values()])\n"
               "print(*sorted(set(sys.modules) - before))\n"
               "assert {'onnx', 'Conv2d', 'Network'} <= set(dir(aicjit)) & set(aicjit.__all__)\n"
               "assert callable(aicjit.onnx.load) and callable(aicjit.Conv2d)\n")
    said = subprocess.run([sys.executable, "-c", program, str(folder)], check=True, capture_output=True, text=True).stdout
    assert "aicjit._net" in said.split()
    late = {"aicjit.onnx", "aicjit._layers", "aicjit._net_file", "tempfile", "statistics", "concurrent.futures", "numpy.typing"}
    assert not late & set(said.split())


class Interrupted(BaseException):
    """As KeyboardInterrupt, which pytest would take for its own."""


def interrupt(monkeypatch, number, after):
    """Lets the call with this number of those that change files fail, before or after it was made."""
    calls = []

    def wrap(owner, name):
        real = getattr(owner, name)

        def call(*args, **keys):
            calls.append(name)
            last = len(calls) == number + 1
            if last and not after:
                raise Interrupted
            try:
                return real(*args, **keys)
            finally:
                if last:
                    raise Interrupted

        monkeypatch.setattr(owner, name, call)

    for owner, name in ((os, "rename"), (os, "replace"), (pathlib.Path, "unlink"), (pathlib.Path, "write_text"), (np, "save"),
                        (shutil, "copyfile")):
        wrap(owner, name)

@pytest.mark.parametrize("after", [False, True])
def test_a_folder_is_one_network_whatever_happens(folder, arrays, tmp_path, monkeypatch, after):
    """Of the same names, with other constants: the old one until the new one is complete, wherever saving ends."""
    a, b = arrays
    other = tmp_path / "other"
    other.mkdir()
    (other / "network.txt").write_text(TEXT.replace("constant two two.npy", "constant two two.npy\n# comment\nconstant one one.npy")
                                       .replace("twice input0=sum input1=two", "twice input0=one input1=two"))
    np.save(other / "two.npy", np.full((3, 4), 3, np.float32))
    np.save(other / "one.npy", np.ones((3, 4), np.float32))
    old, new = 2 * (a + b), np.full((3, 4), 3, np.float32)
    network, number, ends = aicjit.Network.open(other), 0, []
    while not ends or ends[-1] != "done":
        target = tmp_path / ("target%d" % number)
        aicjit.Network.open(folder).save(target)
        assert sorted(path.name for path in target.iterdir()) == ["network.txt", "two.npy"]
        with monkeypatch.context() as patched:
            interrupt(patched, number, after)
            try:
                network.save(target)
                ends.append("done")
            except Interrupted:
                ends.append("interrupted")
        twice = aicjit.Network.open(target)(a, b)[0].reshape(3, 4)
        assert np.array_equal(twice, new) or (ends[-1] == "interrupted" and np.array_equal(twice, old)), (number, ends)
        network.save(target)  # what an interrupted process left is no obstacle, and goes
        assert np.array_equal(aicjit.Network.open(target)(a, b)[0].reshape(3, 4), new)
        assert len(list(target.iterdir())) == 3
        number += 1
    assert number > 5


def test_saving_again_leaves_nothing_behind(folder, tmp_path):
    """A constant of another content has another name for a while; of the same content the file stays."""
    target = tmp_path / "target"
    for value in (1, 2, 2, 3, 1, 3):
        np.save(folder / "two.npy", np.full((3, 4), value, np.float32))
        aicjit.Network.open(folder).save(target)
        constant, = target.glob("*.npy")
        assert (np.load(constant) == value).all() and len(list(target.iterdir())) == 2
        assert np.array_equal(aicjit.Network.open(target)(*[np.ones((3, 4), np.float32)] * 2)[0], np.full(12, 2 * value))


def test_saving_by_several_at_once(folder, tmp_path, monkeypatch):
    """Whoever comes second waits: the folder is one of the networks, and nothing else is in it."""
    target, real, free = tmp_path / "target", shutil.copyfile, []

    def copyfile(source, path):
        other = os.open(target, os.O_RDONLY)
        try:
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
            free.append(path)
        except BlockingIOError:
            pass
        finally:
            os.close(other)
        return real(source, path)

    networks = []
    for value in (1, 2):
        (tmp_path / str(value)).mkdir()
        shutil.copy(folder / "network.txt", tmp_path / str(value))
        np.save(tmp_path / str(value) / "two.npy", np.full((3, 4), value, np.float32))
        networks.append(aicjit.Network.open(tmp_path / str(value)))
    monkeypatch.setattr(shutil, "copyfile", copyfile)
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda i: networks[i % 2].save(target), range(200)))
    assert not free
    assert len(list(target.iterdir())) == 2
    assert aicjit.Network.open(target)(*[np.ones((3, 4), np.float32)] * 2)[0][0] in (2, 4)


def test_saving_that_fails(folder, tmp_path, monkeypatch):
    aicjit.Network.open(folder).save(tmp_path / "target")
    before = {path.name: path.read_bytes() for path in (tmp_path / "target").iterdir()}
    np.save(folder / "two.npy", np.full((3, 4), 7, np.float32))

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match="No space left"):
        aicjit.Network.open(folder).save(tmp_path / "target")
    assert {path.name: path.read_bytes() for path in (tmp_path / "target").iterdir()} == before


def test_names_of_files(folder, tmp_path, monkeypatch):
    """What is no name is told, and a file that cannot be written leaves those that are there."""
    network = aicjit.Network.open(folder)
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.iterdir())
    for name in ("", None, "a\0b", 3):
        with pytest.raises(aicjit.Error):
            network.save(name)
    (tmp_path / "file").write_text("kept")
    with pytest.raises(aicjit.FileError, match="file: File exists"):
        network.save(tmp_path / "file")
    for object_file, header in (("file", "none/net.h"), ("none/net.o", "file")):
        with pytest.raises(aicjit.FileError, match="none/net.*: No such file or directory"):
            network.export(object_file, header)
    assert (tmp_path / "file").read_text() == "kept" and sorted(tmp_path.iterdir()) == sorted([*before, tmp_path / "file"])
    (tmp_path / "link").symlink_to("file")
    network.export("link", "net.h")
    assert (tmp_path / "link").is_symlink() and (tmp_path / "file").read_bytes()[:4] == b"\x7fELF"
