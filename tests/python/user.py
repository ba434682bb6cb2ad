"""A program of a user, which type checkers find nothing wrong with; test_types.py runs it and them."""

import numpy as np
import numpy.typing as npt

import aicjit


def layer(x: npt.NDArray[np.int8], scales: "list[float]") -> aicjit.Kernel:
    w = np.ones((1, 3, 3, 32, 32), np.int8)
    chain = aicjit.op("conv2d", dtype="int8", fm_shape=x.shape, kernel_shape=w.shape, pad=1)
    chain |= aicjit.op("fixpipe", src="int32", dst="int8", format="NZ", quantPre="VREQ8", reluEn=True)
    with aicjit.Context(threads=1, cache="off") as context:
        kernel = aicjit.compile(chain, context=context)
    words = aicjit.quant_words(scales, offset=0, dtype="int8")
    kernel = aicjit.compile_many([chain], 2, progress=lambda done, count, made: print(done, count, made.name))[0]
    y = kernel(x, kernel.pack(w), words)
    kernel(feature_map=x, weight=w, cbufWorkspace=words, out=np.zeros_like(y))
    plain = aicjit.conv2d(x, w, pad=(1, 1, 1, 1), stride=[1, 1], accumulate="fast")
    total = aicjit.tensor_arithmetic(plain.view(np.float32), -0.0, op="BM_ADD")
    image = aicjit.transdata(plain[:, :1].copy(), src="ND", dst="Nz", shape=[1, 16]) if plain.size == 16 else total
    try:
        aicjit.reference(chain, x, w, words, out=y)
        aicjit.reference(chain, x, w)
    except aicjit.Error as error:
        print(error.status.name, error, image.shape)
    return kernel


def network(x: npt.NDArray[np.float32]) -> aicjit.Network:
    first = aicjit.Conv2d(np.ones((32, 3, 3, 3), np.float32), x_scale=0.02, y_scale=0.5, pad=1, relu=True)
    y = aicjit.max_pool(first(aicjit.to_blocks(x, 0.02, c0=4)), 2)
    print(aicjit.from_blocks(aicjit.average_pool(y, (2, 2)), 32, 0.5).shape)
    try:
        net = aicjit.onnx.load("none.onnx", quantize=[x], method="mse", shapes={"x": (1, 3, 8, 8)}, fallback="onnxruntime")
        print(net(x), net.inputs, net.table()[0]["us"], net.bench(peer="onnxruntime")["ms"])
        net.save("folder")
    except aicjit.onnx.Unsupported as error:
        print(error.nodes[0].reason)
    except aicjit.Error as error:
        print(error)
    return aicjit.Network.open("folder")


RULES: list[dict[str, str]] = aicjit.rules("conv2d")
made = layer(np.ones((1, 8, 8, 32), np.int8), [0.5] * 32)
print(made.schedule, made.operands[0].shape, aicjit.bench(made, min_time=0).macs, aicjit.isa_levels(), aicjit.__version__)
