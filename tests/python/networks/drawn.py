"""Small networks drawn at random, as files may have them: layers one after the other, with odd sizes, windows and parameters."""

import numpy as np
from build import Graph


class Drawn(Graph):
    """A network of a seed. `shape` is that of its input; its outputs are `outputs`, the last value and some before it."""

    def __init__(self, seed):
        super().__init__(seed)
        channels = int(self.pick([1, 3, 4, 5, 16, 17, 24, 33]))
        self.image, self.values = (channels, int(self.pick(range(3, 18))), int(self.pick(range(3, 18)))), {}
        self.shape, self.value = (1, *self.image), "x"
        self.values["x"] = self.image
        for _ in range(int(self.pick(range(1, 6)))):
            getattr(self, self.pick(LAYERS))()
        if not self.pick(range(6)):
            self.product()
        self.outputs = ["y"] + [name for name in self.values if name not in ("x", self.value) and not self.pick(range(6))]
        self.node("Identity", [self.value], "y")

    def pick(self, choices):
        return list(choices)[self.random.integers(len(choices))]

    def layer(self, op, image, inputs, **attributes):
        """A node on the value at hand, which gives the next one."""
        name = "v%d" % len(self.values)
        self.node(op, inputs, name, **attributes)
        self.value, self.image, self.values[name] = name, image, image

    def channels(self, low, high):
        return self.constant(self.random.uniform(low, high, (1, self.image[0], 1, 1)).astype(np.float32))

    def sizes(self, kernel, stride, pads, dilation=(1, 1), up=(0, 0)):
        """Height and width after a window; up: what may come in addition."""
        return [(self.image[1 + i] + pads[i] + pads[2 + i] + up[i] - dilation[i] * (kernel[i] - 1) - 1) // stride[i] + 1 for i in range(2)]

    def convolution(self):
        kernel, stride, dilation = ([int(self.pick(of)) for _ in range(2)] for of in ((1, 1, 2, 3, 3, 5), (1, 1, 2, 3), (1, 1, 2)))
        kernel = [min(k, size) for k, size in zip(kernel, self.image[1:])] if self.pick(range(4)) else list(self.image[1:])
        kernel[0] = int(self.pick([kernel[0], 1]))  # as wide as the picture and less tall, too
        pads = [int(self.pick(range(min(k, 3)))) for k in kernel * 2]
        out = self.sizes(kernel, stride, pads, dilation)
        if min(out) < 1:
            return
        group = int(self.pick([1, 1, self.image[0], self.pick([g for g in range(1, self.image[0] + 1) if self.image[0] % g == 0])]))
        count = group * int(self.pick([1, 2, 4] if group > 1 else [1, 3, 16, 20, 33]))
        weight = self.floats(count, self.image[0] // group, *kernel, scale=1 / np.sqrt(self.image[0] // group * np.prod(kernel)))
        self.layer("Conv", (count, *out), [self.value, weight, self.floats(count, scale=0.3)], kernel_shape=kernel, strides=stride,
                   dilations=dilation, pads=pads, group=group)

    def transposed(self):
        stride, kernel, count = int(self.pick([1, 2, 2, 3])), int(self.pick([2, 3, 4])), int(self.pick([1, 3, 16]))
        pad, more = int(self.pick([0, 1])), int(self.pick(range(stride)))
        out = [stride * (size - 1) + more + kernel - 2 * pad for size in self.image[1:]]
        if min(out) >= 1 and max(out) < 60:
            weight = self.floats(self.image[0], count, kernel, kernel, scale=stride / np.sqrt(self.image[0] * kernel**2))
            self.layer("ConvTranspose", (count, *out), [self.value, weight], strides=[stride] * 2, pads=[pad] * 4,
                       output_padding=[more] * 2, kernel_shape=[kernel] * 2)

    def pool(self):
        kernel, stride = [int(self.pick([2, 3])) for _ in range(2)], [int(self.pick([1, 2])) for _ in range(2)]
        pads, ceil, op = [int(self.pick([0, 1])) for _ in range(4)], int(self.pick([0, 1])), self.pick(["MaxPool", "AveragePool"])
        out = self.sizes(kernel, stride, pads, up=[(s - 1) * ceil for s in stride])
        begins = [(n - 1) * s < size + pad for n, s, size, pad in zip(out, stride, self.image[1:], pads)]
        if min(out) >= 1 and all(begins) and min(self.image[1:]) >= 3:
            self.layer(op, (self.image[0], *out), [self.value], kernel_shape=kernel, strides=stride, pads=pads, ceil_mode=ceil)

    def simple(self):
        op, keys = self.pick([("Relu", {}), ("LeakyRelu", {"alpha": 0.1}), ("LeakyRelu", {"alpha": 1.5}), ("HardSwish", {}), ("Sigmoid", {}),
                              ("Tanh", {})])
        self.layer(op, self.image, [self.value], **keys)

    def clip(self):
        self.layer("Clip", self.image, [self.value] + [self.constant(np.float32(self.random.uniform(-1, 2))) for _ in range(2)])

    def slopes(self):
        slopes = self.constant(self.random.uniform(-0.5, 1, (self.image[0], 1, 1)).astype(np.float32))
        self.layer("PRelu", self.image, [self.value, slopes])

    def per_channel(self):
        inputs = [self.value, self.channels(0.2, 1)]
        self.layer(self.pick(["Mul", "Add", "Sub"]), self.image, inputs if self.pick([0, 1]) else inputs[::-1])

    def pair(self):
        other = self.pick([name for name, image in self.values.items() if image == self.image])
        self.layer(self.pick(["Add", "Sub", "Mul", "Max"]), self.image, [self.value, other])

    def concat(self):
        other = self.pick([name for name, image in self.values.items() if image[1:] == self.image[1:]])
        self.layer("Concat", (self.image[0] + self.values[other][0], *self.image[1:]), [self.value, other], axis=1)

    def whole(self):
        self.layer(self.pick(["GlobalAveragePool", "GlobalMaxPool"]), (self.image[0], 1, 1), [self.value])

    def pad(self):
        pads = [int(self.pick([0, 1, 2])) for _ in range(4)]
        out = self.image[1] + pads[0] + pads[2], self.image[2] + pads[1] + pads[3]
        self.layer("Pad", (self.image[0], *out), [self.value, self.constant(np.array([0, 0, *pads[:2], 0, 0, *pads[2:]]))])

    def resize(self):
        mode, up = self.pick(["nearest", "linear"]), [int(self.pick([1, 2, 3])) for _ in range(2)]
        if max(self.image[1:]) < 24:
            self.layer("Resize", (self.image[0], *(a * b for a, b in zip(self.image[1:], up))),
                       [self.value, "", self.constant(np.float32([1, 1, *up]))], mode=mode, nearest_mode="floor",
                       coordinate_transformation_mode="asymmetric" if mode == "nearest" else self.pick(["half_pixel", "asymmetric"]))

    def pixels(self):
        if self.image[0] % 4 == 0 and max(self.image[1:]) < 24:
            self.layer("DepthToSpace", (self.image[0] // 4, 2 * self.image[1], 2 * self.image[2]), [self.value], blocksize=2,
                       mode=self.pick(["DCR", "CRD"]))

    def part(self):
        first = int(self.pick(range(self.image[0])))
        last = int(self.pick(range(first + 1, self.image[0] + 1)))
        self.layer("Slice", (last - first, *self.image[1:]), [self.value, *(self.constant(np.array([n])) for n in (first, last, 1))])

    def shuffle(self):
        """Of channels, by groups."""
        (count, height, width), name = self.image, "v%d" % len(self.values)
        groups = int(self.pick([g for g in range(1, count + 1) if count % g == 0]))
        split, whole = self.constant(np.array([1, groups, count // groups, height, width])), self.constant(np.array([1, *self.image]))
        five = self.node("Transpose", [self.node("Reshape", [self.value, split], name + "a")], name + "b", perm=[0, 2, 1, 3, 4])
        self.layer("Reshape", self.image, [five, whole])

    def gate(self):
        """Squeeze and excitation."""
        name, count = "v%d" % len(self.values), self.image[0]
        mean = self.node("GlobalAveragePool", [self.value], name + "a")
        inner = self.node("Conv", [mean, self.floats(count, count, 1, 1, scale=0.3)], name + "b")
        gate = self.node(self.pick(["Sigmoid", "HardSigmoid"]), [inner], name + "c")
        self.layer("Mul", self.image, [self.value, gate] if self.pick([0, 1]) else [gate, self.value])

    def rows(self):
        """Two or three axes for a while."""
        name, axes = "v%d" % len(self.values), self.constant(np.array([2, 3]))
        if self.image[1:] == (1, 1) or self.pick([0, 1]):
            flat = self.node("ReduceMean", [self.value], name + "a", axes=[2, 3], keepdims=0)
            flat = self.node("MatMul", [flat, self.floats(self.image[0], self.image[0], scale=0.3)], name + "b")
            self.layer("Unsqueeze", (self.image[0], 1, 1), [flat, axes])
        else:
            flat = self.node("Reshape", [self.value, self.constant(np.array([1, self.image[0], -1]))], name + "a")
            self.layer("Reshape", self.image, [self.node("Sigmoid", [flat], name + "b"), self.constant(np.array([0, 0, *self.image[1:]]))])

    def halves(self):
        count, name = self.image[0], "v%d" % len(self.values)
        if count > 1:
            first = int(self.pick(range(1, count)))
            a, b = self.node("Split", [self.value, self.constant(np.array([first, count - first]))], (name + "a", name + "b"), axis=1)
            parts = [b, self.node("Relu", [a], name + "c")]
            self.layer("Concat", self.image, parts if self.pick([0, 1]) else parts[::-1], axis=1)

    def normalisation(self):
        count = self.image[0]
        self.layer("BatchNormalization", self.image, [self.value, *(self.floats(count) for _ in range(3)),
                                                      self.constant(self.random.uniform(0.5, 2, count).astype(np.float32))])

    def sums(self):
        other = self.pick([name for name, image in self.values.items() if image == self.image])
        self.layer("Sum", self.image, [self.value, other, self.value])

    def lines(self):
        if self.image[1] < 20:
            self.layer("Concat", (self.image[0], 2 * self.image[1], self.image[2]), [self.value, self.value], axis=2)

    def product(self):
        """By a matrix, of all that there is."""
        size, count = int(np.prod(self.image)), int(self.pick([10, 17]))
        flat = self.node("Flatten", [self.value], "flat", axis=1)
        self.layer("Gemm", (count, 1, 1), [flat, self.floats(count, size, scale=1 / np.sqrt(size)), self.floats(count, scale=0.3)],
                   transB=1)


LAYERS = ["convolution"] * 4 + ["transposed", "pool", "pool", "simple", "simple", "clip", "slopes", "per_channel", "pair", "concat",
                                "whole", "pad", "resize", "pixels", "part", "shuffle", "gate", "rows", "halves", "normalisation", "sums", "lines"]
