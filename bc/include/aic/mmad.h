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

#include <aic/types.h>
#include <aic/op.h>

AIC_EXTERN_C_BEGIN

/* The parameters of the document, under its names. */
typedef struct aic_mmad_desc {
    size_t size; /* of this structure, as aic_mmad_desc_init() has it */
    /* of a and b: int8 (c int32), float16, bfloat16 or float32 (c float32) [public vendor source: AscendC, page
     * Mmad, table of data types]. Rules: int8, float16, bfloat16 or float32 */
    aic_dtype dtype;
    /* rows of a and c [public vendor source: AscendC, page Mmad, parameter m]. Rules: within 0..4095; 0:
     * nothing is done; in a chain not 0 [our choice: there would be nothing to store] */
    int64_t m;
    /* columns of b and c [public vendor source: AscendC, page Mmad, parameter n]. Rules: within 0..4095; 0:
     * nothing is done */
    int64_t n;
    /* columns of a, rows of b [public vendor source: AscendC, page Mmad, parameter k]. Rules: within 0..4095;
     * 0: nothing is done */
    int64_t k;
    /* layout of a: ND or Zz [our choice: a matrix may be given without fractals; the document has Zz]. Rules:
     * ND or Zz [public vendor source: AscendC, page Mmad, layout of the left matrix; ND is our choice] */
    aic_layout a_format;
    /* layout of b: ND or Zn [our choice: a matrix may be given without fractals; the document has Zn]. Rules:
     * ND or Zn [public vendor source: AscendC, page Mmad, layout of the right matrix; ND is our choice] */
    aic_layout b_format;
    /* layout of c: ND or Nz [our choice: a matrix may be given without fractals; the document has Nz]. Rules:
     * ND or Nz [public vendor source: AscendC, page Mmad, layout of the result; ND is our choice] */
    aic_layout c_format;
    /* cmatrixInitVal: true: start from 0; false: the products are added to the old c, in a chain to the operand
     * l1out [public vendor source: AscendC, page Mmad, parameter cmatrixInitVal]. Rules: true or false */
    bool init_c;
    /* not in the document: how float types add up, by the document's block arithmetic or in any order (fast,
     * and winograd, which means fast here); ignored for int8 [our choice: the document has no word for sums in
     * any order, which are faster]. Rules: cube, fast or winograd; not looked at for int8 [our choice: a key of
     * this library] */
    aic_accumulate accumulate;
    /* not in the document: in a chain with init_c=false, what l1out is: the old accumulators, or one value a
     * column, a bias [our choice: a chain has no tensor of accumulators in memory, and a bias is one value a
     * column]. Rules: tensor or channel [our choice: a key of this library]; channel only where init_c is false
     * [our choice: sums that start from 0 read no bias]; channel only in a chain [our choice: without a chain
     * the old accumulators are c] */
    aic_l1out l1out;
} aic_mmad_desc;

/* The defaults. */
static inline aic_mmad_desc aic_mmad_desc_init(void)
{
    aic_mmad_desc made;
    memset(&made, 0, sizeof made);
    made.size = sizeof made;
    made.dtype = AIC_DTYPE_NONE;
    made.a_format = AIC_LAYOUT_ND;
    made.b_format = AIC_LAYOUT_ND;
    made.c_format = AIC_LAYOUT_ND;
    made.init_c = true;
    made.accumulate = AIC_ACCUMULATE_CUBE;
    made.l1out = AIC_L1OUT_TENSOR;
    return made;
}

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
