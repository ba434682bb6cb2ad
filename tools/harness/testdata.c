/* Test data: one function an element kind, in one table. */
#include "tools/harness/testdata.h"
#include "tools/harness/stages.h"

#include "tools/harness/element.h"
#include "tools/harness/rng.h"

#include <math.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* The next element as bits, low bytes first. */
typedef uint64_t (*element_source)(uint64_t *state);

static uint64_t any_bits(uint64_t *state)
{
    return rng_next(state);
}

static bool once_in(uint64_t *state, int64_t n)
{
    return rng_range(state, 1, n) == 1;
}

/* -1 .. 1 in steps of 2^-20. */
static double unit_real(uint64_t *state)
{
    return (double)rng_range(state, -(1 << 20), 1 << 20) * 0x1p-20;
}

/* ---- float16 ---- */

static uint64_t half_integer(uint64_t *state)
{
    return element_half((double)rng_range(state, -8, 8));
}

static uint64_t half_real(uint64_t *state)
{
    return element_half(unit_real(state));
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
    return bits % 97 == 0 ? specials[(bits >> 32) % COUNT(specials)] : half_real(state);
}

/* ---- bfloat16: the upper half of a float32 ---- */

static uint64_t bfloat_integer(uint64_t *state)
{
    return element_bfloat((double)rng_range(state, -8, 8));
}

static uint64_t bfloat_real(uint64_t *state)
{
    return element_bfloat(unit_real(state));
}

static uint64_t bfloat_finite(uint64_t *state)
{
    uint64_t bits = rng_next(state) & 0xFFFF;
    return (bits & 0x7F80) == 0x7F80 ? bits & 0x807F : bits;
}

/* Around the largest and the smallest numbers: products of them leave the range of float32. */
static uint64_t bfloat_edge(uint64_t *state)
{
    uint64_t bits = rng_next(state);
    return bits >> 63 ? 0x7F00 | (bits & 0x807F) : (bits & 0x81FF);
}

static uint64_t bfloat_special(uint64_t *state)
{
    static const uint16_t specials[] = {0x7F80, 0xFF80, 0x7FC0, 0xFFC1, 0x7F81, 0x8000, 0x7F7F, 0xFF7F};
    uint64_t bits = rng_next(state);
    return bits % 97 == 0 ? specials[(bits >> 32) % COUNT(specials)] : bfloat_real(state);
}

/* ---- float32 ---- */

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
    return bits % 13 == 0 ? specials[(bits >> 32) % COUNT(specials)] : float_real(state);
}

static uint64_t float_finite(uint64_t *state)
{
    uint64_t bits = rng_next(state) & 0xFFFFFFFF;
    return (bits & 0x7F800000) == 0x7F800000 ? bits & 0x807FFFFF : bits;
}

/* Where narrower types round and overflow: halfway between two halves, two bfloat16, two integers, around the ends of
 * their ranges; each exactly there or one float beside it. */
static uint64_t float_edge(uint64_t *state)
{
    static const double ends[] = {65504, 65519, 65520, 65536, 127, 128, 255, 256, 511, 0};
    double value;
    switch (rng_range(state, 0, 4)) {
    case 0: {
        uint16_t half = (uint16_t)half_finite(state);
        double step = ldexp(1, (half >> 10 & 31) > 1 ? (half >> 10 & 31) - 25 : -24);
        value = element_to_double(AIC_FLOAT16, &half) + step / 2;
        break;
    }
    case 1:
        value = (double)rng_range(state, -600, 600) + 0.5;
        break;
    case 2:
        value = (double)rng_range(state, -600, 600);
        break;
    case 3:
        value = ends[rng_range(state, 0, (int64_t)COUNT(ends) - 1)] * (once_in(state, 2) ? 1 : -1);
        break;
    default: /* bfloat16, the ones that round to infinity among them */
        return ((once_in(state, 4) ? 0x7F7F : bfloat_finite(state)) << 16 | 0x8000) + (uint64_t)rng_range(state, -1, 1);
    }
    float rounded = (float)value;
    return once_in(state, 2) ? float_bits(rounded)
                             : float_bits(nextafterf(rounded, once_in(state, 2) ? 1e30F : -1e30F));
}

/* ---- integers ---- */

static uint64_t byte_extreme(uint64_t *state)
{
    return rng_next(state) >> 63 ? 0x80 : 0x7F;
}

/* Nearly all the same: long sums leave int32. */
static uint64_t byte_least(uint64_t *state)
{
    return once_in(state, 50) ? 0x7F : 0x80;
}

static uint64_t int_tiny(uint64_t *state)
{
    return (uint64_t)rng_range(state, -3, 3);
}

static uint64_t int_small(uint64_t *state)
{
    return (uint64_t)rng_range(state, -100000, 100000);
}

static uint64_t int_byte(uint64_t *state)
{
    return (uint64_t)rng_range(state, -600, 600);
}

static uint64_t int_limit(uint64_t *state)
{
    int64_t below = once_in(state, 8) ? 0 : rng_range(state, 0, 70000);
    return (uint64_t)(rng_next(state) >> 63 ? INT32_MIN + below : INT32_MAX - below);
}

/* Around powers of two and halfway between two floats, where conversion to float rounds. */
static uint64_t int_edge(uint64_t *state)
{
    int64_t power = INT64_C(1) << rng_range(state, 0, 30);
    int64_t value = once_in(state, 2) ? power : power + power / 2 + (power >> 24);
    value += rng_range(state, -1, 1);
    return (uint64_t)(once_in(state, 2) ? value : -value);
}

static uint64_t unsigned_small(uint64_t *state)
{
    return (uint64_t)rng_range(state, 0, 3);
}

static uint64_t unsigned_extreme(uint64_t *state)
{
    return rng_next(state) >> 63 ? UINT64_MAX : 0;
}

/* ---- quantisation words (AscendC Fixpipe) ---- */

#define SCALE_EXPONENT UINT64_C(0x7F800000)
#define SCALE_BITS UINT64_C(0xFFFFE000) /* the bits of the scale that count */

uint64_t testdata_word(uint64_t bits)
{
    return (bits & ~SCALE_EXPONENT) | (113 + (bits >> 23 & 15)) << 23;
}

static uint64_t word_usual(uint64_t *state)
{
    return testdata_word(rng_next(state));
}

static uint64_t word_wild(uint64_t *state)
{
    return (rng_next(state) & ~SCALE_EXPONENT) | (uint64_t)rng_range(state, 1, 254) << 23;
}

static uint64_t word_mixed(uint64_t *state)
{
    uint64_t word = word_usual(state);
    return once_in(state, 5) ? word & ~(SCALE_BITS & INT32_MAX) : word; /* zeros of both signs */
}

/* The vendor's packing: only the fields that it fills. */
static uint64_t word_plain(uint64_t *state)
{
    return (word_usual(state) & (UINT64_C(0x1FF) << 37 | SCALE_BITS | UINT64_C(1) << 46)) & ~UINT64_C(0x80000000);
}

/* What quantised networks have: scales below 1, offsets within the result's type. */
static uint64_t word_mild(uint64_t *state)
{
    const bool is_signed = !once_in(state, 3);
    const int64_t offset = is_signed ? rng_range(state, -128, 128) : rng_range(state, 0, 255);
    const uint64_t scale = (uint64_t)rng_range(state, 100, 126) << 23 | (rng_next(state) & 0x7FFFFF);
    return scale | ((uint64_t)offset & 0x1FF) << 37 | (uint64_t)is_signed << 46;
}

/* The same of networks without offsets. */
static uint64_t word_level(uint64_t *state)
{
    return (word_mild(state) & ~(UINT64_C(0x1FF) << 37)) | UINT64_C(1) << 46;
}

/* ---- the table ---- */

enum { KINDS = 6 };

typedef struct data_row {
    const char *name; /* of the operand; NULL: any */
    aic_dtype dtype;
    element_source kind[KINDS]; /* chosen by the seed with equal chance */
} data_row;

/* The first row that fits counts. */
static const data_row rows[] = {
    {"cbufWorkspace", AIC_UINT64, {word_usual, word_mild, word_level, word_mixed, word_plain, word_wild}},
    {NULL, AIC_FLOAT16, {half_integer, half_real, half_real, half_tiny, half_finite, half_special}},
    {NULL, AIC_BFLOAT16, {bfloat_integer, bfloat_real, bfloat_real, bfloat_finite, bfloat_edge, bfloat_special}},
    {NULL, AIC_FLOAT32, {float_real, float_real, float_edge, float_edge, float_finite, float_special}},
    {NULL, AIC_INT8, {any_bits, any_bits, any_bits, byte_extreme, byte_least, int_tiny}},
    {NULL, AIC_INT32, {any_bits, int_byte, int_small, int_small, int_limit, int_edge}},
    {NULL, AIC_UINT32, {any_bits, any_bits, any_bits, any_bits, unsigned_extreme, unsigned_small}},
    {NULL, AIC_UINT8, {any_bits, any_bits, any_bits, any_bits, unsigned_extreme, unsigned_small}},
};

static const data_row *row_of(const aic_operand *operand)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        if (rows[i].dtype == operand->dtype && (rows[i].name == NULL || strcmp(rows[i].name, operand->name) == 0)) {
            return &rows[i];
        }
    }
    return NULL;
}

void testdata_fill(const aic_operand *operand, uint64_t seed, void *data)
{
    uint64_t state = seed;
    for (const char *c = operand->name; *c != '\0'; c++) { /* each operand its own sequence */
        state = rng_next(&state) ^ (unsigned char)*c;
    }
    const uint64_t choice = rng_next(&state);
    const data_row *row = operand->direction == AIC_DIRECTION_OUT ? NULL : row_of(operand);
    element_source next = row == NULL ? any_bits : row->kind[choice % KINDS];
    size_t size = aic_dtype_size(operand->dtype);
    unsigned char *at = data;
    for (int64_t i = 0; i < operand->elements; i++, at += size) {
        uint64_t bits = next(&state);
        memcpy(at, &bits, size);
    }
}

/* The largest value of an operand that is a valid size, or -1. */
static int64_t largest_size(const aic_spec *spec, const aic_operand *operand)
{
    const stage_desc first = stage_of(spec, 0);
    const aic_texpands_desc *desc = &first.desc.texpands;
    if (first.op != AIC_OP_TEXPANDS || operand->dtype != AIC_INT32) {
        return -1;
    }
    return strcmp(operand->name, "v_row") == 0 ? desc->rows : strcmp(operand->name, "v_col") == 0 ? desc->cols : -1;
}

/* Clears the last channels of the last block in one of three weights of a convolution: half a block, as networks have
 * it whose channels fill no whole blocks, or any number of them. */
static void clear_channels(const aic_spec *spec, const aic_operand *operand, uint64_t seed, unsigned char *data)
{
    const stage_desc first = stage_of(spec, 0);
    const int64_t *shape = first.desc.conv2d.kernel_shape; /* [c1, kh, kw, cout, c0] */
    uint64_t state = seed;
    if (first.op != AIC_OP_CONV2D || strcmp(operand->name, "weight") != 0 || shape[4] == 1 || !once_in(&state, 3)) {
        return;
    }
    const size_t size = aic_dtype_size(operand->dtype);
    const int64_t c0 = shape[4], kept = once_in(&state, 2) ? c0 / 2 : rng_range(&state, 0, c0 - 1);
    for (int64_t i = operand->elements / shape[0] * (shape[0] - 1); i < operand->elements; i++) {
        if (i % c0 >= kept) {
            memset(data + (size_t)i * size, 0, size);
        }
    }
}

void testdata_fill_for(const aic_spec *spec, const aic_operand *operand, uint64_t seed, void *data)
{
    const int64_t largest = largest_size(spec, operand);
    testdata_fill(operand, seed, data);
    clear_channels(spec, operand, seed, data);
    if (largest >= 0) {
        uint32_t bits;
        memcpy(&bits, data, sizeof bits);
        const int32_t size = (int32_t)(bits % ((uint64_t)largest + 1));
        memcpy(data, &size, sizeof size);
    }
}

bool testdata_spoil(const aic_operand *operand, uint64_t seed, void *data)
{
    static const uint32_t scales[] = {0x7F800000, 0xFF800000, 0x7FC00000, 0xFF802000, 0x00002000, 0x807FE000};
    const data_row *row = row_of(operand);
    if (strcmp(operand->name, "v_row") == 0 || strcmp(operand->name, "v_col") == 0) {
        const int32_t negative = -1;
        memcpy(data, &negative, sizeof negative);
        return true;
    }
    if (row == NULL || row->name == NULL || operand->elements == 0) {
        return false;
    }
    uint64_t state = seed, word = rng_next(&state) & ~SCALE_BITS;
    word |= scales[rng_range(&state, 0, (int64_t)COUNT(scales) - 1)];
    int64_t index = rng_range(&state, 0, operand->elements - 1);
    memcpy((unsigned char *)data + (size_t)index * sizeof word, &word, sizeof word);
    return true;
}
