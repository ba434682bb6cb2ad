"""What the command line tool does, as functions: reference, tune, bench; _trace.py has trace and diagnose."""

import ctypes as c
import time

import numpy as np

from ._arrays import Pointers, arrange, fit, new_output
from ._context import handle_of, semantics_of
from ._errors import ArgumentError, ArgumentTypeError
from ._fast import timer
from ._html import html_table
from ._kernel import Kernel
from ._library import check, checked, lib
from ._pack import quant_word
from ._spec import spec_of
from ._structs import TUNE_PROGRESS, TuneOptions, TuneResultStruct
from ._values import choice, integer, kind_of, number, shown, text, truth


def _operands(operands, subject, inputs, named, out, shape=None):
    """Pointers to the operands of a call, which keep what they point to, and the output, the caller's or ours, of a
    shape."""
    used = [i for i, operand in enumerate(operands) if i > 0 and operand.direction != "unused"]
    given = arrange(subject, operands, inputs, named)
    arrays = {i: fit(subject, operands[i], array) for i, array in zip(used, given)}
    if out is None:
        out = new_output(operands[0], arrays.values(), shape)
    pointers = Pointers(len(operands))
    pointers.set(0, fit(subject, operands[0], out, True))
    for i, array in arrays.items():
        pointers.set(i, array)
    return pointers, out, arrays


def reference(spec, *inputs, out=None, context=None, **named):
    """What the documents' formulas in plain C give, without a generator. Operands as a Kernel takes them."""
    spec = spec_of(spec)
    operands = spec.operands(context)
    shape = spec._result_shape(semantics_of(context), operands[0])
    pointers, out, _ = _operands(operands, spec.subject, inputs, named, out, shape)
    arguments = spec._pointer, semantics_of(context), pointers.array, len(pointers.array)
    checked(lib.aic_spec_advise, *arguments)
    checked(lib.aic_reference, *arguments)
    return out


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

    def _repr_html_(self):
        """In notebooks: the candidates, the fastest first, with the intervals that their medians lie in."""
        best = sorted(self.candidates, key=lambda one: (one.samples == 0, one.median_ns if one.samples else one.predicted))
        rows = [(one.schedule + (" (default)" if one.is_default else "") + (" (chosen)" if one.schedule == self.schedule else ""),
                 one.state, "%.1f" % one.predicted, one.samples,
                 *(("%.0f" % one.median_ns, "%.0f to %.0f" % (one.low_ns, one.high_ns), "%.3f" % one.gain) if one.samples
                   else ("", "", ""))) for one in best]
        told = "%s: %s, gain %.3f; %d of %d legal schedules measured in %.1f s%s%s" % (
            self.outcome, self.schedule, self.gain, self.measured, self.legal, self.seconds,
            ", recorded" if self.recorded else "", ", stopped" if self.stopped else "")
        return html_table([("schedule", "state", "predicted", "samples", "median, ns", "interval, ns", "gain")], rows, told)


def tune(spec, *, effort="measure", budget=None, trials=None, seed=None, db=None, again=False, progress=None, context=None):
    """Searches the fastest schedule of a specification on this machine, about 5 seconds, and records it in the file db
    (or the context's). budget: seconds; trials: schedules to measure; again: also what has a record already;
    progress(result, seconds left): called now and then, ends the search by returning False."""
    if progress is not None and not callable(progress):
        raise ArgumentTypeError("progress: %s is %s, no function" % (shown(progress), kind_of(progress)))
    options, found, raised = TuneOptions(effort=_EFFORTS["measure"], budget=-1, trials=-1, seed=1), TuneResultStruct(), []

    def report(user, so_far, left):
        try:
            return progress(TuneResult(so_far.contents), left) is not False
        except BaseException as error:
            raised.append(error)
            return False

    options.effort, options.again, options.db = choice("effort", effort, _EFFORTS), truth("again", again), text("db", db)
    options.budget = options.budget if budget is None else number("budget", budget)
    options.trials = options.trials if trials is None else integer("trials", trials)
    options.seed = options.seed if seed is None else integer("seed", seed, 0, 2**64 - 1)
    if progress is not None:
        options.progress = TUNE_PROGRESS(report)
    checked(lib.aic_tune, handle_of(context), spec_of(spec)._pointer, c.byref(options), c.byref(found))
    try:
        result = TuneResult(found)
    finally:
        lib.aic_tune_result_destroy(c.byref(found))
    if raised:
        raise raised[0]
    return result


# ---- benchmarks ----


class BenchResult(dict):
    """Figures by the names of `aicjit bench --json`, also as attributes."""

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def __repr__(self):
        return "<aicjit.BenchResult %s: %.0f ns>" % (self["spec"], self["median_ns"])

    def _repr_html_(self):
        return html_table([], [(name, value) for name, value in self.items()], "%.0f ns" % self["median_ns"])


def random_operands(kernel, seed=1, *, context=None):
    """Inputs for a kernel or a specification with pseudo-random contents, small numbers."""
    operands = kernel.operands if isinstance(kernel, Kernel) else spec_of(kernel).operands(context)
    random = np.random.default_rng(integer("seed", seed, 0))
    arrays = []
    for operand in operands[1:]:
        if operand.direction == "unused":
            continue
        dtype, shape = operand.numpy_dtype, operand.shape
        if operand.dtype == "uint64":  # quantisation words: scales of 1/64
            arrays.append(np.full(shape, quant_word(1 / 64), np.uint64))
        elif operand.dtype == "bfloat16":
            values = random.standard_normal(shape).astype(np.float32)
            arrays.append((values.view(np.uint32) >> 16).astype(np.uint16))
        elif dtype.kind == "f":
            arrays.append(random.standard_normal(shape).astype(dtype))
        else:
            arrays.append(random.integers(0, 100, shape).astype(dtype))
    return arrays


def _time_in_python(run, handle, pointers, count, calls):
    """Without the file of C: also what Python needs to make a call, some 300 ns."""
    start = time.perf_counter_ns()
    for _ in range(calls):
        status = run(handle, pointers, count)
        if status:
            return -status
    return time.perf_counter_ns() - start


_time_calls = timer() or _time_in_python  # nanoseconds of that many calls, or minus a status


def _timed(*call):
    taken = _time_calls(*call)
    check(-min(taken, 0))
    return max(taken, 1)


def _samples(run, handle, pointers, count, min_time):
    """Nanoseconds of a call, over and over for about min_time seconds."""
    once = max(_timed(run, handle, pointers, count, 1) for _ in range(2))
    calls = max(1, min(10000, int(2e5 / (once + 1))))
    end, samples = time.perf_counter() + min_time, []
    while len(samples) < 5 or time.perf_counter() < end:
        samples.append(_timed(run, handle, pointers, count, calls) / calls)
    return sorted(samples)


def _packed_operands(kernel, pointers, arrays):
    """Puts packed images in the places of what the kernel packs; returns the function that takes such operands."""
    run = lib.aic_kernel_call
    for i, size in kernel._packs.items():
        if size > 0:
            packed = kernel.pack(arrays[i], kernel._all[i].name)
            pointers.kept.append(packed)
            pointers.array[i], run = packed.address, lib.aic_kernel_call_packed
    return run


def bench(spec, *inputs, schedule=None, min_time=0.5, context=None, **named):
    """Times calls of a kernel with packed weights, with these inputs or pseudo-random ones. Returns the figures of
    `aicjit bench --json`: median_ns, min_ns, p90_ns, gmacs_per_s, gbytes_per_s, compile_ns, make_ns, parts, ..."""
    min_time = number("min_time", min_time)
    if not 0 <= min_time <= 86400:
        raise ArgumentError("min_time: %s is outside of 0..86400 seconds" % shown(min_time))
    kernel = spec if isinstance(spec, Kernel) else Kernel(spec, schedule, context)
    inputs = inputs if inputs or named else random_operands(kernel)
    out = np.zeros(kernel.output.shape, kernel.output.numpy_dtype)
    operands, _, arrays = _operands(kernel._all, kernel._subject, inputs, named, out)
    run, pointers = _packed_operands(kernel, operands, arrays), operands.array
    check(run(kernel._handle, pointers, kernel._count))
    samples = _samples(run, kernel._handle, pointers, kernel._count, min_time)
    median = samples[len(samples) // 2]
    macs, moved = kernel.spec._work(kernel._semantics)
    return BenchResult(spec=kernel.spec.canonical, kernel=kernel.name, isa=kernel.isa, schedule=kernel.schedule,
                       threads=kernel.threads, macs=macs, bytes=moved, median_ns=median, min_ns=samples[0],
                       p90_ns=samples[int(len(samples) * 0.9)], gmacs_per_s=macs / median, gbytes_per_s=moved / median,
                       compile_ns=kernel.compile_ns, make_ns=kernel.make_ns, parts=kernel.parts, cache=kernel.cache)
