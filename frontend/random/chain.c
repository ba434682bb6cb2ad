/* Pseudo-random fused chains for the checks: a producer that can be one, and a consumer made to fit its accumulator; or
 * one of them with exactly one illegal value. */
#include "frontend/core/diag.h"
#include "frontend/core/op.h"
#include "frontend/core/rule.h"
#include "frontend/random/rng.h"

#include <string.h>

enum { PAIR = 2 }; /* a producer and a consumer */

/* The accumulator of a producer in a chain; false when the descriptor is no legal one. */
static bool accumulates(const aic_op_info *producer, const aic_semantics *semantics, const void *desc,
                        aic_accumulator *accumulator)
{
    aic_stage copy; /* produce() changes it */
    memcpy(&copy.desc, desc, producer->desc_size);
    return producer->validate(desc, semantics) == AIC_OK && producer->produce(&copy.desc, accumulator) == AIC_OK;
}

/* Draws until the producer's descriptor is, or is not, one that a chain can begin with. */
static aic_status draw_producer(const aic_op_info *producer, const aic_semantics *semantics, uint64_t *state,
                                bool legal, void *desc, aic_accumulator *accumulator)
{
    for (int i = 0; i < AIC_DRAWS_MAX; i++) {
        producer->init(desc);
        if (legal || aic_rng_once_in(state, 2)) {
            aic_op_random(producer, state, semantics, desc);
        } else {
            producer->random_illegal(state, desc);
        }
        if (accumulates(producer, semantics, desc, accumulator) == legal) {
            return AIC_OK;
        }
    }
    return aic_fail(AIC_INTERNAL, producer->record.name, "%d random descriptors, and none for a chain", AIC_DRAWS_MAX);
}

static aic_status random_chain(aic_op ops[PAIR], const aic_semantics *semantics, uint64_t *state, bool legal,
                               aic_spec *spec)
{
    const aic_op_info *producer = aic_op_get(ops[0]), *consumer = aic_op_get(ops[1]);
    if (!producer || !producer->produce || !consumer || !consumer->consume) {
        return aic_fail(AIC_INVALID_ARGUMENT, NULL, "%s | %s: these two operators cannot be fused",
                        producer ? producer->record.name : "nothing", consumer ? consumer->record.name : "nothing");
    }
    const bool first_is_legal = legal || aic_rng_once_in(state, 2);
    aic_accumulator accumulator;
    memset(spec, 0, sizeof *spec);
    spec->count = PAIR;
    spec->stage[0].op = ops[0];
    spec->stage[1].op = ops[1];
    consumer->init(&spec->stage[1].desc);
    aic_status status = draw_producer(producer, semantics, state, first_is_legal, &spec->stage[0].desc, &accumulator);
    if (status == AIC_OK && first_is_legal) {
        consumer->random_fused(state, &accumulator, legal, &spec->stage[1].desc);
    } else if (status == AIC_OK) {
        aic_op_random(consumer, state, semantics, &spec->stage[1].desc);
    }
    return status;
}

/* Fills in AIC_OP_NONE: any operator that has the hook. */
static void choose_ops(aic_op ops[PAIR], uint64_t *state)
{
    for (int stage = 0; stage < PAIR; stage++) {
        while (ops[stage] == AIC_OP_NONE) {
            aic_op op = (aic_op)aic_rng_range(state, AIC_OP_NONE + 1, AIC_OP_END - 1);
            const aic_op_info *info = aic_op_get(op);
            ops[stage] = (stage == 0 ? info->produce != NULL : info->consume != NULL) ? op : AIC_OP_NONE;
        }
    }
}

static aic_status random_spec(aic_op producer, aic_op consumer, const aic_semantics *semantics, uint64_t seed,
                              bool legal, aic_spec *spec)
{
    const aic_semantics defaults = aic_semantics_init();
    aic_op ops[PAIR] = {producer, consumer};
    uint64_t state = seed;
    semantics = semantics ? semantics : &defaults;
    aic_status status = aic_semantics_check(semantics);
    if (status == AIC_OK) {
        status = aic_rule_given("spec", spec);
    }
    if (status == AIC_OK) {
        choose_ops(ops, &state);
        status = random_chain(ops, semantics, &state, legal, spec);
    }
    return status;
}

aic_status aic_spec_random_chain(aic_op producer, aic_op consumer, const aic_semantics *semantics, uint64_t seed,
                                 aic_spec *spec)
{
    return random_spec(producer, consumer, semantics, seed, true, spec);
}

aic_status aic_spec_random_chain_illegal(aic_op producer, aic_op consumer, const aic_semantics *semantics,
                                         uint64_t seed, aic_spec *spec)
{
    return random_spec(producer, consumer, semantics, seed, false, spec);
}
