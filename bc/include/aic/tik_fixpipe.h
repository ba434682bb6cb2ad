/* tik_fixpipe: the TIK form of fixpipe (TIK manual, fixpipe).
 *
 * Drops the rows that conv2d pads its result with, and converts. A burst is a block of 16 columns with
 * rows = burst_len/2. Row p and column c of burst i lie, in elements, at
 *
 *     src  i*up(rows,16)*16 + p*16 + c                     up(rows,16): rows, rounded up to a multiple of 16
 *     dst  i*(rows*16 + dst_stride*32/size) + p*16 + c     size: bytes of an element of dst
 *
 * The steps, in this order:
 *
 *     bias        src + bias[i*16 + c]: float32 rounded, int32 clamped
 *     quantize    int322fp16: times mode_param; both conversions: rounded to float16, to nearest with ties to even, and
 *                 values too large for it as the context's overflow mode says (aic_overflow)
 *     relu        max(0, value)
 *
 *     dst         one-dimensional, as long as bursts and dst_stride reach   float32, int32 or float16
 *     src         [cburst_num, up(rows,16), 16]                             float32 or int32
 *     bias        [cburst_num*16]                                           as src; only with bias, else NULL
 *     mode_param  [16], a scale a column                                    float16; only with mode_param_tensor
 *
 * Elements of dst between two bursts keep their value. Host pointers need the alignment of their element type only;
 * operands must not overlap.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef AIC_TIK_FIXPIPE_H
#define AIC_TIK_FIXPIPE_H

#include <aic/types.h>
#include <aic/op.h>

AIC_EXTERN_C_BEGIN

/* The parameters of the document, under its names. */
typedef struct aic_tik_fixpipe_desc {
    size_t size; /* of this structure, as aic_tik_fixpipe_desc_init() has it */
    /* type of the result: float32, int32 or float16 [public vendor source: TIK manual, page fixpipe, parameter
     * dst]. Rules: float32, int32 or float16 */
    aic_dtype dst;
    /* type of the accumulators: float32 or int32 [public vendor source: TIK manual, page fixpipe, parameter
     * src]. Rules: float32 or int32; in a chain the type that the producer accumulates, or either behind
     * tensor_arithmetic [our choice: bits that no stage has changed are of one type] */
    aic_dtype src;
    /* bursts: blocks of 16 columns; in a chain 0: all of the producer's [public vendor source: TIK manual, page
     * fixpipe, parameter cburst_num]. Rules: within 1..4095; in a chain not more than the producer's blocks of
     * 16 columns; in a chain the producer has 16 columns or more [our choice: a burst has 16] */
    int64_t cburst_num;
    /* a burst of src, in 32 bytes: two a row, so an even number; in a chain 0: all of the producer's rows
     * [public vendor source: TIK manual, page fixpipe, parameter burst_len]. Rules: within 1..65535; in a chain
     * not more than the producer's rows; even [public vendor source: an older page of TIK fixpipe; a burst is
     * whole rows of 64 bytes]; in a chain, of several bursts: rounded up to 16 rows as many as the producer's
     * blocks have [our choice: src has no other distance between bursts] */
    int64_t burst_len;
    /* from the end of one burst of dst to the next, in 32 bytes [public vendor source: TIK manual, page
     * fixpipe, parameter dst_stride]. Rules: within 0..65535 */
    int64_t dst_stride;
    /* reserved: 0 [public vendor source: TIK manual, page fixpipe, parameter src_stride]. Rules: 0: it is
     * reserved */
    int64_t src_stride;
    /* a value a column is added first [public vendor source: TIK manual, page fixpipe, parameter extend_params,
     * bias]. Rules: true or false */
    bool bias;
    /* then the conversion to float16 [public vendor source: TIK manual, page fixpipe, parameter extend_params,
     * quantize_params]. Rules: none, fp322fp16 or int322fp16; the one of the table that converts src to dst
     * [public vendor source: TIK manual, page fixpipe, table of types and modes] */
    aic_tik_quantize quantize_params;
    /* the scale of int322fp16, rounded once to float16; -65504..65504 [public vendor source: TIK manual, page
     * fixpipe, parameter extend_params, mode_param]. Rules: of int322fp16 without a tensor: within
     * -65504..65504, no NaN */
    double mode_param;
    /* or 16 of them, one a column of a block, as an operand [public vendor source: TIK manual, page fixpipe,
     * parameter extend_params, mode_param]. Rules: true or false; true only with quantize_params=int322fp16 */
    bool mode_param_tensor;
    /* at last, negative values become 0 [public vendor source: TIK manual, page fixpipe, parameter
     * extend_params, relu]. Rules: true or false; true only without bias [public vendor source: TIK library,
     * its check of extend_params]; true only where int322fp16 has a tensor of scales [public vendor source: TIK
     * library, its check of extend_params] */
    bool relu;
} aic_tik_fixpipe_desc;

/* The defaults. */
static inline aic_tik_fixpipe_desc aic_tik_fixpipe_desc_init(void)
{
    aic_tik_fixpipe_desc made;
    memset(&made, 0, sizeof made);
    made.size = sizeof made;
    made.dst = AIC_DTYPE_NONE;
    made.src = AIC_DTYPE_NONE;
    made.quantize_params = AIC_TIK_QUANTIZE_NONE;
    made.mode_param = 1;
    return made;
}

/* Validates, finds or makes the kernel of exactly this descriptor, and runs it; errors and threads as
 * aic_jit_conv2d(). bias and mode_param are NULL unless their keys are true. */
static inline aic_status aic_jit_tik_fixpipe(aic_context *ctx, const aic_tik_fixpipe_desc *desc, void *dst,
                                             const void *src, const void *bias, const void *mode_param)
{
    const void *const operands[] = {dst, src, bias, mode_param};
    return aic_jit_operator(ctx, AIC_OP_TIK_FIXPIPE, desc, operands, 4);
}

AIC_EXTERN_C_END

#endif
