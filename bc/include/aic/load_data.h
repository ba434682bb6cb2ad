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

#include <aic/types.h>
#include <aic/op.h>

AIC_EXTERN_C_BEGIN

/* The parameters of the document, under its names. */
typedef struct aic_load_data_desc {
    size_t size; /* of this structure, as aic_load_data_desc_init() has it */
    /* of 1, 2 or 4 bytes [public vendor source: AscendC, page LoadData, table of data types]. Rules: a type of
     * 1, 2 or 4 bytes */
    aic_dtype dtype;
    /* the first fractal of src [public vendor source: AscendC, page LoadData, LoadData2dParams, parameter
     * startIndex]. Rules: within 0..65535 */
    int64_t startIndex;
    /* fractals [public vendor source: AscendC, page LoadData, LoadData2dParams, parameter repeatTimes]. Rules:
     * within 0..255; 0: nothing is done */
    int64_t repeatTimes;
    /* from fractal to fractal of src, in fractals [public vendor source: AscendC, page LoadData,
     * LoadData2dParams, parameter srcStride]. Rules: within 0..65535 */
    int64_t srcStride;
    /* from the end of one fractal of dst to the next, in fractals [public vendor source: AscendC, page
     * LoadData, LoadData2dParams, parameter dstGap]. Rules: within 0..65535 */
    int64_t dstGap;
    /* each fractal is transposed; 2-byte types only [public vendor source: AscendC, page LoadData,
     * LoadData2dParams, parameter ifTranspose]. Rules: true or false; true only for types of 2 bytes */
    bool ifTranspose;
    /* 0: fractals of src are counted upwards [public vendor source: AscendC, page LoadData, LoadData2dParams,
     * parameter addrMode]. Rules: 0 [our choice: 1 counts fractals of src down, which no example of the
     * documents does] */
    int64_t addrMode;
} aic_load_data_desc;

/* The defaults. */
static inline aic_load_data_desc aic_load_data_desc_init(void)
{
    aic_load_data_desc made;
    memset(&made, 0, sizeof made);
    made.size = sizeof made;
    made.dtype = AIC_DTYPE_NONE;
    return made;
}

/* Validates, finds or makes the kernel of exactly this descriptor, and runs it; errors and threads as
 * aic_jit_conv2d(). Unused operands are NULL. */
static inline aic_status aic_jit_load_data(aic_context *ctx, const aic_load_data_desc *desc, void *dst, const void *src)
{
    const void *const operands[] = {dst, src};
    return aic_jit_operator(ctx, AIC_OP_LOAD_DATA, desc, operands, 2);
}

AIC_EXTERN_C_END

#endif
