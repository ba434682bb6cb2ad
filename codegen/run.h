/* One run of LLVM: from functions that somebody emits into a module to a stage's text or bytes. */
#pragma once

#include "codegen/llvm/api.h"
#include "codegen/plan.h"

/* Emits functions into the module; runs inside of the guard. */
typedef void (*aic_emit_into)(void *user, LLVMContextRef context, LLVMModuleRef module);

/* Makes an object of what `emit` emits. Of the request only target, triple, passes and symbol count; the latter is the
 * module's name. */
aic_status aic_codegen_run(const aic_codegen_request *request, aic_emit_into emit, void *user, char **bytes,
                           size_t *size);

/* What guard.h is told where a part is compiled (parts.h). */
unsigned aic_codegen_part_kind(const aic_target *target, bool fast);

/* A clock. */
uint64_t aic_codegen_now(void);
