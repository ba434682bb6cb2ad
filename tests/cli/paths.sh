#!/usr/bin/env bash
# Messages about paths of any length: which file it is, by the end of its name, and what is wrong with it.
# shellcheck disable=SC1091,SC2154 # common.bash defines aicjit, work and the operators
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"

component=$(printf 'd%.0s' {1..200})
for length in 2 12; do
    long=.
    for ((i = 0; i < length; i++)); do long+=/$component; done
    # says NAME STATUS CAUSE FILE COMMAND...: the message ends with the cause, and names the file's end.
    says() {
        local name=$1
        expect "$name, $((length * 200)) bytes" "$2" "$4\"?.*$3" "${@:5}"
    }
    none='No such file or directory'
    fills=(--fill feature_map=zeros --fill weight=zeros)
    says 'an operand' 2 "$none" last.npy "$aicjit" run "$int8" --in "feature_map=$long/last.npy" --fill weight=zeros
    says 'a result' 2 "$none" last.npy "$aicjit" run "$int8" "${fills[@]}" --out "dst=$long/last.npy"
    says 'what is expected' 2 "$none" last.npy "$aicjit" run "$int8" "${fills[@]}" --expect "dst=$long/last.npy"
    says 'a batch' 2 "$none" last.txt "$aicjit" check --batch "$long/last.txt"
    says 'a program' 2 "$none" last.pto "$aicjit" run --pto "$long/last.pto"
    says 'a network' 2 "$none" folder "$aicjit" network explain "$long/folder"
    says 'an object' 2 "$none" last.o "$aicjit" export "$int8" -o "$long/last.o" --header last.h
    says 'a header' 2 "$none" last.h "$aicjit" run --object last.so --header "$long/last.h" --name kernel
    if [ "$length" -eq 2 ]; then # whose names have limits of their own
        says 'golden data' 2 "$none" folder "$aicjit" golden "$int8" -o "$long/folder"
        says 'golden data to verify' 2 "$none" folder "$aicjit" verify "$long/folder"
    fi
    says 'a reproducer' 2 "$none" folder "$aicjit" dump "$int8" --repro "$long/folder"
    says 'a dump' 2 "$none" last.s "$aicjit" dump "$int8" --stage asm -o "$long/last.s"
    says 'a comparison' 2 "$none" last.npy "$aicjit" compare "$long/last.npy" "$long/last.npy"
    says 'a folder of dumps' 2 "$none" folder env AIC_DUMP_DIR="$long/folder" "$aicjit" run "$int8" "${fills[@]}"
    says 'a tuning file' 2 "$none" last.txt "$aicjit" tune "$int8" --budget 0.1 --db "$long/last.txt"
    says 'a picture' 2 "$none" last.svg "$aicjit" draw "$int8" -o "$long/last.svg"
    says 'measurements' 2 "$none" last.json "$aicjit" bench "$int8" --min-time 0.01 --compare "$long/last.json"
    says 'the module' 3 "$none" module.so env AIC_CODEGEN="$long/module.so" "$aicjit" run "$int8" "${fills[@]}"
    AIC_TUNING_DB="$long/last.txt" "$aicjit" run "$int8" "${fills[@]}" >said.txt 2>&1
    ok "a tuning file that is not used, $((length * 200)) bytes" grep -Eq 'last\.txt" is not there' said.txt
done

# The folder is there, and what is wrong is in it.
long=.
for ((i = 0; i < 12; i++)); do
    long+=/$component
    mkdir -p "$long"
done
length=12
printf '%s\n' '# aicjit network, version 1' 'constant w last.npy' >"$long/network.txt"
says 'a constant' 2 'line 2: last.npy: No such file' 'network.txt' "$aicjit" network explain "$long"
echo wrong >"$long/last.txt"
printf '%s\n' 'pto.texpands ins(1.0 : f32) outs(%t : !pto.tile_buf<dtype=f32, rows=8, cols=8>)' >"$long/last.pto"
for command in dump explain; do
    "$aicjit" "$command" --pto "$long/last.pto" >said.txt 2>&1
    ok "$command: where a statement is" grep -q "^\(; \)\?$long/last.pto:1:\?$" said.txt
done
says 'a line of a batch' 2 'unknown operator' 'last.txt:1: wrong' "$aicjit" check --batch "$long/last.txt"
says 'a damaged tuning file' 2 'is no tuning file' 'last.txt' "$aicjit" tune "$int8" --budget 0.1 --db "$long/last.txt"
says 'an operand of no format' 2 'ends in neither' 'last.txt' "$aicjit" run "$int8" --in "feature_map=$long/last.txt" --fill weight=zeros
finish
