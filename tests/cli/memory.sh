#!/usr/bin/env bash
# Memory that runs out: every string copy and many allocations fail once, and the command says so or goes on.
# shellcheck disable=SC1091,SC2154 # common.bash defines aicjit, work and the operators
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
. "$here/common.bash"

if ldd "$aicjit" | grep -Eq 'lib[at]san'; then
    echo "not under a sanitizer, which has an allocator of its own"
    verdict 'not run' 0 ''
    finish
    exit
fi
if grep -aq __gcov_dump "$aicjit"; then
    echo "not run under gcov, which does not ask whether there is memory for what it counts"
    verdict 'not run' 0 ''
    finish
    exit
fi
cc -std=c11 -O1 -fno-builtin -shared -fPIC -o failing.so -I "$here/../../frontend/include" "$here/failing_memory.c" -ldl ||
    exit 1

# survives NAME VARIABLE N COMMAND...: exit status 0 or 3, and a message with 3.
survives() {
    local name="$1, $2=$3" variable=$2 number=$3 status
    shift 3
    env LD_PRELOAD="$work/failing.so" "$variable=$number" "$aicjit" "$@" >out.txt 2>err.txt
    status=$?
    if [ $status -eq 3 ]; then
        verdict "$name" "$(($(grep -c '^aicjit: .' err.txt) != 1))" "no message: $(cat err.txt)"
    else
        verdict "$name" $((status != 0)) "exit status $status: $(head -c 200 err.txt)"
    fi
}
for stage in ir opt asm obj plan; do
    for number in 1 2 3 4 5 6; do
        survives "dump $stage" FAIL_COPY $number dump "$int8" --stage $stage --passes 'instcombine'
    done
done
for number in $(seq 90); do
    survives explain FAIL_ALLOCATION "$number" explain "$int8"
done
for number in $(seq 1 250 6000); do
    survives 'dump asm' FAIL_ALLOCATION "$number" dump "$int8" --stage asm
done
# The first thread's stack is as large as the limit: parts are linked on it, or on another one. What the user has in the
# environment lies there, too.
on_stack() (
    ulimit -S -s "$1" && env -i AIC_CACHE=ro "$aicjit" check "$int8"
)
for kib in 100 200 "$(ulimit -H -s)"; do
    ok "a stack of $kib KiB" on_stack "$kib"
done
finish
