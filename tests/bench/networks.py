#!/usr/bin/env python3
"""Whole networks, beside onnxruntime in turns: how many times as fast, how far from its float32, and how soon the first
result is there. Needs onnx and onnxruntime; run with PYTHONPATH=build/python (tools/dev test makes build/onnx/venv).

    networks.py [--threads N] [--runs N] [--first] [--shape N,C,H,W] [--svg FILE] [--json FILE] [NAME|FILE.onnx]...

NAME: one of the light models of the package onnx or mobilenet_v2, with random weights; all without one. --shape: the input of
files that leave it open. int8 is calibrated with two images of noise, ours with the largest value of each channel, theirs by
its own tool, a scale a channel of weights, activations without signs, which is faster there, in the faster of its two formats.
ncnn takes part where the packages ncnn and pnnx, which reads ONNX files for it, are there; it has no calibration of its own
there, so it computes in floats. With one thread times are processor time, else those of the wall. --svg draws the last
network's time by layer, ours in int8 beside onnxruntime's, in turns."""

import argparse
import collections
import json
import logging
import os
import pathlib
import re
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

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1] / "python" / "networks"), str(pathlib.Path(__file__).parent)]
from light import before_softmax, light, mobilenet_v2, names  # noqa: E402
from layers_svg import draw  # noqa: E402

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
    """The files of onnxruntime's own quantisation in both of its formats, or none and why."""
    try:
        from onnxruntime.quantization import QuantFormat, QuantType, quantize_static

        plain = folder / "plain.onnx"
        old = min((item.version for item in model.opset_import if item.domain == ""), default=13) < 13
        onnx.save(onnx.version_converter.convert_version(model, 13) if old else model, plain)  # since then a scale a channel
        made = [folder / "qdq.onnx", folder / "operators.onnx"]
        for form, file in zip((QuantFormat.QDQ, QuantFormat.QOperator), made):
            quantize_static(str(plain), str(file), Calibration(name, images), quant_format=form, per_channel=True,
                            activation_type=QuantType.QUInt8, weight_type=QuantType.QInt8)
        return made
    except Exception as error:  # its kinds are not documented
        print("  onnxruntime's int8: not run: %s" % str(error).split("\n")[0][:120])
        return []


def their_ncnn(file, threads, folder):
    """A function of images by ncnn, or None and why there is none."""
    try:
        import ncnn

        subprocess.run([pathlib.Path(sys.executable).parent / "pnnx", file.name, "fp16=0"], cwd=folder, check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        net = ncnn.Net()
        net.opt.num_threads = threads
        if net.load_param(str(folder / (file.stem + ".ncnn.param"))) or net.load_model(str(folder / (file.stem + ".ncnn.bin"))):
            raise RuntimeError("its files cannot be loaded")
    except Exception as error:
        print("  ncnn: not run: %s" % str(error).split("\n")[0][:120])
        return None

    def call(image):
        run = net.create_extractor()
        run.input("in0", ncnn.Mat(image[0]))
        return np.array(run.extract("out0")[1])

    return call


def ended_before_softmax(model):
    """The model without a softmax at its end, so that all compute the same."""
    ends = before_softmax(model)
    if ends is None:
        return model
    del model.graph.node[-1], model.graph.output[:]
    model.graph.output.append(onnx.helper.make_tensor_value_info(ends[0], onnx.TensorProto.FLOAT, None))
    return model


def in_turns(functions, runs, clock):
    """Median milliseconds of each by a clock."""
    times = {name: [] for name in functions}
    for _ in range(runs + 1):
        for name, function in functions.items():
            start = clock()
            function()
            times[name].append(clock() - start)
    return {name: statistics.median(found[1:]) * 1e3 for name, found in times.items()}


def of_children():
    """Processor time, user's and system's, of processes that were awaited."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


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
    return in_turns(functions, runs, of_children)


def folded(model, folder):
    """A model of fixed shapes whose sums of shapes onnxruntime has computed."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    options.optimized_model_filepath = str(folder / "folded.onnx")
    onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return onnx.load(options.optimized_model_filepath)


def load(name, shape, folder):
    """A model whose nodes have the names of their results."""
    model = mobilenet_v2() if name == "mobilenet_v2" else light(name) if not name.endswith(".onnx") else onnx.load(name)
    if shape:
        for axis, size in zip(model.graph.input[0].type.tensor_type.shape.dim, shape.split(",")):
            axis.dim_value = int(size)
        model = folded(model, folder)
    for node in model.graph.node:
        node.name = node.output[0]
    return ended_before_softmax(model)


def by_layer(net, file, images, port, runs):
    """Microseconds of each layer, ours and onnxruntime's, the two networks in turns; by the wall. What runs there under a
    name of its own counts to the layer before."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.enable_profiling = 1, True
    options.profile_file_prefix = str(file.with_suffix(""))
    peer = onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])
    ours, theirs = [], []
    for _ in range(runs):
        found = collections.Counter()
        for line in net.table(2):
            found[line["layer"]] += line["us"]
        ours.append(found)
        for _ in range(2):
            peer.run(None, {port.name: images[:1]})
    layer, found = next(iter(ours[0])), collections.Counter()
    for event in json.loads(pathlib.Path(peer.end_profiling()).read_text()):
        if event["name"].endswith("_kernel_time"):
            name = re.sub("(_quant|_QuantizeLinear|_DequantizeLinear)?(_token_[0-9]+)?_kernel_time$", "", event["name"])
            layer = name if name in ours[0] else layer
            found[layer] += event["dur"]
        elif event["name"] == "model_run":
            theirs.append(found)
            layer, found = next(iter(ours[0])), collections.Counter()
    return [(layer, *(statistics.median(run[layer] for run in side) for side in (ours, theirs))) for layer in ours[0]]


def measure(name, options):
    clock = time.process_time if options.threads == 1 else time.perf_counter
    context = aicjit.Context(threads=options.threads)
    with tempfile.TemporaryDirectory() as path:
        folder = pathlib.Path(path)
        model = load(name, options.shape, folder)
        port = model.graph.input[0]
        shape = [axis.dim_value for axis in port.type.tensor_type.shape.dim]
        images = np.random.default_rng(1).standard_normal((2, *shape[1:])).astype(np.float32)
        onnx.save(model, folder / "float32.onnx")
        files = {"float32": folder / "float32.onnx"}
        found = {file: session(file.read_bytes(), options.threads) for file in their_int8(model, port.name, images, folder)}
        if found:
            quick = in_turns({file: (lambda peer=peer: peer.run(None, {port.name: images[:1]})) for file, peer in found.items()},
                             3, clock)
            files["int8"] = min(quick, key=quick.get)
        nets = {"float16": aicjit.onnx.load(model, context=context, fallback="onnxruntime"),
                "int8": aicjit.onnx.load(model, context=context, quantize=images, fallback="onnxruntime")}
        peers = {kind: session(file.read_bytes(), options.threads) for kind, file in files.items()}
        ask = {"ours " + kind: (lambda net=net: net(images[:1])) for kind, net in nets.items()}
        ask.update({"onnxruntime " + kind: (lambda peer=peer: peer.run(None, {port.name: images[:1]})[0])
                    for kind, peer in peers.items()})
        wanted = ask["onnxruntime float32"]()
        ncnn = their_ncnn(files["float32"], options.threads, folder)
        if ncnn is not None:
            ask["ncnn float32"] = lambda: ncnn(images).reshape(wanted.shape)
        row = {"network": pathlib.Path(name).stem, "distance": {
                   who: float(np.sqrt(((f() - wanted) ** 2).mean() / (wanted**2).mean())) for who, f in ask.items()},
               "ms": in_turns(ask, options.runs, clock)}
        if options.svg and "int8" in files:
            row["layers"] = by_layer(nets["int8"], files["int8"], images, port, options.runs)
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
        for theirs in ("onnxruntime float32", "ncnn float32", "onnxruntime int8"):
            if theirs in ms and (ours == "int8" or theirs != "onnxruntime int8"):
                print("  %-7s %7.2f ms: %.2f times as fast as %s, %.2f ms"
                      % (ours, ms["ours " + ours], ms[theirs] / ms["ours " + ours], theirs, ms[theirs]))
    print("  distance from float32: " + ", ".join("%s %.4f" % pair for pair in row["distance"].items()))
    first = row.get("first_ms", {})
    for ours, theirs in ((a, b) for a in first for b in first if a.startswith("ours") and b.startswith("onnxruntime")):
        print("  first result, %-21s %5.0f ms: %.2f times as fast as %s, %.0f ms (processor time)"
              % (ours + ":", first[ours], first[theirs] / first[ours], theirs, first[theirs]))
    sys.stdout.flush()


def main():
    parser = argparse.ArgumentParser(prog="networks.py", description=__doc__.split("\n")[0])
    parser.add_argument("models", nargs="*", help="light models or files; default: %s" % ", ".join(names() + ["mobilenet_v2"]))
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--runs", type=int, default=12)
    parser.add_argument("--first", action="store_true", help="also processor time from starting a process to its first result")
    parser.add_argument("--shape", help="of the input: N,C,H,W")
    parser.add_argument("--svg", help="where to draw the last network's time by layer")
    parser.add_argument("--json", help="where to write all figures")
    options = parser.parse_args()
    onnxruntime.set_default_logger_severity(3)
    logging.getLogger().setLevel(logging.ERROR)
    rows = []
    print("aicjit %s, %s, %d thread(s)" % (aicjit.version(), aicjit.isa_levels()[-1], options.threads))
    for name in options.models or names() + ["mobilenet_v2"]:
        rows.append(measure(name, options))
        show(rows[-1])
    if options.svg and "layers" in rows[-1]:
        pathlib.Path(options.svg).write_text(draw("%s in int8, microseconds by layer" % rows[-1]["network"], rows[-1]["layers"],
                                                  ("aicjit", "onnxruntime")))
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
