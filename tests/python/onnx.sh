#!/usr/bin/env bash
# onnx.sh BUILD: the tests of aicjit.onnx, with the library in BUILD. They need onnx and onnxruntime from PyPI, in an
# environment of their own in BUILD; where that cannot be reached nothing is tested, and that is said.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$(cd "$1" && pwd)
folder=$build/onnx
log=$(mktemp)
trap 'rm -f "$log"' EXIT

if [ ! -f "$folder/complete" ]; then
    rm -rf "$folder"
    python3 -m venv "$folder/venv"
    if ! "$folder/venv/bin/pip" install -q --disable-pip-version-check --no-compile numpy pytest onnx onnxruntime mypy >"$log" 2>&1; then
        echo "networks from ONNX: not run, PyPI cannot be reached"
        echo "0 passed, 0 failed"
        exit 0
    fi
    touch "$folder/complete"
fi
status=0
PYTHONPATH="$build/python" PYTHONDONTWRITEBYTECODE=1 timeout 600 "$folder/venv/bin/python" -m pytest -q -rs \
    -p no:cacheprovider "$root/tests/python/networks" >"$log" 2>&1 || status=$?
cat "$log"
count() { { grep -oE "[0-9]+ $1" "$log" || true; } | tail -n 1 | awk '{ print $1 + 0; found = 1 } END { if (!found) print 0 }'; }
passed=$(count passed)
failed=$(($(count failed) + $(count 'errors?')))
if [ "$status" -ne 0 ] && [ "$failed" -eq 0 ]; then failed=1; fi
if (cd "$build/python" && "$folder/venv/bin/mypy" --strict --cache-dir=/dev/null aicjit/onnx aicjit/_net.py aicjit/_layers.py) \
    >"$log" 2>&1; then
    passed=$((passed + 1))
else
    echo "FAILED: mypy --strict"
    cat "$log"
    failed=$((failed + 1))
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
