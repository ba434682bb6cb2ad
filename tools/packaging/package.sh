#!/usr/bin/env bash
# package.sh FOLDER: Debian packages of what is committed, in FOLDER, by dpkg-buildpackage from a source package; then lintian,
# and what is in them is used: the tool, a C program, Python. The last line is "N passed, N failed".
set -euo pipefail
export LC_ALL=C AIC_CACHE=off

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
mkdir -p "$1"
folder=$(cd "$1" && pwd)
version=$(sed -nE '1s/.*\(([^-]*)-.*/\1/p' "$root/debian/changelog")
source="$folder/aicjit-$version"
passed=0
failed=0

# check NAME COMMAND...: one test; its output is shown when it fails.
check() {
    local status=0
    (set -e && "${@:2}") >"$folder/output" 2>&1 || status=$?
    if [ "$status" -eq 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $1"
        tail -n 40 "$folder/output"
    fi
}

rm -rf "$folder"/aicjit* "$folder"/*.deb "$folder/root"
git -C "$root" archive --format=tar --prefix="aicjit-$version/" HEAD | gzip -n >"$folder/aicjit_$version.orig.tar.gz"
tar -C "$folder" -xzf "$folder/aicjit_$version.orig.tar.gz"
check "dpkg-buildpackage" env -C "$source" dpkg-buildpackage -us -uc -j"$(nproc)"
if [ "$failed" -gt 0 ]; then
    echo "$passed passed, $failed failed"
    exit 1
fi
check "six packages" test "$(find "$folder" -maxdepth 1 -name '*.deb' ! -name '*-dbgsym*' | wc -l)" -eq 6
# Addresses of people are for those who release it to fill in.
no_lintian_errors() { lintian --fail-on error --suppress-tags bogus-mail-host,bogus-mail-host-in-debian-changelog "$folder"/*.changes; }
if command -v lintian >/dev/null; then
    check "lintian" no_lintian_errors
    cat "$folder/output"
else
    echo "lintian: not run, it is not installed"
fi

for package in "$folder"/*.deb; do dpkg -x "$package" "$folder/root"; done
usr="$folder/root/usr"
lib=$(dirname "$(find "$usr/lib" -name libaicjit.so.0.2 -print -quit)")
spec='conv2d(dtype=int8, fm_shape=[1,4,4,32], kernel_shape=[1,2,2,32,32])'
tool() { LD_LIBRARY_PATH="$lib" "$usr/bin/aicjit" check "$spec"; }
program() {
    # The flags as they are installed, with the folder that stands for the root in front.
    cc -std=c11 -o "$folder/consumer" "$root/tests/install/consumer.c" -I "$usr/include" -L "$lib" -laicjit
    LD_LIBRARY_PATH="$lib" "$folder/consumer"
}
python() {
    LD_LIBRARY_PATH="$lib" PYTHONPATH="$usr/lib/python3/dist-packages" /usr/bin/python3 -c "
import aicjit, aicjit._kernel, sys
assert aicjit.__file__.startswith(sys.argv[1]) and aicjit._kernel._fast.exists
assert aicjit.bench(aicjit.compile(sys.argv[2]), min_time=0).macs == 36864" "$usr" "$spec"
}
check "the tool" tool
check "a program" program
if /usr/bin/python3 -c 'import numpy' 2>/dev/null; then check "Python" python; else echo "Python: not run, NumPy is not installed"; fi
manual() { zgrep -q '^\.SH EXAMPLES' "$usr/share/man/man1/aicjit.1.gz" && test -f "$usr/share/zsh/vendor-completions/_aicjit"; }
check "the manual and completions" manual
check "documentation" test -f "$usr/share/doc/aicjit-doc/interface.md" -o -f "$usr/share/doc/aicjit-doc/interface.md.gz" -o -d "$usr/share/doc/aicjit"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
