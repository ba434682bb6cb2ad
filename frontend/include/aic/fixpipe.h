/* fixpipe: stores an accumulator matrix, rectified, scaled and converted (AscendC Fixpipe).
 *
 * Reads a matrix of mSize x nSize in blocks of 16 columns, srcStride rows of 16 elements apart, and writes it row by
 * row (ROW_MAJOR) or in column blocks (NZ); see the document, sections 4 to 6.
 *
 *     dst            one-dimensional, as long as the strides reach   DstT
 *     src            one-dimensional, as long as the strides reach   SrcT
 *     cbufWorkspace  [nSize]                                         uint64, only for VDEQF16, VQF322B8_PRE, VREQ8
 *
 * Elements of dst that the strides do not name keep their value. Operands must not overlap. A word of cbufWorkspace
 * with an infinite, NaN or subnormal scale is refused at the call. ndNum = 0: nothing is read or written, the call
 * succeeds and leaves a warning (aic_take_warning()).
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
 * threads as aic_jit_conv2d(). Unused operands are NULL. */
AIC_API aic_status aic_jit_fixpipe(struct aic_context *ctx, const aic_fixpipe_desc *desc, void *dst, const void *src,
                                   const void *cbufWorkspace);

AIC_EXTERN_C_END

#endif
