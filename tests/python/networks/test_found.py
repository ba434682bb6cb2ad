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
