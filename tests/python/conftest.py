"""What the tests of the package share."""

import os

os.environ["AIC_CACHE"] = "off"  # every kernel is made here

import numpy as np
import pytest


@pytest.fixture
def random():
    return np.random.default_rng(7)
