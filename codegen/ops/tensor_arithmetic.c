/* tensor_arithmetic as an element-wise kernel (tensor arithmetic, section 3). */
#include "codegen/ops/arith_elementwise.h"

static void describe(const void *desc, const aic_semantics *semantics, aic_work *work)
{
    const aic_arith p = aic_arith_of_words(desc, semantics);
    aic_arith_elementwise(&p, work);
}

const aic_generator aic_generator_tensor_arithmetic = {.describe = describe};
