#!/usr/bin/env bash
# run.sh BUILD: the tests of the Python package, with the library in BUILD, by the first Python that has NumPy and pytest.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$(cd "$1" && pwd)
for python in "$build/venv/bin/python" python3 /usr/bin/python3; do
    "$python" -c 'import numpy, pytest' 2>/dev/null && break
    python=
done
if [ -z "$python" ]; then
    echo "no Python with NumPy and pytest: install python3-numpy and python3-pytest (tools/dev setup does)"
    echo "0 passed, 1 failed"
    exit 1
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
status=0
# No test is wrong for taking long: of one that stands still the log says where, and whoever waits decides.
PYTHONPATH="$build/python" "$python" -m pytest -q -rs -p no:cacheprovider -o faulthandler_timeout=300 "$root/tests/python" 2>&1 |
    tee "$log" || status=$?
count() { { grep -oE "[0-9]+ $1" "$log" || true; } | tail -n 1 | awk '{ print $1 + 0; found = 1 } END { if (!found) print 0 }'; }
passed=$(count passed)
failed=$(($(count failed) + $(count 'errors?')))
if [ "$status" -ne 0 ] && [ "$failed" -eq 0 ]; then failed=1; fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
