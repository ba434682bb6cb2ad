"""Arrays as operands: what fits is passed as it is, what does not is refused with the operand's name."""

import ctypes as c
import math

import numpy as np

from ._errors import ArgumentTypeError, OperandTypeError, OperandValueError
from ._values import integer, is_bfloat16, is_integer, is_number, kind_of, number, shown

_from_buffer, _addressof = c.c_char.from_buffer, c.addressof
_WORDS = ("uint32", "int32", "float32")
_SUB_WORDS = {"int8": ("int8", "uint8"), "int16": ("int16", "uint16")}


def address_of(array):
    """The address of an array's elements. The array must live as long as the address is used: Pointers sees to that."""
    try:
        return _addressof(_from_buffer(array))  # three times as fast; refuses what is read-only or empty
    except (TypeError, ValueError, BufferError):
        return array.ctypes.data


class Pointers:
    """Addresses of operands for the library, which keep the arrays that they point to."""

    def __init__(self, count):
        self.array = (c.c_void_p * count)()
        self.kept = []

    def set(self, i, array):
        """Points an entry to an array, and returns the address."""
        self.kept.append(array)
        self.array[i] = address = address_of(array)
        return address


def describe(array):
    """An array in messages: type and shape."""
    return "%s[%s]" % (array.dtype.name, ",".join(map(str, array.shape)))


def _wanted(operand):
    return "%s[%s]" % (operand.dtype, ",".join(map(str, operand.shape)))


def _dtype_fits(operand, dtype):
    if dtype == operand.numpy_dtype:
        return True
    if not dtype.isnative:
        return False
    if operand.dtype == "bfloat16":
        return is_bfloat16(dtype)
    if operand.words:
        if operand.strided and operand.dtype == "float32":  # integers would be taken for the bits of floats
            return False
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
    if operand.fractals and not is_output and array.ndim == 1 and array.size > operand.elements:
        return True
    return array.shape == (operand.elements,) or array.size == operand.elements == 1


def _view(value):
    """A view of what has DLPack, __array_interface__ or the buffer protocol; None of the rest."""
    kind = type(value)
    if hasattr(kind, "__dlpack__"):
        return np.from_dlpack(value)
    if hasattr(value, "__array_interface__") and not isinstance(value, type):  # an instance may have it, too
        return np.asarray(value)
    try:
        memory = memoryview(value)
    except TypeError:
        return None
    return np.asarray(memory)


def as_array(subject, name, value, wanted="an array"):
    """The value as an array of NumPy's own type, without a copy; raises where it has no memory to look at. Lists have
    none: what type their numbers have would be a guess."""
    if type(value) is np.ndarray:
        return value
    if isinstance(value, np.ma.MaskedArray):
        raise OperandTypeError("%s: %s: is a masked array: numpy.ma.filled() makes one without a mask" % (subject, name))
    if isinstance(value, (np.ndarray, np.generic)):
        return np.asarray(value)
    try:
        view = _view(value)
    except Exception as error:
        raise OperandTypeError("%s: %s: %s cannot be looked at as an array: %s"
                               % (subject, name, kind_of(value), error)) from error
    if view is None:
        has_one = isinstance(value, (list, tuple)) or hasattr(type(value), "__array__")
        mend = ": numpy.asarray() makes one" if has_one else ""
        raise OperandTypeError("%s: %s: is %s, not %s%s" % (subject, name, kind_of(value), wanted, mend))
    return view


def _type_fault(operand, dtype):
    """What is wrong with elements of this type, or None."""
    if _dtype_fits(operand, dtype):
        return None
    if not dtype.isnative:
        return "has elements of %s of the other byte order, not %s: array.astype(%r) turns them" \
            % (dtype.name, operand.dtype, dtype.name)
    if operand.words and dtype.name in _WORDS:
        return "has elements of %s, not %s: array.astype('float32') has the same numbers, array.view('float32') the " \
            "same bits" % (dtype.name, operand.dtype)
    return "has elements of %s, not %s" % (dtype.name, operand.dtype)


def _is_short(operand, array):
    """Whether only elements are missing that a file may lack: those at the end of the last fractal, which are zeros."""
    return array.ndim == 1 and 0 < operand.elements - array.size <= operand.spare


def refuse(subject, operand, array, is_output):
    """Raises what is wrong with an array for this operand; returns when nothing is."""
    name = "out (%s)" % operand.name if is_output else operand.name
    fault = _type_fault(operand, array.dtype)
    if fault is not None:
        raise OperandTypeError("%s: %s: %s" % (subject, name, fault))
    if not _shape_fits(operand, array, is_output) and _is_short(operand, array):
        raise OperandValueError("%s: %s: is %s, not %s: it lacks rows of the last fractal, which numpy.pad(a, (0, %d)) adds"
                                % (subject, name, describe(array), _wanted(operand), operand.elements - array.size))
    if not _shape_fits(operand, array, is_output):
        raise OperandValueError("%s: %s: is %s, not %s" % (subject, name, describe(array), _wanted(operand)))
    if not array.flags.c_contiguous:
        raise OperandValueError("%s: %s: is not in C order without gaps: numpy.ascontiguousarray() makes a copy that is"
                                % (subject, name))
    if not array.flags.aligned:
        raise OperandValueError("%s: %s: its elements are not aligned: array.copy() makes a copy whose elements are"
                                % (subject, name))
    if is_output and not array.flags.writeable:
        raise OperandValueError("%s: %s: is read-only" % (subject, name))


# ---- numbers ----


def _bfloat16_bits(value):
    """The bits of the nearest bfloat16, ties to even."""
    with np.errstate(over="ignore"):
        single = np.float32(value)
    if np.isnan(single):
        return np.uint16((int(single.view(np.uint32)) >> 16) | 0x40)
    if abs(float(single)) > abs(value):
        single = np.nextafter(single, np.float32(0))
    bits = int(single.view(np.uint32)) | (float(single) != value)  # rounded to odd: what is rounded again is right
    return np.uint16((bits + 0x7FFF + (bits >> 16 & 1)) >> 16)


def _float_element(subject, dtype, value):
    """A number as an element of a floating-point type, bfloat16 as its bits."""
    wide = number(subject, value)
    if dtype == "bfloat16":
        element = _bfloat16_bits(wide)
        overflow = element & 0x7FFF == 0x7F80
    else:
        with np.errstate(over="ignore"):
            element = np.dtype(dtype).type(value if isinstance(value, np.floating) else wide)
        overflow = np.isinf(element)
    if overflow and math.isfinite(wide):
        raise OperandValueError("%s: %s is larger than any %s" % (subject, shown(value), dtype))
    return element


def _word_element(subject, value):
    """A number for words that are bits: an integer, or the bits of a float32."""
    if not is_integer(value):
        return _float_element(subject, "float32", value)
    return np.uint32(integer(subject, value, -(2**31), 2**32 - 1) & 0xFFFFFFFF)


def number_array(subject, operand, value):
    """An operand of one element given as a number."""
    subject = "%s: %s" % (subject, operand.name)
    if operand.dtype in ("float16", "bfloat16", "float32"):
        element = _float_element(subject, operand.dtype, value)
    elif operand.words and operand.sub_words is None:
        element = _word_element(subject, value)
    else:
        limits = np.iinfo(operand.numpy_dtype)
        element = operand.numpy_dtype.type(integer(subject, value, int(limits.min), int(limits.max)))
    return np.array(element).reshape(operand.shape)


def fit(subject, operand, value, is_output=False):
    """The array of what is given for an operand, a view where it is in the caller's memory, a new one for a number;
    raises where it does not fit. The caller keeps it for as long as the library uses its address."""
    if type(value) is not np.ndarray:
        is_element = isinstance(value, np.generic) and _dtype_fits(operand, value.dtype)
        if operand.elements == 1 and not is_output and not is_element and is_number(value):
            return number_array(subject, operand, value)
        name = "out (%s)" % operand.name if is_output else operand.name
        value = as_array(subject, name, value, "an array of %s" % _wanted(operand))
    refuse(subject, operand, value, is_output)
    return value


def has_free_type(operand):
    """Whether words of an operand are of the type that others are."""
    return operand.words and not (operand.strided and operand.dtype == "float32")


def new_output(operand, inputs, shape=None):
    """A new array for an output, zeros, of a shape. What words are follows from the first input of words."""
    dtype = operand.numpy_dtype
    if has_free_type(operand):
        dtype = next((a.dtype for a in inputs if isinstance(a, np.ndarray) and a.dtype.name in _WORDS), dtype)
    return np.zeros(operand.shape if shape is None else shape, dtype)


def _by_name(subject, operands, inputs, named):
    """Inputs in calling order, some of them given by name."""
    used = [operand.name for operand in operands[1:] if operand.direction != "unused"]
    found = dict(zip(used, inputs))
    for name, value in named.items():
        if name == operands[0].name:
            raise ArgumentTypeError("%s: %s: is the output: give it as out" % (subject, name))
        if name in found:
            raise ArgumentTypeError("%s: %s: is given twice" % (subject, name))
        found[name] = value
    if len(inputs) <= len(used) and all(name in found for name in used):
        return [found.pop(name) for name in used], found
    return list(inputs), named


def arrange(subject, operands, inputs, named):
    """What is given for the operands that a call takes, in calling order. operands: all, the output first; inputs: in
    calling order, perhaps with None for those that are not taken; named: inputs by name."""
    used = [operand for operand in operands[1:] if operand.direction != "unused"]
    others = {}
    if named:
        inputs, others = _by_name(subject, operands, inputs, named)
    elif len(inputs) != len(used) and len(inputs) == len(operands) - 1:
        others = {operand.name: value for operand, value in zip(operands[1:], inputs) if operand not in used}
        inputs = [value for operand, value in zip(operands[1:], inputs) if operand in used]
    for name, value in others.items():
        if name not in [operand.name for operand in operands]:
            raise ArgumentTypeError("%s: there is no operand %s" % (subject, name))
        if value is not None and name not in [operand.name for operand in used]:
            raise OperandValueError("%s: %s: is given, but this descriptor takes none" % (subject, name))
    if len(inputs) != len(used):
        names = ", ".join(operand.name for operand in used)
        raise ArgumentTypeError("%s: %d inputs given, %d needed: %s" % (subject, len(inputs) + len(named), len(used), names))
    return inputs
