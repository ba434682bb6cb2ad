"""Kernels: compiled once, called many times."""

import ctypes as c
import functools
import sys
from operator import attrgetter

import numpy as np

from ._arrays import Pointers, address_of, arrange, as_array, fit, has_free_type, new_output
from ._context import Closing, Held, handle_of, semantics_of
from ._errors import ArgumentError, Error, OperandValueError, Status
from ._fast import ABSENT, FastCalls
from ._html import html_table, html_text
from ._library import KernelHandle, check, checked, lib
from ._spec import spec_of
from ._structs import ExplanationStruct, KernelInfo
from ._values import choice, is_number, text

_ndarray, _zeros = np.ndarray, np.zeros
_from_buffer, _addressof = c.c_char.from_buffer, c.addressof
_STAGES = {"ir": 0, "opt": 1, "asm": 2, "obj": 3, "plan": 4, "explain": 5}
_call, _call_packed = lib.aic_kernel_call, lib.aic_kernel_call_packed


def aligned_zeros(size, alignment=64):
    """Bytes at an address that is a multiple of `alignment`."""
    block = np.zeros(size + alignment, np.uint8)
    start = -block.ctypes.data % alignment
    return block[start : start + size]


def _packed_size(handle, i):
    """Bytes of the operand's image; 0: the kernel does not pack it."""
    size = c.c_size_t()
    status = lib.aic_kernel_packed_size(handle, i, c.byref(size))
    if status != Status.UNSUPPORTED:
        check(status)
    return size.value


class Packed(Held):
    """A constant operand as a kernel wants it, made by Kernel.pack(). It takes the operand's place in calls of that
    kernel and of every other one that reads the same form."""

    __slots__ = ("_kernel", "_index", "_array", "_kind")

    def __init__(self):
        raise TypeError("Kernel.pack() makes these")

    @classmethod
    def _of(cls, kernel, index, array):
        packed = cls.__new__(cls)
        packed._kernel, packed._index, packed._array, packed._kind = kernel, index, array, kernel._kinds[index][0]
        return packed

    @classmethod
    def _sample(cls):
        """One by which is found where its members lie."""
        packed = cls.__new__(cls)
        packed._kernel, packed._index, packed._array, packed._kind = None, 0, np.zeros(1, np.uint8), object()
        return packed

    def __repr__(self):
        operand = self._kernel._all[self._index]
        what = "image of %d bytes" % self._array.nbytes if self._kernel._packs[self._index] else "array itself"
        return "<aicjit.Packed %s, %s[%s]: %s>" % (operand.name, operand.dtype, ",".join(map(str, operand.shape)), what)

    @property
    def kernel(self):
        """The kernel that it was packed by."""
        return self._kernel

    @property
    def address(self):
        """Where it lies."""
        return address_of(self._array)

    @property
    def identity(self):
        """The name of the form, 64 digits: images of one name are interchangeable. None where it is the array itself."""
        if not self._kernel._packs[self._index]:
            return None
        text = c.create_string_buffer(65)
        check(lib.aic_packed_identity(self.address, c.addressof(text)))
        return text.value.decode()


_fast = FastCalls(Packed._sample())
_call_fast = _fast.call

_CALL = """
def __call__(self, *inputs, out=None, {parameters}**named):
    if out is None and self._new_shape is not None:
        out = _zeros(self._new_shape, self._dtype)
    status = -1 if named else _call_fast((self._fast, out, inputs, {values}))
    return out if status == 0 else self._call_again(status, inputs, out, ({values}), named)
"""


def _calling(names):
    """Kernel.__call__() with parameters of the operands' names, which the interpreter finds faster than code could."""
    made = {}
    exec(_CALL.format(parameters="".join("%s=ABSENT, " % name for name in names),
                      values="".join("%s, " % name for name in names)), globals(), made)
    call = made["__call__"]
    call.__doc__ = """Runs the kernel and returns the output: `out`, or a new array, which is zeros before the call and has the
        shape of `result_layout` where there is one. An operand that is read and written is given as out."""
    return call


@functools.lru_cache(maxsize=None)
def _with_names(kind, names):
    """The class of a kernel of such inputs: in all else the class that it is of."""
    return type(kind.__name__, (kind,), {"__call__": _calling(names), "__doc__": kind.__doc__, "__module__": kind.__module__,
                                         "__qualname__": kind.__qualname__})


class Explanation:
    """Why a kernel is as it is, and what it is expected to cost; str() is the report. Members: aic_explanation."""

    def __init__(self, struct):
        for name, _ in ExplanationStruct._fields_:
            value = getattr(struct, name)
            setattr(self, name, value.decode() if isinstance(value, bytes) else value)
        self.bytes = dict(zip(("l1", "l2", "l3", "memory"), struct.bytes))
        self.text = c.string_at(struct.text).decode()

    def __str__(self):
        return self.text

    def __repr__(self):
        return "<aicjit.Explanation of %s, %s>" % (self.kernel, self.schedule)

    def _repr_html_(self):
        return html_text(self.text)


def explain(spec, *, schedule=None, isa=None, context=None):
    """Explains the kernel of a specification without making it: which schedule, why, which are refused, what it costs."""
    found = ExplanationStruct()
    checked(lib.aic_explain, handle_of(context), spec_of(spec)._pointer, text("schedule", schedule), text("isa", isa),
            c.byref(found))
    try:
        return Explanation(found)
    finally:
        lib.aic_free(found.text)


def dump(spec, stage="ir", *, schedule=None, isa=None, triple=None, context=None):
    """What is made of a specification: stage "ir", "opt", "asm", "plan" or "explain" as text, "obj" as bytes."""
    number = choice("stage", stage, _STAGES)
    memory, size = c.c_void_p(), c.c_size_t()
    checked(lib.aic_dump, handle_of(context), spec_of(spec)._pointer, text("schedule", schedule), number, text("isa", isa),
            text("triple", triple), c.byref(memory), c.byref(size))
    try:
        content = c.string_at(memory.value, size.value)
    finally:
        lib.aic_free(memory.value)
    return content if stage == "obj" else content.decode()


def _at_once(operand):
    """Element type, shape and bytes of the arrays that are taken without a further look, of this shape or of so many
    bytes where any shape will do."""
    any_shape = operand.strided or operand.words
    return operand.numpy_dtype, operand.shape if operand.elements else None, operand.bytes if any_shape and operand.bytes else -1


def _told(member, doc):
    """A member that callers may read only."""
    return property(attrgetter(member), doc=doc)


class Kernel(Closing):
    """Machine code of one specification, made by compile(). Callable, from any thread; the interpreter's lock is given
    up meanwhile. A context manager: close() gives it up, once calls in progress are done.

    Inputs are passed in calling order or by name. They are NumPy arrays, or what has DLPack, __array_interface__ or the
    buffer protocol, in C order and native byte order, of the element type and the shape that `operands` has (bfloat16 as
    uint16 or as ml_dtypes.bfloat16), and are not copied. What fits without a copy is taken, too: axes of 1 in front, one
    axis of as many elements, longer inputs where strides describe the operand, numbers for one element.
    """

    def __init__(self, spec, schedule=None, context=None):
        self.spec, self._given, self._context = spec_of(spec), schedule, context
        handle = KernelHandle()
        checked(lib.aic_kernel_create, handle_of(context), self.spec._pointer, text("schedule", schedule), c.byref(handle))
        self._handle = handle
        self._semantics = semantics_of(context)
        self._subject = self.spec.subject
        self._all = self.spec.operands(context)
        self.output = self._all[0]
        #: The operands that calls take and give, the output first.
        self.operands = [operand for operand in self._all if operand.direction != "unused"]
        self._inputs = [(i, operand, *_at_once(operand))
                        for i, operand in enumerate(self._all) if i > 0 and operand.direction != "unused"]
        self._out = _at_once(self.output)
        self._shape, self._dtype = self.spec._result_shape(self._semantics, self.output), self.output.numpy_dtype
        self._new_shape = self._shape if self.output.elements > 0 and not has_free_type(self.output) else None
        self._taken, self._names = len(self._inputs), tuple(operand.name for _, operand, *_ in self._inputs)
        self._array = c.c_void_p * len(self._all)
        self._count = len(self._all)
        self._packs = {i: _packed_size(handle, i) for i in range(1, self._count)}
        #: What pack() makes for each operand, and whether that is an image, which other kernels take, too.
        self._kinds = {i: (sys.intern("image of " + self._all[i].name), True) if size else ("array of %d" % id(self), False)
                       for i, size in self._packs.items()}
        self._advised = False
        self._fast = _fast.nothing  # until a call was looked at in Python
        self._tell(handle)
        if type(self).__call__ is Kernel.__call__:  # else a class of the caller's has its own way to call
            self.__class__ = _with_names(type(self), self._names)

    def _tell(self, handle):
        """Keeps what the kernel says of itself, which is gone with it."""
        info = KernelInfo()
        check(lib.aic_kernel_get_info(handle, c.byref(info)))
        self._name, self._isa, self._schedule = info.name.decode(), info.isa.decode(), info.schedule.decode()
        self._threads = info.threads
        self._compile_ns = info.emit_ns + info.codegen_ns + info.link_ns if info.compiled else 0
        self._make_ns = info.make_ns if info.compiled or info.loaded else 0
        self._parts = {"ready": info.parts_ready, "loaded": info.parts_loaded, "made": info.parts_made}
        self._cache = "miss" if info.compiled else "disk" if info.loaded else "memory"

    def __repr__(self):
        return "<aicjit.Kernel %s, %s%s>" % (self.spec, self.schedule, "" if self._handle is not None else ", closed")

    def _repr_html_(self):
        """In notebooks: what it is and its explanation, where its context is still there to give one."""
        try:
            told = self.explain().text
        except Error as error:
            told = str(error)
        return html_table([("operand", "type", "shape", "direction")],
                          [(o.name, o.dtype, list(o.shape), o.direction) for o in self.operands], repr(self)[1:-1]) \
            + html_text(told)

    def close(self):
        """Gives the kernel up: it cannot be called any more. Calls in progress end as they would."""
        self._handle = None
        self._fast = _fast.nothing

    # ---- calls ----

    __call__ = _calling(())

    def _call_again(self, status, inputs, out, values, named):
        """After a call that C made, and which failed, or did not make."""
        if status > 0:
            self._fail(status)
        given = {name: value for name, value in zip(self._names, values) if value is not ABSENT}
        if not inputs and not named and len(given) == self._taken:
            inputs, given = values, {}
        return self._call_looking(inputs, out, {**named, **given})

    def _call_looking(self, inputs, out, named):
        """The same, looking at every operand in Python."""
        if named or len(inputs) != self._taken:
            inputs = arrange(self._subject, self._all, inputs, named)
        pointers, run, kept = self._array(), _call, None
        for (i, operand, dtype, shape, size), array in zip(self._inputs, inputs):
            if type(array) is _ndarray and array.dtype == dtype and (array.shape == shape or array.nbytes == size) \
                    and array.flags.carray:
                pointers[i] = _addressof(_from_buffer(array))
            elif type(array) is Packed:
                pointers[i] = self._address(array, i)
                run = _call_packed if self._packs[i] else run
            else:
                kept = kept or Pointers(self._count)
                pointers[i] = kept.set(i, fit(self._subject, operand, array))
        dtype, shape, size = self._out
        result = new_output(self.output, inputs, self._shape) if out is None else out
        if type(result) is _ndarray and result.dtype == dtype and (result.shape == shape or result.nbytes == size) \
                and result.flags.carray:
            pointers[0] = _addressof(_from_buffer(result))
        else:
            kept = kept or Pointers(self._count)
            pointers[0] = kept.set(0, fit(self._subject, self.output, result, True))
        if not self._advised:
            self._advise(pointers, run is _call_packed)
        status = run(self._handle, pointers, self._count)
        if status:
            self._fail(status)
        self._quicken()
        return result

    def _quicken(self):
        """Lets C look at the operands of later calls. close() may come meanwhile from another thread."""
        handle = self._handle
        if self._fast is _fast.nothing and handle is not None:
            self._fast = _fast.of(handle, self._all, self._kinds)
            if self._handle is None:
                self._fast = _fast.nothing

    def _fail(self, status):
        if self._handle is None:
            raise ArgumentError("%s: the kernel is closed" % self._subject)
        check(status)

    def _advise(self, pointers, packed=False):
        """Before the first call: what is legal but hardly meant is told, once. Blanks stand for what is packed."""
        given, blanks = self._array(*pointers), Pointers(self._count)
        for i, size in self._packs.items():
            if size and packed:
                given[i] = blanks.set(i, aligned_zeros(self._all[i].bytes))
        self._advised = True
        checked(lib.aic_spec_advise, self.spec._pointer, self._semantics, given, self._count)

    def _address(self, packed, i):
        """The address of what pack() made; calls compare the form of images themselves."""
        operand, by = self._all[i], packed._kernel
        name, is_image = by._all[packed._index].name, by._packs[packed._index] > 0
        if name != operand.name or is_image != (self._packs[i] > 0) or not (is_image or by is self):
            raise OperandValueError("%s: %s: was packed for another operand, or by a kernel of another kind"
                                    % (self._subject, operand.name))
        return packed.address

    def _index(self, operand):
        """The number of the operand of that name; None: of the one that the kernel packs, else the last input."""
        if operand is not None:
            return choice("%s: operand" % self._subject, operand, {known.name: i for i, known in enumerate(self._all)})
        packable = [i for i, size in self._packs.items() if size > 0]
        return packable[0] if packable else self._default_constant()

    def _default_constant(self):
        for name in ("weight", "b"):
            for i, operand in enumerate(self._all):
                if operand.name == name:
                    return i
        raise ArgumentError("%s: no operand is packed by this kernel: name one" % self._subject)

    def pack(self, array, operand=None):
        """Packs a constant operand, by default the weights. The result takes its place in calls of this kernel, which
        then need not pack it, and of others that read the same form, such as one that was compiled again or for
        images of another size. Where the kernel packs nothing it stands for the array itself."""
        i = self._index(operand)
        if i == 0 or self._all[i].direction == "unused":
            raise ArgumentError("%s: %s is no input" % (self._subject, self._all[i].name))
        array = fit(self._subject, self._all[i], array)
        if self._packs[i] == 0:
            return Packed._of(self, i, array)
        packed, pointers = Packed._of(self, i, aligned_zeros(self._packs[i])), Pointers(1)
        status = lib.aic_kernel_pack(self._handle, i, packed.address, pointers.set(0, array))
        if status:
            self._fail(status)
        return packed

    # ---- several images ----

    def call_batch(self, *inputs, out=None, **named):
        """Runs the kernel for several images, which threads divide among themselves. An input that has one axis more
        than the operand, in front, has a part for each image; others are the same for all. Returns the outputs, an axis
        for the images in front: `out`, or a new array."""
        inputs = [self._looked_at(operand, array) for (_, operand, *_), array
                  in zip(self._inputs, arrange(self._subject, self._all, inputs, named))]
        images, view = {}, out
        if out is not None:
            view = as_array(self._subject, "out (%s)" % self.output.name, out)
            self._images_at(self.output, view, True)
            images[self.output.name] = self._images(self.output, view, True)
        for (_, operand, *_), array in zip(self._inputs, inputs):
            if self._images(operand, array) is not None:
                images[operand.name] = self._images(operand, array)
        if not images:
            raise ArgumentError("%s: no operand has an axis for images in front: pass out=" % self._subject)
        name, count = next(iter(images.items()))
        for other, its in images.items():
            if its != count:
                raise OperandValueError("%s: %s: has %s images, but %s has %s" % (self._subject, other, its, name, count))
        if out is None:
            one = new_output(self.output, inputs, self._shape)
            out = view = np.zeros((count,) + one.shape, one.dtype)
        self._run_batch(inputs, view, count)
        return out

    def _looked_at(self, operand, value):
        """An input as an array, of one image or of several; numbers and what is packed as they are."""
        return value if type(value) is Packed or is_number(value) else as_array(self._subject, operand.name, value)

    def _images(self, operand, array, is_output=False):
        """The length of the axis for images, None where there is none."""
        if type(array) is not _ndarray or array.ndim < 2:
            return None
        if array.shape[1:] == operand.shape:
            return array.shape[0]
        parts = array.size * array.itemsize == array.shape[0] * operand.bytes and (is_output or array.shape[0] != 1)
        return array.shape[0] if (operand.strided or operand.words) and parts else None

    def _images_at(self, operand, array, is_output=False):
        """The first image and bytes to the next one."""
        images = self._images(operand, array, is_output)
        if images is None:
            if is_output:
                fit(self._subject, operand, array, True)
                raise OperandValueError("%s: out (%s): has no axis for images in front" % (self._subject, operand.name))
            return fit(self._subject, operand, array), 0
        if images > 0:
            fit(self._subject, operand, array[0], is_output)
        if array.strides[0] < 0:
            raise OperandValueError("%s: %s: its images are in falling order" % (self._subject, operand.name))
        return array, array.strides[0]

    def _run_batch(self, inputs, out, count):
        pointers, strides = Pointers(self._count), (c.c_size_t * self._count)()
        is_packed = False
        for (i, operand, *_), array in zip(self._inputs, inputs):
            if type(array) is Packed:
                pointers.array[i] = self._address(array, i)
                is_packed = is_packed or self._packs[i] > 0
            else:
                array, strides[i] = self._images_at(operand, array)
                pointers.set(i, array)
        out, strides[0] = self._images_at(self.output, out, True)
        pointers.set(0, out)
        if not self._advised and count > 0:
            self._advise(pointers.array, is_packed)
        run = lib.aic_kernel_call_batch_packed if is_packed else lib.aic_kernel_call_batch
        status = run(self._handle, pointers.array, strides, count)
        if status:
            self._fail(status)

    # ---- what it is ----

    schedule = _told("_schedule", "The schedule's text.")
    isa = _told("_isa", "The instruction set level that it was compiled for.")
    name = _told("_name", "The symbol of the kernel in dumps.")
    threads = _told("_threads", "Threads that share a call at most.")
    compile_ns = _told("_compile_ns", "Time that it took to make it; 0 where it was found or loaded.")
    make_ns = _told("_make_ns", "Time from the schedule to a kernel that can be called, in all; 0 where it was found.")

    @property
    def parts(self):
        """How many of its parts, which other kernels may have, too, were "ready", "loaded" or "made"."""
        return dict(self._parts)

    cache = _told("_cache", 'Where it came from: "miss" (it was made), "disk", "memory".')

    @property
    def result_layout(self):
        """The layout of the result and its shape, for what comes next."""
        return self.spec._result_layout(self._semantics)

    def explain(self):
        """Which schedule, why, which are refused, what it costs."""
        return explain(self.spec, schedule=self._given, isa=self.isa, context=self._context)

    def dump(self, stage="ir"):
        """See dump()."""
        return dump(self.spec, stage, schedule=self.schedule, isa=self.isa, context=self._context)

    @property
    def ir(self):
        """The LLVM IR as it is emitted."""
        return self.dump("ir")

    @property
    def asm(self):
        """The assembly."""
        return self.dump("asm")


def compile(spec, *, schedule=None, context=None):
    """Compiles operator text, or what op() and `|` make, to a Kernel. schedule: the text of one, by default the tuned or
    the usual one."""
    return Kernel(spec, schedule, context)
