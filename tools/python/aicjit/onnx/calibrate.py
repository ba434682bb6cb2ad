"""What values of a network are like: largest values a channel, by one of three measures, and the noise of integers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Optional, Union

import numpy as np

import aicjit

from .._arrays import as_array
from .._blocks import Tensor
from .._net import Network
from .._program import Array, Floats
from .._values import number

METHODS = ("max", "percentile", "mse")
_BINS = 1024
Images = Union[Array, Mapping[str, Array], Sequence[Any]]


def feeds(net: Network, images: Images) -> Iterator[dict[str, Array]]:
    """Inputs of one image each: from an array of images, a mapping of such arrays, or a list of either."""
    ports = net.inputs
    if isinstance(images, (list, tuple)):
        for item in images:
            yield from feeds(net, item)
        return
    given = dict(images) if isinstance(images, Mapping) else {next(iter(ports)): images}
    arrays = {}
    for name, value in given.items():
        if name not in ports:
            raise aicjit.ArgumentError("quantize: there is no input %s; the inputs are %s" % (name, ", ".join(ports)))
        array = as_array("quantize", name, value)
        shape = ports[name][1]
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise aicjit.ArgumentError("quantize: values of %s are not finite" % name)
        if array.ndim not in (len(shape), len(shape) - 1):
            raise aicjit.OperandValueError("quantize: %s: has the shape %s, not [N,%s]" % (
                name, list(array.shape), ",".join(map(str, shape[1:]))))
        arrays[name] = array[np.newaxis] if array.shape == shape[1:] else array
    if len({len(array) for array in arrays.values()}) != 1:
        raise aicjit.ArgumentError("quantize: inputs have different numbers of images")
    for i in range(len(next(iter(arrays.values())))):
        yield {name: array[i : i + 1] for name, array in arrays.items()}


def _elements(values: Mapping[str, Array], x: Tensor) -> Array:
    """A value of a call, [C1, H * W, c0], as it lies in the buffers of a network that keeps them."""
    memory = values[x.place.name].reshape(-1).view(np.uint8)[x.place.offset : x.place.offset + x.bytes]
    return memory.view(x.dtype).reshape(x.blocks, x.pixels, x.c0)


def _top(values: Mapping[str, Array], x: Tensor) -> Floats:
    """The largest absolute value of each channel of float16, whose bits without the sign are in the same order."""
    bits = (_elements(values, x).view(np.uint16) & np.uint16(0x7FFF)).max(axis=1)
    flat, slots = bits.view(np.float16).reshape(-1), np.asarray(x.slots)
    result = np.zeros(x.channels, np.float32)
    result[slots[slots >= 0]] = flat[slots >= 0]
    return result


def value_of(values: Mapping[str, Array], x: Tensor) -> Floats:
    """A value of a call, [C, H * W]."""
    flat = _elements(values, x).transpose(0, 2, 1).reshape(-1, x.pixels)
    slots = np.asarray(x.slots)
    result = np.zeros((x.channels, x.pixels), np.float32)
    there = slots >= 0
    result[slots[there]] = flat[there]
    return (result - np.float32(x.zero)) * x.scale[:, None] if x.dtype == "int8" else result


def _each(net: Network, tensors: Mapping[str, Tensor], images: Images, of: Callable[[Mapping[str, Array], Tensor], Floats],
          use: Callable[[str, Floats], None]) -> int:
    """Calls use(name, of(value)) for every value and every image."""
    count = 0
    for feed in feeds(net, images):
        values = net._probe(feed)
        count += 1
        for name, tensor in tensors.items():
            if tensor.place.name in values:
                use(name, of(values, tensor))
    if not count:
        raise aicjit.ArgumentError("quantize: there is no image")
    return count


def largest(net: Network, tensors: Mapping[str, Tensor], images: Images, method: str = "max",
            percentile: float = 99.99) -> dict[str, Floats]:
    """The largest value of each channel that its integers should hold. "max": that there is; "percentile": below which so
    many are; "mse": with which the squares of all errors, of rounding and of cutting off, are least."""
    if method not in METHODS:
        raise aicjit.ArgumentError("quantize: method: %r is not one of %s" % (method, ", ".join(METHODS)))
    if not 50 <= number("quantize: percentile", percentile) <= 100:
        raise aicjit.ArgumentError("quantize: percentile: %r is outside 50..100" % (percentile,))
    tops: dict[str, Floats] = {}

    def top(name: str, most: Floats) -> None:
        tops[name] = np.maximum(tops[name], most) if name in tops else most

    _each(net, tensors, images, _top, top)
    bad = [name for name, most in tops.items() if not (most < 65504).all()]
    if bad:
        raise aicjit.ArgumentError("quantize: values of %s are beyond the 65504 of float16" % bad[0])
    if method == "max":
        return tops
    counts = {name: np.zeros((len(most), _BINS), np.int64) for name, most in tops.items()}

    def count(name: str, values: Floats) -> None:
        most = np.where(tops[name] > 0, tops[name], 1)[:, None]
        bins = np.minimum((np.abs(values) / most * _BINS).astype(np.int64), _BINS - 1)
        rows = np.arange(len(bins))[:, None] * _BINS
        counts[name] += np.bincount((bins + rows).ravel(), minlength=counts[name].size).reshape(counts[name].shape)

    _each(net, tensors, images, value_of, count)
    choose = _percentile if method == "percentile" else _least
    return {name: tops[name] * choose(counts[name], percentile) for name in tops}


def _percentile(counts: Array, percentile: float) -> Floats:
    """The part of the range below which so many values are."""
    sums = np.cumsum(counts, axis=1)
    index = (sums >= sums[:, -1:] * (percentile / 100)).argmax(axis=1)
    result: Floats = ((index + 1) / np.float32(_BINS)).astype(np.float32)
    return result


def _least(counts: Array, percentile: float) -> Floats:
    """The part of the range with the least sum of squares: of steps of a 254th of it within, of what is cut off beyond."""
    middle = (np.arange(_BINS) + 0.5) / _BINS
    parts = np.linspace(0.2, 1, 81)
    weights = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    errors = np.stack([weights @ np.where(middle <= part, (part / 127) ** 2 / 12, (middle - part) ** 2) for part in parts], 1)
    result: Floats = parts[errors.argmin(axis=1)].astype(np.float32)
    return result


class Noise(list[dict[str, Any]]):
    """Rows of noise(): value, layer, signal and noise (root mean squares), db; str() is a table."""

    def __str__(self) -> str:
        lines = ["%-28s %12s %12s %8s" % ("layer", "signal", "noise", "dB")]
        lines += ["%-28s %12.5g %12.5g %8.1f" % (row["layer"][-28:], row["signal"], row["noise"], row["db"]) for row in self]
        return "\n".join(lines)


def compare(floats: Network, ours: Mapping[str, Tensor], whole: Network, theirs: Mapping[str, Tensor],
            names: Mapping[str, str], images: Images, limit: Optional[int] = None) -> Noise:
    """How far the integers are from the floats, value by value."""
    sums: dict[str, list[float]] = {}
    for i, feed in enumerate(feeds(floats, images)):
        if limit is not None and i >= limit:
            break
        exact, rounded = (net._probe(feed) for net in (floats, whole))
        for name, tensor in theirs.items():
            if name in ours and tensor.place.name in rounded and ours[name].place.name in exact:
                signal, found = value_of(exact, ours[name]), value_of(rounded, tensor)
                entry = sums.setdefault(name, [0.0, 0.0, 0.0])
                entry[0] += float((signal.astype(np.float64) ** 2).sum())
                entry[1] += float(((signal - found).astype(np.float64) ** 2).sum())
                entry[2] += signal.size
    rows = Noise()
    for name, (signal_sum, noise_sum, count) in sums.items():
        db = 10 * np.log10(signal_sum / noise_sum) if noise_sum and signal_sum else float("inf")
        rows.append({"value": name, "layer": names.get(name, name), "signal": (signal_sum / count) ** 0.5,
                     "noise": (noise_sum / count) ** 0.5, "db": float(db)})
    return rows
