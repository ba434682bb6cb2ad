#!/usr/bin/env bash
# mutations.sh: whether every line that a deliberate mistake of tests/mutate changes, or one that is listed as none to be
# noticed, is in its file still. The mistakes themselves take twenty minutes: `tools/dev mutate`.
set -euo pipefail
export LC_ALL=C

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
file=""

# "FILE", a tab and the line.
while IFS= read -r line; do
    if [[ $line =~ ^[0-9]+\ ([^ ]+)\  ]]; then
        file=${BASH_REMATCH[1]}
    elif [[ $line == "- "* ]]; then
        printf '%s\t%s\n' "$file" "${line#- }"
    fi
done <"$root/tests/mutate/mutations.txt" >"$work/wanted"
while IFS= read -r line; do
    if [[ $line =~ ^\ {4}([^:]+):\ (.*):\ (arithmetic|compare|constant|drop|logic|negate|swap|truth):\  ]]; then
        printf '%s\t%s\n' "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}"
    fi
done <"$root/tests/mutate/survivors.txt" >>"$work/wanted"

# The lines of a file, but for blanks around them, are read when it is named first.
awk -v root="$root/" '
    {
        tab = index($0, "\t")
        file = substr($0, 1, tab - 1)
        wanted = substr($0, tab + 1)
        if (!(file in read)) {
            read[file] = 1
            while ((getline line <(root file)) > 0) {
                sub(/^[ \t]+/, "", line)
                sub(/[ \t]+$/, "", line)
                has[file, line] = 1
            }
            close(root file)
        }
        if ((file, wanted) in has) { passed++; next }
        failed++
        print "FAILED " file " has no line: " wanted
    }
    END {
        if (!passed) failed++
        print passed + 0 " passed, " failed + 0 " failed"
        exit failed > 0
    }' "$work/wanted"
