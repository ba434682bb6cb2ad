"""Networks as folders: one is written, read, run; what is wrong with a folder is an error that names the line."""

import numpy as np
import pytest

import aicjit

CONV = "conv2d(dtype=int8, fm_shape=[1,5,6,32], kernel_shape=[1,3,3,32,32], pad=[1,1,1,1])"
REQUANT = "fixpipe(src=int32, dst=int8, format=NZ, quantPre=VREQ8)"
MAX = "tensor_arithmetic_quantized(op=BM_MAX, shape=[4,1,1,240], input1_is_const=true)"
TEXT = """# aicjit network, version 1

# two layers
input x int8 [1,5,6,32]
constant w w.npy
constant words words.npy
buffer middle int8 [1,5,6,32]
buffer y int8 [1,5,6,32]
view middle_words middle uint32 [240] at 0
kernel %s | %s : dst=middle feature_map=x weight=w cbufWorkspace=words
kernel %s : output=middle_words input0=middle_words
kernel %s | %s : dst=y feature_map=middle weight=w cbufWorkspace=words
output y
""" % (CONV, REQUANT, MAX, CONV, REQUANT)


@pytest.fixture
def folder(tmp_path, random):
    np.save(tmp_path / "w.npy", random.integers(-30, 31, (1, 3, 3, 32, 32)).astype(np.int8))
    np.save(tmp_path / "words.npy", aicjit.quant_words(random.uniform(0.001, 0.003, 32)))
    (tmp_path / "network.txt").write_text(TEXT)
    return tmp_path


def test_it_is_what_its_kernels_give(folder, random):
    net = aicjit.Network.open(folder)
    x = random.integers(-128, 128, (1, 5, 6, 32)).astype(np.int8)
    w, words = np.load(folder / "w.npy"), np.load(folder / "words.npy")
    layer = aicjit.compile("%s | %s" % (CONV, REQUANT))
    middle = np.maximum(layer(x, w, words), 0)
    wanted = layer(middle.reshape(x.shape), w, words).reshape(x.shape)
    assert np.array_equal(net(x), wanted) and np.array_equal(net({"x": x}), wanted) and np.array_equal(net(x=x), wanted)
    assert np.array_equal(net(np.concatenate([x, x // 2, x]))[2:], wanted)
    table = net.table(2)
    assert [row["macs"] for row in table] == [5 * 6 * 32 * 32 * 9, 0, 5 * 6 * 32 * 32 * 9] and "GMAC/s" in str(table)
    assert set(net.bench(runs=1)) == {"ms"} and net.memory >= 2 * x.nbytes
    with pytest.raises(aicjit.ArgumentError, match="no ONNX file is known"):
        net.bench(peer="onnxruntime")


def test_it_is_written_as_it_was_read(folder, tmp_path, random):
    net, x = aicjit.Network.open(folder), random.integers(-128, 128, (1, 5, 6, 32)).astype(np.int8)
    net.save(tmp_path / "again")
    again = aicjit.Network.open(tmp_path / "again")
    assert np.array_equal(again(x), net(x))
    again.save(tmp_path / "third")
    assert (tmp_path / "again" / "network.txt").read_text() == (tmp_path / "third" / "network.txt").read_text()


@pytest.mark.parametrize("old, new, text", [
    ("version 1", "version 2", "line 1: is of version 2"),
    ("input x int8 [1,5,6,32]", "input x int9 [1,5,6,32]", 'line 4: x: type "int9" is not known'),
    ("constant w w.npy", "constant w nothing.npy", "line 5: nothing.npy: No such file"),
    ("dst=middle feature_map=x", "dst=middle feature_map=words", 'line 10: feature_map: "words" is uint64'),
    ("pad=[1,1,1,1])", "pad=[1,1,1,256])", "line 10: .*pad"),
    ("output y\n", "", "there is no output"),
])  # all messages: tests/runtime/test_network_files.c
def test_what_is_wrong(folder, old, new, text):
    assert old in TEXT
    (folder / "network.txt").write_text(TEXT.replace(old, new))
    with pytest.raises(aicjit.Error, match=text):
        aicjit.Network.open(folder)


def test_progress(folder):
    """Is told of every kernel, and what it raises arrives."""
    told = []
    context = aicjit.Context(cache="off", threads=1)
    aicjit.Network.open(folder, context=context, progress=lambda made, kernels: told.append((made, kernels)))
    assert told and told[-1][0] == told[-1][1] and [made for made, _ in told] == sorted(made for made, _ in told)
    with pytest.raises(ZeroDivisionError):
        aicjit.Network.open(folder, context=aicjit.Context(cache="off", threads=1), progress=lambda made, kernels: 1 // 0)


def test_damaged_folders(folder):
    content = (folder / "words.npy").read_bytes()
    (folder / "words.npy").write_bytes(content[:-3])
    with pytest.raises(aicjit.Error, match="line 6: words.npy: holds 253 bytes"):
        aicjit.Network.open(folder)
    (folder / "words.npy").unlink()
    (folder / "words.npy").symlink_to(folder / "w.npy")
    with pytest.raises(aicjit.Error, match="line 6: words.npy: "):
        aicjit.Network.open(folder)
    (folder / "network.txt").write_bytes(b"\xff\xfe")
    with pytest.raises(aicjit.Error, match="line 1: "):
        aicjit.Network.open(folder)
    (folder / "network.txt").unlink()
    with pytest.raises(aicjit.Error, match="No such file"):
        aicjit.Network.open(folder)
