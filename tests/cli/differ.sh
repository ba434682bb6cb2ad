#!/usr/bin/env bash
# differ: where two readings part, by hand-made cases.
# shellcheck disable=SC1091,SC2154 # common.bash defines aicjit, work and the operators
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"

fix='fixpipe(src=int32, dst=int8, format=ROW_MAJOR, nSize=16, mSize=1, srcStride=1, dstStride=16, quantPre=REQ8'
minus="$fix, deqScalar=0x4000BF800000, reluEn=true)" # the scale is -1: -5 gives 0, or 5
plus="$fix, deqScalar=0x40003F800000, reluEn=true)"

expect 'counts' 1 '^16 elements, 16 differ$' "$aicjit" differ "$minus" --profiles document,simulator --fill src=const:-5
expect 'the choice' 1 '^choices that part them here: relu$' "$aicjit" differ "$minus" --profiles document,simulator --fill src=const:-5
expect 'a trace' 1 '^dst\[0,0\] = 5$' "$aicjit" differ "$minus" --profiles document,document+relu=after --fill src=const:-5
expect 'alike' 0 '^16 elements, 0 differ$' "$aicjit" differ "$plus" --profiles document,document+relu=after --fill src=const:-5
expect 'a search' 1 '^of these 1 elements other than 0 suffice$' "$aicjit" differ "$minus" --profiles document,script+relu=after --search 500
expect 'an unknown profile' 2 'profile: "docs" is none of document, ' "$aicjit" differ "$minus" --profiles document,docs
expect 'an unknown key' 2 'choice: "rely" is none of ' "$aicjit" differ "$minus" --profiles document,document+rely=1
expect 'equal readings' 2 'read everything alike$' "$aicjit" differ "$minus" --profiles script,script
expect 'one profile' 2 'does not name two profiles' "$aicjit" differ "$minus" --profiles script
expect 'fast' 2 'accumulate: fast' "$aicjit" differ "${half%)}, accumulate=fast)" --profiles document,simulator
finish
