"""The network with ncnn and onnxruntime, in float32, to compare with."""

import ncnn
import numpy as np
import onnx
import onnxruntime
from onnx import helper, numpy_helper


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
        raise RuntimeError("ncnn cannot read the network")
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


def runners(model, layers, picture, threads):
    """[(name, a function that runs the network once)]; ncnn's gives float32 [3, 4H, 4W]."""
    planes = np.ascontiguousarray(picture.transpose(2, 0, 1).astype(np.float32) / np.float32(255))
    param, numbers = str(model) + ".param", str(model) + ".bin"
    return [("ncnn %s" % ncnn.__version__, ncnn_runner(param, numbers, threads, planes)),
            ("ncnn, direct sums", ncnn_runner(param, numbers, threads, planes, False)),
            ("onnxruntime %s" % onnxruntime.__version__, onnx_runner(onnx_model(layers, *picture.shape[:2]), threads, planes))]
