#!/usr/bin/env bash
# aicjit bench: tables, JSON, schedules and levels in one race, comparison with earlier runs, bad input. No time is
# asserted.
# shellcheck disable=SC1091,SC2154 # common.bash defines aicjit, work and the operators
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"

short=(--min-time 0.005)
move='transdata(dtype=float16, src=NCHW, dst=NC1HWC0, shape=[1,20,5,5])'
printf 'g1mb1ic3ih9oc5oh5kh3sh2ph1n"name(1)"\nic16ih8oc16oh8kh3ph1dh0n"a"' >lines.txt

# ---- the table ----

expect 'a table' 0 'GMAC/s' "$aicjit" bench "$half" "${short[@]}"
ok 'its head' grep -Eq '^ +median us +\+- % +times +min us +p90 us +GMAC/s +GB/s +% peak +% bound +compile ms +threads +isa +operator$' .out
ok 'cube is held against the fp64 peak' grep -Eq ' [0-9.]+ fp64 +[0-9.]+ ' .out
expect 'int8 against that of fp32' 0 ' [0-9.]+ fp32 +[0-9.]+ ' "$aicjit" bench "$int8" "${short[@]}"
expect 'a move against a copy' 0 ' [0-9.]+ copy +[0-9.]+ ' "$aicjit" bench "$move" "${short[@]}"
expect 'plain weights' 0 'GMAC/s' "$aicjit" bench "$half" "${short[@]}" --weights plain
expect 'names of benchmark lines' 0 'name\(1\)$' "$aicjit" bench --batch lines.txt --dt int8 "${short[@]}"
ok 'in place of their texts' test "$(grep -c 'conv2d(' .out)" -eq 0
ok 'the other name' grep -Eq ' a$' .out

# ---- JSON ----

expect '--json' 0 '' "$aicjit" bench "$half" "$int8" --json "${short[@]}" --batch lines.txt --dt int8
cp .out bench.json
ok 'one object an operator' test "$(grep -c '^{"spec":"conv2d(.*}$' bench.json)" -eq 4
keys='spec choices kernel isa threads macs bytes median_ns min_ns p90_ns gmacs_per_s gbytes_per_s low_ns high_ns samples calls clock weights schedule origin name peak peak_share bound_share bound_ns predicted_ns ratio compile_ns make_ns parts ready loaded made cache'
ok 'exactly the keys' test "$(head -n 1 bench.json | grep -oE '"[a-z0-9_]+":' | tr -d '":' | xargs)" = "$keys"
ok 'threads 1, cache miss' grep -q '"threads":1,.*"cache":"miss"}$' bench.json
ok 'macs of 3x3 outputs, 16 channels, 64 products' grep -q '"macs":9216,' bench.json
ok 'the schedule and where it comes from' grep -Eq '"schedule":"schedule\([^"]*\)","origin":"default","name":"",' bench.json
ok 'the name of a line' grep -q '"name":"name(1)"' bench.json
ok 'processor time' test "$(grep -c '"clock":"processor"' bench.json)" -eq 4
ok 'shares are measured' test "$(grep -c '"peak_share":0.0000\|"bound_share":0.0000' bench.json)" -eq 0
expect 'the second time it is cached' 0 '"compile_ns":0,"make_ns":0,.*"cache":"memory"' "$aicjit" bench "$half" "$half" --json "${short[@]}"
expect 'full output' 3 'standard output' sh -c '"$@" >/dev/full' sh "$aicjit" bench "$half" "${short[@]}"

# ---- schedules ----

count() { grep -c "$1" .out; }
plan() { "$aicjit" dump "$half" --stage plan; }
expect '--schedule all' 0 '"ratio":1.0000' "$aicjit" bench "$half" --schedule all --json "${short[@]}"
ok 'a line a candidate' test "$(count '^{')" -gt 1
ok 'each another schedule' test "$(grep -o '"schedule":"[^"]*"' .out | sort -u | wc -l)" -eq "$(count '^{')"
ok 'the default first' grep -Fq "\"schedule\":\"$(plan)\",\"origin\":\"default\"" <(head -n 1 .out)
expect 'a table of them' 0 ' ratio +compile ms' "$aicjit" bench "$half" --schedule all "${short[@]}"
ok 'the operator is not repeated' test "$(count 'conv2d(')" -eq 1
ok 'but its schedules are listed' test "$(count ' schedule(.*) as above$')" -gt 0
expect 'one schedule' 0 '"origin":"given"' "$aicjit" bench "$half" --schedule 'schedule(rows=1, cols=1, vectors=1, unroll=1, band=1)' --json "${short[@]}"
ok 'is one line' test "$(count '^{')" -eq 1
ok 'with the ratio to the default' test "$(count '"ratio":0.0000')" -eq 0
expect 'a part of one' 0 '"schedule":"schedule\(kernel=vector, rows=1, cols=1, vectors=' "$aicjit" bench "$half" --schedule 'schedule(rows=1, cols=1)' --json "${short[@]}"
expect 'one that does not fit' 2 'schedule: rows = 99 is outside' "$aicjit" bench "$half" --schedule 'schedule(rows=99)' "${short[@]}"
expect 'one that is none' 2 'lots' "$aicjit" bench "$half" --schedule lots "${short[@]}"
expect 'check takes a part, too' 0 '^1 passed, 0 failed$' "$aicjit" check "$half" --schedule 'schedule(cols=1)'

# ---- levels ----

levels=$(runnable_levels | wc -w)
expect '--isa all' 0 '"ratio":1.0000' "$aicjit" bench "$half" --isa all --json "${short[@]}"
ok 'a line a level that the host has' test "$(count '^{')" -eq "$levels"
ok 'in ascending order' test "$(sed -n '1s/.*"isa":"\([^"]*\)".*/\1/p' .out)" = generic
expect 'schedules and levels' 0 '' "$aicjit" bench "$half" --isa all --schedule 'schedule(cols=1)' --json "${short[@]}"
ok 'together' test "$(count '"origin":"given"')" -eq "$levels"
expect 'a level that there is not' 2 'sse9' "$aicjit" bench "$half" --isa sse9

# ---- comparison ----

expect '--compare' 0 '^bench.json: 2 of 3 rows are in it; [0-2] faster, [0-2] slower, [0-2] the same; before/now [0-9.]+ in the' \
    "$aicjit" bench "$half" "$int8" "$move" --compare bench.json "${short[@]}"
ok 'a column' grep -Eq ' before/now ' .out
ok 'and its verdicts' grep -Eq ' [0-9.]+ (faster|slower|same) ' .out
sed -E 's/"(median|low|high)_ns":[0-9.]+/"\1_ns":1e12/g' bench.json >slow.json
expect 'a slow past' 0 '2 faster, 0 slower' "$aicjit" bench "$half" "$int8" --compare slow.json "${short[@]}"
sed -E 's/"(median|low|high)_ns":[0-9.]+/"\1_ns":0.001/g' bench.json >fast.json
expect 'a fast past is no failure' 0 '0 faster, 2 slower' "$aicjit" bench "$half" "$int8" --compare fast.json "${short[@]}"
expect 'in JSON' 0 '"before_ns":0.0,.*"verdict":-1,"compile_ns"' "$aicjit" bench "$half" --json --compare fast.json "${short[@]}"
sed -E 's/"low_ns.*"ratio":[0-9.]+,//' bench.json >old.json # as it was before there were intervals
ok 'an old file has none' test "$(grep -c low_ns old.json)" -eq 0
expect 'an old file' 0 '1 of 1 rows are in it' "$aicjit" bench "$half" --compare old.json "${short[@]}"
expect 'other weights are another row' 0 '0 of 1 rows are in it$' "$aicjit" bench "$half" --compare bench.json --weights plain "${short[@]}"
expect 'so is a given schedule' 0 '0 of 1 rows are in it$' "$aicjit" bench "$half" --compare bench.json --schedule "$(plan)" "${short[@]}"
expect 'a file that is not there' 2 '"gone.json" cannot be read' "$aicjit" bench "$half" --compare gone.json
expect 'a folder' 2 '"." cannot be read' "$aicjit" bench "$half" --compare .
for wrong in '{' '[]' '{"spec":"x"}' '{"spec":{}}' '{"a":1,}' '{"a":1} 2' 'text' '{"a":tru}' '{"a":"\x"}' '{"a":"\u12"}' \
    '{"spec":"x","isa":"avx2","threads":1,"median_ns":1e999}' '{"spec":"x","isa":"avx2","threads":0x1,"median_ns":1}' \
    '{"spec":"x","isa":"avx2","threads":1,"median_ns":1,"high_ns":-inf}'; do
    printf '%s\n%s\n' "$(head -n 1 bench.json)" "$wrong" >wrong.json
    expect "a line $wrong" 2 '"wrong.json": line 2 is no object of bench --json' "$aicjit" bench "$half" --compare wrong.json
done
: >empty.json
expect 'an empty file' 0 '0 of 1 rows' "$aicjit" bench "$half" --compare empty.json "${short[@]}"
expect 'a program has no schedule' 2 'has no effect on a program' "$aicjit" bench --pto none.pto --schedule all
finish
