/* Code that finds out, when it runs, which of several levels the processor has. */
#pragma once

#include "codegen/llvm/emit.h"

typedef struct aic_dispatch {
    LLVMValueRef function; /* i32 (): the number of the highest level that runs, from 1 on */
    LLVMTypeRef type;
} aic_dispatch;

/* The name of the variable that keeps what was found, 0 before. */
#define AIC_DISPATCH_VARIABLE "aic.level"

/* Emits the function into e's module. `target`: at least one level, ascending, none of which needs tiles; the first is
 * taken for granted. */
void aic_dispatch_emit(aic_emit *e, const aic_target *const *target, size_t levels, aic_dispatch *dispatch);

/* Calls it in the function being emitted. */
LLVMValueRef aic_dispatch_level(aic_emit *e, const aic_dispatch *dispatch);
