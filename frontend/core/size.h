/* Sizes. */
#pragma once

#include <stdint.h>

/* How many blocks of `block` there are in `size`, the last of which may be smaller. */
static inline int64_t aic_size_blocks(int64_t size, int64_t block)
{
    return (size + block - 1) / block;
}

/* These stop at INT64_MAX instead of wrapping around. Factors and terms are not negative. */
static inline int64_t aic_size_multiply(int64_t a, int64_t b)
{
    int64_t product;
    return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

static inline int64_t aic_size_add(int64_t a, int64_t b)
{
    int64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}
