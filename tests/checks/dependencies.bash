#!/usr/bin/env bash
# dependencies.bash BUILD: "SOURCE", a tab and "DEPENDENCY", a line each, as the compiler reported them, relative to the repository;
# files outside of it by their whole path. BUILD was made by Ninja. A compiler's cache may have made paths relative to BUILD of
# what the compiler was given.
set -euo pipefail
export LC_ALL=C

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$(cd "$1" && pwd)

# The first dependency of an object is its source.
ninja -C "$build" -t deps | awk -v root="$root/" -v build="$build/" '
    function relative(path, parts, count, kept, i, whole) {
        path = path ~ /^\// ? path : build path
        count = split(path, parts, "/")
        kept = 0
        for (i = 1; i <= count; i++) {
            if (parts[i] == ".." && kept > 0) { kept-- }
            else if (parts[i] != "" && parts[i] != ".") { parts[++kept] = parts[i] }
        }
        whole = ""
        for (i = 1; i <= kept; i++) { whole = whole "/" parts[i] }
        return index(whole, root) == 1 ? substr(whole, length(root) + 1) : whole
    }
    /^[^ ].*: #deps/ { source = ""; next }
    NF == 0 { next }
    { sub(/^ +/, "") }
    source == "" { source = relative($0); next }
    { print source "\t" relative($0) }' | sort -u
