#!/usr/bin/env bash
# run.sh BUILD: the emulator of AMX and AVX-VNNI (emulate.h). Its instructions against a plain model, by the processor where that has
# AMX; then level amx of the tool with the emulator in LD_PRELOAD.
set -uo pipefail
export LC_ALL=C
# Level amx is asked for whatever level is claimed, and what is counted is of the caches that cores with tiles have.
unset AIC_MAX_ISA AIC_CLAIM_LEVEL AIC_CLAIM_CACHES AIC_VERBOSE AIC_DUMP_DIR AIC_TUNING_DB AIC_EMULATE AIC_EMULATE_COUNTS
export AIC_CACHE=off

build=$(cd "$1" && pwd)
emulator="$build/libaicjit-emulate.so"
if [ ! -e "$emulator" ]; then
    echo "AMX is of x86-64: nothing to emulate here"
    echo "0 passed, 0 failed"
    exit 0
fi
# A sanitizer's library wants to be loaded first; the emulator, which has none, does not mind.
export ASAN_OPTIONS="${ASAN_OPTIONS:-}${ASAN_OPTIONS:+:}verify_asan_link_order=0"
work=$(TMPDIR=/tmp mktemp -d)
trap 'rm -rf "$work"' EXIT
ln -s "$emulator" "$work/emulate.so" # LD_PRELOAD takes blanks and colons for the ends of names
emulator=$work/emulate.so
passed=0
failed=0

# check NAME STATUS PATTERN COMMAND...: the exit status, and what standard output and error together contain.
check() {
    local name=$1 status=$2 pattern=$3 got
    shift 3
    "$@" >"$work/output" 2>&1
    got=$?
    if [ "$got" -eq "$status" ] && grep -Eq -e "$pattern" "$work/output"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $name: exit status $got, wanted $status and \"$pattern\""
        head -n 40 "$work/output"
    fi
}

emulated() { LD_PRELOAD="$emulator" "$@"; }

# Every test of the program is one of ours.
instructions() {
    emulated "$build/aicjit-emulate-tests" >"$work/output" 2>"$work/messages"
    local line
    line=$(tail -n 1 "$work/output")
    grep -E '^AMX is executed|:[FE]:' "$work/output"
    if [[ $line =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]]; then
        passed=$((passed + BASH_REMATCH[1]))
        failed=$((failed + BASH_REMATCH[2]))
    else
        failed=$((failed + 1))
        echo "FAILED: aicjit-emulate-tests: $line"
    fi
}

mmad='mmad(dtype=int8, m=19, n=37, k=45)'
instructions
if grep -q 'executed by the emulator' "$work/output"; then
    way=emulated
    check "nothing executes AMX without the emulator" 3 'nothing here' "$build/aicjit-emulate-tests"
    check "the emulator can be switched off" 3 'nothing here' env AIC_EMULATE=off LD_PRELOAD="$emulator" \
        "$build/aicjit-emulate-tests"
    "$build/aicjit" info >"$work/info"
    if grep -qF ' avx512vnni (not' "$work/info"; then
        way=lacking # the emulator is for AMX, not for the vectors beside it
    fi
else
    way=native
fi
case $way in
emulated)
    check "the tool without the emulator" 2 'lacks the instruction set level amx \(no amx-tile, ' \
        "$build/aicjit" run "$mmad" --isa amx
    check "info tells what is emulated" 0 'amx \(emulated\)' emulated "$build/aicjit" info
    check "an emulated level is not the default" 0 'used by default +avx512' emulated "$build/aicjit" info
    check "switched off" 2 'lacks the instruction set level amx' env AIC_EMULATE=off LD_PRELOAD="$emulator" \
        "$build/aicjit" check "$mmad" --isa amx
    check "the environment may request it" 0 'used by default +amx' env AIC_MAX_ISA=amx LD_PRELOAD="$emulator" \
        "$build/aicjit" info
    check "check says so" 0 '^level amx: emulated$' emulated "$build/aicjit" check "$mmad" --isa amx
    check "a level that nothing runs" 0 '^level amx: not run, this host lacks it$' "$build/aicjit" check "$mmad" --isa all
    check "counts are printed" 0 '^aicjit-emulate: ldtilecfg [0-9]+, .*tdpbf16ps [0-9]+, ' env AIC_EMULATE_COUNTS=1 \
        LD_PRELOAD="$emulator" "$build/aicjit" check "$mmad" --isa amx
    ;;
native)
    check "the emulator leaves a processor with AMX alone" 0 ' amx$' emulated "$build/aicjit" info
    check "what only an emulator counts" 0 '^[1-9][0-9]+ passed, 0 failed$' env AIC_EMULATE=force CK_RUN_CASE=counted \
        "$build/aicjit-tests" tile_counts tile_floats emulate
    ;;
esac
if [ $way != native ] && "$build/aicjit" info | grep -qF 'avx2+avxvnni (not on this host)'; then
    # Every instruction is a signal: small operators.
    check "AVX-VNNI is emulated where that is wanted" 0 'avx2\+avxvnni \(emulated\)' env AIC_EMULATE=avxvnni \
        LD_PRELOAD="$emulator" "$build/aicjit" info
    check "AVX-VNNI is not emulated else" 0 'avx2\+avxvnni \(not on this host\)' emulated "$build/aicjit" info
    for spec in "$mmad" 'mmad(dtype=int8, m=7, n=48, k=33, b_format=Zn, init_c=false)' \
        'conv2d(dtype=int8, fm_shape=[2,5,7,32], kernel_shape=[2,3,3,16,32], pad=[1,1,1,1], pad_value=-3)' \
        'conv2d(dtype=int8, fm_shape=[1,9,11,4], kernel_shape=[1,3,3,16,4], stride=[2,2])' \
        'conv2d(dtype=int8, fm_shape=[128,2,11,32], kernel_shape=[128,2,11,16,32])'; do
        check "AVX-VNNI: $spec" 0 '^1 passed, 0 failed$' env AIC_EMULATE=avxvnni LD_PRELOAD="$emulator" \
            "$build/aicjit" check "$spec" --isa avx2+avxvnni
    done
    check "AVX-VNNI executes its own instructions" 0 'vpdpbusd [1-9][0-9]*, vpdpwssd 0$' env AIC_EMULATE=avxvnni \
        AIC_EMULATE_COUNTS=1 LD_PRELOAD="$emulator" "$build/aicjit" check "$mmad" --isa avx2+avxvnni
fi
# Forms of tiles that default schedules of small operators may not choose: SPEC;SCHEDULE.
forms=(
    # registers of pixels that run on from row to row, over the padding between them
    'conv2d(dtype=int8, fm_shape=[2,7,7,32], kernel_shape=[2,3,3,32,32], pad=[1,1,1,1]);rows=7, cols=7, vectors=1, band=1'
    'conv2d(dtype=int8, fm_shape=[2,8,5,32], kernel_shape=[2,3,3,64,32], pad=[1,1,1,1], init_l1out=false);rows=4, cols=5, vectors=2, band=2'
    'conv2d(dtype=int8, fm_shape=[2,9,9,32], kernel_shape=[2,3,3,64,32], stride=[2,2], pad=[1,1,1,1]);rows=5, cols=5, vectors=1, band=1'
    'conv2d(dtype=float16, accumulate=fast, fm_shape=[4,7,7,16], kernel_shape=[4,3,3,32,16], pad=[1,1,1,1]);rows=5, cols=7, vectors=1, band=2'
    'conv2d(dtype=int8, fm_shape=[2,7,7,32], kernel_shape=[2,3,3,48,32], pad=[1,1,1,1]) | fixpipe(src=int32, dst=int8, quantPre=VREQ8, format=NZ, reluEn=true);rows=7, cols=7, vectors=1, band=1'
    # the same with strides: a plane of the band for each phase
    'conv2d(dtype=int8, fm_shape=[2,14,14,32], kernel_shape=[2,3,3,32,32], stride=[2,2], pad=[1,1,1,1], pad_value=9);rows=7, cols=7, vectors=1, band=1'
    'conv2d(dtype=int8, fm_shape=[2,15,13,32], kernel_shape=[2,3,3,64,32], stride=[2,2]);rows=4, cols=6, vectors=2, band=1'
    'conv2d(dtype=int8, fm_shape=[2,11,17,32], kernel_shape=[2,2,5,32,32], stride=[1,3], pad=[4,3,1,0], init_l1out=false);rows=7, cols=7, vectors=1, band=1'
    'conv2d(dtype=int8, fm_shape=[2,17,6,32], kernel_shape=[2,3,3,32,32], stride=[3,1], pad=[1,1,1,1], dilation=[2,2]);rows=3, cols=4, vectors=2, band=1'
    'conv2d(dtype=int8, fm_shape=[2,29,9,32], kernel_shape=[2,2,3,64,32], stride=[4,2], pad=[1,1,1,1]);rows=4, cols=5, vectors=2, band=1'
    'conv2d(dtype=float16, accumulate=fast, fm_shape=[4,15,14,16], kernel_shape=[4,3,3,32,16], stride=[2,2], pad=[1,1,1,1]);rows=7, cols=7, vectors=1, band=1'
    'conv2d(dtype=int8, fm_shape=[8,14,14,32], kernel_shape=[8,3,3,48,32], stride=[2,2], pad=[1,1,1,1]) | fixpipe(src=int32, dst=int8, quantPre=VREQ8, format=NZ, reluEn=true);rows=7, cols=7, vectors=1, unroll=16, band=1, hold=window, blocks=2'
    # panels of output channels as the innermost loop
    'conv2d(dtype=int8, fm_shape=[2,7,9,32], kernel_shape=[2,3,3,64,32], pad=[1,1,1,1]);rows=2, cols=5, vectors=2, band=2, hold=window'
    'conv2d(dtype=int8, fm_shape=[2,7,9,32], kernel_shape=[2,3,3,80,32], init_l1out=false);rows=3, cols=7, vectors=1, band=1, hold=window'
    'mmad(dtype=float16, m=40, n=72, k=64, accumulate=fast);rows=14, vectors=1, hold=window'
    'conv2d(dtype=int8, fm_shape=[2,6,7,32], kernel_shape=[2,3,3,48,32]) | fixpipe(src=int32, dst=int8, quantPre=VREQ8, format=NZ, reluEn=true);rows=2, cols=5, vectors=1, band=1, hold=window'
    # channels in blocks, sums being stored and loaded again
    'conv2d(dtype=int8, fm_shape=[8,7,9,32], kernel_shape=[8,3,3,64,32], pad=[1,1,1,1], pad_value=7);rows=2, cols=9, vectors=1, unroll=16, band=2, hold=window, blocks=2'
    'conv2d(dtype=int8, fm_shape=[8,7,7,32], kernel_shape=[8,3,3,32,32], pad=[1,1,1,1]);rows=7, cols=7, vectors=1, unroll=16, band=1, hold=window, blocks=4'
    'conv2d(dtype=int8, fm_shape=[8,5,7,32], kernel_shape=[8,1,1,96,32]);rows=4, cols=7, vectors=2, unroll=32, band=1, hold=window, blocks=2'
    'conv2d(dtype=int8, fm_shape=[8,9,18,32], kernel_shape=[8,3,2,64,32], stride=[2,1]) | fixpipe(src=int32, dst=int8, quantPre=VREQ8, format=NZ, reluEn=true);rows=1, cols=17, vectors=2, unroll=16, band=2, hold=window, blocks=4'
    'conv2d(dtype=int8, fm_shape=[4,7,7,32], kernel_shape=[4,3,3,48,32], pad=[1,1,1,1]) | fixpipe(src=int32, dst=int8, quantPre=VREQ8, format=NZ);rows=7, cols=7, vectors=1, unroll=16, band=1, hold=window, blocks=2'
    'mmad(dtype=int8, m=70, n=40, k=512);rows=35, vectors=1, unroll=16, hold=window, blocks=4'
    'conv2d(dtype=int8, fm_shape=[4,3,14,32], kernel_shape=[4,1,1,48,32]) | fixpipe(src=int32, dst=int8, quantPre=VREQ8, format=NZ);rows=1, cols=14, vectors=2, unroll=16, band=1, hold=window, blocks=2'
    'mmad(dtype=int8, m=28, n=90, k=256);rows=28, vectors=2, unroll=32, hold=window, blocks=2'
    # of floats, too
    'conv2d(dtype=float16, accumulate=fast, fm_shape=[16,7,9,16], kernel_shape=[16,3,3,64,16], pad=[1,1,1,1], pad_value=7);rows=2, cols=9, vectors=1, unroll=16, band=2, hold=window, blocks=2'
    'conv2d(dtype=float16, accumulate=fast, fm_shape=[8,7,7,16], kernel_shape=[8,3,3,48,16], pad=[1,1,1,1]) | fixpipe(src=float32, dst=float16, quantPre=F322F16, format=NZ);rows=7, cols=7, vectors=1, unroll=16, band=1, hold=window, blocks=4'
    'mmad(dtype=float16, m=70, n=40, k=256, accumulate=fast);rows=14, vectors=2, unroll=16, hold=window, blocks=4'
    'mmad(dtype=bfloat16, m=70, n=40, k=512, b_format=Zn, accumulate=fast);rows=35, vectors=1, unroll=16, hold=window, blocks=4'
    # taps of a kernel row as one
    'conv2d(dtype=int8, fm_shape=[1,21,25,4], kernel_shape=[1,7,7,64,4], stride=[2,2], pad=[3,3,3,3], pad_value=-5);rows=1, cols=7, vectors=4'
    # and several kernel rows
    'conv2d(dtype=int8, fm_shape=[1,19,37,4], kernel_shape=[1,5,5,32,4], pad=[2,1,0,2], pad_value=9);rows=1, cols=9, vectors=2'
    'conv2d(dtype=int8, fm_shape=[1,37,39,4], kernel_shape=[1,6,8,32,4], stride=[4,1], pad=[2,1,4,2]);rows=2, cols=19, vectors=1'
    'conv2d(dtype=int8, fm_shape=[1,37,39,4], kernel_shape=[1,7,4,32,4], stride=[9,3]);rows=4, cols=12, vectors=1'
    'conv2d(dtype=int8, fm_shape=[1,12,25,4], kernel_shape=[1,5,5,32,4], dilation=[2,1]);rows=2, cols=11, vectors=2'
    'conv2d(dtype=int8, fm_shape=[1,5,40,4], kernel_shape=[1,1,20,16,4], stride=[1,3]);rows=5, cols=7, vectors=1'
    # of float16, whose planes are rows of pixels then
    'conv2d(dtype=float16, accumulate=fast, fm_shape=[1,21,25,4], kernel_shape=[1,7,7,64,4], stride=[2,2], pad=[3,3,3,3], pad_value=-5);rows=2, cols=13, vectors=2'
    'conv2d(dtype=float16, accumulate=fast, fm_shape=[1,19,37,4], kernel_shape=[1,3,3,32,4], pad=[1,0,0,1], pad_value=9);rows=1, cols=36, vectors=1'
    'conv2d(dtype=float16, accumulate=fast, fm_shape=[1,13,9,4], kernel_shape=[1,4,4,16,4], stride=[3,2]);rows=4, cols=3, vectors=1'
    'conv2d(dtype=float16, accumulate=fast, fm_shape=[1,9,16,4], kernel_shape=[1,5,9,32,4]);rows=2, cols=8, vectors=2'
    'conv2d(dtype=float16, accumulate=fast, fm_shape=[3,7,18,16], kernel_shape=[3,3,3,32,16]);rows=2, cols=16, vectors=2'
    # of images that are narrower than a vector of pixels, and of whole vectors
    'conv2d(dtype=int8, fm_shape=[1,13,9,4], kernel_shape=[1,4,4,16,4], stride=[3,2]);rows=4, cols=3, vectors=1'
    'conv2d(dtype=int8, fm_shape=[1,9,16,4], kernel_shape=[1,3,3,16,4], pad=[1,1,1,1], pad_value=9);rows=1, cols=16, vectors=1'
    'conv2d(dtype=int8, fm_shape=[1,9,32,4], kernel_shape=[1,5,3,32,4], pad=[2,2,1,1], pad_value=-9);rows=1, cols=16, vectors=2'
    'conv2d(dtype=int8, fm_shape=[3,7,9,32], kernel_shape=[3,3,3,32,32], pad=[1,1,1,1]);rows=2, cols=9, vectors=2'
)
if [ $way != lacking ]; then
    for form in "${forms[@]}"; do
        check "$form" 0 '^1 passed, 0 failed$' emulated "$build/aicjit" check "${form%;*}" --isa amx \
            --schedule "schedule(kernel=amx, ${form##*;})"
    done
    check "all levels" 0 "^level amx: $way$" emulated "$build/aicjit" check "$mmad" --isa all
    check "one operator" 0 '^1 passed, 0 failed$' emulated "$build/aicjit" check "$mmad" --isa amx
    # Where the processor has AMX, all tests of levels run it: a sample of it here, and all in a campaign.
    draw=40 shapes=80
    if [ $way = native ] && [ -z "${AIC_CAMPAIGN:-}" ]; then
        draw=12 shapes=30
    fi
    check "random operators" 0 '^[1-9][0-9]* passed, 0 failed$' emulated "$build/aicjit" check --fuzz $draw --seed 1 --isa amx
    if command -v python3 >/dev/null; then
        python3 "$(dirname "${BASH_SOURCE[0]}")/shapes.py" "${AIC_CAMPAIGN:-1}" $((shapes * ${AIC_CAMPAIGN:-1})) >"$work/shapes"
        check "shapes around the plan's thresholds" 0 '^[1-9][0-9]* passed, 0 failed$' \
            emulated "$build/aicjit" check --batch "$work/shapes" --skip-refused --isa amx
    else
        echo "not run: shapes around the plan's thresholds: python3 draws them"
    fi
    for op in conv2d mmad 'conv2d|fixpipe' 'mmad|fixpipe'; do
        check "random operators: $op" 0 '^[1-9][0-9]* passed, 0 failed$' \
            emulated "$build/aicjit" check --fuzz $((draw / 2)) --seed 2 --op "$op" --isa amx
    done
fi

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
