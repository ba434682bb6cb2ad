"""Loads the library and declares its functions, as the public headers have them. ctypes gives up the interpreter's lock
during every call."""

import ctypes as c
import os
import sys
import warnings

from . import _declared
from . import _structs as s
from ._errors import AdviceWarning, Status, error_of
from ._values import choice

_HERE = os.path.dirname(os.path.abspath(__file__))
_NAME = "libaicjit.so.0.2"


def folders():
    """The package's, and that of the build in which it lies (BUILD/python/aicjit)."""
    return _HERE, os.path.dirname(os.path.dirname(_HERE))


def load_own(name):
    """The library of this name of the package, or of the build folder; None: there is none."""
    paths = [os.path.join(folder, name) for folder in folders()]
    return next((c.CDLL(path) for path in paths if os.path.exists(path)), None)


lib = load_own(_NAME) or c.CDLL(_NAME)


def _hold_on(name):
    """The type of a hold on such an object of the library, given up with the Python object. ctypes keeps its arguments while
    a function runs, so no kernel goes while it is called. A type of its own: no function takes another's address for it."""

    def give_up(self, destroy=getattr(lib, name + "_destroy")):
        if self.value:
            destroy(self.value)
    return type(name, (c.c_void_p,), {"__del__": give_up})


_HANDLES = {"*" + name: _hold_on(name) for name in ("aic_kernel", "aic_context", "aic_spec", "aic_network")}
KernelHandle, ContextHandle, SpecHandle, NetworkHandle = _HANDLES.values()

for _name, (_result, _parameters) in _declared.FUNCTIONS.items():
    # What a handle holds is given up by its address.
    _handles = {} if _name.endswith("_destroy") else _HANDLES
    getattr(lib, _name).argtypes = [_handles.get(_one) or s.type_of(_one) for _one in _parameters]
    getattr(lib, _name).restype = _result and s.type_of(_result)


def _listed(function):
    """What a function of the library gives for 0, 1, ... until it gives nothing."""
    index = 0
    while (found := function(index)):
        yield found
        index += 1


def rules(op=None):
    """Where everything comes from: the rules, parameters, defaults and rounding steps of an operator ("semantics": of the
    options of contexts), of all of them without one, each a dict. kind: "rule", "field", "default" or "step"; source: the
    document and the place in it, or the reason of a choice, as messages end with it; see aic/rules.h."""
    names = [name for name, _ in s.RuleStruct._fields_]
    found = [{name: getattr(rule.contents, name).decode() for name in names} for rule in _listed(lib.aic_rule_at)]
    if op is None:
        return found
    op = choice("rules: op", op, {rule["op"]: rule["op"] for rule in found})
    return [rule for rule in found if rule["op"] == op]


def check(status):
    """Raises the exception of a status that is not OK."""
    if status:
        raise error_of(status, [text.decode(errors="replace") for text in _listed(lib.aic_last_error_at)] or [""])


def _level():
    """How many frames up the first one outside of this package is, as warnings.warn() counts."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals.get("__package__") == __package__:
        frame, level = frame.f_back, level + 1
    return level


def checked(function, *arguments):
    """Calls a function of the library; raises its error, and passes its warning on to Python's warnings."""
    lib.aic_take_warning()  # an older one
    check(function(*arguments))
    warning = lib.aic_take_warning()
    if warning is not None:
        warnings.warn(warning.decode(errors="replace"), AdviceWarning, stacklevel=_level())


def version():
    """The library's version, e.g. "0.2.0"."""
    return lib.aic_version().decode()


def llvm_version():
    """The LLVM that the library was built for."""
    return lib.aic_llvm_version().decode()


def isa_levels():
    """Instruction set levels of this architecture that the host has, in ascending order."""
    return [name.decode() for name in _listed(lib.aic_isa_name) if lib.aic_isa_check(name) == Status.OK]
