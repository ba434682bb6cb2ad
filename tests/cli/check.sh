#!/usr/bin/env bash
# aicjit check: specifications from arguments, batch files and benchmark lines, fuzzing, output.
# shellcheck disable=SC1091,SC2154 # common.bash defines aicjit, work and the operators
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
. "$here/common.bash"

expect 'two operators' 0 '^2 passed, 0 failed$' "$aicjit" check "$int8" "$half"
expect 'every level' 0 '^[2-9] passed, 0 failed$' "$aicjit" check "$half" --isa all
expect 'every schedule' 0 '^[1-9][0-9]* passed, 0 failed$' "$aicjit" check "$half" --schedule all
plan=$("$aicjit" dump "$half" --stage plan)
expect 'one schedule' 0 '^1 passed, 0 failed$' "$aicjit" check "$half" --schedule "$plan"
expect 'fuzz' 0 '^20 passed, 0 failed$' "$aicjit" check --fuzz 10 --seed 5 --op conv2d
expect 'fuzz without operator' 0 '^4 passed, 0 failed$' "$aicjit" check --fuzz 2 --seed 1
expect 'fuzz in another memory' 0 '^80 passed, 0 failed$' "$aicjit" check --fuzz 40 --seed 1 --op tensor_arithmetic --lanes 3 --lane_bytes 4096
expect 'fuzz under other limits' 0 '^20 passed, 0 failed$' "$aicjit" check --fuzz 10 --seed 5 --op conv2d --limits host

expect 'a schedule that is none' 2 'schedule' "$aicjit" check "$half" --schedule 'tiles(4)'
expect 'a schedule that does not fit' 2 'rows' "$aicjit" check "$half" --schedule "${plan/rows=*, cols/rows=0, cols}"

# ---- checks that fail ----

# In front of the library stands a reference that flips one bit, so that every check fails.
if cc -std=c11 -shared -fPIC -o wrong.so -I "$here/../../frontend/include" "$here/wrong_reference.c" -ldl 2>cc.err; then
    wrong() { env LD_PRELOAD="$work/wrong.so" ASAN_OPTIONS=verify_asan_link_order=0 "$@"; }
    expect 'failure' 1 '^0 passed, 1 failed$' wrong "$aicjit" check "$int8"
    ok 'what is wrong' grep -q '1 of 512 elements are wrong, the first is dst\[0,0,5\]: expected' "$work/.out"
    ok 'repeat line' grep -Eq "^  repeat: aicjit check 'conv2d\\(.*\\)' --seed 1 --isa [a-z0-9]+$" "$work/.out"
    repeat=$(sed -n 's/^  repeat: aicjit //p' "$work/.out")
    expect 'the repeat line repeats it' 1 '^0 passed, 1 failed$' wrong sh -c "'$aicjit' $repeat"
    # Every result of tik_fixpipe has the element that is changed, and is exact.
    expect 'of both kinds in fuzzing only legal ones fail' 1 '^10 passed, 10 failed$' wrong "$aicjit" check --fuzz 10 --seed 1 \
        --op tik_fixpipe

    # Seeds: a new one each time, which is said and can be repeated; neighbours have nothing in common.
    cases() { wrong "$aicjit" check --fuzz 8 "$@" | grep '^FAILED' | sort; }
    cases --seed 7 >seven.txt
    cases --seed 7 | ok 'the same seed, the same operators' cmp seven.txt
    cases --seed 8 | ok 'the next seed, other operators' test -z "$(comm -12 seven.txt -)"
    wrong "$aicjit" check --fuzz 8 >drawn.txt
    ok 'a drawn seed is said' grep -Eq '^drawn: --seed [0-9]+$' drawn.txt
    cases --seed "$(sed -n 's/^drawn: --seed //p' drawn.txt)" | ok 'it repeats the operators' cmp <(grep '^FAILED' drawn.txt | sort) -
    ok 'another one is drawn' test "$(head -n 1 drawn.txt)" != "$(wrong "$aicjit" check --fuzz 8 2>head.err | head -n 1)"
    repeat=$(sed -n 's/^  repeat: aicjit //p' drawn.txt | tail -n 1)
    wrong sh -c "'$aicjit' $repeat" >again.txt
    ok 'a repeat line of fuzzing' grep -Fxq "$(grep '^FAILED' drawn.txt | tail -n 1)" again.txt
    expect 'a failing schedule' 1 "repeat: .* --schedule 'schedule\\(" wrong "$aicjit" check "$half" --schedule "$plan"
    expect 'with threads' 1 'repeat: .* --threads 3$' wrong "$aicjit" check "$half" --threads 3
    expect 'under lifted limits' 1 'repeat: .* --limits host$' wrong "$aicjit" check "$int8" --limits host
    expect 'under the other overflow mode' 1 'repeat: .* --overflow ieee$' wrong "$aicjit" check "$int8" --overflow ieee
    bash -c 'set -o pipefail; "$@" | true' bash env LD_PRELOAD="$work/wrong.so" ASAN_OPTIONS=verify_asan_link_order=0 \
        "$aicjit" check --fuzz 100 2>closed.txt
    ok 'a pipe that closes ends it' test $? -eq 3
    ok 'and nothing is said' test ! -s closed.txt
    mkfifo pipe # a process that prints more than a pipe holds, and a signal
    env LD_PRELOAD="$work/wrong.so" ASAN_OPTIONS=verify_asan_link_order=0 "$aicjit" check --fuzz 1000000 >pipe 2>err.txt &
    pid=$!
    exec 3<pipe
    read -r line <&3
    sleep 2
    kill -s TERM $pid
    wait $pid
    verdict 'a signal and a reader that does not read: exit status' "$(($? != 1))" 'not 1'
    exec 3<&-
    env LD_PRELOAD="$work/wrong.so" ASAN_OPTIONS=verify_asan_link_order=0 "$aicjit" check --fuzz 1000000 >pipe 2>err.txt &
    pid=$!
    {
        while read -r line && printf '%s\n' "$line" && [[ $line != FAILED* ]]; do :; done
        kill -s TERM $pid && cat
    } <pipe >out.txt
    ok 'a signal while failures are printed: the sum is a line' grep -Eq '^[0-9]+ passed, [1-9][0-9]* failed$' out.txt
else
    verdict 'the wrong reference' 1 "$(cat cc.err)"
fi

# ---- a chain that random operators have found ----

# Of six stages, most of whose rows of pixels see padding alone: a plan that took less care wrote beside its memory there.
chain=""
chain+='conv2d(dtype=int8, fm_shape=[1,6,4,4], kernel_shape=[1,3,3,16,4], stride=[1,1], pad=[0,3,87,2], dilation=[1,1], pad_value=-1, init_l1out=false, accumulate=winograd, l1out=channel)'
chain+=' | tensor_arithmetic(memory=flat, input0_addr=0, input1_addr=0, output_addr=0, shape=[1,1,480,16], input0_stride=[0,7680,16,1], input1_stride=[0,16,0,1], output_stride=[0,7680,16,1], op=BM_ADD, input0_is_const=false, input1_is_const=true, input0_const=0, input1_const=3.4028235e+38, select_value=-0, shift_type=0, input1_stage=0)'
chain+=' | tensor_arithmetic(memory=flat, input0_addr=0, input1_addr=0, output_addr=0, shape=[1,1,465,16], input0_stride=[0,7680,16,1], input1_stride=[0,7680,16,1], output_stride=[0,7680,16,1], op=BM_ADD, input0_is_const=false, input1_is_const=false, input0_const=0, input1_const=0x7fc00000, select_value=-1.1637032e-11, shift_type=1, input1_stage=2)'
chain+=' | tensor_arithmetic(memory=flat, input0_addr=0, input1_addr=0, output_addr=0, shape=[1,1,465,16], input0_stride=[0,7680,16,1], input1_stride=[0,40,32,1], output_stride=[0,7680,16,1], op=BM_AND, input0_is_const=false, input1_is_const=true, input0_const=0, input1_const=-2.5, select_value=0, shift_type=0, input1_stage=0)'
chain+=' | tensor_arithmetic(memory=flat, input0_addr=0, input1_addr=0, output_addr=0, shape=[1,1,480,16], input0_stride=[0,7680,16,1], input1_stride=[0,0,0,1], output_stride=[0,7680,16,1], op=BM_OR, input0_is_const=false, input1_is_const=true, input0_const=0, input1_const=3.4028235e+38, select_value=0x7f800001, shift_type=1, input1_stage=0)'
chain+=' | fixpipe(dst=bfloat16, src=float32, format=NZ, nSize=16, mSize=465, srcStride=480, dstStride=465, quantPre=F322BF16, deqScalar=0x54ee7d4fdca924ac, ndNum=1, srcNdStride=0, dstNdStride=0, reluEn=false, unitFlag=0, isChannelSplit=false, fill_block=false)'
expect 'every schedule of a long chain' 0 '^[1-9][0-9]* passed, 0 failed$' "$aicjit" check --isa all --schedule all "$chain"

finish
