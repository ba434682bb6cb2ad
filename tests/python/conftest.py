"""What the tests of the package share."""

import os

os.environ["AIC_CACHE"] = "off"  # every kernel is made here

import numpy as np
import pytest


LAYOUTS = "test_layouts.py"


def pytest_collection_modifyitems(items):
    """Declarations that differ from the headers can end the interpreter with everything it had to report: first of all."""
    items.sort(key=lambda item: item.path.name != LAYOUTS)


def pytest_exception_interact(node):
    if getattr(node, "path", None) is not None and node.path.name == LAYOUTS:
        node.session.shouldstop = "the package's declarations are not those of the headers"


@pytest.fixture
def random():
    return np.random.default_rng(7)
