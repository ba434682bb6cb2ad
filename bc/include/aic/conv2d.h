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

#include <aic/types.h>
#include <aic/op.h>

AIC_EXTERN_C_BEGIN

/* aic_conv2d_desc_init(): stride and dilation 1, pad 0, pad_value 0, init_l1out true, accumulate cube, groups 1, the
 * rest 0. */
/* The parameters of the document, under its names. */
typedef struct aic_conv2d_desc {
    size_t size; /* of this structure, as aic_conv2d_desc_init() has it */
    /* of feature_map and weight: int8 (dst int32) or float16 (dst float32) [TIK conv2d, parameters feature_map,
     * weight and dst]. Rules: int8 or float16; uint8, which an older version took, is refused */
    aic_dtype dtype;
    /* [C1, H, W, C0] of the feature map; C0 is 32 or 4 (int8), 16 or 4 (float16) [TIK conv2d, parameter
     * fm_shape]. Rules: C1 is within 1..256; C1 is 1 where C0 is 4; H is within 1..4096; W is within 1..4096;
     * C0 is 32 or 4 for int8, 16 or 4 for float16; C1*C0 is within 32..4096 for int8, 16..4096 for float16; not
     * looked at where C0 is 4; the dilated kernel is no higher than the padded image [our choice: no result
     * exists]; the dilated kernel is no wider than the padded image [our choice: no result exists]; not W == Kw
     * with H > Kh, unless limits=host [TIK conv2d, the unsupported case W == Kw, H > Kh] */
    int64_t fm_shape[4];
    /* [C1, Kh, Kw, Cout, C0] of the weight; Cout is a multiple of 16 [TIK conv2d, parameter kernel_shape].
     * Rules: C1 is that of fm_shape; with groups: C1*C0/groups/C0, at least 1; Kh is within 1..255; Kw is
     * within 1..255; Cout is within 16..4096; Cout is a multiple of 16; C0 is that of fm_shape; with groups: at
     * most C1*C0/groups */
    int64_t kernel_shape[5];
    /* [stride_h, stride_w] [TIK conv2d, parameter stride]. Rules: both are within 1..63 */
    int64_t stride[2];
    /* [left, right, top, bottom] [TIK conv2d, parameter pad]. Rules: all four are within 0..255 */
    int64_t pad[4];
    /* [dilation_h, dilation_w] [TIK conv2d, parameter dilation]. Rules: both are within 1..255 */
    int64_t dilation[2];
    /* value of every padding cell in every input channel; int8: an integer in -128..127; float16: -65504..65504
     * [TIK conv2d, parameter pad_value]. Rules: within -128..127 for int8, -65504..65504 for float16; no NaN;
     * an integer for int8 */
    double pad_value;
    /* true: dst is overwritten; false: the products are added to the old dst, in a chain to the operand l1out
     * [TIK conv2d, parameter init_l1out]. Rules: true or false */
    bool init_l1out;
    /* not in the document: how float16 adds up, by the document's block arithmetic, in any order, or (winograd)
     * in any order and, of 3x3, by Winograd's method; ignored for int8 [our choice: the document has no word
     * for sums in any order, which are faster]. Rules: cube, fast or winograd; not looked at for int8 [our
     * choice: a key of this library] */
    aic_accumulate accumulate;
    /* not in the document: in a chain with init_l1out=false, what l1out is: the old accumulators, or one value
     * a channel, a bias [our choice: a chain has no tensor of accumulators in memory, and a bias is one value a
     * channel]. Rules: tensor or channel [our choice: a key of this library]; channel only where init_l1out is
     * false [our choice: sums that start from 0 read no bias]; channel only in a chain [our choice: without a
     * chain the old accumulators are dst] */
    aic_l1out l1out;
    /* not in the document: input and output channels are cut into so many groups of neighbours, and an output
     * channel sees its own group only; C1*C0 of them: depthwise [our choice: the document has dense
     * convolutions only, and networks have others]. Rules: within 1..4096 [our choice: a key of this library; a
     * group has at least one channel]; a divisor of C1*C0 [our choice: groups are of equal size]; a divisor of
     * Cout [our choice: groups are of equal size]; C1*C0/groups divides C0, or is a multiple of it [our choice:
     * no block of channels has parts of two groups unless it has several whole ones] */
    int64_t groups;
} aic_conv2d_desc;

/* The defaults. */
static inline aic_conv2d_desc aic_conv2d_desc_init(void)
{
    aic_conv2d_desc made;
    memset(&made, 0, sizeof made);
    made.size = sizeof made;
    made.dtype = AIC_DTYPE_NONE;
    made.stride[0] = 1;
    made.stride[1] = 1;
    made.dilation[0] = 1;
    made.dilation[1] = 1;
    made.init_l1out = true;
    made.accumulate = AIC_ACCUMULATE_CUBE;
    made.l1out = AIC_L1OUT_TENSOR;
    made.groups = 1;
    return made;
}

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
