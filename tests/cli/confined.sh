#!/usr/bin/env bash
# What a system may forbid: mappings that can be executed, every file system, a home, a user's name. Nothing crashes; what
# cannot be done is said.
# shellcheck disable=SC1091,SC2154 # common.bash defines aicjit, work and the operators
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
. "$here/common.bash"
build=$(dirname "$aicjit")
if ldd "$aicjit" | grep -Eq 'lib[at]san'; then
    echo "not run: sanitizers map what they need themselves, and look for their files in /proc"
    exit
fi

# ---- no memory that can be executed ----

libraries_for_everybody "$build"
cc -std=c11 -D_DEFAULT_SOURCE -O1 -I "$here/../../frontend/include" -o confined "$here/confined.c" -L lib -laicjit \
    -Wl,-rpath,"$work/lib" || exit 1
for when in first later; do
    for profile in '' jitdump; do
        env ${profile:+AIC_PROFILE="$profile" AIC_DUMP_DIR="$work"} ./confined $when >.out 2>.err
        status=$?
        if [ $status -eq 77 ]; then
            echo "not run: $(cat .out)"
        else
            verdict "no executable memory, $when${profile:+, $profile}" $status "exit status $status: $(cat .out .err)"
        fi
    done
done

# ---- no file system that can be written to, no home, nobody ----

install -m 755 "$aicjit" lib
if nm "$aicjit" 2>/dev/null | grep ' __gcov_' >/dev/null; then
    echo "not run: file systems that cannot be written to, a user without a name: gcov would say that it cannot write there"
    finish
    exit
fi
# closed COMMAND...: runs it with an empty environment, in a copy of this file system that is read-only, temporary folders and all.
closed() {
    # shellcheck disable=SC2016 # for the inner shell
    unshare "${user[@]}" --mount sh -c 'for at in / /tmp /var/tmp /dev/shm "$1"; do
            [ ! -d "$at" ] || { mount --rbind "$at" "$at" && mount -o remount,bind,ro "$at"; } || exit 99
        done
        cd "$1" && ! (: >there) 2>/dev/null || exit 99
        shift
        exec env -i "$@"' closed "$work" "$@"
}
# nobody COMMAND...: as a user who has neither a name nor a home, with an empty environment.
nobody() { setpriv --reuid=54321 --regid=54321 --clear-groups env -i "$@"; }

fills=(--fill feature_map=const:1 --fill weight=const:1)

# Each by an empty environment, in which the cache has no folder.
tries() { # NAME RUNNER
    expect "$1: check" 0 ' 0 failed$' "$2" lib/aicjit check "$int8" --isa all
    expect "$1: with a cache that cannot be" 0 ' 0 failed$' "$2" AIC_CACHE_DIR=/nowhere/at/all lib/aicjit check "$int8"
    expect "$1: a home that is not there" 0 ' 0 failed$' "$2" HOME=/nonexistent lib/aicjit check "$int8"
    expect "$1: cache stat" 0 '^mode +off$' "$2" lib/aicjit cache stat
    expect "$1: run" 0 '' "$2" lib/aicjit run "$int8" "${fills[@]}"
    expect "$1: a result to a file" 2 'none\.npy' "$2" lib/aicjit run "$int8" "${fills[@]}" --out dst=/nowhere/none.npy
    expect "$1: dump to a file" 2 'none\.s' "$2" lib/aicjit dump "$int8" --stage asm -o /nowhere/none.s
    expect "$1: dumps of each kernel" 2 'is no folder to write to' "$2" AIC_DUMP_DIR=/nowhere lib/aicjit run "$int8" "${fills[@]}"
    expect "$1: bench" 0 '' "$2" lib/aicjit bench "$int8" --min-time 0.001
}
user=()
[ "$(id -u)" -eq 0 ] || user=(--user --map-root-user)
if closed true 2>/dev/null; then
    tries 'nothing can be written' closed
    expect 'a result to a read-only disk' 2 'Read-only file system' closed lib/aicjit run "$int8" "${fills[@]}" --out "dst=$work/none.npy"
    expect 'a tuning file on a read-only disk' 2 'Read-only file system' closed lib/aicjit tune "$int8" --budget 0.01 --db "$work/none.txt"
    expect 'a cache on a read-only disk' 0 'disk cache: cannot write to' closed AIC_VERBOSE=1 AIC_CACHE_DIR="$work/none" lib/aicjit check "$int8"
else
    echo "not run: read-only file systems, which need the right to mount"
fi
if nobody test -x lib/aicjit 2>/dev/null; then
    tries 'nobody' nobody
else
    echo "not run: a user without a name, whom only root can become, or this one may not read $work"
fi
finish
