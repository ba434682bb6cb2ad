"""Networks from ONNX files: not run where the package onnx is missing; tests/python/onnx.sh fetches it. They are about networks,
whose kernels other tests make: parts that are ready are taken, and what is made is made once."""

import atexit
import importlib.util
import os
import shutil
import tempfile

os.environ.update(AIC_CACHE="rw", AIC_CACHE_DIR=tempfile.mkdtemp())
atexit.register(shutil.rmtree, os.environ["AIC_CACHE_DIR"], ignore_errors=True)

if importlib.util.find_spec("onnx") is None:
    collect_ignore_glob = ["test_*.py"]
