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

#include <aic/types.h>
#include <aic/op.h>

AIC_EXTERN_C_BEGIN

/* The parameters of the document, under its names. */
typedef struct aic_transdata_desc {
    size_t size; /* of this structure, as aic_transdata_desc_init() has it */
    /* of 1, 2 or 4 bytes [our choice: bits are moved, whatever the type is]. Rules: a type of 1, 2 or 4 bytes */
    aic_dtype dtype;
    /* layout of src: of a matrix ND, Nz, Zz, Zn or Nn; of a feature map NCHW, NHWC, NC1HWC0, 4N or 2N; of
     * weights OIHW, HWIO or FRACTAL_Z [public vendor source: pages on data layouts; TIK conv2d and AscendC name
     * those of their operands]. Rules: a layout that holds elements of this type [public vendor source: pages
     * on data layouts, sizes of blocks by type] */
    aic_layout src;
    /* layout of dst, of the same family as that of src; 4N and 2N go with NCHW only [public vendor source:
     * pages on data layouts; TIK conv2d and AscendC name those of their operands]. Rules: a layout of the same
     * family as src that holds elements of this type [our choice: a tensor of another family has other
     * dimensions] */
    aic_layout dst;
    /* of the tensor without blocks, in the order of the letters of src, or of dst where src has blocks: [R,C]
     * (ND), [N,C,H,W], [N,H,W,C], [O,I,H,W], [H,W,I,O] [our choice: the operator is this library's own]. Rules:
     * no more entries than the layout has letters; every size is within 1..2147483647; src and dst have less
     * than 2^63 bytes [our choice: sizes are signed 64-bit numbers] */
    int64_t shape[4];
} aic_transdata_desc;

/* The defaults. */
static inline aic_transdata_desc aic_transdata_desc_init(void)
{
    aic_transdata_desc made;
    memset(&made, 0, sizeof made);
    made.size = sizeof made;
    made.dtype = AIC_DTYPE_NONE;
    made.src = AIC_LAYOUT_ND;
    made.dst = AIC_LAYOUT_ND;
    return made;
}

/* Validates, finds or makes the kernel of exactly this descriptor, and runs it; errors and threads as
 * aic_jit_conv2d(). */
static inline aic_status aic_jit_transdata(aic_context *ctx, const aic_transdata_desc *desc, void *dst, const void *src)
{
    const void *const operands[] = {dst, src};
    return aic_jit_operator(ctx, AIC_OP_TRANSDATA, desc, operands, 2);
}

AIC_EXTERN_C_END

#endif
