"""Networks of the library: open folders of kernels and constants."""

import collections
import contextlib
import ctypes as c
import os

from ._arrays import Pointers, fit
from ._context import Closing, Held, handle_of
from ._errors import ArgumentTypeError, FileError, Status
from ._library import NetworkHandle, check, checked, lib
from ._spec import Operand
from ._structs import NAMES, OperandStruct, type_of
from ._values import text, truth


_Facts, _Options, _Exported = NAMES["aic_network_facts"], NAMES["aic_network_options"], NAMES["aic_exported"]
_Progress = type_of("aic_network_progress")

NetworkKernel = collections.namedtuple("NetworkKernel", [name for name, _ in NAMES["aic_network_kernel"]._fields_])
NetworkInfo = collections.namedtuple("NetworkInfo", "inputs outputs kernels arena_bytes buffer_bytes constant_bytes "
                                                    "workspace_bytes isa")


def _plain(value):
    return value.decode() if isinstance(value, bytes) else value


def _operand(tensor, direction):
    """A tensor as an operand that arrays are held against."""
    struct = OperandStruct(name=tensor.name, direction=direction, dtype=tensor.dtype, rank=tensor.rank, shape=tensor.shape,
                           elements=tensor.elements, bytes=tensor.bytes)
    return Operand._of(struct)


def batch_of(operand, n):
    """An operand for n images, an axis in front."""
    return operand._replace(shape=(n, *operand.shape), elements=n * operand.elements, bytes=n * operand.bytes)


def _path(folder):
    path = text("network: folder", folder)
    if path is None:
        raise ArgumentTypeError("network: folder: is None, not text")
    return path


class Opened(Held):
    """A folder that is open. progress(made, kernels) is called as kernels are made, and stops that by returning False."""

    def __init__(self, folder, context=None, reference=False, progress=None):
        raised, facts = [], _Facts()

        def told(_, made, kernels):
            try:
                return progress(made, kernels) is not False
            except BaseException as error:  # goes on to the caller, below
                raised.append(error)
                return False

        options = _Options(reference=truth("network: reference", reference))
        if progress is not None:
            options.progress = _Progress(told)
        self._handle = NetworkHandle()
        try:
            checked(lib.aic_network_open, handle_of(context), _path(folder), c.byref(options), c.byref(self._handle))
        finally:
            if raised:
                raise raised[0] from None
        check(lib.aic_network_info(self._handle, c.byref(facts)))
        kernels = [NetworkKernel(*(_plain(getattr(facts.kernel[i], name)) for name in NetworkKernel._fields))
                   for i in range(facts.kernels)]
        self.info = NetworkInfo([_operand(facts.input[i], 1) for i in range(facts.inputs)],
                                [_operand(facts.output[i], 2) for i in range(facts.outputs)], kernels,
                                *(_plain(getattr(facts, name)) for name in NetworkInfo._fields[3:]))

    def call(self, inputs, outputs, n=None, ns=None):
        """Computes the outputs, of one image or of n, which have an axis in front then. ns, of one image: an array of uint64
        that gets the nanoseconds of each kernel."""
        taken, given = self.info.inputs, self.info.outputs
        if n is not None:
            taken, given = [batch_of(o, n) for o in taken], [batch_of(o, n) for o in given]
        reads, writes = Pointers(len(taken)), Pointers(len(given))
        for i, (operand, array) in enumerate(zip(taken, inputs)):
            reads.set(i, fit("network", operand, array))
        for i, (operand, array) in enumerate(zip(given, outputs)):
            writes.set(i, fit("network", operand, array, True))
        arguments = self._handle, reads.array, len(taken), writes.array, len(given)
        if ns is not None:
            check(lib.aic_network_call_timed(*arguments, ns.ctypes.data_as(c.POINTER(c.c_uint64))))
        else:
            check(lib.aic_network_call(*arguments) if n is None else lib.aic_network_batch(*arguments, n))


def _store(files):
    """Writes files, all or none: what is there before stays as it is until each new one is complete."""
    made, path = [], ""
    try:
        for path, content in files:
            target = os.path.realpath(path)
            name = "%s.%d.new" % (target, os.getpid())
            if os.path.exists(target) and not os.path.isfile(target):
                name = target  # a device, a pipe
            else:
                made.append((name, target))
            with open(name, "wb") as file:
                file.write(content)
        while made:
            os.replace(*made[0])
            del made[0]
    except OSError as error:
        raise FileError("%s: %s" % (os.fspath(path), error.strerror), Status.IO) from error
    finally:
        for name, _ in made:
            with contextlib.suppress(OSError):
                os.unlink(name)


def export(context, folder, object_file, header_file, name, isa, target):
    """Writes the object and the header of a folder."""
    made = _Exported()
    checked(lib.aic_network_export, handle_of(context), _path(folder), text("name", name), text("isa", isa),
            text("target", target), c.byref(made))
    try:
        _store([(object_file, c.string_at(made.object, made.object_size)), (header_file, c.string_at(made.header, made.header_size))])
    finally:
        lib.aic_exported_destroy(c.byref(made))


__all__ = ["Closing", "NetworkInfo", "NetworkKernel", "Opened", "batch_of", "export"]
