/* Elements of tensors as numbers. */
#include "tools/harness/element.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

bool element_is_float(aic_dtype dtype)
{
    return dtype == AIC_FLOAT16 || dtype == AIC_BFLOAT16 || dtype == AIC_FLOAT32;
}

bool element_is_signed(aic_dtype dtype)
{
    return dtype == AIC_INT8 || dtype == AIC_INT16 || dtype == AIC_INT32;
}

/* A 16-bit float type. */
typedef struct short_float {
    int fraction_bits;
    int lowest, highest; /* exponents of the last bit of the smallest and of the largest numbers */
} short_float;

static const short_float half_type = {10, -24, 5}, bfloat_type = {7, -133, 120};

static double half_to_double(uint16_t bits)
{
    const int hidden = 1 << half_type.fraction_bits;
    int exponent = bits >> half_type.fraction_bits & 31, fraction = bits & (hidden - 1);
    double magnitude = exponent == 31  ? (fraction != 0 ? (double)NAN : (double)INFINITY)
                       : exponent == 0 ? ldexp(fraction, half_type.lowest)
                                       : ldexp(hidden + fraction, exponent + half_type.lowest - 1);
    return bits >> 15 ? -magnitude : magnitude;
}

/* Rounds once to nearest even; infinity beyond the range. */
static uint16_t short_bits(const short_float *type, double value)
{
    const int sign = signbit(value) ? 0x8000 : 0;
    const int infinity = (type->highest - type->lowest + 2) << type->fraction_bits;
    int exponent;
    if (isnan(value)) {
        return (uint16_t)(sign | infinity | 1 << (type->fraction_bits - 1));
    }
    if (isinf(value) || frexp(fabs(value), &exponent) == 0) {
        return (uint16_t)(sign | (isinf(value) ? infinity : 0));
    }
    int last = exponent - 1 - type->fraction_bits;
    last = last < type->lowest ? type->lowest : last;
    if (last > type->highest) {
        return (uint16_t)(sign | infinity);
    }
    /* Of 2^last. The hidden bit, and what rounding carries, adds to the exponent field: up to infinity. */
    int steps = (int)nearbyint(ldexp(fabs(value), -last));
    return (uint16_t)(sign | (((last - type->lowest) << type->fraction_bits) + steps));
}

uint16_t element_half(double value)
{
    return short_bits(&half_type, value);
}

uint16_t element_bfloat(double value)
{
    return short_bits(&bfloat_type, value);
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
    case AIC_BFLOAT16:
        return float_of_bits((uint32_t)bits << 16);
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
    } else if (dtype == AIC_BFLOAT16) {
        bits = element_bfloat(value);
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

bool element_zeros(const unsigned char *bytes, size_t size)
{
    size_t i = 0;
    while (i < size && bytes[i] == 0) {
        i++;
    }
    return i == size;
}

void element_text(aic_dtype dtype, const void *at, char text[ELEMENT_TEXT_MAX])
{
    uint64_t bits = 0;
    size_t size = aic_dtype_size(dtype);
    memcpy(&bits, at, size);
    if (element_is_float(dtype)) {
        (void)snprintf(text, ELEMENT_TEXT_MAX, "%.9g (0x%0*" PRIX64 ")", element_to_double(dtype, at), (int)size * 2,
                       bits);
    } else if (element_is_signed(dtype)) {
        (void)snprintf(text, ELEMENT_TEXT_MAX, "%.0f", element_to_double(dtype, at));
    } else {
        (void)snprintf(text, ELEMENT_TEXT_MAX, "%" PRIu64, bits);
    }
}

double element_uniform(uint64_t bits)
{
    return (double)(int64_t)bits * 0x1p-63;
}
