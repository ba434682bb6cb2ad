/* Sums of products without any rounding: what accumulate=fast is measured by. */
#pragma once

#include <aic/allowed.h>
#include <stdint.h>

/* A fixed-point number wide enough for any sum of products of two float32: bit 0 has the weight 2^-352. */
#define AIC_EXACT_LIMBS 20

typedef struct aic_exact_sum {
    int64_t limb[AIC_EXACT_LIMBS]; /* 32 bits each, and room for carries of 2^30 additions */
    double special;                /* the sum of the terms that are infinite or NaN */
    double above, below;           /* the sums of the others' absolute values: of the positive, of the negative ones */
} aic_exact_sum;

/* Adds a float32, or the product of two. At most 2^30 terms. */
void aic_exact_add(aic_exact_sum *sum, double term);

/* The sum: exact when it fits in a double, else rounded to odd, so that rounding the result once more, to float32,
 * gives the correctly rounded exact sum. A sum of 0 is +0. */
double aic_exact_value(const aic_exact_sum *sum);

/* What a result of accumulate=fast over `products` products may be: a sum in float32 in any order, each product rounded
 * or not. With S the sum of all magnitudes it differs from aic_exact_value() by at most
 *
 *     b = products * (2^-24 * S + 2^-149),
 *
 * the second term for products and sums that are subnormal, as long as no sum on the way leaves the range of float32.
 *
 * Finite terms only. A sum on the way is at most P + b and at least -(N + b), P and N being the sums of the magnitudes
 * of the positive and of the negative terms. So below the largest float no order overflows: the result is finite and
 * within b. If P + b is larger, a sum on the way can become +infinity, and stays that whatever finite terms follow; the
 * same for N and -infinity. If both are larger, the two infinities can meet: NaN. An order that does not overflow
 * leaves a finite result within b even then, and none if there is no float within b.
 *
 * With infinite terms of one sign the result is that infinity, or NaN where finite terms of the other sign can overflow
 * first. With NaN, or infinities of both signs, it is NaN in every order.
 *
 * `least` stands in place of products * 2^-24 * S where it is larger (accumulate=winograd); the rest holds as it is
 * where the only sum that can overflow is that of the old value and all products. */
aic_allowed aic_exact_allowed(const aic_exact_sum *sum, int64_t products, double least);
