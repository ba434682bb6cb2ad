"""Layers of networks as one line each, on feature maps in blocks of channels [C1, H, W, c0]."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any, Optional, Union

import numpy as np

import aicjit

from . import _blocks, _moves, _pools
from ._arrays import as_array
from ._blocks import Act, Tensor, Window
from ._net import Network
from ._program import Array, Floats, Place, Port, Program, Step
from ._quantise import integers
from ._values import integer, truth

Sizes = Union[int, Sequence[int]]
_networks: dict[Any, Network] = {}
_lock = threading.Lock()
_LIMIT = 256
_LARGEST = 4096  # of windows, steps and sides; the operators have narrower limits


def _cached(key: Any, build: Callable[[Program], None], context: Optional[aicjit.Context]) -> Network:
    """The network of a function of this module, kept for the next call."""
    key = *key, id(context)
    with _lock:
        found = _networks.get(key)
    if found is None:
        program = Program()
        build(program)
        found = Network(program, context=context)
        with _lock:
            while len(_networks) >= _LIMIT:
                del _networks[next(iter(_networks))]
            _networks[key] = found
    return found


def _several(subject: str, value: Sizes, count: int, low: int) -> tuple[int, ...]:
    """One number for all, or so many."""
    if not isinstance(value, (list, tuple)):
        return (integer(subject, value, low, _LARGEST),) * count
    if len(value) != count:
        raise aicjit.ArgumentError("%s: has %d entries, not %d" % (subject, len(value), count))
    return tuple(integer(subject, entry, low, _LARGEST) for entry in value)


def _channels(subject: str, value: Any, count: int, positive: bool = True) -> Floats:
    """A number for all channels, or one for each."""
    try:
        numbers = np.asarray(value)
        if numbers.dtype.kind not in "fiu":
            raise TypeError("numbers are expected")
        found: Floats = np.broadcast_to(numbers.astype(np.float32), (count,)).copy()
    except (TypeError, ValueError, OverflowError) as error:
        raise aicjit.ArgumentTypeError("%s: is no number, nor one for each of %d channels: %s" % (subject, count, error)) from error
    if not np.isfinite(found).all() or (positive and (found <= 0).any()):
        raise aicjit.ArgumentError("%s: is not %sfinite" % (subject, "positive and " if positive else ""))
    return found


def _floats(subject: str, name: str, value: Any, rank: int) -> Floats:
    """An array of numbers with so many axes, as float32."""
    array = as_array(subject, name, value)
    if array.dtype.kind not in "fiu":
        raise aicjit.OperandTypeError("%s: %s: is %s, not an array of numbers" % (subject, name, array.dtype))
    if array.ndim != rank or array.size == 0:
        raise aicjit.OperandValueError("%s: %s: has %d axes, not %d" % (subject, name, array.ndim, rank) if array.size
                                       else "%s: %s: is empty" % (subject, name))
    result: Floats = array.astype(np.float32)
    return result


def _window(name: str, kernel: Sizes, stride: Sizes, pad: Sizes, dilation: Sizes = 1) -> Window:
    (kh, kw), (sh, sw), (dh, dw) = (_several("%s: %s" % (name, what), value, 2, 1) for what, value in (
        ("kernel", kernel), ("stride", stride), ("dilation", dilation)))
    left, right, top, bottom = _several("%s: pad" % name, pad, 4, 0)
    return Window((kh, kw), (sh, sw), (left, right, top, bottom), (dh, dw))


def _blocked(name: str, x: Array, channels: Optional[int] = None, zero: int = 0, scale: Any = 1) -> Tensor:
    """The feature map that an array is; the array itself is bound later."""
    if x.dtype.name not in ("int8", "float16") or not x.dtype.isnative:
        raise aicjit.OperandTypeError("%s: x: is %s, not an array of int8 or float16" % (name, x.dtype))
    if x.ndim != 4 or x.size == 0 or x.shape[3] not in (4, 32 // x.itemsize):
        raise aicjit.OperandValueError("%s: x: has the shape %s, not [C1, H, W, %d]" % (name, list(x.shape), 32 // x.itemsize))
    blocks, height, width, c0 = x.shape
    channels = blocks * c0 if channels is None else channels
    slots = tuple(i if i < channels else -1 for i in range(blocks * c0))
    if not 0 < channels <= blocks * c0:
        raise aicjit.ArgumentError("%s: channels: %d is outside of 1..%d" % (name, channels, blocks * c0))
    scales = _channels("%s: scale" % name, scale, channels)
    return Tensor(Place("x"), x.dtype.name, slots, height, width, c0, scales, zero)


def _result(program: Program, like: Tensor, name: str = "y") -> Tensor:
    """Room for the result, and the ports of a network of one input and one output."""
    place = program.buffer(like.dtype, (like.blocks, like.height, like.width, like.c0), name)
    program.outputs.append(Port(name, name, like.dtype, (1, like.blocks, like.height, like.width, like.c0)))
    return Tensor(place, like.dtype, like.slots, like.height, like.width, like.c0, like.scale, like.zero)


def _input(program: Program, x: Array) -> None:
    program.buffer(x.dtype.name, x.shape, "x")
    program.inputs.append(Port("x", "x", x.dtype.name, (1, *x.shape)))


class Conv2d:
    """A convolution with bias and rectification: layer(x) for x [C1, H, W, c0] gives [C1, Ho, Wo, 32 or 16]. It is one kernel, and
    several where slopes need sums of int8 as floats that might pass 2^22, beyond which floats are not exact.

    weights: float32 [O, I, Kh, Kw], I being channels / groups; bias: [O]; x_scale, y_scale: what a step of int8 stands for, a number or one a channel
    (dtype="float16" has none); x_zero, y_zero: what stands for 0; pad: left, right, top, bottom or one for all; slope: of
    negative results, a number or one a channel. Weights have a scale a channel, chosen so that y_scale is exact.
    """

    def __init__(self, weights_oihw: Array, bias: Optional[Array] = None, x_scale: Any = None, y_scale: Any = None,
                 pad: Sizes = 0, stride: Sizes = 1, relu: bool = False, dtype: str = "int8", *, dilation: Sizes = 1,
                 x_zero: int = 0, y_zero: int = 0, slope: Any = None, groups: int = 1, context: Optional[aicjit.Context] = None) -> None:
        weights = _floats("Conv2d", "weights_oihw", weights_oihw, 4)
        relu, x_zero, y_zero = truth("Conv2d: relu", relu), *(integer("Conv2d: %s" % name, zero, -128, 127) for name, zero in (
            ("x_zero", x_zero), ("y_zero", y_zero)))
        if not isinstance(dtype, str) or dtype not in ("int8", "float16"):
            raise aicjit.ArgumentError("Conv2d: dtype: %r is not int8 or float16" % (dtype,))
        if dtype == "int8" and (x_scale is None or y_scale is None):
            raise aicjit.ArgumentError("Conv2d: x_scale and y_scale are needed for int8")
        if relu and slope is not None:
            raise aicjit.ArgumentError("Conv2d: relu and slope exclude each other")
        out, groups = weights.shape[0], integer("Conv2d: groups", groups, 1, _LARGEST)
        if out % groups:
            raise aicjit.ArgumentError("Conv2d: groups: %d does not divide %d outputs" % (groups, out))
        self._channels = weights.shape[1] * groups
        self._weights, self._dtype, self._context = weights, dtype, context
        self._bias = None if bias is None else _channels("Conv2d: bias", bias, out, False)
        self._x_scale, self._y_scale = (_channels("Conv2d: %s_scale" % name, 1 if scale is None else scale, count)
                                        for name, scale, count in (("x", x_scale, self._channels), ("y", y_scale, out)))
        self._x_zero, self._y_zero = x_zero, y_zero
        slopes = None if slope is None else _channels("Conv2d: slope", slope, out, False)
        self._act = Act(slopes, 0 if relu else -np.inf)
        self._window = _window("Conv2d", tuple(weights.shape[2:]), stride, pad, dilation)
        self._kernels: dict[tuple[int, ...], tuple[aicjit.Kernel | Network, list[Any], tuple[int, ...]]] = {}
        #: The layer in integers: weight, bias with the zero point in it, factor; None for float16.
        self.integers = integers(weights, self._bias, self._x_scale, x_zero, self._y_scale) if dtype == "int8" else None

    def _make(self, array: Array) -> tuple[aicjit.Kernel | Network, list[Any], tuple[int, ...]]:
        program = Program()
        x = _blocked("Conv2d", array, None, self._x_zero)
        if x.dtype != self._dtype or not x.channels >= self._channels > x.channels - x.c0:
            raise aicjit.OperandValueError("Conv2d: x: is %s of %d channels, not %s of %d in blocks" % (
                x.dtype, x.channels, self._dtype, self._channels))
        x = _blocked("Conv2d", array, self._channels, self._x_zero, self._x_scale)
        height, width = self._window.output(x.height, x.width)
        if height < 1 or width < 1:
            raise aicjit.OperandValueError("Conv2d: x: the window %s does not fit into %d x %d" % (
                list(self._window.kernel), x.height, x.width))
        _input(program, array)
        y = _result(program, Tensor(Place("y"), x.dtype, _blocks.slots_of(len(self._weights), _blocks.BLOCK[x.dtype]), height, width,
                                    _blocks.BLOCK[x.dtype], self._y_scale, self._y_zero))
        if self.integers:
            _blocks.integer_convolution(program, x, self.integers, self._window, self._act, y)
        else:
            _blocks.float_convolution(program, x, self._weights, self._bias, self._window, self._act, y)
        shape = y.blocks, height, width, y.c0
        if len(program.steps) > 1:
            return Network(program, context=self._context), [], shape
        step = program.steps[0]
        assert isinstance(step, Step)
        kernel = aicjit.compile(step.text, context=self._context)
        kernel._advised = True  # type: ignore[attr-defined]  # integers that are read as floats are meant
        inputs: list[Any] = []
        for operand in kernel.operands[2:]:
            constant = program.constants[step.inputs[operand.name].name]
            inputs.append(kernel.pack(constant) if operand.name == "weight" else constant)
        return kernel, inputs, shape

    def __call__(self, x: Array, *, out: Optional[Array] = None) -> Array:
        """The result, in `out` or a new array."""
        x = as_array("Conv2d", "x", x)
        found = self._kernels.get(x.shape)
        if found is None:
            found = self._kernels[x.shape] = self._make(x)
        kernel, inputs, shape = found
        if isinstance(kernel, Network):
            x, out = np.ascontiguousarray(x)[np.newaxis], None if out is None else as_array("Conv2d", "out", out)[np.newaxis]
        result: Array = kernel(x, *inputs, out=out)
        return result.reshape(shape)

    def kernel(self, x: Array) -> aicjit.Kernel:
        """The kernel for feature maps of this one's shape."""
        self(x)
        kernel = self._kernels[x.shape][0]
        if isinstance(kernel, Network):
            raise aicjit.UnsupportedError("Conv2d: kernel: the layer is several, as its sums may pass 2^22")
        return kernel


def _pool(name: str, x: Array, kernel: Sizes, stride: Optional[Sizes], pad: Sizes, key: tuple[Any, ...],
          emit: Callable[[Program, Tensor, Window, Tensor], None], zero: int, context: Optional[aicjit.Context]) -> Array:
    window = _window(name, kernel, kernel if stride is None else stride, pad)
    x = np.ascontiguousarray(as_array(name, "x", x))
    source = _blocked(name, x, None, zero)

    def build(program: Program) -> None:
        _input(program, x)
        height, width = window.output(source.height, source.width)
        if height < 1 or width < 1:
            raise aicjit.ArgumentError("%s: kernel: %s does not fit into %d x %d" % (
                name, list(window.kernel), source.height, source.width))
        y = Tensor(Place("y"), source.dtype, source.slots, height, width, source.c0, source.scale, zero)
        emit(program, source, window, _result(program, y))

    net = _cached((name, x.shape, x.dtype.name, window, zero, *key), build, context)
    result: Array = net(x[np.newaxis])[0]
    return result


def max_pool(x: Array, kernel: Sizes, stride: Optional[Sizes] = None, pad: Sizes = 0, *,
             context: Optional[aicjit.Context] = None) -> Array:
    """Largest elements of windows; stride: by default the window's size; pad: left, right, top, bottom or one for all,
    which is never the largest."""
    return _pool("max_pool", x, kernel, stride, pad, (), _pools.max_pool, 0, context)


def average_pool(x: Array, kernel: Sizes, stride: Optional[Sizes] = None, pad: Sizes = 0, *, include_pad: bool = False,
                 zero: int = 0, context: Optional[aicjit.Context] = None) -> Array:
    """Means of windows, rounded to even; include_pad: padding counts, as zeros; zero: what stands for 0 in int8."""
    include_pad, zero = truth("average_pool: include_pad", include_pad), integer("average_pool: zero", zero, -128, 127)

    def emit(program: Program, x: Tensor, window: Window, y: Tensor) -> None:
        _pools.average_pool(program, x, window, y, include_pad)

    return _pool("average_pool", x, kernel, stride, pad, (include_pad,), emit, zero, context)


def to_blocks(x: Array, scale: Any = 1, zero: int = 0, dtype: str = "int8", *, c0: Optional[int] = None,
              context: Optional[aicjit.Context] = None) -> Array:
    """float32 or float16 [C, H, W] as int8 or float16 [C1, H, W, c0]: int8 is x / scale, rounded to even, plus zero; c0: 4
    for pictures of up to four channels. Two kernels, and one where a block is to be filled up: none of the operators both
    moves elements between such layouts and converts them."""
    x, zero = np.ascontiguousarray(as_array("to_blocks", "x", x)), integer("to_blocks: zero", zero, -128, 127)
    if x.ndim != 3 or x.size == 0 or not x.dtype.isnative or x.dtype.name not in ("float32", "float16") or (x.dtype == np.float16 and dtype == "int8"):
        raise aicjit.OperandValueError("to_blocks: x: is %s%s, not float32 [C, H, W]" % (x.dtype, list(x.shape)))
    if not isinstance(dtype, str) or dtype not in ("int8", "float16"):
        raise aicjit.ArgumentError("to_blocks: dtype: %.60r is not int8 or float16" % (dtype,))
    c0 = _blocks.BLOCK[dtype] if c0 is None else integer("to_blocks: c0", c0)
    if c0 not in (4, _blocks.BLOCK[dtype]) or (c0 == 4 and x.shape[0] > 4):
        raise aicjit.ArgumentError("to_blocks: c0: %s of %d channels in blocks of %d" % (dtype, x.shape[0], c0))
    channels, height, width = x.shape
    scales = _channels("to_blocks: scale", scale, channels)

    def build(program: Program) -> None:
        _input(program, x)
        y = _result(program, Tensor(Place(""), dtype, _blocks.slots_of(channels, c0), height, width, c0, scales, zero))
        _moves.pack(program, Place("x"), x.dtype.name, channels, y, scales if dtype == "int8" else None)

    net = _cached(("to_blocks", x.shape, x.dtype.name, dtype, c0, zero, scales.tobytes()), build, context)
    result: Array = net(x[np.newaxis])[0]
    return result


def from_blocks(x: Array, channels: int, scale: Any = 1, zero: int = 0, *,
                context: Optional[aicjit.Context] = None) -> Floats:
    """int8 or float16 [C1, H, W, c0] as float32 [channels, H, W], (x - zero) * scale. One kernel for one pixel or one
    channel, else two."""
    x = np.ascontiguousarray(as_array("from_blocks", "x", x))
    channels, zero = integer("from_blocks: channels", channels, 1), integer("from_blocks: zero", zero, -128, 127)
    source = _blocked("from_blocks", x, channels, zero, scale)
    if source.c0 == 4:
        raise aicjit.OperandValueError("from_blocks: x: a picture in blocks of 4 channels is [H, W, 4] already")

    def build(program: Program) -> None:
        _input(program, x)
        program.buffer("float32", (channels, source.height, source.width), "y")
        program.outputs.append(Port("y", "y", "float32", (1, channels, source.height, source.width)))
        _moves.unpack(program, source, source.scale, Place("y"))

    key = "from_blocks", x.shape, x.dtype.name, channels, zero, source.scale.tobytes()
    result: Floats = _cached(key, build, context)(x[np.newaxis])[0]
    return result
