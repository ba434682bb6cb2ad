#!/usr/bin/env bash
# circles.sh BUILD: files of the generator that use each other in a circle, read from the symbols of their objects. A table
# of pointers counts as a use. BUILD was made by Ninja.
#
# A row: in this folder no circle has more files than that, those in folders below included.
set -euo pipefail
export LC_ALL=C

rules='
codegen/contraction/plan/  1
codegen/contraction/       2
codegen/                   5
'
passed=0
failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

objects=$1/CMakeFiles/aicjit_generator_objects.dir
(cd "$objects" && find codegen -name '*.o' -exec nm -A {} +) >"$work/symbols"

while read -r folder most; do
    [ -n "$folder" ] || continue
    if awk -v folder="$folder" -v most="$most" '
        index($1, folder) != 1 { next }
        { file = $1; sub(/\.o:.*/, "", file); files[file] = 1 }
        $(NF - 1) == "U" { uses[file, $NF] = 1; next }
        $(NF - 1) ~ /[TDRB]/ { home[$NF] = file }
        END {
            for (use in uses) {
                split(use, of, SUBSEP)
                if (of[2] in home) { reaches[of[1], home[of[2]]] = 1 }
            }
            for (via in files) for (from in files) if ((from, via) in reaches)
                for (to in files) if ((via, to) in reaches) { reaches[from, to] = 1 }
            for (from in files) {
                circle = ""
                count = 0
                for (to in files) if ((from, to) in reaches && (to, from) in reaches) { circle = circle " " to; count++ }
                if (count > most && !bad) { print "a circle of " count ":" circle; bad = 1 }
                seen = 1
            }
            if (!seen) print "no object in " folder
            exit bad || !seen
        }' "$work/symbols"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $folder has a circle of more than $most files"
    fi
done <<<"$rules"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
