# What the tests of the command line share. A test sources it with its own arguments:
#
#     AICJIT | BUILD_FOLDER    the executable, or the folder that holds it
#
# expect NAME STATUS PATTERN COMMAND...   runs COMMAND; its exit status is STATUS and its output or message matches the
#                                         extended regular expression PATTERN (empty: anything). With status 2 or 3
#                                         standard error is exactly one line "aicjit: ...".
# ok NAME CONDITION...                    CONDITION, a command, succeeds
# llvms COMMAND...                        how many LLVMs, modules of the generator among them, it loads
# starts_within KIB                       whether it runs under a limit on the size of files; says so if not
# end_together SIGNAL COMMAND...          sends SIGNAL to COMMAND, which lets another process print a line and wait for ever; both end.
#                                         What they said is in SIGNAL.txt
# finish                                  prints "N passed, N failed"
set -u
export LC_ALL=C
unset AIC_MAX_ISA AIC_VERBOSE AIC_DUMP_DIR AIC_TUNING_DB AIC_PROFILE AIC_CODEGEN AIC_CACHE_DIR
export AIC_CACHE=off # tests of it set a folder of their own

aicjit=${1:?usage: $0 AICJIT|BUILD_FOLDER}
[ -d "$aicjit" ] && aicjit=$aicjit/aicjit
aicjit=$(realpath "$aicjit")
work=$(mktemp -d)
if [[ $work == *[[:space:]:]* ]]; then # which end names in LD_PRELOAD
    rmdir "$work"
    work=$(TMPDIR=/tmp mktemp -d)
fi
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
cd "$work" || exit 2
passed=0
failed=0

# The module has LLVM in it, or needs a library that is one.
llvms() { LD_DEBUG=files "$@" 2>&1 | grep -Ec 'calling init.*lib(LLVM|aicjit-codegen)'; }

end_together() {
    local signal=$1 tool line rest
    shift
    mkfifo "$signal.fifo"
    (exec "$@" >"$signal.fifo" 2>"$signal.txt") &
    tool=$!
    exec 3<"$signal.fifo"
    read -r line <&3
    kill -"$signal" "$tool"
    wait "$tool" 2>/dev/null
    read -r rest <&3 # until no process has the other end
    exec 3<&-
    ok "both end by SIG$signal" test "$line$rest" = 'in it'
}

# libraries_for_everybody FOLDER: copies of the libraries of the build in FOLDER to ./lib, as another user may not reach that one.
libraries_for_everybody() {
    chmod 755 "$work"
    mkdir -m 755 lib
    cp -P "$1"/libaicjit*.so* lib
    chmod -R a+rX lib
}

verdict() { # NAME 0|1 DETAIL
    if [ "$2" -eq 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf 'FAILED %s: %s\n' "$1" "$3"
    fi
}

expect() {
    local name=$1 status=$2 pattern=$3 got others
    shift 3
    "$@" >"$work/.out" 2>"$work/.err"
    got=$?
    others=$(sed 1d "$work/.err" | grep -Evc '^aicjit: also: ') # of one request several rules may be broken
    if [ "$got" -ne "$status" ]; then
        verdict "$name" 1 "exit status $got, not $status: $(head -c 300 "$work/.err")$(grep -aE 'FAILED|seed|repeat' "$work/.out" | head -c 600)"
    elif [ "$status" -ge 2 ] && { [ "$others" -ne 0 ] || ! head -n 1 "$work/.err" | grep -Eq '^aicjit: '; }; then
        verdict "$name" 1 "the message is not one line \"aicjit: ...\": $(head -c 300 "$work/.err")"
    elif [ "$status" -eq 2 ] && [ -s "$work/.out" ] && [[ " $* " != *' --batch '* ]]; then # a batch goes on
        verdict "$name" 1 "a request that is refused prints $(head -c 300 "$work/.out")"
    elif [ -n "$pattern" ] && ! cat "$work/.out" "$work/.err" | grep -Eaq -e "$pattern"; then
        verdict "$name" 1 "\"$pattern\" is not in: $(cat "$work/.out" "$work/.err" | head -c 300)"
    else
        verdict "$name" 0 ""
    fi
}

ok() {
    local name=$1
    shift
    if "$@" >/dev/null 2>&1; then verdict "$name" 0 ""; else verdict "$name" 1 "not true: $*"; fi
}

# starts_within KIB: the executable starts where no file may grow beyond that. The thread sanitizer's start writes a file.
starts_within() {
    # shellcheck disable=SC2016 # the inner shell's own
    GCOV_PREFIX="$work" bash -c 'ulimit -f "$2" && "$1" --version >/dev/null' bash "$aicjit" "$1" 2>/dev/null && return
    echo "not run: files of at most $1 KiB: the start writes a larger one"
    return 1
}

finish() {
    printf '%d passed, %d failed\n' "$passed" "$failed"
    [ "$failed" -eq 0 ]
}

# Plugins are for objects that link-time optimisation makes: each nm would load every LLVM that the machine has.
nm() { command nm --plugin= "$@"; }

# about_host: what `info` prints. It also measures the processor, which takes longer than most tests: it is asked once, for all
# scripts where they have a folder together.
about_host() {
    local kept
    kept="${AIC_TEST_CACHE:-$work}/.info-$(cksum <<<"$aicjit ${LD_PRELOAD:-}" | tr ' ' -)"
    [ -e "$kept" ] || { "$aicjit" info 2>/dev/null >"$kept.$$" && mv "$kept.$$" "$kept"; }
    cat "$kept"
}

# runnable_levels: the levels that run here, ascending.
runnable_levels() {
    about_host | sed -n 's/^instruction set levels: //p' | sed -E 's/ ?[a-z0-9+]+ \(not on this host\)//g; s/ \(emulated\)//g'
}

# exportable_levels: those of them whose objects may hold several, a line each.
exportable_levels() { runnable_levels | tr ' ' '\n' | grep -Ex 'generic|sse2|avx2|avx512|avx512vnni|neon|dotprod|i8mm'; }

# npy FILE DESCR SHAPE BYTES: a .npy file of BYTES bytes of data, each 1.
npy() {
    local text="{'descr': '$2', 'fortran_order': ${5:-False}, 'shape': $3, }"
    {
        printf '\x93NUMPY\x01\x00'
        # shellcheck disable=SC2059 # the format is the two bytes
        printf "$(printf '\\x%02x\\x%02x' $((${#text} % 256)) $((${#text} / 256)))"
        printf '%s' "$text"
        head -c "$4" /dev/zero | tr '\0' '\1'
    } >"$1"
}

# A small operator of each data type, and its operands' sizes in bytes.
# shellcheck disable=SC2034
int8='conv2d(dtype=int8, fm_shape=[1,4,4,32], kernel_shape=[1,2,2,32,32])'   # 512, 4096 -> 2048
# shellcheck disable=SC2034
half='conv2d(dtype=float16, fm_shape=[1,4,4,16], kernel_shape=[1,2,2,16,16])' # 512, 2048 -> 1024
