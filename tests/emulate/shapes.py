#!/usr/bin/env python3
"""shapes.py SEED COUNT [KIND...]: operators for `aicjit check --batch`, one a line, whose sizes are drawn around those at
which the plan of tile registers changes: widths and heights of pixels around registers of 16 and tiles of 28 and 56, kernels
whose taps fill a register or do not, strides, dilation, padding, deep channels, matrices around blocks of 16, 32 and 64.

KINDS: conv8 (int8), conv4 (4 channels), conv16 (float16), deep (many channels), mmad, fused; left out: all.
"""
import random
import sys

EDGES = [1, 2, 3, 5, 7, 8, 9, 13, 14, 15, 16, 17, 18, 28, 29, 31, 32, 33, 34, 47, 48, 49, 63, 64, 65]
WIDTHS = EDGES + [112, 224, 449]
SIZES = EDGES + [79, 80, 81, 96, 112, 127, 128, 129, 200]
DEPTHS = EDGES + [96, 127, 128, 129, 160, 192, 255, 256, 257, 512, 640, 1024]
BUDGETS = [300_000, 1_000_000, 1_000_000, 4_000_000, 12_000_000]  # multiply-adds: all of it is emulated and compared
FEW, MANY = [1, 1, 2, 3, 4, 5, 8], [4, 8, 12, 16, 24]  # blocks of channels
# dtype, channels of a block, blocks
IMAGES = {
    "conv8": [("int8", 32, FEW)],
    "conv4": [("int8", 4, [1]), ("float16", 4, [1])],
    "conv16": [("float16", 16, FEW)],
    "deep": [("int8", 32, MANY), ("int8", 32, MANY), ("float16", 16, MANY)],
}
FROM_INT = [
    "fixpipe(src=int32, dst=int32%s)",
    "fixpipe(src=int32, dst=int8, quantPre=VREQ8%s)",
    "fixpipe(src=int32, dst=uint8, quantPre=VREQ8%s)",
    "fixpipe(src=int32, dst=int8, quantPre=REQ8, deqScalar=quant(-0.001, -7, int8)%s)",
    "fixpipe(src=int32, dst=uint8, quantPre=REQ8, deqScalar=0x1403B000000%s)",
    "fixpipe(src=int32, dst=float16, quantPre=DEQF16, deqScalar=0x3C000000%s)",
    "fixpipe(src=int32, dst=float16, quantPre=VDEQF16%s)",
]
FROM_FLOAT = [
    "fixpipe(src=float32, dst=float32%s)",
    "fixpipe(src=float32, dst=float16, quantPre=F322F16%s)",
    "fixpipe(src=float32, dst=bfloat16, quantPre=F322BF16%s)",
    "fixpipe(src=float32, dst=int8, quantPre=VQF322B8_PRE%s)",
]
# Between the sums and what stores them: of another tensor, of channels, of an earlier stage (a slope below 0).
BETWEEN_INT = [
    "tensor_arithmetic(op=BM_XOR)",
    "tensor_arithmetic(op=BM_SHIFT, input1_stride=[0,16,0,1], shift_type=1)",
    "tensor_arithmetic(op=BM_SHIFT, input1_is_const=true, input1_const=0x3, shift_type=1)"
    " | tensor_arithmetic(op=BM_SE, input1_stage=1, select_value=7)",
]
BETWEEN_FLOAT = [
    "tensor_arithmetic(op=BM_ADD)",
    "tensor_arithmetic(op=BM_MUL, input1_stride=[0,16,0,1])",
    "tensor_arithmetic(op=BM_MUL, input1_stride=[0,16,0,1]) | tensor_arithmetic(op=BM_MAX, input1_stage=1)",
]


def pairs(draw, values, same):
    """Two of the values, the same one with this probability."""
    first = draw.choice(values)
    return [first, first if draw.random() < same else draw.choice(values)]


def window(draw, few_channels):
    """Kernel, stride, padding and dilation."""
    kernel = pairs(draw, [1, 2, 3, 3, 4, 5, 7, 8, 9, 16, 17] if few_channels else [1, 1, 1, 2, 3, 3, 3, 5], 0.6)
    stride = pairs(draw, [1, 1, 1, 2, 2, 3, 4], 0.6)
    dilation = pairs(draw, [1, 2, 3], 0.5) if draw.random() < 0.15 else [1, 1]
    kh, kw = kernel
    way = draw.random()
    pad = [0] * 4 if way < 0.3 else [kw // 2] * 2 + [kh // 2] * 2
    if way > 0.7:
        pad = [draw.randrange(kw), draw.randrange(kw), draw.randrange(kh), draw.randrange(kh)]
    return kernel, stride, pad, dilation


def extent(size, before, after, kernel, dilation, stride):
    """Output pixels in one direction; below 1: none."""
    return (size + before + after - dilation * (kernel - 1) - 1) // stride + 1


def conv2d(draw, kind):
    """Fields of a convolution, its type, its output channels and its pixels."""
    budget = draw.choice(BUDGETS)
    while True:
        dtype, c0, blocks = draw.choice(IMAGES[kind])
        c1, h, w = draw.choice(blocks), draw.choice(EDGES[:18]), draw.choice(WIDTHS)
        (kh, kw), stride, pad, dilation = window(draw, c0 == 4)
        n = 16 * draw.randint(1, 9)
        oh = extent(h, pad[2], pad[3], kh, dilation[0], stride[0])
        ow = extent(w, pad[0], pad[1], kw, dilation[1], stride[1])
        if min(oh, ow) > 0 and not (w == kw and h > kh) and oh * ow * n * kh * kw * c1 * c0 <= budget:
            break
    fields = [f"dtype={dtype}", f"fm_shape=[{c1},{h},{w},{c0}]", f"kernel_shape=[{c1},{kh},{kw},{n},{c0}]"]
    fields += ["stride=[%d,%d]" % tuple(stride), "pad=[%d,%d,%d,%d]" % tuple(pad), "dilation=[%d,%d]" % tuple(dilation)]
    if draw.random() < 0.5:
        values = ["-128", "127", "9"] if dtype == "int8" else ["0.1", "-3", "65504", "6e-8"]
        fields.append("pad_value=" + draw.choice(values))
    return fields + (["accumulate=fast"] if dtype == "float16" else []), dtype, n, oh * ow


def mmad(draw):
    """Fields of a product of matrices, its type, its columns and its rows."""
    budget = draw.choice(BUDGETS)
    dtype = draw.choice(["int8", "int8", "float16", "bfloat16", "bfloat16"])
    while True:
        m, n, k = draw.choice(SIZES), draw.choice(SIZES), draw.choice(DEPTHS)
        if m * n * k <= budget:
            break
    fields = [f"dtype={dtype}", f"m={m}", f"n={n}", f"k={k}"]
    fields += ["a_format=Zz"] if draw.random() < 0.3 else []
    fields += ["b_format=Zn"] if draw.random() < 0.4 else []
    return fields + (["accumulate=fast"] if dtype != "int8" else []), dtype, n, m


def end(draw, dtype, n, rows):
    """What comes behind the sums of a chain."""
    between, stores = (BETWEEN_INT, FROM_INT) if dtype == "int8" else (BETWEEN_FLOAT, FROM_FLOAT)
    store = draw.choice(stores)
    wide = 2 if "dst=int32" in store or "dst=float32" in store else 1  # of 32 bytes a row of a block
    blocks = n % 16 == 0 and draw.random() < 0.6
    fields = ", format=NZ" if blocks else ""
    if draw.random() < 0.2:
        fields += f", dstStride={(rows * wide if blocks else n) + draw.randint(1, 40)}"
    if blocks and "8" in store.split(",")[1] and draw.random() < 0.2:
        fields += ", fill_block=true"
    fields += ", reluEn=true" if draw.random() < 0.5 else ""
    stages = [draw.choice(between)] if draw.random() < 0.3 else []
    return " | ".join([*stages, store % fields])


def operator(draw, kind):
    """One line."""
    fused = kind == "fused"
    if kind == "mmad" or (fused and draw.random() < 0.2):
        name, start = "mmad", "init_c=false"
        fields, dtype, n, rows = mmad(draw)
    else:
        name, start = "conv2d", "init_l1out=false"
        fields, dtype, n, rows = conv2d(draw, draw.choice(list(IMAGES)) if fused else kind)
    if draw.random() < 0.2:
        fields.append(start)
        if fused and draw.random() < 0.5:
            fields.append("l1out=channel")
    text = f"{name}({', '.join(fields)})"
    return f"{text} | {end(draw, dtype, n, rows)}" if fused else text


def main():
    draw = random.Random(int(sys.argv[1]))
    kinds = sys.argv[3:] or [*IMAGES, "mmad", "fused"]
    for _ in range(int(sys.argv[2])):
        print(operator(draw, draw.choice(kinds)))


if __name__ == "__main__":
    main()
