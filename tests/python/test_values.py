"""Numbers, scalars, lists, -0.0 and NaN in every place of an operand and in every parameter of every operator: the bits of
the reference, or an error that names the place."""

import re
import struct

import numpy as np
import pytest

import aicjit
from aicjit import _lists

NAN = float("nan")


def bits(array):
    return np.ascontiguousarray(array).tobytes()


def canonical(array):
    """Bits, any NaN of float32 being the same."""
    array = np.ascontiguousarray(array)
    return bits(np.where(np.isnan(array), np.float32(NAN), array)) if array.dtype == np.float32 else bits(array)


def float_bits(value):
    return struct.unpack("<I", struct.pack("<f", value))[0]


# ---- operands of one element ----

ARITHMETIC = {op: "tensor_arithmetic(op=%s, shape=[1,1,1,1], select_value=7.5)" % op
              for op in ("BM_ADD", "BM_SUB", "BM_MUL", "BM_DIV", "BM_MAC", "BM_MAX", "BM_MIN", "BM_SG")}
ON_BITS = {op: "tensor_arithmetic(op=%s, shape=[1,1,1,1], select_value=7.5)" % op
           for op in ("BM_AND", "BM_OR", "BM_XOR", "BM_SHIFT", "BM_SE")}
MMAD = "mmad(dtype=%s, m=1, k=1, n=1)"
FLOATS = [3.0, 4, -0.0, 0.0, NAN, float("inf"), np.float32(-2.5), np.float64(0.1), np.float16(3), np.int8(-7), np.uint16(9)]


def float32_of(value):
    return np.array([float(value)], np.float64).astype(np.float32)


@pytest.mark.parametrize("text", list(ARITHMETIC.values()) + [MMAD % "float32"])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_numbers_for_float32(text):
    kernel, plain = aicjit.compile(text), np.array([1.25], np.float32)
    names = [operand.name for operand in kernel.operands[1:]]
    for value in FLOATS:
        for place in range(2):
            arrays = [float32_of(value) if i == place else plain for i in range(2)]
            expected = canonical(aicjit.reference(text, *arrays))
            given = [value if i == place else plain for i in range(2)]
            assert canonical(kernel(*given)) == expected, value
            assert canonical(kernel(**dict(zip(names, given)))) == expected
            assert canonical(kernel(given[0], **{names[1]: given[1]})) == expected
            assert canonical(aicjit.reference(text, *given)) == expected
        both = canonical(aicjit.reference(text, float32_of(value), float32_of(5)))
        assert canonical(kernel(value, 5.0)) == both == canonical(kernel(value, np.float32(5))), value
        assert canonical(kernel(float(value), 5)) == both
        images = np.full((2,) + kernel.operands[2].shape, 5, np.float32)
        assert canonical(kernel.call_batch(value, images)) == 2 * both


@pytest.mark.parametrize("text", ON_BITS.values())
def test_numbers_for_words(text):
    """An integer is itself, and a float its bits."""
    kernel, plain = aicjit.compile(text), np.array([0x41234567], np.uint32)
    for value in (3, -1, 2**32 - 1, np.int8(-7), np.uint32(0x80000000), 2.5, -0.0, np.float32(-2.5)):
        whole = isinstance(value, (int, np.integer))
        array = np.array([int(value) & 0xFFFFFFFF if whole else float_bits(value)], np.uint32)
        assert canonical(kernel(value, plain)) == canonical(aicjit.reference(text, array, plain)), value
        assert canonical(kernel(plain, value)) == canonical(aicjit.reference(text, plain, array)), value


def bfloat16_of(value):
    """By the definition: of the two neighbours the nearer one, the even one of two."""
    candidates = [b for b in range(0x10000) if b & 0x7F80 != 0x7F80]
    numbers = (np.array(candidates, np.uint32) << 16).view(np.float32).astype(np.float64)
    sign = np.signbit(value)
    distance = np.where(np.signbit(numbers) == sign, np.abs(numbers - value), np.inf)
    nearest = [candidates[i] for i in np.flatnonzero(distance == distance.min())]
    return next((b for b in nearest if b % 2 == 0), nearest[0])


def test_numbers_for_other_types():
    for value in (2.5, -0.0, 1.00390625, 1.01171875, 1.00390625 + 2**-40, 3, 1e-40, -3.3):
        array, one = np.array([bfloat16_of(value)], np.uint16), np.array([0x3F80], np.uint16)
        text = MMAD % "bfloat16"
        assert bits(aicjit.compile(text)(value, one)) == canonical(aicjit.reference(text, array, one)), value
    assert aicjit.compile(MMAD % "bfloat16")(np.uint16(0x4020), 1.0) == 2.5  # how bfloat16 travels
    for value in (2.5, -0.0, 0.1, np.float32(0.1)):
        array = np.array([value], np.float64).astype(np.float16)
        text = MMAD % "float16"
        assert bits(aicjit.compile(text)(value, 1)) == canonical(aicjit.reference(text, array, np.ones(1, np.float16)))
    assert aicjit.compile(MMAD % "int8")(-128, np.int64(127)) == -128 * 127
    kernel = aicjit.compile(MMAD % "int8")
    for value, kind in ((128, ValueError), (-129, ValueError), (1.0, TypeError), (-0.0, TypeError), (NAN, TypeError),
                        (10**30, ValueError), (True, TypeError), ([1], TypeError), ("1", TypeError), (1j, TypeError),
                        (None, TypeError), (np.float32(1), TypeError), (np.timedelta64(1), TypeError)):
        for place, name in enumerate("ab"):
            with pytest.raises(aicjit.Error, match="^mmad: %s: " % name) as caught:
                kernel(*(value if i == place else 1 for i in range(2)))
            assert isinstance(caught.value, kind), value
    for value in (1e300, 3.4e38, 10**400):
        with pytest.raises(aicjit.ArgumentError, match="larger than any"):
            aicjit.compile(MMAD % "float16")(value, 1)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "float16", "float32"])
def test_texpands_of_numbers(dtype):
    text = "texpands(dtype=%s, rows=1, cols=32)" % dtype
    kernel = aicjit.compile(text)
    for value in [0, 3, np.int16(100)] + ([-0.0, NAN, 2.5] if dtype[0] == "f" else []) + ([-5] if dtype[0] == "i" else []):
        expected = canonical(aicjit.reference(text, np.array([value], np.float64).astype(dtype)))
        for way in (kernel, lambda v: aicjit.texpands(v, dtype=dtype, rows=1, cols=32), lambda v: aicjit.reference(text, v),
                    lambda v: kernel(kernel.pack(v, "scalar")), lambda v: kernel(np.array(v, dtype)),
                    lambda v: kernel(scalar=v)):
            assert canonical(way(value)) == expected, value
    valid = np.array([5], np.int32)
    dynamic = aicjit.compile(text[:-1] + ", v_row=dyn, v_col=dyn)")
    assert canonical(aicjit.texpands(3, 1, 5, dtype=dtype, rows=1, cols=32)) == canonical(dynamic(3, 1, 5)) \
        == canonical(aicjit.reference(dynamic.spec, np.array([3], dtype), valid // 5, valid))


@pytest.mark.parametrize("name", _lists.OPERATORS)
def test_wrong_operands_of_the_examples(name):
    """In each place of each operator what is no array of the type is refused by its name, and an array of it is right."""
    text = getattr(aicjit, name).__doc__.rsplit("In operator text: ", 1)[1].strip()
    kernel = aicjit.compile(text)
    inputs = aicjit.random_operands(text)
    expected = canonical(aicjit.reference(text, *inputs))
    assert canonical(kernel(*inputs)) == expected
    for place, operand in enumerate(kernel.operands[1:]):
        array = inputs[place]
        for value in (3.0, -0.0, NAN, [1.0], array.tolist(), None, "x", 1j, np.float32(1), array.astype(np.complex64)):
            if operand.elements == 1 and (isinstance(value, (float, np.float32))):
                continue
            with pytest.raises(aicjit.Error, match=": %s: " % operand.name):
                kernel(*(value if i == place else other for i, other in enumerate(inputs)))
        for same in (array.view(type("Sub", (np.ndarray,), {})), memoryview(array), array[np.newaxis]):
            assert canonical(kernel(*(same if i == place else other for i, other in enumerate(inputs)))) == expected


# ---- constants of the functions ----


@pytest.mark.parametrize("op", list(ARITHMETIC) + list(ON_BITS) + ["BM_CPY"])
def test_constants(op):
    """A number is a constant: a float32, or an integer where the operation is on integers."""
    words = op in ("BM_AND", "BM_OR", "BM_XOR", "BM_SHIFT")
    array = np.array([[[[1.5, -0.0, 3.0, -2.0]]]], np.float32)
    for value in (0.0, -0.0, 2, 2.0, np.float32(2.5), np.float32(3), np.float64(3), NAN, np.int8(3), 0, -0.0, 0.0):
        whole = words and isinstance(value, (int, np.integer))
        const = "0x%08x" % (int(value) if whole else float_bits(value))
        for place in range(1 if op == "BM_CPY" else 2):
            text = "tensor_arithmetic(op=%s, shape=[1,1,1,4], select_value=7.5, input%d_is_const=true, input%d_const=%s)" \
                % (op, place, place, const)
            others = [] if op == "BM_CPY" else [array]
            operands = others[:place] + [value] + others[place:]
            result = aicjit.tensor_arithmetic(*operands, op=op, select_value=7.5, shape=(1, 1, 1, 4))
            expected = aicjit.reference(text, *others).view(result.dtype)
            assert canonical(result) == canonical(expected), (op, value, place)


def test_constants_among_integers():
    array = np.array([1, 2, 3, 0x40400000], np.int32)
    assert aicjit.tensor_arithmetic(array, 3, op="BM_SE", select_value=1.0).tolist() == [0, 0, 0x3F800000, 0]
    assert aicjit.tensor_arithmetic(array, 3.0, op="BM_SE", select_value=1.0).tolist() == [0, 0, 0, 0x3F800000]
    assert aicjit.tensor_arithmetic(array, 1, op="BM_SHIFT").tolist() == [2, 4, 6, -2139095040]
    filled = aicjit.tensor_arithmetic(-2.5, op="BM_CPY", shape=(1, 1, 1, 4))
    assert filled.dtype == np.float32 and (filled == -2.5).all()
    for value in (2**32, -(2**31) - 1):
        with pytest.raises(aicjit.ArgumentError, match="tensor_arithmetic: input1: "):
            aicjit.tensor_arithmetic(array, value, op="BM_AND")


def test_integers_are_not_taken_for_floats():
    floats = np.ones((1, 1, 1, 4), np.float32)
    for dtype in (np.int32, np.uint32):
        with pytest.raises(aicjit.OperandTypeError, match=r"input1: has elements of u?int32, not float32: array.astype"):
            aicjit.tensor_arithmetic(floats, floats.astype(dtype), op="BM_ADD")
        with pytest.raises(aicjit.OperandTypeError, match=r"out \(output\): has elements of u?int32"):
            aicjit.tensor_arithmetic(floats, floats, op="BM_ADD", out=np.zeros((1, 1, 1, 4), dtype))


# ---- parameters ----

REFUSED = object()
ERROR = object()
COMMON = [(1j, TypeError), (object(), TypeError), (b"1", TypeError), ({}, TypeError), (np.datetime64(1, "s"), TypeError)]
INTEGER = [(3, "3"), (np.int64(3), "3"), (np.uint8(3), "3"), (np.array(3), "3"), (-1, "-1"), (1.5, TypeError),
           (3.0, TypeError), (-0.0, TypeError), (NAN, TypeError), (np.float32(3), TypeError), (True, TypeError),
           (2**63, ValueError), (-(10**30), ValueError), (np.timedelta64(3), TypeError)] + COMMON
ONE = [("[3]", TypeError), ([3], TypeError), ((), TypeError), (np.array([3]), TypeError)]
NUMBER = [(3, "3"), (2.5, "2.5"), (-0.0, "-0.0"), (0.0, "0.0"), (np.float32(0.5), "0.5"), (np.int8(-4), "-4"),
          (np.array(2.5), "2.5"), (True, TypeError), ([2.5], TypeError), (np.array([2.5]), TypeError),
          (10**400, ValueError), (np.timedelta64(3), TypeError)] + COMMON
VALUES = {
    "INT": INTEGER + ONE,
    "DIMS": INTEGER,
    "SIZE": [(3, "3"), ("dyn", "dyn"), ("none", "none"), ("3, rows=4", ValueError), ("", ValueError)] + INTEGER + ONE[1:],
    "REAL": NUMBER + [("2.5", TypeError)],
    "FLOAT32": NUMBER + [(NAN, "0x7fc00000"), (float("-inf"), "0xff800000"), (0.1, "0x3dcccccd"), ("0x80000000", "-0.0"),
                         (1e300, ValueError), ("1, op=BM_ADD", ValueError)],
    "BOOL": [(True, "true"), (False, "false"), (np.bool_(True), "true"), (1, TypeError), (0.0, TypeError), ("true", TypeError),
             ([True], TypeError)] + COMMON,
    "DTYPE": [("int8", "int8"), (np.int8, "int8"), (np.dtype("float16"), "float16"), ("half", "float16"), (5, TypeError),
              ("int8, m=1", ValueError), ("", ValueError), ([np.int8], TypeError)] + COMMON[:2],
    "BITS": [(3, "3"), (0x3F800000, "0x3f800000"), ("0x3f800000", "0x3f800000"), (np.uint64(2**63), str(2**63)),
             ("quant(0.5, 3, uint8)", "quant(0.5, 3, uint8)"), (-1, ValueError), (2**64, ValueError), (1.0, TypeError),
             ("quant(1), dst=int8", ValueError)] + COMMON + ONE[1:],
}
COMMON_WORDS = [("no such word", ValueError), (1.5, TypeError), (True, TypeError), ([], TypeError), (NAN, TypeError)] + COMMON


def parse(text):
    """Keys and values, as text, of operator text."""
    return dict(re.findall(r"(\w+)=(\[[^]]*\]|[^,)]+)", text))


def python_value(kind, text):
    if text.startswith("["):
        return [int(entry) for entry in text[1:-1].split(",")]
    if kind == "BOOL":
        return text == "true"
    return int(text, 0) if re.fullmatch(r"-?(0x)?[0-9a-f]+", text) else text


def entries(kind, count, value, expected, current):
    """A value and its text in the first and in the last place of a list."""
    for place in (0, count - 1):
        values = [1] * count
        values[place] = value
        if not isinstance(expected, str):
            yield values, expected
            continue
        texts = ["1"] * count
        texts[place] = expected
        yield values, "[%s]" % ",".join(texts)
        yield tuple(values), "[%s]" % ",".join(texts)


@pytest.mark.parametrize("name", _lists.OPERATORS)
def test_parameters(name):
    """Each kind of value in each parameter: the operator text that it stands for, or an error that names the parameter."""
    example = parse(getattr(aicjit, name).__doc__.rsplit("In operator text: ", 1)[1])
    kinds = {field: kind for kind, field, *_ in _lists.OPERATORS[name]}
    given = {key: python_value(kinds[key], value) for key, value in example.items()}
    for kind, field, count, _, _ in _lists.OPERATORS[name]:
        cases = VALUES.get(kind)
        if cases is None:
            first = next(iter(_lists.ENUMS[kind]))
            cases = [(first, first)] + COMMON_WORDS
        for value, expected in cases:
            for value, expected in entries(kind, count, value, expected, None) if count > 1 else [(value, expected)]:
                if isinstance(expected, str):
                    keys = ", ".join("%s=%s" % item for item in {**example, field: expected}.items())
                    assert aicjit.op(name, **{**given, field: value}).canonical \
                        == aicjit.Spec("%s(%s)" % (name, keys)).canonical, (field, value)
                else:
                    with pytest.raises(aicjit.Error, match="^%s: %s: " % (name, field)) as caught:
                        aicjit.op(name, **{**given, field: value})
                    assert isinstance(caught.value, expected), (field, value)
        if count > 1 and kind != "DIMS":
            with pytest.raises(aicjit.Error, match="^%s: %s: " % (name, field)):
                aicjit.op(name, **{**given, field: [1] * (count + 1)})


def test_sides():
    """One number, or equal ones, for all sides; two that differ could be sides or axes."""
    x, w = np.ones((1, 9, 9, 32), np.int8), np.ones((1, 3, 3, 16, 32), np.int8)
    full = aicjit.conv2d(x, w, pad=(1, 1, 1, 1), stride=(2, 2), dilation=(2, 2))
    for pad in (1, (1, 1), [1, 1], np.int8(1), np.ones(4, int)):
        for both in (2, np.int64(2), (2, 2)):
            assert bits(aicjit.conv2d(x, w, pad=pad, stride=both, dilation=both)) == bits(full)
    with pytest.raises(aicjit.ArgumentError, match=r"conv2d: pad: \(1, 2\) has 2 entries, not 4: which"):
        aicjit.conv2d(x, w, pad=(1, 2))
    for wrong in ((1.5, 1, 1, 1), 1.5, (1.0,) * 4, "1", (True,) * 4):
        aicjit.conv2d(x, w, pad=(1, 1, 1, 1))  # an equal one is known
        with pytest.raises(aicjit.ArgumentTypeError, match="conv2d: pad: "):
            aicjit.conv2d(x, w, pad=wrong)
    with pytest.raises(aicjit.ArgumentTypeError, match="conv2d: fm_shape: 5 is int, not a list of 4"):
        aicjit.conv2d(x, w, fm_shape=5)


def test_missing_parameters_are_named_by_what_was_given():
    x, w = np.ones((1, 9, 9, 32), np.int8), np.ones((1, 3, 3, 16, 32), np.int8)
    src = np.ones((2, 4, 16), np.int32)
    for message, call in (
        ("conv2d: feature_map: is int8[9,9,32], not an array [C1, H, W, C0]", lambda: aicjit.conv2d(x[0], w)),
        ("conv2d: weight: is None, not an array", lambda: aicjit.conv2d(x, None)),
        ("mmad: b: is int8[3,3,16,32], not an array [k, n]", lambda: aicjit.mmad(x[0, 0], w[0])),
        ("fixpipe: src: is int32[2,64], not an array [N/16, rows, 16]",
         lambda: aicjit.fixpipe(src.reshape(2, 64), dst="int32")),
        ("fixpipe: dst: is needed", lambda: aicjit.fixpipe(src)),
        ("tik_fixpipe: src: is int32[16,4]", lambda: aicjit.tik_fixpipe(np.ones((16, 4), np.int32), dst="int32")),
        ("nd2nz: src: is int8[9], not an array [nValue, dValue]", lambda: aicjit.nd2nz(x[0, 0, :, 0].copy())),
        ("transdata: src: is int8[9,9,32], not an array [N, C, H, W]",
         lambda: aicjit.transdata(x[0], src="NCHW", dst="NC1HWC0")),
        ("transdata: dst: is needed", lambda: aicjit.transdata(x, src="NCHW")),
        ("tensor_arithmetic: op: is needed", lambda: aicjit.tensor_arithmetic(2.0, 3.0, shape=(1, 1, 1, 1))),
        ("tensor_arithmetic: shape: is needed", lambda: aicjit.tensor_arithmetic(2.0, 3.0, op="BM_ADD")),
        ("tensor_arithmetic: input0: is float32[1,1,1,1,1], not an array [N, C, H, W]",
         lambda: aicjit.tensor_arithmetic(np.ones((1,) * 5, np.float32), 3.0, op="BM_ADD")),
        ("tensor_arithmetic_quantized: input0: is int8[9]",
         lambda: aicjit.tensor_arithmetic_quantized(x[0, 0, :, 0].copy(), x, op="BM_ADD")),
        ("texpands: dtype: is needed", lambda: aicjit.texpands(2.5, rows=1, cols=8)),
        ("conv2d: kernel_shape: is needed", lambda: aicjit.op("conv2d", dtype="int8", fm_shape=x.shape)),
    ):
        with pytest.raises(aicjit.Error) as caught:
            call()
        assert str(caught.value).startswith(message), str(caught.value)


def test_kernels_of_functions_differ_where_values_do():
    """Values that compare equal are not the same: 0.0, -0.0; nor are scalars of NumPy of one type."""
    a = np.full((1, 1, 1, 2), -0.0, np.float32)
    for _ in range(2):
        for value in (0.0, -0.0, np.float32(0.0), np.float32(-0.0), np.float32(7), np.float32(8)):
            expected = a + np.float32(value)
            assert bits(aicjit.tensor_arithmetic(a, value, op="BM_ADD")) == bits(expected), value
        for select in (0.0, -0.0, np.float32(-0.0), 5):
            selected = aicjit.tensor_arithmetic(a, a, op="BM_SE", select_value=select)
            assert bits(selected) == bits(np.full_like(a, select)), select
