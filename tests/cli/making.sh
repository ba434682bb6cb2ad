#!/usr/bin/env bash
# The benchmark program `make_kernels`: shapes of its own and of a file in every state, what it says of them, JSON, and
# bad input. No time is asserted.
# shellcheck disable=SC1091,SC2154 # common.bash defines aicjit and work
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"

program=$(dirname "$aicjit")/bench/make_kernels
if [ ! -x "$program" ]; then
    echo "no benchmarks in this build"
    finish
    exit
fi
export TMPDIR=$work/folders
mkdir "$TMPDIR"

# json EXPRESSION: it is true of the object `o`; s[NAME] is the first set's state of this name.
json() {
    python3 -c 'import json, sys
o = json.load(open("made.json"))
s = {x["state"]: x for x in o["sets"][0]["states"]} if o["sets"] else {}
sys.exit(not eval(sys.argv[1]))' "$1"
}

# ---- a file ----

cat >shapes.txt <<'EOS'
# a product, the same again, a chain with words, and a move
mmad(dtype=int8, m=3, n=16, k=32, a_format=Zz, b_format=Zn, c_format=Nz)

  mmad(dtype=int8, m=3, n=16, k=32, a_format=Zz, b_format=Zn, c_format=Nz)
conv2d(dtype=int8, fm_shape=[1,2,3,32], kernel_shape=[1,1,1,32,32]) | fixpipe(src=int32, dst=int8, format=NZ, quantPre=VREQ8)
transdata(dtype=float16, src=NCHW, dst=NC1HWC0, shape=[1,17,2,3])
EOS
expect 'a file' 0 '^file: shapes.txt$' "$program" --file shapes.txt --rounds 1 --time 0.0001 --json made.json
for state in literal 'nothing ready' 'parts in memory' 'parts ready-made' 'parts on disk' 'kernel on disk'; do
    ok "$state: a line" grep -Eq "^  $state +3 +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-3] +[0-9]+ +[0-9]+ +[0-9]+$" .out
done
ok 'the same kernel is measured once' grep -q '^  the same kernel as one before: line 4, mmad(' .out
ok 'speed of three' test "$(grep -c '^  literal .* us, parts .* us, ratio [0-9.]*  ' .out)" -eq 3
ok 'targets are lines' grep -Eq '^target shapes that need no compilation .*, measured [0-9.]+: (met|missed)$' .out
ok 'what was not measured is not judged' grep -Eq "^target nothing ready, ResNet-50's int8: .*measured nothing: not judged$" .out
ok 'JSON: lines' json '[x.get("line") for x in o["sets"][0]["shapes"]] == [2, 4, 5, 6]'
ok 'JSON: names' json 'o["sets"][0]["shapes"][3]["name"] == "transdata(dtype=float16, src=NCHW, dst=NC1HWC0, shape=[1,17,2,3])"'
ok 'JSON: the same one' json '[x["same"] for x in o["sets"][0]["shapes"]] == [False, True, False, False]'
ok 'JSON: times' json 'all(len(x["ms"]) >= 6 and min(x["ms"].values()) > 0 for x in o["sets"][0]["shapes"] if not x["same"])'
ok 'JSON: speed' json 'all(x["ratio"] > 0 for x in o["sets"][0]["shapes"] if not x["same"])'
ok 'JSON: goals' json 'len(o["goals"]) == 7 and {g["verdict"] for g in o["goals"]} <= {"met", "missed", "not judged"}'
ok 'literal: all by LLVM, without parts' json 's["literal"]["llvm"] == 3 and s["literal"]["made"] == 0'
ok 'nothing ready: parts are made' json 's["nothing ready"]["made"] > 0 and s["nothing ready"]["loaded"] == 0'
ok 'in memory: none' json 's["parts in memory"]["made"] == 0 and s["parts in memory"]["loaded"] == 0 and s["parts in memory"]["ready"] > 0'
ok 'on disk: all are loaded' json 's["parts on disk"]["made"] == 0 and s["parts on disk"]["loaded"] > 0'
ok 'LLVM ran as often as something was missing' json 's["nothing ready"]["llvm"] == 3 and s["kernel on disk"]["llvm"] == 0'
ok 'what is its own needs LLVM with all parts' json 's["parts in memory"]["llvm"] == sum(x["own"] for x in o["sets"][0]["shapes"] if not x["same"])'
ok 'the peer is there or not measured' json '("peer" in o) == ("peer" in s)'
grep -q '"peer":' made.json || ok 'and the table says so' grep -Eq '^  peer +not measured$' .out
ok 'one thread by the processor' json 'o["clock"] == "processor" and o["threads"] == 1'
expect 'two threads' 0 'wall clock' "$program" --file shapes.txt --threads 2 --rounds 1 --time 0 --json made.json
ok 'two threads by the wall' json 'o["clock"] == "wall" and o["threads"] == 2 and s["nothing ready"]["made"] > 0'
ok 'no folder is left' rmdir "$TMPDIR"
mkdir "$TMPDIR"

# ---- shapes of its own ----

expect 'a layer of ResNet-50' 0 '^fused: ' "$program" --kind fused --layer '1x1/2 1024-2048 @14' --rounds 2 --time 0 --json made.json
ok 'without speed' json 'len(o["sets"]) == 1 and len(o["sets"][0]["shapes"]) == 1 and "ratio" not in o["sets"][0]["shapes"][0]'
expect 'another level' 0 '^making kernels at level generic,' "$program" --isa generic --kind moves --layer 'shape=[131,224]' --rounds 1 --time 0
ok 'no folder is left of them' rmdir "$TMPDIR"
mkdir "$TMPDIR"

# ---- what is wrong ----

wrong() { # NAME PATTERN LINES ARGUMENT...
    local name=$1 pattern=$2 lines=$3 got
    shift 3
    "$program" "$@" >.out 2>.err
    got=$?
    verdict "$name" "$((got != 2))" "exit status $got: $(head -c 300 .err)"
    ok "$name: lines" test "$(wc -l <.err)" -eq "$lines"
    ok "$name: what" grep -Eq "$pattern" .err
}
printf '%s\n' '# bad' 'mmad(dtype=int8, m=3, n=16, k=5000)' '' 'mmad(dtype=int8, m=3, n=16, k=32)' 'mnad(m=3)' >bad.txt
wrong 'lines that are wrong' '^make_kernels: bad.txt:2: .*k.*5000' 2 --file bad.txt
ok 'each is named' grep -Eq '^make_kernels: bad.txt:5: .*mnad' .err
: >none.txt
wrong 'an empty file' '^make_kernels: --file: no operator' 1 --file none.txt
printf 'mmad(dtype=int8, m=3, n=16, k=32)\0\n' >zero.txt
wrong 'a zero byte' '^make_kernels: zero.txt:1: a zero byte' 1 --file zero.txt
wrong 'a file that is not there' '^make_kernels: gone.txt: it cannot be read: No such file' 1 --file gone.txt
wrong 'a folder' '^make_kernels: \.: it cannot be read: Is a directory' 1 --file .
wrong 'an option that there is not' '^make_kernels: --speed: there is no such option' 1 --speed 3
wrong 'no value' '^make_kernels: --json: no value' 1 --json
wrong 'a kind that there is not' '^make_kernels: --kind: int9 does not fit$' 1 --kind int9
wrong 'a kind of a file' '^make_kernels: --kind: ' 1 --kind int8 --file shapes.txt
wrong 'a layer that there is not' '^make_kernels: --layer: 9x9 does not fit$' 1 --layer 9x9
wrong 'a level that there is not' '^make_kernels: --isa: sse9 ' 1 --isa sse9
wrong 'no thread' '^make_kernels: --threads: 0 ' 1 --threads 0
wrong 'no round' '^make_kernels: --rounds: 0 ' 1 --rounds 0
wrong 'a number that is none' '^make_kernels: --time: soon ' 1 --time soon
wrong 'JSON that cannot be written' '^make_kernels: --json: /nowhere/made.json ' 1 --json /nowhere/made.json --file shapes.txt
TMPDIR=/nowhere "$program" --file shapes.txt >.out 2>.err
got=$?
verdict 'no folder to work in' "$((got != 3))" "exit status $got"
ok 'says so' grep -q '^make_kernels: a folder cannot be made: No such file' .err
ok 'nothing is left behind' rmdir "$TMPDIR"
mkdir "$TMPDIR"

# ---- a signal ----

"$program" --kind cube --rounds 15 --time 0 >.out 2>.err &
process=$!
for _ in $(seq 100); do
    [ -n "$(ls "$TMPDIR")" ] && break
    sleep 0.1
done
kill "$process"
wait "$process"
got=$?
verdict 'a signal ends it' "$((got != 143))" "exit status $got"
ok 'and nothing is left' rmdir "$TMPDIR"
finish
