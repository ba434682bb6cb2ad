"""Operands that fit are looked at in C (tools/python/call.c), the others in Python."""

import inspect

import numpy as np
import pytest

import aicjit
from aicjit._kernel import _fast

CHAIN = "conv2d(dtype=int8, fm_shape=[1,4,5,32], kernel_shape=[1,2,2,16,32]) | fixpipe(src=int32, dst=int8, format=NZ, quantPre=VREQ8)"
ADD = "tensor_arithmetic(op=BM_ADD, shape=[1,2,3,4])"
QUANTIZED = "tensor_arithmetic_quantized(op=BM_ADD, shape=[4,8,3,4])"
X, W, WORDS = np.ones((1, 4, 5, 32), np.int8), np.ones((1, 2, 2, 16, 32), np.int8), aicjit.quant_words([0.1] * 16)
A = np.arange(24, dtype=np.float32).reshape(1, 2, 3, 4)


class Looked(Exception):
    pass


@pytest.fixture
def called(monkeypatch):
    """A kernel that was called once, and whose next call raises Looked where Python looks at operands."""
    def make(spec, *inputs):
        kernel = aicjit.compile(spec)
        expected = kernel(*inputs)

        def looking(self, inputs, out, named):
            raise Looked
        monkeypatch.setattr(aicjit.Kernel, "_call_looking", looking)
        return kernel, expected
    return make


def frozen(array):
    array = array.copy()
    array.flags.writeable = False
    return array


def test_c_reads_the_objects_of_this_python():
    assert _fast.exists


def test_what_fits_is_looked_at_in_c(called):
    kernel, expected = called(CHAIN, X, W, WORDS)
    packed, out = aicjit.compile(CHAIN).pack(W), np.zeros_like(expected)
    kept = aicjit.compile(CHAIN).pack(W)
    for inputs, named in (((X, W, WORDS), {}), ((X, packed, WORDS), {}), ((X,), {"cbufWorkspace": WORDS, "weight": W}),
                          ((), {"weight": kept, "feature_map": X, "cbufWorkspace": WORDS}), ((frozen(X), W, WORDS), {})):
        assert np.array_equal(kernel(*inputs, **named), expected) and expected.any()
        out[:] = 99
        assert kernel(*inputs, out=out, **named) is out and np.array_equal(out, expected)


@pytest.mark.parametrize("inputs, named", [((A, A + 1), {"input1": A}), ((A,), {"input0": A}), ((), {"input0": A}),
                                           ((A,), {}), ((A, A), {"input1": aicjit._fast.ABSENT, "x": A}), ((A, A, A), {}),
                                           ((), {"input1": A, "input0": A, "output": A}), ((A,), {"input0": A, "x": A})])
def test_names_that_do_not_fit_are_looked_at_in_python(called, inputs, named):
    kernel, _ = called(ADD, A, A)
    with pytest.raises(Looked):
        kernel(*inputs, **named)


def test_names_are_parameters_of_the_call():
    kernel, other = aicjit.compile(CHAIN), aicjit.compile(ADD)
    names = [name for name in inspect.signature(kernel).parameters if name not in ("inputs", "out", "named")]
    assert names == [operand.name for operand in kernel.operands[1:]] == ["feature_map", "weight", "cbufWorkspace"]
    assert "weight" not in inspect.signature(other).parameters and type(other).__name__ == "Kernel"
    assert isinstance(kernel, aicjit.Kernel) and type(kernel) is type(aicjit.compile(CHAIN)) is not type(other)
    order = aicjit.compile("tensor_arithmetic(op=BM_SUB, shape=[1,2,3,4])")
    for _ in range(2):
        assert not order(input1=A, input0=A).any() and np.array_equal(order(input1=A, input0=3 * A).ravel(), 2 * A.ravel())
        assert np.array_equal(order(3 * A, input1=A).ravel(), 2 * A.ravel())


def test_classes_of_kernels(called):
    """A caller's class has names, too, unless it calls in a way of its own."""
    class Plain(aicjit.Kernel):
        pass

    class Counted(aicjit.Kernel):
        calls = 0

        def __call__(self, *inputs, **named):
            self.calls += 1
            return super().__call__(*inputs, **named)
    plain, counted = Plain(ADD), Counted(ADD)
    assert isinstance(plain, Plain) and "input1" in inspect.signature(plain).parameters
    for given in ({"input0": A, "input1": A}, {"input1": A, "input0": A}):
        assert np.array_equal(counted(**given), plain(**given))
    assert np.array_equal(counted(A, A), plain(A, A)) and counted.calls == 3


def test_words_of_any_shape(called):
    kernel, expected = called(ADD, A, A)
    for array in (A, A.ravel(), A.reshape(4, 6)):
        assert np.array_equal(kernel(array, A), expected) and np.array_equal(expected.ravel(), 2 * A.ravel())


def test_sub_words(called):
    spec = aicjit.Spec(QUANTIZED)
    operand = spec.operands()[1]
    inputs = [np.ones(operand.shape, operand.numpy_dtype) for operand in aicjit.compile(spec).operands[1:]]
    kernel, expected = called(spec, *inputs)
    assert np.array_equal(kernel(*inputs, out=np.zeros_like(expected)), expected)
    bytes_of = [array.view(np.int8) for array in inputs]
    if operand.sub_words == "int8":
        assert np.array_equal(kernel(*bytes_of, out=np.zeros_like(expected)), expected)


@pytest.mark.parametrize("what", ["shape", "type", "order", "bytes", "class", "none", "number", "list", "gap", "other"])
def test_what_does_not_fit_is_looked_at_in_python(called, what):
    wrong = {"shape": np.ones((1, 4, 6, 32), np.int8), "type": X.view(np.uint8), "order": np.asfortranarray(np.ones((1, 4, 5, 32), np.int8)),
             "bytes": X.ravel()[:-1], "class": X.view(np.recarray), "none": None, "number": 1, "list": X.tolist(),
             "gap": np.ones((1, 4, 5, 64), np.int8)[..., ::2], "other": aicjit.compile(CHAIN).pack(W)}[what]
    kernel, _ = called(CHAIN, X, W, WORDS)
    with pytest.raises(Looked):
        kernel(wrong, W, WORDS)


def test_outputs_that_do_not_fit(called):
    kernel, expected = called(CHAIN, X, W, WORDS)
    for out in (frozen(expected), expected.view(np.uint8), expected[:0], aicjit.compile(CHAIN).pack(W), "text"):
        with pytest.raises(Looked):
            kernel(X, W, WORDS, out=out)


def test_numbers_of_inputs(called):
    kernel, _ = called(ADD, A, A)
    for inputs in ((), (A,), (A, A, A)):
        with pytest.raises(Looked):
            kernel(*inputs)
    kernel.close()
    with pytest.raises(Looked):
        kernel(A, A)


def test_arrays_packed_by_another_kernel(called):
    """What a kernel does not pack is the array itself, for that kernel alone."""
    other = aicjit.compile(ADD).pack(A, "input0")
    kernel, expected = called(ADD, A, A)
    assert np.array_equal(kernel(kernel.pack(A, "input0"), A), expected)
    with pytest.raises(Looked):
        kernel(other, A)
