/* texpands' plain-C reference: every element of the fill domain, one by one. It shares nothing with the generator.
 * Written to be read, not to be fast. */
#include "frontend/ops/texpands.h"

#include "frontend/layout/tile.h"

#include <string.h>

/* A valid size: static, or what the call gives. */
static int64_t valid_size(int64_t size, const void *operand)
{
    int32_t given;
    if (size != AIC_DYNAMIC) {
        return size;
    }
    memcpy(&given, operand, sizeof given);
    return given;
}

aic_status aic_texpands_reference(const void *descriptor, const aic_semantics *semantics, void *const operands[])
{
    (void)semantics;
    const aic_texpands_desc *desc = descriptor;
    const int64_t size = (int64_t)aic_dtype_size(desc->dtype);
    const bool dynamic = aic_texpands_is_dynamic(desc);
    unsigned char *dst = operands[AIC_TEXPANDS_DST];
    const void *scalar = desc->literal == AIC_NOT_GIVEN ? operands[AIC_TEXPANDS_SCALAR] : &desc->literal;
    if (!aic_texpands_has_region(desc)) {
        for (int64_t i = 0; i < aic_texpands_filled(desc); i++) {
            memcpy(dst + i * size, scalar, (size_t)size);
        }
        return AIC_OK;
    }
    const aic_tile tile = aic_tile_of(desc);
    const int64_t v_row = valid_size(desc->v_row, dynamic ? operands[AIC_TEXPANDS_V_ROW] : NULL);
    const int64_t v_col = valid_size(desc->v_col, dynamic ? operands[AIC_TEXPANDS_V_COL] : NULL);
    for (int64_t r = 0; r < v_row; r++) {
        for (int64_t c = 0; c < v_col; c++) {
            memcpy(dst + aic_tile_index(&tile, r, c) * size, scalar, (size_t)size);
        }
    }
    return AIC_OK;
}
