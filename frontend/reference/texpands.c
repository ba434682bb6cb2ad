/* texpands' plain-C reference: every element of the fill domain, one by one (PTO ISA TEXPANDS; data layouts). */
#include "frontend/reference/reference.h"

#include <string.h>

enum { DST, SCALAR, V_ROW, V_COL }; /* operands */

/* A box of a tile: how many rows and columns lie together; 1 x 1 without boxes. */
typedef struct box {
    int64_t rows, cols;
} box;

static box box_of(const aic_texpands_desc *desc)
{
    const int64_t narrow = desc->fractal == 1024 ? 16 : 32 / (int64_t)aic_dtype_size(desc->dtype);
    switch (desc->slayout) {
    case AIC_SLAYOUT_ROW_MAJOR:
        return (box){16, narrow};
    case AIC_SLAYOUT_COL_MAJOR:
        return (box){narrow, 16};
    case AIC_SLAYOUT_NONE_BOX:
        break;
    }
    return (box){1, 1};
}

/* The storage element that holds element (r, c). */
static int64_t index_of(const aic_texpands_desc *desc, int64_t r, int64_t c)
{
    const box b = box_of(desc);
    const int64_t r1 = r / b.rows, r0 = r % b.rows, c1 = c / b.cols, c0 = c % b.cols;
    const int64_t within = desc->slayout == AIC_SLAYOUT_COL_MAJOR ? c0 * b.rows + r0 : r0 * b.cols + c0;
    if (desc->blayout == AIC_BLAYOUT_ROW_MAJOR) {
        return r1 * desc->cols * b.rows + c1 * b.rows * b.cols + within;
    }
    return c1 * desc->rows * b.cols + r1 * b.rows * b.cols + within;
}

/* Elements of a whole tile, or of the shape of a ConvTile, whose dimensions end before the first 0. */
static int64_t elements_of(const aic_texpands_desc *desc)
{
    int64_t elements = 1;
    if (desc->layout == AIC_LAYOUT_ND) {
        return desc->rows * desc->cols;
    }
    for (size_t i = 0; i < sizeof desc->shape / sizeof desc->shape[0] && desc->shape[i] != 0; i++) {
        elements *= desc->shape[i];
    }
    return elements;
}

/* A valid size: static, or what the call gives in an operand that is there only then. */
static int64_t valid_size(int64_t size, void *const operands[], int operand)
{
    int32_t given;
    if (size != AIC_DYNAMIC) {
        return size;
    }
    memcpy(&given, operands[operand], sizeof given);
    return given;
}

aic_status aic_texpands_reference(const void *descriptor, const aic_semantics *semantics, void *const operands[])
{
    const aic_texpands_desc *desc = descriptor;
    const bool has_region =
        desc->loc == AIC_LOC_VEC || (semantics->mat_valid == AIC_MAT_VALID_VALID && desc->layout == AIC_LAYOUT_ND);
    const int64_t size = (int64_t)aic_dtype_size(desc->dtype);
    unsigned char *dst = operands[DST];
    const void *scalar = desc->literal == AIC_NOT_GIVEN ? operands[SCALAR] : &desc->literal;
    if (!has_region) { /* the valid region has no influence */
        for (int64_t i = 0; i < elements_of(desc); i++) {
            memcpy(dst + i * size, scalar, (size_t)size);
        }
        return AIC_OK;
    }
    const int64_t v_row = valid_size(desc->v_row, operands, V_ROW);
    const int64_t v_col = valid_size(desc->v_col, operands, V_COL);
    for (int64_t r = 0; r < v_row; r++) {
        for (int64_t c = 0; c < v_col; c++) {
            memcpy(dst + index_of(desc, r, c) * size, scalar, (size_t)size);
        }
    }
    return AIC_OK;
}
