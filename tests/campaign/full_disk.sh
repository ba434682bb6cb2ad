#!/usr/bin/env bash
# full_disk.sh AICJIT SEED ROUNDS FOLDER: commands of the tool on file systems that are full or soon will be, each of some
# KiB by SEED, in a name space of this process's own. The disk cache goes without, and results are right; a file that a
# command was to write is whole, or the exit status is 3 with one line "aicjit: ..." and no file is left. FOLDER is where they
# are mounted, and seen by nobody else. A line for what is wrong; the last line is "N passed, N failed".
set -u
export LC_ALL=C
unset "${!AIC_@}"
[ $# -eq 4 ] || {
    sed -n '2s/^# \([^:]*\):.*/usage: \1/p' "$0" >&2
    exit 2
}
[ -n "${IN_NAME_SPACE:-}" ] || IN_NAME_SPACE=1 exec unshare -rm bash "$0" "$@"
aicjit=$(realpath "$1")
passed=0
failed=0

verdict() { # NAME 0|1 DETAIL
    if [ "$2" -eq 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        # shellcheck disable=SC2016 # for whoever repeats it
        printf 'FAILED %s: %s\n  repeat: %s %s %s 1 "$(mktemp -d)"\n' "$1" "$3" "$script" "$aicjit" "$seed"
    fi
}

# wrote NAME FILE WANTED COMMAND...: with 0 FILE is like WANTED, or where that is "", not empty; with 3 it is not there, or
# empty, as a tuning file is that was only locked.
wrote() {
    local name=$1 file=$2 wanted=$3 status detail=""
    shift 3
    "$@" >/dev/null 2>"$plenty/err"
    status=$?
    case $status in
    0) [ -s "$file" ] && { [ -z "$wanted" ] || cmp -s "$wanted" "$file"; } || detail="exit status 0, but the file is not whole" ;;
    3)
        full=$((full + 1))
        [ ! -s "$file" ] || detail="exit status 3, but a file was left"
        [ "$(grep -c '^aicjit: ' "$plenty/err")" -eq 1 ] || detail="exit status 3, but no message of one line"
        ;;
    *) detail="exit status $status" ;;
    esac
    verdict "$name" "$([ -z "$detail" ] && echo 0 || echo 1)" "$detail: $(head -c 300 "$plenty/err")"
}

# The last kibibytes may be taken beforehand: then nothing can be written at all.
round() {
    local spec size=$((4 + seed * 37 % 93)) small=$folder/small out fill=(--fill feature_map=random:1 --fill weight=random:2)
    spec="conv2d(dtype=int8, fm_shape=[1,9,$((4 + seed % 47)),32], kernel_shape=[1,3,3,32,32])"
    mount -t tmpfs -o "size=${size}k" none "$small" || exit 77
    [ $((seed % 3)) -ne 0 ] || head -c $((size * 1024)) /dev/zero >"$small/ballast" 2>/dev/null
    out=$(AIC_CACHE=rw AIC_CACHE_DIR="$small/cache" "$aicjit" check "$spec" 2>&1)
    verdict 'check with the disk cache' $? "${out:0:300}"
    export AIC_CACHE=off
    "$aicjit" run "$spec" "${fill[@]}" --out dst="$plenty/dst.npy" >/dev/null
    "$aicjit" dump "$spec" --stage obj -o "$plenty/kernel.o" >/dev/null
    wrote dump "$small/kernel.o" "$plenty/kernel.o" "$aicjit" dump "$spec" --stage obj -o "$small/kernel.o"
    wrote run "$small/dst.npy" "$plenty/dst.npy" "$aicjit" run "$spec" "${fill[@]}" --out dst="$small/dst.npy"
    wrote tune "$small/tuning" '' "$aicjit" tune "$spec" --budget 0.05 --db "$small/tuning"
    rm -f "$small/ballast"
    out=$(AIC_CACHE=rw AIC_CACHE_DIR="$small/cache" "$aicjit" cache verify 2>&1)
    verdict 'the disk cache afterwards' $? "${out:0:300}"
    umount "$small"
}

script=$0
folder=$(realpath "$4")
plenty=$folder/plenty full=0
mkdir -p "$folder/small" "$plenty"
for ((seed = $2; seed < $2 + $3; seed++)); do
    round
done
echo "$full commands met a full disk"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
