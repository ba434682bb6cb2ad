/* What own code is emitted with; see program.h. */
#ifndef AIC_OWN_H
#define AIC_OWN_H

#include "codegen/parts.h"
#include "codegen/shape.h"

/* aic_emit_own_NAME(e, plan, argument, name): emits the function `name`; the arguments are those of the key. */
#define AIC_OWN(name)                                                                                                  \
    LLVMValueRef aic_emit_own_##name(aic_emit *e, const aic_plan *plan, const int64_t *argument, const char *symbol);
#include "codegen/own.def"
#undef AIC_OWN

/* What is being emitted in a body. */
typedef struct aic_body {
    LLVMValueRef function;
    LLVMValueRef operand[AIC_OPERANDS_MAX];
    LLVMValueRef shared, private; /* scratch memory, 64-byte aligned */
    LLVMValueRef first, last;     /* items */
} aic_body;

/* Starts the function `name`, the body of a phase; end it with aic_emit_function_end(). */
void aic_body_begin(aic_emit *e, const aic_plan *plan, aic_emit_kind kind, const char *name, aic_body *body);

#endif
