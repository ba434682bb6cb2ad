/* transdata: moves a tensor from one layout to another (data layouts: matrices, feature maps, weights, 4N/2N storage).
 *
 *     src  shape in the layout src     dtype
 *     dst  shape in the layout dst     dtype
 *
 * Pairs: any two of ND, Nz, Zz, Zn, Nn; any two of NCHW, NHWC, NC1HWC0; any two of OIHW, HWIO, FRACTAL_Z; NCHW to 4N
 * (types of 1 byte) or 2N (2 bytes) and back; a layout to itself.
 *
 * Shapes of the blocked layouts, with C0 = 32 / bytes of an element, X1 = blocks of X:
 *
 *     Nz [C1,R1,16,C0]  Zz [R1,C1,16,C0]   of R x C, fractals of 16 x C0
 *     Zn [R1,C1,16,C0]  Nn [C1,R1,16,C0]   of R x C, fractals of C0 x 16, columns first
 *     NC1HWC0 [N,C1,H,W,C0]                of N, C, H, W
 *     FRACTAL_Z [I1,H,W,O up to a multiple of 16,C0]   of O, I, H, W
 *     4N, 2N [N1,C,H,W,4 or 2]             of N, C, H, W
 *
 * `shape` has the sizes of the tensor without blocks. Their order is that of the letters of src; where src has blocks,
 * that of dst; where both have blocks, [R,C], [N,C,H,W] or [O,I,H,W].
 *
 * Cells of src that hold no element (what fills the last block) are not looked at. Such cells of dst are written as 0,
 * except that the sub-words of 4N and 2N past the last batch keep their value. Operands must not overlap.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef AIC_TRANSDATA_H
#define AIC_TRANSDATA_H

#include <aic/field.h>
#include <aic/op.h>

AIC_EXTERN_C_BEGIN

#define AIC_DESC aic_transdata_desc
#define AIC_LIST <aic/transdata.def>
#include <aic/desc.inc>

/* Validates, finds or makes the kernel of exactly this descriptor, and runs it; errors and threads as
 * aic_jit_conv2d(). */
static inline aic_status aic_jit_transdata(aic_context *ctx, const aic_transdata_desc *desc, void *dst, const void *src)
{
    const void *const operands[] = {dst, src};
    return aic_jit_operator(ctx, AIC_OP_TRANSDATA, desc, operands, 2);
}

AIC_EXTERN_C_END

#endif
