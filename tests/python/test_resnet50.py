"""The example ResNet-50 on a small network of the same layers: every result against integers in NumPy."""

import pathlib
import sys

import numpy as np
import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools" / "python" / "examples"))

from resnet50 import model, network  # noqa: E402
from resnet50.topology import Layer  # noqa: E402

CLASSES = 40


def small_network(channels):
    """A first layer, pooling, a bottleneck with a wider shortcut, one that steps, and the end."""
    wide = 2 * channels
    return [
        Layer("conv", "first", ("picture",), (channels, 3, 7, 7), 2, 3, True),
        Layer("max_pool", "pooled", ("first",), None, 2, 1),
        Layer("conv", "a", ("pooled",), (channels, channels, 1, 1), 1, 0, True),
        Layer("conv", "b", ("a",), (channels, channels, 3, 3), 1, 1, True),
        Layer("conv", "c", ("b",), (wide, channels, 1, 1)),
        Layer("conv", "shortcut", ("pooled",), (wide, channels, 1, 1)),
        Layer("add", "sum", ("c", "shortcut"), None, 1, 0, True),
        Layer("conv", "d", ("sum",), (channels, wide, 3, 3), 2, 1, True),
        Layer("conv", "e", ("d",), (wide, channels, 1, 1)),
        Layer("conv", "stepped", ("sum",), (wide, wide, 1, 1), 2, 0),
        Layer("add", "last", ("e", "stepped"), None, 1, 0, True),
        Layer("average_pool", "mean", ("last",)),
        Layer("dense", "logits", ("mean",), (CLASSES, wide)),
    ]


@pytest.mark.parametrize("channels, size, seed", [(32, 32, 1), (64, 48, 2), (96, 80, 3)])
def test_every_layer(channels, size, seed):
    layers = small_network(channels)
    generator = np.random.default_rng(seed)
    picture = generator.integers(0, 256, (size, size, 3), dtype=np.uint8)
    constants, results = model.build(layers, picture, seed)
    net = network.Network(layers, constants, picture, 1)
    for _ in range(2):  # nothing remains from the run before
        logits = net.run(picture)
    for step in net.steps:
        ours = network.canonical(step.result)
        assert np.array_equal(ours, results[step.layer.name]), step.layer
        assert ours.std() > 0, step.layer
    assert logits.shape == (CLASSES,)


def test_another_picture():
    """The constants were fitted to the first one; the integers are right for any."""
    layers = small_network(32)
    generator = np.random.default_rng(4)
    first, second = generator.integers(0, 256, (2, 64, 64, 3), dtype=np.uint8)
    constants, _ = model.build(layers, first, 4)
    net = network.Network(layers, constants, first, 1)
    results = model.run(layers, constants, second)
    net.run(second)
    for step in net.steps:
        assert np.array_equal(network.canonical(step.result), results[step.layer.name]), step.layer
