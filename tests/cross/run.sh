#!/usr/bin/env bash
# run.sh BUILD [LEVEL OVERFLOW SPEC SEED]: every AArch64 level under qemu's user emulation, against the reference; or the one case
# that a failure named. What is missing on this machine fails the test: code that never ran is not called tested.
set -euo pipefail
export LC_ALL=C AIC_CACHE=off

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$(cd "$1" && pwd)
shift

for tool in aarch64-linux-gnu-gcc qemu-aarch64; do
    if ! command -v "$tool" >/dev/null; then
        echo "FAILED: $tool is missing, no AArch64 kernel was run; tools/dev setup installs it"
        echo "0 passed, 1 failed"
        exit 1
    fi
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
aarch64-linux-gnu-gcc -std=c11 -D_DEFAULT_SOURCE -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Werror -O2 -static -pthread \
    -I "$root" -I "$root/frontend/include" -o "$work/driver" "$root"/tests/cross/driver.c \
    "$root"/tools/harness/{guard,memory}.c "$root"/runtime/{code/{code_memory,code_region,stub},system/hold_signals}.c "$root"/frontend/core/{diag,memory,shorten,thread}.c

echo "AArch64 kernels run emulated, by $(qemu-aarch64 --version | head -n 1): not natively, and not timed."
"$build/aicjit-cross" "$work" "$@"
