/* fixpipe: stores an accumulator matrix, rectified, scaled and converted (AscendC Fixpipe).
 *
 * Reads mSize rows and nSize columns in blocks of 16 columns; writes them row by row (ROW_MAJOR) or in column blocks
 * (NZ). Where element (j, n) of matrix i lies, in elements of src and of dst:
 *
 *     src        i*srcNdStride*256 + (n/16)*srcStride*16 + j*16 + n%16
 *     ROW_MAJOR  i*dstNdStride + j*dstStride + n
 *     NZ         (n/W)*dstStride*32/size + j*W + n%W     W = 16; 8 with isChannelSplit; 32 for int8 and uint8, whose
 *                                                        last block of 16 columns, if there is one, has rows of 16
 *
 * with i in 0..ndNum-1 in ROW_MAJOR and i = 0 in NZ. The conversions are those of section 6 of the document:
 *
 *     float32 to float32, int32 to int32   NoQuant        bits are moved
 *     float32 to float16                   F322F16        rounded to nearest, ties to even; too large, infinite, NaN:
 *     float32 to bfloat16                  F322BF16       the context's overflow mode (aic_overflow)
 *     int32 to float16                     (V)DEQF16      times the word's scale, then as above
 *     float32 to int8, uint8               (V)QF322B8_PRE times the scale, 9 bits, plus the word's offset, clamped
 *     int32 to int8, uint8                 (V)REQ8        the same; words with MCB shift first
 *
 * Operands, each one-dimensional and as long as these places reach:
 *
 *     dst            DstT
 *     src            SrcT
 *     cbufWorkspace  [nSize] quantisation words of the columns, uint64: for the modes with V; else NULL
 *
 * Elements of dst that no place names keep their value. Host pointers need the alignment of their element type only;
 * operands must not overlap. A word of cbufWorkspace with an infinite, NaN or subnormal scale is refused at the call.
 * ndNum = 0: nothing is read or written, the call succeeds and leaves a warning (aic_take_warning()).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef AIC_FIXPIPE_H
#define AIC_FIXPIPE_H

#include <aic/field.h>

AIC_EXTERN_C_BEGIN

struct aic_context;

/* The parameters of the document, under its names. fixpipe.def lists them with their meaning. */
typedef struct aic_fixpipe_desc {
#define AIC_FIELD AIC_MEMBER
#include <aic/fixpipe.def>
#undef AIC_FIELD
} aic_fixpipe_desc;

/* The defaults of fixpipe.def. */
AIC_API aic_fixpipe_desc aic_fixpipe_desc_init(void);

/* Validates, finds or makes the kernel of exactly this descriptor, and runs it on the calling thread; errors and
 * threads as aic_jit_conv2d(). cbufWorkspace is NULL in modes without V; an illegal word in it is
 * AIC_INVALID_ARGUMENT, and dst is untouched. */
AIC_API aic_status aic_jit_fixpipe(struct aic_context *ctx, const aic_fixpipe_desc *desc, void *dst, const void *src,
                                   const void *cbufWorkspace);

AIC_EXTERN_C_END

#endif
