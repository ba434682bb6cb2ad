#!/usr/bin/env python3
"""Convolutions of any sizes whose parts are to be ready-made, as lines for shapes.txt: layers are drawn, alone and with a fixpipe,
and few are chosen that have all parts which several have and which the build has not ready.

    convolutions.py AICJIT [SEED [COUNT]]

AICJIT: the tool, of a build whose shapes.txt lacks the lines that this prints; beside its module lie the ready-made parts of all
LEVELS that the host can run (aicjit-ready makes them). COUNT layers are drawn. A host that can run none of these counts its best."""

import concurrent.futures
import os
import random
import re
import subprocess
import sys
import tempfile

from moves import CHANNELS, LEVELS, choose, print_lines

MORE_CHANNELS = (16, 32, 64, 128, 256, 512, 640, 720, 816, 896, 1024, 1056, 1152, 1280, 1536)
SIDES = (1, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 22, 24, 26, 28, 32, 35, 38, 40, 45, 48, 52, 56, 64, 75, 80)
KERNELS = [(1, 1)] * 10 + [(3, 3)] * 9 + [(5, 5)] * 3 + [(7, 7), (2, 2), (4, 4), (1, 3), (3, 1), (1, 5), (5, 1), (1, 7), (7, 1)]
PRODUCTS = (2e5, 1.5e8)  # of a layer: fewer and more are left out
# element type, further words of the convolution, what follows it: bytes more often than halves; with a start value a channel what
# layers of networks become
BIAS = ", init_l1out=false, l1out=channel"
BYTES = " | fixpipe(src=int32, dst=int8, format=NZ, quantPre=VREQ8, reluEn=true)"
HALVES = " | fixpipe(src=float32, dst=float16, format=NZ, quantPre=F322F16, reluEn=true)"
FAST, WINOGRAD = ", accumulate=fast", ", accumulate=winograd"
KINDS = [("int8", "", "")] * 2 + [("int8", "", BYTES)] * 3 + [("int8", BIAS, BYTES)] * 3
KINDS += [("float16", FAST, "")] * 2 + [("float16", FAST, HALVES)] + [("float16", FAST + BIAS, HALVES)] * 2 + [("float16", "", "")]
KINDS += [("float16", WINOGRAD, ""), ("float16", WINOGRAD + BIAS, HALVES)]


def draw_layer(r):
    """The text of a layer, what there is to say of each of its fields said."""
    while True:
        dtype, words, then = r.choice(KINDS)
        kernel, stride = r.choice(KERNELS), r.choice((1, 1, 1, 1, 2))
        if WINOGRAD in words:  # other layers are as with FAST
            kernel, stride = (3, 3), 1
        dilation = r.choice([1] * 14 + [2, 3]) if kernel != (1, 1) and WINOGRAD not in words else 1
        high = r.choice(SIDES) if r.random() < 0.7 else r.randint(1, 120)
        wide = high if r.random() < 0.8 else r.randint(1, 120)
        blocks = -(-r.choice(CHANNELS + MORE_CHANNELS) // (32 if dtype == "int8" else 16))
        outputs = -(-r.choice(CHANNELS + MORE_CHANNELS) // 16) * 16
        same = r.random() < 0.6
        pad = [dilation * (k - 1) // 2 if same else 0 for k in (kernel[1], kernel[1], kernel[0], kernel[0])]
        rows = (high + 2 * pad[2] - dilation * (kernel[0] - 1) - 1) // stride + 1
        columns = (wide + 2 * pad[0] - dilation * (kernel[1] - 1) - 1) // stride + 1
        c0 = 32 if dtype == "int8" else 16
        products = rows * columns * outputs * blocks * c0 * kernel[0] * kernel[1]
        refused = wide == kernel[1] and high > kernel[0]  # by the documents' limits
        if rows > 0 and columns > 0 and PRODUCTS[0] <= products <= PRODUCTS[1] and not refused:
            shapes = (blocks, high, wide, c0), (blocks, *kernel, outputs, c0), (stride, stride), pad, (dilation, dilation)
            texts = ("[%s]" % ",".join(map(str, shape)) for shape in shapes)
            fields = zip(("fm_shape", "kernel_shape", "stride", "pad", "dilation"), texts)
            return "conv2d(dtype=%s, %s%s)%s" % (dtype, ", ".join("%s=%s" % field for field in fields), words, then)


def run(command, **more):
    env = {**os.environ, "AIC_NUM_THREADS": "1", **more}
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=True, env=env)


def keys_of(aicjit, level, text):
    """Keys of the parts that the text's kernel has at the level."""
    parts = run([aicjit, "explain", text, "--isa", level]).stdout.split("\nparts, ", 1)[1]
    return {(level, *part) for part in re.findall(r"^  \w+: (\w+)\n((?: {4}(?:\w+=\S+ ?)+\n)*)", parts, re.M)}


def made_of(aicjit, level, text, folder):
    """What parts are made for it."""
    more = {"AIC_VERBOSE": "2", "AIC_CACHE": "ro", "AIC_CACHE_DIR": folder}
    log = run([aicjit, "bench", text, "--isa", level, "--min-time", "0.00001"], **more).stderr
    return set(re.findall(r"^aicjit: part (\w+) made ", log, re.M))


def levels_of(aicjit):
    info = run([aicjit, "info"]).stdout
    known = re.search(r"^instruction set levels: (.*)$", info, re.M).group(1)
    runs = {name for name, lacks in re.findall(r"(\S+)((?: \([^)]*\))?)", known) if not lacks}
    return [level for level in LEVELS if level in runs] or [re.search(r"^used by default *(\S+)", info, re.M).group(1)]


def missing(aicjit, layers):
    """Of each layer the keys that are not ready: those of a kind of which one was made, and that no other layer has where none of
    the kind was made."""
    wanted = {text: set() for text in layers}
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for level in levels_of(aicjit):
            keys = list(pool.map(lambda text, at=level: keys_of(aicjit, at, text), layers))
            made = list(pool.map(lambda text, at=level: made_of(aicjit, at, text, folder), layers))
            ready = {key for of, kinds in zip(keys, made) for key in of if key[1] not in kinds}
            for text, of in zip(layers, keys):
                wanted[text] |= of - ready
    return wanted


if __name__ == "__main__":
    tool, seed, number = sys.argv[1], int((sys.argv[2:] or [1])[0]), int((sys.argv[3:] or [6000])[0])
    source = random.Random(seed)
    print_lines(choose(missing(tool, sorted({draw_layer(source) for _ in range(number)}))))
