"""The example ResNet-50 on a small network of the same layers: every result against integers in NumPy."""

import pathlib
import sys

import numpy as np
import pytest

import aicjit

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
def test_every_layer(tmp_path, channels, size, seed):
    layers = small_network(channels)
    generator = np.random.default_rng(seed)
    picture = generator.integers(0, 256, (size, size, 3), dtype=np.uint8)
    constants, results = model.build(layers, picture, seed)
    names = network.write(tmp_path / "every", layers, constants, (size, size), every=True)
    net = aicjit.Network.open(tmp_path / "every", context=aicjit.Context(threads=1))
    for _ in range(2):  # nothing remains from the run before
        given = net(network.image(picture))
    for name, layer in names.items():
        ours = network.canonical(given[name])
        assert np.array_equal(ours, results[layer.name]), layer
        assert ours.std() > 0, layer
    network.write(tmp_path / "last", layers, constants, (size, size))
    last = aicjit.Network.open(tmp_path / "last")
    assert np.array_equal(last(network.image(picture)), results["logits"])
    assert last.info.arena_bytes < last.info.buffer_bytes
    assert {network.result_of(kernel.output) for kernel in last.info.kernels} == set(names)


def test_another_picture(tmp_path):
    """The constants were fitted to the first one; the integers are right for any."""
    layers = small_network(32)
    generator = np.random.default_rng(4)
    first, second = generator.integers(0, 256, (2, 64, 64, 3), dtype=np.uint8)
    constants, _ = model.build(layers, first, 4)
    names = network.write(tmp_path, layers, constants, first.shape[:2], every=True)
    results = model.run(layers, constants, second)
    given = aicjit.Network.open(tmp_path)(network.image(second))
    for name, layer in names.items():
        assert np.array_equal(network.canonical(given[name]), results[layer.name]), layer
