#!/usr/bin/env bash
# aicjit help and list: every operator and command, and what is meant by a wrong word.
# shellcheck disable=SC1091,SC2154 # common.bash defines aicjit, work and the operators
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"

expect 'list' 0 '^  conv2d  +[a-z]' "$aicjit" list
"$aicjit" list >list.txt
sed '/^$/,$d' list.txt | awk 'NR > 1 { print $1 }' >operators.txt
sed '1,/^commands:/d' list.txt | awk '{ print $1 }' >commands.txt
ok 'list names operators' test "$(wc -l <operators.txt)" -ge 11
ok 'list names commands' test "$(wc -l <commands.txt)" -ge 9
while read -r operator; do
    expect "help $operator" 0 "^$operator: " "$aicjit" help "$operator"
    "$aicjit" help "$operator" >help.txt
    # The example is legal, and its text has every key that the help lists.
    example=$(sed -n "s/^  aicjit check '\(.*\)'\$/\1/p" help.txt)
    expect "the example of $operator" 0 "^$operator\\(" "$aicjit" fmt "$example"
    # A key that was added to a released list is printed where it is not its default: groups.
    all=$example
    test "$operator" != conv2d || all='conv2d(dtype=int8, fm_shape=[1,8,9,32], kernel_shape=[1,3,3,32,1], groups=32)'
    "$aicjit" fmt "$all" | grep -oE '[A-Za-z0-9_]+=' | sort >keys.txt
    sed -nE 's/^  ([A-Za-z0-9_]+=).*/\1/p' help.txt | sort >listed.txt
    ok "help $operator lists the keys, no more and no less" cmp keys.txt listed.txt
    expect "the example of $operator passes" 0 '^[0-9]+ passed, 0 failed' "$aicjit" check "$example"
done <operators.txt
while read -r command; do
    expect "help $command" 0 "usage: aicjit $command" "$aicjit" help "$command"
done <commands.txt
expect 'help choices' 0 'before  \[vendor\]' "$aicjit" help choices
expect 'help choices has profiles' 0 'offset_sign=unsigned, n_field=bare, shift=nearest' "$aicjit" help choices
expect 'help' 0 'tensor_arithmetic_quantized' "$aicjit" help
expect 'help shows defaults' 0 'stride=\[2 integers\]  \(default \[1,1\]; 1\.\.63\)' "$aicjit" help conv2d
expect 'help lists what rules accept' 0 '^  loc=vec\|mat  \(default vec\)$' "$aicjit" help texpands
expect 'of types' 0 '^  dtype=int8\|float16  \(required\)$' "$aicjit" help conv2d
expect 'of layouts' 0 '^  a_format=ND\|Zz  \(default ND\)$' "$aicjit" help mmad
ok 'and nothing that they refuse' test -z "$("$aicjit" help tensor_arithmetic_quantized | grep -E 'BM_(DIV|RSQRT|SG)')"
while read -r operator; do
    "$aicjit" help "$operator" >help.txt
    ok "help $operator: no key is without values" test -z "$(grep -E '^  [A-Za-z0-9_]+=(type|layout|word)  ' help.txt)"
done <operators.txt
expect 'help shows chains' 0 'conv2d\(\.\.\.\) \| fixpipe\(\.\.\.\)' "$aicjit" help fixpipe
expect 'help shows operands of chains' 0 'l1out  \[Cout/16, round_howo, 16\]; channel: \[Cout\]' "$aicjit" help conv2d
expect 'help shows what is between' 0 'with tensor_arithmetic\(\.\.\.\) between' "$aicjit" help mmad
expect 'help on nothing known' 2 '"frob" is no operator and no command \(' "$aicjit" help frob
expect 'help, did you mean an operator' 2 'did you mean texpands\?' "$aicjit" help texpand
expect 'help, did you mean a command' 2 'did you mean bench\?' "$aicjit" help bnech
expect 'help says which cells keep their value' 0 'those of 4N and 2N keep their value' "$aicjit" help transdata
expect 'help takes one name' 2 'one too many' "$aicjit" help conv2d mmad
expect 'list takes none' 2 'one too many' "$aicjit" list conv2d

expect 'did you mean: command' 2 'unknown command "chekc"; did you mean check\?' "$aicjit" chekc
expect 'did you mean: option' 2 'unknown option "--fil"; did you mean --fill\?' "$aicjit" run --fil a=zeros
expect 'did you mean: operator' 2 'did you mean conv2d\?' "$aicjit" fmt 'conv2()'
expect 'did you mean: key' 2 'did you mean stride\?' "$aicjit" fmt "${int8%)}, strides=[1,1])"
expect 'did you mean: value' 2 'did you mean float16\?' "$aicjit" fmt 'mmad(dtype=flaot16, m=1, n=1, k=1)'
expect 'did you mean: word' 2 'did you mean BM_ADD\?' "$aicjit" fmt 'tensor_arithmetic(op=BM_ADDD, shape=[1,1,1,1])'

expect 'the manual page' 0 '^\.TH AICJIT 1 ' "$aicjit" help --format man
while read -r command; do
    ok "it has $command" grep -q "^\.SS \"aicjit $command " .out
done <commands.txt
while read -r operator; do
    ok "it has $operator" grep -q "^\.SS $operator\$" .out
done <operators.txt
ok 'no line begins like a request of its own' test -z "$(grep '^[.'\'']' .out | grep -Ev '^\.(TH|SH|SS|TP|PP|B|I|br|ad|nf|fi)( |$)')"
expect 'completion' 0 '^complete .*-F _aicjit aicjit$' "$aicjit" help --format bash
ok 'it is bash' bash -n .out
expect 'a format of one operator' 2 '--format: man is about all of them' "$aicjit" help conv2d --format man
expect 'no format' 2 '--format: "html" is none of' "$aicjit" help --format html
finish
