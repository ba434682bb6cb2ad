/* load_data: copies 512-byte fractals (AscendC, LoadData with LoadData2dParams).
 *
 *     dst fractal i*(dstGap + 1) = src fractal startIndex + i*srcStride, transposed with ifTranspose; i < repeatTimes
 *
 * repeatTimes = 0: nothing is read or written.
 *
 *     dst  one-dimensional, as long as the parameters reach
 *     src  one-dimensional, as long as the parameters reach
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef AIC_LOAD_DATA_H
#define AIC_LOAD_DATA_H

#include <aic/field.h>
#include <aic/op.h>

AIC_EXTERN_C_BEGIN

#define AIC_DESC aic_load_data_desc
#define AIC_LIST <aic/load_data.def>
#include <aic/desc.inc>

/* Validates, finds or makes the kernel of exactly this descriptor, and runs it; errors and threads as
 * aic_jit_conv2d(). Unused operands are NULL. */
static inline aic_status aic_jit_load_data(aic_context *ctx, const aic_load_data_desc *desc, void *dst, const void *src)
{
    const void *const operands[] = {dst, src};
    return aic_jit_operator(ctx, AIC_OP_LOAD_DATA, desc, operands, 2);
}

AIC_EXTERN_C_END

#endif
