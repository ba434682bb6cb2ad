#!/bin/sh
# Exports the kernel, builds the program with it and runs it. AICJIT: the tool (default: aicjit); OUT: where files go
# (default: the current folder); CC: the compiler.
set -e
here=$(dirname "$0")
out=${OUT:-.}
mkdir -p "$out"

# On x86-64 for three levels, of which the program takes the best that its processor has; elsewhere for the host's own.
levels=""
if [ "$(uname -m)" = x86_64 ]; then
    levels="--isa sse2,avx2,avx512"
fi
# shellcheck disable=SC2086 # two words or none
"${AICJIT:-aicjit}" export 'conv2d(dtype=int8, fm_shape=[1,8,8,32], kernel_shape=[1,3,3,32,32], pad=[1,1,1,1])' \
    --name layer $levels -o "$out/kernels.o" --header "$out/kernels.h"

${CC:-cc} -std=c11 -O2 -I "$out" -o "$out/program" "$here/main.c" "$out/kernels.o"
"$out/program"
