/* The message of the last failure, one per thread. */
#ifndef AIC_DIAG_H
#define AIC_DIAG_H

#include <aic/types.h>

/* Records "subject: message" (subject may be NULL) and returns `status`. Long messages are cut with "...". */
aic_status aic_fail(aic_status status, const char *subject, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Leaves "subject: message" for aic_take_warning(). */
void aic_warn(const char *subject, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* aic_fail for a failed allocation of `bytes` bytes. */
aic_status aic_fail_memory(const char *subject, size_t bytes);

#endif
