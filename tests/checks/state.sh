#!/usr/bin/env bash
# state.sh BUILD: whether everything that the library and the generator's module can write outside of the stack and the
# heap is in state.txt, with a reason, and the other way round: what belongs to a context must not be the process's.
set -euo pipefail
export LC_ALL=C

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if grep -q '^AIC_SANITIZE:.*=.' "$build/CMakeCache.txt"; then
    echo "not run: sanitizers keep state of their own"
    echo "0 passed, 0 failed"
    exit
fi

# "SOURCE OBJECT" of every object in a section that is writable when the program runs. Compilers number what is static in
# a function, or put the function's name before it. One readelf looks at all, and names each file: starting it costs most.
(cd "$here/../.." && find codegen frontend runtime -name '*.c') | while read -r source; do
    for object in "$build"/CMakeFiles/aicjit_*objects.dir/"$source.o"; do
        [ ! -e "$object" ] || echo "$object"
    done
done | xargs -d '\n' readelf -SsW | awk '
    /^File: / { source = $0; sub(/^.*\/aicjit_[a-z_]*objects\.dir\//, "", source); sub(/\.o$/, "", source); next }
    /^ *\[ *[0-9]+\]/ { sub(/^ *\[ */, ""); split($0, part, /[] ]+/); section[part[1]] = part[2]; next }
    $4 == "OBJECT" || $4 == "TLS" {
        where = $7 == "COM" ? ".bss" : section[$7]
        if (where !~ /^\.(bss|data|tbss|tdata)/ || where ~ /^\.data\.rel\.ro/) next
        name = $8
        sub(/\.[0-9]+$/, "", name)
        sub(/^.*\./, "", name)
        print source, name
    }' | sort -u >"$work/found"
awk '!/^#/ && NF { print $1, $2 }' "$here/state.txt" | sort >"$work/listed"
awk '!/^#/ && NF && NF < 4 { print "state.txt: no reason: " $0 }' "$here/state.txt" >"$work/bare"

passed=0
failed=0
check() { # NAME COMMAND...
    if "${@:2}"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $1"
    fi
}
check "some state is found" test -s "$work/found"
check "state.txt lists what can be written (> is new, < is gone)" diff "$work/listed" "$work/found"
check "each has a reason" diff /dev/null "$work/bare"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
