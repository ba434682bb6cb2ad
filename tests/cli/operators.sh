#!/usr/bin/env bash
# The commands on operators with optional operands, other element types, options and chains.
# shellcheck disable=SC1091,SC2154 # common.bash defines aicjit and work
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"

scalar='fixpipe(dst=float16, src=int32, nSize=5, mSize=3, srcStride=16, dstStride=5, quantPre=DEQF16, deqScalar=0x40000000)'
vector='fixpipe(dst=float16, src=int32, nSize=5, mSize=3, srcStride=16, dstStride=5, quantPre=VDEQF16)'
nothing='fixpipe(dst=int32, src=int32, nSize=5, mSize=3, srcStride=16, dstStride=5, ndNum=0)'
words() { # WORD...: each as eight bytes, lowest first
    local word
    for word in "$@"; do
        # shellcheck disable=SC2059 # the format is the bytes
        printf "$(printf '%016x' "$word" | sed 's/\(..\)\(..\)\(..\)\(..\)\(..\)\(..\)\(..\)\(..\)/\\x\8\\x\7\\x\6\\x\5\\x\4\\x\3\\x\2\\x\1/')"
    done
}

# ---- optional operands ----

expect 'without the optional operand' 0 '^dst: float16\[15\] min 6 max 6 mean 6$' "$aicjit" run "$scalar" --fill src=const:3
expect 'a missing cbufWorkspace' 2 'input cbufWorkspace is missing' "$aicjit" run "$vector" --fill src=const:3
expect 'one that is not taken' 2 'run: --in: this descriptor does not take cbufWorkspace; its operands are dst, src$' \
    "$aicjit" run "$scalar" --fill src=const:3 --in cbufWorkspace=w.bin
expect 'nor filled' 2 'run: --fill: this descriptor does not take cbufWorkspace' \
    "$aicjit" run "$scalar" --fill src=const:3 --fill cbufWorkspace=zeros
expect 'an operand of no operator' 2 '"bias" is none of the operands dst, src, cbufWorkspace$' \
    "$aicjit" run "$vector" --fill src=const:3 --fill bias=zeros

# ---- quantisation words ----

words 0x3F800000 0x40000000 0x3F800000 0x40000000 0x3F800000 >w.bin
expect 'words from .bin' 0 'min 3 max 6 ' "$aicjit" run "$vector" --fill src=const:3 --in cbufWorkspace=w.bin
{
    npy head.npy '<u8' '(5,)' 0
    cat head.npy w.bin
} >w.npy
expect 'words from .npy' 0 'min 3 max 6 ' "$aicjit" run "$vector" --fill src=const:3 --in cbufWorkspace=w.npy
npy i8.npy '<i8' '(5,)' 40
expect 'words of another type' 2 "cbufWorkspace: .*'<i8' is no little-endian element type" \
    "$aicjit" run "$vector" --fill src=const:3 --in cbufWorkspace=i8.npy
npy u4.npy '<u4' '(5,)' 20
expect 'words of another size' 2 'cbufWorkspace: .*dtype is uint32, the operand wants uint64' \
    "$aicjit" run "$vector" --fill src=const:3 --in cbufWorkspace=u4.npy
expect 'words as a constant' 0 'min 6 max 6 ' "$aicjit" run "$vector" --fill src=const:3 --fill cbufWorkspace=const:0x40000000
expect 'the largest word' 2 'column 0, 0xffffffffffffffff, is NaN' \
    "$aicjit" run "$vector" --fill src=const:3 --fill cbufWorkspace=const:18446744073709551615
expect 'a word too large' 2 'not an integer' \
    "$aicjit" run "$vector" --fill src=const:3 --fill cbufWorkspace=const:18446744073709551616
for seed in 1 2 3 4 5 6 7 8; do
    expect "random words are legal, seed $seed" 0 '^dst: ' \
        "$aicjit" run "$vector" --fill src=random:1 --fill "cbufWorkspace=random:$seed"
done
words 0x3F800000 0x40000000 0x7F800000 0x40000000 0x3F800000 >bad.bin
echo old >dst.bin
expect 'an infinite scale' 2 'cbufWorkspace: the scale of column 2, 0x7f800000, is infinite' \
    "$aicjit" run "$vector" --fill src=const:3 --in cbufWorkspace=bad.bin --out dst=dst.bin
ok 'the old result stays' test "$(cat dst.bin)" = old
expect 'also by the reference' 2 'column 2' "$aicjit" run "$vector" --fill src=const:3 --in cbufWorkspace=bad.bin --reference

# ---- element types ----

bfloat='fixpipe(dst=bfloat16, src=float32, nSize=2, mSize=1, srcStride=16, dstStride=2, quantPre=F322BF16)'
expect 'bfloat16 is described' 0 '^dst: bfloat16\[2\] min 1\.5 max 1\.5 mean 1\.5$' "$aicjit" run "$bfloat" --fill src=const:1.5
expect 'bfloat16 travels as uint16' 0 '' "$aicjit" run "$bfloat" --fill src=const:1.5 --out dst=b.npy
ok 'its header and bits' grep -aq "'descr': '<u2'" b.npy
ok 'its bits' test "$(tail -c 4 b.npy | od -An -tx2 | xargs)" = '3fc0 3fc0'
product='mmad(dtype=bfloat16, m=1, n=2, k=1)'
npy bf.npy '<u2' '(1, 2)' 4
expect 'bfloat16 from uint16' 0 '^c: float32\[1,2\] ' "$aicjit" run "$product" --fill a=const:1 --in b=bf.npy
expect 'bfloat16 from constants' 0 'min 6 max 6 ' "$aicjit" run "$product" --fill a=const:2 --fill b=const:3
expect 'no bfloat16' 2 '"1e39" is not a value of bfloat16' "$aicjit" run "$product" --fill a=const:1e39 --fill b=const:3
bytes='transdata(dtype=uint8, src=ND, dst=Nz, shape=[3,4])'
expect 'uint8' 0 '^dst: uint8\[.*\] min 0 max 255 ' "$aicjit" run "$bytes" --fill src=const:255
expect 'no uint8' 2 'not an integer in 0\.\.255' "$aicjit" run "$bytes" --fill src=const:-1

# ---- nothing to do ----

expect 'a warning' 0 '^aicjit: warning: fixpipe: ndNum: 0 matrices: nothing is read or written$' \
    "$aicjit" run "$nothing" --fill src=zeros --out dst=none.bin
ok 'it goes to standard error alone' test ! -s "$work/.out"
expect 'a warning of the reference' 0 '^aicjit: warning: ' "$aicjit" run "$nothing" --fill src=zeros --reference
expect 'a warning of check' 0 '^aicjit: warning: ' "$aicjit" check "$nothing"
ok 'once' test "$(wc -l <"$work/.err")" -eq 1
expect 'a warning of bench' 0 '^aicjit: warning: ' "$aicjit" bench "$nothing" --min-time 0
ok 'once, too' test "$(wc -l <"$work/.err")" -eq 1
empty='mmad(dtype=int8, m=0, n=2, k=3)'
expect 'an empty result is described' 0 '^c: int32\[0,2\] empty$' "$aicjit" run "$empty" --fill a=zeros --fill b=zeros
expect 'an empty result has a file' 0 '' "$aicjit" run "$empty" --fill a=zeros --fill b=zeros --out c=empty.npy
ok 'with its shape' grep -aq "'shape': (0, 2)" empty.npy
expect 'an empty operand from a file' 0 '' "$aicjit" run "$empty" --in c=empty.npy --fill a=zeros --fill b=zeros
expect 'check of an empty result' 0 '^1 passed, 0 failed$' "$aicjit" check "$empty"
expect 'bench of an empty result' 0 '"macs":0,"bytes":0,' "$aicjit" bench "$empty" --json --min-time 0

# ---- --overflow ----

large='fixpipe(dst=float16, src=float32, nSize=2, mSize=1, srcStride=16, dstStride=2, quantPre=F322F16)'
expect 'saturate is the default' 0 'max 65504 ' "$aicjit" run "$large" --fill src=const:1e9
expect 'saturate' 0 'max 65504 ' "$aicjit" run "$large" --fill src=const:1e9 --overflow saturate
expect 'ieee' 0 'max inf ' "$aicjit" run "$large" --fill src=const:1e9 --overflow ieee
expect 'ieee, reference' 0 'max inf ' "$aicjit" run "$large" --fill src=const:1e9 --overflow=ieee --reference
expect 'another value' 2 '--overflow: "wrap" is none of saturate\|ieee' "$aicjit" run "$large" --overflow wrap
expect 'check, ieee' 0 '^1 passed, 0 failed$' "$aicjit" check "$large" --overflow ieee --seed 3
expect 'both options' 0 '^1 passed, 0 failed$' "$aicjit" check "$large" --overflow ieee --limits host
ok 'names differ' test "$("$aicjit" bench "$large" --json --min-time 0 | grep -o '"kernel":"[^"]*"')" != \
    "$("$aicjit" bench "$large" --json --min-time 0 --overflow ieee | grep -o '"kernel":"[^"]*"')"

# A sum that is NaN: +0, or NaN itself.
read -ra levels < <(runnable_levels)
ok 'the host has a level' test "${#levels[@]}" -gt 0
for sums in cube fast; do
    product="mmad(dtype=float32, m=5, n=20, k=9, accumulate=$sums)"
    run=("$aicjit" run "$product" --fill a=const:nan --fill b=const:1)
    for how in --reference $(printf -- '--isa=%s ' "${levels[@]}"); do
        expect "$sums $how, NaN saturated" 0 'min 0 max 0 ' "${run[@]}" "$how"
        expect "$sums $how, NaN kept" 0 'min nan max nan ' "${run[@]}" "$how" --overflow ieee
    done
done

# ---- chains: the fused run is the two runs in turn ----

# SIZES are what the chain leaves out of the consumer, BYTES the extent of its src.
turn() { # NAME PRODUCER CONSUMER SIZES BYTES A B OUTPUT ARGUMENT...
    local name=$1 producer=$2 consumer=$3 sizes=$4 bytes=$5 a=$6 b=$7 output=$8
    shift 8
    expect "$name: producer" 0 '' "$aicjit" run "$producer" --fill "$a=random:1" --fill "$b=random:2" --out "$output=acc.bin"
    head -c "$bytes" acc.bin >src.bin # fixpipe's src ends with the last row that it reads
    expect "$name: consumer" 0 '' "$aicjit" run "${consumer%)}, $sizes)" --in src=src.bin "$@" --out dst=turn.bin
    expect "$name: fused" 0 '' "$aicjit" run "${producer/, c_format=Nz/} | $consumer" --fill "$a=random:1" \
        --fill "$b=random:2" "$@" --out dst=fused.bin
    ok "$name: equal" cmp turn.bin fused.bin
    expect "$name: fused reference" 0 '' "$aicjit" run "${producer/, c_format=Nz/} | $consumer" --fill "$a=random:1" \
        --fill "$b=random:2" "$@" --out dst=fused.bin --reference
    ok "$name: equal to the reference" cmp turn.bin fused.bin
}
conv='conv2d(dtype=int8, fm_shape=[2,7,9,32], kernel_shape=[2,3,3,48,32], pad=[1,1,1,1])'
turn 'conv2d' "$conv" 'fixpipe(dst=int8, src=int32, quantPre=VREQ8)' 'nSize=48, mSize=63, srcStride=64, dstStride=48' \
    12224 feature_map weight dst --fill cbufWorkspace=random:3
turn 'conv2d to blocks' "$conv" 'fixpipe(dst=float16, src=int32, format=NZ, quantPre=DEQF16, deqScalar=0x3A800000)' \
    'nSize=48, mSize=63, srcStride=64, dstStride=63' 12224 feature_map weight dst
turn 'mmad' 'mmad(dtype=float16, m=21, n=37, k=45, c_format=Nz)' 'fixpipe(dst=float16, src=float32, quantPre=F322F16)' \
    'nSize=37, mSize=21, srcStride=32, dstStride=37' 5396 a b c
fused='mmad(dtype=int8, m=3, n=5, k=7) | fixpipe(dst=float16, src=int32, quantPre=VDEQF16)'
expect 'a chain names its operands' 2 'none of the operands dst, a, b, cbufWorkspace$' "$aicjit" run "$fused" --fill c=zeros
expect 'a chain is checked' 0 '^[1-9][0-9]* passed, 0 failed$' "$aicjit" check "$fused" --schedule all
expect 'a chain is measured' 0 '^{"spec":"mmad\(.* \| fixpipe\(.*"kernel":"aic_mmad_fixpipe_.*"macs":105,"bytes":126,' \
    "$aicjit" bench "$fused" --json --min-time 0
expect 'a chain is dumped' 0 'define .*aic_mmad_fixpipe_' "$aicjit" dump "$fused"
expect 'a chain is explained' 0 '^mmad\(.* \| fixpipe\(' "$aicjit" explain "$fused"
expect 'no chain' 2 'fixpipe \| mmad: these two operators cannot be fused' "$aicjit" dump \
    "$scalar | mmad(dtype=int8, m=3, n=5, k=7)"
expect 'no chain, whatever its fields are' 2 'a chain begins with conv2d or mmad, goes on with tensor_arithmetic' \
    "$aicjit" dump 'fixpipe(src=int32, dst=int32) | mmad(dtype=int8, m=3, n=5, k=7)'
expect 'a chain of other types' 2 'fixpipe: src: float32 is not int32, which mmad accumulates' "$aicjit" run "${fused/src=int32/src=float32}"

# ---- the other commands, every operator ----

for op in conv2d mmad fixpipe tik_fixpipe nd2nz load_data load_data_transpose transdata 'conv2d|fixpipe' 'mmad | fixpipe'; do
    expect "fuzz $op" 0 '^8 passed, 0 failed$' "$aicjit" check --fuzz 4 --seed 1 --op "$op" --overflow ieee
done
expect 'fuzz of what cannot be fused' 2 'conv2d \| mmad: these two operators cannot be fused' \
    "$aicjit" check --fuzz 1 --op 'conv2d|mmad'
expect 'fuzz of an unknown operator' 2 '--op: "conv2d\|fixpip" is none of the operators: conv2d mmad ' \
    "$aicjit" check --fuzz 1 --op 'conv2d|fixpip'
expect 'fuzz of three operators' 2 'fixpipe is not tensor_arithmetic' "$aicjit" check --fuzz 1 --op 'mmad|fixpipe|fixpipe'
expect 'fuzz of a chain of three' 0 '^4 passed, 0 failed' "$aicjit" check --fuzz 2 --seed 3 --op 'mmad|tensor_arithmetic|fixpipe'
expect 'fuzz of seven operators' 2 'names more than 6 operators' "$aicjit" check --fuzz 1 \
    --op 'mmad|tensor_arithmetic|tensor_arithmetic|tensor_arithmetic|tensor_arithmetic|tensor_arithmetic|fixpipe'
move='transdata(dtype=int8, src=NCHW, dst=NC1HWC0, shape=[1,64,5,5])'
expect 'bytes of a move' 0 '"macs":0,"bytes":3200,.*"gmacs_per_s":0.000,"gbytes_per_s":[0-9.]*[1-9]' \
    "$aicjit" bench "$move" --json --min-time 0.01
# 147456 products of 2^14: int32 blocks of taps that are too long wrap, and so does a sum without its clamp.
long='conv2d(dtype=int8, fm_shape=[128,8,7,32], kernel_shape=[128,6,6,16,32])'
expect 'sums beyond int32' 0 'min 2\.14748365e\+09 max 2\.14748365e\+09' "$aicjit" run "$long" --fill feature_map=const:-128 \
    --fill weight=const:-128
expect 'a move is dumped' 0 'define .*aic_transdata_' "$aicjit" dump "$move"
expect 'its object' 0 '' "$aicjit" dump "$move" --stage obj -o m.o
expect 'a move is explained' 0 '^transdata\(' "$aicjit" explain "$move"
expect 'its plan is a schedule' 0 '^1 passed, 0 failed$' "$aicjit" check "$move" --schedule "$("$aicjit" dump "$move" --stage plan)"
finish
