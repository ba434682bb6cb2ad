/* Pseudo-random fused chains for the checks: a producer that can be one, and consumers made to fit its accumulator; or
 * one of them spoilt. */
#include "frontend/core/chain.h"
#include "frontend/core/diag.h"
#include "frontend/core/spec.h"
#include "frontend/random/rng.h"

#include <string.h>

enum { PAIR = 2 }; /* the first and the last operator */

/* What a stage of a chain is judged by: a first one by the semantics alone, others also by what they are given. */
typedef struct request {
    const aic_op_info *op;
    const aic_semantics *semantics;
    const aic_accumulator *given;
} request;

/* The accumulator of a producer in a chain, which is set only where its descriptor is legal. */
static aic_status accumulate(const request *r, const void *desc, aic_accumulator *accumulator)
{
    aic_stage copy; /* produce() changes it */
    memcpy(&copy.desc, desc, r->op->desc_size);
    const aic_status status = r->op->validate(desc, r->semantics);
    return status == AIC_OK ? r->op->produce(&copy.desc, accumulator) : status;
}

static aic_status judge_producer(const void *from, const void *desc)
{
    aic_accumulator accumulator = {.stage = 0};
    return accumulate(from, desc, &accumulator);
}

/* Draws until the producer's descriptor is, or is not, one that a chain can begin with. */
static aic_status draw_producer(const aic_op_info *producer, const aic_semantics *semantics, uint64_t *state,
                                bool legal, void *desc, aic_accumulator *accumulator)
{
    const request r = {.op = producer, .semantics = semantics};
    const aic_judge judge = {judge_producer, &r};
    for (int i = 0; i < AIC_DRAWS_MAX; i++) {
        producer->init(desc);
        aic_op_random(producer, state, semantics, desc);
        producer->random_start(state, desc);
        const bool accumulates = accumulate(&r, desc, accumulator) == AIC_OK;
        if (accumulates == legal || (!legal && aic_op_spoil(producer, state, semantics, &judge, desc))) {
            return AIC_OK;
        }
    }
    return aic_fail(AIC_INTERNAL, producer->record.name, "%d random descriptors, and none for a chain", AIC_DRAWS_MAX);
}

static aic_status judge_consumer(const void *from, const void *desc)
{
    const request *r = from;
    aic_stage copy; /* consume() fills it in */
    memcpy(&copy.desc, desc, r->op->desc_size);
    return r->op->consume(&copy.desc, r->given, r->semantics);
}

/* Draws stage number s, 1 the second, for the accumulator, which is then what the stage leaves. False: no legal one
 * came of it, or no illegal one. */
static bool draw_stage(const aic_semantics *semantics, uint64_t *state, bool legal, aic_spec *spec, int s,
                       aic_accumulator *accumulator)
{
    const aic_op_info *op = aic_op_get(spec->stage[s].op);
    const request r = {op, semantics, accumulator};
    const aic_judge judge = {judge_consumer, &r};
    accumulator->stage = s;
    op->init(&spec->stage[s].desc);
    op->random_fused(state, accumulator, &spec->stage[s].desc);
    aic_stage copy = spec->stage[s]; /* consume() fills it in */
    const bool taken = op->consume(&copy.desc, accumulator, semantics) == AIC_OK;
    if (!legal) {
        return !taken || aic_op_spoil(op, state, semantics, &judge, &spec->stage[s].desc);
    }
    if (taken && op->change) {
        op->change(&copy.desc, accumulator);
    }
    return taken;
}

/* Stages behind a first one, of which number `broken` is illegal. */
static bool draw_stages(const aic_semantics *semantics, uint64_t *state, int broken, aic_spec *spec,
                        const aic_accumulator *first)
{
    aic_accumulator accumulator = *first;
    bool drawn = true;
    for (int s = 1; s < spec->count && drawn; s++) {
        drawn = draw_stage(semantics, state, s != broken, spec, s, &accumulator);
    }
    return drawn;
}

/* A chain of two operators, or with some between that change the accumulators. */
static void draw_length(const aic_op ops[PAIR], uint64_t *state, aic_spec *spec)
{
    const int most = AIC_STAGES_MAX - PAIR;
    const int between = aic_rng_once_in(state, 2) ? 0 : (int)aic_rng_range(state, 1, most);
    memset(spec, 0, sizeof *spec);
    spec->count = PAIR + between;
    spec->stage[0].op = ops[0];
    for (int s = 1; s <= between; s++) {
        spec->stage[s].op = AIC_OP_TENSOR_ARITHMETIC;
    }
    spec->stage[spec->count - 1].op = ops[1];
}

static aic_status random_chain(aic_op ops[PAIR], const aic_semantics *semantics, uint64_t *state, bool legal,
                               aic_spec *spec)
{
    const aic_op_info *producer = aic_op_get(ops[0]), *consumer = aic_op_get(ops[1]);
    if (!producer || !producer->produce || !consumer || !consumer->consume) {
        return aic_chain_refuse(producer ? producer->record.name : "nothing",
                                consumer ? consumer->record.name : "nothing");
    }
    for (int i = 0; i < AIC_DRAWS_MAX; i++) {
        aic_accumulator accumulator = {.stage = 0};
        draw_length(ops, state, spec);
        const int broken = legal ? spec->count : (int)aic_rng_range(state, 0, spec->count - 1); /* none: no stage */
        aic_status status = draw_producer(producer, semantics, state, broken != 0, &spec->stage[0].desc, &accumulator);
        if (status != AIC_OK) {
            return status;
        }
        for (int s = 1; s < spec->count && broken == 0; s++) {
            aic_op_get(spec->stage[s].op)->init(&spec->stage[s].desc);
            aic_op_random(aic_op_get(spec->stage[s].op), state, semantics, &spec->stage[s].desc);
        }
        if (broken == 0 || draw_stages(semantics, state, broken, spec, &accumulator)) {
            return AIC_OK;
        }
    }
    return aic_fail(AIC_INTERNAL, producer->record.name, "%d random chains, and none that will do", AIC_DRAWS_MAX);
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
    aic_semantics own;
    aic_op ops[PAIR] = {producer, consumer};
    uint64_t state = seed;
    semantics = aic_semantics_of(semantics, &own);
    aic_status status = aic_semantics_check(semantics);
    if (status == AIC_OK) {
        choose_ops(ops, &state);
        status = random_chain(ops, semantics, &state, legal, spec);
    }
    return status;
}

aic_status aic_spec_draw_chain(aic_op producer, aic_op consumer, const aic_semantics *semantics, uint64_t seed,
                               aic_spec *spec)
{
    return random_spec(producer, consumer, semantics, seed, true, spec);
}

aic_status aic_spec_draw_chain_illegal(aic_op producer, aic_op consumer, const aic_semantics *semantics, uint64_t seed,
                                       aic_spec *spec)
{
    return random_spec(producer, consumer, semantics, seed, false, spec);
}
