#!/usr/bin/env bash
# aicjit draw: cells, their indices and addresses, padding, what one result is made from, files that are whole.
# shellcheck disable=SC1091,SC2154 # common.bash defines aicjit and work
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"

# count FILE CLASS N, has FILE TEXT
count() { ok "$1: $3 of $2" test "$(grep -c "<rect class='$2'" "$1")" -eq "$3"; }
has() { ok "$1: $2" grep -qF -- "$2" "$1"; }
whole() {
    ok "$1 is a drawing" grep -q "<svg xmlns='http://www.w3.org/2000/svg'" "$1"
    for tag in svg g rect text title; do
        ok "$1: every $tag is closed" test "$(grep -oE "<${tag}[ >][^>]*[^/>]>|<$tag>" "$1" | wc -l)" -eq "$(grep -o "</$tag>" "$1" | wc -l)"
    done
    ok "$1: nothing from outside" test -z "$(sed "s,xmlns='http://www.w3.org/2000/svg',," "$1" | grep -E '(<img|<image|<script|<link|https?://)')"
}

# ---- layouts: indices and addresses by the documents' formulas ----

expect 'blocks of bytes with an odd last one' 0 '' "$aicjit" draw \
    'fixpipe(src=int32, dst=int8, format=NZ, nSize=48, mSize=5, srcStride=6, dstStride=6, quantPre=REQ8, deqScalar=quant(1,0,int8))' -o nz.svg
whole nz.svg
has nz.svg '<title>C1 1, row 3, C0 15: element 255, byte 255 = 0xFF</title>' # 6*32 + 3*16 + 15
has nz.svg '<title>C1 2, row 4, C0 15: element 271, byte 1084 = 0x43C</title>' # src: (2*6 + 4)*16 + 15, four bytes each
has nz.svg '<text y='"'34'"' class='"'label'"'>int8[272], [C1,row,C0] of [2,5,32]</text>'
count nz.svg cell $((5 * 48 * 2)) # dst and src
count nz.svg gap 12               # of the sixth row behind each block but the last one, four cells

expect 'rows with gaps' 0 '' "$aicjit" draw 'fixpipe(src=int32, dst=int32, nSize=8, mSize=3, srcStride=3, dstStride=10)' -o rows.svg
whole rows.svg
count rows.svg gap 4 # two behind each row but the last; src has none
has rows.svg '<title>element 9, byte 36 = 0x24, between rows or blocks</title>'
has rows.svg '<title>row 1, column 0: element 10, byte 40 = 0x28</title>'

expect 'fractals' 0 '' "$aicjit" draw 'mmad(dtype=float16, m=10, n=12, k=16, a_format=Zz, b_format=Zn, c_format=Nz)' -o fractals.svg
whole fractals.svg
count fractals.svg padding $((6 * 16 + 4 * 16 + (256 - 120))) # a: rows, b: columns, c: both
has fractals.svg '<title>M1 0, K1 0, m0 10, k0 0: element 160, byte 320 = 0x140, padding</title>'

expect 'NC1HWC0' 0 '' "$aicjit" draw 'transdata(dtype=float16, src=NHWC, dst=NC1HWC0, shape=[1,2,3,20])' -o nc1hwc0.svg
whole nc1hwc0.svg
count nc1hwc0.svg padding $((12 * 6)) # channels 20..31
expect 'FRACTAL_Z' 0 '' "$aicjit" draw 'transdata(dtype=float16, src=OIHW, dst=FRACTAL_Z, shape=[20,16,1,1])' -o fractal_z.svg
count fractal_z.svg padding 64 # Cout 20..23 of the 24 rows that are shown
has fractal_z.svg 'shown: Cout 0..23'
for layout in Nz Zz Zn Nn; do
    expect "$layout" 0 '' "$aicjit" draw "transdata(dtype=float16, src=ND, dst=$layout, shape=[18,20])" -o "$layout.svg"
    ok "$layout: padding" test "$(grep -c "<rect class='padding'" "$layout.svg")" -eq $((32 * 32 - 18 * 20))
done
expect 'between blocks' 0 '' "$aicjit" draw 'transdata(dtype=float16, src=Nz, dst=Zn, shape=[18,20])' -o blocks.svg
count blocks.svg padding $((2 * (32 * 32 - 18 * 20)))
expect '4N' 0 '' "$aicjit" draw 'transdata(dtype=int8, src=NCHW, dst=4N, shape=[6,3,1,2])' -o words.svg
count words.svg padding $((2 * 6)) # batches 6 and 7
has words.svg '<title>N/4 1, C 2, H 0, W 1, N%4 1: element 45, byte 45 = 0x2D</title>'
expect 'local memory' 0 '' "$aicjit" draw 'tensor_arithmetic(op=BM_ADD, shape=[1,3,1,4], memory=local, input1_addr=64, output_addr=128)' \
    --lanes 4 --lane_bytes 256 -o local.svg
has local.svg '<title>lane 2, word 31: element 159, byte 636 = 0x27C'
expect 'a tile' 0 '' "$aicjit" draw 'texpands(dtype=float32, rows=16, cols=16, v_row=3, v_col=5)' -o tile.svg
count tile.svg padding $((256 - 15))
expect 'a ConvTile, as a statement' 0 '' "$aicjit" draw \
    '%t = texpands 1.0 : f16, !pto.tile<loc=mat, dtype=f16, layout=NC1HWC0, shape=[1,2,2,2,16], buffer_size=130>' -o conv.svg
has conv.svg '<title>N 0, C1 1, H 1, W 1, C0 15: element 127, byte 254 = 0xFE</title>'
whole conv.svg

# ---- what one result is made from ----

layer='conv2d(dtype=int8, fm_shape=[2,4,5,32], kernel_shape=[2,3,3,16,32], pad=[1,1,1,1])'
expect 'a corner of a convolution' 0 '' "$aicjit" draw "$layer" -o corner.svg --at 'dst[0,0,3]'
whole corner.svg
# dst: one; feature_map: 2 x 2 of 3 x 3 pixels of 32 channels in 2 blocks; weight: a row of 32 in 2 x 3 x 3 blocks, 2 x 2 more of
# them than the page shows
ok 'one element of the result' test "$(sed -n "/<g id='dst'/,/<\/g>/p" corner.svg | grep -c "class='used'")" -eq 1
ok 'four pixels of 64 channels' test "$(sed -n "/<g id='feature_map'/,/<\/g>/p" corner.svg | grep -c "class='used'")" -eq $((4 * 64))
ok 'rows that are not written' test "$(sed -n "/<g id='dst'/,/<\/g>/p" corner.svg | grep -c "class='padding'")" -eq $((4 * 16))
expect 'the middle' 0 '' "$aicjit" draw "$layer" -o middle.svg --at 'dst[0,6,3]'
ok 'nine pixels' test "$(sed -n "/<g id='feature_map'/,/<\/g>/p" middle.svg | grep -c "class='used'")" -eq $((9 * 64))
has middle.svg 'Marked: dst[0,6,3] and what it is made from.'
expect 'a chain' 0 '' "$aicjit" draw "$layer | fixpipe(src=int32, dst=int8, quantPre=VREQ8)" -o chain.svg --at 'dst[6,3]'
ok 'nine pixels of it' test "$(sed -n "/<g id='feature_map'/,/<\/g>/p" chain.svg | grep -c "class='used'")" -eq $((9 * 64))
ok 'one word' test "$(sed -n "/<g id='cbufWorkspace'/,/<\/g>/p" chain.svg | grep -c "class='used'")" -eq 1
expect 'a product' 0 '' "$aicjit" draw 'mmad(dtype=float16, m=10, n=12, k=10, a_format=Zz)' -o product.svg --at 'c[3,2]'
ok 'a row' test "$(sed -n "/<g id='a'/,/<\/g>/p" product.svg | grep -c "class='used'")" -eq 10
ok 'a column' test "$(sed -n "/<g id='b'/,/<\/g>/p" product.svg | grep -c "class='used'")" -eq 10

used() { # NAME OPERAND N: elements of it that are marked
    ok "$1: $3 of $2" test "$(sed -n "/<g id='$2'/,/<\/g>/p" any.svg | grep -c "class='used'")" -eq "$3"
}
at() { expect "$1" 0 '' "$aicjit" draw "$2" -o any.svg --at "$3" "${@:4}"; }
at 'a move' 'transdata(dtype=int8, src=ND, dst=Nz, shape=[18,40])' 'dst[0,1,1,3]' # C1, R1, r0, c0: row 17, column 3
used 'a move' src 1
has any.svg '<title>row 17, column 3: element 683, byte 683 = 0x2AB, part of the result that is marked</title>'
at 'padding is of nothing' 'transdata(dtype=int8, src=ND, dst=Nz, shape=[18,40])' 'dst[0,1,9,3]'
used 'padding' src 0
at 'nd2nz' 'nd2nz(dtype=float16, ndNum=1, nValue=5, dValue=20, srcDValue=20, dstNzC0Stride=5, dstNzNStride=1)' 'dst[20]'
used 'nd2nz' src 1
at 'a sum' 'tensor_arithmetic(op=BM_ADD, shape=[1,2,3,4])' 'output[0,1,2,3]'
used 'a sum' input0 1
used 'a sum' input1 1
at 'four batches in a word' 'tensor_arithmetic_quantized(op=BM_MAX, shape=[4,2,1,3])' 'output[0,1,0,2]'
used 'words' input0 1
at 'a scale of its own' 'fixpipe(src=int32, dst=int8, nSize=32, mSize=3, srcStride=3, dstStride=32, quantPre=VREQ8)' 'dst[2,17]'
used 'a scale of its own' src 1
used 'a scale of its own' cbufWorkspace 1
at 'one memory' 'tensor_arithmetic(op=BM_ADD, shape=[1,3,1,4], memory=local, input1_addr=64, output_addr=96)' 'memory[1,25]' \
    --lanes 4 --lane_bytes 256
used 'one memory' memory 3
at 'a filled tile' 'texpands(dtype=float32, rows=16, cols=16)' 'dst[3,3]'
used 'a filled tile' scalar 1

at 'a large move' 'transdata(dtype=int8, src=ND, dst=Nz, shape=[4096,4096])' 'dst[0,0,0,0]'
used 'a large move' src 1
at 'a large convolution' 'conv2d(dtype=int8, fm_shape=[8,56,56,32], kernel_shape=[8,3,3,256,32])' 'dst[3,777,5]'
used 'a large convolution' weight 0 # its column is in none of the blocks that are shown
at 'the old sum' 'mmad(dtype=int8, m=4, n=4, k=32, init_c=false)' 'c[1,2]'
used 'the old sum' a 32
used 'the old sum' c 1

# ---- pages, sizes ----

expect 'a page' 0 '' "$aicjit" draw "$layer" -o page.html
ok 'begins as HTML' test "$(head -c 15 page.html)" = '<!doctype html>'
ok 'and ends' test "$(tail -n 1 page.html)" = '</body></html>'
whole page.html
expect 'a large one' 0 '' timeout 600 "$aicjit" draw 'conv2d(dtype=float16, fm_shape=[64,512,512,16], kernel_shape=[64,3,3,1024,16])' -o large.svg
ok 'is a small file' test "$(stat -c %s large.svg)" -lt 4000000
whole large.svg
while read -r spec; do
    expect "draw $spec" 0 '' "$aicjit" draw "$spec" -o any.svg
    whole any.svg
done < <("$aicjit" list | sed '/^$/,$d' | awk 'NR > 1 { print $1 }' |
    while read -r operator; do "$aicjit" help "$operator" | sed -n "s/^  aicjit check '\(.*\)'\$/\1/p"; done)

# ---- what is refused ----

wrong() { expect "$1" 2 "$2" "$aicjit" draw "${@:3}"; }
wrong 'no file' '-o: is missing' "$layer"
wrong 'no operator' 'the operator text SPEC is missing' -o x.svg
wrong 'another ending' '"x.png" ends in neither .svg nor .html' "$layer" -o x.png
wrong 'no folder' '"none/x.svg" cannot be created' "$layer" -o none/x.svg
wrong 'an illegal operator' 'conv2d: ' 'conv2d(dtype=int8, fm_shape=[1,1,1,32], kernel_shape=[1,3,3,16,32])' -o x.svg
wrong 'an index outside' 'draw: --at: "dst\[0,99,0\]": index 1, howo, is outside 0\.\.31' "$layer" -o x.svg --at 'dst[0,99,0]'
ok 'nothing was written' test ! -e x.svg -a ! -e x.png
finish
