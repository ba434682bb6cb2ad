/* nd2nz: copies row-major matrices into blocks of 32-byte columns (AscendC, DataCopy with Nd2NzParams). With C0 = 32
 * bytes of elements, for i < ndNum, r < nValue and d < dValue rounded up to C0:
 *
 *     dst[i*dstNzMatrixStride + (d/C0)*dstNzC0Stride*C0 + r*dstNzNStride*C0 + d%C0]
 *         = d < dValue ? src[i*srcNdMatrixStride + r*srcDValue + d] : 0
 *
 *     dst  one-dimensional, as long as the strides reach
 *     src  one-dimensional, as long as the strides reach; rows and matrices may overlap
 *
 * Elements of dst between rows keep their value. ndNum, nValue or dValue = 0: nothing is read or written.
 *
 * The document does not say what becomes of an element that is written twice. Refused here are strides of dst that do
 * not nest: each must leave room for everything that is repeated at smaller ones. So column blocks may follow each
 * other (dstNzC0Stride >= (nValue-1)*dstNzNStride + 1) or lie between the rows, and matrices after, between or inside
 * them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef AIC_ND2NZ_H
#define AIC_ND2NZ_H

#include <aic/field.h>
#include <aic/op.h>

AIC_EXTERN_C_BEGIN

#define AIC_DESC aic_nd2nz_desc
#define AIC_LIST <aic/nd2nz.def>
#include <aic/desc.inc>

/* Validates, finds or makes the kernel of exactly this descriptor, and runs it; errors and threads as
 * aic_jit_conv2d(). Unused operands are NULL. */
static inline aic_status aic_jit_nd2nz(aic_context *ctx, const aic_nd2nz_desc *desc, void *dst, const void *src)
{
    const void *const operands[] = {dst, src};
    return aic_jit_operator(ctx, AIC_OP_ND2NZ, desc, operands, 2);
}

AIC_EXTERN_C_END

#endif
