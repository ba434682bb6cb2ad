#!/usr/bin/env bash
# aicjit run and fmt on texpands: scalars as values, PTO-AS statements, programs, and what is refused.
# shellcheck disable=SC1091,SC2154 # common.bash defines aicjit and work
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"

floats() { od -An -v -w4 -tf4 "$1" | xargs; }

full='!pto.tile_buf<loc=vec, dtype=f32, rows=2, cols=8, v_row=2, v_col=8, blayout=row_major, slayout=none_box, fractal=512, pad=0>'

# ---- a scalar as a value ----

tile='texpands(dtype=float32, rows=2, cols=8, v_row=1, v_col=3)'
expect 'scalar as a value' 0 '' "$aicjit" run "$tile" --in scalar=1.5 --out dst=dst.bin --reference
ok 'the region is filled' test "$(floats dst.bin)" = '1.5 1.5 1.5 0 0 0 0 0 0 0 0 0 0 0 0 0'
expect 'scalar as a bit pattern' 0 'max 1 ' "$aicjit" run "$tile" --in scalar=0x3F800000 --reference
printf '\x00\x00\x00\x40' >two.bin
expect 'scalar from a file' 0 'max 2 ' "$aicjit" run "$tile" --in scalar=two.bin --reference
expect 'dynamic sizes' 0 '' "$aicjit" run 'texpands(dtype=f32, rows=2, cols=8, v_row=dyn, v_col=dyn)' --in scalar=3 \
    --in v_row=2 --in v_col=1 --out dst=dyn.bin --reference
ok 'dynamic sizes count' test "$(floats dyn.bin)" = '3 0 0 0 0 0 0 0 3 0 0 0 0 0 0 0'
expect 'a ConvTile' 0 'float16\[12544\] min 3 max 3' "$aicjit" run \
    'texpands(arch=A5, loc=mat, dtype=float16, layout=NC1HWC0, shape=[1,16,7,7,16])' --in scalar=3 --reference
expect 'no scalar' 2 'input scalar is missing: give --in scalar=VALUE' "$aicjit" run "$tile" --reference
expect 'scalar out of range' 2 'scalar: 128 is outside -128\.\.127' "$aicjit" run \
    'texpands(dtype=int8, rows=1, cols=32)' --in scalar=128 --reference
expect 'scalar that would be infinite' 2 'scalar: 65520 is outside float16' "$aicjit" run \
    'texpands(dtype=half, rows=1, cols=16)' --in scalar=65520 --reference
expect 'a valid size too large' 2 'v_row: valid_row = 3 is outside 0\.\.2' "$aicjit" run \
    'texpands(dtype=f32, rows=2, cols=8, v_row=?)' --in scalar=3 --in v_row=3 --reference

expect 'hexadecimal fills are bits' 0 'min 1 max 1 ' "$aicjit" run 'texpands(dtype=f32, rows=1, cols=8)' \
    --fill scalar=const:0x3F800000
npy zero.npy '<f4' '()' 4
expect 'an array without dimensions' 0 '' "$aicjit" run "$tile" --in scalar=zero.npy --reference
expect 'is one element' 2 'shape is \[\], the operand wants \[16\]' "$aicjit" run "$tile" --in scalar=1 --in dst=zero.npy

# ---- a statement as operator text ----

expect 'a statement runs' 0 'int8\[1024\] min 7 max 7' "$aicjit" run '%d = texpands 7 : i8, !pto.tile<32x32xi8>' --reference
expect 'a statement with a scalar' 0 'float32\[16\] min 5 max 5' "$aicjit" run \
    'pto.texpands ins(%s : f32) outs(%d : !pto.tile<2x8xf32>)' --in scalar=5 --reference
expect 'an error has line and column' 2 'f33 is not a type .*line 1, column 41' "$aicjit" run \
    '%d = texpands %s : f32, !pto.tile<16x16xf33>' --in scalar=5

# ---- ConvTiles, whose body is our own ----

conv='!pto.tile_buf<loc=mat, dtype=f16, layout=NC1HWC0, shape=[1,16,7,7,16]>'
e3="%d = texpands 3.0 : f16, $conv"
expect 'E3' 0 '' "$aicjit" run "$e3" --out dst=e3.bin
ok 'E3: 12544 elements 0x4200' test "$(od -An -v -tx2 -w2 e3.bin | sort | uniq -c | xargs)" = '12544 4200'
expect 'E3 by the reference' 0 '12544 elements compared .*, 0 differ' "$aicjit" run "$e3" --reference --expect dst=e3.bin
expect 'E3 as operator text' 0 '0 differ' "$aicjit" run \
    'texpands(loc=mat, dtype=float16, layout=NC1HWC0, shape=[1,16,7,7,16])' --in scalar=3 --expect dst=e3.bin
expect 'fmt of a ConvTile' 0 "^pto\.texpands ins\(%s : f16\) outs\(%t : ${conv//[/\\[}\)\$" "$aicjit" fmt \
    '%t = texpands %s : f16, !pto.tile<layout=NC1HWC0, shape=[ 1,16,7, 7,16 ], dtype=half, loc=Mat>'
expect 'check of a ConvTile' 0 '^1 passed, 0 failed' "$aicjit" check "$e3"
expect 'E4 on A2A3' 2 'layout: NDC1HWC0 is not' "$aicjit" run \
    '%t = texpands 1 : i32, !pto.tile<loc=mat, dtype=i32, layout=NDC1HWC0, shape=[2,2,3,2,1,8]>' --arch A2A3
expect 'rows of a ConvTile' 2 'rows: 4 is given to a ConvTile \(layout, shape\), which has no rows \(line 1, column 102\)' "$aicjit" \
    run '%d = texpands 3.0 : f16, !pto.tile_buf<loc=mat, dtype=f16, layout=NC1HWC0, shape=[1,16,7,7,16], rows=4>'
cat >conv.pto <<'PTO'
.arg %s : f16
.arg %w : !pto.tile<loc=mat, dtype=i8, layout=FRACTAL_Z, shape=[1,2,16,32]>
%a = texpands %s : f16, !pto.tile<loc=mat, dtype=f16, layout=NC1HWC0, shape=[1,1,1,2,16], buffer_size=40>
pto.texpands ins(-2 : i8)
  outs(%w : !pto.tile<loc=mat, dtype=i8, layout=FRACTAL_Z, shape=[1,2,16,32]>)
PTO
for way in '' --reference; do
    # shellcheck disable=SC2086 # none, or one word
    expect "a program with ConvTiles $way" 0 '' "$aicjit" run --pto conv.pto --in s=1.5 --fill a=const:9 --out a=a.bin --out w=w.bin $way
    ok "its first $way" test "$(od -An -v -tx2 -w2 a.bin | uniq -c | xargs)" = '32 3e00 8 4880'
    ok "its second $way" test "$(od -An -v -tx1 -w1 w.bin | uniq -c | xargs)" = '1024 fe'
done
expect 'check of it' 0 '^3 passed, 0 failed' "$aicjit" check --pto conv.pto
expect 'fmt of it' 0 'layout=NC1HWC0, shape=\[1,1,1,2,16\], buffer_size=40>' "$aicjit" fmt --pto conv.pto
cp .out conv2.pto
expect 'fmt of what fmt printed of ConvTiles' 0 '' "$aicjit" fmt --pto conv2.pto
ok 'is the same again' cmp conv2.pto .out
sed -i 's/%w : !pto.tile<loc=mat, dtype=i8, layout=FRACTAL_Z, shape=\[1,2,16,32\]>)/%w : !pto.tile<loc=mat, dtype=i8, layout=FRACTAL_Z, shape=[2,2,16,32]>)/' conv.pto
expect 'another shape is another type' 2 '%w has another type \(line 5, column' "$aicjit" run --pto conv.pto --in s=1

# ---- the architecture of a statement ----

bf16='%d = texpands 1.0 : bf16, !pto.tile<mat, 16x32xbf16>'
echo "$bf16" >bf16.txt
expect 'A5 has no bfloat16' 2 'dtype: bfloat16' "$aicjit" run "$bf16"
expect 'run: A2A3 has' 0 'bfloat16\[512\] min 1 max 1' "$aicjit" run "$bf16" --arch A2A3
expect 'check: A2A3 has' 0 '^2 passed, 0 failed' "$aicjit" check "$bf16" --arch A2A3 --batch bf16.txt
expect 'dump: A2A3 has' 0 'define' "$aicjit" dump "$bf16" --arch A2A3
expect 'explain: A2A3 has' 0 'arch=A2A3' "$aicjit" explain "$bf16" --arch A2A3
expect 'bench: A2A3 has' 0 'arch=A2A3' "$aicjit" bench "$bf16" --arch A2A3 --min-time 0.001
expect 'fmt: A2A3 has' 0 'dtype=bf16' "$aicjit" fmt "$bf16" --arch A2A3
for command in run check dump explain bench fmt; do
    expect "$command: operator text names its own" 2 '--arch: has no effect on "texpands\(' "$aicjit" $command "$tile" --arch A5
done
echo "$tile" >tile.txt
expect 'lines of a file name their own' 2 'tile\.txt:1: --arch: has no effect' "$aicjit" check "$bf16" --arch A2A3 --batch tile.txt
expect 'pseudo-random operators do' 2 '--arch: has no effect on the operators of --fuzz' "$aicjit" check --fuzz 1 --arch A5
expect 'placement is of programs' 2 '--placement: has no effect without --pto' "$aicjit" run "$tile" --in scalar=1 --placement auto

# ---- programs ----

cat >program.pto <<'PTO'
# two tiles
.arg %s : f32
.arg %a : !pto.tile<2x8xf32>
%b = texpands %s : f32, !pto.tile<vec, 2x8xf32, valid=?x2>
pto.texpands ins(0.5 : f32)
  outs(%a : !pto.tile<2x8xf32>) ; // done
PTO
expect 'a program runs' 0 '' "$aicjit" run --pto program.pto --in s=4 --in b:v_row=1 --out a=a.bin --out b=b.bin --reference
ok 'its first tile' test "$(floats a.bin)" = '0.5 0.5 0.5 0.5 0.5 0.5 0.5 0.5 0.5 0.5 0.5 0.5 0.5 0.5 0.5 0.5'
ok 'its second tile' test "$(floats b.bin)" = '4 4 0 0 0 0 0 0 0 0 0 0 0 0 0 0'
expect 'old contents' 0 '' "$aicjit" run --pto program.pto --in s=4 --in b:v_row=1 --in b=a.bin --out b=b.bin --reference
ok 'what is not filled stays' test "$(floats b.bin)" = '4 4 0.5 0.5 0.5 0.5 0.5 0.5 0.5 0.5 0.5 0.5 0.5 0.5 0.5 0.5'
mkdir folder
ln -s folder link
ln -s folder/d.bin dangling.bin
for pair in 'a.bin ./a.bin' 'folder/c.bin link/c.bin' 'dangling.bin folder/d.bin' 'a.npy a.npy'; do
    expect "outputs to $pair" 2 '--out: a and b go to the same file' "$aicjit" run --pto program.pto --in s=4 \
        --in b:v_row=1 --out "a=${pair% *}" --out "b=${pair#* }"
done
ok 'nothing is left behind' test -z "$(ls -A folder)"
expect 'unknown argument' 2 '"c" is none of the operands s, a, b, b:v_row' "$aicjit" run --pto program.pto --in c=1
expect 'missing argument' 2 'input b:v_row is missing' "$aicjit" run --pto program.pto --in s=1
expect 'an error of a run has line and column' 2 'valid_row = 3 is outside 0\.\.2 \(line 4, column 1\)' "$aicjit" run \
    --pto program.pto --in s=1 --in b:v_row=3 --reference
expect 'text and program' 2 'an operator text is given, too' "$aicjit" run "$tile" --pto program.pto
expect 'no such program' 2 'cannot be read' "$aicjit" run --pto none.pto
expect 'a folder' 2 'cannot be read: Is a directory' "$aicjit" run --pto .
printf '%%t = texpands 1.0 : bf16, !pto.tile<mat, 16x16xbf16>\n' >bf16.pto
expect 'not on A5' 2 'dtype: bfloat16 .*line 1, column 1' "$aicjit" run --pto bf16.pto
expect 'on A2A3' 0 'bfloat16\[256\] min 1 max 1' "$aicjit" run --pto bf16.pto --arch A2A3 --reference
expect 'manual placement' 2 'address: %t is not bound here' "$aicjit" run --pto bf16.pto --arch A2A3 --placement manual
printf 'pto.tassign %%t, @tile(16)\n%%t = texpands 1.0 : f32, !pto.tile<8x8xf32>\n' >bound.pto
expect 'an address' 2 'address: 16 is not a multiple of 32 \(line 2, column 1\)' "$aicjit" run --pto bound.pto
expect 'automatic placement' 0 'max 1' "$aicjit" run --pto bound.pto --placement auto --reference

printf 'pto.tassign %%t, @tile(-32)\n%%t = texpands 1.0 : f32, !pto.tile<8x8xf32>\n' >negative.pto
expect 'a negative address' 2 'address: -32 is negative \(line 2, column 1\)' "$aicjit" run --pto negative.pto
expect 'has no effect' 0 'max 1' "$aicjit" run --pto negative.pto --placement auto --reference

# ---- tiles over each other ----

cat >over.pto <<'PTO'
.arg %a : !pto.tile<2x8xf32>
pto.tassign %a, @tile(0)
pto.tassign %u, @tile(0)
%u = texpands 2.0 : f32, !pto.tile<vec, 2x8xf32, valid=1x3>
PTO
for _ in {1..16}; do printf '\x00\x00\x80\x40'; done >four.bin
for way in '' --reference; do
    # shellcheck disable=SC2086 # none, or one word
    expect "a new tile over an argument $way" 0 '' "$aicjit" run --pto over.pto --in a=four.bin --out a=a.bin \
        --out u=u.bin $way
    ok 'leaves what it does not fill' test "$(floats a.bin)" = '2 2 2 4 4 4 4 4 4 4 4 4 4 4 4 4'
    ok 'both are the same memory' cmp a.bin u.bin
done

# ---- capacities ----

e6='texpands(arch=A2A3, dtype=float32, rows=128, cols=128, manual=true, address=0x20020)'
expect 'beyond the buffer' 2 'beyond the 196608 of vec of A2A3' "$aicjit" run "$e6" --in scalar=2
expect 'a larger buffer' 0 'float32\[16384\] min 2 max 2' "$aicjit" run "$e6" --in scalar=2 --ub_bytes 196640
expect 'a smaller one' 2 'beyond the 196576 of vec \(ub_bytes\)' "$aicjit" run "$e6" --in scalar=2 --ub_bytes 196576
expect 'L1 is another memory' 2 'beyond the 196608 of vec of A2A3' "$aicjit" run "$e6" --in scalar=2 --l1_bytes 1048576
expect 'capacities come in blocks' 2 'ub_bytes: 100 is .*no multiple of 32' "$aicjit" run "$e6" --ub_bytes 100
expect '0 is the default' 2 'beyond the 196608 of vec of A2A3' "$aicjit" run "$e6" --in scalar=2 --ub_bytes 0
expect 'capacities are checked' 0 '^1 passed, 0 failed' "$aicjit" check "$e6" --ub_bytes 196640
printf 'pto.tassign %%t, @tile(0x80000)\n%%t = texpands 1.0 : f32, !pto.tile<mat, 8x8xf32>\n' >far.pto
expect 'a program beyond L1' 2 'beyond the 524288 of mat of A5 \(line 2, column 1\)' "$aicjit" run --pto far.pto
expect 'a program in a larger L1' 0 'float32\[64\] min 1 max 1' "$aicjit" run --pto far.pto --l1_bytes 524544
expect 'fmt of such a program' 0 '@tile\(524288\)' "$aicjit" fmt --pto far.pto --l1_bytes 524544
"$aicjit" dump "$e6" --ub_bytes 196640 | grep -o '@aic_texpands_[0-9a-f]*' | head -n 1 >name.1
"$aicjit" dump "$e6" --ub_bytes 196672 | grep -o '@aic_texpands_[0-9a-f]*' | head -n 1 >name.2
ok 'kernels have names of their own' test -s name.1 -a "$(cat name.1)" != "$(cat name.2)"

# ---- groups as kernels ----

cat >group.pto <<'PTO'
.arg %s : f32
pto.tassign %a, @tile(0)
pto.tassign %b, @tile(64)
pto.tassign %c, @tile(0x1000)
%a = texpands %s : f32, !pto.tile<2x8xf32>
%b = texpands %s : f32, !pto.tile<2x8xf32>
%c = texpands 0.5 : f32, !pto.tile<2x8xf32>
pto.texpands ins(1.0 : f32) outs(%c : !pto.tile<2x8xf32>)
PTO
mkdir group
AIC_VERBOSE=1 AIC_DUMP_DIR=group "$aicjit" run --pto group.pto --in s=4 --out a=a.bin --out b=b.bin --out c=c.bin 2>log.txt
ok 'two groups are two kernels' test "$(grep -c '^aicjit: compiled' log.txt)" = 2
ok 'the group is named after its statements' grep -q 'compiled texpands x3.* aic_texpands_x3_[0-9a-f]*$' log.txt
ok 'a kernel has four files' test "$(find group -name '*.ll' -o -name '*.s' -o -name '*.o' -o -name '*.txt' | wc -l)" = 8
# the statements on a and b have one function, which the entry points of both call; that on c has another
bodies() { grep -c "^$1 .*@aic_texpands_x3_[0-9a-f]*_$2_boxes(" group/aic_texpands_x3_*.ll; }
ok 'equal statements have one function' test "$(bodies define '[0-9]') $(bodies define 0)" = '2 1'
ok 'and call it each' test "$(bodies '  call void' 0) $(bodies '  call void' 2)" = '2 1'
ok 'the first tiles' test "$(floats a.bin) $(floats b.bin)" = "$(printf '4 %.0s' {1..32} | sed 's/ $//')"
ok 'the last store counts' test "$(floats c.bin)" = '1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1'

# ---- fmt ----

expect 'fmt of a statement' 0 "^pto\.texpands ins\(%s : f32\) outs\(%d : $full\)\$" "$aicjit" fmt \
    '%d = texpands %s : f32, !pto.tile<2x8xf32>'
expect 'fmt of operator text' 0 '^texpands\(arch=A5, loc=vec, .* v_row=2, v_col=8' "$aicjit" fmt 'texpands(dtype=f32,rows=2,cols=8)'
expect 'fmt of a program' 0 "^\.arg %a : $full\$" "$aicjit" fmt --pto program.pto
"$aicjit" fmt --pto program.pto >canonical.pto
expect 'fmt of what fmt printed' 0 '' "$aicjit" fmt --pto canonical.pto
ok 'is the same' cmp canonical.pto .out
expect 'fmt without text' 2 'neither an operator text SPEC nor --pto FILE' "$aicjit" fmt
printf '%%d = texpands %%s : f32, !pto.tile<2x8xf32>\n' >undefined.pto
expect 'a program with an undefined value' 2 '%s is not defined.*line 1, column 15' "$aicjit" fmt --pto undefined.pto


# ---- programs in the other commands ----

echo '%d = texpands 1.0 : f32, !pto.tile<16x16xf32>' >one.pto
echo '%d = texpands 1.0 : f32, !pto.tile<16x16xf33>' >wrong.pto

cat >several.pto <<'PTO'
.arg %s : f32
.arg %n : !pto.tile<f32, 2, 8>
%b = texpands %s : f32, !pto.tile<vec, 2x8xf32, valid=?x2>
pto.texpands ins(0.5 : f32) outs(%n : !pto.tile<2x8xf32>) {stage = 1}
%c = texpands 0.5 : f32, !pto.tile<f32, 2, 8>
PTO
expect 'check --pto: the program and its two kinds of statements' 0 '^3 passed, 0 failed$' "$aicjit" check --pto several.pto
expect 'check --pto, beside operators' 0 '^4 passed, 0 failed$' "$aicjit" check --pto several.pto "$tile"
expect 'check --pto with a seed' 0 '^3 passed, 0 failed$' "$aicjit" check --pto several.pto --seed 9 --isa generic
expect 'explain --pto' 0 '^several.pto:3:$' "$aicjit" explain --pto several.pto
ok 'both kinds of statements' test "$(grep -c '^texpands(' .out)" -eq 2
expect 'dump --pto' 0 '^; several.pto:4$' "$aicjit" dump --pto several.pto
ok 'two modules' test "$(grep -c 'define .*aic_texpands_' .out)" -ge 2
expect 'dump --pto --stage asm' 0 '' "$aicjit" dump --pto several.pto --stage asm -o several.s
ok 'in a file' grep -q '^# several.pto:4$' several.s
expect 'an object holds one' 2 'the program has 2 different statements' "$aicjit" dump --pto several.pto --stage obj -o several.o
expect 'of one it is written' 0 '' "$aicjit" dump --pto one.pto --stage obj -o one.o
ok 'the object is there' test -s one.o
expect 'bench --pto' 0 '^\{"spec":"several.pto","choices":"","kernel":"program",.*"bytes":152,"median_ns":[0-9.]+,.*"cache":"miss"\}$' "$aicjit" bench \
    --pto several.pto --json --min-time 0.001
expect 'bench --pto, a table' 0 ' several.pto$' "$aicjit" bench --pto several.pto --min-time 0.001
for command in dump explain check bench; do
    expect "$command --pto: no file" 2 '--pto: "none.pto" cannot be read' "$aicjit" $command --pto none.pto
    expect "$command --pto: a wrong program" 2 'f33 is not a type' "$aicjit" $command --pto wrong.pto
    expect "$command: --placement alone" 2 'no effect without --pto' "$aicjit" $command "$tile" --placement auto
done
: >empty.pto
for command in dump explain check; do
    expect "$command --pto: no statement" 2 'the program has no texpands statement' "$aicjit" $command --pto empty.pto
done
for command in dump explain; do
    expect "$command: text and program" 2 'an operator text is given, too' "$aicjit" $command "$tile" --pto several.pto
done
expect 'a program has no trace' 2 '--at: has no effect on a program' "$aicjit" explain --pto several.pto --at 'b[0]'
finish
