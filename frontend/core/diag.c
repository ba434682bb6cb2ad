/* The messages of the last failure and the last warning. They live in a fixed buffer of the thread: reporting cannot
 * fail. */
#include "frontend/core/diag.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _Thread_local char last_message[AIC_MESSAGE_MAX];
static _Thread_local char warnings[2][AIC_MESSAGE_MAX]; /* the last one, and the one that was taken */

const char *aic_last_error(void)
{
    return last_message;
}

const char *aic_take_warning(void)
{
    if (warnings[0][0] == '\0') {
        return NULL;
    }
    memcpy(warnings[1], warnings[0], AIC_MESSAGE_MAX);
    warnings[0][0] = '\0';
    return warnings[1];
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
    va_list arguments;
    va_start(arguments, format);
    say(last_message, subject, format, arguments);
    va_end(arguments);
    return status;
}

void aic_warn(const char *subject, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(warnings[0], subject, format, arguments);
    va_end(arguments);
}

aic_status aic_fail_memory(const char *subject, size_t bytes)
{
    return aic_fail(AIC_OUT_OF_MEMORY, subject, "no memory for %zu bytes", bytes);
}

void aic_messages_get(aic_messages *messages)
{
    memcpy(messages->error, last_message, sizeof messages->error);
    memcpy(messages->warning, warnings[0], sizeof messages->warning);
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
