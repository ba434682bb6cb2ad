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
ok 'is a line' grep -q '^  old c  *1000$' .out
expect 'float16' 0 '^dst\[0,3,4\] = -?[0-9.]+$' "$aicjit" explain "$half" "${fills[@]}" --at 'dst[0,3,4]'
"$aicjit" run "$half" "${fills[@]}" --out dst=h.bin
bits=$(od -An -tx4 -j $((4 * (3 * 16 + 4))) -N4 h.bin | tr -d ' ' | tr a-f A-F)
ok 'its bits' grep -q "acc .*(0x$bits)\$" <(tail -n 2 .out)

expect '--overflow counts' 0 '^dst\[0,0\] = inf$' "$aicjit" explain 'fixpipe(src=float32, dst=float16, nSize=1, mSize=1, srcStride=1, dstStride=1, quantPre=F322F16)' \
    --fill src=const:1e9 --at 'dst[0]' --overflow ieee

# ---- what is refused ----

wrong() { expect "$1" "$2" "$3" "$aicjit" explain "$4" "${@:5}"; }
wrong 'a row that is not written' 2 'element: 144 of dst is not written' "$half" "${fills[@]}" --at 'dst[0,9,0]'
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
gap='fixpipe(src=int32, dst=int32, nSize=16, mSize=2, srcStride=2, dstStride=20)'
wrong 'an element in a gap' 2 'element: 17 of dst is not written' "$gap" --fill src=zeros --at 'dst[17]'
wrong 'a column in a gap' 2 'index 1, column, is outside 0\.\.15' "$gap" --fill src=zeros --at 'dst[0,17]'
wrong 'an input' 2 'no element of the output' "$half" "${fills[@]}" --at 'weight[0,0,0]'
wrong 'a negative index' 2 'no number' "$half" "${fills[@]}" --at 'dst[0,0,-1]'
wrong 'no brackets' 2 'no element of the output' "$half" "${fills[@]}" --at dst
wrong 'a missing input' 2 'explain: input weight is missing' "$half" --fill feature_map=zeros --at 'dst[0,0,0]'
wrong 'operands without --at' 2 'explain: --at: is missing' "$half" "${fills[@]}"
wrong 'accumulate=fast' 2 'accumulate: fast allows every order' "${half%)}, accumulate=fast)" "${fills[@]}" --at 'dst[0,0,0]'
wrong 'an operator without steps' 2 'there is no trace of it' 'transdata(dtype=int8, src=ND, dst=Nz, shape=[4,4])' --fill src=zeros --at 'dst[0,0,0,0]'
finish
