/* The exported aic_jit_OP() of every operator, expanded from ops.def. */
#include "frontend/diag.h"
#include "runtime/pipeline.h"
#include <aic/aic.h>

static inline aic_status run(aic_context *context, aic_op op, const char *name, const void *desc,
                             const void *const operands[])
{
    if (desc == NULL) {
        return aic_fail(AIC_INVALID_ARGUMENT, name, "desc: is NULL");
    }
    aic_request request = {.count = 1, .stage = {{.op = op, .desc = desc}}, .schedule = NULL, .operands = operands};
    return aic_pipeline(context, &request, NULL);
}

#define AIC_OPERANDS(...) __VA_ARGS__
#define AIC_OP(ENUM, name, params, args)                                                                               \
    aic_status aic_jit_##name(aic_context *ctx, const aic_##name##_desc *desc, params)                                 \
    {                                                                                                                  \
        const void *const operands[] = {args};                                                                         \
        return run(ctx, AIC_OP_##ENUM, #name, desc, operands);                                                         \
    }
#include <aic/ops.def>
#undef AIC_OP
#undef AIC_OPERANDS
