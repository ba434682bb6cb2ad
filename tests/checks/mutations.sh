#!/usr/bin/env bash
# mutations.sh: whether every line that a deliberate mistake of tests/mutate changes, or one that is listed as none to be
# noticed, is in its file still. The mistakes themselves take twenty minutes: `tools/dev mutate`.
set -euo pipefail
export LC_ALL=C

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
passed=0
failed=0
file=""

# has FILE LINE: but for blanks.
has() {
    if grep -Fxq -e "$2" <(sed -E 's/^[ \t]+//; s/[ \t]+$//' "$root/$1"); then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED $1 has no line: $2"
    fi
}

while IFS= read -r line; do
    if [[ $line =~ ^[0-9]+\ ([^ ]+)\  ]]; then
        file=${BASH_REMATCH[1]}
    elif [[ $line == "- "* ]]; then
        has "$file" "${line#- }"
    fi
done <"$root/tests/mutate/mutations.txt"
while IFS= read -r line; do
    if [[ $line =~ ^\ {4}([^:]+):\ (.*):\ (arithmetic|compare|constant|drop|logic|negate|swap|truth):\  ]]; then
        has "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}"
    fi
done <"$root/tests/mutate/survivors.txt"
[ "$passed" -gt 0 ] || failed=$((failed + 1))
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
