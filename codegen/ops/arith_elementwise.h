/* Tensor arithmetic, both entries, as element-wise kernels. */
#pragma once

#include "codegen/loops/elementwise.h"
#include "frontend/ops/arith/arith.h"

/* What is computed. */
aic_elementwise_value aic_arith_value(const aic_arith *p);

/* Describes a legal, placed descriptor. */
void aic_arith_elementwise(const aic_arith *p, aic_work *work);
