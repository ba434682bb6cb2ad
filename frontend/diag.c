/* The message of the last failure. It lives in a fixed buffer of the thread: reporting a failure cannot fail. */
#include "frontend/diag.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MESSAGE_MAX 512

static _Thread_local char last_message[MESSAGE_MAX];

const char *aic_last_error(void)
{
    return last_message;
}

aic_status aic_fail(aic_status status, const char *subject, const char *format, ...)
{
    char message[MESSAGE_MAX]; /* apart from last_message, which may be one of the arguments */
    int prefix = subject ? snprintf(message, sizeof message, "%s: ", subject) : 0;
    size_t used = prefix < 0 ? 0 : (size_t)prefix;
    if (used < sizeof message) {
        va_list arguments;
        va_start(arguments, format);
        int rest = vsnprintf(message + used, sizeof message - used, format, arguments);
        va_end(arguments);
        used += rest < 0 ? 0 : (size_t)rest;
    }
    if (used >= sizeof message) {
        memcpy(message + sizeof message - 4, "...", 4);
    }
    memcpy(last_message, message, sizeof message);
    return status;
}

aic_status aic_fail_memory(const char *subject, size_t bytes)
{
    return aic_fail(AIC_OUT_OF_MEMORY, subject, "no memory for %zu bytes", bytes);
}
