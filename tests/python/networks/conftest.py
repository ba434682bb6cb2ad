"""Networks from ONNX files: not run where the package onnx is missing; tests/python/onnx.sh fetches it."""

import importlib.util

import pytest

if importlib.util.find_spec("onnx") is None:
    collect_ignore_glob = ["test_*.py"]


@pytest.fixture
def images():
    import numpy as np

    return np.random.default_rng(5).standard_normal((3, 3, 32, 32)).astype(np.float32)
