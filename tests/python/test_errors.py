"""Bad input: an exception that names the operand, and nothing is written."""

import pickle

import numpy as np
import pytest

import aicjit

CONV = "conv2d(dtype=int8, fm_shape=[1,4,5,32], kernel_shape=[1,2,2,16,32])"


@pytest.fixture
def good():
    return np.ones((1, 4, 5, 32), np.int8), np.ones((1, 2, 2, 16, 32), np.int8)


def swapped(array):
    return array.astype(array.dtype.newbyteorder())


BAD_INPUTS = [
    (lambda x: x.astype(np.uint8), TypeError, "conv2d: feature_map: has elements of uint8, not int8"),
    (lambda x: x.astype(np.float64), TypeError, "conv2d: feature_map: has elements of float64, not int8"),
    (lambda x: x.astype(object), TypeError, "conv2d: feature_map: has elements of object, not int8"),
    (lambda x: x.tolist(), TypeError, "conv2d: feature_map: is list, not an array of int8[1,4,5,32]: numpy.asarray() makes one"),
    (lambda x: None, TypeError, "conv2d: feature_map: is None, not an array of int8[1,4,5,32]"),
    (lambda x: b"bytes", TypeError, "conv2d: feature_map: has elements of uint8, not int8"),
    (lambda x: x.tobytes().decode("latin-1"), TypeError, "conv2d: feature_map: is str, not an array of int8[1,4,5,32]"),
    (lambda x: np.ma.masked_array(x), TypeError, "conv2d: feature_map: is a masked array: numpy.ma.filled()"),
    (lambda x: swapped(x.astype(np.int16)), TypeError, "conv2d: feature_map: has elements of int16 of the other byte order"),
    (lambda x: x[:, :3], ValueError, "conv2d: feature_map: is int8[1,3,5,32], not int8[1,4,5,32]"),
    (lambda x: x.reshape(1, 5, 4, 32), ValueError, "conv2d: feature_map: is int8[1,5,4,32], not int8[1,4,5,32]"),
    (lambda x: np.stack([x, x]), ValueError, "conv2d: feature_map: is int8[2,1,4,5,32], not int8[1,4,5,32]"),
    (lambda x: x.ravel()[1:], ValueError, "conv2d: feature_map: is int8[639], not int8[1,4,5,32]"),
    (lambda x: np.asfortranarray(x), ValueError, "conv2d: feature_map: is not in C order"),
    (lambda x: np.repeat(x, 2, 3)[..., ::2], ValueError, "conv2d: feature_map: is not in C order"),
    (lambda x: x[..., ::-1], ValueError, "conv2d: feature_map: is not in C order"),
    (lambda x: np.broadcast_to(np.int8(1), x.shape), ValueError, "conv2d: feature_map: is not in C order"),
]


@pytest.mark.parametrize("make, builtin, message", BAD_INPUTS)
@pytest.mark.parametrize("way", ["kernel", "reference"])
def test_inputs(good, make, builtin, message, way):
    x, w = good
    call = aicjit.compile(CONV) if way == "kernel" else lambda *a, **k: aicjit.reference(CONV, *a, **k)
    out = np.full((1, 16, 16), 7, np.int32)
    with pytest.raises(aicjit.Error) as caught:
        call(make(x), w, out=out)
    assert isinstance(caught.value, builtin) and str(caught.value).startswith(message)
    assert caught.value.status == aicjit.Status.INVALID_ARGUMENT == 1
    assert (out == 7).all()


def read_only(array):
    array.flags.writeable = False
    return array


BAD_OUTPUTS = [
    (lambda y: read_only(y), ValueError, "conv2d: out (dst): is read-only"),
    (lambda y: y.astype(np.float32), TypeError, "conv2d: out (dst): has elements of float32, not int32"),
    (lambda y: y.astype(np.uint32), TypeError, "conv2d: out (dst): has elements of uint32, not int32"),
    (lambda y: swapped(y), TypeError, "conv2d: out (dst): has elements of int32 of the other byte order, not int32"),
    (lambda y: y[:, :15], ValueError, "conv2d: out (dst): is int32[1,15,16], not int32[1,16,16]"),
    (lambda y: np.zeros((1, 17, 16), np.int32), ValueError, "conv2d: out (dst): is int32[1,17,16], not int32[1,16,16]"),
    (lambda y: np.zeros((1, 16, 32), np.int32)[:, :, ::2], ValueError, "conv2d: out (dst): is not in C order"),
    (lambda y: np.zeros(4 * 256 + 1, np.int8)[1:].view(np.int32).reshape(1, 16, 16), ValueError, "conv2d: out (dst): its elements"),
    (lambda y: y.tolist(), TypeError, "conv2d: out (dst): is list, not an array"),
]


@pytest.mark.parametrize("make, builtin, message", BAD_OUTPUTS)
def test_outputs(good, make, builtin, message):
    kernel = aicjit.compile(CONV)
    with pytest.raises(aicjit.Error) as caught:
        kernel(*good, out=make(np.zeros((1, 16, 16), np.int32)))
    assert isinstance(caught.value, builtin) and str(caught.value).startswith(message)


def test_read_only_inputs_are_right(good):
    x, w = map(read_only, good)
    assert (aicjit.compile(CONV)(x, w)[:, :12] == 2 * 2 * 32).all()


def test_what_fits(good):
    """Axes of 1 in front and one axis are accepted, without a copy."""
    x, w = good
    kernel = aicjit.compile(CONV)
    y = kernel(x, w)
    out = np.zeros(256, np.int32)
    assert np.array_equal(kernel(x[np.newaxis, np.newaxis], w.ravel(), out=out).reshape(y.shape), y)


def test_overlap(good):
    x, w = good
    block = np.zeros(4096, np.int8)
    inside = block[:640].reshape(x.shape)
    with pytest.raises(aicjit.ArgumentError, match="conv2d: feature_map: overlaps dst"):
        aicjit.compile(CONV)(inside, w, out=block[:1024].view(np.int32).reshape(1, 16, 16))


def test_counts(good):
    kernel = aicjit.compile(CONV)
    with pytest.raises(TypeError, match="conv2d: 1 inputs given, 2 needed: feature_map, weight"):
        kernel(good[0])
    with pytest.raises(TypeError, match="3 inputs given"):
        aicjit.reference(CONV, *good, good[0])
    fixpipe = aicjit.compile("fixpipe(src=int32, dst=int32, nSize=16, mSize=4, srcStride=4, dstStride=16)")
    src = np.ones((1, 4, 16), np.int32)
    assert np.array_equal(fixpipe(src, None), fixpipe(src))  # None where nothing is taken
    with pytest.raises(aicjit.OperandValueError, match="cbufWorkspace: is given"):
        fixpipe(src, np.ones(16, np.uint64))


def test_an_operand_that_is_read_and_written(good):
    """Where it is not given it starts as zeros."""
    kernel, plain = aicjit.compile(CONV[:-1] + ", init_l1out=false)"), aicjit.compile(CONV)
    y = plain(*good)
    assert np.array_equal(kernel(*good), y) and np.array_equal(aicjit.reference(kernel.spec, *good), y)


@pytest.mark.parametrize("text, message", [
    ("conv2d(", "expected"),
    ("convolve(dtype=int8)", "convolve"),
    ("conv2d(dtype=int8)", "fm_shape"),
    ("conv2d(dtype=int8, fm_shape=[1,4,4,31], kernel_shape=[1,1,1,16,32])", "fm_shape"),
    ("mmad(dtype=int8, m=4, n=4, k=4) | transdata(dtype=int8, src=ND, dst=Nz, shape=[4,4])", "mmad"),
])
def test_operator_text(text, message):
    with pytest.raises(aicjit.ArgumentError, match=message) as caught:
        aicjit.compile(text)
    assert caught.value.status == aicjit.Status.INVALID_ARGUMENT


def test_functions(good):
    x, w = good
    with pytest.raises(aicjit.ArgumentError, match="kernel_shape"):
        aicjit.conv2d(x, w[0])
    with pytest.raises(aicjit.ArgumentError, match="conv2d: pad"):
        aicjit.conv2d(x, w, pad=(1, 1, 1, 999))
    with pytest.raises(aicjit.Error, match="weight: has elements of uint8, not int8"):
        aicjit.conv2d(x, w.astype(np.uint8))
    with pytest.raises(aicjit.Error, match="accumulate"):
        aicjit.conv2d(x, w, accumulate="slow")
    with pytest.raises(aicjit.ArgumentError, match="op: 'conv3d' is none of conv2d, mmad"):
        aicjit.op("conv3d")
    with pytest.raises(aicjit.ArgumentError, match="conv2d: there is no parameter padding"):
        aicjit.op("conv2d", padding=1)
    with pytest.raises(TypeError):
        aicjit.conv2d(x, w, padding=1)
    with pytest.raises(TypeError, match="operator text"):
        aicjit.compile(5)
    with pytest.raises(aicjit.Error, match="quantPre|dst"):
        aicjit.fixpipe(np.ones((1, 16, 16), np.int32), dst="float32")


def test_words_that_are_illegal():
    src = np.ones((1, 16, 16), np.int32)
    with pytest.raises(aicjit.ArgumentError, match="cbufWorkspace: the scale of column 0"):
        aicjit.fixpipe(src, np.full(16, 0x7F800000, np.uint64), dst="int8", quantPre="VREQ8")


def test_classes():
    assert issubclass(aicjit.ArgumentError, ValueError) and issubclass(aicjit.OperandTypeError, TypeError)
    for name in ("ArgumentError", "OperandTypeError", "OperandValueError", "UnsupportedError", "MemoryRanOut", "FileError"):
        assert issubclass(getattr(aicjit, name), aicjit.Error)
    error = aicjit.FileError("a file", aicjit.Status.IO)
    assert str(error) == "a file" and error.status == 4
    with pytest.raises(aicjit.UnsupportedError, match="only the reference computes sum=exact"):
        aicjit.compile("mmad(dtype=float16, m=16, n=16, k=64)", context=aicjit.Context(sum="exact"))
    for level in ("amx", "avx512fp16", "i8mm", "dotprod"):
        if level not in aicjit.isa_levels():
            with pytest.raises((aicjit.UnsupportedError, aicjit.ArgumentError)):  # the latter: another architecture's
                aicjit.Context(isa=level)


def test_all_broken_rules_are_told():
    text = "conv2d(dtype=int8, fm_shape=[1,8,9,32], kernel_shape=[1,3,3,24,32], stride=[64,0])"
    with pytest.raises(aicjit.ArgumentError) as caught:
        aicjit.compile(text)
    first, *others = caught.value.messages
    assert first == str(caught.value)
    assert first == "conv2d: kernel_shape: Cout = 24 is not a multiple of 16 in 16..4096 [TIK conv2d, parameter kernel_shape]"
    assert others == ["conv2d: stride: stride_%s is outside 1..63 [TIK conv2d, parameter stride]" % one
                      for one in ("h = 64", "w = 0")]
    again = pickle.loads(pickle.dumps(caught.value))
    assert (again.messages, again.status, str(again)) == (caught.value.messages, caught.value.status, first)
    assert aicjit.Error("alone").messages == ("alone",)


def test_rules():
    rules = aicjit.rules("conv2d")
    assert {rule["op"] for rule in rules} == {"conv2d"}
    assert {rule["kind"] for rule in rules} == {"rule", "field", "default", "step"}
    assert {"op": "conv2d", "kind": "rule", "id": "cout_blocks", "field": "kernel_shape", "text": "Cout is a multiple of 16",
            "origin": "documented", "source": "TIK conv2d, parameter kernel_shape"} in rules
    everything = aicjit.rules()
    assert [rule for rule in everything if rule["op"] == "conv2d"] == rules
    assert {"semantics", "texpands", "tensor_arithmetic_quantized"} < {rule["op"] for rule in everything}
    with pytest.raises(aicjit.ArgumentError, match="rules: op: 'softmax' is"):
        aicjit.rules("softmax")
