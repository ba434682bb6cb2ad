/* The operations of tensor arithmetic with their formulas, one row each (tensor arithmetic, sections 3.2, 3.3, 4.3 to
 * 4.6). */
#include "frontend/ops/arith/arith.h"

#include "frontend/core/rule.h"

#include <math.h>
#include <string.h>

/* ---- 32-bit entry: floats ---- */

static float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint32_t word_add(const aic_arith *p, uint32_t a, uint32_t b, uint32_t old)
{
    (void)p;
    (void)old;
    return aic_bits_of_float(float_of(a) + float_of(b));
}

static uint32_t word_sub(const aic_arith *p, uint32_t a, uint32_t b, uint32_t old)
{
    (void)p;
    (void)old;
    return aic_bits_of_float(float_of(a) - float_of(b));
}

static uint32_t word_mul(const aic_arith *p, uint32_t a, uint32_t b, uint32_t old)
{
    (void)p;
    (void)old;
    return aic_bits_of_float(float_of(a) * float_of(b));
}

static uint32_t word_div(const aic_arith *p, uint32_t a, uint32_t b, uint32_t old)
{
    (void)p;
    (void)old;
    return aic_bits_of_float(float_of(a) / float_of(b));
}

/* Two roundings. */
static uint32_t word_mac(const aic_arith *p, uint32_t a, uint32_t b, uint32_t old)
{
    (void)p;
    const float product = float_of(a) * float_of(b);
    return aic_bits_of_float(product + float_of(old));
}

/* IEEE 754-2019 maximum; the bits of two zeros: +0 is in either, or both are -0. */
static uint32_t word_max(const aic_arith *p, uint32_t a, uint32_t b, uint32_t old)
{
    (void)p;
    (void)old;
    const float x = float_of(a), y = float_of(b);
    if (isnan(x) || isnan(y)) {
        return aic_bits_of_float(NAN);
    }
    return x == 0 && y == 0 ? a & b : x > y ? a : b;
}

static uint32_t word_min(const aic_arith *p, uint32_t a, uint32_t b, uint32_t old)
{
    (void)p;
    (void)old;
    const float x = float_of(a), y = float_of(b);
    if (isnan(x) || isnan(y)) {
        return aic_bits_of_float(NAN);
    }
    return x == 0 && y == 0 ? a | b : x < y ? a : b;
}

static uint32_t word_sg(const aic_arith *p, uint32_t a, uint32_t b, uint32_t old)
{
    (void)old;
    return float_of(a) > float_of(b) ? p->select_value : 0;
}

/* ---- 32-bit entry: bits ---- */

static uint32_t word_and(const aic_arith *p, uint32_t a, uint32_t b, uint32_t old)
{
    (void)p;
    (void)old;
    return a & b;
}

static uint32_t word_or(const aic_arith *p, uint32_t a, uint32_t b, uint32_t old)
{
    (void)p;
    (void)old;
    return a | b;
}

static uint32_t word_xor(const aic_arith *p, uint32_t a, uint32_t b, uint32_t old)
{
    (void)p;
    (void)old;
    return a ^ b;
}

static uint32_t word_se(const aic_arith *p, uint32_t a, uint32_t b, uint32_t old)
{
    (void)old;
    return a == b ? p->select_value : 0;
}

static uint32_t word_cpy(const aic_arith *p, uint32_t a, uint32_t b, uint32_t old)
{
    (void)p;
    (void)b;
    (void)old;
    return a;
}

/* Section 3.3. */
static uint32_t word_shift(const aic_arith *p, uint32_t a, uint32_t b, uint32_t old)
{
    (void)old;
    const int32_t s = (int32_t)((b & 63) ^ 32) - 32;
    if (s >= 0) {
        return a << s;
    }
    const uint64_t fill = p->shift_type == 1 && a >> 31 != 0 ? UINT64_C(0xFFFFFFFF00000000) : 0;
    return (uint32_t)((fill | a) >> -s); /* by up to 32 */
}

/* ---- fixed-point entry ---- */

/* floor(value / 2^count) */
static int64_t shift_right(int64_t value, int64_t count)
{
    return value >= 0 ? value >> count : ~(~value >> count);
}

/* Section 4.5. */
static int64_t shift_rounding(const aic_arith *p, int64_t value)
{
    const bool half = p->rounding == AIC_ROUNDING_HALF_UP && p->rshift > 0;
    return shift_right(value + (half ? INT64_C(1) << (p->rshift - 1) : 0), p->rshift);
}

static int64_t integer_add(const aic_arith *p, int64_t a, int64_t b, int64_t old)
{
    (void)p;
    (void)old;
    return a + b;
}

static int64_t integer_sub(const aic_arith *p, int64_t a, int64_t b, int64_t old)
{
    (void)p;
    (void)old;
    return a - b;
}

static int64_t integer_mul(const aic_arith *p, int64_t a, int64_t b, int64_t old)
{
    (void)old;
    return shift_rounding(p, a * b);
}

static int64_t integer_mac(const aic_arith *p, int64_t a, int64_t b, int64_t old)
{
    return shift_rounding(p, a * b + old * (INT64_C(1) << p->lshift));
}

static int64_t integer_max(const aic_arith *p, int64_t a, int64_t b, int64_t old)
{
    (void)p;
    (void)old;
    return a > b ? a : b;
}

static int64_t integer_min(const aic_arith *p, int64_t a, int64_t b, int64_t old)
{
    (void)p;
    (void)old;
    return a < b ? a : b;
}

static int64_t integer_and(const aic_arith *p, int64_t a, int64_t b, int64_t old)
{
    (void)p;
    (void)old;
    return a & b;
}

static int64_t integer_or(const aic_arith *p, int64_t a, int64_t b, int64_t old)
{
    (void)p;
    (void)old;
    return a | b;
}

static int64_t integer_xor(const aic_arith *p, int64_t a, int64_t b, int64_t old)
{
    (void)p;
    (void)old;
    return a ^ b;
}

static int64_t integer_cpy(const aic_arith *p, int64_t a, int64_t b, int64_t old)
{
    (void)p;
    (void)b;
    (void)old;
    return a;
}

/* Section 4.6; 16 bits and more are all shifted out by 16. */
static int64_t integer_shift(const aic_arith *p, int64_t a, int64_t b, int64_t old)
{
    (void)old;
    const int64_t pattern = a & 0xFFFF;
    const int64_t count = b < -16 || b > 16 ? 16 : b < 0 ? -b : b;
    if (b >= 0) {
        return pattern << count;
    }
    return shift_right(p->shift_type == 1 ? a : pattern, count);
}

/* ---- the table ---- */

enum { NARROW = 8, WIDE = 16, EITHER = NARROW + WIDE, SAME = 0 };

static const aic_arith_op ops[] = {
    {AIC_BM_ADD, false, false, AIC_FLOAT32, word_add, EITHER, EITHER, true, integer_add},
    {AIC_BM_SUB, false, false, AIC_FLOAT32, word_sub, EITHER, EITHER, true, integer_sub},
    {AIC_BM_MUL, false, false, AIC_FLOAT32, word_mul, NARROW, EITHER, true, integer_mul},
    {AIC_BM_DIV, false, false, AIC_FLOAT32, word_div, 0, 0, false, NULL},
    {AIC_BM_MAC, false, true, AIC_FLOAT32, word_mac, NARROW, WIDE, true, integer_mac},
    {AIC_BM_MAX, false, false, AIC_FLOAT32, word_max, EITHER, SAME, true, integer_max},
    {AIC_BM_MIN, false, false, AIC_FLOAT32, word_min, EITHER, SAME, true, integer_min},
    {AIC_BM_AND, false, false, AIC_UINT32, word_and, EITHER, SAME, false, integer_and},
    {AIC_BM_OR, false, false, AIC_UINT32, word_or, EITHER, SAME, false, integer_or},
    {AIC_BM_XOR, false, false, AIC_UINT32, word_xor, EITHER, SAME, false, integer_xor},
    {AIC_BM_SHIFT, false, false, AIC_UINT32, word_shift, WIDE, WIDE, false, integer_shift},
    {AIC_BM_SG, false, false, AIC_FLOAT32, word_sg, 0, 0, false, NULL},
    {AIC_BM_SE, false, false, AIC_UINT32, word_se, 0, 0, false, NULL},
    {AIC_BM_CPY, true, false, AIC_UINT32, word_cpy, NARROW, NARROW, false, integer_cpy},
};

enum { OPS = sizeof ops / sizeof ops[0] };

const aic_arith_op *aic_arith_op_get(aic_atomic_op number)
{
    for (size_t i = 0; i < OPS; i++) {
        if (ops[i].number == number) {
            return &ops[i];
        }
    }
    return NULL;
}

aic_status aic_arith_check_op(const aic_arith *p, bool fixed)
{
    uint32_t legal[OPS];
    size_t count = 0;
    for (size_t i = 0; i < OPS; i++) {
        if (fixed ? ops[i].integer != NULL : ops[i].word != NULL) {
            legal[count++] = ops[i].number;
        }
    }
    return aic_rule_word(p->name, "op", AIC_KIND_ATOMIC_OP, p->number, legal, count);
}
