/* What the library writes outside of operands: AIC_VERBOSE lines and the files of AIC_DUMP_DIR. profile.h has what
 * profilers are told. */
#pragma once

#include "runtime/code/code.h"
#include "runtime/request/context.h"

/* One line of a verbose level, for the log of the context that the thread works for (aic_thread_use()), else on
 * standard error, "aicjit: ..." with a closing newline, whole also when threads write at once. */
void aic_log(int level, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The line of verbose level 1: what was compiled or loaded, for what, how, how long it took. shown: the specification
 * that it was first shown for by; of a group not shown. */
void aic_log_kernel(const aic_code *code, const aic_spec *shown, bool loaded);

/* Lines of verbose level 2: the parts of a kernel that was made, whether they were at hand, and the time of each. */
void aic_log_parts(const aic_object *object);

/* Writes NAME.ll, NAME.s, NAME.o and NAME.txt, which says what the kernel is, to the context's folder, each under a
 * temporary name that is then renamed. AIC_IO: one could not be written; those before it stay. */
aic_status aic_log_dump(const aic_context *context, const aic_codegen_request *request, const aic_object *object);

/* All categories. */
enum { AIC_VERBOSE_ALL = AIC_VERBOSE_CREATE | AIC_VERBOSE_EXEC | AIC_VERBOSE_CACHE | AIC_VERBOSE_DISPATCH };

/* Reads AIC_VERBOSE: "0" to "2" into *level, or names of categories separated by commas into *chosen. */
aic_status aic_log_parse(const char *text, int *level, unsigned *chosen);

/* What a line of CSV says beside what the code knows. */
typedef struct aic_log_event {
    aic_verbose_category category;
    const char *text;    /* operator text; NULL: the code's */
    const char *outcome; /* in one word */
    const char *origin;  /* of the schedule (tuning.h); NULL: it is not said */
    uint64_t exec_ns;    /* of AIC_VERBOSE_EXEC */
} aic_log_event;

/* One line of CSV, for the log of the code's context; else on standard error, whole also when threads write at once,
 * the first one of the process behind a line with the columns' names. */
void aic_log_csv(const aic_code *code, const aic_log_event *event);

/* Monotonic time in nanoseconds. */
uint64_t aic_log_now(void);
