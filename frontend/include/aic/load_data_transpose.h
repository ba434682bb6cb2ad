/* load_data_transpose: transposes squares of fractals (AscendC, LoadDataWithTranspose).
 *
 * Square startIndex + i*srcStride of src, transposed, goes to the fractals of dst that start at i*(dstGap + 1),
 * dstFracGap fractals apart; i < repeatTimes. A square is one fractal of 2-byte elements, or two of 1-byte (32 x 32) or
 * 4-byte elements (16 x 16, one beside the other); the transposed square is cut the same way. Two iterations that write
 * the same fractal are refused. repeatTimes = 0: nothing is read or written.
 *
 *     dst  one-dimensional, as long as the parameters reach
 *     src  one-dimensional, as long as the parameters reach
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef AIC_LOAD_DATA_TRANSPOSE_H
#define AIC_LOAD_DATA_TRANSPOSE_H

#include <aic/field.h>
#include <aic/op.h>

AIC_EXTERN_C_BEGIN

#define AIC_DESC aic_load_data_transpose_desc
#define AIC_LIST <aic/load_data_transpose.def>
#include <aic/desc.inc>

/* Validates, finds or makes the kernel of exactly this descriptor, and runs it; errors and threads as
 * aic_jit_conv2d(). Unused operands are NULL. */
static inline aic_status aic_jit_load_data_transpose(aic_context *ctx, const aic_load_data_transpose_desc *desc,
                                                     void *dst, const void *src)
{
    const void *const operands[] = {dst, src};
    return aic_jit_operator(ctx, AIC_OP_LOAD_DATA_TRANSPOSE, desc, operands, 2);
}

AIC_EXTERN_C_END

#endif
