#!/usr/bin/env bash
# Ready-made parts: kernels that are made of those beside the generator's module, and of none where the file is missing,
# damaged, another build's, or the cache is off. All of the host's level, and a sample of those of every level.
# shellcheck disable=SC1091,SC2154 # common.bash defines aicjit and work
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
. "$here/common.bash"
export AIC_CACHE=ro AIC_CACHE_DIR="$work/none" AIC_VERBOSE=2
build=$(dirname "$aicjit")
module=$build/$(basename "$(readlink "$build/libaicjit.so")" | sed s/aicjit/aicjit-codegen/)
if [ ! -x "$build/aicjit-ready" ]; then
    echo "not run: this build has no ready-made parts"
    finish
    exit
fi
list=$(realpath "$here/../../tools/ready/shapes.txt")
about_host >info.txt
level=$(sed -n 's/^used by default *//p' info.txt)
mkdir beside
if [ ! -e "$module.$level.parts" ]; then # made for another level, or on another machine
    cp -L "$module" beside/module.so
    module=$work/beside/module.so
    export AIC_CODEGEN=$module
    "$build/aicjit-ready" "$list" "$level" "$module"
fi
# planned_for LEVEL: a type of core whose highest level it is, or that has it; ready-made parts are planned for that one, too.
planned_for() {
    case $1 in
    amx | avx512fp16) echo golden-cove ;;
    *) echo zen4 ;;
    esac
}
AIC_MACHINE=$(planned_for "$level")
export AIC_MACHINE
# Of tools/ready/shapes.txt, and sizes that it does not have.
shapes=('mmad(dtype=int8, m=176, n=64, k=96)' 'conv2d(dtype=int8, fm_shape=[2,14,17,32], kernel_shape=[2,1,1,64,32])'
    'conv2d(dtype=float16, fm_shape=[4,14,11,16], kernel_shape=[4,3,3,48,16], pad=[1,1,1,1], accumulate=fast)'
    'tensor_arithmetic(op=BM_MUL, shape=[1,16,33,64])' 'tensor_arithmetic_quantized(op=BM_MAX, shape=[4,16,24,64])'
    'texpands(dtype=float32, rows=96, cols=1024)' 'transdata(dtype=float16, src=NCHW, dst=NC1HWC0, shape=[1,71,17,23])'
    'transdata(dtype=int8, src=NC1HWC0, dst=NHWC, shape=[1,19,26,100])' 'transdata(dtype=float32, src=ND, dst=Nz, shape=[101,333])')
others=('mmad(dtype=int8, m=84, n=80, k=64)' 'conv2d(dtype=int8, fm_shape=[3,19,51,32], kernel_shape=[3,3,3,64,32], pad=[1,1,1,1])'
    'conv2d(dtype=float16, fm_shape=[5,21,44,16], kernel_shape=[5,3,3,64,16], pad=[1,1,1,1], accumulate=fast)')
# Layers of networks of other sizes than those that it has; nothing of them is to be made.
bias='init_l1out=false, l1out=channel'
layers=("conv2d(dtype=int8, fm_shape=[17,9,7,32], kernel_shape=[1,3,3,544,1], pad=[1,1,1,1], $bias, groups=544) | fixpipe(src=int32, dst=int8, format=NZ, quantPre=VREQ8)"
    "conv2d(dtype=int8, fm_shape=[1,112,224,4], kernel_shape=[1,7,7,64,4], stride=[2,2], pad=[3,3,3,3], $bias) | fixpipe(src=int32, dst=int8, format=NZ, quantPre=VREQ8, reluEn=true)"
    "conv2d(dtype=int8, fm_shape=[2,60,56,32], kernel_shape=[2,3,3,64,32], pad=[1,1,1,1], $bias) | fixpipe(src=int32, dst=int8, format=NZ, quantPre=VREQ8, reluEn=true)"
    "conv2d(dtype=float16, fm_shape=[34,9,7,16], kernel_shape=[34,1,1,544,16], accumulate=fast, $bias) | tensor_arithmetic(op=BM_ADD) | fixpipe(src=float32, dst=float16, format=NZ, quantPre=F322F16, reluEn=true)")

# ---- beside the module ----

for shape in "${shapes[@]}"; do
    expect "$shape" 0 '^aicjit: compiled .* parts=[0-9]+\+[1-9][0-9]*\+0 ' "$aicjit" check "$shape"
    ok "$shape: without LLVM" test "$(llvms "$aicjit" check "$shape")" -eq 0
done
for shape in "${others[@]}"; do
    expect "$shape" 0 '^aicjit: compiled .* parts=[0-9]+\+[1-9][0-9]*\+' "$aicjit" check "$shape"
done
for layer in "${layers[@]}"; do
    expect "$layer" 0 '^aicjit: compiled .* parts=[0-9]+\+[1-9][0-9]*\+0 ' "$aicjit" check "$layer"
done
expect 'each part has a line' 0 '^aicjit: part (amx_)?tile loaded ' "$aicjit" check "${shapes[0]}"
expect 'off: every part is made' 0 '^aicjit: compiled .* parts=0\+0\+[1-9]' env AIC_CACHE=off "$aicjit" check "${shapes[0]}"
expect 'without a home they are used' 0 '^aicjit: compiled .* parts=[0-9]+\+[1-9][0-9]*\+0 ' \
    env -u HOME -u AIC_CACHE_DIR -u XDG_CACHE_HOME -u AIC_CACHE "$aicjit" check "${shapes[0]}"

# ---- a process whose parts are there never loads LLVM ----

cc -std=c11 -D_DEFAULT_SOURCE -O1 -I "$here/../../frontend/include" -o user "$here/module_user.c" -L "$build" -laicjit \
    -Wl,-rpath,"$build"
expect 'none of its kernels needs LLVM' 0 '^LLVM is not there$' env USER_MAPS=1 ./user 60
expect 'the same kernels by LLVM' 0 '^LLVM is there$' env USER_MAPS=1 AIC_CACHE=off ./user 3

# ---- every level ----

# A kernel of each thirtieth line of the list.
mkdir sample
cp -L "$module" sample/module.so
grep '^[a-z]' "$list" | awk 'NR % 30 == 1' | sed -E 's/[{<]([^],}>]*)[^]}>]*[}>]/\1/g' >sample/shapes.txt
count=$(wc -l <sample/shapes.txt)
ok 'the sample is one' test "$count" -ge 10
read -ra levels < <(sed -n 's/^instruction set levels: //p' info.txt | sed -E 's/ \([^)]*\)//g')
for each in "${levels[@]}"; do
    expect "parts of level $each" 0 "^[a-z0-9+]+: [0-9]{2,} parts of $count kernels" \
        "$build/aicjit-ready" sample/shapes.txt "$each" "$work/sample/module.so"
    if [[ " $(runnable_levels) " != *" $each "* ]]; then
        echo "not run: kernels of parts of level $each, which this host lacks"
        continue
    fi
    settings=(AIC_MACHINE="$(planned_for "$each")" AIC_CODEGEN="$work/sample/module.so")
    env "${settings[@]}" AIC_CACHE=rw AIC_CACHE_DIR="$work/$each" "$aicjit" cache warm --isa "$each" --batch sample/shapes.txt 2>log
    ok "each of its kernels is made of them" test "$(grep -Ec '^aicjit: compiled .* parts=[0-9]+\+[0-9]+\+0 ' log)" -eq "$count"
    ok "they are found" grep -Eq '^aicjit: compiled .* parts=[0-9]+\+[1-9][0-9]*\+0 ' log
    expect "their results at level $each" 0 '^[1-9][0-9]* passed, 0 failed$' env "${settings[@]}" "$aicjit" check --isa "$each" \
        "$(head -n 1 sample/shapes.txt)" "$(tail -n 1 sample/shapes.txt)"
done

# ---- beside another copy ----

mkdir alone
cp -L "$module" alone/module.so
file=alone/module.so.$level.parts
mine() { env AIC_CODEGEN="$work/alone/module.so" "$aicjit" "$@"; }
warm() { # in a new folder, and with warnings
    rm -rf kernels
    AIC_CACHE=rw AIC_CACHE_DIR="$work/kernels" mine cache warm "${shapes[0]}"
}
# The same bytes: what the tool keeps of one and the same kernel, of parts that are linked and of parts that are made.
for shape in "${others[@]}"; do
    rm -rf ready made
    env AIC_CACHE=rw AIC_CACHE_DIR="$work/ready" "$aicjit" check "$shape" >/dev/null 2>&1
    env AIC_CACHE=rw AIC_CACHE_DIR="$work/made" AIC_CODEGEN="$work/alone/module.so" "$aicjit" check "$shape" >/dev/null 2>&1
    ok "the same kernel: $shape" cmp ready/aic_*.kernel made/aic_*.kernel
done
expect 'no file' 0 '^aicjit: compiled .* parts=0\+0\+[1-9]' mine check "${shapes[0]}"
cp "$module.$level.parts" "$file"
expect 'a copy' 0 '^aicjit: compiled .* parts=[0-9]+\+[1-9][0-9]*\+0 ' mine check "${shapes[0]}"
printf 'x' | dd of="$file" bs=1 seek=40 conv=notrunc status=none
expect 'a damaged one is reported' 0 'warning: ready-made parts: "[^"]*module.so.*parts" is not used: it is damaged$' warm
cp "$module.$level.parts" "$file"
truncate -s 100 "$file"
expect 'one that is cut off' 0 'is not used: it is cut off$' warm
: >"$file"
expect 'an empty one' 0 'is not used: it is empty$' warm
rm "$file" && mkfifo "$file"
expect 'a pipe' 0 'is not used: it is no file$' warm
rm "$file" && cp sample/module.so.generic.parts "$file"
expect 'of another level' 0 'is not used: it is of another level$' warm

# ---- what draws the list ----

python3 "$here/../../tools/ready/moves.py" "$aicjit" 1 8 >moves.txt 2>moves.err
ok 'moves.py prints lines' grep -q '^transdata(' moves.txt
ok 'of which parts are made' "$build/aicjit-ready" moves.txt "$level" "$work/moves"
draw() { env AIC_CODEGEN="$work/alone/module.so" python3 "$here/../../tools/ready/convolutions.py" "$aicjit" 1 6; }
rm -f "$file"
draw >convolutions.txt 2>convolutions.err
ok 'convolutions.py prints lines where no part is ready' grep -q '^conv2d(' convolutions.txt
ok 'of which parts are made, too' "$build/aicjit-ready" convolutions.txt "$level" "$work/convolutions"
finish
