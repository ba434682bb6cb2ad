#!/usr/bin/env bash
# tests/checks/dependencies.bash: what the checks know of sources and headers, however the compiler was told where they are.
# shellcheck disable=SC1091,SC2154 # common.bash defines work
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
. "$here/common.bash"

if ! command -v ninja >/dev/null || ! command -v gcc >/dev/null; then
    echo 'not run: no gcc and ninja'
    finish
    exit
fi
mkdir -p root/tests/checks root/part root/build/deep
cp "$here/../checks/dependencies.bash" root/tests/checks
echo '#include "part/own.h"' >root/part/one.c
cp root/part/one.c root/part/two.c
touch root/part/own.h
# As a compiler's cache leaves paths where CCACHE_BASEDIR is set, and as CMake gives them.
cat >root/build/build.ninja <<END
rule compile
  command = gcc \$flags -MD -MF \$out.d -c \$in -o \$out
  depfile = \$out.d
  deps = gcc
build one.o: compile ../part/one.c
  flags = -I.. -I./deep/../..
build two.o: compile $work/root/part/two.c
  flags = -I$work/root
END
ninja -C root/build >/dev/null || exit 2
pairs() { (cd "$1" && bash "$work/root/tests/checks/dependencies.bash" "$2") | grep own; }
printf '%s\t%s\n' part/one.c part/own.h part/two.c part/own.h >wanted.txt
pairs . root/build >found.txt
ok 'relative paths are those of files in the repository' cmp wanted.txt found.txt
pairs root/build . >found.txt
ok 'from any working directory' cmp wanted.txt found.txt
finish
