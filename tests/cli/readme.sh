#!/usr/bin/env bash
# README.md: every command of its tour, in a folder of its own, and its C program; that what it names is there.
# shellcheck disable=SC1091,SC2154 # common.bash defines aicjit, work and the operators
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
. "$here/common.bash"
root=$(realpath "$here/../..")
build=$(dirname "$aicjit")

# ---- the tour ----

mkdir -p build
ln -s "$aicjit" build/aicjit
sed -n '/^## A tour$/,/^## Operators$/s/^    //p' "$root/README.md" >tour.sh
ok 'the tour has twenty lines' test "$(wc -l <tour.sh)" -eq 20
commands=0
while IFS= read -r line; do
    case $line in
    [A-Z]=* | [A-Z][A-Z]=*)
        eval "$line"
        continue
        ;;
    esac
    commands=$((commands + 1))
    # shellcheck disable=SC2154 # the tour's own
    expect "tour: ${line%% #*}" 0 '' env S="$S" IN="$IN" F="${F:-}" bash -c "$line"
done <tour.sh
ok 'its commands' test "$commands" -eq 17
for file in dst.npy kernel.s before.json tuning.txt tune.html layer.npy; do
    ok "the tour makes $file" test -s "$file"
done

# ---- the program ----

awk '/^```c$/ && !done { on = 1; next } /^```$/ { if (on) done = 1; on = 0 } on' "$root/README.md" >program.c
sanitize=() # as the library was built
nm -D "$build/libaicjit.so" | grep -q __asan_init && sanitize=("-fsanitize=address,undefined")
nm -D "$build/libaicjit.so" | grep -q __tsan_init && sanitize=(-fsanitize=thread)
ok 'the program compiles' cc -std=c11 -Wall -Werror "${sanitize[@]}" -I "$root/frontend/include" program.c -o program \
    -L "$build" -laicjit -Wl,-rpath,"$build" -Wl,--allow-shlib-undefined
ok 'and runs' ./program

# ---- what the documents name ----

for document in README.md tools/tuning.md tools/figures.md tools/examples/README.md tools/demo/README.md tools/superres/README.md tests/bench/README.md; do
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
