#!/usr/bin/env bash
# bare.sh FOLDER SUITE [build|demo]: the packages in FOLDER, installed by apt into a bare Debian of that suite (bookworm, trixie)
# that debootstrap makes in FOLDER/SUITE, and the tests of debian/tests there. Needs root, and a Debian whose apt knows an
# archive, which is used. What apt installs is what the packages say that they need, and what control says of each test.
# `build`: the packages are first built there, of the source package in FOLDER, with that suite's LLVM, into
# FOLDER/SUITE-packages. `demo`: no packages, but README's first command on what is committed, which must install all that it
# needs. The last line is "N passed, N failed".
set -euo pipefail
export LC_ALL=C DEBIAN_FRONTEND=noninteractive

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
folder=$(cd "$1" && pwd)
suite=$2
system=$folder/$suite
passed=0
failed=0

# site PATTERN: of the archives that apt has lists of, the first whose address matches.
# shellcheck disable=SC2016 # apt's own variable
site() { apt-get indextargets --format '$(SITE)' | awk -v wanted="$1" '$0 ~ wanted && !found++'; }
archive=$(site '/debian/?$')
security=$(site '/debian-security/?$')
if [ -z "$archive" ] || [ -z "$security" ]; then
    echo "bare.sh: apt knows no archive of Debian, or none of its security updates" >&2
    exit 2
fi

inside() { chroot "$system" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C DEBIAN_FRONTEND=noninteractive "$@"; }

if [ ! -x "$system/usr/bin/apt-get" ]; then
    debootstrap --variant=minbase "$suite" "$system" "$archive" >"$folder/debootstrap.log"
fi
printf 'deb %s %s main\n' "$archive" "$suite" "$archive" "$suite-updates" "$security" "$suite-security" \
    >"$system/etc/apt/sources.list"
trap 'umount "$system/proc"' EXIT
mount -t proc proc "$system/proc"
if [ "${3:-}" = demo ]; then
    rm -rf "$system/aicjit"
    mkdir "$system/aicjit"
    git -C "$root" archive HEAD | tar -x -C "$system/aicjit"
    if inside /aicjit/tools/dev demo >"$folder/bare.log" 2>&1 && [ -s "$system/aicjit/build/demo/sheet.png" ]; then
        echo "1 passed, 0 failed"
        exit
    fi
    tail -n 30 "$folder/bare.log"
    echo "0 passed, 1 failed"
    exit 1
fi
rm -rf "$system/packages" "$system/source" "$system/build"
mkdir -p "$system/packages" "$system/source/tests" "$system/build"
cp -r "$root/debian" "$system/source"
cp -r "$root/tests/install" "$system/source/tests"
inside apt-get update -qq

build_packages() {
    cp "$folder"/aicjit_*.dsc "$folder"/aicjit_*.tar.* "$system/build"
    inside apt-get install -y -qq --no-install-recommends build-essential
    inside sh -c 'cd /build && dpkg-source -x aicjit_*.dsc source && apt-get build-dep -y -qq --no-install-recommends ./source'
    inside sh -c 'cd /build/source && dpkg-buildpackage -us -uc -b'
    mkdir -p "$folder/$suite-packages"
    cp "$system"/build/*.deb "$folder/$suite-packages"
}
packages=$folder
if [ "${3:-}" = build ]; then
    packages=$folder/$suite-packages
    build_packages >"$folder/bare.log" 2>&1 || { tail -n 30 "$folder/bare.log" && echo "0 passed, 1 failed" && exit 1; }
    passed=1
fi
cp "$packages"/*.deb "$system/packages"

# packages NAME...: their files, and the names of those that are none of ours.
packages() {
    local name file
    for name in "$@"; do
        file=$(find "$system/packages" -name "${name}_*.deb" -printf '/packages/%f')
        echo "${file:-$name}"
    done
}
# run_test NAME PACKAGE...: installs them with ours that they need, and runs it.
run_test() {
    local needed
    mapfile -t needed < <(packages "${@:2}" libaicjit0.2 libaicjit-codegen0.2)
    if inside apt-get install -y -qq --no-install-recommends "${needed[@]}" >"$folder/bare.log" 2>&1 &&
        inside sh -c "cd /source && debian/tests/$1" >"$folder/bare.log" 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $1"
        tail -n 30 "$folder/bare.log"
    fi
}
while read -r name depends; do
    # shellcheck disable=SC2086 # names of packages
    run_test "$name" ${depends//,/}
done < <(awk '$1 == "Tests:" { name = $2 } $1 == "Depends:" { $1 = ""; print name $0 }' "$root/debian/tests/control")
# With the LLVM that libaicjit.a needs.
# shellcheck disable=SC2016 # dpkg's own variable
run_test program "$(inside dpkg-query -W -f '${Suggests}' libaicjit-dev)"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
