#!/usr/bin/env bash
# onnx.sh BUILD: the tests of aicjit.onnx, with the library in BUILD. They need onnx and onnxruntime from PyPI, in an
# environment of their own in BUILD; where that cannot be reached nothing is tested, and that is said.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$(cd "$1" && pwd)
work=$(mktemp -d)
log=$work/log
trap 'rm -rf "$work"' EXIT

python=$(bash "$root/tests/python/fetched.sh" "$build")
if [ -z "$python" ] || ! "$python" -c 'import mypy, onnx, onnxruntime, pytest' >"$log" 2>&1; then
    echo "networks from ONNX: not run, PyPI cannot be reached, or lacks packages"
    echo "0 passed, 0 failed"
    exit 0
fi
status=0
# Products of NumPy's are the models of small layers: threads that wait for the next one take more than they save.
# A slow machine has all the time it needs, as in run.sh.
PYTHONPATH="$build/python" OPENBLAS_NUM_THREADS=1 "$python" -m pytest -q -rs -p no:cacheprovider -o faulthandler_timeout=300 \
    "$root/tests/python/networks" 2>&1 | tee "$log" || status=$?
count() { { grep -oE "[0-9]+ $1" "$log" || true; } | tail -n 1 | awk '{ print $1 + 0; found = 1 } END { if (!found) print 0 }'; }
passed=$(count passed)
failed=$(($(count failed) + $(count 'errors?')))
if [ "$status" -ne 0 ] && [ "$failed" -eq 0 ]; then failed=1; fi
# What it finds out of Python's and NumPy's modules, which is most of its work, the test of the wheel finds out, too.
kept=${AIC_TEST_CACHE:-$work}
types() {
    cd "$build/python"
    flock "$kept/mypy.lock" "$python" -m mypy --strict --cache-dir="$kept/mypy" aicjit/onnx aicjit/_net.py aicjit/_layers.py
}
if (types) >"$log" 2>&1; then
    passed=$((passed + 1))
else
    echo "FAILED: mypy --strict"
    cat "$log"
    failed=$((failed + 1))
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
