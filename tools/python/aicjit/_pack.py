"""Pictures, weights and quantisation words in the layouts of the operators."""

import ctypes as c

import numpy as np

from . import _lists
from ._arrays import Pointers, as_array
from ._errors import OperandTypeError, OperandValueError
from ._library import check, lib
from ._values import choice, integer, number


def _array(subject, name, array, dtypes, rank):
    """The array, in C order; raises where type or rank are wrong."""
    array = as_array(subject, name, array, "an array of %s" % " or ".join(dtypes))
    if array.dtype.name not in dtypes or not array.dtype.isnative:
        raise OperandTypeError("%s: %s: is %s, not an array of %s" % (subject, name, array.dtype.name, " or ".join(dtypes)))
    if array.ndim != rank:
        raise OperandValueError("%s: %s: has %d axes, not %d" % (subject, name, array.ndim, rank))
    return np.ascontiguousarray(array)


def _pack(function, array, shape, dtype, before, after):
    """The packed array of one of the library's functions, whose arguments are these and the addresses between them."""
    packed, pointers = np.empty(shape, dtype), Pointers(2)
    addresses = pointers.set(0, array), pointers.set(1, packed)
    check(function(*before, addresses[0], *after, addresses[1]))
    return packed


def _channels_last(picture, layout):
    """Pixels [N, H, W, C] of pixels in a layout. Without one they are taken as they are, unless they look otherwise."""
    if layout is None:
        if picture.shape[3] > 4 and picture.shape[1] in (1, 3, 4):
            raise OperandValueError("pack_picture: picture: %s looks like [N, C, H, W]: say layout=\"NCHW\" if it is, "
                                    "layout=\"NHWC\" if it is not" % list(picture.shape))
        layout = "NHWC"
    axes = choice("pack_picture: layout", layout, {"NHWC": (0, 1, 2, 3), "NCHW": (0, 2, 3, 1)})
    return np.ascontiguousarray(picture.transpose(axes))


def pack_picture(picture, *, c0=32, zero_point=0, layout=None):
    """Packs uint8 pixels [H, W, C] or [N, H, W, C] as int8 [C1, H, W, c0] or [N, C1, H, W, c0], conv2d's feature_map:
    every value less zero_point, clamped to -128..127; channels past C are 0. c0: 4 or 32. layout: "NHWC", or "NCHW" for
    pixels [C, H, W] or [N, C, H, W]; by default "NHWC", and pixels whose shape looks like the other are refused."""
    picture = as_array("pack_picture", "picture", picture, "an array of uint8")
    if picture.ndim == 3:
        return pack_picture(picture[np.newaxis], c0=c0, zero_point=zero_point, layout=layout)[0]
    picture = _channels_last(_array("pack_picture", "picture", picture, ("uint8",), 4), layout)
    c0 = integer("pack_picture: c0", c0)
    zero_point = integer("pack_picture: zero_point", zero_point, 0, 255)
    shape, size = (c.c_int64 * 4)(*picture.shape), c.c_size_t()
    check(lib.aic_pack_picture_bytes(shape, c0, c.byref(size)))
    n, h, w, channels = picture.shape
    packed = (n, -(-channels // c0), h, w, c0)
    return _pack(lib.aic_pack_picture, picture, packed, np.int8, (), (shape, c0, zero_point))


def pack_weights(weights, *, c0=None):
    """Packs weights [O, I, Kh, Kw] of int8 or float16 as [C1, Kh, Kw, O', c0], conv2d's weight, O' being O rounded up to
    a multiple of 16; what is past O and I is 0. c0: by default the elements of 32 bytes, or 4; for groups
    of fewer channels I (1: depthwise) a smaller power of two that is at least I."""
    weights = _array("pack_weights", "weights", weights, ("int8", "float16"), 4)
    c0 = 32 // weights.itemsize if c0 is None else integer("pack_weights: c0", c0)
    dtype = _lists.DTYPES[weights.dtype.name][0]
    shape, size = (c.c_int64 * 4)(*weights.shape), c.c_size_t()
    check(lib.aic_pack_weights_bytes(dtype, shape, c0, c.byref(size)))
    o, i, kh, kw = weights.shape
    packed = (-(-i // c0), kh, kw, -(-o // 16) * 16, c0)
    return _pack(lib.aic_pack_weights, weights, packed, weights.dtype, (dtype,), (shape, c0))


def _word(scale, offset, is_signed):
    word = c.c_uint64()
    check(lib.aic_quant_word(scale, offset, is_signed, c.byref(word)))
    return word.value


def quant_word(scale, offset=0, dtype="int8"):
    """The quantisation word of a scale and an offset (-256..255), for results of int8 or uint8. The scale is rounded to
    the nearest of 11 significant bits; 0, negative and subnormal scales, infinities and NaN are refused."""
    is_signed = choice("quant_word: dtype", dtype, {"int8": True, "uint8": False})
    return _word(number("quant_word: scale", scale), integer("quant_word: offset", offset, -256, 255), is_signed)


def _numbers(name, values, kinds):
    """An array of numbers of the given kinds of NumPy's types."""
    try:
        array = np.asarray(values)
    except ValueError as error:  # lists of several lengths
        raise OperandValueError("quant_words: %s: %s" % (name, error)) from error
    if array.dtype.kind not in kinds:
        raise OperandTypeError("quant_words: %s: is of %s, not of %s"
                               % (name, array.dtype, "numbers" if "f" in kinds else "integers"))
    return array


def quant_words(scale, offset=0, dtype="int8"):
    """Quantisation words, uint64, of the scales and offsets of channels: numbers or arrays that fit each other."""
    scale, offset = _numbers("scale", scale, "fiu"), _numbers("offset", offset, "iu")
    try:
        scale, offset = np.broadcast_arrays(scale, offset)
    except ValueError as error:
        raise OperandValueError("quant_words: offset: is of shape %s, which does not fit %s of scale"
                                % (list(offset.shape), list(scale.shape))) from error
    is_signed = choice("quant_word: dtype", dtype, {"int8": True, "uint8": False})
    pairs = list(zip(scale.ravel().tolist(), offset.ravel().tolist()))
    for o in set(offset.ravel().tolist()):
        integer("quant_word: offset", o, -256, 255)
    words = {(s, o): _word(s, o, is_signed) for s, o in dict.fromkeys(pairs)}
    return np.array([words[pair] for pair in pairs], np.uint64).reshape(scale.shape)


def unpack_accumulators(dst, height, width):
    """The result of conv2d, [Cout/16, round_howo, 16], as an image [height, width, Cout]; a copy."""
    dst = as_array("unpack_accumulators", "dst", dst)
    height, width = integer("unpack_accumulators: height", height, 1), integer("unpack_accumulators: width", width, 1)
    if dst.ndim != 3 or dst.shape[2] != 16 or dst.shape[1] < height * width:
        raise OperandValueError("unpack_accumulators: dst: is of shape %s, not [Cout/16, %d or more, 16]"
                                % (list(dst.shape), height * width))
    blocks = dst.shape[0]
    image = dst[:, : height * width].reshape(blocks, height, width, 16)
    return np.ascontiguousarray(image.transpose(1, 2, 0, 3)).reshape(height, width, blocks * 16)
