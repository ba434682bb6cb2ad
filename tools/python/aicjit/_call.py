"""The operators' functions: finds the parameters, then the kernel among those that are known, and calls it."""

import marshal
import threading

import numpy as np

from ._arrays import as_array
from ._context import handle_of
from ._derive import DERIVE
from ._errors import ArgumentError
from ._kernel import Kernel
from ._lists import ENUMS, OPERANDS, OPERATORS
from ._spec import op, write_field
from ._values import is_number

_LIMIT = 1024  # kernels of a context; the oldest is given up
_known = {}  # those of the default context
_lock = threading.Lock()
_ndarray = np.ndarray
_NAMES = {name: tuple(field[1] for field in fields) for name, fields in OPERATORS.items()}
_PLAIN = (bool, float, int, str, type(None))


def _exact(name, values):
    """Parameters as bytes that differ wherever the values do: of what compares equal, too, like 0.0, -0.0 and False.
    (Version 2 of the format writes equal values equally.)"""
    try:
        return marshal.dumps(values, 2)
    except ValueError:  # types, NumPy's numbers, arrays: as operator text has them
        written = [value if type(value) in _PLAIN else (write_field(name, field, value),)
                   for field, value in zip(_NAMES[name], values)]
        return marshal.dumps(written, 2)


def _identify(value):
    """What a kernel depends on of an operand. A number may become a constant."""
    if value.__class__ is _ndarray:
        return value.dtype, value.shape
    if value is None:
        return None
    return (value.dtype, value.tobytes()) if isinstance(value, np.generic) else marshal.dumps(value, 2)


def _looked_at(name, operand, value):
    """An operand as an array; None and numbers as they are."""
    return value if value is None or is_number(value) else as_array(name, operand, value)


def _needed(name, fields):
    """Raises where a parameter is missing that no operand has given."""
    for kind, field, _, required, _ in OPERATORS[name]:
        if required and fields[field] is None:
            words = ": one of %s" % ", ".join(ENUMS[kind]) if kind in ENUMS else ""
            raise ArgumentError("%s: %s: is needed, and does not follow from the operands%s" % (name, field, words))


def _make(name, operands, values, context):
    """The kernel, which operands are constants, and the shape of the result where it has another than the operand's."""
    fields = dict(zip(_NAMES[name], values))
    for field, value in fields.items():
        if value is not None:
            write_field(name, field, value)  # refuses it by its name
    shape = DERIVE[name](fields, *operands)
    _needed(name, fields)
    kernel = Kernel(op(name, **fields), context=context)
    constants = [fields.get("input%d_is_const" % i, False) for i in range(len(operands))]
    return kernel, constants if any(constants) else None, shape


def _keep(known, key, made):
    with _lock:
        while len(known) >= _LIMIT:
            del known[next(iter(known))]
        known[key] = made


def call_operator(name, operands, values, out, context):
    """Calls the operator `name` with operands and parameters in the order of its lists."""
    known = _known
    if context is not None:
        handle_of(context)
        known = context._known
    for operand in operands:
        if operand.__class__ is not _ndarray:
            names = OPERANDS[name][1:]
            operands = [_looked_at(name, *pair) for pair in zip(names, operands)]
            break
    key = (name, _exact(name, values), tuple([(array.dtype, array.shape) if array.__class__ is _ndarray
                                              else _identify(array) for array in operands]))
    found = known.get(key)
    if found is None:
        found = _make(name, operands, values, context)
        _keep(known, key, found)
    kernel, constants, shape = found
    if constants is not None:
        operands = [None if constant else operand for operand, constant in zip(operands, constants)]
    if len(operands) != len(kernel._inputs):
        operands = [operand for operand in operands if operand is not None]
    result = kernel(*operands, out=out)
    return result if shape is None or out is not None else result.reshape(shape)
