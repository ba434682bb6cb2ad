#!/usr/bin/env bash
# runpath.sh BUILD: where the programs and the library of a build look for libraries: absolute folders only. An empty or
# relative entry means the working folder of whoever starts them.
set -euo pipefail
export LC_ALL=C

passed=0
failed=0
for file in "$1"/libaicjit.so "$1"/libaicjit-codegen.so.* "$1"/aicjit "$1"/aicjit-* "$1"/bench/*; do
    { [ -f "$file" ] && [ "$(head -c 4 "$file" | tail -c 3)" = ELF ]; } || continue
    path=$(readelf -d "$file" | sed -nE 's/.*\((RUNPATH|RPATH)\).*\[(.*)\]$/\2/p')
    if ! awk -v path="$path" 'BEGIN {
        count = split(path, entry, ":")
        for (i = 1; i <= count; i++)
            if (entry[i] !~ /^(\/|\$ORIGIN(\/|$))/) exit 1
    }'; then
        failed=$((failed + 1))
        echo "FAILED: ${file#"$1"/}: \"$path\""
    else
        passed=$((passed + 1))
    fi
done
[ $((passed + failed)) -gt 0 ] || failed=1

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
