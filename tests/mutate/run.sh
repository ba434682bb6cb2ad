#!/usr/bin/env bash
# run.sh TREE [NUMBER...]: makes the deliberate mistakes of mutations.txt, or those with these numbers, one after the
# other in the sources of TREE, a copy of the repository with a configured build in TREE/build, and runs the tests that
# must notice each. A mistake counts as passed when it was caught: a test that passes without it failed, or a process came to
# a bad end of its own.
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

# run_test TEST: what it prints is in the log.
run_test() {
    local emulator="$build/libaicjit-emulate.so"
    case $1 in
    corpus:*) LD_PRELOAD=$emulator check_corpus "${1#*:}" ;;
    fuzz:*) LD_PRELOAD=$emulator "$build/aicjit" check --fuzz 400 --seed 1 --op "${1#*:}" --isa all ;;
    script:*) AIC_BUILD=$build bash "$here/../cli/${1#*:}.sh" "$build" ;;
    *) "$build/aicjit-tests" "$1" && counted "$1" ;;
    esac >"$log" 2>&1
}

# is_unsound TEST...: whether one of the tests fails where nothing is wrong, such as a misspelled command; it says which.
# Each is run once.
declare -A sound
is_unsound() {
    local test
    for test in "$@"; do
        if [ -z "${sound[$test]:-}" ]; then
            sound[$test]=yes
            run_test "$test" || sound[$test]=no
        fi
        [ "${sound[$test]}" = yes ] || { unsound="$test fails without a mistake" && return 0; }
    done
    return 1
}

# is_caught TEST...: whether one of the tests fails; sets `unsound` where one was not run to its end: there is no such command, or
# a signal that nothing wrong in a program sends ended it.
is_caught() {
    local test status
    for test in "$@"; do
        run_test "$test"
        status=$?
        case $status in
        0) ;;
        126 | 127) unsound="$test cannot be run" && return 1 ;;
        129 | 130 | 131 | 137 | 141 | 143) unsound="$test was ended by signal $((status - 128))" && return 1 ;;
        *) return 0 ;;
        esac
    done
    return 1
}

# mutate NUMBER FILE WHAT OLD NEW TEST...
mutate() {
    local number=$1 file="$tree/$2" what=$3 old=$4 new=$5 verdict=caught unsound=""
    shift 5
    if is_unsound "$@"; then
        failed=$((failed + 1))
        echo "$number: $what: not tried: $unsound"
        return
    fi
    cp -p "$file" "$file.kept"
    if ! change "$file" "$old" "$new"; then
        verdict="the line is not there"
    elif ! ninja -C "$build" aicjit aicjit-tests >"$log" 2>&1; then
        verdict="does not compile"
    elif ! is_caught "$@"; then
        verdict=${unsound:-SURVIVED}
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

# Without a mistake each test passes: those of the chosen ones are run first, of one build.
wanted() { [ -z "${*:2}" ] || [[ " ${*:2} " == *" $1 "* ]]; }
if ! ninja -C "$build" aicjit aicjit-tests >"$log" 2>&1; then
    echo "the sources do not compile without a mistake"
    grep -m 2 'error:' "$log"
    echo "0 passed, 1 failed"
    exit 1
fi
while read -r number _ tests_text; do
    if [[ $number == [0-9]* ]] && wanted "$number" "$@"; then
        for test in $tests_text; do is_unsound "$test" || true; done
    fi
done <"${MUTATIONS:-$here/mutations.txt}"

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
        if wanted "$number" "$@"; then
            mutate "$number" "$file" "$what" "$old" "${line#+ }" "${tests[@]}"
        fi
        ;;
    esac
done <"${MUTATIONS:-$here/mutations.txt}"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
