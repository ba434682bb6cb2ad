/* A conv2d with its operands, for tests of the runtime: descriptor, pseudo-random inputs, the reference's result. */
#pragma once

#include "frontend/core/stage.h"

#include <aic/aic.h>

enum { CONV_DST, CONV_FEATURE_MAP, CONV_WEIGHT, CONV_OPERANDS };

typedef struct conv_case {
    aic_conv2d_desc desc;
    aic_spec spec;
    aic_operand operand[AIC_OPERANDS_MAX];
    void *buffer[CONV_OPERANDS]; /* 64-byte aligned; dst is filled with a pattern */
    void *expected;              /* dst as the reference leaves it, from the same pattern */
    unsigned char *before;       /* dst's pattern */
} conv_case;

/* A 3x3 convolution with padding on `width` columns; different widths are different kernels. */
aic_conv2d_desc conv_desc(aic_dtype dtype, int64_t width);

/* Every allocation and the reference are asserted. */
conv_case *conv_case_new(const aic_conv2d_desc *desc);
void conv_case_free(conv_case *c);

/* Puts the pattern back into dst. */
void conv_case_reset(conv_case *c);

/* Asserts that dst holds the expected result, or that it is as conv_case_reset() left it. */
void conv_case_check_done(const conv_case *c, const void *dst);
void conv_case_check_untouched(const conv_case *c);

/* The facts of the kernel of conv_desc(AIC_INT8, width), by a schedule that all widths have: all have the same parts.
 */
aic_kernel_info conv_kernel_info(aic_context *context, int64_t width);

/* A block of `bytes` bytes aligned to 64. */
void *aligned_block(size_t bytes);
