#!/usr/bin/env bash
# Processes that fork while their threads make the first kernel, and so load the generator, or begin to announce kernels to
# profilers: parent and child go on. And processes that exit then.
# shellcheck disable=SC1091,SC2154 # common.bash defines aicjit and work
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
. "$here/common.bash"
build=$(dirname "$aicjit")
if ldd "$aicjit" | grep -Eq 'lib[at]san'; then
    echo 'not run: with a sanitizer a child of a process with threads cannot start any'
    finish
    exit
fi
if ! cc -std=c11 -D_DEFAULT_SOURCE -O1 -I "$here/../../frontend/include" -o forks "$here/forks.c" -L "$build" -laicjit \
    -Wl,-rpath,"$build" -pthread 2>cc.err; then
    verdict 'compile' 1 "$(head -n 3 cc.err)"
    finish
    exit
fi
unset AIC_CODEGEN
mkdir jitdump
export JITDUMPDIR=$work/jitdump
rounds=(late 8 early 16 profile 8 exit 20)
for ((i = 0; i < ${#rounds[@]}; i += 2)); do
    expect "${rounds[i]}" 0 '^0 of ' ./forks "${rounds[i]}" "${rounds[i + 1]}"
done
finish
