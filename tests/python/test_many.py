"""compile_many(): order, threads, errors, progress."""

import asyncio
import threading

import numpy as np
import pytest

import aicjit

SPECS = ["conv2d(dtype=int8, fm_shape=[1,%d,8,32], kernel_shape=[1,2,2,16,32])" % height for height in range(3, 15)]
WRONG = "conv2d(dtype=int8, fm_shape=[1,1,8,32], kernel_shape=[1,2,2,16,32])"


@pytest.mark.parametrize("threads", [None, 1, 3])
def test_kernels_in_order(threads):
    seen = []
    kernels = aicjit.compile_many(iter(SPECS), threads, progress=lambda *told: seen.append(told))
    assert [str(kernel.spec) for kernel in kernels] == SPECS
    assert [done for done, *_ in seen] == list(range(1, len(SPECS) + 1)) and {count for _, count, _ in seen} == {len(SPECS)}
    assert {id(kernel) for *_, kernel in seen} == {id(kernel) for kernel in kernels}
    assert aicjit.compile_many([], threads) == []


def test_threads_work_at_the_same_time(monkeypatch):
    """None of three is done before all are at work."""
    meeting = threading.Barrier(3)
    made = aicjit.Kernel.__init__

    def meet(self, *arguments):
        meeting.wait(60)
        made(self, *arguments)
    monkeypatch.setattr(aicjit.Kernel, "__init__", meet)
    assert len(aicjit.compile_many(SPECS[:3], 3)) == 3


def test_tasks_of_asyncio():
    """Calls on other threads: the interpreter's lock is given up meanwhile."""
    kernel, x, w = aicjit.compile(SPECS[0]), np.ones((1, 3, 8, 32), np.int8), np.ones((1, 2, 2, 16, 32), np.int8)

    async def all_at_once():
        return await asyncio.gather(*[asyncio.to_thread(kernel, feature_map=i * x, weight=w) for i in range(1, 6)])
    for i, result in enumerate(asyncio.run(all_at_once()), 1):
        assert np.array_equal(result, kernel(i * x, w)) and result.any()


def test_errors():
    with pytest.raises(aicjit.ArgumentError, match=r"^specs\[%d\]: conv2d: " % len(SPECS)) as raised:
        aicjit.compile_many([*SPECS, WRONG])
    assert all(message.startswith("specs[%d]: " % len(SPECS)) for message in raised.value.messages)
    with pytest.raises(aicjit.ArgumentTypeError, match=r"^specs\[1\]: "):
        aicjit.compile_many([SPECS[0], 5], 1)
    made = aicjit.compile_many([SPECS[0], WRONG, SPECS[1]], errors="return")
    assert isinstance(made[1], aicjit.ArgumentError) and [str(made[i].spec) for i in (0, 2)] == SPECS[:2]
    text, number = aicjit.compile_many(["conv2d(", 5], errors="return")
    assert isinstance(text, aicjit.ArgumentError) and isinstance(number, aicjit.ArgumentTypeError)
    with aicjit.Context() as context:
        pass
    for message, call in (("specs: ", lambda: aicjit.compile_many(SPECS[0])), ("specs: 5 is int", lambda: aicjit.compile_many(5)),
                          ("progress: 5 is int, no function", lambda: aicjit.compile_many([], progress=5)),
                          ("threads: 0 is outside of 1..1024", lambda: aicjit.compile_many([], 0)),
                          ("errors: 'x' is none of raise, return", lambda: aicjit.compile_many([], errors="x")),
                          ("context: is closed", lambda: aicjit.compile_many(SPECS, context=context))):
        with pytest.raises(aicjit.Error) as caught:
            call()
        assert str(caught.value).startswith(message)


def test_progress_that_raises_ends_the_work():
    seen = []

    def stop(done, count, what):
        seen.append(done)
        raise KeyboardInterrupt
    with pytest.raises(KeyboardInterrupt):
        aicjit.compile_many(SPECS, 1, progress=stop)
    assert seen == [1] and not [t for t in threading.enumerate() if t.name.startswith("aicjit.compile_many")]
