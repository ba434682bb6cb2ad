#!/usr/bin/env bash
# interface.sh BUILD [--update]: what programs that were compiled against kept headers rely on (tools/interface.md). There
# is no tag to take them from: tests/interface/kept.inc is a copy of the public headers as one file, kept.txt the sizes of
# structures, offsets of members and numbers in it, kept.symbols the exported functions with their versions. Today's
# headers must have all of that; structures may have grown at the end. A program built against kept.inc runs with today's
# library. --update makes the three anew: for a version that keeps nothing of the one before.
set -euo pipefail
export LC_ALL=C AIC_CACHE=off

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$(cd "$1" && pwd)
kept=$root/tests/interface
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
failed=0

check() {
    if "${@:2}"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $1"
    fi
}

python3 "$kept/layout.py" header "$root" >"$work/today.h"
python3 "$kept/layout.py" list "$work/today.h" >"$work/today.txt"
nm -D --defined-only "$build/libaicjit.so" | awk '$2 != "A" { print $3 }' | sort >"$work/today.symbols"
if [ "${2:-}" = --update ]; then
    cp "$work/today.h" "$kept/kept.inc"
    cp "$work/today.txt" "$kept/kept.txt"
    cp "$work/today.symbols" "$kept/kept.symbols"
fi

# Lines of kept.txt that today's list lacks. Sizes may have become larger, not smaller.
lost() {
    awk 'NR == FNR { now[$1 " " $2] = $3 " " $4; next }
         !($1 " " $2 in now) { print $1, $2, "is gone"; wrong = 1; next }
         { split(now[$1 " " $2], today, " ") }
         $1 == "size" ? today[1] + 0 < $3 + 0 : $1 == "member" ? today[1] != $3 || today[2] != $4 : today[1] != $3 {
             print $1, $2, "was", $3, $4 ", is", now[$1 " " $2]; wrong = 1 }
         END { exit wrong }' "$work/today.txt" "$kept/kept.txt"
}
# Members that are new lie behind the size that the structure had: a program of then has none of their bytes.
grown_at_the_end() {
    awk 'NR == FNR { if ($1 == "size") size[$2] = $3; if ($1 == "member") known[$2] = 1; next }
         $1 == "member" && !($2 in known) { split($2, part, "."); if (part[1] in size && $3 + 0 < size[part[1]] + 0) {
             print $2, "lies at", $3, "within the", size[part[1]], "bytes that were there"; wrong = 1 } }
         END { exit wrong }' "$kept/kept.txt" "$work/today.txt"
}
symbols_stay() { comm -23 "$kept/kept.symbols" "$work/today.symbols" >"$work/gone"; ! [ -s "$work/gone" ] || { cat "$work/gone"; return 1; }; }
# A structure that crosses the interface begins with its size, but for those that never change (tools/interface.md).
begins_with_size() {
    awk '$1 == "size" { all[$2] = 1 } $1 == "member" && $2 ~ /\.size$/ && $3 == 0 && $4 == 8 { sub(/\.size$/, "", $2); has[$2] = 1 }
         END { for (s in all) if (!(s in has) && s !~ /^aic_(allowed|finding|axis|quant)$/) { print s, "does not"; wrong = 1 } exit wrong }' \
        "$work/today.txt"
}
old_program_runs() {
    cc -std=c11 -Wall -Wextra -Werror -include "$kept/kept.inc" -o "$work/program" "$kept/program.c" -L "$build" -laicjit \
        "-Wl,-rpath,$build" && "$work/program"
}

check "sizes, offsets and numbers of kept.txt are there" lost
check "structures have grown at the end" grown_at_the_end
check "no exported function is gone" symbols_stay
check "structures begin with their size" begins_with_size
check "the list is not empty" test "$(wc -l <"$kept/kept.txt")" -gt 500
check "kept.txt is that of kept.inc" diff "$kept/kept.txt" <(python3 "$kept/layout.py" list "$kept/kept.inc")
check "a program of then runs today" old_program_runs

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
