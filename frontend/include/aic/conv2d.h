/* conv2d: two-dimensional cross-correlation of one image (TIK conv2d).
 *
 *     dst[co/16][ho*Wo + wo][co%16] = I + sum over c1, kh, kw, c0 of x(c1, h, w, c0) * weight[c1][kh][kw][co][c0]
 *
 * with h = ho*stride_h + kh*dilation_h - pad_top and w alike. x is the feature map inside the image and pad_value
 * outside. I is 0, or with init_l1out false the old dst; in a chain, where no tensor of accumulators exists, it is then
 * the operand l1out (see the field l1out).
 *
 * Operands, all dense:
 *
 *     dst          [Cout/16, round_howo, 16]   int32 or float32; round_howo = Ho*Wo rounded up to 16
 *     feature_map  [C1, H, W, C0]              int8 (C0 = 32 or 4) or float16 (C0 = 16 or 4)
 *     weight       [C1, Kh, Kw, Cout, C0]      as feature_map
 *
 * With groups = G, which is not in the document, the C1*C0 input channels and the Cout output channels are each cut
 * into G equal groups of neighbours, and output channel co sees the I = C1*C0/G input channels of its own group only,
 * those from co / (Cout/G) * I on. The weight holds these, and kernel_shape is its shape:
 *
 *     weight       [I/C0, Kh, Kw, Cout, C0]    I a multiple of C0: the group's channel i is block i/C0, place i%C0
 *                  [1, Kh, Kw, Cout, I]        I a divisor of C0; depthwise: I = 1, [1, Kh, Kw, Cout, 1]
 *
 * It is what the weights [Cout, I, Kh, Kw] of other programs become by aic_pack_weights() with a c0 of at most I. In
 * NumPy, with a block of B = min(I, C0) channels: w.reshape(Cout, I // B, B, Kh, Kw).transpose(1, 3, 4, 0, 2). The
 * reduction index counts the channels of the group, so that a block of the float16 sum takes 16 neighbours of (kh, kw,
 * i) where I is less than 16.
 *
 * Rows Ho*Wo .. round_howo-1 of dst are neither read nor written. Host pointers need the alignment of their
 * element type only; the three operands must not overlap.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef AIC_CONV2D_H
#define AIC_CONV2D_H

#include <aic/field.h>
#include <aic/op.h>

AIC_EXTERN_C_BEGIN

/* aic_conv2d_desc_init(): stride and dilation 1, pad 0, pad_value 0, init_l1out true, accumulate cube, groups 1, the
 * rest 0. */
#define AIC_DESC aic_conv2d_desc
#define AIC_LIST <aic/conv2d.def>
#include <aic/desc.inc>

/* Validates, finds or makes the kernel of exactly this shape, and runs it: on the calling thread, and where there is
 * enough to do on the context's other threads, too (aic_context_options.threads).
 *
 * ctx may be NULL: the process-wide default context. Any number of threads may call at the same time. When the shape is
 * cached, a call allocates nothing, takes no lock that threads share, and makes no system call but those that wake
 * other threads. A program whose weights stay the same saves packing them in every call by a handle: aic_kernel_pack()
 * and aic_kernel_call_packed() of aic/kernel.h.
 *
 *     AIC_INVALID_ARGUMENT  the descriptor breaks a rule, or an operand is NULL, misaligned or overlaps another
 *     AIC_UNSUPPORTED       ctx is NULL, and the environment's AIC_MAX_ISA names a level that this host lacks
 *     AIC_OUT_OF_MEMORY     there is no memory for the kernel, or for the call's scratch memory
 *     AIC_COMPILE           the generator failed, or its module cannot be loaded
 *
 * On any failure dst is untouched, and aic_last_error() names the field or operand, its value and the limit. */
static inline aic_status aic_jit_conv2d(aic_context *ctx, const aic_conv2d_desc *desc, void *dst,
                                        const void *feature_map, const void *weight)
{
    const void *const operands[] = {dst, feature_map, weight};
    return aic_jit_operator(ctx, AIC_OP_CONV2D, desc, operands, 3);
}

AIC_EXTERN_C_END

#endif
