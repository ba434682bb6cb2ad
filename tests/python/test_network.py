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
    ("version 1", "version 2", "line 1: is not"),
    ("input x int8 [1,5,6,32]", "inputs x int8 [1,5,6,32]", "line 4: inputs: is no statement"),
    ("input x int8 [1,5,6,32]", "input x int9 [1,5,6,32]", "line 4: x: int9 is no element type"),
    ("input x int8 [1,5,6,32]", "input x int8 [1,0,6,32]", "line 4: x: .* is no shape"),
    ("input x int8 [1,5,6,32]", "input 1x int8 [1,5,6,32]", "line 4: 1x: is no name"),
    ("constant w w.npy", "constant w nothing.npy", "line 5: w: nothing.npy is no file of the folder"),
    ("constant w w.npy", "constant w ../w.npy", "line 5: constant NAME FILE.npy is expected"),
    ("constant w w.npy", "constant x w.npy", "line 5: x: is declared twice"),
    ("uint32 [240] at 0", "uint32 [240] at 4", "line 9: middle_words: ends at byte 964 of middle, which has 960"),
    ("uint32 [240] at 0", "uint32 [239] at 2", "line 9: middle_words: 2 is no multiple of the size of uint32"),
    ("view middle_words middle", "view middle_words nothing", "line 9: nothing: is not declared"),
    ("input0=middle_words", "input0=middle", "line 11: input0=middle: is int8, not uint32"),
    ("dst=middle feature_map=x", "dst=x feature_map=x", "line 10: x: is written, but is an input or a constant"),
    ("dst=middle feature_map=x", "dst=middle feature_map=y", "line 10: y: is read before it is written"),
    ("dst=middle feature_map=x", "dst=middle feature_map=words", "line 10: feature_map=words: is uint64, not int8"),
    ("dst=middle feature_map=x", "dst=middle feature_map=w", "line 10: feature_map=w: has 9216 elements, not 960"),
    ("dst=middle feature_map=x", "dst=middle", "line 10: feature_map: is not given"),
    ("dst=middle feature_map=x", "dst=middle feature_map=x a=x", "line 10: a: is no operand of"),
    ("pad=[1,1,1,1])", "pad=[1,1,1,256])", "line 10: .*pad"),
    ("quantPre=VREQ8", "quantPre=VREQ9", "line 10: .*VREQ9"),
    ("output y", "output x", "line 13: x: is no buffer that a kernel writes"),
    ("output y\n", "", "there is no output"),
])
def test_what_is_wrong(folder, old, new, text):
    assert old in TEXT
    (folder / "network.txt").write_text(TEXT.replace(old, new))
    with pytest.raises(aicjit.Error, match=text):
        aicjit.Network.open(folder)


def test_damaged_folders(folder):
    content = (folder / "words.npy").read_bytes()
    (folder / "words.npy").write_bytes(content[:-3])
    with pytest.raises(aicjit.Error, match="line 6: words: words.npy: "):
        aicjit.Network.open(folder)
    (folder / "words.npy").unlink()
    (folder / "words.npy").symlink_to(folder / "w.npy")
    with pytest.raises(aicjit.Error, match="line 6: words: words.npy is no file of the folder"):
        aicjit.Network.open(folder)
    (folder / "network.txt").write_bytes(b"\xff\xfe")
    with pytest.raises(aicjit.Error, match="is no text"):
        aicjit.Network.open(folder)
    (folder / "network.txt").unlink()
    with pytest.raises(aicjit.FileError, match="No such file"):
        aicjit.Network.open(folder)
