#!/usr/bin/env python3
"""What a call of a kernel from Python takes, beside the same call by ctypes with pointers that are there already, which is
the least that ctypes can do. Run with PYTHONPATH=build/python; times are processor time, the least of many rounds in
turns."""

import time
import timeit

import numpy as np

import aicjit
from aicjit._library import lib

ROUNDS, CALLS = 60, 2000


def main():
    kernel = aicjit.compile("tensor_arithmetic(op=BM_ADD, shape=[1,1,1,4])", context=aicjit.Context(threads=1, cache="off"))
    a, b, y = (np.ones(4, np.float32) for _ in range(3))
    kernel(a, b)
    handle, pointers = kernel._handle, kernel._array(y.ctypes.data, a.ctypes.data, b.ctypes.data)
    ways = {
        "ctypes, pointers at hand": lambda: lib.aic_kernel_call(handle, pointers, 3),
        "kernel(a, b, out=y)": lambda: kernel(a, b, out=y),
        "kernel(a, b)": lambda: kernel(a, b),
        "kernel(input0=a, input1=b, out=y)": lambda: kernel(input0=a, input1=b, out=y),
        "kernel(input0=a, input1=b)": lambda: kernel(input0=a, input1=b),
        "kernel(a, input1=b)": lambda: kernel(a, input1=b),
        "looked at in Python, out=y": lambda: kernel._call_looking((a, b), y, {}),
        "numpy.add(a, b, out=y)": lambda: np.add(a, b, out=y),
    }
    best = dict.fromkeys(ways, float("inf"))
    for _ in range(ROUNDS):
        for name, way in ways.items():
            best[name] = min(best[name], timeit.timeit(way, number=CALLS, timer=time.process_time) / CALLS)
    for name, seconds in best.items():
        print("%-34s %6.0f ns" % (name, seconds * 1e9))


if __name__ == "__main__":
    main()
