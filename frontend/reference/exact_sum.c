/* Sums of products without any rounding; see exact_sum.h. */
#include "frontend/reference/exact_sum.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { LOWEST_BIT = -352, LIMB_BITS = 32, DOUBLE_BITS = 53 };

/* A product of float32 is at least 2^-298 and at most 2^256 in magnitude, so its 53 bits lie within the limbs. */
void aic_exact_add(aic_exact_sum *sum, double term)
{
    if (!isfinite(term)) {
        sum->special += term;
        return;
    }
    if (term == 0) {
        return;
    }
    /* Without jumps: signs of products are not to be foretold. */
    const double negated = -term;
    sum->above += term > 0 ? term : 0;
    sum->below += negated > 0 ? negated : 0;
    uint64_t bits;
    memcpy(&bits, &term, sizeof bits);
    const int64_t sign = 1 - 2 * (int64_t)(bits >> 63);
    const uint64_t mantissa = (bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1) << 52;
    const unsigned at =
        (unsigned)(bits >> 52 & 0x7FF) - (1075 + LOWEST_BIT); /* position of the mantissa's lowest bit */
    int64_t *limb = sum->limb + at / LIMB_BITS;
    const uint64_t low = (mantissa & UINT32_MAX) << at % LIMB_BITS;
    const uint64_t high = (mantissa >> LIMB_BITS) << at % LIMB_BITS;
    limb[0] += sign * (int64_t)(low & UINT32_MAX);
    limb[1] += sign * (int64_t)((low >> LIMB_BITS) + (high & UINT32_MAX));
    limb[2] += sign * (int64_t)(high >> LIMB_BITS);
}

/* Carries handed on: every limb in 0 .. 2^32-1. Returns what is carried out of the last: -1 for negative sums. */
static int64_t hand_on_carries(int64_t limb[AIC_EXACT_LIMBS])
{
    int64_t carry = 0;
    for (int i = 0; i < AIC_EXACT_LIMBS; i++) {
        const int64_t whole = limb[i] + carry;
        limb[i] = whole & UINT32_MAX;
        carry = whole >> LIMB_BITS;
    }
    return carry;
}

/* Sign and magnitude; returns the sign. */
static double make_positive(int64_t limb[AIC_EXACT_LIMBS])
{
    if (hand_on_carries(limb) == 0) {
        return 1;
    }
    for (int i = 0; i < AIC_EXACT_LIMBS; i++) {
        limb[i] = -limb[i];
    }
    (void)hand_on_carries(limb);
    return -1;
}

double aic_exact_value(const aic_exact_sum *sum)
{
    if (sum->special != 0) { /* infinite or NaN */
        return sum->special;
    }
    int64_t limb[AIC_EXACT_LIMBS];
    memcpy(limb, sum->limb, sizeof limb);
    const double sign = make_positive(limb);
    int top = AIC_EXACT_LIMBS - 1;
    while (top > 0 && limb[top] == 0) {
        top--;
    }
    /* The first 53 bits from the highest set one, and whether there is anything below them. */
    uint64_t mantissa = 0;
    int bit = top * LIMB_BITS + LIMB_BITS; /* position of mantissa's bit 0 */
    while (bit > 0 && mantissa >> (DOUBLE_BITS - 1) == 0) {
        bit--;
        mantissa = mantissa << 1 | ((uint64_t)limb[bit / LIMB_BITS] >> bit % LIMB_BITS & 1);
    }
    int64_t rest = limb[bit / LIMB_BITS] & ((INT64_C(1) << bit % LIMB_BITS) - 1);
    for (int i = 0; i < bit / LIMB_BITS; i++) {
        rest |= limb[i];
    }
    return sign * ldexp((double)(mantissa | (rest != 0)), bit + LOWEST_BIT);
}

aic_allowed aic_exact_allowed(const aic_exact_sum *sum, int64_t products, double least)
{
    const double magnitude = sum->above + sum->below;
    const double each = 0x1p-24 * magnitude, subnormal = magnitude > 0 ? 0x1p-149 : 0;
    const double bound =
        (double)products * each < least ? least + (double)products * subnormal : (double)products * (each + subnormal);
    const bool up = sum->above + bound > (double)FLT_MAX, down = sum->below + bound > (double)FLT_MAX;
    aic_allowed allowed = aic_allowed_within(aic_exact_value(sum), bound);
    if (sum->special == 0 && up) {
        allowed.other[allowed.others++] = (double)INFINITY;
    }
    if (sum->special == 0 && down) {
        allowed.other[allowed.others++] = -(double)INFINITY;
    }
    if ((up && down && sum->special == 0) || (up && sum->special < 0) || (down && sum->special > 0)) {
        allowed.other[allowed.others++] = (double)NAN;
    }
    return allowed;
}
