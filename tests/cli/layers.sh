#!/usr/bin/env bash
# The benchmark program `layers`: it measures one tiny shape of every kind, with results that agree with the reference and
# with the peer that it was built with; JSON and SVG are well-formed. No time is asserted.
# shellcheck disable=SC1091,SC2154 # common.bash defines aicjit and work
script=$(realpath "${BASH_SOURCE[0]}")
. "$(dirname "$script")/common.bash"

layers=$(dirname "$aicjit")/bench/layers
if [ ! -x "$layers" ]; then
    echo "no benchmarks in this build"
    finish
    exit
fi

# json FILE EXPRESSION: EXPRESSION is true of the object `o`.
json() { python3 -c 'import json, sys; o = json.load(open(sys.argv[1])); sys.exit(not eval(sys.argv[2]))' "$@"; }

expect 'one shape of every kind' 0 '^  1x1 32-32 @1 +[0-9]' \
    "$layers" --set tiny --layer '32-32 @1' --time 0.001 --json layers.json --svg layers.svg
# Without dot products of bytes oneDNN's sums of pairs saturate at 16 bits: such results are not compared.
peers_of='True'
about_host | grep -Eq '^used by default +.*(vnni|fp16|amx|dotprod|i8mm)' || peers_of='l["kind"] not in ("int8", "fused")'
ok 'no result differs' json layers.json "$(grep -c DIFFERENT .out) == sum(not p['same'] for l in o['layers'] for p in l['peers'])"
ok 'limits' grep -Eq '^limits of one thread: fp32 FMA [0-9.]+, fp64 FMA [0-9.]+.* GMAC/s; copying, read and written: L1 ' .out
ok 'goals are lines' grep -Eq '^target aic_jit_conv2d, int8.*: at most 150 ns, measured [0-9.]+: (met|missed)$' .out
ok 'what was not measured is not judged' grep -Eq '^target .*ResNet-50.* measured nothing: not judged$' .out
ok 'a row a kind' json layers.json '[l["kind"] for l in o["layers"]] == ["int8", "fused", "fast", "cube"]'
ok 'what a row says' json layers.json 'all(l["macs"] == 1024 and l["ns"] > 0 and 0 < l["limit_share"] < 1.5 for l in o["layers"])'
ok 'peers agree' json layers.json "all(p['same'] for l in o['layers'] if $peers_of for p in l['peers'])"
ok 'a peer is measured where there is one' json layers.json '("peer" in o) == (len(o["layers"][0]["peers"]) == 1)'
ok 'limits and memories' json layers.json 'len(o["limits"]) >= 2 and len(o["memories"]) == 4'
ok 'verdicts' json layers.json '{g["verdict"] for g in o["goals"]} <= {"met", "missed", "not judged"} and len(o["goals"]) > 3'
ok 'the picture is XML' python3 -c 'import sys, xml.dom.minidom as m; sys.exit(m.parse("layers.svg").documentElement.tagName != "svg")'
ok 'with a point a row' test "$(grep -c '<title>.*1x1 32-32 @1,' layers.svg)" -eq 4

expect 'every layer of every set is an operator that the library takes' 0 '^target ' "$layers" --layer 'there is none of this name'
expect 'two threads' 0 '^target two threads against one' "$layers" --threads 2 --kind int8 --set deep --layer 1024-1024 --time 0.001
expect 'a chain whose last block is half' 0 '1x1 64-48 @13' "$layers" --kind fused --layer 64-48 --time 0.001
expect 'a lower level' 0 'limit: int16 pairs|limit: fp32 FMA' "$layers" --isa "$(about_host | sed -n 's/^instruction set levels: generic \([a-z0-9]*\).*/\1/p')" \
    --kind int8 --set tiny --layer '32-32 @1' --time 0.001
if grep -q 'limit: int16 pairs' .out; then
    ok 'and its own goal' grep -q "^target int8 to int32, ResNet-50, of the level's own limit" .out
fi

# ---- batches ----

batch() { # NAME ARGUMENT...
    local name=$1
    shift
    expect "$name" 0 ', [0-9]+ images a call' "$layers" --kind "$@" --time 0.001 --json batch.json
    ok "$name: no result differs" json batch.json "all(p['same'] for l in o['layers'] if $peers_of for p in l['peers'])"
}
batch 'a batch' int8 --batch 3 --set hard --layer 33-17
ok 'products of all images' json batch.json 'o["batch"] == 3 and o["layers"][0]["macs"] == 3 * 31 * 31 * 64 * 32 * 9'
ok 'weights are there once' json batch.json 'o["layers"][0]["bytes"] == 3 * 31 * 31 * (64 + 32 * 4) + 9 * 64 * 32'
batch 'a batch by two threads' fused --batch 5 --threads 2 --set hard --layer 33-17
batch 'of single calls elsewhere' fast --batch 2 --set tiny --layer '32-32 @1'

# ---- a file ----

cat >shapes.txt <<'EOS'
# an int8 layer, one of three channels, a depthwise chain
conv2d(dtype=int8, fm_shape=[2,5,6,32], kernel_shape=[2,3,3,48,32], pad=[1,1,1,1])

 conv2d(dtype=float16, fm_shape=[1,9,9,4], kernel_shape=[1,3,3,32,4], stride=[2,2], accumulate=fast)
conv2d(dtype=int8, fm_shape=[2,7,7,32], kernel_shape=[1,3,3,64,1], pad=[1,1,1,1], groups=64) | fixpipe(src=int32, dst=int8, format=NZ, quantPre=VREQ8, reluEn=true)
EOS
expect 'a file' 0 "^the file's$" "$layers" --file shapes.txt --time 0.001 --json file.json --svg file.svg
ok 'its layers, kinds and lines' json file.json '[(l["line"], l["kind"], l["layer"]) for l in o["layers"]] == [
    (2, "int8", "3x3 64-48 @5x6"), (5, "fused", "3x3 64 @7"), (4, "fast", "3x3/2 3-32 @9")]'
ok 'and a picture' test "$(grep -c '<title>' file.svg)" -eq 3
expect 'one kind of a file' 0 "^the file's$" "$layers" --file shapes.txt --kind fused --time 0.001 --json file.json
ok 'is one layer' json file.json '[l["line"] for l in o["layers"]] == [5]'
cat >bad.txt <<'EOS'
conv2d(dtype=int8, fm_shape=[2,5,6,32], kernel_shape=[2,3,3,48,32], pad=[1,0,1,1])
mmad(dtype=int8, m=3, n=16, k=32)
conv2d(dtype=int8, fm_shape=[2,5,6,32], kernel_shape=[2,3,3,48,32])
conv2d(dtype=int8)
EOS
"$layers" --file bad.txt >.out 2>.err
ok 'wrong lines end it' test $? -eq 2
ok 'each is named' test "$(grep -Eo '^layers: bad.txt:[0-9]+: (not measured here|conv2d: fm_shape)' .err | tr '\n' ' ')" = \
    'layers: bad.txt:1: not measured here layers: bad.txt:2: not measured here layers: bad.txt:4: conv2d: fm_shape '
ok 'before anything is measured' test ! -s .out

wrong() { # NAME ARGUMENT...
    local name=$1 got
    shift
    "$layers" "$@" >.out 2>.err
    got=$?
    verdict "$name" "$((got != 2))" "exit status $got"
    ok "$name: one line" test "$(wc -l <.err)" -eq 1
}
wrong 'an option that there is not' --speed 3
wrong 'no value' --json
wrong 'a kind that there is not' --kind int9
wrong 'a set that there is not' --set resnet
wrong 'the set of a file without one' --set file
wrong 'a set and a file' --set tiny --file shapes.txt
wrong 'a file without operators' --file /dev/null
wrong 'a file that is not there' --file gone.txt
wrong 'a kind that no line of a file is' --file shapes.txt --kind cube
wrong 'no image' --batch 0
wrong 'a level that there is not' --isa sse9
wrong 'a number that is none' --time soon
wrong 'a file that cannot be written' --json /nowhere/layers.json --set tiny

# ---- peers that are fetched ----

peers=$(dirname "$script")/../bench/peers
ok 'the script of the frameworks is Python' python3 -c 'import sys; compile(open(sys.argv[1]).read(), "frameworks", "exec")' "$peers/frameworks.py"

# An interpreter in the place of the virtual environment's: pip copies what lies in the folder `index`.
mkdir -p index fetched/venv/bin
touch fetched/venv/bin/pip
chmod +x fetched/venv/bin/pip # else a virtual environment is made first
cat >fetched/venv/bin/python <<'PYTHON'
#!/usr/bin/env bash
case "$1 $2" in
"-m pip")
    for package in "$@"; do :; done
    while [ "$1" != -d ] && [ $# -gt 1 ]; do shift; done
    cp "index/${package%%==*}.whl" "${2:-.}" 2>/dev/null || { echo "ERROR: no $package" && exit 1; } ;;
"-m zipfile") exec python3 "$@" ;;
*) exit 1 ;;
esac
PYTHON
chmod +x fetched/venv/bin/python
fetch() { bash "$peers/fetch.sh" fetched; }
if [ "$(uname -m)" = x86_64 ]; then
    expect 'an index that has nothing' 1 '^peers: oneDNN cannot be had: ERROR: no paddlepaddle==[0-9.]+$' fetch
    ok 'frameworks neither' grep -q '^peers: ncnn cannot be had: ERROR: no ncnn$' .err
    ok 'leaves nothing half done' test ! -e fetched/onednn
    mkdir -p library/paddle/libs headers/data/include/oneapi/dnnl
    echo library >library/paddle/libs/libdnnl.so.3
    echo headers | tee headers/data/include/dnnl.h >headers/data/include/oneapi/dnnl/dnnl.h
    (cd library && python3 -m zipfile -c ../index/paddlepaddle.whl paddle)
    expect 'an index without the headers' 1 '^peers: oneDNN cannot be had: ERROR: no onednn-devel==' fetch
    ok 'leaves nothing half done either' test ! -e fetched/onednn
    (cd headers && python3 -m zipfile -c ../index/onednn-devel.whl data)
    expect 'an index that has both' 1 '^peers: onnxruntime cannot be had' fetch
    ok 'the library is there' grep -q library fetched/onednn/lib/libdnnl.so.3
    ok 'its headers, too' grep -q headers fetched/onednn/include/oneapi/dnnl/dnnl.h
    ok 'and nothing else' test "$(find fetched -mindepth 1 -maxdepth 1 | sort | xargs)" = 'fetched/onednn fetched/venv'
fi
finish
