/* Sums of products without any rounding: what accumulate=fast is measured by. */
#ifndef AIC_EXACT_SUM_H
#define AIC_EXACT_SUM_H

#include <stdint.h>

/* A fixed-point number wide enough for any sum of products of two float32: bit 0 has the weight 2^-352. */
#define AIC_EXACT_LIMBS 20

typedef struct aic_exact_sum {
    int64_t limb[AIC_EXACT_LIMBS]; /* 32 bits each, and room for carries of 2^30 additions */
    double special;                /* the sum of the terms that are infinite or NaN */
    double magnitude;              /* the sum of the absolute values of the others */
} aic_exact_sum;

/* Adds a float32, or the product of two. At most 2^30 terms. */
void aic_exact_add(aic_exact_sum *sum, double term);

/* The sum: exact when it fits in a double, else rounded to odd, so that rounding the result once more, to float32,
 * gives the correctly rounded exact sum. A sum of 0 is +0. */
double aic_exact_value(const aic_exact_sum *sum);

/* How far a result of accumulate=fast over `products` products may be from aic_exact_value(): products * 2^-24 *
 * magnitude, and what may be lost where products or sums are subnormal float32, 2^-149 each. Infinite when sums may
 * leave the range of float32 on the way: what comes out then depends on the order. 0 when a NaN among the terms, or
 * infinities of both signs, leave no choice. */
double aic_exact_bound(const aic_exact_sum *sum, int64_t products);

#endif
