/* Names that exported functions cannot have; see export_reserved.h. */
#include "runtime/export/export_reserved.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Lists: words between blanks, lines up to NULL. */

static const char *const KEYWORDS[] = {
    " alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t char8_t class ",
    " co_await co_return co_yield compl concept const const_cast consteval constexpr constinit continue decltype ",
    " default delete do double dynamic_cast else enum explicit export extern false float for friend goto if inline ",
    " int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public register ",
    " reinterpret_cast requires restrict return short signed sizeof static static_assert static_cast struct switch ",
    " template this thread_local throw true try typedef typeid typename typeof typeof_unqual union unsigned using ",
    " virtual void volatile wchar_t while xor xor_eq ",
    NULL,
};

/* Macros of compilers that are not asked for the standard alone. */
static const char *const PREDEFINED[] = {
    " linux unix i386 ",
    NULL,
};

/* Functions, types and macros of ISO C, functions of POSIX, and what C libraries have always had besides. */
static const char *const LIBRARY[] = {
    " BUFSIZ CLOCKS_PER_SEC CMPLX CMPLXF CMPLXL DECIMAL_DIG DIR EOF FILE I INFINITY L_tmpnam NAN NULL ONCE_FLAG_INIT ",
    " TSS_DTOR_ITERATIONS WEOF a64l abort abs accept access alarm aligned_alloc alloca alphasort arc4random asctime ",
    " asctime_r asprintf assert at_quick_exit atexit atof atoi atol atoll bcmp bcopy bind brk bsearch btowc bzero ",
    " c16rtomb c32rtomb call_once calloc catclose catgets catopen cfgetispeed cfgetospeed cfsetispeed cfsetospeed ",
    " chdir chmod chown clearerr clock clock_getcpuclockid clock_getres clock_gettime clock_nanosleep clock_settime ",
    " clock_t clone close closedir closelog complex confstr connect creat ctermid ctime ctime_r dadd daylight ddiv ",
    " dfma difftime dirfd dirname div div_t dlclose dlerror dlopen dlsym dmul double_t dprintf drand48 drem dsqrt ",
    " dsub dup dup2 duplocale endgrent endhostent endnetent endprotoent endpwent endservent endutxent environ ",
    " erand48 err errno errx execl execle execlp execv execve execvp exit explicit_bzero faccessat fadd fchdir ",
    " fchmod fchmodat fchown fchownat fclose fcntl fdatasync fdiv fdopen fdopendir feclearexcept fegetenv ",
    " fegetexceptflag fegetround feholdexcept femode_t fenv_t feof feraiseexcept ferror fesetenv fesetexceptflag ",
    " fesetround fetestexcept feupdateenv fexcept_t fexecve fflush ffma ffs fgetc fgetpos fgets fgetwc fgetws fileno ",
    " float_t flockfile fmemopen fmtmsg fmul fnmatch fopen fork fpathconf fpclassify fpos_t fprintf fputc fputs ",
    " fputwc fputws fread free free_aligned_sized free_sized freeaddrinfo freelocale freopen fscanf fseek fseeko ",
    " fsetpos fsqrt fstat fstatat fstatvfs fsub fsync ftell ftello ftok ftruncate ftrylockfile ftw funlockfile ",
    " futimens fwide fwprintf fwrite fwscanf gai_strerror gamma getaddrinfo getc getc_unlocked getchar ",
    " getchar_unlocked getcwd getdate getdelim getegid getentropy getenv geteuid getgid getgrent getgrgid getgrgid_r ",
    " getgrnam getgrnam_r getgroups gethostbyaddr gethostbyname gethostent gethostid gethostname getitimer getline ",
    " getlogin getlogin_r getnameinfo getnetbyaddr getnetbyname getnetent getopt getpeername getpgid getpgrp getpid ",
    " getppid getpriority getprotobyname getprotobynumber getprotoent getpwent getpwnam getpwnam_r getpwuid ",
    " getpwuid_r getrlimit getrusage gets getservbyname getservbyport getservent getsid getsockname getsockopt ",
    " getsubopt gettimeofday getuid getutxent getutxid getutxline getwc getwchar getwd gid_t glob globfree gmtime ",
    " gmtime_r grantpt hcreate hdestroy hsearch htonl htons iconv iconv_close iconv_open if_freenameindex ",
    " if_indextoname if_nameindex if_nametoindex imaginary imaxabs imaxdiv imaxdiv_t index inet_addr inet_lnaof ",
    " inet_makeaddr inet_netof inet_network inet_ntoa inet_ntop inet_pton initstate insque int16_t int32_t int64_t ",
    " int8_t int_fast16_t int_fast32_t int_fast64_t int_fast8_t int_least16_t int_least32_t int_least64_t ",
    " int_least8_t intmax_t intptr_t isalnum isalnum_l isalpha isalpha_l isascii isatty isblank isblank_l ",
    " iscanonical iscntrl iscntrl_l isdigit isdigit_l iseqsig isfinite isgraph isgraph_l isgreater isgreaterequal ",
    " isinf isless islessequal islessgreater islower islower_l isnan isnormal isprint isprint_l ispunct ispunct_l ",
    " issignaling isspace isspace_l issubnormal isunordered isupper isupper_l iswalnum iswalnum_l iswalpha ",
    " iswalpha_l iswblank iswblank_l iswcntrl iswcntrl_l iswctype iswctype_l iswdigit iswdigit_l iswgraph iswgraph_l ",
    " iswlower iswlower_l iswprint iswprint_l iswpunct iswpunct_l iswspace iswspace_l iswupper iswupper_l iswxdigit ",
    " iswxdigit_l isxdigit isxdigit_l iszero jmp_buf jrand48 kill kill_dependency killpg l64a labs lchown lcong48 ",
    " ldiv ldiv_t lfind link linkat lio_listio listen llabs lldiv lldiv_t localeconv localtime localtime_r ",
    " lockf longjmp lrand48 lsearch lseek lstat malloc math_errhandling max_align_t mblen mbrlen mbrtoc16 mbrtoc32 ",
    " mbrtowc mbsinit mbsnrtowcs mbsrtowcs mbstate_t mbstowcs mbtowc memalignment memccpy memchr memcmp memcpy ",
    " memmove memset memset_explicit mkdir mkdirat mkdtemp mkfifo mkfifoat mknod mknodat mkstemp mktemp mktime mlock ",
    " mlockall mmap mode_t mprotect mrand48 msgctl msgget msgrcv msgsnd msync munlock munlockall munmap nanosleep ",
    " newlocale nftw nice nl_langinfo nl_langinfo_l noreturn nrand48 ntohl ntohs nullptr_t off_t offsetof once_flag ",
    " open open_memstream open_wmemstream openat opendir openlog optarg opterr optind optopt pathconf pause pclose ",
    " perror pid_t pipe poll popen pow10 pread printf pselect psiginfo psignal ptrdiff_t ptsname putc putc_unlocked ",
    " putchar putchar_unlocked putenv puts pututxline putwc putwchar pwrite qsort quick_exit raise rand rand_r ",
    " random read readdir readdir_r readlink readlinkat readv realloc reallocarray realpath recv recvfrom recvmsg ",
    " regcomp regerror regexec regfree remove remque rename renameat rewind rewinddir rindex rmdir sbrk scandir ",
    " scanf sched_get_priority_max sched_get_priority_min sched_getparam sched_getscheduler sched_rr_get_interval ",
    " sched_setparam sched_setscheduler sched_yield seed48 seekdir select semctl semget semop send sendmsg sendto ",
    " setbuf setegid setenv seteuid setgid setgrent sethostent setitimer setjmp setlocale setlogmask setnetent ",
    " setpgid setpgrp setpriority setprotoent setpwent setregid setreuid setrlimit setservent setsid setsockopt ",
    " setstate setuid setutxent setvbuf shm_open shm_unlink shmat shmctl shmdt shmget shutdown sig_atomic_t ",
    " sigaction sigaddset sigaltstack sigdelset sigemptyset sigfillset sighold sigignore siginterrupt sigismember ",
    " sigjmp_buf siglongjmp signal signbit signgam sigpause sigpending sigprocmask sigqueue sigrelse sigset ",
    " sigsuspend sigtimedwait sigwait sigwaitinfo sincos sincosf sincosl size_t sleep snprintf sockatmark socket ",
    " socketpair sprintf srand srand48 srandom sscanf ssize_t stat statvfs stderr stdin stdout stpcpy stpncpy ",
    " strcasecmp strcasecmp_l strcat strchr strcmp strcoll strcoll_l strcpy strcspn strdup strerror strerror_l ",
    " strerror_r strfmon strfmon_l strfromd strfromf strfroml strftime strftime_l strlcat strlcpy strlen strncasecmp ",
    " strncasecmp_l strncat strncmp strncpy strndup strnlen strpbrk strptime strrchr strsep strsignal strspn strstr ",
    " strtod strtof strtoimax strtok strtok_r strtol strtold strtoll strtoul strtoull strtoumax strxfrm strxfrm_l ",
    " swab swprintf swscanf symlink symlinkat sync syscall sysconf syslog system tcdrain tcflow tcflush tcgetattr ",
    " tcgetpgrp tcgetsid tcsendbreak tcsetattr tcsetpgrp tdelete telldir tempnam tfind time time_t timer_create ",
    " timer_delete timer_getoverrun timer_gettime timer_settime times timespec_get timespec_getres timezone ",
    " tmpfile tmpnam toascii tolower tolower_l toupper toupper_l towctrans towctrans_l towlower towlower_l ",
    " towupper towupper_l truncate tsearch ttyname ttyname_r twalk tzname tzset ualarm uid_t uint16_t uint32_t ",
    " uint64_t uint8_t uint_fast16_t uint_fast32_t uint_fast64_t uint_fast8_t uint_least16_t uint_least32_t ",
    " uint_least64_t uint_least8_t uintmax_t uintptr_t ulimit umask uname ungetc ungetwc unlink unlinkat unlockpt ",
    " unreachable unsetenv uselocale usleep utime utimensat utimes va_arg va_copy va_end va_list va_start vasprintf ",
    " vdprintf vfork vfprintf vfscanf vfwprintf vfwscanf vprintf vscanf vsnprintf vsprintf vsscanf vswprintf ",
    " vswscanf vwprintf vwscanf wait waitid waitpid warn warnx wcpcpy wcpncpy wcrtomb wcscasecmp wcscasecmp_l wcscat ",
    " wcschr wcscmp wcscoll wcscoll_l wcscpy wcscspn wcsdup wcsftime wcslen wcsncasecmp wcsncasecmp_l wcsncat ",
    " wcsncmp wcsncpy wcsnlen wcsnrtombs wcspbrk wcsrchr wcsrtombs wcsspn wcsstr wcstod wcstof wcstoimax wcstok ",
    " wcstol wcstold wcstoll wcstombs wcstoul wcstoull wcstoumax wcswcs wcswidth wcsxfrm wcsxfrm_l wctob wctomb ",
    " wctrans wctrans_l wctrans_t wctype wctype_l wctype_t wcwidth wint_t wmemchr wmemcmp wmemcpy wmemmove wmemset ",
    " wordexp wordfree wprintf write writev wscanf ",
    NULL,
};

/* Functions of ISO C's <math.h> and <complex.h>, which have variants with f and l behind. */
static const char *const MATH[] = {
    " acos acosh acospi asin asinh asinpi atan atan2 atan2pi atanh atanpi cabs cacos cacosh canonicalize carg casin ",
    " casinh catan catanh cbrt ccos ccosh ceil cexp cimag clog compoundn conj copysign cos cosh cospi cpow cproj ",
    " creal csin csinh csqrt ctan ctanh erf erfc exp exp10 exp10m1 exp2 exp2m1 expm1 fabs fdim floor fma fmax ",
    " fmaximum fmaximum_mag fmaximum_mag_num fmaximum_num fmin fminimum fminimum_mag fminimum_mag_num fminimum_num ",
    " fmod frexp fromfp fromfpx getpayload hypot ilogb j0 j1 jn ldexp lgamma llogb llrint llround log log10 log10p1 ",
    " log1p log2 log2p1 logb logp1 lrint lround modf nan nearbyint nextafter nextdown nexttoward nextup pow pown ",
    " powr remainder remquo rint rootn round roundeven rsqrt scalbln scalbn setpayload setpayloadsig sin sinh sinpi ",
    " sqrt tan tanh tanpi tgamma totalorder totalordermag trunc ufromfp ufromfpx y0 y1 yn ",
    NULL,
};

/* What such names of C and POSIX begin with. */
static const char *const PREFIXES[] = {
    " atomic_ cnd_ memory_ mtx_ mq_ posix_ pthread_ sem_ stdc_ thrd_ tss_ aio_ ",
    NULL,
};

/* What macros of ISO C begin with that have no small letter. */
static const char *const CAPITALS[] = {
    " ATOMIC_ CHAR_ CLOCK_ DBL_ E EXIT_ FE_ FILENAME_ FLT_ FOPEN_ FP_ HUGE_ INT_ INT8_ INT16_ INT32_ INT64_ INTMAX_ ",
    " INTPTR_ LC_ LDBL_ LLONG_ LONG_ MATH_ MB_ PTRDIFF_ RAND_ SCHAR_ SEEK_ SHRT_ SIG SIZE_ TIME_ TMP_ UCHAR_ ",
    " UINT_ UINT8_ UINT16_ UINT32_ UINT64_ UINTMAX_ UINTPTR_ ULLONG_ ULONG_ USHRT_ WCHAR_ WINT_ ",
    NULL,
};

/* Whether `word`, of that length, is in the list. */
static bool is_listed(const char *const list[], const char *word, size_t length)
{
    for (; *list != NULL; list++) {
        for (const char *at = *list + 1; *at != '\0'; at += strcspn(at, " ") + 1) {
            if (strncmp(at, word, length) == 0 && at[length] == ' ') {
                return true;
            }
        }
    }
    return false;
}

/* Whether the word begins with one of the list. */
static bool is_prefixed(const char *const list[], const char *word)
{
    size_t length = strlen(word);
    while (length > 0 && !is_listed(list, word, length)) {
        length--;
    }
    return length > 0;
}

/* Also those of formats, PRId64 and so on. */
static bool is_library_macro(const char *name)
{
    static const char SMALL[] = "abcdefghijklmnopqrstuvwxyz";
    const bool format = strncmp(name, "PRI", 3) == 0 || strncmp(name, "SCN", 3) == 0;
    return (format && strspn(name + 3, "bBdiouxX") == 1) ||
           (strpbrk(name, SMALL) == NULL && is_prefixed(CAPITALS, name));
}

static bool is_math(const char *name, size_t length)
{
    const bool variant = length > 1 && (name[length - 1] == 'f' || name[length - 1] == 'l');
    return is_listed(MATH, name, length) || (variant && is_listed(MATH, name, length - 1));
}

const char *aic_export_reserved(const char *name)
{
    const size_t length = strlen(name);
    if (strcmp(name, "main") == 0) {
        return "is where programs begin";
    }
    if (is_listed(KEYWORDS, name, length)) {
        return "is a keyword";
    }
    if (is_listed(PREDEFINED, name, length)) {
        return "is a macro of compilers";
    }
    const bool library = is_listed(LIBRARY, name, length) || is_math(name, length) || is_prefixed(PREFIXES, name) ||
                         is_library_macro(name);
    return library ? "is a name of the C library" : NULL;
}
