"""Arrays as operands: what fits is passed as it is, what does not is refused with the operand's name."""

import ctypes as c

import numpy as np

from ._errors import OperandTypeError, OperandValueError

_from_buffer, _addressof = c.c_char.from_buffer, c.addressof
_WORDS = ("uint32", "int32", "float32")
_SUB_WORDS = {"int8": ("int8", "uint8"), "int16": ("int16", "uint16")}


def address_of(array):
    """The address of an array's elements."""
    try:
        return _addressof(_from_buffer(array))  # three times as fast; refuses what is read-only or empty
    except (TypeError, ValueError, BufferError):
        return array.ctypes.data


def _describe(array):
    return "%s[%s]" % (array.dtype.name, ",".join(map(str, array.shape)))


def _wanted(operand):
    return "%s[%s]" % (operand.dtype, ",".join(map(str, operand.shape)))


def _dtype_fits(operand, dtype):
    if dtype == operand.numpy_dtype:
        return True
    if not dtype.isnative:
        return False
    if operand.dtype == "bfloat16":
        return dtype.name == "bfloat16"  # a type of another package
    if operand.words:
        return dtype.name in _WORDS or dtype.name in _SUB_WORDS.get(operand.sub_words, ())
    return False


def _without_ones(shape, rank):
    """The shape without axes of 1 in front, as long as it has more than `rank` axes."""
    while len(shape) > rank and shape[0] == 1:
        shape = shape[1:]
    return shape


def _shape_fits(operand, array, is_output):
    """The operand's shape, perhaps behind axes of 1; one axis of as many elements. What is described by strides has any
    shape of as many bytes, as input of more; so have words."""
    if operand.strided or operand.words:
        return array.nbytes == operand.bytes or (operand.strided and not is_output and array.nbytes > operand.bytes)
    if _without_ones(array.shape, len(operand.shape)) == operand.shape:
        return True
    return array.shape == (operand.elements,) or (operand.fractals and array.ndim == 1 and array.size > operand.elements)


def _is_short(operand, array):
    """Whether only elements are missing that a file may lack: those at the end of the last fractal, which are zeros."""
    return array.ndim == 1 and 0 < operand.elements - array.size <= operand.spare


def refuse(subject, operand, array, is_output):
    """Raises what is wrong with an array for this operand; returns when nothing is."""
    name = operand.name
    if not isinstance(array, np.ndarray):
        kind = "None" if array is None else type(array).__name__
        raise OperandTypeError("%s: %s: is %s, not a NumPy array of %s" % (subject, name, kind, _wanted(operand)))
    if not _dtype_fits(operand, array.dtype):
        given = array.dtype.name if array.dtype.isnative else "%s of the other byte order" % array.dtype.name
        raise OperandTypeError("%s: %s: has elements of %s, not %s" % (subject, name, given, operand.dtype))
    if not _shape_fits(operand, array, is_output) and _is_short(operand, array):
        raise OperandValueError("%s: %s: is %s, not %s: it lacks rows of the last fractal, which numpy.pad(a, (0, %d)) adds"
                                % (subject, name, _describe(array), _wanted(operand), operand.elements - array.size))
    if not _shape_fits(operand, array, is_output):
        raise OperandValueError("%s: %s: is %s, not %s" % (subject, name, _describe(array), _wanted(operand)))
    if not array.flags.c_contiguous:
        raise OperandValueError("%s: %s: is not in C order without gaps: numpy.ascontiguousarray() makes a copy that is"
                                % (subject, name))
    if not array.flags.aligned:
        raise OperandValueError("%s: %s: its elements are not aligned" % (subject, name))
    if is_output and not array.flags.writeable:
        raise OperandValueError("%s: %s: is read-only" % (subject, name))


def scalar_array(operand, value):
    """An operand of one element given as a number."""
    return np.array(value).astype(operand.numpy_dtype).reshape(operand.shape)


def fit(subject, operand, array, is_output=False):
    """The array itself where it fits the operand, a new one for a number; raises otherwise."""
    if operand.elements == 1 and not is_output and isinstance(array, (int, float, np.number)):
        return scalar_array(operand, array)
    refuse(subject, operand, array, is_output)
    return array


def new_output(operand, inputs):
    """A new array for an output, zeros. What words are follows from the first input of words."""
    dtype = operand.numpy_dtype
    if operand.words:
        dtype = next((a.dtype for a in inputs if isinstance(a, np.ndarray) and a.dtype.name in _WORDS), dtype)
    return np.zeros(operand.shape, dtype)
