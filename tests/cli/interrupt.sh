#!/usr/bin/env bash
# SIGINT, SIGTERM and SIGHUP: commands end soon, with exit status 1, and leave neither half results nor temporary files.
# shellcheck disable=SC1091,SC2154 # common.bash defines aicjit, work and the operators
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"

# The reference takes minutes for it, a call of generic code seconds.
large='conv2d(dtype=int8, fm_shape=[64,256,256,32], kernel_shape=[64,3,3,512,32], pad=[1,1,1,1])'
seconds=60 # until a command has ended: far less than it would take, far more than it may

# begin COMMAND...: in the background as $pid, its output in out.txt and err.txt; waits until it has its handlers.
begin() {
    : >out.txt
    : >err.txt
    env --default-signal "$@" >out.txt 2>err.txt & # whoever runs the tests may ignore some
    pid=$!
    until_true has_handlers
}

has_handlers() { # of SIGTERM, and is no longer the shell, which has one, too: so the name is checked first
    local caught
    [ "$(cat "/proc/$pid/comm")" = aicjit ] || return 1
    caught=$(sed -n 's/^SigCgt:[[:space:]]*//p' "/proc/$pid/status")
    [ $((0x$caught & 0x4000)) -ne 0 ]
}

# Kilobytes of memory: operands of the large operator are 260 megabytes.
holds_large() { [ "$(sed -n 's/^VmRSS:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$pid/status")" -gt 250000 ]; }

until_true() { # CONDITION...: or the command has ended
    until "$@" >/dev/null 2>&1 || ! kill -0 "$pid" 2>/dev/null; do
        sleep 0.05
    done
}

# interrupt NAME SIGNAL [PATTERN]: ends the command $pid, whose output is out.txt and err.txt.
interrupt() {
    local name=$1 signal=$2 pattern=${3:-interrupted} start=$SECONDS status
    kill -s "$signal" "$pid"
    wait "$pid"
    status=$?
    verdict "$name, $signal: exit status" "$((status != 1))" "$status, not 1: $(cat err.txt)"
    verdict "$name, $signal: soon" "$((SECONDS - start > seconds))" "took $((SECONDS - start)) s"
    ok "$name, $signal: message" grep -q "^aicjit: .*$pattern" err.txt
    ok "$name, $signal: no temporary file" test -z "$(find . -name '.aicjit*')"
}

# Each test takes a signal; three take turns, and in a campaign every test takes all.
run_command() {
    echo old >dst.bin
    begin "$aicjit" run "$large" --fill feature_map=zeros --fill weight=zeros --reference --out dst=dst.bin
    until_true sh -c 'ls .aicjit.*'
    interrupt run "$1"
    ok "run, $1: the old file stays" test "$(cat dst.bin)" = old
}

check_large() {
    begin env AIC_VERBOSE=1 "$aicjit" check "$int8" "$large" --isa generic
    until_true holds_large # the small one is done
    interrupt 'check of a large operator' "$1"
    ok "check of a large operator, $1: the sum" test "$(tail -n 1 out.txt)" = '1 passed, 0 failed'
    ok "check of a large operator, $1: once" test "$(grep -c passed out.txt)" -eq 1
}

check_many() {
    begin env AIC_VERBOSE=1 "$aicjit" check --fuzz 1000000
    until_true grep -q compiled err.txt
    interrupt 'check of many' "$1"
    ok "check of many, $1: the sum" grep -Eq '^[0-9]+ passed, 0 failed$' out.txt
    ok "check of many, $1: once" test "$(grep -c passed out.txt)" -eq 1
}

bench_long() {
    begin env AIC_VERBOSE=1 "$aicjit" bench "$int8" "$half" --min-time 3600
    until_true grep -q compiled err.txt
    interrupt bench "$1"
}

bench_large() {
    begin "$aicjit" bench "$int8" "$large" --min-time 0 --isa generic --json
    until_true test -s out.txt
    interrupt 'bench of a large operator' "$1"
    ok "bench of a large operator, $1: what it has stays" grep -q '^{.*}$' out.txt
}

check_batch() {
    mkfifo pipe.txt
    begin "$aicjit" check --batch pipe.txt
    interrupt 'check of a batch that does not come' "$1"
    ok "check of a batch that does not come, $1: the sum" grep -q '^0 passed, 0 failed$' out.txt
    rm pipe.txt
}

# The thread sanitizer hands a signal over at the next call of the C library or atomic access, of which such loops have none.
larges=(run_command check_large bench_large)
if ldd "$aicjit" | grep libtsan >/dev/null; then
    echo "not run: signals during long loops, which the thread sanitizer keeps until they end"
    larges=()
fi
signals=(INT TERM HUP)
turn=0
for test in "${larges[@]}" check_many bench_long check_batch; do
    for ((s = 0; s < 3; s++)); do
        if [ -n "${AIC_CAMPAIGN:-}" ] || [ $((turn % 3)) -eq $s ]; then $test "${signals[s]}"; fi
    done
    turn=$((turn + 1))
done

if [ ${#larges[@]} -gt 0 ]; then
    begin "$aicjit" check "$large"
    kill -s INT "$pid"
    interrupt 'a second signal' INT
    begin nohup "$aicjit" check "$large"
    kill -s HUP "$pid"
    sleep 1.5
    ok 'nohup: SIGHUP is ignored' kill -0 "$pid"
    interrupt 'nohup' TERM
fi
finish
