/* Tensor arithmetic, both entries, as maps. */
#ifndef AIC_ARITH_MAP_H
#define AIC_ARITH_MAP_H

#include "codegen/loops/map.h"
#include "frontend/ops/arith/arith.h"

/* Describes a legal, placed descriptor. */
void aic_arith_map(const aic_arith *p, aic_work *work);

#endif
