#!/usr/bin/env bash
# AIC_VERBOSE's categories as CSV, and AIC_PROFILE with the real gdb and perf. A tool that is missing or that the machine
# lets nobody use is named as not run.
# shellcheck disable=SC1091,SC2154 # common.bash defines aicjit, work and the operators
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
. "$here/common.bash"

run=(run "$int8" --fill feature_map=random:1 --fill weight=random:2)

# ---- CSV ----

# columns FILE: the numbers of columns that its lines have; what is in quotes has no quotes in it.
columns() { grep '^aicjit,' "$1" | sed -E 's/"[^"]*"/Q/g' | awk -F, '{ print NF }' | sort -u | tr '\n' ' '; }
# column NAME CATEGORY FILE: that column of the category's lines, by the name in the first line.
column() {
    awk -v name="$1" -v category="$2" '/^aicjit,/ {
        line = $0
        while (match(line, /"[^"]*"/)) { # commas in quotes
            text = substr(line, RSTART + 1, RLENGTH - 2)
            gsub(/,/, ";", text)
            line = substr(line, 1, RSTART - 1) text substr(line, RSTART + RLENGTH)
        }
        n = split(line, field, ",")
        if (field[2] == "category") { for (i = 1; i <= n; i++) number[field[i]] = i }
        else if (field[2] == category) print field[number[name]]
    }' "$3"
}
AIC_VERBOSE=create,exec,cache,dispatch expect 'all categories' 0 '^aicjit,create,' "$aicjit" "${run[@]}"
cp .err all.csv
ok 'the first line names the columns' grep -q '^aicjit,category,time_ns,thread,operator,kernel,isa,schedule,origin,outcome,threads,' <(head -n 1 all.csv)
ok 'there is one such line' test "$(grep -c '^aicjit,category,' all.csv)" -eq 1
ok 'every line has as many columns' test "$(columns all.csv)" = '16 '
ok 'no other lines' test "$(grep -vc '^aicjit,' all.csv)" -eq 0
ok 'the operator as a text' grep -q '^conv2d(dtype=int8; fm_shape=\[1;4;4;32\].*)$' <(column operator create all.csv)
ok 'the schedule' grep -q '^schedule(.*)$' <(column schedule create all.csv)
ok 'made once' test "$(column outcome create all.csv)" = compiled
ok 'of the default rule' test "$(column origin create all.csv)" = default
ok 'emitted, compiled, linked in some time' test "$(column emit_ns create all.csv)" -gt 0 -a "$(column codegen_ns create all.csv)" -gt 0 -a "$(column link_ns create all.csv)" -gt 0
ok 'dispatch' test "$(column outcome dispatch all.csv)" = made
ok 'a miss comes first' test "$(column outcome cache all.csv | head -n 1)" = miss
ok 'hits come later' test "$(column outcome cache all.csv | tail -n +2 | sort -u)" = hit
ok 'calls take time' test "$(column exec_ns exec all.csv | head -n 1)" -gt 0
ok 'times grow' sort -nc <(awk -F, '/^aicjit,[a-z]+,[0-9]/ { print $3 }' all.csv)
for category in create exec cache dispatch; do
    AIC_VERBOSE=$category expect "$category" 0 "^aicjit,$category," "$aicjit" "${run[@]}"
    ok "$category alone" test "$(grep '^aicjit,' .err | cut -d, -f2 | sort -u | tr '\n' ' ')" = "$(printf '%s\n' category "$category" | sort | tr '\n' ' ')"
done
AIC_VERBOSE=create expect 'a chain' 0 '"conv2d\(.*\) \| fixpipe\(.*\)"' "$aicjit" check \
    'conv2d(dtype=int8, fm_shape=[1,4,4,32], kernel_shape=[1,1,1,32,32]) | fixpipe(src=int32, dst=int8, quantPre=VREQ8, format=NZ)'
ok 'its columns' test "$(columns .err)" = '16 '
AIC_VERBOSE=1 expect 'level 1 is as it was' 0 '^aicjit: compiled conv2d\(.*emit=' "$aicjit" "${run[@]}"
AIC_VERBOSE=create,frob expect 'no category' 2 '"create,frob" is none of 0, 1, 2, and no list of create' "$aicjit" "${run[@]}"
AIC_VERBOSE=create, expect 'an empty word' 2 'AIC_VERBOSE' "$aicjit" "${run[@]}"

# ---- tools that learn of kernels ----

AIC_PROFILE=frob expect 'no profiler' 2 'AIC_PROFILE: "frob" is no list of perf, jitdump, gdb' "$aicjit" "${run[@]}"
AIC_PROFILE=jitdump JITDUMPDIR=$work/none expect 'no folder' 2 '"jitdump" cannot be written: No such file' "$aicjit" "${run[@]}"
AIC_PROFILE=perf "$aicjit" "${run[@]}" >out.txt 2>&1 &
child=$!
wait $child
ok 'a map of the process' mv "/tmp/perf-$child.map" map.txt
name='conv2d_int8_1x4x4x32_1x2x2x32x32_[0-9a-f]{16}'
ok 'an address, a size, the operator' grep -Eq "^[0-9a-f]+ [0-9a-f]+ $name\$" map.txt
ok 'its functions' grep -Eq "^[0-9a-f]+ [0-9a-f]+ $name \[pack\]\$" map.txt
ok 'nothing else' test "$(grep -Ecv "^[0-9a-f]+ [0-9a-f]+ $name( \[[a-z0-9_]+\])?\$" map.txt)" -eq 0
AIC_VERBOSE=create expect 'the listing has the text of the number' 0 "conv2d.*aic_conv2d_$(sed -nE 's/.*x32_([0-9a-f]{16}).*/\1/p' map.txt | head -n 1)," \
    "$aicjit" "${run[@]}"
# name_of TEXT: what profilers call its kernel.
name_of() {
    AIC_PROFILE=jitdump "$aicjit" bench "$1" --min-time 0 >.out 2>&1
    strings -n 12 jit-*.dump | sed -nE 's/^([a-z0-9_A-Z]+)_[0-9a-f]{16}( \[.*)?$/\1/p' | sort -u | tr '\n' ' '
    rm -f jit-*.dump
}
ok 'a chain' test "$(name_of 'conv2d(dtype=int8, fm_shape=[1,4,4,32], kernel_shape=[1,1,1,32,32]) | fixpipe(src=int32, dst=int8, quantPre=VREQ8, format=NZ)')" = 'conv2d_fixpipe_int8_1x4x4x32_1x1x1x32x32 '
ok 'sizes by themselves' test "$(name_of 'mmad(dtype=float16, m=5, k=33, n=17)')" = 'mmad_float16_5_17_33 '
# Bytes are bytes: one kernel for both types.
ok 'words' test "$(name_of 'transdata(dtype=int8, src=NCHW, dst=NC1HWC0, shape=[1,64,6,6])')" = 'transdata_uint8_NCHW_NC1HWC0_1x64x6x6 '
ok 'what may be left out' test "$(name_of 'tensor_arithmetic(op=BM_ADD, shape=[1,8,25,25])')" = 'tensor_arithmetic_1x8x25x25_BM_ADD '

# not_run WHAT WHY
not_run() { echo "not run: $1: $2"; }

if ! command -v gdb >/dev/null; then
    not_run 'backtraces through kernels' 'gdb is not installed'
elif ldd "$aicjit" | grep -Eq 'lib[at]san'; then
    not_run 'backtraces through kernels' 'a sanitizer takes the signals, and must come first in a program'
elif ! cc -std=c11 -g -O1 -o bad_address -I "$here/../../frontend/include" "$here/bad_address.c" \
    -L "$(dirname "$aicjit")" -laicjit -Wl,-rpath,"$(dirname "$aicjit")"; then
    not_run 'backtraces through kernels' 'no program can be linked with this build'
elif ! gdb -nx -batch -ex run --args true >gdb.txt 2>&1 || ! grep -q 'exited normally' gdb.txt; then
    not_run 'backtraces through kernels' 'gdb cannot run programs here'
else
    AIC_PROFILE=gdb gdb -nx -batch -ex run -ex bt ./bad_address >gdb.txt 2>&1
    ok 'gdb: the kernel ends by a signal' grep -q 'SIGSEGV' gdb.txt
    ok 'gdb: the innermost frame is the operator' grep -Eq '^#0 .* in conv2d_int8_1x4x4x32_.* \[tile.*\] \(\)$' gdb.txt
    ok 'gdb: its entry' grep -Eq '^#[1-9] .* in conv2d_int8_1x4x4x32_[0-9a-fx_]+ \(\)$' gdb.txt
    ok 'gdb: the frame behind it is the program' grep -Eq '^#[1-9] .* in main \(\) at ' gdb.txt
    ok 'gdb: no frame is unknown' test "$(grep -Ec '^#.*\?\?' gdb.txt)" -eq 0
    ok 'gdb: a kernel that was released is forgotten' grep -q 'released: No symbol matches' <(
        AIC_PROFILE=gdb gdb -nx -batch -ex 'break after_release' -ex run -ex 'printf "released: "' -ex 'info symbol released' ./bad_address 2>&1)
    ok 'gdb: it was known before' grep -q 'held: conv2d_int8_1x4x6x32_' <(
        AIC_PROFILE=gdb gdb -nx -batch -ex 'break before_release' -ex run -ex 'printf "held: "' -ex 'info symbol released' ./bad_address 2>&1)
fi

spin=(bench "$half" --min-time 0.3 --threads 1)
if ! command -v perf >/dev/null; then
    not_run 'perf report' 'perf is not installed'
elif ! perf record -o try.data true >perf.txt 2>&1; then
    not_run 'perf report' "perf may not record here: $(head -n 1 perf.txt)"
else
    report() { perf report -i "$1" --stdio 2>/dev/null; }
    AIC_PROFILE=perf perf record -o map.data "$aicjit" "${spin[@]}" >perf.txt 2>&1
    ok 'perf: the operator' grep -Fq conv2d_float16_1x4x4x16_ <(report map.data)
    ok 'perf: in the place of an address' test "$(report map.data | grep -Ec '\[JIT\].*0x0*[0-9a-f]{8,}')" -eq 0
    rm -f "/tmp/perf-$(perf script -i map.data -F pid 2>/dev/null | sort -n | uniq -c | sort -n | awk 'END { print $2 }').map"
    AIC_PROFILE=jitdump perf record -k mono -o dump.data "$aicjit" "${spin[@]}" >perf.txt 2>&1
    ok 'jitdump: a file' test -n "$(find . -name 'jit-*.dump')"
    if perf inject --jit -i dump.data -o jit.data >perf.txt 2>&1; then
        ok 'jitdump: the operator' grep -Fq conv2d_float16_1x4x4x16_ <(report jit.data)
    else
        verdict 'perf inject' 1 "$(cat perf.txt)"
    fi
fi
finish
