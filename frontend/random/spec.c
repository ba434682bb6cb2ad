/* Pseudo-random specifications of one operator; chain.c draws chains. */
#include "frontend/core/spec.h"
#include "frontend/core/diag.h"
#include "frontend/random/rng.h"

#include <string.h>

void aic_op_random(const aic_op_info *op, uint64_t *state, const aic_semantics *semantics, void *desc)
{
    if (op->random_under) {
        op->random_under(state, semantics, desc);
    } else {
        op->random(state, desc);
    }
}

/* The operator that is wanted, any for AIC_OP_NONE; NULL, with a message, for none. */
static const aic_op_info *choose_op(aic_op *op, uint64_t *state)
{
    if (*op == AIC_OP_NONE) {
        *op = (aic_op)aic_rng_range(state, AIC_OP_NONE + 1, AIC_OP_END - 1);
    }
    const aic_op_info *info = aic_op_get(*op);
    if (!info) {
        (void)aic_fail(AIC_INVALID_ARGUMENT, NULL, "operator %u is outside 1..%d", (unsigned)*op, AIC_OP_END - 1);
    }
    return info;
}

/* Checks a request; the operator, NULL where it is refused: *status. */
static const aic_op_info *begin(aic_op *op, const aic_semantics *semantics, uint64_t *state, aic_status *status)
{
    const aic_op_info *info = choose_op(op, state);
    *status = info ? aic_semantics_check(semantics) : AIC_INVALID_ARGUMENT;
    return *status == AIC_OK ? info : NULL;
}

static void start_spec(const aic_op_info *info, aic_op op, aic_spec *spec)
{
    memset(spec, 0, sizeof *spec);
    spec->count = 1;
    spec->stage[0].op = op;
    info->init(&spec->stage[0].desc);
}

aic_status aic_spec_draw(aic_op op, const aic_semantics *semantics, uint64_t seed, aic_spec *spec)
{
    aic_semantics own;
    semantics = aic_semantics_of(semantics, &own);
    uint64_t state = seed;
    aic_status status;
    const aic_op_info *info = begin(&op, semantics, &state, &status);
    if (info) {
        start_spec(info, op, spec);
        aic_op_random(info, &state, semantics, &spec->stage[0].desc);
    }
    return status;
}

/* Illegal is what both the defaults and the caller's choices refuse. */
typedef struct request {
    aic_op op;
    const aic_semantics *semantics;
} request;

static aic_status judge_alone(const void *from, const void *desc)
{
    const request *r = from;
    const aic_spec spec = aic_spec_of(r->op, desc);
    const aic_status status = aic_spec_validate(&spec, NULL);
    return status == AIC_OK || aic_spec_validate(&spec, r->semantics) == status ? status : AIC_UNSUPPORTED;
}

aic_status aic_spec_draw_illegal(aic_op op, const aic_semantics *semantics, uint64_t seed, aic_spec *spec)
{
    aic_semantics own;
    semantics = aic_semantics_of(semantics, &own);
    uint64_t state = seed;
    aic_status status;
    const aic_op_info *info = begin(&op, semantics, &state, &status);
    if (!info) {
        return status;
    }
    /* In a local memory of fewer lanes operands are drawn often, and up to the ends of lanes. */
    aic_semantics memory = aic_semantics_init();
    memory.lanes /= 4;
    const request r = {op, semantics};
    const aic_judge judge = {judge_alone, &r};
    for (int i = 0; i < AIC_DRAWS_MAX; i++) {
        void *desc = &spec->stage[0].desc;
        start_spec(info, op, spec);
        aic_op_random(info, &state, &memory, desc);
        if (judge_alone(&r, desc) == AIC_OK && aic_op_spoil(info, &state, &memory, &judge, desc)) {
            return AIC_OK;
        }
    }
    return aic_fail(AIC_INTERNAL, info->record.name, "%d random descriptors, and none that is illegal", AIC_DRAWS_MAX);
}
