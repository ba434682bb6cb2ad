"""Runs a network of tools/superres with ncnn and onnxruntime, for aicjit-superres to compare with.

    peers.py NAME.param NAME.bin PICTURE.rgb WIDTH HEIGHT RESULT.f32

PICTURE.rgb: uint8 [HEIGHT, WIDTH, 3]. RESULT.f32 gets ncnn's result, float32 [4*HEIGHT, 4*WIDTH, 3]. Then commands on
standard input, a line each: "ncnn THREADS", "onnxruntime THREADS" or "ncnn-direct THREADS" (ncnn without Winograd's
convolutions) runs the network once and prints the nanoseconds, of one thread in processor time.
The first line that is printed names versions, and how far the two are apart. It ends with its input.
"""
import os
import signal
import sys
import time

import ncnn
import numpy as np
import onnx
import onnxruntime
from onnx import helper, numpy_helper


def read_layers(param, bin_path):
    """[(weights [O, I, 3, 3], bias, slope or None)]; aicjit-superres has checked both files."""
    data, at, layers = open(bin_path, "rb").read(), 0, []
    for line in open(param).read().splitlines()[2:]:
        words = line.split()
        if not words or words[0] not in ("Convolution", "PReLU"):
            continue
        keys = dict(word.split("=") for word in words[4 + int(words[2]) + int(words[3]):])
        out = int(keys["0"])
        if words[0] == "Convolution":
            dtype = np.float16 if int.from_bytes(data[at:at + 4], "little") else np.float32
            count = int(keys["6"])
            weights = np.frombuffer(data, dtype, count, at + 4).astype(np.float32).reshape(out, -1, 3, 3)
            at += 4 + (weights.size * np.dtype(dtype).itemsize + 3) // 4 * 4
            layers.append([weights, np.frombuffer(data, np.float32, out, at), None])
        else:
            layers[-1][2] = np.frombuffer(data, np.float32, out, at)
        at += 4 * out
    return layers


def onnx_model(layers, height, width):
    """The same network, as onnxruntime reads it."""
    nodes, constants, name = [], [], "picture"

    def constant(label, value):
        constants.append(numpy_helper.from_array(np.ascontiguousarray(value), label))
        return label

    for i, (weights, bias, slope) in enumerate(layers):
        inputs = [name, constant(f"w{i}", weights), constant(f"b{i}", bias)]
        nodes.append(helper.make_node("Conv", inputs, [f"c{i}"], pads=[1, 1, 1, 1]))
        name = f"c{i}"
        if slope is not None:
            nodes.append(helper.make_node("PRelu", [name, constant(f"s{i}", slope.reshape(-1, 1, 1))], [f"p{i}"]))
            name = f"p{i}"
    nodes.append(helper.make_node("DepthToSpace", [name], ["shuffled"], blocksize=4, mode="CRD"))
    scales = constant("scales", np.array([1, 1, 4, 4], np.float32))
    nodes.append(helper.make_node("Resize", ["picture", "", scales], ["enlarged"], mode="nearest",
                                  coordinate_transformation_mode="asymmetric", nearest_mode="floor"))
    nodes.append(helper.make_node("Add", ["shuffled", "enlarged"], ["result"]))
    tensor = helper.make_tensor_value_info
    graph = helper.make_graph(nodes, "superres", [tensor("picture", onnx.TensorProto.FLOAT, [1, 3, height, width])],
                              [tensor("result", onnx.TensorProto.FLOAT, [1, 3, 4 * height, 4 * width])], constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 16)], ir_version=8).SerializeToString()


def ncnn_runner(param, bin_path, threads, picture, winograd=True):
    net = ncnn.Net()
    net.opt.use_winograd_convolution = winograd
    net.opt.num_threads = threads
    net.opt.openmp_blocktime = 0  # its threads do not wait for work while others are measured
    net.opt.use_fp16_packed = net.opt.use_fp16_storage = net.opt.use_fp16_arithmetic = False
    net.opt.use_bf16_storage = False
    if net.load_param(param) != 0 or net.load_model(bin_path) != 0:
        sys.exit("ncnn cannot read the network")
    names = net.input_names()[0], net.output_names()[0]
    mat = ncnn.Mat(picture)

    def run():
        extractor = net.create_extractor()
        extractor.input(names[0], mat)
        return extractor.extract(names[1])[1]

    return run


def onnx_runner(model, threads, picture):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    return lambda: session.run(None, {"picture": picture[None]})[0][0]


def main():
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever started it closes its input
    param, bin_path, picture_path, width, height, result_path = sys.argv[1:]
    width, height = int(width), int(height)
    rgb = np.fromfile(picture_path, np.uint8).reshape(height, width, 3)
    picture = np.ascontiguousarray(rgb.transpose(2, 0, 1).astype(np.float32) / np.float32(255))
    model = onnx_model(read_layers(param, bin_path), height, width)
    make = {"ncnn": lambda threads: ncnn_runner(param, bin_path, threads, picture),
            "ncnn-direct": lambda threads: ncnn_runner(param, bin_path, threads, picture, False),
            "onnxruntime": lambda threads: onnx_runner(model, threads, picture)}
    runners = {}

    def run(peer, threads):
        if (peer, threads) not in runners:
            runners[peer, threads] = make[peer](threads)
            runners[peer, threads]()  # the first run prepares
        now = time.process_time_ns if threads == 1 else time.perf_counter_ns
        start = now()
        result = runners[peer, threads]()
        return now() - start, result

    result = np.array(run("ncnn", 1)[1])
    result.transpose(1, 2, 0).astype("<f4").tofile(result_path)
    apart = float(np.abs(result - run("onnxruntime", 1)[1]).max())
    print(f"ncnn {ncnn.__version__}, onnxruntime {onnxruntime.__version__}, at most {apart:.1e} apart", flush=True)
    for line in sys.stdin:
        peer, threads = line.split()
        print(run(peer, int(threads))[0], flush=True)


try:
    main()
except BrokenPipeError:  # whoever started it is gone
    os._exit(1)
