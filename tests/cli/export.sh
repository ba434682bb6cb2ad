#!/usr/bin/env bash
# aicjit export: files, names, what programs without the library make of them, which level they choose.
# shellcheck disable=SC1091,SC2154 # common.bash defines aicjit, work and the operators
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
. "$here/common.bash"

layer='conv2d(dtype=int8, fm_shape=[1,5,7,32], kernel_shape=[1,3,3,32,32], pad=[1,1,1,1])'
move='transdata(dtype=int8, src=ND, dst=ND, shape=[3,50])'
files=(-o kernels.o --header kernels.h)
named=(--name layer --name move)
small='texpands(dtype=float32, rows=1, cols=8)'

# not_run WHAT WHY
not_run() { echo "not run: $1: $2"; }
# links COMPILER...: makes ./program of freestanding.c, kernels.o and nothing else.
links() {
    "$@" -std=gnu11 -O1 -ffreestanding -fno-builtin -fno-stack-protector -nostdlib -static -I . -o program "$here/freestanding.c" kernels.o
}
# made NAME EXPORT-OPTION...: the two kernels, by these options.
made() {
    local name=$1
    shift
    rm -f kernels.o kernels.h
    expect "$name" 0 '' "$aicjit" export "$layer" "$move" "${named[@]}" "$@" "${files[@]}"
    ok "$name: nothing is undefined" test -z "$(nm -u kernels.o)"
    ok "$name: functions" test "$(nm -g --defined-only kernels.o | awk '{ print $3 }' | sort | tr '\n' ' ')" = 'layer layer_pack layer_packed layer_packed_check move '
}
# ends NAME STATUS COMMAND...
ends() {
    local name=$1 status=$2 got
    shift 2
    "$@"
    got=$?
    verdict "$name" "$((got != status))" "exit status $got, not $status"
}

# ---- this machine ----

runnable=""

for level in $(exportable_levels); do
    made "level $level" --isa "$level"
    ok "level $level: no variable" test -z "$(nm kernels.o | grep -E ' [bBdD] ')"
    links cc || exit 1
    ends "level $level: a program without a library" 0 ./program
    runnable=$runnable${runnable:+,}$level
done
made "several levels" --isa "$runnable"
ok 'several levels: one variable' test "$(nm kernels.o | grep -Ec ' [bBdD] ')" -eq 1
links cc || exit 1
ends 'several levels: a program without a library' 0 ./program
objcopy --globalize-symbol=aic.level kernels.o && links cc -DSHOW_LEVEL
ends 'the highest is chosen' $((100 + $(tr ',' '\n' <<<"$runnable" | wc -l))) ./program
ok 'the header in C' cc -std=c99 -pedantic -Wall -Wextra -Werror -fsyntax-only -x c kernels.h
ok 'the header in C++' c++ -Wall -Wextra -Werror -fsyntax-only -x c++ kernels.h

# ---- processors that have less, and another architecture ----

# chooses EMULATOR PROCESSOR LEVEL COMPILER...: kernels.o chooses this number of level there, and the results are right.
chooses() {
    local emulator=$1 processor=$2 number=$3
    shift 3
    ends "$processor chooses level $number" $((100 + number)) "$emulator" -cpu "$processor" ./program
}
if command -v qemu-x86_64 >/dev/null && [ "$(uname -m)" = x86_64 ]; then
    made 'for x86-64' --isa avx2,sse2,avx512
    for name in layer layer_packed layer_pack layer_packed_check; do
        ok "$name calls every level, the lowest first" test \
            "$(objdump -d --disassemble=$name kernels.o | sed -n 's/.*call .*<layer\.\([a-z0-9_]*\)>$/\1/p' | tr '\n' ' ')" = \
            "$(for level in sse2 avx2 avx512; do printf '%s ' "$level${name#layer}"; done)"
    done
    objcopy --globalize-symbol=aic.level kernels.o && links cc -DSHOW_LEVEL
    chooses qemu-x86_64 qemu64 1
    chooses qemu-x86_64 Nehalem 1
    chooses qemu-x86_64 Haswell 2
    chooses qemu-x86_64 max 2 # it has no AVX-512
    for missing in avx2 bmi2 fma f16c abm movbe avx xsave; do # one feature of level avx2, each from another word
        chooses qemu-x86_64 "max,-$missing" 1 2>/dev/null
    done
else
    not_run 'x86-64 processors without AVX' 'qemu-x86_64 is not installed'
fi
if command -v qemu-aarch64 >/dev/null && command -v aarch64-linux-gnu-gcc >/dev/null; then
    for level in generic neon dotprod i8mm; do
        made "AArch64, level $level" --target aarch64-linux-gnu --isa $level
        links aarch64-linux-gnu-gcc || exit 1
        ends "AArch64, level $level: a program without a library" 0 qemu-aarch64 ./program
    done
    made 'AArch64, several levels' --target aarch64-linux-gnu --isa dotprod,i8mm,neon
    aarch64-linux-gnu-objcopy --globalize-symbol=aic.level kernels.o && links aarch64-linux-gnu-gcc -DSHOW_LEVEL
    chooses qemu-aarch64 cortex-a53 1
    chooses qemu-aarch64 cortex-a76 2
    chooses qemu-aarch64 max 3
else
    not_run 'AArch64' 'qemu-aarch64 or aarch64-linux-gnu-gcc is not installed'
fi

# ---- the worked example ----

example=$here/../../tools/examples/exported
expect 'the example' 0 '^2048 results, 0 differ from plain loops$' env AICJIT="$aicjit" OUT="$work/example" sh "$example/build.sh"

# ---- names and requests that cannot be ----

expect 'names are made' 0 '' "$aicjit" export "$layer" "$layer" "$int8 | fixpipe(src=int32, dst=float16, quantPre=DEQF16)" "${files[@]}"
ok 'of the operators' test "$(nm -g --defined-only kernels.o | awk '{ print $3 }' | grep -Ev '_pack(ed|ed_check)?$' | sort | tr '\n' ' ')" = 'conv2d conv2d_2 conv2d_fixpipe '
printf '%s\n' "$move" '# a comment' "$move" >batch.txt
# What headers of C declare, as compilers of C11, C23 and C++ read them by default, would be declared twice; also what only newer
# ones than these may have. Functions of all types of floats are asked for by a few.
printf '#include <%s.h>\n' ctype fenv inttypes locale math setjmp signal stdio stdlib string time uchar unistd wchar wctype >headers.c
for standard in gnu11 gnu2x 'gnu2x -D_GNU_SOURCE'; do
    # shellcheck disable=SC2086 # two words
    cc -std=$standard -aux-info declared.txt -fsyntax-only headers.c 2>/dev/null &&
        sed -nE 's/^.*extern [^(]*[ *]([a-z][a-z0-9_]*) \(.*/\1/p' declared.txt
done | grep -Ev '[^yn]f(32x|64x?|128)(_[rl])?$' >every.txt
[ ! -s every.txt ] || printf '%s\n' fopencookie mbrtoc8 wcslcat wcslcpy qsort_r sinf128 lgammaf64x_r strtof32_l f32xaddf64 M_PI strdupa htobe64 >>every.txt
sort -u every.txt >functions.txt
while read -r function; do
    "$aicjit" export "$small" --name "$function" -o own.o --header own.h 2>/dev/null && printf '%s ' "$function"
done <functions.txt >accepted.txt
if [ -s functions.txt ]; then
    ok "none of $(wc -l <functions.txt) functions of C's headers is a name: $(cat accepted.txt)" test ! -s accepted.txt
else
    echo "not run: names of C's headers, which gcc lists"
fi
for name in layer sin_layer add32 conv64 f32add_layer read_image openly M_layer; do
    expect "a name that no header has: $name" 0 '' "$aicjit" export "$small" --name "$name" -o own.o --header own.h
done
expect 'nor a namespace of C++' 2 'name: "std" is a namespace' "$aicjit" export "$small" --name std -o own.o --header own.h
expect 'a batch' 0 '' "$aicjit" export --batch batch.txt --name a --name b "${files[@]}"
ok 'its functions' test "$(nm -g --defined-only kernels.o | awk '{ print $3 }' | tr '\n' ' ')" = 'a b '
cp kernels.o old.o
cp kernels.h old.h
refuse() { # NAME PATTERN ARGUMENT...
    local name=$1 pattern=$2
    shift 2
    expect "$name" 2 "$pattern" "$aicjit" export "$@" "${files[@]}"
    if ! cmp -s kernels.o old.o || ! cmp -s kernels.h old.h; then verdict "$name" 1 'an old file was overwritten'; fi
}
refuse 'a name that is none' '"a b" is no C identifier' "$move" --name 'a b'
refuse 'a keyword' '"double" is a keyword' "$move" --name double
refuse 'a function of the C library' '"memcpy" is a name of the C library' "$move" --name memcpy
refuse 'main' '"main" is where programs begin' "$move" --name main
refuse 'a macro of compilers' '"linux" is a macro of compilers' "$move" --name linux
refuse 'a macro of another' '"a" and "A_SRC_BYTES" would share a function or a macro, A_SRC_BYTES' "$move" "$move" --name a --name A_SRC_BYTES
refuse 'more names than operators' '--name is given 2 times for 1 operators' "$move" --name a --name b
refuse 'one name for two' 'would share a function' "$move" "$move" --name a --name a
refuse 'no operator' 'nothing to export'
refuse 'an unknown level' 'avx9' "$move" --isa avx9
refuse 'a level twice' 'named twice' "$move" --isa generic,generic --target x86_64-linux-gnu
refuse 'amx among others' 'amx cannot be one of several' "$move" --isa sse2,amx --target x86_64-linux-gnu
refuse 'a triple' 'no triple of 64-bit Linux' "$move" --target sparc-sun-solaris
refuse 'a schedule' 'frob' "$layer" --schedule 'schedule(frob=1)'
expect 'no object' 2 '-o FILE is missing' "$aicjit" export "$move" --header kernels.h
expect 'no header' 2 '--header FILE is missing' "$aicjit" export "$move" -o kernels.o
expect 'one file for both' 2 'name the same file' "$aicjit" export "$move" -o kernels.o --header ./kernels.o
expect 'no folder' 2 'cannot be created' "$aicjit" export "$move" -o kernels.o --header none/k.h
ok 'the object is as it was' cmp kernels.o old.o
expect 'a full device' 3 'No space left' "$aicjit" export "$move" -o kernels.o --header /dev/full
ok 'the object is as it was then, too' cmp kernels.o old.o
ok 'no temporary file is left' test -z "$(find . -name '.aicjit*')"
finish
