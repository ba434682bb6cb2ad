"""Pictures, weights and quantisation words in the layouts of the operators."""

import ctypes as c

import numpy as np

from . import _lists
from ._arrays import address_of
from ._errors import OperandTypeError, OperandValueError
from ._library import check, lib


def _array(subject, name, array, dtypes, rank):
    """The array, in C order; raises where type or rank are wrong."""
    if not isinstance(array, np.ndarray) or array.dtype.name not in dtypes or not array.dtype.isnative:
        given = array.dtype.name if isinstance(array, np.ndarray) else type(array).__name__
        raise OperandTypeError("%s: %s: is %s, not an array of %s" % (subject, name, given, " or ".join(dtypes)))
    if array.ndim != rank:
        raise OperandValueError("%s: %s: has %d axes, not %d" % (subject, name, array.ndim, rank))
    return np.ascontiguousarray(array)


def pack_picture(picture, *, c0=32, zero_point=0):
    """Packs uint8 pixels [H, W, C] or [N, H, W, C] as int8 [C1, H, W, c0] or [N, C1, H, W, c0], conv2d's feature_map:
    every value less zero_point, clamped to -128..127; channels past C are 0. c0: 4 or 32."""
    if isinstance(picture, np.ndarray) and picture.ndim == 3:
        return pack_picture(picture[np.newaxis], c0=c0, zero_point=zero_point)[0]
    picture = _array("pack_picture", "picture", picture, ("uint8",), 4)
    shape, size = (c.c_int64 * 4)(*picture.shape), c.c_size_t()
    check(lib.aic_pack_picture_bytes(shape, c0, c.byref(size)))
    n, h, w, channels = picture.shape
    packed = np.empty((n, -(-channels // c0), h, w, c0), np.int8)
    check(lib.aic_pack_picture(address_of(picture), shape, c0, zero_point, address_of(packed)))
    return packed


def pack_weights(weights, *, c0=None):
    """Packs weights [O, I, Kh, Kw] of int8 or float16 as [C1, Kh, Kw, O', c0], conv2d's weight, O' being O rounded up to
    a multiple of 16; what is past O and I is 0. c0: 4, or by default the elements of 32 bytes."""
    weights = _array("pack_weights", "weights", weights, ("int8", "float16"), 4)
    c0 = 32 // weights.itemsize if c0 is None else c0
    dtype = _lists.DTYPES[weights.dtype.name][0]
    shape, size = (c.c_int64 * 4)(*weights.shape), c.c_size_t()
    check(lib.aic_pack_weights_bytes(dtype, shape, c0, c.byref(size)))
    o, i, kh, kw = weights.shape
    packed = np.empty((-(-i // c0), kh, kw, -(-o // 16) * 16, c0), weights.dtype)
    check(lib.aic_pack_weights(dtype, address_of(weights), shape, c0, address_of(packed)))
    return packed


def quant_word(scale, offset=0, dtype="int8"):
    """The quantisation word of a scale (its low 13 bits cut off) and an offset (-256..255), for results of int8 or
    uint8."""
    if dtype not in ("int8", "uint8"):
        raise OperandValueError("quant_word: dtype: %r is neither int8 nor uint8" % (dtype,))
    return lib.aic_quant_word(scale, offset, dtype == "int8")


def quant_words(scale, offset=0, dtype="int8"):
    """Quantisation words, uint64, of the scales and offsets of channels: numbers or arrays that fit each other."""
    scale, offset = np.broadcast_arrays(np.asarray(scale, np.float32), np.asarray(offset))
    words = [quant_word(float(s), int(o), dtype) for s, o in zip(scale.ravel(), offset.ravel())]
    return np.array(words, np.uint64).reshape(scale.shape)


def unpack_accumulators(dst, height, width):
    """The result of conv2d, [Cout/16, round_howo, 16], as an image [height, width, Cout]; a copy."""
    blocks = dst.shape[0]
    image = dst[:, : height * width].reshape(blocks, height, width, 16)
    return np.ascontiguousarray(image.transpose(1, 2, 0, 3)).reshape(height, width, blocks * 16)
