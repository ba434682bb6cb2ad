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

#include <aic/types.h>
#include <aic/op.h>

AIC_EXTERN_C_BEGIN

/* The parameters of the document, under its names. */
typedef struct aic_nd2nz_desc {
    size_t size; /* of this structure, as aic_nd2nz_desc_init() has it */
    /* of 1, 2 or 4 bytes [public vendor source: AscendC, page DataCopy with ND to NZ conversion, table of data
     * types]. Rules: a type of 1, 2 or 4 bytes */
    aic_dtype dtype;
    /* matrices [public vendor source: AscendC, page DataCopy, Nd2NzParams, parameter ndNum]. Rules: within
     * 0..4095 */
    int64_t ndNum;
    /* rows [public vendor source: AscendC, page DataCopy, Nd2NzParams, parameter nValue]. Rules: within
     * 0..16384 */
    int64_t nValue;
    /* columns [public vendor source: AscendC, page DataCopy, Nd2NzParams, parameter dValue]. Rules: within
     * 0..65535 */
    int64_t dValue;
    /* from matrix to matrix of src, in elements [public vendor source: AscendC, page DataCopy, Nd2NzParams,
     * parameter srcNdMatrixStride]. Rules: within 0..65535 */
    int64_t srcNdMatrixStride;
    /* from row to row of src, in elements [public vendor source: AscendC, page DataCopy, Nd2NzParams, parameter
     * srcDValue]. Rules: within 1..65535 */
    int64_t srcDValue;
    /* from column block to column block of dst, in 32 bytes [public vendor source: AscendC, page DataCopy,
     * Nd2NzParams, parameter dstNzC0Stride]. Rules: within 1..16384; column blocks do not overlap [our choice:
     * nothing says what becomes of an element that is written twice] */
    int64_t dstNzC0Stride;
    /* from row to row of dst, in 32 bytes [public vendor source: AscendC, page DataCopy, Nd2NzParams, parameter
     * dstNzNStride]. Rules: within 1..16384 */
    int64_t dstNzNStride;
    /* from matrix to matrix of dst, in elements [public vendor source: AscendC, page DataCopy, Nd2NzParams,
     * parameter dstNzMatrixStride]. Rules: within 0..16384; matrices do not overlap [our choice: nothing says
     * what becomes of an element that is written twice] */
    int64_t dstNzMatrixStride;
} aic_nd2nz_desc;

/* The defaults. */
static inline aic_nd2nz_desc aic_nd2nz_desc_init(void)
{
    aic_nd2nz_desc made;
    memset(&made, 0, sizeof made);
    made.size = sizeof made;
    made.dtype = AIC_DTYPE_NONE;
    made.ndNum = 1;
    made.dstNzNStride = 1;
    return made;
}

/* Validates, finds or makes the kernel of exactly this descriptor, and runs it; errors and threads as
 * aic_jit_conv2d(). Unused operands are NULL. */
static inline aic_status aic_jit_nd2nz(aic_context *ctx, const aic_nd2nz_desc *desc, void *dst, const void *src)
{
    const void *const operands[] = {dst, src};
    return aic_jit_operator(ctx, AIC_OP_ND2NZ, desc, operands, 2);
}

AIC_EXTERN_C_END

#endif
