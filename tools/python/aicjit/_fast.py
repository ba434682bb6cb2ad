"""Calls whose operands fit as they are, looked at in C: libaicjit-python.so, made of tools/python/call.c. Where this Python's
objects lie otherwise than it supposes, or the file is missing, every call is looked at in Python, which takes longer."""

import ctypes as c
import sys

import numpy as np

from ._arrays import _WORDS, _dtype_fits
from ._library import lib, load_own
from ._structs import NAMES, OPERANDS_MAX, RANK_MAX

_DTYPES_MAX = 6
_NAME = "libaicjit-python.so"


class _Fields(c.Structure):
    _fields_ = [("data", c.c_void_p), ("rank", c.c_int), ("shape", c.POINTER(c.c_int64)), ("strides", c.c_void_p),
                ("base", c.c_void_p), ("dtype", c.c_void_p), ("flags", c.c_int)]


class _Places(c.Structure):
    _fields_ = [("head", c.c_size_t), ("packed_array", c.c_size_t), ("packed_kind", c.c_size_t),
                ("array_type", c.c_void_p), ("packed_type", c.c_void_p), ("absent", c.c_void_p)]


class _CallOperand(c.Structure):
    _fields_ = [("dtypes", c.c_void_p * _DTYPES_MAX), ("bytes", c.c_int64), ("rank", c.c_int64),
                ("shape", c.c_int64 * RANK_MAX), ("item_bytes", c.c_int64 * _DTYPES_MAX), ("number", c.c_int64),
                ("packed_kind", c.c_void_p), ("packed", c.c_int64)]


class _Call(c.Structure):
    _fields_ = [("places", c.POINTER(_Places)), ("kernel", c.c_void_p), ("call", c.c_void_p), ("call_packed", c.c_void_p),
                ("taken", c.c_int64), ("count", c.c_int64), ("operand", _CallOperand * OPERANDS_MAX)]


NAMES.update({"python_array_fields": _Fields, "python_object_places": _Places, "python_call_operand": _CallOperand,
              "python_call": _Call})


class Absent:
    """Stands for an operand that is not given by its name."""

    def __repr__(self):
        return "<not given>"


ABSENT = Absent()


def _does_not_fit(given):
    return -1


def _agrees(library, places, array):
    """Whether C sees in an array what Python says of it. What comes first is compared first."""
    seen, items, first, kind, call = _Fields(), c.c_int64(), c.c_void_p(), c.c_void_p(), c.c_void_p()
    given = (_Call(), None, (array, None), ABSENT)
    library.aic_python_look(c.byref(places), c.c_void_p(id(array)), c.byref(seen), c.c_void_p(id(given)), c.byref(items),
                            c.byref(first), c.byref(kind), c.byref(call))
    return (kind.value, items.value, first.value, call.value, seen.data, seen.rank, seen.dtype, seen.flags) \
        == (id(type(array)), 2, id(array), c.addressof(given[0]), array.ctypes.data, array.ndim, id(array.dtype),
            array.flags.num) \
        and tuple(seen.shape[: seen.rank]) == array.shape


def _place_in(value, address):
    """Where an object has a slot with this address."""
    words = (c.c_void_p * (type(value).__basicsize__ // c.sizeof(c.c_void_p))).from_address(id(value))
    return c.sizeof(c.c_void_p) * list(words).index(address)


def _samples():
    yield np.arange(60, dtype=np.int16).reshape(3, 4, 5)
    yield np.zeros((2, 3), np.float32)[:, ::2]
    yield np.ones((7,), np.uint64)
    frozen = np.ones((2, 1, 3), np.int8)
    frozen.flags.writeable = False
    yield frozen


def timer():
    """The function of C that makes so many calls and says how many nanoseconds they take, or minus the status of the first that
    fails; None without the file."""
    library = load_own(_NAME)
    if library is None:
        return None
    library.aic_python_time.argtypes = c.c_void_p, c.c_void_p, c.c_void_p, c.c_size_t, c.c_int64
    library.aic_python_time.restype = c.c_int64
    return lambda run, *call: library.aic_python_time(c.cast(run, c.c_void_p), *call)


class FastCalls:
    """The function of C, if there is one for this Python: call((what of() gives or `nothing`, the output, the tuple of
    inputs in calling order, for every input what is given by name or ABSENT)) is the library's status, or negative where
    nothing was done. packed: an object of the type that pack() makes."""

    def __init__(self, packed):
        self.call, self.exists, self.nothing = _does_not_fit, False, _Call()
        library = load_own(_NAME) if sys.implementation.name == "cpython" and np.intp().itemsize == 8 else None
        if library is None:
            return
        self._places = _Places(object.__basicsize__, _place_in(packed, id(packed._array)), _place_in(packed, id(packed._kind)),
                               id(np.ndarray), id(type(packed)), id(ABSENT))
        library.aic_python_start(c.c_size_t(object.__basicsize__), c.c_size_t(tuple.__basicsize__),
                                 c.c_size_t(_place_in(self.nothing, c.addressof(self.nothing))))
        if all(_agrees(library, self._places, array) for array in _samples()):
            self.call, self.exists = library.aic_python_call, True
            self.call.argtypes, self.call.restype = (c.py_object,), c.c_int

    def of(self, handle, operands, kinds):
        """What C knows of a kernel; it holds the kernel. operands: all of the library's; kinds: what pack() makes for
        each, and whether it is an image."""
        if not self.exists:
            return self.nothing
        made = _Call(c.pointer(self._places), handle.value, _address(lib.aic_kernel_call),
                     _address(lib.aic_kernel_call_packed), 0, len(operands))
        for i, operand in enumerate(operands):
            if i > 0 and operand.direction == "unused":
                continue
            _describe(made.operand[made.taken], operand)
            made.operand[made.taken].number = i
            if i in kinds:
                kind, made.operand[made.taken].packed = kinds[i]
                made.operand[made.taken].packed_kind = id(kind)
            made.taken += 1
        made.keeps = handle, kinds
        return made


def _address(function):
    return c.cast(function, c.c_void_p).value


def _describe(place, operand):
    """Element types, and bytes or shape, of the arrays that are taken without a further look."""
    any_shape = operand.strided or operand.words
    names = [*_WORDS, "int8", "uint8", "int16", "uint16"] if any_shape else []
    dtypes = list(dict.fromkeys([operand.numpy_dtype, *map(np.dtype, names)]))
    for k, dtype in enumerate(dtype for dtype in dtypes if _dtype_fits(operand, dtype)):
        place.dtypes[k], place.item_bytes[k] = id(dtype), dtype.itemsize
    place.bytes, place.rank = operand.bytes if any_shape else -1, len(operand.shape)
    place.shape[: len(operand.shape)] = operand.shape
