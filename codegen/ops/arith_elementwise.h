/* Tensor arithmetic, both entries, as element-wise kernels. */
#ifndef AIC_ARITH_MAP_H
#define AIC_ARITH_MAP_H

#include "codegen/loops/elementwise.h"
#include "frontend/ops/arith/arith.h"

/* Describes a legal, placed descriptor. */
void aic_arith_elementwise(const aic_arith *p, aic_work *work);

#endif
