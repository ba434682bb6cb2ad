#!/usr/bin/env python3
"""A network from an ONNX file, in float16 and in int8: how far they are from each other, what each kernel takes, a folder
that C programs and `aicjit network` run. onnx from PyPI reads the file; onnxruntime, where it is there, is timed, too.
    network.py MODEL.onnx [FOLDER [PICTURE.npy]]     PICTURE.npy: float32 [N, ...] as the model takes it; else noise
"""
import importlib.util
import sys

import numpy as np

import aicjit

model, folder, pictures = (sys.argv[1:] + [None, None])[:3]

# %% What the file has, in float16. What the library does not compute is an exception that lists the nodes.
try:
    floats = aicjit.onnx.load(model)
    fallback = None
except aicjit.onnx.Unsupported as error:
    print(error)
    fallback = "onnxruntime"  # runs these nodes
    floats = aicjit.onnx.load(model, fallback=fallback)
name, (dtype, shape) = next(iter(floats.inputs.items()))
random = np.random.default_rng(1)
images = np.load(pictures) if pictures else random.standard_normal((4, *shape[1:])).astype(dtype)

# %% int8: a scale a channel, from what the images do in float16, by the least sum of squares.
whole = aicjit.onnx.load(model, quantize=images, method="mse", fallback=fallback)
print(aicjit.onnx.noise(model, images, method="mse", fallback=fallback))
print(whole.table())
wanted, found = floats(images), whole(images)
print("int8 is %.3g from float16" % np.sqrt(((found - wanted) ** 2).mean() / (wanted**2).mean()))

# %% How fast, in turns with onnxruntime's float32.
peer = "onnxruntime" if importlib.util.find_spec("onnxruntime") else None
for kind, net in (("float16", floats), ("int8", whole)):
    times = net.bench(peer=peer)
    print("%s: %.2f ms" % (kind, times["ms"]) + (", %.2f times as fast as onnxruntime's float32" % times["speed"] if peer else ""))

# %% The same without the file: network.txt, a line a kernel, and constants.
if folder and fallback is None:
    whole.save(folder)
    print("%s: %s" % (folder, "the same bits" if np.array_equal(aicjit.Network.open(folder)(images), found) else "other bits"))
