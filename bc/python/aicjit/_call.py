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
_ndarray, _dumps = np.ndarray, marshal.dumps
_NAMES = {name: tuple(field[1] for field in fields) for name, fields in OPERATORS.items()}
_TAKES_CONSTANTS = ("tensor_arithmetic",)
_PLAIN = (bool, float, int, str, type(None))


def _exact(name, values):
    """Parameters that marshal does not take, types, NumPy's numbers and arrays, as operator text has them; as bytes."""
    written = [value if type(value) in _PLAIN else (write_field(name, field, value),)
               for field, value in zip(_NAMES[name], values)]
    return marshal.dumps(written, 2)


def _converted(name, operands):
    """The operands as arrays, but for None and numbers."""
    return tuple(value if value is None or is_number(value) else as_array(name, operand, value)
                 for operand, value in zip(OPERANDS[name][1:], operands))


def _identify(name, value):
    """What a kernel depends on of an operand that is None or a number: a constant, or the type of an operand."""
    if name not in _TAKES_CONSTANTS:
        return (value.dtype if isinstance(value, np.generic) else type(value),)
    return (value.dtype, value.tobytes()) if isinstance(value, np.generic) else (type(value), repr(value))


def _needed(name, fields):
    """Raises where a parameter is missing that no operand has given."""
    for kind, field, _, required, _ in OPERATORS[name]:
        if required and fields[field] is None:
            words = ": one of %s" % ", ".join(ENUMS[kind]) if kind in ENUMS else ""
            raise ArgumentError("%s: %s: is needed, and does not follow from the operands%s" % (name, field, words))


def _make(name, operands, values, context):
    """The kernel, which operands are constants, and the shape and type of the result where it has others than the
    operand."""
    fields = dict(zip(_NAMES[name], values))
    for field, value in fields.items():
        if value is not None:
            write_field(name, field, value)  # refuses it by its name
    shape = DERIVE[name](fields, *operands)
    _needed(name, fields)
    kernel = Kernel(op(name, **fields), context=context)
    constants = [bool(fields.get("input%d_is_const" % i, False)) for i in range(len(operands))]
    floats = kernel.output.words and not any(isinstance(array, np.ndarray) for array in operands) \
        and not any(isinstance(fields.get("input%d_const" % i), str) for i in range(len(operands)))
    return kernel, constants if any(constants) else None, shape, np.float32 if floats else None


def _keep(known, key, made):
    with _lock:
        while len(known) >= _LIMIT:
            del known[next(iter(known))]
        known[key] = made


def call_operator(name, operands, values, out, context):
    """Calls the operator `name` with operands and parameters in the order of its lists. Kernels are known by bytes that
    differ wherever parameters do, those that compare equal, too, like 0.0, -0.0 and False: marshal's format 2."""
    known = _known
    if context is not None:
        handle_of(context)
        known = context._known
    try:
        key = [name, _dumps(values, 2)]
    except ValueError:
        key = [name, _exact(name, values)]
    for array in operands:
        if type(array) is _ndarray:
            key += array.dtype, array.shape
        elif array is not None and not is_number(array):
            return call_operator(name, _converted(name, operands), values, out, context)
        else:
            key += _identify(name, array)
    key = tuple(key)
    found = known.get(key)
    if found is None:
        found = _make(name, operands, values, context)
        _keep(known, key, found)
    kernel, constants, shape, dtype = found
    if constants is not None:
        operands = [None if constant else operand for operand, constant in zip(operands, constants)]
    if len(operands) != kernel._taken:
        operands = [operand for operand in operands if operand is not None]
    result = kernel(*operands, out=out)
    if out is not None:
        return result
    result = result if dtype is None else result.view(dtype)
    return result if shape is None else result.reshape(shape)
