"""ResNet-50 in integers, with NumPy alone: pseudo-random weights, scales that fit them, and what every layer must give.

Activations are int8 with zero point 0, but for the picture, whose uint8 pixels less 128 are taken as int8. A convolution
adds up products and a bias in int32; a scale a channel brings the sum back to int8. Nothing here comes from aicjit.
"""

from collections import namedtuple

import numpy as np

#: Constants of a layer: int8 weights [O, I, Kh, Kw] or [O, I], int32 bias [O], float32 scale [O].
Constants = namedtuple("Constants", "weight bias scale")


def convolve(x, weight, stride, pad):
    """int8 [C, H, W] by int8 [O, C, Kh, Kw]: int64 [O, Ho, Wo]. Products and sums of float64 are exact below 2^53."""
    channels, kernel = weight.shape[1], weight.shape[2]
    x = np.pad(x, ((0, 0), (pad, pad), (pad, pad)))
    windows = np.lib.stride_tricks.sliding_window_view(x, (kernel, kernel), axis=(1, 2))[:, ::stride, ::stride]
    rows, columns = windows.shape[1:3]
    patches = windows.transpose(0, 3, 4, 1, 2).reshape(channels * kernel * kernel, rows * columns).astype(np.float64)
    sums = weight.reshape(len(weight), -1).astype(np.float64) @ patches
    return sums.astype(np.int64).reshape(len(weight), rows, columns)


def requantise(sums, scale, relu):
    """int32 sums [O, ...] to int8: float32 product, rounded to even, clamped."""
    x = np.maximum(sums, 0) if relu else sums
    product = x.astype(np.int32).astype(np.float32) * scale.reshape(-1, *[1] * (sums.ndim - 1)).astype(np.float32)
    return np.clip(np.rint(np.clip(product, -256, 255)), -128, 127).astype(np.int8)


def add(a, b):
    """Saturated sum of two int8 tensors, rectified."""
    return np.clip(a.astype(np.int16) + b, 0, 127).astype(np.int8)


def max_pool(x):
    """3x3, stride 2, padding 1. The values are not negative, so a padding of 0 does not count."""
    padded = np.pad(x, ((0, 0), (1, 1), (1, 1)))
    return np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(1, 2))[:, ::2, ::2].max(axis=(3, 4))


def word_scale(scale):
    """What a quantisation word keeps of a float32 scale: its low 13 bits are 0."""
    return (np.asarray(scale, np.float32).view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32)


def _draw(generator, shape):
    weight = np.rint(generator.normal(0, 30, shape))
    return np.clip(weight, -127, 127).astype(np.int8)


def _fit(sums, spread):
    """A bias that centres the sums of every channel and a scale that gives them this standard deviation."""
    flat = sums.reshape(len(sums), -1)
    deviation = np.maximum(flat.std(axis=1), 1)
    return -np.rint(flat.mean(axis=1)).astype(np.int32), word_scale(spread / deviation)


def _first(layers, picture):
    """What the first layer reads."""
    return {layers[0].source[0]: (picture.astype(np.int16) - 128).astype(np.int8).transpose(2, 0, 1)}


def _apply(layer, own, results):
    """The result of a layer."""
    x = results[layer.source[0]]
    if layer.kind == "conv":
        sums = convolve(x, own.weight, layer.stride, layer.pad) + own.bias[:, None, None]
        return requantise(sums, own.scale, layer.relu)
    if layer.kind == "add":
        return add(x, results[layer.source[1]])
    if layer.kind == "max_pool":
        return max_pool(x)
    if layer.kind == "average_pool":
        return requantise(x.reshape(len(x), -1).sum(axis=1, dtype=np.int64), own.scale, False)
    return own.weight.astype(np.int64) @ x.astype(np.int64) + own.bias


def run(layers, constants, picture):
    """{name: result} of every layer; picture: uint8 [H, W, 3]."""
    results = _first(layers, picture)
    for layer in layers:
        results[layer.name] = _apply(layer, constants.get(layer.name), results)
    return results


def _choose(layer, x, generator):
    """The constants of a layer that reads x; None: it has none."""
    if layer.kind == "conv":
        weight = _draw(generator, layer.weight)
        spread = 45 if layer.relu else 28  # two of the latter are added up
        return Constants(weight, *_fit(convolve(x, weight, layer.stride, layer.pad), spread))
    if layer.kind == "average_pool":
        return Constants(None, None, word_scale(np.full(len(x), 1 / (x.shape[1] * x.shape[2]))))
    if layer.kind == "dense":
        bias = np.rint(generator.normal(0, 1000, layer.weight[0])).astype(np.int32)
        return Constants(_draw(generator, layer.weight), bias, None)
    return None


def build(layers, picture, seed):
    """Draws the constants of every layer, as `picture` (uint8 [H, W, 3]) goes through it. Returns {name: Constants} and
    {name: result}."""
    generator = np.random.default_rng(seed)
    constants, results = {}, _first(layers, picture)
    for layer in layers:
        own = _choose(layer, results[layer.source[0]], generator)
        if own is not None:
            constants[layer.name] = own
        results[layer.name] = _apply(layer, own, results)
    return constants, results
