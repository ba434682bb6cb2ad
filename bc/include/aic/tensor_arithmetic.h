/* tensor_arithmetic: bm_atomic_tensor_arithmetic, element by element on 32-bit words (tensor arithmetic, ArithParam).
 *
 *     output(n,c,h,w) = op(input0(n,c,h,w), input1(n,c,h,w))
 *
 * memory=flat: three buffers of words, as long as their strides reach; float32 for arithmetic on floats, else uint32:
 *
 *     output  input0  input1      element (n,c,h,w) at word n*stride[0] + c*stride[1] + h*stride[2] + w*stride[3]
 *
 * A constant input and the input1 of BM_CPY are no operands. An input may be the output itself when its strides are the
 * same, and inputs may share memory. Addresses are 0.
 *
 * memory=local: one buffer of lanes * lane_bytes / 4 words (aic_semantics), read and written, in place of the three; it
 * is called `memory` and is passed as the output. The addresses count, and channel c lies in lane (Q + c) % lanes, row
 * (Q + c) / lanes, where Q is the lane of the address.
 *
 * In a chain "conv2d | tensor_arithmetic | ..." input0 and output are the accumulators of the stage before, words of
 * the shape [1, Cout/16, round_howo, 16] in conv2d's layout, changed where they are; shape and their strides may be
 * left out. Rows past howo are not defined, and not part of a result; H may be howo, too. input1 is a constant, an
 * operand - compact strides: as many words as the shape has; [0,16,0,1]: one value a channel - or, with input1_stage,
 * the accumulators as an earlier stage has left them. memory is flat.
 *
 * PReLU, slopes a channel: where they are within 0..1, BM_MUL by them, then BM_MAX with what the stage before BM_MUL
 * left; in general BM_MIN with the constant 0, BM_MUL by slope - 1, BM_ADD what the stage before BM_MIN left.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef AIC_TENSOR_ARITHMETIC_H
#define AIC_TENSOR_ARITHMETIC_H

#include <aic/types.h>
#include <aic/op.h>

AIC_EXTERN_C_BEGIN

/* In every entry of a stride field: dense rows, one lane's channels after the other, then batches. */
#define AIC_COMPACT (-1)

/* The parameters of the document, under its names. */
typedef struct aic_tensor_arithmetic_desc {
    size_t size; /* of this structure, as aic_tensor_arithmetic_desc_init() has it */
    /* not in the document: three buffers, or the tensor processor's memory as one operand [our choice: buffers
     * of a host have no addresses in the processor's memory]. Rules: flat or local [our choice: a key of this
     * library]; flat in a chain [our choice: accumulators have no address] */
    aic_memory memory;
    /* byte address of input0; memory=local only, a multiple of 4 [tensor arithmetic, ArithParam, field
     * input0_addr]. Rules: 0 with memory=flat, but for constants [our choice: operands that are buffers have no
     * address]; within the tensor processor's memory, which the options lanes and lane_bytes describe [public
     * vendor source: later library's manual, memory layout]; a multiple of 4 [public vendor source: later
     * library's manual, memory layout]; with memory=local every element is inside its lane [public vendor
     * source: later library's manual, memory layout] */
    int64_t input0_addr;
    /* byte address of input1; memory=local only, a multiple of 4 [tensor arithmetic, ArithParam, field
     * input1_addr] */
    int64_t input1_addr;
    /* byte address of output; memory=local only, a multiple of 4 [tensor arithmetic, ArithParam, field
     * output_addr]. Rules: with memory=local the output shares no word with an input, or each element its own
     * [our choice: their order would decide] */
    int64_t output_addr;
    /* [N, C, H, W]; in a chain it may be left out: [1, blocks of 16 channels, rows of a block, 16] [tensor
     * arithmetic, ArithParam, field shape]. Rules: N, H and W are within 1..65535, C within 1..4095; in a chain
     * it is the accumulators' [public vendor source: later library, limits of shapes]; in a chain that of the
     * accumulators, all rows of a block or those that are defined [our choice: the stage changes them where
     * they are] */
    int64_t shape[4];
    /* [N, C, H, W] in 32-bit words; all four -1: compact, in a chain the accumulators' [tensor arithmetic,
     * ArithParam, field input0_stride]. Rules: within 0..4294967295 where the dimension has several words
     * [tensor arithmetic, ArithParam, fields input0_stride, input1_stride and output_stride]; in a chain those
     * of the accumulators, for what they are [our choice: the stage changes them where they are] */
    int64_t input0_stride[4];
    /* [N, C, H, W] in 32-bit words; all four -1: compact; in a chain [0,16,0,1] is one value a channel [tensor
     * arithmetic, ArithParam, field input1_stride] */
    int64_t input1_stride[4];
    /* [N, C, H, W] in 32-bit words; all four -1: compact, in a chain the accumulators' [tensor arithmetic,
     * ArithParam, field output_stride]. Rules: no two elements of the output share a word [our choice: their
     * order would decide] */
    int64_t output_stride[4];
    /* operation [tensor arithmetic, ArithParam, field op]. Rules: an operation of this entry [tensor
     * arithmetic, ArithParam, field op, and BmAtomicOp] */
    aic_atomic_op op;
    /* input0 is a constant instead of a tensor [tensor arithmetic, ArithParam, field input0_is_const]. Rules:
     * true or false; false in a chain [our choice: input0 is the accumulators] */
    bool input0_is_const;
    /* input1 is a constant instead of a tensor [tensor arithmetic, ArithParam, field input1_is_const]. Rules:
     * true or false; not looked at for BM_CPY */
    bool input1_is_const;
    /* its value, a number or its 32 bits in hexadecimal [tensor arithmetic, ArithParam, field input0_const] */
    float input0_const;
    /* its value, a number or its 32 bits in hexadecimal [tensor arithmetic, ArithParam, field input1_const] */
    float input1_const;
    /* what BM_SG and BM_SE choose, a number or its 32 bits [tensor arithmetic, ArithParam, field select_value] */
    float select_value;
    /* of BM_SHIFT: 0 logical, 1 arithmetic [tensor arithmetic, ArithParam, field shift_type]. Rules: BM_SHIFT:
     * 0 or 1 */
    int64_t shift_type;
    /* not in the document: in a chain, input1 is the accumulators as this stage of the chain left them, 1 the
     * first; 0: it is an operand or a constant [our choice: a chain has no addresses to name accumulators by].
     * Rules: 0 without a chain [our choice: only chains have stages]; in a chain 0 or the number of an earlier
     * stage [our choice: later ones have left nothing yet]; 0 where input1 is a constant [our choice: it cannot
     * be both] */
    int64_t input1_stage;
} aic_tensor_arithmetic_desc;

/* The defaults. */
static inline aic_tensor_arithmetic_desc aic_tensor_arithmetic_desc_init(void)
{
    aic_tensor_arithmetic_desc made;
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
    return made;
}

/* Validates, finds or makes the kernel of exactly this descriptor, and runs it; errors and threads as
 * aic_jit_conv2d(). Unused operands are NULL: constant inputs, with memory=local both inputs. */
static inline aic_status aic_jit_tensor_arithmetic(aic_context *ctx, const aic_tensor_arithmetic_desc *desc,
                                                   void *output, const void *input0, const void *input1)
{
    const void *const operands[] = {output, input0, input1};
    return aic_jit_operator(ctx, AIC_OP_TENSOR_ARITHMETIC, desc, operands, 3);
}

AIC_EXTERN_C_END

#endif
