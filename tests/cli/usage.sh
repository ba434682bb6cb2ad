#!/usr/bin/env bash
# Commands and options: help, versions, every kind of wrong command line.
# shellcheck disable=SC1091,SC2154 # common.bash defines aicjit, work and the operators
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"

expect 'help' 0 'usage: aicjit COMMAND' "$aicjit" --help
expect 'version' 0 '^aicjit [0-9]+\.[0-9]+\.[0-9]+ \(LLVM [0-9]' "$aicjit" --version
expect 'no command' 2 'no command' "$aicjit"
expect 'unknown command' 2 '"frobnicate"' "$aicjit" frobnicate
expect 'an option as a command' 2 'unknown command "--pto"' "$aicjit" --pto
for command in run check dump explain bench tune cache info fmt; do
    expect "$command --help" 0 "usage: aicjit $command" "$aicjit" "$command" --help
    "$aicjit" "$command" --help >help.txt
    expect "$command: unknown option" 2 '"--frobnicate"' "$aicjit" "$command" --frobnicate
    expect "$command: --limits without value" 2 '^aicjit: [a-z]+: --limits: its value' "$aicjit" "$command" --limits
    expect "$command: --limits wrong" 2 '--limits: "maybe" is none of document\|host' "$aicjit" "$command" --limits maybe
    for option in rounding lanes lane_bytes ub_bytes l1_bytes; do
        ok "$command --help lists --$option" grep -qe "--$option " help.txt
    done
    expect "$command: --limits twice" 2 '--limits is given twice' "$aicjit" "$command" --limits host --limits=host
done
for command in run dump explain; do
    expect "$command: no SPEC" 2 'SPEC is missing' "$aicjit" "$command"
    expect "$command: two SPECs" 2 'one too many' "$aicjit" "$command" "$int8" "$int8"
done
expect 'check: nothing' 2 'nothing to check' "$aicjit" check
expect 'bench: nothing' 2 'nothing to measure' "$aicjit" bench
expect 'info takes no SPEC' 2 'one too many' "$aicjit" info "$int8"

for n in 0 1025 -1 x '' 1.5 99999999999999999999; do
    expect "--threads '$n'" 2 "--threads: \"$n\" is not an integer in 1\\.\\.1024" "$aicjit" run "$int8" --threads "$n"
done
for n in 0 -1 x 1e3 1099511627777; do
    expect "--fuzz $n" 2 "--fuzz: \"$n\" is not an integer in 1\\.\\." "$aicjit" check --fuzz "$n"
done
for n in -1 x nan inf 3601; do
    expect "--min-time $n" 2 "--min-time: \"$n\" is not a number in 0\\.\\.3600" "$aicjit" bench "$int8" --min-time "$n"
done
expect '--json takes no value' 2 '--json takes no value' "$aicjit" bench "$int8" --json=yes
expect '--op' 2 '--op: "frob" is none of the operators: conv2d' "$aicjit" check --fuzz 1 --op frob
expect '--stage' 2 '--stage: "elf" is none of ir' "$aicjit" dump "$int8" --stage elf
expect '--stage, a part of a name' 2 '--stage: "op" is none of' "$aicjit" dump "$int8" --stage op
expect '--weights' 2 '--weights: "soft" is none of' "$aicjit" bench "$int8" --weights soft
expect '--dt' 2 '--dt: "f64" is none of' "$aicjit" bench "$int8" --dt f64
expect 'SPEC behind --' 0 'dst: int32' "$aicjit" run --fill feature_map=zeros --fill weight=zeros -- "$int8"
expect 'a message stays one line' 2 '"a\?b\?c"' "$aicjit" "$(printf 'a\nb\tc')"

# What is refused late has printed nothing; `expect` looks at that.
printf '%s\n' 'pto.texpands ins(1.0 : f32) outs(%t : !pto.tile_buf<dtype=f32, rows=8, cols=8>)' >one.pto
for command in check bench; do
    expect "$command --schedule" 2 'schedule\(\.\.\.\)' "$aicjit" "$command" "$int8" --schedule foo
    expect "$command SPEC and no program" 2 '"none.pto" cannot be read' "$aicjit" "$command" "$int8" --pto none.pto
done
expect 'bench --isa all --schedule' 2 'schedule\(\.\.\.\)' "$aicjit" bench "$int8" --isa all --schedule foo
expect 'fuzz and no program' 2 '"none.pto" cannot be read' "$aicjit" check --fuzz 1 --pto none.pto
expect 'fmt SPEC and no program' 2 '"none.pto" cannot be read' "$aicjit" fmt "$int8" --pto none.pto
expect 'fmt SPEC and a wrong one' 2 'unknown operator' "$aicjit" fmt "$int8" 'conv(dtype=int8)'
for command in dump explain; do
    expect "$command: a program, --isa unknown" 2 'sse9' "$aicjit" "$command" --pto one.pto --isa sse9
    expect "$command: a program, --schedule" 2 'schedule\(\.\.\.\)' "$aicjit" "$command" --pto one.pto --schedule foo
done
expect 'dump: a program, --target' 2 '"z80" is no triple' "$aicjit" dump --pto one.pto --target z80

for command in run check bench; do
    expect "$command --isa unknown" 2 'isa: "sse9"' "$aicjit" "$command" "$int8" --isa sse9
    AIC_MAX_ISA=sse9 expect "$command AIC_MAX_ISA unknown" 2 'sse9' "$aicjit" "$command" "$int8"
done
expect 'dump --isa unknown' 2 'sse9' "$aicjit" dump "$int8" --isa sse9
about_host | sed -n 's/^instruction set levels://p' >levels
lacking=$(grep -oE '[a-z0-9+]+ \(not on this host\)' levels | head -n 1 | cut -d' ' -f1)
if [ -n "$lacking" ]; then
    expect 'run: a level that the host lacks' 2 "lacks.*${lacking//+/.}" "$aicjit" run "$int8" --isa "$lacking"
    expect 'bench: a level that the host lacks' 2 "lacks.*${lacking//+/.}" "$aicjit" bench "$int8" --isa "$lacking"
    expect 'dump: a level that the host lacks' 0 'define' "$aicjit" dump "$int8" --isa "$lacking"
fi
expect 'info' 0 'float32 peak +[0-9.]+ GMAC/s' "$aicjit" info
finish
