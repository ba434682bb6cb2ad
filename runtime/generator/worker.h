/* Work on a thread of the library's own, so that it needs nothing of the caller's: neither its stack nor its signal
 * mask, floating-point environment, locale or cancellation. Everything that enters LLVM goes this way. */
#pragma once

#include "frontend/core/diag.h"

#include <aic/types.h>
#include <pthread.h>

/* Calls body(argument) on a fresh thread and waits for its end. The thread has a stack of 8 MiB, blocks every signal,
 * and is in the default floating-point environment and the "C" locale. Returns the body's status; its message and its
 * warning become the calling thread's. A thread that cannot be started is AIC_OUT_OF_MEMORY. */
aic_status aic_worker_run(aic_status (*body)(void *), void *argument);

/* The same in two steps, between which the caller goes on. 0 or an error number; where it is 0, end() is called by the
 * same thread, whose cancellation is put off until then. */
typedef struct aic_worker {
    pthread_t thread;
    aic_status (*body)(void *);
    void *argument;
    aic_status status;
    aic_messages messages;
    const struct aic_hooks *hooks; /* where the caller's lines and warnings go */
    bool telling;                  /* the caller is in a log */
} aic_worker;
int aic_worker_begin(aic_worker *worker, aic_status (*body)(void *), void *argument);
aic_status aic_worker_end(aic_worker *worker);

/* Calls body(argument) where it may enter LLVM: on the calling thread if that is one of the library's own, else as
 * aic_worker_run() does. */
aic_status aic_worker_apart(aic_status (*body)(void *), void *argument);

/* Calls body(argument) on the calling thread, in the default floating-point environment and the "C" locale: for work
 * that needs no stack to speak of and is short. */
aic_status aic_worker_here(aic_status (*body)(void *), void *argument);

/* Starts a thread that calls function(argument), with the same stack and every signal blocked. 0 or an error number. */
int aic_worker_start(pthread_t *thread, void *(*function)(void *), void *argument);

/* Puts off the calling thread's cancellation: it must not end while others wait for what it has begun. Returns what
 * aic_cancellation_restore() takes. */
int aic_cancellation_disable(void);
void aic_cancellation_restore(int state);
