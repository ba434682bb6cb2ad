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
    /* not in the document: three buffers, or the tensor processor's memory as one operand [our choice: buffers
     * of a host have no addresses in the processor's memory]. Rules: flat or local [our choice: a key of this
     * library] */
    aic_memory memory;
    /* byte address of input0 (memory=local); of a constant input its value in the low 8 or 16 bits [tensor
     * arithmetic, ArithQuantParam, field input0_addr]. Rules: 0 with memory=flat, but for constants [our
     * choice: operands that are buffers have no address]; within the tensor processor's memory, which the
     * options lanes and lane_bytes describe [public vendor source: later library's manual, memory layout]; a
     * multiple of 4 [public vendor source: later library's manual, memory layout]; with memory=local every
     * element is inside its lane [public vendor source: later library's manual, memory layout]; of a constant:
     * its value in the low 8 or 16 bits, zeros above it, or ones above a negative one [tensor arithmetic,
     * ArithQuantParam, fields input0_is_const and input1_is_const; the upper bits are our choice] */
    int64_t input0_addr;
    /* byte address of input1 (memory=local); of a constant input its value in the low 8 or 16 bits [tensor
     * arithmetic, ArithQuantParam, field input1_addr] */
    int64_t input1_addr;
    /* byte address of output; memory=local only, a multiple of 4 [tensor arithmetic, ArithQuantParam, field
     * output_addr]. Rules: with memory=local the output shares no word with an input, or each element its own
     * [our choice: their order would decide] */
    int64_t output_addr;
    /* [N, C, H, W] [tensor arithmetic, ArithQuantParam, field shape]. Rules: N, H and W are within 1..65535, C
     * within 1..4095; in a chain it is the accumulators' [public vendor source: later library, limits of
     * shapes] */
    int64_t shape[4];
    /* [word batches (N/4 or N/2), C, H, W] in 32-bit words; all four -1: compact [tensor arithmetic,
     * ArithQuantParam, field input0_stride]. Rules: within 0..4294967295 where the dimension has several words
     * [tensor arithmetic, ArithQuantParam, fields input0_stride, input1_stride and output_stride] */
    int64_t input0_stride[4];
    /* [word batches (N/4 or N/2), C, H, W] in 32-bit words; all four -1: compact [tensor arithmetic,
     * ArithQuantParam, field input1_stride] */
    int64_t input1_stride[4];
    /* [word batches (N/4 or N/2), C, H, W] in 32-bit words; all four -1: compact [tensor arithmetic,
     * ArithQuantParam, field output_stride]. Rules: no two elements of the output share a word [our choice:
     * their order would decide] */
    int64_t output_stride[4];
    /* operation [tensor arithmetic, ArithQuantParam, field op]. Rules: an operation of this entry [tensor
     * arithmetic, ArithQuantParam, field op, and BmAtomicOp] */
    aic_atomic_op op;
    /* input0 is a constant instead of a tensor [tensor arithmetic, ArithQuantParam, field input0_is_const].
     * Rules: true or false */
    bool input0_is_const;
    /* input1 is a constant instead of a tensor [tensor arithmetic, ArithQuantParam, field input1_is_const].
     * Rules: true or false */
    bool input1_is_const;
    /* right shift of BM_MUL and BM_MAC: 0..31 [tensor arithmetic, ArithQuantParam, field rshift_bit]. Rules:
     * BM_MUL and BM_MAC: within 0..31 [public vendor source: later library, range of right shifts] */
    int64_t rshift_bit;
    /* left shift of BM_MAC: 0..31 [tensor arithmetic, ArithQuantParam, field lshift_bit]. Rules: BM_MAC: within
     * 0..31 [public vendor source: later library, range of left shifts] */
    int64_t lshift_bit;
    /* of BM_SHIFT: 0 logical, 1 arithmetic [tensor arithmetic, ArithQuantParam, field shift_type]. Rules:
     * BM_SHIFT: 0 or 1 */
    int64_t shift_type;
    /* input0 is signed [tensor arithmetic, ArithQuantParam, field input0_sign]. Rules: true or false */
    bool input0_sign;
    /* input1 is signed [tensor arithmetic, ArithQuantParam, field input1_sign]. Rules: true or false */
    bool input1_sign;
    /* output is signed [tensor arithmetic, ArithQuantParam, field output_sign, which no text describes; what it
     * means is our choice]. Rules: true or false [tensor arithmetic, ArithQuantParam, field output_sign] */
    bool output_sign;
    /* input0 has 8 bits in 4N storage, else 16 in 2N [tensor arithmetic, ArithQuantParam, field input0_8bit].
     * Rules: true or false; a width that the operation takes: BM_MUL, BM_MAC, BM_CPY 8 bits, BM_SHIFT 16,
     * others either [tensor arithmetic, table of widths of the fixed-point entry] */
    bool input0_8bit;
    /* input1 has 8 bits in 4N storage, else 16 in 2N [tensor arithmetic, ArithQuantParam, field input1_8bit].
     * Rules: true or false; that of input0 [tensor arithmetic, table of widths of the fixed-point entry] */
    bool input1_8bit;
    /* output has 8 bits in 4N storage, else 16 in 2N [tensor arithmetic, ArithQuantParam, field output_8bit].
     * Rules: true or false; a width that the operation gives: BM_ADD, BM_SUB, BM_MUL either, BM_MAC and
     * BM_SHIFT 16 bits, BM_CPY 8, others that of the inputs [tensor arithmetic, table of widths of the
     * fixed-point entry] */
    bool output_8bit;
    /* input1 has N = 1 and is broadcast [tensor arithmetic, ArithQuantParam, field input1_n_is1]. Rules: true
     * or false */
    bool input1_n_is1;
    /* input1 has H = 1 and is broadcast [tensor arithmetic, ArithQuantParam, field input1_h_is1]. Rules: true
     * or false */
    bool input1_h_is1;
    /* input1 has W = 1 and is broadcast [tensor arithmetic, ArithQuantParam, field input1_w_is1]. Rules: true
     * or false */
    bool input1_w_is1;
} aic_tensor_arithmetic_quantized_desc;

/* The defaults. */
static inline aic_tensor_arithmetic_quantized_desc aic_tensor_arithmetic_quantized_desc_init(void)
{
    aic_tensor_arithmetic_quantized_desc made;
    memset(&made, 0, sizeof made);
    made.size = sizeof made;
    made.memory = AIC_MEMORY_FLAT;
    made.input0_stride[0] = -1;
    made.input0_stride[1] = -1;
    made.input0_stride[2] = -1;
    made.input0_stride[3] = -1;
    made.input1_stride[0] = -1;
    made.input1_stride[1] = -1;
    made.input1_stride[2] = -1;
    made.input1_stride[3] = -1;
    made.output_stride[0] = -1;
    made.output_stride[1] = -1;
    made.output_stride[2] = -1;
    made.output_stride[3] = -1;
    made.op = AIC_ATOMIC_BM_MUL;
    made.input0_sign = true;
    made.input1_sign = true;
    made.output_sign = true;
    made.input0_8bit = true;
    made.input1_8bit = true;
    made.output_8bit = true;
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
