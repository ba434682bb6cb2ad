"""ConvTranspose, as a convolution and a shuffle of pixels."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from .._blocks import Window
from .._program import Array
from .graph import Graph, Node, Refused
from .layer import Layer, along, sized


def _phases(size: int, kernel: int, stride: int, begin: int, output: int) -> tuple[list[list[tuple[int, int]]], int, int, int]:
    """A transposed convolution along an axis as one whose outputs, `stride` of them for a step, are pixels: for each its
    (place, tap of the kernel), then how many places there are, and the padding before and behind."""
    taps = []
    for phase in range(stride):
        first, ahead = (phase + begin) % stride, (phase + begin) // stride
        taps.append([(ahead - t, first + stride * t) for t in range(-(-(kernel - first) // stride))])
    places = [place for phase in taps for place, _ in phase]
    low, count = min(places), max(places) - min(places) + 1
    behind = -(-output // stride) + count - 1 - size + low
    if output < 1 or low > 0 or behind < 0:
        raise Refused("an output of %d elements from %d with stride %d: a padding below the kernel's size is supported"
                      % (output, size, stride))
    return [[(place - low, tap) for place, tap in phase] for phase in taps], count, -low, behind


def transposed(graph: Graph, node: Node) -> list[Layer]:
    """ConvTranspose: a convolution that gives the pixels of a square as channels, and a shuffle of them."""
    weight, bias = graph.constant(node, 1, "weight"), graph.optional(node, 2, "bias")
    image, strides = graph.image(node.inputs[0]), node.attr("strides", [1, 1])
    if weight.ndim == 4:
        sized("a bias", bias, weight.shape[1] * int(node.attr("group", 1)))
    if weight.ndim != 4 or int(node.attr("group", 1)) != 1 or set(node.attr("dilations", [1, 1])) != {1}:
        raise Refused("groups, dilations, or weights of %d axes: conv2d has no transposed form, and one group of two axes is "
                      "turned into one" % weight.ndim)
    if image[0] != len(weight):
        raise Refused("%d channels, the weights have %d" % (image[0], len(weight)))
    if len(set(strides)) != 1 or min(strides) < 1 or node.attr("auto_pad", "NOTSET") not in ("NOTSET", "VALID"):
        raise Refused("strides that differ, or auto_pad")
    stride, kernel, pads = int(strides[0]), weight.shape[2:], node.attr("pads", [0] * 4)
    more = node.attr("output_padding", [0, 0])
    if len(pads) != 4 or len(more) != 2 or min(*pads, *more) < 0:
        raise Refused("pads: %s, output_padding: %s are not 4 and 2 numbers from 0" % (pads, more))
    if node.attr("output_shape") is not None:
        raise Refused("output_shape: pads say the same")
    height, width = (stride * (image[1 + i] - 1) + more[i] + kernel[i] - pads[i] - pads[2 + i] for i in range(2))
    tall, kh, top, bottom = _phases(image[1], kernel[0], stride, int(pads[0]), height)
    wide, kw, left, right = _phases(image[2], kernel[1], stride, int(pads[1]), width)

    def phases(values: Array, zero: int = 0) -> Array:
        """Weights as those of the convolution; zero: what stands for a tap that a pixel does not have."""
        made = np.full((stride, stride, weight.shape[1], weight.shape[0], kh, kw), zero, values.dtype)
        for (i, rows), (j, columns) in ((a, b) for a in enumerate(tall) for b in enumerate(wide)):
            for (row, y), (column, x) in ((a, b) for a in rows for b in columns):
                made[i, j, :, :, row, column] = values[:, :, y, x].T
        return made.reshape(-1, weight.shape[0], kh, kw)

    count, integers = stride**2, graph.integers.get(node.inputs[1])
    if integers is not None:
        values, quant = integers
        scale = np.tile(quant.scale.reshape(-1), count) if quant.scale.size > 1 else quant.scale
        integers = phases(values.reshape(weight.shape), quant.zero), replace(along(quant, 1), scale=scale, axis=0)
    pixels = node.outputs[0] if stride == 1 else graph.fresh(node.outputs[0] + "/pixels")
    layer = Layer("conv", [node], node.inputs[:1], [pixels], (count * weight.shape[1], -(-height // stride), -(-width // stride)),
                  Window((kh, kw), pad=(left, right, top, bottom)), phases(weight.astype(np.float32, copy=False)),
                  None if bias is None else np.tile(bias.astype(np.float32), count), integers)
    if stride == 1:
        return [layer]
    return [layer, Layer("shuffle", [node], [pixels], node.outputs[:1], (weight.shape[1], height, width), factor=stride)]
