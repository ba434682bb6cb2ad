#!/usr/bin/env bash
# aicjit run --object: functions of exported objects give what the operators give; what is wrong with files, names and
# sizes is told.
# shellcheck disable=SC1091,SC2154 # common.bash defines aicjit, work and the operators
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"

layer='conv2d(dtype=int8, fm_shape=[1,5,7,32], kernel_shape=[1,3,3,48,32], pad=[1,1,1,1])'
chain="$layer | fixpipe(src=int32, dst=int8, quantPre=VREQ8, reluEn=true)"
scaled="$layer | fixpipe(src=int32, dst=uint8, quantPre=REQ8, deqScalar=quant(0.003, 7, uint8))"
long='conv2d(dtype=float16, fm_shape=[1,5,5,16], kernel_shape=[1,3,3,48,16], init_l1out=false, l1out=channel)'
long="$long | tensor_arithmetic(op=BM_MUL, input1_stride=[0,16,0,1]) | tensor_arithmetic(op=BM_ADD) | fixpipe(src=float32, dst=float16, quantPre=F322F16, format=NZ)"
sum='tensor_arithmetic(op=BM_MAC, shape=[1,3,4,5])'

# Every operand by its own seed, into files; the result by the reference.
inputs() { # SPEC NAME...
    local spec=$1 fills=() files=()
    shift
    for name in "$@"; do
        case $name in
        cbufWorkspace) fills+=(--fill "$name=const:quant(0.002, 3, int8)") ;;
        *) fills+=(--fill "$name=random:${#fills[@]}") ;;
        esac
        files+=(--out "$name=$name.npy")
    done
    expect "$spec: reference" 0 '' "$aicjit" run "$spec" "${fills[@]}" "${files[@]}" --reference --out "$result=expected.npy"
}

# same SPEC INPUT...: the function `f` of its object gives the reference's bits; also with several levels.
same() {
    local spec=$1 given=() level
    shift
    inputs "$spec" "$@"
    for name in "$@"; do given+=(--in "$name=$name.npy"); done
    for level in "$(levels 1)" "$(levels 2)"; do
        expect "$spec: export $level" 0 '' "$aicjit" export "$spec" --name f --isa "$level" -o f.o --header f.h
        cc -shared -o f.so f.o
        expect "$spec: $level" 0 ' 0 differ' "$aicjit" run --object f.so --header f.h --name f "${given[@]}" --expect "$result=expected.npy"
    done
}
# levels N: the N highest that run here, ascending.
levels() { exportable_levels | tail -n "$1" | paste -sd ,; }

result=dst
same "$layer" feature_map weight
same "$scaled" feature_map weight
same "$long" feature_map weight l1out input1 input1_2
same "$chain" feature_map weight cbufWorkspace
result=output
same "$sum" input0 input1
expect 'old content' 0 '' "$aicjit" run "$sum" --in input0=input0.npy --in input1=input1.npy --fill output=const:2 --out output=old.npy
expect 'old content is read' 0 ' 0 differ' "$aicjit" run --object f.so --header f.h --name f --in input0=input0.npy \
    --in input1=input1.npy --fill output=const:2 --expect output=old.npy

# ---- a network, and kernels that share an object ----

result=dst
inputs "$layer" feature_map weight
expect 'two kernels' 0 '' "$aicjit" export "$layer" "$sum" --name layer --name sum -o two.o --header two.h
cc -shared -o two.so two.o
expect 'the first one' 0 ' 0 differ' "$aicjit" run --object ./two.so --header two.h --name layer --in feature_map=feature_map.npy \
    --in weight=weight.npy --expect dst=expected.npy
expect 'the second one, shown' 0 '^output: ' "$aicjit" run --object two.so --header two.h --name sum --fill input0=const:2 --fill input1=const:3
mkdir net
cp weight.npy net/w.npy
printf '%s\n' '# aicjit network, version 1' 'input x int8 [1,5,7,32]' 'constant w w.npy' 'buffer y int32 [3,48,16]' \
    "kernel $layer : dst=y feature_map=x weight=w" 'output y' >net/network.txt
expect 'a network' 0 '' "$aicjit" network export net -o net.o --header net.h
cc -shared -o net.so net.o
expect 'its function' 0 ' 0 differ' "$aicjit" run --object net.so --header net.h --name net --in in_x=feature_map.npy --expect out_y=expected.npy

# ---- what is wrong ----

run=("$aicjit" run --object two.so --header two.h --name layer)
given=(--in feature_map=feature_map.npy --in weight=weight.npy)
expect 'no such function' 2 'two.h" declares no function "other"' "$aicjit" run --object two.so --header two.h --name other
expect 'of another object' 2 'net.so" has no function "layer"' "$aicjit" run --object net.so --header two.h --name layer
expect 'no such object' 2 'cannot open shared object' "$aicjit" run --object none.so --header two.h --name layer
expect 'no shared object' 2 'cc -shared' "$aicjit" run --object two.o --header two.h --name layer
expect 'no such header' 2 'none.h' "$aicjit" run --object two.so --header none.h --name layer
expect 'no header' 2 'declares no function' "$aicjit" run --object two.so --header two.so --name layer
expect 'a function that packs' 2 'does not say what "weight_packed" of layer_packed is' "$aicjit" run --object two.so --header two.h --name layer_packed
expect 'no name' 2 '--name is missing' "$aicjit" run --object two.so --header two.h
expect 'no object' 2 '--name: has no effect without --object' "$aicjit" run "$layer" --name layer
expect 'both' 2 'give one of both' "${run[@]}" "$layer"
expect 'the reference' 2 '--reference: has no effect on an object' "${run[@]}" --reference
expect 'no input' 2 'input weight is missing' "${run[@]}" --in feature_map=feature_map.npy
expect 'another size' 2 'weight: "feature_map.npy": ' "${run[@]}" --in feature_map=feature_map.npy --in weight=feature_map.npy
expect 'no such operand' 2 'cbufWorkspace' "${run[@]}" "${given[@]}" --fill cbufWorkspace=zeros
sed 's/instruction set level [a-z0-9]*/instruction set level amx9/' two.h >amx9.h
expect 'a level that is none' 2 'amx9' "$aicjit" run --object two.so --header amx9.h --name layer "${given[@]}"
sed 's/, 1120 bytes/, 1121 bytes/' two.h >size.h
expect 'a size that is none' 2 'does not say what "feature_map"' "$aicjit" run --object two.so --header size.h --name layer "${given[@]}"
grep -v WORKSPACE_BYTES two.h >work.h
expect 'no workspace' 2 'how large the workspace is' "$aicjit" run --object two.so --header work.h --name layer "${given[@]}"

sed -E 's/(WORKSPACE_BYTES) [0-9]+/\1 64/' two.h >small.h
expect 'a workspace of another object' 2 'failed with signal [0-9]+; was the header written with it' "$aicjit" run --object two.so --header small.h --name layer "${given[@]}"
expect 'a result to look at' 0 '^  \[0,0,0\]( -?[0-9]+)+ \.\.\.$' "${run[@]}" "${given[@]}"

# A header that ends anywhere is refused, or has all that is needed: no signal.
bad=0
for cut in $(seq 0 37 "$(wc -c <two.h)"); do
    head -c "$cut" two.h >cut.h
    "$aicjit" run --object two.so --header cut.h --name layer "${given[@]}" --out dst=cut.npy >/dev/null 2>&1
    status=$?
    [ "$status" -eq 2 ] || [ "$status" -eq 0 ] || bad=$cut
done
verdict 'a header cut off' "$((bad != 0))" "at $bad"

# A damaged object is refused, ends badly in a process of its own, or works: no signal. One that never ends uses up its time.
bad=0
tries=0
size=$(wc -c <two.so)
for ((at = 0; at < size; at += size / 150 + 1)); do
    cp two.so damaged.so
    if ((tries++ % 3 == 0)); then
        truncate -s "$at" damaged.so
    else
        printf '\377\377\000\201' | dd of=damaged.so bs=1 seek="$at" conv=notrunc status=none
    fi
    (ulimit -t 20 && exec "$aicjit" run --object damaged.so --header two.h --name layer "${given[@]}" --out dst=cut.npy) >/dev/null 2>said.txt
    status=$?
    { [ "$status" -eq 2 ] && [ "$(grep -c '^aicjit: ' said.txt)" -eq 1 ]; } || [ "$status" -eq 0 ] || bad=$at
done
verdict 'a damaged object' "$((bad != 0))" "at $bad: $(cat said.txt)"

# What does something else than a kernel when it is loaded or called.
object() { # NAME TEXT
    printf '%s\n' '#include <signal.h>' '#include <stdlib.h>' '#include <unistd.h>' "$2" >"$1.c"
    cc -shared -fPIC -o "$1.so" "$1.c"
}
calls() { expect "$1" "$2" "$3" "$aicjit" run --object "$4.so" --header two.h --name layer "${given[@]}" --out dst=kept.npy; }
echo kept >kept.npy
object early 'void layer(void); void layer(void) {} __attribute__((constructor)) static void start(void) { raise(SIGSEGV); }'
calls 'one that fails when it is loaded' 2 '"early.so" is damaged: loading it ended with signal 11' early
object leaves 'void layer(void); void layer(void) { exit(7); }'
calls 'one that ends the process' 2 '"layer" of "leaves.so" failed with status 7' leaves
object quiet 'void layer(void); void layer(void) { _exit(0); }'
calls 'one that ends it well' 2 '"layer" of "quiet.so" failed with status 0' quiet
object gives 'void layer(void); void layer(void) { abort(); }'
calls 'one that gives up' 2 'failed with signal 6' gives
ok 'what was there is there' test "$(cat kept.npy)" = kept

# It ends with the tool.
object endless 'void layer(void); void layer(void) { if (write(1, "in it\n", 6)) for (;;) pause(); }'
for signal in TERM INT KILL; do
    end_together "$signal" "$aicjit" run --object endless.so --header two.h --name layer "${given[@]}" --out dst=kept.npy
done

finish
