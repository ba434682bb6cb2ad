/* Sizes that stop at INT64_MAX instead of wrapping around. Factors and terms are not negative. */
#ifndef AIC_SIZE_H
#define AIC_SIZE_H

#include <stdint.h>

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

#endif
