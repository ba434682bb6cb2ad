#!/usr/bin/env bash
# aicjit tune: tables, files, resuming, shards, merging, bad input, interruption. No time is asserted.
# shellcheck disable=SC1091,SC2154 # common.bash defines aicjit, work and the operators
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"

quick=(--budget 20 --trials 6) # a fraction of a second is enough, and a busy machine takes longer
fill='texpands(dtype=float32, rows=8, cols=8)'
huge='tensor_arithmetic(op=BM_ADD, shape=[4095,4095,4095,4095])'
records() { grep -c "	sum=" "$1"; }

# ---- a search ----

expect 'tune' 0 '^1 faster, 0 default|^0 faster, 1 default' "$aicjit" tune "$int8" "${quick[@]}" --db a.txt
ok 'the table has a head' grep -Eq '^ *rank +median us +95 % interval +gain +predicted +schedule$' .out
ok 'and the default' grep -Eq ' default +schedule\(' .out
ok 'the operator in canonical form' grep -q '^conv2d(dtype=int8, fm_shape=\[1,4,4,32\].*stride=\[1,1\]' .out
ok 'and the number of schedules' grep -Eq '^[0-9]+ legal schedules, [2-6] measured in [0-9.]+ s$' .out
ok 'the file says what it is' test "$(head -n 1 a.txt)" = '# aicjit tuning file, version 1'
ok 'a record' test "$(records a.txt)" -eq 1
ok 'its key' grep -Eq '^conv2d\(.*	semantics\(.*	passes=	isa=[a-z0-9]+	machine=[^	]+	aicjit=[^	]+	llvm=[^	]+	rule=[0-9]+	effort=measure	' a.txt
ok 'its times' grep -Eq '	tuned=[0-9.]+ \([0-9.]+\.\.[0-9.]+\) ns	default=[0-9.]+ \([0-9.]+\.\.[0-9.]+\) ns	sum=[0-9a-f]{16}$' a.txt
ok 'nothing is left behind' test "$(find . -name '*.lock' -o -name '*.txt.[0-9]*' | wc -l)" -eq 0
cp a.txt before.txt
expect 'again: known' 0 '^0 faster, 0 default, 1 known' "$aicjit" tune "$int8" "${quick[@]}" --db a.txt
ok 'the file is as it was' cmp a.txt before.txt
expect '--again' 0 ' 0 known' "$aicjit" tune "$int8" "${quick[@]}" --db a.txt --again
expect 'a higher effort' 0 ' 0 known' "$aicjit" tune "$int8" "${quick[@]}" --db a.txt --effort patient
expect 'AIC_TUNING_DB' 0 ' 1 known' env AIC_TUNING_DB=a.txt "$aicjit" tune "$int8" "${quick[@]}"
expect 'no file' 0 'no file is named' "$aicjit" tune "$fill" "${quick[@]}"
expect 'options of the documents' 0 ' 0 known' "$aicjit" tune "$int8" "${quick[@]}" --db a.txt --overflow ieee
ok 'are another record' test "$(records a.txt)" -eq 2
expect 'a chain, a move, words' 0 '^[0-3] faster, [0-3] default, 0 known, 0 not measured, 0 failed' "$aicjit" tune \
    'mmad(dtype=int8, m=20, n=32, k=32) | fixpipe(src=int32, dst=float16, quantPre=DEQF16)' \
    'transdata(dtype=float16, src=NCHW, dst=NC1HWC0, shape=[1,20,5,5])' 'tensor_arithmetic(op=BM_ADD, shape=[1,3,8,8])' \
    "${quick[@]}" --db a.txt
ok 'three more records' test "$(records a.txt)" -eq 5

# ---- nothing to measure ----

for limits in '--effort estimate' '--budget 0' '--trials 0' '--trials 1'; do
    # shellcheck disable=SC2086 # two words
    expect "$limits" 0 '^0 faster, 0 default, 0 known, 1 not measured' "$aicjit" tune "$half" $limits --db none.txt
    ok "$limits: ranked by prediction" grep -Eq '^ +2 +- +- +- +[0-9]' .out
done
ok 'nothing was recorded' test "$(records none.txt)" -eq 0
expect 'no schedule to choose from' 0 '^1 default|1 default,' "$aicjit" tune 'mmad(dtype=int8, m=0, n=16, k=32)' "${quick[@]}" --db none.txt

# ---- bad input ----

expect 'nothing to tune' 2 'nothing to tune' "$aicjit" tune
expect 'a wrong operator' 2 'dtype' "$aicjit" tune 'conv2d(dtype=int9)'
expect 'a wrong effort' 2 '"lots" is none of estimate' "$aicjit" tune "$int8" --effort lots
expect 'a wrong budget' 2 '"-1" is not a number' "$aicjit" tune "$int8" --budget -1
expect 'too many trials' 2 'not an integer in 0..1000' "$aicjit" tune "$int8" --trials 1001
expect '-o without --merge' 2 'is for --merge' "$aicjit" tune "$int8" -o b.txt
expect 'a folder that is not there' 2 '"no/such.txt" cannot be written' "$aicjit" tune "$int8" --db no/such.txt
expect 'a folder as file' 2 'cannot be written' "$aicjit" tune "$int8" --db .
echo 'precious text' >foreign.txt
expect 'a foreign file' 2 '"foreign.txt" is no tuning file' "$aicjit" tune "$int8" --db foreign.txt
ok 'is left alone' test "$(cat foreign.txt)" = 'precious text'
printf '# aicjit tuning file, version 7\n' >newer.txt
expect 'a file of a later version' 2 'is of version 7; this library knows version 1' "$aicjit" tune "$int8" --db newer.txt
for wrong in 0/4 5/4 4 1/ /4 1/99999999999999999999 a/b 1/4x -1/4 1/0; do
    expect "--shard $wrong" 2 'is not I/N' "$aicjit" tune "$int8" "--shard=$wrong"
done
sed 's/effort=measure/effort=pleasure/' a.txt >damaged.txt
lines=$(wc -l <damaged.txt)
cp damaged.txt damaged.before
expect 'a damaged file' 0 'warning: tuning file: "damaged.txt" had [0-9]+ damaged lines' "$aicjit" tune "$int8" "${quick[@]}" --db damaged.txt
ok 'is kept' cmp damaged.before damaged.txt.damaged
ok 'and mended' test "$("$aicjit" tune --merge damaged.txt -o whole.txt | grep -c records)" -eq 1
ok 'had lines' test "$lines" -gt 2

# ---- what applies ----

expect 'info' 0 '^tuning file +a.txt: 5 records, 5 of this machine and version$' env AIC_TUNING_DB=a.txt "$aicjit" info
expect 'info without a file' 0 '^tuning file +none$' "$aicjit" info
expect 'explain names the origin' 0 '^origin: (default|tuned, by "a.txt")' env AIC_TUNING_DB=a.txt "$aicjit" explain "$int8"
expect 'explain without a file' 0 '^origin: default$' "$aicjit" explain "$int8"
expect 'checks pass with it' 0 '^2 passed, 0 failed$' env AIC_TUNING_DB=a.txt "$aicjit" check "$int8" "$half"
expect 'operands that no memory holds' 3 'bytes of memory cannot be had' "$aicjit" tune "$huge" --db none.txt
expect 'the batch goes on' 3 '^[01] faster, [01] default, 0 known, 0 not measured, 1 failed' "$aicjit" tune "$huge" "$fill" "${quick[@]}" --again --db none.txt
expect 'a damaged file is reported' 0 'warning: tuning file: "damaged.before": [0-9]+ lines are damaged' env AIC_TUNING_DB=damaged.before "$aicjit" check "$int8"
expect 'and costs speed only' 0 '^1 passed, 0 failed$' env AIC_TUNING_DB=damaged.before "$aicjit" check "$int8"
expect 'so does a foreign file' 0 '^1 passed, 0 failed$' env AIC_TUNING_DB=foreign.txt "$aicjit" check "$int8"
expect 'and one that is not there' 0 '"gone.txt" is not there' env AIC_TUNING_DB=gone.txt "$aicjit" check "$int8"

# ---- shards and merging ----

for n in 1 2 3 4 5; do
    echo "transdata(dtype=float16, src=NCHW, dst=NC1HWC0, shape=[1,20,5,$n])"
done >five.txt
cat five.txt five.txt >batch.txt # each twice
for shard in 1 2; do
    expect "shard $shard" 0 ' 0 failed; [23] recorded in part' "$aicjit" tune --batch batch.txt --shard $shard/2 "${quick[@]}" --db part$shard.txt
done
ok 'shards split the batch' test "$(records part1.txt) $(records part2.txt)" = '3 2'
expect 'an empty shard' 0 '^0 faster, 0 default, 0 known' "$aicjit" tune --batch batch.txt --shard 9/9 --db part1.txt
expect '--merge' 0 '^all.txt: 5 records of 2 files$' "$aicjit" tune --merge part1.txt part2.txt -o all.txt
expect 'merged: all known' 0 '^0 faster, 0 default, 5 known' "$aicjit" tune --batch batch.txt --db all.txt
expect 'merging adds what is new' 0 '^all.txt: 9 records of 1 files$' "$aicjit" tune --merge a.txt -o all.txt
"$aicjit" tune --merge part2.txt a.txt part1.txt -o other.txt >/dev/null
ok 'the order does not matter' cmp all.txt other.txt
expect '--merge of a damaged file' 2 '"damaged.before": line [0-9]+ is damaged' "$aicjit" tune --merge a.txt damaged.before -o all.txt
ok 'merges nothing' cmp all.txt other.txt
expect '--merge of a foreign file' 2 'is no tuning file' "$aicjit" tune --merge a.txt foreign.txt -o all.txt
expect '--merge of no file' 2 'is not there' "$aicjit" tune --merge a.txt gone.txt -o all.txt
expect '--merge into a foreign file' 2 'is no tuning file' "$aicjit" tune --merge a.txt -o foreign.txt
if starts_within 0; then
    # shellcheck disable=SC2016 # the inner shell's own; the message goes through a pipe: the limit is for standard error, too
    expect 'a file that cannot grow' 3 '"grown.txt" cannot be written: File too large' env GCOV_PREFIX="$work" bash -c \
        '(ulimit -f 0; exec "$0" tune --merge a.txt -o grown.txt 2>&1) | cat >&2; exit "${PIPESTATUS[0]}"' "$aicjit"
fi
expect '--merge without -o' 2 '-o FILE is missing' "$aicjit" tune --merge a.txt
expect '--merge without files' 2 'no file is given' "$aicjit" tune --merge -o all.txt
"$aicjit" tune --batch batch.txt "${quick[@]}" --again --shard 1/2 --db race.txt >/dev/null &
"$aicjit" tune --batch batch.txt "${quick[@]}" --again --shard 2/2 --db race.txt >/dev/null
wait
ok 'two processes write one file' test "$(records race.txt)" -eq 5

# ---- interruption ----

# What is done stays, the rest is tuned by the next run.
: >out.txt
"$aicjit" tune --batch batch.txt --budget 3600 --trials 6 --db stop.txt >out.txt 2>err.txt &
pid=$!
until [ -s out.txt ] || ! kill -0 $pid 2>/dev/null; do sleep 0.05; done
kill -s INT $pid
wait $pid
status=$?
verdict 'interrupted: exit status' "$((status > 1))" "$status: $(cat err.txt)"
ok 'interrupted: what was found is kept' test "$(records stop.txt)" -ge 1
ok 'interrupted: no temporary file' test -z "$(find . -name 'stop.txt.*')"
expect 'a rerun resumes' 0 '^[0-4] faster, [0-4] default, [1-5] known, 0 not measured' "$aicjit" tune --batch batch.txt "${quick[@]}" --db stop.txt
ok 'and completes' test "$(records stop.txt)" -eq 5
finish
