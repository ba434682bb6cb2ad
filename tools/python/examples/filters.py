#!/usr/bin/env python3
"""A photograph through a bank of filters: a convolution with int8 weights whose results are scaled to pixels in the same
kernel. To be read from top to bottom, or run cell by cell (`# %%`) in an editor that knows them.

    filters.py [PICTURE.png [FOLDER]]      needs NumPy and Pillow; writes PNGs to FOLDER (build/filters)
"""

# %% A picture: uint8 [H, W, C].
import pathlib
import sys
import time

import numpy as np
from PIL import Image

import aicjit

here = pathlib.Path(__file__).resolve()
source = sys.argv[1] if len(sys.argv) > 1 else here.parents[2] / "demo" / "chelsea.png"
folder = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else here.parents[3] / "build" / "filters")
folder.mkdir(parents=True, exist_ok=True)
picture = np.asarray(Image.open(source).convert("RGB"))
height, width, _ = picture.shape
print("%s: %d x %d pixels" % (source, width, height))

# %% Filters. Each output channel is a sum over three colours and 5 x 5 pixels; the weights are integers, and the result is
# divided by what their scale says. [O, I, Kh, Kw], as other programs have weights.
binomial = np.outer([1, 4, 6, 4, 1], [1, 4, 6, 4, 1])
sharpen = np.zeros((5, 5), int)
sharpen[1:4, 1:4] = [[-1, -2, -1], [-2, 28, -2], [-1, -2, -1]]
emboss = np.zeros((5, 5), int)
emboss[1:4, 1:4] = [[-4, -2, 0], [-2, 0, 2], [0, 2, 4]]
sobel = np.zeros((5, 5), int)
sobel[1:4, 1:4] = [[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]]
laplace = np.zeros((5, 5), int)
laplace[1:4, 1:4] = [[1, 4, 1], [4, -20, 4], [1, 4, 1]]

weights, scales, names = np.zeros((16, 3, 5, 5), np.int8), np.ones(16), []
for name, kernel, divisor in (("blur", binomial, 256), ("sharpen", sharpen, 16), ("emboss", emboss, 8)):
    for colour in range(3):
        weights[len(names), colour] = kernel
        scales[len(names)] = 1 / divisor
        names.append(name)
for name, kernel, divisor in (("vertical", sobel, 12), ("horizontal", sobel.T, 12), ("laplace", laplace, 24)):
    weights[len(names)] = kernel
    scales[len(names)] = 1 / divisor
    names.append(name)

# %% The documents' layouts: channels in blocks of C0, here 4; pixels less 128, so that they are int8.
feature_map = aicjit.pack_picture(picture, c0=4, zero_point=128)
fractal = aicjit.pack_weights(weights, c0=4)
words = aicjit.quant_words(scales, 128, "uint8")  # one 64-bit word a channel: scale, offset, sign
print("feature_map", feature_map.shape, "weight", fractal.shape, "words", words.shape)

# %% Two operators as one kernel: the accumulators of the convolution never come to memory.
layer = aicjit.op("conv2d", dtype="int8", fm_shape=feature_map.shape, kernel_shape=fractal.shape, pad=(2, 2, 2, 2)) \
    | aicjit.op("fixpipe", src="int32", dst="uint8", format="ROW_MAJOR", quantPre="VREQ8")
filters = aicjit.compile(layer)
packed = filters.pack(fractal)
result = filters(feature_map, packed, words)
images = result.reshape(height, width, 16)

# %% The same bits by the plain formulas of the documents, and by NumPy.
assert np.array_equal(result, aicjit.reference(layer, feature_map, fractal, words))
window = np.lib.stride_tricks.sliding_window_view(np.pad(picture.astype(int) - 128, ((2, 2), (2, 2), (0, 0))), (5, 5), (0, 1))
blur = np.rint((window[:, :, 0] * binomial).sum((-1, -2)) / 256) + 128
assert np.abs(images[:, :, 0] - blur).max() <= 1  # rounding on the way, as the document has it
print("the reference gives the same bits")

# %% Pictures.
for start, name in ((0, "blur"), (3, "sharpen"), (6, "emboss")):
    Image.fromarray(images[:, :, start : start + 3]).save(folder / (name + ".png"))
for channel, name in ((9, "vertical"), (10, "horizontal"), (11, "laplace")):
    Image.fromarray(images[:, :, channel]).save(folder / (name + ".png"))
grey = [np.repeat(images[:, :, channel, np.newaxis], 3, 2) for channel in (9, 10, 11)]
sheet = np.vstack([np.hstack([images[:, :, i : i + 3] for i in (0, 3, 6)]), np.hstack(grey)])
Image.fromarray(sheet).save(folder / "all.png")
print("pictures in %s" % folder)

# %% How one pixel comes about, and why the kernel is as it is.
row, column = height // 2, width // 3
steps = aicjit.trace(layer, feature_map, fractal, words, at=((row * width + column) * 16 + 9,))
print("...\n" + "\n".join(str(steps).strip().splitlines()[-4:]))
print("\n".join(str(filters.explain()).splitlines()[:4]))

# %% Several pictures are one call, which threads divide among themselves.
pictures = np.stack([picture, picture[::-1], picture[:, ::-1], 255 - picture])
batch = aicjit.pack_picture(pictures, c0=4, zero_point=128)
results = filters.call_batch(batch, packed, words)
assert np.array_equal(results[0], result)
Image.fromarray(results[3].reshape(height, width, 16)[:, :, 3:6]).save(folder / "negative.png")

# %% How fast.
figures = aicjit.bench(filters, min_time=0.2)
start = time.perf_counter()
filters.call_batch(batch, packed, words, out=results)
print("one picture %.2f ms (%.1f GMAC/s), four in a batch %.2f ms" %
      (figures.median_ns / 1e6, figures.gmacs_per_s, (time.perf_counter() - start) * 1e3))
