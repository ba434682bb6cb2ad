/* What own code is emitted with; see program.h. */
#pragma once

#include "codegen/parts.h"
#include "codegen/shape.h"

/* aic_emit_own_NAME(e, plan, argument, name): emits the function `name`; the arguments are those of the key. */
#define AIC_OWN(name)                                                                                                  \
    LLVMValueRef aic_emit_own_##name(aic_emit *e, const aic_plan *plan, const int64_t *argument, const char *symbol);
#include "codegen/own.def"
#undef AIC_OWN
