/* tensor_arithmetic_quantized: bm_atomic_tensor_arithmetic_quantized, element by element on integers of 8 and 16 bits
 * (tensor arithmetic, ArithQuantParam).
 *
 * A word holds four 8-bit elements (4N) or two 16-bit elements (2N) of neighbouring batches, the first in the lowest
 * bits; strides[0] leads from one such batch of words to the next. The sub-words of the output past the last batch keep
 * their value. Operands, all uint32, and memory are as in tensor_arithmetic; element (n,c,h,w) of P to a word is in the
 * word of (n/P,c,h,w).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef AIC_TENSOR_ARITHMETIC_QUANTIZED_H
#define AIC_TENSOR_ARITHMETIC_QUANTIZED_H

#include <aic/tensor_arithmetic.h>

AIC_EXTERN_C_BEGIN

/* The parameters of the document, under its names. */
typedef struct aic_tensor_arithmetic_quantized_desc {
    size_t size; /* of this structure, as aic_tensor_arithmetic_quantized_desc_init() has it */
#define AIC_FIELD AIC_MEMBER
#include <aic/tensor_arithmetic_quantized.def>
#undef AIC_FIELD
} aic_tensor_arithmetic_quantized_desc;

/* The defaults. */
static inline aic_tensor_arithmetic_quantized_desc aic_tensor_arithmetic_quantized_desc_init(void)
{
    aic_tensor_arithmetic_quantized_desc made;
    memset(&made, 0, sizeof made);
    made.size = sizeof made;
#define AIC_FIELD AIC_INITIAL
#include <aic/tensor_arithmetic_quantized.def>
#undef AIC_FIELD
    return made;
}

/* Validates, finds or makes the kernel of exactly this descriptor, and runs it; errors and threads as
 * aic_jit_conv2d(). Unused operands are NULL, as in aic_jit_tensor_arithmetic(). */
static inline aic_status aic_jit_tensor_arithmetic_quantized(aic_context *ctx,
                                                             const aic_tensor_arithmetic_quantized_desc *desc,
                                                             void *output, const void *input0, const void *input1)
{
    const void *const operands[] = {output, input0, input1};
    return aic_jit_operator(ctx, AIC_OP_TENSOR_ARITHMETIC_QUANTIZED, desc, operands, 3);
}

AIC_EXTERN_C_END

#endif
