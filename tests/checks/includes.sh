#!/usr/bin/env bash
# includes.sh BUILD: the one direction of the architecture, read from the dependencies that the compiler reported, so that
# a header that comes by way of another counts, too. BUILD was made by Ninja.
#
# A row: sources that match the first pattern, those of the second excepted, depend on no file that matches the third.
# Paths are relative to the repository; of the files outside it only LLVM's matter.
set -euo pipefail
export LC_ALL=C

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
rules='
frontend/          -               ^(codegen|runtime|tools|tests)/
codegen/           -               ^(runtime|tools|tests)/
runtime/           -               ^(tools|tests)/
frontend/          -               /llvm-c/
runtime/           -               /llvm-c/
codegen/target/    -               /llvm-c/|^codegen/([a-z_]+\.|contraction/|epilogue/|family/|llvm/|loops/|ops/)
codegen/parts/     -               ^codegen/(contraction|epilogue|loops|ops)/|^codegen/(plan|shape|kernel|codegen)\.h|^frontend/core/(spec|op)\.h
tools/             tools/ready/main.c /llvm-c/|^(codegen|runtime|tests)/|^frontend/(core|text|numeric|layout|ops|reference|random|pto)/
tools/ready/       -               /llvm-c/|^(runtime|tests)/
tests/bench/       tests/bench/layers/fixed_job.c /llvm-c/|^(codegen|runtime)/|^frontend/(core|text|numeric|layout|ops|reference|random|pto)/
'
passed=0
failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

bash "$root/tests/checks/dependencies.bash" "$1" >"$work/pairs"

while read -r sources except forbidden; do
    [ -n "$sources" ] || continue
    if awk -F '\t' -v sources="$sources" -v except="$except" -v forbidden="$forbidden" '
        index($1, sources) == 1 && $1 != except {
            seen = 1
            if ($2 ~ forbidden && ($2 !~ /^\// || $2 ~ /\/llvm-c\//)) { print $1 " depends on " $2; bad = 1 }
        }
        END { if (!seen) print "no source in " sources; exit bad || !seen }' "$work/pairs"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $sources must not include $forbidden"
    fi
done <<<"$rules"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
