"""Networks: kernels one after the other on buffers that share one piece of memory."""

from __future__ import annotations

import os
import statistics
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Optional, Union

import numpy as np

import aicjit

from ._program import Array, Buffer, Host, Place, Port, Program, Step

_ALIGN = 64
Inputs = Union[Array, Mapping[str, Array]]


def _uses(step: Step | Host) -> list[str]:
    """Buffers and constants that a step touches."""
    if isinstance(step, Host):
        return [place.name for place in (*step.inputs, *step.outputs)]
    return [step.out.name, *(place.name for place in step.inputs.values())]


def arrange(program: Program, keep: bool) -> tuple[dict[str, int], int]:
    """Where buffers begin in the memory, and its size. Buffers that are not alive together share it, unless keep."""
    last = {name: len(program.steps) for name in (port.buffer for port in (*program.inputs, *program.outputs))}
    first = {port.buffer: -1 for port in (*program.inputs, *program.outputs)}
    for i, step in enumerate(program.steps):
        for name in _uses(step):
            first.setdefault(name, i)
            last[name] = max(last.get(name, i), i)
    placed: list[tuple[int, int, str]] = []
    at: dict[str, int] = {}
    names = [name for name in program.buffers if name in first]
    for name in sorted(names, key=lambda n: -program.buffers[n].bytes):
        size, start = -(-program.buffers[name].bytes // _ALIGN) * _ALIGN, 0
        for begin, end, other in sorted(placed):
            apart = not keep and (last[other] < first[name] or last[name] < first[other])
            if not apart and begin < start + size and start < end:
                start = end
        at[name] = start
        placed.append((start, start + size, name))
    return at, max((end for _, end, _ in placed), default=0)


class _Call:
    """A kernel with the arrays of its operands."""

    def __init__(self, step: Step, run: Callable[..., Any], inputs: Sequence[Any], out: Array, macs: int) -> None:
        self.step, self._run, self._inputs, self._out, self.macs = step, run, inputs, out, macs

    def __call__(self) -> None:
        self._run(*self._inputs, out=self._out)


class _HostCall:
    def __init__(self, step: Host, inputs: Sequence[Array], outputs: Sequence[Array]) -> None:
        self.step, self._inputs, self._outputs, self.macs = step, inputs, outputs, 0

    def __call__(self) -> None:
        for out, value in zip(self._outputs, self.step.run(self._inputs)):
            out[...] = np.asarray(value).reshape(out.shape)


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


class Network:
    """Kernels in order, with their buffers and constants: what aicjit.onnx.load() and Network.open() make. Callable with
    an array, or with several by name, of one image or of several along the first axis; from any thread, one at a time.
    """

    def __init__(self, program: Program, *, context: Optional[aicjit.Context] = None, keep: bool = False) -> None:
        self._program, self._context, self._keep = program, context, keep
        self._lock = threading.Lock()
        #: What stands for this network at a peer, set by onnx.load(): gives the model's bytes.
        self._model: Optional[Callable[[], bytes]] = None
        at, size = arrange(program, keep)
        block = np.zeros(size + _ALIGN, np.uint8)
        self._memory = block[-block.ctypes.data % _ALIGN :][:size]
        self._at = at
        self._kernels = self._make()
        self._packed: dict[tuple[str, str, str], aicjit.Packed] = {}
        self._calls = [self._bind(step) for step in program.steps]
        self._ports = {port.name: port for port in (*program.inputs, *program.outputs)}

    # ---- making ----

    def _make(self) -> dict[str, aicjit.Kernel]:
        """The kernels by their text, made at the same time."""
        texts = list(dict.fromkeys(step.text for step in self._program.steps if isinstance(step, Step)))
        with ThreadPoolExecutor(max(1, len(os.sched_getaffinity(0)))) as pool:
            kernels = pool.map(lambda text: aicjit.compile(text, context=self._context), texts)
            return dict(zip(texts, kernels))

    def _view(self, place: Place, dtype: Any, shape: Sequence[int], times: int = 1) -> Array:
        """The array of an operand, with an axis in front where the kernel runs several times from places that differ."""
        if place.name in self._program.constants:
            memory = self._program.constants[place.name].reshape(-1).view(np.uint8)
        else:
            start = self._at[place.name]
            memory = self._memory[start : start + self._program.buffers[place.name].bytes]
        count = int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize
        end = place.offset + place.step * (times - 1) + count
        if end > len(memory):
            raise aicjit.ArgumentError("network: %s: has %d bytes, an operand ends at %d" % (place.name, len(memory), end))
        part: Array = memory[place.offset : place.offset + count].view(dtype).reshape(tuple(shape))
        if times == 1 or place.step == 0:
            return part
        whole = memory[place.offset : place.offset + place.step * (times - 1) + count]
        return np.ndarray((times, *shape), dtype, buffer=whole, strides=(place.step, *part.strides))

    def _bind(self, step: Step | Host) -> _Call | _HostCall:
        if isinstance(step, Host):
            return _HostCall(step, [self._whole(place.name) for place in step.inputs],
                             [self._whole(place.name) for place in step.outputs])
        kernel = self._kernels[step.text]
        kernel._advised = True  # type: ignore[attr-defined]  # the words of such chains are meant
        inputs: list[Any] = []
        for operand in kernel.operands[1:]:
            if operand.name not in step.inputs:
                raise aicjit.ArgumentError("network: %s: %s: has no operand %s" % (step.layer, step.text, operand.name))
            place = step.inputs[operand.name]
            inputs.append(self._operand(step, kernel, operand, place))
        shape = kernel.output.shape
        out = self._view(step.out, kernel.output.numpy_dtype, shape, step.times)
        run = kernel.call_batch if step.times > 1 else kernel
        return _Call(step, run, inputs, out, kernel.spec.work(self._context)[0] * step.times)

    def _operand(self, step: Step, kernel: aicjit.Kernel, operand: aicjit.Operand, place: Place) -> Any:
        array = self._view(place, operand.numpy_dtype, operand.shape, step.times)
        if operand.name not in ("weight", "b") or place.name not in self._program.constants:
            return array
        key = step.text, operand.name, "%s@%d" % (place.name, place.offset)
        if key not in self._packed:
            self._packed[key] = kernel.pack(array, operand.name)
        return self._packed[key]

    def _whole(self, name: str) -> Array:
        buffer = self._program.buffers[name]
        return self._view(Place(name), buffer.dtype, buffer.shape)

    # ---- calling ----

    @property
    def inputs(self) -> dict[str, tuple[str, tuple[int, ...]]]:
        """Element type and shape of each input, for one image."""
        return {port.name: (port.dtype, port.shape) for port in self._program.inputs}

    @property
    def outputs(self) -> dict[str, tuple[str, tuple[int, ...]]]:
        """Element type and shape of each output, for one image."""
        return {port.name: (port.dtype, port.shape) for port in self._program.outputs}

    @property
    def memory(self) -> int:
        """Bytes of the memory that all buffers share."""
        return len(self._memory)

    def _given(self, inputs: Inputs, named: Mapping[str, Array]) -> dict[str, Array]:
        """The inputs by name, as arrays of their types, each with the axis for images."""
        ports = self._program.inputs
        if isinstance(inputs, Mapping):
            named = {**inputs, **named}
        elif inputs is not None:
            named = {ports[0].name: inputs, **named}
        unknown = [name for name in named if name not in self.inputs]
        missing = [port.name for port in ports if port.name not in named]
        if unknown or missing:
            raise aicjit.ArgumentError("network: %s; its inputs are %s" % (
                "there is no input %s" % unknown[0] if unknown else "input %s is not given" % missing[0],
                ", ".join("%s %s%s" % (p.name, p.dtype, list(p.shape)) for p in ports)))
        return {port.name: self._checked(port, named[port.name]) for port in ports}

    def _checked(self, port: Port, value: Any) -> Array:
        array = np.asarray(value)
        if array.dtype != np.dtype(port.dtype):
            raise aicjit.OperandTypeError("network: input %s: is %s, not %s" % (port.name, array.dtype, port.dtype))
        if not _is_image(port):
            if array.shape != port.shape:
                raise aicjit.OperandValueError("network: input %s: has the shape %s, not %s" % (
                    port.name, list(array.shape), list(port.shape)))
            return array[np.newaxis]
        if array.shape[1:] != port.shape[1:] or array.ndim != len(port.shape):
            raise aicjit.OperandValueError("network: input %s: has the shape %s, not [N,%s]" % (
                port.name, list(array.shape), ",".join(map(str, port.shape[1:]))))
        return array

    def __call__(self, inputs: Any = None, **named: Array) -> Any:
        """The output for these inputs, an array, or arrays by name where there are several. Images along the first axis
        are computed one after the other."""
        given = self._given(inputs, named)
        counts = {len(array) for array in given.values()}
        if len(counts) > 1:
            raise aicjit.OperandValueError("network: inputs have different numbers of images: %s" % sorted(counts))
        count = counts.pop() if counts else 1
        results = {port.name: np.empty((count, *port.shape[_is_image(port) :]), port.dtype) for port in self._program.outputs}
        with self._lock:
            for i in range(count):
                for port in self._program.inputs:
                    view = self._whole(port.buffer)
                    view.reshape(-1)[: given[port.name][i].size] = given[port.name][i].reshape(-1)
                for call in self._calls:
                    call()
                for port in self._program.outputs:
                    flat = self._whole(port.buffer).reshape(-1)
                    results[port.name][i] = flat[: results[port.name][i].size].reshape(results[port.name][i].shape)
        for port in self._program.outputs:
            if not _is_image(port) and count == 1:
                results[port.name] = results[port.name][0]
        return next(iter(results.values())) if len(results) == 1 else results

    # ---- measuring ----

    def table(self, runs: int = 20) -> Table:
        """Median time of each kernel, as the network runs."""
        times: list[list[float]] = [[] for _ in self._calls]
        with self._lock:
            for _ in range(runs + 1):
                for call, found in zip(self._calls, times):
                    start = time.perf_counter()
                    call()
                    found.append(time.perf_counter() - start)
        rows = Table()
        for call, found in zip(self._calls, times):
            seconds = statistics.median(found[1:])
            step = call.step
            rows.append({"layer": step.layer, "spec": step.text, "times": step.times if isinstance(step, Step) else 1,
                         "us": seconds * 1e6, "macs": call.macs, "gmacs_per_s": call.macs / seconds * 1e-9})
        return rows

    def bench(self, peer: Optional[str] = None, *, runs: int = 20, threads: int = 0) -> dict[str, Any]:
        """Median milliseconds of a call on noise. peer="onnxruntime" runs the file that the network was made from there,
        the two in turns, and gives "peer_ms" and "speed", ours over theirs. threads: the peer's, 0: as many as ours."""
        if peer not in (None, "onnxruntime"):
            raise aicjit.ArgumentError("network: bench: peer: %r is not onnxruntime" % (peer,))
        random = np.random.default_rng(1)
        feed = {port.name: _noise(random, port) for port in self._program.inputs}
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
        ours, *others = (statistics.median(found[1:]) * 1e3 for found in times)
        return {"ms": ours} if not others else {"ms": ours, "peer_ms": others[0], "speed": others[0] / ours}

    # ---- files ----

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Writes the network as a folder: network.txt, a line a kernel, and constants as .npy files."""
        from ._net_file import write

        write(self._program, folder)

    @classmethod
    def open(cls, folder: str | os.PathLike[str], *, context: Optional[aicjit.Context] = None) -> Network:
        """The network of a folder that save() or a program of the user's wrote."""
        from ._net_file import read

        return cls(read(folder), context=context)


def _is_image(port: Port) -> bool:
    """Whether the first axis is that of images, of which a call takes several."""
    return len(port.shape) > 1 and port.shape[0] == 1


def _noise(random: np.random.Generator, port: Port) -> Array:
    dtype = np.dtype(port.dtype)
    if dtype.kind == "f":
        return random.standard_normal(port.shape).astype(dtype)
    info = np.iinfo(dtype)
    return random.integers(info.min, info.max + 1, port.shape).astype(dtype)


__all__ = ["Network", "Buffer", "Table"]
