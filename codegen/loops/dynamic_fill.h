/* Dynamic fills: fills of the first indices of two dimensions whose sizes the call gives.
 *
 *     for i < size of `slow`
 *         for j < size of `fast`
 *             out[offset of i + offset of j] = value */
#pragma once

#include "codegen/loops/move.h"

typedef struct aic_dynamic_fill_dim {
    int64_t size;     /* indices */
    unsigned operand; /* number of the operand, an int32, that gives the size instead; 0: none does */
    aic_blocked_stride stride;
} aic_dynamic_fill_dim;

typedef struct aic_dynamic_fill {
    unsigned size; /* bytes of an element: 1, 2 or 4 */
    bool is_constant;
    uint32_t value;                  /* of a constant: its bits; else the value is operand 1 */
    aic_dynamic_fill_dim slow, fast; /* elements along `fast` lie side by side, within blocks where there are any */
    unsigned operands;               /* pointers of the kernel, the output first */
} aic_dynamic_fill;

enum { AIC_DYNAMIC_FILL_OPERANDS = 4 };

typedef struct aic_dynamic_fill_schedule {
#define AIC_FIELD AIC_MEMBER
#include "codegen/loops/dynamic_fill.def"
#undef AIC_FIELD
} aic_dynamic_fill_schedule;

/* Starts the description of a dynamic fill, all zeros. */
aic_dynamic_fill *aic_dynamic_fill_begin(aic_work *work);

extern const aic_shape aic_shape_dynamic_fill;
