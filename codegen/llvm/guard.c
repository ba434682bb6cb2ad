/* See guard.h.
 *
 * LLVM reports what it cannot handle by ending the process: "cannot select" and broken invariants through its fatal
 * error handler, failed allocations through its own handler or C++'s new handler. While some thread is inside, all
 * three lead here, and a thread that is inside jumps out of LLVM. What LLVM had allocated is lost; losing it is the
 * price of going on. The handlers belong to the whole process, so a thread outside the guard gets what it would have
 * had without us, and when nobody is inside any more they are taken away. */
#include "codegen/llvm/guard.h"
#include "codegen/llvm/api.h"
#include "frontend/core/diag.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#define SUBJECT "LLVM"

/* What a run must find: a compilation takes 2 MB in 4000 blocks at a time, but up to 32 MB of address space where the C
 * library has no room for a heap of the thread and maps every block by itself. */
#define RESERVE_BYTES ((size_t)64 << 20)

/* What a run holds for the case that others have used up the rest meanwhile. */
#define EMERGENCY_BYTES ((size_t)8 << 20)

/* A run, on the stack of its thread, whose record leads to it. */
typedef struct run {
    uint32_t kind;
    bool alone;      /* the first of its kind */
    bool no_memory;  /* why it jumped out */
    void *emergency; /* EMERGENCY_BYTES, or NULL when they are given back */
    jmp_buf escape;
} run;

/* ---- state of the process ---- */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* everything here */
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static struct {
    unsigned inside;       /* runs */
    unsigned forking;      /* threads that fork or wait to */
    unsigned wanting;      /* runs that wait to be alone */
    bool alone;            /* the only run inside is the first of its kind */
    uint32_t tried, kinds; /* bits of the kinds that have had a run, and one that succeeded */
    bool broken;           /* memory ran out inside */
    bool ending;           /* exit() has begun */
    bool watching;         /* exit */
} state;

/* The calling thread's run, or NULL. */
static run *current_run(void)
{
    const aic_thread *thread = aic_thread_peek();
    return thread != NULL ? thread->escape : NULL;
}

/* Runs of other threads. */
static bool others_inside(void)
{
    return state.inside > (current_run() != NULL ? 1 : 0);
}

/* ---- LLVM's ways out ---- */

static _Atomic(aic_new_handler) previous_new_handler;

static _Noreturn void jump_out(run *r, aic_status status)
{
    longjmp(r->escape, (int)status);
}

static void give_back_emergency(run *r)
{
    if (r->emergency != NULL) {
        munmap(r->emergency, EMERGENCY_BYTES);
        r->emergency = NULL;
    }
}

static void on_fatal_error(const char *reason)
{
    run *r = current_run();
    if (r != NULL) {
        jump_out(r, aic_fail(AIC_COMPILE, SUBJECT, "%s", reason));
    }
    fprintf(stderr, "LLVM ERROR: %s\n", reason); /* another user of LLVM; LLVM ends the process when we return */
}

static void on_bad_alloc(void *user, const char *reason, _Bool crash)
{
    (void)user;
    (void)crash;
    run *r = current_run();
    if (r != NULL) {
        r->no_memory = true;
        jump_out(r, aic_fail(AIC_OUT_OF_MEMORY, SUBJECT, "%s", reason));
    }
    /* Another user of LLVM, which ends the process here: it takes a return for impossible. */
    fputs("LLVM ERROR: out of memory\n", stderr);
    abort();
}

/* Returns to have the allocation tried again. */
static void on_new_failure(void)
{
    run *r = current_run();
    if (r != NULL && r->emergency != NULL) {
        give_back_emergency(r);
        return;
    }
    if (r != NULL) {
        r->no_memory = true;
        jump_out(r, aic_fail(AIC_OUT_OF_MEMORY, SUBJECT, "out of memory"));
    }
    const aic_new_handler previous = atomic_load(&previous_new_handler);
    if (previous != NULL) {
        previous();
    } else {
        aic_llvm->cxx.throw_bad_alloc();
    }
}

/* Leaves the run that breaks an invariant. */
static _Noreturn void break_off(aic_status status)
{
    run *r = current_run();
    if (r == NULL) {
        abort();
    }
    jump_out(r, status);
}

void aic_guard_exceeded(const char *what, size_t count, size_t limit)
{
    break_off(aic_fail(AIC_INTERNAL, SUBJECT, "%zu %s, and room for %zu", count, what, limit));
}

void aic_guard_missing(const char *what, const char *name)
{
    break_off(aic_fail(AIC_INTERNAL, SUBJECT, "the %s %s is not given", what, name));
}

static bool has_new_handler(void)
{
    const aic_llvm_cxx *cxx = &aic_llvm->cxx;
    return cxx->set_new_handler != NULL && cxx->get_new_handler != NULL && cxx->throw_bad_alloc != NULL;
}

static bool has_bad_alloc_handler(void)
{
    return aic_llvm->cxx.install_bad_alloc_error_handler != NULL &&
           aic_llvm->cxx.remove_bad_alloc_error_handler != NULL;
}

static void install_handlers(void)
{
    const aic_llvm_cxx *cxx = &aic_llvm->cxx;
    LLVMInstallFatalErrorHandler(on_fatal_error);
    if (has_bad_alloc_handler()) {
        cxx->install_bad_alloc_error_handler(on_bad_alloc, NULL);
    }
    if (has_new_handler()) {
        const aic_new_handler previous = cxx->get_new_handler();
        if (previous != on_new_failure) { /* it is ours when the host has put back what it once found */
            atomic_store(&previous_new_handler, previous);
            cxx->set_new_handler(on_new_failure);
        }
    }
}

static void remove_handlers(void)
{
    const aic_llvm_cxx *cxx = &aic_llvm->cxx;
    LLVMResetFatalErrorHandler();
    if (has_bad_alloc_handler()) {
        cxx->remove_bad_alloc_error_handler();
    }
    if (has_new_handler() && cxx->get_new_handler() == on_new_failure) { /* else the host has set another one */
        cxx->set_new_handler(atomic_load(&previous_new_handler));
    }
}

/* ---- exit and fork ---- */

/* exit() calls handlers in the reverse order of their registration, and LLVM registers one for every global that it
 * makes. This handler comes before them when it is registered after them: it is, again, at the end of the first run of
 * each kind, which makes most of them, and when exit() begins. */
static void on_exit_begin(void)
{
    pthread_mutex_lock(&mutex);
    state.ending = true;
    pthread_cond_broadcast(&changed);
    while (others_inside()) {
        pthread_cond_wait(&changed, &mutex);
    }
    pthread_mutex_unlock(&mutex);
}

void aic_guard_before_exit(void)
{
    pthread_mutex_lock(&mutex);
    while (state.alone && others_inside()) {
        pthread_cond_wait(&changed, &mutex);
    }
    if (state.watching) {
        (void)atexit(on_exit_begin); /* in front of those for globals that later runs have made */
    }
    pthread_mutex_unlock(&mutex);
}

/* Holds the mutex until the fork is over, so that the child finds nobody inside. */
static void before_fork(void)
{
    pthread_mutex_lock(&mutex);
    state.forking++;
    while (others_inside()) {
        pthread_cond_wait(&changed, &mutex);
    }
}

static void after_fork_in_parent(void)
{
    state.forking--;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
}

/* The threads that waited are not in the child. */
static void after_fork_in_child(void)
{
    changed = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    state.forking = 0;
    state.wanting = 0;
    pthread_mutex_unlock(&mutex);
}

unsigned aic_guard_inside(void)
{
    pthread_mutex_lock(&mutex);
    const unsigned inside = state.inside;
    pthread_mutex_unlock(&mutex);
    return inside;
}

const aic_fork_part aic_guard_fork = {before_fork, after_fork_in_parent, after_fork_in_child};

void aic_guard_watch_exit(void)
{
    pthread_mutex_lock(&mutex);
    state.watching = atexit(on_exit_begin) == 0;
    pthread_mutex_unlock(&mutex);
}

/* ---- entering and leaving; the mutex is held ---- */

/* Tries whether there is memory for one more run than are inside, and takes the emergency block of it. */
static void *take_reserve(void)
{
    const size_t more = (state.inside + 1) * RESERVE_BYTES;
    char *memory = mmap(NULL, EMERGENCY_BYTES + more, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        return NULL;
    }
    munmap(memory + EMERGENCY_BYTES, more);
    return memory;
}

/* Whether this process can compile at all. */
static aic_status check_open(void)
{
    if (state.ending) {
        return aic_fail(AIC_COMPILE, SUBJECT, "the process is ending and compiles nothing more");
    }
    if (state.broken) {
        return aic_fail(AIC_COMPILE, SUBJECT,
                        "memory ran out inside LLVM some time ago; this process cannot compile any more");
    }
    return state.watching ? AIC_OK : aic_fail(AIC_OUT_OF_MEMORY, SUBJECT, "there was none for a handler of exit");
}

/* Waits until the run may begin. */
static aic_status wait_for_turn(run *r)
{
    aic_status status = check_open();
    while (status == AIC_OK) {
        const bool others_first = r->alone ? state.inside > 0 : state.wanting > 0;
        if (state.forking == 0 && !state.alone && !others_first) {
            r->emergency = take_reserve();
            if (r->emergency != NULL || state.inside == 0) {
                return r->emergency != NULL ? AIC_OK : aic_fail_memory(SUBJECT, EMERGENCY_BYTES + RESERVE_BYTES);
            }
        }
        pthread_cond_wait(&changed, &mutex);
        status = check_open();
    }
    return status;
}

static aic_status enter(run *r)
{
    pthread_mutex_lock(&mutex);
    r->alone = (state.kinds & r->kind) == 0;
    state.wanting += r->alone;
    aic_status status = wait_for_turn(r);
    state.wanting -= r->alone;
    if (status == AIC_OK) {
        state.alone = r->alone;
        if (state.inside++ == 0) {
            install_handlers();
        }
    } else {
        pthread_cond_broadcast(&changed); /* threads that wait for one that wanted to be alone */
    }
    pthread_mutex_unlock(&mutex);
    return status;
}

static void leave(run *r, aic_status status)
{
    give_back_emergency(r);
    pthread_mutex_lock(&mutex);
    if (r->alone) {
        state.alone = false;
        if (status == AIC_OK || (state.tried & r->kind) == 0) {
            /* Once more, in front of the handlers that LLVM has registered for the globals it made. Without memory for
             * that the first registration remains. */
            (void)atexit(on_exit_begin);
        }
        state.tried |= r->kind;
        state.kinds |= status == AIC_OK ? r->kind : 0;
    }
    state.broken |= r->no_memory;
    if (--state.inside == 0) {
        remove_handlers();
    }
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
}

/* In a function of its own: nothing that it has changed is looked at after the jump. */
static aic_status run_body(run *r, aic_status (*body)(void *), void *argument)
{
    const int jumped = setjmp(r->escape);
    return jumped != 0 ? (aic_status)jumped : body(argument);
}

aic_status aic_guard_run(unsigned kind, aic_status (*body)(void *), void *argument)
{
    aic_thread *thread = aic_thread_get();
    if (thread == NULL) {
        return aic_fail_memory(SUBJECT, sizeof *thread);
    }
    run r = {.kind = UINT32_C(1) << kind, .no_memory = false, .emergency = NULL};
    aic_status status = aic_llvm_load();
    if (status != AIC_OK) {
        return status;
    }
    status = enter(&r);
    if (status == AIC_OK) {
        thread->escape = &r;
        status = run_body(&r, body, argument);
        thread->escape = NULL;
        leave(&r, status);
    }
    return status;
}
