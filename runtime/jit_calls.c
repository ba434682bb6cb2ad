/* The exported aic_jit_OP() of every operator, expanded from ops.def. */
#include "frontend/core/diag.h"
#include "runtime/pipeline.h"
#include <aic/aic.h>

static inline aic_status run(aic_context *context, aic_op op, const char *name, const void *desc,
                             const void *const operands[])
{
    if (desc == NULL) {
        return aic_fail(AIC_INVALID_ARGUMENT, name, "desc: is NULL");
    }
    const aic_stage_view stage = {.op = op, .stages = 1, .desc = desc};
    const aic_request request = {.specs = 1, .count = 1, .stage = &stage, .schedule = NULL, .operands = operands};
    return aic_pipeline(context, &request, NULL);
}

/* Operands that only some descriptors of an operator have (the valid sizes of texpands) are none of these parameters:
 * they are NULL, which such descriptors refuse. */
#define AIC_OPERANDS(...) __VA_ARGS__
#define AIC_OP(ENUM, name, params, args)                                                                               \
    aic_status aic_jit_##name(aic_context *ctx, const aic_##name##_desc *desc, params)                                 \
    {                                                                                                                  \
        const void *const operands[AIC_OPERANDS_MAX] = {args};                                                         \
        return run(ctx, AIC_OP_##ENUM, #name, desc, operands);                                                         \
    }
#include <aic/ops.def>
#undef AIC_OP
#undef AIC_OPERANDS

aic_status aic_jit_spec(aic_context *context, const aic_spec *spec, void *const operands[], size_t count)
{
    if (spec == NULL || operands == NULL) {
        return aic_fail(AIC_INVALID_ARGUMENT, spec == NULL ? "spec" : "operands", "is NULL");
    }
    aic_status status = aic_ask_check(spec);
    if (status != AIC_OK) {
        return status;
    }
    aic_stage_view stage[AIC_STAGES_MAX];
    const aic_request request = {.specs = 1,
                                 .count = aic_stage_views(spec, stage),
                                 .stage = stage,
                                 .operands = (const void *const *)operands,
                                 .counted = true,
                                 .operand_count = count};
    return aic_pipeline(context, &request, NULL);
}
