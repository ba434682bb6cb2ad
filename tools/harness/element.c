/* Elements of tensors as numbers. */
#include "tools/harness/element.h"

#include <math.h>
#include <string.h>

bool element_is_float(aic_dtype dtype)
{
    return dtype == AIC_FLOAT16 || dtype == AIC_FLOAT32;
}

enum {
    HALF_FRACTION = 1024,      /* 2^10: fractions are below, and the hidden bit is it */
    HALF_LOWEST_EXPONENT = -24 /* of the last bit of the smallest numbers */
};

static double half_to_double(uint16_t bits)
{
    int exponent = bits >> 10 & 31, fraction = bits & (HALF_FRACTION - 1);
    double magnitude = exponent == 31  ? (fraction != 0 ? (double)NAN : (double)INFINITY)
                       : exponent == 0 ? ldexp(fraction, HALF_LOWEST_EXPONENT)
                                       : ldexp(HALF_FRACTION + fraction, exponent + HALF_LOWEST_EXPONENT - 1);
    return bits >> 15 ? -magnitude : magnitude;
}

uint16_t element_half(double value)
{
    const uint16_t sign = signbit(value) ? 0x8000 : 0;
    if (isnan(value)) {
        return sign | 0x7E00;
    }
    double magnitude = fabs(value);
    if (magnitude >= 65520) { /* halfway to the number after the largest */
        return sign | 0x7C00;
    }
    int exponent;
    if (frexp(magnitude, &exponent) == 0) {
        return sign;
    }
    int last = exponent - 11 < HALF_LOWEST_EXPONENT ? HALF_LOWEST_EXPONENT : exponent - 11;
    int steps = (int)nearbyint(ldexp(magnitude, -last)); /* of 2^last; 1024 and more carry into the exponent field */
    return (uint16_t)(sign | ((last - HALF_LOWEST_EXPONENT) * HALF_FRACTION + steps));
}

static double float_of_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

double element_to_double(aic_dtype dtype, const void *at)
{
    uint64_t bits = 0;
    memcpy(&bits, at, aic_dtype_size(dtype)); /* little-endian */
    switch (dtype) {
    case AIC_INT8:
        return (double)(int8_t)bits;
    case AIC_INT16:
        return (double)(int16_t)bits;
    case AIC_INT32:
        return (double)(int32_t)bits;
    case AIC_FLOAT16:
        return half_to_double((uint16_t)bits);
    case AIC_FLOAT32:
        return float_of_bits((uint32_t)bits);
    default:
        return (double)bits;
    }
}

bool element_from_double(aic_dtype dtype, double value, void *at)
{
    uint32_t bits;
    if (dtype == AIC_FLOAT16) {
        bits = element_half(value);
    } else if (dtype == AIC_FLOAT32) {
        float single = (float)value;
        memcpy(&bits, &single, sizeof bits);
    } else {
        return false;
    }
    if (isfinite(value) && !isfinite(element_to_double(dtype, &bits))) {
        return false;
    }
    memcpy(at, &bits, aic_dtype_size(dtype));
    return true;
}

bool element_equal(aic_dtype dtype, const void *a, const void *b)
{
    if (memcmp(a, b, aic_dtype_size(dtype)) == 0) {
        return true;
    }
    return element_is_float(dtype) && isnan(element_to_double(dtype, a)) && isnan(element_to_double(dtype, b));
}

double element_uniform(uint64_t bits)
{
    return (double)(int64_t)bits * 0x1p-63;
}
