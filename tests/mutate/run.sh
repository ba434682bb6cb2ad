#!/usr/bin/env bash
# run.sh TREE [NUMBER...]: makes the deliberate mistakes of mutations.txt, or those with these numbers, one after the
# other in the sources of TREE, a copy of the repository with a configured build in TREE/build, and runs the tests that
# must notice each. A mistake counts as passed when it was caught: a test failed, or a process came to a bad end.
# MUTATIONS in the environment: another list.
set -uo pipefail
export LC_ALL=C AIC_CACHE=off

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tree=$1
shift
build="$tree/build"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
passed=0
failed=0

# change FILE OLD NEW: replaces the first line that is OLD but for the blanks around it; fails where there is none.
change() {
    OLD=$2 NEW=$3 awk '
        { line = $0; sub(/^[ \t]+/, "", line) }
        !done && line == ENVIRON["OLD"] { print ENVIRON["NEW"]; done = 1; next }
        { print }
        END { exit !done }' "$1" >"$1.changed" && mv "$1.changed" "$1"
}

# check_corpus NAME: every line of the file, with several contents.
check_corpus() {
    local seed
    for seed in 1 2 3 4 5 6; do
        "$build/aicjit" check --batch "$tree/tests/corpus/$1.txt" --isa all --seed "$seed" || return
    done
}

# counted SUITE: its tests of what the emulator alone counts; most suites have none, which is no failure.
counted() {
    AIC_EMULATE=force CK_RUN_CASE=counted "$build/aicjit-tests" "$1" ||
        grep -q '^no test is of the suite and case that CK_RUN_SUITE and CK_RUN_CASE name$' "$log"
}

# is_caught TEST...: whether one of the tests fails.
is_caught() {
    local test emulator="$build/libaicjit-emulate.so"
    for test in "$@"; do
        case $test in
        corpus:*) LD_PRELOAD=$emulator check_corpus "${test#*:}" ;;
        fuzz:*) LD_PRELOAD=$emulator "$build/aicjit" check --fuzz 400 --seed 1 --op "${test#*:}" --isa all ;;
        script:*) AIC_BUILD=$build bash "$here/../cli/${test#*:}.sh" "$build" ;;
        *) "$build/aicjit-tests" "$test" && counted "$test" ;;
        esac >"$log" 2>&1 || return 0
    done
    return 1
}

# mutate NUMBER FILE WHAT OLD NEW TEST...
mutate() {
    local number=$1 file="$tree/$2" what=$3 old=$4 new=$5 verdict=caught
    shift 5
    cp -p "$file" "$file.kept"
    if ! change "$file" "$old" "$new"; then
        verdict="the line is not there"
    elif ! ninja -C "$build" aicjit aicjit-tests >"$log" 2>&1; then
        verdict="does not compile"
    elif ! is_caught "$@"; then
        verdict=SURVIVED
    fi
    rm -f "$file.changed"
    mv "$file.kept" "$file"
    touch "$file" # newer than what was built from it
    if [ "$verdict" = caught ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
    fi
    echo "$number: $what: $verdict"
    [ "$verdict" != "does not compile" ] || grep -m 2 'error:' "$log"
}

number="" file="" tests=() what="" old=""
while IFS= read -r line; do
    case $line in
    [0-9]*)
        read -r number file tests_text <<<"$line"
        read -ra tests <<<"$tests_text"
        ;;
    '= '*) what=${line#= } ;;
    '- '*) old=${line#- } ;;
    '+ '*)
        if [ $# -eq 0 ] || [[ " $* " == *" $number "* ]]; then
            mutate "$number" "$file" "$what" "$old" "${line#+ }" "${tests[@]}"
        fi
        ;;
    esac
done <"${MUTATIONS:-$here/mutations.txt}"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
