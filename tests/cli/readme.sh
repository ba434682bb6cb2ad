#!/usr/bin/env bash
# README.md: every command of aicjit, in a folder of its own, and its C programs; that what it names is there.
# shellcheck disable=SC1091,SC2154 # common.bash defines aicjit, work and the operators
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
. "$here/common.bash"
# Kernels that are asked for twice are made once, and parts that are ready are taken, as for users.
export AIC_CACHE=rw AIC_CACHE_DIR="$work/kernels"
root=$(realpath "$here/../..")
build=$(dirname "$aicjit")

emulates() {
    [ -e build/libaicjit-emulate.so ] && [ ${#sanitize[@]} -eq 0 ] && ! about_host | grep -q ' avx512vnni (not on this host)'
}

# run_section HEADING COMMANDS: runs every command of the section, which are so many, each with the variables set above it.
# Of random operators and of chains, which other tests and campaigns have, a tenth, but in a campaign.
run_section() {
    local heading=$1 line commands=0
    awk -v heading="## $heading" '/^## / { on = $0 == heading } on && sub(/^    /, "")' "$root/README.md" >section.sh
    while IFS= read -r line; do
        if [[ $line =~ ^[A-Z]+=[\'\"] ]]; then
            eval "export $line"
            continue
        fi
        commands=$((commands + 1))
        # The emulator is for x86-64 with AVX-512, and not for a build with a sanitizer, whose runtime comes first.
        [[ $line == LD_PRELOAD* ]] && ! emulates && continue
        [ -n "${AIC_CAMPAIGN:-}" ] || line=$(sed -E 's/(--fuzz [0-9]+)0 /\1 /' <<<"$line ")
        expect "$heading: ${line%% #*}" 0 '' bash -c "$line"
    done <section.sh
    ok "$heading has $2 commands, not $commands" test "$commands" -eq "$2"
}

files_are_there() {
    local file
    for file; do ok "README makes $file" test -s "$file"; done
}

# c_block N: the N-th block of C.
c_block() { awk -v wanted="$1" '/^```c$/ { on = ++n == wanted; next } /^```$/ { on = 0 } on' "$root/README.md"; }

compile() {
    cc -std=c11 -Wall -Werror "${sanitize[@]}" -I "$root/frontend/include" "$1.c" -o "$1" -L "$build" -laicjit \
        -Wl,-rpath,"$build" -Wl,--allow-shlib-undefined
}

sanitize=() # as the library was built
nm -D "$build/libaicjit.so" | grep -q __asan_init && sanitize=("-fsanitize=address,undefined")
nm -D "$build/libaicjit.so" | grep -q __tsan_init && sanitize=(-fsanitize=thread)

# ---- commands ----

ln -s "$build" build
run_section 'A tour' 19
files_are_there dst.npy kernel.s before.json tuning.txt tune.html layer.npy what.html
run_section Chains 3

npy image.npy '<f2' '(1, 28, 28, 64)' $((28 * 28 * 64 * 2))
npy oihw.npy '<f2' '(64, 64, 3, 3)' $((64 * 64 * 9 * 2))
for name in a b; do npy $name.npy '<f4' '(1, 3, 224, 224)' $((3 * 224 * 224 * 4)); done
printf '%s\n' "$S" 'g1mb1ic64ih14oc64oh14kh3ph1n"layer"' 'g2mb1ic64ih14oc64oh14kh3ph1n"grouped"' >shapes.txt
printf '%s\n' '.arg %s : f32' 'pto.texpands ins(%s : f32) outs(%t : !pto.tile<f32, 16, 16>)' >fill.pto
run_section 'More of the command line' 29
files_are_there fm.npy w.npy dst.npy golden.npy next.npy DIR/run.sh c.npy t.npy

run_section Networks 9
files_are_there net/network.txt y.npy net.o net.h

run_section 'Without the library' 3
files_are_there kernels.o kernels.h arm.o arm.h
cp tuning.txt a.txt
cp tuning.txt b.txt
sed -i 2,3d shapes.txt # seconds each
run_section Tuning 3

# ---- programs ----

c_block 1 >program.c
ok 'the program compiles' compile program
ok 'and runs' ./program
{
    printf '#include <%s>\n' aic/aic.h stdlib.h
    c_block 2
    cat <<'END'
int main(void)
{
    static int8_t feature_map[4 * 4 * 32], weight[2 * 2 * 32 * 32], dst[9 * 32];
    static uint64_t words[32];
    aic_conv2d_desc conv = aic_conv2d_desc_init();
    conv.dtype = AIC_INT8;
    const int64_t fm_shape[] = {1, 4, 4, 32}, kernel_shape[] = {1, 2, 2, 32, 32};
    for (int i = 0; i < 4; i++)
        conv.fm_shape[i] = fm_shape[i];
    for (int i = 0; i < 5; i++)
        conv.kernel_shape[i] = kernel_shape[i];
    return layer(&conv, 1, (int8_t *[]){dst}, (int8_t *[]){feature_map}, weight, words) != AIC_OK;
}
END
} >layer.c
ok 'the function for a layer compiles' compile layer
ok 'and runs' ./layer

{
    printf '#include <%s>\n' aic/aic.h
    echo 'int main(void) { static int8_t x[14 * 14 * 32], y[14 * 14 * 32];'
    c_block 3
    echo 'return status != AIC_OK; }'
} >opened.c
ok 'the call of a network compiles' compile opened
ok 'and runs' ./opened

# ---- what the documents name ----

for document in README.md tools/trust.md tools/tuning.md tools/figures.md tools/examples/README.md tools/demo/README.md tools/python/examples/superres/README.md tools/networks.md tests/bench/README.md; do
    # Links, and files of this repository in back quotes.
    { grep -oE '\]\([^)#:]+\)' "$root/$document" | sed 's/^](\(.*\))$/\1/'; } |
        while IFS= read -r path; do
            [ -e "$root/$(dirname "$document")/$path" ] || echo "$path"
        done >missing.txt
    ok "$document: links lead somewhere" test ! -s missing.txt
    # shellcheck disable=SC2016 # back quotes as such
    grep -oE '`(frontend|codegen|runtime|tests|tools)/[A-Za-z0-9_./-]+`' "$root/$document" | tr -d '`' | sort -u |
        while IFS= read -r path; do
            [ -e "$root/$path" ] || [ -d "$root/${path%/}" ] || echo "$path"
        done >missing.txt
    ok "$document: files are there: $(tr '\n' ' ' <missing.txt)" test ! -s missing.txt
done
finish
