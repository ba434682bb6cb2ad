"""The examples of the package run, and leave their pictures."""

import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "tools" / "python" / "examples"


def test_filters(tmp_path):
    image = pytest.importorskip("PIL.Image")
    picture = np.random.default_rng(1).integers(0, 256, (40, 50, 3)).astype(np.uint8)
    image.fromarray(picture).save(tmp_path / "in.png")
    program = [sys.executable, str(EXAMPLES / "filters.py"), str(tmp_path / "in.png"), str(tmp_path / "out")]
    done = subprocess.run(program, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "the reference gives the same bits" in done.stdout
    names = ["all", "blur", "emboss", "horizontal", "laplace", "negative", "sharpen", "vertical"]
    assert sorted(os.listdir(tmp_path / "out")) == [name + ".png" for name in names]
    blurred = np.asarray(image.open(tmp_path / "out" / "blur.png"))
    assert blurred.shape == picture.shape and blurred.std() < picture.std() / 2
