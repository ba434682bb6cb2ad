"""What objects are in the interpreter and in notebooks, and of which shape results are."""

import html.parser
import inspect

import numpy as np
import pytest

import aicjit

CONV = "conv2d(dtype=int8, fm_shape=[1,4,5,32], kernel_shape=[1,2,2,32,32])"
CHAIN = CONV + " | fixpipe(src=int32, dst=int8, format=%s, quantPre=VREQ8)"
X, W, WORDS = np.ones((1, 4, 5, 32), np.int8), np.ones((1, 2, 2, 32, 32), np.int8), aicjit.quant_words([0.1] * 32)


@pytest.mark.parametrize("spec, inputs, shape", [
    (CHAIN % "NZ", (X, W, WORDS), (1, 1, 3, 4, 32)),
    (CHAIN % "ROW_MAJOR", (X, W, WORDS), (1, 3, 4, 32)),
    ("mmad(dtype=int8, m=17, k=32, n=16) | fixpipe(src=int32, dst=float16, quantPre=VDEQF16)",
     (np.ones((17, 32), np.int8), np.ones((32, 16), np.int8), aicjit.quant_words([0.1] * 16)), (17, 16)),
    (CONV, (X, W), (2, 16, 16)),  # the document's
    ("conv2d(dtype=int8, fm_shape=[1,5,5,32], kernel_shape=[1,2,2,32,32])", (np.ones((1, 5, 5, 32), np.int8), W), (2, 16, 16)),
])
def test_results_have_the_shape_of_their_layout(spec, inputs, shape):
    kernel = aicjit.compile(spec)
    for _ in range(2):  # looked at in Python, then in C
        assert kernel(*inputs).shape == shape
    y, told = kernel(*inputs), aicjit.reference(spec, *inputs)
    assert told.shape == shape and np.array_equal(y, told) and y.any()
    batch = kernel.call_batch(np.stack([inputs[0]] * 3), *inputs[1:])
    assert batch.shape == (3, *shape) and all(np.array_equal(one, y) for one in batch)
    out = np.zeros(kernel.output.shape, y.dtype)  # what is given keeps its shape
    assert kernel(*inputs, out=out) is out and np.array_equal(out.ravel(), y.ravel())


def test_a_result_is_the_next_input():
    y = aicjit.compile(CHAIN % "NZ")(X, W, WORDS)
    assert aicjit.compile("conv2d(dtype=int8, fm_shape=[1,3,4,32], kernel_shape=[1,1,1,16,32])")(
        y, np.ones((1, 1, 1, 16, 32), np.int8)).any()


class Tags(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.open, self.text, self.rows = [], "", 0
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attributes):
        self.open.append(tag)
        self.rows += tag == "tr"

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


def test_notebooks():
    kernel = aicjit.compile(CHAIN % "NZ", context=aicjit.Context(threads=1))
    shown = Tags(kernel._repr_html_())
    assert kernel.explain().text in shown.text and "cbufWorkspace" in shown.text and shown.rows == 5
    assert kernel.explain().text == Tags(kernel.explain()._repr_html_()).text
    found = aicjit.tune(CONV, effort="measure", budget=0.2, trials=2, db=None, context=aicjit.Context(threads=1))
    shown = Tags(found._repr_html_())
    assert shown.rows == len(found.candidates) + 1 and found.schedule in shown.text and found.outcome in shown.text
    assert "median_ns" in Tags(aicjit.bench(kernel, min_time=0)._repr_html_()).text
    trace = aicjit.trace(CONV, X, W, at=(0, 0, 0))
    assert Tags(trace._repr_html_()).text == trace.text
    assert "&" not in Tags(aicjit.Spec(CONV + " | x<y&z")._repr_html_()).text.replace("&z", "")
    diagnosis = aicjit.diagnose(CHAIN % "NZ", X, W, WORDS * 0 + aicjit.quant_word(100.0))
    assert Tags(diagnosis._repr_html_()).rows == len(diagnosis.counts) + 1 > 1
    with aicjit.Context(threads=1) as context:
        kernel = aicjit.compile(CONV, context=context)
    assert "context: is closed" in Tags(kernel._repr_html_()).text


def test_reprs_say_what_objects_are():
    context = aicjit.Context(threads=1, readings="simulator")
    assert repr(context).startswith("<aicjit.Context(threads=1, readings='simulator'): isa ")
    kernel = aicjit.compile(CONV, context=context)
    assert CONV in repr(kernel) and kernel.schedule in repr(kernel)
    assert repr(kernel.pack(W)).startswith("<aicjit.Packed weight, int8[1,2,2,32,32]: ")
    assert repr(aicjit.compile("mmad(dtype=int8, m=4, k=32, n=16)").pack(np.ones((4, 32), np.int8), "a")) \
        == "<aicjit.Packed a, int8[4,32]: array itself>"
    context.close()
    kernel.close()
    assert repr(context).endswith(", closed>") and repr(kernel).endswith(", closed>")
    for name in aicjit.__all__:
        made = getattr(aicjit, name)
        if inspect.isclass(made) and not issubclass(made, BaseException) and name not in ("Conv2d", "Network"):
            assert made.__repr__ is not object.__repr__, name
