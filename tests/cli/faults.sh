#!/usr/bin/env bash
# Every allocation and every system call of the library fails once, and once with all that follow (tests/faults); and
# none has been forgotten: what the library calls is wrapped there, or listed here as what cannot fail.
# shellcheck disable=SC1091,SC2154 # common.bash defines aicjit, work and the operators
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"

build=$(dirname "$aicjit")

# Computes only, or changes what the process has already; a failure has no consequence, or there is nobody to tell.
harmless='
    _setjmp abort atexit dlerror exit fegetenv fesetenv fesetround getenv getpid gettid longjmp madvise popcountdi2 qsort readdir getauxval geteuid time futimens snprintf
    sprintf sscanf stack_chk_fail stderr sysconf vsnprintf ctype_toupper_loc ctype_b_loc toupper errno_location
    GLOBAL_OFFSET_TABLE_ dso_handle cpu_model cpu_indicator_init udivti3 clear_cache
    clock_gettime uselocale sigfillset sigemptyset sigaddset sigismember sigpending sigtimedwait pthread_sigmask pthread_once pthread_getspecific
    pthread_setcancelstate pthread_attr_destroy pthread_cond_wait pthread_cond_timedwait pthread_cond_signal
    pthread_cond_broadcast pthread_cond_destroy pthread_condattr_destroy pthread_mutex_destroy pthread_self
    pthread_getattr_np pthread_attr_getstack getrlimit
'
# When the library is loaded, before it can be called; what follows is a status of every compilation.
loading='pthread_atfork pthread_key_create newlocale'
# Text into memory streams, whose failure ferror() and fclose() tell; and the question for a permission, whose answers
# tests/runtime/test_host.c gives.
output='fprintf vfprintf fputc fputs putc link syscall'
wrapped=$(nm "$build/aicjit-faults" | sed -n 's/.* [tT] __wrap_//p')
known=$(tr -s ' ' '\n' <<<"$harmless $loading $output $wrapped" | sed 's/^_*//; /^$/d')
if nm "$build/libaicjit.a" 2>/dev/null | grep -E '__(asan|tsan)_init' >/dev/null; then
    echo 'not run: whether all calls are known: a sanitizer has its own'
    verdict 'not run' 0 ''
else
    unknown=$(nm --undefined-only --format=posix "$build/libaicjit.a" 2>/dev/null | awk '!/:$/ && NF > 1 && $2 != "w" { print $1 }' |
        grep -Ev '^(aic_|ffi_|__gcov_|LLVM|_Z|str|mem(cmp|cpy|move|set|chr)|bcmp)' | sed -E 's/^__isoc[0-9]+_//; s/^_*//; s/_chk$//' | sort -u |
        grep -Ev '^(str|mem(cmp|cpy|move|set|chr)|f?abs|ceil|floor|f?min|f?max|fma|frexp|ldexp|scalbn|ll?rint|ll?round|log2|nearbyint|nextafter|rint|round|sqrt|trunc)[a-z0-9]*$' |
        grep -Fxv "$known" || true)
    verdict 'every call that can fail is wrapped' "$([ -z "$unknown" ] && echo 0 || echo 1)" "neither wrapped nor known as harmless: $unknown"
fi

# The sums of the program are this script's.
"$build/aicjit-faults" >out.txt 2>err.txt
status=$?
grep -E '^FAILED|repeat:' out.txt
line=$(tail -n 1 out.txt)
if [[ $line =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]]; then
    passed=$((passed + BASH_REMATCH[1]))
    failed=$((failed + BASH_REMATCH[2]))
else
    verdict 'the program' 1 "it ended with $status: $(tail -n 3 out.txt err.txt)"
fi
finish
