/* aic_jit_operator(), which the typed functions of every operator call, and aic_jit_spec(). */
#include "frontend/core/diag.h"
#include "frontend/core/structure.h"
#include "runtime/request/pipeline.h"
#include <aic/aic.h>

/* Operands that only some descriptors of an operator have (the valid sizes of texpands) are none of the typed
 * functions' parameters: they are NULL, which such descriptors refuse. */
static inline aic_status run(aic_context *context, aic_op op, const void *desc, const void *const operands[],
                             size_t count)
{
    const aic_stage_view stage = {.op = op, .stages = 1, .desc = desc};
    const aic_request request = {
        .specs = 1, .count = 1, .stage = &stage, .operands = operands, .padded = true, .operand_count = count};
    return aic_pipeline(context, &request, NULL);
}

/* A descriptor of another size, or one that is none. Apart, since most calls need no room for a copy. */
static __attribute__((noinline)) aic_status run_copy(aic_context *context, aic_op op, const void *desc,
                                                     const void *const operands[], size_t count)
{
    aic_stage room;
    const void *own = NULL;
    const aic_status status = aic_desc_of(op, desc, &room.desc, &own);
    return status == AIC_OK ? run(context, op, own, operands, count) : status;
}

aic_status aic_jit_operator(aic_context *ctx, aic_op op, const void *desc, const void *const operands[], size_t count)
{
    if (operands == NULL || count > AIC_OPERANDS_MAX) {
        return operands == NULL
                   ? aic_fail(AIC_INVALID_ARGUMENT, "operands", "is NULL")
                   : aic_fail(AIC_INVALID_ARGUMENT, "operands", "count = %zu is more than %d", count, AIC_OPERANDS_MAX);
    }
    const aic_op_info *info = aic_op_get(op);
    const bool own = info != NULL && desc != NULL && aic_structure_size(desc) == info->desc_size;
    return own ? run(ctx, op, desc, operands, count) : run_copy(ctx, op, desc, operands, count);
}

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
