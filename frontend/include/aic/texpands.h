/* texpands: fills a tile with a scalar, bit for bit (PTO ISA TEXPANDS).
 *
 *     Tile in vec      rows 0 .. v_row-1, columns 0 .. v_col-1; element (r, c) at idx(r, c) of the tile
 *     Tile in mat      all of it, whatever the valid region is
 *     ConvTile in mat  all of its shape
 *
 *     dst     storage of the tile, one-dimensional   dtype
 *     scalar  [1]                                    dtype; not taken (NULL) where the descriptor has a literal
 *     v_row   [1]                                    int32, 0 .. rows; only where v_row is AIC_DYNAMIC
 *     v_col   [1]                                    int32, 0 .. cols; only where v_col is AIC_DYNAMIC
 *
 * Storage is rows*cols elements, of a ConvTile buffer_size. Elements that are not filled keep their value. A descriptor
 * with a dynamic valid region has four operands, v_row and v_col NULL where they are not dynamic; it is called by
 * aic_jit_spec() and aic_kernel_call(), and refused by aic_jit_texpands(). The others have two.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef AIC_TEXPANDS_H
#define AIC_TEXPANDS_H

#include <aic/field.h>
#include <aic/op.h>

AIC_EXTERN_C_BEGIN

/* aic_texpands_desc_init(): A5, vec, the valid region as large as the tile, row-major without boxes, placed by the
 * library. */
#define AIC_DESC aic_texpands_desc
#define AIC_LIST <aic/texpands.def>
#include <aic/desc.inc>

/* Validates, finds or makes the kernel of exactly this descriptor, and runs it; errors and threads as
 * aic_jit_conv2d(). */
static inline aic_status aic_jit_texpands(aic_context *ctx, const aic_texpands_desc *desc, void *dst,
                                          const void *scalar)
{
    const void *const operands[] = {dst, scalar};
    return aic_jit_operator(ctx, AIC_OP_TEXPANDS, desc, operands, 2);
}

/* Reads text as one element of `dtype` into *element: a decimal or hexadecimal (0x) integer; for float types a decimal
 * number, rounded once (ties to even), or the bit pattern in hexadecimal, or inf, -inf, nan; for uint64 also
 * quant(SCALE) or quant(SCALE, OFFSET, int8|uint8), a quantisation word. AIC_INVALID_ARGUMENT when
 * the type cannot represent it: an integer outside its range, a finite number that would become infinite. */
AIC_API aic_status aic_scalar_parse(aic_dtype dtype, const char *text, void *element);

AIC_EXTERN_C_END

#endif
