#!/usr/bin/env bash
# aicjit explain --at: how one element comes about; its last line is the value that run computes.
# shellcheck disable=SC1091,SC2154 # common.bash defines aicjit, work and the operators
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"

fills=(--fill feature_map=random:1 --fill weight=random:2)

# traced NAME SPEC OUTPUT "I,..." BYTE TYPE FILL...: the last line of the trace is what od reads from run's result at BYTE.
# INDEX is FLAT=SHAPED where the element has a number beside its coordinates: both name it, and the line has the latter.
traced() {
    local name=$1 spec=$2 output=$3 index=${4#*=} number=${4%%=*} byte=$5 type=$6 value
    shift 6
    expect "$name: run" 0 '' "$aicjit" run "$spec" "$@" --out "$output=r.bin"
    value=$(od -An -v "-t$type" -j "$byte" -N "${type#?}" r.bin | tr -d ' ')
    expect "$name: explain" 0 '' "$aicjit" explain "$spec" "$@" --at "${output}[$index]"
    ok "$name: the last line" grep -qxF -e "${output}[$index] = $value" <(tail -n 1 .out)
    cp .out shaped.txt
    expect "$name: by its number" 0 '' "$aicjit" explain "$spec" "$@" --at "${output}[$number]"
    ok "$name: the same" cmp .out shaped.txt
}
traced 'int8' "$int8" dst '323=1,4,3' $((4 * (256 + 4 * 16 + 3))) d4 "${fills[@]}"
ok 'a line a block' test "$(grep -c '^  c1 0 kh . kw . .*sum .*, acc ' .out)" -eq 4
traced 'a chain' "$int8 | fixpipe(src=int32, dst=int8, quantPre=REQ8, deqScalar=quant(0.001,-3,int8))" dst 37=1,5 37 d1 "${fills[@]}"
ok 'with the producer' grep -q '^conv2d, ho 0, wo 1, output channel 5:$' .out
ok 'with the steps of the consumer' grep -q '^  to integer, ties to even ' .out
traced 'uint8' 'fixpipe(src=int32, dst=uint8, nSize=32, mSize=3, srcStride=3, dstStride=3, format=NZ, quantPre=VREQ8)' dst 70=0,2,6 70 u1 \
    --fill src=random:5 --fill 'cbufWorkspace=const:quant(3e-8,100,uint8)'
traced 'mmad' 'mmad(dtype=int8, m=5, k=70, n=3)' c '4,2' $((4 * 14)) d4 --fill a=random:1 --fill b=random:2
traced 'an old result' 'mmad(dtype=int8, m=5, k=70, n=3, init_c=false)' c '4,2' $((4 * 14)) d4 --fill a=random:1 --fill b=random:2 \
    --fill c=const:1000
ok 'is a line' grep -q '^  it starts from  *c\[4,2\] = 1000$' .out
expect 'float16' 0 '^dst\[0,3,4\] = -?[0-9.]+$' "$aicjit" explain "$half" "${fills[@]}" --at 'dst[0,3,4]'
"$aicjit" run "$half" "${fills[@]}" --out dst=h.bin
bits=$(od -An -tx4 -j $((4 * (3 * 16 + 4))) -N4 h.bin | tr -d ' ' | tr a-f A-F)
ok 'its bits' grep -q "sum .*(0x$bits)  \[sum=block (C1)\]\$" <(tail -n 2 .out)

# Every operator that moves or computes elements, against run.
traced 'nd2nz' 'nd2nz(dtype=int8, nValue=3, dValue=40, srcDValue=40, dstNzC0Stride=3)' dst '103=1,0,7' 103 d1 --fill src=random:1
ok 'where from' grep -q 'copied  *src\[0,39\] = ' .out
traced 'load_data' 'load_data(dtype=int8, repeatTimes=2, srcStride=1, dstGap=1)' dst '1029=1,0,5' 1029 d1 --fill src=random:1
traced 'load_data_transpose' 'load_data_transpose(dtype=int8, repeatTimes=1)' dst '34=0,0,1,2' 34 d1 --fill src=random:1
traced 'transdata' 'transdata(dtype=int8, src=NHWC, dst=NC1HWC0, shape=[1,2,2,3])' dst '34=0,0,0,1,2' 34 d1 --fill src=random:1
traced 'texpands' 'texpands(dtype=int32, rows=2, cols=8)' dst '9=1,1' 36 d4 --in scalar=7
traced 'tensor_arithmetic' 'tensor_arithmetic(op=BM_XOR, shape=[1,2,3,4])' output '13=0,1,0,1' 52 u4 --fill input0=random:1 --fill input1=random:2
traced 'quantised' 'tensor_arithmetic_quantized(op=BM_ADD, shape=[4,1,1,4], output_8bit=true, input0_8bit=true, input1_8bit=true)' output \
    '2=0,0,0,2' 8 u4 --fill input0=random:1 --fill input1=random:2
ok 'four parts' test "$(grep -c '^tensor_arithmetic_quantized, part [0-3]: n [0-3], c 0, h 0, w 2:$' .out)" -eq 4

# Any order of summation: the exact value, what is right, and what this kernel gives.
fast="${half%)}, accumulate=fast)"
expect 'accumulate=fast' 0 '^  exact sum .*any order within the bound' "$aicjit" explain "$fast" "${fills[@]}" --at 'dst[0,0,0]'
ok 'the bound' grep -q '^  bound  .*: any result from .* is right' .out
ok 'the kernel' grep -q '^  this kernel gave .* from the exact .*: right  \[right are ' .out
ok 'before the last line' grep -q '^  this kernel gave' <(tail -n 2 .out)
expect 'a chain of it' 0 '^  this kernel gave .*: right' "$aicjit" explain "$fast | fixpipe(src=float32, dst=float16, quantPre=F322F16, format=NZ)" \
    "${fills[@]}" --at 'dst[0,0,0]'

expect '--overflow counts' 0 '^dst\[0,0\] = inf$' "$aicjit" explain 'fixpipe(src=float32, dst=float16, nSize=1, mSize=1, srcStride=1, dstStride=1, quantPre=F322F16)' \
    --fill src=const:1e9 --at 'dst[0]' --overflow ieee

# ---- what nothing writes keeps its value ----

expect 'a row that is not written' 0 '^  nothing writes it  *row 9 is past Ho\*Wo, 0\.\.8  \[' "$aicjit" explain "$half" "${fills[@]}" --fill dst=const:3 --at 'dst[0,9,0]'
ok 'its old value' grep -qx 'dst\[0,9,0\] = 3' .out
gap='fixpipe(src=int32, dst=int32, nSize=16, mSize=2, srcStride=2, dstStride=20)'
expect 'an element in a gap' 0 '^dst\[#17\] = 0$' "$aicjit" explain "$gap" --fill src=zeros --at 'dst[17]'
ok 'says so' grep -q '^  nothing writes it  *it lies between rows, blocks or matrices' .out

# ---- what is refused ----

wrong() { expect "$1" "$2" "$3" "$aicjit" explain "$4" "${@:5}"; }
wrong 'an index too large' 2 'index 2, Cout%16, is outside 0\.\.15' "$half" "${fills[@]}" --at 'dst[0,0,16]'
wrong 'a huge index' 2 'index 0, Cout/16, is outside 0\.\.0' "$half" "${fills[@]}" --at 'dst[99999999999999999999,0,0]'
wrong 'too few indices' 2 'has too few indices; an element is dst\[Cout/16,howo,Cout%16\], or dst\[I\] with its number' "$half" "${fills[@]}" --at 'dst[0,0]'
wrong 'too many' 2 'has too many indices' "$half" "${fills[@]}" --at 'dst[0,0,0,0]'
wrong 'far too many' 2 'there are too many indices' "$half" "${fills[@]}" --at 'dst[0,0,0,0,0,0,0]'
wrong 'a number too large' 2 'index 0 is outside 0\.\.255' "$half" "${fills[@]}" --at 'dst[256]'
wrong 'no end' 2 'an index is missing' "$half" "${fills[@]}" --at 'dst[0,0,0'
wrong 'more behind the end' 2 'does not end' "$half" "${fills[@]}" --at 'dst[0,0,0]]'
odd='fixpipe(src=int32, dst=int8, format=NZ, nSize=48, mSize=2, srcStride=2, dstStride=2, quantPre=REQ8, deqScalar=quant(1,0,int8))'
wrong 'a column that the odd last block lacks' 2 'index 2, C0, is outside 0\.\.15' "$odd" --fill src=zeros --at 'dst[1,0,16]'
wrong 'a column in a gap' 2 'index 1, column, is outside 0\.\.15' "$gap" --fill src=zeros --at 'dst[0,17]'
wrong 'an input' 2 'no element of the output' "$half" "${fills[@]}" --at 'weight[0,0,0]'
wrong 'a negative index' 2 'no number' "$half" "${fills[@]}" --at 'dst[0,0,-1]'
wrong 'no brackets' 2 'no element of the output' "$half" "${fills[@]}" --at dst
wrong 'a missing input' 2 'explain: input weight is missing' "$half" --fill feature_map=zeros --at 'dst[0,0,0]'
wrong 'operands without --at' 2 'explain: --at: is missing' "$half" "${fills[@]}"
finish
