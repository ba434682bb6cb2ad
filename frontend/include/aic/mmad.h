/* mmad: matrix multiply-add (AscendC, Mmad).
 *
 *     c[i][j] = I + sum over kk of a[i][kk] * b[kk][j]
 *
 * where I is 0, or with init_c false the old c; in a chain it is then the operand l1out (see the field l1out).
 *
 *     c  [m, n]   ND, or Nz [N1, M1, 16, 16]       int32 (int8), float32 (float16, bfloat16, float32)
 *     a  [m, k]   ND, or Zz [M1, K1, 16, K0]       dtype; m = 1: k elements in either
 *     b  [k, n]   ND, or Zn [K1, N1, 16, K0]       dtype
 *
 * with M1 = ceil(m/16), N1 = ceil(n/16), K1 = ceil(k/K0), and K0 the elements of 32 bytes. Cells of c outside m x n
 * keep their value; cells of a and b outside the matrices have no influence. Where m, n or k is 0, nothing is read or
 * written.
 * Operands must not overlap.
 *
 * Of int8 the result is the exact sum, clamped once to int32. Float types are summed in blocks of K0 products, each
 * block in binary64 and the blocks in float32, or as `accumulate` says; a result that is infinite or NaN is then stored
 * as the context's overflow mode says (aic_overflow).
 *
 * In a chain, "mmad | ... | fixpipe", no size is 0, and c_format does not matter.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef AIC_MMAD_H
#define AIC_MMAD_H

#include <aic/field.h>
#include <aic/op.h>

AIC_EXTERN_C_BEGIN

#define AIC_DESC aic_mmad_desc
#define AIC_LIST <aic/mmad.def>
#include <aic/desc.inc>

/* Validates, finds or makes the kernel of exactly this descriptor, and runs it; errors and threads as
 * aic_jit_conv2d(). Unused operands are NULL. */
static inline aic_status aic_jit_mmad(aic_context *ctx, const aic_mmad_desc *desc, void *c, const void *a,
                                      const void *b)
{
    const void *const operands[] = {c, a, b};
    return aic_jit_operator(ctx, AIC_OP_MMAD, desc, operands, 3);
}

AIC_EXTERN_C_END

#endif
