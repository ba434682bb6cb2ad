"""How results come about: trace, of one element, and diagnose, what happened to the data of all."""

import ctypes as c

import numpy as np

from ._context import semantics_of
from ._errors import ArgumentError, ArgumentTypeError, UnsupportedError
from ._html import html_table, html_text
from ._kernel import Kernel
from ._library import check, lib
from ._spec import spec_of
from ._structs import RANK_MAX, AllowedStruct, CoordinatesStruct, FindingStruct
from ._tools import _operands
from ._values import choice, integer, kind_of, shown


class Trace:
    """How one element comes about: `value`, and `text`, every rounding step and what decides it; str() is the text."""

    def __init__(self, value, text):
        self.value, self.text = value, text

    def __str__(self):
        return self.text

    def __repr__(self):
        return "<aicjit.Trace of %r>" % (self.value,)

    def _repr_html_(self):
        return html_text(self.text)


def _coordinates(spec, context):
    """Where elements of the output are in the document's terms: N, C, H, W, or matrix, row and column."""
    found = CoordinatesStruct()
    check(lib.aic_spec_coordinates(spec._pointer, semantics_of(context), 0, c.byref(found)))
    return found


def _element(spec, output, at, context):
    """The number of the element at these indices: the document's, or those of the array."""
    subject = "%s: at" % spec.subject
    try:
        at = [integer(subject, entry) for entry in at]
    except TypeError:
        raise ArgumentTypeError("%s: %s is %s, not a list of coordinates" % (subject, shown(at), kind_of(at))) from None
    coordinates = _coordinates(spec, context)
    if len(at) == coordinates.rank:
        element = lib.aic_coordinates_element(c.byref(coordinates), (c.c_int64 * RANK_MAX)(*at))
        if element >= 0:
            return element
    elif len(at) == len(output.shape) and all(0 <= entry < size for entry, size in zip(at, output.shape)):
        return int(np.ravel_multi_index(at, output.shape))
    raise ArgumentError("%s: %s%s has no element %s" % (spec.subject, output.name, list(output.shape), shown(at)))


def _kernel_line(spec, pointers, out, element, context):
    """What the kernel gives where the documents allow any order of summation, and what is right."""
    allowed, semantics = (AllowedStruct * max(1, out.size))(), semantics_of(context)
    check(lib.aic_reference_allowed(spec._pointer, semantics, pointers.array, len(pointers.array), allowed))
    result = out.copy()
    given, calling = allowed[element], list(pointers.array)
    calling[0] = result.ctypes.data
    try:
        kernel = Kernel(spec, None, context)
    except UnsupportedError as error:
        return "  %-24s %s\n" % ("there is no kernel", error)
    check(lib.aic_kernel_call(kernel._handle, (c.c_void_p * len(calling))(*calling), len(calling)))
    value = float(result.reshape(-1)[element])
    return "  %-24s %.9g, %.9g from the exact %.17g: %s  [right are %.9g to %.9g%s]\n" % (
        "this kernel gave", value, abs(value - given.exact), given.exact,
        "right" if lib.aic_is_allowed(c.byref(given), value) else "WRONG", given.low, given.high,
        ", and values of sums that overflow" if given.others else "")


def trace(spec, *inputs, at, out=None, context=None, **named):
    """Tells how the element `at` of the result comes about, every rounding step with what decides it; with
    accumulate="fast" also what the kernel gives. at: the document's coordinates, such as (n, c, h, w) or (row, column),
    or the indices of the array. The result is not written; out: its old content."""
    spec = spec_of(spec)
    output = spec.operands(context)[0]
    element = _element(spec, output, at, context)
    pointers, out, _ = _operands(spec.operands(context), spec.subject, inputs, named, out)
    value, length = np.zeros((), output.numpy_dtype), c.c_size_t()
    arguments = (spec._pointer, semantics_of(context), pointers.array, len(pointers.array), element, value.ctypes.data)
    check(lib.aic_trace(*arguments, None, 0, c.byref(length)))
    buffer = c.create_string_buffer(length.value + 1)
    check(lib.aic_trace(*arguments, buffer, len(buffer), c.byref(length)))
    lines = buffer.value.decode().splitlines(keepends=True)
    if not spec.exact:
        lines.insert(-1, _kernel_line(spec, pointers, out, element, context))
    return Trace(value[()], "".join(lines))


class Diagnosis:
    """What happened to the data on the way to a result. `counts` has the elements of each event that happened, `first`
    the coordinates of its first one; `events` is an array of the result's shape whose bits `bit(name)` are set where it
    happened, `channel` one of the channels that elements belong to, -1 for none; str() is a table."""

    def __init__(self, name, coordinates, findings, shape):
        self.events, self.channel = findings["events"].reshape(shape), findings["channel"].reshape(shape)
        self._name, self._meanings, self.counts, self.first = name, {}, {}, {}
        index = 0
        while event := lib.aic_event_at(index):
            key, index = event.contents.name.decode(), index + 1
            self._meanings[key] = event.contents.meaning.decode()
            hits = np.flatnonzero(findings["events"] >> np.uint32(index - 1) & 1)
            if len(hits):
                self.counts[key], self.first[key] = len(hits), _indices(coordinates, int(hits[0]))

    def bit(self, event):
        """The bit of `events` that stands for an event."""
        return 1 << choice("event", event, {key: index for index, key in enumerate(self._meanings)})

    def channels(self, event):
        """How many elements of each channel have the event, of those that have some."""
        hit = self.channel[(self.events & np.uint32(self.bit(event))) != 0]
        found, counts = np.unique(hit[hit >= 0], return_counts=True)
        return dict(zip(found.tolist(), counts.tolist()))

    def __str__(self):
        lines = ["  %-16s %d, first %s%s: %s" % (key, count, self._name, list(self.first[key]), self._meanings[key])
                 for key, count in self.counts.items()]
        return "\n".join(lines or ["  nothing to tell"])

    def __repr__(self):
        return "<aicjit.Diagnosis %s>" % (self.counts,)

    def _repr_html_(self):
        rows = [(key, count, list(self.first[key]), self._meanings[key]) for key, count in self.counts.items()]
        return html_table([("event", "elements", "first", "meaning")], rows, self._name)


def _indices(coordinates, element):
    """The coordinates of an element, its number alone where it has none."""
    at = (c.c_int64 * RANK_MAX)()
    return tuple(at[: coordinates.rank]) if lib.aic_coordinates_find(c.byref(coordinates), element, at) else (element,)


def diagnose(spec, *inputs, out=None, context=None, **named):
    """Tells what happens to the data on the way to the result: sums that are clamped, NaN that are made or lost, results
    at the limits of their range by channel, old content that is read, and so on, by the reference. Operands as
    reference() takes them; nothing is written; out: the old content."""
    spec = spec_of(spec)
    operands = spec.operands(context)
    shape = spec._result_shape(semantics_of(context), operands[0])
    pointers, out, _ = _operands(operands, spec.subject, inputs, named, out, shape)
    findings = np.zeros(out.size, [("events", np.uint32), ("channel", np.int32)])
    check(lib.aic_diagnose(spec._pointer, semantics_of(context), pointers.array, len(pointers.array),
                           findings.ctypes.data_as(c.POINTER(FindingStruct))))
    return Diagnosis(operands[0].name, _coordinates(spec, context), findings, out.shape)
