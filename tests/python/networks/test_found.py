"""Graphs as users bring them that once failed: each is of a class of failures."""

import numpy as np
import pytest
from build import Graph, expected

import aicjit


def distance(got, wanted):
    return float(np.sqrt(((got - wanted) ** 2).mean() / (wanted**2).mean()))


def check(g, shape, outputs=("y",)):
    """In float16 and in int8, against the package onnx's evaluator."""
    model, x = g.model(list(shape), outputs), g.random.standard_normal(shape).astype(np.float32)
    wanted = expected(model, x)
    for bound, keys in ((0.005, {}), (0.04, {"quantize": x})):
        got = aicjit.onnx.load(model, **keys)(x)
        for one, other in zip(got if isinstance(got, tuple) else (got,), wanted):
            assert one.shape == other.shape and distance(one, other) < bound


@pytest.mark.parametrize("said", [{}, {"kernel_shape": [3]}], ids=["implied", "said"])
def test_one_axis(said):
    """A kernel whose size only the weights say."""
    g = Graph()
    g.node("Relu", [g.conv("x", "c", (16, 8, 3), pads=[1, 1], strides=[2], **said)], "y")
    check(g, (1, 8, 20))


@pytest.mark.parametrize("first", [4, 12, 16, 20, 32])
def test_output_within_a_block(first):
    """Outputs that begin in the middle of a block of channels."""
    g = Graph()
    g.node("Split", [g.conv("x", "c", (48, 8, 1, 1)), g.constant(np.array([first, 8, 40 - first]))], ("p", "q", "r"), axis=1)
    g.node("Relu", ["p"], "y")
    g.node("Relu", ["q"], "z")
    check(g, (1, 8, 7, 5), ("y", "z", "r"))


def test_large_pictures():
    """More pixels than an axis of element-wise operators has."""
    g = Graph()
    a = g.node("Concat", [g.conv("x", "c", (2, 3, 1, 1)), "x"], "k", axis=1)
    b = g.node("Clip", [a, g.constant(np.float32(-1.5)), g.constant(np.float32(2))], "l")
    g.node("MaxPool", [g.node("Add", [b, g.conv("x", "e", (5, 3, 1, 1))], "s")], "y", kernel_shape=[2, 1], strides=[8, 8])
    check(g, (1, 3, 260, 258))


@pytest.mark.parametrize("dtype, zero, rectified", [(np.uint8, 120, 0), (np.int8, 3, -128), (np.int8, 0, 0)])
def test_sum_left_in_floats(dtype, zero, rectified):
    """onnxruntime's quantisation leaves Sum and AveragePool in floats; a convolution behind them is quantised."""
    g = Graph()
    x = g.qdq("x", 0.03, zero, dtype)
    g.node("Conv", [x, g.integers(16, 16, 1, 1)[0]], "c")
    both = [g.qdq("c", 0.05, zero, dtype), x]
    g.node("AveragePool", [g.node("Relu", [g.node("Sum", both, "s")], "r")], "a", kernel_shape=[2, 2], strides=[2, 2])
    g.node("Conv", [g.qdq("a", 0.02, rectified, dtype), g.integers(8, 16, 1, 1)[0]], "e")
    g.qdq("e", 0.04, zero, dtype, out="y")
    model, values = g.model([1, 16, 6, 6], opset=19), g.random.standard_normal((1, 16, 6, 6)).astype(np.float32)
    assert distance(aicjit.onnx.load(model)(values), expected(model, values)[0]) < 0.04


def numbers(g, *values):
    return [g.constant(np.float32(value)) for value in values]


def bounds_behind_slopes(g):
    a = g.node("PRelu", ["x", g.constant(np.linspace(-0.4, 0.9, 12).astype(np.float32)[:, None, None])], "p")
    g.node("LeakyRelu", [g.node("Clip", [a, *numbers(g, -0.2, 1.5)], "k")], "y", alpha=0.5)


def bounds_that_exclude_each_other(g):
    g.node("Clip", [g.node("Clip", [g.conv("x", "c", (8, 12, 1, 1)), *numbers(g, 0, 1)], "k"), *numbers(g, 2, 3)], "y")


def least_above_the_greatest(g):
    g.node("Clip", ["x", *numbers(g, 2, 0.5)], "y")


def residual_of_blocks_with_gaps(g):
    """A depthwise convolution leaves channels in the places of a concatenation; its sums are an output."""
    a = g.node("Concat", [g.conv("x", "a", (3, 12, 1, 1)), g.conv("x", "b", (5, 12, 1, 1))], "k", axis=1)
    g.node("Add", [g.conv(a, "c", (8, 1, 3, 3), group=8, pads=[1] * 4), a], "y")


def kernel_as_wide_as_the_picture(g):
    a = g.conv("x", "c", (16, 12, 3, 6), pads=[1, 0, 0, 0])
    b = g.conv("x", "d", (12, 1, 2, 6), group=12, strides=[1, 2])
    g.node("Concat", [a, b, g.node("AveragePool", ["x"], "p", kernel_shape=[2, 6])], "y", axis=1)


@pytest.mark.parametrize("graph", [bounds_behind_slopes, bounds_that_exclude_each_other, least_above_the_greatest,
                                   residual_of_blocks_with_gaps, kernel_as_wide_as_the_picture], ids=lambda graph: graph.__name__)
def test_graph(graph):
    g = Graph()
    graph(g)
    check(g, (1, 12, 5, 6))


def transposed(x, weight, stride, pad, more):
    """ConvTranspose in float64."""
    (_, height, width), (_, outs, kh, kw) = x.shape, weight.shape
    whole = np.zeros((outs, stride * (height - 1) + kh + more, stride * (width - 1) + kw + more))
    for i, j in np.ndindex(height, width):
        whole[:, stride * i : stride * i + kh, stride * j : stride * j + kw] += np.tensordot(x[:, i, j], weight, 1)
    return whole[:, pad : whole.shape[1] - pad, pad : whole.shape[2] - pad]


@pytest.mark.parametrize("end", [True, False], ids=["end", "middle"])
@pytest.mark.parametrize("stride, kernel, pad, more", [(2, 3, 1, 0), (3, 2, 0, 0), (3, 4, 1, 2), (2, 2, 1, 0)])
def test_transposed(stride, kernel, pad, more, end):
    """Pictures that end within a square of pixels."""
    g = Graph()
    weight = g.random.standard_normal((6, 20, kernel, kernel)).astype(np.float32)
    g.node("ConvTranspose", ["x", g.constant(weight)], "t", strides=[stride] * 2, pads=[pad] * 4, output_padding=[more] * 2)
    g.node("Identity" if end else "Relu", ["t"], "y")
    model, x = g.model([1, 6, 4, 5]), g.random.standard_normal((1, 6, 4, 5)).astype(np.float32)
    wanted = transposed(x[0], weight, stride, pad, more)
    for bound, keys in ((0.005, {}), (0.04, {"quantize": x})):
        assert distance(aicjit.onnx.load(model, **keys)(x)[0], wanted if end else np.maximum(wanted, 0)) < bound


def test_windows_behind_the_picture():
    """ceil_mode leaves windows out that begin behind the picture; the package onnx counts them."""
    g = Graph()
    g.node("ConvTranspose", [g.node("MaxPool", ["x"], "m", kernel_shape=[1, 2], strides=[1, 3], ceil_mode=1),
                             g.floats(3, 4, 2, 2)], "y")
    x = g.random.standard_normal((1, 3, 4, 18)).astype(np.float32)
    assert aicjit.onnx.load(g.model([1, 3, 4, 18]))(x).shape == (1, 4, 5, 7)


@pytest.mark.parametrize("op, wanted", [("QLinearAdd", lambda x, c: x + c), ("QLinearMul", lambda x, c: x * c)])
def test_constants_of_integers(op, wanted):
    """Operators of integers with a tensor and a constant."""
    g = Graph()
    scale, step, zero = g.constant(np.float32(0.03)), g.constant(np.float32(0.05)), g.constant(np.int8(3))
    constant, own, none = g.constant(np.full((1, 1, 1, 1), 100, np.int8)), g.constant(np.float32(0.02)), g.constant(np.int8(0))
    g.node("QuantizeLinear", ["x", scale, zero], "q")
    g.node(op, ["q", scale, zero, constant, own, none, step, zero], "r", domain="com.microsoft")
    g.node("DequantizeLinear", ["r", step, zero], "y")
    model, x = g.model([1, 5, 4, 3]), g.random.standard_normal((1, 5, 4, 3)).astype(np.float32)
    assert np.abs(aicjit.onnx.load(model)(x) - wanted(x, 2.0)).max() < 0.08


def quantised_weights(g, *shape, axis):
    name, values, scale = g.integers(*shape, axis=axis)
    return name, values * scale.reshape([-1 if i == axis else 1 for i in range(len(shape))])


def test_floats_between_integers():
    """Arithmetic that a file leaves in floats gets the range that its inputs can reach; weights of ConvTranspose are integers."""
    g = Graph()
    name, weight = quantised_weights(g, 6, 16, 3, 3, axis=1)
    a = g.node("HardSwish", [g.qdq("x", 0.03, 0, np.int8)], "h")
    b = g.node("PRelu", [g.node("Sub", [a, "x_dq"], "s"), g.constant(np.full((6, 1, 1), -0.5, np.float32))], "p")
    g.node("ConvTranspose", [g.qdq(b, 0.03, -128, np.int8), name], "t", strides=[2, 2])
    g.qdq("t", 0.02, 0, np.int8, out="y")
    model, x = g.model([1, 6, 4, 5], opset=19), g.random.standard_normal((1, 6, 4, 5)).astype(np.float32)
    swish = x * np.clip(x / 6 + 0.5, 0, 1) - x
    wanted = transposed(np.where(swish < 0, -0.5 * swish, swish)[0], weight, 2, 0, 0)
    assert distance(aicjit.onnx.load(model)(x)[0], np.clip(wanted, -2.56, 2.54)) < 0.06


def test_slopes_reach_further_than_their_results():
    """The input of a slope has no scale of its own, and cannot have that of the result."""
    g = Graph()
    g.qdq(g.node("LeakyRelu", ["x"], "l", alpha=0.1), 0.03, -100, np.int8, out="y")
    with pytest.raises(aicjit.onnx.Unsupported, match="x is not quantised: quantize= gives it a scale"):
        aicjit.onnx.load(g.model([1, 6, 4, 5]))


def test_nodes_that_run_elsewhere_in_int8_alone():
    """A product whose sums may pass 2^22 runs elsewhere, and then the picture before it is a value of its own, with a scale."""
    pytest.importorskip("onnxruntime")
    g = Graph()
    a = g.node("Flatten", [g.node("MaxPool", ["x"], "m", kernel_shape=[1, 1])], "f")
    g.node("Gemm", [a, g.floats(17, 66 * 17 * 19, scale=0.01)], "y", transB=1)
    model, x = g.model([1, 66, 17, 19]), g.random.standard_normal((1, 66, 17, 19)).astype(np.float32) * 3
    net = aicjit.onnx.load(model, quantize=x, fallback="onnxruntime")
    assert any("onnxruntime: Gemm" in row["spec"] for row in net.table(1))
    assert distance(net(x), expected(model, x)[0]) < 0.03
