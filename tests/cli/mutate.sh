#!/usr/bin/env bash
# tests/mutate/draw.py: random mistakes in a generator of one function, whose one suite comes to some of its lines.
# shellcheck disable=SC1091,SC2154 # common.bash defines work
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
. "$here/common.bash"
draw="$here/../mutate/draw.py"

if ! command -v ninja >/dev/null || ! command -v gcc >/dev/null; then
    echo 'not run: no gcc and ninja'
    finish
    exit
fi
mkdir -p codegen build
cat >codegen/sum.c <<'END'
int sum(int a, int b);
int sum(int a, int b)
{
    if (a < 0) {
        return ~b;
    }
    int unused = 7 > 6;
    return (unused | 1) == 1 ? a + b : 0;
}
END
cat >main.c <<'END'
#include <stdio.h>
int sum(int a, int b);
int main(int argc, char **argv)
{
    (void)argc;
    if (argv[1][0] == '-')
        return puts("one x\ntwo x\nthree x\nsum x") < 0;
    return sum(1, 2) != 3 && puts("FAILED sum") > 0;
}
END
cat >build/build.ninja <<'END'
rule compile
  command = gcc -O1 -Wall -Werror -c $in -o $out
rule link
  command = gcc $in -o $out
build CMakeFiles/some.dir/codegen/sum.c.o: compile ../codegen/sum.c
build aicjit-tests: link ../main.c CMakeFiles/some.dir/codegen/sum.c.o
build aicjit_tool: phony aicjit-tests
build aicjit-cross: phony aicjit-tests
END
ninja -C build aicjit-tests >/dev/null || exit 2
cp codegen/sum.c before.c
reach() { # LINE...: to which the suite comes
    python3 - "$draw" "$@" >reach.json <<'END'
import json, pathlib, sys
sys.path.insert(0, str(pathlib.Path(sys.argv[1]).parent))
import draw
code = [f"codegen/sum.c:{n}" for n in range(2, 10)]
lines = [code.index(f"codegen/sum.c:{n}") for n in sys.argv[2:]]
tests = {"sum": {"seconds": 1, "lines": lines, "status": 0}}
print(json.dumps({"sources": draw.digest(pathlib.Path(".")), "code": code, "tests": tests}))
END
}
drawn() { python3 "$draw" . 100 "$@" 2>&1 | tee drawn.txt; }
is() { ok "$1" grep -Eq "$2" drawn.txt; }

drawn --list >/dev/null
ok 'it draws' test "$(grep -c ': drawn$' drawn.txt)" -gt 15
cp drawn.txt first.txt
drawn --list >/dev/null
ok 'a seed draws the same' cmp drawn.txt first.txt
drawn --list --seed 2 >/dev/null
ok 'another one draws others' test "$(cmp drawn.txt first.txt)"
reach 4 7 8
drawn --reach reach.json >/dev/null
is 'a wrong sum is caught' 'sum\.c:8: .*: arithmetic: \+ -> -: caught by sum$'
is 'the compiler makes the same' 'sum\.c:7: .*: compare: > -> >=: no change$'
is 'the suite does not see it' 'sum\.c:4: .*: compare: < -> <=: SURVIVED 1 tests$|sum\.c:4: .*: constant: 0 -> 1: SURVIVED 1 tests$'
is 'the sum of verdicts' '^[0-9]+ passed, [1-9][0-9]* failed$'
ok 'sources are as they were' cmp codegen/sum.c before.c
reach 4
drawn --reach reach.json >/dev/null
is 'no test comes there' 'sum\.c:8: .*: arithmetic: \+ -> -: never run$'
echo '/* */' >>codegen/sum.c
ok 'what was learnt of other sources' test "$(drawn --reach reach.json)" = 'reach.json is of other sources'
cp before.c codegen/sum.c

# Which lines the suite comes to is found out by a build of clang's.
clang=$(command -v clang-19 || command -v clang) || clang=""
if [ -z "$clang" ] || [ -z "$(compgen -c llvm-dwarfdump)" ]; then
    echo 'not run: no clang and llvm-dwarfdump'
else
    python3 - "$draw" "$clang" >lines.txt <<'END'
import os, pathlib, subprocess, sys
sys.path.insert(0, str(pathlib.Path(sys.argv[1]).parent))
import reach
root, clang = pathlib.Path.cwd(), sys.argv[2]
compiles, links = reach.flags(root)
subprocess.run([clang, "-c", reach.HERE / "reach.c", "-o", links], check=True)
subprocess.run([clang, *compiles.split(), "-gline-tables-only", "main.c", "codegen/sum.c", links, "-o", "build/sum"], check=True)
status, _, lines = reach.Reach(root, root / "build").run([root / "build/sum", "sum"], os.environ)
print(status, *sorted(int(line.rpartition(":")[2]) for line in lines))
END
    ok 'it learns which lines were run' grep -Eq '^0 .*\b4 7 8' lines.txt
    ok 'and no others' test -z "$(grep -w 5 lines.txt)"
fi

# ---- the list of mistakes ----

# A suite without tests of what is counted ends as aicjit-tests does where no test is of the case that is asked for.
mkdir -p tree/build
printf '%s\n' 'int sum = 1;' 'int other = 1;' >tree/sum.c
printf '%s\n' 'build aicjit: phony' 'build aicjit-tests: phony' >tree/build/build.ninja
cat >tree/build/aicjit-tests <<'END'
#!/bin/sh
if [ "$CK_RUN_CASE" = counted ] && [ "$1" = without ]; then
    echo 'no test is of the suite and case that CK_RUN_SUITE and CK_RUN_CASE name'
    exit 1
fi
[ "$CK_RUN_CASE" = counted ] || ! grep -q 'sum = 2' tree/sum.c || exit 1
[ "$CK_RUN_CASE" != counted ] || ! grep -q 'other = 2' tree/sum.c
END
chmod +x tree/build/aicjit-tests
printf '%s\n' '1 sum.c without' '= seen' '- int sum = 1;' '+ int sum = 2;' '2 sum.c without' '= unseen' '- int other = 1;' \
    '+ int other = 2;' '3 sum.c with' '= counted' '- int other = 1;' '+ int other = 2;' >list.txt
listed() { MUTATIONS=list.txt bash "$here/../mutate/run.sh" tree "$@"; }
expect 'a suite sees it' 0 '^1: seen: caught$' listed 1
expect 'no test sees it' 1 '^2: unseen: SURVIVED$' listed 2
expect 'what is counted tells' 0 '^3: counted: caught$' listed 3

# What fails without the mistake, too, what cannot be run, and what a signal from outside ends, has caught nothing.
cat >tree/build/aicjit-tests <<'END'
#!/bin/sh
grep -q 'sum = 2' tree/sum.c || [ "$1" = wrong ] && exit 1
grep -q 'sum = 3' tree/sum.c && kill -"$1" $$
grep -q 'sum = 4' tree/sum.c && exec ./none
[ "$CK_RUN_CASE" != counted ] || echo 'no test is of the suite and case that CK_RUN_SUITE and CK_RUN_CASE name'
END
mistake() { printf '%s\n' "$1 sum.c $3" "= mistake $1" '- int sum = 1;' "+ int sum = $2;"; }
{ mistake 1 2 wrong && mistake 2 2 right && mistake 3 3 TERM && mistake 4 3 KILL && mistake 5 3 SEGV && mistake 6 3 ABRT &&
    mistake 7 4 right && mistake 8 2 script:none && mistake 9 2 corpus:none; } >list.txt
listed "" >verdicts.txt
said() { ok "$1" grep -Eq "^$2: mistake $2: $3\$" verdicts.txt; }
said 'a test that fails anyway' 1 'not tried: wrong fails without a mistake'
said 'a test that fails' 2 caught
said 'a process that is told to end' 3 'TERM was ended by signal 15'
said 'a process that is killed' 4 'KILL was ended by signal 9'
said 'a process that ends badly' 5 caught
said 'a process that gives up' 6 caught
said 'a program that is gone' 7 'right cannot be run'
said 'a script that is not there' 8 'not tried: script:none fails without a mistake'
said 'operators that are not there' 9 'not tried: corpus:none fails without a mistake'
ok 'the sum' grep -q '^3 passed, 6 failed$' verdicts.txt
finish
