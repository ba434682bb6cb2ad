#!/usr/bin/env python3
"""A photograph four times as large by realesr-animevideov3-x4, each layer a chain of the documents' operators as one
kernel: in float16, and in int8 by what float16 shows of the picture. tools/superres is the same in C, and explains it.
    superres.py [PICTURE.png [FOLDER [NETWORK]]]     NumPy, Pillow; `tools/dev superres` fetches the network once
"""
import pathlib
import sys
import numpy as np
from PIL import Image
import aicjit

root = pathlib.Path(__file__).resolve().parents[3]
defaults = root / "tools/demo/chelsea.png", root / "build/superres", root / "build/superres/models/realesr-animevideov3-x4"
source, folder, name = (*sys.argv[1:], *defaults[len(sys.argv) - 1 :])
pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
picture = np.asarray(Image.open(source).convert("RGB").reduce(1 if len(sys.argv) > 1 else 3))
height, width, _ = picture.shape

# %% The network: [(weights [O, I, 3, 3], bias, slope of its PReLU)]. Pixels are 256ths, and so are the biases.
data, at, layers = pathlib.Path(f"{name}.bin").read_bytes(), 0, []
for words in (line.split() for line in pathlib.Path(f"{name}.param").read_text().splitlines()[2:]):
    if words[0] == "Convolution":
        out, count = int(words[6][2:]), int(words[-1][2:])
        weights = np.frombuffer(data, np.float16, count, at + 4).astype(np.float32).reshape(out, -1, 3, 3)
        at += 4 + 2 * count + 4 * out
        layers.append([weights, np.frombuffer(data, np.float32, out, at - 4 * out) * np.float32(255 / 256), None])
    elif words[0] == "PReLU":
        layers[-1][2] = np.frombuffer(data, np.float32, out, at)
        at += 4 * out
for (weights, bias, slope), following in zip(layers, layers[1:]):  # slope > 1: PReLU(x) = -max(-x, slope * -x)
    sign = np.where(slope > 1, np.float32(-1), np.float32(1))
    weights *= sign[:, None, None, None]
    bias *= sign
    following[0] *= sign[:, None, None]

# %% Operators. A convolution begins with `l1out`, a value a channel; what is behind it works on its sums.
conv_keys = dict(pad=(1, 1, 1, 1), init_l1out=False, l1out="channel")
times_channel = aicjit.op("tensor_arithmetic", op="BM_MUL", input1_stride=(0, 16, 0, 1))
to_float = aicjit.op("tensor_arithmetic", op="BM_SUB", input1_is_const=True, input1_const=12582912)  # 1.5 * 2^23
add_picture = aicjit.op("tensor_arithmetic", op="BM_ADD", input1_stride=(0, height * width, 1, 0))
to_pixels = add_picture | aicjit.op("fixpipe", src="float32", dst="uint8", quantPre="QF322B8_PRE", format="ROW_MAJOR",
                                    deqScalar=aicjit.quant_word(256, 0, "uint8"))
planes = np.append(picture.transpose(2, 0, 1).ravel() / np.float32(256), np.zeros(16, np.float32))
def run(layer, quant, x, *constants):  # the larger of the sums and what they are now, as the next layer's feature map
    dst = "int8" if x.dtype == np.int8 else "float16"
    layer = layer | aicjit.op("tensor_arithmetic", op="BM_MAX", input1_stage=2 if dst == "int8" else 1) \
        | aicjit.op("fixpipe", src="float32", dst=dst, quantPre=quant, format="NZ")
    return aicjit.compile(layer)(x, *constants).reshape(-1, height, width, 32 // x.itemsize)
def save(layer, path, *inputs):  # [H*W, 48]: three colours, each 4x4 pixels
    blocks = aicjit.compile(layer | to_pixels)(*inputs, planes).reshape(height, width, 3, 4, 4)
    Image.fromarray(blocks.transpose(0, 3, 1, 4, 2).reshape(4 * height, 4 * width, 3)).save(path)
    print(path)

# %% float16, bit for bit. The largest value of each channel is what int8 needs.
x, peaks = np.zeros((1, height, width, 4), np.float16), []
x[0, :, :, :3] = picture / np.float32(256)
for weights, bias, slope in layers:
    w = aicjit.pack_weights(weights.astype(np.float16), c0=x.shape[-1])
    layer = aicjit.op("conv2d", dtype="float16", fm_shape=x.shape, kernel_shape=w.shape, **conv_keys)
    if slope is None:
        save(layer, f"{folder}/python-float16.png", x, w, bias)
    else:
        x = run(layer | times_channel, "F322F16", x, w, bias, slope)
        peaks.append(np.abs(x).max((1, 2)).ravel().astype(np.float32))

# %% int8: a scale for each channel, which is a factor of the next layer's weights.
x, unit, zero = aicjit.pack_picture(picture, c0=4, zero_point=128), np.full(3, 1 / 256, np.float32), 128
for weights, bias, slope in layers:
    factor = np.abs(weights * unit[:, None, None]).max((1, 2, 3)) / 127
    rounded = np.rint(weights * unit[:, None, None] / factor[:, None, None, None])
    start = (np.rint(bias / factor) + zero * rounded.sum((1, 2, 3))).astype(np.int32) + 0x4B400000  # 1.5 * 2^23's bits
    w = aicjit.pack_weights(rounded.astype(np.int8), c0=x.shape[-1])
    layer = aicjit.op("conv2d", dtype="int8", fm_shape=x.shape, kernel_shape=w.shape, pad_value=-zero, **conv_keys)
    if slope is None:
        save(layer | to_float | times_channel, f"{folder}/python-int8.png", x, w, start, factor)
    else:
        words, zero = aicjit.quant_words(factor * 127 / peaks.pop(0)), 0
        unit = factor / words.astype(np.uint32).view(np.float32)
        x = run(layer | to_float | times_channel, "VQF322B8_PRE", x, w, start, slope, words)
