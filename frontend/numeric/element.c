/* Half precision, and rounding to it and to others, in integer arithmetic: no rounding mode, no flush-to-zero bit and
 * no compiler support matters. */
#include "frontend/numeric/element.h"

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

static uint64_t low_bits(int count)
{
    return (UINT64_C(1) << count) - 1;
}

uint64_t aic_float_round(aic_float_format to, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    const uint64_t sign = bits >> 63 << (to.exponent_bits + to.fraction_bits);
    const uint64_t infinity = low_bits(to.exponent_bits) << to.fraction_bits;
    const uint64_t fraction = bits & DOUBLE_FRACTION_MASK;
    const int biased = (int)(bits >> DOUBLE_FRACTION_BITS) & DOUBLE_EXPONENT_MAX;
    if (biased == DOUBLE_EXPONENT_MAX && fraction != 0) { /* a quiet NaN keeps what fits of its payload */
        return sign | infinity | fraction >> (DOUBLE_FRACTION_BITS - to.fraction_bits) |
               UINT64_C(1) << (to.fraction_bits - 1);
    }
    const int exponent = biased - DOUBLE_BIAS + (1 << (to.exponent_bits - 1)) - 1;
    if (exponent >= (int)low_bits(to.exponent_bits)) {
        return sign | infinity;
    }
    /* A subnormal result loses more bits, and has no hidden one. */
    const int lost = DOUBLE_FRACTION_BITS - to.fraction_bits + (exponent < 1 ? 1 - exponent : 0);
    if (lost > DOUBLE_FRACTION_BITS + 1) { /* double subnormals are here, too */
        return sign;
    }
    const uint64_t significand = fraction | UINT64_C(1) << DOUBLE_FRACTION_BITS;
    const uint64_t rest = significand & low_bits(lost), tie = UINT64_C(1) << (lost - 1);
    uint64_t kept = significand >> lost;
    kept += rest > tie || (rest == tie && (kept & 1));
    /* The hidden one adds 1 to the exponent field, and so does a carry: up to infinity, as it must be. */
    return sign | (kept + (exponent < 1 ? 0 : (uint64_t)(exponent - 1) << to.fraction_bits));
}

uint16_t aic_half_from_double(double value)
{
    return (uint16_t)aic_float_round((aic_float_format){5, HALF_FRACTION_BITS}, value);
}

/* ---- elements ---- */

float aic_bfloat16_to_float(uint16_t bits)
{
    const uint32_t word = (uint32_t)bits << 16;
    float value;
    memcpy(&value, &word, sizeof value);
    return value;
}

uint16_t aic_bfloat16_from_float(float value)
{
    uint32_t word;
    memcpy(&word, &value, sizeof word);
    if ((word & 0x7FFFFFFF) > 0x7F800000) {
        return (uint16_t)(word >> 16 | 0x40);
    }
    /* Half a unit, or just less where the kept part is even: ties go to even. */
    word += 0x7FFF + (word >> 16 & 1);
    return (uint16_t)(word >> 16);
}

double aic_element_value(aic_dtype dtype, const void *element)
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
        return aic_half_to_double(any.u16);
    case AIC_BFLOAT16:
        return (double)aic_bfloat16_to_float(any.u16);
    case AIC_FLOAT32:
        return (double)any.f32;
    case AIC_DTYPE_NONE:
        break;
    }
    return 0;
}
