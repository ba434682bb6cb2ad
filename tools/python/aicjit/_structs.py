"""The structures of the public headers (aic/spec.h, aic/kernel.h, aic/context.h, ...) for ctypes.

tests/python compares their sizes and the offsets of their members with the C compiler's.
"""

import ctypes as c

from . import _lists

OPERANDS_MAX, RANK_MAX, SCHEDULE_MAX, TRAFFIC_LEVELS, SEMANTICS_ROOM, OTHERS_MAX = 12, 6, 160, 4, 256, 4

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


class OperandStruct(Sized):
    _fields_ = [
        ("name", c.c_char_p),
        ("direction", c.c_int),
        ("dtype", c.c_int),
        ("rank", c.c_int32),
        ("shape", c.c_int64 * RANK_MAX),
        ("elements", c.c_int64),
        ("bytes", c.c_int64),
        ("overlaps", c.c_uint32),
        ("coincides", c.c_uint32),
        ("words", c.c_bool),
        ("sub_words", c.c_int),
        ("strided", c.c_bool),
        ("fractals", c.c_bool),
        ("spare", c.c_int64),
    ]


class ResultLayout(Sized):
    _fields_ = [("layout", c.c_int), ("name", c.c_char_p), ("rank", c.c_int32), ("shape", c.c_int64 * RANK_MAX)]


class AxisStruct(c.Structure):
    _fields_ = [("name", c.c_char_p)] + [(name, c.c_int64) for name in ("size", "block", "outer", "inner")]


class CoordinatesStruct(Sized):
    _fields_ = [
        ("rank", c.c_int32),
        ("axis", AxisStruct * RANK_MAX),
        ("first", c.c_int64),
        ("tail", c.c_int64),
        ("tail_pitch", c.c_int64),
    ]


class AllowedStruct(c.Structure):
    _fields_ = [
        ("exact", c.c_double),
        ("low", c.c_double),
        ("high", c.c_double),
        ("other", c.c_double * OTHERS_MAX),
        ("others", c.c_uint16),
        ("modulo", c.c_uint16),
    ]


class EventInfo(Sized):
    _fields_ = [("name", c.c_char_p), ("meaning", c.c_char_p)]


class FindingStruct(c.Structure):
    _fields_ = [("events", c.c_uint32), ("channel", c.c_int32)]


class KernelInfo(Sized):
    _fields_ = [
        ("name", c.c_char_p),
        ("isa", c.c_char_p),
        ("schedule", c.c_char_p),
        ("origin", c.c_char_p),
        ("emit_ns", c.c_uint64),
        ("codegen_ns", c.c_uint64),
        ("link_ns", c.c_uint64),
        ("code_bytes", c.c_uint64),
        ("threads", c.c_int),
        ("compiled", c.c_bool),
        ("loaded", c.c_bool),
        ("make_ns", c.c_uint64),
        ("parts_ready", c.c_uint32),
        ("parts_loaded", c.c_uint32),
        ("parts_made", c.c_uint32),
    ]


class ContextOptions(Sized):
    _fields_ = [
        ("isa", c.c_char_p),
        ("passes", c.c_char_p),
        ("dump_dir", c.c_char_p),
        ("verbose", c.c_int),
        ("threads", c.c_int),
        ("parallel_for", c.c_void_p),
        ("parallel_for_data", c.c_void_p),
        ("semantics", Semantics),
        ("_semantics_room", c.c_char * (SEMANTICS_ROOM - c.sizeof(Semantics))),
        ("tuning_db", c.c_char_p),
        ("cache", c.c_char_p),
        ("cache_dir", c.c_char_p),
        ("cache_bytes", c.c_uint64),
        ("cache_kernels", c.c_uint64),
        ("cache_disk_bytes", c.c_uint64),
        ("profile", c.c_char_p),
        ("machine", c.c_char_p),
        ("log", c.c_void_p),
        ("log_data", c.c_void_p),
        ("allocate", c.c_void_p),
        ("deallocate", c.c_void_p),
        ("allocate_data", c.c_void_p),
    ]


class ExplanationStruct(Sized):
    _fields_ = [
        ("shape", c.c_char_p),
        ("kernel", c.c_char_p),
        ("origin", c.c_char_p),
        ("isa", c.c_char_p),
        ("vector_bits", c.c_int),
        ("schedule", c.c_char * SCHEDULE_MAX),
        ("macs", c.c_int64),
        ("cost", c.c_double),
        ("bound", c.c_double),
        ("predicted_ns", c.c_double),
        ("bound_ns", c.c_double),
        ("operations_per_ns", c.c_double),
        ("bytes", c.c_double * TRAFFIC_LEVELS),
        ("text", c.c_void_p),
    ]


class TuneCandidateStruct(Sized):
    _fields_ = [
        ("schedule", c.c_char * SCHEDULE_MAX),
        ("is_default", c.c_bool),
        ("state", c.c_int),
        ("predicted", c.c_double),
        ("median_ns", c.c_double),
        ("low_ns", c.c_double),
        ("high_ns", c.c_double),
        ("gain", c.c_double),
        ("samples", c.c_size_t),
    ]


class TuneResultStruct(Sized):
    _fields_ = [
        ("outcome", c.c_int),
        ("schedule", c.c_char * SCHEDULE_MAX),
        ("gain", c.c_double),
        ("stopped", c.c_bool),
        ("recorded", c.c_bool),
        ("legal", c.c_size_t),
        ("measured", c.c_size_t),
        ("seconds", c.c_double),
        ("count", c.c_size_t),
        ("candidate", c.POINTER(TuneCandidateStruct)),
    ]


TUNE_PROGRESS = c.CFUNCTYPE(c.c_bool, c.c_void_p, c.POINTER(TuneResultStruct), c.c_double)


class TuneOptions(Sized):
    _fields_ = [
        ("effort", c.c_int),
        ("budget", c.c_double),
        ("trials", c.c_int64),
        ("seed", c.c_uint64),
        ("db", c.c_char_p),
        ("again", c.c_bool),
        ("progress", TUNE_PROGRESS),
        ("user", c.c_void_p),
    ]


class RuleStruct(Sized):
    _fields_ = [(name, c.c_char_p) for name in ("op", "kind", "id", "field", "text", "origin", "source")]


# The types of C that tests compare with.
NAMES = {
    **{"aic_%s_desc" % name: struct for name, struct in DESCRIPTORS.items()},
    "aic_semantics": Semantics,
    "aic_operand": OperandStruct,
    "aic_result_layout": ResultLayout,
    "aic_axis": AxisStruct,
    "aic_coordinates": CoordinatesStruct,
    "aic_allowed": AllowedStruct,
    "aic_event_info": EventInfo,
    "aic_finding": FindingStruct,
    "aic_kernel_info": KernelInfo,
    "aic_rule": RuleStruct,
    "aic_context_options": ContextOptions,
    "aic_explanation": ExplanationStruct,
    "aic_tune_candidate": TuneCandidateStruct,
    "aic_tune_result": TuneResultStruct,
    "aic_tune_options": TuneOptions,
}
