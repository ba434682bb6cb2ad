/* The operators of a chain, one by one. */
#include "tools/harness/stages.h"

#include <stdlib.h>
#include <string.h>

stage_desc stage_of(const aic_spec *spec, size_t stage)
{
    stage_desc found;
    memset(&found, 0, sizeof found);
    found.op = aic_spec_stage_op(spec, stage);
    found.desc.size = sizeof found.desc;
    if (aic_spec_get(spec, stage, found.op, &found.desc) != AIC_OK) {
        found.op = AIC_OP_NONE;
    }
    return found;
}

aic_accumulate stage_accumulate(const aic_spec *spec)
{
    const stage_desc first = stage_of(spec, 0);
    return first.op == AIC_OP_CONV2D ? first.desc.conv2d.accumulate
           : first.op == AIC_OP_MMAD ? first.desc.mmad.accumulate
                                     : AIC_ACCUMULATE_FAST;
}

aic_status stage_replace(const aic_spec *spec, size_t stage, const stage_desc *with, aic_spec **made)
{
    const size_t count = aic_spec_stages(spec);
    aic_spec **stages = calloc(count + 1, sizeof *stages);
    aic_status status = stages != NULL ? AIC_OK : AIC_OUT_OF_MEMORY;
    for (size_t s = 0; s < count && status == AIC_OK; s++) {
        const stage_desc own = stage_of(spec, s);
        const stage_desc *taken = s == stage ? with : &own;
        status = aic_spec_create(taken->op, &taken->desc, &stages[s]);
    }
    status = status == AIC_OK ? aic_spec_chain((const aic_spec *const *)stages, count, made) : status;
    for (size_t s = 0; s < count && stages != NULL; s++) {
        aic_spec_destroy(stages[s]);
    }
    free(stages);
    return status;
}
