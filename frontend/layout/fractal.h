/* What the operators that move data in 32-byte rows and 512-byte fractals share: nd2nz, load_data, load_data_transpose
 * (AscendC). They take any element type of 1, 2 or 4 bytes and copy bits. */
#pragma once

#include "frontend/core/op.h"
#include "frontend/core/rule.h"

enum { AIC_ROW_BYTES = 32, AIC_FRACTAL_ROWS = 16, AIC_FRACTAL_BYTES = AIC_FRACTAL_ROWS * AIC_ROW_BYTES };

/* The type whose elements stand for all of the same size where only bits are moved. */
static inline aic_dtype aic_moved_dtype(aic_dtype dtype)
{
    const size_t size = aic_dtype_size(dtype);
    return size == 1 ? AIC_UINT8 : size == 2 ? AIC_UINT16 : AIC_UINT32;
}

/* Elements of a 32-byte row, of a fractal; the type has a size. */
static inline int64_t aic_row_elements(aic_dtype dtype)
{
    return AIC_ROW_BYTES / (int64_t)aic_dtype_size(dtype);
}

static inline int64_t aic_fractal_elements(aic_dtype dtype)
{
    return AIC_FRACTAL_BYTES / (int64_t)aic_dtype_size(dtype);
}

/* The rule of the field dtype: a type of 1, 2 or 4 bytes. */
bool aic_rule_moved_dtype(aic_verdict *verdict, int rule, aic_dtype dtype);

/* Rules of ranges over scalar INT fields, in the order in which they are checked. */
typedef struct aic_range {
    int rule;
    const char *field;
    size_t offset; /* in the descriptor */
    int64_t low, high;
} aic_range;

void aic_rule_ranges(aic_verdict *verdict, const void *desc, const aic_range *ranges, size_t count);

/* The two operands, one-dimensional, dst and src. Returns 2. */
size_t aic_moved_operands(aic_dtype dtype, int64_t dst, int64_t src, aic_operand operands[AIC_OPERANDS_MAX]);

/* A legal type. */
aic_dtype aic_random_moved_dtype(uint64_t *state);
