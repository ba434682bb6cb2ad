#!/usr/bin/env python3
"""Layers of ResNet-50 by whole frameworks, beside ours: one thread, one layer a model.

    frameworks.py AICJIT [--time SECONDS] [--layer PART_OF_NAME] [--json FILE]

A framework gets float32 or integers in rows of channels (NCHW) and gives back the same: changing layouts, packing and its
own dispatch are part of its time, as they are of a call that a program makes. An almost empty layer tells how long these
take alone. Ours is measured by `aicjit bench --json`, right before. Results of the frameworks are compared with sums by
NumPy. A framework that is not installed is left out; the exit status depends on wrong results only.
"""
import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

os.environ["OMP_NUM_THREADS"] = "1"  # before anything that reads it is loaded

import numpy as np

try:
    import onnx
    import onnxruntime
except ImportError:
    onnx = onnxruntime = None
try:
    import ncnn
except ImportError:
    ncnn = None

# Kernel/stride channels-cout @size, and how often the network has it.
RESNET50 = """
7x7/2 3-64 @224*1; 1x1 64-64 @56*1; 3x3 64-64 @56*3; 1x1 64-256 @56*4; 1x1 256-64 @56*2; 1x1 256-128 @56*1;
3x3/2 128-128 @56*1; 1x1 128-512 @28*4; 1x1/2 256-512 @56*1; 1x1 512-128 @28*3; 3x3 128-128 @28*3; 1x1 512-256 @28*1;
3x3/2 256-256 @28*1; 1x1 256-1024 @14*6; 1x1/2 512-1024 @28*1; 1x1 1024-256 @14*5; 3x3 256-256 @14*5; 1x1 1024-512 @14*1;
3x3/2 512-512 @14*1; 1x1 512-2048 @7*3; 1x1/2 1024-2048 @14*1; 1x1 2048-512 @7*2; 3x3 512-512 @7*2
"""
EMPTY = "1x1 32-32 @1*0"  # what a call costs


class Layer:
    def __init__(self, text):
        parts = re.fullmatch(r"(\d+)x\d+(?:/(\d+))? (\d+)-(\d+) @(\d+)\*(\d+)", text.strip())
        self.name = text.strip().rsplit("*", 1)[0]
        self.kernel, self.stride = int(parts[1]), int(parts[2] or 1)
        self.channels, self.cout, self.size, self.count = (int(parts[i]) for i in range(3, 7))
        self.pad = self.kernel // 2

    def values(self, low, high):
        """An image [1, C, H, W] and weights [O, C, K, K] of small integers, always the same ones."""
        random = np.random.default_rng(1)
        image = random.integers(low, high, (1, self.channels, self.size, self.size))
        weight = random.integers(-8, 8, (self.cout, self.channels, self.kernel, self.kernel))
        return image, weight

    def expected(self, image, weight):
        """The sums as integers [1, O, H, W]. Sums of these values are exact in float64."""
        pad, stride = self.pad, self.stride
        padded = np.pad(image.astype(np.float64), ((0, 0), (0, 0), (pad, pad), (pad, pad)))
        windows = np.lib.stride_tricks.sliding_window_view(padded, (self.kernel, self.kernel), axis=(2, 3))
        windows = windows[0, :, ::stride, ::stride]
        return np.tensordot(weight.astype(np.float64), windows, axes=([1, 2, 3], [0, 3, 4]))[None]


# ---- ours ----

def ours(aicjit, layer, dtype, fused, seconds):
    """Nanoseconds of a call with packed weights."""
    c0 = 4 if layer.channels == 3 else 32 if dtype == "int8" else 16
    c1 = -(-layer.channels // c0)
    spec = (f"conv2d(dtype={dtype}, fm_shape=[{c1},{layer.size},{layer.size},{c0}], "
            f"kernel_shape=[{c1},{layer.kernel},{layer.kernel},{layer.cout},{c0}], "
            f"stride=[{layer.stride},{layer.stride}], pad=[{layer.pad},{layer.pad},{layer.pad},{layer.pad}]"
            + (", accumulate=fast)" if dtype == "float16" else ")"))
    if fused:
        spec += " | fixpipe(src=int32, dst=int8, format=NZ, quantPre=VREQ8, reluEn=true)"
    command = [aicjit, "bench", spec, "--json", "--threads", "1", "--min-time", str(seconds)]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return json.loads(output)["median_ns"]


# ---- onnxruntime ----

def onnx_session(nodes, inputs, outputs, initializers):
    graph = onnx.helper.make_graph(nodes, "layer", inputs, outputs, initializers)
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 13)])
    model.ir_version = 8
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


def onnx_call(session, image, dtype, shape):
    """A call whose operands lie in place, and where its result is."""
    result = onnxruntime.OrtValue.ortvalue_from_numpy(np.zeros(shape, dtype))
    binding = session.io_binding()
    binding.bind_ortvalue_input("x", onnxruntime.OrtValue.ortvalue_from_numpy(image))
    binding.bind_ortvalue_output("y", result)
    return lambda: session.run_with_iobinding(binding), result.numpy


def onnx_attributes(layer):
    return {"kernel_shape": [layer.kernel] * 2, "strides": [layer.stride] * 2, "pads": [layer.pad] * 4}


def onnx_float(layer):
    image, weight = layer.values(-8, 8)
    expected = layer.expected(image, weight)
    tensor, info = onnx.helper.make_tensor_value_info, onnx.TensorProto.FLOAT
    node = onnx.helper.make_node("Conv", ["x", "w"], ["y"], **onnx_attributes(layer))
    session = onnx_session([node], [tensor("x", info, image.shape)], [tensor("y", info, expected.shape)],
                           [onnx.numpy_helper.from_array(weight.astype(np.float32), "w")])
    call, result = onnx_call(session, image.astype(np.float32), np.float32, expected.shape)
    return call, lambda: close(result(), expected)


def onnx_int8(layer):
    """QLinearConv, unsigned image, signed weights with a scale a channel, result of 8 bits."""
    image, weight = layer.values(0, 16)
    sums = layer.expected(image, weight)
    scale = (1 + np.arange(layer.cout) % 61 / 64).astype(np.float32)
    y_scale = np.float32(np.abs(sums).max() / 100)
    expected = np.clip(np.rint(sums * scale[None, :, None, None] / y_scale), 0, 255)
    values = {"xs": np.float32(1), "xz": np.uint8(0), "w": weight.astype(np.int8), "ws": scale,
              "wz": np.zeros(layer.cout, np.int8), "ys": y_scale, "yz": np.uint8(0)}
    node = onnx.helper.make_node("QLinearConv", ["x", *values, "y"][:-1], ["y"], **onnx_attributes(layer))
    tensor, info = onnx.helper.make_tensor_value_info, onnx.TensorProto.UINT8
    session = onnx_session([node], [tensor("x", info, image.shape)], [tensor("y", info, expected.shape)],
                           [onnx.numpy_helper.from_array(np.asarray(v), k) for k, v in values.items()])
    call, result = onnx_call(session, image.astype(np.uint8), np.uint8, expected.shape)
    return call, lambda: np.abs(result().astype(np.float64) - expected).max() <= 1


# ---- ncnn ----

def ncnn_net(layer, weight, int8):
    """A network of one convolution. Integers of a scale of 1 stand for themselves."""
    parameters = {0: layer.cout, 1: layer.kernel, 3: layer.stride, 4: layer.pad, 5: 0, 6: weight.size, 8: int(int8)}
    text = ("7767517\n2 2\nInput x 0 1 x\nConvolution y 1 1 x y "
            + " ".join(f"{key}={value}" for key, value in parameters.items()) + "\n")
    net = ncnn.Net()
    net.opt.num_threads = 1
    net.opt.use_fp16_packed = net.opt.use_fp16_storage = net.opt.use_fp16_arithmetic = False
    net.opt.use_bf16_storage = False
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/layer.param", "w", encoding="ascii") as file:
            file.write(text)
        with open(f"{folder}/layer.bin", "wb") as file:
            if int8:  # its mark, weights, scales of the weights of each channel and of the image
                file.write(np.uint32(0x000D4B38).tobytes() + weight.astype(np.int8).tobytes())
                file.write(np.ones(layer.cout + 1, "<f4").tobytes())
            else:
                file.write(bytes(4) + weight.astype("<f4").tobytes())
        if net.load_param(f"{folder}/layer.param") != 0 or net.load_model(f"{folder}/layer.bin") != 0:
            raise RuntimeError("ncnn does not load the layer")
    return net


def ncnn_layer(layer, int8):
    image, weight = layer.values(-8, 8)
    expected = layer.expected(image, weight)
    net = ncnn_net(layer, weight, int8)
    planes = np.ascontiguousarray(image[0].astype(np.float32))
    source = ncnn.Mat(planes).clone()  # a Mat alone does not keep the array
    latest = []

    def call():
        extractor = net.create_extractor()
        extractor.input("x", source)
        latest[:] = [net, extractor.extract("y")[1]]

    return call, lambda: close(np.array(latest[1])[None], expected)


# ---- the comparison ----

def close(result, expected):
    return np.abs(result - expected).max() <= 1e-3 * max(1, np.abs(expected).max())


def race(calls, seconds):
    """Median nanoseconds of a call of each, in turns, by the thread's processor time."""
    repeat, samples = [], [[] for _ in calls]
    for call in calls:
        call()
        start = time.thread_time_ns()
        call()
        repeat.append(max(1, int(2e6 / (time.thread_time_ns() - start + 1))))
    end = time.thread_time() + seconds * len(calls)
    while len(samples[0]) < 5 or time.thread_time() < end:
        for call, count, sample in zip(calls, repeat, samples):
            start = time.thread_time_ns()
            for _ in range(count):
                call()
            sample.append((time.thread_time_ns() - start) / count)
        if not calls:
            break
    return [statistics.median(sample) for sample in samples]


def frameworks():
    rows = []
    if onnxruntime:
        rows += [("onnxruntime int8", onnx_int8), ("onnxruntime fp32", onnx_float)]
    if ncnn:
        rows += [("ncnn int8", lambda layer: ncnn_layer(layer, True)), ("ncnn fp32", lambda layer: ncnn_layer(layer, False))]
    return rows


def measure(options, layer, peers):
    """Nanoseconds by column, and the columns whose results are wrong."""
    row = {"int8 to int32": ours(options.aicjit, layer, "int8", False, options.time),
           "int8 to int8": ours(options.aicjit, layer, "int8", True, options.time),
           "float16 fast": ours(options.aicjit, layer, "float16", False, options.time)}
    made = [(name, *make(layer)) for name, make in peers]
    row.update(zip([name for name, _, _ in made], race([call for _, call, _ in made], options.time)))
    return row, [name for name, _, right in made if not right()]


def print_row(name, row, wrong=()):
    print(f"{name:22}" + "".join(f" {value * 1e-3:14.2f}{'!' if key in wrong else ' '} " for key, value in row.items()),
          flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("aicjit")
    parser.add_argument("--time", type=float, default=0.1, help="seconds for each way")
    parser.add_argument("--layer", default="", help="part of a name")
    parser.add_argument("--json", help="file for the results")
    options = parser.parse_args()
    peers = frameworks()
    layers = [Layer(text) for text in [EMPTY, *RESNET50.split(";")]]
    versions = [f"{module.__name__} {module.__version__}" for module in (onnxruntime, ncnn) if module]
    print(f"microseconds of a call, one thread; {', '.join(versions) or 'no framework'}")
    results, total, failed = [], {}, False
    for layer in layers:
        if options.layer not in layer.name:
            continue
        row, wrong = measure(options, layer, peers)
        if not results:
            print(f"{'layer':22}" + "".join(f" {key:>15} " for key in row))
        print_row(layer.name, row, wrong)
        failed = failed or bool(wrong)
        results.append({"layer": layer.name, "count": layer.count, "ns": row, "wrong": wrong})
        total = {key: total.get(key, 0) + layer.count * value for key, value in row.items()}
    print_row("ResNet-50", total)
    if failed:
        print("!: results differ from the sums by NumPy")
    if options.json:
        with open(options.json, "w", encoding="ascii") as file:
            json.dump({"versions": versions, "layers": results, "total_ns": total}, file, indent=1)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
