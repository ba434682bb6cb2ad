/* tensor_arithmetic_quantized as an element-wise kernel (tensor arithmetic). */
#include "codegen/ops/arith_elementwise.h"

static void describe(const void *desc, const aic_semantics *semantics, aic_work *work)
{
    const aic_arith p = aic_arith_of_integers(desc, semantics);
    aic_arith_elementwise(&p, work);
}

const aic_generator aic_generator_tensor_arithmetic_quantized = {.describe = describe};
