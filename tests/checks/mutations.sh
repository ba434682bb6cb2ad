#!/usr/bin/env bash
# mutations.sh: whether every line that a deliberate mistake of tests/mutate changes is in its file still. The mistakes
# themselves take twenty minutes: `tools/dev mutate`.
set -euo pipefail
export LC_ALL=C

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
passed=0
failed=0
file=""

while IFS= read -r line; do
    if [[ $line =~ ^[0-9]+\ ([^ ]+)\  ]]; then
        file=${BASH_REMATCH[1]}
    elif [[ $line == "- "* ]]; then
        if grep -Fxq -e "${line#- }" <(sed -E 's/^[ \t]+//; s/[ \t]+$//' "$root/$file"); then
            passed=$((passed + 1))
        else
            failed=$((failed + 1))
            echo "FAILED $file has no line: ${line#- }"
        fi
    fi
done <"$root/tests/mutate/mutations.txt"
[ "$passed" -gt 0 ] || failed=$((failed + 1))
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
