"""The structures of the public headers (aic/spec.h, aic/kernel.h, aic/context.h, ...) for ctypes.

tests/python compares their sizes and the offsets of their members with the C compiler's.
"""

import ctypes as c

from . import _lists

STAGES_MAX, OPERANDS_MAX, RANK_MAX, SCHEDULE_MAX, TRAFFIC_LEVELS = 6, 12, 6, 160, 4

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


def _listed(name, fields):
    members = [_member(kind, field, count) for kind, field, count, _, _ in fields]
    return type(name, (c.Structure,), {"_fields_": members})


DESCRIPTORS = {name: _listed("aic_%s_desc" % name, fields) for name, fields in _lists.OPERATORS.items()}
Semantics = _listed("aic_semantics", _lists.SEMANTICS)


class AnyDescriptor(c.Union):
    _fields_ = list(DESCRIPTORS.items())


class Stage(c.Structure):
    _fields_ = [("op", c.c_int), ("desc", AnyDescriptor)]


class SpecStruct(c.Structure):
    _fields_ = [("count", c.c_int32), ("stage", Stage * STAGES_MAX)]


class OperandStruct(c.Structure):
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


class ResultLayout(c.Structure):
    _fields_ = [("layout", c.c_int), ("name", c.c_char_p), ("rank", c.c_int32), ("shape", c.c_int64 * RANK_MAX)]


class KernelInfo(c.Structure):
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


class ContextOptions(c.Structure):
    _fields_ = [
        ("isa", c.c_char_p),
        ("passes", c.c_char_p),
        ("dump_dir", c.c_char_p),
        ("verbose", c.c_int),
        ("threads", c.c_int),
        ("parallel_for", c.c_void_p),
        ("parallel_for_data", c.c_void_p),
        ("semantics", Semantics),
        ("tuning_db", c.c_char_p),
        ("cache", c.c_char_p),
        ("cache_dir", c.c_char_p),
        ("cache_bytes", c.c_uint64),
        ("cache_kernels", c.c_uint64),
        ("cache_disk_bytes", c.c_uint64),
        ("profile", c.c_char_p),
        ("machine", c.c_char_p),
    ]


class ExplanationStruct(c.Structure):
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


class TuneCandidateStruct(c.Structure):
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


class TuneResultStruct(c.Structure):
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


class TuneOptions(c.Structure):
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


# The types of C that tests compare with.
NAMES = {
    **{"aic_%s_desc" % name: struct for name, struct in DESCRIPTORS.items()},
    "aic_semantics": Semantics,
    "aic_stage": Stage,
    "aic_spec": SpecStruct,
    "aic_operand": OperandStruct,
    "aic_result_layout": ResultLayout,
    "aic_kernel_info": KernelInfo,
    "aic_context_options": ContextOptions,
    "aic_explanation": ExplanationStruct,
    "aic_tune_candidate": TuneCandidateStruct,
    "aic_tune_result": TuneResultStruct,
    "aic_tune_options": TuneOptions,
}
