/* The message of the last failure, one per thread. */
#ifndef AIC_DIAG_H
#define AIC_DIAG_H

#include "frontend/core/thread.h"
#include <aic/types.h>

/* Records "subject: message" (subject may be NULL) and returns `status`. Long messages are cut with "...". Where memory
 * has run out for the thread's first message, its text is lost and aic_last_error() says so. */
aic_status aic_fail(aic_status status, const char *subject, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Leaves "subject: message" for aic_take_warning(). */
void aic_warn(const char *subject, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* aic_fail for a failed allocation of `bytes` bytes. */
aic_status aic_fail_memory(const char *subject, size_t bytes);

/* What a thread has said, for handing it to the thread that it worked for. */
typedef struct aic_messages {
    char error[AIC_MESSAGE_MAX], warning[AIC_MESSAGE_MAX]; /* "": none */
} aic_messages;

/* Copies those of the calling thread. */
void aic_messages_get(aic_messages *messages);

/* Makes them the calling thread's: the error unless `status` is AIC_OK, the warning if there is one. */
void aic_messages_put(const aic_messages *messages, aic_status status);

#endif
