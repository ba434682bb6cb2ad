#!/usr/bin/env bash
# aicjit dump --repro: lli alone gives the expected bits; and opt and llc take dumped IR as it is. Needs the tools of the
# LLVM that the library has; without them only what needs none is tested, and the last lines say so.
# shellcheck disable=SC1091,SC2154 # common.bash defines aicjit, work and the operators
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
. "$here/common.bash"

about_host >about.txt
major=$(awk '$1 == "LLVM" { split($2, part, "."); print part[1] }' about.txt)
# The tool of this LLVM, "" when there is none.
llvm_tool() {
    if command -v "$1-$major" >/dev/null; then
        echo "$1-$major"
    elif "$1" --version 2>/dev/null | grep -q "version $major\."; then
        echo "$1"
    fi
}
lli=$(llvm_tool lli)
opt=$(llvm_tool opt)
llc=$(llvm_tool llc)
has_lli() { [ -n "$lli" ]; }

levels=$(runnable_levels)
highest=$(awk '/^used by default/ { print $4 }' about.txt)

# bits NAME ARGUMENT...: the folder of these arguments is written and its script succeeds.
bits() {
    local name=$1
    shift
    rm -rf folder
    expect "$name is written" 0 '' "$aicjit" dump "$@" --repro folder
    ok "$name: a script of two lines" test "$(wc -l <folder/run.sh)" -eq 2
    has_lli && LLI=$lli expect "$name: the same bits" 0 'all [0-9]+ bytes agree' folder/run.sh
}

for level in $levels; do
    bits "conv2d int8, $level" 'conv2d(dtype=int8, fm_shape=[2,7,6,32], kernel_shape=[2,3,3,48,32], pad=[1,1,1,1])' --isa "$level"
    bits "conv2d float16, $level" 'conv2d(dtype=float16, fm_shape=[2,5,6,16], kernel_shape=[2,2,3,48,16], stride=[2,1], init_l1out=false)' --isa "$level"
done
bits 'conv2d float16 fast' 'conv2d(dtype=float16, fm_shape=[2,9,9,16], kernel_shape=[2,3,3,64,16], accumulate=fast)'
bits 'mmad int8' 'mmad(dtype=int8, m=5, n=19, k=70, a_format=Zz, b_format=Zn, c_format=Nz)'
bits 'mmad bfloat16 with old sums' 'mmad(dtype=bfloat16, m=17, n=40, k=33, init_c=false)' --fill c=random:3
bits 'mmad float32' 'mmad(dtype=float32, m=17, n=40, k=33)'
bits 'conv2d | fixpipe' 'conv2d(dtype=int8, fm_shape=[1,4,4,32], kernel_shape=[1,2,2,32,32]) | fixpipe(src=int32, dst=int8, quantPre=VREQ8, format=NZ)'
bits 'mmad | fixpipe' 'mmad(dtype=float16, m=20, n=33, k=40) | fixpipe(src=float32, dst=float16, quantPre=F322F16)'
bits 'fixpipe to uint8' 'fixpipe(dst=uint8, src=int32, nSize=40, mSize=9, srcStride=16, dstStride=40, quantPre=VREQ8, reluEn=true)'
bits 'fixpipe to bfloat16' 'fixpipe(dst=bfloat16, src=float32, nSize=21, mSize=7, srcStride=16, dstStride=21, quantPre=F322BF16)'
bits 'tik_fixpipe' 'tik_fixpipe(src=int32, dst=float16, cburst_num=2, burst_len=18, quantize_params=int322fp16, mode_param=0.5)'
bits 'fixpipe of one scale' 'fixpipe(dst=int8, src=int32, nSize=32, mSize=9, srcStride=16, dstStride=40, quantPre=REQ8, deqScalar=quant(0.5, 0, int8))'
bits 'conv2d | fixpipe of one scale' 'conv2d(dtype=int8, fm_shape=[1,4,4,32], kernel_shape=[1,2,2,32,32]) | fixpipe(src=int32, dst=int8, quantPre=REQ8, format=NZ, deqScalar=quant(0.01, 3, int8))'
bits 'a constant' 'tensor_arithmetic(op=BM_MUL, shape=[1,1,3,5], input1_is_const=true, input1_const=3.5)'
bits 'transdata' 'transdata(dtype=float16, src=NCHW, dst=NC1HWC0, shape=[1,20,35,27])'
bits 'transdata past the caches' 'transdata(dtype=int8, src=NHWC, dst=NC1HWC0, shape=[1,8,9,32])' --schedule "$("$aicjit" dump 'transdata(dtype=int8, src=NHWC, dst=NC1HWC0, shape=[1,8,9,32])' --stage plan)"
bits 'nd2nz' 'nd2nz(dtype=int8, nValue=7, dValue=70, srcDValue=70, dstNzC0Stride=7)'
bits 'tensor_arithmetic' 'tensor_arithmetic(op=BM_MAC, shape=[2,3,5,7])'
bits 'quantized, 4N' 'tensor_arithmetic_quantized(op=BM_MUL, shape=[4,2,3,5], rshift_bit=3)'
bits 'texpands' 'texpands(dtype=float32, rows=16, cols=16, v_row=3, v_col=5)' --in scalar=2.5
bits 'texpands, sizes of the call' 'texpands(dtype=int32, rows=8, cols=8, v_row=dyn, v_col=dyn)' --in v_row=3 --in v_col=8
bits 'nothing to do' 'texpands(dtype=float16, rows=16, cols=16, v_row=0, v_col=0)'
bits 'after passes' "$int8" --stage opt --passes 'default<O2>'
bits 'a schedule' "$int8" --schedule "$("$aicjit" dump "$int8" --stage plan)"
echo '%d = texpands 1.0 : f32, !pto.tile<16x16xf32>' >one.pto
expect 'a PTO program' 0 '' "$aicjit" dump --pto one.pto --repro folder
has_lli && LLI=$lli expect 'a PTO program: the same bits' 0 'all 1024 bytes agree' folder/run.sh
printf '%%c = texpands 2.0 : f32, !pto.tile<8x8xf32>\n' | cat one.pto - >two.pto
expect 'two statements' 2 '2 different statements, the folder holds one' "$aicjit" dump --pto two.pto --repro folder
npy fm.npy '|i1' '(1, 4, 4, 32)' 512
bits 'a file' "$int8" --in feature_map=fm.npy --fill weight=const:2
ok 'the contents of the file' grep -q '^@repro.feature_map = .* c"\\01\\01\\01' folder/repro.ll
ok 'the level is named' grep -q "^; Run by .* with instruction set level $highest" folder/repro.ll
if has_lli; then
    sed -E 's/^(@repro.expected = [^"]*) c".*"(, align 64)$/\1 zeroinitializer\2/' folder/repro.ll >folder/wrong.ll
    expect 'other bits' 1 'bytes differ, the first is number [0-9]' "$lli" folder/wrong.ll
fi

# A kernel that differs from the reference: the reference's result is expected, so that the folder shows the difference.
if cc -std=c11 -shared -fPIC -o wrong.so -I "$here/../../frontend/include" "$here/wrong_reference.c" -ldl 2>cc.err; then
    expect 'a wrong result is reported' 0 'warning: dump: --repro: 1 elements of the kernel' \
        env LD_PRELOAD="$work/wrong.so" ASAN_OPTIONS=verify_asan_link_order=0 "$aicjit" dump "$int8" --repro folder
    has_lli && LLI=$lli expect 'and repeated' 1 '1 of 2048 bytes differ, the first is number 22' folder/run.sh
else
    verdict 'wrong_reference.c compiles' 1 "$(head -c 300 cc.err)"
fi

expect 'a level that the host lacks' 2 'lacks|is no instruction set level' "$aicjit" dump "$int8" --repro none --isa "$(sed -nE 's/^([a-z0-9]+) +isa: this host lacks.*/\1/p' about.txt | head -1 | grep . || echo nonsense)"
expect 'another machine' 2 'does not go with --target' "$aicjit" dump "$int8" --repro folder --target aarch64-linux-gnu
expect 'a file besides' 2 'does not go with -o' "$aicjit" dump "$int8" --repro folder -o x.ll
expect 'a stage that lli does not run' 2 'does not go with --stage asm' "$aicjit" dump "$int8" --repro folder --stage asm
expect 'operands without a use' 2 '\-\-repro: is missing' "$aicjit" dump "$int8" --fill weight=zeros
expect 'an unknown operand' 2 'none of the operands' "$aicjit" dump "$int8" --repro folder --fill frob=zeros
expect 'no folder to make it in' 2 'cannot be made' "$aicjit" dump "$int8" --repro none/folder
expect 'too much' 2 'written as text' "$aicjit" dump 'transdata(dtype=float16, src=NCHW, dst=NC1HWC0, shape=[1,64,1024,1024])' --repro folder
ok 'no temporary file is left' test -z "$(find . -name '.aicjit*')"

# Dumped IR of every level, with and without passes.
all_levels=$(sed -n 's/^instruction set levels: //p' about.txt | sed -E 's/\([^)]*\)//g')
for level in $all_levels; do
    for operator in "$int8" "$half" 'tensor_arithmetic(op=BM_ADD, shape=[1,3,5,7])'; do
        "$aicjit" dump "$operator" --isa "$level" >k.ll
        [ -z "$opt" ] || ok "opt reads $level, $operator" "$opt" -passes=verify -disable-output k.ll
        [ -z "$llc" ] || ok "llc reads $level, $operator" "$llc" -filetype=null k.ll
    done
done
for level in generic neon dotprod i8mm; do
    "$aicjit" dump "$int8" --isa "$level" --target aarch64-linux-gnu >k.ll
    [ -z "$opt" ] || ok "opt reads AArch64, $level" "$opt" -passes=verify -disable-output k.ll
    [ -z "$llc" ] || ok "llc reads AArch64, $level" "$llc" -filetype=null k.ll
done
for tool in lli opt llc; do
    [ -n "${!tool}" ] || echo "not run: $tool of LLVM $major is not installed"
done
finish
