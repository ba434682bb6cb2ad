/* What the parts of mmad's frontend share. */
#pragma once

#include "frontend/core/op.h"

/* Rows of a fractal of a and c, columns of a fractal of b and c. */
#define AIC_MMAD_FRACTAL 16

/* Elements of k in a fractal of a and b, and in a block of the reduction: 32 bytes. */
static inline int64_t aic_mmad_k0(const aic_mmad_desc *desc)
{
    return 32 / (int64_t)aic_dtype_size(desc->dtype);
}

/* Whether nothing is read or written. */
static inline bool aic_mmad_is_empty(const aic_mmad_desc *desc)
{
    return desc->m == 0 || desc->n == 0 || desc->k == 0;
}

/* Entries of aic_op_mmad; see aic_op_info for what each does. */
void aic_mmad_random(uint64_t *state, void *desc);
void aic_mmad_random_start(uint64_t *state, void *desc);
