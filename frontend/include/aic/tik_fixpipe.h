/* tik_fixpipe: the TIK form of fixpipe (TIK conv2d, section 9).
 *
 * Drops the rows that conv2d pads its result with, and converts:
 *
 *     dst         one-dimensional, as long as bursts and dst_stride reach   float32, int32 or float16
 *     src         [cburst_num, round up(rows, 16), 16]                      float32 or int32; rows = burst_len/2
 *     bias        [cburst_num*16]                                           as src; only with bias
 *     mode_param  [16]                                                      float16; only with mode_param_tensor
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef AIC_TIK_FIXPIPE_H
#define AIC_TIK_FIXPIPE_H

#include <aic/field.h>

AIC_EXTERN_C_BEGIN

struct aic_context;

/* The parameters of the document, under its names. tik_fixpipe.def lists them with their meaning. */
typedef struct aic_tik_fixpipe_desc {
#define AIC_FIELD AIC_MEMBER
#include <aic/tik_fixpipe.def>
#undef AIC_FIELD
} aic_tik_fixpipe_desc;

/* The defaults of tik_fixpipe.def. */
AIC_API aic_tik_fixpipe_desc aic_tik_fixpipe_desc_init(void);

/* Validates, finds or makes the kernel of exactly this descriptor, and runs it on the calling thread; errors and
 * threads as aic_jit_conv2d(). Unused operands are NULL. */
AIC_API aic_status aic_jit_tik_fixpipe(struct aic_context *ctx, const aic_tik_fixpipe_desc *desc, void *dst,
                                       const void *src, const void *bias, const void *mode_param);

AIC_EXTERN_C_END

#endif
