#!/usr/bin/env bash
# --choice and --profile: results of other readings by the reference, and what kernels refuse.
# shellcheck disable=SC1091,SC2154 # common.bash defines aicjit, work and the operators
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"

fix='fixpipe(src=int32, dst=int8, format=ROW_MAJOR, nSize=16, mSize=1, srcStride=1, dstStride=16, quantPre=REQ8'
minus="$fix, deqScalar=0x4000BF800000, reluEn=true)" # the scale is -1
plus="$fix, deqScalar=0x40003F800000, reluEn=true)"
fill=(--fill src=const:-5)
# of what kernels do not compute
half='fixpipe(src=float32, dst=float16, nSize=16, mSize=1, srcStride=1, dstStride=16, quantPre=F322F16, reluEn=true)'
zero=(--choice relu_zero=product)

expect 'the default' 0 'min 0 max 0 ' "$aicjit" run "$minus" "${fill[@]}"
expect 'the reference computes a choice' 0 'min 5 max 5 ' "$aicjit" run "$minus" "${fill[@]}" --reference --choice relu=after
expect 'a result says by which' 0 '^choices: relu=after$' "$aicjit" run "$minus" "${fill[@]}" --reference --choice relu=after
expect 'a profile' 0 '^choices: sum=sequential, offset_sign=unsigned, scale_bits=full, offset_clamp=none, relu=after, mat_valid=valid$' \
    "$aicjit" run "$minus" "${fill[@]}" --reference --profile simulator
expect 'a choice after a profile' 0 'min 0 max 0 ' "$aicjit" run "$minus" "${fill[@]}" --reference --choice relu=before --profile simulator
expect 'a kernel computes it, too' 0 'min 5 max 5 ' "$aicjit" run "$minus" "${fill[@]}" --choice relu=after
expect 'and says by which' 0 '^choices: relu=after$' "$aicjit" run "$minus" "${fill[@]}" --choice relu=after
expect 'a kernel refuses another' 2 'fixpipe: only the reference computes relu_zero=product$' "$aicjit" run "$half" "${fill[@]}" "${zero[@]}"
expect 'a kernel that does not depend on it' 0 'min 0 max 0 ' "$aicjit" run "$plus" "${fill[@]}" --choice relu=after
expect 'a trace' 0 '^choices: relu=after$' "$aicjit" explain "$minus" "${fill[@]}" --at 'dst[3]' --choice relu=after
expect 'its last line' 0 '^dst\[(0,)?3\] = 5$' "$aicjit" explain "$minus" "${fill[@]}" --at 'dst[3]' --choice relu=after

expect 'check' 0 '^1 passed, 0 failed$' "$aicjit" check "$plus" --choice relu=after
expect 'check by a choice' 0 '^1 passed, 0 failed$' "$aicjit" check "$minus" --choice relu=after
expect 'check of what no kernel computes' 2 'check: fixpipe: only the reference computes relu_zero=product' "$aicjit" check "$half" "${zero[@]}"
printf '.arg %%t : !pto.tile_buf<loc=mat, dtype=f16, rows=16, cols=16, v_row=3>\n%s\n' \
    'pto.texpands ins(1.0 : f16) outs(%t : !pto.tile_buf<loc=mat, dtype=f16, rows=16, cols=16, v_row=3>)' >mat.pto
expect 'check of a program that no kernel computes' 2 'check: texpands: only the reference computes mat_valid=valid' "$aicjit" check --pto mat.pto --choice mat_valid=valid
expect 'fuzz leaves such operators out' 0 'operators are left out: only the reference' "$aicjit" check --fuzz 20 --seed 1 --op fixpipe --profile script
expect 'dump' 2 'only the reference computes' "$aicjit" dump "$half" "${zero[@]}"
expect 'bench' 2 'only the reference computes' "$aicjit" bench "$half" "${zero[@]}" --min-time 0
expect 'tune' 2 'only the reference computes' "$aicjit" tune "$half" "${zero[@]}" --db t.txt
expect 'export' 2 'only the reference computes' "$aicjit" export "$half" "${zero[@]}" -o k.o --header k.h
expect 'explain' 2 'only the reference computes' "$aicjit" explain "$half" "${zero[@]}"

# What is made under other readings says so, and what is made under the documents' says nothing.
after=(--choice relu=after)
says() { # NAME PATTERN COMMAND...
    local name=$1 pattern=$2
    shift 2
    expect "$name says by which" 0 "$pattern" "$@" "${after[@]}"
    expect "$name of the documents" 0 '' "$@"
    ok "$name says nothing of the documents' own" test -z "$(grep -h 'choices:' .out k.h repro/repro.ll what.html 2>/dev/null)"
    rm -rf k.h repro what.html golden
}
says check '^choices: relu=after$' "$aicjit" check "$minus"
says explain '^choices: relu=after$' "$aicjit" explain "$minus"
says bench '^choices: relu=after$' "$aicjit" bench "$minus" --min-time 0
says 'bench --json' '"choices":("relu=after"|""),' "$aicjit" bench "$minus" --min-time 0 --json
says 'dump --stage ir' '^;   choices: relu=after$' "$aicjit" dump "$minus" --stage ir
# shellcheck disable=SC2016 # what is in single quotes is for the inner shell
says 'a reproducer' '^;   choices: relu=after$' sh -c '"$0" dump "$1" --repro repro ${2:+"$2" "$3"} && cat repro/repro.ll' "$aicjit" "$minus"
# shellcheck disable=SC2016
says 'a header' '^ \*     choices: relu=after$' sh -c '"$0" export "$1" -o k.o --header k.h ${2:+"$2" "$3"} && cat k.h' "$aicjit" "$minus"
says 'a diagnosis' '"choices": ("relu=after"|""), ' "$aicjit" run "$minus" "${fill[@]}" --diagnose --json
# shellcheck disable=SC2016
says 'its page' '>choices: relu=after<' sh -c '"$0" run "$1" --fill src=const:-5 --diagnose --report what.html ${2:+"$2" "$3"} && cat what.html' "$aicjit" "$minus"
# shellcheck disable=SC2016
says 'golden data' '"key": "relu", "value": "after"' sh -c 'rm -rf golden; "$0" golden "$1" -o golden ${2:+"$2" "$3"} && cat golden/manifest.json' "$aicjit" "$minus"

# --choice stands over --overflow and --rounding, which stand over --profile.
large=(--fill src=const:70000)
big="fixpipe(src=float32, dst=float16, nSize=16, mSize=1, srcStride=1, dstStride=16, quantPre=F322F16)"
expect 'overflow by the option' 0 'min inf max inf ' "$aicjit" run "$big" "${large[@]}" --overflow ieee
expect 'a choice stands over it' 0 'min 65504 max 65504 ' "$aicjit" run "$big" "${large[@]}" --choice overflow=saturate --overflow ieee
expect 'in any order' 0 'min 65504 max 65504 ' "$aicjit" run "$big" "${large[@]}" --overflow ieee --choice overflow=saturate
shift_right='tensor_arithmetic_quantized(op=BM_MUL, shape=[1,1,1,1], rshift_bit=1, input1_is_const=true, input1_addr=1)'
one=(--fill input0=const:1)
expect 'rounding by a profile' 0 'min 1 max 1 ' "$aicjit" run "$shift_right" "${one[@]}" --profile library
expect 'an option stands over it' 0 'min 0 max 0 ' "$aicjit" run "$shift_right" "${one[@]}" --rounding floor --profile library
expect 'a choice over both' 0 'min 1 max 1 ' "$aicjit" run "$shift_right" "${one[@]}" --choice rounding=half_up --rounding floor --profile library
expect 'help says so' 0 'stands over' "$aicjit" help choices

expect 'an unknown profile' 2 'run: profile: "docs" is none of document, simulator, script, library$' "$aicjit" run "$minus" --profile docs
expect 'two profiles' 2 '[-]-profile is given twice' "$aicjit" run "$minus" --profile script --profile script
expect 'an unknown key' 2 'choice: "rely" is none of sum, ' "$aicjit" run "$minus" --choice rely=after
expect 'an unknown value' 2 'choice: relu: "never" is not before or after$' "$aicjit" run "$minus" --choice relu=never
expect 'no value' 2 '"relu" is not KEY=VALUE' "$aicjit" run "$minus" --choice relu
expect 'a key twice' 2 '[-]-choice: relu is given twice' "$aicjit" run "$minus" --choice relu=after --choice relu=before

finish
