"""Networks from ONNX files: not run where the package onnx is missing; tests/python/onnx.sh fetches it."""

import importlib.util

if importlib.util.find_spec("onnx") is None:
    collect_ignore_glob = ["test_*.py"]
