"""ResNet-50 as a folder of kernels (tools/networks.md), for pictures of one size.

Activations are int8 [C1, H, W, 32], what fixpipe writes and the next conv2d reads. Element-wise kernels see them as words
of four channels: tensor_arithmetic_quantized keeps four elements of neighbouring N in a word (4N storage), and for it the
four channels are those.
"""

import re

import numpy as np

import aicjit
from network_folder import Folder

BLOCK, LANES = 32, 4  # channels of a block, and of a word
WORDS = BLOCK // LANES  # of a pixel


def _text(shape):
    return "[%s]" % ",".join(map(str, shape))


class _Writer:
    """The folder with what is known of each result: its name there and its shape."""

    def __init__(self, path, constants):
        self.folder, self.constants, self.known = Folder(path), constants, {}

    def result(self, layer, *shape, dtype="int8", part=""):
        """The layer's result, or with a part's name a tensor on the way to it."""
        name = "r%d%s" % (len(self.known), part)
        self.folder.tensor("buffer", name, dtype, shape)
        if not part:
            self.known[layer.name] = name, shape
        return name

    def words(self, name, shape, skipped=0):
        """The words of a tensor of int8, but for the first ones."""
        count = int(np.prod(shape)) // LANES - skipped
        return self.folder.view("%s_w%d_%d" % (name, skipped, len(self.folder.lines)), name, "uint32", (count,), LANES * skipped)

    def elementwise(self, op, shape, output, *inputs, strides=None, more=""):
        """On words: shape [C, H, W], and for output, input0, input1 what lies between neighbours, in words."""
        names = "output", "input0", "input1"
        if strides is not None:
            more += "".join(", %s_stride=%s" % (name, _text((0, *s))) for name, s in zip(names, strides))
        self.folder.kernel("tensor_arithmetic_quantized(op=%s, shape=%s%s)" % (op, _text((LANES, *shape)), more),
                           **dict(zip(names, (output, *inputs))))

    # ---- layers ----

    def conv(self, layer):
        (x, shape), own = self.known[layer.source[0]], self.constants[layer.name]
        weight = aicjit.pack_weights(own.weight, c0=shape[3])
        height, width = ((n + 2 * layer.pad - own.weight.shape[2]) // layer.stride + 1 for n in shape[1:3])
        number = len(self.known)
        text = ("conv2d(dtype=int8, fm_shape=%s, kernel_shape=%s, pad=%s, stride=%s, init_l1out=false, l1out=channel) | "
                "fixpipe(src=int32, dst=int8, format=NZ, quantPre=VREQ8, reluEn=%s)"
                % (_text(shape), _text(weight.shape), _text([layer.pad] * 4), _text([layer.stride] * 2), str(layer.relu).lower()))
        self.folder.kernel(text, dst=self.result(layer, len(own.weight) // BLOCK, height, width, BLOCK), feature_map=x,
                           weight=self.folder.constant("w%d" % number, weight),
                           l1out=self.folder.constant("b%d" % number, own.bias),
                           cbufWorkspace=self.folder.constant("q%d" % number, aicjit.quant_words(own.scale)))

    def add(self, layer):
        (a, shape), (b, _) = (self.known[name] for name in layer.source)
        blocks, height, width, _ = shape
        sums, own = self.result(layer, *shape), (blocks, height * width, WORDS)
        out = self.words(sums, shape)
        self.elementwise("BM_ADD", own, out, self.words(a, shape), self.words(b, shape))
        self.elementwise("BM_MAX", own, out, out, more=", input1_is_const=true")

    def max_pool(self, layer):
        """3x3, stride 2, padding 1, of values that are not negative: first rows, then columns; of each the even and the
        odd ones, then, where there is one, the odd one before."""
        x, (blocks, height, width, _) = self.known[layer.source[0]]
        rows, columns, pixel = height // 2, width // 2, WORDS
        line, short = width * pixel, columns * pixel
        between, middle = self.result(layer, blocks, rows, width, BLOCK, part="_rows"), (blocks, rows, width, BLOCK)
        out, shape = self.result(layer, blocks, rows, columns, BLOCK), (blocks, rows, columns, BLOCK)
        source = blocks, height, width, BLOCK
        apart, near = (height * line, 2 * line, 1), (rows * line, line, 1)
        odd = self.words(x, source, line)
        self.elementwise("BM_MAX", (blocks, rows, line), self.words(between, middle), self.words(x, source), odd,
                         strides=(near, apart, apart))
        lower = self.words(between, middle, line)
        self.elementwise("BM_MAX", (blocks, rows - 1, line), lower, lower, odd, strides=(near, near, apart))
        apart, near = (line, 2 * pixel, 1), (short, pixel, 1)
        odd = self.words(between, middle, pixel)
        self.elementwise("BM_MAX", (blocks * rows, columns, pixel), self.words(out, shape), self.words(between, middle), odd,
                         strides=(near, apart, apart))
        right = self.words(out, shape, pixel)
        self.elementwise("BM_MAX", (blocks * rows, columns - 1, pixel), right, right, odd, strides=(near, near, apart))

    def average_pool(self, layer):
        """Sums over the pixels are the product of a row of ones with [pixels, channels]."""
        x, (blocks, height, width, _) = self.known[layer.source[0]]
        channels, pixels = blocks * BLOCK, height * width
        flat = self.result(layer, pixels, channels, part="_pixels")
        self.folder.kernel("transdata(dtype=int8, src=NC1HWC0, dst=NHWC, shape=%s)" % _text((1, height, width, channels)),
                           dst=flat, src=x)
        word = aicjit.quant_word(float(self.constants[layer.name].scale[0]))
        ones = self.folder.constant("ones%d" % len(self.known), np.ones((1, pixels), np.int8))
        self.folder.kernel("mmad(dtype=int8, m=1, k=%d, n=%d) | fixpipe(src=int32, dst=int8, quantPre=REQ8, deqScalar=0x%x)"
                           % (pixels, channels, word), dst=self.result(layer, channels), a=ones, b=flat)

    def dense(self, layer):
        (x, (features,)), own = self.known[layer.source[0]], self.constants[layer.name]
        number, classes = len(self.known), len(own.bias)
        self.folder.kernel("mmad(dtype=int8, m=1, k=%d, n=%d, init_c=false, l1out=channel) | "
                           "fixpipe(src=int32, dst=int32, format=ROW_MAJOR, quantPre=NoQuant)" % (features, classes),
                           dst=self.result(layer, classes, dtype="int32"), a=x,
                           b=self.folder.constant("w%d" % number, np.ascontiguousarray(own.weight.T)),
                           l1out=self.folder.constant("b%d" % number, own.bias))


def write(path, layers, constants, size, every=False):
    """The folder: layers as topology.layers() gives them, constants {name: Constants}, pictures of size [H, W]. every: all
    results are outputs, to be compared, not the last one alone. Returns {name in the folder: layer}."""
    writer = _Writer(path, constants)
    shape = 1, *size, 4
    writer.known[layers[0].source[0]] = writer.folder.tensor("input", "picture", "int8", shape), shape
    for layer in layers:
        getattr(writer, layer.kind)(layer)
    names = {writer.known[layer.name][0]: layer for layer in layers}
    writer.folder.close(*(names if every else list(names)[-1:]))
    return names


def image(picture):
    """The input of a picture, uint8 [H, W, 3]."""
    return aicjit.pack_picture(picture, c0=4, zero_point=128)


def canonical(result):
    """A result as the model has it: [C, H, W], or one axis."""
    if result.ndim != 4:
        return result
    return np.ascontiguousarray(result.transpose(0, 3, 1, 2)).reshape(-1, *result.shape[1:3])


def result_of(kernel):
    """The name of the result that a kernel's output is, or is on the way to."""
    return re.match(r"r\d+", kernel).group()


def macs(layer, result):
    """Products of a layer with weights."""
    if layer.weight is None:
        return 0
    return int(np.prod(layer.weight)) * (result.shape[1] * result.shape[2] if layer.kind == "conv" else 1)
