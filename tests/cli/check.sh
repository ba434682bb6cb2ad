#!/usr/bin/env bash
# aicjit check and bench: specifications from arguments, batch files and benchmark lines, fuzzing, output.
# shellcheck disable=SC1091,SC2154 # common.bash defines aicjit, work and the operators
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
. "$here/common.bash"

expect 'two operators' 0 '^2 passed, 0 failed$' "$aicjit" check "$int8" "$half"
expect 'every level' 0 '^[2-9] passed, 0 failed$' "$aicjit" check "$half" --isa all
expect 'every schedule' 0 '^[1-9][0-9]* passed, 0 failed$' "$aicjit" check "$half" --schedule all
plan=$("$aicjit" dump "$half" --stage plan)
expect 'one schedule' 0 '^1 passed, 0 failed$' "$aicjit" check "$half" --schedule "$plan"
expect 'fuzz' 0 '^60 passed, 0 failed$' "$aicjit" check --fuzz 30 --seed 5 --op conv2d
expect 'fuzz without operator' 0 '^4 passed, 0 failed$' "$aicjit" check --fuzz 2
expect 'fuzz in another memory' 0 '^80 passed, 0 failed$' "$aicjit" check --fuzz 40 --op tensor_arithmetic --lanes 3 --lane_bytes 4096
expect 'fuzz under other limits' 0 '^40 passed, 0 failed$' "$aicjit" check --fuzz 20 --seed 5 --op conv2d --limits host

expect 'a schedule that is none' 2 'schedule' "$aicjit" check "$half" --schedule 'tiles(4)'
expect 'a schedule that does not fit' 2 'rows' "$aicjit" check "$half" --schedule "${plan/rows=*, cols/rows=0, cols}"

# ---- checks that fail ----

# In front of the library stands a reference that flips one bit, so that every check fails.
if cc -std=c11 -shared -fPIC -o wrong.so -I "$here/../../frontend/include" "$here/wrong_reference.c" -ldl 2>cc.err; then
    wrong() { env LD_PRELOAD="$work/wrong.so" ASAN_OPTIONS=verify_asan_link_order=0 "$@"; }
    expect 'failure' 1 '^0 passed, 1 failed$' wrong "$aicjit" check "$int8"
    ok 'what is wrong' grep -q '1 of 512 elements are wrong, the first is number 5: expected' "$work/.out"
    ok 'repeat line' grep -Eq "^  repeat: aicjit check 'conv2d\\(.*\\)' --seed 1 --isa [a-z0-9]+$" "$work/.out"
    repeat=$(sed -n 's/^  repeat: aicjit //p' "$work/.out")
    expect 'the repeat line repeats it' 1 '^0 passed, 1 failed$' wrong sh -c "'$aicjit' $repeat"
    # Every result of tik_fixpipe has the element that is changed, and is exact.
    expect 'of both kinds in fuzzing only legal ones fail' 1 '^10 passed, 10 failed$' wrong "$aicjit" check --fuzz 10 \
        --op tik_fixpipe
    expect 'a failing schedule' 1 "repeat: .* --schedule 'schedule\\(" wrong "$aicjit" check "$half" --schedule "$plan"
    expect 'under lifted limits' 1 'repeat: .* --limits host$' wrong "$aicjit" check "$int8" --limits host
    expect 'under the other overflow mode' 1 'repeat: .* --overflow ieee$' wrong "$aicjit" check "$int8" --overflow ieee
    expect 'a pipe that closes' 3 'standard output: Broken pipe' bash -c \
        'set -o pipefail; "$@" | true' bash env LD_PRELOAD="$work/wrong.so" ASAN_OPTIONS=verify_asan_link_order=0 \
        "$aicjit" check --fuzz 100
else
    verdict 'the wrong reference' 1 "$(cat cc.err)"
fi

# ---- batch files ----

cat >batch.txt <<'END'
# a comment

   conv2d(dtype=int8, fm_shape=[1,4,4,32], kernel_shape=[1,2,2,32,32])
conv2d( dtype=half, fm_shape=[1, 4, 4, 16], kernel_shape=[1, 2, 2, 16, 16] )
END
printf 'g1mb1ic3ih9oc5oh5kh3sh2ph1n"name(1)"\nic16ih8oc16oh8kh3ph1dh0n"a"' >lines.txt
expect 'batch' 0 '^2 passed, 0 failed$' "$aicjit" check --batch batch.txt
expect 'benchmark lines, int8' 0 '^2 passed, 0 failed$' "$aicjit" check --batch lines.txt --dt int8
expect 'benchmark lines, float16' 0 '^2 passed, 0 failed$' "$aicjit" check --batch lines.txt --dt float16
layer() { # NAME LINE PATTERN: what a line means
    printf '%s\n' "$2" >line.txt
    expect "$1" 0 "$3" "$aicjit" bench --batch line.txt --dt float16 --json --min-time 0
}
layer 'padding at the end follows from the output' 'mb1ic3ih28oc7oh14kh7sh2ph3n"stem"' \
    'fm_shape=\[1,28,28,16\], kernel_shape=\[1,7,7,16,16\], stride=\[2,2\], pad=\[3,2,3,2\], dilation=\[1,1\]'
layer 'height and width' 'ic17_ih9_iw8_oc16_kh3_kw1_ph1_pw0_sw2' \
    'fm_shape=\[2,9,8,16\], kernel_shape=\[2,3,1,16,16\], stride=\[2,2\], pad=\[0,0,1,1\]'
layer 'dilation counts the gaps' 'ic16ih9oc16oh9kh3dh1ph2' 'pad=\[2,2,2,2\], dilation=\[2,2\]'
layer 'input left over' 'ic16ih8oc16oh4kh1sh2ph0' 'stride=\[2,2\], pad=\[0,0,0,0\]'
layer 'padding left out' 'ic16ih9oc16oh9kh3' 'pad=\[1,1,1,1\]'
expect 'benchmark lines without type' 2 'lines.txt:1: --dt' "$aicjit" check --batch lines.txt
expect 'no such batch' 2 '--batch: "none" cannot be read' "$aicjit" check --batch none
expect 'batch is a folder' 2 '--batch: "\." cannot be read' "$aicjit" check --batch .
: >empty.txt
expect 'empty batch' 2 'nothing to check' "$aicjit" check --batch empty.txt
printf '%s\n\nconv2d(dtype=int9)\n' "$int8" >wrong.txt
expect 'a wrong line is named' 2 'wrong.txt:3: ' "$aicjit" check --batch wrong.txt
printf '%s\0\n' "$int8" >zero.txt
expect 'a zero byte' 2 'zero.txt:1: ' "$aicjit" check --batch zero.txt
head -c 200000 /dev/zero | tr '\0' 'a' >wide.txt
expect 'an endless line' 2 'wide.txt:1: ' "$aicjit" check --batch wide.txt

line() { # NAME PATTERN LINE
    printf '%s\n' "$3" >line.txt
    expect "$1" 2 "line.txt:1: .*$2" "$aicjit" check --batch line.txt --dt int8
}
line 'groups' 'g = 2 is outside 1\.\.1' 'g2ic32ih8oc32oh8kh3ph1'
line 'images' 'mb = 2 is outside 1\.\.1' 'mb2ic32ih8oc32oh8kh3ph1'
line 'depth' 'id = 4' 'ic32id4ih8oc32oh8kh3ph1'
line 'unknown key' 'column 5' 'ic32zz8'
line 'no number' 'column' 'ic32ih8ockh'
line 'key twice' 'ic is given twice' 'ic32ic32ih8oc32kh3'
line 'key missing' 'kh is missing' 'ic32ih8oc32'
line 'output size' 'oh = 3 does not follow' 'ic32ih8oc32oh3kh3ph1'
line 'open name' 'name' 'ic32ih8oc32oh8kh3ph1n"x'
line 'huge value' 'ih = ' 'ic32ih99999999999999999999oc32kh3'
line 'stride 0' 'sh = 0' 'ic32ih8oc32kh3sh0'

# ---- bench ----

expect 'bench table' 0 'GMAC/s' "$aicjit" bench "$half" --min-time 0.01
expect 'bench plain' 0 'GMAC/s' "$aicjit" bench "$half" --min-time 0.01 --weights plain
expect 'bench --json' 0 '' "$aicjit" bench "$half" "$int8" --json --min-time 0.01 --batch lines.txt --dt int8
cp "$work/.out" bench.json
ok 'one object an operator' test "$(grep -c '^{"spec":"conv2d(.*}$' bench.json)" -eq 4
keys='spec kernel isa threads macs bytes median_ns min_ns p90_ns gmacs_per_s gbytes_per_s compile_ns cache'
ok 'exactly the keys' test "$(head -n 1 bench.json | grep -oE '"[a-z0-9_]+":' | tr -d '":' | xargs)" = "$keys"
ok 'threads 1, cache miss' grep -q '"threads":1,.*"cache":"miss"}$' bench.json
ok 'macs of 3x3 outputs, 16 channels, 64 products' grep -q '"macs":9216,' bench.json
expect 'the second time it is cached' 0 '"compile_ns":0,"cache":"memory"' "$aicjit" bench "$half" "$half" --json --min-time 0.01
expect 'bench: full output' 3 'standard output' sh -c '"$@" >/dev/full' sh "$aicjit" bench "$half" --min-time 0.01

# ---- Ctrl-C ----

AIC_VERBOSE=1 "$aicjit" check --fuzz 1000000 >interrupted.txt 2>interrupted.err &
pid=$!
until [ -s interrupted.err ] || ! kill -0 $pid; do # until the first kernel is made
    sleep 0.1
done
kill -INT $pid
wait $pid
verdict 'Ctrl-C: exit status' "$(($? != 3))" 'not 3'
ok 'Ctrl-C: the sum is printed' grep -Eq '^[0-9]+ passed, 0 failed$' interrupted.txt
ok 'Ctrl-C: the message says so' grep -q 'interrupted after [0-9]* of 1000000' interrupted.err
finish
