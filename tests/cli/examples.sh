#!/usr/bin/env bash
# The examples of tools/examples.
# shellcheck disable=SC1091,SC2154 # common.bash defines aicjit, work and the operators
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
. "$here/common.bash"

examples=$(dirname "$aicjit")/examples
photograph=$here/../../tools/demo/chelsea.png
expect 'network' 0 '^451 x 300 pixels, 6494400 elements, 0 differ from plain loops$' "$examples/network" "$photograph" edges.png
ok 'the layout between its layers' grep -Fxq 'between the layers: NC1HWC0 [1,1,300,451,32]' .out
ok 'its picture: four by four photographs' test "$(od -An -tu4 --endian=big -j16 -N8 edges.png | xargs)" = '1804 1200'
ok 'on which there is something to see' test "$(wc -c <edges.png)" -gt 100000
"$examples/network" none.png >wrong.txt 2>&1
ok 'network: no photograph' test $? -eq 2

# ---- tuning ----

small='conv2d(dtype=int8, fm_shape=[1,8,8,32], kernel_shape=[1,3,3,32,32])'
for budget in 1 20; do # a second is not enough for a result to be recorded where other processes take most of the processor
    expect "tuned in $budget s" 0 '^6144 bytes, the same$' "$examples/tuned" "$small" tuning.txt "$budget"
    if grep -q 'sum=' tuning.txt; then break; fi
done
ok 'the default' grep -q '^default  *schedule(' .out
ok 'its file' grep -q 'sum=' tuning.txt
expect 'tuned: known' 0 '^0 of [0-9]+ schedules measured' "$examples/tuned" "$small" tuning.txt 1
record=$(grep -v '^#' tuning.txt | cut -f1-8)
ok 'a record of the operator' grep -q 'fm_shape=\[1,8,8,32\]' <<<"$record"

expect 'pto' 0 '^argument 3: c, 32 elements of float32$' "$examples/pto"
ok 'its tiles' test "$(grep -c '2\.5  2\.5  2\.5  2\.5' .out)" -eq 4

# A golden comparison: the files of a run, one of them spoiled in an element that counts, one in one that does not.
expect 'a golden result' 0 '' "$aicjit" run "$int8" --fill feature_map=random:1 --fill weight=random:2 --out dst=golden.bin --reference
# What --fill draws comes back as files by way of a copy.
expect 'its first input' 0 '' "$aicjit" run 'transdata(dtype=int8, src=ND, dst=ND, shape=[16,32])' --fill src=random:1 --out dst=fm.bin
expect 'its second' 0 '' "$aicjit" run 'transdata(dtype=int8, src=ND, dst=ND, shape=[128,32])' --fill src=random:2 --out dst=w.bin
expect 'golden: equal' 0 '^no element of dst differs$' "$examples/golden" "$int8" golden.bin fm.bin w.bin
cp golden.bin row.bin
printf '\x55' | dd of=row.bin bs=1 seek=$((4 * 16 * 12)) conv=notrunc status=none
expect 'golden: rows that are not written do not count' 0 '^no element of dst differs$' "$examples/golden" "$int8" row.bin fm.bin w.bin
cp golden.bin spoiled.bin
byte=$(od -An -tu1 -j 72 -N1 golden.bin | tr -d ' ')
# shellcheck disable=SC2059 # the format is the byte
printf "\\x$(printf '%02x' $((byte ^ 1)))" | dd of=spoiled.bin bs=1 seek=72 conv=notrunc status=none
expect 'golden: a difference' 1 '^element 18 of dst differs$' "$examples/golden" "$int8" spoiled.bin fm.bin w.bin
ok 'is explained' grep -q '^dst\[0,1,2\] = ' .out
"$examples/golden" "$int8" golden.bin fm.bin >wrong.txt 2>&1
ok 'golden: a file is missing' test $? -eq 2
ok 'it says so' grep -q 'weight: its file is missing' wrong.txt
"$examples/golden" "$int8" golden.bin w.bin w.bin >wrong.txt 2>&1
ok 'golden: a file of another size' test $? -eq 2
finish
