/* Sums of products: what the formulas of conv2d and mmad have in common. */
#pragma once

#include "frontend/reference/exact_sum.h"
#include <aic/spec.h>

#include <stddef.h>

/* The factors of one result: int8_t, or for floats the doubles of the same values, so that products are exact; `block`
 * of them are one step of the cube unit, K0. */
typedef struct aic_reference_products {
    const void *a, *b;
    int64_t count, block;
} aic_reference_products;

/* Bytes of a factor, and one made of an element of an operand. */
size_t aic_reference_factor_size(aic_dtype dtype);
void aic_reference_make_factor(aic_dtype dtype, const void *operand, int64_t element, void *factors, int64_t factor);

/* The sum of int8 products: exact, then clamped or taken modulo 2^32. */
int32_t aic_reference_add_int8(const aic_reference_products *p, aic_int_overflow overflow, int32_t initial);

/* The sum of float products by the model that `accumulate` and the choice `sum` name; a NaN is any. */
float aic_reference_add_float(const aic_reference_products *p, aic_accumulate accumulate, aic_sum_model model,
                              float initial);

/* `initial` and all products, without any rounding. */
aic_exact_sum aic_reference_add_exactly(const aic_reference_products *p, float initial);
