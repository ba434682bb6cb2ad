# Completion of aicjit for bash, made by `aicjit help --format bash`.
_aicjit() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}
    local options='' choices='' subjects='' specs='' found
    local commands='run check dump explain network export bench tune cache compare differ golden verify draw rules fmt info list help '
    local operators='conv2d mmad fixpipe tik_fixpipe nd2nz load_data load_data_transpose transdata tensor_arithmetic tensor_arithmetic_quantized texpands '
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        mapfile -t COMPREPLY < <(compgen -W "$commands --help --version" -- "$word")
        return
    fi
    case ${COMP_WORDS[1]} in
    run) options='--in --fill --quantise --out --expect --ulp --diagnose --json --report --reference --pto --placement --object --header --name --dt --arch --threads --isa --limits --overflow --rounding --lanes --lane_bytes --ub_bytes --l1_bytes --profile --choice --help' specs=$operators ;;
    check) options='--batch --skip-refused --fuzz --seed --op --schedule --pto --placement --dt --arch --threads --isa --limits --overflow --rounding --lanes --lane_bytes --ub_bytes --l1_bytes --profile --choice --help' specs=$operators ;;
    dump) options='--stage -o --isa --target --passes --schedule --repro --in --fill --quantise --pto --placement --dt --arch --limits --overflow --rounding --lanes --lane_bytes --ub_bytes --l1_bytes --profile --choice --help' specs=$operators ;;
    explain) options='--at --in --fill --quantise --isa --schedule --measure --json --pto --placement --dt --arch --limits --overflow --rounding --lanes --lane_bytes --ub_bytes --l1_bytes --profile --choice --help' specs=$operators ;;
    network) options='--in --fill --quantise --out --expect --ulp --reference --min-time --json -o --header --name --target --threads --isa --limits --overflow --rounding --lanes --lane_bytes --ub_bytes --l1_bytes --profile --choice --help' ;;
    export) options='-o --header --name --isa --target --passes --schedule --batch --skip-refused --dt --arch --limits --overflow --rounding --lanes --lane_bytes --ub_bytes --l1_bytes --profile --choice --help' specs=$operators ;;
    bench) options='--batch --skip-refused --json --schedule --compare --report --weights --min-time --pto --placement --dt --arch --threads --isa --limits --overflow --rounding --lanes --lane_bytes --ub_bytes --l1_bytes --profile --choice --help' specs=$operators ;;
    tune) options='--batch --skip-refused --effort --budget --trials --db --report --shard --seed --again --merge -o --dt --arch --isa --limits --overflow --rounding --lanes --lane_bytes --ub_bytes --l1_bytes --profile --choice --help' specs=$operators ;;
    cache) options='--batch --skip-refused --dt --arch --isa --limits --overflow --rounding --lanes --lane_bytes --ub_bytes --l1_bytes --profile --choice --help' specs=$operators ;;
    compare) options='--dtype --atol --rtol --ulp --spec --operand --in --fill --quantise --report --limits --overflow --rounding --lanes --lane_bytes --ub_bytes --l1_bytes --profile --choice --help' ;;
    differ) options='--profiles --in --fill --quantise --search --matrix --json --limits --overflow --rounding --lanes --lane_bytes --ub_bytes --l1_bytes --profile --choice --help' specs=$operators ;;
    golden) options='-o --in --fill --quantise --count --seed --bin --batch --skip-refused --dt --arch --limits --overflow --rounding --lanes --lane_bytes --ub_bytes --l1_bytes --profile --choice --help' specs=$operators ;;
    verify) options='--help' ;;
    draw) options='-o --at --dt --arch --limits --overflow --rounding --lanes --lane_bytes --ub_bytes --l1_bytes --profile --choice --help' specs=$operators ;;
    rules) options='--json --help' subjects='conv2d mmad fixpipe tik_fixpipe nd2nz load_data load_data_transpose transdata tensor_arithmetic tensor_arithmetic_quantized texpands semantics request ' ;;
    fmt) options='--pto --placement --dt --arch --limits --overflow --rounding --lanes --lane_bytes --ub_bytes --l1_bytes --profile --choice --help' specs=$operators ;;
    info) options='--isa --json --limits --overflow --rounding --lanes --lane_bytes --ub_bytes --l1_bytes --profile --choice --help' ;;
    list) options='--json --help' ;;
    help) options='--json --format --help' subjects='run check dump explain network export bench tune cache compare differ golden verify draw rules fmt info list help conv2d mmad fixpipe tik_fixpipe nd2nz load_data load_data_transpose transdata tensor_arithmetic tensor_arithmetic_quantized texpands choices ' ;;
    esac
    case ${COMP_WORDS[1]}:$before in
    run:--placement) choices='text auto manual ' ;;
    run:--dt) choices='int8 float16 ' ;;
    run:--arch) choices='A2A3 A5 ' ;;
    run:--isa) choices='generic sse2 avx2 avx2+avxvnni avx512 avx512vnni avx512fp16 amx ' ;;
    run:--limits) choices='document host ' ;;
    run:--overflow) choices='saturate ieee ' ;;
    run:--rounding) choices='floor half_up ' ;;
    run:--profile) choices='document simulator script library ' ;;
    check:--op) choices='conv2d mmad fixpipe tik_fixpipe nd2nz load_data load_data_transpose transdata tensor_arithmetic tensor_arithmetic_quantized texpands ' ;;
    check:--placement) choices='text auto manual ' ;;
    check:--dt) choices='int8 float16 ' ;;
    check:--arch) choices='A2A3 A5 ' ;;
    check:--isa) choices='generic sse2 avx2 avx2+avxvnni avx512 avx512vnni avx512fp16 amx ' ;;
    check:--limits) choices='document host ' ;;
    check:--overflow) choices='saturate ieee ' ;;
    check:--rounding) choices='floor half_up ' ;;
    check:--profile) choices='document simulator script library ' ;;
    dump:--stage) choices='ir opt asm obj plan ' ;;
    dump:--isa) choices='generic sse2 avx2 avx2+avxvnni avx512 avx512vnni avx512fp16 amx ' ;;
    dump:--placement) choices='text auto manual ' ;;
    dump:--dt) choices='int8 float16 ' ;;
    dump:--arch) choices='A2A3 A5 ' ;;
    dump:--limits) choices='document host ' ;;
    dump:--overflow) choices='saturate ieee ' ;;
    dump:--rounding) choices='floor half_up ' ;;
    dump:--profile) choices='document simulator script library ' ;;
    explain:--isa) choices='generic sse2 avx2 avx2+avxvnni avx512 avx512vnni avx512fp16 amx ' ;;
    explain:--placement) choices='text auto manual ' ;;
    explain:--dt) choices='int8 float16 ' ;;
    explain:--arch) choices='A2A3 A5 ' ;;
    explain:--limits) choices='document host ' ;;
    explain:--overflow) choices='saturate ieee ' ;;
    explain:--rounding) choices='floor half_up ' ;;
    explain:--profile) choices='document simulator script library ' ;;
    network:--isa) choices='generic sse2 avx2 avx2+avxvnni avx512 avx512vnni avx512fp16 amx ' ;;
    network:--limits) choices='document host ' ;;
    network:--overflow) choices='saturate ieee ' ;;
    network:--rounding) choices='floor half_up ' ;;
    network:--profile) choices='document simulator script library ' ;;
    export:--isa) choices='generic sse2 avx2 avx2+avxvnni avx512 avx512vnni avx512fp16 amx ' ;;
    export:--dt) choices='int8 float16 ' ;;
    export:--arch) choices='A2A3 A5 ' ;;
    export:--limits) choices='document host ' ;;
    export:--overflow) choices='saturate ieee ' ;;
    export:--rounding) choices='floor half_up ' ;;
    export:--profile) choices='document simulator script library ' ;;
    bench:--weights) choices='packed plain ' ;;
    bench:--placement) choices='text auto manual ' ;;
    bench:--dt) choices='int8 float16 ' ;;
    bench:--arch) choices='A2A3 A5 ' ;;
    bench:--isa) choices='generic sse2 avx2 avx2+avxvnni avx512 avx512vnni avx512fp16 amx all ' ;;
    bench:--limits) choices='document host ' ;;
    bench:--overflow) choices='saturate ieee ' ;;
    bench:--rounding) choices='floor half_up ' ;;
    bench:--profile) choices='document simulator script library ' ;;
    tune:--effort) choices='estimate measure patient ' ;;
    tune:--dt) choices='int8 float16 ' ;;
    tune:--arch) choices='A2A3 A5 ' ;;
    tune:--isa) choices='generic sse2 avx2 avx2+avxvnni avx512 avx512vnni avx512fp16 amx ' ;;
    tune:--limits) choices='document host ' ;;
    tune:--overflow) choices='saturate ieee ' ;;
    tune:--rounding) choices='floor half_up ' ;;
    tune:--profile) choices='document simulator script library ' ;;
    cache:--dt) choices='int8 float16 ' ;;
    cache:--arch) choices='A2A3 A5 ' ;;
    cache:--isa) choices='generic sse2 avx2 avx2+avxvnni avx512 avx512vnni avx512fp16 amx ' ;;
    cache:--limits) choices='document host ' ;;
    cache:--overflow) choices='saturate ieee ' ;;
    cache:--rounding) choices='floor half_up ' ;;
    cache:--profile) choices='document simulator script library ' ;;
    compare:--limits) choices='document host ' ;;
    compare:--overflow) choices='saturate ieee ' ;;
    compare:--rounding) choices='floor half_up ' ;;
    compare:--profile) choices='document simulator script library ' ;;
    differ:--limits) choices='document host ' ;;
    differ:--overflow) choices='saturate ieee ' ;;
    differ:--rounding) choices='floor half_up ' ;;
    differ:--profile) choices='document simulator script library ' ;;
    golden:--dt) choices='int8 float16 ' ;;
    golden:--arch) choices='A2A3 A5 ' ;;
    golden:--limits) choices='document host ' ;;
    golden:--overflow) choices='saturate ieee ' ;;
    golden:--rounding) choices='floor half_up ' ;;
    golden:--profile) choices='document simulator script library ' ;;
    draw:--dt) choices='int8 float16 ' ;;
    draw:--arch) choices='A2A3 A5 ' ;;
    draw:--limits) choices='document host ' ;;
    draw:--overflow) choices='saturate ieee ' ;;
    draw:--rounding) choices='floor half_up ' ;;
    draw:--profile) choices='document simulator script library ' ;;
    fmt:--placement) choices='text auto manual ' ;;
    fmt:--dt) choices='int8 float16 ' ;;
    fmt:--arch) choices='A2A3 A5 ' ;;
    fmt:--limits) choices='document host ' ;;
    fmt:--overflow) choices='saturate ieee ' ;;
    fmt:--rounding) choices='floor half_up ' ;;
    fmt:--profile) choices='document simulator script library ' ;;
    info:--isa) choices='generic sse2 avx2 avx2+avxvnni avx512 avx512vnni avx512fp16 amx ' ;;
    info:--limits) choices='document host ' ;;
    info:--overflow) choices='saturate ieee ' ;;
    info:--rounding) choices='floor half_up ' ;;
    info:--profile) choices='document simulator script library ' ;;
    help:--format) choices='text man bash zsh fish ' ;;
    esac
    if [ -n "$choices" ]; then
        mapfile -t COMPREPLY < <(compgen -W "$choices" -- "$word")
    elif [[ $word == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
    elif [ -n "$subjects" ]; then
        mapfile -t COMPREPLY < <(compgen -W "$subjects" -- "$word")
    else
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
        if [[ $before != -* ]]; then
            for found in $(compgen -W "$specs" -- "$word"); do COMPREPLY+=("$found("); done
        fi
    fi
}
complete -o filenames -F _aicjit aicjit
