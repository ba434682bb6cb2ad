/* tensor_arithmetic_quantized as a map (tensor arithmetic, section 4). */
#include "codegen/ops/arith_map.h"

static void describe(const void *desc, const aic_semantics *semantics, aic_work *work)
{
    const aic_arith p = aic_arith_of_integers(desc, semantics);
    aic_arith_map(&p, work);
}

const aic_generator aic_generator_tensor_arithmetic_quantized = {.describe = describe};
