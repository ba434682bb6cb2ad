/* The hooks of transdata that have files of their own. */
#pragma once

#include "frontend/core/op.h"

/* The largest size of a dimension. */
#define AIC_TRANSDATA_SIZE_MAX INT32_MAX

/* Formulas and pseudo-random descriptors, see aic_op_info. */
void aic_transdata_random(uint64_t *state, void *desc);
