"""The operators' functions: parameters from arrays, results as the reference gives them, documentation."""

import ast
import inspect
import re
import pathlib

import numpy as np
import pytest

import aicjit
from aicjit import _lists, operators


def small(random, shape, dtype):
    if np.dtype(dtype).kind == "f":
        return random.standard_normal(shape).astype(dtype)
    info = np.iinfo(dtype)
    return random.integers(max(info.min, -1000), min(info.max, 1000), shape, endpoint=True).astype(dtype)


def bfloat16(random, shape):
    return (random.standard_normal(shape).astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)


def by_reference(spec, result, *inputs):
    """Whether the reference gives these bits."""
    expected = aicjit.reference(spec, *inputs)
    return np.array_equal(expected.ravel().view(np.uint8), np.ascontiguousarray(result).ravel().view(np.uint8))


def test_conv2d(random):
    for dtype, c0 in (("int8", 32), ("int8", 4), ("float16", 16), ("float16", 4)):
        x, w = small(random, (1, 9, 8, c0), dtype), small(random, (1, 3, 3, 32, c0), dtype)
        y = aicjit.conv2d(x, w, pad=(1, 1, 1, 1), stride=[2, 1])
        assert y.shape == (2, 48, 16) and y.dtype == ("int32" if dtype == "int8" else "float32")
        spec = aicjit.op("conv2d", dtype=dtype, fm_shape=x.shape, kernel_shape=w.shape, pad=(1, 1, 1, 1), stride=(2, 1))
        assert by_reference(spec, y, x, w)
        out = np.full_like(y, 3)
        assert aicjit.conv2d(x[np.newaxis], w, pad=(1, 1, 1, 1), stride=(2, 1), out=out) is out
        assert np.array_equal(out[:, :40], y[:, :40]) and (out[:, 40:] == 3).all()


def test_conv2d_adds(random):
    x, w = small(random, (1, 4, 4, 32), "int8"), small(random, (1, 1, 1, 16, 32), "int8")
    y = aicjit.conv2d(x, w)
    out = np.full_like(y, 5)
    assert np.array_equal(aicjit.conv2d(x, w, init_l1out=False, out=out), y + 5)


def grouped(x, w, groups, stride, pad, dilation, pad_value):
    """Products [howo, Cout, Kh, Kw, I] of an image [C, H, W] and weights [Cout, I, Kh, Kw], straight from the definition."""
    (channels, h, width), (outputs, inputs, kh, kw) = x.shape, w.shape
    left, right, top, bottom = pad
    padded = np.full((channels, h + top + bottom, width + left + right), pad_value, x.dtype)
    padded[:, top:top + h, left:left + width] = x
    ho = (padded.shape[1] - dilation[0] * (kh - 1) - 1) // stride[0] + 1
    wo = (padded.shape[2] - dilation[1] * (kw - 1) - 1) // stride[1] + 1
    wide = np.int64 if x.dtype == np.int8 else np.float64
    products = np.zeros((ho * wo, outputs, kh, kw, inputs), wide)
    for o in range(outputs):
        seen = padded[o // (outputs // groups) * inputs:][:inputs]
        for row in range(ho):
            for column in range(wo):
                window = seen[:, row * stride[0]:, column * stride[1]:][:, ::dilation[0], ::dilation[1]][:, :kh, :kw]
                products[row * wo + column, o] = (window.astype(wide) * w[o].astype(wide)).transpose(1, 2, 0)
    return products


# Type, C0, C1, Cout and groups: within a block (4, 16, all channels of it), a block each, several blocks, more outputs than
# inputs, and the first convolution's blocks of 4.
GROUPS = (("int8", 32, 2, 64, 64), ("int8", 32, 2, 32, 16), ("int8", 32, 2, 32, 4), ("int8", 32, 2, 48, 2),
          ("int8", 32, 4, 32, 2), ("int8", 32, 1, 96, 32), ("int8", 4, 1, 16, 4), ("int8", 4, 1, 32, 2),
          ("float16", 16, 2, 32, 32), ("float16", 16, 2, 16, 8), ("float16", 16, 3, 48, 3), ("float16", 16, 4, 32, 2),
          ("float16", 4, 1, 16, 2), ("int8", 32, 2, 48, 1))


@pytest.mark.parametrize("dtype, c0, c1, outputs, groups", GROUPS)
def test_conv2d_groups(random, dtype, c0, c1, outputs, groups):
    """The reference, the trace, the kernel, and how weights are packed, against NumPy."""
    inputs, block = c1 * c0 // groups, min(c0, c1 * c0 // groups)
    x, w = small(random, (c1, 6, 7, c0), dtype), small(random, (outputs, inputs, 3, 2), dtype)
    packed = aicjit.pack_weights(w, c0=block)
    by_hand = w.reshape(outputs, inputs // block, block, 3, 2).transpose(1, 3, 4, 0, 2)
    assert np.array_equal(packed, by_hand)
    stride, pad, dilation, pad_value = (2, 1), (1, 2, 0, 1), (1, 2), 3
    spec = aicjit.op("conv2d", dtype=dtype, fm_shape=x.shape, kernel_shape=packed.shape, stride=stride, pad=pad,
                     dilation=dilation, pad_value=pad_value, groups=groups)
    planes = x.transpose(0, 3, 1, 2).reshape(c1 * c0, 6, 7)
    products = grouped(planes, w, groups, stride, pad, dilation, pad_value)
    rows = len(products)
    y = aicjit.reference(spec, x, packed)
    if dtype == "int8":
        expected = products.sum((2, 3, 4)).astype(np.int32)
    else:  # blocks of 16 along the blocks of channels, kh, kw, the channels of a block
        order = products.reshape(rows, outputs, 3, 2, inputs // block, block).transpose(0, 1, 4, 2, 3, 5)
        order = order.reshape(rows, outputs, -1)
        expected = np.zeros((rows, outputs), np.float32)
        for first in range(0, order.shape[2], 16):
            total = np.zeros((rows, outputs))
            for k in range(first, min(first + 16, order.shape[2])):
                total += order[:, :, k]
            expected = (expected.astype(np.float64) + total).astype(np.float32)
    blocks = y.reshape(outputs // 16, -1, 16)
    assert np.array_equal(blocks[:, :rows], expected.reshape(rows, outputs // 16, 16).transpose(1, 0, 2))
    explained = aicjit.trace(spec, x, packed, at=(outputs // 16 - 1, rows - 1, 15))
    assert explained.value == expected[-1, -1]
    computed = aicjit.conv2d(x, packed, stride=stride, pad=pad, dilation=dilation, pad_value=pad_value, groups=groups)
    assert np.array_equal(computed.reshape(blocks.shape)[:, :rows], blocks[:, :rows])


def test_mmad(random):
    a, b = small(random, (5, 7), "int8"), small(random, (7, 9), "int8")
    assert np.array_equal(aicjit.mmad(a, b), a.astype(np.int32) @ b.astype(np.int32))
    a, b = bfloat16(random, (5, 7)), bfloat16(random, (7, 9))
    assert by_reference("mmad(dtype=bfloat16, m=5, k=7, n=9)", aicjit.mmad(a, b), a, b)
    a, b = small(random, (2, 1, 16, 16), "float16"), small(random, (1, 3, 16, 16), "float16")
    blocked = aicjit.mmad(a, b, a_format="Zz", b_format="Zn", c_format="Nz")
    assert by_reference("mmad(dtype=float16, m=32, k=16, n=48, a_format=Zz, b_format=Zn, c_format=Nz)", blocked, a, b)
    a, b = small(random, (4, 6), "float32"), small(random, (6, 4), "float32")
    assert np.allclose(aicjit.mmad(a, b, accumulate="fast"), a @ b, atol=1e-5)


@pytest.mark.parametrize("fields", [
    dict(dst="int8", quantPre="VREQ8", format="NZ", reluEn=True),
    dict(dst="int8", quantPre="REQ8", deqScalar="quant(0.01, 3, int8)"),
    dict(dst="uint8", quantPre="REQ8", deqScalar=aicjit.quant_word(0.02, 7, "uint8")),
    dict(dst="float16", quantPre="VDEQF16"),
    dict(dst="float16", quantPre="DEQF16", deqScalar=aicjit.quant_word(0.5), format="NZ"),
    dict(dst="int32", format="NZ"),
])
def test_fixpipe(random, fields):
    src = small(random, (2, 20, 16), "int32")
    words = aicjit.quant_words(np.linspace(0.01, 0.2, 32)) if fields.get("quantPre", "").startswith("V") else None
    y = aicjit.fixpipe(src, words, **fields)
    size = np.dtype(fields["dst"]).itemsize
    dst_stride = 32 if "format" not in fields else 20 * (32 if size == 1 else 16) * size // 32
    spec = aicjit.op("fixpipe", src="int32", nSize=32, mSize=20, srcStride=20, dstStride=dst_stride, **fields)
    inputs = (src,) if words is None else (src, words)
    assert y.size == 2 * 20 * 16 and by_reference(spec, y, *inputs)


def test_tik_fixpipe(random):
    src, bias = small(random, (2, 16, 16), "float32"), small(random, 32, "float32")
    y = aicjit.tik_fixpipe(src, bias, dst="float16", quantize_params="fp322fp16")
    text = "tik_fixpipe(dst=float16, src=float32, cburst_num=2, burst_len=32, bias=true, quantize_params=fp322fp16)"
    assert by_reference(text, y, src, bias)


def test_data_path(random):
    src = small(random, (16, 32), "float16")
    y = aicjit.nd2nz(src)
    assert by_reference("nd2nz(dtype=float16, nValue=16, dValue=32, srcDValue=32, dstNzC0Stride=16)", y, src)
    assert by_reference("load_data(dtype=float16, repeatTimes=2, srcStride=1)", aicjit.load_data(y, repeatTimes=2, srcStride=1), y)
    square = small(random, 4 * 1024, "int8")
    z = aicjit.load_data_transpose(square, repeatTimes=4, srcStride=1, dstGap=1)
    assert by_reference("load_data_transpose(dtype=int8, repeatTimes=4, srcStride=1, dstGap=1)", z, square)


def test_transdata(random):
    image = small(random, (2, 5, 6, 20), "float16")
    blocked = aicjit.transdata(image, src="NHWC", dst="NC1HWC0")
    assert blocked.shape == (2, 2, 5, 6, 16)
    assert np.array_equal(blocked[:, 1, :, :, :4], image[..., 16:]) and not blocked[:, 1, :, :, 4:].any()
    assert np.array_equal(aicjit.transdata(blocked, src="NC1HWC0", dst="NHWC", shape=image.shape), image)
    full = aicjit.transdata(blocked, src="NC1HWC0", dst="NCHW")
    assert full.shape == (2, 32, 5, 6) and np.array_equal(full[:, :20], image.transpose(0, 3, 1, 2))
    assert aicjit.transdata(blocked, src="NC1HWC0", dst="NHWC").shape == (2, 5, 6, 32)
    weights = small(random, (32, 16, 3, 2), "int8")
    z = aicjit.transdata(weights, src="OIHW", dst="FRACTAL_Z")
    assert np.array_equal(z, aicjit.pack_weights(weights)) and z.shape == (1, 3, 2, 32, 32)
    assert np.array_equal(aicjit.transdata(z, src="FRACTAL_Z", dst="OIHW")[:, :16], weights)
    assert np.array_equal(aicjit.transdata(z, src="FRACTAL_Z", dst="HWIO")[:, :, :16], weights.transpose(2, 3, 1, 0))
    matrix = small(random, (32, 48), "float16")
    for layout in ("Nz", "Zz", "Zn", "Nn"):
        blocks = aicjit.transdata(matrix, src="ND", dst=layout)
        assert np.array_equal(aicjit.transdata(blocks, src=layout, dst="ND"), matrix), layout
    batch = small(random, (4, 3, 2, 5), "int8")
    words = aicjit.transdata(batch, src="NCHW", dst="4N")
    assert np.array_equal(aicjit.transdata(words, src="4N", dst="NCHW"), batch)


def test_tensor_arithmetic(random):
    a, b = small(random, (3, 8, 5), "float32"), small(random, (3, 8, 5), "float32")
    total = aicjit.tensor_arithmetic(a, b, op="BM_ADD")
    assert total.shape == a.shape and np.array_equal(total, a + b)
    assert np.array_equal(aicjit.tensor_arithmetic(a, 2.5, op="BM_MUL"), a * np.float32(2.5))
    assert np.array_equal(aicjit.tensor_arithmetic(2.5, a, op="BM_MAX"), np.maximum(a, np.float32(2.5)))
    out = np.empty_like(a)
    assert aicjit.tensor_arithmetic(a, b, op="BM_MIN", out=out) is out and np.array_equal(out, np.minimum(a, b))
    words = small(random, (2, 4), "int32")
    masked = aicjit.tensor_arithmetic(words, words, op="BM_AND")
    assert masked.dtype == np.int32 and np.array_equal(masked, words)


def test_a_window_by_strides(random):
    """The maximum of neighbours in a row: a view by strides."""
    a = small(random, (1, 2, 4, 6), "float32")
    y = aicjit.tensor_arithmetic(a, a.reshape(-1)[1:].copy(), op="BM_MAX", shape=(1, 2, 4, 3),
                                 input0_stride=(48, 24, 6, 2), input1_stride=(48, 24, 6, 2))
    assert np.array_equal(y, np.maximum(a[..., ::2], a[..., 1::2]))


def test_tensor_arithmetic_quantized(random):
    a, b = small(random, (1, 8, 3, 5, 4), "int8"), small(random, (1, 8, 3, 5, 4), "int8")
    words = aicjit.tensor_arithmetic_quantized(a, b, op="BM_MAX", shape=(4, 8, 3, 5))
    assert np.array_equal(words.view(np.int8).reshape(a.shape), np.maximum(a, b))
    again = aicjit.tensor_arithmetic_quantized(a, b, op="BM_MAX")
    assert np.array_equal(again, words)


def test_texpands():
    assert (aicjit.texpands(2.5, dtype="float32", rows=2, cols=8) == 2.5).all()
    y = aicjit.texpands(np.float16(3), rows=2, cols=16, v_row=1, out=np.zeros(32, np.float16))
    assert (y[:16] == 3).all() and not y[16:].any()


@pytest.mark.parametrize("name", operators.__all__)
def test_text_and_reference_of_the_example(name):
    """The example in each docstring compiles and has the reference's bits."""
    function = getattr(aicjit, name)
    spec = aicjit.Spec(function.__doc__.rsplit("In operator text: ", 1)[1].strip())
    kernel = aicjit.compile(spec)
    inputs = aicjit.random_operands(kernel)
    result = kernel(*inputs)
    assert np.array_equal(result, aicjit.reference(spec, *inputs))
    assert aicjit.Spec(spec.canonical).canonical == spec.canonical


@pytest.mark.parametrize("name", operators.__all__)
def test_signature(name):
    """Every parameter of the lists is one of the function, with its default and its meaning."""
    function = getattr(aicjit, name)
    parameters = inspect.signature(function).parameters
    text = " ".join(function.__doc__.split())
    for kind, field, _, _, default in _lists.OPERATORS[name]:
        assert parameters[field].default == default and parameters[field].kind is inspect.Parameter.KEYWORD_ONLY
        words = _lists.SPELLINGS.get(kind, {}).values() if kind in _lists.ENUMS else _lists.DTYPES if kind == "DTYPE" else ()
        listed = re.search(r" %s \(([^:]*)\): " % field, text).group(1).split(", ")  # help() lists the values
        assert not words or (listed and set(listed) <= set(words) and default in {None, *listed}), field
        assert kind != "BOOL" or listed == ["True or False"], field
    inputs = [p for p in parameters.values() if p.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD]
    assert len(inputs) == len(_lists.OPERANDS[name]) - 1


def test_stubs():
    """The stubs have the functions and parameters of the module."""
    tree = ast.parse((pathlib.Path(operators.__file__).with_suffix(".pyi")).read_text())
    stubs = {node.name: node.args for node in tree.body if isinstance(node, ast.FunctionDef)}
    listed = next(node.value for node in tree.body if isinstance(node, ast.Assign) and node.targets[0].id == "__all__")
    assert list(stubs) == operators.__all__ == ast.literal_eval(listed)
    for name, arguments in stubs.items():
        names = [argument.arg for argument in arguments.args + arguments.kwonlyargs]
        assert names == list(inspect.signature(getattr(operators, name)).parameters)


def test_everything_public_is_documented():
    for name in aicjit.__all__:
        assert getattr(aicjit, name).__doc__, name
