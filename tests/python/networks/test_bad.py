"""What is wrong with a file or a call is an exception that names node or tensor and the reason."""

import pickle

import numpy as np
import pytest
from build import Graph, onnx

import aicjit
from aicjit.onnx import ModelError, Unsupported


def simple(**attributes):
    g = Graph()
    g.conv("x", "y", (8, 3, 3, 3), **attributes)
    return g


def refused(g, shape=(1, 3, 8, 8), **options):
    with pytest.raises(Unsupported) as caught:
        aicjit.onnx.load(g.model(shape, opset=options.pop("opset", 17)), **options)
    return caught.value


def test_no_file(tmp_path):
    with pytest.raises(aicjit.FileError, match="nothing.onnx: No such file"):
        aicjit.onnx.load(tmp_path / "nothing.onnx")


@pytest.mark.parametrize("content", [b"", b"no model", b"\x08\x08\x12", bytes(1000)])
def test_no_model(content, tmp_path):
    (tmp_path / "broken.onnx").write_bytes(content)
    with pytest.raises(ModelError, match="broken.onnx: is no ONNX file"):
        aicjit.onnx.load(tmp_path / "broken.onnx")


def test_every_prefix_of_a_file():
    """A file that was cut off is an error of the package's, wherever the cut is."""
    content = simple().model([1, 3, 8, 8]).SerializeToString()
    for end in range(0, len(content), 7):
        with pytest.raises(aicjit.Error):
            aicjit.onnx.load(content[:end])


def test_flipped_bytes():
    """A damaged file is an error, or a network."""
    content, random = bytearray(simple().model([1, 3, 8, 8]).SerializeToString()), np.random.default_rng(3)
    for _ in range(150):
        damaged = bytearray(content)
        for at in random.integers(0, len(content), 3):
            damaged[at] ^= 1 << int(random.integers(0, 8))
        try:
            aicjit.onnx.load(bytes(damaged))
        except aicjit.Error:
            pass


def test_text_that_is_none():
    """Names whose bytes are no UTF-8."""
    model = onnx.ModelProto.FromString(simple().model([1, 3, 8, 8]).SerializeToString())
    model.graph.input[0].name = model.graph.node[0].input[0] = "picture"
    content = model.SerializeToString()
    for name in (b"picture", b"constant0", b"y_node", b"Conv"):
        assert name in content
        with pytest.raises(ModelError, match="is not UTF-8"):
            aicjit.onnx.load(content.replace(name, b"\xff" + name[1:]))


def test_a_tensor_that_nobody_can_hold():
    g = Graph()
    g.node("Pad", ["x", g.constant(np.array([0, 0, 0, 0, 0, 0, 1 << 20, 1 << 20]))], "y")
    assert "more than 4 GiB" in str(refused(g))


def test_an_input_that_nobody_reads():
    g = simple()
    model = g.model([1, 3, 8, 8])
    model.graph.input.append(onnx.helper.make_tensor_value_info("rest", 1, [7]))
    with pytest.raises(Unsupported, match="nothing reads it"):
        aicjit.onnx.load(model)


def test_external_data(tmp_path):
    model = simple().model([1, 3, 8, 8])
    path = tmp_path / "m.onnx"
    onnx.save_model(onnx.ModelProto.FromString(model.SerializeToString()), path, save_as_external_data=True, location="weights.bin", size_threshold=0)
    net = aicjit.onnx.load(path)
    assert np.array_equal(net(np.ones((1, 3, 8, 8), np.float32)), aicjit.onnx.load(model)(np.ones((1, 3, 8, 8), np.float32)))
    (tmp_path / "weights.bin").write_bytes(b"short")
    with pytest.raises(ModelError, match="tensor constant0: the file .*weights.bin has 5 bytes, its data end at"):
        aicjit.onnx.load(path)
    (tmp_path / "weights.bin").unlink()
    with pytest.raises(ModelError, match="tensor constant0: its data are in the file .*weights.bin, which is not there"):
        aicjit.onnx.load(path)


def test_a_graph_that_breaks_a_rule():
    g = simple()
    g.nodes[0].input[1] = "nowhere"
    with pytest.raises(ModelError, match="nowhere"):
        aicjit.onnx.load(g.model([1, 3, 8, 8]))


def test_dynamic_shapes():
    model = simple().model(["batch", 3, "height", 8])
    with pytest.raises(ModelError, match=r"input x: axis 2 \(height\) has no fixed size: pass shapes=\{'x': \(1, 3, 224, 8\)\}"):
        aicjit.onnx.load(model)
    assert aicjit.onnx.load(model, shapes={"x": (1, 3, 9, 8)}).outputs == {"y": ("float32", (1, 8, 7, 6))}
    for shapes, text in (({"z": (1, 3, 9, 8)}, "there is no input z; the inputs are x"), ({"x": (3, 9, 8)}, "x has 4 axes, not 3")):
        with pytest.raises(ModelError, match=text):
            aicjit.onnx.load(model, shapes=shapes)


def test_all_nodes_are_listed():
    g = Graph()
    a = g.node("Softmax", [g.conv("x", "a", (8, 3, 1, 1))], "s", axis=1)
    b = g.node("LRN", [a], "l", size=3)
    g.node("Foo", [g.node("Erf", [b], "e")], "y", domain="com.microsoft")
    error = refused(g)
    assert [(found.node, found.op) for found in error.nodes][:3] == [("s_node", "Softmax"), ("l_node", "LRN"), ("e_node", "Erf")]
    assert error.nodes[-1].op == "Foo" and "no operator of the library" in error.nodes[-1].reason
    assert "s_node (Softmax): the operators have no exponentials" in str(error)
    again = pickle.loads(pickle.dumps(error))
    assert again.nodes == error.nodes and again.status == aicjit.Status.UNSUPPORTED


def test_weights_that_are_no_constants():
    g = Graph()
    w = g.node("Relu", [g.floats(8, 3, 3, 3)], "w")
    g.node("Conv", ["x", g.node("Mul", [w, g.node("ReduceMax", ["x"], "top")], "scaled")], "y")
    error = refused(g)
    assert any(found == ("y_node", "Conv", "weight (scaled) is not constant") for found in error.nodes)


@pytest.mark.parametrize("build, reason", [
    (lambda g: g.conv("x", "y", (7, 1, 3, 3), group=3), "7 outputs in 3 groups"),
    (lambda g: g.conv("x", "y", (8, 3, 3, 3), strides=[64, 1], pads=[60, 0, 60, 0]), "stride"),
    (lambda g: g.node("MaxPool", ["x"], "y", kernel_shape=[9, 9]), "does not fit into 8 x 8"),
    (lambda g: g.node("Concat", ["x", "x"], "y", axis=3), "along axis 3, not along channels or lines"),
    (lambda g: g.node("Mul", ["x", g.node("MaxPool", ["x"], "p", kernel_shape=[8, 1])], "y"), "of tensors of the shapes 3x8x8 and 3x1x8"),
    (lambda g: g.node("Conv", ["x", g.floats(8, 3, 3, 3), g.floats(5)], "y"), "a bias of 5 numbers, not 8"),
    (lambda g: g.node("BatchNormalization", ["x", *(g.constant(np.ones(n, np.float32)) for n in (3, 2, 3, 3))], "y"),
     "a bias of 2 numbers, not 3"),
    (lambda g: g.node("Max", ["x", "x", "x"], "y"), "of other than two tensors, or one and a number"),
    (lambda g: g.node("Add", ["x", g.floats(3, 8, 8)], "y"), r"a constant of the shape \[3, 8, 8\], not one number a channel"),
    (lambda g: g.node("Reshape", ["x", g.constant(np.array([1, 8, 8, 3]))], "y"), r"from \[1, 3, 8, 8\] to \[1, 8, 8, 3\]"),
    (lambda g: g.node("Transpose", ["x"], "y", perm=[0, 3, 2, 1]), "only within a shuffle of channels"),
    (lambda g: g.node("Pad", ["x", g.constant(np.array([0, 0, 1, 1] * 2)), g.constant(np.float32(2))], "y"), "other than zeros"),
    (lambda g: g.node("Resize", ["x", "", g.constant(np.float32([1, 1, 2, 2]))], "y", mode="cubic"), "mode cubic: nearest and linear"),
    (lambda g: g.node("Resize", ["x", "", g.constant(np.float32([1, 1, 1.5, 2]))], "y", mode="linear"), "no whole factors"),
    (lambda g: g.node("Resize", ["x", "", g.constant(np.float32([1, 1, 2, 2]))], "y", mode="linear",
                      coordinate_transformation_mode="align_corners"), "align_corners: half_pixel and asymmetric"),
    (lambda g: g.node("ConvTranspose", ["x", g.floats(3, 4, 2, 2)], "y", group=3), "no transposed form"),
    (lambda g: g.node("ConvTranspose", ["x", g.floats(5, 4, 2, 2)], "y"), "3 channels, the weights have 5"),
    (lambda g: g.node("ConvTranspose", ["x", g.floats(3, 4, 2, 2)], "y", output_padding=[1]), r"output_padding: \[1\]"),
    (lambda g: g.node("Conv", ["x", g.floats(4, 3, 3, 3)], "y", pads=[1] * 3), r"pads: \[1, 1, 1\] is not 4 numbers from 0"),
    (lambda g: g.node("Conv", ["x", g.floats(4, 3, 3, 3)], "y", strides=[0, 1]), r"strides: \[0, 1\] is not 2 numbers from 1"),
    (lambda g: g.node("MaxPool", ["x"], "y", kernel_shape=[2, 2], dilations=[1, -1]), r"dilations: \[1, -1\]"),
    (lambda g: g.node("Conv", ["x", g.constant(np.zeros((4, 3, 0, 3), np.float32))], "y"), r"weight \(constant0\) is empty"),
    (lambda g: g.node("Slice", ["x", *(g.constant(np.array([i])) for i in (2, 2, 1))], "y"), "a result of 0 x 8 x 8 elements"),
    (lambda g: g.node("Reshape", ["x", g.constant(np.float32([1, 192]))], "y"), "a shape of float32"),
    (lambda g: g.node("ConvTranspose", ["x", g.floats(3, 4, 2, 2)], "y", pads=[3] * 4), "a padding below the kernel's size"),
    (lambda g: g.node("ConvTranspose", ["x", g.floats(3, 4, 2, 2)], "y", strides=[2, 1]), "strides that differ"),
    (lambda g: g.node("Elu", ["x"], "y"), "no exponentials"),
    (lambda g: g.node("InstanceNormalization", ["x", g.floats(3), g.floats(3)], "y"), "no roots"),
    (lambda g: g.node("Div", [g.constant(np.float32(1)), "x"], "y"), "a quotient by a tensor"),
    (lambda g: g.node("Div", ["x", g.constant(np.float32(0))], "y"), "a quotient by 0"),
    (lambda g: g.node("ReduceMean", ["x"], "y", axes=[1]), r"a mean over the axes \[1\]"),
    (lambda g: g.node("Slice", ["x", g.constant(np.array([0])), g.constant(np.array([2])), g.constant(np.array([3]))], "y"),
     r"along the axes \[3\], not along channels"),
    (lambda g: g.node("PRelu", ["x", g.floats(3, 8, 8)], "y"), r"slopes of the shape \[3, 8, 8\]"),
    (lambda g: g.node("Cast", ["x"], "y", to=7), "no float"),
    (lambda g: g.node("AveragePool", ["x"], "y", kernel_shape=[3, 3], strides=[2, 2], ceil_mode=1, count_include_pad=1),
     "ceil_mode with count_include_pad"),
])
def test_reasons(build, reason):
    import re

    g = Graph()
    build(g)
    error = refused(g)
    assert len(error.nodes) == 1 and error.nodes[0].node == "y_node" and re.search(reason, error.nodes[0].reason), error


def test_dynamic_quantisation():
    """What is quantised by scales of its own data is listed, each node."""
    g = Graph()
    g.node("DynamicQuantizeLinear", ["x"], ("q", "scale", "zero"))
    g.node("ConvInteger", ["q", g.constant(np.ones((4, 3, 3, 3), np.int8)), "zero"], "c")
    g.node("Cast", ["c"], "y", to=1)
    error = refused(g)
    assert [(found.node, found.op) for found in error.nodes[:2]] == [("q_node", "DynamicQuantizeLinear"), ("c_node", "ConvInteger")]
    assert all("follow from the data of a call" in found.reason for found in error.nodes[:2])


def test_quantised_files():
    g = Graph()
    g.node("Conv", [g.qdq("x", 0.1, 3), g.integers(8, 3, 3, 3)[0]], "c")
    g.node("Relu", [g.node("MaxPool", ["c"], "m", kernel_shape=[2, 2])], "y")
    error = refused(g)
    assert "c is not quantised: quantize= gives it a scale" in str(error)
    with pytest.raises(aicjit.ArgumentError, match="the file is quantised already"):
        aicjit.onnx.load(g.model([1, 3, 8, 8]), quantize=np.zeros((1, 3, 8, 8), np.float32))
    g = Graph()
    weight = g.node("DequantizeLinear", [g.constant(np.full((8, 3, 1, 1), 255, np.uint8)), g.constant(np.float32(0.1)),
                                         g.constant(np.uint8(10))], "w")
    g.node("Conv", [g.qdq("x", 0.1, 3), weight], "y")
    assert "weights less their zero point are 245..245, beyond int8" in str(refused(g))


def test_arguments():
    model = simple().model([1, 3, 8, 8])
    x = np.zeros((2, 3, 8, 8), np.float32)
    for options, text in (({"fallback": "numpy"}, "fallback: 'numpy' is not onnxruntime"),
                          ({"quantize": x, "method": "best"}, "method: 'best' is not one of max, percentile, mse"),
                          ({"quantize": x, "method": "percentile", "percentile": 7}, "percentile: 7 is outside 50..100"),
                          ({"quantize": x[:0]}, "there is no image"), ({"quantize": {"z": x}}, "there is no input z"),
                          ({"quantize": x.astype(np.float64)}, "input x: is float64, not float32"),
                          ({"quantize": x + np.inf}, "values of x are not finite"), ({"outputs": ["z"]}, "no node gives z")):
        with pytest.raises(aicjit.Error, match=text):
            aicjit.onnx.load(model, **options)
    for options, kind, text in (
            ({"shapes": [1, 3, 8, 8]}, TypeError, "shapes: list is no mapping"), ({"shapes": {"x": 5}}, TypeError, "shapes: x: int is no list"),
            ({"shapes": {"x": "1388"}}, TypeError, "shapes: x: str is no list"),
            ({"shapes": {"x": (1, 3, 8.5, 8)}}, TypeError, "shapes: x: 8.5 is float"),
            ({"shapes": {"x": (1, 3, 0, 8)}}, ValueError, "shapes: x: 0 is outside of 1..16777216"),
            ({"shapes": {"x": (1, 3, 2**70, 8)}}, ValueError, "is outside of 1..16777216"),
            ({"quantize": x.tolist()}, TypeError, "quantize: x: is float, not an array"), ({"quantize": "x"}, TypeError, "x: is str"),
            ({"quantize": (image for image in x)}, TypeError, "x: is generator"), ({"quantize": x[0, 0]}, ValueError, "has the shape"),
            ({"quantize": {"x": [x, x]}}, TypeError, "x: is list, not an array"),
            ({"quantize": x, "method": "percentile", "percentile": "99"}, TypeError, "percentile: '99' is str")):
        with pytest.raises(kind, match=text) as caught:
            aicjit.onnx.load(model, **options)
        assert isinstance(caught.value, aicjit.Error)
    for source in (None, 3, ["model.onnx"]):
        with pytest.raises(aicjit.ArgumentTypeError, match="is no path, no bytes of a file and no ModelProto"):
            aicjit.onnx.load(source)
    assert aicjit.onnx.load(bytearray(model.SerializeToString())).inputs == aicjit.onnx.load(model).inputs
    net = aicjit.onnx.load(model)
    for call, text in ((lambda: net.table(0), "table: runs: 0 is outside"), (lambda: net.bench(runs=-1), "bench: runs: -1 is outside"),
                       (lambda: net.bench(threads=-1), "threads: -1 is outside"), (lambda: net.table("2"), "runs: '2' is str")):
        with pytest.raises(aicjit.Error, match=text):
            call()
    with pytest.raises(aicjit.ArgumentError, match="peer: 'ncnn' is not onnxruntime"):
        aicjit.onnx.load(model).bench(peer="ncnn")


def test_calls():
    net = aicjit.onnx.load(simple().model([1, 3, 8, 8]))
    good = np.zeros((2, 3, 8, 8), np.float32)
    for call, kind, text in ((lambda: net(good.astype(np.float64)), TypeError, "input x: is float64, not float32"),
                             (lambda: net(good[:, :2]), ValueError, r"input x: has the shape \[2, 2, 8, 8\], not \[N,3,8,8\]"),
                             (lambda: net(good[0]), ValueError, "has the shape"), (lambda: net(), ValueError, "x is not given"),
                             (lambda: net(good, x=good), TypeError, "input x is given twice"),
                             (lambda: net({"x": good}, x=good), TypeError, "input x is given twice"),
                             (lambda: net(z=good), ValueError, "there is no input z; its inputs are x float32")):
        with pytest.raises(kind, match=text) as caught:
            call()
        assert isinstance(caught.value, aicjit.Error)
    assert net(good).shape == (2, 8, 6, 6) and net(good[:0]).shape == (0, 8, 6, 6) and net({"x": good}).shape == (2, 8, 6, 6)
