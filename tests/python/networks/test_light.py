"""The light models: which load, which do not, and why; how far they are from onnxruntime's float32."""

import pathlib

import numpy as np
import pytest
from light import FOLDER, before_softmax, light

import aicjit

#: What each lacks: {operator: nodes}.
MISSING = {
    "bvlc_alexnet": {"LRN": 2, "Softmax": 1}, "densenet121": {}, "inception_v1": {"LRN": 2, "Softmax": 1},
    "inception_v2": {"Softmax": 1}, "resnet50": {"Softmax": 1}, "shufflenet": {"Softmax": 1},
    "squeezenet": {"Softmax": 1}, "vgg19": {"Softmax": 1}, "zfnet512": {"LRN": 2, "Softmax": 1},
}
#: Those with few enough weights to be run here, and the value before the softmax, where there is one.
RUN = ["squeezenet", "densenet121", "shufflenet"]


@pytest.mark.parametrize("name", [name for name in sorted(MISSING) if name not in RUN and name not in ("vgg19", "resnet50")])
def test_what_is_missing(name):
    """As the file is: the nodes that fill weights are computed when it is read."""
    missing, found = MISSING[name], {}
    try:
        aicjit.onnx.load(FOLDER / ("light_%s.onnx" % name))
    except aicjit.onnx.Unsupported as error:
        for node in error.nodes:
            found[node.op] = found.get(node.op, 0) + 1
    assert found == missing


@pytest.mark.parametrize("name", RUN)
def test_against_onnxruntime(name, tmp_path):
    pytest.importorskip("onnxruntime", reason="onnxruntime is not installed: no peer to compare with")
    from aicjit.onnx.run import session

    model = light(name)
    x = np.random.default_rng(2).standard_normal((2, 3, 224, 224)).astype(np.float32)
    floats = aicjit.onnx.load(model, outputs=before_softmax(model))
    peer = session(floats._model())
    wanted = np.concatenate([peer.run(None, {peer.get_inputs()[0].name: image[None]})[0] for image in x])
    distance = lambda y: np.sqrt(((y - wanted) ** 2).mean() / (wanted**2).mean())  # noqa: E731
    assert distance(floats(x)) < 2e-3
    whole = aicjit.onnx.load(model, outputs=before_softmax(model), quantize=x)
    assert distance(whole(x)) < 0.1
    whole.save(tmp_path)
    assert np.array_equal(aicjit.Network.open(tmp_path)(x[:1]), whole(x[:1]))
    assert set(whole.bench(peer="onnxruntime", runs=1)) == {"ms", "peer_ms", "speed"}


def test_fallback():
    """Nodes that are missing run at onnxruntime: a softmax at the end, LRN in the middle."""
    pytest.importorskip("onnxruntime", reason="onnxruntime is not installed: nothing to fall back to")
    from build import Graph, expected

    g = Graph(6)
    a = g.node("LRN", [g.node("Relu", [g.conv("x", "a", (24, 3, 3, 3))], "r")], "l", size=3)
    b = g.node("Relu", [g.conv(a, "b", (24, 1, 3, 3), group=24)], "s")
    c = g.node("GlobalAveragePool", [g.node("Concat", [a, g.node("Pad", [b, g.constant(np.array([0, 0, 1, 1] * 2))], "p")], "k",
                                            axis=1)], "v")
    g.node("Softmax", [g.node("Flatten", [g.conv(c, "d", (10, 48, 1, 1))], "f")], "y", axis=1)
    model = g.model([1, 3, 12, 10])
    with pytest.raises(aicjit.onnx.Unsupported) as caught:
        aicjit.onnx.load(model)
    assert [node.op for node in caught.value.nodes] == ["LRN", "Softmax"]
    x = np.random.default_rng(1).standard_normal((1, 3, 12, 10)).astype(np.float32)
    for options, bound in (({}, 1e-3), ({"quantize": x}, 0.03)):
        net = aicjit.onnx.load(model, fallback="onnxruntime", **options)
        assert np.abs(net(x) - expected(model, x)[0]).max() < bound
        assert sum(row["spec"].startswith("onnxruntime: ") for row in net.table(1)) == 2
        with pytest.raises(aicjit.UnsupportedError, match="l_node: runs at onnxruntime and cannot be saved"):
            net.save("nowhere")


def test_example(tmp_path):
    """tools/python/examples/network.py runs, and what it saved gives the same bits."""
    import os
    import subprocess
    import sys

    from test_float import dense_block, make

    model, x = make(dense_block)
    (tmp_path / "m.onnx").write_bytes(model.SerializeToString())
    np.save(tmp_path / "x.npy", x)
    program = pathlib.Path(__file__).resolve().parents[3] / "tools" / "python" / "examples" / "network.py"
    arguments = [str(tmp_path / name) for name in ("m.onnx", "folder", "x.npy")]
    done = subprocess.run([sys.executable, str(program), *arguments], capture_output=True, text=True,
                          env=dict(os.environ, PYTHONPATH=str(pathlib.Path(aicjit.__file__).parents[1])))
    assert done.returncode == 0, done.stderr
    assert "folder: the same bits" in done.stdout and "GMAC/s" in done.stdout and " ms" in done.stdout


def test_readme(tmp_path, monkeypatch):
    """The Python code of README.md's section runs as it is."""
    pytest.importorskip("onnxruntime", reason="onnxruntime is not installed: README.md compares with it")
    from test_float import classifier, make

    text = (pathlib.Path(__file__).resolve().parents[3] / "README.md").read_text()
    section = text.split("## Networks from ONNX files")[1].split("\n## ")[0]
    blocks = [part.split("```")[0] for part in section.split("```python\n")[1:]]
    assert len(blocks) == 2
    model, x = make(classifier)
    for name in ("model.onnx", "float.onnx"):
        (tmp_path / name).write_bytes(model.SerializeToString())
    monkeypatch.chdir(tmp_path)
    random = np.random.default_rng(1)
    values = {"aicjit": aicjit, "images": x, "x": x, "channels": 20, "x_scale": 0.02, "y_scale": 0.1,
              "image": random.standard_normal((3, 20, 20)).astype(np.float32), "bias": np.ones(20, np.float32),
              "weights_oihw": random.standard_normal((20, 3, 3, 3)).astype(np.float32)}
    for block in blocks:
        exec(block, values)
    assert values["net"](x).shape == (2, 10) and (tmp_path / "folder" / "network.txt").exists()
    assert values["z"].shape == (20, 5, 5) and values["z"].max() > 1
