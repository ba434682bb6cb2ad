/* Elements as numbers; see value.h. */
#include "frontend/reference/value.h"

#include <math.h>
#include <string.h>

/* A float of 16 bits: sign, exponent, fraction. Its finite values are multiples of 2^lowest; those of the largest
 * exponent are multiples of 2^highest. */
typedef struct short_float {
    int fraction_bits, lowest, highest;
} short_float;

static const short_float float16 = {10, -24, 5}, bfloat16 = {7, -133, 120};

static double value_of(const short_float *type, uint16_t bits)
{
    const int implicit = 1 << type->fraction_bits;
    const int fraction = bits & (implicit - 1), exponent = (bits & 0x7FFF) / implicit;
    const int largest = type->highest - type->lowest + 1; /* exponent of finite values; 0 is that of subnormals */
    double magnitude;
    if (exponent > largest) {
        magnitude = fraction == 0 ? (double)INFINITY : (double)NAN;
    } else if (exponent == 0) {
        magnitude = ldexp(fraction, type->lowest);
    } else {
        magnitude = ldexp(implicit + fraction, type->lowest + exponent - 1);
    }
    return bits >> 15 == 0 ? magnitude : -magnitude;
}

static uint16_t bits_of(const short_float *type, double value, aic_overflow overflow)
{
    const int implicit = 1 << type->fraction_bits;
    const int infinity = (type->highest - type->lowest + 2) * implicit;
    const int sign = signbit(value) ? 0x8000 : 0;
    int exponent, magnitude = infinity;
    if (isnan(value)) {
        return overflow == AIC_OVERFLOW_SATURATE ? 0 : (uint16_t)(infinity + implicit / 2);
    }
    if (isfinite(value)) {
        (void)frexp(value, &exponent); /* |value| is below 2^exponent, and at least half of that */
        int unit = exponent - 1 - type->fraction_bits;
        unit = unit < type->lowest || value == 0 ? type->lowest : unit;
        if (unit <= type->highest) {
            /* In units, at most 2 * implicit; the implicit bit adds 1 to the exponent, and so does what rounding
             * carries: up to infinity. */
            magnitude = (unit - type->lowest) * implicit + (int)nearbyint(ldexp(fabs(value), -unit));
        }
    }
    if (magnitude == infinity && overflow == AIC_OVERFLOW_SATURATE) {
        magnitude--;
    }
    return (uint16_t)(sign + magnitude);
}

uint16_t aic_reference_float16(double value, aic_overflow overflow)
{
    return bits_of(&float16, value, overflow);
}

uint16_t aic_reference_bfloat16(double value, aic_overflow overflow)
{
    return bits_of(&bfloat16, value, overflow);
}

/* The same as aic_element_value() of frontend/numeric, written again on purpose: references share no code with the
 * generator, and the formulas of 16-bit floats above are not those of frontend/numeric/element.h. */
double aic_reference_value(aic_dtype dtype, const void *element)
{
    union {
        int8_t i8;
        uint8_t u8;
        int16_t i16;
        uint16_t u16;
        int32_t i32;
        uint32_t u32;
        uint64_t u64;
        float f32;
    } any;
    memcpy(&any, element, aic_dtype_size(dtype));
    switch (dtype) {
    case AIC_INT8:
        return any.i8;
    case AIC_UINT8:
        return any.u8;
    case AIC_INT16:
        return any.i16;
    case AIC_UINT16:
        return any.u16;
    case AIC_INT32:
        return any.i32;
    case AIC_UINT32:
        return any.u32;
    case AIC_UINT64:
        return (double)any.u64;
    case AIC_FLOAT16:
        return value_of(&float16, any.u16);
    case AIC_BFLOAT16:
        return value_of(&bfloat16, any.u16);
    case AIC_FLOAT32:
        return (double)any.f32;
    case AIC_DTYPE_NONE:
        break;
    }
    return 0;
}

double aic_reference_element(aic_dtype dtype, const void *operand, int64_t index)
{
    return aic_reference_value(dtype, (const unsigned char *)operand + index * (int64_t)aic_dtype_size(dtype));
}

float aic_reference_sum(float sum)
{
    return isnan(sum) ? NAN : sum;
}
