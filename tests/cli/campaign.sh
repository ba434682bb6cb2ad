#!/usr/bin/env bash
# Campaigns (tests/campaign/campaign.py): a small task of each class; and that a finding, a task that runs nothing and one
# that hangs are found, each with a line that repeats it, and told in the ledger.
# shellcheck disable=SC1091,SC2154 # common.bash defines aicjit, work and the operators
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
. "$here/common.bash"
root=$(realpath "$here/../..")
build=$(dirname "$aicjit")

options=(--place "$work/place" --ledger "$work/ledger" --jobs 1)
campaign() { python3 "$root/tests/campaign/campaign.py" "$@" "${options[@]}"; }

# ---- a small task of each class ----

classes=$(sed -n '/^CLASSES = {/,/^}/s/^    "\([a-z ]*\)": .*/\1/p' "$root/tests/campaign/campaign.py" | grep -v '^faults$') # faults.sh has all of it
if ldd "$aicjit" | grep -Eq 'lib[at]san'; then
    echo 'not run: forks, emulated: with a sanitizer a child of a process with threads cannot start any, nor is there the emulator'
    classes=$(grep -Ev '^(forks|emulated)$' <<<"$classes")
fi
only=()
while IFS= read -r name; do only+=(--only "$name"); done <<<"$classes"
expect 'a small task of each class' 0 '^Findings: none\.$' campaign "$build" --smoke "${only[@]}"
sed -n 's/^Not run: \(.*\)/not run: \1/p' .out | grep -v 'not run: nothing'
sed -n '/^FOUND/,/output/p' .out
while IFS= read -r name; do
    ok "$name: cases or a reason" grep -Eq "^\| $name \| [1-9][0-9]* \| [1-9]|^Not run: .*$name, [a-z]" .out
done <<<"$classes"
ok 'a smoke run is not in the ledger' test ! -e ledger
mkdir bin
for folder in ${PATH//:/ }; do ln -s "$folder"/* bin 2>/dev/null; done
rm -f bin/git
without_git() { PATH="$work/bin" campaign "$@"; }
expect 'a machine without git' 0 '^## .*, no git$' without_git "$build" --smoke --only chains

# ---- findings ----

# In front of the library stands a reference that flips one bit, so that every check of what is exact fails.
cc -std=c11 -shared -fPIC -o wrong.so -I "$root/frontend/include" "$here/wrong_reference.c" -ldl || exit 2
export ASAN_OPTIONS=verify_asan_link_order=0
wrong_campaign() { LD_PRELOAD="$work/wrong.so" campaign "$@"; }
expect 'a finding' 1 '^FOUND chains: exit status 1$' wrong_campaign "$build" 1 --smoke --only chains --seed 5
cp .out finding.txt
ok 'the summary counts it' grep -Eq '^[0-9]+ passed, 1 failed$' finding.txt
ok 'its output is kept' grep -q '^FAILED ' place/findings/chains-0-*.txt
mapfile -t repeats < <(sed -n '/^FOUND/,/^$/s/^ *repeat: //p' finding.txt)
ok 'the task and what failed in it have lines' test "${#repeats[@]}" -ge 2
repeat() { (cd "$root" && bash -c "$1"); }
wrong_repeat() { LD_PRELOAD="$work/wrong.so" repeat "$1"; }
expect 'the line of the task repeats it' 1 ' failed$' wrong_repeat "${repeats[0]}"
expect 'it is the finding' 0 ', 0 failed$' repeat "${repeats[0]}"
expect 'the line of what failed repeats that' 1 '^0 passed, 1 failed$' wrong_repeat "PATH=$(printf %q "$build"):\$PATH; ${repeats[1]}"
expect 'the same seed, the same tasks' 1 '' wrong_campaign "$build" 1 --smoke --only chains --seed 5
ok 'line by line' cmp <(sed -n 's/^ *repeat: //p' .out) <(sed -n 's/^ *repeat: //p' finding.txt)

mkdir fake
# shellcheck disable=SC2016 # for the script
printf '%s\n' '#!/bin/sh' 'case "$1 $FAKE" in "check hangs") sleep 60 ;; "check dies") kill -9 $$ ;; esac' >fake/aicjit
chmod +x fake/aicjit
for kind in 'none:it ran no case' 'hangs:no end within [0-9.]+ s, of which [0-9.]+ s of processors' 'dies:exit status -9'; do
    FAKE=${kind%%:*} expect "${kind#*:}" 1 "^FOUND chains: ${kind#*:}\$" campaign "$work/fake" 1 --smoke --only chains --limit 0.5
done

# ---- the ledger ----

# The first task is at work when the campaign is interrupted.
FAKE=hangs python3 "$root/tests/campaign/campaign.py" "$work/fake" 1 --only operators --seed 77 "${options[@]}" >interrupted.txt 2>&1 &
pid=$!
for ((i = 0; i < 200; i++)); do
    grep -q "^seed" interrupted.txt 2>/dev/null && break
    sleep 0.1
done
sleep 0.3
kill -s TERM $pid
wait $pid
ok 'an interrupt is no finding' test $? -eq 0
ok 'and is said' grep -Eq '^.* hours, 1 tasks at a time; seed 77; interrupted$' ledger
ok 'a finding of a campaign' test "$(FAKE=dies campaign "$work/fake" 0.0002 --only chains >/dev/null 2>&1; echo $?)" -eq 1
# shellcheck disable=SC2016 # a back quote as such
ok 'is in the ledger' grep -Eq '^- chains: exit status -9: `AIC_CACHE=off .*aicjit check --fuzz 100 --seed [0-9]+' ledger
ok 'which has an entry a campaign' test "$(grep -c '^## ' ledger)" -eq 2
campaign "$build" 0 >/dev/null 2>err.txt
ok 'hours that are none' grep -q 'hours: 0 is not within 0 and 1000' err.txt
finish
