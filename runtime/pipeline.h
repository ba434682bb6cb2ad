/* The way from a descriptor to a result; pipeline.c shows it. */
#ifndef AIC_RUNTIME_PIPELINE_H
#define AIC_RUNTIME_PIPELINE_H

#include "runtime/code.h"
#include "runtime/context.h"

/* A specification, not copied and not yet validated. */
typedef struct aic_asked {
    int32_t count; /* operators, 1 .. AIC_STAGES_MAX */
    struct {
        aic_op op; /* a known operator */
        const void *desc;
    } stage[AIC_STAGES_MAX];
} aic_asked;

static inline aic_asked aic_asked_of(const aic_spec *spec)
{
    aic_asked asked = {.count = spec->count};
    for (int32_t i = 0; i < spec->count; i++) {
        asked.stage[i].op = spec->stage[i].op;
        asked.stage[i].desc = &spec->stage[i].desc;
    }
    return asked;
}

/* What a caller asks for: the kernel of one specification, or of a group, whose only operand is the table of theirs
 * (codegen.h). */
typedef struct aic_request {
    size_t count;                 /* specifications, 1 .. AIC_GROUP_MAX */
    const aic_asked *spec;        /* that many, independent of each other */
    const aic_schedule *schedule; /* NULL: the default rule chooses, as always in a group */
    const void *const *operands;  /* in calling order, as many as there are; NULL: only make the kernel */
} aic_request;

typedef struct aic_result {
    aic_code *code; /* valid as long as the context */
    bool compiled;  /* by this request */
} aic_result;

/* Finds or makes the kernel of the request. With operands: checks them and runs the kernel, and result may be NULL;
 * without: gives it in *result. context NULL: the default one. */
aic_status aic_pipeline(aic_context *context, const aic_request *request, aic_result *result);

#endif
