/* Half precision in integer arithmetic: no rounding mode, no flush-to-zero bit and no compiler support matters. */
#include "frontend/numeric/half.h"

#include <string.h>

enum {
    HALF_FRACTION_BITS = 10,
    HALF_EXPONENT_MAX = 31,
    HALF_BIAS = 15,
    DOUBLE_FRACTION_BITS = 52,
    DOUBLE_EXPONENT_MAX = 2047,
    DOUBLE_BIAS = 1023,
    FRACTION_SHIFT = DOUBLE_FRACTION_BITS - HALF_FRACTION_BITS
};

#define HALF_FRACTION_MASK UINT64_C(0x3FF)
#define DOUBLE_FRACTION_MASK UINT64_C(0xFFFFFFFFFFFFF)

double aic_half_to_double(uint16_t half)
{
    uint64_t sign = (uint64_t)(half >> 15) << 63;
    int exponent = (half >> HALF_FRACTION_BITS) & HALF_EXPONENT_MAX;
    uint64_t fraction = half & HALF_FRACTION_MASK;
    uint64_t bits = sign;
    if (exponent == HALF_EXPONENT_MAX) {
        bits |= (uint64_t)DOUBLE_EXPONENT_MAX << DOUBLE_FRACTION_BITS | fraction << FRACTION_SHIFT;
    } else if (exponent != 0 || fraction != 0) {
        if (exponent == 0) { /* subnormal: shift the leading one into the hidden bit */
            exponent = 1;
            while (!(fraction >> HALF_FRACTION_BITS)) {
                fraction <<= 1;
                exponent--;
            }
            fraction &= HALF_FRACTION_MASK;
        }
        bits |= (uint64_t)(exponent - HALF_BIAS + DOUBLE_BIAS) << DOUBLE_FRACTION_BITS | fraction << FRACTION_SHIFT;
    }
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* value / 2^shift rounded to an integer, ties to even; shift is 1 .. 63. */
static uint64_t shift_to_nearest(uint64_t value, int shift)
{
    uint64_t kept = value >> shift;
    uint64_t rest = value & ((UINT64_C(1) << shift) - 1);
    uint64_t tie = UINT64_C(1) << (shift - 1);
    return kept + (rest > tie || (rest == tie && (kept & 1)));
}

uint16_t aic_half_from_double(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint16_t sign = (uint16_t)(bits >> 63 << 15);
    int biased = (int)(bits >> DOUBLE_FRACTION_BITS) & DOUBLE_EXPONENT_MAX;
    uint64_t fraction = bits & DOUBLE_FRACTION_MASK;
    const uint16_t infinity = HALF_EXPONENT_MAX << HALF_FRACTION_BITS;
    if (biased == DOUBLE_EXPONENT_MAX) { /* a quiet NaN keeps what fits of its payload */
        uint64_t payload = fraction ? (fraction >> FRACTION_SHIFT | 0x200) : 0;
        return (uint16_t)(sign | infinity | payload);
    }
    int exponent = biased - DOUBLE_BIAS + HALF_BIAS;
    if (exponent >= HALF_EXPONENT_MAX) {
        return sign | infinity;
    }
    if (exponent < -HALF_FRACTION_BITS) { /* below half of the least subnormal; double subnormals are here too */
        return sign;
    }
    uint64_t significand = fraction | UINT64_C(1) << DOUBLE_FRACTION_BITS;
    if (exponent <= 0) { /* subnormal; a carry out of the fraction gives the least normal number */
        return (uint16_t)(sign | shift_to_nearest(significand, FRACTION_SHIFT + 1 - exponent));
    }
    /* The hidden one adds 1 to the exponent field, and so does a carry: up to infinity, as it must be. */
    uint64_t rounded = shift_to_nearest(significand, FRACTION_SHIFT);
    return (uint16_t)(sign | (((uint64_t)(exponent - 1) << HALF_FRACTION_BITS) + rounded));
}
