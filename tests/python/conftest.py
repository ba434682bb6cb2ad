"""What the tests of the package share."""

import gc
import os

os.environ["AIC_CACHE"] = "off"  # every kernel is made here

import aicjit
import numpy as np
import pytest


LAYOUTS = "test_layouts.py"


def pytest_collection_modifyitems(items):
    """Declarations that differ from the headers can end the interpreter with everything it had to report: first of all."""
    items.sort(key=lambda item: item.path.name != LAYOUTS)


def pytest_exception_interact(node):
    if getattr(node, "path", None) is not None and node.path.name == LAYOUTS:
        node.session.shouldstop = "the package's declarations are not those of the headers"


def pytest_collection_finish():
    """What is there before the first test is nothing that a test waits to see collected, and going through it, which each
    gc.collect() of a test does, takes a hundred times as long as going through what the test has made."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def random():
    return np.random.default_rng(7)


# Of these, every test runs twice: with operands looked at in C where they fit, and always in Python.
CALLING = ("test_kernels", "test_lifetimes", "test_wrong_objects")


def pytest_generate_tests(metafunc):
    if metafunc.module.__name__.rpartition(".")[2] in CALLING:
        metafunc.fixturenames.append("looks")
        metafunc.parametrize("looks", ["in C", "in Python"], indirect=True)


@pytest.fixture
def looks(request, monkeypatch):
    if request.param == "in Python":
        monkeypatch.setattr(aicjit._kernel, "_call_fast", aicjit._fast._does_not_fit)
