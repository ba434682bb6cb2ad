/* Chains by their operators' references: the accumulators between the stages, which lie in memory here. */
#ifndef AIC_CHAIN_RUN_H
#define AIC_CHAIN_RUN_H

#include "frontend/core/chain.h"

/* Indices among an operator's own operands; see chain.c. */
enum { AIC_CHAIN_OUTPUT = 0, AIC_CHAIN_CONSUMED = 1, AIC_CHAIN_OTHER = 2 };

typedef struct aic_chain_run {
    const aic_spec *spec; /* resolved */
    const aic_semantics *semantics;
    void *const *operands; /* the chain's */
    aic_chain_operands chain;
    aic_accumulator accumulator;
    int64_t elements;           /* of the accumulators, those that are not defined included; all have 4 bytes */
    void *left[AIC_STAGES_MAX]; /* what each stage leaves; NULL: the last one, which writes the output */
} aic_chain_run;

/* Allocates the accumulators; the first ones are what sums start from. To be closed whatever the status is. */
aic_status aic_chain_open(aic_chain_run *run, const aic_spec *resolved, const aic_semantics *semantics,
                          void *const operands[]);
void aic_chain_close(aic_chain_run *run);

static inline const aic_op_info *aic_chain_op(const aic_chain_run *run, int stage)
{
    return aic_op_get(run->spec->stage[stage].op);
}

/* The operands of a stage, in its own order; `output`: what it writes. */
void aic_chain_stage_operands(const aic_chain_run *run, int stage, void *output, void *own[AIC_OPERANDS_MAX]);

/* One stage from what the one before has left; the last one writes `output`. */
aic_status aic_chain_run_stage(const aic_chain_run *run, int stage, void *output);

/* The accumulators that are defined, into the output of a chain that ends with them. */
void aic_chain_store(const aic_chain_run *run, const void *accumulators, void *output);

/* calloc() of one element at least. */
aic_status aic_chain_allocate(void **memory, int64_t elements, size_t size);

#endif
