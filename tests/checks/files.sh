#!/usr/bin/env bash
# files.sh: how the library's sources open and write files and read the environment, line by line: what others could have
# prepared is opened by runtime/system/open_file.c only, a write cannot end the process, and set-user-id programs are not told
# what to do by their callers. And scripts are files that can be run, as README.md names them, and nothing that a build makes is
# committed.
set -euo pipefail
export LC_ALL=C

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$root"
passed=0
failed=0

# check NAME LINES: one test; the lines explain a failure.
check() {
    if [ -z "$2" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf 'FAILED: %s\n%s\n' "$1" "$2"
    fi
}

# calls NAME...: "FILE:LINE:TEXT" of the library's calls of these functions.
calls() {
    local names=$1
    shift
    for name in "$@"; do names+="|$name"; done
    grep -rnE "(^|[^a-zA-Z0-9_>.])($names)\(" --include='*.[ch]' frontend codegen runtime | grep -Ev ':[0-9]+: */?\*' || true
}

check 'the environment is read by aic_environment()' "$(calls getenv secure_getenv | grep -v '^runtime/system/environment\.h:' || true)"
# A new file of its own, a folder, a file without a name.
check 'files are opened by aic_open_file()' "$(calls open openat creat open64 |
    grep -v '^runtime/system/open_file\.c:' | grep -Ev 'O_EXCL|O_DIRECTORY|O_TMPFILE' || true)"
# What the kernel shows; processors.c makes such names of parts.
check 'streams are of /proc and /sys' "$(calls fopen freopen | grep -Ev 'fopen\("/(proc|sys)/|^runtime/threads/processors\.c:' || true)"
check 'whoever writes holds signals' "$(calls write writev pwrite ftruncate fallocate posix_fallocate fwrite |
    sed -n 's/^\(runtime[^:]*\):.*/\1/p' | sort -u | while read -r file; do
    grep -q '"runtime/system/hold_signals.h"' "$file" || echo "$file"
done)"

# A script of which only its interpreter knows, as no test starts it by its name, would not be one for who reads README.md.
check 'what begins with the name of an interpreter can be run' "$(grep -rlIm1 '' frontend codegen runtime tests tools debian .ci |
    while read -r file; do
        IFS= read -r -n 2 start <"$file" || true
        [ "$start" != '#!' ] || [ -x "$file" ] || echo "$file"
    done)"

# A build's folder may have any name, and .gitignore knows the usual ones only: what is committed lies in the folders that the
# repository has, and none of it is what CMake writes.
if [ -e .git ] && command -v git >/dev/null; then
    top='(frontend|codegen|runtime|tests|tools|cmake|debian|\.ci)/|CMakeLists\.txt$|CMakePresets\.json$|pyproject\.toml$'
    top+='|README\.md$|CHANGELOG\.md$|LICENSE$|\.gitignore$|\.clang-(format|tidy)$'
    committed=$(git ls-files)
    check 'what is committed lies where the repository has it' "$(grep -vE "^($top)" <<<"$committed" || true)"
    check 'nothing that CMake writes is committed' "$(grep -E '(^|/)(CMakeFiles/|CMakeCache\.txt$|\.ninja_)' <<<"$committed" || true)"
else
    echo 'not run: what is committed: this is no checkout of git'
fi

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
