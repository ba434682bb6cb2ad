#!/usr/bin/env bash
# Files that the tool reads and writes: pipes with and without a name, what has no end, what is no file; and a limit on
# what it may write.
# shellcheck disable=SC1091,SC2154,SC2034,SC2016 # common.bash defines aicjit, work and the operators; names of names; inner shells expand
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"

copy='transdata(dtype=int8, src=ND, dst=Nz, shape=[16,32])'
fill='%t = texpands 1.0 : f32, !pto.tile<vec, 16x16xf32>'

# ---- pipes ----

printf '%s\n' "$copy" >batch.txt
printf '%s\n' "$fill" >fill.pto
"$aicjit" bench "$copy" --json --min-time 0 >rows.json
# What each kind of text is called, a line that is read as one, what comes of it, and of nothing.
batch=("$aicjit" check --batch)
compare=("$aicjit" bench "$copy" --min-time 0 --compare)
program=("$aicjit" run --reference --pto)
declare -A text=([batch]=batch.txt [compare]=rows.json [program]=fill.pto)
declare -A good=([batch]='^1 passed, 0 failed$' [compare]='1 of 1 rows are in it' [program]='float32\[256\] min 1 max 1')
declare -A nothing=([batch]='nothing to check' [compare]='0 of 1 rows' [program]='')
declare -A status=([batch]=2 [compare]=0 [program]=0)
for kind in batch compare program; do
    declare -n command=$kind
    expect "$kind: a file" 0 "${good[$kind]}" "${command[@]}" "${text[$kind]}"
    expect "$kind: a pipe" 0 "${good[$kind]}" sh -c 'cat "$0" | "$@" /dev/stdin' "${text[$kind]}" "${command[@]}"
    # shellcheck disable=SC2016 # the inner shell expands
    expect "$kind: process substitution" 0 "${good[$kind]}" bash -c '"${@:2}" <(cat "$1")' bash "${text[$kind]}" "${command[@]}"
    expect "$kind: a pipe without writer" "${status[$kind]}" "${nothing[$kind]}" sh -c 'true | "$@" /dev/stdin' sh "${command[@]}"
    expect "$kind: nothing" "${status[$kind]}" "${nothing[$kind]}" "${command[@]}" /dev/null
    expect "$kind: no end" 2 'has more than [0-9]* bytes' "${command[@]}" /dev/zero
    expect "$kind: lines without end" 2 'has more than [0-9]* bytes' sh -c 'yes "#" | "$@" /dev/stdin' sh "${command[@]}"
    expect "$kind: a large file" 2 'has more than [0-9]* bytes' sh -c 'truncate -s 1G large && "$@" large' sh "${command[@]}"
    expect "$kind: a folder" 2 'cannot be read: Is a directory' "${command[@]}" .
    expect "$kind: no file" 2 'cannot be read: No such file' "${command[@]}" none

    # A pipe with a name is waited for, which is said: until a writer comes, or a signal.
    mkfifo named
    : >err.txt
    "${command[@]}" named >out.txt 2>err.txt &
    pid=$!
    until grep -q 'waiting for somebody to write to "named"' err.txt || ! kill -0 $pid; do sleep 0.1; done
    cat "${text[$kind]}" >named
    wait $pid
    ok "$kind: a writer who comes late" test $? -eq 0
    ok "$kind: what he writes is read" grep -Eq "${good[$kind]}" out.txt err.txt
    : >err.txt
    "${command[@]}" named >out.txt 2>err.txt &
    pid=$!
    until grep -q 'waiting' err.txt || ! kill -0 $pid; do sleep 0.1; done
    kill -INT $pid
    wait $pid
    ok "$kind: a signal ends the wait" test $? -eq 1
    rm named
done

# ---- operands and tuning files are regular files ----

mkfifo pipe.bin
ln -s /dev/zero zero.bin
mkdir folder.bin
head -c 512 /dev/zero >x.bin
for name in pipe zero folder; do
    expect "--in: $name" 2 'not a regular file' "$aicjit" run "$copy" --in src=$name.bin
    expect "--expect: $name" 2 'not a regular file' "$aicjit" run "$copy" --in src=x.bin --expect dst=$name.bin
    expect "compare: $name" 2 'not a regular file' "$aicjit" compare x.bin $name.bin --dtype int8
    expect "--db: $name" 2 'cannot be (written|read): (it is no file|Is a directory)' "$aicjit" tune "$copy" --budget 0 --db $name.bin
    expect "--merge: $name" 2 'cannot be read: it is no file' "$aicjit" tune --merge $name.bin -o merged.txt
done

# ---- a limit on the size of files ----

int8_fill=(--fill feature_map=zeros --fill weight=zeros)
limit() { # NAME COMMAND...: with 1 KiB a file it is an error of the system, and leaves nothing
    local name=$1
    shift
    expect "$name" 3 "$(strerror)" env GCOV_PREFIX="$work" bash -c 'ulimit -f 1; "$@"' bash "$@"
    ok "$name: no file" test -z "$(find . -name 'limited*' -type f -size +0)"
    ok "$name: no temporary file" test -z "$(find . -name '.aicjit*' -o -name 'limited.*.*')"
    rm -rf limited limited.*
}
strerror() { echo 'File too large'; }
limit '--out' "$aicjit" run "$int8" "${int8_fill[@]}" --out dst=limited.bin
limit 'dump' "$aicjit" dump "$int8" --stage asm -o limited
limit 'export' "$aicjit" export "$int8" -o limited --header limited.h
limit '--report' "$aicjit" tune "$copy" --budget 0 --trials 1 --report limited
limit 'standard output' sh -c '"$@" >.stdout' sh "$aicjit" dump "$int8" --stage asm
for i in 1 2 3 4 5 6; do printf '%s\n' "${copy/16,32/$i,32}"; done >six.txt
limit '--json' sh -c '"$@" >.stdout' sh "$aicjit" bench --batch six.txt --min-time 0 --json
limit '--repro' "$aicjit" dump "$int8" --repro limited
"$aicjit" tune "$copy" --budget 0 --trials 1 --db tuned.txt >/dev/null
for i in $(seq 60); do echo "# a comment, the $i. of many"; done >>tuned.txt
cp tuned.txt before.txt
limit '--merge' "$aicjit" tune --merge tuned.txt -o tuned.txt
limit '--db' "$aicjit" tune "$int8" --budget 0 --trials 1 --db tuned.txt
ok 'the tuning file is as it was' cmp tuned.txt before.txt
finish
