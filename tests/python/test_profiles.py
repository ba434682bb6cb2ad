"""The golden files of profiles are what tests/golden/profiles.py writes."""
import pathlib
import subprocess
import sys

GOLDEN = pathlib.Path(__file__).resolve().parent.parent / "golden"


def test_files(tmp_path):
    subprocess.run([sys.executable, str(GOLDEN / "profiles.py"), str(tmp_path)], check=True)
    written = sorted(tmp_path.iterdir())
    assert [f.name for f in written] == sorted(f.name for f in GOLDEN.glob("profile_*.txt"))
    for file in written:
        assert file.read_text() == (GOLDEN / file.name).read_text(), file.name
    assert "aicjit" not in (GOLDEN / "profiles.py").read_text() # it computes everything itself
