/* The plain-C references of the operators that move 512-byte fractals: nd2nz, load_data, load_data_transpose (AscendC
 * Fixpipe). A fractal has 16 rows of 32 bytes. */
#include "frontend/reference/reference.h"

#include <string.h>

enum { ROWS = 16, ROW_BYTES = 32 };

/* dst[to] = src[from], elements of `size` bytes. */
static void move(int64_t size, void *dst, int64_t to, const void *src, int64_t from)
{
    memcpy((unsigned char *)dst + to * size, (const unsigned char *)src + from * size, (size_t)size);
}

/* ---- nd2nz ---- */

static void convert_row(const aic_nd2nz_desc *desc, void *const operands[], int64_t i, int64_t r)
{
    static const uint32_t zero = 0; /* of every type */
    const int64_t size = (int64_t)aic_dtype_size(desc->dtype), c0 = ROW_BYTES / size;
    for (int64_t d = 0; d < (desc->dValue + c0 - 1) / c0 * c0; d++) {
        const int64_t to =
            i * desc->dstNzMatrixStride + d / c0 * desc->dstNzC0Stride * c0 + r * desc->dstNzNStride * c0 + d % c0;
        const int64_t from = i * desc->srcNdMatrixStride + r * desc->srcDValue + d;
        const bool inside = d < desc->dValue;
        move(size, operands[0], to, inside ? operands[1] : &zero, inside ? from : 0);
    }
}

aic_status aic_nd2nz_reference(const void *descriptor, const aic_semantics *semantics, void *const operands[])
{
    (void)semantics;
    const aic_nd2nz_desc *desc = descriptor;
    for (int64_t i = 0; i < desc->ndNum; i++) {
        for (int64_t r = 0; r < desc->nValue; r++) {
            convert_row(desc, operands, i, r);
        }
    }
    return AIC_OK;
}

/* ---- load_data ---- */

aic_status aic_load_data_reference(const void *descriptor, const aic_semantics *semantics, void *const operands[])
{
    (void)semantics;
    const aic_load_data_desc *desc = descriptor;
    const int64_t size = (int64_t)aic_dtype_size(desc->dtype), width = ROW_BYTES / size;
    for (int64_t i = 0; i < desc->repeatTimes; i++) {
        const int64_t from = (desc->startIndex + i * desc->srcStride) * ROWS * width;
        const int64_t to = i * (desc->dstGap + 1) * ROWS * width;
        for (int64_t r = 0; r < ROWS; r++) {
            for (int64_t c = 0; c < width; c++) { /* width = 16 where it is transposed */
                const int64_t cell = desc->ifTranspose ? c * width + r : r * width + c;
                move(size, operands[0], to + r * width + c, operands[1], from + cell);
            }
        }
    }
    return AIC_OK;
}

/* ---- load_data_transpose ---- */

/* Element (r, c) of a square: the number of its fractal, and the element in that. Two fractals of 1-byte elements lie
 * below each other, those of 4-byte elements side by side. */
typedef struct position {
    int64_t fractal, cell;
} position;

static position position_of(int64_t width, int64_t r, int64_t c)
{
    return (position){r / ROWS + c / width, r % ROWS * width + c % width};
}

static void transpose_square(const aic_load_data_transpose_desc *desc, void *const operands[], int64_t i)
{
    const int64_t size = (int64_t)aic_dtype_size(desc->dtype), width = ROW_BYTES / size;
    const int64_t side = width > ROWS ? width : ROWS, fractals = size == 2 ? 1 : 2, elements = ROWS * width;
    for (int64_t r = 0; r < side; r++) {
        for (int64_t c = 0; c < side; c++) {
            const position source = position_of(width, c, r), target = position_of(width, r, c);
            const int64_t from = (desc->startIndex + i * desc->srcStride) * fractals + source.fractal;
            const int64_t to = i * (desc->dstGap + 1) + target.fractal * (desc->dstFracGap + 1);
            move(size, operands[0], to * elements + target.cell, operands[1], from * elements + source.cell);
        }
    }
}

aic_status aic_load_data_transpose_reference(const void *descriptor, const aic_semantics *semantics,
                                             void *const operands[])
{
    (void)semantics;
    const aic_load_data_transpose_desc *desc = descriptor;
    for (int64_t i = 0; i < desc->repeatTimes; i++) {
        transpose_square(desc, operands, i);
    }
    return AIC_OK;
}
