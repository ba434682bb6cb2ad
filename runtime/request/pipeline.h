/* From a request to a called kernel; pipeline.c lists the stages. */
#pragma once

#include "runtime/code/code.h"
#include "runtime/request/context.h"

/* A stage: an operator with its descriptor, which is not copied and not yet validated. */
typedef struct aic_stage_view {
    aic_op op;       /* a known one */
    uint32_t stages; /* of the specification that begins with this stage; 0: it is a later one */
    const void *desc;
} aic_stage_view;

/* The stages of a specification; returns how many. */
static inline size_t aic_stage_views(const aic_spec *spec, aic_stage_view *stage)
{
    for (int32_t i = 0; i < spec->count; i++) {
        stage[i] = (aic_stage_view){spec->stage[i].op, i == 0 ? (uint32_t)spec->count : 0, &spec->stage[i].desc};
    }
    return (size_t)spec->count;
}

/* Whether the specification has as many stages as there may be, of known operators, so that aic_stage_views() can take
 * it; else AIC_INVALID_ARGUMENT. */
static inline aic_status aic_ask_check(const aic_spec *spec)
{
    bool known = spec->count >= 1 && spec->count <= AIC_STAGES_MAX;
    for (int32_t i = 0; known && i < spec->count; i++) {
        known = aic_op_get(spec->stage[i].op) != NULL;
    }
    return known ? AIC_OK : aic_spec_validate(spec, NULL); /* fails with a message */
}

/* What a caller requests: the kernel of one specification, or of a group of independent specifications. The kernel of a
 * group has one operand: the table of all their operands (codegen.h). */
typedef struct aic_request {
    size_t specs; /* specifications: 1, of a group up to AIC_GROUP_MAX of one stage each */
    size_t count; /* stages of all of them */
    const aic_stage_view *stage;
    const char *schedule;        /* canonical text; NULL: the default rule chooses, as always in a group */
    const void *const *operands; /* in calling order, as many as there are; NULL: only make the kernel */
    bool counted;                /* a caller has said how many: `operand_count`, to be checked */
    size_t operand_count;
    bool padded; /* `operands` has operand_count addresses, which need not be all: those behind them are NULL */
} aic_request;

typedef struct aic_result {
    aic_code *code; /* held for the caller, who releases it */
    bool compiled;  /* by this request */
    bool loaded;    /* by this request, from the disk cache */
} aic_result;

/* Finds or makes the kernel of the request. With operands: checks them and runs the kernel, and result may be NULL;
 * without: gives it in *result. context NULL: the default one. */
aic_status aic_pipeline(aic_context *context, const aic_request *request, aic_result *result);
