/* tik_fixpipe: the TIK form of fixpipe (TIK manual, fixpipe).
 *
 * Drops the rows that conv2d pads its result with, and converts. A burst is a block of 16 columns with
 * rows = burst_len/2. Row p and column c of burst i lie, in elements, at
 *
 *     src  i*up(rows,16)*16 + p*16 + c                     up(rows,16): rows, rounded up to a multiple of 16
 *     dst  i*(rows*16 + dst_stride*32/size) + p*16 + c     size: bytes of an element of dst
 *
 * The steps, in this order:
 *
 *     bias        src + bias[i*16 + c]: float32 rounded, int32 clamped
 *     quantize    int322fp16: times mode_param; both conversions: rounded to float16, to nearest with ties to even, and
 *                 values too large for it as the context's overflow mode says (aic_overflow)
 *     relu        max(0, value)
 *
 *     dst         one-dimensional, as long as bursts and dst_stride reach   float32, int32 or float16
 *     src         [cburst_num, up(rows,16), 16]                             float32 or int32
 *     bias        [cburst_num*16]                                           as src; only with bias, else NULL
 *     mode_param  [16], a scale a column                                    float16; only with mode_param_tensor
 *
 * Elements of dst between two bursts keep their value. Host pointers need the alignment of their element type only;
 * operands must not overlap.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef AIC_TIK_FIXPIPE_H
#define AIC_TIK_FIXPIPE_H

#include <aic/field.h>
#include <aic/op.h>

AIC_EXTERN_C_BEGIN

#define AIC_DESC aic_tik_fixpipe_desc
#define AIC_LIST <aic/tik_fixpipe.def>
#include <aic/desc.inc>

/* Validates, finds or makes the kernel of exactly this descriptor, and runs it; errors and threads as
 * aic_jit_conv2d(). bias and mode_param are NULL unless their keys are true. */
static inline aic_status aic_jit_tik_fixpipe(aic_context *ctx, const aic_tik_fixpipe_desc *desc, void *dst,
                                             const void *src, const void *bias, const void *mode_param)
{
    const void *const operands[] = {dst, src, bias, mode_param};
    return aic_jit_operator(ctx, AIC_OP_TIK_FIXPIPE, desc, operands, 4);
}

AIC_EXTERN_C_END

#endif
