"""Graphs of float32 in float16, each small, within bounds of the package onnx's evaluator; and the same in int8."""

import numpy as np
import pytest
from build import Graph, expected

import aicjit


def bottleneck(g, x):
    a = g.node("Relu", [g.conv(x, "c1", (32, 16, 1, 1))], "r1")
    b = g.node("Relu", [g.conv(a, "c2", (32, 32, 3, 3), pads=[1] * 4)], "r2")
    return g.node("Relu", [g.node("Add", [g.conv(b, "c3", (16, 32, 1, 1)), x], "s")], "y")


def normalised(g, x):
    count = 16
    parameters = [g.constant(v.astype(np.float32)) for v in (
        g.random.uniform(0.5, 1.5, count), g.random.standard_normal(count), g.random.standard_normal(count),
        g.random.uniform(0.5, 1.5, count))]
    a = g.node("BatchNormalization", [g.conv(x, "c", (count, 16, 3, 3), bias=False, pads=[1] * 4), *parameters], "n")
    b = g.node("Relu", [a], "r")
    return g.conv(g.node("Relu", [g.node("BatchNormalization", [g.node("Add", [b, x], "s"), *parameters], "m")], "q"), "y",
                  (8, 16, 1, 1))


def dense_block(g, x):
    """Concatenations within concatenations, of channels that are no whole blocks."""
    for i in range(3):
        width = 16 + 20 * i
        new = g.node("Relu", [g.conv(x, "c%d" % i, (20, width, 3, 3), pads=[1] * 4)], "r%d" % i)
        x = g.node("Concat", [x, new], "k%d" % i, axis=1)
    return g.conv(g.node("AveragePool", [x], "p", kernel_shape=[2, 2], strides=[2, 2]), "y", (10, 76, 1, 1))


def classifier(g, x):
    a = g.node("MaxPool", [g.node("Clip", [g.conv(x, "c", (20, 16, 3, 3), pads=[1] * 4), g.constant(np.float32(0)),
                                          g.constant(np.float32(1.5))], "k")], "p", kernel_shape=[2, 2], strides=[2, 2])
    b = g.node("Flatten", [a], "f")
    c = g.node("Relu", [g.node("Gemm", [b, g.floats(40, 20 * 49, scale=0.03), g.floats(40)], "d", transB=1)], "r")
    return g.node("Add", [g.node("MatMul", [c, g.floats(40, 10, scale=0.15)], "m"), g.floats(10)], "y")


def shuffles(g, x):
    """Channels by groups, and pixels out of channels, twice: in the middle and at the end."""
    shape, back = g.constant(np.array([1, 4, 8, 14, 14])), g.constant(np.array([1, 32, 14, 14]))
    a = g.node("Relu", [g.conv(x, "c", (32, 16, 1, 1))], "r")
    b = g.node("Reshape", [g.node("Transpose", [g.node("Reshape", [a, shape], "r5")], "t", perm=[0, 2, 1, 3, 4]), back], "v")
    c = g.node("DepthToSpace", [g.conv(b, "e", (4 * 24, 32, 1, 1))], "d", blocksize=2, mode="DCR")
    return g.node("DepthToSpace", [g.conv(c, "o", (12, 24, 3, 3), pads=[1] * 4)], "y", blocksize=2, mode="CRD")


def slopes(g, x):
    a = g.node("PRelu", [g.conv(x, "c", (20, 16, 3, 3)), g.constant(np.linspace(-0.5, 2, 20).astype(np.float32)[:, None, None])], "p")
    b = g.node("LeakyRelu", [g.conv(a, "d", (24, 20, 3, 3), dilations=[2, 2], strides=[2, 1])], "l", alpha=0.2)
    return g.node("LeakyRelu", [g.node("Resize", [b, "", g.constant(np.float32([1, 1, 2, 3]))], "z", mode="nearest",
                                       coordinate_transformation_mode="asymmetric", nearest_mode="floor")], "y", alpha=0.5)


def pools(g, x):
    """Padding that counts and that does not, windows that leave the picture, values of both signs."""
    a = g.node("MaxPool", [x], "a", kernel_shape=[3, 3], strides=[2, 2], ceil_mode=1)
    b = g.node("AveragePool", [a], "b", kernel_shape=[3, 3], pads=[1] * 4)
    c = g.node("AveragePool", [b], "c", kernel_shape=[3, 2], pads=[1, 0, 1, 1], count_include_pad=1)
    d = g.node("Pad", [c, g.constant(np.array([0, 0, 1, 2, 0, 0, 2, 1]))], "d")
    e = g.node("MaxPool", [d], "e", kernel_shape=[2, 3], strides=[1, 2], pads=[0, 1, 0, 1], dilations=[2, 1])
    return g.node("GlobalAveragePool", [g.node("Concat", [e, e], "k", axis=1)], "y")


def groups(g, x):
    a = g.conv(x, "a", (64, 16, 1, 1))
    b = g.node("Relu", [g.conv(a, "b", (32, 32, 3, 3), group=2, pads=[1] * 4)], "r")
    left, right = g.node("Split", [b, g.constant(np.array([12, 20]))], ("left", "right"), axis=1)
    c = g.node("Add", [g.conv(left, "c", (16, 12, 1, 1)), g.conv(right, "d", (16, 20, 1, 1))], "s")
    return g.conv(g.node("Sum", [c, x, c], "t"), "y", (5, 16, 1, 1))


def mobile(g, x):
    """Blocks of MobileNet: widened, each channel by itself, narrowed, with what came before; across a concatenation, too;
    two outputs a channel."""
    a = g.node("Clip", [g.conv(x, "a", (40, 16, 1, 1)), g.constant(np.float32(0)), g.constant(np.float32(6))], "a6")
    b = g.node("Clip", [g.conv(a, "b", (40, 1, 3, 3), group=40, pads=[1] * 4), g.constant(np.float32(0)),
                        g.constant(np.float32(6))], "b6")
    c = g.node("Add", [g.conv(b, "c", (16, 40, 1, 1)), x], "s")
    d = g.node("Concat", [c, g.node("Relu", [g.conv(c, "d", (24, 16, 1, 1))], "d0")], "k", axis=1)
    e = g.node("Relu", [g.conv(d, "e", (40, 1, 5, 5), group=40, pads=[2] * 4, strides=[2, 2])], "e0")
    f = g.node("Relu", [g.conv(e, "f", (80, 1, 3, 3), group=40, pads=[1] * 4)], "f0")
    h = g.node("Relu", [g.conv(f, "h", (40, 4, 1, 1), group=20)], "h0")
    return g.conv(g.node("GlobalAveragePool", [h], "p"), "y", (10, 40, 1, 1))


def arithmetic(g, x):
    a = g.node("Mul", [g.constant(np.float32([[[0.5]]])), g.node("Sub", [x, g.floats(16, 1, 1)], "a")], "b")
    b = g.node("Div", [g.node("Sub", [g.constant(np.float32(1)), a], "c"), g.floats(1, 16, 1, 1)], "d")
    return g.node("ReduceMean", [g.node("LeakyRelu", [b], "e", alpha=0.1)], "y", axes=[2, 3], keepdims=0)


def larger(g, x):
    """Transposed convolutions, pixels that are mixed from their neighbours."""
    a = g.node("MaxPool", [x], "p", kernel_shape=[2, 2], strides=[2, 2])
    a = g.node("Relu", [g.node("ConvTranspose", [a, g.floats(16, 20, 4, 4, scale=0.06), g.floats(20)], "t", strides=[2, 2],
                               pads=[1] * 4)], "r")
    b = g.node("Resize", [a, "", g.constant(np.float32([1, 1, 1, 3]))], "z", mode="linear")
    return g.node("Resize", [b, "", g.constant(np.float32([1, 1, 2, 1]))], "y", mode="linear",
                  coordinate_transformation_mode="asymmetric")


def curves(g, x):
    """Activations that bend, alone and behind convolutions; their value times themselves."""
    a = g.node("Sigmoid", [x], "a")
    b = g.node("Mul", [g.conv(a, "b", (40, 16, 3, 3)), g.node("Sigmoid", ["b"], "b0")], "b1")
    c = g.node("HardSwish", [g.conv(b, "c", (40, 40, 1, 1))], "c0")
    return g.node("Tanh", [g.conv(g.node("HardSigmoid", [c], "d"), "e", (10, 40, 3, 3))], "y")


def gates(g, x):
    """A factor a channel that follows from the picture; arithmetic of tensors, of one pixel and all."""
    a = g.conv(x, "a", (40, 16, 3, 3), pads=[1] * 4)
    s = g.node("Relu", [g.conv(g.node("GlobalAveragePool", [a], "p"), "q", (8, 40, 1, 1))], "r")
    b = g.node("Relu", [g.node("Mul", [g.node("HardSigmoid", [g.conv(s, "t", (40, 8, 1, 1))], "h"), a], "m")], "b")
    c = g.node("Sub", [g.node("Mul", [a, b], "ab"), g.node("GlobalMaxPool", [b], "v")], "c")
    d = g.node("Div", [c, g.node("Add", [b, g.constant(np.float32(2))], "b2")], "d")
    e = g.node("Max", [g.node("Min", [d, a], "e"), g.constant(np.float32(-1))], "e1")
    return g.conv(g.node("Max", [e, g.node("Add", [g.node("GlobalAveragePool", [e], "w"), d], "z")], "f"), "y", (10, 40, 1, 1))


def bounded(g, x):
    """A normalisation that is part of no convolution, and bounds behind it."""
    parameters = [g.constant(v.astype(np.float32)) for v in (
        g.random.uniform(0.5, 1.5, 16), g.random.standard_normal(16), g.random.standard_normal(16), g.random.uniform(0.5, 1.5, 16))]
    a = g.node("BatchNormalization", [x, *parameters], "n")
    b = g.node("Clip", [a, g.constant(np.float32(0)), g.constant(np.float32(1))], "b")
    return g.node("Clip", [g.node("Add", [b, x], "s"), g.constant(np.float32(-0.5)), g.constant(np.float32(1.5))], "y")


def head(g, x):
    """Scales of a detector: their pixels one behind the other, split into channels of two kinds."""
    shapes = [g.constant(np.array([1, 21, count])) for count in (196, 49)]
    a = g.node("Reshape", [g.conv(x, "a", (21, 16, 1, 1)), shapes[0]], "a1")
    b = g.node("Reshape", [g.conv(x, "b", (21, 16, 3, 3), strides=[2, 2], pads=[1] * 4), shapes[1]], "b1")
    place, kind = g.node("Split", [g.node("Concat", [a, b], "k", axis=2), g.constant(np.array([16, 5]))], ("place", "kind"), axis=1)
    return g.node("Concat", [place, g.node("Sigmoid", [kind], "s")], "y", axis=1)


GRAPHS = [bottleneck, normalised, dense_block, classifier, shuffles, slopes, pools, groups, mobile, arithmetic, larger, curves,
          gates, bounded, head]


def make(build, seed=1):
    g = Graph(seed)
    build(g, "x")
    x = np.random.default_rng(seed).standard_normal((2, 16, 14, 14)).astype(np.float32)
    return g.model([1, 16, 14, 14]), x


def distance(found, wanted):
    assert found.shape == wanted.shape
    return np.sqrt(((found - wanted) ** 2).mean() / (wanted**2).mean())


@pytest.mark.parametrize("build", GRAPHS)
def test_float16(build):
    model, x = make(build)
    net = aicjit.onnx.load(model)
    wanted = np.concatenate([expected(model, image[None])[0] for image in x])
    assert distance(net(x), wanted) < 2e-3
    assert np.array_equal(net(x[1:]), net(x)[1:])  # nothing remains from the image before


@pytest.mark.parametrize("method", ["max", "percentile", "mse"])
@pytest.mark.parametrize("build", GRAPHS)
def test_int8(build, method):
    model, x = make(build)
    net = aicjit.onnx.load(model, quantize=x, method=method)
    assert any("dtype=int8" in row["spec"] for row in net.table(1))
    wanted = np.concatenate([expected(model, image[None])[0] for image in x])
    assert distance(net(x), wanted) < 0.06


@pytest.mark.parametrize("build", [bottleneck, dense_block, shuffles, pools])
def test_saved(build, tmp_path):
    """A folder gives the same bits, by this package's Network."""
    model, x = make(build)
    for i, options in enumerate(({}, {"quantize": x})):
        net = aicjit.onnx.load(model, **options)
        net.save(tmp_path / str(i))
        again = aicjit.Network.open(tmp_path / str(i))
        assert np.array_equal(again(x), net(x))
        assert again.inputs == net.inputs and again.outputs == net.outputs


@pytest.mark.parametrize("op, lowest", [("Sigmoid", 0), ("Tanh", -1)])
def test_curves_everywhere(op, lowest):
    """Within what _curves.py says and a rounding, from the least number of float16 to the largest."""
    g = Graph()
    g.node(op, ["x"], "y")
    x = np.concatenate([np.linspace(-30, 30, 12001), [0, 6e-5, 100, 1e3, 65504, -100, -1e3, -65504, -6e-5]]).astype(np.float32)
    x = np.concatenate([x, np.zeros(-len(x) % 16, np.float32)]).reshape(1, 16, -1, 1)
    found = aicjit.onnx.load(g.model(x.shape))(x)
    exact = np.float16(x).astype(np.float64)
    with np.errstate(over="ignore"):
        wanted = 1 / (1 + np.exp(-exact)) if op == "Sigmoid" else np.tanh(exact)
    assert np.abs(found - wanted).max() < (3e-4 if op == "Sigmoid" else 6e-4) + 2.0**-11
    assert found.min() >= lowest and found.max() <= 1


def test_noise():
    model, x = make(bottleneck)
    rows = aicjit.onnx.noise(model, x, method="mse")
    assert [row["layer"] for row in rows] == ["c1_node", "c2_node", "c3_node", "s_node"][: len(rows)] or len(rows) >= 3
    assert all(row["db"] > 20 for row in rows) and "dB" in str(rows)
    cut = aicjit.onnx.noise(model, x, method="percentile", percentile=80)
    assert min(row["db"] for row in cut) < min(row["db"] for row in rows)


def test_several_images():
    """A file for four images takes any number of them."""
    g = Graph()
    a = g.node("Reshape", [g.conv("x", "c", (8, 3, 2, 2)), g.constant(np.array([4, -1]))], "r")
    g.node("Gemm", [a, g.floats(8 * 9, 5, scale=0.1)], "y")
    model, x = g.model([4, 3, 4, 4]), np.random.default_rng(1).standard_normal((4, 3, 4, 4)).astype(np.float32)
    net, wanted = aicjit.onnx.load(model), expected(model, x)[0]
    assert distance(net(x), wanted) < 2e-3 and np.array_equal(net(x[2:3]), net(x)[2:3])


def test_memory_is_shared():
    model, x = make(dense_block)
    net, kept = aicjit.onnx.load(model), aicjit.onnx.load(model, keep=True)
    assert net.memory < kept.memory and np.array_equal(net(x), kept(x))


def test_float16_file():
    """A model of float16 takes and gives float16."""
    from onnx import TensorProto, helper, numpy_helper

    random = np.random.default_rng(2)
    weight = (random.standard_normal((8, 16, 3, 3)) / 12).astype(np.float16)
    body = helper.make_graph([helper.make_node("Conv", ["x", "w"], ["c"]), helper.make_node("Relu", ["c"], ["y"])], "half",
                             [helper.make_tensor_value_info("x", TensorProto.FLOAT16, ["batch", 16, 10, 10])],
                             [helper.make_tensor_value_info("y", TensorProto.FLOAT16, ["batch", 8, 8, 8])],
                             [numpy_helper.from_array(weight, "w")])
    model = helper.make_model(body, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    x = random.standard_normal((2, 16, 10, 10)).astype(np.float16)
    y = aicjit.onnx.load(model)(x)
    windows = np.lib.stride_tricks.sliding_window_view(x.astype(np.float64), (3, 3), axis=(2, 3))
    wanted = np.maximum(np.einsum("nchwij,ocij->nohw", windows, weight.astype(np.float64)), 0)
    assert y.dtype == np.float16 and np.abs(y - wanted).max() < 4e-3


@pytest.mark.parametrize("kernel, stride, pads, extra", [(2, 2, (0, 0), 0), (3, 1, (1, 1), 0), (3, 2, (1, 1), 1), (5, 3, (1, 1), 0),
                                                         (4, 2, (0, 2), 0), (1, 2, (0, 0), 1)])
def test_transposed_convolutions(kernel, stride, pads, extra):
    g, x = Graph(kernel), np.random.default_rng(kernel).standard_normal((1, 6, 5, 7)).astype(np.float32)
    weight = g.floats(6, 11, kernel, kernel, scale=0.2)
    g.node("ConvTranspose", ["x", weight, g.floats(11)], "y", strides=[stride] * 2, output_padding=[extra] * 2,
           pads=[pads[0]] * 2 + [pads[1]] * 2)
    model = g.model([1, 6, 5, 7])
    assert distance(aicjit.onnx.load(model)(x), expected(model, x)[0]) < 2e-3
    assert distance(aicjit.onnx.load(model, quantize=x)(x), expected(model, x)[0]) < 0.03


@pytest.mark.parametrize("dtype", ["float16", "int8"])
def test_pictures_of_other_layouts(dtype):
    """NHWC outside, as frameworks write it, NCHW in between."""
    g, x = Graph(3), np.random.default_rng(3).standard_normal((2, 9, 8, 3)).astype(np.float32)
    a = g.node("Relu", [g.conv(g.node("Transpose", ["x"], "t", perm=[0, 3, 1, 2]), "c", (20, 3, 3, 3), pads=[1] * 4)], "r")
    g.node("Transpose", [g.node("MaxPool", [a], "m", kernel_shape=[2, 2], strides=[2, 2])], "y", perm=[0, 2, 3, 1])
    model = g.model([1, 9, 8, 3])
    net = aicjit.onnx.load(model, **({"quantize": x} if dtype == "int8" else {}))
    wanted = np.concatenate([expected(model, image[None])[0] for image in x])
    assert net.inputs["x"][1] == (1, 9, 8, 3) and distance(net(x), wanted) < (2e-3 if dtype == "float16" else 0.03)


@pytest.mark.parametrize("factor, coordinates, mode", [(2, "half_pixel", "round_prefer_floor"), (2, "asymmetric", "floor"),
                                                       (2, "asymmetric", "round_prefer_floor"), (3, "half_pixel", "round_prefer_ceil"),
                                                       (3, "asymmetric", "floor"), (3, "asymmetric", "round_prefer_floor"),
                                                       (2, "half_pixel", "floor"), (4, "asymmetric", "ceil")])
def test_nearest_pixels(factor, coordinates, mode):
    """As the package onnx has it, or refused."""
    g, x = Graph(1), np.random.default_rng(1).standard_normal((1, 16, 4, 5)).astype(np.float32)
    scales = g.constant(np.float32([1, 1, factor, factor]))
    g.node("Resize", ["x", "", scales], "y", mode="nearest", coordinate_transformation_mode=coordinates, nearest_mode=mode)
    model = g.model([1, 16, 4, 5])
    wanted = expected(model, x)[0]
    if np.array_equal(wanted, x.repeat(factor, axis=2).repeat(factor, axis=3)):
        assert distance(aicjit.onnx.load(model)(x), wanted) < 1e-3
    else:
        with pytest.raises(aicjit.onnx.Unsupported, match="pixels do not become squares"):
            aicjit.onnx.load(model)
