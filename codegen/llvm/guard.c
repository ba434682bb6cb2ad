/* LLVM reports what it cannot handle by ending the process: "cannot select" and broken invariants through its fatal
 * error handler, failed allocations through its own handler or C++'s new handler. All three lead here, and a thread
 * that is inside aic_guard_run() jumps out of LLVM. What LLVM had allocated is lost; losing it is the price of going
 * on.
 *
 * The handlers belong to the whole process, so a thread outside the guard gets what it would have had without us. */
#include "codegen/llvm/guard.h"
#include "frontend/core/diag.h"

#include <llvm-c/ErrorHandling.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

typedef void (*new_handler)(void);
typedef void (*bad_alloc_handler)(void *user, const char *reason, _Bool crash);

/* C++ functions under their mangled names: the C interface of LLVM has none for them. Weak, so that a build of LLVM
 * without them still links; running out of memory is then not survived. */
extern new_handler cxx_set_new_handler(new_handler handler) __asm__("_ZSt15set_new_handlerPFvvE") __attribute__((weak));
extern void cxx_throw_bad_alloc(void) __asm__("_ZSt17__throw_bad_allocv") __attribute__((weak));
extern void llvm_install_bad_alloc_error_handler(bad_alloc_handler handler, void *user) __asm__(
    "_ZN4llvm31install_bad_alloc_error_handlerEPFvPvPKcbES0_") __attribute__((weak));

static _Thread_local jmp_buf *escape; /* where this thread goes on; NULL outside the guard */
static new_handler previous_new_handler;

static _Noreturn void leave(aic_status status)
{
    jmp_buf *to = escape;
    escape = NULL;
    longjmp(*to, (int)status);
}

static void on_fatal_error(const char *reason)
{
    if (escape != NULL) {
        leave(aic_fail(AIC_COMPILE, "LLVM", "%s", reason));
    }
    fprintf(stderr, "LLVM ERROR: %s\n", reason); /* another user of LLVM; LLVM ends the process when we return */
}

static void on_bad_alloc(void *user, const char *reason, _Bool crash)
{
    (void)user;
    (void)crash;
    if (escape != NULL) {
        leave(aic_fail(AIC_OUT_OF_MEMORY, "LLVM", "%s", reason));
    }
}

static void on_new_failure(void)
{
    if (escape != NULL) {
        leave(aic_fail(AIC_OUT_OF_MEMORY, "LLVM", "out of memory"));
    }
    if (previous_new_handler != NULL) {
        previous_new_handler();
    } else {
        cxx_throw_bad_alloc();
    }
}

void aic_guard_exceeded(const char *what, size_t count, size_t limit)
{
    const aic_status status = aic_fail(AIC_INTERNAL, "codegen", "%zu %s, and room for %zu", count, what, limit);
    if (escape == NULL) {
        abort();
    }
    leave(status);
}

static void install(void)
{
    LLVMInstallFatalErrorHandler(on_fatal_error);
    if (llvm_install_bad_alloc_error_handler != NULL) {
        llvm_install_bad_alloc_error_handler(on_bad_alloc, NULL);
    }
    if (cxx_set_new_handler != NULL && cxx_throw_bad_alloc != NULL) {
        previous_new_handler = cxx_set_new_handler(on_new_failure);
    }
}

aic_status aic_guard_run(aic_status (*body)(void *), void *argument)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, install);
    jmp_buf here;
    int jumped = setjmp(here);
    if (jumped != 0) {
        return (aic_status)jumped;
    }
    escape = &here;
    aic_status status = body(argument);
    escape = NULL;
    return status;
}
