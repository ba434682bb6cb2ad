"""Kernels: compiled once, called many times."""

import ctypes as c

import numpy as np

from ._arrays import address_of, fit, new_output
from ._context import handle_of
from ._errors import ArgumentError, OperandValueError
from ._library import check, encode, lib
from ._spec import spec_of
from ._structs import ExplanationStruct, KernelInfo

_ndarray = np.ndarray
_STAGES = {"ir": 0, "opt": 1, "asm": 2, "obj": 3, "plan": 4, "explain": 5}
_call, _call_packed = lib.aic_kernel_call, lib.aic_kernel_call_packed


def aligned_empty(size, alignment=64):
    """Bytes at an address that is a multiple of `alignment`."""
    block = np.empty(size + alignment, np.uint8)
    start = -block.ctypes.data % alignment
    return block[start : start + size]


class Packed:
    """A constant operand as one kernel wants it, made by Kernel.pack(). It takes the operand's place in calls."""

    __slots__ = ("kernel", "index", "array", "address")

    def __init__(self, kernel, index, array):
        self.kernel, self.index, self.array = kernel, index, array
        self.address = address_of(array)


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


def explain(spec, *, schedule=None, isa=None, context=None):
    """Explains the kernel of a specification without making it: which schedule, why, which are refused, what it costs."""
    found = ExplanationStruct()
    check(lib.aic_explain(handle_of(context), spec_of(spec).pointer, encode(schedule), encode(isa), c.byref(found)))
    try:
        return Explanation(found)
    finally:
        lib.aic_free(found.text)


def dump(spec, stage="ir", *, schedule=None, isa=None, triple=None, context=None):
    """What is made of a specification: stage "ir", "opt", "asm", "plan" or "explain" as text, "obj" as bytes."""
    if stage not in _STAGES:
        raise ArgumentError("stage: %r is none of %s" % (stage, ", ".join(_STAGES)))
    memory, size = c.c_void_p(), c.c_size_t()
    check(lib.aic_dump(handle_of(context), spec_of(spec).pointer, encode(schedule), _STAGES[stage], encode(isa),
                       encode(triple), c.byref(memory), c.byref(size)))
    try:
        content = c.string_at(memory.value, size.value)
    finally:
        lib.aic_free(memory.value)
    return content if stage == "obj" else content.decode()


class Kernel:
    """Machine code of one specification, made by compile(). Callable, from any thread; the interpreter's lock is given
    up meanwhile.

    Inputs are passed in calling order. They are NumPy arrays in C order and native byte order, of the element type and
    the shape that `operands` has (bfloat16 as uint16), and are not copied. What fits without a copy is taken, too:
    axes of 1 in front, one axis of as many elements, longer inputs where strides describe the operand.
    """

    def __init__(self, spec, schedule=None, context=None):
        self._handle = None
        self.spec, self._given, self._context = spec_of(spec), schedule, context
        handle = c.c_void_p()
        check(lib.aic_kernel_create(handle_of(context), self.spec.pointer, encode(schedule), c.byref(handle)))
        self._handle = handle.value
        self._subject = self.spec.subject
        self._all = self.spec.operands(context)
        self.output = self._all[0]
        #: The operands that calls take and give, the output first.
        self.operands = [operand for operand in self._all if operand.direction != "unused"]
        self._inputs = [(i, operand, operand.numpy_dtype, operand.shape)
                        for i, operand in enumerate(self._all) if i > 0 and operand.direction != "unused"]
        self._array = c.c_void_p * len(self._all)
        self._count = len(self._all)
        self._packs = {i: lib.aic_kernel_packed_size(self._handle, i) for i in range(1, self._count)}
        self._info = KernelInfo()
        check(lib.aic_kernel_get_info(self._handle, c.byref(self._info)))

    def __del__(self):
        if getattr(self, "_handle", None) is not None:
            lib.aic_kernel_release(self._handle)
            self._handle = None

    def __repr__(self):
        return "<aicjit.Kernel %s, %s>" % (self.spec, self.schedule)

    # ---- calls ----

    def __call__(self, *inputs, out=None):
        """Runs the kernel and returns the output: `out`, or a new array, which is zeros before the call. An operand that
        is read and written is given as out."""
        if len(inputs) != len(self._inputs):
            inputs = self._take(inputs)
        pointers = self._array()
        run = _call
        for (i, operand, dtype, shape), array in zip(self._inputs, inputs):
            if array.__class__ is _ndarray and array.dtype == dtype and array.shape == shape and array.flags.carray:
                pointers[i] = address_of(array)
            elif array.__class__ is Packed:
                pointers[i] = self._address(array, i)
                run = _call_packed if self._packs[i] else run
            else:
                array = fit(self._subject, operand, array)
                pointers[i] = address_of(array)
        if out is None:
            out = self._new_output(inputs)
        else:
            fit(self._subject, self.output, out, True)
        pointers[0] = address_of(out)
        status = run(self._handle, pointers, self._count)
        if status:
            check(status)
        return out

    def _take(self, inputs):
        """The inputs without None for operands that are not taken."""
        if len(inputs) == self._count - 1:
            used = [array for array, operand in zip(inputs, self._all[1:]) if operand.direction != "unused"]
            unused = [operand.name for array, operand in zip(inputs, self._all[1:])
                      if operand.direction == "unused" and array is not None]
            if unused:
                raise OperandValueError("%s: %s: is given, but this descriptor takes none" % (self._subject, unused[0]))
            return used
        names = ", ".join(operand.name for _, operand, _, _ in self._inputs)
        raise TypeError("%s: %d inputs given, %d needed: %s" % (self._subject, len(inputs), len(self._inputs), names))

    def _new_output(self, inputs, images=()):
        output = new_output(self.output, inputs)
        return np.zeros(images + output.shape, output.dtype) if images else output

    def _address(self, packed, i):
        if packed.kernel is not self or packed.index != i:
            raise OperandValueError("%s: %s: was packed by another kernel, or for another operand"
                                    % (self._subject, self._all[i].name))
        return packed.address

    def _index(self, operand):
        """The number of the operand of that name; None: of the one that the kernel packs, else the last input."""
        for i, known in enumerate(self._all):
            if known.name == operand:
                return i
        if operand is not None:
            raise ArgumentError("%s: there is no operand %s" % (self._subject, operand))
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
        then need not pack it. Where the kernel packs nothing it stands for the array itself."""
        i = self._index(operand)
        if i == 0 or self._all[i].direction == "unused":
            raise ArgumentError("%s: %s is no input" % (self._subject, self._all[i].name))
        array = fit(self._subject, self._all[i], array)
        if self._packs[i] == 0:
            return Packed(self, i, array)
        packed = aligned_empty(self._packs[i])
        check(lib.aic_kernel_pack(self._handle, i, address_of(packed), address_of(array)))
        return Packed(self, i, packed)

    # ---- several images ----

    def call_batch(self, *inputs, out=None):
        """Runs the kernel for several images, which threads divide among themselves. An input that has one axis more
        than the operand, in front, has a part for each image; others are the same for all. Returns the outputs, an axis
        for the images in front: `out`, or a new array."""
        if len(inputs) != len(self._inputs):
            inputs = self._take(inputs)
        images = {}
        if out is not None:
            self._images_at(self.output, out, True)
            images[self.output.name] = self._images(self.output, out, True)
        for (_, operand, _, _), array in zip(self._inputs, inputs):
            if array.__class__ is not Packed and self._images(operand, array) is not None:
                images[operand.name] = self._images(operand, array)
        if not images:
            raise ArgumentError("%s: no operand has an axis for images in front: pass out=" % self._subject)
        name, count = next(iter(images.items()))
        for other, its in images.items():
            if its != count:
                raise OperandValueError("%s: %s: has %s images, but %s has %s" % (self._subject, other, its, name, count))
        return self._run_batch(inputs, out, count)

    def _images(self, operand, array, is_output=False):
        """The length of the axis for images, None where there is none."""
        if not isinstance(array, _ndarray) or array.ndim < 2:
            return None
        if array.shape[1:] == operand.shape:
            return array.shape[0]
        parts = array.size * array.itemsize == array.shape[0] * operand.bytes and (is_output or array.shape[0] != 1)
        return array.shape[0] if (operand.strided or operand.words) and parts else None

    def _images_at(self, operand, array, is_output=False):
        """Address of the first image and bytes to the next one."""
        images = self._images(operand, array, is_output)
        if images is None:
            if is_output:
                fit(self._subject, operand, array, True)
                raise OperandValueError("%s: %s: has no axis for images in front" % (self._subject, operand.name))
            return fit(self._subject, operand, array), 0
        if images > 0:
            fit(self._subject, operand, array[0], is_output)
        if array.strides[0] < 0:
            raise OperandValueError("%s: %s: its images are in falling order" % (self._subject, operand.name))
        return array, array.strides[0]

    def _run_batch(self, inputs, out, count):
        pointers, strides = self._array(), (c.c_size_t * self._count)()
        run, kept = lib.aic_kernel_call_batch, []
        for (i, operand, _, _), array in zip(self._inputs, inputs):
            if array.__class__ is Packed:
                pointers[i] = self._address(array, i)
                run = lib.aic_kernel_call_batch_packed if self._packs[i] else run
                continue
            array, strides[i] = self._images_at(operand, array)
            kept.append(array)
            pointers[i] = array.ctypes.data
        if out is None:
            out = self._new_output(inputs, (count,))
        out, strides[0] = self._images_at(self.output, out, True)
        pointers[0] = out.ctypes.data
        check(run(self._handle, pointers, strides, count))
        return out

    # ---- what it is ----

    @property
    def schedule(self):
        """The schedule's text."""
        return self._info.schedule.decode()

    @property
    def isa(self):
        """The instruction set level that it was compiled for."""
        return self._info.isa.decode()

    @property
    def name(self):
        """The symbol of the kernel in dumps."""
        return self._info.name.decode()

    @property
    def threads(self):
        """Threads that share a call at most."""
        return self._info.threads

    @property
    def compile_ns(self):
        """Time that it took to make it; 0 where it was found or loaded."""
        info = self._info
        return info.emit_ns + info.codegen_ns + info.link_ns if info.compiled else 0

    @property
    def cache(self):
        """Where it came from: "miss" (it was made), "disk", "memory"."""
        return "miss" if self._info.compiled else "disk" if self._info.loaded else "memory"

    @property
    def result_layout(self):
        """The layout of the result and its shape, for what comes next."""
        return self.spec.result_layout(self._context)

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
