/* The reference of chains: the operators' references one after the other. */
#include "frontend/core/chain.h"
#include "frontend/core/chain_run.h"
#include "frontend/core/diag.h"
#include "frontend/core/size.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = 16, BYTES = 4 }; /* columns of a block, bytes of an accumulator */

aic_status aic_chain_allocate(void **memory, int64_t elements, size_t size)
{
    *memory = calloc(elements > 0 ? (size_t)elements : 1, size);
    return *memory ? AIC_OK : aic_fail_memory("reference", (size_t)aic_size_multiply(elements, (int64_t)size));
}

void aic_chain_close(aic_chain_run *run)
{
    for (int s = 0; s < AIC_STAGES_MAX; s++) {
        free(run->left[s]);
    }
}

/* The number of an accumulator in its layout. */
static int64_t index_of(const aic_accumulator *a, int64_t row, int64_t column)
{
    return (column / BLOCK * a->block_rows + row) * BLOCK + column % BLOCK;
}

/* The first accumulators as the operand l1out has them. */
static void start(const aic_chain_run *run)
{
    const aic_accumulator *a = &run->accumulator;
    const unsigned char *from = run->chain.l1out == 0 ? NULL : run->operands[run->chain.l1out];
    unsigned char *to = run->left[0];
    for (int64_t row = 0; from && row < a->rows; row++) {
        for (int64_t column = 0; column < a->columns; column++) {
            const int64_t at = index_of(a, row, column), value = a->start == AIC_START_CHANNEL ? column : at;
            memcpy(to + at * BYTES, from + value * BYTES, BYTES);
        }
    }
}

aic_status aic_chain_open(aic_chain_run *run, const aic_spec *resolved, const aic_semantics *semantics,
                          void *const operands[])
{
    aic_status status = AIC_OK;
    *run = (aic_chain_run){.spec = resolved, .semantics = semantics, .operands = operands};
    aic_chain_operands_of(resolved, semantics, &run->chain);
    run->accumulator = aic_chain_accumulator(resolved, 0);
    const int64_t blocks = (run->accumulator.columns + BLOCK - 1) / BLOCK;
    run->elements = aic_size_multiply(aic_size_multiply(blocks, run->accumulator.block_rows), BLOCK);
    for (int s = 0; s < resolved->count && status == AIC_OK; s++) {
        const bool leaves = s + 1 < resolved->count || aic_chain_op(run, s)->change;
        status = leaves ? aic_chain_allocate(&run->left[s], run->elements, BYTES) : AIC_OK;
    }
    if (status == AIC_OK) {
        start(run);
    }
    return status;
}

void aic_chain_stage_operands(const aic_chain_run *run, int stage, void *output, void *own[AIC_OPERANDS_MAX])
{
    for (size_t i = 0; i < AIC_OPERANDS_MAX; i++) {
        const int from = run->chain.from[stage][i];
        own[i] = from == AIC_ACCUMULATED ? NULL : run->operands[from];
    }
    own[AIC_CHAIN_OUTPUT] = output;
    if (stage > 0) {
        own[AIC_CHAIN_CONSUMED] = run->left[stage - 1];
    }
}

/* A stage that changes accumulators works on a copy of those before, which are its input and its old output. */
static aic_status change(const aic_chain_run *run, int stage)
{
    const aic_op_info *op = aic_chain_op(run, stage);
    const void *desc = &run->spec->stage[stage].desc;
    const int other = op->other_stage(desc);
    void *own[AIC_OPERANDS_MAX];
    memcpy(run->left[stage], run->left[stage - 1], (size_t)run->elements * BYTES);
    aic_chain_stage_operands(run, stage, run->left[stage], own);
    own[AIC_CHAIN_CONSUMED] = run->left[stage];
    own[AIC_CHAIN_OTHER] = other > 0 ? run->left[other - 1] : own[AIC_CHAIN_OTHER];
    return op->reference(desc, run->semantics, own);
}

void aic_chain_store(const aic_chain_run *run, const void *accumulators, void *output)
{
    const aic_accumulator *a = &run->accumulator;
    for (int64_t row = 0; row < a->rows; row++) {
        for (int64_t column = 0; column < a->columns; column++) {
            const int64_t at = index_of(a, row, column) * BYTES;
            memcpy((unsigned char *)output + at, (const unsigned char *)accumulators + at, BYTES);
        }
    }
}

aic_status aic_chain_run_stage(const aic_chain_run *run, int stage, void *output)
{
    const aic_op_info *op = aic_chain_op(run, stage);
    const bool last = stage + 1 == run->spec->count;
    void *own[AIC_OPERANDS_MAX];
    aic_status status;
    if (op->change) {
        status = change(run, stage);
        if (status == AIC_OK && last) {
            aic_chain_store(run, run->left[stage], output);
        }
        return status;
    }
    aic_chain_stage_operands(run, stage, last ? output : run->left[stage], own);
    return op->reference(&run->spec->stage[stage].desc, run->semantics, own);
}

aic_status aic_chain_reference(const aic_spec *resolved, const aic_semantics *semantics, void *const operands[])
{
    aic_chain_run run;
    aic_status status = aic_chain_open(&run, resolved, semantics, operands);
    for (int s = 0; s < resolved->count && status == AIC_OK; s++) {
        status = aic_chain_run_stage(&run, s, operands[AIC_CHAIN_OUTPUT]);
    }
    aic_chain_close(&run);
    return status;
}
