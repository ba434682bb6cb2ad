/* The model. Sums of integers are taken in 64 bits; those of floats in double, whose error decides how to round. */
#include "tests/emulate/program/model.h"

#include <math.h>
#include <string.h>

static int64_t element(const uint8_t *bytes, bool is_signed)
{
    return is_signed ? (int8_t)*bytes : *bytes;
}

void model_bytes(uint8_t *c, const uint8_t *a, const uint8_t *b, int m, int n, int k, bool a_signed, bool b_signed)
{
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < n; j++) {
            uint32_t old;
            memcpy(&old, c + i * ROW_BYTES + 4 * j, sizeof old);
            int64_t sum = old;
            for (int l = 0; l < 4 * k; l++) {
                sum +=
                    element(a + i * ROW_BYTES + l, a_signed) * element(b + l / 4 * ROW_BYTES + 4 * j + l % 4, b_signed);
            }
            const uint32_t low = (uint32_t)sum;
            memcpy(c + i * ROW_BYTES + 4 * j, &low, sizeof low);
        }
    }
}

static float flush(float x)
{
    return fpclassify(x) == FP_SUBNORMAL ? copysignf(0, x) : x;
}

/* A sum of doubles to odd: where it is not exact, the neighbour whose last bit is 1. Rounding that to float32 gives
 * what rounding the exact sum would: double has more than two bits more. */
static double sum_to_odd(double a, double b)
{
    const double sum = a + b, part = sum - a, error = (a - (sum - part)) + (b - part);
    uint64_t bits;
    memcpy(&bits, &sum, sizeof bits);
    if (!isfinite(sum) || error == 0 || (bits & 1) != 0) {
        return sum;
    }
    return nextafter(sum, error > 0 ? INFINITY : -INFINITY);
}

float model_fma(float a, float b, float c)
{
    a = flush(a), b = flush(b), c = flush(c);
    /* The product has at most 48 bits and is exact; so is the scaling. */
    const double sum = sum_to_odd((double)a * (double)b, (double)c);
    /* Whether a result is too small is decided on it with 24 bits and an exponent without limits. */
    const float scaled = (float)(sum * 0x1p100);
    if (sum != 0 && fabsf(scaled) < 0x1p-26f) {
        return (float)copysign(0, sum);
    }
    return (float)sum;
}

static float bf16(const uint8_t *bytes)
{
    const uint32_t bits = (uint32_t)bytes[0] << 16 | (uint32_t)bytes[1] << 24;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

void model_bf16(uint8_t *c, const uint8_t *a, const uint8_t *b, int m, int n, int k)
{
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < n; j++) {
            float sum[2] = {0, 0}, result;
            for (int l = 0; l < 2 * k; l++) {
                sum[l % 2] = model_fma(bf16(a + i * ROW_BYTES + 2 * l), bf16(b + l / 2 * ROW_BYTES + 4 * j + l % 2 * 2),
                                       sum[l % 2]);
            }
            memcpy(&result, c + i * ROW_BYTES + 4 * j, sizeof result);
            result = model_fma(1, result, model_fma(1, sum[0], sum[1]));
            memcpy(c + i * ROW_BYTES + 4 * j, &result, sizeof result);
        }
    }
}
