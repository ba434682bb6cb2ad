#!/usr/bin/env bash
# Batch files: operators and convolutions in the format of benchdnn, what they mean, and what is refused of them.
# shellcheck disable=SC1091,SC2154 # common.bash defines aicjit, work and the operators
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"

cat >batch.txt <<'END'
# a comment

   conv2d(dtype=int8, fm_shape=[1,4,4,32], kernel_shape=[1,2,2,32,32])
conv2d( dtype=half, fm_shape=[1, 4, 4, 16], kernel_shape=[1, 2, 2, 16, 16] )
END
printf 'g1mb1ic3ih9oc5oh5kh3sh2ph1n"name(1)"\nic16ih8oc16oh8kh3ph1dh0n"a"' >lines.txt
expect 'batch' 0 '^2 passed, 0 failed$' "$aicjit" check --batch batch.txt
ok 'its comment is counted' grep -q '^batch.txt: 2 read, 0 refused; skipped: 0 options, 1 comments$' .out
expect 'benchmark lines, int8' 0 '^2 passed, 0 failed$' "$aicjit" check --batch lines.txt --dt int8
expect 'benchmark lines, float16' 0 '^2 passed, 0 failed$' "$aicjit" check --batch lines.txt --dt float16
expect 'a problem as SPEC' 0 '^1 passed, 0 failed$' "$aicjit" check 'ic16ih8oc16kh3ph1n"a b"' --dt int8
expect 'benchmark lines without type' 2 'lines.txt:1: --dt' "$aicjit" check --batch lines.txt
expect 'no such batch' 2 '--batch: "none" cannot be read' "$aicjit" check --batch none
expect 'batch is a folder' 2 '--batch: "\." cannot be read' "$aicjit" check --batch .
: >empty.txt
expect 'empty batch' 2 'nothing to check' "$aicjit" check --batch empty.txt

# ---- what lines mean ----

# LINE fm_shape (C1, H, W, C0) kernel_shape (C1, Kh, Kw, Cout, C0) stride pad (left, right, top, bottom) dilation
cat >meanings.txt <<'END'
mb1ic3ih28oc7oh14kh7sh2ph3n"stem"                     1,28,28,16 1,7,7,16,16 2,2 3,2,3,2 1,1
g1_mb1_ic3_ih8_oc16_kh3_n                             1,8,8,16 1,3,3,16,16 1,1 0,0,0,0 1,1
ic17_ih9_iw8_oc16_kh3_kw1_ph1_pw0_sw2                 2,9,8,16 2,3,1,16,16 1,2 0,0,1,1 1,1
ic16ih9oc16oh9kh3dh1ph2                               1,9,9,16 1,3,3,16,16 1,1 2,2,2,2 2,2
ic16ih8oc16oh4kh1sh2ph0                               1,8,8,16 1,1,1,16,16 2,2 0,0,0,0 1,1
ic16ih9oc16oh9kh3                                     1,9,9,16 1,3,3,16,16 1,1 1,1,1,1 1,1
ic16ih8oc16oh8kh2                                     1,8,8,16 1,2,2,16,16 1,1 0,1,0,1 1,1
ic16ih8oc16kh3ph1sh2                                  1,8,8,16 1,3,3,16,16 2,2 1,0,1,0 1,1
ic16iw12oc16kw5pw2                                    1,1,12,16 1,1,5,16,16 1,1 2,2,0,0 1,1
ic16iw12oc16ow6kw3sw2pw1n"1d"                         1,1,12,16 1,1,3,16,16 1,2 1,0,0,0 1,1
ic16iw12oc16kw3dw2                                    1,1,12,16 1,1,3,16,16 1,1 0,0,0,0 1,3
ic16iw12oc16kw3ph0sh1dh0                              1,1,12,16 1,1,3,16,16 1,1 0,0,0,0 1,1
ic16iw7oc16ow7kw3pw1_ih9oh4kh3sh2ph0                  1,9,7,16 1,3,3,16,16 2,1 1,1,0,0 1,1
ic16ih9iw7oc16kh3kw2sh2                               1,9,7,16 1,3,2,16,16 2,1 0,0,0,0 1,1
ic16ih9iw7oc16kh3kw2ph2                               1,9,7,16 1,3,2,16,16 1,1 0,0,2,2 1,1
ic16ih9iw7oc16kh3kw2dh1                               1,9,7,16 1,3,2,16,16 1,1 0,0,0,0 2,1
ic16ih9oc16kh3pw0sw1                                  1,9,9,16 1,3,3,16,16 1,1 0,0,0,0 1,1
ic16id1ih9iw7oc16od1oh9ow7kd1kh3kw3ph1pw1             1,9,7,16 1,3,3,16,16 1,1 1,1,1,1 1,1
ic16id1ih9iw7oc16kd1kh3kw3ph1pw1sd2pd0dd3             1,9,7,16 1,3,3,16,16 1,1 1,1,1,1 1,1
ic16id1oc16kd1                                        1,1,1,16 1,1,1,16,16 1,1 0,0,0,0 1,1
ic16ih0iw9oc16kh0kw3                                  1,1,9,16 1,1,3,16,16 1,1 0,0,0,0 1,1
ic16ih9oc16oh0kh3                                     1,9,9,16 1,3,3,16,16 1,1 0,0,0,0 1,1
ic16ih3oc16kh4sh2                                     1,3,3,16 1,4,4,16,16 2,2 0,1,0,1 1,1
ic16ih3oc16ih9oc32kh3                                 1,9,9,16 1,3,3,32,16 1,1 0,0,0,0 1,1
ic16ih9oc16kh3n%simd!=0(x                             1,9,9,16 1,3,3,16,16 1,1 0,0,0,0 1,1
ic16ih9oc16kh3n"open                                  1,9,9,16 1,3,3,16,16 1,1 0,0,0,0 1,1
oc16kh3ih9ic16                                        1,9,9,16 1,3,3,16,16 1,1 0,0,0,0 1,1
END
sed 's/ .*//' meanings.txt >means.txt
sed -E 's/^[^ ]+ +([^ ]+) ([^ ]+) ([^ ]+) ([^ ]+) ([^ ]+)$/fm_shape=[\1], kernel_shape=[\2], stride=[\3], pad=[\4], dilation=[\5]/' meanings.txt >wanted.txt
expect 'lines of every kind' 0 '' "$aicjit" bench --batch means.txt --dt float16 --json --min-time 0
sed -E 's/.*(fm_shape=.*dilation=[^]]*\]).*/\1/' .out >got.txt
while read -r text <&3 && read -r wanted <&4; do
    read -r got <&5 || got='nothing'
    ok "$text means $wanted, got $got" test "$got" = "$wanted"
done 3<means.txt 4<wanted.txt 5<got.txt

cat >tool.txt <<'END'
# two problems, options and a comment in a line, as in the tool's own files
--reset --dir=FWD_D,BWD_D --cfg=f32
--mode=P mb1ic16ih8oc16kh3n"one"  --attr-post-ops=sum mb1ic16ih8oc16kh1n"two" # a comment
reset
mb1ic16ih8oc16\
   kh3n"three"
--attr-post-ops=add:f32,\
# not part of it

   mul:f32 ic16ih8oc16kh3n"a name"
END
expect 'a file of the tool' 0 '^4 passed, 0 failed$' "$aicjit" check --batch tool.txt --dt int8
ok 'what is skipped is counted' grep -q '^tool.txt: 4 read, 0 refused; skipped: 7 options, 3 comments$' .out

# ---- lines that are refused ----

line() { # NAME PATTERN LINE
    printf '%s\n' "$3" >line.txt
    expect "$1" 2 "line.txt:1: .*$2" "$aicjit" check --batch line.txt --dt int8
}
line 'groups' 'g = 2 is outside 1\.\.1' 'g2ic32ih8oc32oh8kh3ph1'
line 'no groups' 'g = 0 is outside 1\.\.1' 'g0ic32ih8oc32oh8kh3ph1'
line 'images' 'mb = 2 is outside 1\.\.1' 'mb2ic32ih8oc32oh8kh3ph1'
line 'depth' 'id = 4' 'ic32id4ih8oc32oh8kh3ph1'
line 'a cube' 'id = 5' 'ic32oc32_id5od5kd3pd1_n"3d"'
line 'depth of the kernel' 'kd = 3' 'ic32id1ih8oc32kd3kh3pd1'
line 'padded depth' 'pd = 1' 'ic32id1ih8iw8oc32kd1kh3kw3pd1'
line 'depth and height' 'iw is missing' 'ic32id1ih8oc32kd1kh3'
line 'depth and width' 'ih is missing' 'ic32id1iw8oc32kd1kw3'
expect 'an operator is not of this format' 2 "^aicjit: conv2d: expected '\\(' instead of 'd' \\(column 8\\)" \
    "$aicjit" check 'conv2d dtype=int8'
line 'unknown key' 'column 5' 'ic32zz8'
line 'only an unknown key' 'column 1' 'zz8ic32'
line 'no number' 'column' 'ic32ih8ockh'
line 'a sign' 'column' 'ic32ih-8oc32kh3'
line 'a letter in a number' 'column' 'ic32ih0x8oc32kh3'
line 'channels missing' 'ic is missing' 'ih8oc32kh3'
line 'key missing' 'kh is missing' 'ic32ih8oc32'
line 'input missing' 'ih is missing' 'ic32oc32kh3'
line 'a stride alone' 'iw is missing' 'ic32ih8oc32kh3sw2'
line 'a padding alone' 'iw is missing' 'ic32ih8oc32kh3pw1'
line 'no axis' 'ih and iw are missing' 'ic32oc32'
line 'output size' 'oh = 3 does not follow' 'ic32ih8oc32oh3kh3ph1'
line 'one stride left over' 'oh = 3 does not follow' 'ic32ih8oc32oh3kh1sh2ph0'
line 'no output' 'oh = -1' 'ic32ih3oc32kh5'
line 'negative padding' 'ph = -1, which follows from oh = 9' 'ic32ih27oc32oh9kh1sh3'
line 'huge value' 'ih = ' 'ic32ih99999999999999999999oc32kh3'
line 'limits of the operator' 'fm_shape' 'ic32ih5000oc32kh3'
line 'stride 0' 'sh = 0' 'ic32ih8oc32kh3sh0'
line 'kernel 0' 'kh is missing or 0' 'ic32ih8oc32kh0'
line 'PTO-AS is no problem' 'texpands' 'pto.texpands'
# Every key at its limits, in one, two and three dimensions: done or refused.
for key in g mb ic oc id ih iw od oh ow kd kh kw sd sh sw pd ph pw dd dh dw; do
    for value in 0 1 255 1048576 1048577; do
        printf '%s\n' "ic16iw4oc16kw2$key$value" "ic16ih4oc16kh2$key$value" "ic16id1ih4iw4oc16kd1kh2kw2$key$value"
    done
done >limits.txt
expect 'values at their limits' 0 '^[1-9][0-9]* passed, 0 failed$' "$aicjit" check --batch limits.txt --dt int8 --skip-refused

# ---- one refused line does not end a batch ----

many() { # FILE with three legal lines; numbers of refused ones behind it
    local file=$1 number
    shift
    "$aicjit" check --batch "$file" --dt int8 >many.out 2>many.err
    verdict "$file: exit status" "$(($? != 2))" 'not 2'
    ok "$file: the others are checked" grep -q '^3 passed, 0 failed$' many.out
    ok "$file: refused lines are counted" grep -q "^$file: 3 read, $# refused; " many.out
    ok "$file: the sum comes last" test "$(tail -n 1 many.out)" = '3 passed, 0 failed'
    for number in "$@"; do
        ok "$file:$number is reported" grep -q "^aicjit: $file:$number: " many.err
    done
    ok "$file: nothing else is" test "$(wc -l <many.err)" -eq $#
    expect "$file: --skip-refused" 0 '^3 passed, 0 failed$' "$aicjit" check --batch "$file" --dt int8 --skip-refused
}
printf '%s\n\nconv2d(dtype=int9)\n%s\nfrob\n%s\n' "$int8" "$half" "$int8" >operators.txt
many operators.txt 3 5
printf 'ic16ih8oc16kh3\ng2ic16ih8oc16kh3 ic16ih8oc16kh1 ic0\n--x\nic16ih8oc16kh2\nic16ih8oc16oh1kh2\n' >problems.txt
many problems.txt 2 2 5
{
    printf '%s\n%s\0\n%s\n' "$int8" "$int8" "$half"
    head -c 200000 /dev/zero | tr '\0' 'a'
    printf '\nic16\134\nzz3\n%s\134' "$int8" # backslashes
} >lengths.txt
many lengths.txt 2 4 5

printf '%s\n\nconv2d(dtype=int9)\n' "$int8" >wrong.txt
expect 'a wrong line is named' 2 'wrong.txt:3: ' "$aicjit" check --batch wrong.txt
expect 'bench goes on' 2 'wrong.txt:3: ' "$aicjit" bench --batch wrong.txt --min-time 0
ok 'bench: the other line' grep -q 'conv2d(dtype=int8' .out
expect 'bench --json --skip-refused' 0 '^wrong.txt: 1 read, 1 refused' "$aicjit" bench --batch wrong.txt --min-time 0 --json --skip-refused
ok 'JSON stays JSON' test "$(grep -vc '^{.*}$' .out)" -eq 0
echo 'conv2d(dtype=int9)' >none.txt
expect 'no line is legal' 2 'none.txt:1: ' "$aicjit" check --batch none.txt
"$aicjit" check --batch none.txt --skip-refused 2>none.err
verdict 'no line is legal, skipped: exit status' "$(($? != 2))" 'not 2'
ok 'no line is legal, skipped: message' grep -q 'nothing to check' none.err
printf '%s\0\n' "$int8" >zero.txt
expect 'a zero byte' 2 'zero.txt:1: ' "$aicjit" check --batch zero.txt
head -c 200000 /dev/zero | tr '\0' 'a' >wide.txt
expect 'an endless line' 2 'wide.txt:1: ' "$aicjit" check --batch wide.txt

# ---- a line in place of operator text ----

problem='ic16ih8oc16kh3ph1n"a b"'
canonical='conv2d\(dtype=int8, fm_shape=\[1,8,8,32\], kernel_shape=\[1,3,3,16,32\]'
expect 'fmt reads a problem' 0 "^$canonical" "$aicjit" fmt "$problem" --dt int8
expect 'run does' 0 '^dst: int32\[1,64,16\]' "$aicjit" run "$problem" --dt int8 --fill feature_map=zeros --fill weight=zeros
expect 'dump does' 0 '^schedule' "$aicjit" dump "$problem" --dt int8 --stage plan
expect 'explain does' 0 "^$canonical" "$aicjit" explain "$problem" --dt int8
for command in run dump explain fmt; do
    expect "$command: a problem without type" 2 '^aicjit: --dt: is missing' "$aicjit" $command "$problem"
    expect "$command: a wrong problem" 2 'ih = 0|ih is missing|is missing' "$aicjit" $command 'ic16oc16kh3' --dt int8
done
finish
