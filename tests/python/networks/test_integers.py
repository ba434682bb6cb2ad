"""Quantised graphs, layer by layer: integers go in and come out, and each one is what NumPy gives here."""

import numpy as np
import pytest
from build import Graph, expected
from onnx import TensorProto

import aicjit

TYPES = {np.uint8: TensorProto.UINT8, np.int8: TensorProto.INT8}
X_SCALE, Y_SCALE = np.float32(0.021), np.float32(0.034)


def word(scale):
    """The nearest number of 11 significant bits, ties to even."""
    bits = np.asarray(scale, np.float32).view(np.uint32)
    return ((bits + np.uint32(0xFFF) + ((bits >> np.uint32(13)) & np.uint32(1))) & np.uint32(0xFFFFE000)).view(np.float32)


def sums(x, weight, stride=1, pad=0):
    """int64 sums of integers whose zero point is subtracted: x [C, H, W], weight [O, C, Kh, Kw]."""
    x = np.pad(x.astype(np.int64), ((0, 0), (pad, pad), (pad, pad)))
    windows = np.lib.stride_tricks.sliding_window_view(x, weight.shape[2:], axis=(1, 2))[:, ::stride, ::stride]
    return np.einsum("chwij,ocij->ohw", windows, weight.astype(np.int64))


def finish(values, zero, dtype):
    """float32 values in steps to integers: rounded to even, with the zero point, clamped."""
    low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
    return np.clip(np.rint(np.clip(values.astype(np.float32), -256, 255)) + zero, low, high).astype(dtype)


def column(values):
    return np.asarray(values, np.float32)[:, None, None]


class Layer:
    """A graph of one layer between DequantizeLinear and QuantizeLinear, and its input."""

    def __init__(self, dtype, x_zero, y_zero, shape=(40, 9, 11), seed=3):
        self.g, self.dtype, self.x_zero, self.y_zero = Graph(seed), dtype, x_zero, y_zero
        info = np.iinfo(dtype)
        self.x = self.g.random.integers(info.min, info.max + 1, shape).astype(dtype)
        self.scale = self.g.constant(X_SCALE), self.g.constant(dtype(x_zero))
        self.centred = self.x.astype(np.int64) - x_zero
        self.g.node("DequantizeLinear", ["x", *self.scale], "f")

    def close(self, value):
        self.g.node("QuantizeLinear", [value, self.g.constant(Y_SCALE), self.g.constant(self.dtype(self.y_zero))], "y")
        return self.check()

    def check(self):
        model = self.g.model([1, *self.x.shape], dtype=TYPES[self.dtype], opset=19)
        model.graph.output[0].type.tensor_type.elem_type = TYPES[self.dtype]
        self.theirs = expected(model, self.x[None])[0]
        found = aicjit.onnx.load(model)(self.x[None])
        assert found.dtype == self.dtype
        return found[0]

    def near(self, found):
        """Quantisation words round scales to 11 bits: one step from the file's meaning at most."""
        assert np.abs(found.astype(int) - self.theirs[0].reshape(found.shape)).max() <= 1


ZEROS = [(np.uint8, 128, 100), (np.uint8, 7, 0), (np.int8, -5, -128), (np.int8, 0, 3)]


@pytest.mark.parametrize("act", [None, "Relu", "LeakyRelu", "Clip"])
@pytest.mark.parametrize("dtype, x_zero, y_zero", ZEROS)
def test_convolution(dtype, x_zero, y_zero, act):
    layer = Layer(dtype, x_zero, y_zero)
    g = layer.g
    name, weight, scale = g.integers(24, 40, 3, 3)
    bias = g.random.integers(-9000, 9000, 24).astype(np.int32)
    step = (scale * X_SCALE).astype(np.float32)
    b = g.node("DequantizeLinear", [g.constant(bias), g.constant(step), g.constant(np.zeros(24, np.int32))], "b", axis=0)
    value = g.node("Conv", ["f", name, b], "c", pads=[1] * 4, strides=[2, 2])
    limits = [g.constant(np.float32(-0.5)), g.constant(np.float32(1.25))] if act == "Clip" else []
    if act:
        value = g.node(act, [value, *limits], "a", **({"alpha": 0.125} if act == "LeakyRelu" else {}))
    found = layer.close(value)
    total = sums(layer.centred, weight, 2, 1) + bias[:, None, None]
    total = total.astype(np.float32)
    if act == "Relu":
        total = np.maximum(total, 0)
    if act == "LeakyRelu":
        total = np.maximum(total, total * np.float32(0.125))
    wanted = finish(total * column(word(step / Y_SCALE)), y_zero, dtype)
    if act == "Clip":
        low, high = (np.rint(np.float32(v) / Y_SCALE) + y_zero for v in (-0.5, 1.25))
        info = np.iinfo(dtype)
        wanted = np.clip(wanted, max(low, info.min), min(high, info.max)).astype(dtype)
    assert np.array_equal(found, wanted)
    assert wanted.std() > 3
    layer.near(found)


@pytest.mark.parametrize("dtype, x_zero, y_zero", ZEROS)
def test_sum_of_unequal_scales(dtype, x_zero, y_zero):
    layer = Layer(dtype, x_zero, y_zero, (48, 7, 6))
    g = layer.g
    name, weight, scale = g.integers(48, 48, 1, 1)
    middle = np.float32(0.027)
    b = g.qdq(g.node("Conv", ["f", name], "c"), middle, 90 if dtype == np.uint8 else -20, dtype)
    found = layer.close(g.node("Relu", [g.node("Add", ["f", b], "s")], "r"))
    zero = 90 if dtype == np.uint8 else -20
    second = finish(sums(layer.centred, weight) * column(word((scale * X_SCALE).astype(np.float32) / middle)), zero, dtype)
    one = layer.centred.astype(np.float32) * (X_SCALE / Y_SCALE)
    two = (second.astype(np.int64) - zero).astype(np.float32) * (middle / Y_SCALE)
    assert np.array_equal(found, finish(np.maximum(two + one, 0), y_zero, dtype))


@pytest.mark.parametrize("dtype, x_zero, y_zero", ZEROS)
def test_concatenation_of_unequal_scales(dtype, x_zero, y_zero):
    """Channels that are no whole blocks, one part in the scale of the whole, others not."""
    layer = Layer(dtype, x_zero, y_zero, (24, 5, 6))
    g = layer.g
    left = g.qdq(g.node("MaxPool", ["f"], "m", kernel_shape=[1, 1]), Y_SCALE, y_zero, dtype)
    found = layer.close(g.node("Concat", [left, "f", left], "k", axis=1))
    same = finish(layer.centred.astype(np.float32) * (X_SCALE / Y_SCALE), y_zero, dtype)
    assert np.array_equal(found, np.concatenate([same, same, same]))


@pytest.mark.parametrize("dtype, x_zero, y_zero", ZEROS)
@pytest.mark.parametrize("include", [0, 1])
def test_averages(dtype, x_zero, y_zero, include):
    layer = Layer(dtype, x_zero, y_zero, (33, 9, 10))
    found = layer.close(layer.g.node("AveragePool", ["f"], "p", kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4,
                                     count_include_pad=include))
    unit = np.ones((1, 1, 3, 3))
    total = np.stack([sums(c[None], unit, 2, 1)[0] for c in layer.centred]).astype(np.float32)
    count = sums(np.ones((1, 9, 10)), unit, 2, 1)[0].astype(np.float32)
    ratio = X_SCALE / Y_SCALE
    scaled = total * (ratio / np.float32(9)) if include else total * (np.float32(1) / count) * ratio
    assert np.array_equal(found, finish(scaled, y_zero, dtype))


@pytest.mark.parametrize("dtype, zero", [(np.uint8, 0), (np.uint8, 200), (np.int8, -128), (np.int8, 5)])
def test_moves(dtype, zero):
    """What moves elements leaves them as they are: pooling of a dilated window, padding, resizing, pixels from channels."""
    layer = Layer(dtype, zero, zero, (64, 6, 9))
    g = layer.g
    a = g.node("MaxPool", ["f"], "a", kernel_shape=[2, 3], dilations=[2, 1], strides=[1, 2], pads=[0, 1, 0, 1])
    b = g.node("Resize", [a, "", g.constant(np.float32([1, 1, 3, 2]))], "b", mode="nearest", nearest_mode="floor",
               coordinate_transformation_mode="asymmetric")
    c = g.node("DepthToSpace", [g.node("Pad", [b, g.constant(np.array([0, 0, 1, 0, 0, 0, 0, 2]))], "c")], "d", blocksize=2)
    g.node("QuantizeLinear", [c, *layer.scale], "y")
    found = layer.check()
    padded = np.pad(layer.centred, ((0, 0), (0, 0), (1, 1)), constant_values=-999)
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(1, 2))[:, :, ::2, ::2]
    pooled = windows.max(axis=(3, 4)).repeat(3, axis=1).repeat(2, axis=2)
    pooled = np.pad(pooled, ((0, 0), (1, 0), (0, 2)))
    height, width = pooled.shape[1:]
    wide = pooled.reshape(2, 2, 16, height, width).transpose(2, 3, 0, 4, 1).reshape(16, 2 * height, 2 * width)
    assert np.array_equal(found, (wide + zero).astype(dtype))
    assert np.array_equal(found, layer.theirs[0])


@pytest.mark.parametrize("dtype, x_zero, y_zero", ZEROS)
def test_product(dtype, x_zero, y_zero):
    """A product with a flattened picture."""
    layer = Layer(dtype, x_zero, y_zero, (20, 3, 4))
    g = layer.g
    name, weight, scale = g.integers(50, 240)
    found = layer.close(g.node("Gemm", [g.node("Flatten", ["f"], "v"), name], "g", transB=1))
    total = sums(layer.centred, weight.reshape(50, 20, 3, 4))[:, 0, 0].astype(np.float32)
    assert np.array_equal(found, finish(total * word((scale * X_SCALE).astype(np.float32) / Y_SCALE), y_zero, dtype))


def test_operators_of_integers():
    """QLinearConv, QLinearAdd and QLinearMatMul: the same layers without nodes between them."""
    layer = Layer(np.uint8, 120, 130, (32, 6, 5))
    g = layer.g
    g.nodes.clear()
    weight = g.random.integers(-127, 128, (32, 32, 3, 3)).astype(np.int8)
    scale = g.random.uniform(5e-4, 1e-3, 32).astype(np.float32)
    bias = g.random.integers(-5000, 5000, 32).astype(np.int32)
    ys, yz = g.constant(Y_SCALE), g.constant(np.uint8(130))
    c = g.node("QLinearConv", ["x", *layer.scale, g.constant(weight), g.constant(scale), g.constant(np.zeros(32, np.int8)), ys,
                               yz, g.constant(bias)], "c", pads=[1] * 4)
    g.node("QLinearAdd", ["x", *layer.scale, c, ys, yz, ys, yz], "y", domain="com.microsoft")
    model = g.model([1, 32, 6, 5], dtype=TensorProto.UINT8)
    model.graph.output[0].type.tensor_type.elem_type = TensorProto.UINT8
    found = aicjit.onnx.load(model)(layer.x[None])[0]
    total = (sums(layer.centred, weight, 1, 1) + bias[:, None, None]).astype(np.float32)
    second = finish(total * column(word((scale * X_SCALE).astype(np.float32) / Y_SCALE)), 130, np.uint8)
    one = layer.centred.astype(np.float32) * (X_SCALE / Y_SCALE)
    assert np.array_equal(found, finish((second.astype(np.float32) - 130) + one, 130, np.uint8))


def test_sums_beyond_floats():
    """Sums that pass 2^22 on their way to floats: the convolution is done in parts."""
    g = Graph(4)
    weight = g.random.integers(100, 128, (16, 512, 1, 1)).astype(np.int8)
    g.node("DequantizeLinear", ["x", g.constant(np.float32(1)), g.constant(np.int8(0))], "f")
    g.node("DequantizeLinear", [g.constant(weight), g.constant(np.float32(1)), g.constant(np.int8(0))], "w")
    g.node("Conv", ["f", "w"], "y")
    model = g.model([1, 512, 2, 2], dtype=TensorProto.INT8)
    x = g.random.integers(90, 128, (1, 512, 2, 2)).astype(np.int8)
    wanted = sums(x[0], weight)
    assert wanted.min() > 1 << 22
    net = aicjit.onnx.load(model)
    assert np.array_equal(net(x)[0], wanted) and len(net.table(1)) > 2


@pytest.mark.parametrize("alone", [True, False])
@pytest.mark.parametrize("dtype, x_zero, y_zero", ZEROS)
def test_roundings_between_layers(dtype, x_zero, y_zero, alone):
    """A convolution whose result is rounded before it is rectified, alone or into a whole of another scale."""
    layer = Layer(dtype, x_zero, y_zero, (32, 5, 6))
    g = layer.g
    name, weight, scale = g.integers(32, 32, 1, 1)
    middle, zero = np.float32(0.055), 77 if dtype == np.uint8 else -11
    rounded = g.qdq(g.node("Conv", ["f", name], "c"), middle, zero, dtype)
    rectified = g.node("Relu", [rounded], "r")
    found = layer.close(rectified if alone else g.node("Concat", [rectified, rounded], "k", axis=1))
    one = finish(sums(layer.centred, weight) * column(word((scale * X_SCALE).astype(np.float32) / middle)), zero, dtype)
    own = one.astype(np.float32) - zero
    parts = [finish(values * (middle / Y_SCALE), y_zero, dtype) for values in (np.maximum(own, 0), own)]
    assert np.array_equal(found, parts[0] if alone else np.concatenate(parts))


@pytest.mark.parametrize("op", ["Sigmoid", "Tanh", "HardSigmoid"])
@pytest.mark.parametrize("dtype, x_zero, y_zero", ZEROS)
def test_curve(dtype, x_zero, y_zero, op):
    layer = Layer(dtype, x_zero, y_zero)
    layer.near(layer.close(layer.g.node(op, ["f"], "s")))


@pytest.mark.parametrize("op", ["Mul", "Sub", "Max"])
@pytest.mark.parametrize("dtype, x_zero, y_zero", ZEROS)
def test_pair(dtype, x_zero, y_zero, op):
    """Of a value and of its largest elements, of which one pixel stands for all."""
    layer = Layer(dtype, x_zero, y_zero)
    peak = layer.g.qdq(layer.g.node("GlobalMaxPool", ["f"], "p"), X_SCALE, x_zero, dtype)
    layer.near(layer.close(layer.g.node(op, ["f", peak], "s")))
