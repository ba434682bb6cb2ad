"""An ONNX graph as this package sees it: nodes, constants, and the quantisation of values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

import aicjit

from .._program import Array


#: Elements along an axis, beyond the operators' own limits: products of flattened pictures are windows.
LARGEST = 1 << 24


class Finding(NamedTuple):
    """A node that is not supported: its name, its operator, and why."""

    node: str
    op: str
    reason: str


class ModelError(aicjit.ArgumentError):
    """The file is no ONNX model, is damaged, or lacks something. The message names the node or tensor."""


class Unsupported(aicjit.UnsupportedError):
    """Nodes that the library does not compute; `nodes` has all of them, with reasons."""

    def __init__(self, nodes: Sequence[Finding]) -> None:
        self.nodes = list(nodes)
        lines = ["%s (%s): %s" % found for found in self.nodes]
        super().__init__("%d %s not supported:\n  %s" % (len(lines), "node is" if len(lines) == 1 else "nodes are", "\n  ".join(lines)),
                         aicjit.Status.UNSUPPORTED)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.nodes,)


class Refused(Exception):
    """Why a node is not supported."""


@dataclass(frozen=True)
class Quant:
    """q stands for (q - zero) * scale; scale: a number, or for weights one for each place along an axis."""

    scale: Array
    zero: int
    dtype: str
    axis: int = 0

    @property
    def shift(self) -> int:
        """What is subtracted from elements so that they are int8."""
        return 128 if self.dtype == "uint8" else 0


@dataclass
class Node:
    op: str
    name: str
    inputs: list[str]
    outputs: list[str]
    attrs: dict[str, Any]
    domain: str = ""

    def attr(self, name: str, default: Any = None) -> Any:
        return self.attrs.get(name, default)


@dataclass
class Graph:
    nodes: list[Node]
    inputs: dict[str, tuple[str, tuple[int, ...]]]
    outputs: dict[str, tuple[str, tuple[int, ...]]]
    constants: dict[str, Array]
    shapes: dict[str, tuple[int, ...]]
    opset: int = 0
    #: The value that each output is.
    results: dict[str, str] = field(default_factory=dict)
    #: Of activations: how they are quantised in the file.
    quant: dict[str, Quant] = field(default_factory=dict)
    #: Inputs and outputs that are NHWC outside.
    turned: set[str] = field(default_factory=set)
    #: Channels, height and width of values, as layers give them.
    images: dict[str, tuple[int, int, int]] = field(default_factory=dict)
    #: Constants that are integers in the file, with what they stand for.
    integers: dict[str, tuple[Array, Quant]] = field(default_factory=dict)
    #: Types of values that are integers, where the package onnx infers them.
    types: dict[str, str] = field(default_factory=dict)
    #: Whether a pooling gives fewer windows than the package onnx counts, so that sizes behind it are not as inferred.
    fewer: bool = False
    #: Names of the file's values and of our own, once there are such.
    taken: set[str] = field(default_factory=set)

    def copy(self) -> Graph:
        """One to be changed; constants are shared."""
        nodes = [replace(node, inputs=list(node.inputs), outputs=list(node.outputs)) for node in self.nodes]
        return replace(self, nodes=nodes, outputs=dict(self.outputs), constants=dict(self.constants), shapes=dict(self.shapes),
                       results={name: name for name in self.outputs}, quant={}, images={}, integers={}, turned=set(), taken=set())

    def fresh(self, name: str) -> str:
        """A name like this one for a value of our own: that is, if neither the file nor another such value has it."""
        if not self.taken:
            self.taken = {name for node in self.nodes for name in (*node.inputs, *node.outputs)} | {*self.constants, *self.inputs}
        made, number = name, 1
        while made in self.taken:
            made, number = "%s%d" % (name, number), number + 1
        self.taken.add(made)
        return made

    def rename(self, same: dict[str, str]) -> None:
        """Lets outputs be other values."""
        for name in self.outputs:
            value = self.results.get(name, name)
            while value in same:
                value = same[value]
            self.results[name] = value

    def constant(self, node: Node, index: int, what: str) -> Array:
        """An input that must be a constant."""
        name = node.inputs[index] if index < len(node.inputs) else ""
        if name not in self.constants:
            raise Refused("%s%s is not constant" % (what, " (%s)" % name if name else ""))
        if self.constants[name].size == 0:
            raise Refused("%s (%s) is empty" % (what, name))
        return self.constants[name]

    def optional(self, node: Node, index: int, what: str, default: Any = None) -> Any:
        """An input that may be missing, and is else a constant."""
        if index >= len(node.inputs) or not node.inputs[index]:
            return default
        return self.constant(node, index, what)

    def shape(self, name: str) -> tuple[int, ...]:
        """The shape of a value: as many axes as the file gives it, with the sizes that its layer does."""
        if name in self.constants:
            return tuple(self.constants[name].shape)
        channels, height, width = self.image(name)
        rank = len(self.shapes.get(name, (0, 0, 0, 0)))
        return (1, channels) if rank == 2 else (1, channels, width) if rank == 3 else (1, channels, height, width)

    def aligned(self, node: Node, main: str) -> None:
        """Raises where the result of arithmetic has other axes than the tensor `main`: they are counted from the last one, so
        that [C] are no numbers a channel of [1, C, H, W], and [1, C, 1, 1] and [1, C] become [1, C, 1, C]."""
        shapes = [self.shape(name) for name in node.inputs]
        try:
            found: tuple[int, ...] = np.broadcast_shapes(*shapes)
        except ValueError:
            found = ()
        if found != self.shape(main):
            raise Refused("of the shapes %s, %s" % (" and ".join(str(list(shape)) for shape in shapes), "which do not fit"
                                                    if not found else "whose result has the shape %s" % list(found)))

    def image(self, name: str) -> tuple[int, int, int]:
        """Channels, height and width of a value."""
        if name in self.images:
            return self.images[name]
        if name in self.constants:
            raise Refused("%s is a constant" % name)
        shape = self.shapes.get(name)
        if shape is None:
            raise Refused("the shape of %s is not known" % name)
        if len(shape) == 4:
            return shape[1], shape[2], shape[3]
        if len(shape) == 3:
            return shape[1], 1, shape[2]
        if len(shape) == 2:
            return shape[1], 1, 1
        raise Refused("%s has %d axes: 2 to 4 are supported" % (name, len(shape)))
