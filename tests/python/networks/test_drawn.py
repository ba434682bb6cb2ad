"""Networks that nobody prepared, against onnxruntime. AIC_DRAWN_NETWORKS=N draws N of them."""

import os

import numpy as np
import pytest
from build import onnx
from drawn import Drawn

import aicjit

onnxruntime = pytest.importorskip("onnxruntime")
quantization = pytest.importorskip("onnxruntime.quantization")
COUNT = int(os.environ.get("AIC_DRAWN_NETWORKS", "60"))
LIMITS = "a chain of 7 operators", "beyond 2^22", "no multiple of"  # of int8: tools/python/onnx.md


def expected(model, x):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    return onnxruntime.InferenceSession(model.SerializeToString(), options).run(None, {"x": x})


def computed(model, x, **keys):
    """The outputs, of one, too."""
    found = aicjit.onnx.load(model, **keys)(x)
    return found if isinstance(found, tuple) else (found,)


def first(reason, *limits):
    """Whether one of these is the first reason why a network is refused; others may follow from it."""
    return any(limit in reason.nodes[0].reason for limit in limits)


@pytest.mark.parametrize("seed", range(COUNT))
def test_drawn(seed):
    """float16 within 1 percent of the largest value, int8 of so few layers within a third."""
    g = Drawn(seed)
    model, x = g.model(list(g.shape), g.outputs), g.random.standard_normal(g.shape).astype(np.float16).astype(np.float32)
    wanted = expected(model, x)
    for bound, keys in ((0.01, {}), (0.35, {"quantize": x})):
        try:
            got = computed(model, x, **keys)
        except aicjit.onnx.Unsupported as reason:
            assert keys and first(reason, *LIMITS), reason
            continue
        for one, other in zip(got, wanted):
            assert one.shape == other.shape
            assert np.abs(one - other).max() <= bound * (np.abs(other).max() + 0.05), keys


@pytest.mark.parametrize("seed", range(COUNT // 2))
def test_drawn_and_quantised(seed, tmp_path):
    """What onnxruntime's tool makes of them, which leaves some layers in floats: with nodes between layers or with operators
    of integers, of either type, a scale a channel or one for all."""
    g, random = Drawn(seed), np.random.default_rng(seed)
    values = [random.standard_normal(g.shape).astype(np.float32) for _ in range(4)]

    class Reader(quantization.CalibrationDataReader):
        left = iter([{"x": x} for x in values])

        def get_next(self):
            return next(self.left, None)

    onnx.save(g.model(list(g.shape), g.outputs), tmp_path / "floats.onnx")
    quantization.quantize_static(
        tmp_path / "floats.onnx", tmp_path / "integers.onnx", Reader(), weight_type=quantization.QuantType.QInt8,
        quant_format=[quantization.QuantFormat.QDQ, quantization.QuantFormat.QOperator][seed % 2],
        activation_type=[quantization.QuantType.QUInt8, quantization.QuantType.QInt8][seed // 2 % 2], per_channel=seed // 4 % 2 > 0)
    model = onnx.load(tmp_path / "integers.onnx")
    try:
        got = computed(model, values[0])
    except aicjit.onnx.Unsupported as reason:  # where the tool left floats whose range nobody knows
        assert first(reason, "is not quantised", *LIMITS), reason
        return
    for one, other in zip(got, expected(model, values[0])):
        assert one.shape == other.shape
        assert np.sqrt(((one - other) ** 2).mean()) <= 0.1 * np.sqrt((other**2).mean()) + 0.02
