"""The network as a folder of kernels, for pictures of one size."""

import numpy as np

import aicjit
from network_folder import Folder

MODES = "float16-cube", "float16-fast", "float16-winograd", "int8"
BITWISE = "float16-cube", "int8"  # kernels and reference give the same bits
EXACT = 12582912  # 1.5 * 2^23: floats around it are 1 apart, so its bits plus an int32 sum are those of itself plus the sum


def _arithmetic(keys):
    return " | tensor_arithmetic(%s)" % keys


TIMES_CHANNEL = _arithmetic("op=BM_MUL, input1_stride=[0,16,0,1]")
TO_FLOAT = _arithmetic("op=BM_SUB, input1_is_const=true, input1_const=%d" % EXACT)


def _round_up(count, step):
    return -(-count // step) * step


def _padded(array, count):
    """Channels that are added have no weights, start at 0 and stay there."""
    return np.pad(array, [(0, count - len(array))] + [(0, 0)] * (array.ndim - 1))


def _convolution(dtype, fm, weights, more):
    return "conv2d(dtype=%s, fm_shape=[%s], kernel_shape=[%s], pad=[1,1,1,1], init_l1out=false, l1out=channel%s)" % (
        dtype, ",".join(map(str, fm)), ",".join(map(str, weights.shape)), more)


def _end(folder, text, height, width, values, **operands):
    """The last layer: [H*W, 48] with the enlarged picture; then the pixel shuffle. Four bytes in a row, the four pixels
    in a row of a 4x4 block, are one word: from [H, W, colour, row] to [colour, H, row, W]."""
    text += _arithmetic("op=BM_ADD, input1_stride=[0,%d,1,0]" % (height * width))
    if values:
        folder.tensor("buffer", "values", "float32", (height * width, 48))
        folder.kernel(text + " | fixpipe(src=float32, dst=float32, format=ROW_MAJOR, quantPre=NoQuant)", dst="values", **operands)
        return folder.close("values")
    size = 48 * height * width
    for name, shape in (("pixels", (height * width, 48)), ("planar", (1, 3, 4 * height, 4 * width)),
                        ("picture", (1, 4 * height, 4 * width, 3))):
        folder.tensor("buffer", name, "uint8", shape)
    folder.kernel(text + " | fixpipe(src=float32, dst=uint8, format=ROW_MAJOR, quantPre=QF322B8_PRE, "
                  "deqScalar=quant(256,0,uint8))", dst="pixels", **operands)
    folder.view("words", "pixels", "uint32", (size // 4,))
    folder.view("planar_words", "planar", "uint32", (size // 4,))
    folder.kernel("tensor_arithmetic(op=BM_CPY, shape=[%d,3,4,%d], input0_stride=[%d,4,1,12], output_stride=[%d,%d,%d,1])"
                  % (height, width, 12 * width, 4 * width, 4 * height * width, width), output="planar_words", input0="words")
    folder.kernel("transdata(dtype=uint8, src=NCHW, dst=NHWC, shape=[1,3,%d,%d])" % (4 * height, 4 * width),
                  dst="picture", src="planar")
    return folder.close("picture")


def _begin(path, dtype, height, width):
    folder = Folder(path)
    folder.tensor("input", "feature_map", dtype, (1, height, width, 4))
    folder.tensor("input", "planes", "float32", (3 * height * width + 16,))
    return folder


def write_half(path, layers, height, width, accumulate, values=False, maps=False):
    """float16. maps: what the layers give are outputs, too, for the calibration."""
    folder, x, shape, seen = _begin(path, "float16", height, width), "feature_map", (1, height, width, 4), []
    for i, (weights, bias, slope) in enumerate(layers):
        count = _round_up(len(bias), 32 if slope is not None else 16)
        w = aicjit.pack_weights(_padded(weights.astype(np.float16), count), c0=shape[3])
        w = _padded(w, shape[0])
        text = _convolution("float16", shape, w, ", accumulate=" + accumulate)
        operands = {"feature_map": x, "weight": folder.constant("w%d" % i, w),
                    "l1out": folder.constant("b%d" % i, _padded(bias, count))}
        if slope is None:
            _end(folder, text, height, width, values, **operands, input1="planes")
            break
        shape = count // 16, height, width, 16
        x = folder.tensor("buffer", "x%d" % i, "float16", shape)
        folder.kernel(text + TIMES_CHANNEL + _arithmetic("op=BM_MAX, input1_stage=1") +
                      " | fixpipe(src=float32, dst=float16, format=NZ, quantPre=F322F16)",
                      dst=x, **operands, input1=folder.constant("s%d" % i, _padded(slope, count)))
        seen.append(x)
    if maps:
        folder.close(*seen)
    return len(seen)


def write_int8(path, layers, height, width, peaks, values=False):
    """int8 by the largest value of each channel: what a channel counts is a factor of the next layer's weights, which
    have a scale for each of their own output channels."""
    folder, x, shape = _begin(path, "int8", height, width), "feature_map", (1, height, width, 4)
    unit, zero = np.full(3, 1 / 256, np.float32), 128
    for i, (weights, bias, slope) in enumerate(layers):
        count = _round_up(len(bias), 32 if slope is not None else 16)
        scaled = weights * unit[: weights.shape[1], None, None]
        sums = 128 * np.abs(scaled).sum((1, 2, 3)) + np.abs(bias + zero * scaled.sum((1, 2, 3)))
        factor = np.maximum(np.abs(scaled).max((1, 2, 3)) / 127, sums / (2**22 - 2**17)).astype(np.float32)  # whatever the picture
        factor = np.maximum(factor, np.float32(1e-20))
        rounded = np.rint(scaled / factor[:, None, None, None])
        start = np.rint(bias / factor) + zero * rounded.sum((1, 2, 3))
        w = _padded(aicjit.pack_weights(_padded(rounded.astype(np.int8), count), c0=shape[3]), shape[0])
        text = _convolution("int8", shape, w, ", pad_value=%d" % -zero) + TO_FLOAT + TIMES_CHANNEL
        operands = {"feature_map": x, "weight": folder.constant("w%d" % i, w),
                    "l1out": folder.constant("b%d" % i, _padded(start.astype(np.int32), count) + np.int32(0x4B400000))}
        if slope is None:
            return _end(folder, text, height, width, values, **operands, input1=folder.constant("f%d" % i, _padded(factor, count)),
                        input1_2="planes")
        peak = np.maximum(peaks[i][: len(bias)], 1e-20)
        words = aicjit.quant_words(_padded((factor * 127 / peak).astype(np.float32), count) + (np.arange(count) >= len(bias)))
        unit, zero, shape = factor / words[: len(bias)].astype(np.uint32).view(np.float32), 0, (count // 32, height, width, 32)
        x = folder.tensor("buffer", "x%d" % i, "int8", shape)
        folder.kernel(text + _arithmetic("op=BM_MAX, input1_stage=2") +
                      " | fixpipe(src=float32, dst=int8, format=NZ, quantPre=VQF322B8_PRE)", dst=x, **operands,
                      input1=folder.constant("s%d" % i, _padded(slope, count)), cbufWorkspace=folder.constant("q%d" % i, words))
    return None


def inputs(picture, mode):
    """feature_map and planes of a picture, uint8 [H, W, 3]."""
    height, width, _ = picture.shape
    planes = np.append(picture.transpose(2, 0, 1).ravel() / np.float32(256), np.zeros(16, np.float32))
    if mode == "int8":
        return aicjit.pack_picture(picture, c0=4, zero_point=128), planes
    x = np.zeros((1, height, width, 4), np.float16)
    x[0, :, :, :3] = picture / np.float32(256)
    return x, planes
