#compdef aicjit
# Completion of aicjit for zsh, made by `aicjit help --format zsh`.
_aicjit_specs() {
    compadd -S '' -- 'conv2d(' 'mmad(' 'fixpipe(' 'tik_fixpipe(' 'nd2nz(' 'load_data(' 'load_data_transpose(' 'transdata(' 'tensor_arithmetic(' 'tensor_arithmetic_quantized(' 'texpands(' 
    _files
}

_aicjit() {
    local -a commands
    commands=(
        'run:run an operator on tensor files'
        'check:compare generated code with the reference'
        'dump:show the IR, assembly, object or schedule of an operator'
        'explain:tell which schedule is used and why'
        'network:run, explain, measure or export a folder of kernels and constants'
        'export:write kernels as an object file and a header, for programs without this library'
        'bench:measure the speed of operators'
        'tune:find the fastest schedules on this machine and keep them'
        'cache:look after the kernels that are kept on disk'
        'compare:compare two tensor files'
        'differ:show where two readings of the documents give other results'
        'golden:write inputs and expected results of operators, with a manifest'
        'verify:check what golden has written'
        'draw:draw the operands of an operator as the documents lay them out'
        'rules:list every rule, default and rounding step with where it comes from'
        'fmt:print operator text and PTO-AS in their canonical form'
        'info:show the processor, its instruction sets and its limits'
        'list:name all operators and commands'
        'help:show the keys, operands and an example of an operator, or the options of a command'
    )
    if ((CURRENT == 2)); then
        _describe command commands
        compadd -- --help --version
        return
    fi
    local name=$words[2]
    shift words
    ((CURRENT--))
    case $name in
    run)
        _arguments '--help[this text]' \
            '*--in[operand from a .npy or .bin file; a scalar\: NAME=VALUE]:NAME=FILE:_files' \
            '*--fill[operand without a file]:NAME=zeros|const\:V|random\:SEED|at\:I=V,...:' \
            '*--quantise[the file of this operand holds float32 scales\: take their quantisation words]:NAME:' \
            '*--out[write a result, or an input that --fill, a value or --quantise makes]:NAME=FILE:_files' \
            '*--expect[compare a result with a file; exit status 1 when they differ]:NAME=FILE:_files' \
            '--ulp[elements up to N values of their type apart count as equal (default 0)]:N:' \
            '--diagnose[tell what happened to the data on the way\: sums that were clamped, NaN, limits, old content, ...]' \
            '--json[print the diagnosis alone, as JSON]' \
            '--report[write the diagnosis as a page, with pictures of the result'\''s channels]:FILE.html:_files' \
            '--reference[use the plain-C reference]' \
            '--pto[a program of PTO-AS]:FILE:_files' \
            '--placement[where tiles lie; text\: manual if the program has a pto.tassign, else auto]:text|auto|manual:(text auto manual )' \
            '--object[instead of SPEC\: a shared object made of what aicjit export wrote]:FILE.so:_files' \
            '--header[of --object\: the header that was written with it]:FILE.h:_files' \
            '--name[of --object\: the function to run]:NAME:' \
            '--dt[element type of convolutions in the format of oneDNN'\''s benchdnn]:int8|float16:(int8 float16 )' \
            '--arch[whose rules PTO-AS keeps (default A5)]:A2A3|A5:(A2A3 A5 )' \
            '--threads[threads that share a call (default all processors)]:N:' \
            '--isa[highest instruction set level to use; aicjit info lists them]:LEVEL:(generic sse2 avx2 avx2+avxvnni avx512 avx512vnni avx512fp16 amx )' \
            '--limits[conv2d with W == Kw and H > Kh\: refused or computed]:document|host:(document host )' \
            '--overflow[float results of mmad, fixpipe, tik_fixpipe beyond their type\: its largest number or infinity]:saturate|ieee:(saturate ieee )' \
            '--rounding[right shift of BM_MUL and BM_MAC in tensor_arithmetic_quantized]:floor|half_up:(floor half_up )' \
            '--lanes[lanes of the tensor processor'\''s memory]:N:' \
            '--lane_bytes[bytes of each lane]:N:' \
            '--ub_bytes[bytes of the unified buffer, where texpands'\'' tiles in vec lie; 0\: as the architecture has]:N:' \
            '--l1_bytes[bytes of L1, where texpands'\'' tiles in mat lie; 0\: as the architecture has]:N:' \
            '*--profile[whose readings of what the documents leave open; help choices lists them]:NAME:(document simulator script library )' \
            '*--choice[one such reading; after --profile]:KEY=VALUE:' \
            '*:argument:_aicjit_specs' ;;
    check)
        _arguments '--help[this text]' \
            '--batch[operators, one a line]:FILE:_files' \
            '--skip-refused[lines of the file that are refused are no error]' \
            '--fuzz[N pseudo-random legal operators and as many illegal ones]:N:' \
            '--seed[of operators and operand contents (default 1, for --fuzz a new one)]:S:' \
            '--op[operator, or first and last of a chain "NAME|NAME", or all of it, for --fuzz (default any)]:NAME:(conv2d mmad fixpipe tik_fixpipe nd2nz load_data load_data_transpose transdata tensor_arithmetic tensor_arithmetic_quantized texpands )' \
            '--schedule["all" candidates, or one as dump --stage plan prints it]:TEXT:' \
            '--pto[a program of PTO-AS]:FILE:_files' \
            '--placement[where tiles lie; text\: manual if the program has a pto.tassign, else auto]:text|auto|manual:(text auto manual )' \
            '--dt[element type of convolutions in the format of oneDNN'\''s benchdnn]:int8|float16:(int8 float16 )' \
            '--arch[whose rules PTO-AS keeps (default A5)]:A2A3|A5:(A2A3 A5 )' \
            '--threads[threads that share a call (default all processors)]:N:' \
            '--isa[highest instruction set level to use; aicjit info lists them]:LEVEL:(generic sse2 avx2 avx2+avxvnni avx512 avx512vnni avx512fp16 amx )' \
            '--limits[conv2d with W == Kw and H > Kh\: refused or computed]:document|host:(document host )' \
            '--overflow[float results of mmad, fixpipe, tik_fixpipe beyond their type\: its largest number or infinity]:saturate|ieee:(saturate ieee )' \
            '--rounding[right shift of BM_MUL and BM_MAC in tensor_arithmetic_quantized]:floor|half_up:(floor half_up )' \
            '--lanes[lanes of the tensor processor'\''s memory]:N:' \
            '--lane_bytes[bytes of each lane]:N:' \
            '--ub_bytes[bytes of the unified buffer, where texpands'\'' tiles in vec lie; 0\: as the architecture has]:N:' \
            '--l1_bytes[bytes of L1, where texpands'\'' tiles in mat lie; 0\: as the architecture has]:N:' \
            '*--profile[whose readings of what the documents leave open; help choices lists them]:NAME:(document simulator script library )' \
            '*--choice[one such reading; after --profile]:KEY=VALUE:' \
            '*:argument:_aicjit_specs' ;;
    dump)
        _arguments '--help[this text]' \
            '--stage[what to show (default ir)]:ir|opt|asm|obj|plan:(ir opt asm obj plan )' \
            '-o[write to a file]:FILE:_files' \
            '--isa[instruction set level, also one that this host lacks]:LEVEL:(generic sse2 avx2 avx2+avxvnni avx512 avx512vnni avx512fp16 amx )' \
            '--target[e.g. aarch64-linux-gnu (default\: the host'\''s)]:TRIPLE:' \
            '--passes[LLVM pass pipeline before code generation (default none)]:TEXT:' \
            '--schedule[schedule, as --stage plan prints it]:TEXT:' \
            '--repro[write IR with a main, operands and the expected result, and run.sh, which runs it by lli alone]:DIR:_files' \
            '*--in[operand from a .npy or .bin file; a scalar\: NAME=VALUE]:NAME=FILE:_files' \
            '*--fill[operand without a file]:NAME=zeros|const\:V|random\:SEED|at\:I=V,...:' \
            '*--quantise[the file of this operand holds float32 scales\: take their quantisation words]:NAME:' \
            '--pto[a program of PTO-AS]:FILE:_files' \
            '--placement[where tiles lie; text\: manual if the program has a pto.tassign, else auto]:text|auto|manual:(text auto manual )' \
            '--dt[element type of convolutions in the format of oneDNN'\''s benchdnn]:int8|float16:(int8 float16 )' \
            '--arch[whose rules PTO-AS keeps (default A5)]:A2A3|A5:(A2A3 A5 )' \
            '--limits[conv2d with W == Kw and H > Kh\: refused or computed]:document|host:(document host )' \
            '--overflow[float results of mmad, fixpipe, tik_fixpipe beyond their type\: its largest number or infinity]:saturate|ieee:(saturate ieee )' \
            '--rounding[right shift of BM_MUL and BM_MAC in tensor_arithmetic_quantized]:floor|half_up:(floor half_up )' \
            '--lanes[lanes of the tensor processor'\''s memory]:N:' \
            '--lane_bytes[bytes of each lane]:N:' \
            '--ub_bytes[bytes of the unified buffer, where texpands'\'' tiles in vec lie; 0\: as the architecture has]:N:' \
            '--l1_bytes[bytes of L1, where texpands'\'' tiles in mat lie; 0\: as the architecture has]:N:' \
            '*--profile[whose readings of what the documents leave open; help choices lists them]:NAME:(document simulator script library )' \
            '*--choice[one such reading; after --profile]:KEY=VALUE:' \
            '*:argument:_aicjit_specs' ;;
    explain)
        _arguments '--help[this text]' \
            '--at[every rounding step of this element of the result, by its coordinates in the document'\''s terms or by its number]:OPERAND\[I,...\]:' \
            '*--in[operand from a .npy or .bin file; a scalar\: NAME=VALUE]:NAME=FILE:_files' \
            '*--fill[operand without a file]:NAME=zeros|const\:V|random\:SEED|at\:I=V,...:' \
            '*--quantise[the file of this operand holds float32 scales\: take their quantisation words]:NAME:' \
            '--isa[instruction set level, also one that this host lacks]:LEVEL:(generic sse2 avx2 avx2+avxvnni avx512 avx512vnni avx512fp16 amx )' \
            '--schedule[explain this one, as dump --stage plan prints it]:TEXT:' \
            '--measure[measure the kernel, as bench does, beside what is predicted]' \
            '--json[an object a line, see tools/json.md]' \
            '--pto[a program of PTO-AS]:FILE:_files' \
            '--placement[where tiles lie; text\: manual if the program has a pto.tassign, else auto]:text|auto|manual:(text auto manual )' \
            '--dt[element type of convolutions in the format of oneDNN'\''s benchdnn]:int8|float16:(int8 float16 )' \
            '--arch[whose rules PTO-AS keeps (default A5)]:A2A3|A5:(A2A3 A5 )' \
            '--limits[conv2d with W == Kw and H > Kh\: refused or computed]:document|host:(document host )' \
            '--overflow[float results of mmad, fixpipe, tik_fixpipe beyond their type\: its largest number or infinity]:saturate|ieee:(saturate ieee )' \
            '--rounding[right shift of BM_MUL and BM_MAC in tensor_arithmetic_quantized]:floor|half_up:(floor half_up )' \
            '--lanes[lanes of the tensor processor'\''s memory]:N:' \
            '--lane_bytes[bytes of each lane]:N:' \
            '--ub_bytes[bytes of the unified buffer, where texpands'\'' tiles in vec lie; 0\: as the architecture has]:N:' \
            '--l1_bytes[bytes of L1, where texpands'\'' tiles in mat lie; 0\: as the architecture has]:N:' \
            '*--profile[whose readings of what the documents leave open; help choices lists them]:NAME:(document simulator script library )' \
            '*--choice[one such reading; after --profile]:KEY=VALUE:' \
            '*:argument:_aicjit_specs' ;;
    network)
        _arguments '--help[this text]' \
            '*--in[operand from a .npy or .bin file; a scalar\: NAME=VALUE]:NAME=FILE:_files' \
            '*--fill[operand without a file]:NAME=zeros|const\:V|random\:SEED|at\:I=V,...:' \
            '*--quantise[the file of this operand holds float32 scales\: take their quantisation words]:NAME:' \
            '*--out[run\: write an output]:NAME=FILE:_files' \
            '*--expect[run\: compare an output with a file; exit status 1 when they differ]:NAME=FILE:_files' \
            '--ulp[run\: elements up to N values of their type apart count as equal (default 0)]:N:' \
            '--reference[run\: compute by the plain-C reference]' \
            '--min-time[bench\: measure for about that long (default 1)]:SECONDS:' \
            '--json[bench\: print one JSON object]' \
            '-o[export\: the object file]:FILE:_files' \
            '--header[export\: its header]:FILE:_files' \
            '--name[export\: the function'\''s name (default net)]:NAME:' \
            '--target[export\: e.g. aarch64-linux-gnu (default\: the host'\''s)]:TRIPLE:' \
            '--threads[threads that share a call (default all processors)]:N:' \
            '--isa[highest instruction set level to use; aicjit info lists them]:LEVEL\[,LEVEL\]...:(generic sse2 avx2 avx2+avxvnni avx512 avx512vnni avx512fp16 amx )' \
            '--limits[conv2d with W == Kw and H > Kh\: refused or computed]:document|host:(document host )' \
            '--overflow[float results of mmad, fixpipe, tik_fixpipe beyond their type\: its largest number or infinity]:saturate|ieee:(saturate ieee )' \
            '--rounding[right shift of BM_MUL and BM_MAC in tensor_arithmetic_quantized]:floor|half_up:(floor half_up )' \
            '--lanes[lanes of the tensor processor'\''s memory]:N:' \
            '--lane_bytes[bytes of each lane]:N:' \
            '--ub_bytes[bytes of the unified buffer, where texpands'\'' tiles in vec lie; 0\: as the architecture has]:N:' \
            '--l1_bytes[bytes of L1, where texpands'\'' tiles in mat lie; 0\: as the architecture has]:N:' \
            '*--profile[whose readings of what the documents leave open; help choices lists them]:NAME:(document simulator script library )' \
            '*--choice[one such reading; after --profile]:KEY=VALUE:' \
            '*:argument:_files' ;;
    export)
        _arguments '--help[this text]' \
            '-o[the object file]:FILE:_files' \
            '--header[its header\: prototypes, sizes, what the operands are]:FILE:_files' \
            '*--name[the function'\''s name; once for each operator in turn (default\: the operators'\'' names)]:NAME:' \
            '--isa[instruction set level, also one that this host lacks; of several the functions choose by the processor]:LEVEL\[,LEVEL\]...:(generic sse2 avx2 avx2+avxvnni avx512 avx512vnni avx512fp16 amx )' \
            '--target[e.g. aarch64-linux-gnu (default\: the host'\''s)]:TRIPLE:' \
            '--passes[LLVM pass pipeline before code generation (default none)]:TEXT:' \
            '--schedule[schedule of all operators, as dump --stage plan prints it]:TEXT:' \
            '--batch[operators, one a line]:FILE:_files' \
            '--skip-refused[lines of the file that are refused are no error]' \
            '--dt[element type of convolutions in the format of oneDNN'\''s benchdnn]:int8|float16:(int8 float16 )' \
            '--arch[whose rules PTO-AS keeps (default A5)]:A2A3|A5:(A2A3 A5 )' \
            '--limits[conv2d with W == Kw and H > Kh\: refused or computed]:document|host:(document host )' \
            '--overflow[float results of mmad, fixpipe, tik_fixpipe beyond their type\: its largest number or infinity]:saturate|ieee:(saturate ieee )' \
            '--rounding[right shift of BM_MUL and BM_MAC in tensor_arithmetic_quantized]:floor|half_up:(floor half_up )' \
            '--lanes[lanes of the tensor processor'\''s memory]:N:' \
            '--lane_bytes[bytes of each lane]:N:' \
            '--ub_bytes[bytes of the unified buffer, where texpands'\'' tiles in vec lie; 0\: as the architecture has]:N:' \
            '--l1_bytes[bytes of L1, where texpands'\'' tiles in mat lie; 0\: as the architecture has]:N:' \
            '*--profile[whose readings of what the documents leave open; help choices lists them]:NAME:(document simulator script library )' \
            '*--choice[one such reading; after --profile]:KEY=VALUE:' \
            '*:argument:_aicjit_specs' ;;
    bench)
        _arguments '--help[this text]' \
            '--batch[operators, one a line]:FILE:_files' \
            '--skip-refused[lines of the file that are refused are no error]' \
            '--json[one JSON object per operator]' \
            '--schedule["all" candidates, or one, of which a part may be given; in turns with the default]:TEXT:' \
            '--compare[an earlier output of --json\: how much faster, beyond the noise, each operator is now]:FILE:_files' \
            '--report[an HTML page\: table, roofline, predictions, tiles, intervals]:FILE:_files' \
            '--weights[pack weights before timing (default packed)]:packed|plain:(packed plain )' \
            '--min-time[seconds per kernel (default 0.3)]:S:' \
            '--pto[a program of PTO-AS]:FILE:_files' \
            '--placement[where tiles lie; text\: manual if the program has a pto.tassign, else auto]:text|auto|manual:(text auto manual )' \
            '--dt[element type of convolutions in the format of oneDNN'\''s benchdnn]:int8|float16:(int8 float16 )' \
            '--arch[whose rules PTO-AS keeps (default A5)]:A2A3|A5:(A2A3 A5 )' \
            '--threads[threads that share a call (default 1)]:N:' \
            '--isa[highest instruction set level to use; aicjit info lists them]:LEVEL or all:(generic sse2 avx2 avx2+avxvnni avx512 avx512vnni avx512fp16 amx all )' \
            '--limits[conv2d with W == Kw and H > Kh\: refused or computed]:document|host:(document host )' \
            '--overflow[float results of mmad, fixpipe, tik_fixpipe beyond their type\: its largest number or infinity]:saturate|ieee:(saturate ieee )' \
            '--rounding[right shift of BM_MUL and BM_MAC in tensor_arithmetic_quantized]:floor|half_up:(floor half_up )' \
            '--lanes[lanes of the tensor processor'\''s memory]:N:' \
            '--lane_bytes[bytes of each lane]:N:' \
            '--ub_bytes[bytes of the unified buffer, where texpands'\'' tiles in vec lie; 0\: as the architecture has]:N:' \
            '--l1_bytes[bytes of L1, where texpands'\'' tiles in mat lie; 0\: as the architecture has]:N:' \
            '*--profile[whose readings of what the documents leave open; help choices lists them]:NAME:(document simulator script library )' \
            '*--choice[one such reading; after --profile]:KEY=VALUE:' \
            '*:argument:_aicjit_specs' ;;
    tune)
        _arguments '--help[this text]' \
            '--batch[operators, one a line]:FILE:_files' \
            '--skip-refused[lines of the file that are refused are no error]' \
            '--effort[how much work a search is (default measure)]:estimate|measure|patient:(estimate measure patient )' \
            '--budget[seconds an operator (default 5; patient\: 60)]:S:' \
            '--trials[schedules to measure (default 64; patient\: 256)]:N:' \
            '--db[tuning file to record in (default\: AIC_TUNING_DB)]:FILE:_files' \
            '--report[an HTML page\: table, roofline, predictions, tiles, intervals]:FILE:_files' \
            '--shard[tune part I of N of the operators]:I/N:' \
            '--seed[of operand contents and the order of turns]:S:' \
            '--again[tune also what the file has a record of]' \
            '--merge[the arguments are tuning files\: merge them into -o FILE]' \
            '-o[file that --merge writes; records that it has stay]:FILE:_files' \
            '--dt[element type of convolutions in the format of oneDNN'\''s benchdnn]:int8|float16:(int8 float16 )' \
            '--arch[whose rules PTO-AS keeps (default A5)]:A2A3|A5:(A2A3 A5 )' \
            '--isa[highest instruction set level to use; aicjit info lists them]:LEVEL:(generic sse2 avx2 avx2+avxvnni avx512 avx512vnni avx512fp16 amx )' \
            '--limits[conv2d with W == Kw and H > Kh\: refused or computed]:document|host:(document host )' \
            '--overflow[float results of mmad, fixpipe, tik_fixpipe beyond their type\: its largest number or infinity]:saturate|ieee:(saturate ieee )' \
            '--rounding[right shift of BM_MUL and BM_MAC in tensor_arithmetic_quantized]:floor|half_up:(floor half_up )' \
            '--lanes[lanes of the tensor processor'\''s memory]:N:' \
            '--lane_bytes[bytes of each lane]:N:' \
            '--ub_bytes[bytes of the unified buffer, where texpands'\'' tiles in vec lie; 0\: as the architecture has]:N:' \
            '--l1_bytes[bytes of L1, where texpands'\'' tiles in mat lie; 0\: as the architecture has]:N:' \
            '*--profile[whose readings of what the documents leave open; help choices lists them]:NAME:(document simulator script library )' \
            '*--choice[one such reading; after --profile]:KEY=VALUE:' \
            '*:argument:_aicjit_specs' ;;
    cache)
        _arguments '--help[this text]' \
            '--batch[operators, one a line]:FILE:_files' \
            '--skip-refused[lines of the file that are refused are no error]' \
            '--dt[element type of convolutions in the format of oneDNN'\''s benchdnn]:int8|float16:(int8 float16 )' \
            '--arch[whose rules PTO-AS keeps (default A5)]:A2A3|A5:(A2A3 A5 )' \
            '--isa[highest instruction set level to use; aicjit info lists them]:LEVEL:(generic sse2 avx2 avx2+avxvnni avx512 avx512vnni avx512fp16 amx )' \
            '--limits[conv2d with W == Kw and H > Kh\: refused or computed]:document|host:(document host )' \
            '--overflow[float results of mmad, fixpipe, tik_fixpipe beyond their type\: its largest number or infinity]:saturate|ieee:(saturate ieee )' \
            '--rounding[right shift of BM_MUL and BM_MAC in tensor_arithmetic_quantized]:floor|half_up:(floor half_up )' \
            '--lanes[lanes of the tensor processor'\''s memory]:N:' \
            '--lane_bytes[bytes of each lane]:N:' \
            '--ub_bytes[bytes of the unified buffer, where texpands'\'' tiles in vec lie; 0\: as the architecture has]:N:' \
            '--l1_bytes[bytes of L1, where texpands'\'' tiles in mat lie; 0\: as the architecture has]:N:' \
            '*--profile[whose readings of what the documents leave open; help choices lists them]:NAME:(document simulator script library )' \
            '*--choice[one such reading; after --profile]:KEY=VALUE:' \
            '*:argument:_aicjit_specs' ;;
    compare)
        _arguments '--help[this text]' \
            '--dtype[element type\: of .bin files, and bfloat16 of .npy files]:T:' \
            '--atol[differences of finite numbers up to X + rtol*|b| are none (default 0)]:X:' \
            '--rtol[see --atol (default 0)]:X:' \
            '--ulp[elements up to N values of their type apart count as equal (default 0)]:N:' \
            '--spec[the files are a result of this operator\: coordinates are the document'\''s, and with its inputs the first difference is traced]:SPEC:' \
            '--operand[they are this operand of it]:NAME:' \
            '*--in[operand from a .npy or .bin file; a scalar\: NAME=VALUE]:NAME=FILE:_files' \
            '*--fill[operand without a file]:NAME=zeros|const\:V|random\:SEED|at\:I=V,...:' \
            '*--quantise[the file of this operand holds float32 scales\: take their quantisation words]:NAME:' \
            '--report[write a page\: where and how far they differ, with a heat map]:FILE.html:_files' \
            '--limits[conv2d with W == Kw and H > Kh\: refused or computed]:document|host:(document host )' \
            '--overflow[float results of mmad, fixpipe, tik_fixpipe beyond their type\: its largest number or infinity]:saturate|ieee:(saturate ieee )' \
            '--rounding[right shift of BM_MUL and BM_MAC in tensor_arithmetic_quantized]:floor|half_up:(floor half_up )' \
            '--lanes[lanes of the tensor processor'\''s memory]:N:' \
            '--lane_bytes[bytes of each lane]:N:' \
            '--ub_bytes[bytes of the unified buffer, where texpands'\'' tiles in vec lie; 0\: as the architecture has]:N:' \
            '--l1_bytes[bytes of L1, where texpands'\'' tiles in mat lie; 0\: as the architecture has]:N:' \
            '*--profile[whose readings of what the documents leave open; help choices lists them]:NAME:(document simulator script library )' \
            '*--choice[one such reading; after --profile]:KEY=VALUE:' \
            '*:argument:_files' ;;
    differ)
        _arguments '--help[this text]' \
            '--profiles[the two readings\: profiles, PROFILE+KEY=VALUE with choices]:A,B:' \
            '*--in[operand from a .npy or .bin file; a scalar\: NAME=VALUE]:NAME=FILE:_files' \
            '*--fill[operand without a file]:NAME=zeros|const\:V|random\:SEED|at\:I=V,...:' \
            '*--quantise[the file of this operand holds float32 scales\: take their quantisation words]:NAME:' \
            '--search[look for the smallest operands that part them, in at most N comparisons]:N:' \
            '--matrix[a table of all operators and profiles, as Markdown\: which choices part them, and a smallest example]' \
            '--json[one object]' \
            '--limits[conv2d with W == Kw and H > Kh\: refused or computed]:document|host:(document host )' \
            '--overflow[float results of mmad, fixpipe, tik_fixpipe beyond their type\: its largest number or infinity]:saturate|ieee:(saturate ieee )' \
            '--rounding[right shift of BM_MUL and BM_MAC in tensor_arithmetic_quantized]:floor|half_up:(floor half_up )' \
            '--lanes[lanes of the tensor processor'\''s memory]:N:' \
            '--lane_bytes[bytes of each lane]:N:' \
            '--ub_bytes[bytes of the unified buffer, where texpands'\'' tiles in vec lie; 0\: as the architecture has]:N:' \
            '--l1_bytes[bytes of L1, where texpands'\'' tiles in mat lie; 0\: as the architecture has]:N:' \
            '*--profile[whose readings of what the documents leave open; help choices lists them]:NAME:(document simulator script library )' \
            '*--choice[one such reading; after --profile]:KEY=VALUE:' \
            '*:argument:_aicjit_specs' ;;
    golden)
        _arguments '--help[this text]' \
            '-o[the folder to write, new or empty]:DIR:_files' \
            '*--in[operand from a .npy or .bin file; a scalar\: NAME=VALUE]:NAME=FILE:_files' \
            '*--fill[operand without a file]:NAME=zeros|const\:V|random\:SEED|at\:I=V,...:' \
            '*--quantise[the file of this operand holds float32 scales\: take their quantisation words]:NAME:' \
            '--count[cases of each operator (default 1); operands that no option gives have corners and special values]:N:' \
            '--seed[of the first case'\''s operands (default 1)]:S:' \
            '--bin[files of raw little-endian elements, not .npy]' \
            '--batch[operators, one a line]:FILE:_files' \
            '--skip-refused[lines of the file that are refused are no error]' \
            '--dt[element type of convolutions in the format of oneDNN'\''s benchdnn]:int8|float16:(int8 float16 )' \
            '--arch[whose rules PTO-AS keeps (default A5)]:A2A3|A5:(A2A3 A5 )' \
            '--limits[conv2d with W == Kw and H > Kh\: refused or computed]:document|host:(document host )' \
            '--overflow[float results of mmad, fixpipe, tik_fixpipe beyond their type\: its largest number or infinity]:saturate|ieee:(saturate ieee )' \
            '--rounding[right shift of BM_MUL and BM_MAC in tensor_arithmetic_quantized]:floor|half_up:(floor half_up )' \
            '--lanes[lanes of the tensor processor'\''s memory]:N:' \
            '--lane_bytes[bytes of each lane]:N:' \
            '--ub_bytes[bytes of the unified buffer, where texpands'\'' tiles in vec lie; 0\: as the architecture has]:N:' \
            '--l1_bytes[bytes of L1, where texpands'\'' tiles in mat lie; 0\: as the architecture has]:N:' \
            '*--profile[whose readings of what the documents leave open; help choices lists them]:NAME:(document simulator script library )' \
            '*--choice[one such reading; after --profile]:KEY=VALUE:' \
            '*:argument:_aicjit_specs' ;;
    verify)
        _arguments '--help[this text]' \
            '*:argument:_files' ;;
    draw)
        _arguments '--help[this text]' \
            '-o[where the picture goes\: FILE.svg, or FILE.html for a page]:FILE:_files' \
            '--at[mark this element of the result, and which inputs it is made from]:OPERAND\[I,...\]:' \
            '--dt[element type of convolutions in the format of oneDNN'\''s benchdnn]:int8|float16:(int8 float16 )' \
            '--arch[whose rules PTO-AS keeps (default A5)]:A2A3|A5:(A2A3 A5 )' \
            '--limits[conv2d with W == Kw and H > Kh\: refused or computed]:document|host:(document host )' \
            '--overflow[float results of mmad, fixpipe, tik_fixpipe beyond their type\: its largest number or infinity]:saturate|ieee:(saturate ieee )' \
            '--rounding[right shift of BM_MUL and BM_MAC in tensor_arithmetic_quantized]:floor|half_up:(floor half_up )' \
            '--lanes[lanes of the tensor processor'\''s memory]:N:' \
            '--lane_bytes[bytes of each lane]:N:' \
            '--ub_bytes[bytes of the unified buffer, where texpands'\'' tiles in vec lie; 0\: as the architecture has]:N:' \
            '--l1_bytes[bytes of L1, where texpands'\'' tiles in mat lie; 0\: as the architecture has]:N:' \
            '*--profile[whose readings of what the documents leave open; help choices lists them]:NAME:(document simulator script library )' \
            '*--choice[one such reading; after --profile]:KEY=VALUE:' \
            '*:argument:_aicjit_specs' ;;
    rules)
        _arguments '--help[this text]' \
            '--json[an object a line]' \
            '*:subject:(conv2d mmad fixpipe tik_fixpipe nd2nz load_data load_data_transpose transdata tensor_arithmetic tensor_arithmetic_quantized texpands semantics request )' ;;
    fmt)
        _arguments '--help[this text]' \
            '--pto[a program of PTO-AS]:FILE:_files' \
            '--placement[where tiles lie; text\: manual if the program has a pto.tassign, else auto]:text|auto|manual:(text auto manual )' \
            '--dt[element type of convolutions in the format of oneDNN'\''s benchdnn]:int8|float16:(int8 float16 )' \
            '--arch[whose rules PTO-AS keeps (default A5)]:A2A3|A5:(A2A3 A5 )' \
            '--limits[conv2d with W == Kw and H > Kh\: refused or computed]:document|host:(document host )' \
            '--overflow[float results of mmad, fixpipe, tik_fixpipe beyond their type\: its largest number or infinity]:saturate|ieee:(saturate ieee )' \
            '--rounding[right shift of BM_MUL and BM_MAC in tensor_arithmetic_quantized]:floor|half_up:(floor half_up )' \
            '--lanes[lanes of the tensor processor'\''s memory]:N:' \
            '--lane_bytes[bytes of each lane]:N:' \
            '--ub_bytes[bytes of the unified buffer, where texpands'\'' tiles in vec lie; 0\: as the architecture has]:N:' \
            '--l1_bytes[bytes of L1, where texpands'\'' tiles in mat lie; 0\: as the architecture has]:N:' \
            '*--profile[whose readings of what the documents leave open; help choices lists them]:NAME:(document simulator script library )' \
            '*--choice[one such reading; after --profile]:KEY=VALUE:' \
            '*:argument:_aicjit_specs' ;;
    info)
        _arguments '--help[this text]' \
            '--isa[highest instruction set level to use; aicjit info lists them]:LEVEL:(generic sse2 avx2 avx2+avxvnni avx512 avx512vnni avx512fp16 amx )' \
            '--json[one object, see tools/json.md]' \
            '--limits[conv2d with W == Kw and H > Kh\: refused or computed]:document|host:(document host )' \
            '--overflow[float results of mmad, fixpipe, tik_fixpipe beyond their type\: its largest number or infinity]:saturate|ieee:(saturate ieee )' \
            '--rounding[right shift of BM_MUL and BM_MAC in tensor_arithmetic_quantized]:floor|half_up:(floor half_up )' \
            '--lanes[lanes of the tensor processor'\''s memory]:N:' \
            '--lane_bytes[bytes of each lane]:N:' \
            '--ub_bytes[bytes of the unified buffer, where texpands'\'' tiles in vec lie; 0\: as the architecture has]:N:' \
            '--l1_bytes[bytes of L1, where texpands'\'' tiles in mat lie; 0\: as the architecture has]:N:' \
            '*--profile[whose readings of what the documents leave open; help choices lists them]:NAME:(document simulator script library )' \
            '*--choice[one such reading; after --profile]:KEY=VALUE:' \
            '*:argument:_files' ;;
    list)
        _arguments '--help[this text]' \
            '--json[one object, see tools/json.md]' \
            '*:argument:_files' ;;
    help)
        _arguments '--help[this text]' \
            '--json[one object, see tools/json.md]' \
            '--format[man\: the manual page; bash, zsh, fish\: completion for that shell (default text)]:text|man|bash|zsh|fish:(text man bash zsh fish )' \
            '*:subject:(run check dump explain network export bench tune cache compare differ golden verify draw rules fmt info list help conv2d mmad fixpipe tik_fixpipe nd2nz load_data load_data_transpose transdata tensor_arithmetic tensor_arithmetic_quantized texpands choices )' ;;
    esac
}

_aicjit "$@"
