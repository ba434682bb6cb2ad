#!/usr/bin/env bash
# aicjit run: operands in files, results, and every wrong file and operand.
# shellcheck disable=SC1091,SC2154 # common.bash defines aicjit, work and the operators
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"

# ---- what works ----

fills=(--fill feature_map=random:1 --fill weight=random:2)
for format in npy bin; do
    expect "result to .$format" 0 '' "$aicjit" run "$half" "${fills[@]}" --out dst=jit.$format
    expect "reference to .$format" 0 '' "$aicjit" run "$half" "${fills[@]}" --out dst=ref.$format --reference
    ok "jit and reference are equal in .$format" cmp jit.$format ref.$format
done
ok '.bin is raw' test "$(stat -c %s jit.bin)" -eq 1024
ok '.npy is a header of 128 bytes and the same' cmp <(tail -c 1024 jit.npy) jit.bin
ok '.npy names type and shape' grep -aq "'descr': '<f4', 'fortran_order': False, 'shape': (1, 16, 16)" jit.npy
expect 'two runs on one result: accumulation' 0 '' "$aicjit" run "${half%)}, init_l1out=false)" "${fills[@]}" \
    --in dst=jit.npy --out dst=twice.npy
ok 'the sum differs' test -n "$(cmp twice.npy jit.npy)"
expect 'a result without file is described' 0 '^dst: int32\[2,16,16\] min 0 max 0 mean 0$' "$aicjit" run "$int8" \
    --fill feature_map=zeros --fill weight=const:7
npy fm.npy '|i1' '(1, 4, 4, 32)' 512
npy w.npy '<i1' '(4096,)' 4096
expect 'ones from files' 0 'max 128 ' "$aicjit" run "$int8" --in feature_map=fm.npy --in weight=w.npy
head -c 512 /dev/zero >fm.bin
expect 'zeros from .bin' 0 'max 0 ' "$aicjit" run "$int8" --in feature_map=fm.bin --in weight=w.npy
expect 'lowest level' 0 '' "$aicjit" run "$half" "${fills[@]}" --out dst=generic.npy --isa generic
ok 'lowest level gives the same bits' cmp generic.npy jit.npy

# The worked examples E2 and E3 of the specification.
e2='conv2d(dtype=int8, fm_shape=[1,1,1,32], kernel_shape=[1,3,3,16,32], pad=[1,1,1,1], pad_value=-1'
expect 'example E2' 0 '' "$aicjit" run "$e2)" --fill feature_map=const:2 --fill weight=const:1 --fill dst=const:5 \
    --out dst=e2.bin
ok 'E2: row 0 is -192' test "$(od -An -v -td4 -j0 -N64 e2.bin | tr -s ' \n' '\n' | sort -u | xargs)" = -192
ok 'E2: rows 1..15 keep their content' test "$(od -An -td4 -j64 -v e2.bin | tr -s ' \n' '\n' | sort -u | xargs)" = 5
expect 'example E3' 0 '' "$aicjit" run "$e2, init_l1out=false)" --fill feature_map=const:2 --fill weight=const:1 \
    --in dst=e2.bin --out dst=e3.bin
ok 'E3: row 0 is -384' test "$(od -An -v -td4 -j0 -N64 e3.bin | tr -s ' \n' '\n' | sort -u | xargs)" = -384

# W == Kw with H > Kh.
narrow='conv2d(dtype=float16, fm_shape=[1,8,3,16], kernel_shape=[1,3,3,16,16])'
expect 'limits document' 2 'fm_shape: ' "$aicjit" run "$narrow" "${fills[@]}"
expect 'limits host' 0 '' "$aicjit" run "$narrow" "${fills[@]}" --limits host --out dst=host.bin
expect 'limits host, reference' 0 '' "$aicjit" run "$narrow" "${fills[@]}" --limits host --out dst=ref.bin --reference
ok 'limits host: equal' cmp host.bin ref.bin

# ---- what is refused; an old result stays ----

echo old >dst.npy
refuse() { # NAME PATTERN ARGUMENT...
    local name=$1 pattern=$2
    shift 2
    expect "$name" 2 "$pattern" "$aicjit" run "$@" --out dst=dst.npy
    [ "$(cat dst.npy)" = old ] || verdict "$name" 1 'the old result was overwritten'
}

refuse 'text' 'column' 'conv2d(dtype=int8' "${fills[@]}"
refuse 'text: unknown key' 'column' "${int8%)}, colour=1)" "${fills[@]}"
refuse 'text: repeated key' 'column' "${int8%)}, dtype=int8)" "${fills[@]}"
refuse 'text: missing key' 'kernel_shape' 'conv2d(dtype=int8, fm_shape=[1,4,4,32])' "${fills[@]}"
refuse 'text: unknown operator' 'frob' 'frob(x=1)' "${fills[@]}"
refuse 'text: empty' '' '' "${fills[@]}"
refuse 'stride 64' 'stride: stride_h = 64 is outside 1\.\.63' "${int8%)}, stride=[64,1])" "${fills[@]}"
refuse 'a huge number' 'fm_shape' 'conv2d(dtype=int8, fm_shape=[1,99999999999999999999,4,32], kernel_shape=[1,2,2,32,32])' \
    "${fills[@]}"
refuse 'missing inputs' 'input feature_map is missing' "$int8"
refuse 'missing weight' 'input weight is missing' "$int8" --fill feature_map=zeros
refuse 'unknown operand' '"bias" is none of the operands dst, feature_map, weight' "$int8" "${fills[@]}" --fill bias=zeros
refuse 'operand twice' 'weight is given twice' "$int8" "${fills[@]}" --in weight=w.npy
refuse 'no name' 'is not NAME=' "$int8" "${fills[@]}" --in w.npy
refuse 'empty name' 'is not NAME=' "$int8" "${fills[@]}" --in =w.npy
refuse 'empty file' 'is not NAME=' "$int8" "${fills[@]}" --in weight=
refuse 'fill' 'none of zeros' "$int8" --fill feature_map=ones --fill weight=zeros
refuse 'fill range' 'feature_map: "200" is not an integer in -128\.\.127' "$int8" --fill feature_map=const:200 --fill weight=zeros

with_fm() { refuse "$1" "$2" "$int8" --fill weight=zeros --in "feature_map=$3"; }
with_fm 'no such file' 'feature_map: "none.npy": .*No such file' none.npy
with_fm 'a folder' 'neither' .
mkdir folder.npy
with_fm 'a folder with a suffix' 'not a regular file' folder.npy
with_fm 'no suffix' 'neither .npy nor .bin' w.txt
with_fm 'a device' 'neither' /dev/zero
mkfifo pipe.npy
with_fm 'a pipe' 'not a regular file' pipe.npy
ln -s loop.npy loop.npy
with_fm 'a link to itself' 'feature_map' loop.npy
: >empty.npy
with_fm 'empty' 'no .npy file' empty.npy
head -c 511 fm.bin >short.bin
with_fm 'short .bin' 'holds 511 bytes of data, the operand wants 512' short.bin
head -c 600 fm.npy | cat - fm.bin >long.npy
with_fm 'long .npy' 'the operand wants 512' long.npy
head -c 300 fm.npy >short.npy
with_fm 'short .npy' 'the operand wants 512' short.npy
head -c 30 fm.npy >cut.npy
with_fm 'cut header' "header's length" cut.npy
npy type.npy '<f2' '(1, 4, 4, 32)' 1024
with_fm 'dtype' 'dtype is float16, the operand wants int8' type.npy
npy big.npy '>i4' '(1, 4, 4, 32)' 1024
with_fm 'byte order' "'>i4'" big.npy
npy shape.npy '|i1' '(1, 4, 32, 4)' 512
with_fm 'shape' 'shape is \[1,4,32,4\], the operand wants \[1,4,4,32\] or \[512\]' shape.npy
npy fortran.npy '|i1' '(1, 4, 4, 32)' 512 True
with_fm 'Fortran order' 'fortran_order' fortran.npy
head -c 512 /dev/urandom >noise.npy
with_fm 'noise' 'no .npy file' noise.npy
{ printf '\x93NUMPY\x02\x00\xff\xff\xff\xff'; cat fm.bin; } >length.npy
with_fm 'header length' "header's length 4294967295" length.npy
if [ "$(id -u)" -ne 0 ]; then
    cp fm.npy secret.npy && chmod 0 secret.npy
    with_fm 'unreadable' 'Permission denied' secret.npy
fi

wrong_out() { expect "$1" 2 "$2" "$aicjit" run "$int8" --fill feature_map=zeros --fill weight=zeros --out "$3"; }
wrong_out 'output into no folder' 'dst: "none/dst.npy" cannot be created' dst=none/dst.npy
wrong_out 'output is a folder' 'is not the name of a file' dst=folder.npy
wrong_out 'output is a link to itself' 'dst: "loop.npy" cannot be created' dst=loop.npy
wrong_out 'output below a file' 'dst: "fm.npy/x.npy" cannot be created' dst=fm.npy/x.npy
wrong_out 'output without suffix' 'neither' dst=dst
expect 'an input of a file as output' 2 'run: --out: feature_map is an input, which can be written where' "$aicjit" run "$int8" \
    --in feature_map=fm.npy --fill weight=zeros --out feature_map=x.npy
ok 'it is not written' test ! -e x.npy
expect 'an input of nothing as output' 2 'run: --out: feature_map is an input, which' "$aicjit" run "$int8" --out feature_map=x.npy
expect 'an input and the result to one file' 2 '--out: (dst|feature_map) and (dst|feature_map) go to the same file "x.npy"' "$aicjit" run \
    "$int8" --fill feature_map=zeros --fill weight=zeros --out feature_map=x.npy --out dst=x.npy
ok 'no temporary file is left' test -z "$(find . -name '.aicjit*')"

# ---- inputs that options make ----

expect 'filled inputs are written' 0 '' "$aicjit" run "$half" --fill feature_map=random:1 --fill weight=random:2 \
    --out feature_map=made_fm.npy --out weight=made_w.bin --out dst=made.npy
ok 'with their shape' grep -aq "'shape': (1, 4, 4, 16)" made_fm.npy
expect 'and give the same result' 0 '0 differ' "$aicjit" run "$half" --in feature_map=made_fm.npy --in weight=made_w.bin \
    --expect dst=made.npy
expect 'filled inputs of the reference' 0 '' "$aicjit" run "$half" --reference --fill feature_map=random:1 --fill weight=random:2 \
    --out feature_map=again_fm.npy --out weight=again_w.bin
ok 'are the same' sh -c 'cmp made_fm.npy again_fm.npy && cmp made_w.bin again_w.bin'
expect 'a scalar is written' 0 '' "$aicjit" run 'texpands(dtype=float32, rows=2, cols=8)' --in scalar=1.5 --out scalar=s.npy
expect 'and read' 0 'max 1\.5 ' "$aicjit" run 'texpands(dtype=float32, rows=2, cols=8)' --in scalar=s.npy
npy scales.npy '<f4' '(16,)' 64
req='fixpipe(dst=int8, src=int32, nSize=16, mSize=2, srcStride=2, dstStride=16, quantPre=VREQ8)'
expect 'words of scales are written' 0 '' "$aicjit" run "$req" --fill src=random:3 --in cbufWorkspace=scales.npy \
    --quantise cbufWorkspace --out cbufWorkspace=words.npy --out src=sums.npy --out dst=bytes.npy
expect 'and read' 0 '0 differ' "$aicjit" run "$req" --in src=sums.npy --in cbufWorkspace=words.npy --expect dst=bytes.npy

# ---- memory and devices ----

# The largest operands that the rules allow.
huge='conv2d(dtype=float16, fm_shape=[256,4096,4096,16], kernel_shape=[256,1,1,4096,16], pad=[255,255,255,255])'
expect 'more memory than there is' 3 '(dst|feature_map): [0-9]{12} bytes of memory' "$aicjit" run "$huge" "${fills[@]}"
expect 'to check' 3 '(dst|feature_map): [0-9]{12} bytes of memory' "$aicjit" check "$huge"
expect 'to bench' 3 '(dst|feature_map): [0-9]{12} bytes of memory' "$aicjit" bench "$huge"
ln -s /dev/full full.bin
expect 'full device' 3 'No space left' "$aicjit" run "$half" "${fills[@]}" --out dst=full.bin
expect 'full standard output' 3 'standard output' sh -c '"$@" >/dev/full' sh "$aicjit" run "$half" "${fills[@]}"
expect 'closed standard output' 3 'standard output' sh -c '"$@" >&-' sh "$aicjit" run "$half" "${fills[@]}"
expect 'closed output that nothing is written to' 0 '' sh -c '"$@" >&- 2>&-' sh "$aicjit" run "$half" "${fills[@]}" --out dst=c.bin
ok 'the file is whole' cmp c.bin jit.bin
if starts_within 0; then
    expect 'a file size limit' 3 'File too large' env GCOV_PREFIX="$work" bash -c \
        'set -o pipefail; (ulimit -f 0 && "$@" 2>&1) | cat >&2' bash "$aicjit" run "$half" "${fills[@]}" --out dst=limit.bin
fi
finish
