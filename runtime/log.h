/* What the library writes outside of operands: AIC_VERBOSE lines and the files of AIC_DUMP_DIR. */
#ifndef AIC_RUNTIME_LOG_H
#define AIC_RUNTIME_LOG_H

#include "runtime/code.h"
#include "runtime/context.h"

/* One line on standard error, "aicjit: ..." with a closing newline, whole also when threads write at once. */
void aic_log(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The line of verbose level 1: what was compiled, for what, how, how long it took. shown: the specification that it was
 * first shown for by; of a group not shown. */
void aic_log_compile(const aic_code *code, const aic_spec *shown);

/* Writes NAME.ll, NAME.s, NAME.o and NAME.txt, which says what the kernel is, to the context's folder, each under a
 * temporary name that is then renamed. A failure is a verbose line, nothing more. */
void aic_log_dump(const aic_context *context, const aic_codegen_request *request, const aic_identity *identity,
                  const aic_object *object);

/* Monotonic time in nanoseconds. */
uint64_t aic_log_now(void);

#endif
