/* The way from a descriptor to a result; pipeline.c shows it. */
#ifndef AIC_RUNTIME_PIPELINE_H
#define AIC_RUNTIME_PIPELINE_H

#include "runtime/code.h"
#include "runtime/context.h"

/* What a caller asks for. */
typedef struct aic_request {
    int32_t count; /* operators, 1 .. AIC_STAGES_MAX */
    struct {
        aic_op op;        /* a known operator */
        const void *desc; /* its descriptor; not yet validated */
    } stage[AIC_STAGES_MAX];
    const aic_schedule *schedule; /* NULL: the default rule chooses */
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
