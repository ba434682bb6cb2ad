"""ResNet-50 by the operators: every layer a kernel, or a few, on arrays that stay where they are.

Activations are int8 [C1, H, W, 32], what fixpipe writes and the next conv2d reads. Element-wise kernels see them as words
of four channels: tensor_arithmetic_quantized keeps four elements of neighbouring N in a word (4N storage), and for it the
four channels are those.
"""

import numpy as np

import aicjit

LANES = 4  # channels of a word


def words(array):
    """The words of an int8 array, as one axis."""
    return array.reshape(-1).view(np.uint32)


def canonical(result):
    """A result as the model has it: [C, H, W], or one axis."""
    if result.ndim != 4:
        return result
    return np.ascontiguousarray(result.transpose(0, 3, 1, 2)).reshape(-1, *result.shape[1:3])


class Step:
    """One layer: kernels with their arguments, the result last."""

    def __init__(self, layer, result, macs=0):
        self.layer, self.result, self.macs = layer, result, macs
        self.calls = []

    def add(self, kernel, inputs, out):
        self.calls.append((kernel, inputs, out))

    def run(self):
        for kernel, inputs, out in self.calls:
            kernel(*inputs, out=out)

    @property
    def kernels(self):
        return [kernel for kernel, _, _ in self.calls]


def by_name(kernel, **arrays):
    """Inputs in calling order; a constant that the kernel packs is packed."""
    inputs = []
    for operand in kernel.operands[1:]:
        array = arrays[operand.name]
        inputs.append(kernel.pack(array, operand.name) if operand.name in ("weight", "b") else array)
    return inputs


class Network:
    """The layers with their constants, for pictures of one size.

    layers: topology.layers(); constants: {name: Constants}; picture: uint8 [H, W, 3]; threads: 1 for one.
    """

    def __init__(self, layers, constants, picture, threads=0):
        self.context = aicjit.Context(threads=threads)
        self.constants, self.arrays, self.steps = constants, {}, []
        self.input = aicjit.pack_picture(picture, c0=4, zero_point=128)
        self.arrays[layers[0].source[0]] = self.input
        make = {"conv": self._convolution, "add": self._add, "max_pool": self._max_pool,
                "average_pool": self._average_pool, "dense": self._dense}
        for layer in layers:
            step = make[layer.kind](layer)
            self.steps.append(step)
            self.arrays[layer.name] = step.result

    def run(self, picture):
        """The logits, int32 [classes]; a view of the network's own memory."""
        self.input[...] = aicjit.pack_picture(picture, c0=4, zero_point=128)
        for step in self.steps:
            step.run()
        return self.steps[-1].result

    def _compile(self, spec):
        return aicjit.compile(spec, context=self.context)

    def _convolution(self, layer):
        x, own = self.arrays[layer.source[0]], self.constants[layer.name]
        channels, height, width = len(own.weight), *x.shape[1:3]
        kernel_size = own.weight.shape[2]
        weight = aicjit.pack_weights(own.weight, c0=x.shape[3])
        spec = aicjit.op("conv2d", dtype="int8", fm_shape=x.shape, kernel_shape=weight.shape, pad=[layer.pad] * 4,
                         stride=[layer.stride] * 2, init_l1out=False, l1out="channel")
        spec |= aicjit.op("fixpipe", src="int32", dst="int8", format="NZ", quantPre="VREQ8", reluEn=layer.relu)
        kernel = self._compile(spec)
        height, width = ((n + 2 * layer.pad - kernel_size) // layer.stride + 1 for n in (height, width))
        result = np.zeros((channels // 32, height, width, 32), np.int8)
        step = Step(layer, result, own.weight.size * height * width)
        step.add(kernel, by_name(kernel, feature_map=x, weight=weight, l1out=own.bias,
                                 cbufWorkspace=aicjit.quant_words(own.scale)), result)
        return step

    def _elementwise(self, op, shape, strides=(), **keys):
        """A kernel on words: shape [C, H, W] and for input0, input1, output what lies between neighbours, in words."""
        for name, stride in zip(("input0_stride", "input1_stride", "output_stride"), strides):
            keys[name] = (0, *stride) if stride else None
        keys = {name: value for name, value in keys.items() if value is not None}
        return self._compile(aicjit.op("tensor_arithmetic_quantized", op=op, shape=(LANES, *shape), **keys))

    def _add(self, layer):
        a, b = (self.arrays[name] for name in layer.source)
        result = np.zeros_like(a)
        blocks, height, width = a.shape[:3]
        shape, out = (blocks, height * width, 32 // LANES), words(result)
        step = Step(layer, result)
        step.add(self._elementwise("BM_ADD", shape), (words(a), words(b)), out)
        step.add(self._elementwise("BM_MAX", shape, input1_is_const=True), (out,), out)
        return step

    def _max_pool(self, layer):
        """3x3, stride 2, padding 1, of values that are not negative: first rows, then columns; of each the even and the
        odd ones, then, where there is one, the odd one before."""
        x = self.arrays[layer.source[0]]
        blocks, height, width = x.shape[:3]
        rows, columns, pixel = height // 2, width // 2, 32 // LANES
        line, short = width * pixel, columns * pixel
        middle = np.zeros((blocks, rows, width, 32), np.int8)
        result = np.zeros((blocks, rows, columns, 32), np.int8)
        source, between, out = words(x), words(middle), words(result)
        step = Step(layer, result)
        apart, near = (height * line, 2 * line, 1), (rows * line, line, 1)
        step.add(self._elementwise("BM_MAX", (blocks, rows, line), (apart, apart, near)),
                 (source, source[line:]), between)
        step.add(self._elementwise("BM_MAX", (blocks, rows - 1, line), (near, apart, near)),
                 (between[line:], source[line:]), between[line:])
        apart, near = (line, 2 * pixel, 1), (short, pixel, 1)
        step.add(self._elementwise("BM_MAX", (blocks * rows, columns, pixel), (apart, apart, near)),
                 (between, between[pixel:]), out)
        step.add(self._elementwise("BM_MAX", (blocks * rows, columns - 1, pixel), (near, apart, near)),
                 (out[pixel:], between[pixel:]), out[pixel:])
        return step

    def _average_pool(self, layer):
        """Sums over the pixels are products with a matrix of ones; its 16 columns are equal, and one is taken."""
        x = self.arrays[layer.source[0]]
        blocks, height, width = x.shape[:3]
        channels, pixels = blocks * 32, height * width
        rows = np.zeros((1, channels, height, width), np.int8)
        wide = np.zeros((channels, 16), np.int8)
        step = Step(layer, wide[:, 0])
        step.add(self._compile(aicjit.op("transdata", dtype="int8", src="NC1HWC0", dst="NCHW", shape=rows.shape)),
                 (x.reshape(1, *x.shape),), rows)
        word = aicjit.quant_word(float(self.constants[layer.name].scale[0]))
        kernel = self._compile(aicjit.op("mmad", dtype="int8", m=channels, k=pixels, n=16)
                               | aicjit.op("fixpipe", src="int32", dst="int8", quantPre="REQ8", deqScalar=word))
        step.add(kernel, by_name(kernel, a=rows.reshape(channels, pixels), b=np.ones((pixels, 16), np.int8)),
                 wide.reshape(-1))
        return step

    def _dense(self, layer):
        x, own = self.arrays[layer.source[0]], self.constants[layer.name]
        classes, features = own.weight.shape
        kernel = self._compile(aicjit.op("mmad", dtype="int8", m=1, k=features, n=classes, init_c=False))
        gathered, result = np.zeros((1, features), np.int8), np.zeros((1, classes), np.int32)
        step = Dense(layer, result[0], own.weight.size)
        step.before = ((gathered[0], x), (result[0], own.bias))
        step.add(kernel, by_name(kernel, a=gathered, b=np.ascontiguousarray(own.weight.T)), result)
        return step


class Dense(Step):
    """The last layer. Its input is a column, its sums begin with the bias: both are copied first."""

    before = ()

    def run(self):
        for target, source in self.before:
            target[...] = source
        super().run()
