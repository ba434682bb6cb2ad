/* What the parts of tik_fixpipe's frontend and its generator share: derived sizes (TIK conv2d). */
#pragma once

#include "frontend/core/op.h"

/* Sizes of a valid descriptor, in rows of 16 elements or in elements. */
typedef struct aic_tik_fixpipe_sizes {
    int64_t rows;      /* of a burst */
    int64_t src_burst; /* elements from the head of a burst of src to the next */
    int64_t dst_burst; /* the same of dst */
} aic_tik_fixpipe_sizes;

aic_tik_fixpipe_sizes aic_tik_fixpipe_sizes_of(const aic_tik_fixpipe_desc *desc);

/* mode_param of a descriptor whose scale code gets by an address, in the place of the operand mode_param: of a scale
 * below 8 in magnitude, and of others. No legal scale is as large. */
#define AIC_TIK_FIXPIPE_SCALE_BY_ADDRESS 131072.0
#define AIC_TIK_FIXPIPE_LARGE_SCALE_BY_ADDRESS 262144.0

/* The one value of quantize_params that a pair of types has. */
typedef struct aic_tik_fixpipe_conversion {
    aic_dtype src, dst;
    aic_tik_quantize mode;
} aic_tik_fixpipe_conversion;

enum { AIC_TIK_FIXPIPE_CONVERSIONS = 4 };
extern const aic_tik_fixpipe_conversion aic_tik_fixpipe_conversions[AIC_TIK_FIXPIPE_CONVERSIONS];

/* The bits of the half that mode_param is. */
uint16_t aic_tik_fixpipe_scale(const aic_tik_fixpipe_desc *desc);

/* Entries of aic_op_tik_fixpipe; see aic_op_info for what each does. */
void aic_tik_fixpipe_random(uint64_t *state, void *desc);
void aic_tik_fixpipe_random_fused(uint64_t *state, const aic_accumulator *accumulator, void *desc);
