/* What the parts of conv2d's frontend share: derived sizes (TIK conv2d), and the parts themselves. */
#pragma once

#include "frontend/core/op.h"

/* Sizes of a valid descriptor, under the document's names. */
typedef struct aic_conv2d_sizes {
    int64_t c1, h, w, c0;     /* feature map */
    int64_t kh, kw, cout;     /* kernel */
    int64_t blocks, block;    /* of the weight: blocks of channels, channels of a block; without groups c1, c0 */
    int64_t hk, wk;           /* extent of the dilated kernel */
    int64_t ho, wo;           /* output image */
    int64_t howo, round_howo; /* rows of dst: valid, stored */
    int64_t k;                /* length of the reduction: products of an output */
    int64_t k0;               /* products in a block of the reduction: 16 or 32 */
} aic_conv2d_sizes;

/* The sizes, of a descriptor whose parameters are each within their range; ho and wo may come out below 1. */
aic_conv2d_sizes aic_conv2d_sizes_of(const aic_conv2d_desc *desc);

/* Entries of aic_op_conv2d; see aic_op_info for what each does. */
void aic_conv2d_random(uint64_t *state, const aic_semantics *semantics, void *desc);
void aic_conv2d_random_start(uint64_t *state, void *desc);
