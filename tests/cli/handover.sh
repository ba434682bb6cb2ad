#!/usr/bin/env bash
# The file that one operator of the data path writes feeds the next: nd2nz, load_data, load_data_transpose, mmad, fixpipe,
# transdata, every legal pair; and what a file cannot say is refused with what would serve.
# shellcheck disable=SC1091,SC2154 # common.bash defines aicjit and work
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"

# step OPERATOR OPTION...: runs an operator by the reference.
step() { expect "$1" 0 '' "$aicjit" run "$@" --reference; }
elements() { stat -c %s "$1"; }

# ---- a product by every step of the document, in files, against the product at once ----

# product TYPE M K N C0 SUM: M below 17 and N of one block of 16, whose fractals one instruction each moves.
product() {
    local type=$1 m=$2 k=$3 n=$4 c0=$5 sum=$6 blocks rows
    blocks=$(((k + c0 - 1) / c0))
    step "mmad(dtype=$type, m=$m, k=$k, n=$n) | fixpipe(src=$sum, dst=$sum)" --fill a=random:1 --fill b=random:2 \
        --out a=a.npy --out b=b.npy --out dst=expected.npy
    # A: rows of one block; the last fractal has M of 16 rows
    step "nd2nz(dtype=$type, nValue=$m, dValue=$k, srcDValue=$k, dstNzC0Stride=16, dstNzNStride=1)" --in src=a.npy --out dst=a1.npy
    step "load_data(dtype=$type, repeatTimes=$blocks, srcStride=1)" --in src=a1.npy --out dst=a2.npy
    # B: columns of one block, rows of K
    rows=$((blocks * (c0 > 16 ? c0 : 16)))
    step "nd2nz(dtype=$type, nValue=$k, dValue=$n, srcDValue=$n, dstNzC0Stride=$rows, dstNzNStride=1)" --in src=b.npy --out dst=b1.npy
    case $c0 in
    16) step "load_data_transpose(dtype=$type, repeatTimes=$blocks, srcStride=1)" --in src=b1.npy --out dst=b2.npy ;;
    32) step "load_data_transpose(dtype=$type, repeatTimes=$blocks, srcStride=1, dstFracGap=$((blocks - 1)))" --in src=b1.npy \
        --out dst=b2.npy ;;
    esac
    for a in a1 a2; do # nd2nz's blocks of one row of fractals are those of Zz
        step "mmad(dtype=$type, m=$m, k=$k, n=$n, a_format=Zz, b_format=Zn, c_format=Nz)" --in a=$a.npy --in b=b2.npy --out c=c.npy
        expect "$type $m x $k x $n from $a: fixpipe" 0 '0 differ' "$aicjit" run \
            "fixpipe(src=$sum, dst=$sum, nSize=$n, mSize=$m, srcStride=16, dstStride=$n)" --in src=c.npy --expect dst=expected.npy
    done
}
product float16 10 40 16 16 float32
product float16 16 48 16 16 float32
product float16 3 16 12 16 float32
product bfloat16 9 33 16 16 float32
product int8 10 64 16 32 int32
product int8 16 33 16 32 int32
product int8 2 96 5 32 int32

# ---- by transdata, any sizes ----

for row in 'int8 int32' 'float16 float32' 'float32 float32'; do
    read -r type sum <<<"$row"
    step "mmad(dtype=$type, m=37, k=70, n=41) | fixpipe(src=$sum, dst=$sum)" --fill a=random:1 --fill b=random:2 --out a=a.npy \
        --out b=b.npy --out dst=expected.npy
    step "transdata(dtype=$type, src=ND, dst=Zz, shape=[37,70])" --in src=a.npy --out dst=zz.npy
    step "transdata(dtype=$type, src=ND, dst=Zn, shape=[70,41])" --in src=b.npy --out dst=zn.npy
    step "mmad(dtype=$type, m=37, k=70, n=41, a_format=Zz, b_format=Zn, c_format=Nz)" --in a=zz.npy --in b=zn.npy --out c=c.npy
    expect "$type by transdata: fixpipe" 0 '0 differ' "$aicjit" run \
        "fixpipe(src=$sum, dst=$sum, nSize=41, mSize=37, srcStride=48, dstStride=41)" --in src=c.npy --expect dst=expected.npy
done

# ---- nd2nz's last rows ----

# The pair of the report: 1664 elements, and four fractals of 512.
step 'nd2nz(dtype=int8, nValue=20, dValue=64, srcDValue=64, dstNzC0Stride=32)' --fill src=random:1 --out src=nd.npy --out dst=nz.npy
ok 'nd2nz writes 1664 elements' test "$(elements nz.npy)" -eq $((128 + 1664))
step 'load_data(dtype=int8, repeatTimes=4, srcStride=1)' --in src=nz.npy --out dst=l0.npy
ok 'load_data reads 2048' test "$(elements l0.npy)" -eq $((128 + 2048))
ok 'those of the file' cmp -n 1664 <(tail -c 2048 l0.npy) <(tail -c 1664 nz.npy)
ok 'and zeros' test "$(tail -c 384 l0.npy | tr -d '\0' | wc -c)" -eq 0
step 'load_data_transpose(dtype=int8, repeatTimes=2, srcStride=1, dstGap=1)' --in src=nz.npy --out dst=l0.npy
expect 'transdata of it' 0 '0 differ' "$aicjit" run 'transdata(dtype=int8, src=Nz, dst=ND, shape=[20,64])' --in src=nz.npy \
    --expect dst=nd.npy
tail -c 1664 nz.npy >nz.bin
expect 'from .bin' 0 '' "$aicjit" run 'load_data(dtype=int8, repeatTimes=4, srcStride=1)' --in src=nz.bin --out dst=l0.bin
step 'transdata(dtype=int8, src=ND, dst=Nz, shape=[20,64])' --in src=nd.npy --out dst=whole.npy
expect 'as transdata writes it' 0 '0 differ' "$aicjit" run 'load_data(dtype=int8, repeatTimes=4, srcStride=1)' --in src=whole.npy \
    --expect dst=l0.bin
expect 'part of a longer file' 0 '' "$aicjit" run 'load_data(dtype=int8, repeatTimes=2, srcStride=1)' --in src=whole.npy

# ---- fixpipe's results ----

fix='fixpipe(src=float32, dst=float16, nSize=48, mSize=10, srcStride=10, quantPre=F322F16'
step "$fix, format=NZ, dstStride=16)" --fill src=random:1 --out src=acc.npy --out dst=nz.npy
step "$fix, dstStride=48)" --in src=acc.npy --out dst=rows.npy
step 'load_data(dtype=float16, repeatTimes=3, srcStride=1)' --in src=nz.npy --out dst=l0.npy
step 'nd2nz(dtype=float16, nValue=10, dValue=48, srcDValue=48, dstNzC0Stride=16)' --in src=rows.npy --out dst=again.npy
ok 'blocks stored by fixpipe are those that nd2nz makes of rows' cmp <(tail -c 1344 nz.npy) <(tail -c 1344 again.npy)
expect 'transdata of blocks' 0 '0 differ' "$aicjit" run 'transdata(dtype=float16, src=Nz, dst=ND, shape=[10,48])' --in src=nz.npy \
    --expect dst=rows.npy
step 'mmad(dtype=float16, m=10, k=48, n=8, a_format=Zz)' --in a=nz.npy --fill b=random:2 --out c=c.npy
expect 'a product of rows' 0 '0 differ' "$aicjit" run 'mmad(dtype=float16, m=10, k=48, n=8)' --in a=rows.npy --fill b=random:2 \
    --expect c=c.npy
step 'load_data_transpose(dtype=float16, repeatTimes=3, srcStride=1)' --in src=nz.npy --out dst=l0.npy

# ---- what does not fit says what would ----

refused() { expect "$1" 2 "$2" "$aicjit" run "${@:3}"; }
step 'nd2nz(dtype=int8, nValue=17, dValue=32, srcDValue=32, dstNzC0Stride=17)' --fill src=random:1 --out dst=short.npy
refused 'a whole fractal less' 'src: "short.npy": shape is \[544\], the operand wants \[1536\] or more, or up to 480 elements fewer$' \
    'load_data(dtype=int8, repeatTimes=3, srcStride=1)' --in src=short.npy
tail -c 544 short.npy >short.bin
refused 'from .bin' 'holds 544 bytes of data, the operand wants 1536 or more, or up to 480 elements fewer$' \
    'load_data(dtype=int8, repeatTimes=3, srcStride=1)' --in src=short.bin
refused 'of a matrix that has these rows' 'wants \[1,2,16,32\] or \[1024\], or up to 448 elements fewer$' \
    'transdata(dtype=int8, src=Nz, dst=ND, shape=[18,32])' --in src=short.npy
refused 'of whole fractals' 'wants \[1,2,16,32\] or \[1024\]$' 'transdata(dtype=int8, src=Nz, dst=ND, shape=[32,32])' --in src=short.npy
refused 'columns of Zn are no rows' 'wants \[1,2,16,32\] or \[1024\]$' 'transdata(dtype=int8, src=Zn, dst=ND, shape=[20,32])' --in src=short.npy
npy x.npy '|i1' '(16, 32)' 512
refused 'rows are no fractals' 'shape is \[16,32\], the operand wants \[1,1,16,32\] or \[512\] or more$' \
    'mmad(dtype=int8, m=16, k=32, n=16, a_format=Zz, b_format=Zn)' --fill b=zeros --in a=x.npy
finish
