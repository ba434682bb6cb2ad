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
expect 'fuzz leaves such operators out' 0 'operators are left out: only the reference' "$aicjit" check --fuzz 20 --seed 1 --op fixpipe --profile script
expect 'dump' 2 'only the reference computes' "$aicjit" dump "$half" "${zero[@]}"
expect 'bench' 2 'only the reference computes' "$aicjit" bench "$half" "${zero[@]}" --min-time 0
expect 'tune' 2 'only the reference computes' "$aicjit" tune "$half" "${zero[@]}" --db t.txt
expect 'export' 2 'only the reference computes' "$aicjit" export "$half" "${zero[@]}" -o k.o --header k.h
expect 'explain' 2 'only the reference computes' "$aicjit" explain "$half" "${zero[@]}"

expect 'an unknown profile' 2 'run: profile: "docs" is none of document, simulator, script, library$' "$aicjit" run "$minus" --profile docs
expect 'two profiles' 2 '[-]-profile is given twice' "$aicjit" run "$minus" --profile script --profile script
expect 'an unknown key' 2 'choice: "rely" is none of sum, ' "$aicjit" run "$minus" --choice rely=after
expect 'an unknown value' 2 'choice: relu: "never" is not before or after$' "$aicjit" run "$minus" --choice relu=never
expect 'no value' 2 '"relu" is not KEY=VALUE' "$aicjit" run "$minus" --choice relu
expect 'a key twice' 2 '[-]-choice: relu is given twice' "$aicjit" run "$minus" --choice relu=after --choice relu=before

finish
