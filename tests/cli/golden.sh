#!/usr/bin/env bash
# aicjit golden and verify: what is written, that it is checked here and by the script beside it, and damaged folders.
# shellcheck disable=SC1091,SC2154 # common.bash defines aicjit, work and the operators
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"

vector='fixpipe(src=int32, dst=int8, nSize=16, mSize=4, srcStride=4, dstStride=4, format=NZ, quantPre=VREQ8)'
extreme='tensor_arithmetic(op=BM_MAX, shape=[1,2,3,4])'
python=''
for candidate in python3 /usr/bin/python3; do
    "$candidate" -c 'import numpy' 2>/dev/null && python=$candidate && break
done

expect 'a suite' 0 '^12 cases in g$' "$aicjit" golden "$int8" "$vector" "$extreme" "$int8 | fixpipe(src=int32, dst=int8, quantPre=VREQ8)" \
    -o g --count 3
expect 'verify' 0 '^64 passed, 0 failed$' "$aicjit" verify g
ok 'the manifest is JSON' python3 -c 'import json, sys; m = json.load(open("g/manifest.json")); sys.exit(len(m["files"]) != 39 or len(m["cases"]) != 12)'
ok 'with where each reading comes from' grep -q '{"key": "offset_clamp", "value": "clamp", "origin": "vendor", "row": "F12", ' g/manifest.json
ok 'and what each result depends on' grep -q '"about": ".*", "depends_on": "offset_sign, n_field, shift, offset_clamp", ' g/manifest.json
if [ -n "$python" ]; then
    expect 'the script beside it' 0 '^39 passed, 0 failed$' "$python" g/verify.py
    expect 'the script and results' 0 '^39 passed, 0 failed$' "$python" g/verify.py g
    cp -r g device
    "$aicjit" run "$extreme" --fill input0=zeros --fill input1=zeros --out output=device/000007/output.expected.npy >/dev/null
    expect 'the script and a wrong result' 1 '^FAILED 000007/output.expected.npy$' "$python" g/verify.py device
else
    echo 'not run: verify.py: no NumPy'
fi

# The same data come of the same command; later cases have other data.
expect 'again' 0 '' "$aicjit" golden "$vector" -o one --count 2
expect 'and again' 0 '' "$aicjit" golden "$vector" -o two --count 2
ok 'the same folder' diff -r one two
ok 'cases differ' test "$(cmp -s one/000001/src.npy one/000002/src.npy; echo $?)" -eq 1
expect 'given operands' 0 '' "$aicjit" golden "$vector" -o fills --fill src=random:7 --fill 'cbufWorkspace=const:quant(0.5,0,int8)' --count 2
"$aicjit" run "$vector" --fill src=random:8 --fill 'cbufWorkspace=const:quant(0.5,0,int8)' --reference --out dst=dst.npy >/dev/null
ok 'a later case has the next seed' cmp dst.npy fills/000002/dst.expected.npy
expect 'raw files' 0 '' "$aicjit" golden "$vector" -o raw --bin
ok 'are as long as the elements' test "$(stat -c %s raw/000001/dst.expected.bin)" -eq 64
expect 'verify raw files' 0 '^6 passed, 0 failed$' "$aicjit" verify raw
printf '%s\n' "$vector" '# a comment' "$extreme" >batch.txt
expect 'a batch' 0 '^2 cases in b$' "$aicjit" golden --batch batch.txt -o b
expect 'verify the batch' 0 '^11 passed, 0 failed$' "$aicjit" verify b

# Under other readings the reference alone checks what kernels do not compute.
expect 'a profile' 0 '^1 cases in p$' "$aicjit" golden "$vector" -o p --profile script
ok 'is in the manifest' grep -q '"offset_sign": "unsigned"' p/manifest.json
expect 'verify a profile' 0 '^5 passed, 0 failed$' "$aicjit" verify p

# With accumulate=fast every order of summation is right: the numbers between are in two more files.
fast="${half%)}, accumulate=fast)"
to8='fixpipe(src=float32, dst=int8, format=NZ, quantPre=QF322B8_PRE, deqScalar=quant(0.5, 3, int8))'
expect 'fast' 0 '^4 cases in f$' "$aicjit" golden "$fast" "$fast | $to8" -o f --count 2
expect 'verify fast' 0 '^[0-9]+ passed, 0 failed$' "$aicjit" verify f
expect 'raw and fast' 0 '' "$aicjit" golden "$fast" -o fb --bin
expect 'verify raw and fast' 0 '^[0-9]+ passed, 0 failed$' "$aicjit" verify fb
cp -r f other
python3 - other <<'EOF'
import hashlib, json, pathlib, sys
folder = pathlib.Path(sys.argv[1])
path = folder / "000001/dst.low.npy"
data = bytearray(path.read_bytes())
data[-1] ^= 1
old = hashlib.sha256(path.read_bytes()).hexdigest()
path.write_bytes(data)
manifest = folder / "manifest.json"
manifest.write_text(manifest.read_text().replace(old, hashlib.sha256(data).hexdigest()))
EOF
expect 'bounds that are others, with their hash' 1 '^FAILED 000001: the bounds are others$' "$aicjit" verify other
if [ -n "$python" ]; then
    expect 'the script and fast' 0 ' 0 failed$' "$python" f/verify.py f
    rm -rf device && cp -r f device
    for case in 1 2; do # a kernel's own order
        "$aicjit" run "$fast" --in feature_map=f/00000$case/feature_map.npy --in weight=f/00000$case/weight.npy \
            --out dst=device/00000$case/dst.expected.npy >/dev/null
    done
    expect 'a result of another order' 0 ' 0 failed$' "$python" f/verify.py device
    "$python" -c 'import numpy as np; p = "device/000001/dst.expected.npy"; a = np.load(p); a.flat[5] += 1; np.save(p, a)
p = "device/000003/dst.expected.npy"; a = np.load(p); a.flat[3] ^= 64; np.save(p, a)'
    expect 'one that no order gives' 1 '^FAILED 000001/dst.expected.npy$' "$python" f/verify.py device
    expect 'a byte that no order gives' 1 '^FAILED 000003/dst.expected.npy$' "$python" f/verify.py device
    rm device/000002/dst.expected.npy
    expect 'a result that is missing' 1 '^FAILED 000002/dst.expected.npy$' "$python" f/verify.py device
fi

# ---- damage ----

damaged() { # NAME STATUS PATTERN COMMAND...: `one` with a damage
    local name=$1 status=$2 pattern=$3
    shift 3
    rm -rf d && cp -r one d
    "$@"
    expect "$name" "$status" "$pattern" "$aicjit" verify d
}
damaged 'a changed byte' 1 '^FAILED 000001/src.npy: was changed' bash -c 'printf X | dd of=d/000001/src.npy bs=1 seek=200 conv=notrunc status=none'
damaged 'a missing file' 1 '^FAILED 000002/dst.expected.npy: is missing' rm d/000002/dst.expected.npy
damaged 'a longer file' 1 '^FAILED 000002/dst.expected.npy: was changed' bash -c 'echo >>d/000002/dst.expected.npy'
damaged 'a pipe in its place' 1 'is missing or cannot be read' bash -c 'rm d/000001/src.npy && mkfifo d/000001/src.npy'
damaged 'another choice' 1 'gives another result' sed -i 's/"relu": "before"/"relu": "after"/; s/"offset_clamp": "clamp"/"offset_clamp": "none"/' d/manifest.json
damaged 'an unknown value' 2 'has a line that golden does not write' sed -i 's/"relu": "before"/"relu": "maybe"/' d/manifest.json
damaged 'an unknown format' 2 'is not of this format' sed -i 's/aicjit golden 1/aicjit golden 2/' d/manifest.json
damaged 'a cut manifest' 2 'ends within a line|is not of this format|has a line' truncate -s 2000 d/manifest.json
damaged 'a file outside' 2 'has a file that golden does not write' sed -i 's|"file": "000001/src.npy"|"file": "../src.npy"|' d/manifest.json
damaged 'a file that is not listed' 1 '^FAILED 000001/more.npy: is not in the manifest$' cp one/000001/src.npy d/000001/more.npy
damaged 'another script' 1 '^FAILED verify.py: was changed' bash -c 'echo "# more" >>d/verify.py'
damaged 'a case less' 2 'lists other cases or files than it says' sed -i '/"case": "000002"/d' d/manifest.json
damaged 'a foreign manifest' 2 'has a line that golden does not write: number 1$' bash -c 'echo "{\"format\": \"other\"}" >d/manifest.json'
damaged 'no manifest' 2 'manifest.json" cannot be read' rm d/manifest.json
damaged 'another operator' 1 '^FAILED 000001: ' sed -i 's/mSize=4/mSize=5/' d/manifest.json
expect 'no folder' 2 'cannot be read' "$aicjit" verify nowhere

# ---- what is refused, and leaves nothing ----

refused() { # NAME PATTERN ARGUMENT...
    local name=$1 pattern=$2
    shift 2
    expect "$name" 2 "$pattern" "$aicjit" golden "$@" -o none
    ok "$name: no folder" test "$(find . -maxdepth 1 -name 'none*' | wc -l)" -eq 0
}
refused 'no operator' 'neither SPEC nor --batch'
refused 'a wrong operator' 'unknown' 'conv3d()'
printf '%s\n' "$vector" 'conv3d()' >wrong.txt
"$aicjit" golden --batch wrong.txt -o none 2>report.txt
ok 'a batch with a wrong line' test $? -eq 2 -a ! -e none
ok 'says which' grep -q '^aicjit: wrong.txt:2: ' report.txt
expect 'unless that may be' 0 '^1 cases in skipped$' "$aicjit" golden --batch wrong.txt --skip-refused -o skipped
refused 'fast, with sums that overflow' 'some lead to infinities for element' 'mmad(dtype=float32, m=1, k=2, n=16, accumulate=fast)' --fill a=const:3e38 --fill b=const:2
expect 'fast, contents of its own' 0 '^24 cases in wide$' "$aicjit" golden 'mmad(dtype=float32, m=4, n=16, k=32, accumulate=fast)' \
    'mmad(dtype=bfloat16, m=4, n=16, k=32, accumulate=fast, init_c=false)' \
    'conv2d(dtype=float16, fm_shape=[1,4,4,16], kernel_shape=[1,3,3,16,16], accumulate=fast, init_l1out=false)' --count 8 -o wide
expect 'they are right' 0 ' 0 failed$' "$aicjit" verify wide
refused 'a wrong second operator' 'dtype' "$vector" 'mmad(dtype=int7, m=1, k=1, n=1)'
refused 'a wrong operand' 'src' "$vector" --fill src=random:x
refused 'too many' 'are more than 100000' "$vector" "$vector" --count 60000
expect 'no -o' 2 '-o: is missing' "$aicjit" golden "$vector"
expect 'a folder that is not empty' 2 'one" is not empty' "$aicjit" golden "$vector" -o one
ok 'stays as it was' diff -r one two
mkdir empty
expect 'an empty folder' 0 '^1 cases in empty$' "$aicjit" golden "$vector" -o empty
expect 'a folder in no folder' 2 'cannot be made' "$aicjit" golden "$vector" -o nowhere/x
finish
