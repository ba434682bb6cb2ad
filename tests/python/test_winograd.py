"""accumulate=winograd against a model of its own: the bound in fractions, and Winograd's method in float32."""

import ctypes
import os
from fractions import Fraction

import numpy as np
import pytest

import aicjit
from aicjit import _library, _structs


def matrices(m):
    """A^T, B^T and G by Lagrange's formula from the points, not from the library's list."""
    points = [0, 1, -1, 2, -2][:m + 1]
    side = m + 2

    def product(roots):
        coefficients = [Fraction(1)]
        for root in roots:
            shifted = [Fraction(0)] + coefficients
            coefficients = [a - root * b for a, b in zip(shifted, coefficients + [Fraction(0)])]
        return coefficients + [Fraction(0)] * (side - len(coefficients))

    b = [product([q for q in points if q != p]) for p in points] + [product(points)]
    divisors = [np.prod([p - q for q in points if q != p]) for p in points]
    g = [[Fraction(p ** k, int(d)) for k in range(3)] for p, d in zip(points, divisors)] + [[Fraction(k == 2) for k in range(3)]]
    a = [[Fraction(p ** j) for p in points] + [Fraction(j == m - 1)] for j in range(m)]
    return [np.array(rows, dtype=object) for rows in (a, b, g)]


def windows(x, m, ho, wo, pad_value, pad):
    """[tiles down, tiles across, C, m + 2, m + 2]; x: [C, H, W]. What lies beyond the padding is 0."""
    left, right, top, bottom = pad
    padded = np.pad(x, ((0, 0), (top, bottom), (left, right)), constant_values=pad_value)
    down, across = -(-ho // m), -(-wo // m)
    whole = np.zeros((x.shape[0], down * m + 2, across * m + 2), padded.dtype)
    whole[:, :padded.shape[1], :padded.shape[2]] = padded
    return np.array([[whole[:, i * m:i * m + m + 2, j * m:j * m + m + 2] for j in range(across)] for i in range(down)])


def both(matrix, x):
    return np.einsum("ik,...kl,jl->...ij", matrix, x, matrix, optimize=True)


def tiles_to_image(y, ho, wo):
    """[down, across, Cout, m, m] to [Cout, Ho, Wo]."""
    down, across, cout, m, _ = y.shape
    return y.transpose(2, 0, 3, 1, 4).reshape(cout, down * m, across * m)[:, :ho, :wo]


def model_bound(x, w, initial, pad_value, pad):
    """The larger one of both m, in exact arithmetic of whole numbers of 2^-48: [Cout, Ho, Wo] of fractions."""
    cout, channels = w.shape[:2]
    ho, wo = x.shape[1] + pad[2] + pad[3] - 2, x.shape[2] + pad[0] + pad[1] - 2
    whole = np.vectorize(lambda v: int(abs(v) * 2 ** 24), otypes=[object])
    own = np.vectorize(int, otypes=[object])  # NumPy's integers, as np.pad() puts there, are of 64 bits
    bound = np.zeros((cout, ho, wo), object)
    u = Fraction(1, 2 ** 24)
    for m in (2, 4):
        a, b, g = matrices(m)
        k = channels + 2 * max((row != 0).sum() for row in a) + 2 * max((row != 0).sum() for row in b) + 3
        scale = 24
        v = both_exact(integers(b), own(windows(whole(x), m, ho, wo, int(abs(pad_value) * 2 ** 24), pad)))
        t = both_exact(integers(g * scale), whole(w))
        sums = (v[:, :, None] * t[None, None]).sum(axis=3)
        n = both_exact(integers(a), sums) * Fraction(1, scale ** 2 * 2 ** 48)
        n = tiles_to_image(n, ho, wo)
        bound = np.maximum(bound, k * u / (1 - k * u) * n + u * (abs(initial) + n))
    return bound


def integers(matrix):
    """The absolute values of fractions that are whole numbers as integers of Python, with which arithmetic takes a fifth as long."""
    assert all(entry.denominator == 1 for entry in matrix.ravel())
    return np.array([[abs(entry.numerator) for entry in row] for row in matrix], dtype=object)


def both_exact(matrix, x):
    """matrix x matrix^T of the last two axes, of objects."""
    half = np.tensordot(x, matrix, axes=([-2], [1]))  # [..., column, row]
    return np.tensordot(half, matrix, axes=([-2], [1]))


def winograd(x, w, m, pad_value, pad, change=None):
    """Winograd's method in float32, weights transformed in float64 and rounded once: [Cout, Ho, Wo]."""
    ho, wo = x.shape[1] + pad[2] + pad[3] - 2, x.shape[2] + pad[0] + pad[1] - 2
    a, b, g = (matrix.astype(float) for matrix in matrices(m))
    if change:
        (a, b, g)[change[0]][change[1]] *= change[2]
    single = np.float32
    u = both(g, w.astype(float)).astype(single)
    window = windows(x.astype(single), m, ho, wo, single(pad_value), pad)
    v = steps(b.astype(single), window)
    products = np.zeros(v.shape[:2] + (w.shape[0], m + 2, m + 2), single)
    for c in range(w.shape[1]):
        products += u[None, None, :, c] * v[:, :, None, c]
    return tiles_to_image(steps(a.astype(single), products), ho, wo)


def steps(matrix, x):
    """matrix x matrix^T, each product and sum rounded to float32."""
    for axis in (-2, -1):
        x = np.moveaxis(x, axis, 0)
        rows = []
        for row in matrix:
            total = np.zeros(x.shape[1:], np.float32)
            for entry, value in zip(row, x):
                total = total + entry * value if entry else total
            rows.append(total)
        x = np.moveaxis(np.array(rows), 0, axis)
    return x


def blocks(x, w):
    """[C, H, W], [Cout, C, 3, 3] to the operands; C is a multiple of 16."""
    c, h, width = x.shape
    cout = w.shape[0]
    feature_map = x.reshape(c // 16, 16, h, width).transpose(0, 2, 3, 1)
    weight = w.reshape(cout, c // 16, 16, 3, 3).transpose(1, 3, 4, 0, 2)
    return np.ascontiguousarray(feature_map, np.float16), np.ascontiguousarray(weight, np.float16)


class Case:
    """The operands of one convolution and what the library allows."""

    def __init__(self, x, w, pad=(1, 1, 1, 1), pad_value=0.0, initial=None, accumulate="winograd"):
        self.x, self.w, self.pad, self.pad_value = x, w, pad, pad_value
        feature_map, weight = blocks(x, w)
        self.ho, self.wo = x.shape[1] + pad[2] + pad[3] - 2, x.shape[2] + pad[0] + pad[1] - 2
        self.cout = w.shape[0]
        self.spec = aicjit.op("conv2d", dtype="float16", fm_shape=feature_map.shape, kernel_shape=weight.shape, pad=pad,
                              pad_value=pad_value, init_l1out=initial is None, accumulate=accumulate)
        rows = -(-self.ho * self.wo // 16) * 16
        out = np.zeros((self.cout // 16, rows, 16), np.float32)
        if initial is not None:
            out[:, :self.ho * self.wo] = initial.reshape(self.cout // 16, 16, -1).transpose(0, 2, 1)
        self.allowed = (_structs.AllowedStruct * out.size)()
        pointers = (ctypes.c_void_p * 3)(out.ctypes.data, feature_map.ctypes.data, weight.ctypes.data)
        _library.check(_library.lib.aic_reference_allowed(self.spec._pointer, None, pointers, 3, self.allowed))
        self.kernel = aicjit.Kernel(self.spec)(feature_map, weight, out=out.copy())

    def image(self, values):
        return np.array(values).reshape(self.cout // 16, -1, 16)[:, :self.ho * self.wo].transpose(0, 2, 1).reshape(
            self.cout, self.ho, self.wo)

    def exact(self):
        return self.image([entry.exact for entry in self.allowed])

    def bound(self):
        return self.image([entry.high - entry.exact for entry in self.allowed])

    def outside(self, y):
        """How many results the library does not allow."""
        values = np.zeros((self.cout // 16, len(self.allowed) // self.cout, 16))
        values[:, :self.ho * self.wo] = y.reshape(self.cout // 16, 16, -1).transpose(0, 2, 1)
        indices = self.image(np.arange(len(self.allowed))).ravel()
        flat = values.ravel()
        return sum(not _library.lib.aic_is_allowed(ctypes.byref(self.allowed[i]), flat[i]) for i in indices)


def draw(random, kind, shape):
    values = random.standard_normal(shape)
    if kind == "large":
        values = np.clip(values * 20000, -65504, 65504)
    elif kind == "small":
        values = values * 2.0 ** -12
    elif kind == "subnormal":
        values = values * 2.0 ** -22
    elif kind == "mixed":
        values = values * 2.0 ** random.integers(-20, 12, shape)
    elif kind == "positive":
        values = np.abs(values)
    return values.astype(np.float16)


KINDS = ("random", "large", "small", "subnormal", "mixed", "positive")


def test_bound_is_the_models(random):
    """The model, whose fractions take seconds, has every fourth output channel, of each kind others; all in a campaign."""
    rows = zip(KINDS, ((1, 1, 1, 1), (0, 0, 0, 0), (2, 1, 0, 2)) * 2, (0.0, 0.0, 0.5, -2.0, 0.0, 0.0))
    for number, (kind, pad, pad_value) in enumerate(rows):
        some = slice(None) if os.environ.get("AIC_CAMPAIGN") else slice(number % 4, None, 4)
        x, w = draw(random, kind, (16, 7, 6)), draw(random, kind, (16, 16, 3, 3))
        plain = Case(x, w, pad, pad_value, accumulate="fast")
        initial = random.standard_normal((16, plain.ho, plain.wo)).astype(np.float32) if kind in ("large", "random") else None
        case = Case(x, w, pad, pad_value, initial)
        fast = Case(x, w, pad, pad_value, initial, "fast")
        old = np.zeros(fast.exact().shape) if initial is None else initial
        exact = np.vectorize(Fraction, otypes=[object])
        model = np.maximum(model_bound(x, w[some], exact(old[some]), pad_value, pad), exact(fast.bound()[some]))
        bound, slack = case.bound()[some], np.abs(case.exact()[some]) * 2.0 ** -51
        assert all(Fraction(b) + Fraction(s) >= m for b, s, m in zip(bound.ravel(), slack.ravel(), model.ravel())), kind
        assert np.all(bound <= model.astype(float) * (1 + 2.0 ** -40) + slack), kind
        assert np.array_equal(case.exact(), fast.exact())


@pytest.mark.parametrize("m", (2, 4))
def test_honest_winograd_stays_inside(random, m):
    for kind in KINDS:
        for channels, pad_value in ((16, 0.0), (48, 1.5)):
            x, w = draw(random, kind, (channels, 9, 7)), draw(random, kind, (16, channels, 3, 3))
            case = Case(x, w, pad_value=pad_value)
            y = winograd(x, w, m, pad_value, case.pad)
            assert case.outside(y) == 0, (kind, channels)
            assert case.outside(case.image(case.kernel)) == 0


@pytest.mark.parametrize("m", (2, 4))
def test_wrong_transform_is_found(random, m):
    """One entry of one matrix is off by a 16th, or has the wrong sign."""
    x, w = draw(random, "random", (16, 9, 7)), draw(random, "random", (16, 16, 3, 3))
    case = Case(x, w)
    for number, matrix in enumerate(matrices(m)):
        for at in zip(*np.nonzero(matrix)):
            for factor in (1 + 2.0 ** -4, -1):
                y = winograd(x, w, m, 0.0, case.pad, (number, at, factor))
                assert case.outside(y) > 0, (m, number, at, factor)


def test_tiles_that_are_not_finite(random):
    """What lies in a window with an infinity is held to the bound of fast."""
    x, w = draw(random, "random", (16, 8, 8)), draw(random, "random", (16, 16, 3, 3))
    x[3, 0, 0] = np.inf
    case, fast = Case(x, w), Case(x, w, accumulate="fast")
    bound, least = case.bound(), fast.bound()
    assert np.array_equal(bound[:, :2, :2], least[:, :2, :2], equal_nan=True)  # both tiles read it
    assert (bound[:, 4:, 4:] > least[:, 4:, 4:]).all()
    two = ~np.isnan(bound[:, 2:4, 2:4])
    assert (bound[:, 2:4, 2:4][two] > least[:, 2:4, 2:4][two]).all()  # that of m = 2 does not
