/* A thread for one task; see worker.h. */
#include "runtime/generator/worker.h"
#include "frontend/core/diag.h"
#include "frontend/core/neutral.h"
#include <pthread.h>
#include <signal.h>
#include <string.h>

#define SUBJECT "compile thread"
#define STACK_BYTES ((size_t)8 << 20) /* address space; pages come when they are touched */

/* A new thread begins in the floating-point environment of the thread that started it, and in the locale of the
 * process. */
static void *work(void *argument)
{
    aic_worker *j = argument;
    aic_thread *thread = aic_thread_get();
    aic_neutral starters;
    if (thread == NULL) {
        j->status = aic_fail_memory(SUBJECT, sizeof *thread);
    } else {
        aic_neutral_enter(&starters);
        thread->own = true;
        thread->hooks = j->hooks;
        thread->telling = j->telling;
        j->status = j->body(j->argument);
        aic_neutral_leave(&starters);
    }
    aic_messages_get(&j->messages);
    return NULL;
}

int aic_worker_start(pthread_t *thread, void *(*function)(void *), void *argument)
{
    pthread_attr_t attributes;
    int error = pthread_attr_init(&attributes);
    if (error != 0) {
        return error;
    }
    error = pthread_attr_setstacksize(&attributes, STACK_BYTES);
    if (error == 0) {
        sigset_t all, old;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &old);
        error = pthread_create(thread, &attributes, function, argument);
        pthread_sigmask(SIG_SETMASK, &old, NULL);
    }
    pthread_attr_destroy(&attributes);
    return error;
}

int aic_worker_begin(aic_worker *worker, aic_status (*body)(void *), void *argument)
{
    const aic_thread *caller = aic_thread_peek();
    *worker = (aic_worker){
        .body = body, .argument = argument, .hooks = caller != NULL ? caller->hooks : NULL, .telling = aic_telling()};
    return aic_worker_start(&worker->thread, work, worker);
}

aic_status aic_worker_end(aic_worker *worker)
{
    pthread_join(worker->thread, NULL);
    const aic_hooks *hooks = aic_thread_use(NULL); /* the worker has told its warnings */
    aic_messages_put(&worker->messages, worker->status);
    (void)aic_thread_use(hooks);
    return worker->status;
}

aic_status aic_worker_run(aic_status (*body)(void *), void *argument)
{
    aic_worker worker;
    const int cancellation = aic_cancellation_disable();
    const int error = aic_worker_begin(&worker, body, argument);
    const aic_status status = error == 0
                                  ? aic_worker_end(&worker)
                                  : aic_fail(AIC_OUT_OF_MEMORY, SUBJECT, "cannot be started: %s", strerror(error));
    aic_cancellation_restore(cancellation);
    return status;
}

aic_status aic_worker_apart(aic_status (*body)(void *), void *argument)
{
    const aic_thread *thread = aic_thread_peek();
    return thread != NULL && thread->own ? body(argument) : aic_worker_run(body, argument);
}

aic_status aic_worker_here(aic_status (*body)(void *), void *argument)
{
    aic_neutral callers;
    aic_neutral_enter(&callers);
    const aic_status status = body(argument);
    aic_neutral_leave(&callers);
    return status;
}

int aic_cancellation_disable(void)
{
    int state = PTHREAD_CANCEL_ENABLE;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    return state;
}

void aic_cancellation_restore(int state)
{
    pthread_setcancelstate(state, NULL);
}
