/* tensor_arithmetic as an element-wise kernel (tensor arithmetic), and as a step of a contraction's
 * epilogue.
 */
#include "frontend/ops/arith/tensor_arithmetic.h"
#include "codegen/contraction/contraction.h"
#include "codegen/ops/arith_elementwise.h"

static void describe(const void *desc, const aic_semantics *semantics, aic_work *work)
{
    const aic_arith p = aic_arith_of_words(desc, semantics);
    aic_arith_elementwise(&p, work);
}

/* Where the chain ends with it the accumulators are stored where they are. */
static void fuse(const void *desc, const aic_semantics *semantics, const int *operand, aic_work *work)
{
    enum { WORD_BYTES = 4 };
    const aic_arith p = aic_arith_of_words(desc, semantics);
    const aic_arith_operand *b = &p.operand[AIC_ARITH_INPUT1];
    const int stage = aic_tensor_arithmetic_other_stage(desc);
    const bool reads = (b->source == AIC_ARITH_TENSOR && stage == 0) || b->source == AIC_ARITH_WORD;
    aic_step step = {.op = AIC_STEP_ARITHMETIC,
                     .operand = reads ? (unsigned)operand[AIC_ARITH_INPUT1] : 0,
                     .value = aic_arith_value(&p),
                     .block = b->stride[AIC_ARITH_C] * WORD_BYTES,
                     .row = b->stride[AIC_ARITH_H] * WORD_BYTES,
                     .column = b->stride[AIC_ARITH_W] * WORD_BYTES,
                     .stage = stage};
    aic_contraction *c = aic_contraction_change(work);
    const bool sums = c->sum != AIC_SUM_INT && c->sum != AIC_SUM_INT_WIDE;
    step.takes_sums = sums && !aic_epilogue_has_step(&c->epilogue, AIC_STEP_ARITHMETIC);
    aic_epilogue_add(&c->epilogue, &step);
}

const aic_generator aic_generator_tensor_arithmetic = {.describe = describe, .fuse = fuse};
