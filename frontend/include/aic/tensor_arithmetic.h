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

#include <aic/field.h>
#include <aic/op.h>

AIC_EXTERN_C_BEGIN

/* In every entry of a stride field: dense rows, one lane's channels after the other, then batches. */
#define AIC_COMPACT (-1)

#define AIC_DESC aic_tensor_arithmetic_desc
#define AIC_LIST <aic/tensor_arithmetic.def>
#include <aic/desc.inc>

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
