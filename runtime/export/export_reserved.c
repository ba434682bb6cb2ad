/* Names that exported functions cannot have; see export_names.h. */
#include "runtime/export/export_names.h"

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

/* Of C++, also in front of `extern "C"`. */
static const char *const NAMESPACES[] = {
    " std posix ",
    NULL,
};

/* Macros of compilers that are not asked for the standard alone. */
static const char *const PREDEFINED[] = {
    " linux unix i386 ",
    NULL,
};

/* Functions, types and macros of ISO C, functions of POSIX, and what headers of C libraries declare besides, where they
 * are not asked for the standard alone. */
static const char *const LIBRARY[] = {
    " BUFSIZ CLOCKS_PER_SEC CMPLX CMPLXF CMPLXL DECIMAL_DIG DIR EOF FILE I INFINITY L_tmpnam NAN NULL ONCE_FLAG_INIT ",
    " TSS_DTOR_ITERATIONS WEOF a64l abort abs accept access acct addseverity adjtime alarm aligned_alloc alloca ",
    " alphasort arc4random arc4random_buf arc4random_uniform asctime asctime_r asprintf assert at_quick_exit atexit ",
    " atof atoi atol atoll basename bcmp bcopy bind bindresvport bindresvport6 brk bsearch btowc bzero c16rtomb ",
    " c32rtomb c8rtomb call_once calloc catclose catgets catopen cfgetispeed cfgetospeed cfmakeraw cfsetispeed ",
    " cfsetospeed cfsetspeed chdir chmod chown chroot clearenv clearerr clearerr_unlocked clock clock_getcpuclockid ",
    " clock_getres clock_gettime clock_nanosleep clock_settime clone close closedir closefrom closelog complex ",
    " confstr connect creat crypt ctermid ctime ctime_r dadd daddl daemon daylight ddiv ddivl dfma dfmal difftime ",
    " dirfd dirname div dlclose dlerror dlopen dlsym dmul dmull dprintf drand48 drand48_r drem dremf dreml dsqrt ",
    " dsqrtl dsub dsubl dup dup2 dup3 duplocale dysize eaccess ecvt ecvt_r endgrent endhostent endnetent endnetgrent ",
    " endprotoent endpwent endrpcent endservent endusershell endutxent environ erand48 erand48_r err errno errx ",
    " execl execle execlp execv execve execvp exit explicit_bzero faccessat fadd faddl fchdir fchmod fchmodat fchown ",
    " fchownat fclose fcntl fcvt fcvt_r fd_mask fd_set fdatasync fdiv fdivl fdopen fdopendir feclearexcept fegetenv ",
    " fegetexceptflag fegetmode fegetround feholdexcept feof feof_unlocked feraiseexcept ferror ferror_unlocked ",
    " fesetenv fesetexcept fesetexceptflag fesetmode fesetround fetestexcept fetestexceptflag feupdateenv fexecve ",
    " fflush fflush_unlocked ffma ffmal ffs ffsl ffsll fgetc fgetc_unlocked fgetgrent fgetgrent_r fgetpos fgetpwent ",
    " fgetpwent_r fgets fgetwc fgetws fileno fileno_unlocked finite finitef finitel flockfile fmemopen fmtmsg fmul ",
    " fmull fnmatch fopen fopencookie fork fpathconf fpclassify fprintf fputc fputc_unlocked fputs fputwc fputws ",
    " fread fread_unlocked free free_aligned_sized free_sized freeaddrinfo freelocale freopen fscanf fseek fseeko ",
    " fsetpos fsqrt fsqrtl fstat fstatat fstatvfs fsub fsubl fsync ftell ftello ftok ftruncate ftrylockfile ftw ",
    " funlockfile futimens futimes fwide fwprintf fwrite fwrite_unlocked fwscanf gai_strerror gamma gammaf gammal ",
    " gcvt getaddrinfo getc getc_unlocked getchar getchar_unlocked getcwd getdate getdelim getdirentries ",
    " getdomainname getdtablesize getegid getentropy getenv geteuid getgid getgrent getgrgid getgrgid_r getgrnam ",
    " getgrnam_r getgrouplist getgroups gethostbyaddr gethostbyaddr_r gethostbyname gethostbyname2 gethostbyname2_r ",
    " gethostbyname_r gethostent gethostent_r gethostid gethostname getitimer getline getloadavg getlogin getlogin_r ",
    " getnameinfo getnetbyaddr getnetbyaddr_r getnetbyname getnetbyname_r getnetent getnetent_r getnetgrent ",
    " getnetgrent_r getopt getopt_long getopt_long_only getpagesize getpass getpeername getpgid getpgrp getpid ",
    " getppid getpriority getprotobyname getprotobyname_r getprotobynumber getprotobynumber_r getprotoent ",
    " getprotoent_r getpwent getpwent_r getpwnam getpwnam_r getpwuid getpwuid_r getrlimit getrpcbyname ",
    " getrpcbyname_r getrpcbynumber getrpcbynumber_r getrpcent getrpcent_r getrusage gets getservbyname ",
    " getservbyname_r getservbyport getservbyport_r getservent getservent_r getsid getsockname getsockopt getsubopt ",
    " gettid gettimeofday getuid getusershell getutxent getutxid getutxline getw getwc getwchar getwd glob globfree ",
    " gmtime gmtime_r grantpt gsignal hcreate hdestroy herror hsearch hstrerror htonl htons iconv iconv_close ",
    " iconv_open if_freenameindex if_indextoname if_nameindex if_nametoindex imaginary imaxabs imaxdiv in6addr_any ",
    " in6addr_loopback index inet_addr inet_aton inet_lnaof inet_makeaddr inet_net_ntop inet_net_pton inet_neta ",
    " inet_netof inet_network inet_nsap_addr inet_nsap_ntoa inet_ntoa inet_ntop inet_pton initgroups initstate ",
    " initstate_r innetgr insque iruserok iruserok_af isalnum isalnum_l isalpha isalpha_l isascii isatty isblank ",
    " isblank_l iscanonical iscntrl iscntrl_l isdigit isdigit_l iseqsig isfdtype isfinite isgraph isgraph_l ",
    " isgreater isgreaterequal isinf isinff isinfl isless islessequal islessgreater islower islower_l isnan isnanf ",
    " isnanl isnormal isprint isprint_l ispunct ispunct_l issignaling isspace isspace_l issubnormal isunordered ",
    " isupper isupper_l iswalnum iswalnum_l iswalpha iswalpha_l iswblank iswblank_l iswcntrl iswcntrl_l iswctype ",
    " iswctype_l iswdigit iswdigit_l iswgraph iswgraph_l iswlower iswlower_l iswprint iswprint_l iswpunct iswpunct_l ",
    " iswspace iswspace_l iswupper iswupper_l iswxdigit iswxdigit_l isxdigit isxdigit_l iszero jmp_buf jrand48 ",
    " jrand48_r kill kill_dependency killpg l64a labs lchmod lchown lcong48 lcong48_r ldiv lfind lgamma_r lgammaf_r ",
    " lgammal_r link linkat lio_listio listen llabs lldiv localeconv localtime localtime_r lockf longjmp lrand48 ",
    " lrand48_r lsearch lseek lstat lutimes madvise malloc math_errhandling mblen mbrlen mbrtoc16 mbrtoc32 mbrtoc8 ",
    " mbrtowc mbsinit mbsnrtowcs mbsrtowcs mbstowcs mbtowc memalignment memccpy memchr memcmp memcpy memfrob memmem ",
    " memmove mempcpy memset memset_explicit mincore mkdir mkdirat mkdtemp mkfifo mkfifoat mknod mknodat mkstemp ",
    " mkstemps mktemp mktime mlock mlockall mmap mprotect mrand48 mrand48_r msgctl msgget msgrcv msgsnd msync ",
    " munlock munlockall munmap nanosleep newlocale nftw nice nl_catd nl_item nl_langinfo nl_langinfo_l noreturn ",
    " nrand48 nrand48_r ntohl ntohs offsetof on_exit once_flag open open_memstream open_wmemstream openat opendir ",
    " openlog optarg opterr optind optopt pathconf pause pclose perror pipe pipe2 poll popen pow10 pread preadv ",
    " printf profil pselect psiginfo psignal ptsname putc putc_unlocked putchar putchar_unlocked putenv putpwent ",
    " puts pututxline putw putwc putwchar pwrite pwritev qecvt qecvt_r qfcvt qfcvt_r qgcvt qsort quick_exit raise ",
    " rand rand_r random random_r rawmemchr rcmd rcmd_af re_syntax_options read readahead readdir readdir_r readlink ",
    " readlinkat readv realloc reallocarray realpath recv recvfrom recvmsg regcomp regerror regexec regfree remove ",
    " remque rename renameat revoke rewind rewinddir rexec rexec_af rindex rmdir rpmatch rresvport rresvport_af ",
    " ruserok ruserok_af sa_handler sa_sigaction sbrk scalb scalbf scalbl scandir scanf sched_get_priority_max ",
    " sched_get_priority_min sched_getparam sched_getscheduler sched_rr_get_interval sched_setparam ",
    " sched_setscheduler sched_yield seed48 seed48_r seekdir select semctl semget semop send sendmsg sendto setbuf ",
    " setbuffer setdomainname setegid setenv seteuid setgid setgrent setgroups sethostent sethostid sethostname ",
    " setitimer setjmp setlinebuf setlocale setlogin setlogmask setnetent setnetgrent setpgid setpgrp setpriority ",
    " setprotoent setpwent setregid setreuid setrlimit setrpcent setservent setsid setsockopt setstate setstate_r ",
    " settimeofday setuid setusershell setutxent setvbuf shm_open shm_unlink shmat shmctl shmdt shmget shutdown ",
    " si_addr si_addr_lsb si_band si_fd si_overrun si_pid si_status si_stime si_uid si_utime sigaction sigaddset ",
    " sigaltstack sigblock sigdelset sigemptyset sigfillset siggetmask sighold sigignore siginterrupt sigismember ",
    " sigjmp_buf siglongjmp sigmask signal signbit signgam significand significandf significandl sigpause sigpending ",
    " sigprocmask sigqueue sigrelse sigreturn sigset sigsetmask sigstack sigsuspend sigtimedwait sigvec sigwait ",
    " sigwaitinfo sincos sincosf sincosl sleep snprintf sockatmark socket socketpair sprintf srand srand48 srand48_r ",
    " srandom srandom_r sscanf ssignal stat statvfs stderr stdin stdout stpcpy stpncpy strcasecmp strcasecmp_l ",
    " strcasestr strcat strchr strchrnul strcmp strcoll strcoll_l strcpy strcspn strdup strerror strerror_l ",
    " strerror_r strfmon strfmon_l strfromd strfromf strfroml strfry strftime strftime_l strlcat strlcpy strlen ",
    " strncasecmp strncasecmp_l strncat strncmp strncpy strndup strnlen strpbrk strptime strrchr strsep strsignal ",
    " strspn strstr strtod strtof strtoimax strtok strtok_r strtol strtold strtoll strtoq strtoul strtoull strtoumax ",
    " strtouq strverscmp strxfrm strxfrm_l swab swprintf swscanf symlink symlinkat sync syscall sysconf syslog ",
    " system tcdrain tcflow tcflush tcgetattr tcgetpgrp tcgetsid tcsendbreak tcsetattr tcsetpgrp tdelete telldir ",
    " tempnam tfind time timegm timelocal timer_create timer_delete timer_getoverrun timer_gettime timer_settime ",
    " times timespec_get timespec_getres timezone tmpfile tmpnam tmpnam_r toascii tolower tolower_l toupper ",
    " toupper_l towctrans towctrans_l towlower towlower_l towupper towupper_l truncate tsearch ttyname ttyname_r ",
    " ttyslot twalk tzname tzset u_char u_int u_long u_short ualarm ulimit umask uname ungetc ungetwc unlink ",
    " unlinkat unlockpt unreachable unsetenv uselocale usleep utime utimensat utimes va_arg va_copy va_end va_list ",
    " va_start valloc vasprintf vdprintf vfork vfprintf vfscanf vfwprintf vfwscanf vhangup vprintf vscanf vsnprintf ",
    " vsprintf vsscanf vswprintf vswscanf vsyslog vwprintf vwscanf wait waitid waitpid warn warnx wcpcpy wcpncpy ",
    " wcrtomb wcscasecmp wcscasecmp_l wcscat wcschr wcscmp wcscoll wcscoll_l wcscpy wcscspn wcsdup wcsftime wcslcat ",
    " wcslcpy wcslen wcsncasecmp wcsncasecmp_l wcsncat wcsncmp wcsncpy wcsnlen wcsnrtombs wcspbrk wcsrchr wcsrtombs ",
    " wcsspn wcsstr wcstod wcstof wcstoimax wcstok wcstol wcstold wcstoll wcstombs wcstoul wcstoull wcstoumax wcswcs ",
    " wcswidth wcsxfrm wcsxfrm_l wctob wctomb wctrans wctrans_l wctype wctype_l wcwidth wmemchr wmemcmp wmemcpy ",
    " wmemmove wmemset wordexp wordfree wprintf write writev wscanf ",
    NULL,
};

/* What the same headers declare besides where _GNU_SOURCE is defined, as g++ does by itself. */
static const char *const GNU[] = {
    " BIG_ENDIAN BYTE_ORDER CLOSE_RANGE_CLOEXEC CLOSE_RANGE_UNSHARE F_LOCK F_OK F_TEST F_TLOCK F_ULOCK ",
    " LITTLE_ENDIAN L_INCR L_SET L_XTND L_ctermid L_cuserid MAXFLOAT MINSIGSTKSZ M_1_PI M_2_PI M_2_SQRTPI M_E ",
    " M_LN10 M_LN2 M_LOG10E M_LOG2E M_PI M_PI_2 M_PI_4 M_SQRT1_2 M_SQRT2 NFDBITS NGREG NSIG PDP_ENDIAN P_tmpdir ",
    " RENAME_EXCHANGE RENAME_NOREPLACE RENAME_WHITEOUT R_OK SA_INTERRUPT SA_NOCLDSTOP SA_NOCLDWAIT SA_NODEFER ",
    " SA_NOMASK SA_ONESHOT SA_ONSTACK SA_RESETHAND SA_RESTART SA_SIGINFO SA_STACK SIGSTKSZ SNAN SNANF SNANF128 ",
    " SNANF32 SNANF32X SNANF64 SNANF64X SNANL SS_DISABLE SS_ONSTACK STDERR_FILENO STDIN_FILENO STDOUT_FILENO ",
    " TEMP_FAILURE_RETRY TIMER_ABSTIME WCONTINUED WEXITED WEXITSTATUS WIFCONTINUED WIFEXITED WIFSIGNALED WIFSTOPPED ",
    " WNOHANG WNOWAIT WSTOPPED WSTOPSIG WTERMSIG WUNTRACED W_OK X_OK accept4 alphasort64 assert_perror be16toh ",
    " be32toh be64toh canonicalize_file_name clock_adjtime clog10 clog10f clog10l close_range copy_file_range ",
    " creat64 cuserid d_fileno dladdr dladdr1 dlinfo dlmopen dlvsym euidaccess execveat execvpe fallocate ",
    " fallocate64 fcloseall fcntl64 fedisableexcept feenableexcept fegetexcept fgetpos64 fgets_unlocked ",
    " fgetwc_unlocked fgetws_unlocked fmaxmag fmaxmagf fmaxmagl fminmag fminmagf fminmagl fopen64 fputs_unlocked ",
    " fputwc_unlocked fputws_unlocked freopen64 fseeko64 fsetpos64 fstat64 fstatat64 fstatvfs64 ftello64 ",
    " ftruncate64 ftw64 futimesat gai_cancel gai_error gai_suspend get_current_dir_name getaddrinfo_a getcpu ",
    " getdate_r getdents64 getdirentries64 getgrent_r getipv4sourcefilter getpt getpw getresgid getresuid ",
    " getrlimit64 getsourcefilter getumask getutmp getutmpx getwc_unlocked getwchar_unlocked glob64 glob_pattern_p ",
    " globfree64 group_member h_addr h_errno hcreate_r hdestroy_r hsearch_r htobe16 htobe32 htobe64 htole16 htole32 ",
    " htole64 ifa_broadaddr ifa_dstaddr ifc_buf ifc_req ifr_addr ifr_bandwidth ifr_broadaddr ifr_data ifr_dstaddr ",
    " ifr_flags ifr_hwaddr ifr_ifindex ifr_map ifr_metric ifr_mtu ifr_name ifr_netmask ifr_newname ifr_qlen ",
    " ifr_slave inet6_opt_append inet6_opt_find inet6_opt_finish inet6_opt_get_val inet6_opt_init inet6_opt_next ",
    " inet6_opt_set_val inet6_option_alloc inet6_option_append inet6_option_find inet6_option_init ",
    " inet6_option_next inet6_option_space inet6_rth_add inet6_rth_getaddr inet6_rth_init inet6_rth_reverse ",
    " inet6_rth_segments inet6_rth_space isascii_l isctype le16toh le32toh le64toh lio_listio64 lockf64 lseek64 ",
    " lstat64 memfd_create memrchr mkostemp mkostemp64 mkostemps mkostemps64 mkstemp64 mkstemps64 mlock2 mmap64 ",
    " mremap msg_cbytes name_to_handle_at nftw64 obstack_printf obstack_vprintf open64 open_by_handle_at openat64 ",
    " pkey_alloc pkey_free pkey_get pkey_mprotect pkey_set ppoll pread64 preadv2 preadv64 preadv64v2 prlimit ",
    " prlimit64 process_madvise process_mrelease process_vm_readv process_vm_writev ptsname_r putgrent ",
    " putwc_unlocked putwchar_unlocked pwrite64 pwritev2 pwritev64 pwritev64v2 qsort_r re_compile_fastmap ",
    " re_compile_pattern re_match re_match_2 re_search re_search_2 re_set_registers re_set_syntax readdir64 ",
    " readdir64_r recvmmsg remap_file_pages renameat2 s6_addr s6_addr16 s6_addr32 scandir64 scandirat scandirat64 ",
    " sched_getaffinity sched_getcpu sched_priority sched_setaffinity secure_getenv semtimedop sendmmsg ",
    " setipv4sourcefilter setns setresgid setresuid setrlimit64 setsourcefilter si_arch si_call_addr si_int ",
    " si_lower si_pkey si_ptr si_syscall si_timerid si_upper si_value sigabbrev_np sigandset sigdescr_np ",
    " sigev_notify_attributes sigev_notify_function sigisemptyset sigorset sigsetjmp splice st_atime st_ctime ",
    " st_mtime stat64 statvfs64 statx strdupa strerrordesc_np strerrorname_np strndupa strptime_l strtod_l strtof_l ",
    " strtol_l strtold_l strtoll_l strtoul_l strtoull_l sync_file_range syncfs sysv_signal tdestroy tee tgkill ",
    " timeradd timerclear timercmp timerisset timersub tmpfile64 toascii_l truncate64 twalk_r uint ulong unshare ",
    " updwtmpx ushort utmpxname versionsort versionsort64 vmsplice wait3 wait4 wcschrnul wcsftime_l wcstod_l ",
    " wcstof_l wcstol_l wcstold_l wcstoll_l wcstoq wcstoul_l wcstoull_l wcstouq wmempcpy ",
    NULL,
};

/* Names there to which those of types of floats belong: f32addf64, strtof32, M_PIf128. */
static const char *const OF_TYPES[] = {
    " f32add f32div f32fma f32mul f32sqrt f32sub f32xadd f32xdiv f32xfma f32xmul f32xsqrt f32xsub f64add f64div "
    "f64fma ",
    " f64mul f64sqrt f64sub f64xadd f64xdiv f64xfma f64xmul f64xsqrt f64xsub clog10 fmaxmag fminmag sincos strfrom "
    "strto wcsto ",
    " M_1_PI M_2_PI M_2_SQRTPI M_E M_LN10 M_LN2 M_LOG10E M_LOG2E M_PI M_PI_2 M_PI_4 M_SQRT1_2 M_SQRT2 ",
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

/* What macros of ISO C, and others of its headers, begin with that have no small letter. */
static const char *const CAPITALS[] = {
    " ADJ_ ATOMIC_ BUS_ CHAR_ CLD_ CLOCK_ DBL_ E EXIT_ FD_ FE_ FILENAME_ FLT_ FOPEN_ FPE_ FP_ HUGE_ ILL_ INT_ INT8_ ",
    " INT16_ INT32_ INT64_ INTMAX_ INTPTR_ LC_ LDBL_ LLONG_ LONG_ MATH_ MB_ MOD_ POLL_ PTRDIFF_ RAND_ REG_ SCHAR_ ",
    " SEEK_ SEGV_ SHRT_ SI_ SIG SIZE_ STA_ TIME_ TMP_ TRAP_ UCHAR_ UINT_ UINT8_ UINT16_ UINT32_ UINT64_ UINTMAX_ ",
    " UINTPTR_ ULLONG_ ULONG_ USHRT_ WCHAR_ WINT_ ",
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

/* Whether a name of these lists is left without the letters behind it of another type of float. */
static bool is_variant(const char *name, size_t length, const char *letters)
{
    const size_t more = strlen(letters);
    return length > more && strncmp(name + length - more, letters, more) == 0 &&
           (is_listed(MATH, name, length - more) || is_listed(OF_TYPES, name, length - more));
}

static bool is_math(const char *name, size_t length)
{
    static const char *const TYPES[] = {"f", "l", "f32", "f32x", "f64", "f64x", "f128"};
    const char *end = name + (length > 2 ? length - 2 : 0);
    const size_t stem = strcmp(end, "_r") == 0 || strcmp(end, "_l") == 0 ? length - 2 : length; /* lgammaf_r */
    bool found = is_listed(MATH, name, length);
    for (size_t i = 0; i < sizeof TYPES / sizeof TYPES[0]; i++) {
        found = found || is_variant(name, stem, TYPES[i]);
    }
    return found;
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
    if (is_listed(NAMESPACES, name, length)) {
        return "is a namespace of C++";
    }
    if (length > 2 && strcmp(name + length - 2, "_t") == 0) {
        return "ends as POSIX has its types end";
    }
    if (is_listed(PREDEFINED, name, length)) {
        return "is a macro of compilers";
    }
    const bool library = is_listed(LIBRARY, name, length) || is_listed(GNU, name, length) || is_math(name, length) ||
                         is_prefixed(PREFIXES, name) || is_library_macro(name);
    return library ? "is a name of the C library" : NULL;
}
