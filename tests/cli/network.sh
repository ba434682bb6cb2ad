#!/usr/bin/env bash
# aicjit network: a folder that the test makes, run, explained, measured; results against the operators one by one; wrong
# requests.
# shellcheck disable=SC1091,SC2154 # common.bash defines aicjit and work
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
. "$here/common.bash"

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
expect 'a result to look at' 0 '^  \[0,0,0,0\]( -?[0-9]+)+ \.\.\.$' "$aicjit" network run net --in x=x.npy
expect 'and where it differs' 1 '^  \[0,[0-5],[0-5],[0-9]+\] +-?[0-9]+ +expected -?[0-9]+' "$aicjit" network run net --fill x=random:7 --expect y=y.npy
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

# ---- one object file ----

# A second network: constants as they are, two outputs, a view, in place.
mkdir two
cat >two/network.txt <<END
# aicjit network, version 1
input x float32 [3,4]
input z float32 [12]
constant c c.npy
buffer y float32 [2,12]
view low y float32 [12] at 0
view high y float32 [12] at 48
buffer t float32 [12]
buffer sum float32 [12]
kernel tensor_arithmetic(op=BM_MUL, shape=[1,1,3,4]) : output=t input0=x input1=c
kernel tensor_arithmetic(op=BM_ADD, shape=[1,1,3,4]) : output=t input0=t input1=z
kernel tensor_arithmetic(op=BM_CPY, shape=[1,1,3,4]) : output=high input0=t
kernel tensor_arithmetic(op=BM_SUB, shape=[1,1,3,4]) : output=low input0=t input1=c
kernel tensor_arithmetic(op=BM_ADD, shape=[1,1,3,4]) : output=sum input0=high input1=low
output sum
output y
END
"$aicjit" run 'tensor_arithmetic(op=BM_ADD, shape=[1,1,3,4])' --fill input0=random:1 --fill input1=random:2 --out input0=two/c.npy --out input1=z.bin --out output=x2.bin >/dev/null
expect 'a network of two outputs' 0 '' "$aicjit" network run two --in x=x2.bin --in z=z.bin --out sum=sum.bin --out y=two.bin
expect 'it, by the reference' 0 '' "$aicjit" network run two --in x=x2.bin --in z=z.bin --reference --expect sum=sum.bin --expect y=two.bin
"$aicjit" network run net --in x=x.npy --out y=y.bin >/dev/null
tail -c 1152 x.npy >x.bin
cat x2.bin z.bin >in.bin
cat sum.bin two.bin >out.bin

# program COMPILER...: makes ./program of the object and network_program.c.
one=('-DIN_BYTES=NET_IN_X_BYTES' '-DOUT_BYTES=NET_OUT_Y_BYTES' '-DCALL(in,out,w)=net(in,out,w)')
both=('-DIN_BYTES=NET_IN_X_BYTES+NET_IN_Z_BYTES' '-DOUT_BYTES=NET_OUT_SUM_BYTES+NET_OUT_Y_BYTES'
    '-DCALL(in,out,w)=net(in,in+NET_IN_X_BYTES,out,out+NET_OUT_SUM_BYTES,w)')
# exported NAME COMPILER RUNNER OPTION...: both networks by these options give the bytes of `network run`.
exported() {
    local name=$1 compiler=$2 runner=$3
    shift 3
    expect "$name: export" 0 '' "$aicjit" network export net -o net.o --header net.h "$@"
    ok "$name: nothing is undefined" test -z "$(nm -u net.o)"
    ok "$name: weights are packed in it" test -z "$(nm net.o | grep weights)"
    ok "$name: one function is seen" test "$(nm -g --defined-only net.o | awk '{ print $3 }')" = net
    ok "$name: it links" "$compiler" -std=c11 -Wall -Werror -static -I . "${one[@]}" -o program "$here/network_program.c" net.o
    # shellcheck disable=SC2086 # words
    $runner ./program <x.bin >got.bin 2>/dev/null
    ok "$name: the same bytes" cmp got.bin y.bin
    expect "$name: export of two" 0 '' "$aicjit" network export two -o net.o --header net.h "$@"
    ok "$name: two link" "$compiler" -std=c11 -Wall -Werror -static -I . "${both[@]}" -o program "$here/network_program.c" net.o
    # shellcheck disable=SC2086 # words
    $runner ./program <in.bin >got.bin 2>/dev/null
    ok "$name: the same bytes of two" cmp got.bin out.bin
}
levels=""
for level in $(exportable_levels); do
    exported "level $level" cc '' --isa "$level"
    levels=$levels${levels:+,}$level
done
exported 'several levels' cc '' --isa "$levels"
ok 'one variable' test "$(nm net.o | grep -Ec ' [bBdD] ')" -eq 1
cp net.o again.o
"$aicjit" network export two -o net.o --header net.h --isa "$levels"
ok 'the same bytes again' cmp net.o again.o
ok 'the header in C' cc -std=c99 -pedantic -Wall -Wextra -Werror -fsyntax-only -x c net.h
ok 'the header in C++' c++ -Wall -Wextra -Werror -fsyntax-only -x c++ net.h
if command -v qemu-x86_64 >/dev/null && [ "$(uname -m)" = x86_64 ]; then
    exported 'a processor without AVX' cc 'qemu-x86_64 -cpu Nehalem' --isa sse2,avx2,avx512
    exported 'a processor without AVX-512' cc 'qemu-x86_64 -cpu Haswell' --isa sse2,avx2,avx512
else
    echo 'not run: other x86-64 processors: qemu-x86_64 is not installed'
fi
if command -v qemu-aarch64 >/dev/null && command -v aarch64-linux-gnu-gcc >/dev/null; then
    for level in generic neon dotprod i8mm generic,neon,dotprod,i8mm; do
        exported "AArch64, $level" aarch64-linux-gnu-gcc qemu-aarch64 --target aarch64-linux-gnu --isa $level
    done
else
    echo 'not run: AArch64: qemu-aarch64 or aarch64-linux-gnu-gcc is not installed'
fi
expect 'a name' 0 '' "$aicjit" network export net -o other.o --header other.h --name other_net
ok 'of the function' grep -q '^void other_net(const void \*in_x, void \*out_y, void \*workspace);$' other.h
cp net.o old.o
expect 'a name that is none' 2 '"a b" is no C identifier' "$aicjit" network export net -o net.o --header net.h --name 'a b'
expect 'a keyword' 2 '"double" is a keyword' "$aicjit" network export net -o net.o --header net.h --name double
expect 'no object' 2 'network: export: -o FILE is missing' "$aicjit" network export net --header net.h
expect 'no header' 2 'network: export: --header FILE is missing' "$aicjit" network export net -o net.o
expect 'an unknown level' 2 'avx9' "$aicjit" network export net -o net.o --header net.h --isa avx9
expect 'a triple' 2 'no triple of 64-bit Linux' "$aicjit" network export net -o net.o --header net.h --target sparc-sun-solaris
sed 's/input z/input X/; s/input1=z/input1=X/' two/network.txt >two/changed.txt
mkdir three
mv two/changed.txt three/network.txt
cp two/c.npy three
expect 'macros that are the same' 2 '"X" and "x" would share the macro NET_IN_X_BYTES' "$aicjit" network export three -o net.o --header net.h
ok 'the old object stays' cmp net.o old.o

# ---- ONNX files: what Python is asked for, and what it answers (tests/python/networks/test_tool.py has real files) ----

cat >python.sh <<'END'
#!/bin/sh
printf '%s\n' "$3 $4 $5 $6" >>asked.txt
case $3 in
wrong*) echo 'aicjit: no model' >&2; exit 2 ;;
lost*) exit 7 ;;
killed*) kill -9 $$ ;;
slow*) echo 'in it' && exec sleep 1000000 ;;
esac
cp -r net "$4"
END
chmod +x python.sh
export AIC_PYTHON=./python.sh
expect 'an ONNX file' 0 '^2 kernels: ' "$aicjit" network compile model.onnx
expect 'an ONNX file and a folder' 0 '^2 kernels: ' "$aicjit" network compile ./model.onnx -o 'a folder'
ok 'what was asked for' test "$(cat asked.txt)" = 'model.onnx model  
./model.onnx a folder  '
rm asked.txt
expect 'with shapes' 0 '^2 kernels: ' "$aicjit" network compile model.onnx --shape x=1,3,8,8 --shape 'a b=1,2'
ok 'which are asked for' test "$(cat asked.txt)" = 'model.onnx model x=1,3,8,8 a b=1,2'
expect 'shapes of a folder' 2 'network: --shape: has no effect on compile' "$aicjit" network compile net --shape x=1,3
expect 'what the file became' 0 '0 differ' "$aicjit" network run 'a folder' --in x=x.npy --expect y=y.npy
expect 'a wrong file' 2 '^aicjit: no model$' "$aicjit" network compile wrong.onnx
expect 'Python without the package' 3 '"./python.sh" with aicjit.onnx ended by status 7' "$aicjit" network compile lost.onnx
expect 'Python that is killed' 3 'ended by signal 9' "$aicjit" network compile killed.onnx
# It ends with the tool, and leaves what there is to say to it.
for signal in TERM INT HUP KILL; do
    end_together "$signal" "$aicjit" network compile slow.onnx -o slow
    [ "$signal" = KILL ] || ok "one message, SIG$signal" test "$(cat "$signal.txt")" = 'aicjit: interrupted'
done
printf '%s\n' '#!/bin/sh' 'exec python3 -S "$@"' >bare.sh # no packages but those that the tool names
chmod +x bare.sh
expect 'Python without NumPy' 3 '^aicjit: network: ONNX files need the Python package aicjit: "/.*": No module named' \
    env AIC_PYTHON=./bare.sh "$aicjit" network compile model.onnx
long=$(printf './%.0s' {1..150})none
expect 'no Python, by a long name' 3 "\"$long\" cannot be run" env AIC_PYTHON="$long" "$aicjit" network compile model.onnx
expect 'no Python' 3 '"./none" cannot be run' env AIC_PYTHON=./none "$aicjit" network compile model.onnx
unset AIC_PYTHON

# ---- wrong requests ----

cp y.npy old.npy
expect 'nothing to do' 2 'say what to do and with which folder' "$aicjit" network
expect 'no folder' 2 'say what to do and with which folder' "$aicjit" network run
expect 'two folders' 2 '"net" is one too many' "$aicjit" network run net net
expect 'unknown action' 2 '"walk" is none of run' "$aicjit" network walk net
expect 'not there' 2 '"none": No such file' "$aicjit" network run none
expect 'a file' 2 '"x.npy": Not a directory' "$aicjit" network run x.npy
expect 'an ONNX file to run' 2 '"model.onnx": run needs a folder, which compile model.onnx -o DIR makes' "$aicjit" network run model.onnx
expect 'an ONNX file without a name' 2 '"./.onnx" gives no name of a folder' "$aicjit" network compile ./.onnx
expect 'missing input' 2 'input x is missing' "$aicjit" network run net
expect 'unknown name' 2 '"z"' "$aicjit" network run net --in x=x.npy --out z=z.npy
expect 'input of another size' 2 'x: "net/w.npy": shape is' "$aicjit" network run net --in x=net/w.npy --out y=old.npy
expect 'the old result stays' 0 '' cmp y.npy old.npy
expect 'an output that cannot be' 2 'none/y.npy' "$aicjit" network run net --in x=x.npy --out y=none/y.npy
expect 'a level that is none' 2 'sse9' "$aicjit" network run net --in x=x.npy --isa sse9
for wrong in 'explain --in x=x.npy' 'bench --out y=y2.npy' 'explain --json' 'run --json' 'compile --reference' 'compile -o folder' 'run --min-time 1' 'run --name net' 'bench -o net.o'; do
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
