/* Results that are not defined bit for bit: which values an element may have.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef AIC_ALLOWED_H
#define AIC_ALLOWED_H

#include <aic/types.h>

AIC_EXTERN_C_BEGIN

#define AIC_OTHERS_MAX 4

/* The values that are right for one element: all from low to high, these included, and the first `others` of other[].
 * Infinities and NaN are values like any other: an infinite result is right only where low, high or other[] is that
 * infinity, and NaN only where NaN stands there. Both low and high are NaN where nothing but NaN is right. */
typedef struct aic_allowed {
    double exact;                 /* the formula's value without any rounding of sums */
    double low, high;             /* neither is NaN, or both are */
    double other[AIC_OTHERS_MAX]; /* what else sums can lead to that overflow on the way */
    uint16_t others;
    uint16_t modulo; /* 256 for results of 8 bits, which stand for every number with these bits; else 0 */
} aic_allowed;

/* The values that differ from `exact` by at most `bound`, which is finite and not negative. Of an infinite exact value
 * that is the same infinity alone, of NaN every NaN. */
AIC_API aic_allowed aic_allowed_within(double exact, double bound);

/* Whether `value` is right. 0 and -0 are the same. NULL allows nothing. */
AIC_API bool aic_is_allowed(const aic_allowed *allowed, double value);

AIC_EXTERN_C_END

#endif
