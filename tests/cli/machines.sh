#!/usr/bin/env bash
# Types of cores: what AIC_MACHINE chooses, and programs that have contexts for several, with the generator that the
# library has, a module or its own. The suite `machines` has the same with a generator that is linked in.
# shellcheck disable=SC1091,SC2154 # common.bash defines aicjit and work
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
. "$here/common.bash"
build=$(dirname "$aicjit")
unset AIC_MACHINE
spec='conv2d(dtype=float16, fm_shape=[2,10,10,16], kernel_shape=[2,3,3,32,16])'
machines=(zen4 skylake-avx512 golden-cove)

# ---- one process each ----

for machine in "${machines[@]}"; do
    export AIC_MACHINE=$machine
    expect "info for $machine" 0 "^schedules are for +$machine, as AIC_MACHINE says$" "$aicjit" info
    expect "explain for $machine" 0 "^machine: $machine " "$aicjit" explain "$spec" --isa generic
    schedule=$("$aicjit" dump "$spec" --isa generic --stage plan)
    name=$("$aicjit" dump "$spec" --isa generic --stage ir | sed -n 's/^define .*@\(aic_conv2d_[0-9a-f]*\)(.*/\1/p')
    echo "$machine $name $schedule" >>alone
done
unset AIC_MACHINE
ok 'each type of core has its schedule' test "$(cut -d ' ' -f 3- alone | sort -u | wc -l)" -eq ${#machines[@]}
ok 'and its name' test "$(cut -d ' ' -f 2 alone | sort -u | wc -l)" -eq ${#machines[@]}
expect 'an unknown one' 2 'AIC_MACHINE: "pentium" is no type of core; types: zen4, ' \
    env AIC_MACHINE=pentium "$aicjit" explain "$spec"

# ---- several in a process ----

if ldd "$aicjit" | grep -Eq 'lib[at]san'; then
    echo "programs without a sanitizer are not tried with a library that has one"
    finish
    exit
fi
cc -std=c11 -D_DEFAULT_SOURCE -O1 -I "$here/../../frontend/include" -o user "$here/machines_user.c" -L "$build" -laicjit \
    -Wl,-rpath,"$build" -pthread
sort alone alone >both
several() { # HOW MACHINE...
    ./user "$1" "$spec" "${@:2}" >.user && diff both <(sort .user)
}
ok 'one after the other' several turns zen4 skylake-avx512 golden-cove
ok 'in another order' several turns golden-cove zen4 skylake-avx512
ok 'backwards' several turns golden-cove skylake-avx512 zen4
ok 'all at once' several threads golden-cove skylake-avx512 zen4
export AIC_MACHINE=zen5
ok 'whatever the environment says' several turns golden-cove zen4 skylake-avx512
unset AIC_MACHINE

# From files that another process has left.
export AIC_CACHE=rw AIC_CACHE_DIR=$work/cache
ok 'into the disk cache' several turns zen4 golden-cove skylake-avx512
expect 'a file for each' 0 "^kernels +${#machines[@]}, ${#machines[@]} of this build" "$aicjit" cache stat
ok 'and from there' several threads skylake-avx512 golden-cove zen4
finish
