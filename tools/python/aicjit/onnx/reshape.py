"""Reshape, Flatten, Squeeze and Unsqueeze: the shapes that they give, and the layers that they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional

import numpy as np

from .graph import Graph, Node, Refused
from .layer import Layer


def _squeezed(shape: Sequence[int], axes: Sequence[int]) -> tuple[int, ...]:
    gone = {axis % len(shape) for axis in axes}
    if any(shape[axis] != 1 for axis in gone):
        raise Refused("of the axes %s of the shape %s" % (list(axes), list(shape)))
    return tuple(size for i, size in enumerate(shape) if i not in gone)


def _unsqueezed(shape: Sequence[int], axes: Sequence[int]) -> tuple[int, ...]:
    made, sizes = {axis % (len(shape) + len(axes)) for axis in axes}, iter(shape)
    return tuple(1 if i in made else next(sizes) for i in range(len(shape) + len(made)))


def shape_of(graph: Graph, node: Node) -> Optional[tuple[int, ...]]:
    """Of the result of a Reshape: known, or what a constant says of an input."""
    shape = graph.shapes.get(node.outputs[0])
    if shape is None and node.op in ("Squeeze", "Unsqueeze"):
        axes = node.attr("axes") if len(node.inputs) < 2 else graph.constant(node, 1, "axes").tolist()
        own = graph.shape(node.inputs[0])
        return None if axes is None else _squeezed(own, axes) if node.op == "Squeeze" else _unsqueezed(own, axes)
    if node.op != "Reshape" or node.inputs[1] not in graph.constants:
        return shape
    said = graph.constants[node.inputs[1]]
    if said.dtype.kind != "i":
        raise Refused("a shape of %s" % said.dtype)
    if said.min() < -1 or (said == -1).sum() > 1 or (node.attr("allowzero", 0) and not said.all()):
        raise Refused("to the shape %s" % said.tolist())
    if shape is not None:
        return shape
    image = graph.image(node.inputs[0])
    own = graph.shapes.get(node.inputs[0], (1, *image))
    wanted = [own[i] if size == 0 and i < len(own) else size for i, size in enumerate(said.tolist())]
    rest = int(np.prod(image)) // max(1, int(np.prod([size for size in wanted if size > 0])))
    return tuple(rest if size < 0 else size for size in wanted)


def reshape(graph: Graph, node: Node) -> list[Layer]:
    """Reshape, Flatten, Squeeze, Unsqueeze: where nothing moves, and from a picture to a row."""
    image, shape = graph.image(node.inputs[0]), shape_of(graph, node)
    rank = len(graph.shapes.get(node.inputs[0], ()))
    if node.op == "Flatten" and node.attr("axis", 1) in (1, 1 - rank):
        shape = (1, int(np.prod(image)))
    if shape is None:
        raise Refused("the shape of the result is not known: is it a constant, and the network for one image?")
    if len(shape) in (2, 3, 4) and shape[0] == 1:
        height, width = (1, 1) if len(shape) == 2 else (1, shape[2]) if len(shape) == 3 else shape[2:]
        made = shape[1], height, width
        graph.shapes.setdefault(node.outputs[0], tuple(shape))
        if made == image:
            return [Layer("same", [node], node.inputs[:1], node.outputs, image)]
        if made[0] == image[0] and made[1] * made[2] == image[1] * image[2]:  # the pixels in their order, in other lines
            return [Layer("pick", [node], node.inputs[:1], node.outputs, made, order=tuple(range(made[0])))]
        if made == (int(np.prod(image)), 1, 1):
            return [Layer("flatten", [node], node.inputs[:1], node.outputs, made)]
    raise Refused("from %s to %s" % (list(graph.shapes.get(node.inputs[0], image)), list(shape)))
