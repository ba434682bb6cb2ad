"""Specifications: operator text as values."""

import ctypes as c
import math
import struct

import numpy as np

from . import _lists
from ._context import semantics_of
from ._errors import ArgumentError
from ._library import check, lib
from ._structs import OPERANDS_MAX, OperandStruct, ResultLayout, SpecStruct

UNUSED, IN, OUT, INOUT = 0, 1, 2, 3

_DTYPE_NAMES = {value: name for name, (value, _) in _lists.DTYPES.items()}
_LAYOUT_FIELDS = {name: {field[1]: field for field in fields} for name, fields in _lists.OPERATORS.items()}


def numpy_dtype(name):
    """The type of NumPy in which elements of this type travel: bfloat16 as uint16."""
    return np.dtype("uint16" if name == "bfloat16" else name)


def dtype_name(dtype):
    """The library's name of an element type given by name or as a type of NumPy."""
    if isinstance(dtype, str) and dtype in _lists.DTYPES:
        return dtype
    if isinstance(dtype, str):
        return dtype  # an alias, or nothing: operator text is judged by the library
    return np.dtype(dtype).name


class Operand:
    """An operand of a specification: name, direction ("in", "out", "inout"), dtype, shape."""

    __slots__ = ("name", "direction", "dtype", "numpy_dtype", "shape", "elements", "bytes", "words", "sub_words", "strided",
                 "fractals", "spare")

    def __init__(self, struct):
        self.name = struct.name.decode()
        self.direction = ("unused", "in", "out", "inout")[struct.direction]
        self.dtype = _DTYPE_NAMES.get(struct.dtype, "none")
        self.numpy_dtype = numpy_dtype(self.dtype) if self.dtype != "none" else None
        self.shape = tuple(struct.shape[: struct.rank])
        self.elements, self.bytes = struct.elements, struct.bytes
        self.words, self.strided, self.fractals, self.spare = struct.words, struct.strided, struct.fractals, struct.spare
        self.sub_words = _DTYPE_NAMES.get(struct.sub_words)

    def __repr__(self):
        shape = ",".join(map(str, self.shape))
        return "%s: %s[%s], %s" % (self.name, self.dtype, shape, self.direction)


def _write_float32(value):
    """A number, or its 32 bits where text has no word for it."""
    if isinstance(value, str):
        return value
    single = np.float32(value)
    return repr(float(single)) if math.isfinite(single) else "0x%08x" % struct.unpack("<I", struct.pack("<f", single))


def _write_one(kind, value):
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if kind == "DTYPE":
        return dtype_name(value)
    if kind == "FLOAT32":
        return _write_float32(value)
    if kind == "REAL":
        return value if isinstance(value, str) else repr(float(value))
    if kind == "BITS" and not isinstance(value, str):
        return hex(int(value))
    return value if isinstance(value, str) else str(int(value))


def write_field(operator, name, value):
    """KEY=VALUE of operator text."""
    field = _LAYOUT_FIELDS[operator].get(name)
    if field is None:
        raise ArgumentError("%s: there is no parameter %s" % (operator, name))
    kind = field[0]
    if isinstance(value, (list, tuple, np.ndarray)):
        return "%s=[%s]" % (name, ",".join(_write_one(kind, entry) for entry in value))
    return "%s=%s" % (name, _write_one(kind, value))


class Spec:
    """One operator, or a chain of operators that is one kernel. `a | b` is the chain of both; str() is operator text.

    Made by op(), or by Spec(TEXT). Equal texts are equal specifications.
    """

    def __init__(self, text):
        self._text = str(text)
        self._struct = None

    def __str__(self):
        return self._text

    def __repr__(self):
        return "aicjit.Spec(%r)" % self._text

    def __eq__(self, other):
        return isinstance(other, Spec) and self._text == other._text

    def __hash__(self):
        return hash(self._text)

    def __or__(self, other):
        return Spec("%s | %s" % (self, other)) if isinstance(other, (Spec, str)) else NotImplemented

    def __ror__(self, other):
        return Spec("%s | %s" % (other, self)) if isinstance(other, str) else NotImplemented

    @property
    def pointer(self):
        """What functions of the library take."""
        if self._struct is None:
            made = SpecStruct()
            check(lib.aic_spec_parse(self._text.encode(), c.byref(made)))
            self._struct = made
        return c.byref(self._struct)

    @property
    def subject(self):
        """The names of the operators, as in the library's messages."""
        names = list(_lists.OPERATORS)
        self.pointer
        return " | ".join(names[stage.op - 1] for stage in self._struct.stage[: self._struct.count])

    @property
    def canonical(self):
        """Operator text with every key."""
        length = c.c_size_t()
        check(lib.aic_spec_print(self.pointer, None, 0, c.byref(length)))
        buffer = c.create_string_buffer(length.value + 1)
        check(lib.aic_spec_print(self.pointer, buffer, len(buffer), None))
        return buffer.value.decode()

    @property
    def exact(self):
        """Whether the result is defined bit for bit."""
        return lib.aic_spec_exact(self.pointer)

    def operands(self, context=None):
        """The operands in calling order, the output first, those included that this descriptor does not take."""
        found, count = (OperandStruct * OPERANDS_MAX)(), c.c_size_t()
        check(lib.aic_spec_operands(self.pointer, semantics_of(context), found, c.byref(count)))
        return [Operand(operand) for operand in found[: count.value]]

    def work(self, context=None):
        """Multiply-accumulates of a call, and the bytes that it reads and writes."""
        macs, amount = c.c_int64(), c.c_int64()
        check(lib.aic_spec_work(self.pointer, semantics_of(context), c.byref(macs), c.byref(amount)))
        return macs.value, amount.value

    def result_layout(self, context=None):
        """The layout in which the result lies, and its shape, e.g. ("NC1HWC0", (1, 4, 56, 56, 16))."""
        found = ResultLayout()
        check(lib.aic_spec_result_layout(self.pointer, semantics_of(context), c.byref(found)))
        return found.name.decode(), tuple(found.shape[: found.rank])


def op(name, **fields):
    """An operator with these parameters, by the documents' names: op("conv2d", dtype="int8", fm_shape=[...], ...)."""
    if name not in _lists.OPERATORS:
        raise ArgumentError("%s: there is no such operator; there are %s" % (name, ", ".join(_lists.OPERATORS)))
    given = [write_field(name, field, value) for field, value in fields.items() if value is not None]
    return Spec("%s(%s)" % (name, ", ".join(given)))


def spec_of(value):
    """A Spec of what may be one or operator text."""
    if isinstance(value, Spec):
        return value
    if isinstance(value, str):
        return Spec(value)
    raise TypeError("a specification is operator text or made by op(), not %s" % type(value).__name__)
