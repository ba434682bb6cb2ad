"""Layers that are a line each: Conv2d, pooling, blocks of channels, against NumPy."""

import numpy as np
import pytest

import aicjit

windows = np.lib.stride_tricks.sliding_window_view


def plain(x, channels):
    """[C1, H, W, c0] as [C, H, W]."""
    return x.transpose(0, 3, 1, 2).reshape(-1, *x.shape[1:3])[:channels]


def sums(x, weight, stride, pad, fill=0):
    """Of a convolution, in float64: exact for integers; pad: left, right, top, bottom."""
    x = np.pad(x.astype(np.float64), ((0, 0), pad[2:], pad[:2]), constant_values=fill)
    seen = windows(x, weight.shape[2:], axis=(1, 2))[:, :: stride[0], :: stride[1]]
    return np.einsum("chwij,ocij->ohw", seen, weight.astype(np.float64))


@pytest.mark.parametrize("channels, outs, size", [(3, 16, 3), (40, 24, 3), (64, 100, 1), (33, 32, 5)])
@pytest.mark.parametrize("relu, zeros", [(True, (0, -128)), (False, (-7, 11)), (None, (5, 0))])
def test_int8_convolution(random, channels, outs, size, relu, zeros):
    """Every element, from the integers that the layer says it has; relu None: slopes."""
    weights = random.standard_normal((outs, channels, size, size)).astype(np.float32)
    bias, slope = random.standard_normal(outs).astype(np.float32), random.uniform(-0.5, 1.5, outs).astype(np.float32)
    x_scale = random.uniform(0.01, 0.02, channels).astype(np.float32)
    y_scale = random.uniform(0.02, 0.06, outs).astype(np.float32) * np.float32(np.sqrt(channels) * size)
    layer = aicjit.Conv2d(weights, bias, x_scale, y_scale, (1, 2, 0, 1), (2, 1), bool(relu), x_zero=zeros[0], y_zero=zeros[1],
                          slope=slope if relu is None else None)
    x = random.integers(-128, 128, (-(-channels // 32), 11, 9, 32)).astype(np.int8) if channels > 4 \
        else random.integers(-128, 128, (1, 11, 9, 4)).astype(np.int8)
    own = layer.integers
    total = sums(plain(x, channels), own.weight, (2, 1), (1, 2, 0, 1), zeros[0]) + own.bias[:, None, None]
    total = total.astype(np.float32)
    if relu:
        total = np.maximum(total, 0)
    elif relu is None:
        total = np.where(total < 0, total + total * (slope - np.float32(1))[:, None, None], total)
    wanted = np.clip(np.rint(np.clip(total * own.factor[:, None, None], -256, 255)) + zeros[1], -128, 127)
    found = layer(x)
    assert np.array_equal(plain(found, outs), wanted)
    meant = sums((plain(x, channels) - np.float64(zeros[0])) * x_scale[:, None, None], weights, (2, 1), (1, 2, 0, 1))
    meant += bias[:, None, None]
    meant = np.maximum(meant, 0) if relu else np.where(meant < 0, meant * (slope if relu is None else np.ones(outs))[:, None, None], meant)
    inside = (wanted > -128) & (wanted < 127)
    error = np.abs((wanted - zeros[1]) * y_scale[:, None, None] - meant)[inside]
    assert inside.mean() > 0.3 and error.max() < 2.5 * y_scale.max()
    out = np.zeros_like(found)
    assert layer(x, out=out).base is out or np.array_equal(out, found)


def test_int8_sums_beyond_floats(random):
    """Slopes behind sums that pass 2^22: several kernels."""
    weights = np.abs(random.standard_normal((16, 1024, 3, 3))).astype(np.float32)
    layer = aicjit.Conv2d(weights, None, 0.1, 60.0, 1, slope=0.5)
    x = random.integers(60, 128, (32, 5, 6, 32)).astype(np.int8) * random.choice([-1, 1], (1, 5, 6, 1)).astype(np.int8)
    total = sums(plain(x, 1024), layer.integers.weight, (1, 1), (1,) * 4)
    assert total.max() > 1 << 22
    total = np.where(total < 0, total / 2, total).astype(np.float32) * layer.integers.factor[:, None, None]
    out = np.zeros((1, 5, 6, 32), np.int8)
    assert layer(x, out=out) is not None
    assert np.abs(plain(out, 16) - np.clip(np.rint(total), -128, 127)).max() <= 1  # parts are added up in float32
    with pytest.raises(aicjit.UnsupportedError, match="the layer is several"):
        layer.kernel(x)


@pytest.mark.parametrize("slope", [None, 0.25, 1.75])
def test_float16_convolution(random, slope):
    weights, bias = random.standard_normal((20, 40, 3, 3)).astype(np.float32), random.standard_normal(20).astype(np.float32)
    layer = aicjit.Conv2d(weights, bias, pad=1, dilation=1, dtype="float16", slope=slope)
    image = random.standard_normal((40, 8, 7)).astype(np.float32)
    wanted = sums(image, weights, (1, 1), (1,) * 4) + bias[:, None, None]
    wanted = np.where(wanted < 0, wanted * (1 if slope is None else slope), wanted)
    found = aicjit.from_blocks(layer(aicjit.to_blocks(image, dtype="float16")), 20)
    assert np.abs(found - wanted).max() < 4e-3 * np.abs(wanted).max()


def spread(weights, groups):
    """Weights of groups as those of one, zeros where an output sees nothing."""
    outs, inputs = weights.shape[0] // groups, weights.shape[1]
    whole = np.zeros((len(weights), inputs * groups, *weights.shape[2:]), weights.dtype)
    for o in range(len(weights)):
        first = o // outs * inputs
        whole[o, first:first + inputs] = weights[o]
    return whole


# Depthwise in whole blocks and in parts of one, two outputs a channel, parts of blocks, whole blocks, and groups that lie
# across blocks.
GROUPS = [(64, 64, 64), (40, 40, 40), (40, 80, 40), (64, 64, 8), (64, 96, 2), (96, 48, 3), (36, 24, 3)]


@pytest.mark.parametrize("channels, outs, groups", GROUPS)
@pytest.mark.parametrize("zeros, slope", [((-3, 5), None), ((0, 0), 0.25)])
def test_int8_groups(random, channels, outs, groups, zeros, slope):
    weights = random.standard_normal((outs, channels // groups, 3, 3)).astype(np.float32)
    bias, x_scale = random.standard_normal(outs).astype(np.float32), random.uniform(0.01, 0.02, channels).astype(np.float32)
    y_scale = 0.1 * np.sqrt(channels / groups)
    layer = aicjit.Conv2d(weights, bias, x_scale, y_scale, (1, 2, 0, 1), (2, 1), x_zero=zeros[0], y_zero=zeros[1], slope=slope,
                          groups=groups)
    x = random.integers(-128, 128, (-(-channels // 32), 11, 9, 32)).astype(np.int8)
    own, image = layer.integers, plain(x, channels)
    total = sums(image, spread(own.weight, groups), (2, 1), (1, 2, 0, 1), zeros[0]) + own.bias[:, None, None]
    total = total.astype(np.float32)
    if slope is not None:
        total = np.where(total < 0, total + total * np.float32(slope - 1), total)
    wanted = np.clip(np.rint(np.clip(total * own.factor[:, None, None], -256, 255)) + zeros[1], -128, 127)
    assert np.array_equal(plain(layer(x), outs), wanted)
    meant = sums((image - np.float64(zeros[0])) * x_scale[:, None, None], spread(weights, groups), (2, 1), (1, 2, 0, 1))
    meant += bias[:, None, None]
    meant = np.where(meant < 0, meant * (1 if slope is None else slope), meant)
    inside = (wanted > -128) & (wanted < 127)
    assert inside.mean() > 0.3 and np.abs((wanted - zeros[1]) * y_scale - meant)[inside].max() < 2.5 * y_scale


@pytest.mark.parametrize("channels, outs, groups", GROUPS)
def test_float16_groups(random, channels, outs, groups):
    weights = random.standard_normal((outs, channels // groups, 3, 3)).astype(np.float32)
    image = random.standard_normal((channels, 8, 7)).astype(np.float32)
    layer = aicjit.Conv2d(weights, pad=1, dtype="float16", groups=groups)
    wanted = sums(image, spread(weights, groups), (1, 1), (1,) * 4)
    found = aicjit.from_blocks(layer(aicjit.to_blocks(image, dtype="float16")), outs)
    assert np.abs(found - wanted).max() < 4e-3 * np.abs(wanted).max()


def test_block_of_mobilenet(random):
    """Widened by 1x1, each channel by a 3x3 of its own, narrowed by 1x1: integers as NumPy has them, layer by layer."""
    image = random.integers(-128, 128, (1, 14, 13, 32)).astype(np.int8)
    wide, own, narrow = (random.standard_normal(shape).astype(np.float32) * np.float32(size) for shape, size in (
        ((96, 24, 1, 1), 0.2), ((96, 1, 3, 3), 0.3), ((24, 96, 1, 1), 0.1)))
    layers = [(aicjit.Conv2d(wide, None, 0.02, 0.02, relu=True), 1, 1, 0), (aicjit.Conv2d(own, None, 0.02, 0.02, 1, 2, True, groups=96), 96, 2, 1),
              (aicjit.Conv2d(narrow, None, 0.02, 0.02), 1, 1, 0)]
    x, wanted = image, plain(image, 24).astype(np.float64)
    for layer, groups, stride, pad in layers:
        x, own = layer(x), layer.integers
        total = sums(wanted, spread(own.weight, groups), (stride, stride), (pad,) * 4) + own.bias[:, None, None]
        total = np.maximum(total, 0) if layer is not layers[2][0] else total
        wanted = np.clip(np.rint(np.clip(total.astype(np.float32) * own.factor[:, None, None], -256, 255)), -128, 127)
        assert np.array_equal(plain(x, len(wanted)), wanted)
    assert x.shape == (1, 7, 7, 32) and np.abs(wanted).max() > 20


@pytest.mark.parametrize("dtype", [np.int8, np.float16])
@pytest.mark.parametrize("kernel, stride, pad", [(2, None, 0), (3, 2, 1), ((3, 2), (1, 3), (1, 0, 0, 2)), ((1, 4), 1, (3, 3, 0, 0)),
                                                 ((6, 7), 1, 0)])
def test_max_pool(random, dtype, kernel, stride, pad):
    info, c0 = (np.iinfo if dtype == np.int8 else np.finfo)(dtype), 32 // np.dtype(dtype).itemsize
    x = random.integers(-128, 128, (3, 9, 8, c0)).astype(dtype) if dtype == np.int8 \
        else (random.standard_normal((3, 9, 8, c0)) * 10.0 ** random.integers(-7, 4, (3, 9, 8, c0))).astype(dtype)
    kernel, sides = np.broadcast_to(kernel, 2), np.broadcast_to(pad, 4)
    steps = np.broadcast_to(kernel if stride is None else stride, 2)
    padded = np.pad(x, ((0, 0), tuple(sides[2:]), tuple(sides[:2]), (0, 0)), constant_values=info.min)
    wanted = windows(padded, tuple(kernel), axis=(1, 2))[:, :: steps[0], :: steps[1]].max(axis=(4, 5))
    found = aicjit.max_pool(x, tuple(kernel.tolist()), None if stride is None else tuple(steps.tolist()), tuple(sides.tolist()))
    assert np.array_equal(found.view(np.uint8), wanted.astype(dtype).view(np.uint8))


@pytest.mark.parametrize("dtype", [np.int8, np.float16])
@pytest.mark.parametrize("include_pad", [False, True])
@pytest.mark.parametrize("kernel, stride, pad", [(2, 2, 0), (3, 2, 1), ((1, 5), 1, (2, 2, 0, 0)), ((9, 8), 1, 0)])
def test_average_pool(random, dtype, include_pad, kernel, stride, pad):
    c0 = 32 // np.dtype(dtype).itemsize
    x, zero = (random.standard_normal((3, 9, 8, c0)) * 30).astype(dtype), 9 if dtype == np.int8 else 0
    kernel, sides = tuple(np.broadcast_to(kernel, 2).tolist()), tuple(np.broadcast_to(pad, 4).tolist())
    around = ((0, 0), sides[2:], sides[:2], (0, 0))
    total = windows(np.pad(x.astype(np.float32) - zero, around), kernel, axis=(1, 2))[:, ::stride, ::stride].sum(axis=(4, 5))
    count = windows(np.pad(np.ones((1, 9, 8, 1)), around), kernel, axis=(1, 2))[:, ::stride, ::stride].sum(axis=(4, 5))
    mean = total / (kernel[0] * kernel[1] if include_pad else count)
    found = aicjit.average_pool(x, kernel, stride, sides, include_pad=include_pad, zero=zero)
    if dtype == np.int8:
        tie = np.abs(mean - np.floor(mean) - 0.5) < 1e-4  # a reciprocal is no quotient
        assert (found == np.rint(mean) + zero)[~tie].all() and np.abs(found - mean - zero)[tie].max(initial=0) < 0.51
    else:
        assert np.abs(found - mean).max() < 0.06


@pytest.mark.parametrize("channels, height, width, c0", [(3, 70, 61, 4), (1, 5, 7, 4), (3, 6, 7, 32), (70, 5, 9, 32), (96, 1, 1, 32)])
def test_blocks(random, channels, height, width, c0):
    image = (random.standard_normal((channels, height, width)) * 2).astype(np.float32)
    scale = random.uniform(0.01, 0.03, channels).astype(np.float32)
    found = aicjit.to_blocks(image, scale, -3, c0=c0)
    exact = image * (np.float32(1) / scale)[:, None, None]
    assert np.array_equal(plain(found, channels), np.clip(np.rint(np.clip(exact, -256, 255)) - 3, -128, 127))
    if c0 == 32:
        back = aicjit.from_blocks(found, channels, scale, -3)
        assert np.array_equal(back, (plain(found, channels).astype(np.float32) + 3) * scale[:, None, None])
    half = aicjit.to_blocks(image, dtype="float16")
    assert np.array_equal(aicjit.from_blocks(half, channels), image.astype(np.float16).astype(np.float32))


def test_what_is_refused(random):
    weights, x = random.standard_normal((16, 40, 3, 3)).astype(np.float32), np.zeros((2, 5, 5, 32), np.int8)
    for call, kind, text in (
        (lambda: aicjit.Conv2d(weights), ValueError, "x_scale and y_scale are needed"),
        (lambda: aicjit.Conv2d(weights[0], dtype="float16"), ValueError, "weights_oihw: has 3 axes, not 4"),
        (lambda: aicjit.Conv2d(weights, dtype="float32"), ValueError, "dtype: 'float32' is not int8 or float16"),
        (lambda: aicjit.Conv2d(weights, None, 1, 1)(x[:1]), ValueError, "int8 of 32 channels, not int8 of 40"),
        (lambda: aicjit.Conv2d(weights, None, 1, 1)(x.astype(np.int32)), TypeError, "x: is int32"),
        (lambda: aicjit.Conv2d(weights, None, 1, 1, pad=(1, 2)), ValueError, "pad: has 2 entries, not 4"),
        (lambda: aicjit.Conv2d(weights, None, 1, 1, relu=True, slope=0.1), ValueError, "exclude each other"),
        (lambda: aicjit.Conv2d(weights[:, :, :1, :1].repeat(7, 2), None, 1, 1)(x), ValueError,
         r"the window \[7, 1\] does not fit into 5 x 5"),
        (lambda: aicjit.max_pool(x, 6), ValueError, r"kernel: \[6, 6\] does not fit into 5 x 5"),
        (lambda: aicjit.max_pool(x[0], 2), ValueError, r"x: has the shape \[5, 5, 32\]"),
        (lambda: aicjit.max_pool(x, 1, 1, 2), NotImplementedError, "windows that see padding only"),
        (lambda: aicjit.average_pool(x, 1, 1, 2), NotImplementedError, "windows that see padding only"),
        (lambda: aicjit.to_blocks(np.zeros((5, 4, 4), np.float32), c0=4), ValueError, "int8 of 5 channels in blocks of 4"),
        (lambda: aicjit.to_blocks(np.zeros((4, 4), np.float32)), ValueError, r"not float32 \[C, H, W\]"),
    ):
        with pytest.raises(kind, match=text) as caught:
            call()
        assert isinstance(caught.value, aicjit.Error)
