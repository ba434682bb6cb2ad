"""From nodes to layers: what the library can compute, with weights as arrays and windows as conv2d has them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Optional

import numpy as np

from .._blocks import Act, Window
from .._program import Array, Floats
from .graph import LARGEST, Finding, Graph, Node, Refused
from .layer import Image, Layer, along, sized
from .reshape import reshape, shape_of
from .transposed import transposed


def _window(node: Node, image: Image, kernel: Sequence[int]) -> tuple[Window, bool]:
    """The window of a convolution or pooling, and whether ceil_mode makes it reach further than its padding."""
    kernel, (_, height, width) = list(kernel), image
    strides, dilations = list(node.attr("strides", [1] * len(kernel))), list(node.attr("dilations", [1] * len(kernel)))
    pads, auto = list(node.attr("pads", [0] * 2 * len(kernel))), node.attr("auto_pad", "NOTSET")
    if len(kernel) == 1:
        kernel, strides, dilations = [1, *kernel], [1, *strides], [1, *dilations]
        pads = [0, pads[0], 0, pads[1]]
    if len(kernel) != 2:
        raise Refused("%d axes: one and two are supported" % len(kernel))
    for name, values, count in (("kernel_shape", kernel, 2), ("strides", strides, 2), ("dilations", dilations, 2), ("pads", pads, 4)):
        if len(values) != count or min(values) < (name != "pads"):
            raise Refused("%s: %s is not %d numbers from %d" % (name, values, count, name != "pads"))
    ends = []
    for i, size in enumerate((height, width)):
        reach = dilations[i] * (kernel[i] - 1) + 1
        if auto in ("SAME_UPPER", "SAME_LOWER"):
            total = max(0, (-(-size // strides[i]) - 1) * strides[i] + reach - size)
            pads[i], pads[i + 2] = (total // 2, total - total // 2) if auto == "SAME_UPPER" else (total - total // 2, total // 2)
        elif auto == "VALID":
            pads[i] = pads[i + 2] = 0
        room = size + pads[i] + pads[i + 2] - reach
        extra = -room % strides[i] if node.attr("ceil_mode", 0) and room >= 0 else 0
        if (room + extra) // strides[i] * strides[i] >= size + pads[i]:
            extra = 0  # no window begins behind the tensor
        ends.append(extra)
    top, left, bottom, right = pads
    window = Window((kernel[0], kernel[1]), (strides[0], strides[1]), (left, right + ends[1], top, bottom + ends[0]),
                    (dilations[0], dilations[1]))
    if min(window.output(height, width)) < 1:
        raise Refused("the window does not fit into %d x %d" % (height, width))
    return window, any(ends)


def _conv(graph: Graph, node: Node) -> list[Layer]:
    weight = graph.constant(node, 1, "weight")
    bias = graph.optional(node, 2, "bias")
    image, group = graph.image(node.inputs[0]), int(node.attr("group", 1))
    kernel = weight.shape[2:]
    if weight.ndim == 3:
        weight = weight[:, :, None]
    if weight.ndim != 4:
        raise Refused("weights of %d axes" % weight.ndim)
    sized("a bias", bias, len(weight))
    integers = graph.integers.get(node.inputs[1])
    if integers is not None:
        integers = integers[0].reshape(weight.shape), along(integers[1], 0)
    window, _ = _window(node, image, kernel)
    out = (len(weight), *window.output(*image[1:]))
    whole = Layer("conv", [node], node.inputs[:1], node.outputs, out, window, weight.astype(np.float32, copy=False),
                  None if bias is None else bias.astype(np.float32).reshape(-1), integers)
    if image[0] != weight.shape[1] * group:
        raise Refused("%d channels, the weights have %d x %d" % (image[0], group, weight.shape[1]))
    if len(weight) % group:
        raise Refused("%d outputs in %d groups" % (len(weight), group))
    return [whole]


def _product(graph: Graph, node: Node) -> list[Layer]:
    """Gemm and MatMul by constant weights: a convolution of one pixel."""
    weight, (channels, height, width) = graph.constant(node, 1, "weight"), graph.image(node.inputs[0])
    bias = graph.optional(node, 2, "bias") if node.op == "Gemm" else None
    if weight.ndim != 2:
        raise Refused("weights of %d axes" % weight.ndim)
    if height * width != 1 or len(graph.shapes.get(node.inputs[0], (1, channels))) != 2:
        raise Refused("a product with the last of several axes")
    if node.attr("transA", 0):
        raise Refused("transA")
    alpha, beta = float(node.attr("alpha", 1.0)), float(node.attr("beta", 1.0))
    turned = bool(node.attr("transB", 0))
    rows = np.ascontiguousarray(weight if turned else weight.T)
    if rows.shape[1] != channels:
        raise Refused("%d inputs, the weights have %d" % (channels, rows.shape[1]))
    integers = graph.integers.get(node.inputs[1]) if alpha == 1 else None
    if integers is not None:
        integers = (integers[0] if turned else integers[0].T)[:, :, None, None], along(integers[1], 0 if turned else 1)
    sized("a bias", bias, 1, len(rows))
    if bias is not None and bias.shape[-1:] not in ((), (bias.size,)):
        raise Refused("a bias of the shape %s, a number for each row" % list(bias.shape))
    bias = bias if beta else None
    if bias is not None:
        bias = np.broadcast_to(np.asarray(bias, np.float32).reshape(-1) * np.float32(beta), (len(rows),)).copy()
    return [Layer("conv", [node], node.inputs[:1], node.outputs, (len(rows), 1, 1), Window(),
                  (rows * np.float32(alpha)).astype(np.float32, copy=False)[:, :, None, None], bias, integers)]


def _normalisation(graph: Graph, node: Node) -> list[Layer]:
    if node.attr("training_mode", 0) or len([name for name in node.outputs if name]) > 1 and graph.opset >= 14:
        raise Refused("training_mode")
    scale, shift, mean, variance = (graph.constant(node, i, what).astype(np.float64).reshape(-1)
                                    for i, what in enumerate(("scale", "bias", "mean", "variance"), 1))
    image = graph.image(node.inputs[0])
    for what, values in (("a scale", scale), ("a bias", shift), ("a mean", mean), ("a variance", variance)):
        sized(what, values, image[0])
    if not (np.isfinite(scale).all() and np.isfinite(shift - mean).all() and (variance + node.attr("epsilon", 1e-5) > 0).all()):
        raise Refused("numbers that are not finite, or a variance below 0")
    gain = scale / np.sqrt(variance + node.attr("epsilon", 1e-5))
    return [Layer("affine", [node], node.inputs[:1], node.outputs[:1], image, gain=gain.astype(np.float32),
                  shift=(shift - mean * gain).astype(np.float32))]


def _act(act: Callable[[Graph, Node], Act]) -> Callable[[Graph, Node], list[Layer]]:
    def make(graph: Graph, node: Node) -> list[Layer]:
        return [Layer("act", [node], node.inputs[:1], node.outputs[:1], graph.image(node.inputs[0]), act=act(graph, node))]

    return make


def _clip(graph: Graph, node: Node) -> Act:
    lo, hi = (graph.optional(node, i, name, node.attr(name, default))
              for i, name, default in ((1, "min", -np.inf), (2, "max", np.inf)))
    low, high = (float(np.ravel(v)[0]) for v in (lo, hi))
    low = min(low, high)  # as the document of Clip says
    return Act(lo=low if low > -3e38 else -np.inf, hi=high if high < 3e38 else np.inf)


def _slopes(graph: Graph, node: Node) -> Act:
    slope = graph.constant(node, 1, "slope")
    values = _channel_values(graph, node, 1, node.inputs[0])
    if values is None:
        raise Refused("slopes of the shape %s, not one a channel" % list(slope.shape))
    return Act(slope=values)


def _leaky(graph: Graph, node: Node) -> Act:
    return Act(slope=np.full(graph.image(node.inputs[0])[0], node.attr("alpha", 0.01), np.float32))


def _max(graph: Graph, node: Node) -> list[Layer]:
    if len([name for name in node.outputs if name]) > 1:
        raise Refused("indices of the largest elements")
    image = graph.image(node.inputs[0])
    kernel = image[1:] if node.op == "GlobalMaxPool" else node.attr("kernel_shape")
    window, _ = _window(node, image, kernel)
    return [Layer("max", [node], node.inputs[:1], node.outputs[:1], (image[0], *window.output(*image[1:])), window)]


def _average(graph: Graph, node: Node) -> list[Layer]:
    image = graph.image(node.inputs[0])
    kernel = image[1:] if node.op != "AveragePool" else node.attr("kernel_shape")
    window, beyond = _window(node, image, kernel) if node.op == "AveragePool" else (Window((image[1], image[2])), False)
    include = bool(node.attr("count_include_pad", 0))
    if window.dilation != (1, 1) or (beyond and include):
        raise Refused("dilations" if not beyond else "ceil_mode with count_include_pad, where windows leave the padding")
    return [Layer("average", [node], node.inputs[:1], node.outputs, (image[0], *window.output(*image[1:])), window,
                  include_pad=include)]


def _mean(graph: Graph, node: Node) -> list[Layer]:
    axes = node.attr("axes") if len(node.inputs) < 2 else graph.constant(node, 1, "axes").tolist()
    if axes is None or sorted(a % 4 for a in axes) != [2, 3] or len(graph.shapes.get(node.inputs[0], ())) != 4:
        raise Refused("a mean over the axes %s, not over height and width" % axes)
    if not node.attr("keepdims", 1):
        graph.shapes.setdefault(node.outputs[0], (1, graph.image(node.inputs[0])[0]))
    return _average(graph, node)


def _channel_values(graph: Graph, node: Node, index: int, main: str) -> Optional[Floats]:
    """A constant operand as a number for each channel of the tensor `main`; None: it has others."""
    graph.aligned(node, main)
    value = np.asarray(graph.constants[node.inputs[index]], np.float32)
    padded = (1,) * (len(graph.shape(main)) - value.ndim) + value.shape
    return np.broadcast_to(value.reshape(-1), (graph.image(main)[0],)).copy() if padded[1] == value.size else None


def _binary(graph: Graph, node: Node) -> list[Layer]:
    """Add, Sub, Mul and Div: by a constant, a number a channel; sums of tensors."""
    constants = [i for i, name in enumerate(node.inputs) if name in graph.constants]
    if node.op in ("Add", "Sum") and not constants and len({graph.shape(name) for name in node.inputs}) == 1:
        return _sum(graph, node)
    if len(node.inputs) == 2 and not constants:
        return [_pair(graph, node)]
    if len(node.inputs) != 2 or len(constants) != 1:
        raise Refused("of %d tensors and %d constants" % (len(node.inputs) - len(constants), len(constants)))
    other = node.inputs[1 - constants[0]]
    image = graph.image(other)
    values = _channel_values(graph, node, constants[0], other)
    if values is None:
        raise Refused("a constant of the shape %s, not one number a channel" % list(graph.constants[node.inputs[constants[0]]].shape))
    one, zero = np.ones(image[0], np.float32), np.zeros(image[0], np.float32)
    first = constants[0] == 0
    if node.op == "Div" and first:
        raise Refused("a quotient by a tensor")
    with np.errstate(divide="ignore"):
        inverse: Floats = one / values
    table: dict[str, tuple[Floats, Floats]] = {
        "Add": (one, values), "Sum": (one, values), "Sub": (-one, values) if first else (one, -values),
        "Mul": (values, zero), "Div": (inverse, zero)}
    gain, shift = table[node.op]
    if not np.isfinite(gain).all():
        raise Refused("a quotient by 0")
    return [Layer("affine", [node], [other], node.outputs, image, gain=gain, shift=shift)]


_PAIRS = {"Add": "BM_ADD", "Sum": "BM_ADD", "Sub": "BM_SUB", "Mul": "BM_MUL", "Div": "BM_DIV", "Max": "BM_MAX",
          "Min": "BM_MIN"}


def _pair(graph: Graph, node: Node) -> Layer:
    """Two tensors, element by element; of one of them one pixel may stand for all."""
    names = list(node.inputs)
    if node.op not in ("Sub", "Div"):
        names.sort(key=lambda name: -int(np.prod(graph.image(name))))
    large, small = (graph.image(name) for name in names)
    ranks = {len(graph.shape(name)) for name in names}
    if small != large and (small != (large[0], 1, 1) or len(ranks) > 1):
        raise Refused("of tensors of the shapes %dx%dx%d and %dx%dx%d" % (*large, *small))
    graph.aligned(node, names[0])
    return Layer("pair", [node], names, node.outputs, large, op=_PAIRS[node.op])


def _extreme(graph: Graph, node: Node) -> list[Layer]:
    """Max and Min: of two tensors, or of one and a number."""
    constants = [name for name in node.inputs if name in graph.constants]
    if len(node.inputs) == 2 and not constants:
        return [_pair(graph, node)]
    if len(node.inputs) != 2 or len(constants) != 1 or graph.constants[constants[0]].size != 1:
        raise Refused("of other than two tensors, or one and a number")
    source, = (name for name in node.inputs if name not in graph.constants)
    graph.aligned(node, source)
    limit = float(np.ravel(graph.constants[constants[0]])[0])
    act = Act(lo=limit) if node.op == "Max" else Act(hi=limit)
    return [Layer("act", [node], [source], node.outputs, graph.image(source), act=act)]


def _curve(graph: Graph, node: Node) -> list[Layer]:
    return [Layer("curve", [node], node.inputs[:1], node.outputs, graph.image(node.inputs[0]), op=node.op)]


def _hard(graph: Graph, node: Node) -> list[Layer]:
    """HardSigmoid, and HardSwish, which is a product with one."""
    source, image = node.inputs[0], graph.image(node.inputs[0])
    swish = node.op == "HardSwish"
    alpha, beta = (1 / 6, 0.5) if swish else (node.attr("alpha", 0.2), node.attr("beta", 0.5))
    gate = graph.fresh(node.outputs[0] + "/gate") if swish else node.outputs[0]
    made = Layer("affine", [node], [source], [gate], image, gain=np.full(image[0], alpha, np.float32),
                 shift=np.full(image[0], beta, np.float32), act=Act(lo=0, hi=1))
    return [made, Layer("pair", [node], [source, gate], node.outputs, image, op="BM_MUL")] if swish else [made]


def _sum(graph: Graph, node: Node) -> list[Layer]:
    images = [graph.image(name) for name in node.inputs]
    if len(node.inputs) == 1:
        return [Layer("same", [node], node.inputs, node.outputs, images[0])]
    made, left = [], node.inputs[0]
    for i, name in enumerate(node.inputs[1:]):
        out = node.outputs[0] if i == len(node.inputs) - 2 else graph.fresh(node.outputs[0] + "/sum")
        made.append(Layer("add", [node], [left, name], [out], images[0]))
        left = out
    return made


def _axis(node: Node, rank: int, default: int = 1) -> int:
    return int(node.attr("axis", default)) % max(rank, 1)


def _concat(graph: Graph, node: Node) -> list[Layer]:
    images = [graph.image(name) for name in node.inputs]
    rank = len(graph.shapes.get(node.inputs[0], (0, 0, 0, 0)))
    axis = _axis(node, rank)
    if axis == 2 and len({(image[0], image[2] if rank == 4 else 1) for image in images}) == 1:
        lines, columns = (sum(image[i] for image in images) if rank - 2 + i == 3 else images[0][i] for i in (1, 2))
        return [Layer("append", [node], node.inputs, node.outputs, (images[0][0], lines, columns))]
    if axis != 1:
        raise Refused("along axis %d, not along channels or lines" % axis)
    if len({image[1:] for image in images}) != 1:
        raise Refused("of tensors of different sizes")
    return [Layer("concat", [node], node.inputs, node.outputs, (sum(image[0] for image in images), *images[0][1:]))]


def _split(graph: Graph, node: Node) -> list[Layer]:
    image, rank = graph.image(node.inputs[0]), len(graph.shapes.get(node.inputs[0], (0, 0, 0, 0)))
    if _axis(node, rank, 0) != 1:
        raise Refused("along axis %d, not along channels" % _axis(node, rank, 0))
    sizes = node.attr("split") if len(node.inputs) < 2 else graph.constant(node, 1, "split").tolist()
    if sizes is None:
        part = -(-image[0] // len(node.outputs))
        sizes = [min(part, image[0] - part * i) for i in range(len(node.outputs))]
    if sum(sizes) != image[0] or len(sizes) != len(node.outputs):
        raise Refused("into %d parts of %s channels: there are %d" % (len(node.outputs), sizes, image[0]))
    starts = np.cumsum([0, *sizes])
    return [Layer("pick", [node], node.inputs[:1], [name], (int(size), *image[1:]), order=tuple(range(start, start + int(size))))
            for name, size, start in zip(node.outputs, sizes, starts.tolist())]


def _slice(graph: Graph, node: Node) -> list[Layer]:
    image = graph.image(node.inputs[0])
    if graph.opset >= 10:
        starts, ends = (graph.constant(node, i, what).tolist() for i, what in ((1, "starts"), (2, "ends")))
        axes = graph.optional(node, 3, "axes", np.arange(len(starts))).tolist()
        steps = graph.optional(node, 4, "steps", np.ones(len(starts), np.int64)).tolist()
    else:
        starts, ends = node.attr("starts"), node.attr("ends")
        axes, steps = node.attr("axes", list(range(len(starts)))), [1] * len(starts)
    if [axis % len(graph.shape(node.inputs[0])) for axis in axes] != [1]:
        raise Refused("along the axes %s, not along channels" % list(axes))
    order = tuple(range(image[0]))[slice(starts[0], ends[0], steps[0])]
    return [Layer("pick", [node], node.inputs[:1], node.outputs, (len(order), *image[1:]), order=order)]


def _pad(graph: Graph, node: Node) -> list[Layer]:
    image, rank = graph.image(node.inputs[0]), len(graph.shape(node.inputs[0]))
    given = node.attr("pads") if graph.opset < 11 else graph.constant(node, 1, "pads").tolist()
    axes = graph.optional(node, 3, "axes", np.arange(rank)).tolist()
    pads = [0] * 8  # of a picture, whose height a tensor of three axes lacks
    if len(given) != 2 * len(axes) or rank < 3 or len({axis % rank for axis in axes}) != len(axes):
        raise Refused("of %d numbers for %d of %d axes" % (len(given), len(axes), rank))
    for i, axis in enumerate(axes):
        place = axis % rank if axis % rank < 2 else axis % rank + 4 - rank
        pads[place], pads[4 + place] = given[i], given[len(axes) + i]
    value = graph.optional(node, 2, "value", node.attr("value", 0.0))
    quant = graph.quant.get(node.inputs[0]) or graph.quant.get(node.outputs[0])
    zero = quant.zero if quant is not None and getattr(value, "dtype", None) == quant.dtype else 0  # of integers
    if node.attr("mode", "constant") != "constant" or np.ravel(value)[0] != zero or any(pads[i] for i in (0, 1, 4, 5)) \
            or min(pads) < 0:
        raise Refused("other than zeros around height and width")
    window = Window(pad=(pads[3], pads[7], pads[2], pads[6]))
    return [Layer("pad", [node], node.inputs[:1], node.outputs, (image[0], *window.output(*image[1:])), window)]


def _shuffle(graph: Graph, node: Node) -> list[Layer]:
    (channels, height, width), factor = graph.image(node.inputs[0]), int(node.attr("blocksize"))
    if channels % factor**2:
        raise Refused("%d channels, no multiple of %d" % (channels, factor**2))
    image = channels // factor**2, height * factor, width * factor
    return [Layer("shuffle", [node], node.inputs, node.outputs, image, factor=factor, crd=node.attr("mode", "DCR") == "CRD")]


def _nearest(node: Node, coordinates: str, size: int, factor: int, scale: float) -> None:
    """Raises where a pixel does not become a square of its own."""
    at = np.arange(size * factor, dtype=np.float64)
    at = at / scale if coordinates == "asymmetric" else (at + 0.5) / scale - 0.5
    mode = "floor" if node.op == "Upsample" else node.attr("nearest_mode", "round_prefer_floor")
    found = {"ceil": np.ceil(at), "round_prefer_floor": np.ceil(at - 0.5), "round_prefer_ceil": np.floor(at + 0.5)}
    if (np.clip(found.get(mode, np.floor(at)), 0, size - 1) != np.arange(size * factor) // factor).any():
        raise Refused("nearest_mode %s of %s coordinates: pixels do not become squares of one size" % (mode, coordinates))


def _scales(graph: Graph, node: Node) -> Optional[list[float]]:
    """By which factors a Resize or Upsample says that it enlarges its four axes; None: it says their sizes."""
    at = 1 if node.op == "Upsample" or graph.opset < 11 else 2
    given = graph.constants.get(node.inputs[at]) if at < len(node.inputs) else np.asarray(node.attr("scales", []))
    if given is None or given.size == 0:
        return None
    axes = node.attr("axes", list(range(given.size)))
    if len(axes) != given.size or not all(-4 <= axis < 4 for axis in axes):
        raise Refused("%d scales of the axes %s" % (given.size, axes))
    scales = [1.0] * 4
    for axis, scale in zip(axes, given.tolist()):
        scales[axis] = scale
    return scales


def _resize(graph: Graph, node: Node) -> list[Layer]:
    image, shape, scales = graph.image(node.inputs[0]), graph.shapes.get(node.outputs[0]), _scales(graph, node)
    mode = node.attr("mode", "nearest")
    if shape is None and scales is not None:
        shape = tuple(int(size * scale) for size, scale in zip((1, *image), scales))
    if mode not in ("nearest", "linear"):
        raise Refused("mode %s: nearest and linear are supported" % mode)
    if shape is None or len(shape) != 4:
        raise Refused("scales or sizes are not constant")
    factors = [(shape[i], image[i - 1]) for i in (1, 2, 3)]
    if factors[0][0] != image[0] or any(a % b for a, b in factors[1:]):
        raise Refused("from %d x %d to %d x %d: no whole factors" % (*image[1:], *shape[2:]))
    old = node.op == "Upsample" or graph.opset < 11
    coordinates = "asymmetric" if old else node.attr("coordinate_transformation_mode", "half_pixel")
    if coordinates == "pytorch_half_pixel" and min(shape[2:]) > 1:
        coordinates = "half_pixel"
    if coordinates not in ("half_pixel", "asymmetric"):
        raise Refused("%s: half_pixel and asymmetric are supported" % coordinates)
    if mode == "linear" and max(a // b for a, b in factors[1:]) > 8:
        raise Refused("linear, by a factor of %d: up to 8 are supported" % max(a // b for a, b in factors[1:]))
    for i, (a, b) in enumerate(factors):
        scale = a / b if scales is None else scales[1 + i]
        if i > 0 and mode == "nearest":
            _nearest(node, coordinates, b, a // b, scale)
        elif abs(scale * b - a) > 1e-4 * a:
            raise Refused("by a factor of %g: no whole number" % scale)
    return [Layer("resize", [node], node.inputs[:1], node.outputs, (image[0], shape[2], shape[3]),
                  linear=coordinates if mode == "linear" else None)]


def _turn(graph: Graph, node: Node) -> list[Layer]:
    """Transpose, where it only says how an input or output lies in memory."""
    source, output, perm = node.inputs[0], node.outputs[0], node.attr("perm")
    if perm == list(range(len(perm or ()))):
        return [Layer("same", [node], node.inputs, node.outputs, graph.image(source))]
    if perm == [0, 3, 1, 2] and source in graph.inputs and _readers(graph, source) == 1 and source not in graph.outputs:
        _, height, width, channels = graph.shapes[source]
        graph.images[source] = channels, height, width
        graph.turned.add(source)
        return [Layer("same", [node], node.inputs, node.outputs, graph.images[source])]
    if perm == [0, 2, 3, 1] and output in graph.outputs and _readers(graph, output) == 0:
        graph.turned.add(output)
        return [Layer("same", [node], node.inputs, node.outputs, graph.image(source))]
    raise Refused("with perm %s in the middle of a network: only within a shuffle of channels (Reshape, Transpose, Reshape), "
                  "from an input of NHWC, or to an output of it" % (perm,))


def _readers(graph: Graph, name: str) -> int:
    return sum(node.inputs.count(name) for node in graph.nodes)


def _same(graph: Graph, node: Node) -> list[Layer]:
    if node.op == "Cast" and node.attr("to") not in (1, 10, 16):  # float32, float16, bfloat16
        raise Refused("to a type that is no float")
    if node.op == "Dropout" and graph.optional(node, 2, "training_mode", np.False_).any():
        raise Refused("training_mode")
    return [Layer("same", [node], node.inputs[:1], node.outputs[:1], graph.image(node.inputs[0]))]


def _relu(graph: Graph, node: Node) -> Act:
    return Act(lo=0)


CONVERT: dict[str, Callable[[Graph, Node], list[Layer]]] = {
    "Conv": _conv, "Gemm": _product, "MatMul": _product, "BatchNormalization": _normalisation, "Relu": _act(_relu),
    "Clip": _act(_clip), "PRelu": _act(_slopes), "LeakyRelu": _act(_leaky), "MaxPool": _max, "GlobalMaxPool": _max,
    "AveragePool": _average, "GlobalAveragePool": _average, "ReduceMean": _mean, "Add": _binary, "Sum": _binary,
    "Sub": _binary, "Mul": _binary, "Div": _binary, "Max": _extreme, "Min": _extreme, "Sigmoid": _curve, "Tanh": _curve,
    "HardSigmoid": _hard, "HardSwish": _hard, "Concat": _concat, "Split": _split, "Slice": _slice, "Pad": _pad,
    "DepthToSpace": _shuffle, "Resize": _resize, "Upsample": _resize, "Flatten": reshape, "Reshape": reshape,
    "ConvTranspose": transposed, "Transpose": _turn, "Squeeze": reshape, "Unsqueeze": reshape, "Identity": _same, "Dropout": _same, "Cast": _same,
}

#: Why, where there is more to say than that no operator computes it.
_REASONS: dict[str, str] = {
    "Softmax": "the operators have no exponentials: name the value before it in outputs=, or use a fallback",
    "LRN": "the operators have no powers",
    **dict.fromkeys(("DynamicQuantizeLinear", "ConvInteger", "MatMulInteger", "DynamicQuantizeMatMul"),
                    "scales that follow from the data of a call: the words of quantisation are constants of a network; "
                    "quantize= gives a float network scales"),
    **dict.fromkeys(("Exp", "Elu", "Selu", "Gelu", "Softplus", "Mish", "Erf", "LogSoftmax"),
                    "the operators have no exponentials: use a fallback, or name a value before it in outputs="),
    **dict.fromkeys(("LSTM", "GRU", "RNN", "Loop", "If", "Scan"), "control flow: a network is kernels in one order"),
    **dict.fromkeys(("LayerNormalization", "InstanceNormalization", "GroupNormalization", "Sqrt", "Pow"),
                    "the operators have no roots and powers"),
}


def _shuffled(graph: Graph, nodes: Sequence[Node]) -> Optional[Layer]:
    """Reshape to [1, g, C/g, H, W], Transpose (0, 2, 1, 3, 4), Reshape back: an order of channels."""
    if [node.op for node in nodes] != ["Reshape", "Transpose", "Reshape"]:
        return None
    first, turn, last = nodes
    if turn.inputs[0] != first.outputs[0] or last.inputs[0] != turn.outputs[0] or turn.attr("perm") != [0, 2, 1, 3, 4]:
        return None
    shape, image = shape_of(graph, first) or (), graph.image(first.inputs[0])
    if len(shape) != 5 or shape[1] * shape[2] != image[0] or shape[3:] != image[1:]:
        return None
    order = np.arange(image[0]).reshape(shape[1], shape[2]).T.ravel()
    return Layer("pick", list(nodes), first.inputs[:1], last.outputs, image, order=tuple(order.tolist()))


def _settle(graph: Graph, layer: Layer) -> None:
    """The size of what a layer gives, which counts. The package onnx counts a window of a pooling, too, that begins behind
    the tensor, which the document of ceil_mode leaves out, and does not know the operators of integers."""
    flat = layer.nodes[-1].op in ("Flatten", "Gemm", "MatMul") or len(graph.shapes.get(layer.inputs[0], ())) == 2
    for name in filter(None, layer.outputs):
        graph.images[name] = layer.image
        graph.shapes.setdefault(name, (1, layer.image[0]) if flat and layer.image[1:] == (1, 1) else (1, *layer.image))
        dtype, shape = graph.outputs.get(name, ("", ()))
        if len(shape) == 4 and name not in graph.turned:
            graph.outputs[name] = dtype, (1, *layer.image)


def convert(graph: Graph, hosted: set[str]) -> tuple[list[Layer], list[Finding]]:
    """The layers of all nodes that have some, and the nodes that have none. hosted: names of nodes that run elsewhere."""
    layers: list[Layer] = []
    found: list[Finding] = []
    at = 0
    while at < len(graph.nodes):
        node, made, used = graph.nodes[at], list[Layer](), 1
        try:
            if node.name in hosted:
                made = [_hosted(graph, node)]
            else:
                three = _shuffled(graph, graph.nodes[at : at + 3]) if node.op == "Reshape" else None
                used = 3 if three else 1
                made = [three] if three else _one(graph, node)
        except Refused as reason:
            found.append(Finding(node.name, node.op, str(reason)))
        except (ArithmeticError, LookupError, TypeError, ValueError) as error:  # rules that the package's checker does not know
            found.append(Finding(node.name, node.op, "is not as the document of the operator has it: %s" % error))
        for layer in made:
            if layer.kind != "host":
                _settle(graph, layer)
        layers.extend(made)
        at += used
    for name, (dtype, shape) in graph.outputs.items():
        graph.outputs[name] = dtype, shape or graph.shapes.get(graph.results.get(name, name), ())
    return layers, found


def _one(graph: Graph, node: Node) -> list[Layer]:
    make: Any = CONVERT.get(node.op) if node.domain == "" else None
    if make is None:
        raise Refused(_REASONS.get(node.op) or "no operator of the library computes it")
    layers: list[Layer] = make(graph, node)
    for layer in layers:
        if not all(isinstance(size, (int, np.integer)) and 0 < size <= LARGEST for size in layer.image):
            raise Refused("a result of %s x %s x %s elements: an axis has 1 to %d" % (*layer.image, LARGEST))
        for name in layer.outputs:
            _agree(graph, layer, name)
    return layers


def _agree(graph: Graph, layer: Layer, name: str) -> None:
    """Raises where a layer gives another shape than the file's nodes do."""
    known = graph.shapes.get(name)
    if not name or known is None or name in graph.turned:
        return
    (channels, height, width), rank = layer.image, len(known)
    own = {2: (1, channels), 3: (1, channels, width), 4: (1, channels, height, width)}.get(rank, ())
    same = own == known and (rank == 4 or (height == 1 and (rank == 3 or width == 1)))
    if not same and layer.kind in ("max", "average") and own[:2] == known[:2]:
        graph.fewer = True  # see _settle
    elif not same and not (graph.fewer and own[:2] == known[:2]):
        raise Refused("a result of the shape %s, whose channels, height and width would be %d, %d and %d" % (list(known), *layer.image))


def _hosted(graph: Graph, node: Node) -> Layer:
    images = [graph.image(name) for name in node.outputs if name]
    return Layer("host", [node], [name for name in node.inputs if name and name not in graph.constants],
                 [name for name in node.outputs if name], images[0])
