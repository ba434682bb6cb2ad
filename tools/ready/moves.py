#!/usr/bin/env python3
"""Moves of any sizes whose parts are to be ready-made, as lines for shapes.txt: tensors of networks at odd sizes of picture and
others are drawn, `aicjit explain` names their parts, and few moves are chosen that have all parts of those that several have.

    moves.py AICJIT [SEED [COUNT]]

AICJIT: the tool. COUNT moves of networks are drawn, three times as many of any sizes, and half as many of fractals. The kernels
of both levels of LEVELS count, whether or not the host has them."""

import collections
import concurrent.futures
import heapq
import os
import random
import re
import subprocess
import sys

LEVELS = ("avx2", "avx512vnni")
SEVERAL = 2  # moves that have a part
NEEDLESS = 1  # what a part that only one has costs, in parts that several have
WIDTH = 1000  # of a line

MATRICES, PICTURES, WEIGHTS = ("ND", "Nz", "Zz", "Zn", "Nn"), ("NCHW", "NHWC", "NC1HWC0"), ("OIHW", "HWIO", "FRACTAL_Z")
PAIRS = [(a, b) for group in (MATRICES, PICTURES, WEIGHTS) for a in group for b in group if a != b]
PAIRS += [("NCHW", "4N"), ("4N", "NCHW"), ("NCHW", "2N"), ("2N", "NCHW")]
TYPES = ("int8", "float16", "float32")
CHANNELS = (3, 4, 8, 12, 16, 20, 24, 32, 36, 40, 48, 56, 64, 72, 80, 96, 112, 116, 120, 128, 144, 160, 176, 184, 192, 200, 224, 232)
CHANNELS += (240, 256, 272, 288, 320, 336, 384, 448, 464, 480, 512, 528, 576, 672, 728, 768, 832, 960, 1024)
SIDES = (224, 227, 256, 288, 299, 320, 331, 384, 416, 480, 512, 608, 640)
ROWS = (1, 8, 16, 32, 49, 64, 77, 100, 128, 196, 197, 200, 256, 384, 512, 784, 1000, 1024)
COLUMNS = (16, 32, 64, 80, 96, 100, 128, 192, 256, 384, 512, 768, 1000, 1024, 2048, 3072)
KERNELS = ((1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (6, 6), (7, 7), (1, 3), (3, 1), (1, 5), (5, 1), (1, 7), (7, 1), (11, 11))
ELEMENTS_MAX = 6_000_000


def draw_sizes(r, group, usual):
    """Sizes in the order of ND, NCHW or OIHW."""
    if group is MATRICES:
        sizes = [r.choice(ROWS), r.choice(COLUMNS)] if usual else [r.randint(1, 400), r.randint(1, 400)]
        return sizes[::-1] if usual and r.random() < 0.5 else sizes
    if group is WEIGHTS:
        channels = [r.choice(CHANNELS), r.choice(CHANNELS)] if usual else [r.randint(1, 250), r.randint(1, 250)]
        return channels + list(r.choice(KERNELS))
    if not usual:
        return [r.randint(1, 4), r.randint(1, 200), r.randint(1, 70), r.randint(1, 70)]
    step, high = r.choice((1, 2, 4, 8, 16, 32)), r.choice(SIDES)
    wide = r.choice(SIDES) if r.random() < 0.3 else high
    return [r.choice((1, 1, 1, 1, 2, 4, 8)), r.choice(CHANNELS), -(-high // step), -(-wide // step)]


def draw_layouts(r, usual):
    while True:
        src, dst = r.choice(PAIRS)
        dtype = "int8" if "4N" in (src, dst) else "float16" if "2N" in (src, dst) else r.choice(TYPES)
        group = next(g for g in (MATRICES, PICTURES, WEIGHTS) if src in g or dst in g)
        sizes = draw_sizes(r, group, usual)
        plain = src if src in ("NHWC", "HWIO") else dst if src in ("NC1HWC0", "FRACTAL_Z") else ""
        order = {"NHWC": (0, 2, 3, 1), "HWIO": (2, 3, 1, 0)}.get(plain, range(len(sizes)))
        elements = 1
        for size in sizes:
            elements *= size
        if elements <= ELEMENTS_MAX:
            return "transdata(dtype=%s, src=%s, dst=%s, shape=[%s])" % (dtype, src, dst, ",".join(str(sizes[i]) for i in order))


def draw_fractals(r):
    dtype, rows, columns = r.choice(TYPES), r.randint(1, 200), r.randint(1, 300)
    if r.random() < 0.6:
        text = "nd2nz(dtype=%s, nValue=%d, dValue=%d, srcDValue=%d, dstNzC0Stride=%d)"
        return text % (dtype, rows, columns, columns + r.randint(0, 64), rows + r.choice((0, 16, 32)))
    if r.random() < 0.5:
        text = "load_data(dtype=%s, repeatTimes=%d, srcStride=%d, dstGap=%d, ifTranspose=%s)"
        turn = dtype == "float16" and r.random() < 0.5
        return text % (dtype, r.randint(1, 60), r.randint(1, 8), r.choice((0, 0, 1, 5)), "true" if turn else "false")
    text = "load_data_transpose(dtype=%s, repeatTimes=%d, srcStride=%d, dstGap=%d)"
    return text % (dtype, r.randint(1, 30), r.randint(1, 8), r.randint(1, 8))


def parts_of(aicjit, level, text):
    """Keys of the parts that the text's kernel has at the level."""
    command = [aicjit, "explain", text, "--isa", level]
    lines = subprocess.run(command, capture_output=True, text=True, check=True, env={**os.environ, "AIC_NUM_THREADS": "1"}).stdout
    found = re.findall(r"^  \w+: (move|boxes)\n((?: {4}(?:\w+=\S+ ?)+\n)+)", lines.split("\nparts, ", 1)[1], re.M)
    return {(level, *part) for part in found}


def choose(moves):
    """Few of the moves that have all parts that SEVERAL have."""
    count = collections.Counter(part for parts in moves.values() for part in parts)
    left = {part for part, times in count.items() if times >= SEVERAL}

    def gain(text):
        return len(moves[text] & left) - NEEDLESS * sum(count[part] < SEVERAL for part in moves[text])

    heap, chosen = [(-gain(text), text) for text in moves], []
    heapq.heapify(heap)
    while left and heap:
        now = heapq.heappop(heap)
        if -gain(now[1]) > now[0]:  # others have taken some of its parts
            if moves[now[1]] & left:
                heapq.heappush(heap, (-gain(now[1]), now[1]))
            continue
        chosen.append(now[1])
        left -= moves[now[1]]
    return chosen


def together(texts):
    """One line that stands for texts that differ in numbers and types."""
    values = [re.findall(r"\d+\b|int8|float16|float32", re.sub(r"nd2nz", "", text)) for text in texts]
    alternatives = ["<%s>" % ",".join(v) if len(set(v)) > 1 else v[0] for v in zip(*values)]
    form, at = re.split(r"(\d+\b|int8|float16|float32)", texts[0].split("(", 1)[1]), iter(alternatives)
    return texts[0].split("(", 1)[0] + "(" + "".join(next(at) if i % 2 else piece for i, piece in enumerate(form))


def print_lines(texts):
    forms = collections.defaultdict(list)
    for text in sorted(texts):
        forms[re.sub(r"=(\d+\b|int8|float16|float32)|[\d,]+\]", "", text)].append(text)
    for same in forms.values():
        line = []
        for text in same:
            if line and len(together(line + [text])) > WIDTH:
                print(together(line))
                line = []
            line.append(text)
        print(together(line))


if __name__ == "__main__":
    tool, seed, number = sys.argv[1], int((sys.argv[2:] or [1])[0]), int((sys.argv[3:] or [6000])[0])
    source = random.Random(seed)
    drawn = {draw_layouts(source, True) for _ in range(number)} | {draw_layouts(source, False) for _ in range(3 * number)}
    drawn |= {draw_fractals(source) for _ in range(number // 2)}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        every = {level: list(pool.map(lambda text, at=level: parts_of(tool, at, text), sorted(drawn))) for level in LEVELS}
    print_lines(choose({text: set().union(*(every[at][i] for at in LEVELS)) for i, text in enumerate(sorted(drawn))}))
