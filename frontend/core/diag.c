/* The messages of the last failure and the last warning, in the record of the thread. */
#include "frontend/core/diag.h"

#include "frontend/core/shorten.h"

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
        return thread->failure.error;
    }
    /* relaxed: it orders nothing; the thread that set it sees it. */
    return atomic_load_explicit(&lost, memory_order_relaxed) ? LOST : "";
}

const char *aic_last_error_at(size_t index)
{
    const aic_thread *thread = aic_thread_peek();
    size_t at = 0;
    if (index == 0) {
        return aic_last_error();
    }
    while (thread != NULL && at < thread->failure.also_used && --index > 0) {
        at += strlen(thread->also + at) + 1;
    }
    return thread != NULL && at < thread->failure.also_used ? thread->also + at : NULL;
}

const aic_rule *aic_last_error_rule(size_t index)
{
    const aic_thread *thread = aic_thread_peek();
    return thread != NULL && index < thread->failure.rule_count ? thread->rule[index] : NULL;
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

/* Bytes of a message before it is shortened: there is a path or two of any length in it. */
enum { MESSAGE_ROOM = 8 * AIC_MESSAGE_MAX + 1024 };

/* "subject: message" into target, by way of a copy: target may be one of the arguments. */
__attribute__((format(printf, 3, 0))) static void say(char target[AIC_MESSAGE_MAX], const char *subject,
                                                      const char *format, va_list arguments)
{
    char message[MESSAGE_ROOM];
    int prefix = subject ? snprintf(message, sizeof message, "%s: ", subject) : 0;
    const size_t used = prefix < 0 ? 0 : (size_t)prefix;
    if (used < sizeof message) {
        (void)vsnprintf(message + used, sizeof message - used, format, arguments);
    }
    aic_shorten(message, AIC_MESSAGE_MAX);
    memcpy(target, message, strlen(message) + 1);
}

__attribute__((format(printf, 4, 0))) static aic_status fail(aic_status status, bool again, const char *subject,
                                                             const char *format, va_list arguments)
{
    aic_thread *thread = aic_thread_get();
    if (thread == NULL) {
        atomic_store_explicit(&lost, true, memory_order_relaxed);
        return status;
    }
    say(thread->failure.error, subject, format, arguments);
    if (!again) {
        thread->failure.source = thread->failure.rule_count = 0;
        thread->failure.also_used = 0;
        thread->failure.also_full = false;
    }
    return status;
}

aic_status aic_fail(aic_status status, const char *subject, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fail(status, false, subject, format, arguments);
    va_end(arguments);
    return status;
}

aic_status aic_refail(aic_status status, const char *subject, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fail(status, true, subject, format, arguments);
    va_end(arguments);
    return status;
}

static void add_rule(aic_thread *thread, const aic_rule *rule)
{
    if (thread->failure.rule_count < AIC_ALSO_RULES) {
        thread->rule[thread->failure.rule_count++] = rule;
    }
}

void aic_fail_rule(const aic_rule *rule, size_t length)
{
    aic_thread *thread = aic_thread_peek();
    if (thread != NULL) {
        thread->failure.source = length;
        add_rule(thread, rule);
    }
}

aic_status aic_fail_source(aic_status status, const aic_rule *rule)
{
    aic_thread *thread = aic_thread_peek();
    const size_t length = strlen(rule->source) + sizeof " []" - 1;
    if (thread != NULL) {
        const size_t used = strlen(thread->failure.error), room = sizeof thread->failure.error - length;
        const char *cut = used < room ? "" : "...";
        const size_t kept = used < room ? used : room - 1 - strlen(cut);
        (void)snprintf(thread->failure.error + kept, sizeof thread->failure.error - kept, "%s [%s]", cut, rule->source);
        aic_fail_rule(rule, length);
    }
    return status;
}

aic_status aic_fail_where(aic_status status, const char *format, ...)
{
    aic_thread *thread = aic_thread_peek();
    char where[128] = "";
    if (thread == NULL) {
        return status;
    }
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(where, sizeof where, format, arguments);
    va_end(arguments);
    const size_t used = strlen(thread->failure.error), added = strlen(where);
    if (used + added < sizeof thread->failure.error) {
        char *source = thread->failure.error + used - thread->failure.source;
        memmove(source + added, source, thread->failure.source + 1);
        for (size_t i = 0; i < added; i++) { /* between what is there: it ends no text */
            source[i] = where[i];
        }
    }
    return status;
}

void aic_fail_also(const char *message, const aic_rule *rule)
{
    static const char MORE[] = "and more rules are broken";
    aic_thread *thread = aic_thread_peek();
    if (thread == NULL || thread->failure.also_full) {
        return; /* without a record the first message is lost, too */
    }
    thread->failure.also_full = thread->failure.also_used + strlen(message) + 1 + sizeof MORE > sizeof thread->also;
    const char *added = thread->failure.also_full ? MORE : message;
    const size_t size = strlen(added) + 1;
    memcpy(thread->also + thread->failure.also_used, added, size);
    thread->failure.also_used += size;
    add_rule(thread, thread->failure.also_full ? NULL : rule);
}

bool aic_tell(const aic_hooks *hooks, int level, const char *line)
{
    aic_thread *thread = aic_thread_get();
    aic_failure kept;
    if (hooks == NULL || hooks->log == NULL) {
        return false;
    }
    if (thread == NULL || thread->telling) {
        return true; /* without memory for a record nobody would know that the log is at work */
    }
    const aic_hooks *before = aic_thread_use(NULL);
    aic_failure_get(&kept);
    thread->telling = true;
    hooks->log(hooks->log_data, level, line);
    thread->telling = false;
    if (strcmp(kept.error, thread->failure.error) != 0) { /* and so may be what else it says */
        kept.also_used = kept.rule_count = 0;
        aic_failure_put(&kept);
    }
    (void)aic_thread_use(before);
    return true;
}

bool aic_telling(void)
{
    const aic_thread *thread = aic_thread_peek();
    return thread != NULL && thread->telling;
}

void aic_warn(const char *subject, const char *format, ...)
{
    aic_thread *thread = aic_thread_get();
    char line[AIC_MESSAGE_MAX]; /* the log may take the warning, or leave another */
    if (thread != NULL) {
        va_list arguments;
        va_start(arguments, format);
        say(thread->warning, subject, format, arguments);
        va_end(arguments);
        memcpy(line, thread->warning, sizeof line);
        (void)aic_tell(thread->hooks, 0, line);
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

void aic_failure_get(aic_failure *failure)
{
    const aic_thread *thread = aic_thread_peek();
    *failure = thread != NULL ? thread->failure : (aic_failure){.error = ""};
}

void aic_failure_put(const aic_failure *failure)
{
    aic_thread *thread = aic_thread_peek();
    if (thread != NULL) {
        thread->failure = *failure;
    }
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
