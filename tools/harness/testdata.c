/* Test data: one function an element kind, in one table. */
#include "tools/harness/testdata.h"

#include "tools/harness/element.h"
#include "tools/harness/rng.h"

#include <float.h>
#include <string.h>

/* The next element as bits, low bytes first. */
typedef uint64_t (*element_source)(uint64_t *state);

static uint64_t any_bits(uint64_t *state)
{
    return rng_next(state);
}

/* ---- float16 ---- */

static uint64_t half_integer(uint64_t *state)
{
    return element_half((double)rng_range(state, -8, 8));
}

static uint64_t half_real(uint64_t *state)
{
    return element_half((double)rng_range(state, -(1 << 20), 1 << 20) * 0x1p-20);
}

static uint64_t half_tiny(uint64_t *state)
{
    uint64_t bits = rng_next(state);
    return bits >> 62 == 0 ? bits & 0x8000 : bits & 0x83FF; /* a quarter zeros, else subnormals */
}

static uint64_t half_finite(uint64_t *state)
{
    uint64_t bits = rng_next(state) & 0xFFFF;
    return (bits & 0x7C00) == 0x7C00 ? bits & 0x83FF : bits;
}

static uint64_t half_special(uint64_t *state)
{
    static const uint16_t specials[] = {0x7C00, 0xFC00, 0x7E00, 0xFE01, 0x7C01, 0x8000, 0x7BFF, 0xFBFF};
    uint64_t bits = rng_next(state);
    return bits % 97 == 0 ? specials[(bits >> 32) % (sizeof specials / sizeof specials[0])] : half_real(state);
}

/* ---- int8 ---- */

static uint64_t byte_extreme(uint64_t *state)
{
    return rng_next(state) >> 63 ? 0x80 : 0x7F;
}
static uint64_t byte_small(uint64_t *state)
{
    return (uint64_t)rng_range(state, -3, 3);
}

/* ---- old contents ---- */

static uint64_t int_small(uint64_t *state)
{
    return (uint64_t)rng_range(state, -100000, 100000);
}

static uint64_t int_limit(uint64_t *state)
{
    int64_t below = rng_range(state, 0, 70000);
    return (uint64_t)(rng_next(state) >> 63 ? INT32_MIN + below : INT32_MAX - below);
}

static uint64_t float_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint64_t float_real(uint64_t *state)
{
    return float_bits((float)rng_range(state, -(1 << 24), 1 << 24) * 0x1p-20F);
}

static uint64_t float_special(uint64_t *state)
{
    static const uint32_t specials[] = {0x7F800000, 0xFF800000, 0x7FC00000, 0x80000000, 0x00000001, 0x7F7FFFFF};
    uint64_t bits = rng_next(state);
    return bits % 13 == 0 ? specials[(bits >> 32) % (sizeof specials / sizeof specials[0])] : float_real(state);
}

enum { KINDS = 5 };

typedef struct data_row {
    aic_dtype dtype;
    element_source kind[KINDS]; /* chosen by the seed with equal chance */
} data_row;

static const data_row rows[] = {
    {AIC_FLOAT16, {half_integer, half_real, half_tiny, half_finite, half_special}},
    {AIC_INT8, {any_bits, any_bits, any_bits, byte_extreme, byte_small}},
    {AIC_INT32, {any_bits, int_small, int_small, int_limit, int_limit}},
    {AIC_FLOAT32, {float_real, float_real, float_real, float_special, float_special}},
};

static element_source source_of(const aic_operand *operand, uint64_t choice)
{
    if (operand->direction == AIC_OUT) {
        return any_bits;
    }
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].dtype == operand->dtype) {
            return rows[i].kind[choice % KINDS];
        }
    }
    return any_bits;
}

void testdata_fill(const aic_operand *operand, uint64_t seed, void *data)
{
    uint64_t state = seed;
    for (const char *c = operand->name; *c != '\0'; c++) { /* each operand its own sequence */
        state = rng_next(&state) ^ (unsigned char)*c;
    }
    element_source next = source_of(operand, rng_next(&state));
    size_t size = aic_dtype_size(operand->dtype);
    unsigned char *at = data;
    for (int64_t i = 0; i < operand->elements; i++, at += size) {
        uint64_t bits = next(&state);
        memcpy(at, &bits, size);
    }
}
