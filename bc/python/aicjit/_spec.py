"""Specifications: operator text as values."""

import collections
import ctypes as c
import math
import re

import numpy as np

from . import _lists
from ._context import semantics_of
from ._errors import ArgumentError, ArgumentTypeError, Status
from ._html import html_text
from ._library import SpecHandle, check, lib
from ._structs import OPERANDS_MAX, OperandStruct, ResultLayout
from ._values import choice, integer, is_integer, kind_of, number, shown, text, truth

_DTYPE_NAMES = {value: name for name, (value, _) in _lists.DTYPES.items()}
_LAYOUT_FIELDS = {name: {field[1]: field for field in fields} for name, fields in _lists.OPERATORS.items()}


def numpy_dtype(name):
    """The type of NumPy in which elements of this type travel: bfloat16 as uint16."""
    return np.dtype("uint16" if name == "bfloat16" else name)


def dtype_name(dtype):
    """The library's name of an element type given by name or as a type of NumPy."""
    if isinstance(dtype, str):
        return dtype  # an alias, or nothing: operator text is judged by the library
    return np.dtype(dtype).name


_OPERAND = ("name", "direction", "dtype", "numpy_dtype", "shape", "elements", "bytes", "words", "sub_words", "strided",
            "fractals", "spare")


class Operand(collections.namedtuple("Operand", _OPERAND)):
    """An operand of a specification: name, direction ("in", "out", "inout"), dtype, shape."""

    __slots__ = ()

    @classmethod
    def _of(cls, struct):
        dtype = _DTYPE_NAMES.get(struct.dtype, "none")
        return cls(struct.name.decode(), ("unused", "in", "out", "inout")[struct.direction], dtype,
                   numpy_dtype(dtype) if dtype != "none" else None, tuple(struct.shape[: struct.rank]), struct.elements,
                   struct.bytes, struct.words, _DTYPE_NAMES.get(struct.sub_words), struct.strided, struct.fractals, struct.spare)

    def __repr__(self):
        shape = ",".join(map(str, self.shape))
        return "%s: %s[%s], %s" % (self.name, self.dtype, shape, self.direction)


# Text that may stand for a number: bits, a quantisation word, "none", "dyn".
_NUMBER_TEXT = re.compile(r"[-+.?\w]+|quant\([-+.,\w ]*\)")


def _number_text(subject, value):
    if not _NUMBER_TEXT.fullmatch(value):
        raise ArgumentError("%s: %s is no number" % (subject, shown(value)))
    return value


def _write_float32(subject, value):
    """A number, or its 32 bits where text has no word for it."""
    if isinstance(value, str):
        return _number_text(subject, value)
    wide = number(subject, value)
    with np.errstate(over="ignore"):
        single = np.float32(value if isinstance(value, np.floating) else wide)
    if math.isfinite(wide) and not math.isfinite(single):
        raise ArgumentError("%s: %s is larger than any float32" % (subject, shown(value)))
    return repr(float(single)) if math.isfinite(single) else "0x%08x" % single.view(np.uint32)


def _write_dtype(subject, value):
    try:
        name = dtype_name(value)
    except (TypeError, ValueError):
        raise ArgumentTypeError("%s: %s is %s, not an element type" % (subject, shown(value), kind_of(value))) from None
    if not re.fullmatch(r"\w+", name):
        raise ArgumentError("%s: %s is no element type" % (subject, shown(value)))
    return name


def _write_size(subject, value):
    return _number_text(subject, value) if isinstance(value, str) else str(integer(subject, value))


def _write_bits(subject, value):
    return _number_text(subject, value) if isinstance(value, str) else hex(integer(subject, value, 0, 2**64 - 1))


def _write_word(kind, subject, value):
    words = _lists.ENUMS[kind]
    if "0" in words and is_integer(value):  # words of this kind are numbers, too
        value = str(value)
    choice(subject, value, words)
    return value


_WRITERS = {
    "BITS": _write_bits,
    "BOOL": lambda subject, value: "true" if truth(subject, value) else "false",
    "DIMS": lambda subject, value: str(integer(subject, value)),
    "DTYPE": _write_dtype,
    "FLOAT32": _write_float32,
    "INT": lambda subject, value: str(integer(subject, value)),
    "REAL": lambda subject, value: repr(number(subject, value)),
    "SIZE": _write_size,
}


def _write_one(kind, subject, value):
    return _WRITERS[kind](subject, value) if kind in _WRITERS else _write_word(kind, subject, value)


def _is_list(value):
    return isinstance(value, (list, tuple, range)) or (isinstance(value, np.ndarray) and value.ndim == 1)


def _entries(subject, kind, count, value, uniform):
    """The entries of a parameter that has several, as a list."""
    if uniform and is_integer(value):
        return [value] * count
    if not _is_list(value):
        raise ArgumentTypeError("%s: %s is %s, not a list of %d integers" % (subject, shown(value), kind_of(value), count))
    if len(value) == count or kind == "DIMS":
        return list(value)
    if uniform and len(value) == 2 and value[0] == value[1]:
        return [value[0]] * count
    unclear = ": which entry is for which side is not clear" if uniform and len(value) == 2 else ""
    raise ArgumentError("%s: %s has %d entries, not %d%s" % (subject, shown(value), len(value), count, unclear))


def write_field(operator, name, value):
    """KEY=VALUE of operator text."""
    field = _LAYOUT_FIELDS[operator].get(name)
    if field is None:
        raise ArgumentError("%s: there is no parameter %s" % (operator, name))
    kind, count, subject = field[0], field[2], "%s: %s" % (operator, name)
    if count == 1:
        return "%s=%s" % (name, _write_one(kind, subject, value))
    entries = _entries(subject, kind, count, value, (operator, name) in _lists.UNIFORM)
    return "%s=[%s]" % (name, ",".join(_write_one(kind, subject, entry) for entry in entries))


class Spec:
    """One operator, or a chain of operators that is one kernel. `a | b` is the chain of both; str() is operator text.

    Made by op(), or by Spec(TEXT). Equal texts are equal specifications.
    """

    def __init__(self, operators):
        if not isinstance(operators, (str, Spec)):
            raise ArgumentTypeError("%s is %s, not operator text" % (shown(operators), kind_of(operators)))
        self._text = str(operators)
        self._handle = None

    def __reduce__(self):
        return Spec, (self._text,)

    def __str__(self):
        return self._text

    def __repr__(self):
        return "aicjit.Spec(%r)" % self._text

    def _repr_html_(self):
        return html_text(self._text)

    def __eq__(self, other):
        return isinstance(other, Spec) and self._text == other._text

    def __hash__(self):
        return hash(self._text)

    def __or__(self, other):
        return Spec("%s | %s" % (self, other)) if isinstance(other, (Spec, str)) else NotImplemented

    def __ror__(self, other):
        return Spec("%s | %s" % (other, self)) if isinstance(other, str) else NotImplemented

    @property
    def _pointer(self):
        """What functions of the library take."""
        if self._handle is None:
            made = SpecHandle()
            check(lib.aic_spec_parse(text("operator text", self._text), c.byref(made)))
            self._handle = made
        return self._handle

    @property
    def subject(self):
        """The names of the operators, as in the library's messages."""
        names = list(_lists.OPERATORS)
        spec = self._pointer
        return " | ".join(names[lib.aic_spec_stage_op(spec, i) - 1] for i in range(lib.aic_spec_stages(spec)))

    @property
    def canonical(self):
        """Operator text with every key."""
        length = c.c_size_t()
        check(lib.aic_spec_print(self._pointer, None, 0, c.byref(length)))
        buffer = c.create_string_buffer(length.value + 1)
        check(lib.aic_spec_print(self._pointer, buffer, len(buffer), None))
        return buffer.value.decode()

    @property
    def exact(self):
        """Whether the result is defined bit for bit."""
        return lib.aic_spec_exact(self._pointer)

    def operands(self, context=None):
        """The operands in calling order, the output first, those included that this descriptor does not take."""
        found, count = (OperandStruct * OPERANDS_MAX)(), c.c_size_t()
        check(lib.aic_spec_get_operands(self._pointer, semantics_of(context), found, c.sizeof(OperandStruct), OPERANDS_MAX,
                                        c.byref(count)))
        return [Operand._of(operand) for operand in found[: count.value]]

    def work(self, context=None):
        """Multiply-accumulates of a call, and the bytes that it reads and writes."""
        return self._work(semantics_of(context))

    def _work(self, semantics):
        macs, amount = c.c_int64(), c.c_int64()
        check(lib.aic_spec_work(self._pointer, semantics, c.byref(macs), c.byref(amount)))
        return macs.value, amount.value

    def result_layout(self, context=None):
        """The layout in which the result lies, and its shape, e.g. ("NC1HWC0", (1, 4, 56, 56, 16))."""
        return self._result_layout(semantics_of(context))

    def _result_shape(self, semantics, output):
        """The shape of new arrays for the output: the document's, or that of its layout where strides alone describe it."""
        found = ResultLayout()
        if len(output.shape) != 1 or lib.aic_spec_result_layout(self._pointer, semantics, c.byref(found)) != Status.OK:
            return output.shape
        shape = tuple(found.shape[: found.rank])
        return shape if math.prod(shape) == output.elements else output.shape

    def _result_layout(self, semantics):
        found = ResultLayout()
        check(lib.aic_spec_result_layout(self._pointer, semantics, c.byref(found)))
        return found.name.decode(), tuple(found.shape[: found.rank])


def op(name, /, **fields):
    """An operator with these parameters, by the documents' names: op("conv2d", dtype="int8", fm_shape=[...], ...).
    Those that are None are left out."""
    choice("op", name, dict.fromkeys(_lists.OPERATORS))
    given = {field: value for field, value in fields.items() if value is not None}
    written = [write_field(name, field, value) for field, value in given.items()]
    for _, field, _, required, _ in _lists.OPERATORS[name]:
        if required and field not in given:
            raise ArgumentError("%s: %s: is needed, and is not given" % (name, field))
    return Spec("%s(%s)" % (name, ", ".join(written)))


def spec_of(value):
    """A Spec of what may be one or operator text."""
    if isinstance(value, Spec):
        return value
    if isinstance(value, str):
        return Spec(value)
    raise ArgumentTypeError("a specification is operator text or made by op(), not %s" % kind_of(value))
