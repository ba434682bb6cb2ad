#!/usr/bin/env python3
"""Whole networks, beside onnxruntime in turns: how many times as fast, how far from its float32, and how soon the first
result is there. Needs onnx and onnxruntime; run with PYTHONPATH=build/python (tools/dev test makes build/onnx/venv).

    networks.py [--threads N] [--runs N] [--first] [--json FILE] [NAME|FILE.onnx]...

NAME: one of the light models of the package onnx, with random weights; all without one. int8 is calibrated with two images
of noise, ours with the largest value of each channel, theirs by its own tool, a scale a channel of weights."""

import argparse
import json
import logging
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
import onnx
import onnx.version_converter
import onnxruntime

import aicjit
from aicjit.onnx.run import session

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "python" / "networks"))
from light import before_softmax, light, names  # noqa: E402

OURS = "import sys, numpy, aicjit; aicjit.Network.open(sys.argv[1])(numpy.load(sys.argv[2]))"
THEIRS = """import sys, numpy, onnxruntime
s = onnxruntime.InferenceSession(sys.argv[1], providers=["CPUExecutionProvider"])
s.run(None, {s.get_inputs()[0].name: numpy.load(sys.argv[2])})"""


class Calibration:
    """What onnxruntime's tool reads images from."""

    def __init__(self, name, images):
        self.rows = iter([{name: image[None]} for image in images])

    def get_next(self):
        return next(self.rows, None)


def their_int8(model, name, images, folder):
    """The file of onnxruntime's own quantisation, or None and why there is none."""
    try:
        from onnxruntime.quantization import QuantFormat, quantize_static

        plain, made = folder / "plain.onnx", folder / "int8.onnx"
        onnx.save(onnx.version_converter.convert_version(model, 13), plain)  # since then a scale a channel
        quantize_static(str(plain), str(made), Calibration(name, images), quant_format=QuantFormat.QDQ, per_channel=True)
        return made
    except Exception as error:  # its kinds are not documented
        print("  onnxruntime's int8: not run: %s" % str(error).split("\n")[0][:120])
        return None


def ended_before_softmax(model):
    """The model without a softmax at its end, so that all compute the same."""
    ends = before_softmax(model)
    if ends is None:
        return model
    del model.graph.node[-1], model.graph.output[:]
    model.graph.output.append(onnx.helper.make_tensor_value_info(ends[0], onnx.TensorProto.FLOAT, None))
    return model


def in_turns(functions, runs):
    """Median milliseconds of each."""
    times = {name: [] for name in functions}
    for _ in range(runs + 1):
        for name, function in functions.items():
            start = time.perf_counter()
            function()
            times[name].append(time.perf_counter() - start)
    return {name: statistics.median(found[1:]) * 1e3 for name, found in times.items()}


def processor_in_turns(functions, runs):
    """Median milliseconds of processor time, user's and system's, of processes that each function starts and awaits."""
    def used():
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    times = {name: [] for name in functions}
    for _ in range(runs + 1):
        for name, function in functions.items():
            start = used()
            function()
            times[name].append(used() - start)
    return {name: statistics.median(found[1:]) * 1e3 for name, found in times.items()}


def process(program, *arguments, **variables):
    """A function that runs a program of Python from its start to its end."""
    command = [sys.executable, "-c", program, *map(str, arguments)]
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}  # as installed ones are
    env.update(variables)
    return lambda: subprocess.run(command, check=True, env=env, stdout=subprocess.DEVNULL)


def first_results(net, files, image, folder, runs):
    """Milliseconds of processor time from starting a process to the end of its first call, ours without and with a disk
    cache: other programs' load makes wall time of whole processes worthless."""
    array = folder / "image.npy"
    np.save(array, image)
    net.save(folder / "network")
    ours = OURS, folder / "network", array
    functions = {"ours, nothing cached": process(*ours, AIC_CACHE="ro", AIC_CACHE_DIR=str(folder / "empty")),
                 "ours, disk cache": process(*ours, AIC_CACHE="rw", AIC_CACHE_DIR=str(folder / "cache"))}
    functions.update({"onnxruntime " + kind: process(THEIRS, file, array) for kind, file in files.items()})
    return processor_in_turns(functions, runs)


def measure(name, options):
    model = ended_before_softmax(onnx.load(name) if name.endswith(".onnx") else light(name))
    port = model.graph.input[0]
    shape = [axis.dim_value for axis in port.type.tensor_type.shape.dim]
    images = np.random.default_rng(1).standard_normal((2, *shape[1:])).astype(np.float32)
    context = aicjit.Context(threads=options.threads)
    with tempfile.TemporaryDirectory() as path:
        folder = pathlib.Path(path)
        onnx.save(model, folder / "float32.onnx")
        files = {"float32": folder / "float32.onnx"}
        quantised = their_int8(model, port.name, images, folder)
        if quantised is not None:
            files["int8"] = quantised
        nets = {"float16": aicjit.onnx.load(model, context=context, fallback="onnxruntime"),
                "int8": aicjit.onnx.load(model, context=context, quantize=images, fallback="onnxruntime")}
        peers = {kind: session(file.read_bytes(), options.threads) for kind, file in files.items()}
        ask = {"ours " + kind: (lambda net=net: net(images[:1])) for kind, net in nets.items()}
        ask.update({"onnxruntime " + kind: (lambda peer=peer: peer.run(None, {port.name: images[:1]})[0])
                    for kind, peer in peers.items()})
        wanted = ask["onnxruntime float32"]()
        row = {"network": name, "distance": {who: float(np.sqrt(((f() - wanted) ** 2).mean() / (wanted**2).mean()))
                                             for who, f in ask.items()},
               "ms": in_turns(ask, options.runs)}
        if options.first:
            try:
                row["first_ms"] = first_results(nets["int8"], files, images[:1], folder, max(options.runs // 4, 2))
            except aicjit.UnsupportedError as error:
                print("  first result: not run: %s" % error)
    return row


def show(row):
    ms = row["ms"]
    print(row["network"])
    for ours in ("float16", "int8"):
        for theirs in ("float32", "int8"):
            if "onnxruntime " + theirs in ms and (ours == "int8" or theirs == "float32"):
                print("  %-7s %7.2f ms: %.2f times as fast as onnxruntime's %s, %.2f ms"
                      % (ours, ms["ours " + ours], ms["onnxruntime " + theirs] / ms["ours " + ours], theirs,
                         ms["onnxruntime " + theirs]))
    print("  distance from float32: " + ", ".join("%s %.4f" % pair for pair in row["distance"].items()))
    first = row.get("first_ms", {})
    for ours, theirs in ((a, b) for a in first for b in first if a.startswith("ours") and b.startswith("onnxruntime")):
        print("  first result, %-21s %5.0f ms: %.2f times as fast as %s, %.0f ms (processor time)"
              % (ours + ":", first[ours], first[theirs] / first[ours], theirs, first[theirs]))
    sys.stdout.flush()


def main():
    parser = argparse.ArgumentParser(prog="networks.py", description=__doc__.split("\n")[0])
    parser.add_argument("models", nargs="*", help="light models or files; default: %s" % ", ".join(names()))
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--runs", type=int, default=12)
    parser.add_argument("--first", action="store_true", help="also processor time from starting a process to its first result")
    parser.add_argument("--json", help="where to write all figures")
    options = parser.parse_args()
    onnxruntime.set_default_logger_severity(3)
    logging.getLogger().setLevel(logging.ERROR)
    rows = []
    print("aicjit %s, %s, %d thread(s)" % (aicjit.version(), aicjit.isa_levels()[-1], options.threads))
    for name in options.models or names():
        rows.append(measure(name, options))
        show(rows[-1])
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
