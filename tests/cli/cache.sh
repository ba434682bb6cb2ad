#!/usr/bin/env bash
# The disk cache from the command line: what comes from it, aicjit cache, processes without LLVM, with more rights than
# their caller, on full and read-only disks and without a home.
# shellcheck disable=SC1091,SC2154 # common.bash defines aicjit, work and the operators
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
. "$here/common.bash"
export AIC_CACHE=rw AIC_CACHE_DIR="$work/kernels"
build=$(dirname "$aicjit")
module=$build/$(basename "$(readlink "$build/libaicjit.so")" | sed s/aicjit/aicjit-codegen/)
if [ -e "$module" ]; then # without ready-made parts beside it
    mkdir alone
    ln -s "$module" alone/module.so
    export AIC_CODEGEN="$work/alone/module.so"
fi
first='mmad(dtype=float16, m=32, k=32, n=16)'
printf '%s\n' "$first" 'mmad(dtype=float16, m=32, k=32, n=32)' "$int8" >batch.txt

# ---- the command ----

expect 'stat of nothing' 0 '^kernels +0, 0 of this build$' "$aicjit" cache stat
ok 'which makes no folder' test ! -e kernels
expect 'clear of nothing' 0 '^0 kernels and parts removed$' "$aicjit" cache clear
expect 'warm' 0 '^3 kernels made, 0 were there$' "$aicjit" cache warm --batch batch.txt
expect 'warm again' 0 '^1 kernels made, 3 were there$' "$aicjit" cache warm "$half" --batch batch.txt
expect 'stat' 0 '^kernels +4, 4 of this build$' "$aicjit" cache stat
expect 'stat of parts' 0 '^parts +[1-9][0-9]*, [1-9][0-9]* of this build$' "$aicjit" cache stat
all=$(find kernels -type f | wc -l)
expect 'verify' 0 "^$all passed, 0 failed\$" "$aicjit" cache verify
expect 'a line by line' 0 'loaded mmad\(dtype=float16, m=32, n=16, k=32' env AIC_VERBOSE=1 "$aicjit" check "$first"
expect 'and by each lookup' 0 '^aicjit: disk aic_mmad_' env AIC_VERBOSE=2 "$aicjit" check "$first"
expect 'bench tells it' 0 '"compile_ns": ?0,.*"cache": ?"disk"' "$aicjit" bench "$first" --json --min-time 0.001
expect 'one that is made' 0 '"cache": ?"miss"' env AIC_CACHE=off "$aicjit" bench "$first" --json --min-time 0.001
expect 'explain and dump are the same' 0 '' "$aicjit" explain "$first"
cp .out explained
expect 'without a cache' 0 '' env AIC_CACHE=off "$aicjit" explain "$first"
ok 'byte for byte' cmp .out explained

file=$(find kernels -name 'aic_mmad_*' | head -n 1)
printf 'x' | dd of="$file" bs=1 seek=500 conv=notrunc status=none
expect 'verify finds what is damaged' 1 '^FAILED aic_mmad_.*: it is damaged$' "$aicjit" cache verify
ok 'and counts it' grep -q "^$((all - 1)) passed, 1 failed\$" .out
expect 'a damaged file is reported' 0 'warning: disk cache: .*it is damaged' "$aicjit" cache warm --batch batch.txt
ok 'and made again' grep -q '^1 kernels made, 2 were there$' .out
expect 'then all is in order' 0 "^$all passed, 0 failed\$" "$aicjit" cache verify

expect 'ro' 0 '^mode +ro$' env AIC_CACHE=ro "$aicjit" cache stat
expect 'ro: no clear' 2 'it is ro and cannot be cleared' env AIC_CACHE=ro "$aicjit" cache clear
expect 'ro: no warm' 2 'is ro and cannot be filled' env AIC_CACHE=ro "$aicjit" cache warm "$first"
expect 'off' 0 '^folder +none$' env AIC_CACHE=off "$aicjit" cache stat
expect 'another mode' 2 '^aicjit: .*AIC_CACHE: "on" is none of off, ro, rw$' env AIC_CACHE=on "$aicjit" cache stat
expect 'no action' 2 'stat, verify, clear or warm' "$aicjit" cache
expect 'another action' 2 '"shrink" is none of' "$aicjit" cache shrink
expect 'stat of an operator' 2 'stat takes no operators' "$aicjit" cache stat "$first"
expect 'warm without an operator' 2 'neither an operator text' "$aicjit" cache warm
expect 'warm of a wrong one' 2 'mmad: m' "$aicjit" cache warm 'mmad(dtype=float16, m=-1, k=32, n=16)'
"$aicjit" info >info.txt
expect 'info' 0 '^AIC_CACHE_DIR +/.*/kernels$' cat info.txt
expect 'info: the cache' 0 '^disk cache +/.*/kernels \(rw\): 4 kernels, 4 of this build, [0-9.]+ of 512\.0 MiB$' cat info.txt
expect 'clear' 0 "^$all kernels and parts removed\$" "$aicjit" cache clear

# ---- parts ----

expect 'a kernel of parts' 0 '' "$aicjit" cache warm "$first"
rm kernels/aic_*
expect 'they are loaded' 0 '^aicjit: compiled mmad.* parts=0\+[1-9][0-9]*\+0 ' env AIC_VERBOSE=2 "$aicjit" check "$first"
ok 'and each has a line' grep -Eq '^aicjit: part tile loaded ' .err .out
rm kernels/aic_*
for file in kernels/part_*; do
    printf '\377' | dd of="$file" bs=1 seek="$(($(stat -c %s "$file") - 40))" conv=notrunc status=none
done
cp -r kernels damaged
expect 'a check tells it and passes' 0 '^1 passed, 0 failed$' env AIC_CACHE_DIR="$work/damaged" "$aicjit" check "$first"
ok 'on standard error' grep -Eq '^aicjit: warning: disk cache: "[^"]*part_.*it is damaged' .err
ok 'and the file is made again' env AIC_CACHE_DIR="$work/damaged" "$aicjit" cache verify
chmod 777 damaged
expect 'so with a folder that is not used' 0 'warning: disk cache: .*others may write to it' env AIC_CACHE_DIR="$work/damaged" "$aicjit" check "$first"
printf '%%t = texpands 1.0 : f32, !pto.tile<16x16xf32>\n' >fill.pto
expect 'and with a program' 0 'warning: disk cache: .*others may write to it' env AIC_CACHE_DIR="$work/damaged" "$aicjit" check --pto fill.pto
rm -r damaged
expect 'damaged ones are reported' 0 'warning: disk cache: "[^"]*part_.*it is damaged' "$aicjit" cache warm "$first"
expect 'and made again' 0 '^[1-9][0-9]* passed, 0 failed$' "$aicjit" cache verify
expect 'clear' 0 ' kernels and parts removed$' "$aicjit" cache clear

# ---- with a tuning file ----

# sum_of TEXT: that of a record's line, FNV-1a.
sum_of() {
    local i sum=$((0xCBF29CE484222325)) byte
    for ((i = 0; i < ${#1}; i++)); do
        printf -v byte %d "'${1:i:1}"
        sum=$(((sum ^ byte) * 0x100000001B3))
    done
    printf '%016x' $sum
}
# put_record SCHEDULE: the record of the tuning file with this schedule in the place of its own.
put_record() {
    local line
    line=$(awk -F '\t' -v OFS='\t' -v schedule="$1" '/^mmad/ { $10 = schedule; NF = 12; print }' tuned.txt)
    { grep -v '^mmad' tuned.txt; printf '%s\tsum=%s\n' "$line" "$(sum_of "$line")"; } >other.txt
}
tuned() { env AIC_TUNING_DB=other.txt "$@"; }
expect 'a tuning file' 0 '' "$aicjit" tune "$first" --db tuned.txt --trials 2 --budget 60 # under load, too
another=$("$aicjit" explain "$first" | sed -n 's/^  \(schedule([^)]*)\)  cost.*/\1/p' | sed -n 2p)
put_record "$another"
expect 'its schedule counts' 0 '^1 kernels made, 0 were there$' tuned "$aicjit" cache warm "$first"
expect 'its kernel needs no generator' 0 '^0 kernels made, 1 were there$' tuned env AIC_CODEGEN=/nowhere "$aicjit" cache warm "$first"
expect 'and is a tuned one' 0 "loaded mmad.*${another//[()]/.}" tuned env AIC_VERBOSE=1 AIC_CODEGEN=/nowhere "$aicjit" cache warm "$first"
expect 'the default is another' 0 '^1 kernels made, 0 were there$' "$aicjit" cache warm "$first"
put_record 'schedule(kernel=vector, rows=99, cols=1, vectors=1, unroll=8, band=1)'
cp other.txt misfit.txt
expect 'one that does not fit' 0 'tuning file: .*rows=99.*does not fit' tuned "$aicjit" cache warm "$first"
ok 'leaves the default' grep -q '^0 kernels made, 1 were there$' .out
put_record "$("$aicjit" explain "$first" | sed -n 's/^schedule: //p')"
expect "the default's schedule" 0 '^0 kernels made, 1 were there$' tuned "$aicjit" cache warm "$first"
expect 'a check tells it, too, and passes' 0 '^1 passed, 0 failed$' env AIC_CACHE=off AIC_TUNING_DB="$work/misfit.txt" "$aicjit" check "$first"
ok 'on standard error' grep -Eq '^aicjit: warning: tuning file: .*rows=99.*does not fit' .err
expect 'two kernels' 0 '^kernels +2, 2 of this build$' "$aicjit" cache stat
expect 'which go' 0 ' kernels and parts removed$' "$aicjit" cache clear

# ---- without a home, on disks that cannot be written to ----

expect 'no home' 0 '^mode +off$' env -u HOME -u AIC_CACHE_DIR -u XDG_CACHE_HOME "$aicjit" cache stat
expect 'the user'"'"'s folder' 0 "^folder +$work/home/.cache/aicjit\$" env -u AIC_CACHE_DIR -u XDG_CACHE_HOME HOME="$work/home" "$aicjit" cache stat
mkdir home
expect 'is used' 0 '' env -u AIC_CACHE_DIR -u XDG_CACHE_HOME HOME="$work/home" "$aicjit" check "$first"
ok 'for the user alone' test "$(stat -c %a home/.cache/aicjit)" = 700
expect 'a folder that cannot be made' 0 'cannot write to /proc/none' env AIC_VERBOSE=1 AIC_CACHE_DIR=/proc/none "$aicjit" check "$first"
expect 'warm tells it' 3 '1 kernels could not be written' env AIC_CACHE_DIR=/proc/none "$aicjit" cache warm "$first"
mkdir disk
if [ "$(id -u)" -eq 0 ] && mount -t tmpfs -o size=64k,mode=700 none disk 2>/dev/null; then
    expect 'a full disk' 0 'cannot write to .*No space left on device' env AIC_VERBOSE=1 AIC_CACHE_DIR="$work/disk" "$aicjit" check \
        "$first" "$int8" "$half" 'mmad(dtype=int8, m=64, k=64, n=64)' 'mmad(dtype=int8, m=48, k=64, n=64)' 'mmad(dtype=float16, m=64, k=64, n=64)'
    expect 'has whole files' 0 '^[1-9][0-9]* passed, 0 failed$' env AIC_CACHE_DIR="$work/disk" "$aicjit" cache verify
    ok 'and nothing else' test "$(find disk -name '.aic*' | wc -l)" -eq 0
    mount -o remount,ro disk
    expect 'a read-only disk' 0 'cannot write to .*Read-only file system' env AIC_VERBOSE=1 AIC_CACHE_DIR="$work/disk" "$aicjit" check 'mmad(dtype=int8, m=16, k=64, n=64)'
    expect 'is read' 0 '^aicjit: loaded mmad' env AIC_VERBOSE=1 AIC_CACHE_DIR="$work/disk" "$aicjit" check "$first"
    umount disk
else
    echo "not run: full and read-only disks, which need the right to mount one"
fi

# ---- processes that make nothing ----

if ldd "$aicjit" | grep -Eq 'lib[at]san'; then
    echo "programs without a sanitizer are not tried with a library that has one"
    finish
    exit
fi
libraries_for_everybody "$build"
rm -f lib/*.parts # which parts of a kernel are ready-made depends on the processor
cc -std=c11 -O1 -I "$here/../../frontend/include" -o user "$here/module_user.c" -L lib -laicjit -Wl,-rpath,"$work/lib"
export AIC_MAX_ISA=generic # whose tiles are few: the next kernel needs no other
expect 'a program makes 22 kernels' 0 '' ./user 22
expect 'it then needs no generator' 0 '' env AIC_CODEGEN=/nowhere ./user 22
ok 'and has no LLVM' test "$(AIC_CODEGEN='' llvms ./user 22)" -eq 0
expect 'nor for one more, of the parts that the others have left' 0 '' env AIC_CODEGEN=/nowhere ./user 23
expect 'but without the folder' 1 'cannot be used' env AIC_CODEGEN=/nowhere AIC_CACHE=off ./user 1
if [ -e "$module" ]; then
    # The most that was ever resident, in KiB.
    resident=$(USER_PEAK=1 ./user 1)
    ok "resident memory is below 6 MB: $resident KiB" test "${resident:-999999}" -lt 6000
fi
unset AIC_MAX_ISA
if [ "$(id -u)" -eq 0 ]; then
    cp -p user other && chown 65534 other && chmod 4755 other
    files=$(find kernels | wc -l)
    expect 'a set-user-id program does not read the environment' 0 '' env AIC_CACHE=none ./other 24
    ok 'and leaves no kernel in its folder' test "$(find kernels | wc -l)" -eq "$files"
    rm other
fi
finish
