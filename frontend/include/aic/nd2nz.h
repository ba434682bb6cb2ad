/* nd2nz: copies row-major matrices into blocks of 32-byte columns (AscendC Fixpipe, section 7.1).
 *
 *     dst  one-dimensional, as long as the strides reach
 *     src  one-dimensional, as long as the strides reach
 *
 * Columns past dValue of the last block are written as 0. ndNum, nValue or dValue = 0: nothing is read or written.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef AIC_ND2NZ_H
#define AIC_ND2NZ_H

#include <aic/field.h>

AIC_EXTERN_C_BEGIN

struct aic_context;

/* The parameters of the document, under its names. nd2nz.def lists them with their meaning. */
typedef struct aic_nd2nz_desc {
#define AIC_FIELD AIC_MEMBER
#include <aic/nd2nz.def>
#undef AIC_FIELD
} aic_nd2nz_desc;

/* The defaults of nd2nz.def. */
AIC_API aic_nd2nz_desc aic_nd2nz_desc_init(void);

/* Validates, finds or makes the kernel of exactly this descriptor, and runs it on the calling thread; errors and
 * threads as aic_jit_conv2d(). Unused operands are NULL. */
AIC_API aic_status aic_jit_nd2nz(struct aic_context *ctx, const aic_nd2nz_desc *desc, void *dst, const void *src);

AIC_EXTERN_C_END

#endif
