#!/usr/bin/env bash
# references.sh BUILD: the references share no code with the generator: what a reference calls is in frontend/reference/ or
# on a short list, what it includes are public headers and its own folder; and nothing of the folder reaches the generator.
# BUILD was made by Ninja.
set -euo pipefail
export LC_ALL=C

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
objects="$1/CMakeFiles/aicjit_objects.dir"
generator="$1/CMakeFiles/aicjit_generator_objects.dir"
passed=0
failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Messages of errors, and what the public headers say of element types. stage.h is what a specification is, as data.
allowed_calls='aic_fail aic_fail_memory aic_dtype_size'
allowed_headers='^frontend/(include/aic|reference)/|^frontend/core/(diag|stage|thread)\.h$'

# check NAME FILE: one test; the lines of the file explain a failure.
check() {
    if [ ! -s "$2" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $1"
        sed 's/^/  /' "$2"
    fi
}

# symbols KIND PART FOLDER: "SYMBOL SOURCE" of the library's own names, KIND U (used) or D (defined) in the objects of a
# part in a folder. Objects of sources that are there no more do not count. One nm looks at all: starting it costs most.
symbols() {
    (cd "$root" && find "$3" -name '*.c' | sort) | while read -r source; do
        [ ! -f "$2/$source.o" ] || echo "$source.o"
    done | (cd "$2" && xargs -r nm -A --format=posix) | awk -v kind="$1" '
        $2 ~ /^aic_/ && ($3 == "U") == (kind == "U") { sub(/\.o:$/, "", $1); print $2, $1 }'
}

symbols U "$objects" frontend/reference >"$work/calls"
symbols D "$objects" frontend/reference >"$work/own"
{ symbols U "$objects" codegen && symbols U "$generator" codegen; } >"$work/generator"
for list in calls own generator; do
    [ -s "$work/$list" ] || echo "the list of $list is empty" >"$work/empty"
done
touch "$work/empty"
check "there is something to look at" "$work/empty"

tr ' ' '\n' <<<"$allowed_calls" >"$work/allowed"
awk 'FILENAME != ARGV[3] { known[$1] = 1; next } !($1 in known) { print $2 " calls " $1 }' \
    "$work/allowed" "$work/own" "$work/calls" >"$work/strange"
check "references call each other and $allowed_calls only" "$work/strange"

awk 'FILENAME == ARGV[1] { own[$1] = 1; next } $1 in own { print $2 " calls " $1 }' "$work/own" "$work/generator" >"$work/back"
check "the generator calls no reference" "$work/back"

bash "$root/tests/checks/dependencies.bash" "$1" >"$work/pairs"
for folder in frontend/reference codegen; do
    grep -q "^$folder/[^\t]*"$'\t'"frontend/include/aic/" "$work/pairs" || echo "no source in $folder includes a public header"
done >"$work/unread"
check "the dependencies are there" "$work/unread"
awk -F '\t' -v allowed="$allowed_headers" '$1 ~ /^frontend\/reference\// && $2 !~ /^\// && $2 !~ allowed {
    print $1 " includes " $2 }' "$work/pairs" >"$work/includes"
check "references include public headers, their own and messages" "$work/includes"
awk -F '\t' '$1 ~ /^codegen\// && $2 ~ /^frontend\/reference\// { print $1 " includes " $2 }' "$work/pairs" >"$work/included"
check "the generator includes nothing of a reference" "$work/included"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
