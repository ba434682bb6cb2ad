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

#define AIC_DESC aic_tensor_arithmetic_quantized_desc
#define AIC_LIST <aic/tensor_arithmetic_quantized.def>
#include <aic/desc.inc>

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
