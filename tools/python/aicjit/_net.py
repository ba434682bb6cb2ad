"""Networks: kernels one after the other on buffers that share one piece of memory."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Optional, Union

import numpy as np

import aicjit

from ._arrays import as_array
from ._network import Closing, NetworkInfo, Opened, export
from ._program import Array, Buffer, Host, Port, Program, Step, kept, parts
from ._values import integer, text

Path = Union[str, "os.PathLike[str]"]
Progress = Callable[[int, int], object]
_ALIGN = 8  # bytes: no element is larger
_RUNS = 10**6


class Table(list[dict[str, Any]]):
    """Rows of Network.table(): layer, spec, times, us, macs, gmacs_per_s; str() is a table."""

    def __str__(self) -> str:
        lines = ["%-24s %9s %8s  %s" % ("layer", "us", "GMAC/s", "operators")]
        for row in self:
            rate = "%.1f" % row["gmacs_per_s"] if row["macs"] else ""
            names = " | ".join(part.split("(")[0] for part in row["spec"].split(" | "))
            often = "%d x " % row["times"] if row["times"] > 1 else ""
            lines.append("%-24s %9.1f %8s  %s%s" % (row["layer"][-24:], row["us"], rate, often, names))
        return "\n".join([*lines, "%-24s %9.1f" % ("all", sum(row["us"] for row in self))])


class Results(tuple[Array, ...]):
    """The outputs of a network that has several, in their order; results["name"] is one by its name."""

    names: tuple[str, ...] = ()

    def __getitem__(self, key: Any) -> Any:
        return super().__getitem__(self.names.index(key) if isinstance(key, str) else key)

    def keys(self) -> tuple[str, ...]:
        """The names."""
        return self.names


class _Folder:
    """A program as a folder for as long as it is needed."""

    def __init__(self, program: Program) -> None:
        import tempfile  # networks that are opened need none

        self._program, self._folder = program, tempfile.TemporaryDirectory(prefix="aicjit-")

    def __enter__(self) -> str:
        from . import _net_file

        _net_file.write(self._program, self._folder.name)
        return self._folder.name

    def __exit__(self, *error: object) -> None:
        self._folder.cleanup()


class _Part:
    """A run of kernels: a network of the library."""

    def __init__(self, program: Optional[Program], folder: str, context: Optional[aicjit.Context], reference: bool = False,
                 progress: Optional[Progress] = None) -> None:
        self._opened = Opened(folder, context, reference, progress)
        self.info = self._opened.info
        ports = None if program is None else ([p.buffer for p in program.inputs], [p.buffer for p in program.outputs])
        self.inputs, self.outputs = ports or ([o.name for o in self.info.inputs], [o.name for o in self.info.outputs])
        self.steps = None if program is None else [step for step in program.steps if isinstance(step, Step)]

    def call(self, values: dict[str, Array], n: Optional[int] = None, ns: Optional[Array] = None) -> None:
        """Computes the outputs from values by their buffers' names, in memory that is there among them, or is new. ns gets
        the nanoseconds of each kernel."""
        for name, operand in zip(self.outputs, self.info.outputs):
            if name not in values:
                values[name] = np.empty(operand.shape if n is None else (n, *operand.shape), operand.numpy_dtype)
        self._opened.call([values[name] for name in self.inputs], [values[name] for name in self.outputs], n, ns)

    def rows(self) -> Iterator[tuple[str, str, int, int]]:
        """Layer, text, how many kernels it is, and their multiplications."""
        if self.steps is None:
            yield from ((kernel.output, kernel.text, 1, kernel.macs) for kernel in self.info.kernels)
            return
        at = 0
        for step in self.steps:
            yield step.layer, step.text, step.times, self.info.kernels[at].macs * step.times
            at += step.times


def _whole_image(port: Port) -> bool:
    """Whether the first axis is that of images, of which a call takes several."""
    return len(port.shape) > 1 and port.shape[0] == 1


class Network(Closing):
    """Kernels in order, with their buffers and constants, made by aicjit.onnx.load() and Network.open().

    Callable, from any thread: inputs in their order, by name, or a mapping of names to arrays. The first axis is that of
    images where it is 1, and a call takes any number of them then; call_batch() has an axis of images in front of whatever
    the inputs are. The result is an array, or where there are several outputs a tuple, whose arrays go by name, too.
    """

    def __init__(self, program: Program, *, context: Optional[aicjit.Context] = None, keep: bool = False,
                 progress: Optional[Progress] = None) -> None:
        if not isinstance(program, Program):
            raise TypeError("aicjit.Network.open() and aicjit.onnx.load() make these")
        self._begin(kept(program) if keep else program, None, context)
        self._inputs, self._outputs = list(program.inputs), list(program.outputs)
        self._parts = self._open(False, progress)

    def _begin(self, program: Optional[Program], folder: Optional[Path], context: Optional[aicjit.Context]) -> None:
        self._program, self._folder, self._context = program, folder, context
        #: What stands for this network at a peer, set by onnx.load(): gives the model's bytes.
        self._model: Optional[Callable[[], bytes]] = None
        self._closed = False
        self._lock = threading.Lock()  # of hosts

    @classmethod
    def open(cls, folder: Path, *, context: Optional[aicjit.Context] = None, reference: bool = False,
             progress: Optional[Progress] = None) -> Network:
        """The network of a folder that save() or a program of the user's wrote: everything is checked, and kernels are made.
        reference: the plain-C reference computes; progress(made, kernels): is told, and stops by returning False."""
        network = cls.__new__(cls)
        network._begin(None, folder, context)
        network._parts = network._open(reference, progress)
        part = network._parts[0]
        assert isinstance(part, _Part)
        network._inputs, network._outputs = ([Port(o.name, o.name, o.dtype, o.shape) for o in operands]
                                             for operands in (part.info.inputs, part.info.outputs))
        return network

    def _open(self, reference: bool = False, progress: Optional[Progress] = None) -> list[_Part | Host]:
        if self._program is None:
            return [_Part(None, os.fspath(self._folder) if isinstance(self._folder, os.PathLike) else self._folder,  # type: ignore[arg-type]
                          self._context, reference, progress)]
        made: list[_Part | Host] = []
        for part in parts(self._program):
            if isinstance(part, Host):
                made.append(part)
            else:
                with _Folder(part) as folder:
                    made.append(_Part(part, folder, self._context, reference, progress))
        return made

    # ---- what it is ----

    @property
    def inputs(self) -> dict[str, tuple[str, tuple[int, ...]]]:
        """Element type and shape of each input, for one image."""
        return {port.name: (port.dtype, port.shape) for port in self._inputs}

    @property
    def outputs(self) -> dict[str, tuple[str, tuple[int, ...]]]:
        """Element type and shape of each output, for one image."""
        return {port.name: (port.dtype, port.shape) for port in self._outputs}

    @property
    def info(self) -> NetworkInfo:
        """What it consists of: inputs, outputs, kernels with their schedules, bytes of memory."""
        infos = [part.info for part in self._parts if isinstance(part, _Part)]
        if len(infos) == 1:
            return infos[0]
        sums = {name: sum(getattr(info, name) for info in infos) for name in ("arena_bytes", "buffer_bytes", "constant_bytes")}
        return infos[0]._replace(outputs=infos[-1].outputs, kernels=[kernel for info in infos for kernel in info.kernels],
                                 workspace_bytes=max(info.workspace_bytes for info in infos), **sums)

    @property
    def memory(self) -> int:
        """Bytes of memory of a call: what all buffers share, inputs and outputs."""
        infos = [part.info for part in self._parts if isinstance(part, _Part)]
        return sum(info.arena_bytes + sum(operand.bytes for operand in (*info.inputs, *info.outputs)) for info in infos)

    def close(self) -> None:
        """Gives the network up: it cannot be called any more. Calls in progress end as they would."""
        self._closed, self._parts = True, []

    def __repr__(self) -> str:
        kernels = sum(len(part.info.kernels) for part in self._parts if isinstance(part, _Part))
        return "<aicjit.Network of %d kernels: %s to %s>" % (kernels, ", ".join(self.inputs), ", ".join(self.outputs))

    # ---- calling ----

    def _given(self, inputs: Sequence[Any], named: Mapping[str, Any]) -> list[Any]:
        """The inputs in their order."""
        first: Mapping[str, Any] = dict(zip(self.inputs, inputs))
        if len(inputs) == 1 and isinstance(inputs[0], Mapping):
            inputs, first = list[Any](), inputs[0]
        if len(inputs) > len(self._inputs):
            raise aicjit.ArgumentTypeError("network: %d inputs given, %d needed: %s" % (
                len(inputs), len(self._inputs), ", ".join(self.inputs)))
        twice = [name for name in named if name in first]
        if twice:
            raise aicjit.ArgumentTypeError("network: input %s is given twice" % twice[0])
        given = {**first, **named}
        unknown = [name for name in given if name not in self.inputs]
        missing = [name for name in self.inputs if name not in given]
        if unknown or missing:
            raise aicjit.ArgumentError("network: %s; its inputs are %s" % (
                "there is no input %s" % unknown[0] if unknown else "input %s is not given" % missing[0],
                ", ".join("%s %s%s" % (p.name, p.dtype, list(p.shape)) for p in self._inputs)))
        return [given[name] for name in self.inputs]

    def _checked(self, port: Port, value: Any, front: bool) -> Array:
        """An input as [N, ...], elements in order."""
        array = as_array("network", "input %s" % port.name, value)
        if array.dtype != np.dtype(port.dtype):
            raise aicjit.OperandTypeError("network: input %s: is %s, not %s" % (port.name, array.dtype, port.dtype))
        several = front or _whole_image(port)
        wanted = port.shape if front or not several else port.shape[1:]
        if array.shape[int(several) :] != wanted or array.ndim != len(wanted) + several:
            raise aicjit.OperandValueError("network: input %s: has the shape %s, not %s" % (
                port.name, list(array.shape), list(wanted) if not several else "[N,%s]" % ",".join(map(str, wanted))))
        array = np.ascontiguousarray(array)
        array = array if array.ctypes.data % _ALIGN == 0 and array.flags.aligned else array.copy()
        return array if several else array[np.newaxis]

    def _rooms(self, out: Any, count: int, front: bool) -> list[Array]:
        """Where the outputs go: what the caller gave, or new arrays."""
        if out is None:
            return [np.empty((count, *port.shape[_whole_image(port) and not front :]), port.dtype) for port in self._outputs]
        given = [out] if len(self._outputs) == 1 and not isinstance(out, (list, tuple)) else list(out)
        if len(given) != len(self._outputs):
            raise aicjit.OperandValueError("network: out: %d arrays given, %d needed" % (len(given), len(self._outputs)))
        rooms = []
        for port, value in zip(self._outputs, given):
            array = as_array("network", "out (%s)" % port.name, value)
            size = count * int(np.prod(port.shape))
            if array.dtype != np.dtype(port.dtype):
                raise aicjit.OperandTypeError("network: out (%s): is %s, not %s" % (port.name, array.dtype, port.dtype))
            if array.size != size or not array.flags.c_contiguous or not array.flags.writeable:
                raise aicjit.OperandValueError("network: out (%s): is %s of the shape %s, not a writable array of %d elements in "
                                               "order" % (port.name, array.dtype, list(array.shape), size))
            rooms.append(array)
        return rooms

    def _call(self, inputs: Sequence[Any], named: Mapping[str, Any], out: Any, front: bool) -> Any:
        if self._closed:
            raise aicjit.ArgumentError("network: is closed")
        arrays = [self._checked(port, value, front) for port, value in zip(self._inputs, self._given(inputs, named))]
        counts = {len(array) for array in arrays}
        if len(counts) > 1:
            raise aicjit.OperandValueError("network: inputs have different numbers of images: %s" % sorted(counts))
        count = counts.pop() if counts else 1
        rooms = self._rooms(out, count, front)
        self._compute(arrays, [room.reshape(count, -1) if count else room for room in rooms], count)
        if out is None:
            rooms = [room if front or _whole_image(port) or count != 1 else room[0] for port, room in zip(self._outputs, rooms)]
        if len(rooms) == 1:
            return rooms[0]
        results = Results(rooms)
        results.names = tuple(self.outputs)
        return results

    def __call__(self, *inputs: Any, out: Any = None, **named: Any) -> Any:
        """The outputs for these inputs, in `out`, an array or as many as there are outputs, or in new arrays."""
        return self._call(inputs, named, out, False)

    def call_batch(self, *inputs: Any, out: Any = None, **named: Any) -> Any:
        """Several images, an axis in front of every input and output; threads compute whole images."""
        return self._call(inputs, named, out, True)

    def _compute(self, arrays: Sequence[Array], rooms: Sequence[Array], count: int) -> None:
        """Of images [N, ...] the outputs [N, elements]."""
        first = self._parts[0]
        if len(self._parts) == 1 and isinstance(first, _Part):
            ends = list(zip((*first.info.inputs, *first.info.outputs), (*arrays, *rooms)))
            if all(operand.elements * count == array.size for operand, array in ends) and \
                    (count == 1 or all(operand.bytes % _ALIGN == 0 for operand, _ in ends)):
                whole = [array.reshape(count, *operand.shape) for operand, array in ends]
                first.call(dict(zip((*first.inputs, *first.outputs), whole)), count)
                return
        for i in range(count):
            values = self._values([array[i] for array in arrays])
            for port, room in zip(self._outputs, rooms):
                room[i] = values[port.buffer].reshape(-1)[: room.shape[1]]

    def _values(self, arrays: Sequence[Array]) -> dict[str, Array]:
        """What lies in the buffers that are ends of parts, after a call for one image."""
        values: dict[str, Array] = {}
        for port, array in zip(self._inputs, arrays):
            values[port.buffer] = self._padded(port, array)
        with self._lock:
            for part in self._parts:
                self._run(part, values)
        return values

    def _probe(self, feed: Mapping[str, Any]) -> dict[str, Array]:
        """What lies in the buffers after a call for the first image; of a network that keeps them all of them."""
        given = self._given((), feed)
        return self._values([self._checked(port, value, False)[0] for port, value in zip(self._inputs, given)])

    def _padded(self, port: Port, array: Array) -> Array:
        """An input in the shape of its buffer, which may be longer, in memory of its own."""
        buffer = Buffer(port.buffer, port.dtype, port.shape) if self._program is None else self._program.buffers[port.buffer]
        made = np.zeros(buffer.shape, buffer.dtype)
        made.reshape(-1)[: array.size] = array.reshape(-1)
        return made

    def _run(self, part: _Part | Host, values: dict[str, Array]) -> None:
        if isinstance(part, _Part):
            part.call(values)
            return
        results = part.run([values[place.name] for place in part.inputs])
        assert self._program is not None
        for place, value in zip(part.outputs, results):
            buffer = self._program.buffers[place.name]
            values[place.name] = np.ascontiguousarray(value, buffer.dtype).reshape(buffer.shape)

    # ---- measuring ----

    def table(self, runs: int = 20) -> Table:
        """Median time of each kernel, as the network runs."""
        if self._closed:
            raise aicjit.ArgumentError("network: is closed")
        runs = integer("network: table: runs", runs, 1, _RUNS)
        random = np.random.default_rng(1)
        arrays = [_noise(random, port) for port in self._inputs]
        times: list[list[int]] = []
        for _ in range(runs + 1):
            values = {port.buffer: self._padded(port, array) for port, array in zip(self._inputs, arrays)}
            with self._lock:
                times.append([ns for part in self._parts for ns in self._timed(part, values)])
        medians = np.median(times[1:], axis=0).tolist()
        rows, at = Table(), 0
        for layer, text, count, macs in self._rows():
            ns = max(sum(medians[at : at + count]), 1)
            at += count
            rows.append({"layer": layer, "spec": text, "times": count, "us": ns * 1e-3, "macs": macs, "gmacs_per_s": macs / ns})
        return rows

    def _timed(self, part: _Part | Host, values: dict[str, Array]) -> list[int]:
        """Runs a part; nanoseconds of its kernels."""
        if isinstance(part, _Part):
            ns = np.zeros(len(part.info.kernels), np.uint64)
            part.call(values, ns=ns)
            return list(ns.tolist())
        start = time.perf_counter_ns()
        self._run(part, values)
        return [time.perf_counter_ns() - start]

    def _rows(self) -> Iterator[tuple[str, str, int, int]]:
        for part in self._parts:
            if isinstance(part, Host):
                yield part.layer, part.text, 1, 0
            else:
                yield from part.rows()

    def bench(self, peer: Optional[str] = None, *, runs: int = 20, threads: int = 0) -> dict[str, Any]:
        """Median milliseconds of a call on noise. peer="onnxruntime" runs the file that the network was made from there,
        the two in turns, and gives "peer_ms" and "speed", ours over theirs. threads: the peer's, 0: as many as ours."""
        if peer not in (None, "onnxruntime"):
            raise aicjit.ArgumentError("network: bench: peer: %r is not onnxruntime" % (peer,))
        runs, threads = integer("network: bench: runs", runs, 1, _RUNS), integer("network: bench: threads", threads, 0, 1024)
        random = np.random.default_rng(1)
        feed = {port.name: _noise(random, port) for port in self._inputs}
        functions: list[Callable[[], Any]] = [lambda: self(feed)]
        if peer:
            from .onnx.run import session

            if self._model is None:
                raise aicjit.ArgumentError("network: bench: no ONNX file is known of this network")
            theirs = session(self._model(), threads or (self._context.threads if self._context else 0))
            wanted = {item.name for item in theirs.get_inputs()}
            functions.append(lambda: theirs.run(None, {name: array for name, array in feed.items() if name in wanted}))
        times: list[list[float]] = [[] for _ in functions]
        for _ in range(runs + 1):
            for function, found in zip(functions, times):
                start = time.perf_counter()
                function()
                found.append(time.perf_counter() - start)
        ours, *others = (float(np.median(found[1:])) * 1e3 for found in times)
        return {"ms": ours} if not others else {"ms": ours, "peer_ms": others[0], "speed": others[0] / ours}

    # ---- files ----

    def save(self, folder: Path) -> None:
        """Writes the network as a folder: network.txt, a line a kernel, and constants as .npy files."""
        from . import _net_file

        if not text("network: folder", folder):
            raise aicjit.ArgumentError("network: folder: %r is no name of a folder" % (folder,))
        try:
            if self._program is None:
                assert self._folder is not None
                _net_file.copy(self._folder, folder)
            else:
                _net_file.write(self._program, folder)
        except OSError as error:
            raise aicjit.FileError("%s: %s" % (error.filename or os.fspath(folder), error.strerror or error), aicjit.Status.IO) from error

    def export(self, object_file: Path, header_file: Path, *, name: str = "net", isa: Optional[str] = None,
               target: Optional[str] = None) -> None:
        """Writes an object file with one function, and its header, for programs that have neither this library nor LLVM.
        isa: a level, or several; target: a triple. Of an opened folder: kernels and constants as they are there now."""
        if self._program is None:
            export(self._context, self._folder, object_file, header_file, name, isa, target)
            return
        with _Folder(self._program) as folder:
            export(self._context, folder, object_file, header_file, name, isa, target)


def _noise(random: np.random.Generator, port: Port) -> Array:
    dtype = np.dtype(port.dtype)
    if dtype.kind == "f":
        return random.standard_normal(port.shape).astype(dtype)
    info = np.iinfo(dtype)
    return random.integers(info.min, info.max + 1, port.shape).astype(dtype)


__all__ = ["Network", "Results", "Table"]
