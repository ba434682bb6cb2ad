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

#include <aic/types.h>
#include <aic/op.h>

AIC_EXTERN_C_BEGIN

/* The parameters of the document, under its names. */
typedef struct aic_load_data_transpose_desc {
    size_t size; /* of this structure, as aic_load_data_transpose_desc_init() has it */
    /* of 1, 2 or 4 bytes [public vendor source: AscendC, page LoadDataWithTranspose, table of data types].
     * Rules: a type of 1, 2 or 4 bytes */
    aic_dtype dtype;
    /* the first square of src [public vendor source: AscendC, page LoadDataWithTranspose, parameter
     * startIndex]. Rules: within 0..65535 */
    int64_t startIndex;
    /* squares [public vendor source: AscendC, page LoadDataWithTranspose, parameter repeatTimes]. Rules: within
     * 0..255 */
    int64_t repeatTimes;
    /* from square to square of src, in squares [public vendor source: AscendC, page LoadDataWithTranspose,
     * parameter srcStride]. Rules: within 0..65535 */
    int64_t srcStride;
    /* from the end of the first fractal of one square of dst to the first of the next, in fractals [public
     * vendor source: AscendC, page LoadDataWithTranspose, parameter dstGap]. Rules: within 0..65535; no two
     * iterations write the same fractal [our choice: nothing says what becomes of a fractal that is written
     * twice] */
    int64_t dstGap;
    /* from the end of the first fractal of a square of dst to its second, in fractals; not used by 2-byte types
     * [public vendor source: AscendC, page LoadDataWithTranspose, parameter dstFracGap]. Rules: within 0..65535 */
    int64_t dstFracGap;
    /* 0: squares of src are counted upwards [public vendor source: AscendC, page LoadDataWithTranspose,
     * parameter addrMode]. Rules: 0 [our choice: 1 counts squares of src down, which no example of the
     * documents does] */
    int64_t addrMode;
} aic_load_data_transpose_desc;

/* The defaults. */
static inline aic_load_data_transpose_desc aic_load_data_transpose_desc_init(void)
{
    aic_load_data_transpose_desc made;
    memset(&made, 0, sizeof made);
    made.size = sizeof made;
    made.dtype = AIC_DTYPE_NONE;
    return made;
}

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
