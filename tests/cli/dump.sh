#!/usr/bin/env bash
# aicjit dump and explain: stages, targets, files.
# shellcheck disable=SC1091,SC2154 # common.bash defines aicjit, work and the operators
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"

expect 'ir' 0 '^define ' "$aicjit" dump "$int8"
expect 'IR opens with a comment' 0 '^; A kernel of aicjit. This is stage ir' "$aicjit" dump "$int8"
expect 'opt without passes' 0 'stage opt, which equals stage ir: no passes are run' "$aicjit" dump "$int8" --stage opt
expect 'opt' 0 '^define ' "$aicjit" dump "$int8" --stage opt --passes 'default<O1>'
expect 'asm' 0 '\.text' "$aicjit" dump "$int8" --stage asm
expect 'plan' 0 '^schedule\(.*\)$' "$aicjit" dump "$int8" --stage plan
plan=$("$aicjit" dump "$int8" --stage plan)
expect 'a plan is a schedule' 0 '^schedule\(.*\)$' "$aicjit" dump "$int8" --stage plan --schedule "$plan"
expect 'obj' 0 '' "$aicjit" dump "$int8" --stage obj -o k.o
ok 'an ELF file' test "$(head -c 4 k.o | od -An -c | tr -d ' ')" = '177ELF'
expect 'obj to a pipe' 0 'ELF' "$aicjit" dump "$int8" --stage obj
expect 'every level of the architecture' 0 'define' "$aicjit" dump "$int8" --isa generic
expect 'another architecture' 0 'aarch64' "$aicjit" dump "$int8" --target aarch64-linux-gnu
expect 'its object' 0 '' "$aicjit" dump "$int8" --target aarch64-linux-gnu --stage obj -o a.o
ok 'an object of another machine' test "$(od -An -tu1 -j18 -N1 a.o | tr -d ' ')" != "$(od -An -tu1 -j18 -N1 k.o | tr -d ' ')"
expect 'explain' 0 'schedule\(' "$aicjit" explain "$int8"
expect 'explain: what is predicted' 0 '^predicted time: [0-9]+ ns, the bound [0-9]+ ns' "$aicjit" explain "$int8"
expect 'explain: a given schedule' 0 '^origin: given$' "$aicjit" explain "$int8" --schedule "$plan"
expect 'explain: a wrong schedule' 2 'rows' "$aicjit" explain "$int8" --schedule "${plan/rows=*, cols/rows=0, cols}"
expect 'explain --measure' 0 '^measured time: [0-9]+ ns, .*, packed weights$' "$aicjit" explain "$int8" --measure --schedule "$plan"
ok 'the share of the bound' grep -Eq '^at this machine.* predicted, the bound [0-9]+ ns, of which [0-9.]+ % is reached$' .out
expect 'explain --measure, a level' 0 '^target: generic' "$aicjit" explain "$int8" --measure --isa generic
expect 'explain --measure, none of the levels' 2 'avx9' "$aicjit" explain "$int8" --measure --isa avx9
expect 'explain --at is not measured' 2 '\-\-measure: has no effect with --at' "$aicjit" explain "$int8" --measure --at 'dst[0,0,0]'
expect 'explain a level' 0 'generic' "$aicjit" explain "$int8" --isa generic

echo old >out.ll
refuse() { # NAME PATTERN ARGUMENT...
    local name=$1 pattern=$2
    shift 2
    expect "$name" 2 "$pattern" "$aicjit" dump "$int8" -o out.ll "$@"
    [ "$(cat out.ll)" = old ] || verdict "$name" 1 'the old file was overwritten'
}
for triple in frob-unknown-none x86_64 x86_64-linux-gnux32 x86_64-unknown-linux-wasm x86_64-pc-windows-msvc x86_64-unknown-linux-goff \
    x86_64-unknown-linux-xcoff x86_64-pc-windows-spirv aarch64_be-linux-gnu aarch64-linux-gnu_ilp32 aarch64-apple-darwin ''; do
    refuse "triple $triple" "\"$triple\" is no triple of 64-bit Linux on x86_64 or aarch64" --target "$triple"
done
for triple in x86_64-linux-gnu x86_64-unknown-linux-gnu x86_64-pc-linux-musl x86_64-linux-android aarch64-linux-gnu aarch64-redhat-linux; do
    expect "triple $triple" 0 'ELF' "$aicjit" dump "$int8" --target "$triple" --stage obj
done
refuse 'level of another architecture' 'avx2' --target aarch64-linux-gnu --isa avx2
refuse 'schedule text' 'schedule' --schedule 'schedule('
refuse 'schedule value' 'rows' --schedule "${plan/rows=*, cols/rows=0, cols}"
refuse 'schedule key' 'frob' --schedule 'schedule(frob=1)'
refuse 'passes' 'frobnicate' --stage opt --passes frobnicate
refuse 'passes that are not run' 'frobnicate' --passes frobnicate
refuse 'a pass that crashes' '"codegenprepare"' --stage opt --passes 'function(codegenprepare)'
refuse 'a pass that writes files' '"dot-cfg"' --stage opt --passes 'function(dot-cfg)'
refuse 'a pass that opens a window' '"view-cfg"' --stage opt --passes 'view-cfg'
"$aicjit" dump --help >help.txt
ok 'the help lists passes' grep -q ' default<O2> ' help.txt
expect '-o without folder' 2 '"none/x" cannot be created' "$aicjit" dump "$int8" -o none/x
expect '-o a folder' 2 'not the name of a file' "$aicjit" dump "$int8" -o .
expect '-o full device' 3 'No space left' "$aicjit" dump "$int8" -o /dev/full
for command in dump explain; do
    expect "full standard output of $command" 3 'standard output: No space left' sh -c '"$@" >/dev/full' sh "$aicjit" "$command" "$int8"
done
ok '/dev/full is still a device' test -c /dev/full
ok 'no temporary file is left' test -z "$(find . -name '.aicjit*')"

# Stores past the caches are ordered before what the caller does next: the function that calls the bodies ends so.
large='tensor_arithmetic(op=BM_ADD, shape=[1,64,1024,1024])'
for level in avx2 neon; do
    case $level in avx2) target=x86_64-linux-gnu ;; *) target=aarch64-linux-gnu ;; esac
    "$aicjit" dump "$large" --stage ir --target "$target" --isa "$level" -o large.ll
    ok "$level: a large result is stored past the caches" grep -q '!nontemporal' large.ll
    ok "$level: and waited for" test "$(grep -A1 'fence seq_cst' large.ll | tail -1 | tr -d ' ')" = 'retvoid'
done

# So do results of fixpipe where they fill whole lines, and not where lines are left in parts.
fixpipe='fixpipe(src=float32, dst=float32, mSize=4096, srcStride=4096'
"$aicjit" dump "$fixpipe, nSize=2048, dstStride=2048)" --stage ir --isa avx512 --target x86_64-linux-gnu -o lines.ll
ok 'fixpipe: lines are stored whole' grep -q 'store <16 x i32>.*align 64, !nontemporal' lines.ll
ok 'fixpipe: no part of a line is' test -z "$(grep '!nontemporal' lines.ll | grep -v 'store <16 x i32>')"
ok 'fixpipe: and they are waited for' test "$(grep -A1 'fence seq_cst' lines.ll | tail -1 | tr -d ' ')" = 'retvoid'
"$aicjit" dump "$fixpipe, nSize=2056, dstStride=2056)" --stage ir --isa avx512 --target x86_64-linux-gnu -o parts.ll
ok 'fixpipe: parts of lines stay in the caches' sh -c '! grep -q nontemporal parts.ll'

# The floating-point control word is set only where the caller's is not the usual one: that can take longer than a kernel.
for level in avx2 neon; do
    case $level in avx2) target=x86_64-linux-gnu ;; *) target=aarch64-linux-gnu ;; esac
    "$aicjit" dump 'tensor_arithmetic(op=BM_ADD, shape=[1,1,4,16])' --stage ir --target "$target" --isa "$level" -o small.ll
    awk '/^[a-z.0-9]+:/ { block = $1 } /call.*(ldmxcsr|set\.fpcr)\(/ { print block ~ /^then/ ? "behind a test" : "always" }' \
        small.ll >sets
    ok "$level: the control word is set behind tests" test "$(sort -u sets)" = 'behind a test'
done

mkdir dumps
AIC_DUMP_DIR=dumps expect 'AIC_DUMP_DIR' 0 '1 passed' "$aicjit" check "$int8"
ok 'IR of the kernel' test -n "$(find dumps -name '*.ll')"
ok 'what the kernel is' grep -q '^conv2d(.*fm_shape=' dumps/aic_conv2d_*.txt
AIC_VERBOSE=1 expect 'AIC_VERBOSE' 0 'conv2d\(' "$aicjit" run "$int8" --fill feature_map=zeros --fill weight=zeros
finish
