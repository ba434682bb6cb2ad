"""What lives how long: arguments of calls, kernels, contexts, packed operands; copies, pickles, with statements."""

import copy
import gc
import pickle
import threading
import types
import warnings
import weakref

import numpy as np
import pytest

import aicjit
from aicjit import _arrays, _kernel
from aicjit._library import ContextHandle, KernelHandle, lib

ADD = "tensor_arithmetic(op=BM_ADD, shape=[1,1,1,1])"
CONV = "conv2d(dtype=int8, fm_shape=[1,4,5,32], kernel_shape=[1,2,2,16,32])"


def test_arguments_that_become_arrays_live_as_long_as_the_call(monkeypatch):
    """Every array whose address is taken is there when the library is called, with its content."""
    taken = []
    address_of = _arrays.address_of

    def watched(array):
        taken.append(weakref.ref(array))
        return address_of(array)

    def call(function):
        def run(*arguments):
            gc.collect()
            assert taken and all(reference() is not None for reference in taken)
            return function(*arguments)
        return run

    kernel, convolution = aicjit.compile(ADD), aicjit.compile(CONV)
    x, w = np.ones((1, 4, 5, 32), np.int8), np.ones((1, 2, 2, 16, 32), np.int8)
    convolution(x, convolution.pack(w))  # the first call looks at more
    for name in ("_call", "_call_packed"):
        monkeypatch.setattr(_kernel, name, call(getattr(_kernel, name)))
    for name in ("aic_reference", "aic_kernel_call_batch", "aic_kernel_pack"):
        monkeypatch.setattr(lib, name, call(getattr(lib, name)))
    monkeypatch.setattr(_arrays, "address_of", watched)
    assert kernel(3.0, 4.0) == 7 and len(taken) >= 2
    for way in (lambda: aicjit.reference(ADD, 3.0, 4.0), lambda: kernel(kernel.pack(3.0, "input0"), 4),
                lambda: kernel.call_batch(np.full((2, 1), 3, np.float32), 4.0)[0], lambda: kernel(input0=3, input1=4),
                lambda: aicjit.reference(ADD, input0=3, input1=4)):
        taken.clear()
        assert way() == 7
    taken.clear()
    packed = convolution.pack(memoryview(w))
    taken.clear()
    assert (convolution(memoryview(x), packed)[0, :12] == 128).all()


def test_numbers_again_and_again():
    kernel = aicjit.compile(ADD)
    for value in range(200):
        assert kernel(float(value), np.float32(4)) == value + 4 == kernel(4, value)


@pytest.mark.parametrize("make", [lambda: aicjit.compile(ADD), lambda: aicjit.Context(threads=1),
                                  lambda: aicjit.compile(CONV).pack(np.ones((1, 2, 2, 16, 32), np.int8))])
def test_a_copy_is_the_object_itself(make):
    made = make()
    for _ in range(3):
        assert copy.copy(made) is made and copy.deepcopy(made) is made and copy.deepcopy([made])[0] is made
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        with pytest.raises(TypeError, match="objects live in this process and cannot be pickled"):
            pickle.dumps(made, protocol)
    del made
    gc.collect()


def test_what_can_be_pickled():
    kernel = aicjit.compile(ADD)
    kernel.spec._pointer
    for value in (kernel.spec, kernel.output, kernel.operands, aicjit.bench(kernel, min_time=0)):
        for again in (pickle.loads(pickle.dumps(value)), copy.deepcopy(value), copy.copy(value)):
            assert again == value and repr(again) == repr(value)
    for error in (aicjit.UnsupportedError("text", aicjit.Status.UNSUPPORTED), aicjit.FileError("text", aicjit.Status.IO),
                  aicjit.ArgumentError("text")):
        again = pickle.loads(pickle.dumps(error))
        assert type(again) is type(error) and str(again) == "text" and again.status == error.status
    assert not hasattr(aicjit.bench(kernel, min_time=0), "no_such_figure")


def test_kernels_are_given_up_once(monkeypatch):
    """By close(), the end of a with statement or the last reference, whichever is first."""
    released = []
    monkeypatch.setattr(KernelHandle.__del__, "__defaults__", (released.append,))
    for way in (lambda kernel: kernel.close(), lambda kernel: kernel.__exit__(None, None, None), lambda kernel: None):
        kernel = aicjit.compile(ADD)
        address = kernel._handle.value
        way(kernel)
        way(kernel)
        del kernel
        gc.collect()
        assert released == [address]
        released.clear()
        lib.aic_kernel_destroy(address)


def test_a_closed_kernel():
    with aicjit.compile(CONV) as kernel:
        x, w = np.ones((1, 4, 5, 32), np.int8), np.ones((1, 2, 2, 16, 32), np.int8)
        packed = kernel.pack(w)
        assert kernel(x, packed).any()
    for call in (lambda: kernel(x, w), lambda: kernel(x, packed), lambda: kernel.call_batch(x[np.newaxis], w),
                 lambda: kernel.call_batch(np.stack([x, x]), packed), lambda: kernel.pack(w)):
        with pytest.raises(aicjit.ArgumentError, match="conv2d: the kernel is closed"):
            call()
    assert kernel.schedule.startswith("schedule(") and kernel.isa and kernel.name and kernel.operands and kernel.threads
    assert kernel.cache in ("miss", "memory") and "define" in kernel.ir


def test_a_closed_context():
    with aicjit.Context(threads=1) as context:
        kernel = aicjit.compile(CONV, context=context)
        x, w = np.ones((1, 4, 5, 32), np.int8), np.ones((1, 2, 2, 16, 32), np.int8)
        assert aicjit.conv2d(x, w, context=context).any()
        product = aicjit.compile("mmad(dtype=int8, m=1, n=1, k=1)", context=context)
    assert kernel(x, w).any() and product.result_layout == ("ND", (1, 1))  # kernels stay usable
    for call in (lambda: context.isa, lambda: context.threads, lambda: aicjit.compile(CONV, context=context),
                 lambda: aicjit.conv2d(x, w, context=context), lambda: aicjit.reference(CONV, x, w, context=context),
                 lambda: kernel.explain(), lambda: aicjit.bench(CONV, context=context),
                 lambda: aicjit.Spec(CONV).operands(context)):
        with pytest.raises(aicjit.ArgumentError, match="context: is closed"):
            call()


def test_kernels_of_functions_go_with_their_context(monkeypatch):
    destroyed = []
    destroy = lib.aic_context_destroy
    monkeypatch.setattr(ContextHandle.__del__, "__defaults__", (lambda value: (destroyed.append(value), destroy(value)),))
    context = aicjit.Context(threads=1)
    address = context._handle.value
    a = np.ones((1, 1, 1, 4), np.float32)
    for value in range(3):
        aicjit.tensor_arithmetic(a, value, op="BM_ADD", context=context)
    del context
    gc.collect()
    assert destroyed == [address]


def test_closing_during_calls():
    """A kernel that is closed while it runs goes after the call."""
    context = aicjit.Context(threads=1)
    a, b = np.ones((96, 96), np.float16), np.ones((96, 96), np.float16)
    for _ in range(5):
        kernel = aicjit.compile("mmad(dtype=float16, m=96, n=96, k=96)", context=context)
        results, started = [], threading.Event()

        def work():
            try:
                for _ in range(1000):
                    results.append((kernel(a, b) == 96).all())
                    started.set()
            except aicjit.ArgumentError as error:
                results.append("the kernel is closed" in str(error))

        thread = threading.Thread(target=work)
        thread.start()
        started.wait()
        kernel.close()
        thread.join()
        assert all(results)


def test_handles_are_of_one_type():
    """What the library is given for a kernel is a kernel, and for a context a context, or nothing."""
    kernel, context = aicjit.compile(ADD), aicjit.Context(threads=1)
    pointers, count = (_arrays.c.c_void_p * 3)(), 3
    for wrong in (context._handle, 1.5, object(), _arrays.c.c_void_p(1)):
        with pytest.raises(_arrays.c.ArgumentError):
            lib.aic_kernel_call(wrong, pointers, count)
    for wrong in (kernel._handle, 1.5, object()):
        with pytest.raises(_arrays.c.ArgumentError):
            lib.aic_context_threads(wrong)


# ---- arrays of others ----


def lenders():
    def dlpack(array):
        return type("Tensor", (), {"__dlpack__": lambda self, **named: array.__dlpack__(**named),
                                   "__dlpack_device__": lambda self: array.__dlpack_device__()})()

    def interface(array):
        return type("Picture", (), {"__array_interface__": property(lambda self: array.__array_interface__)})()

    def instance(array):
        return types.SimpleNamespace(__array_interface__=array.__array_interface__, kept=array)

    return {"dlpack": dlpack, "interface": interface, "instance": instance, "memoryview": memoryview,
            "subclass": lambda array: array.view(type("Sub", (np.ndarray,), {"shape": None, "ctypes": None, "dtype": 5}))}


@pytest.mark.parametrize("name", lenders())
def test_arrays_of_others(random, name):
    lend = lenders()[name]
    x = random.integers(-128, 128, (1, 4, 5, 32)).astype(np.int8)
    w = random.integers(-128, 128, (1, 2, 2, 16, 32)).astype(np.int8)
    kernel = aicjit.compile(CONV)
    expected = kernel(x, w)
    for call in (lambda: kernel(lend(x), lend(w)), lambda: kernel(feature_map=lend(x), weight=lend(w)),
                 lambda: aicjit.conv2d(lend(x), lend(w)), lambda: aicjit.reference(CONV, lend(x), lend(w)),
                 lambda: kernel(lend(x), kernel.pack(lend(w))), lambda: kernel.call_batch(lend(x[np.newaxis]), lend(w))[0]):
        assert np.array_equal(call(), expected)
    for wrong, message in ((x[:, :, ::-1], "is not in C order"), (x.astype(np.uint8), "has elements of uint8, not int8"),
                           (x[:, :3], "is int8.1,3,5,32., not int8.1,4,5,32.")):
        with pytest.raises(aicjit.Error, match="conv2d: feature_map: " + message):
            kernel(lend(wrong), w)
    if name in ("interface", "instance"):
        out = np.zeros_like(expected)
        lent = lend(out)
        assert kernel(x, w, out=lent) is lent and np.array_equal(out, expected)


def test_what_cannot_be_looked_at():
    kernel = aicjit.compile(ADD)

    def fails(self, **named):
        raise RuntimeError("on another device")

    class Series:
        def __array__(self, dtype=None):
            return np.ones(1, np.float32)

    for value, message in ((type("Far", (), {"__dlpack__": fails, "__dlpack_device__": lambda self: (2, 0)})(), "Far cannot be "
                            "looked at as an array: on another device"), (Series(), "is Series, not an array of float32.1.: "
                            "numpy.asarray"), (np.ma.masked_array([1.0], [True]), "is a masked array")):
        with pytest.raises(aicjit.OperandTypeError, match="tensor_arithmetic: input0: " + message):
            kernel(value, 1.0)


def test_bfloat16_of_others():
    """uint16, or a type of that name of another package."""
    ml_dtypes = pytest.importorskip("ml_dtypes")
    a, b = (np.array([[2.5]], ml_dtypes.bfloat16) for _ in range(2))
    text = "mmad(dtype=bfloat16, m=1, n=1, k=1)"
    assert aicjit.compile(text)(a, b) == 6.25 == aicjit.mmad(a, b) == aicjit.mmad(a.view(np.uint16), b.view(np.uint16))
    assert aicjit.compile(text)(a[0, 0], 2) == 5
    chain = aicjit.op("mmad", dtype=ml_dtypes.bfloat16, m=1, n=1, k=1)
    assert aicjit.compile(chain)(a, b) == 6.25


# ---- what is told ----


def test_warnings():
    """What is legal but hardly meant, once for each kernel, from the line that calls."""
    src = np.ones((1, 4, 16), np.int32)
    text = "fixpipe(src=int32, dst=%s, nSize=16, mSize=4, srcStride=4, dstStride=16, quantPre=REQ8, deqScalar=quant(1.0, 0, %s))"
    kernel = aicjit.compile(text % ("uint8", "int8"))
    with pytest.warns(aicjit.AdviceWarning, match="deqScalar.*says by bit 46") as caught:
        kernel(src)
    assert caught[0].filename == __file__
    with pytest.warns(aicjit.AdviceWarning, match="says by bit 46"):
        aicjit.reference(text % ("uint8", "int8"), src)
    with pytest.warns(aicjit.AdviceWarning, match="says by bit 46"):
        aicjit.compile(text % ("int8", "uint8")).call_batch(np.stack([src, src]))
    chain = CONV + " | fixpipe(src=int32, dst=int8, quantPre=VREQ8)"
    words = aicjit.quant_words(np.ones(16), 0, "uint8")
    x, w = np.ones((1, 4, 5, 32), np.int8), np.ones((1, 2, 2, 16, 32), np.int8)
    packing = aicjit.compile(chain)
    with pytest.warns(aicjit.AdviceWarning, match="cbufWorkspace: the word of column 0"):
        packing(x, packing.pack(w), words)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        kernel(src)  # was told
        aicjit.compile(text % ("uint8", "uint8"))(src)
    with pytest.warns(aicjit.AdviceWarning, match="tuning file"):
        aicjit.compile(CONV, context=aicjit.Context(tuning_db="/no/such/file", threads=1))
