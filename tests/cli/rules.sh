#!/usr/bin/env bash
# aicjit rules: where everything comes from; failures tell all broken rules, each with its source.
# shellcheck disable=SC1091,SC2154 # common.bash defines aicjit, work and the operators
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"

"$aicjit" rules --json >all.json
"$aicjit" list | sed '/^$/,$d' | awk 'NR > 1 { print $1 }' >operators.txt
while read -r operator; do
    expect "rules $operator" 0 "^$operator: " "$aicjit" rules "$operator"
    "$aicjit" rules "$operator" >text.txt
    "$aicjit" rules "$operator" --json >one.json
    ok "$operator: a part of all" cmp one.json <(grep "^{\"op\":\"$operator\"," all.json)
    ok "$operator: as many sources as entries" test "$(grep -c '^      \[' text.txt)" -eq "$(wc -l <one.json)"
    # The manual has the same rules and sources.
    "$aicjit" help "$operator" >help.txt
    ok "help $operator has its rules" test "$(grep -c '"kind":"rule"' one.json)" -eq \
        "$(sed -n '/^rules, /,/^  where /p' help.txt | grep -c '^  .*: .* \[.*\]$')"
    ok "help $operator: every key has a source" test "$(grep -c '"kind":"field"' one.json)" -eq \
        "$(sed -n '/^keys:/,/^$/p' help.txt | grep -c '^      .* \[.*\]$')"
done <operators.txt
if command -v python3 >/dev/null; then
    ok 'each line is an object of seven texts, of defaults eight' python3 - <<'EOF'
import json
rows = [json.loads(line) for line in open("all.json")]
for row in rows:
    keys = ["op", "kind", "id", "field", "text", "origin", "source"]
    value = row["kind"] == "default" and row["op"] != "semantics"
    assert list(row)[:7] == keys and all(isinstance(text, str) for text in row.values()), row
    assert list(row)[7:] in ([], ["value"]) and (value or len(row) == 7), row
assert len({(row["op"], row["kind"], row["id"]) for row in rows}) == len(rows) > 300
EOF
fi
expect 'a rule' 0 '"id":"cout_blocks","field":"kernel_shape","text":"Cout is a multiple of 16","origin":"documented"' \
    "$aicjit" rules conv2d --json
expect 'a default' 0 '"kind":"default","id":"stride".*"value":"\[1,1\]"' "$aicjit" rules conv2d --json
expect 'a step tells its choice' 0 '^      choice relu: before \(vendor\), after \(other\)$' "$aicjit" rules fixpipe
expect 'options of contexts' 0 '^  lanes: within 1\.\.4096$' "$aicjit" rules semantics
expect 'no operator' 2 'rules: "softmax" is no operator' "$aicjit" rules softmax
expect 'one too many' 2 '"mmad" is one too many' "$aicjit" rules conv2d mmad

wrong='conv2d(dtype=int8, fm_shape=[1,8,9,32], kernel_shape=[1,3,3,24,32], stride=[64,0])'
for command in check run explain bench; do
    expect "$command: the first" 2 '^aicjit: conv2d: kernel_shape: Cout = 24 is .* \[TIK conv2d, parameter kernel_shape\]$' \
        "$aicjit" "$command" "$wrong"
    ok "$command: the others" test "$(grep -c '^aicjit: also: conv2d: stride: .* \[TIK conv2d, parameter stride\]$' .err)" -eq 2
done
printf '%s\n' "$wrong" >wrong.txt
"$aicjit" check --batch wrong.txt >/dev/null 2>.err
ok 'a batch tells the line' grep -q '^aicjit: wrong.txt:1: conv2d: kernel_shape: ' .err
ok 'and the others' test "$(grep -c '^aicjit: also: conv2d: stride: ' .err)" -eq 2

# Documents have headings, and no numbers of sections.
headers=$(dirname "$aicjit")/include/aic
ok 'public headers have sources' grep -q '\[TIK conv2d, parameter stride\]. Rules: both are within 1..63 \*/' "$headers/conv2d.h"
ok 'public headers cite no section' test -z "$(grep -rnE 'sections? [0-9]' "$headers")"
ok 'nor does the manual' test -z "$(while read -r operator; do "$aicjit" help "$operator"; done <operators.txt | grep -E 'ection [0-9]|, [0-9](\.[0-9])?\)')"
finish
