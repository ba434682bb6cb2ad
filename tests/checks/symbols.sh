#!/usr/bin/env bash
# symbols.sh BUILD [--update]: compares what BUILD/libaicjit.so exports with cmake/symbols.txt and with the functions that
# the public header declares. --update rewrites the list: a change of the interface is seen in review.
set -euo pipefail
export LC_ALL=C

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$1
list="$root/cmake/symbols.txt"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
failed=0

# check NAME COMMAND...: one test; what the command prints explains a failure.
check() {
    if "${@:2}"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $1"
    fi
}

# No version node, no symbol of another library.
nm -D --defined-only --format=posix "$build/libaicjit.so" | awk '$2 != "A" { sub(/@.*/, "", $1); print $1 }' |
    sort >"$work/exported"
if [ "${2:-}" = --update ]; then
    cp "$work/exported" "$list"
fi
# "NAME POINTERS", the number of pointers among the parameters. Every declaration of the header is marked AIC_API, so it
# begins with the visibility attribute.
printf '#include <aic/aic.h>\n#include <aic/tool.h>\n' | cc -E -P -I "$root/frontend/include" -x c - | tr '\n' ' ' | tr ';' '\n' |
    sed -n 's/.*visibility("default"))) [^(]*\b\(aic_[a-z0-9_]*\)(\(.*\))/\1 \2/p' |
    awk '{
        name = $1
        $1 = ""
        count = split($0, parameter, ",")
        for (i = 1; i <= count; i++) pointers[name] += parameter[i] ~ /[*[]/
        print name, pointers[name]
    }' | sort >"$work/signatures"
cut -d ' ' -f 1 "$work/signatures" >"$work/declared"
# Functions with more pointers than tests/null_calls.def has rows for them.
{
    sed -nE 's/^(REFUSED|ACCEPTED|ANSWERED)\((aic_[a-z0-9_]*),.*/row \2/p' "$root/tests/null_calls.def"
    cat "$work/signatures"
} | awk '
    $1 == "row" { rows[$2]++; next }
    $2 > rows[$1] + 0 { print $1 " has " $2 " pointers and " rows[$1] + 0 " rows" }' >"$work/untested"
# The static library has no map to hide behind: all its external names carry the prefix, too.
nm --defined-only --extern-only --format=posix "$build/libaicjit.a" | awk '!/:$/ && NF > 1 && $1 !~ /^aic_/ { print $1 }' |
    sort -u >"$work/strangers"

# Targets can be linked without LLVM and without the generator.
objects="$build/CMakeFiles/aicjit_objects.dir"
objects_of() { (cd "$root" && find "$@" -name '*.c') | sed "s|.*|$objects/&.o|"; } # a build folder may hold older ones
objects_of codegen/target | xargs -d '\n' nm --undefined-only --format=posix |
    awk '$2 == "U" && $1 ~ /^LLVM|^aic_/ { print $1 }' | sort -u >"$work/needed"
objects_of codegen/target frontend | xargs -d '\n' nm --defined-only --extern-only --format=posix |
    awk 'NF > 1 { print $1 }' | sort -u >"$work/provided"

no_strangers() { ! grep -v '^aic_' "$1"; }
one_version() { readelf --dyn-syms -W "$1" | awk '$8 ~ /^aic_/ && $7 != "UND" && $8 !~ /@@AICJIT_/ { print $8; wrong = 1 } END { exit wrong }'; }
check "every exported symbol has a version" one_version "$build/libaicjit.so"
check "something is exported" test -s "$work/exported"
check "every exported symbol begins aic_" no_strangers "$work/exported"
check "the library exports what cmake/symbols.txt lists" diff "$list" "$work/exported"
check "the header declares what cmake/symbols.txt lists" diff "$list" "$work/declared"
check "NULL is tested for every pointer of every function" diff /dev/null "$work/untested"
check "every external symbol of libaicjit.a begins aic_" diff /dev/null "$work/strangers"
check "codegen/target is compiled" test -s "$work/needed"
check "codegen/target needs nothing but frontend/" diff /dev/null <(comm -23 "$work/needed" "$work/provided")

# Thread-local storage: its static form may find no room in dlopen, its dynamic form ends the process without memory.
# A sanitizer brings its own.
no_thread_local_storage() {
    nm -D "$build/libaicjit.so" | grep -E '__(asan|tsan)_init' >/dev/null ||
        ! readelf -lW "$build/libaicjit.so" | grep -w TLS
}
never_unloaded() { readelf -dW "$1" | grep -w NODELETE >/dev/null; }
check "no thread-local storage" no_thread_local_storage
check "the library is never unloaded" never_unloaded "$build/libaicjit.so"

# Each row of the table of LLVM's functions is called by somebody.
sed -n 's/^AIC_LLVM(\(.*\))$/\1/p' "$root/codegen/llvm/api.def" | sort >"$work/rows"
(cd "$root" && grep -rhoE '\bLLVM[A-Z][A-Za-z0-9]+\b' --include='*.[ch]' codegen) | sort -u >"$work/called"
check "no row of codegen/llvm/api.def is superfluous" diff /dev/null <(comm -23 "$work/rows" "$work/called")

# The generator's module has one door, and the library does not know LLVM; unless the generator is linked in.
module=$(find "$build" -maxdepth 1 -name 'libaicjit-codegen.so.*' ! -name '*.parts')
if [ -n "$module" ]; then
    nm -D --defined-only --format=posix "$module" | cut -d ' ' -f 1 >"$work/door"
    check "the module exports one symbol" diff <(echo aic_generator_module) "$work/door"
    check "the module is never unloaded" never_unloaded "$module"
    readelf -dW "$build/libaicjit.so" | grep -E 'NEEDED.*(LLVM|stdc)' >"$work/heavy" || true
    check "the library needs no LLVM" diff /dev/null "$work/heavy"
    nm -D --undefined-only --format=posix "$build/libaicjit.so" | grep -E '^(LLVM|_Z)' >"$work/direct" || true
    check "the library refers to none of LLVM's functions" diff /dev/null "$work/direct"
fi

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
