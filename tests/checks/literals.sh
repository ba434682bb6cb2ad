#!/usr/bin/env bash
# literals.sh: no number ends in a suffix with a small l, which looks like the digit 1, or in one of mixed cases. clang-tidy's
# cert-dcl16-c, which the library's sources were looked at by, finds less and took a tenth of the static analysis.
set -euo pipefail
export LC_ALL=C

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$root"

# Not within a name or the format %3llu.
number='(^|[^A-Za-z0-9_.%])(0[xX][0-9a-fA-F.]+([pP][-+]?[0-9]+)?|0[bB][01]+|\.?[0-9][0-9.]*([eE][-+]?[0-9]+)?)'
suffix='([uU]?l[lL]?[uU]?|[uU]?Ll[uU]?|LL?u|uLL?)([^A-Za-z0-9_]|$)'

# wrong: "FILE:LINE:TEXT" of such numbers and of suffixes that a macro joins to a number.
wrong() {
    grep -rnE "$number$suffix|## *$suffix" "$@" || true
}

passed=0
failed=0
check() { # NAME LINES
    if [ -z "$2" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf 'FAILED: %s\n%s\n' "$1" "$2"
    fi
}

check 'suffixes of numbers are L, LL, UL and ULL' "$(wrong --include='*.[ch]' --include='*.def' --include='*.inc' \
    frontend codegen runtime tools tests)"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
