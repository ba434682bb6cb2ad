#!/usr/bin/env bash
# --threads and AIC_NUM_THREADS: results that do not depend on them, what is reported, what is refused.
# shellcheck disable=SC1091,SC2154 # common.bash defines aicjit, work and the operators
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
. "$here/common.bash"
unset AIC_NUM_THREADS

large='tensor_arithmetic(op=BM_ADD, shape=[1,8,256,256])'
conv='conv2d(dtype=float16, fm_shape=[4,112,112,16], kernel_shape=[4,1,1,64,16], accumulate=fast)'

for spec in "$large" "$conv"; do
    inputs=(--fill input0=random:1 --fill input1=random:2)
    out=output
    [ "$spec" = "$conv" ] && inputs=(--fill feature_map=random:1 --fill weight=random:2) && out=dst
    for n in 1 2 5; do
        expect "run --threads $n" 0 '' "$aicjit" run "$spec" "${inputs[@]}" --threads "$n" --out "$out=$n.bin"
        ok "the same bits with $n" cmp 1.bin "$n.bin"
    done
    expect 'run without --threads' 0 '' "$aicjit" run "$spec" "${inputs[@]}" --out "$out=default.bin"
    ok 'the same bits' cmp 1.bin default.bin
    expect 'check --threads 3' 0 '^1 passed, 0 failed' "$aicjit" check "$spec" --threads 3
done
expect 'a pool of as many' 0 'aicjit: threads: a pool of 5$' env AIC_VERBOSE=1 "$aicjit" run "$large" \
    --fill input0=random:1 --fill input1=random:2 --threads 5
expect 'none for small calls' 0 '' env AIC_VERBOSE=1 "$aicjit" run "$half" --fill feature_map=random:1 \
    --fill weight=random:2 --threads 5
ok 'no pool' test -z "$(grep 'a pool of' "$work/.err")"

expect 'bench --threads 3' 0 '"threads":3,' "$aicjit" bench "$large" --threads 3 --json --min-time 0.01
expect 'small calls have one thread' 0 '"threads":1,' "$aicjit" bench "$half" --threads 3 --json --min-time 0.01
expect 'one thread by default' 0 '"threads":1,' env AIC_NUM_THREADS=3 "$aicjit" bench "$large" --json --min-time 0.01

expect 'info' 0 '^threads +[0-9]+ share a call by default$' about_host
AIC_NUM_THREADS=7 "$aicjit" info >info.txt
expect 'info, AIC_NUM_THREADS' 0 '^threads +7 share' cat info.txt
expect 'info names the variable' 0 '^AIC_NUM_THREADS +7$' cat info.txt
expect 'info, one processor' 0 '^threads +1 share' taskset -c "$(taskset -cp $$ | sed 's/.*: \([0-9]*\).*/\1/')" "$aicjit" info
for n in 0 -3 1025 two '3 ' 2.5; do
    expect "AIC_NUM_THREADS='$n'" 2 "AIC_NUM_THREADS: \"$n\" is no integer in 1\\.\\.1024" \
        env AIC_NUM_THREADS="$n" "$aicjit" run "$large"
done
expect '--threads goes before the variable' 0 '"threads":2,' env AIC_NUM_THREADS=two "$aicjit" bench "$large" --threads 2 \
    --json --min-time 0.01

# Too little address space for the threads: the call is made all the same. Sanitizers need more than any limit leaves.
fills=(--fill input0=random:1 --fill input1=random:2)
expect 'the result of one thread' 0 '' "$aicjit" run "$large" "${fills[@]}" --threads 1 --out output=one.bin
if ! ldd "$aicjit" | grep -Eq 'lib[at]san'; then
    expect 'threads that cannot be started' 0 'threads: no pool of 500: they cannot be started' bash -c \
        'ulimit -v 3000000 && AIC_VERBOSE=1 "$@"' bash "$aicjit" run "$large" "${fills[@]}" --threads 500 --out output=few.bin
    ok 'the same bits' cmp few.bin one.bin
fi

# Without the pool's library calls stay on one thread, unless more are requested.
if cc -std=c11 -shared -fPIC -o none.so "$here/no_pool.c" -ldl 2>cc.err; then
    none() { env LD_PRELOAD="$work/none.so" ASAN_OPTIONS=verify_asan_link_order=0 "$@"; }
    expect 'no library: one thread' 0 '^threads +1 share' none "$aicjit" info
    expect 'no library: run' 0 '' none env AIC_VERBOSE=1 "$aicjit" run "$large" "${fills[@]}" --out output=none.bin
    if [ "$(about_host | sed -n 's/^threads *\([0-9]*\) .*/\1/p')" -gt 1 ]; then
        ok 'it is said' grep -Eq 'threads: no pool of [0-9]+: .*libpthreadpool.so.0: cannot open' "$work/.err"
    fi
    ok 'the same bits' cmp none.bin one.bin
    expect 'no library: --threads 1' 0 '' none "$aicjit" check "$large" --threads 1
    expect 'no library: --threads 2' 2 'threads: there is no pool of threads: .*libpthreadpool' none "$aicjit" run "$large" \
        --threads 2
    expect 'no library: AIC_NUM_THREADS' 2 'there is no pool of threads' none env AIC_NUM_THREADS=2 "$aicjit" info
else
    verdict 'a process without the library' 1 "$(cat cc.err)"
fi
finish
