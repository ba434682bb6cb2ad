/* Threads that make parts of a kernel beside the one that makes it. */
#ifndef AIC_RUNTIME_HELPERS_H
#define AIC_RUNTIME_HELPERS_H

#include "codegen/part_source.h"
#include "runtime/request/context.h"

/* As many as the context may have threads, less those of the process that are in LLVM already; none where a program's
 * own threads share the calls, as it has said which threads work for it. */
aic_part_helpers aic_helpers_of(aic_context *context);

#endif
