#!/usr/bin/env bash
# aicjit-demo: pictures, IR, the printed example, and wrong input.
# shellcheck disable=SC1091,SC2154 # common.bash defines aicjit and work
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
. "$here/common.bash"
demo=$(dirname "$aicjit")/aicjit-demo
photograph=$here/../../tools/demo/chelsea.png

# The demo's messages begin with its own name.
demo_fails() { # NAME STATUS PATTERN ARGUMENT...
    local name=$1 status=$2 pattern=$3
    shift 3
    "$demo" "$@" >out.txt 2>err.txt
    ok "$name: exit status" test $? -eq "$status"
    ok "$name: message" grep -Eq "^aicjit-demo: .*$pattern" err.txt
}

expect 'demo' 0 '^vendor example: 64 of 64 values bit for bit$' "$demo" "$photograph" out
for type in int8 float16 float16-fast; do
    ok "$type: a picture a filter" test "$(find out/$type -name '*.png' | wc -l)" -eq 16
done
# The sheet: PNG, and with its size (bytes 16 to 23): six pictures of 225 pixels and gaps wide, four high.
ok 'the sheet is there' test "$(od -An -tx1 -N4 out/sheet.png | tr -d ' ')" = 89504e47
ok 'and has its size' test "$(od -An -tu4 --endian=big -j16 -N8 out/sheet.png | xargs)" = '1392 706'
ok 'the sheet is named' grep -q '^all of them, with their times: out/sheet.png$' "$work/.out"
ok 'int8 and float16 agree within half a grey level' grep -Eq '^float16 differs from int8 by at most 0\.[0-4]' "$work/.out"
sed -n 's/^  IR  *//p' "$work/.out" >ir.txt
ok 'three kernels' test "$(wc -l <ir.txt)" -eq 3
while read -r ir; do
    ok "IR $ir" grep -q '^define ' "$ir"
done <ir.txt
expect 'lowest level' 0 '^vendor example: 64 of 64 values bit for bit$' "$demo" "$photograph" generic --isa generic
for type in int8 float16; do
    ok "$type: the lowest level paints the same" diff -r out/$type generic/$type
done

demo_fails 'no arguments' 2 'usage'
demo_fails 'no such picture' 2 'none.png' none.png out
head -c 5000 "$photograph" >cut.png
demo_fails 'cut picture' 2 'cut.png' cut.png out
demo_fails 'no picture' 2 'PNG' "$here/demo.sh" out
demo_fails 'output is a file' 2 'cut.png' "$photograph" cut.png
demo_fails 'output below nothing' 2 'cannot be made' "$photograph" none/none
demo_fails 'unknown level' 2 'sse9' "$photograph" out --isa sse9
finish
