"""Networks: folders of kernels and constants."""

import collections
import ctypes as c

import numpy as np

from ._arrays import Pointers, arrange, fit
from ._context import Closing, handle_of
from ._errors import ArgumentError, ArgumentTypeError, OperandValueError
from ._library import check, checked, lib
from ._spec import Operand
from ._structs import NAMES, OperandStruct, Sized
from ._values import text


class _Handle(c.c_void_p):
    """A hold on a network of the library, given up with the object."""

    def __del__(self, destroy=lib.aic_network_destroy):
        if self.value:
            destroy(self.value)


class _Tensor(Sized):
    _fields_ = [("name", c.c_char_p), ("dtype", c.c_int), ("rank", c.c_int32), ("shape", c.c_int64 * 6),
                ("elements", c.c_int64), ("bytes", c.c_int64), ("alignment", c.c_size_t)]


class _Kernel(Sized):
    _fields_ = [("line", c.c_size_t), ("text", c.c_char_p), ("output", c.c_char_p), ("schedule", c.c_char_p),
                ("threads", c.c_int), ("macs", c.c_int64), ("bytes", c.c_int64), ("packed", c.c_bool)]


class _Facts(Sized):
    _fields_ = [("input", c.POINTER(_Tensor)), ("output", c.POINTER(_Tensor)),
                ("kernel", c.POINTER(_Kernel)), ("inputs", c.c_size_t), ("outputs", c.c_size_t), ("kernels", c.c_size_t),
                ("arena_bytes", c.c_int64), ("buffer_bytes", c.c_int64), ("constant_bytes", c.c_int64),
                ("workspace_bytes", c.c_int64), ("isa", c.c_char_p)]


class _Options(Sized):
    _fields_ = [("reference", c.c_bool), ("progress", c.c_void_p), ("step", c.c_void_p),
                ("user", c.c_void_p)]


NetworkKernel = collections.namedtuple("NetworkKernel", [name for name, _ in _Kernel._fields_])
NetworkInfo = collections.namedtuple("NetworkInfo", "inputs outputs kernels arena_bytes buffer_bytes constant_bytes "
                                                    "workspace_bytes isa")

_SIZE, _LIST = c.c_size_t, c.c_void_p
for _name, _result, _arguments in (
        ("open", c.c_int, (c.c_void_p, c.c_char_p, c.POINTER(_Options), c.c_void_p)),
        ("info", c.c_int, (_Handle, c.POINTER(_Facts))),
        ("call", c.c_int, (_Handle, _LIST, _SIZE, _LIST, _SIZE)),
        ("batch", c.c_int, (_Handle, _LIST, _SIZE, _LIST, _SIZE, _SIZE)),
        ("export", c.c_int, (c.c_void_p, c.c_char_p, c.c_char_p, c.c_char_p, c.c_char_p, c.c_void_p)),
        ("destroy", None, (c.c_void_p,))):
    getattr(lib, "aic_network_" + _name).restype = _result
    getattr(lib, "aic_network_" + _name).argtypes = _arguments


class _Exported(Sized):
    _fields_ = [("object", c.c_void_p), ("object_size", c.c_size_t), ("header", c.c_void_p), ("header_size", c.c_size_t)]


NAMES.update({"aic_network_tensor": _Tensor, "aic_network_kernel": _Kernel, "aic_network_facts": _Facts,
              "aic_network_options": _Options, "aic_exported": _Exported})
lib.aic_exported_destroy.restype, lib.aic_exported_destroy.argtypes = None, (c.POINTER(_Exported),)


def _plain(value):
    return value.decode() if isinstance(value, bytes) else value


def _operand(tensor, direction):
    """A tensor as an operand that arrays are held against."""
    struct = OperandStruct(name=tensor.name, direction=direction, dtype=tensor.dtype, rank=tensor.rank, shape=tensor.shape,
                           elements=tensor.elements, bytes=tensor.bytes)
    return Operand._of(struct)


def _batch_of(operand, n):
    return operand._replace(shape=(n, *operand.shape), elements=n * operand.elements, bytes=n * operand.bytes)


class FolderNetwork(Closing):
    """A network, made by FolderNetwork.open(). Callable, from any thread; the interpreter's lock is given up meanwhile.

    Inputs are passed in the order of network.txt or by name. The result is an array, or a tuple of them where the network
    has several outputs. `info` says what it consists of.
    """

    def __init__(self):
        raise TypeError("FolderNetwork.open() makes these")

    @classmethod
    def open(cls, folder, *, context=None, reference=False):
        """Opens the network in a folder: checks it and makes its kernels. reference: the plain-C reference computes."""
        if not isinstance(reference, (bool, np.bool_)):
            raise ArgumentTypeError("reference: is neither True nor False")
        network, handle, facts = cls.__new__(cls), _Handle(), _Facts()
        options = _Options(reference=reference)
        path = text("folder", folder)
        if path is None:
            raise ArgumentTypeError("folder: is None, not text")
        checked(lib.aic_network_open, handle_of(context), path, c.byref(options), c.byref(handle))
        check(lib.aic_network_info(handle, c.byref(facts)))
        kernels = [NetworkKernel(*(_plain(getattr(facts.kernel[i], name)) for name in NetworkKernel._fields))
                   for i in range(facts.kernels)]
        network.info = NetworkInfo([_operand(facts.input[i], 1) for i in range(facts.inputs)],
                                   [_operand(facts.output[i], 2) for i in range(facts.outputs)], kernels,
                                   *(_plain(getattr(facts, name)) for name in NetworkInfo._fields[3:]))
        network._handle, network._folder, network._context = handle, path, context
        return network

    def export(self, object_file, header_file, *, name="net", isa=None, target=None):
        """Writes an object file with one function, and its header: kernels and constants of the folder as it is now, for
        programs that have neither this library nor LLVM. isa: a level, or several; target: a triple."""
        made = _Exported()
        checked(lib.aic_network_export, handle_of(self._context), self._folder, text("name", name), text("isa", isa),
                text("target", target), c.byref(made))
        try:
            for path, data, size in ((object_file, made.object, made.object_size), (header_file, made.header, made.header_size)):
                with open(path, "wb") as file:
                    file.write(c.string_at(data, size))
        finally:
            lib.aic_exported_destroy(c.byref(made))

    def close(self):
        """Gives the network up: it cannot be called any more. Calls in progress end as they would."""
        self._handle = None

    def __repr__(self):
        return "<aicjit.FolderNetwork of %d kernels, %s>" % (len(self.info.kernels), self.info.isa)

    def __call__(self, *inputs, out=None, **named):
        """Computes the outputs: `out`, an array or as many as there are outputs, or new arrays."""
        return self._run(inputs, out, named, None)

    def call_batch(self, *inputs, out=None, **named):
        """Several images, an axis in front of every input and output; threads compute whole images."""
        first = next(iter([*inputs, *named.values()]), None)
        if not np.shape(first):
            raise OperandValueError("network: the first input has no axis of images in front")
        return self._run(inputs, out, named, len(first))

    def _run(self, inputs, out, named, n):
        if self._handle is None:
            raise ArgumentError("network: is closed")
        taken, given = self.info.inputs, self.info.outputs
        inputs = arrange("network", [given[0], *taken], inputs, named)
        if n is not None:
            taken, given = [_batch_of(o, n) for o in taken], [_batch_of(o, n) for o in given]
        out = (out,) if len(given) == 1 else (None,) * len(given) if out is None else tuple(out)
        if len(out) != len(given):
            raise OperandValueError("network: out: %d arrays given, %d needed" % (len(out), len(given)))
        results = [np.zeros(o.shape, o.numpy_dtype) if array is None else array for o, array in zip(given, out)]
        reads, writes = Pointers(len(taken)), Pointers(len(given))
        for i, (operand, array) in enumerate(zip(taken, inputs)):
            reads.set(i, fit("network", operand, array))
        for i, (operand, array) in enumerate(zip(given, results)):
            writes.set(i, fit("network", operand, array, True))
        arguments = self._handle, reads.array, len(taken), writes.array, len(given)
        check(lib.aic_network_call(*arguments) if n is None else lib.aic_network_batch(*arguments, n))
        return results[0] if len(results) == 1 else tuple(results)
