"""The structures of the public headers (aic/spec.h, aic/kernel.h, aic/context.h, ...) for ctypes, made of what
generate.py has read there.

tests/python compares their sizes and the offsets of their members with the C compiler's.
"""

import ctypes as c

from . import _declared, _lists

OPERANDS_MAX, RANK_MAX = _declared.CONSTANTS["OPERANDS_MAX"], _declared.CONSTANTS["RANK_MAX"]

# What a kind of field (aic/field.h) is in C; enumerations are int.
_KINDS = {
    "INT": c.c_int64,
    "DIMS": c.c_int64,
    "SIZE": c.c_int64,
    "REAL": c.c_double,
    "FLOAT32": c.c_float,
    "BOOL": c.c_bool,
    "BITS": c.c_uint64,
    "TAG": c.c_uint64,
}


def _member(kind, name, count):
    one = _KINDS.get(kind, c.c_int)
    return name, one if count == 1 else one * count


class Sized(c.Structure):
    """A structure that begins with its size, as the library wants those to be that it takes and fills in."""

    _fields_ = [("size", c.c_size_t)]

    def __init__(self, **members):
        super().__init__(c.sizeof(self), **members)


def _listed(name, fields):
    members = [_member(kind, field, count) for kind, field, count, _, _ in fields]
    return type(name, (Sized,), {"_fields_": members})


def semantics_of_documents():
    """The defaults, as aic_semantics_init() has them."""
    made = Semantics()
    for kind, name, _, _, default in _lists.SEMANTICS:
        setattr(made, name, _lists.ENUMS[kind][default] if kind in _lists.ENUMS else default)
    return made


DESCRIPTORS = {name: _listed("aic_%s_desc" % name, fields) for name, fields in _lists.OPERATORS.items()}
Semantics = _listed("aic_semantics", _lists.SEMANTICS)

# The types of C, by their names there; descriptors and semantics are made of the lists.
NAMES = {**{"aic_%s_desc" % name: struct for name, struct in DESCRIPTORS.items()}, "aic_semantics": Semantics}
_PLAIN = {"text": c.c_char_p, "address": c.c_void_p, "char": c.c_char, "int": c.c_int, "bool": c.c_bool, "float": c.c_float,
          "double": c.c_double, "size_t": c.c_size_t, "int32_t": c.c_int32, "int64_t": c.c_int64, "uint8_t": c.c_uint8,
          "uint16_t": c.c_uint16, "uint32_t": c.c_uint32, "uint64_t": c.c_uint64}
_CALLBACKS = {}


def type_of(name):
    """The type that generate.py calls so; handles are addresses."""
    if name in _PLAIN:
        return _PLAIN[name]
    if name.startswith("*"):
        return c.c_void_p if name[1:] in _declared.HANDLES else c.POINTER(type_of(name[1:]))
    if name in _declared.CALLBACKS and name not in _CALLBACKS:
        result, parameters = _declared.CALLBACKS[name]
        _CALLBACKS[name] = c.CFUNCTYPE(result and type_of(result), *map(type_of, parameters))
    return _CALLBACKS.get(name) or _structure(name)


def _structure(name):
    if name not in NAMES:
        declared, members = _declared.STRUCTURES[name], []
        sized = declared[0][1] == "size"
        for kind, member, entries in declared[sized:]:
            if kind == "room":  # what the member before leaves of it
                members.append(("_" + member, c.c_char * (entries - c.sizeof(members[-1][1]))))
            else:
                one = type_of(kind)
                members.append((member, one if entries == 1 else one * entries))
        NAMES[name] = type(name, (Sized if sized else c.Structure,), {"_fields_": members})
    return NAMES[name]


for _name in _declared.STRUCTURES:
    _structure(_name)

OperandStruct, ResultLayout, CoordinatesStruct = NAMES["aic_operand"], NAMES["aic_result_layout"], NAMES["aic_coordinates"]
AllowedStruct, FindingStruct, RuleStruct = NAMES["aic_allowed"], NAMES["aic_finding"], NAMES["aic_rule"]
KernelInfo, ContextOptions, ExplanationStruct = NAMES["aic_kernel_info"], NAMES["aic_context_options"], NAMES["aic_explanation"]
TuneOptions, TuneResultStruct, TUNE_PROGRESS = NAMES["aic_tune_options"], NAMES["aic_tune_result"], type_of("aic_tune_progress")
