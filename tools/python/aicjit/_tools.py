"""What the command line tool does, as functions: reference, trace, tune, bench."""

import ctypes as c
import time

import numpy as np

from ._arrays import address_of, fit, new_output
from ._context import handle_of, semantics_of
from ._errors import ArgumentError
from ._kernel import Kernel
from ._library import check, encode, lib
from ._spec import spec_of
from ._structs import TUNE_PROGRESS, TuneResultStruct


def _operands(spec, inputs, out, context):
    """Pointers to the operands of a call, the output, and what must live as long."""
    operands, subject = spec.operands(context), spec.subject
    used = [i for i, operand in enumerate(operands) if i > 0 and operand.direction != "unused"]
    if len(inputs) == len(operands) - 1 and len(inputs) != len(used):
        inputs = [inputs[i - 1] for i in used]
    if len(inputs) != len(used):
        names = ", ".join(operands[i].name for i in used)
        raise TypeError("%s: %d inputs given, %d needed: %s" % (subject, len(inputs), len(used), names))
    arrays = [fit(subject, operands[i], array) for i, array in zip(used, inputs)]
    if out is None:
        out = new_output(operands[0], arrays)
    fit(subject, operands[0], out, True)
    pointers = (c.c_void_p * len(operands))()
    pointers[0] = address_of(out)
    for i, array in zip(used, arrays):
        pointers[i] = address_of(array)
    return pointers, out, arrays


def reference(spec, *inputs, out=None, context=None):
    """What the documents' formulas in plain C give, without a generator. Operands as a Kernel takes them."""
    spec = spec_of(spec)
    pointers, out, kept = _operands(spec, inputs, out, context)
    check(lib.aic_reference(spec.pointer, semantics_of(context), pointers, len(pointers)))
    return out


class Trace:
    """How one element comes about: `value`, and `text`, every rounding step; str() is the text."""

    def __init__(self, value, text):
        self.value, self.text = value, text

    def __str__(self):
        return self.text

    def __repr__(self):
        return "<aicjit.Trace of %r>" % (self.value,)


def trace(spec, *inputs, at, out=None, context=None):
    """Tells how the element `at` (coordinates) of the result comes about, of conv2d, mmad, fixpipe, tik_fixpipe and
    their chains. The result is not written; out: its old content."""
    spec = spec_of(spec)
    pointers, out, kept = _operands(spec, inputs, out, context)
    output = spec.operands(context)[0]
    try:
        element = int(np.ravel_multi_index(at, output.shape))
    except ValueError:
        raise ArgumentError("%s: %s%s has no element %s" % (spec.subject, output.name, list(output.shape), list(at))) from None
    value, length = np.zeros((), output.numpy_dtype), c.c_size_t()
    arguments = (spec.pointer, semantics_of(context), pointers, len(pointers), element, value.ctypes.data)
    check(lib.aic_trace(*arguments, None, 0, c.byref(length)))
    buffer = c.create_string_buffer(length.value + 1)
    check(lib.aic_trace(*arguments, buffer, len(buffer), c.byref(length)))
    return Trace(value[()], buffer.value.decode())


# ---- tuning ----

_EFFORTS = {"estimate": 0, "measure": 1, "patient": 2}
_OUTCOMES = ("faster", "default", "known", "unmeasured")
_STATES = ("predicted", "racing", "dropped", "wrong", "failed")


class TuneCandidate:
    """A schedule of a search; members of aic_tune_candidate."""

    def __init__(self, struct):
        self.schedule, self.state = struct.schedule.decode(), _STATES[struct.state]
        self.is_default, self.predicted, self.samples = struct.is_default, struct.predicted, struct.samples
        self.median_ns, self.low_ns, self.high_ns, self.gain = struct.median_ns, struct.low_ns, struct.high_ns, struct.gain

    def __repr__(self):
        return "<aicjit.TuneCandidate %s, %s, %.0f ns>" % (self.schedule, self.state, self.median_ns)


class TuneResult:
    """What a search has found; members of aic_tune_result. outcome: "faster", "default", "known", "unmeasured"."""

    def __init__(self, struct):
        self.outcome, self.schedule = _OUTCOMES[struct.outcome], struct.schedule.decode()
        self.gain, self.stopped, self.recorded = struct.gain, struct.stopped, struct.recorded
        self.legal, self.measured, self.seconds = struct.legal, struct.measured, struct.seconds
        self.candidates = [TuneCandidate(struct.candidate[i]) for i in range(struct.count)]

    def __repr__(self):
        return "<aicjit.TuneResult %s, %s, gain %.3f>" % (self.outcome, self.schedule, self.gain)


def tune(spec, *, effort="measure", budget=None, trials=None, seed=None, db=None, again=False, progress=None, context=None):
    """Searches the fastest schedule of a specification on this machine, about 5 seconds, and records it in the file db
    (or the context's). budget: seconds; trials: schedules to measure; again: also what has a record already;
    progress(result, seconds left): called now and then, ends the search by returning False."""
    if effort not in _EFFORTS:
        raise ArgumentError("effort: %r is none of %s" % (effort, ", ".join(_EFFORTS)))
    options, found, raised = lib.aic_tune_options_init(), TuneResultStruct(), []

    def report(user, so_far, left):
        try:
            return progress(TuneResult(so_far.contents), left) is not False
        except BaseException as error:
            raised.append(error)
            return False

    options.effort, options.again, options.db = _EFFORTS[effort], again, encode(db)
    for name, value in (("budget", budget), ("trials", trials), ("seed", seed)):
        if value is not None:
            setattr(options, name, value)
    if progress is not None:
        options.progress = TUNE_PROGRESS(report)
    check(lib.aic_tune(handle_of(context), spec_of(spec).pointer, c.byref(options), c.byref(found)))
    try:
        result = TuneResult(found)
    finally:
        lib.aic_tune_result_free(c.byref(found))
    if raised:
        raise raised[0]
    return result


# ---- benchmarks ----


class BenchResult(dict):
    """Figures by the names of `aicjit bench --json`, also as attributes."""

    __getattr__ = dict.__getitem__

    def __repr__(self):
        return "<aicjit.BenchResult %s: %.0f ns>" % (self["spec"], self["median_ns"])


def random_operands(kernel, seed=1):
    """Inputs for a kernel with pseudo-random contents, small numbers."""
    random = np.random.default_rng(seed)
    arrays = []
    for _, operand, dtype, shape in kernel._inputs:
        if operand.dtype == "uint64":  # quantisation words: scales of 1/64
            arrays.append(np.full(shape, lib.aic_quant_word(1 / 64, 0, True), np.uint64))
        elif operand.dtype == "bfloat16":
            values = random.standard_normal(shape).astype(np.float32)
            arrays.append((values.view(np.uint32) >> 16).astype(np.uint16))
        elif dtype.kind == "f":
            arrays.append(random.standard_normal(shape).astype(dtype))
        else:
            arrays.append(random.integers(0, 100, shape).astype(dtype))
    return arrays


def _time_calls(run, handle, pointers, count, calls):
    start = time.perf_counter_ns()
    for _ in range(calls):
        run(handle, pointers, count)
    return time.perf_counter_ns() - start


def _samples(run, handle, pointers, count, min_time):
    """Nanoseconds of a call, over and over for about min_time seconds, without what Python needs to make it."""
    once = max(_time_calls(run, handle, pointers, count, 1), _time_calls(run, handle, pointers, count, 1))
    calls = max(1, min(10000, int(2e5 / (once + 1))))
    nothing = (handle, pointers, (c.c_size_t * count)(), 0)
    call_batch, end, samples = lib.aic_kernel_call_batch, time.perf_counter() + min_time, []
    while len(samples) < 5 or time.perf_counter() < end:
        start = time.perf_counter_ns()
        for _ in range(calls):
            call_batch(*nothing)
        empty = time.perf_counter_ns() - start
        samples.append(max((_time_calls(run, handle, pointers, count, calls) - empty) / calls, 1.0))
    return sorted(samples)


def bench(spec, *inputs, schedule=None, min_time=0.5, context=None):
    """Times calls of a kernel with packed weights, with these inputs or pseudo-random ones. Returns the figures of
    `aicjit bench --json`: median_ns, min_ns, p90_ns, gmacs_per_s, gbytes_per_s, compile_ns, ..."""
    kernel = spec if isinstance(spec, Kernel) else Kernel(spec, schedule, context)
    inputs = list(inputs) or random_operands(kernel)
    pointers, out, kept = _operands(kernel.spec, inputs, np.zeros(kernel.output.shape, kernel.output.numpy_dtype), context)
    run = lib.aic_kernel_call
    for i, size in kernel._packs.items():
        if size > 0:
            packed = kernel.pack(kept[[k for k, *_ in kernel._inputs].index(i)], kernel._all[i].name)
            kept.append(packed)
            pointers[i], run = packed.address, lib.aic_kernel_call_packed
    check(run(kernel._handle, pointers, kernel._count))
    samples = _samples(run, kernel._handle, pointers, kernel._count, min_time)
    median = samples[len(samples) // 2]
    macs, moved = kernel.spec.work(context)
    return BenchResult(spec=kernel.spec.canonical, kernel=kernel.name, isa=kernel.isa, schedule=kernel.schedule,
                       threads=kernel.threads, macs=macs, bytes=moved, median_ns=median, min_ns=samples[0],
                       p90_ns=samples[int(len(samples) * 0.9)], gmacs_per_s=macs / median, gbytes_per_s=moved / median,
                       compile_ns=kernel.compile_ns, cache=kernel.cache)
