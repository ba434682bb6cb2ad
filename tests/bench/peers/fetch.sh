#!/usr/bin/env bash
# fetch.sh FOLDER: fetches what the benchmarks compare with from Python's package index into FOLDER, as far as it can be
# had, and tells what is missing. Nothing else is touched; what is there is not fetched again.
#
#   onednn/include, onednn/lib    a recent oneDNN. Its own package wants SYCL devices; another package carries a plain
#                                 library that needs the system's OpenMP runtime only
#   venv                          a virtual environment with onnxruntime and ncnn, for frameworks.py
set -uo pipefail
export LC_ALL=C

folder=${1:?usage: $0 FOLDER}
onednn_library='paddlepaddle==3.3.1' # has oneDNN 3.6.2
onednn_headers='onednn-devel==2025.0.0' # 3.6
frameworks=(onnxruntime ncnn onnx numpy)
mkdir -p "$folder" || exit 2
work=$(mktemp -d -p "$folder")
trap 'rm -rf "$work"' EXIT
missing=0

fail() { # WHAT: with the last line of the log
    printf 'peers: %s: %s\n' "$1" "$(tail -n 1 "$work/log")" >&2
    missing=1
}

python() { "$folder/venv/bin/python" "$@" >>"$work/log" 2>&1; }

# The library's package is made for one version of Python at a time; any does, as no Python loads it.
fetch_onednn() {
    local wheel header
    python -m pip download --quiet --no-deps --only-binary=:all: --platform manylinux1_x86_64 --python-version 3.11 \
        --implementation cp --abi cp311 -d "$work" "$onednn_library" || return 1
    python -m pip download --quiet --no-deps --only-binary=:all: -d "$work" "$onednn_headers" || return 1
    for wheel in "$work"/*.whl; do
        python -m zipfile -e "$wheel" "$work/content" || return 1
    done
    header=$(find "$work/content" -path '*/include/oneapi/dnnl/dnnl.h' | head -n 1)
    mkdir -p "$work/onednn/lib"
    { cp -r "${header%/oneapi/dnnl/dnnl.h}" "$work/onednn/include" &&
        cp "$work/content/paddle/libs/libdnnl.so.3" "$work/onednn/lib/"; } >>"$work/log" 2>&1 || return 1
    rm -rf "$folder/onednn"
    mv "$work/onednn" "$folder/onednn"
}

: >"$work/log"
if [ ! -x "$folder/venv/bin/pip" ] && ! python3 -m venv "$folder/venv" >"$work/log" 2>&1; then
    fail "no virtual environment (Debian: python3-venv)"
    exit 1
fi
if [ ! -f "$folder/onednn/lib/libdnnl.so.3" ]; then
    if [ "$(uname -m)" != x86_64 ]; then
        echo "no package for $(uname -m)" >"$work/log"
        fail "oneDNN cannot be had"
    elif ! fetch_onednn; then
        fail "oneDNN cannot be had"
    fi
fi
for framework in "${frameworks[@]}"; do
    python -c "import $framework" || python -m pip install --quiet --only-binary=:all: "$framework" ||
        fail "$framework cannot be had"
done
exit "$missing"
