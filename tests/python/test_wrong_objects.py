"""Every public function with every kind of wrong object in every place: a TypeError, a ValueError or the library's own
error, and nothing else; never a crash. What happens to be right is allowed, too."""

import gc
import inspect

import numpy as np
import pytest

import aicjit

ADD = "tensor_arithmetic(op=BM_ADD, shape=[1,1,1,4])"
X, W = np.ones((1, 4, 5, 32), np.int8), np.ones((1, 2, 2, 16, 32), np.int8)
A = np.ones((1, 1, 1, 4), np.float32)
CONV = "conv2d(dtype=int8, fm_shape=[1,4,5,32], kernel_shape=[1,2,2,16,32])"
PICTURE, WEIGHTS = np.zeros((2, 2, 3), np.uint8), np.zeros((4, 4, 1, 1), np.int8)
CONTEXT = aicjit.Context(threads=1, cache="off")
KERNEL, CONVOLUTION = aicjit.compile(ADD, context=CONTEXT), aicjit.compile(CONV, context=CONTEXT)
SPEC = aicjit.Spec(ADD)
LAYER = aicjit.Conv2d(np.ones((16, 32, 1, 1), np.float32), x_scale=1, y_scale=1, context=CONTEXT)


OWN = "what the object itself raises"


def raises(self, *arguments, **named):
    raise RuntimeError(OWN)


class Liar:
    """Says that it is an array."""

    __class__ = np.ndarray
    dtype, shape, nbytes, size, ndim = np.dtype(np.float32), (1, 1, 1, 4), 16, 4, 4
    flags = type("Flags", (), {"carray": True, "c_contiguous": True, "aligned": True, "writeable": True})()


class LyingBytes(bytearray):
    __class__ = np.ndarray
    dtype, shape, nbytes, size, ndim, flags = Liar.dtype, Liar.shape, 16, 4, 4, Liar.flags


class LyingArray(np.ndarray):
    shape, nbytes, flags, ctypes = (1, 1, 1, 4), 16, Liar.flags, None


CYCLE = []
CYCLE.append(CYCLE)
READ_ONLY = A.copy()
READ_ONLY.flags.writeable = False

WRONG = [
    None, True, -1, 0, 1, 1.5, -0.0, float("nan"), float("inf"), 2**31, 2**63, 2**64, -(2**80), 10**400, 1j, "", "x", "\0",
    ADD + "\0", "\ud800", "%s%n", "conv2d(" * 5000, b"x", bytearray(b"xyz"), memoryview(b""), [], ["a", "b"], [[1], [2, 3]],
    [None], CYCLE, (), (1, 2, 3, 4), {}, set(), object(), type, int, lambda *a: None, range(4), slice(1), Ellipsis,
    NotImplemented, np.array(None), np.array(["a"], object), np.array([2**80], object), np.array("text"), np.array([b"x"]),
    np.datetime64(1, "s"), np.timedelta64(1, "s"), np.array([1], "M8[s]"), np.complex64(1), np.str_("x"), np.bool_(True),
    np.float32(1), np.float16(1), np.int8(-1), np.uint64(2**63), np.longdouble(1), np.void(b"1234"), np.array(1.5),
    np.zeros((0,), np.float32), np.zeros((1, 0, 4), np.int8), np.zeros((4, 0), np.uint8), READ_ONLY, A[..., ::2], A.T[::-1],
    A.astype(">f4"), np.zeros(17, np.uint8)[1:].view(np.float32), np.ones((2, 2)).view(np.matrix), np.ma.masked_array([1.0]),
    np.broadcast_to(np.float32(1), (1, 1, 1, 4)), np.zeros(4, [("a", "f4")]), np.recarray((2,), [("a", "i4")]),
    np.float32, np.dtype("f4"), np.dtype([("a", "f4")]), KERNEL, CONTEXT, SPEC, KERNEL._handle, CONTEXT._handle,
    CONVOLUTION.pack(W), aicjit, aicjit.Error("x"), Liar(), LyingBytes(b"1234"),
    np.zeros(1, np.float32).view(LyingArray), type("Far", (), {"__dlpack__": raises, "__dlpack_device__": raises})(),
    type("Bad", (), {"__array_interface__": property(raises)})(), type("Index", (), {"__index__": raises, "__float__": raises})(),
    type("Interface", (), {"__array_interface__": {"version": 3, "shape": (-1,), "typestr": "x", "data": (0, False)}})(),
    type("Path", (), {"__fspath__": raises})(), type("Str", (str,), {"encode": raises})("x"),
]


def bench(*arguments, **named):
    """With numbers of seconds it takes so long."""
    return aicjit.bench(*arguments, min_time=0, **named)


def texpands(*arguments, **named):
    """Tiles may be larger than any memory."""
    return aicjit.texpands(*arguments, rows=1, cols=8, **named)


# Each with arguments that are right.
CALLS = [
    (aicjit.compile, (SPEC,), {"schedule": None, "context": CONTEXT}),
    (aicjit.compile_many, ([SPEC],), {"threads": 1, "schedule": None, "progress": None, "errors": "raise", "context": CONTEXT}),
    (aicjit.Kernel, (SPEC, None, CONTEXT), {}),
    (aicjit.Spec, (ADD,), {}),
    (aicjit.op, ("mmad",), {"dtype": "int8", "m": 1, "k": 1, "n": 1, "accumulate": "cube"}),
    (SPEC.__or__, (ADD,), {}),
    (SPEC.operands, (CONTEXT,), {}),
    (SPEC.work, (CONTEXT,), {}),
    (aicjit.Spec("mmad(dtype=int8, m=1, k=1, n=1)").result_layout, (CONTEXT,), {}),
    (aicjit.explain, (SPEC,), {"schedule": None, "isa": "generic", "context": CONTEXT}),
    (aicjit.dump, (SPEC, "plan"), {"schedule": None, "isa": "generic", "triple": None, "context": CONTEXT}),
    (aicjit.reference, (SPEC, A, A), {"out": np.zeros(4, np.float32), "context": CONTEXT}),
    (aicjit.trace, (CONV, X, W), {"at": (0, 0, 0), "out": np.zeros((1, 16, 16), np.int32), "context": CONTEXT}),
    (aicjit.diagnose, (CONV, X, W), {"out": np.zeros((1, 16, 16), np.int32), "context": CONTEXT}),
    (aicjit.tune, (SPEC,), {"effort": "estimate", "budget": 1e-3, "trials": 1, "seed": 1, "db": "", "again": False,
                            "progress": None, "context": CONTEXT}),
    (bench, (KERNEL, A, A), {"schedule": None, "context": CONTEXT}),
    (aicjit.random_operands, (SPEC, 1), {"context": CONTEXT}),
    (aicjit.pack_picture, (PICTURE,), {"c0": 4, "zero_point": 1, "layout": "NHWC"}),
    (aicjit.pack_weights, (WEIGHTS,), {"c0": 4}),
    (aicjit.rules, ("conv2d",), {}),
    (aicjit.quant_word, (1.0, 1, "int8"), {}),
    (aicjit.quant_words, ([1.0], 1, "int8"), {}),
    (aicjit.unpack_accumulators, (np.zeros((1, 16, 16), np.int32), 4, 4), {}),
    (aicjit.Context, (), {"isa": "generic", "threads": 1, "tuning_db": "", "cache": "off", "cache_dir": None,
                          "cache_bytes": 0, "cache_kernels": 0, "cache_disk_bytes": 0, "verbose": 0, "profile": None,
                          "passes": None, "limits": "host", "overflow": "ieee", "rounding": "floor", "lanes": 32,
                          "lane_bytes": 4096, "ub_bytes": 4096, "l1_bytes": 4096}),
    (KERNEL, (A, A), {"out": np.zeros(4, np.float32)}),
    (lambda **named: KERNEL(**named), (), {"input0": A, "input1": A}),
    (CONVOLUTION, (X, W), {}),
    (KERNEL.call_batch, (np.stack([A, A]), A), {"out": np.zeros((2, 4), np.float32)}),
    (KERNEL.pack, (A, "input0"), {}),
    (CONVOLUTION.pack, (W, "weight"), {}),
    (KERNEL.dump, ("plan",), {}),
    (aicjit.Packed, (KERNEL, 1, A), {}),
    (aicjit.conv2d, (X, W), {"pad": 0, "stride": (1, 1), "pad_value": 0.0, "dtype": "int8", "out": None, "context": CONTEXT}),
    (aicjit.mmad, (X[0, 0], W[0, 0, 0].T.copy()), {"accumulate": "cube", "context": CONTEXT}),
    (aicjit.fixpipe, (np.ones((1, 4, 16), np.int32), aicjit.quant_words(np.ones(16))),
     {"dst": "int8", "quantPre": "VREQ8", "nSize": 16, "context": CONTEXT}),
    (aicjit.tik_fixpipe, (np.ones((1, 4, 16), np.float32), np.ones(16, np.float32)),
     {"dst": "float16", "quantize_params": "fp322fp16", "context": CONTEXT}),
    (aicjit.nd2nz, (np.ones((16, 16), np.float16),), {"context": CONTEXT}),
    (aicjit.load_data, (np.ones(512, np.float16),), {"repeatTimes": 1, "context": CONTEXT}),
    (aicjit.load_data_transpose, (np.ones(1024, np.int8),), {"repeatTimes": 1, "context": CONTEXT}),
    (aicjit.transdata, (WEIGHTS,), {"src": "OIHW", "dst": "HWIO", "shape": None, "context": CONTEXT}),
    (aicjit.tensor_arithmetic, (A, A), {"op": "BM_ADD", "select_value": 0.0, "out": None, "context": CONTEXT}),
    (aicjit.tensor_arithmetic_quantized, (np.ones((1, 1, 1, 1, 4), np.int8),) * 2, {"op": "BM_ADD", "context": CONTEXT}),
    (aicjit.Conv2d, (np.ones((16, 4, 1, 1), np.float32), np.ones(16, np.float32)),
     {"x_scale": 1.0, "y_scale": 1.0, "pad": 0, "stride": 1, "relu": False, "dtype": "int8", "dilation": 1, "x_zero": 0,
      "y_zero": 0, "slope": None, "context": CONTEXT}),
    (LAYER, (X,), {"out": None}),
    (aicjit.max_pool, (X, 2), {"stride": 1, "pad": 0, "context": CONTEXT}),
    (aicjit.average_pool, (X, 2), {"stride": 1, "pad": 0, "include_pad": False, "zero": 0, "context": CONTEXT}),
    (aicjit.to_blocks, (A[0], 1.0, 0, "int8"), {"c0": 32, "context": CONTEXT}),
    (aicjit.from_blocks, (X, 32, 1.0, 0), {"context": CONTEXT}),
    (aicjit.Network.open, ("nowhere",), {"context": CONTEXT}),
    (texpands, (2.5,), {"dtype": "float32", "v_row": None, "pad": "0", "context": CONTEXT}),
]
ALLOWED = (TypeError, ValueError, MemoryError, aicjit.Error)


def name_of(function):
    return getattr(function, "__qualname__", None) or type(function).__name__


@pytest.mark.parametrize("function, arguments, named", CALLS, ids=[name_of(call[0]) for call in CALLS])
@pytest.mark.filterwarnings("ignore")
def test_wrong_objects(function, arguments, named):
    places = list(range(len(arguments))) + list(named)
    for place in places:
        for wrong in WRONG:
            given, others = list(arguments), dict(named)
            (given if isinstance(place, int) else others)[place] = wrong
            try:
                function(*given, **others)
            except ALLOWED:
                pass
            except Exception as error:
                if str(error) == OWN:  # not ours
                    continue
                raise AssertionError("%s with %.60r in place of %s: %r" % (name_of(function), wrong, place, error)) from error
    gc.collect()


def test_all_that_is_public_is_called():
    called = {name_of(function).split(".")[-1] for function, *_ in CALLS}
    alone = {"version", "llvm_version", "isa_levels"}  # take nothing
    functions = {name for name in aicjit.__all__ if inspect.isfunction(getattr(aicjit, name))}
    assert functions - alone <= called, functions - alone - called


def test_messages_name_what_was_wrong():
    for message, call in (
        ("context: is Kernel, neither an aicjit.Context nor None", lambda: aicjit.compile(ADD, context=KERNEL)),
        ("a specification is operator text or made by op(), not Kernel", lambda: aicjit.compile(KERNEL)),
        ("schedule: 5 is int, not text", lambda: aicjit.compile(ADD, schedule=5)),
        ("operator text: ", lambda: aicjit.compile(ADD + "\0").spec),
        ("threads: 4294967297 is outside of 0..", lambda: aicjit.Context(threads=2**32 + 1)),
        ("threads: True is bool, not an integer", lambda: aicjit.Context(threads=True)),
        ("cache_dir: 5 is int, not text", lambda: aicjit.Context(cache_dir=5)),
        ("lanes: 1.5 is float, not an integer", lambda: aicjit.Context(lanes=1.5)),
        ("trials: '4' is str, not an integer", lambda: aicjit.tune(ADD, trials="4")),
        ("min_time: nan is outside of 0..86400", lambda: aicjit.bench(KERNEL, min_time=float("nan"))),
        ("min_time: '1' is str, not a number", lambda: aicjit.bench(KERNEL, min_time="1")),
        ("progress: 5 is int, no function", lambda: aicjit.tune(ADD, progress=5)),
        ("pack_picture: c0: 4.0 is float, not an integer", lambda: aicjit.pack_picture(PICTURE, c0=4.0)),
        ("pack_picture: zero_point: 4294967296 is outside", lambda: aicjit.pack_picture(PICTURE, zero_point=2**32)),
        ("pack_picture: picture: [1, 3, 20, 20] looks like [N, C, H, W]",
         lambda: aicjit.pack_picture(np.zeros((3, 20, 20), np.uint8))),
        ("quant_words: offset: is of float64, not of integers", lambda: aicjit.quant_words([1.0], 1.5)),
        ("quant_words: scale: is of complex128, not of numbers", lambda: aicjit.quant_words([1j])),
        ("quant_words: offset: is of shape [3], which does not fit [2] of scale",
         lambda: aicjit.quant_words([1.0, 2.0], [1, 2, 3])),
        ("quant_words: scale: ", lambda: aicjit.quant_words([[1.0], [1.0, 2.0]])),
        ("tensor_arithmetic: out (output): is read-only", lambda: KERNEL(A, A, out=READ_ONLY)),
        ("conv2d: at: 5 is int, not a list", lambda: aicjit.trace(CONV, X, W, at=5)),
        ("tensor_arithmetic: there is no operand input2", lambda: KERNEL(A, input2=A)),
        ("tensor_arithmetic: input0: is given twice", lambda: KERNEL(A, A, input0=A)),
        ("tensor_arithmetic: output: is the output: give it as out", lambda: KERNEL(A, A, output=A)),
        ("tensor_arithmetic: 1 inputs given, 2 needed: input0, input1", lambda: KERNEL(input1=A)),
    ):
        with pytest.raises(aicjit.Error) as caught:
            call()
        assert str(caught.value).startswith(message), str(caught.value)


def test_pictures_of_another_order():
    random = np.random.default_rng(3)
    for shape in ((3, 20, 24), (1, 20, 24), (2, 4, 20, 24)):
        picture = random.integers(0, 256, shape).astype(np.uint8)
        last = np.moveaxis(picture, -3, -1)
        with pytest.raises(aicjit.OperandValueError, match='say layout="NCHW" if it is'):
            aicjit.pack_picture(picture, c0=32)
        packed = aicjit.pack_picture(picture, c0=4, zero_point=128, layout="NCHW")
        assert np.array_equal(packed, aicjit.pack_picture(np.ascontiguousarray(last), c0=4, zero_point=128))
        assert np.array_equal(packed, aicjit.pack_picture(last, c0=4, zero_point=128, layout="NHWC"))
        assert aicjit.pack_picture(picture, layout="NHWC").shape[-4:-1] == (1,) + shape[-3:-1]
