#!/usr/bin/env bash
# mutations.sh: whether every line that a deliberate mistake of tests/mutate changes, or one that is listed as none to be
# noticed, is in its file still, and every test that must notice one is there: run.sh takes any failure for noticing. The mistakes themselves take twenty minutes: `tools/dev mutate`.
set -euo pipefail
export LC_ALL=C

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
file=""
missing=0

# exists TEST: a test as run.sh names it.
exists() {
    case $1 in
    corpus:*) [ -f "$root/tests/corpus/${1#*:}.txt" ] ;;
    script:*) [ -f "$root/tests/cli/${1#*:}.sh" ] ;;
    fuzz:*) [ -f "$root/frontend/include/aic/${1#*:}.def" ] ;;
    *) grep -Eq "^AIC_([A-Z]+_)?SUITE\($1\)" "$root/tests/suites.def" ;;
    esac
}

while read -r number _ tests; do
    for test in $tests; do
        exists "$test" || { missing=$((missing + 1)) && echo "FAILED mutation $number: there is no test $test"; }
    done
done < <(grep '^[0-9]' "$root/tests/mutate/mutations.txt")

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
awk -v root="$root/" -v failed="$missing" '
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
