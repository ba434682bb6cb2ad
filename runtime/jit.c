/* LLJIT behind aic_linker: the only file of runtime/ that includes LLVM's headers.
 *
 * LLVM can fail fatally in the middle of its own critical sections; aic_guard_run() then leaves them without
 * unlocking. Such a session is marked broken: no thread enters it again, its memory and the code of its kernels stay
 * where they are (kernels that were linked before keep working), and the linker starts a new session. So that no
 * other thread can be inside when that happens, every entry into a session holds the session's own mutex, which is
 * taken outside the guarded body. */
#include "runtime/jit.h"
#include "codegen/llvm/guard.h"
#include "frontend/core/diag.h"
#include <errno.h>
#include <llvm-c/Core.h>
#include <llvm-c/Error.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Orc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SUBJECT "linker"

struct aic_session {
    atomic_size_t references;
    pthread_mutex_t mutex; /* every use of lljit */
    bool broken;           /* under the mutex */
    LLVMOrcLLJITRef lljit;
    char report[256]; /* what LLVM reported besides the error it returned; under the mutex */
};

struct aic_linker {
    pthread_mutex_t mutex; /* `current`; held while a session starts, so that one is started */
    aic_session *current;  /* NULL until the first link */
};

/* ---- errors ---- */

/* Turns LLVM's error into a status and consumes it. */
static aic_status fail_llvm(const char *what, LLVMErrorRef error, const char *report)
{
    char *text = LLVMGetErrorMessage(error);
    /* An allocation that the operating system refused comes as text only. */
    const char *memory = strerror(ENOMEM);
    bool no_memory = strstr(text, memory) != NULL || strstr(report, memory) != NULL;
    aic_status status = aic_fail(no_memory ? AIC_OUT_OF_MEMORY : AIC_COMPILE, SUBJECT, "%s: %s%s%s", what, text,
                                 report[0] != '\0' ? ": " : "", report);
    LLVMDisposeErrorMessage(text);
    return status;
}

/* LLVM's default prints to standard error. The first report is the cause, later ones are its consequences. */
static void keep_report(void *session_pointer, LLVMErrorRef error)
{
    aic_session *session = session_pointer;
    char *text = LLVMGetErrorMessage(error);
    if (session->report[0] == '\0') {
        snprintf(session->report, sizeof session->report, "%s", text);
    }
    LLVMDisposeErrorMessage(text);
}

/* Runs a body that enters the session, whose mutex the caller holds. `completed` is what the body sets last: if it
 * is not set, the body was left in the middle. */
static aic_status enter(aic_session *session, aic_status (*body)(void *), void *argument, const bool *completed)
{
    session->report[0] = '\0';
    aic_status status = aic_guard_run(body, argument);
    if (!*completed) {
        session->broken = true;
    }
    return status;
}

/* ---- sessions ---- */

typedef struct start_job {
    aic_session *session;
    bool completed;
} start_job;

static aic_status start_body(void *argument)
{
    start_job *job = argument;
    aic_status status = AIC_OK;
    LLVMErrorRef error = LLVMOrcCreateLLJIT(&job->session->lljit, NULL);
    if (error != LLVMErrorSuccess) {
        job->session->lljit = NULL;
        status = fail_llvm("LLJIT cannot start", error, "");
    } else {
        LLVMOrcExecutionSessionSetErrorReporter(LLVMOrcLLJITGetExecutionSession(job->session->lljit), keep_report,
                                                job->session);
    }
    job->completed = true;
    return status;
}

typedef struct stop_job {
    LLVMOrcLLJITRef lljit;
    bool completed;
} stop_job;

static aic_status stop_body(void *argument)
{
    stop_job *job = argument;
    LLVMErrorRef error = LLVMOrcDisposeLLJIT(job->lljit);
    if (error != LLVMErrorSuccess) {
        LLVMConsumeError(error); /* nobody is left to tell */
    }
    job->completed = true;
    return AIC_OK;
}

static void session_release(aic_session *session)
{
    /* acq_rel: the last holder sees what the others did in the session before they let go. */
    if (atomic_fetch_sub_explicit(&session->references, 1, memory_order_acq_rel) != 1) {
        return;
    }
    if (session->lljit != NULL && !session->broken) {
        stop_job job = {.lljit = session->lljit, .completed = false};
        enter(session, stop_body, &job, &job.completed);
    }
    pthread_mutex_destroy(&session->mutex);
    free(session);
}

static void session_hold(aic_session *session)
{
    /* relaxed: the caller already has a hold or the linker's mutex. */
    atomic_fetch_add_explicit(&session->references, 1, memory_order_relaxed);
}

static aic_status session_create(aic_session **session)
{
    aic_session *made = calloc(1, sizeof *made);
    if (made == NULL) {
        return aic_fail_memory(SUBJECT, sizeof *made);
    }
    if (pthread_mutex_init(&made->mutex, NULL) != 0) {
        free(made);
        return aic_fail_memory(SUBJECT, sizeof made->mutex);
    }
    atomic_init(&made->references, 1);
    start_job job = {.session = made, .completed = false};
    aic_status status = enter(made, start_body, &job, &job.completed);
    if (status != AIC_OK) {
        session_release(made);
        return status;
    }
    *session = made;
    return AIC_OK;
}

/* ---- links ---- */

typedef struct link_job {
    aic_session *session;
    const char *symbol, *object;
    size_t size;
    unsigned functions;
    aic_image *image;
    bool completed;
} link_job;

/* SYMBOL followed by `suffix`; the first look-up links. */
static aic_status find_function(const link_job *job, const char *suffix, aic_function *function)
{
    char name[128];
    int length = snprintf(name, sizeof name, "%s%s", job->symbol, suffix);
    if (length < 0 || (size_t)length >= sizeof name) {
        return aic_fail(AIC_INTERNAL, SUBJECT, "symbol %s%s is longer than %zu characters", job->symbol, suffix,
                        sizeof name - 1);
    }
    LLVMOrcExecutorAddress address = 0;
    LLVMErrorRef error = LLVMOrcLLJITLookup(job->session->lljit, &address, name);
    if (error != LLVMErrorSuccess) {
        return fail_llvm(name, error, job->session->report);
    }
    *function = (aic_function)(uintptr_t)address;
    return AIC_OK;
}

static void remove_code(LLVMOrcResourceTrackerRef tracker)
{
    LLVMErrorRef error = LLVMOrcResourceTrackerRemove(tracker);
    if (error != LLVMErrorSuccess) {
        LLVMConsumeError(error); /* the memory stays with the session */
    }
    LLVMOrcReleaseResourceTracker(tracker);
}

static aic_status link_body(void *argument)
{
    link_job *job = argument;
    LLVMOrcLLJITRef lljit = job->session->lljit;
    LLVMOrcResourceTrackerRef tracker = LLVMOrcJITDylibCreateResourceTracker(LLVMOrcLLJITGetMainJITDylib(lljit));
    LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(job->object, job->size, job->symbol);
    aic_status status = AIC_OK;
    LLVMErrorRef error = LLVMOrcLLJITAddObjectFileWithRT(lljit, tracker, buffer); /* takes the buffer */
    if (error != LLVMErrorSuccess) {
        status = fail_llvm(job->symbol, error, job->session->report);
    }
    for (unsigned i = 0; i < AIC_FUNCTIONS && status == AIC_OK; i++) {
        if ((job->functions >> i & 1) != 0) {
            status = find_function(job, aic_function_suffix[i], &job->image->function[i]);
        }
    }
    if (status == AIC_OK) {
        job->image->tracker = tracker;
    } else {
        remove_code(tracker);
    }
    job->completed = true;
    return status;
}

typedef struct unlink_job {
    LLVMOrcResourceTrackerRef tracker;
    bool completed;
} unlink_job;

static aic_status unlink_body(void *argument)
{
    unlink_job *job = argument;
    remove_code(job->tracker);
    job->completed = true;
    return AIC_OK;
}

void aic_image_release(aic_image *image)
{
    aic_session *session = image->session;
    pthread_mutex_lock(&session->mutex);
    if (!session->broken) {
        unlink_job job = {.tracker = image->tracker, .completed = false};
        enter(session, unlink_body, &job, &job.completed);
    }
    pthread_mutex_unlock(&session->mutex);
    session_release(session);
}

/* ---- the linker ---- */

aic_status aic_linker_create(aic_linker **linker)
{
    aic_linker *made = calloc(1, sizeof *made);
    if (made == NULL || pthread_mutex_init(&made->mutex, NULL) != 0) {
        free(made);
        return aic_fail_memory(SUBJECT, sizeof *made);
    }
    *linker = made;
    return AIC_OK;
}

void aic_linker_destroy(aic_linker *linker)
{
    if (linker->current != NULL) {
        session_release(linker->current);
    }
    pthread_mutex_destroy(&linker->mutex);
    free(linker);
}

/* The current session with a hold for the caller; made when there is none. */
static aic_status linker_session(aic_linker *linker, aic_session **session)
{
    pthread_mutex_lock(&linker->mutex);
    aic_status status = linker->current != NULL ? AIC_OK : session_create(&linker->current);
    if (status == AIC_OK) {
        *session = linker->current;
        session_hold(*session);
    }
    pthread_mutex_unlock(&linker->mutex);
    return status;
}

/* Puts a broken session aside; another thread may have done so already. */
static void linker_abandon(aic_linker *linker, aic_session *session)
{
    pthread_mutex_lock(&linker->mutex);
    bool ours = linker->current == session;
    if (ours) {
        linker->current = NULL;
    }
    pthread_mutex_unlock(&linker->mutex);
    if (ours) {
        session_release(session);
    }
}

/* Links in a session that the caller holds; when it is broken already, nothing is attempted. */
static aic_status link_in(aic_session *session, link_job *job, bool *attempted, bool *broken)
{
    aic_status status = AIC_COMPILE;
    pthread_mutex_lock(&session->mutex);
    *attempted = !session->broken; /* else another thread broke it while this one waited */
    if (*attempted) {
        status = enter(session, link_body, job, &job->completed);
    }
    *broken = session->broken;
    pthread_mutex_unlock(&session->mutex);
    return status;
}

aic_status aic_linker_link(aic_linker *linker, const char *symbol, const char *object, size_t size, unsigned functions,
                           aic_image *image)
{
    for (;;) {
        aic_session *session;
        aic_status status = linker_session(linker, &session);
        if (status != AIC_OK) {
            return status;
        }
        aic_image made = {.session = session};
        link_job job = {.session = session,
                        .symbol = symbol,
                        .object = object,
                        .size = size,
                        .functions = functions,
                        .image = &made};
        bool attempted, broken;
        status = link_in(session, &job, &attempted, &broken);
        if (broken) {
            linker_abandon(linker, session);
        }
        if (attempted && status == AIC_OK) {
            *image = made; /* and with it the hold on the session */
            return AIC_OK;
        }
        session_release(session);
        if (attempted) {
            return status;
        }
    }
}
