#!/usr/bin/env bash
# What fits an operand: files of other shapes, storage types and lengths; quantisation words by their parts or scales.
# shellcheck disable=SC1091,SC2154 # common.bash defines aicjit, work and the operators
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"

# ---- quantisation words ----

req='fixpipe(dst=int8, src=int32, nSize=16, mSize=2, srcStride=2, dstStride=16, quantPre=REQ8, deqScalar='
vreq='fixpipe(dst=int8, src=int32, nSize=16, mSize=2, srcStride=2, dstStride=16, quantPre=VREQ8)'
expect 'quant(...) is a word' 0 'deqScalar=0x7fa03e800000' "$aicjit" fmt "${req}quant(0.25,-3,int8))"
expect 'quant(SCALE) is its scale alone' 0 'deqScalar=0x3e800000' "$aicjit" fmt "${req}quant(0.25))"
expect 'a wrong one' 2 'deqScalar: the offset "300" is not an integer in -256\.\.255 \(column' "$aicjit" fmt "${req}quant(1,300,int8))"
expect 'its result' 0 'min 22 max 22 ' "$aicjit" run "${req}quant(0.25,-3,int8))" --fill src=const:100
expect 'words filled with quant(...)' 0 'min 22 max 22 ' "$aicjit" run "$vreq" --fill src=const:100 \
    --fill 'cbufWorkspace=const:quant(0.25,-3,int8)'
expect 'a wrong one in --fill' 2 'cbufWorkspace' "$aicjit" run "$vreq" --fill src=const:100 --fill 'cbufWorkspace=const:quant(x)'
expect 'a contradiction is warned of' 0 'warning: fixpipe: deqScalar: 0x3e800000: says by bit 46 that results are 0\.\.255' \
    "$aicjit" run "${req}quant(0.25))" --fill src=const:100
expect 'limits of words' 2 '"-1" is not an integer in 0\.\.18446744073709551615$' "$aicjit" run "$vreq" --fill src=zeros \
    --fill cbufWorkspace=const:-1
expect 'limits of accumulators' 2 '"3000000000" is not an integer in -2147483648\.\.2147483647$' \
    "$aicjit" run "$vreq" --fill src=const:3000000000 --fill cbufWorkspace=zeros
expect 'words that are drawn are not' 0 '^1 passed' "$aicjit" check "$vreq"
ok 'nothing is said of them' test ! -s .err

# scales FILE N: N float32 of 0.25.
scales() {
    npy "$1" '<f4' "($2,)" 0
    for _ in $(seq "$2"); do printf '\x00\x00\x80\x3e' >>"$1"; done
}
scales scales.npy 16
expect '--quantise' 0 'min 25 max 25 ' "$aicjit" run "$vreq" --fill src=const:100 --in cbufWorkspace=scales.npy --quantise cbufWorkspace
ok 'results are signed' test ! -s .err
expect 'of an unsigned result' 0 'min 25 max 25 ' "$aicjit" run "${vreq/dst=int8/dst=uint8}" --fill src=const:100 \
    --in cbufWorkspace=scales.npy --quantise cbufWorkspace
ok 'results are unsigned' test ! -s .err
expect 'scales without --quantise' 2 'dtype is float32, the operand wants uint64' "$aicjit" run "$vreq" --fill src=const:100 \
    --in cbufWorkspace=scales.npy
scales few.npy 15
expect 'too few scales' 2 'shape is \[15\], the operand wants \[16\]' "$aicjit" run "$vreq" --fill src=const:100 \
    --in cbufWorkspace=few.npy --quantise cbufWorkspace
npy wrong.npy '<f4' '(16,)' 0
for _ in $(seq 15); do printf '\x00\x00\x80\x3e' >>wrong.npy; done
printf '\x00\x00\x00\x00' >>wrong.npy
expect '--quantise of a scale of 0' 2 'run: --quantise cbufWorkspace: element 15: .*scale: 0 is not in 2' "$aicjit" run "$vreq" \
    --fill src=const:100 --in cbufWorkspace=wrong.npy --quantise cbufWorkspace
expect '--quantise of another operand' 2 'src holds no quantisation words' "$aicjit" run "$vreq" --in src=scales.npy --quantise src
expect '--quantise without a file' 2 'cbufWorkspace is given no file' "$aicjit" run "$vreq" --fill src=zeros \
    --fill cbufWorkspace=zeros --quantise cbufWorkspace
expect '--quantise of no operand' 2 '"words" is none of the operands' "$aicjit" run "$vreq" --fill src=zeros --quantise words

# ---- shapes ----

conv='conv2d(dtype=int8, fm_shape=[2,3,3,32], kernel_shape=[2,1,1,16,32])' # 9 rows of 16
ones=(--fill weight=const:1)
expect 'transdata of an image' 0 '' "$aicjit" run 'transdata(dtype=int8, src=NHWC, dst=NC1HWC0, shape=[1,3,3,64])' \
    --fill src=random:1 --out dst=image.npy
ok 'it has a batch axis' grep -aq "(1, 2, 3, 3, 32)" image.npy
expect 'feeds conv2d' 0 '' "$aicjit" run "$conv" --in feature_map=image.npy "${ones[@]}" --out dst=dst.npy
npy lead.npy '|i1' '(1, 1, 2, 3, 3, 32)' 576
expect 'two axes of 1' 0 '' "$aicjit" run "$conv" --in feature_map=lead.npy "${ones[@]}"
npy batch.npy '|i1' '(2, 1, 3, 3, 32)' 576
expect 'an axis of 2 is none' 2 'shape is \[2,1,3,3,32\], the operand wants \[2,3,3,32\]' "$aicjit" run "$conv" \
    --in feature_map=batch.npy "${ones[@]}"
npy inner.npy '|i1' '(2, 3, 3, 1, 32)' 576
expect 'nor is one inside' 2 'shape is \[2,3,3,1,32\]' "$aicjit" run "$conv" --in feature_map=inner.npy "${ones[@]}"

# conv2d's dst, [1,16,16] with 9 rows of 16 that count, is fixpipe's src, which reads 144 elements.
fix='fixpipe(dst=int32, src=int32, nSize=16, mSize=9, srcStride=16, dstStride=16)'
expect "conv2d's result feeds fixpipe" 0 '' "$aicjit" run "$fix" --in src=dst.npy --out dst=rows.npy
ok 'what is read is its beginning' cmp <(tail -c 1024 dst.npy | head -c 576) <(tail -c 576 rows.npy)
tail -c 1024 dst.npy >dst.bin
expect 'from .bin' 0 '' "$aicjit" run "$fix" --in src=dst.bin --out dst=again.npy
ok 'the same' cmp rows.npy again.npy
head -c 572 dst.bin >short.bin
expect 'one element less than it reads' 2 'holds 572 bytes of data, the operand wants 576 or more' "$aicjit" run "$fix" --in src=short.bin
npy short.npy '<i4' '(143,)' 572
expect 'from .npy' 2 'shape is \[143\], the operand wants \[144\] or more' "$aicjit" run "$fix" --in src=short.npy
# What is not read has to be there all the same.
for shape in '(257,)' '(255,)' '(4611686018427388160,)' '(9223372036854775807,)' '(16, 17)'; do
    npy lies.npy '<i4' "$shape" 1024
    expect "1024 bytes are not $shape" 2 '1024 bytes of data are not [0-9]+ elements of int32' "$aicjit" run "$fix" --in src=lies.npy
done
{ cat dst.bin && printf x; } >odd.bin
expect 'a part of an element' 2 '1025 bytes of data are not 256 elements of int32' "$aicjit" run "$fix" --in src=odd.bin
expect 'an old result must not be longer' 2 'the operand wants' "$aicjit" run "$fix" --in src=dst.npy --in dst=dst.npy
npy long.npy '<u8' '(17,)' 136
expect 'nor words, which no strides describe' 2 'shape is \[17\], the operand wants \[16\]$' "$aicjit" run "$vreq" --fill src=zeros \
    --in cbufWorkspace=long.npy

# ---- 4N and 2N storage ----

for row in '4N int8 |i1 |u1 true' '2N int16 <i2 <u2 false'; do
    read -r layout type signed unsigned eight <<<"$row"
    expect "transdata to $layout" 0 '' "$aicjit" run "transdata(dtype=$type, src=NCHW, dst=$layout, shape=[4,3,2,2])" \
        --fill src=const:3 --out dst=words.npy
    sum="tensor_arithmetic_quantized(op=BM_ADD, shape=[4,3,2,2], input0_8bit=$eight, input1_8bit=$eight, output_8bit=$eight)"
    expect "$layout feeds arithmetic" 0 '' "$aicjit" run "$sum" --in input0=words.npy --in input1=words.npy --out output=sum.npy
    # Sums are 6 in every part of a word, of one or two bytes.
    ok "$layout: the sum" test "$(tail -c "$((48 * ${signed#??}))" sum.npy | od -An -v -td"${signed#??}" | tr -s ' \n' '\n' | sort -u | xargs)" = 6
    for descr in "$signed" "$unsigned"; do
        size=$((${descr#??} * 48))
        npy parts.npy "$descr" '(48,)' "$size"
        expect "$layout: $descr" 0 '' "$aicjit" run "$sum" --in input0=parts.npy --in input1=words.npy
        npy parts.npy "$descr" '(47,)' "$((size - ${descr#??}))"
        expect "$layout: one less of $descr" 2 'the operand wants' "$aicjit" run "$sum" --in input0=parts.npy --in input1=words.npy
    done
done
npy halves.npy '<i2' '(24,)' 48
expect '16 bits do not stand for 4N' 2 'dtype is int16, the operand wants' "$aicjit" run \
    'tensor_arithmetic_quantized(op=BM_ADD, shape=[4,3,2,2])' --in input0=halves.npy --fill input1=zeros
expect 'nor 8 bits for words of 32' 2 'dtype is int8, the operand wants' "$aicjit" run \
    'tensor_arithmetic(op=BM_ADD, shape=[1,1,1,144])' --in input0=lead.npy --fill input1=zeros
# ---- the layout that a fused result is said to have ----

image='conv2d(dtype=int8, fm_shape=[1,8,6,32], kernel_shape=[1,3,3,64,32], pad=[1,1,1,1])'
store='fixpipe(src=int32, dst=int8, quantPre=REQ8, deqScalar=quant(0.01, 0, int8)'
fill=(--fill feature_map=random:1 --fill weight=random:2)
expect 'a result says its layout' 0 '^  its bytes are NC1HWC0 \[1,2,8,6,32\]$' "$aicjit" run "$image | $store, format=NZ)" "${fill[@]}"
expect 'by rows, too' 0 '^  its bytes are NHWC \[1,8,6,64\]$' "$aicjit" run "$image | $store, format=ROW_MAJOR)" "${fill[@]}"
expect 'one without a name says nothing' 0 '' "$aicjit" run "$image | $store, format=NZ, mSize=32)" "${fill[@]}"
ok 'of a part of the rows' test "$(grep -c 'its bytes' .out)" -eq 0
expect 'in blocks' 0 '' "$aicjit" run "$image | $store, format=NZ)" "${fill[@]}" --out dst=blocks.npy
expect 'unblocked by that name' 0 '' "$aicjit" run 'transdata(dtype=int8, src=NC1HWC0, dst=NHWC, shape=[1,8,6,64])' \
    --in src=blocks.npy --out dst=rows.npy
expect 'is the result by rows' 0 '' "$aicjit" run "$image | $store, format=ROW_MAJOR)" "${fill[@]}" --expect dst=rows.npy
finish
