#!/usr/bin/env bash
# tests/coverage/coverage.py: lines and branches of a small program whose coverage is known.
# shellcheck disable=SC1091,SC2154 # common.bash defines work
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
. "$here/common.bash"

if ! command -v gcov >/dev/null || ! command -v gcc >/dev/null; then
    echo 'not run: no gcc and gcov'
    finish
    exit
fi
mkdir -p part other build
cat >part/sign.h <<'END'
static inline int sign(int x)
{
    if (x > 0)
        return 1;
    return -1;
}
END
printf '%s\n' '#include "part/sign.h"' 'int twice(int x)' '{' '    return 2 * sign(x);' '}' >part/twice.c
printf '%s\n' '#include "part/sign.h"' 'int never(int x)' '{' '    return sign(x);' '}' >part/never.c
printf '%s\n' '#include "part/sign.h"' 'int twice(int x);' 'int main(int argc, char **argv)' '{' '    (void)argv;' \
    '    if (twice(argc) + sign(-argc) != 1) return 1;' '    return 0;' '}' >other/main.c
for name in part/twice part/never other/main; do gcc --coverage -O0 -I . -c "$name.c" -o "build/${name##*/}.o" || exit 2; done
gcc --coverage build/*.o -o program && ./program
report() { python3 "$here/../coverage/coverage.py" build --root . "$@"; }
report part --uncovered uncovered.txt >report.txt
is() { ok "$1" grep -Eq "$2" report.txt; }
is 'a header counts once, run by either object' '^part/sign\.h  .* lines  100\.0 % of      4   branches  100\.0 % of      2$'
is 'a file that was run' '^part/twice\.c  .* lines  100\.0 % of      2   branches  100\.0 % of      0$'
is 'an object of which nothing was run' '^part/never\.c  .* lines    0\.0 % of      2 '
is 'the folder' '^part  .* lines   75\.0 % of      8   branches  100\.0 % of      2$'
is 'the sum' '^all  .* lines   75\.0 % of      8   branches  100\.0 % of      2$'
ok 'no other folder' test "$(grep -c other report.txt)" -eq 0
ok 'what was not run' grep -Fxq 'part/never.c:4: never run: return sign(x);' uncovered.txt
report other >report.txt
is 'half of the branches' '^other/main\.c  .* branches   50\.0 % of      2$'
report other --uncovered uncovered.txt >/dev/null
ok 'which half' grep -q '^other/main\.c:6: run 1 times, one way: twice(argc) + sign(-argc) != 1  in: if (twice' uncovered.txt
printf '%s\n' '# why' 'Nobody calls it:' '    ^part/never\.c:' 'Nothing:' '    nowhere' >reasons.txt
report part --uncovered left.txt --reasons reasons.txt >report.txt
is 'what a reason explains' '^ +[1-9] lines not run or conditions of one way: Nobody calls it$'
is 'what explains nothing' '^explains nothing: nowhere$'
ok 'and is not listed' test "$(grep -c 'never\.c' left.txt)" -eq 0
judge() { # judge WHAT STATUS MESSAGE: of reasons.txt, for a run that was complete
    report part --uncovered left.txt --reasons reasons.txt --complete >report.txt 2>err.txt
    verdict "$1: exit status" "$(($? != $2))" "$(cat err.txt)"
    ok "$1: message" test "$(cat err.txt)" = "$3"
}
ok 'a run of a part' report part --uncovered left.txt --reasons reasons.txt
judge 'an expression that explains nothing' 1 \
    '0 lines not run or conditions of one way have no reason (left.txt), 1 expressions of reasons explain nothing'
printf '%s\n' 'Nobody calls it:' '    ^part/never\.c:\d+: never run: return' >reasons.txt
judge 'no reason' 1 \
    '1 lines not run or conditions of one way have no reason (left.txt), 0 expressions of reasons explain nothing'
printf '%s\n' 'Nobody calls it:' '    ^part/never\.c:' >reasons.txt
judge 'all explained' 0 ''
printf '%s\n' 'Two that meet (by chance):' '    nowhere' >>reasons.txt
judge 'an expression that had nothing to explain this time' 0 ''
mkdir empty
ok 'a build without coverage' test "$(python3 "$here/../coverage/coverage.py" empty 2>&1)" = 'empty: no object was compiled with --coverage'
finish
