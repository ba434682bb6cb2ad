#!/usr/bin/env python3
"""The layers of networks whose parts are not ready-made, as lines for shapes.txt: at the highest level that there is, or at that
of AIC_MAX_ISA. Needs onnx; run with PYTHONPATH=build/python, and again after a build with the lines that it prints.

    missing.py [NAME|FILE.onnx]...

NAME: one of the light models of the package onnx or mobilenet_v2; those of tools/networks.md without one. Each is loaded in
float16 and in int8."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

NAMES = ("resnet50", "mobilenet_v2", "squeezenet", "inception_v1", "inception_v2", "densenet121", "shufflenet", "bvlc_alexnet")
LOAD = """
import sys
sys.path.insert(0, sys.argv[3])
import numpy, onnx, aicjit
from light import light, mobilenet_v2
name = sys.argv[1]
model = onnx.load(name) if name.endswith(".onnx") else mobilenet_v2() if name == "mobilenet_v2" else light(name)
while model.graph.node[-1].op_type == "Softmax":
    del model.graph.output[:]
    model.graph.output.append(onnx.helper.make_tensor_value_info(model.graph.node[-1].input[0], 1, None))
    del model.graph.node[-1]
shape = [axis.dim_value for axis in model.graph.input[0].type.tensor_type.shape.dim]
image = numpy.random.default_rng(1).standard_normal(shape).astype(numpy.float32)
aicjit.onnx.load(model, fallback="onnxruntime", quantize=image if sys.argv[2] == "int8" else None)
"""


def shorter(text):
    """The operator text without what follows from the rest."""
    import aicjit

    wanted = aicjit.Spec(text).canonical
    for key in dict.fromkeys(re.findall(r", (\w+)=", text)):
        for found in reversed(list(re.finditer(r", %s=(\[[^]]*\]|[^,)]*)" % key, text))):
            less = text[: found.start()] + text[found.end() :]
            try:
                text = less if aicjit.Spec(less).canonical == wanted else text
            except aicjit.Error:
                pass  # it is needed
    return text


def missing(name, dtype):
    """Operator texts of the kernels with a part that was made."""
    with tempfile.TemporaryDirectory() as empty:
        env = {**os.environ, "AIC_VERBOSE": "2", "AIC_CACHE": "ro", "AIC_CACHE_DIR": empty, "AIC_NUM_THREADS": "1"}
        models = pathlib.Path(__file__).resolve().parents[2] / "tests" / "python" / "networks"
        log = subprocess.run([sys.executable, "-c", LOAD, name, dtype, models], env=env, stderr=subprocess.PIPE, text=True)
    if log.returncode:
        sys.exit(log.stderr)
    found, text = [], ""
    for line in log.stderr.splitlines():
        start = re.match(r"aicjit: compiled (.*\)) isa=", line)
        text = start.group(1) if start else text
        if re.match(r"aicjit: part .* made ", line) and text not in found:
            found.append(text)
    return found


if __name__ == "__main__":
    known = set()
    for network in sys.argv[1:] or NAMES:
        for kind in ("int8", "float16"):
            for spec in missing(network, kind):
                line = shorter(spec)
                if line not in known:
                    known.add(line)
                    print(line, flush=True)
