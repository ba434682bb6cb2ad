"""Axes, types and numbers that a file gives in other ways than usual: the right result or a reason, and never anything else."""

import itertools
import re

import numpy as np
import pytest
from build import Graph, expected, onnx
from onnx import TensorProto

import aicjit

F, I = np.float32, lambda *values: np.array(values, np.int64)  # noqa: E731, E741


def computed(g, shape, opset=17, dtype=TensorProto.FLOAT, **more):
    """The output and what the package onnx gives, of noise; None: refused, as a Python program sees it."""
    model = g.model(list(shape), dtype=dtype, opset=opset)
    model.ir_version = 10
    feed = {"x": g.random.standard_normal(shape).astype(np.float32)}
    for name, size in more.items():
        model.graph.input.append(onnx.helper.make_tensor_value_info(name, TensorProto.FLOAT, size))
        feed[name] = g.random.standard_normal(size).astype(np.float32)
    net = aicjit.onnx.load(model)
    return net(feed), onnx.reference.ReferenceEvaluator(model).run(None, feed)[0]


def equal(got, wanted, bound=0.01):
    assert got.shape == wanted.shape
    assert np.abs(got - wanted).max() <= bound * (np.abs(wanted).max() + 0.05)


SHAPES = [(1, 6), (1, 6, 1), (1, 6, 6), (1, 6, 1, 1), (1, 6, 1, 6), (1, 6, 6, 6), (1, 1, 6, 6)]
OPERANDS = SHAPES + [(), (1,), (6,), (6, 1), (6, 6), (6, 1, 1), (1, 1, 6), (6, 6, 6), (1, 6, 6, 1), (1, 1, 1, 1, 1), (5, 1, 1), (5,)]


@pytest.mark.parametrize("constant", [True, False], ids=["constant", "tensor"])
@pytest.mark.parametrize("op", ["Add", "Sub", "Mul", "Max", "PRelu", "Sum"])
def test_operands_of_any_rank(op, constant):
    """Arithmetic counts axes from the last one: [C] are no numbers a channel of [1, C, H, W]."""
    computes = 0
    for shape, other, turned in itertools.product(SHAPES, OPERANDS, [False, True]):
        if (turned and op != "Sub") or not (constant or other in SHAPES):
            continue
        g = Graph()
        inputs = ["x", g.floats(*other) if constant else "b"]
        g.node(op, inputs[::-1] if turned else inputs, "y")
        try:
            got, wanted = computed(g, shape, **({} if constant else {"b": other}))
        except (aicjit.onnx.Unsupported, aicjit.onnx.ModelError):
            continue
        computes += 1
        equal(got, wanted)
    assert computes >= (6 if not (op == "PRelu" and not constant) else 0)


@pytest.mark.parametrize("mode, coordinates", [("nearest", "asymmetric"), ("linear", "half_pixel"), ("linear", "asymmetric")])
@pytest.mark.parametrize("scale", [1.0, 1.2, 2.0, 2.3, 2.99999, 3.3])
def test_scales_that_are_not_whole(scale, mode, coordinates):
    """Sizes may be multiples where scales are not, and pixels lie elsewhere then."""
    g = Graph()
    g.node("Resize", ["x", "", g.constant(np.array([1, 1, scale, scale], F))], "y", mode=mode, nearest_mode="floor",
           coordinate_transformation_mode=coordinates)
    try:
        equal(*computed(g, (1, 4, 3, 3)))
    except aicjit.onnx.Unsupported:
        assert scale not in (1.0, 2.0)


@pytest.mark.parametrize("axes, pads", [((2, 3), (1, 2, 0, 1)), ((3, 2), (1, 2, 0, 1)), ((-1, 2), (1, 2, 0, 1)), ((3,), (2, 1)),
                                        ((0, 1, 3, 2), (0, 0, 1, 2, 0, 0, 0, 1)), (None, (0, 0, 1, 2, 0, 0, 0, 1))])
def test_pads_of_some_axes(axes, pads):
    g = Graph()
    g.node("Pad", ["x", g.constant(I(*pads)), ""] + ([] if axes is None else [g.constant(I(*axes))]), "y")
    equal(*computed(g, (1, 8, 3, 4), 18))


def test_pads_of_three_axes():
    g = Graph()
    g.node("Pad", ["x", g.constant(I(0, 0, 1, 0, 0, 2))], "y")
    equal(*computed(g, (1, 8, 5)))


def test_axes_from_the_end():
    g = Graph()
    g.node("Slice", ["x", *(g.constant(I(value)) for value in (-3, 100, -3))], "y")
    equal(*computed(g, (1, 8, 3, 3)))


@pytest.mark.parametrize("shape, build, reason", [
    ((1, 1, 1, 1), lambda g: g.node("MatMul", ["x", g.floats(1, 5)], "y"), "the last of several axes"),
    ((1, 7, 3, 3), lambda g: g.node("Concat", g.node("Split", ["x", g.constant(I(4, 9))], ("a", "b"), axis=1), "y", axis=1),
     r"into 2 parts of \[4, 9\] channels: there are 7"),
    ((1, 4, 3, 3), lambda g: g.node("Dropout", ["x", g.constant(F(0.5)), g.constant(np.True_)], "y"), "training_mode"),
    ((1, 4, 3, 3), lambda g: g.node("Add", ["x", g.node("RandomUniform", [], "r", shape=[1, 4, 1, 1])], "y"), "RandomUniform"),
    ((1, 4, 3, 3), lambda g: g.node("Add", ["x", g.node("ConstantOfShape", [g.constant(I(1, 4, 1 << 27, 1))], "r")], "y"), "ConstantOfShape"),
    ((1, 4, 3, 3), lambda g: g.node("BatchNormalization", ["x", *(g.constant(np.full(4, v, F)) for v in (1, 0, 0, -1))], "y"),
     "a variance below 0"),
    ((1, 6, 3, 3), lambda g: g.node("DepthToSpace", ["x"], "y", blocksize=2), "6 channels, no multiple of 4"),
    ((1, 5), lambda g: g.node("Gemm", ["x", g.floats(5, 5), g.floats(5, 1)], "y"), r"a bias of the shape \[5, 1\]"),
    ((1, 6, 4, 3), lambda g: g.node("Reshape", ["x", g.constant(I(1, -2, 4, 3))], "y"), r"to the shape \[1, -2, 4, 3\]"),
])
def test_reasons(shape, build, reason):
    g = Graph()
    build(g)
    with pytest.raises(aicjit.onnx.Unsupported) as caught:
        aicjit.onnx.load(g.model(list(shape)))
    assert re.search(reason, str(caught.value))


def test_bias_without_a_factor():
    g = Graph()
    g.node("Gemm", ["x", g.floats(5, 6), g.constant(np.full(6, np.nan, F))], "y", beta=0.0)
    model, x = g.model([1, 5]), g.random.standard_normal((1, 5)).astype(F)
    equal(aicjit.onnx.load(model)(x), x @ onnx.numpy_helper.to_array(model.graph.initializer[0]))


@pytest.mark.parametrize("opset", [6, 99])
def test_other_sets_of_operators(opset):
    """Before 7, axes of arithmetic were counted otherwise; what comes after those that the package knows, nobody knows."""
    g = Graph()
    g.node("Add", ["x", g.floats(1, 4, 1, 1)], "y")
    with pytest.raises(aicjit.onnx.ModelError, match="is of operator set %d: 7 to" % opset):
        aicjit.onnx.load(g.model([1, 4, 3, 3], opset=opset))


def test_names_of_the_file():
    """Values between the parts of a node have names that the file does not."""
    g = Graph()
    names = "s/sum", "s/sum1", "h/gate", "h/gate1"
    for name in names:
        g.node("Relu", ["x"], name)
    g.node("HardSwish", [g.node("Sum", ["x"] * 4, "s")], "h")
    g.node("Sum", [*names, "h"], "y")
    equal(*computed(g, (1, 4, 3, 3)))


# ---- quantised files ----


def quantised(g, source, out, scale, zero=None, **keys):
    inputs = [g.constant(F(scale))] + ([] if zero is None else [g.constant(zero)])
    g.node("QuantizeLinear", [source, *inputs], source + "_q", **keys)
    return g.node("DequantizeLinear", [source + "_q", *inputs], out)


@pytest.mark.parametrize("type_", [TensorProto.UINT8, TensorProto.INT8, TensorProto.INT16, TensorProto.UINT16])
def test_types_without_zero_points(type_):
    g = Graph()
    quantised(g, "x", "y", 0.02, output_dtype=type_)
    try:
        equal(*computed(g, (1, 4, 3, 3), 21), 0.001)
    except aicjit.onnx.Unsupported as error:
        assert type_ not in (TensorProto.UINT8, TensorProto.INT8) and "output_dtype: %d" % type_ in str(error)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
@pytest.mark.parametrize("zero", [None, 3], ids=["none", "3"])
def test_inputs_that_are_integers(dtype, zero):
    g = Graph()
    inputs = [g.constant(F(0.05))] + ([] if zero is None else [g.constant(dtype(zero))])
    g.node("Relu", [g.node("DequantizeLinear", ["x", *inputs], "d")], "r")
    quantised(g, "r", "y", 0.05, np.uint8(0))
    x = g.random.integers(np.iinfo(dtype).min, np.iinfo(dtype).max, (1, 4, 3, 3)).astype(dtype)
    model = g.model([1, 4, 3, 3], dtype=onnx.helper.np_dtype_to_tensor_dtype(np.dtype(dtype)), opset=19)
    equal(aicjit.onnx.load(model)(x), expected(model, x)[0], 0.001)


@pytest.mark.parametrize("axis, opset, keys, reason", [
    (0, 19, {}, None), (-4, 19, {}, None), (1, 19, {}, "weights with a scale for each input"),
    (2, 19, {}, "4 scales along axis 2 of the shape"), (1, 21, {"block_size": 2}, "scales of blocks")])
def test_axes_of_scales(axis, opset, keys, reason):
    """A scale for each input of a square matrix is none for each output."""
    g = Graph()
    shape = (4, 4, 3, 3)
    scales = g.random.uniform(0.005, 0.02, (4, 2, 3, 3) if keys else 4).astype(F)
    g.node("DequantizeLinear", [g.constant(g.random.integers(-99, 99, shape).astype(np.int8)), g.constant(scales)], "w", axis=axis, **keys)
    g.node("Conv", [quantised(g, "x", "d", 0.03, np.uint8(120)), "w"], "c")
    quantised(g, "c", "y", 0.05, np.uint8(128))
    if reason is None:
        equal(*computed(g, (1, 4, 6, 6), opset))
        return
    with pytest.raises(aicjit.onnx.Unsupported, match=reason):
        computed(g, (1, 4, 6, 6), opset)


def test_constants_that_stand_for_two_things():
    """Weights that two products of integers share, each with a scale of its own."""
    g = Graph()
    weight, zero = g.constant(g.random.integers(-99, 99, (4, 4, 1, 1)).astype(np.int8)), g.constant(np.int8(0))
    steps = [g.constant(F(step)) for step in (0.03, 0.01, 0.02, 0.05)]
    g.node("QuantizeLinear", ["x", steps[0], zero], "q")
    for out, scale in (("a", steps[1]), ("b", steps[2])):
        g.node("QLinearConv", ["q", steps[0], zero, weight, scale, zero, steps[3], zero], out + "_q")
        g.node("DequantizeLinear", [out + "_q", steps[3], zero], out)
    g.node("Concat", ["a", "b"], "y", axis=1)
    equal(*computed(g, (1, 4, 6, 6), 19))


# ---- data outside of the file ----


@pytest.mark.parametrize("key, value, reason", [
    ("offset", "abc", "the offset of its data is 'abc'"), ("offset", "-5", "the offset of its data is '-5'"),
    ("length", "1e3", "the length of its data is '1e3'"), ("location", "link.bin", "external data: .*link"),
    ("location", "folder", "which is no file"), ("location", "../data.bin", "not there|external data")])
def test_external_data(tmp_path, key, value, reason):
    g, file = Graph(), tmp_path / "model.onnx"
    g.conv("x", "y", (64, 4, 5, 5))
    onnx.save(g.model([1, 4, 8, 8]), file, save_as_external_data=True, location="data.bin", size_threshold=0)
    assert aicjit.onnx.load(file).outputs["y"][1] == (1, 64, 4, 4)
    (tmp_path / "folder").mkdir()
    (tmp_path / "link.bin").symlink_to("data.bin")
    model = onnx.load(file, load_external_data=False)
    for tensor in model.graph.initializer:
        for entry in tensor.external_data:
            entry.value = value if entry.key == key else entry.value
    onnx.save(model, file)
    with pytest.raises(aicjit.onnx.ModelError, match=reason):
        aicjit.onnx.load(file)


def test_numbers_of_types_that_nobody_knows():
    g = Graph()
    g.conv("x", "y", (4, 4, 1, 1))
    model = g.model([1, 4, 3, 3])
    model.graph.initializer[0].data_type = 99
    with pytest.raises(aicjit.onnx.ModelError, match="constant0: its type has the number 99"):
        aicjit.onnx.load(model)
    with pytest.raises(aicjit.onnx.ModelError, match="input x: axis 2 has 0 elements"):
        aicjit.onnx.load(g.model([1, 4, 0, 3]))


@pytest.mark.parametrize("axes", [(2, 3), (-1, -2), (3, 2)])
def test_shapes_that_the_package_does_not_infer(axes):
    """Behind operators of another domain."""
    g = Graph()
    step, zero = g.constant(F(0.03)), g.constant(np.int8(0))
    g.node("QuantizeLinear", ["x", step, zero], "q")
    g.node("QLinearAdd", ["q", step, zero, "q", step, zero, g.constant(F(0.06)), zero], "r", domain="com.microsoft")
    g.node("Squeeze", ["r", g.constant(I(*axes))], "s")
    g.node("Unsqueeze", ["s", g.constant(I(*axes))], "u")
    g.node("DequantizeLinear", ["u", g.constant(F(0.06)), zero], "y")
    x = g.random.standard_normal((1, 6, 1, 1)).astype(np.float32)
    equal(aicjit.onnx.load(g.model([1, 6, 1, 1]))(x), 2 * x, 0.03)


@pytest.mark.parametrize("inner", ["Relu", "Nothing"])
def test_functions_of_a_model(inner):
    """Calls of a model's own functions are their nodes."""
    g, helper = Graph(), onnx.helper
    g.node("Twice", [g.node("Twice", ["x"], "t", domain="own")], "y", domain="own")
    model = g.model([1, 4, 3, 3])
    sets = [helper.make_opsetid("", 17)]
    body = [helper.make_node(inner, ["a"], ["r"]), helper.make_node("Add", ["r", "a"], ["b"])]
    model.functions.append(helper.make_function("own", "Twice", ["a"], ["b"], body, sets))
    model.opset_import.append(helper.make_opsetid("own", 1))
    x = g.random.standard_normal((1, 4, 3, 3)).astype(np.float32)
    if inner == "Relu":
        equal(aicjit.onnx.load(model)(x), expected(model, x)[0])
        return
    with pytest.raises((aicjit.onnx.ModelError, aicjit.onnx.Unsupported), match="Nothing"):
        aicjit.onnx.load(model)
