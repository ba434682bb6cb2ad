#!/usr/bin/env python3
"""Golden files of profiles: profiles.py FOLDER writes profile_NAME.txt into it, by NumPy alone.

The formulas are those of the documents under the readings of each profile, written down a second time; nothing here
calls the library. A file holds lines:

    profile NAME | choice KEY=VALUE     whose readings
    spec TEXT                           an operator
    old BITS...                         what its result holds before, where that is read
    in BITS...                          each input in calling order
    expect BITS...                      the result

BITS are elements as hexadecimal numbers.
"""
import pathlib
import sys
from fractions import Fraction

import numpy as np

DEFAULTS = dict(sum="block", int_overflow="clamp", offset_sign="signed", n_field="plus_one", shift="floor",
                scale_bits="cut", offset_clamp="clamp", relu="before", relu_zero="positive", overflow="saturate",
                rounding="floor", mac="two", minmax_nan="nan", mat_valid="whole")
PROFILES = {
    "document": {},
    "simulator": dict(offset_sign="unsigned", scale_bits="full", offset_clamp="none", relu="after", mat_valid="valid",
                      sum="sequential"),
    "script": dict(offset_sign="unsigned", n_field="bare", shift="nearest"),
    "library": dict(rounding="half_up"),
}
# What no profile has.
OTHERS = [dict(sum="exact"), dict(int_overflow="wrap"), dict(relu_zero="product"), dict(overflow="ieee"),
          dict(mac="fused"), dict(minmax_nan="number")]
F32, F64 = np.float32, np.float64


def bits_of(array):
    return np.ascontiguousarray(array).view("u%d" % array.dtype.itemsize).reshape(-1)


# ---- numbers ----

def nearest_f32(exact):
    """A fraction, rounded once to float32, ties to even."""
    with np.errstate(over="ignore"):
        guess = F32(float(exact))
        near = [F32(np.nextafter(guess, F32(-np.inf))), guess, F32(np.nextafter(guess, F32(np.inf)))]
    near = [x for x in near if np.isfinite(x)]
    least = min(abs(Fraction(float(x)) - exact) for x in near)
    best = [x for x in near if abs(Fraction(float(x)) - exact) == least]
    return min(best, key=lambda x: int(bits_of(np.array([x]))[0]) & 1)


def to_half(x, read):
    with np.errstate(over="ignore", invalid="ignore"):
        half = F64(x).astype(np.float16)
    if read["overflow"] == "saturate":
        half = np.float16(0) if np.isnan(half) else np.clip(half, np.float16(-65504), np.float16(65504))
    return half


# ---- fixpipe ----

def decode(word, read, scalar):
    word = int(word)
    low = word & 0xFFFFFFFF
    if not scalar or read["scale_bits"] == "cut":
        low &= 0xFFFFE000
    n, offset = word >> 32 & 15, word >> 37 & 511
    if read["offset_sign"] == "signed" and offset > 255:
        offset -= 512
    return dict(scale=np.array([low], np.uint32).view(F32)[0], shifts=word >> 36 & 1,
                shift=n if read["n_field"] == "bare" else n + 1, offset=offset, signed=word >> 46 & 1)


def rectify(x, read):
    with np.errstate(invalid="ignore"):
        zero = F32(0) * x if read["relu_zero"] == "product" else F32(0)
    return x if x > 0 or np.isnan(x) else zero


def shifted(y, q, read):
    if read["shift"] == "nearest":
        y = int(np.rint(y / 2.0 ** q["shift"]))
    else:
        y = y >> q["shift"]
    return max(-32768, min(32767, y))


def fix(x, word, read, relu, half, scalar):
    """One element of a scaled mode."""
    q = decode(word, read, scalar)
    is_int = not isinstance(x, F32)
    if relu and read["relu"] == "before":
        x = max(int(x), 0) if is_int else rectify(x, read)
    if is_int and q["shifts"] and not half:
        x = shifted(int(x), q, read)
    with np.errstate(over="ignore", invalid="ignore"):
        p = F32(x) * q["scale"]
    if relu and read["relu"] == "after":
        p = rectify(p, read)
    if half:
        return to_half(p, read)
    p = 0.0 if np.isnan(p) else float(p)
    low, high = (-256, 255) if read["offset_clamp"] == "clamp" else (-1e6, 1e6)
    r = int(np.rint(min(max(p, low), high))) + q["offset"]
    return max(-128, min(127, r)) & 255 if q["signed"] else max(0, min(255, r))


SCALES = np.array([1, -1, 0.3, -0.7, 0.001, 2.5, 0, 1.0001], F32).view(np.uint32)


def words(rng, count, shift):
    """Quantisation words: all fields drawn, results int8."""
    scale = rng.choice(SCALES, count).astype(np.uint64)
    offset = rng.integers(0, 512, count).astype(np.uint64) << np.uint64(37)
    shifts = rng.integers(0, 32, count).astype(np.uint64) << np.uint64(32) if shift else np.uint64(0)
    return scale | offset | shifts | np.uint64(1 << 46)


def fixpipe(rng, read, mode, relu):
    """Row-major, 32 columns of 6 rows; the source lies in blocks of 16 columns."""
    m, n = 6, 32
    floats = "QF322" in mode
    if floats:
        source = (rng.standard_normal((m, n)) * 300).astype(F32)
        source[0, :5] = [np.nan, np.inf, -np.inf, -0.0, 0.5]
    else:
        source = rng.choice([0, 1, -1, 5, -5, 255, -700, 335, 100000, -2 ** 31, 2 ** 31 - 1], (m, n)).astype(np.int32)
    half, scalar = mode.endswith("DEQF16"), not mode.startswith("V")
    word = words(rng, n, "REQ8" in mode)
    if scalar: # 0.3 with an offset of -3, or 509
        word[:] = 0x3E99999A if half else 0x7FA03E99999A
    if half:
        word &= np.uint64(0xFFFFFFFF)
    out = np.array([[fix(source[j, c], word[c], read, relu, half, scalar) for c in range(n)] for j in range(m)],
                   np.float16 if half else np.uint8)
    text = ("fixpipe(src=%s, dst=%s, nSize=32, mSize=6, srcStride=6, dstStride=32, quantPre=%s, reluEn=%s"
            % ("float32" if floats else "int32", "float16" if half else "int8", mode, "true" if relu else "false"))
    text += ", deqScalar=0x%x)" % int(word[0]) if scalar else ")"
    inputs = [source.reshape(m, 2, 16).transpose(1, 0, 2)] + ([] if scalar else [word])
    return text, None, inputs, out


def fixpipe_half(rng, read, relu):
    source = (rng.standard_normal(64) * 1000).astype(F32)
    source[:8] = [np.nan, np.inf, -np.inf, -0.0, 0.5, 1e6, -1e6, 65520]
    out = np.array([to_half(rectify(x, read) if relu else x, read) for x in source], np.float16)
    return ("fixpipe(src=float32, dst=float16, nSize=16, mSize=4, srcStride=4, dstStride=16, quantPre=F322F16, reluEn=%s)"
            % ("true" if relu else "false")), None, [source], out


# ---- sums ----

def dot(a, b, block, read):
    acc = F32(0)
    if read["sum"] == "exact":
        return nearest_f32(sum((Fraction(float(x)) * Fraction(float(y)) for x, y in zip(a, b)), Fraction(0)))
    if read["sum"] == "sequential":
        for x, y in zip(a, b):
            acc = F32(acc + F32(x) * F32(y))
        return acc
    for k in range(0, len(a), block):
        s = F64(0)
        for x, y in zip(a[k:k + block], b[k:k + block]):
            s = s + F64(x) * F64(y)
        acc = F32(F64(acc) + s)
    return acc


def mmad_floats(rng, read, dtype):
    m, k, n, block = 3, 43, 5, 16 if dtype == np.float16 else 8
    a = (rng.standard_normal((m, k)) * 2.0 ** rng.integers(-9, 9, (m, k))).astype(dtype)
    b = (rng.standard_normal((k, n)) * 2.0 ** rng.integers(-9, 9, (k, n))).astype(dtype)
    out = np.array([[dot(a[i], b[:, j], block, read) for j in range(n)] for i in range(m)], F32)
    return "mmad(dtype=%s, m=3, k=43, n=5)" % np.dtype(dtype).name, None, [a, b], out


def mmad_bytes(rng, read):
    m, k, n = 4, 70, 6
    a, b = rng.integers(-128, 128, (m, k)).astype(np.int8), rng.integers(-128, 128, (k, n)).astype(np.int8)
    old = rng.choice([2 ** 31 - 1, -2 ** 31, 2 ** 31 - 100000, 7], (m, n)).astype(np.int64)
    exact = old + a.astype(np.int64) @ b.astype(np.int64)
    out = exact.clip(-2 ** 31, 2 ** 31 - 1) if read["int_overflow"] == "clamp" else exact
    return "mmad(dtype=int8, m=4, k=70, n=6, init_c=false)", old.astype(np.int32), [a, b], out.astype(np.int32)


def conv2d(rng, read):
    """Two blocks of channels, 2 x 3 taps, 2 x 3 pixels; the result has 16 rows, of which 6 are written."""
    c1, h, w, cout = 2, 3, 5, 16
    x = (rng.standard_normal((c1, h, w, 16)) * 2.0 ** rng.integers(-6, 6, (c1, h, w, 16))).astype(np.float16)
    f = rng.standard_normal((c1, 2, 3, cout, 16)).astype(np.float16)
    out = np.zeros((16, cout), F32)
    for p in range(6):
        ho, wo = divmod(p, 3)
        for c in range(cout):
            pixels, taps = x[:, ho:ho + 2, wo:wo + 3].reshape(-1), f[:, :, :, c].reshape(-1)
            out[p, c] = dot(pixels, taps, 16, read)
    return "conv2d(dtype=float16, fm_shape=[2,3,5,16], kernel_shape=[2,2,3,16,16])", None, [x, f], out


# ---- tensor arithmetic, texpands ----

def extreme(a, b, largest, read):
    if np.isnan(a) or np.isnan(b):
        number = a if np.isnan(b) else b
        return number if read["minmax_nan"] == "number" else F32(np.nan)
    if a == b: # two zeros: -0 is the smaller one
        negative = np.signbit(a) and np.signbit(b) if largest else np.signbit(a) or np.signbit(b)
        return (F32(-0.0) if negative else F32(0)) if a == 0 else a
    return max(a, b) if largest else min(a, b)


def arithmetic(rng, read, op):
    count = 40
    a, b, old = [(rng.standard_normal(count) * 3).astype(F32) for _ in range(3)]
    if op == "BM_MAC":
        product = a * b
        old[:20] = -product[:20] # where a second rounding shows most
        out = np.array([nearest_f32(Fraction(float(x)) * Fraction(float(y)) + Fraction(float(z)))
                        for x, y, z in zip(a, b, old)], F32) if read["mac"] == "fused" else old + product
    else:
        a[:8] = [np.nan, np.nan, 1, 0.0, -0.0, -0.0, np.inf, -np.inf]
        b[:8] = [np.nan, 1, np.nan, -0.0, 0.0, -0.0, 2, 2]
        out = np.array([extreme(x, y, op == "BM_MAX", read) for x, y in zip(a, b)], F32)
    return "tensor_arithmetic(op=%s, shape=[1,1,1,40])" % op, old if op == "BM_MAC" else None, [a, b], out


def quantized(rng, read):
    """Four batches a word."""
    a, b = rng.integers(-128, 128, (2, 24, 4))
    shift = 5
    product = a * b + (1 << shift >> 1 if read["rounding"] == "half_up" else 0)
    out = (product >> shift).clip(-128, 127).astype(np.int8).view(np.uint32)
    inputs = [a.astype(np.int8).view(np.uint32), b.astype(np.int8).view(np.uint32)]
    return "tensor_arithmetic_quantized(op=BM_MUL, shape=[4,1,1,24], rshift_bit=5)", None, inputs, out


def texpands(rng, read):
    del rng
    out = np.zeros((16, 16), np.float16)
    out[:3 if read["mat_valid"] == "valid" else 16, :5 if read["mat_valid"] == "valid" else 16] = 1.5
    return ("texpands(arch=A5, loc=mat, dtype=float16, rows=16, cols=16, v_row=3, v_col=5)", None,
            [np.array([1.5], np.float16)], out)


# ---- files ----

def cases(rng, read):
    for mode in ("VREQ8", "REQ8", "VDEQF16", "DEQF16", "VQF322B8_PRE", "QF322B8_PRE"):
        yield fixpipe(rng, read, mode, False)
        yield fixpipe(rng, read, mode, True)
    yield fixpipe_half(rng, read, False)
    yield fixpipe_half(rng, read, True)
    yield mmad_floats(rng, read, np.float16)
    yield mmad_floats(rng, read, np.float32)
    yield mmad_bytes(rng, read)
    yield conv2d(rng, read)
    for op in ("BM_MAC", "BM_MAX", "BM_MIN"):
        yield arithmetic(rng, read, op)
    yield quantized(rng, read)
    yield texpands(rng, read)


class Draw(np.random.RandomState):
    """Numbers that no version of NumPy changes."""
    integers = np.random.RandomState.randint


def write(out, heading, changes, all_of_them=True):
    """The same operands under every reading; or those alone that the documents give another result for."""
    out.write(heading + "\n")
    ordinary = cases(Draw(1), DEFAULTS)
    for (text, old, inputs, result), same in zip(cases(Draw(1), {**DEFAULTS, **changes}), ordinary):
        if not all_of_them and np.array_equal(bits_of(result), bits_of(same[3])):
            continue
        out.write("spec %s\n" % text)
        for kind, array in [("old", old)] * (old is not None) + [("in", a) for a in inputs] + [("expect", result)]:
            out.write("%s %s\n" % (kind, " ".join("%x" % b for b in bits_of(array))))


def main():
    folder = pathlib.Path(sys.argv[1])
    for name, changes in PROFILES.items():
        with open(folder / ("profile_%s.txt" % name), "w", encoding="ascii") as out:
            write(out, "profile " + name, changes)
    with open(folder / "profile_others.txt", "w", encoding="ascii") as out:
        for changes in OTHERS:
            write(out, "choice %s=%s" % next(iter(changes.items())), changes, False)


if __name__ == "__main__":
    main()
