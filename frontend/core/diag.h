/* The message of the last failure, one per thread. */
#pragma once

#include "frontend/core/thread.h"
#include <aic/rules.h>

/* Records "subject: message" (subject may be NULL) and returns `status`. Long messages are cut with "...". Where memory
 * has run out for the thread's first message, its text is lost and aic_last_error() says so. */
aic_status aic_fail(aic_status status, const char *subject, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same of a failure that the calling thread has just had, to say more of it, its message being one of the
 * arguments: what aic_fail_also() has added stays. */
aic_status aic_refail(aic_status status, const char *subject, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Says which rule the message is about that the calling thread has just got; its last `length` bytes are the source. */
void aic_fail_rule(const aic_rule *rule, size_t length);

/* Puts a rule's source behind the message that the calling thread has just got, and says that it is about that rule. */
aic_status aic_fail_source(aic_status status, const aic_rule *rule);

/* Says where the failure is that the calling thread has just had: puts the text behind its message, before its source.
 * What aic_fail_also() has added stays. */
aic_status aic_fail_where(aic_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Adds a message to that of the thread's last failure, see aic_last_error_at(). Of more than there is room for the last
 * says that there are others. */
void aic_fail_also(const char *message, const aic_rule *rule);

/* Hands a line to the log of a program, which may call the library: nothing is told of what it does, and the thread's
 * last failure stays. False: there is no log. */
bool aic_tell(const aic_hooks *hooks, int level, const char *line);

/* Whether the calling thread, or the one that it works for, is in such a log. */
bool aic_telling(void);

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

/* The calling thread's last failure, for putting it back where what was tried and refused on the way to a success has
 * taken its place. What it says of rules is not copied: no rule may be broken in between. */
void aic_failure_get(aic_failure *failure);
void aic_failure_put(const aic_failure *failure);
