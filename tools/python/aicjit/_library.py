"""Loads the library and declares its functions. ctypes gives up the interpreter's lock during every call."""

import ctypes as c
import os
import sys
import warnings

from . import _structs as s
from ._errors import AdviceWarning, Status, error_of
from ._values import choice

_HERE = os.path.dirname(os.path.abspath(__file__))
_NAME = "libaicjit.so.0.2"


def folders():
    """The package's, and that of the build in which it lies (BUILD/python/aicjit)."""
    return _HERE, os.path.dirname(os.path.dirname(_HERE))


def _load():
    """That of the package, of the build folder, or the system's."""
    for folder in folders():
        path = os.path.join(folder, _NAME)
        if os.path.exists(path):
            return c.CDLL(path)
    return c.CDLL(_NAME)


lib = _load()


class KernelHandle(c.c_void_p):
    """A hold on a kernel of the library, given up with the object. ctypes keeps its arguments while a function runs, so
    no kernel goes while it is called. A type of its own: no function takes another's address for it."""

    def __del__(self, release=lib.aic_kernel_destroy):
        if self.value:
            release(self.value)


class ContextHandle(c.c_void_p):
    """The same of a context."""

    def __del__(self, destroy=lib.aic_context_destroy):
        if self.value:
            destroy(self.value)


class SpecHandle(c.c_void_p):
    """The same of a specification."""

    def __del__(self, destroy=lib.aic_spec_destroy):
        if self.value:
            destroy(self.value)


_CONTEXT, _KERNEL, _TEXT, _BUFFER, _SIZE = ContextHandle, KernelHandle, c.c_char_p, c.c_void_p, c.c_size_t
_SPEC, _SEMANTICS = SpecHandle, c.POINTER(s.Semantics)
_OPERANDS, _OUT = c.c_void_p, c.c_void_p

# Functions that return a status.
_FALLIBLE = {
    "aic_context_create": (c.POINTER(s.ContextOptions), _OUT),
    "aic_diagnose": (_SPEC, _SEMANTICS, _OPERANDS, _SIZE, _OUT),
    "aic_dump": (_CONTEXT, _SPEC, _TEXT, c.c_int, _TEXT, _TEXT, _OUT, _OUT),
    "aic_explain": (_CONTEXT, _SPEC, _TEXT, _TEXT, c.POINTER(s.ExplanationStruct)),
    "aic_isa_check": (_TEXT,),
    "aic_kernel_call": (_KERNEL, _OPERANDS, _SIZE),
    "aic_kernel_call_batch": (_KERNEL, _OPERANDS, _OUT, _SIZE),
    "aic_kernel_call_batch_packed": (_KERNEL, _OPERANDS, _OUT, _SIZE),
    "aic_kernel_call_packed": (_KERNEL, _OPERANDS, _SIZE),
    "aic_kernel_create": (_CONTEXT, _SPEC, _TEXT, _OUT),
    "aic_kernel_get_info": (_KERNEL, c.POINTER(s.KernelInfo)),
    "aic_kernel_pack": (_KERNEL, _SIZE, _BUFFER, _BUFFER),
    "aic_kernel_packed_size": (_KERNEL, _SIZE, c.POINTER(_SIZE)),
    "aic_pack_picture": (_BUFFER, _OUT, c.c_int64, c.c_int32, _BUFFER),
    "aic_pack_picture_bytes": (_OUT, c.c_int64, _OUT),
    "aic_pack_weights": (c.c_int, _BUFFER, _OUT, c.c_int64, _BUFFER),
    "aic_pack_weights_bytes": (c.c_int, _OUT, c.c_int64, _OUT),
    "aic_packed_identity": (_BUFFER, _BUFFER),
    "aic_quant_word": (c.c_float, c.c_int32, c.c_bool, _OUT),
    "aic_reference": (_SPEC, _SEMANTICS, _OPERANDS, _SIZE),
    "aic_reference_allowed": (_SPEC, _SEMANTICS, _OPERANDS, _SIZE, c.POINTER(s.AllowedStruct)),
    "aic_semantics_apply_profile": (c.POINTER(s.Semantics), c.c_char_p),
    "aic_spec_advise": (_SPEC, _SEMANTICS, _OPERANDS, _SIZE),
    "aic_spec_coordinates": (_SPEC, _SEMANTICS, _SIZE, c.POINTER(s.CoordinatesStruct)),
    "aic_spec_get_operands": (_SPEC, _SEMANTICS, _OUT, _SIZE, _SIZE, _OUT),
    "aic_spec_parse": (_TEXT, _OUT),
    "aic_spec_print": (_SPEC, _BUFFER, _SIZE, _OUT),
    "aic_spec_result_layout": (_SPEC, _SEMANTICS, c.POINTER(s.ResultLayout)),
    "aic_spec_work": (_SPEC, _SEMANTICS, _OUT, _OUT),
    "aic_trace": (_SPEC, _SEMANTICS, _OPERANDS, _SIZE, c.c_int64, _BUFFER, _BUFFER, _SIZE, _OUT),
    "aic_tune": (_CONTEXT, _SPEC, c.POINTER(s.TuneOptions), c.POINTER(s.TuneResultStruct)),
}

_OTHERS = {
    "aic_context_destroy": (None, (c.c_void_p,)),
    "aic_context_isa": (_TEXT, (_CONTEXT,)),
    "aic_context_machine": (_TEXT, (_CONTEXT, c.POINTER(c.c_bool))),
    "aic_context_threads": (c.c_int, (_CONTEXT,)),
    "aic_coordinates_element": (c.c_int64, (c.POINTER(s.CoordinatesStruct), _OUT)),
    "aic_coordinates_find": (c.c_bool, (c.POINTER(s.CoordinatesStruct), c.c_int64, _OUT)),
    "aic_dtype_parse": (c.c_int, (_TEXT,)),
    "aic_dtype_size": (_SIZE, (c.c_int,)),
    "aic_event_at": (c.POINTER(s.EventInfo), (_SIZE,)),
    "aic_free": (None, (c.c_void_p,)),
    "aic_is_allowed": (c.c_bool, (c.POINTER(s.AllowedStruct), c.c_double)),
    "aic_isa_name": (_TEXT, (_SIZE,)),
    "aic_kernel_destroy": (None, (c.c_void_p,)),
    "aic_last_error": (_TEXT, ()),
    "aic_last_error_at": (_TEXT, (_SIZE,)),
    "aic_llvm_version": (_TEXT, ()),
    "aic_rule_at": (c.POINTER(s.RuleStruct), (_SIZE,)),
    "aic_spec_destroy": (None, (c.c_void_p,)),
    "aic_spec_exact": (c.c_bool, (_SPEC,)),
    "aic_spec_stage_op": (c.c_int, (_SPEC, _SIZE)),
    "aic_spec_stages": (_SIZE, (_SPEC,)),
    "aic_take_warning": (_TEXT, ()),
    "aic_tune_result_destroy": (None, (c.POINTER(s.TuneResultStruct),)),
    "aic_version": (_TEXT, ()),
}

for _name, _arguments in _FALLIBLE.items():
    getattr(lib, _name).argtypes = _arguments
    getattr(lib, _name).restype = c.c_int
for _name, (_result, _arguments) in _OTHERS.items():
    getattr(lib, _name).argtypes = _arguments
    getattr(lib, _name).restype = _result


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
    names, index = [], 0
    while (name := lib.aic_isa_name(index)) is not None:
        if lib.aic_isa_check(name) == Status.OK:
            names.append(name.decode())
        index += 1
    return names
