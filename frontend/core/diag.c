/* The messages of the last failure and the last warning, in the record of the thread. */
#include "frontend/core/diag.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

/* What a thread reads that could not get a record for its message. */
static const char LOST[] = "out of memory: there was none for the message of this thread's last failure";
static atomic_bool lost; /* a message of some thread */

const char *aic_last_error(void)
{
    const aic_thread *thread = aic_thread_peek();
    if (thread != NULL) {
        return thread->error;
    }
    /* relaxed: it orders nothing; the thread that set it sees it. */
    return atomic_load_explicit(&lost, memory_order_relaxed) ? LOST : "";
}

const char *aic_take_warning(void)
{
    aic_thread *thread = aic_thread_peek();
    if (thread == NULL || thread->warning[0] == '\0') {
        return NULL;
    }
    memcpy(thread->taken_warning, thread->warning, sizeof thread->taken_warning);
    thread->warning[0] = '\0';
    return thread->taken_warning;
}

/* "subject: message" into target, by way of a copy: target may be one of the arguments. */
__attribute__((format(printf, 3, 0))) static void say(char target[AIC_MESSAGE_MAX], const char *subject,
                                                      const char *format, va_list arguments)
{
    char message[AIC_MESSAGE_MAX];
    int prefix = subject ? snprintf(message, sizeof message, "%s: ", subject) : 0;
    size_t used = prefix < 0 ? 0 : (size_t)prefix;
    if (used < sizeof message) {
        int rest = vsnprintf(message + used, sizeof message - used, format, arguments);
        used += rest < 0 ? 0 : (size_t)rest;
    }
    if (used >= sizeof message) {
        memcpy(message + sizeof message - 4, "...", 4);
    }
    memcpy(target, message, sizeof message);
}

aic_status aic_fail(aic_status status, const char *subject, const char *format, ...)
{
    aic_thread *thread = aic_thread_get();
    if (thread == NULL) {
        atomic_store_explicit(&lost, true, memory_order_relaxed);
        return status;
    }
    va_list arguments;
    va_start(arguments, format);
    say(thread->error, subject, format, arguments);
    va_end(arguments);
    return status;
}

void aic_warn(const char *subject, const char *format, ...)
{
    aic_thread *thread = aic_thread_get();
    if (thread != NULL) {
        va_list arguments;
        va_start(arguments, format);
        say(thread->warning, subject, format, arguments);
        va_end(arguments);
    }
}

aic_status aic_fail_memory(const char *subject, size_t bytes)
{
    return aic_fail(AIC_OUT_OF_MEMORY, subject, "no memory for %zu bytes", bytes);
}

void aic_messages_get(aic_messages *messages)
{
    const aic_thread *thread = aic_thread_peek();
    snprintf(messages->error, sizeof messages->error, "%s", aic_last_error());
    snprintf(messages->warning, sizeof messages->warning, "%s", thread != NULL ? thread->warning : "");
}

void aic_messages_put(const aic_messages *messages, aic_status status)
{
    if (status != AIC_OK) {
        aic_fail(status, NULL, "%s", messages->error);
    }
    if (messages->warning[0] != '\0') {
        aic_warn(NULL, "%s", messages->warning);
    }
}
