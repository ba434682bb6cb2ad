"""The published network: ncnn's text of layers, NAME.param, and their numbers, NAME.bin."""

import numpy as np

LAYERS_MAX, CHANNELS_MAX = 64, 1024


class ModelError(Exception):
    """A file is no network of this form. The text names file and line, or byte."""


def _keys(words, wanted, fail):
    """The numbers behind "KEY=", which must be just these."""
    pairs = [word.partition("=") for word in words]
    if sorted(key for key, _, _ in pairs) != sorted(wanted) or not all(value.isdecimal() for _, _, value in pairs):
        fail("keys %s, not numbers for %s" % (" ".join(words), ", ".join(wanted)))
    return {key: int(value) for key, _, value in pairs}


class _Numbers:
    """NAME.bin, from its beginning to its end."""

    def __init__(self, path):
        self.path, self.at = path, 0
        with open(path, "rb") as file:
            self.data = file.read()

    def fail(self, what):
        raise ModelError('"%s", byte %d: %s' % (self.path, self.at, what))

    def take(self, dtype, count, what):
        dtype = np.dtype(dtype)
        if len(self.data) - self.at < count * dtype.itemsize:
            self.fail("the file ends before %s" % what)
        values = np.frombuffer(self.data, dtype, count, self.at)
        if not np.isfinite(values).all():
            self.fail("%s: a number is not finite" % what)
        self.at += -(-count * dtype.itemsize // 4) * 4  # words of four bytes
        return values

    def weights(self, count, name):
        if self.take("<u4", 1, "the weights of " + name)[0] != 0x01306B47:  # ncnn's tag of float16
            self.fail("the weights of %s are not float16" % name)
        return self.take("<f2", count, "the weights of " + name)


def read(param, numbers):
    """[(weights [O, I, 3, 3], bias, slope of its PReLU or None)]: 3x3 convolutions with PReLU between them, from 3
    channels to 48, a pixel shuffle, and the enlarged picture added."""
    numbers, layers, blob, taken = _Numbers(numbers), [], "first", []
    with open(param, errors="replace") as file:
        lines = file.read().splitlines()

    def fail(what):
        raise ModelError('"%s", line %d: %s' % (param, number, what))

    number = 1
    if lines[:1] != ["7767517"]:
        fail("this is no text of ncnn")
    for number, line in enumerate(lines[2:], 3):
        kind, name, *words = (line.split() + ["", ""])[: max(2, len(line.split()))]
        taken.append(kind)
        if kind == "Convolution":
            keys = _keys(words[4:], "01456", fail)
            count_in = len(layers[-1][1]) if layers else 3
            if words[:2] != ["1", "1"] or not 0 < keys["0"] <= CHANNELS_MAX or len(layers) == LAYERS_MAX:
                fail("%s: one input and output, 1 to %d channels, %d layers at most" % (name, CHANNELS_MAX, LAYERS_MAX))
            if (keys["1"], keys["4"], keys["5"]) != (3, 1, 1) or keys["6"] != 9 * count_in * keys["0"]:
                fail("%s: is no 3x3 convolution of %d channels with padding and bias" % (name, count_in))
            weights = numbers.weights(keys["6"], name).astype(np.float32).reshape(keys["0"], count_in, 3, 3)
            layers.append([weights, numbers.take("<f4", keys["0"], "the biases of " + name).copy(), None])
        elif kind == "PReLU":
            keys = _keys(words[4:], "0", fail)
            if not layers or layers[-1][2] is not None or keys["0"] != len(layers[-1][1]):
                fail("%s: no convolution of as many channels is before it" % name)
            layers[-1][2] = numbers.take("<f4", keys["0"], "the slopes of " + name)
        elif kind not in ("Input", "Split", "PixelShuffle", "Interp", "BinaryOp"):
            fail("layer %r is not of a network of this kind" % kind)
    slopes = [slope is not None for _, _, slope in layers]
    if taken[-3:] != ["PixelShuffle", "Interp", "BinaryOp"] or slopes != [True] * (len(layers) - 1) + [False] or \
            len(layers[-1][1]) != 48:
        fail("the layers are not convolutions with PReLU between them, 48 channels and a pixel shuffle at last")
    if numbers.at != len(numbers.data):
        numbers.fail("%d bytes behind the last layer" % (len(numbers.data) - numbers.at))
    return layers


def turned(layers):
    """The same for pictures in 256ths, with slopes of at most 1: PReLU(x) = -max(-x, slope * -x) where it is more, so the
    signs of such a channel change, here and in the next layer. That rounds nothing."""
    result = [[weights.copy(), bias * np.float32(255 / 256), slope] for weights, bias, slope in layers]
    for (weights, bias, slope), following in zip(result, result[1:]):
        sign = np.where(slope > 1, np.float32(-1), np.float32(1))
        weights *= sign[:, None, None, None]
        bias *= sign
        following[0] *= sign[:, None, None]
    return result


def plain(layers, picture):
    """The network in float32 by NumPy: [H, W, 48], with the enlarged picture, 1 being white."""
    height, width, _ = picture.shape
    x = picture.astype(np.float32) / np.float32(255)
    for weights, bias, slope in layers:
        padded = np.pad(x, ((1, 1), (1, 1), (0, 0)))
        taps = [padded[i : i + height, j : j + width] @ weights[:, :, i, j].T for i in range(3) for j in range(3)]
        x = sum(taps) + bias
        x = x if slope is None else np.where(x > 0, x, x * slope)
    return x + (picture.astype(np.float32) / np.float32(255)).repeat(16, 2)
