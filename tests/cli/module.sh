#!/usr/bin/env bash
# The generator's module, LLVM: which programs load it, where it is looked for, what happens when it is not what it should be,
# and another LLVM in the same process.
# shellcheck disable=SC1091,SC2154 # common.bash defines aicjit, work and the operators
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
. "$here/common.bash"
build=$(dirname "$aicjit")
module=libaicjit-codegen.so.0.2
if [ ! -e "$build/$module" ]; then
    echo "the generator is linked in: there is no module"
    ok 'then the library needs LLVM' grep -q LLVM <(ldd "$build/libaicjit.so")
    finish
    exit
fi

# ---- programs that compile nothing do not load it ----

ok 'the library does not need LLVM' test "$(readelf -d "$build/libaicjit.so" | grep -c LLVM)" -eq 0
for command in --version list 'help conv2d' info "fmt $int8" "explain $int8" "dump $int8 --stage plan"; do
    # shellcheck disable=SC2086 # several words; the operator has no blanks of its own
    ok "$command does not load it" test "$(llvms "$aicjit" ${command// , /,})" -eq 0
done
ok 'check loads it' test "$(llvms "$aicjit" check "$int8")" -gt 0

# ---- where it is found ----

# A folder that has the tool and the library, and no module.
mkdir alone linked
cp "$aicjit" "$build/libaicjit.so.0.2" alone/
message='^aicjit: .*generator module: "/.*/alone/libaicjit-codegen.so.0.2" cannot be used: No such file or directory$'
expect 'missing' 3 "$message" alone/aicjit dump "$int8" --stage asm
# By each way into LLVM.
for command in 'dump --stage ir' 'dump --stage obj' 'bench --json' 'tune --db none.txt' check 'check --isa all' 'explain --measure' \
    'export -o none.o --header none.h'; do
    # shellcheck disable=SC2086 # several words
    env AIC_CODEGEN="$work/none" "$aicjit" ${command} "$int8" >.out 2>.err
    ok "missing: $command" test $? -eq 3
    ok "missing: $command says so" grep -q '^aicjit: .*generator module: ".*none" cannot be used' .err
done
"$aicjit" golden "$int8" -o cases >/dev/null
expect 'missing: verify' 3 '^aicjit: verify: generator module: ".*none" cannot be used' env AIC_CODEGEN="$work/none" "$aicjit" verify cases
expect 'missing: what needs none goes on' 0 'conv2d' alone/aicjit list
expect 'missing: plans are made' 0 'predicted' alone/aicjit explain "$int8"
expect 'AIC_CODEGEN' 0 '' env AIC_CODEGEN="$build/$module" alone/aicjit check "$int8"
cp "$aicjit" linked/
ln -s "$build/libaicjit.so.0.2" linked/
expect 'by a link to the library' 0 '' linked/aicjit check "$int8"
cp "$build/$module" alone/
expect 'beside the library' 0 '' alone/aicjit check "$int8"
expect 'by a relative name of the library' 0 '' env LD_LIBRARY_PATH=alone linked/aicjit check "$int8"

# ---- what is no module ----

refused() { # NAME PATTERN, of the file ./spoiled
    expect "$1" 3 "^aicjit: .*generator module: \".*spoiled\" $2" env AIC_CODEGEN="$work/spoiled" "$aicjit" dump "$int8" --stage asm
}
: >spoiled
refused 'empty' 'cannot be used: it is cut off$'
echo 'no module at all, but a text of more bytes than the header of an object has' >spoiled
refused 'a text' 'cannot be used: it is no shared object$'
size=$(stat -c %s "$build/$module")
for left in 100 $((size / 4)) $((size / 2)) $((size - 1)); do
    head -c "$left" "$build/$module" >spoiled
    refused "$left bytes of it" 'cannot be used: it is cut off$'
done
# A byte of its header, or of its first segment's: offset, value, what is said.
while read -r offset value said; do
    cp "$build/$module" spoiled
    printf '%b' "\\x$value" | dd of=spoiled bs=1 seek="$offset" conv=notrunc status=none
    refused "byte $offset is $value" "$said"
done <<'END'
4 01 cannot be used: it is no shared object$
16 02 cannot be used: it is no shared object$
18 b7 cannot be loaded: .
54 01 cannot be used: it is no shared object$
57 01 cannot be used: it is no shared object$
47 7f cannot be used: it is cut off$
79 7f cannot be used: it is cut off$
103 7f cannot be used: it is cut off$
END
cp "$(ldd "$build/libaicjit.so" | awk '/libm\.so/ { print $3 }')" spoiled
refused 'another library' 'is another library$'
rm spoiled && mkdir spoiled
refused 'a folder' 'cannot be used: it is no file$'
rmdir spoiled && mkfifo spoiled
refused 'a pipe' 'cannot be used: it is no file$'
rm spoiled

compile() { cc -std=c11 -D_DEFAULT_SOURCE -O1 -I "$here/../.." -I "$here/../../frontend/include" "$@"; }
cat >foreign.c <<'END'
#include "codegen/module.h"
extern const aic_module_header aic_generator_module;
const aic_module_header aic_generator_module = {.magic = AIC_MODULE_MAGIC, .version = AIC_MODULE_VERSION, .build = "0.2.0-other"};
END
compile -shared -fPIC -o spoiled foreign.c
refused 'of another build' 'is of build [0-9.]+-other, the library of [0-9.]+-[0-9a-f]{16}$'

if ldd "$aicjit" | grep -Eq 'lib[at]san'; then
    echo "programs without a sanitizer are not tried with a library that has one"
    finish
    exit
fi

# ---- functions that run come first ----

if grep -qs '(\.text\.' "$build/order/order.ld"; then
    ok 'the linker has put them there' grep -q ' \.text\.first ' <(readelf -SW "$build/$module")
else
    echo "not run: the order of functions, which this build leaves to the linker"
fi

# ---- memory that runs out while it is loaded ----

# A module that has the library of C++ in it takes care of that itself; of another one the library does.
if readelf -dW "$build/$module" | grep -q 'NEEDED.*\(libLLVM\|libstdc++\)'; then
    echo "not run: memory that runs out while the module is loaded, whose library of C++ is the system's"
else
    cc -std=c11 -O1 -o scarce "$here/module_scarce.c" -ldl -rdynamic
    expect 'no memory for constructors' 0 '^loaded, [1-9][0-9]* failed, given back$' ./scarce "$build/$module"
fi

# ---- with more rights than the caller ----

libraries_for_everybody "$build"
compile -o user "$here/module_user.c" -L lib -laicjit -Wl,-rpath,"$work/lib"
expect 'a program' 0 '' ./user 2
expect 'AIC_CODEGEN counts' 1 'cannot be used' env AIC_CODEGEN=/nowhere ./user
if [ "$(id -u)" -eq 0 ]; then
    chown 65534 user && chmod 4755 user
    expect 'but not where the user is set' 0 '' env AIC_CODEGEN=/nowhere AIC_MAX_ISA=none AIC_VERBOSE=9 ./user
    rm user
else
    echo "not run: set-user-id programs, which only root can make"
fi

# ---- two LLVMs ----

own=$(ldd "$build/$module" | awk '/libLLVM/ { print $3 }')
tried=0
for other in /usr/lib/llvm-*/lib/libLLVM*.so.*; do
    if [ ! -e "$other" ] || { [ -n "$own" ] && [ "$(realpath "$other")" = "$(realpath "$own")" ]; }; then continue; fi
    compile -DOTHER_LLVM -o two "$here/module_user.c" "$other" -L "$build" -laicjit -Wl,-rpath,"$build:$(dirname "$other")" ||
        continue
    expect "with $other" 0 '' ./two 3
    ok 'both are there' test "$(llvms ./two)" -gt 1
    tried=1
done
[ $tried -eq 1 ] || echo "not run: two LLVMs, there is no other one"
finish
