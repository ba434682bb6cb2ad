#!/usr/bin/env bash
# aicjit network: a folder that the test makes, run, explained, measured; results against the operators one by one; wrong
# requests.
# shellcheck disable=SC1091,SC2154 # common.bash defines aicjit and work
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"

conv='conv2d(dtype=int8, fm_shape=[1,6,6,32], kernel_shape=[1,3,3,32,32], pad=[1,1,1,1])'
layer="$conv | fixpipe(src=int32, dst=int8, format=NZ, quantPre=REQ8, deqScalar=quant(0.01, 0, int8))"
mkdir net
cat >net/network.txt <<END
# aicjit network, version 1
input x int8 [1,6,6,32]
constant w w.npy
buffer a int8 [1,6,6,32]
buffer y int8 [1,6,6,32]
kernel $layer : dst=a feature_map=x weight=w
kernel $layer : dst=y feature_map=a weight=w
output y
END
# The files, and what the network should give.
"$aicjit" run "$layer" --fill feature_map=random:1 --fill weight=random:2 --out feature_map=x.npy --out weight=net/w.npy --out dst=a.npy >/dev/null
"$aicjit" run "$layer" --in feature_map=a.npy --in weight=net/w.npy --out dst=y.npy >/dev/null

expect 'run' 0 '' "$aicjit" network run net --in x=x.npy --out y=got.npy
expect 'the bytes are those of the operators' 0 'are equal|differ 0|0 differ|equal' "$aicjit" compare got.npy y.npy
expect 'expected' 0 'y: 1152 of 1152 elements compared with "y.npy", 0 differ' "$aicjit" network run net --in x=x.npy --expect y=y.npy
expect 'by the reference' 0 '0 differ' "$aicjit" network run net --in x=x.npy --reference --expect y=y.npy
expect 'at the lowest level' 0 '0 differ' "$aicjit" network run net --in x=x.npy --isa generic --threads 1 --expect y=y.npy
expect 'another input' 1 'y: 1152 of 1152 elements compared' "$aicjit" network run net --fill x=random:7 --expect y=y.npy
expect 'the result is shown' 0 'int8' "$aicjit" network run net --in x=x.npy
expect 'explain' 0 'line 7, y: 331776 MACs, .* a constant is packed' "$aicjit" network explain net
expect 'explain: memory' 0 'memory: 1152 bytes for buffers, which would have 1152 without' "$aicjit" network explain net
expect 'explain: sums' 0 '2 kernels, level [a-z0-9+]*, 663552 MACs' "$aicjit" network explain net
expect 'bench' 0 'median [0-9.]+ us' "$aicjit" network bench net --min-time 0.02
expect 'bench: JSON' 0 '"kernels":\[\{"line":6,"output":"a","spec":"conv2d' "$aicjit" network bench net --min-time 0.02 --json
if command -v python3 >/dev/null; then
    ok 'bench: it is JSON' python3 -c 'import json, sys; assert len(json.load(open(sys.argv[1]))["kernels"]) == 2' .out
fi
expect 'compile' 0 '2 kernels: 1 made, 0 loaded' "$aicjit" network compile net
AIC_CACHE=rw AIC_CACHE_DIR=$work/kept "$aicjit" network compile net >/dev/null
expect 'what compile made is on disk' 0 '2 kernels: 0 made, 1 loaded' env AIC_CACHE=ro AIC_CACHE_DIR="$work/kept" "$aicjit" network compile net

# ---- wrong requests ----

cp y.npy old.npy
expect 'nothing to do' 2 'say what to do and with which folder' "$aicjit" network
expect 'no folder' 2 'say what to do and with which folder' "$aicjit" network run
expect 'two folders' 2 '"net" is one too many' "$aicjit" network run net net
expect 'unknown action' 2 '"walk" is none of run' "$aicjit" network walk net
expect 'not there' 2 '"none": No such file' "$aicjit" network run none
expect 'a file' 2 '"x.npy": Not a directory' "$aicjit" network run x.npy
expect 'an ONNX file' 2 'the Python package reads ONNX files' "$aicjit" network compile model.onnx
expect 'missing input' 2 'input x is missing' "$aicjit" network run net
expect 'unknown name' 2 '"z"' "$aicjit" network run net --in x=x.npy --out z=z.npy
expect 'input of another size' 2 'x: "net/w.npy": shape is' "$aicjit" network run net --in x=net/w.npy --out y=old.npy
expect 'the old result stays' 0 '' cmp y.npy old.npy
expect 'an output that cannot be' 2 'none/y.npy' "$aicjit" network run net --in x=x.npy --out y=none/y.npy
expect 'a level that is none' 2 'sse9' "$aicjit" network run net --in x=x.npy --isa sse9
for wrong in 'explain --in x=x.npy' 'bench --out y=y2.npy' 'explain --json' 'run --json' 'compile --reference' 'run --min-time 1'; do
    # shellcheck disable=SC2086 # words
    set -- $wrong
    expect "$wrong" 2 "$2: has no effect on $1" "$aicjit" network "$1" net "${@:2}"
done
sed 's/^kernel/colonel/' net/network.txt >bad.txt
mkdir bad
mv bad.txt bad/network.txt
cp net/w.npy bad
expect 'a damaged text' 2 '"bad/network.txt", line 6: "colonel" is none of' "$aicjit" network explain bad
rm bad/w.npy
mkfifo bad/w.npy
expect 'a pipe' 2 'line 3: w.npy: it is no file' "$aicjit" network explain bad
rm bad/w.npy
ln -s ../net/w.npy bad/w.npy
expect 'a link' 2 'line 3: w.npy: it is a link' "$aicjit" network explain bad
finish
