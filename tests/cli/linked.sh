#!/usr/bin/env bash
# The CMake option AIC_GENERATOR=linked: a library of its own build, of the same objects, in the place of the one that the
# tool has. Then AIC_LLVM_STATIC, where LLVM's static libraries are there with all that they need; and AIC_MODULE_LLVM.
# shellcheck disable=SC1091,SC2154 # common.bash defines aicjit, work and the operators
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
. "$here/common.bash"
# Kernels that are asked for twice are made once, as for users.
export AIC_CACHE=rw AIC_CACHE_DIR="$work/kernels"
build=$(dirname "$aicjit")
export AIC_BUILT=$build
cached() { sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt"; }
if [ ! -e "$build/CMakeCache.txt" ] || [ -n "$(cached AIC_SANITIZE)" ]; then
    echo "not run: this tool is not of a build that can be repeated without a sanitizer"
    finish
    exit
fi

configure() { # ARGUMENT...
    cmake -S "$here/../.." -B "$work/linked" -G "$(cached CMAKE_GENERATOR)" -DCMAKE_C_COMPILER="$(cached CMAKE_C_COMPILER)" \
        -DAIC_LLVM_VERSION="$(cached AIC_LLVM_VERSION)" -DAIC_BUILD_TESTS=OFF -DAIC_BUILD_BENCH=OFF -DAIC_BUILD_TOOLS=OFF \
        -DCMAKE_BUILD_TYPE="$(cached CMAKE_BUILD_TYPE)" -DCMAKE_C_FLAGS="$(cached CMAKE_C_FLAGS)" \
        -DAIC_WERROR="$(cached AIC_WERROR)" -DCMAKE_C_COMPILER_LAUNCHER="$here/../install/launcher.sh" "$@" >log 2>&1
}
with() { env LD_LIBRARY_PATH="$work/linked" "$@"; }
dump() { "$@" dump "$chain" --isa avx2 --stage obj -o "$work/$name.o"; }
chain="$int8 | fixpipe(src=int32, dst=int8, quantPre=REQ8, deqScalar=0x3f800000, format=NZ)"

# ---- the generator in the library ----

expect 'another word' 1 'AIC_GENERATOR = static is neither' bash -c \
    "cmake -S '$here/../..' -B '$work/wrong' -G '$(cached CMAKE_GENERATOR)' -DAIC_GENERATOR=static"
if ! configure -DAIC_GENERATOR=linked || ! cmake --build linked --target aicjit --parallel 2 >>log 2>&1; then
    verdict 'build' 1 "$(tail -n 5 log)"
    finish
    exit
fi
ok 'there is no module' test "$(find linked -name 'libaicjit-codegen*' | wc -l)" -eq 0
ok 'the tool runs with it' grep -q "$work/linked/libaicjit.so" <(with ldd "$aicjit")
ok 'it needs LLVM' grep -q LLVM <(with ldd "$aicjit")
expect 'what it is' 0 'LLVM' with "$aicjit" info
for operator in "$int8" "$half" "$chain" 'texpands(dtype=float32, rows=4, cols=8)'; do
    expect "check ${operator%%(*}" 0 '' with env AIC_CODEGEN=/nowhere "$aicjit" check "$operator"
done
name=module dump "$aicjit"
name=linked dump with "$aicjit"
ok 'the same machine code' cmp module.o linked.o
if cc -std=c11 -D_DEFAULT_SOURCE -O1 -I "$here/../../frontend/include" -o forks "$here/forks.c" -L linked -laicjit -pthread \
    2>>log; then
    expect 'forks' 0 '^0 of' with ./forks early 6
else
    verdict 'forks' 1 "$(tail -n 3 log)"
fi
mkdir cache
use_cache() { with env AIC_CACHE=rw AIC_CACHE_DIR="$work/cache" AIC_VERBOSE=1 "$aicjit" bench "$half" --min-time 0; }
expect 'to the disk cache' 0 'compiled conv2d' use_cache
expect 'from the disk cache' 0 'loaded conv2d' use_cache

# ---- LLVM's static libraries ----

if ! configure -DAIC_GENERATOR=linked -DAIC_LLVM_STATIC=ON; then
    echo "not run: AIC_LLVM_STATIC: $(grep -m 1 -A 2 'CMake Error' log | tail -n 1)"
elif ! cmake --build linked --target aicjit --parallel 2 >>log 2>&1; then
    if missing=$(grep -m 1 -o 'cannot find -l[a-z]*' log); then
        echo "not run: AIC_LLVM_STATIC: $missing"
    else
        verdict 'build with static libraries' 1 "$(tail -n 5 log)"
    fi
else
    ok 'it needs no LLVM' test "$(with ldd "$aicjit" | grep -c LLVM)" -eq 0
    expect 'check by static libraries' 0 '' with "$aicjit" check "$chain"
    name=static dump with "$aicjit"
    ok 'the same machine code by static libraries' cmp module.o static.o
fi

# ---- LLVM of the module ----

module=libaicjit-codegen.so.0.2
expect 'another word for the module' 1 'AIC_MODULE_LLVM = own is none of auto, static, shared' bash -c \
    "cmake -S '$here/../..' -B '$work/wrong' -G '$(cached CMAKE_GENERATOR)' -DAIC_MODULE_LLVM=own"
rm -rf linked
if configure -DAIC_MODULE_LLVM=shared -DAIC_READY_PARTS=OFF && cmake --build linked --target aicjit --parallel 2 >>log 2>&1; then
    ok 'a shared module needs LLVM' grep -q LLVM <(ldd "linked/$module")
    expect 'check by a shared module' 0 '' with env AIC_CODEGEN= "$aicjit" check "$chain"
    name=shared dump with "$aicjit"
    ok 'the same machine code by a shared module' cmp module.o shared.o
else
    verdict 'build with a shared module' 1 "$(tail -n 5 log)"
fi
# As where a library that LLVM's need is not installed.
found=$(sed -n 's/^\(AIC_LLVM_CONFIG_[0-9]*\):FILEPATH=\(.*[^D]\)$/\1 \2/p' "$build/CMakeCache.txt" | tail -n 1)
printf '#!/bin/sh\ncase "$*" in *--system-libs*) echo -lnowhere ;; *) exec %s "$@" ;; esac\n' "${found#* }" >llvm-config
chmod 755 llvm-config
for choice in auto static; do
    rm -rf linked
    configure "-DAIC_MODULE_LLVM=$choice" "-D${found%% *}=$work/llvm-config"
    mv log "log.$choice"
done
ok 'auto says what is missing' grep -q "takes the system's LLVM, which loads more slowly: no library nowhere" log.auto
ok 'and goes on' test "$(grep -c 'CMake Error' log.auto)" -eq 0
ok 'static does not' grep -q 'AIC_MODULE_LLVM = static: no library nowhere' log.static
finish
