#!/usr/bin/env bash
# run.sh BUILD: installs BUILD into an empty prefix and uses it from outside the tree: headers alone, CMake package,
# pkg-config, static library, dlopen, the installed tool.
set -euo pipefail
export LC_ALL=C AIC_CACHE=off

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix="$work/some prefix"
passed=0
failed=0

# check NAME COMMAND...: one test; its output is shown when it fails.
check() {
    local status
    set +e # not "if": a condition would switch -e off within the command
    (set -e && "${@:2}") >"$work/output" 2>&1
    status=$?
    set -e
    if [ "$status" -eq 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $1"
        cat "$work/output"
    fi
}

library_folder() { dirname "$(find "$prefix" -name libaicjit.so -print -quit)"; }

files_are_there() {
    local file
    for file in include/aic/aic.h include/aic/conv2d.h include/aic/winograd.def bin/aicjit \
        share/man/man1/aicjit.1 share/bash-completion/completions/aicjit \
        share/zsh/site-functions/_aicjit share/fish/vendor_completions.d/aicjit.fish \
        "${lib#"$prefix/"}"/{libaicjit.so,libaicjit.so.0.2,libaicjit-codegen.so.0.2,libaicjit.a,pkgconfig/aicjit.pc,cmake/aicjit/aicjitConfig.cmake}; do
        [ -e "$prefix/$file" ] || { echo "$file is missing" && return 1; }
    done
}

# debian/*.install have every installed file, and nothing that is not there; zsh's is moved, Python's come from the build.
debian_packages_have_them() {
    local pattern file
    cd "$prefix"
    find . -type f -o -type l | sed 's,^\./,,' | sort >"$work/files"
    : >"$work/claimed"
    while read -r pattern; do
        pattern=${pattern#usr/}
        [ "$pattern" != lib/python3 ] || continue
        pattern=${pattern/#"lib/*/"/"${lib#"$prefix/"}/"}
        # shellcheck disable=SC2086 # a pattern
        find $pattern -type f -o -type l >"$work/found"
        [ -s "$work/found" ]
        cat "$work/found" >>"$work/claimed"
    done < <(cat "$here"/../../debian/*.install)
    diff "$work/files" <(sort "$work/claimed")
}

# Their version is that of the headers, their names have that of the soname.
debian_packages_have_the_version() {
    local version
    version=$(sed -nE 's/^#define AIC_VERSION_(MAJOR|MINOR|PATCH) //p' "$prefix/include/aic/types.h" | paste -sd .)
    [ "$(sed -nE '1s/.*\(([^-]*)-.*/\1/p' "$here/../../debian/changelog")" = "$version" ]
    [ "$(grep -cE "^Package: libaicjit(-codegen)?${version%.*}\$" "$here/../../debian/control")" -eq 2 ]
}

# Of ready-made parts those that the build has made, and no others.
parts_are_those_of_the_build() {
    local name=libaicjit-codegen.so.0.2
    diff <(cd "$build" && find . -maxdepth 1 -name "$name.*.parts" | sort) <(cd "$lib" && find . -name "*.parts" | sort)
    [ ! -e "$build/aicjit-ready" ] || [ -n "$(find "$lib" -name "$name.*.parts")" ]
}

soname_is_versioned() { readelf -d "$lib/libaicjit.so" | grep -F 'Library soname: [libaicjit.so.0.2]'; }

no_path_of_the_build() { ! grep -rlF "$build" "$lib/cmake" "$lib/pkgconfig" "$prefix/include"; }

# Each header can be included first and alone, in C11 and in C++11.
headers_stand_alone() {
    local header
    for header in "$prefix"/include/aic/*.h; do
        cc -std=c11 -Wall -Wextra -pedantic -Werror -fsyntax-only -I "$prefix/include" -include "$header" -x c /dev/null
        c++ -std=c++11 -Wall -Wextra -pedantic -Werror -fsyntax-only -I "$prefix/include" -include "$header" -x c++ /dev/null
    done
}

# No installed header expands a list or speaks of one but that of the matrices, and every descriptor is what the sources'
# headers make of it.
structs_are_written_out() {
    local list name source="$here/../.."
    grep -q '^    int64_t fm_shape\[4\];$' "$prefix/include/aic/conv2d.h"
    if grep -nE '\.def|AIC_FIELD|##' "$prefix"/include/aic/*.h | grep -Ev '<aic/winograd\.def>|type##_init'; then return 1; fi
    [ "$(find "$prefix/include" -name '*.def' | wc -l)" -eq 1 ]
    {
        cat <<'END'
#include <aic/aic.h>
#include <stdio.h>
#define AIC_FIELD(kind, name, count, need, fallback) \
    printf(#name " %zu %zu\n", offsetof(STRUCT, name), sizeof ((STRUCT *)0)->name);
int main(void) {
END
        for list in "$source"/frontend/include/aic/*.def; do
            name=$(basename "$list" .def)
            grep -q '^AIC_FIELD(' "$list" || continue
            case $name in
            semantics | choices) name=semantics ;; # one struct of two lists
            *) name=${name}_desc ;;
            esac
            printf '#define STRUCT aic_%s\nprintf("%s %%zu\\n", sizeof(STRUCT));\n#include "%s"\n#undef STRUCT\n' \
                "$name" "$name" "$list"
        done
        echo 'return 0; }'
    } >"$work/structs.c"
    # Lists include lists.
    cc -std=c11 -Wall -Wextra -Werror -I "$prefix/include" -I "$source/frontend/include" -o "$work/installed" "$work/structs.c"
    cc -std=c11 -Wall -Wextra -Werror -I "$source/frontend/include" -o "$work/sources" "$work/structs.c"
    "$work/installed" >"$work/installed.txt"
    "$work/sources" >"$work/sources.txt"
    [ "$(wc -l <"$work/sources.txt")" -gt 100 ]
    cmp "$work/installed.txt" "$work/sources.txt"
}

# Sizes, offsets, numbers and functions.
headers_say_the_same() {
    local layout="$here/../interface/layout.py" from
    mkdir -p "$work/tree/frontend"
    ln -s "$prefix/include" "$work/tree/frontend/include"
    for from in "$here/../.." "$work/tree"; do
        python3 "$layout" header "$from" >"$work/header.h"
        { python3 "$layout" list "$work/header.h" && grep -oE '\baic_[a-z0-9_]+ *\(' "$work/header.h"; } | sort -u
    done | sort | uniq -c | awk '$1 != 2 { print; wrong = 1 } END { exit wrong || NR < 500 }'
}

# Every command and operator has its section, and roff has nothing to say about the page.
manual_page() {
    local page="$prefix/share/man/man1/aicjit.1" name
    for name in run check dump explain bench tune cache compare fmt info list help; do
        grep -q "^\.SS \"aicjit $name " "$page"
    done
    for name in conv2d mmad fixpipe texpands; do grep -q "^\.SS $name\$" "$page"; done
    for name in NAME SYNOPSIS COMMANDS OPERATORS ENVIRONMENT FILES EXAMPLES JSON '"EXIT STATUS"'; do
        grep -q "^\.SH \"*${name//\"/}\"*\$" "$page"
    done
    for name in AIC_DUMP_DIR AIC_TUNING_DB; do grep -q "^\\\\fB$name" "$page"; done
    ! command -v groff >/dev/null || [ -z "$(groff -man -Tascii -ww -z "$page" 2>&1)" ]
}

# completed WORD...: what is offered for the last word.
completed() {
    local COMP_WORDS=(aicjit "$@") COMP_CWORD=$# COMPREPLY=()
    _aicjit
    echo "${COMPREPLY[*]}"
}

completion() {
    # shellcheck disable=SC1091 # made by the installation
    . "$prefix/share/bash-completion/completions/aicjit"
    [ "$(completed exp)" = 'explain export' ]
    [ "$(completed dump --sta)" = --stage ]
    [ "$(completed dump --stage o)" = 'opt obj' ]
    [ "$(completed run --overflow s)" = saturate ]
    [ "$(completed help texp)" = texpands ]
    [ "$(completed check --fu)" = --fuzz ]
    [ "$(completed run conv)" = 'conv2d(' ]
    [ "$(completed rules tik)" = tik_fixpipe ]
    [ "$(completed check --op mm)" = mmad ]
    [ "$(completed bench --isa al)" = all ]
    [ "$(completed run --isa gen)" = generic ]
}

# The same by fish itself.
offered() { fish --no-config -c "source '$prefix/share/fish/vendor_completions.d/aicjit.fish'; complete -C '$1'" | cut -f 1 | sort | xargs; }
completion_of_fish() {
    [ "$(offered 'aicjit exp')" = 'explain export' ]
    [ "$(offered 'aicjit dump --sta')" = --stage ]
    [ "$(offered 'aicjit dump --stage o')" = 'obj opt' ]
    [ "$(offered 'aicjit run --overflow s')" = saturate ]
    [ "$(offered 'aicjit help texp')" = texpands ]
    [ "$(offered 'aicjit run tik')" = 'tik_fixpipe(' ]
    [ "$(offered 'aicjit run --isa gen')" = generic ]
}

# The same by zsh, whose functions say what they were handed.
zsh_offers() { # PATTERN WORD...: a line of what is offered for the words is that
    local pattern=$1
    shift
    zsh -f -c "_files() { print files }; compadd() { print -l -- \$@ }
        _describe() { print -l -- \${(P)2} }
        _arguments() { print -rl -- \$@ }
        words=(aicjit $*); CURRENT=\$#words; source '$prefix/share/zsh/site-functions/_aicjit'" >"$work/offered"
    grep -q -- "$pattern" "$work/offered"
}
completion_of_zsh() {
    zsh_offers '^explain:tell which schedule is used and why$' exp
    zsh_offers '^--stage\[.*\]:ir|opt|asm|obj|plan:(ir opt asm obj plan )$' dump x
    zsh_offers '^--isa\[.*\]:LEVEL:(generic .*)$' run x
    zsh_offers '^\*--in\[.*\]:NAME=FILE:_files$' run x
    zsh_offers '^\*:argument:_aicjit_specs$' run x
    zsh_offers '^\*:subject:(run .*texpands choices )' help x
    zsh_offers '^--overflow\[.*\]:.*:(.*saturate.*)$' run x
}

cmake_package() {
    cmake -S "$work/source" -B "$work/cmake" -G Ninja -DCMAKE_PREFIX_PATH="$prefix"
    cmake --build "$work/cmake"
    "$work/cmake/consumer_c"
    "$work/cmake/consumer_cpp"
}

cmake_static() {
    "$work/cmake/consumer_static"
    readelf -d "$work/cmake/consumer_c" | grep -F 'libaicjit.so'
    ! readelf -d "$work/cmake/consumer_static" | grep -F 'libaicjit'
}

cmake_refuses_other_versions() {
    sed 's/aicjit 0.2/aicjit 9.0/' "$here/CMakeLists.txt" >"$work/source/CMakeLists.txt"
    ! cmake -S "$work/source" -B "$work/cmake9" -G Ninja -DCMAKE_PREFIX_PATH="$prefix"
}

# The flags go through a response file's quoting rules, as pkg-config escapes the blank of the prefix.
flags() { PKG_CONFIG_PATH="$lib/pkgconfig" pkg-config "$@" aicjit >"$work/flags"; }

pkg_config() {
    flags --cflags --libs
    cc -std=c11 -Wall -Wextra -Werror -o "$work/pc_c" "$work/source/consumer.c" "@$work/flags"
    c++ -std=c++11 -Wall -Wextra -Werror -o "$work/pc_cpp" "$work/source/consumer.cpp" "@$work/flags"
    LD_LIBRARY_PATH="$lib" "$work/pc_c"
    LD_LIBRARY_PATH="$lib" "$work/pc_cpp"
}

static_library() {
    flags --cflags --libs --static
    sed -i 's/-laicjit/-l:libaicjit.a/' "$work/flags"
    cc -std=c11 -o "$work/static_c" "$work/source/consumer.c" "@$work/flags"
    "$work/static_c"
}

loaded_while_running() {
    cc -std=c11 -Wall -Wextra -Werror -I "$prefix/include" -o "$work/loader" "$here/loader.c" -pthread -ldl
    "$work/loader" "$lib/libaicjit.so"
}

# A process whose room for static thread-local storage is used up by other libraries.
loaded_without_static_tls() {
    local size copy hogs=()
    for size in 1024 512 256 128 64 32 16 8; do
        for copy in 1 2 3; do
            cc -shared -fPIC -DSIZE="$size" -x c - -o "$work/hog_${size}_$copy.so" <<<'
                __attribute__((tls_model("initial-exec"))) static __thread char room[SIZE];
                char *hog(void) { return room; }'
            hogs+=("$work/hog_${size}_$copy.so")
        done
    done
    cc -std=c11 -Wall -Wextra -Werror -o "$work/full" "$here/full.c" -ldl
    "$work/full" "$lib/libaicjit.so" "${hogs[@]}"
}

cmake --install "$build" --prefix "$prefix" >"$work/install.log" || { cat "$work/install.log" && exit 1; }
lib=$(library_folder)
mkdir "$work/source"
cp "$here"/consumer.* "$here/CMakeLists.txt" "$work/source"

check "the installed files" files_are_there
check "ready-made parts" parts_are_those_of_the_build
check "the soname" soname_is_versioned
check "Debian's packages have them" debian_packages_have_them
check "Debian's packages have the version" debian_packages_have_the_version
check "no installed file names the build folder" no_path_of_the_build
check "headers stand alone in C and C++" headers_stand_alone
check "structs are written out" structs_are_written_out
check "they say what the sources' headers say" headers_say_the_same
check "the manual page" manual_page
check "completion" completion
for shell in fish zsh; do
    if command -v "$shell" >/dev/null; then
        check "completion of $shell" "completion_of_$shell"
    else
        echo "completion of $shell: not run, it is not installed"
    fi
done
check "find_package(aicjit)" cmake_package
check "aicjit::static" cmake_static
check "find_package(aicjit 9.0) is refused" cmake_refuses_other_versions
check "pkg-config aicjit" pkg_config
check "libaicjit.a by pkg-config --static" static_library
check "dlopen" loaded_while_running
check "dlopen without static thread-local storage" loaded_without_static_tls
check "the installed tool" "$prefix/bin/aicjit" info

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
