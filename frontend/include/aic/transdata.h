/* transdata: moves a tensor from one layout to another (data layouts: matrices, feature maps, weights, 4N/2N storage).
 *
 *     src  shape in the layout src     dtype
 *     dst  shape in the layout dst     dtype
 *
 * Pairs: any two of ND, Nz, Zz, Zn, Nn; any two of NCHW, NHWC, NC1HWC0; OIHW or HWIO to FRACTAL_Z and back; NCHW to 4N
 * or 2N and back. Rows, columns and channels that only the destination's blocks hold are written as 0; the sub-words of
 * 4N and 2N past the last batch keep their value. Operands must not overlap.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef AIC_TRANSDATA_H
#define AIC_TRANSDATA_H

#include <aic/field.h>

AIC_EXTERN_C_BEGIN

struct aic_context;

/* The parameters of the document, under its names. transdata.def lists them with their meaning. */
typedef struct aic_transdata_desc {
#define AIC_FIELD AIC_MEMBER
#include <aic/transdata.def>
#undef AIC_FIELD
} aic_transdata_desc;

/* The defaults of transdata.def. */
AIC_API aic_transdata_desc aic_transdata_desc_init(void);

/* Validates, finds or makes the kernel of exactly this descriptor, and runs it on the calling thread; errors and
 * threads as aic_jit_conv2d(). Unused operands are NULL. */
AIC_API aic_status aic_jit_transdata(struct aic_context *ctx, const aic_transdata_desc *desc, void *dst,
                                     const void *src);

AIC_EXTERN_C_END

#endif
