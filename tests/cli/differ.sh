#!/usr/bin/env bash
# differ: where two readings part, by hand-made cases; the search and the commands it prints; the table of all operators.
# shellcheck disable=SC1091,SC2154 # common.bash defines aicjit, work and the operators
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"

fix='fixpipe(src=int32, dst=int8, format=ROW_MAJOR, nSize=16, mSize=1, srcStride=1, dstStride=16, quantPre=REQ8'
minus="$fix, deqScalar=0x4000BF800000, reluEn=true)" # the scale is -1: -5 gives 0, or 5
plus="$fix, deqScalar=0x40003F800000, reluEn=true)"
member() { # KEY of the object in .out, as Python prints it
    python3 -c 'import json, sys; print(eval(sys.argv[2], {"j": json.load(open(sys.argv[1]))}))' "$work/.out" "$1"
}

expect 'counts' 1 '^16 elements, 16 differ$' "$aicjit" differ "$minus" --profiles document,simulator --fill src=const:-5
expect 'how far' 1 '^  dst\[0,0\]  0  5  5 ulp$' "$aicjit" differ "$minus" --profiles document,simulator --fill src=const:-5
expect 'whose is which' 1 '^element, document, simulator:$' "$aicjit" differ "$minus" --profiles document,simulator --fill src=const:-5
expect 'the choice' 1 '^choices that part them here: relu$' "$aicjit" differ "$minus" --profiles document,simulator --fill src=const:-5
expect 'alike' 0 '^16 elements, 0 differ$' "$aicjit" differ "$plus" --profiles document,document+relu=after --fill src=const:-5

# ---- traces side by side ----

sides='document,document+relu=after'
pair=(differ "$minus" --profiles "$sides" --fill src=const:-5)
expect 'which step parts them' 1 '^they part at the step "relu", marked by > below$' "$aicjit" "${pair[@]}"
expect 'marked' 1 '^> relu +-5 -> 0 .*\|$' "$aicjit" "${pair[@]}"
expect 'steps of both beside each other' 1 '^! [*] scale, to float32 +0 [*] -1 -> -0 .* \| [*] scale, to float32 +-5 [*] -1 -> 5 ' "$aicjit" "${pair[@]}"
expect 'a step of the other alone' 1 '^! +\| relu +5 -> 5 ' "$aicjit" "${pair[@]}"
expect 'steps that are the same' 1 '^  word +(.*) \| word +\1$' "$aicjit" "${pair[@]}"
ok 'one step is the first' test "$("$aicjit" "${pair[@]}" | grep -c '^>')" -eq 1
# The blocks before the last are zeros by either model, though one trace says more of them.
expect 'a sum' 1 '^  k 0\.\.7 .* s 0, acc 0 .* \| k 0\.\.7 +acc 0 ' "$aicjit" differ 'mmad(dtype=float32, m=1, n=1, k=11)' \
    --profiles document,document+sum=sequential --fill a=at:8=1,9=-1,10=1 --fill b=at:8=0.1,9=1,10=1
expect 'without a trace' 1 'they part|no trace' "$aicjit" differ 'texpands(loc=mat, dtype=float16, rows=16, cols=16, v_col=15)' \
    --profiles document,simulator --fill scalar=const:1

# ---- the search ----

expect 'a smallest request' 1 "^again: aicjit differ 'fixpipe\(dst=int8, src=int32, nSize=1, mSize=1, dstStride=1, .*--fill 'src=const:1'$" \
    "$aicjit" differ "$minus" --profiles document,script+relu=after --search 500
expect 'of a file the size stays' 0 '' "$aicjit" run 'transdata(dtype=int32, src=ND, dst=ND, shape=[1,16])' --fill src=const:-5 --out dst=src.npy
expect 'and what it holds' 1 "^again: .*nSize=16, .*--in 'src=src.npy'$" "$aicjit" differ "$minus" --profiles document,simulator --in src=src.npy --search 500
expect 'nothing is found where nothing is' 0 '^16 elements, 0 differ$' "$aicjit" differ "$plus" --profiles document,document+relu=after --search 50
chain='conv2d(dtype=float16, fm_shape=[1,4,4,16], kernel_shape=[1,2,2,16,16]) | fixpipe(src=float32, dst=float32, format=NZ, quantPre=NoQuant)'
expect 'a chain' 1 '^choices that part them here: sum$' "$aicjit" differ "$chain" --profiles document,simulator --search 3000
again=$(sed -n 's/^again: aicjit //p' "$work/.out")
found=$(sed -n '/elements, /,/^they/p' "$work/.out")
eval "expect 'again' 1 '' \"\$aicjit\" $again"
ok 'the same again' test "$(sed -n '/elements, /,/^they/p' "$work/.out")" = "$found"

# ---- JSON ----

expect 'an object' 1 '' "$aicjit" "${pair[@]}" --json
ok 'with what differs' test "$(member '[j["elements"], j["different"], j["largest"], j["ulp"], j["choices"], j["searched"]]')" = "[16, 16, 5, 5, ['relu'], False]"
ok 'and where' test "$(member '[j["first"][k] for k in ("element", "operand", "at", "a", "b")]')" = "[0, 'dst', '[0,0]', '0', '5']"
ok 'and both traces' test "$(member '[j["steps"][j["parts_at"]][k] for k in ("step", "a", "b", "same")]')" = "['relu', '-5 -> 0  [relu=before (F13)]', None, False]"
expect 'alike, an object' 0 '' "$aicjit" differ "$plus" --profiles document,script+relu=after --fill src=const:-5 --json
ok 'without a first' test "$(member '[j["different"], "first" in j]')" = '[0, False]'

# ---- the table ----

expect 'the table' 0 '' "$aicjit" differ --matrix
ok 'tools/readings.md is what the tool prints' cmp "$work/.out" "$root/tools/readings.md"
ok 'every choice is shown where it is said to matter' test "$(grep -c 'no operands found' "$work/.out")" -eq 0
ok 'every operator has a row' test "$(grep -c '^| `' "$work/.out")" -eq "$("$aicjit" list | sed '/^$/,$d' | tail -n +2 | wc -l)"
cp "$work/.out" table.md
while read -r line; do
    eval "expect 'a command of the table' 1 ' differ\$' \"\$aicjit\" $line"
done < <(sed -n 's/^    aicjit //p' table.md)
for key in $("$aicjit" help choices | sed -n 's/^  \([a-z_]*\)  (decision.*/\1/p'); do
    ok "an example of $key" grep -q "^\`$key=" table.md
done
expect 'as an object' 0 '' "$aicjit" differ --matrix --json
ok 'cells' test "$(member '[j["operators"]["mmad"]["simulator"], j["operators"]["transdata"], len({e["key"] for e in j["examples"]})]')" = "[['sum'], {'simulator': [], 'script': [], 'library': []}, 14]"

# ---- what is refused ----

expect 'an unknown profile' 2 'profile: "docs" is none of document, ' "$aicjit" differ "$minus" --profiles document,docs
expect 'an unknown key' 2 'choice: "rely" is none of ' "$aicjit" differ "$minus" --profiles document,document+rely=1
expect 'equal readings' 2 'read everything alike$' "$aicjit" differ "$minus" --profiles script,script
expect 'one profile' 2 'does not name two profiles' "$aicjit" differ "$minus" --profiles script
expect 'fast' 2 'accumulate: fast' "$aicjit" differ "${half%)}, accumulate=fast)" --profiles document,simulator
expect 'winograd' 2 'accumulate: winograd allows' "$aicjit" differ "${half%)}, accumulate=winograd)" --profiles document,simulator
expect 'no operator' 2 'differ: SPEC is missing, or --matrix$' "$aicjit" differ --profiles document,script
expect 'a table of one operator' 2 '[-]-matrix: takes no SPEC' "$aicjit" differ "$minus" --matrix
expect 'a table of other semantics' 2 '[-]-matrix: takes no --overflow ieee' "$aicjit" differ --matrix --overflow ieee
expect 'an element outside' 2 '[-]-fill: src: "16=1" is not INDEX=VALUE with an index in 0\.\.15$' "$aicjit" run "$plus" --fill src=at:16=1
expect 'no pair' 2 '[-]-fill: src: "3" is not INDEX=VALUE' "$aicjit" run "$plus" --fill src=at:3
expect 'no value of the type' 2 '[-]-fill: src: "x" is not an integer in ' "$aicjit" run "$plus" --fill src=at:3=x
finish
