/* In front of four functions of the C library. A handler is installed wrapped: the wrapper puts the thread's tiles
 * aside. Masks are set without SIGILL: Linux kills a process that raises it while it is blocked. What a program does by
 * system calls itself, or by functions like sigsuspend() that block signals for a while, is not seen. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* RTLD_NEXT */
#endif
#include "tests/emulate/signals.h"
#include "tests/emulate/threads.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <ucontext.h>

#define EXPORTED __attribute__((visibility("default")))

typedef void (*handler)(int, siginfo_t *, void *);
typedef int (*sigaction_function)(int, const struct sigaction *, struct sigaction *);
typedef int (*sigmask_function)(int, const sigset_t *, sigset_t *);

/* The program's handlers by signal; the kernel has their flags and masks. */
static _Atomic(handler) installed[NSIG];
static _Atomic bool masks_sigill[NSIG]; /* what the kernel does not get to know */

/* The program's action for SIGILL, in parts: a handler that is just being replaced may see some of each. */
static struct {
    _Atomic bool taken;
    _Atomic(handler) function;
    _Atomic int flags;
    _Atomic uint64_t mask;
} chained;

/* The C library's functions, or a sanitizer's. ISO C has no conversion of a pointer to a function. */
static struct {
    sigaction_function sigaction;
    sigmask_function pthread_sigmask, sigprocmask;
} next;

static void find_next(void)
{
    void *symbols[] = {dlsym(RTLD_NEXT, "sigaction"), dlsym(RTLD_NEXT, "pthread_sigmask"),
                       dlsym(RTLD_NEXT, "sigprocmask")};
    _Static_assert(sizeof next == sizeof symbols, "one symbol each");
    memcpy(&next, symbols, sizeof next);
}

/* Constructors of libraries may set signals before the emulator starts. */
static void need_next(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, find_next);
}

/* ---- actions ---- */

static handler function_of(const struct sigaction *action)
{
    return (action->sa_flags & SA_SIGINFO) != 0 ? action->sa_sigaction : (handler)(void (*)(void))action->sa_handler;
}

static void set_function(struct sigaction *action, handler function)
{
    if ((action->sa_flags & SA_SIGINFO) != 0) {
        action->sa_sigaction = function;
    } else {
        action->sa_handler = (void (*)(int))(void (*)(void))function;
    }
}

static bool is_function(handler function)
{
    void (*plain)(int) = (void (*)(int))(void (*)(void))function;
    return plain != SIG_DFL && plain != SIG_IGN;
}

/* The kernel knows 64 signals; the C library's sets are larger. */
static uint64_t word_of(const sigset_t *set)
{
    uint64_t word;
    memcpy(&word, set, sizeof word);
    return word;
}

static sigset_t set_of(uint64_t word)
{
    sigset_t set;
    sigemptyset(&set);
    memcpy(&set, &word, sizeof word);
    return set;
}

static struct sigaction get_chained(void)
{
    struct sigaction action = {.sa_flags = chained.flags, .sa_mask = set_of(chained.mask)};
    set_function(&action, chained.function);
    return action;
}

static void set_chained(const struct sigaction *action)
{
    chained.flags = action->sa_flags;
    chained.mask = word_of(&action->sa_mask);
    chained.function = function_of(action);
}

/* Every handler may be called with three arguments: those of functions with one are in the same registers. */
static void call(handler function, int number, siginfo_t *info, void *context)
{
    threads_interrupted *interrupted = threads_enter_handler();
    function(number, info, context);
    threads_leave_handler(interrupted);
}

static void wrapper(int number, siginfo_t *info, void *context)
{
    call(installed[number], number, info, context);
}

/* sigaction() of any signal but SIGILL. */
static int install(int number, const struct sigaction *wanted, struct sigaction *old)
{
    struct sigaction wrapped, before;
    const handler function_before = installed[number];
    const bool masked_before = masks_sigill[number];
    if (wanted != NULL) {
        wrapped = *wanted;
        masks_sigill[number] = sigismember(&wanted->sa_mask, SIGILL) == 1;
        sigdelset(&wrapped.sa_mask, SIGILL);
        if (is_function(function_of(wanted))) {
            installed[number] = function_of(wanted); /* first: the signal may come at once */
            set_function(&wrapped, wrapper);
        }
    }
    if (next.sigaction(number, wanted != NULL ? &wrapped : NULL, &before) != 0) {
        installed[number] = function_before;
        masks_sigill[number] = masked_before;
        return -1;
    }
    if (old != NULL) {
        *old = before;
        if (function_of(&before) == wrapper) {
            set_function(old, function_before);
        }
        if (masked_before) {
            sigaddset(&old->sa_mask, SIGILL);
        }
    }
    return 0;
}

/* ---- the program's calls ---- */

EXPORTED int sigaction(int number, const struct sigaction *restrict wanted, struct sigaction *restrict old)
{
    need_next();
    if (number == SIGILL && chained.taken) {
        struct sigaction before = get_chained();
        if (wanted != NULL) {
            set_chained(wanted);
        }
        if (old != NULL) {
            *old = before;
        }
        return 0;
    }
    if (number <= 0 || number >= NSIG || !chained.taken) {
        return next.sigaction(number, wanted, old);
    }
    return install(number, wanted, old);
}

EXPORTED __sighandler_t signal(int number, __sighandler_t function)
{
    struct sigaction wanted = {.sa_handler = function, .sa_flags = SA_RESTART}, old;
    sigemptyset(&wanted.sa_mask);
    if (function == SIG_ERR) {
        errno = EINVAL;
        return SIG_ERR;
    }
    return sigaction(number, &wanted, &old) == 0 ? old.sa_handler : SIG_ERR;
}

/* A set of signals to block, without SIGILL; NULL stays NULL. */
static const sigset_t *open_for_sigill(int how, const sigset_t *set, sigset_t *copy)
{
    if (set == NULL || how == SIG_UNBLOCK || !chained.taken) {
        return set;
    }
    *copy = *set;
    sigdelset(copy, SIGILL);
    return copy;
}

EXPORTED int pthread_sigmask(int how, const sigset_t *restrict wanted, sigset_t *restrict old)
{
    sigset_t copy;
    need_next();
    return next.pthread_sigmask(how, open_for_sigill(how, wanted, &copy), old);
}

EXPORTED int sigprocmask(int how, const sigset_t *restrict wanted, sigset_t *restrict old)
{
    sigset_t copy;
    need_next();
    return next.sigprocmask(how, open_for_sigill(how, wanted, &copy), old);
}

/* ---- the emulator's side ---- */

bool signals_start(void (*function)(int, siginfo_t *, void *))
{
    struct sigaction own = {.sa_sigaction = function, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER}, before;
    static const int synchronous[] = {SIGILL, SIGSEGV, SIGBUS, SIGFPE, SIGTRAP, SIGSYS};
    need_next();
    /* Other signals wait until an instruction is done, as they do in the processor. */
    sigfillset(&own.sa_mask);
    for (size_t i = 0; i < sizeof synchronous / sizeof *synchronous; i++) {
        sigdelset(&own.sa_mask, synchronous[i]);
    }
    if (next.sigaction == NULL || next.sigaction(SIGILL, NULL, &before) != 0) {
        return false;
    }
    set_chained(&before);
    chained.taken = next.sigaction(SIGILL, &own, NULL) == 0;
    return chained.taken;
}

/* No handler: the process ends by the signal. SIGILL comes again when the context is resumed. */
static void die_by(int number)
{
    struct sigaction plain = {.sa_handler = SIG_DFL};
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, number);
    (void)next.sigaction(number, &plain, NULL);
    if (number != SIGILL) {
        (void)pthread_sigmask(SIG_UNBLOCK, &set, NULL);
        (void)raise(number);
    }
}

void signals_deliver(int number, siginfo_t *info, void *context)
{
    const ucontext_t *interrupted = context;
    struct sigaction action = get_chained();
    if (number != SIGILL) {
        (void)next.sigaction(number, NULL, &action);
        if (function_of(&action) == wrapper) {
            set_function(&action, installed[number]);
        }
    }
    if (!is_function(function_of(&action))) {
        die_by(number);
        return;
    }
    if ((action.sa_flags & SA_RESETHAND) != 0) {
        (void)sigaction(number, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
    }
    uint64_t mask = word_of(&interrupted->uc_sigmask) | word_of(&action.sa_mask);
    mask |= (action.sa_flags & SA_NODEFER) != 0 ? 0 : UINT64_C(1) << (number - 1);
    const sigset_t set = set_of(mask);
    (void)pthread_sigmask(SIG_SETMASK, &set, NULL); /* without SIGILL; the return to the context restores it */
    call(function_of(&action), number, info, context);
}
