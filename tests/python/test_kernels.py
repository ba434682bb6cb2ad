"""Kernels from Python: chains, packed weights, batches, threads, what they tell of themselves."""

import ctypes as c
import threading

import numpy as np
import pytest

import aicjit

CONV = "conv2d(dtype=int8, fm_shape=[2,9,8,32], kernel_shape=[2,3,3,32,32], pad=[1,1,1,1])"
CHAIN = CONV + " | fixpipe(src=int32, dst=int8, format=NZ, quantPre=VREQ8, reluEn=true)"
# Types of cores have different schedules for it.
DIFFERS = "conv2d(dtype=float16, fm_shape=[2,10,10,16], kernel_shape=[2,3,3,32,16])"


def operands(random, images=()):
    x = random.integers(-128, 128, images + (2, 9, 8, 32)).astype(np.int8)
    w = random.integers(-128, 128, (2, 3, 3, 32, 32)).astype(np.int8)
    return x, w, aicjit.quant_words(np.linspace(0.0001, 0.001, 32), 3)


def test_chain(random):
    x, w, words = operands(random)
    first = aicjit.op("conv2d", dtype=x.dtype, fm_shape=x.shape, kernel_shape=w.shape, pad=[1] * 4)
    second = aicjit.op("fixpipe", src=np.int32, dst=np.dtype("int8"), format="NZ", quantPre="VREQ8", reluEn=True)
    kernel = aicjit.compile(first | second)
    assert kernel.spec.canonical == aicjit.Spec(CHAIN).canonical == (str(first) | second).canonical
    assert [operand.name for operand in kernel.operands] == ["dst", "feature_map", "weight", "cbufWorkspace"]
    y = kernel(x, w, words)
    assert y.dtype == np.int8 and np.array_equal(y, aicjit.reference(first | second, x, w, words))
    apart = aicjit.fixpipe(aicjit.conv2d(x, w, pad=(1, 1, 1, 1)), words, dst="int8", format="NZ", quantPre="VREQ8",
                           reluEn=True, mSize=72)
    assert np.array_equal(apart, y.ravel())
    assert aicjit.Spec(CHAIN) == aicjit.Spec(CHAIN) and len({aicjit.Spec(CHAIN), aicjit.Spec(CHAIN)}) == 1


def test_longer_chain(random):
    """A bias of the channels, then a maximum with another tensor, then the conversion."""
    x, w, words = operands(random)
    chain = aicjit.op("conv2d", dtype="int8", fm_shape=x.shape, kernel_shape=w.shape, pad=[1] * 4, init_l1out=False,
                      l1out="channel") \
        | aicjit.op("tensor_arithmetic", op="BM_MAX") \
        | aicjit.op("fixpipe", src="int32", dst="int8", format="NZ", quantPre="VREQ8")
    kernel = aicjit.compile(chain)
    names = [operand.name for operand in kernel.operands]
    assert names == ["dst", "feature_map", "weight", "l1out", "input1", "cbufWorkspace"]
    bias = random.integers(-99999, 99999, 32).astype(np.int32)
    floor = random.integers(-99999, 99999, (2, 80, 16)).astype(np.int32).view(np.float32)
    sums = aicjit.conv2d(x, w, pad=(1, 1, 1, 1)) + bias.reshape(2, 1, 16)
    least = aicjit.tensor_arithmetic(sums.view(np.float32), floor, op="BM_MAX")  # compares words as float32
    expected = aicjit.fixpipe(least.view(np.int32), words, dst="int8", format="NZ", quantPre="VREQ8", mSize=72)
    result = kernel(x, kernel.pack(w), bias, floor, words)
    assert np.array_equal(result.ravel(), expected.ravel())
    assert np.array_equal(result, aicjit.reference(chain, x, w, bias, floor, words))


def test_packed(random):
    x, w, words = operands(random)
    kernel = aicjit.compile(CHAIN)
    packed, out = kernel.pack(w), np.zeros(kernel.result_layout[1], np.int8)
    assert np.array_equal(kernel(x, packed, words, out=out), kernel(x, w, words)) and out.any()
    assert kernel.pack(w, "weight").address != packed.address
    assert np.array_equal(aicjit.compile(CHAIN)(x, packed, words), out)  # of an equal kernel
    assert len(packed.identity) == 64 and kernel.pack(w).identity == packed.identity
    other = aicjit.compile(CHAIN.replace("pad=[1,1,1,1]", "pad=[0,0,0,0]"), schedule="schedule(vectors=1)")
    image = other.pack(w)
    if image.identity != packed.identity:
        with pytest.raises(aicjit.Error, match="weight: was packed in the form"):
            kernel(x, image, words)
    c.memset(image.address, 0, 64)
    with pytest.raises(aicjit.Error, match="weight: is no packed image"):
        other(x, image, words)
    with pytest.raises(aicjit.OperandValueError, match="was packed for another operand"):
        kernel(x, w, packed)
    with pytest.raises(aicjit.ArgumentError, match="operand: 'bias' is none of dst, feature_map"):
        kernel.pack(w, "bias")
    kernel = aicjit.compile("transdata(dtype=int8, src=NHWC, dst=NC1HWC0, shape=[1,4,4,32])")
    with pytest.raises(aicjit.ArgumentError, match="name one"):
        kernel.pack(w)
    image = np.ones((1, 4, 4, 32), np.int8)
    assert np.array_equal(kernel(kernel.pack(image, "src")), kernel(image))


@pytest.mark.parametrize("threads", [1, 2])
def test_batch(random, threads):
    context = aicjit.Context(threads=threads)
    xs, w, words = operands(random, (5,))
    kernel = aicjit.compile(CHAIN, context=context)
    expected = np.stack([kernel(x, w, words) for x in xs])
    assert np.array_equal(kernel.call_batch(xs, w, words), expected)
    assert np.array_equal(kernel.call_batch(xs, kernel.pack(w), words), expected)
    out = np.zeros_like(expected)
    assert kernel.call_batch(xs, kernel.pack(w), words, out=out) is out and np.array_equal(out, expected)
    many = np.stack([words] * 5)
    assert np.array_equal(kernel.call_batch(xs, w, many), expected)
    apart = np.zeros((5, 2) + xs.shape[1:], np.int8)[:, 0]  # images with gaps between them
    apart[...] = xs
    assert np.array_equal(kernel.call_batch(apart, w, words), expected)
    assert np.array_equal(kernel.call_batch(xs[0], w, words, out=out), expected[[0] * 5])
    assert kernel.call_batch(xs[:0], w, words).shape == (0,) + expected.shape[1:]
    add = aicjit.compile("tensor_arithmetic(op=BM_ADD, shape=[1,3,4,5])", context=context)
    a = random.standard_normal((7, 1, 3, 4, 5)).astype(np.float32)
    assert np.array_equal(add.call_batch(a, a[0]).reshape(a.shape), a + a[0])


def test_batch_refuses(random):
    xs, w, words = operands(random, (3,))
    kernel = aicjit.compile(CHAIN)
    with pytest.raises(aicjit.ArgumentError, match="no operand has an axis for images"):
        kernel.call_batch(xs[0], w, words)
    with pytest.raises(aicjit.OperandValueError, match="cbufWorkspace: has 2 images, but feature_map has 3"):
        kernel.call_batch(xs, w, np.stack([words] * 2))
    with pytest.raises(aicjit.OperandValueError, match="feature_map: its images are in falling order"):
        kernel.call_batch(xs[::-1], w, words)
    with pytest.raises(aicjit.OperandValueError, match="feature_map: is not in C order"):
        kernel.call_batch(xs.transpose(0, 1, 3, 2, 4).copy().transpose(0, 1, 3, 2, 4), w, words)
    with pytest.raises(aicjit.OperandTypeError, match="feature_map: has elements of uint8, not int8"):
        kernel.call_batch(xs.astype(np.uint8), w, words)
    with pytest.raises(aicjit.OperandValueError, match="out .dst.: has no axis for images"):
        kernel.call_batch(xs, w, words, out=np.zeros(kernel.output.shape, np.int8))
    with pytest.raises(aicjit.ArgumentError, match="dst: stride 0 is less than"):
        kernel.call_batch(xs, w, words, out=np.lib.stride_tricks.as_strided(np.zeros(kernel.output.shape, np.int8),
                                                                           (3,) + kernel.output.shape, (0, 1)))


def test_no_copies(random):
    """What is written through `out` is the caller's memory; inputs are the caller's, too."""
    a = np.zeros((1, 1, 4, 16), np.float32)
    kernel = aicjit.compile("tensor_arithmetic(op=BM_ADD, shape=[1,1,4,16])")
    a += 1
    assert kernel(a, a, out=a) is a and (a == 2).all()  # in place: the addresses are the same


def test_threads_of_python(random):
    """Many threads call one kernel; results are right."""
    x, w, words = operands(random)
    kernel, wrong = aicjit.compile(CHAIN), []
    expected = kernel(x, w, words)

    def work():
        for _ in range(50):
            if not np.array_equal(kernel(x, w, words), expected):
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_the_interpreter_goes_on_during_calls():
    """A call of some tens of milliseconds keeps no other thread from running."""
    context = aicjit.Context(threads=1)
    kernel = aicjit.compile("mmad(dtype=float16, m=1024, n=1024, k=1024)", context=context)
    a = np.ones((1024, 1024), np.float16)
    stop, counts = threading.Event(), [0]

    def count():
        while not stop.is_set():
            counts[0] += 1

    counter = threading.Thread(target=count, daemon=True)
    b = a.copy()
    out = kernel(a, b)
    counter.start()
    try:
        before = counts[0]
        for _ in range(3):
            kernel(a, b, out=out)
        passed = counts[0] - before
    finally:
        stop.set()
        counter.join()
    assert passed > 1000  # with the lock held a thread gets a turn only between calls


def test_what_a_kernel_tells():
    kernel = aicjit.compile(CONV, schedule="schedule(vectors=1)")
    assert "vectors=1" in kernel.schedule and kernel.isa in aicjit.isa_levels()
    assert "define void @" in kernel.ir and ".text" in kernel.asm and kernel.name in kernel.asm
    assert kernel.dump("obj")[:4] == b"\x7fELF" and kernel.dump("plan").startswith("schedule(")
    explained = kernel.explain()
    assert explained.origin == "given" and explained.schedule == kernel.schedule and "candidates" in str(explained)
    assert explained.macs == kernel.spec.work()[0] == 9 * 8 * 9 * 64 * 32 and explained.bytes["memory"] > 0
    assert kernel.cache in ("miss", "memory") and kernel.threads >= 1
    assert "ldr\tq" in aicjit.dump(CONV, "asm", triple="aarch64-linux-gnu", isa="neon")
    assert aicjit.compile(CHAIN).result_layout == ("NC1HWC0", (1, 1, 9, 8, 32))
    assert aicjit.Spec(CONV).exact and not aicjit.Spec("mmad(dtype=float16, m=4, n=4, k=4, accumulate=fast)").exact
    with pytest.raises(aicjit.ArgumentError, match="stage: 'object' is none of"):
        kernel.dump("object")


def test_trace(random):
    x, w, words = operands(random)
    y = aicjit.compile(CONV)(x, w)
    explained = aicjit.trace(CONV, x, w, at=(1, 10, 3))
    assert explained.value == y[1, 10, 3] and str(explained).strip().endswith("= %d" % explained.value)
    with pytest.raises(aicjit.ArgumentError, match="has no element"):
        aicjit.trace(CONV, x, w, at=(2, 0, 0))
    with pytest.raises(aicjit.ArgumentError, match="is outside of"):
        aicjit.trace(CONV, x, w, at=(2**80, 0, 0))


def test_trace_of_every_kind():
    a, b = np.arange(1, 7, dtype=np.float32).reshape(1, 1, 2, 3), np.full(6, 3, np.float32)
    added = aicjit.trace("tensor_arithmetic(op=BM_DIV, shape=[1,1,2,3])", a.reshape(-1), b, at=(0, 0, 1, 1))
    assert added.value == np.float32(5) / np.float32(3) and "to the nearest  [tensor arithmetic" in added.text
    assert added.text.splitlines()[-1].startswith("output[0,0,1,1] = ")
    by_number = aicjit.trace("tensor_arithmetic(op=BM_DIV, shape=[1,1,2,3])", a.reshape(-1), b, at=(4,))
    assert str(by_number) == str(added)
    fast = "mmad(dtype=float16, m=2, k=40, n=16, accumulate=fast)"
    x, y = np.ones((2, 40), np.float16), np.full((40, 16), 0.1, np.float16)
    lines = str(aicjit.trace(fast, x, y, at=(1, 5))).splitlines()
    assert ": right  [right are" in lines[-2] and lines[-2].startswith("  this kernel gave")
    assert any(line.startswith("  bound ") for line in lines) and lines[-1].startswith("c[1,5] = ")


def test_diagnose(random):
    x, w, words = operands(random)
    words = np.full_like(words, aicjit.quant_word(1))
    found = aicjit.diagnose(CHAIN, x, w, words)
    y = aicjit.reference(CHAIN, x, w, words)
    at_limit = (y == 127) | (y == -128)
    assert found.counts["at_limit"] == at_limit.sum() > 0 and found.events.shape == y.shape
    assert ((found.events & found.bit("at_limit") != 0) == at_limit).all()
    first = found.first["at_limit"]
    assert len(first) >= 2 and "at_limit" in str(found) and "unwritten" not in found.counts
    assert sum(found.channels("at_limit").values()) == at_limit.sum()
    with pytest.raises(aicjit.ArgumentError, match="event: 'limit' is none of"):
        found.bit("limit")
    old = aicjit.diagnose("mmad(dtype=int8, m=1, k=1, n=16, init_c=false)", np.ones((1, 1), np.int8),
                          np.ones((1, 16), np.int8), out=np.full((1, 16), 2**31 - 1, np.int32))
    assert old.counts["int_overflow"] == old.counts["old_read"] == 16 and old.first["int_overflow"] == (0, 0)
    assert repr(aicjit.diagnose("texpands(dtype=int32, rows=1, cols=8)", 3)) == "<aicjit.Diagnosis {}>"


def test_tune(tmp_path):
    db, seen = tmp_path / "tuning.txt", []

    def until_two_are_measured(so_far, left):
        seen.append(so_far)
        return sum(candidate.samples > 0 for candidate in so_far.candidates) < 2

    result = aicjit.tune(CONV, budget=60, trials=4, db=db, progress=until_two_are_measured)
    assert result.measured >= 2 and seen and result.candidates and result.legal > 10
    assert any(candidate.is_default for candidate in result.candidates)
    assert aicjit.compile(CONV, context=aicjit.Context(tuning_db=str(db))).schedule.startswith("schedule(")
    stopped = aicjit.tune(CONV, budget=30, db="", progress=lambda so_far, left: False)
    assert stopped.stopped

    def fails(so_far, left):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        aicjit.tune(CONV, budget=30, db="", progress=fails)
    assert aicjit.tune(CONV, effort="estimate").outcome == "unmeasured"
    with pytest.raises(aicjit.ArgumentError, match="effort"):
        aicjit.tune(CONV, effort="much")


def test_bench():
    figures = aicjit.bench(CHAIN, min_time=0.05)
    assert figures.median_ns >= figures.min_ns > 0 and figures.macs == figures["macs"] > 0
    assert set(figures) >= {"spec", "kernel", "isa", "threads", "macs", "bytes", "median_ns", "min_ns", "p90_ns",
                            "gmacs_per_s", "gbytes_per_s", "compile_ns", "make_ns", "parts", "cache"}
    assert set(figures.parts) == {"ready", "loaded", "made"} and figures.make_ns >= 0


def test_figures_of_bench(monkeypatch):
    """Figures are what the calls take, however little that is: nothing is taken off them."""
    monkeypatch.setattr(aicjit._tools, "_time_calls", lambda run, handle, pointers, count, calls: 23 * calls)
    figures = aicjit.bench("mmad(dtype=int8, m=4, n=16, k=32)", min_time=0)
    assert figures.median_ns == figures.min_ns == figures.p90_ns == 23 and figures.gmacs_per_s == 4 * 16 * 32 / 23


@pytest.mark.parametrize("timed", (aicjit._fast.timer(), aicjit._tools._time_in_python), ids=("c", "python"))
def test_timed_calls(monkeypatch, timed):
    """All calls are made, with what is given; the first that fails ends them, and bench() says why."""
    made = []

    @c.CFUNCTYPE(c.c_int, c.c_void_p, c.c_void_p, c.c_size_t)
    def run(*given):
        made.append(given)
        return 0 if len(made) < 9 else 1

    if timed is None:
        pytest.skip("the file of C is not there")
    pointers = (c.c_void_p * 2)()
    assert timed(run, 7, pointers, 2, 5) >= 0 and made == [(7, c.addressof(pointers), 2)] * 5
    assert timed(run, 7, pointers, 2, 9) == -1 and len(made) == 9
    monkeypatch.setattr(aicjit._tools, "_time_calls", lambda *call: -1)
    with pytest.raises(aicjit.Error):
        aicjit.bench("mmad(dtype=int8, m=4, n=16, k=32)", min_time=0)


def test_readings_of_contexts():
    spec = ("fixpipe(src=int32, dst=int8, format=ROW_MAJOR, nSize=16, mSize=1, srcStride=1, dstStride=16, quantPre=REQ8, "
            "deqScalar=0x4000BF800000, reluEn=true)")
    src = np.full(16, -5, np.int32)
    for options, value in (({}, 0), ({"relu": "after"}, 5), ({"readings": "simulator"}, 5),
                           ({"readings": "simulator", "relu": "before"}, 0)):
        context = aicjit.Context(**options)
        assert (aicjit.reference(spec, src, context=context) == value).all()
        kernel = aicjit.compile(spec, context=context)
        assert (kernel(src) == value).all()
    half = "fixpipe(src=float32, dst=float16, nSize=16, mSize=1, srcStride=1, dstStride=16, quantPre=F322F16, reluEn=true)"
    with pytest.raises(aicjit.Error, match="only the reference computes relu_zero=product"):
        aicjit.compile(half, context=aicjit.Context(relu_zero="product"))
    with pytest.raises(aicjit.Error, match='"docs" is none of document, simulator, script, library'):
        aicjit.Context(readings="docs")
    with pytest.raises(TypeError, match="readings"):
        aicjit.Context(readings=3)


def test_contexts():
    context = aicjit.Context(isa="generic", threads=3, overflow="ieee", cache="off")
    assert context.isa == "generic" and context.threads == 3
    assert aicjit.compile(CONV, context=context).isa == "generic"
    a, b = np.full((1, 1), 60000, np.float32), np.full((1, 1), 2, np.float32)
    text = "mmad(dtype=float32, m=1, n=1, k=1) | fixpipe(src=float32, dst=float16, quantPre=F322F16)"
    assert np.isinf(aicjit.compile(text, context=context)(a, b)).all()
    assert np.isinf(aicjit.reference(text, a, b, context=context)).all()
    assert (aicjit.compile(text)(a, b) == 65504).all()
    with pytest.raises(aicjit.ArgumentError, match="overflow: 'wrap' is none of"):
        aicjit.Context(overflow="wrap")
    with pytest.raises(TypeError, match="no option 'speed'"):
        aicjit.Context(speed=9)
    with pytest.raises(aicjit.ArgumentError, match="isa"):
        aicjit.Context(isa="mmx")
    schedules = set()
    for machine in ("golden-cove", "zen4", "skylake-avx512"):
        context = aicjit.Context(machine=machine, isa="generic")
        assert context.machine == machine
        schedules.add(aicjit.compile(DIFFERS, context=context).schedule)
    assert len(schedules) == 3
    with pytest.raises(aicjit.ArgumentError, match="machine: \"pentium\" is no type of core; types: zen4, "):
        aicjit.Context(machine="pentium")


def test_pictures_and_words(random):
    picture = random.integers(0, 256, (5, 6, 3)).astype(np.uint8)
    for c0 in (4, 32):
        packed = aicjit.pack_picture(picture, c0=c0, zero_point=128)
        assert packed.shape == (1, 5, 6, c0) and not packed[..., 3:].any()
        assert np.array_equal(packed[0, ..., :3].astype(int), picture.astype(int) - 128)
    assert aicjit.pack_picture(np.stack([picture] * 2)).shape == (2, 1, 5, 6, 32)
    assert aicjit.quant_word(1.0) == 0x3F800000 | 1 << 46
    words = aicjit.quant_words([1.0, 2.0], [-1, 3], "uint8")
    assert words.dtype == np.uint64 and [int(w) for w in words] == [0x3F800000 | 0x1FF << 37, 0x40000000 | 3 << 37]
    assert aicjit.quant_word(0.1) == 0x3DCCC000 | 1 << 46  # to the nearest of 11 bits, down here
    assert aicjit.quant_word(0.3) == 0x3E99A000 | 1 << 46  # and up here
    for scale in (0, -0.0, -1, float("nan"), float("inf"), 1e60, 1e-45, [1, 0]):
        with pytest.raises(ValueError, match="quant_word: scale: .* is not in 2\\^-126"):
            aicjit.quant_words(scale)
    for offset in (256, -257, 2**32):
        with pytest.raises(ValueError, match="offset: %d is outside of -256..255" % offset):
            aicjit.quant_word(1.0, offset)
    with pytest.raises(TypeError):
        aicjit.quant_words([1.0, 2.0], 1.5)
    with pytest.raises(aicjit.OperandTypeError, match="picture: is float64"):
        aicjit.pack_picture(picture / 2)
    with pytest.raises(aicjit.OperandValueError, match="weights: has 2 axes"):
        aicjit.pack_weights(np.zeros((3, 3), np.int8))
    y = aicjit.conv2d(aicjit.pack_picture(picture, c0=4), np.ones((1, 1, 1, 16, 4), np.int8))
    image = aicjit.unpack_accumulators(y, 5, 6)
    assert np.array_equal(image[..., 0], np.minimum(picture, 127).astype(int).sum(-1))
