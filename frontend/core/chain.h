/* Fused chains "a | b | ...": operators that run one after the other, as one specification. */
#pragma once

#include "frontend/core/spec.h"

/* The operands of a resolved chain. from[stage][operand] is the index of a stage's own operand among them, or
 * AIC_ACCUMULATED for accumulators that the stage gets from another one. l1out: the index of that operand, which comes
 * behind those of the first operator; 0: there is none. hidden: how many at the end are constants that code gets by
 * their addresses, which callers do not give. */
typedef struct aic_chain_operands {
    aic_operand operand[AIC_OPERANDS_MAX];
    size_t count, hidden;
    int from[AIC_STAGES_MAX][AIC_OPERANDS_MAX];
    int l1out;
} aic_chain_operands;

/* Whether the operators can follow each other in a chain, whatever their fields are; aic_chain_refuse() is the message
 * for two that cannot. The other functions of this file want a chain that was checked. */
aic_status aic_chain_check(const aic_spec *spec);
aic_status aic_chain_refuse(const char *producer, const char *consumer);

/* producer: whether the first stage keeps its own rules; what others break goes below its messages. */
aic_status aic_chain_resolve(aic_spec *spec, const aic_semantics *semantics, aic_status producer);
void aic_chain_trim(aic_spec *canonical); /* canonicalises fields of the producer by what the consumers read */

/* The accumulators behind stage number `stage` of a resolved chain, from 0. */
aic_accumulator aic_chain_accumulator(const aic_spec *resolved, int stage);
void aic_chain_operands_of(const aic_spec *resolved, const aic_semantics *semantics, aic_chain_operands *chain);
/* chain_reference.c */
aic_status aic_chain_reference(const aic_spec *resolved, const aic_semantics *semantics, void *const operands[]);
aic_status aic_chain_reference_allowed(const aic_spec *resolved, const aic_semantics *semantics, void *const operands[],
                                       aic_allowed *allowed);
