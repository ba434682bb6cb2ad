#!/usr/bin/env bash
# aicjit compare, run --expect, and what run shows of a result that goes to no file.
# shellcheck disable=SC1091,SC2154 # common.bash defines aicjit, work and the operators
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"

# word OFFSET BYTES FILE: overwrites bytes of a file.
# shellcheck disable=SC2059 # the bytes are written as \x escapes
word() { printf "$2" | dd of="$3" bs=1 seek="$1" conv=notrunc status=none; }

# ---- compare ----

npy a.npy '<f4' '(2, 3, 4)' 96
cp a.npy b.npy
expect 'equal files' 0 '^24 elements, 0 differ$' "$aicjit" compare a.npy b.npy
start=$(($(stat -c %s a.npy) - 96))
word $((start + 4 * 17)) '\x02' b.npy # element [1,1,1]
expect 'one element' 1 '^24 elements, 1 differ$' "$aicjit" compare a.npy b.npy
expect 'its coordinates, values and distance' 1 \
    '^  \[1,1,1\]  2\.36942783e-38 \(0x01010101\)  expected 2\.36942811e-38 \(0x01010102\), 1 ulp$' "$aicjit" compare a.npy b.npy
expect '--ulp' 0 '0 differ' "$aicjit" compare a.npy b.npy --ulp 1
expect 'a difference as large as a type has' 0 '0 differ' "$aicjit" compare a.npy b.npy --atol 7e38
expect 'no number' 2 '--atol: "nan" is not a finite number from 0 on' "$aicjit" compare a.npy b.npy --atol nan
expect 'nor an infinity' 2 '--rtol: "1e999" is not a finite number from 0 on' "$aicjit" compare a.npy b.npy --rtol 1e999
expect 'nor less than none' 2 '--rtol: "-1" is not a finite number from 0 on' "$aicjit" compare a.npy b.npy --rtol -1
expect '--atol' 0 '0 differ' "$aicjit" compare a.npy b.npy --atol 1e-40
expect '--rtol' 0 '0 differ' "$aicjit" compare a.npy b.npy --rtol .001
expect 'the least of the limits that allows it' 1 '1 differ' "$aicjit" compare a.npy b.npy --rtol 1e-9 --ulp 0
printf '\x00\x00\xc0\x7f\x00\x00\x00\x80\x00\x00\x80\x7f' >special.bin # NaN, -0, infinity
printf '\x01\x00\xc0\xff\x00\x00\x00\x00\x00\x00\x80\xff' >other.bin  # NaN, 0, -infinity
expect 'NaN is NaN, -0 is not 0, infinities differ' 1 '^3 elements, 2 differ$' "$aicjit" compare special.bin other.bin --dtype float32
expect '-0 comes next to 0' 1 '^3 elements, 1 differ$' "$aicjit" compare special.bin other.bin --dtype float32 --ulp 1
# Limits are of numbers: an infinity is equal to the same infinity only.
printf '\x00\x00\x80\x7f\x00\x00\x00\x00\x00\x00\x80\xff\xff\xff\x7f\x7f\x00\x00\xc0\x7f\x00\x00\x80\x7f' >infinite.bin
printf '\x00\x00\x80\x7f\x00\x00\x80\x7f\x00\x00\x80\x7f\x00\x00\x80\x7f\x00\x00\x80\x7f\x00\x00\x00\x00' >infinities.bin
for limit in '--rtol 1' '--rtol 1e9' '--atol 1e18' '--rtol 1e-3 --atol 1' '--ulp 1' '--rtol 1 --ulp 16777216'; do
    # shellcheck disable=SC2086 # two words or four
    expect "$limit: infinities" 1 '^6 elements, 5 differ$' "$aicjit" compare infinite.bin infinities.bin --dtype float32 $limit
done
for type in int8 uint8 int16 uint16 int32 uint32 uint64 float16 bfloat16 float32; do
    printf '\x01\x01\x01\x01\x01\x01\x01\x01' >x.bin
    printf '\x01\x01\x01\x01\x01\x01\x01\x02' >y.bin
    expect "$type: equal" 0 ' 0 differ' "$aicjit" compare x.bin x.bin --dtype $type
    expect "$type: different" 1 ' 1 differ' "$aicjit" compare x.bin y.bin --dtype $type
done
npy bf.npy '<u2' '(4,)' 8
expect 'bfloat16 in .npy' 0 '^4 elements' "$aicjit" compare bf.npy bf.npy --dtype bfloat16
npy flat.npy '<f4' '(24,)' 96
npy twos.npy '<f4' '(2, 3, 4)' 96
for i in $(seq 0 23); do word $((start + 4 * i)) '\x02' twos.npy; done
expect 'many differences' 1 '^  \.\.\. and 16 more$' "$aicjit" compare a.npy twos.npy
expect 'one axis' 0 '0 differ' "$aicjit" compare a.npy flat.npy
npy lead.npy '<f4' '(1, 2, 3, 4)' 96
expect 'an axis of 1 in front' 0 '0 differ' "$aicjit" compare a.npy lead.npy
npy turned.npy '<f4' '(4, 3, 2)' 96
expect 'another shape is a difference' 1 'different tensors: float32\[2,3,4\] and float32\[4,3,2\]' "$aicjit" compare a.npy turned.npy
npy ints.npy '<i4' '(2, 3, 4)' 96
expect 'another type is a difference' 1 'different tensors: float32\[2,3,4\] and int32\[2,3,4\]' "$aicjit" compare a.npy ints.npy
expect 'one file' 2 'two files A and B are needed, 1 given' "$aicjit" compare a.npy
expect 'three files' 2 'one too many' "$aicjit" compare a.npy a.npy a.npy
expect '.bin without type' 2 'type of a .bin file must be given' "$aicjit" compare x.bin x.bin
expect 'a wrong type' 2 'dtype is float32, not int32' "$aicjit" compare a.npy a.npy --dtype int32
expect 'no type' 2 '"real" is no element type' "$aicjit" compare a.npy a.npy --dtype real
expect 'no file' 2 'No such file' "$aicjit" compare a.npy none.npy
head -c 7 x.bin >seven.bin
expect 'not a whole number of elements' 2 '7 bytes of data are not 1 elements of float32' "$aicjit" compare seven.bin x.bin --dtype float32
mkfifo pipe.bin
expect 'a pipe' 2 'not a regular file' "$aicjit" compare pipe.bin x.bin --dtype int8

# ---- run --expect ----

fills=(--fill feature_map=random:1 --fill weight=random:2)
expect 'a golden result' 0 '' "$aicjit" run "$half" "${fills[@]}" --reference --out dst=golden.npy
expect '--expect' 0 '^dst: 144 of 256 elements compared with "golden.npy", 0 differ$' "$aicjit" run "$half" "${fills[@]}" \
    --expect dst=golden.npy
expect 'with the reference, and --out' 0 '0 differ' "$aicjit" run "$half" "${fills[@]}" --reference --expect dst=golden.npy --out dst=o.npy
ok 'the result is written, too' cmp o.npy golden.npy
cp golden.npy wrong.npy
at=$(($(stat -c %s golden.npy) - 1024 + 4 * 18))
byte=$(od -An -tu1 -j "$at" -N1 golden.npy | tr -d ' ')
word "$at" "\\x$(printf '%02x' $((byte ^ 1)))" wrong.npy
expect '--expect of something else' 1 '144 of 256 elements compared with "wrong.npy", 1 differ' "$aicjit" run "$half" "${fills[@]}" \
    --expect dst=wrong.npy
expect 'its coordinates' 1 '^  \[0,1,2\]  [-0-9.]+ \(0x[0-9A-F]{8}\)  expected [-0-9.]+ \(0x[0-9A-F]{8}\), 1 ulp$' "$aicjit" run "$half" \
    "${fills[@]}" --expect dst=wrong.npy
expect '--ulp 1' 0 '0 differ' "$aicjit" run "$half" "${fills[@]}" --expect dst=wrong.npy --ulp 1
# Rows that conv2d does not write are not compared, whatever the file has there.
cp golden.npy padding.npy
word $(($(stat -c %s golden.npy) - 4)) '\xff\xff\xff\xff' padding.npy
expect 'padding rows do not count' 0 '0 differ' "$aicjit" run "$half" "${fills[@]}" --expect dst=padding.npy
expect 'but those of an old result do' 1 '256 of 256 elements compared.* 1 differ' "$aicjit" run "$half" "${fills[@]}" \
    --fill dst=zeros --expect dst=padding.npy
expect '--expect of an input' 2 'run: --expect: weight is an input' "$aicjit" run "$half" "${fills[@]}" --expect weight=golden.npy
expect '--expect twice' 2 'dst is given twice' "$aicjit" run "$half" "${fills[@]}" --expect dst=golden.npy --expect dst=golden.npy
expect '--expect without a file' 2 'No such file' "$aicjit" run "$half" "${fills[@]}" --expect dst=none.npy
expect '--ulp alone' 2 'no effect without --expect' "$aicjit" run "$half" "${fills[@]}" --ulp 1
quotient='tensor_arithmetic(op=BM_DIV, shape=[1,1,1,3])'
printf '\x00\x00\x80\x7f\x00\x00\x80\xff\x00\x00\x80\x7f' >quotients.bin # 1/0 is none but the first and third
expect '--expect of infinities' 1 '3 of 3 elements compared.* 1 differ' "$aicjit" run "$quotient" --fill input0=const:1 \
    --fill input1=zeros --expect output=quotients.bin --ulp 9223372036854775807
npy shape.npy '<f4' '(2, 8, 16)' 1024
expect '--expect of another shape' 2 'shape is \[2,8,16\], the operand wants \[1,16,16\]' "$aicjit" run "$half" "${fills[@]}" \
    --expect dst=shape.npy

# Rows 20 elements apart: row 1, column 3 is number 23.
rows='fixpipe(src=int32, dst=int32, nSize=16, mSize=3, srcStride=3, dstStride=20)'
expect 'a result by rows' 0 '' "$aicjit" run "$rows" --fill src=const:5 --out dst=rows.npy
cp rows.npy wrong.npy
word $(($(stat -c %s rows.npy) - 4 * (56 - 23))) '\x06\x00\x00\x00' wrong.npy
expect 'coordinates of a result by rows' 1 '^  \[1,3\]  5  expected 6, 1 ulp$' "$aicjit" run "$rows" --fill src=const:5 --expect dst=wrong.npy
expect 'its rows are shown' 0 '^  \[2,0\] 5 5 5 5 5 5 5 5 \.\.\.$' "$aicjit" run "$rows" --fill src=const:5
ok 'and what they are called' grep -qx '  \[row,column\] of \[3,16\]' .out

# ---- where and how far ----

cp golden.npy wrong.npy
start=$(($(stat -c %s golden.npy) - 1024))
word $((start + 4 * 18)) "\\x$(printf '%02x' $((byte ^ 1)))" wrong.npy # [0,1,2]
word $((start + 4 * (5 * 16 + 2))) '\x00\x00\xc0\x7f' wrong.npy        # [0,5,2]: NaN
spec=(--spec "$half")
expect 'compare by an operator' 1 '^256 elements, 2 differ$' "$aicjit" compare wrong.npy golden.npy "${spec[@]}"
ok 'its names' grep -qx 'coordinates: \[Cout/16,howo,Cout%16\]' .out
ok 'its channels' grep -qx '  Cout     1 of 16: 2 (2)' .out
ok 'its rows' grep -qx '  howo     2 of 16: 1 (1), 5 (1)' .out
ok 'its distances' grep -qx '  1                1' .out
ok 'and those of NaN' grep -qx '  NaN and a number 1' .out
expect 'the first difference is traced' 1 '^dst\[0,1,2\] = ' "$aicjit" compare wrong.npy golden.npy "${spec[@]}" "${fills[@]}"
ok 'step by step' grep -q '^conv2d, ho 0, wo 1, output channel 2:$' .out
expect 'files alone' 1 '^  axis     1 of 16: 2 \(2\)$' "$aicjit" compare wrong.npy golden.npy
expect 'nothing differs' 0 '^256 elements, 0 differ$' "$aicjit" compare golden.npy golden.npy "${spec[@]}" "${fills[@]}"
ok 'then there is nothing more' test "$(wc -l <.out)" -eq 1
expect 'a result by rows, alone' 0 '' "$aicjit" run "$rows" --fill src=const:5 --out dst=rows.npy --out src=src.npy
cp rows.npy wrong_rows.npy
word $(($(stat -c %s rows.npy) - 4 * (56 - 23))) '\x0a\x00\x00\x00' wrong_rows.npy
expect 'of what strides describe' 1 '^  row      1 of 3: 1 \(1\)$' "$aicjit" compare wrong_rows.npy rows.npy --spec "$rows" --in src=src.npy
ok 'the column' grep -qx '  column   1 of 16: 3 (1)' .out
ok 'the distance' grep -qx '  5..8             1' .out
ok 'the trace' grep -qx 'dst\[1,3\] = 5' .out
word $(($(stat -c %s rows.npy) - 4 * (56 - 17))) '\x0a\x00\x00\x00' wrong_rows.npy
expect 'in a gap' 1 '^  between rows or blocks: 1$' "$aicjit" compare wrong_rows.npy rows.npy --spec "$rows"
ok 'where it has a number only' grep -q '^  \[#17\]  10  expected 0' .out
expect 'another operand' 0 '^48 elements, 0 differ$' "$aicjit" compare src.npy src.npy --spec "$rows" --operand src
npy nd.npy '<i4' '(4, 4)' 64
cp nd.npy wrong_nd.npy
word $(($(stat -c %s nd.npy) - 4)) '\x02' wrong_nd.npy
expect 'an operator that may have no steps' 1 '^no trace of the first difference: transdata: there is no trace of it|^dst\[3,3\] = ' "$aicjit" compare wrong_nd.npy nd.npy \
    --spec 'transdata(dtype=int32, src=Nz, dst=ND, shape=[4,4])' --fill src=zeros
expect 'with limits' 0 '0 differ$' "$aicjit" compare wrong_rows.npy rows.npy --spec "$rows" --atol 10
expect 'a page' 1 '^256 elements' "$aicjit" compare wrong.npy golden.npy "${spec[@]}" "${fills[@]}" --report page.html
ok 'begins as HTML' test "$(head -c 15 page.html)" = '<!doctype html>'
ok 'and ends' test "$(tail -n 1 page.html)" = '</body></html>'
ok 'it has a map of two cells' test "$(grep -c '^<rect [^>]*><title>' page.html)" -eq 2
ok 'which say where' grep -q '<title>column 2, row 5: 1 differ, at most NaN and a number apart</title>' page.html
ok 'and the trace' grep -q '^dst\[0,1,2\] = ' page.html
ok 'and nothing from outside' test -z "$(grep -E '(<img|<script|<link|url\(|https?://)' page.html)"
expect 'a page of nothing' 0 '' "$aicjit" compare golden.npy golden.npy --report page.html
ok 'says so' grep -q '<h1>aicjit compare: 0 of 256 elements differ</h1>' page.html
expect 'a page that cannot be written' 2 '"none/page.html" cannot be created' "$aicjit" compare golden.npy golden.npy --report none/page.html
expect 'a missing input' 2 'compare: input weight is missing' "$aicjit" compare wrong.npy golden.npy "${spec[@]}" --fill feature_map=random:1
expect 'inputs without an operator' 2 'operands have no effect without --spec' "$aicjit" compare wrong.npy golden.npy "${fills[@]}"
expect 'a name without an operator' 2 '--operand: has no effect without --spec' "$aicjit" compare wrong.npy golden.npy --operand dst
expect 'no such operand' 2 '"out" is no operand' "$aicjit" compare wrong.npy golden.npy "${spec[@]}" --operand out
expect 'a type and an operator' 2 '--dtype: has no effect with --spec' "$aicjit" compare wrong.npy golden.npy "${spec[@]}" --dtype float32
expect 'files of another operator' 2 'the operand wants' "$aicjit" compare wrong.npy golden.npy --spec "$int8"

# ---- what run shows ----

ones=(--fill feature_map=const:1 --fill weight=const:1)
expect 'statistics leave out what is not written' 0 '^dst: int32\[2,16,16\] min 128 max 128 mean 128$' "$aicjit" run "$int8" "${ones[@]}"
expect 'and say so' 0 '^  288 of 512 elements are written' "$aicjit" run "$int8" "${ones[@]}"
expect 'the head of the result' 0 '^  \[0,3,0\] 128 128 128 128 128 128 128 128 \.\.\.$' "$aicjit" run "$int8" "${ones[@]}"
expect 'by the reference, too' 0 '^  288 of 512 elements are written' "$aicjit" run "$int8" "${ones[@]}" --reference
expect 'an old result counts as a whole' 0 '^dst: int32\[2,16,16\] min 7 max 128 ' "$aicjit" run "$int8" "${ones[@]}" --fill dst=const:7
small='conv2d(dtype=int8, fm_shape=[1,1,2,32], kernel_shape=[1,1,1,16,32])'
expect 'rows that are not written' 0 '^  \[0,2,0\] - - - - - - - - \.\.\.$' "$aicjit" run "$small" "${ones[@]}"
expect 'rows of what strides describe' 0 '^  \[1,0,1,0\] 1 1$' "$aicjit" run 'tensor_arithmetic(op=BM_ADD, shape=[2,1,2,2])' \
    --fill input0=const:0 --fill input1=const:1

# ---- a closed pipe ----

closed() { # NAME COMMAND...: COMMAND writes to a reader that is gone; it says nothing and does not die of a signal
    local name=$1 status
    shift
    # shellcheck disable=SC2216 # that it does not read is the point
    status=$({ { "$@" 2>closed.err; echo $? >&3; } | sleep 0; } 3>&1 >/dev/null)
    # The reader may be quick or slow: what is written before it goes is no error.
    ok "$name: silent" test ! -s closed.err
    ok "$name: its exit status is 0 or 3" test "$status" -eq 0 -o "$status" -eq 3
}
for _ in 1 2 3; do
    closed 'list' "$aicjit" list
    closed 'dump' "$aicjit" dump "$int8" --stage asm
    closed 'run' "$aicjit" run "$half" "${fills[@]}"
done

# ---- the folder for dumps ----

AIC_DUMP_DIR=made expect 'AIC_DUMP_DIR is made' 0 '' "$aicjit" run "$half" "${fills[@]}"
ok 'it holds the kernel' test -n "$(find made -name '*.ll')"
AIC_DUMP_DIR=none/made expect 'AIC_DUMP_DIR within no folder' 2 'AIC_DUMP_DIR: "none/made" is no folder to write to' "$aicjit" run "$half" "${fills[@]}"
AIC_DUMP_DIR=golden.npy expect 'AIC_DUMP_DIR is a file' 2 'AIC_DUMP_DIR: "golden.npy" is no folder .*: Not a directory$' "$aicjit" run "$half" "${fills[@]}"
finish
