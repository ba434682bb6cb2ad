/* Pseudo-random fused chains for the checks: a producer that can be one, and a consumer made to fit its accumulator; or
 * one of them with exactly one illegal value. */
#include "frontend/diag.h"
#include "frontend/op.h"
#include "frontend/rng.h"

#include <string.h>

/* Far more than any operator needs. */
#define DRAWS_MAX 10000

/* The accumulator of a producer in a chain; false when the descriptor is no legal one. */
static bool accumulates(const aic_op_info *producer, const void *desc, aic_accumulator *accumulator)
{
    aic_stage copy; /* produce() changes it */
    memcpy(&copy.desc, desc, producer->desc_size);
    const aic_semantics semantics = aic_semantics_init();
    return producer->validate(desc, &semantics) == AIC_OK && producer->produce(&copy.desc, accumulator) == AIC_OK;
}

/* Draws until the producer's descriptor is, or is not, one that a chain can begin with. */
static aic_status draw_producer(const aic_op_info *producer, uint64_t *state, bool legal, void *desc,
                                aic_accumulator *accumulator)
{
    for (int i = 0; i < DRAWS_MAX; i++) {
        producer->init(desc);
        (legal || aic_rng_once_in(state, 2) ? producer->random : producer->random_illegal)(state, desc);
        if (accumulates(producer, desc, accumulator) == legal) {
            return AIC_OK;
        }
    }
    return aic_fail(AIC_INTERNAL, producer->record.name, "%d random descriptors, and none for a chain", DRAWS_MAX);
}

static aic_status random_chain(aic_op ops[AIC_STAGES_MAX], uint64_t *state, bool legal, aic_spec *spec)
{
    const aic_op_info *producer = aic_op_get(ops[0]), *consumer = aic_op_get(ops[1]);
    if (!producer || !producer->produce || !consumer || !consumer->consume) {
        return aic_fail(AIC_INVALID_ARGUMENT, NULL, "%s | %s: these two operators cannot be fused",
                        producer ? producer->record.name : "nothing", consumer ? consumer->record.name : "nothing");
    }
    const bool first_is_legal = legal || aic_rng_once_in(state, 2);
    aic_accumulator accumulator;
    memset(spec, 0, sizeof *spec);
    spec->count = 2;
    spec->stage[0].op = ops[0];
    spec->stage[1].op = ops[1];
    consumer->init(&spec->stage[1].desc);
    aic_status status = draw_producer(producer, state, first_is_legal, &spec->stage[0].desc, &accumulator);
    if (status == AIC_OK && first_is_legal) {
        consumer->random_fused(state, &accumulator, legal, &spec->stage[1].desc);
    } else if (status == AIC_OK) {
        consumer->random(state, &spec->stage[1].desc);
    }
    return status;
}

/* Fills in AIC_OP_NONE: any operator that has the hook. */
static void choose_ops(aic_op ops[AIC_STAGES_MAX], uint64_t *state)
{
    for (int stage = 0; stage < AIC_STAGES_MAX; stage++) {
        while (ops[stage] == AIC_OP_NONE) {
            aic_op op = (aic_op)aic_rng_range(state, AIC_OP_NONE + 1, AIC_OP_END - 1);
            const aic_op_info *info = aic_op_get(op);
            ops[stage] = (stage == 0 ? info->produce != NULL : info->consume != NULL) ? op : AIC_OP_NONE;
        }
    }
}

aic_status aic_spec_random_chain(aic_op producer, aic_op consumer, uint64_t seed, aic_spec *spec)
{
    aic_op ops[AIC_STAGES_MAX] = {producer, consumer};
    uint64_t state = seed;
    choose_ops(ops, &state);
    return random_chain(ops, &state, true, spec);
}

aic_status aic_spec_random_chain_illegal(aic_op producer, aic_op consumer, uint64_t seed, aic_spec *spec)
{
    aic_op ops[AIC_STAGES_MAX] = {producer, consumer};
    uint64_t state = seed;
    choose_ops(ops, &state);
    return random_chain(ops, &state, false, spec);
}
