"""The operators' functions: finds the parameters, then the kernel among those that are known, and calls it."""

import threading

import numpy as np

from ._derive import DERIVE
from ._kernel import Kernel
from ._lists import OPERATORS
from ._spec import op

_LIMIT = 1024  # kernels; the oldest is given up
_known = {}
_lock = threading.Lock()
_NAMES = {name: tuple(field[1] for field in fields) for name, fields in OPERATORS.items()}
_DEFAULTS = {name: tuple(field[4] for field in fields) for name, fields in OPERATORS.items()}


def _identify(value):
    """What a kernel depends on of an operand."""
    return (value.dtype, value.shape) if isinstance(value, (np.ndarray, np.generic)) else value


def _frozen(value):
    """A parameter as part of a key."""
    return tuple(value) if isinstance(value, (list, np.ndarray)) else value


def _is_given(value, default):
    return value is not None and (type(value) is not type(default) or value != default)


def _make(name, operands, values, context):
    """The kernel, whether each operand is an input, and the shape of the result where it has another than the
    operand's."""
    fields = dict(zip(_NAMES[name], values))
    shape = DERIVE[name](fields, *operands)
    given = {field: value for (field, value), default in zip(fields.items(), _DEFAULTS[name]) if _is_given(value, default)}
    kernel = Kernel(op(name, **given), context=context)
    constants = [fields.get("input%d_is_const" % i, False) for i in range(len(operands))]
    return kernel, constants if any(constants) else None, shape


def _find(name, operands, values, context):
    key = (name, context, tuple(map(_identify, operands)), values)
    try:
        return _known[key]
    except KeyError:
        pass
    except TypeError:  # lists
        values = tuple(map(_frozen, values))
        key = (name, context, tuple(map(_identify, operands)), values)
        if key in _known:
            return _known[key]
    made = _make(name, operands, values, context)
    with _lock:
        while len(_known) >= _LIMIT:
            del _known[next(iter(_known))]
        _known[key] = made
    return made


def call_operator(name, operands, values, out, context):
    """Calls the operator `name` with operands and parameters in the order of its lists."""
    kernel, constants, shape = _find(name, operands, values, context)
    if constants is not None:
        operands = [None if constant else operand for operand, constant in zip(operands, constants)]
    if len(operands) != len(kernel._inputs):
        operands = [operand for operand in operands if operand is not None]
    result = kernel(*operands, out=out)
    return result if shape is None or out is not None else result.reshape(shape)
