/* Bounds of what tensor_arithmetic makes of accumulators that are only known to lie between two floats (aic_op_info,
 * enclose).
 *
 * Where an operation is monotone in each of its inputs, its result lies between the least and the largest of those for
 * the ends of their ranges, and these are the operator's own: its rounding is monotone, too. BM_DIV is so where the
 * divisor has one sign; BM_MAC is a product, then a sum with the accumulator. Of operations on bits only equal ends
 * tell anything, and of a 0 only what both signs lead to: the sign of a sum that is 0 depends on the order.
 *
 * A range from -infinity to infinity stands for NaN, too, and what comes of it must do so. */
#include "frontend/core/diag.h"
#include "frontend/ops/arith/arith.h"
#include "frontend/ops/arith/tensor_arithmetic.h"
#include "frontend/reference/reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LOW, HIGH, ENDS };

/* A stage on ranges: `words` accumulators, of which the undefined ones may be anything. */
typedef struct ranges {
    const aic_tensor_arithmetic_desc *desc;
    const aic_semantics *semantics;
    size_t words;
    const float *const *other; /* [ENDS], NULL of a constant */
    float *result;             /* of one pair of ends */
    unsigned char *numbers;    /* of each: 1: some pair gives a number; 2: some pair gives NaN */
} ranges;

/* result = op(a, b), by the reference. */
static aic_status combine(const ranges *r, aic_atomic_op op, const float *a, const float *b)
{
    aic_tensor_arithmetic_desc desc = *r->desc;
    void *operands[AIC_ARITH_OPERANDS];
    desc.op = op;
    memcpy(&operands[AIC_ARITH_INPUT0], &a, sizeof a);
    memcpy(&operands[AIC_ARITH_INPUT1], &b, sizeof b);
    operands[AIC_ARITH_OUTPUT] = r->result;
    return aic_tensor_arithmetic_reference(&desc, r->semantics, operands);
}

/* Takes one pair's results into the hull; the first pair starts it. */
static void take(const ranges *r, bool first, float *low, float *high)
{
    for (size_t i = 0; i < r->words; i++) {
        const float x = r->result[i];
        if (first) {
            low[i] = (float)INFINITY;
            high[i] = -(float)INFINITY;
            r->numbers[i] = 0;
        }
        if (isnan(x)) {
            r->numbers[i] |= 2;
        } else {
            r->numbers[i] |= 1;
            low[i] = fminf(low[i], x);
            high[i] = fmaxf(high[i], x);
        }
    }
}

static bool is_nan(const float *const range[ENDS], size_t i)
{
    return isnan(range[LOW][i]) && isnan(range[HIGH][i]);
}

static bool is_known(const float *const range[ENDS], size_t i)
{
    return range[LOW][i] == range[HIGH][i] || is_nan(range, i);
}

static bool is_finite(const float *const range[ENDS], size_t i)
{
    return isfinite(range[LOW][i]) && isfinite(range[HIGH][i]);
}

static bool is_unbounded(const float *const range[ENDS], size_t i)
{
    return isinf(range[LOW][i]) && isinf(range[HIGH][i]) && range[LOW][i] < range[HIGH][i];
}

/* NaN where all pairs gave it and no value between gives a number; no bound where some pairs gave it, or where the
 * larger or smaller one is taken of what may be NaN. b: NULL where the other input is known. */
static void finish(const ranges *r, aic_atomic_op op, const float *const a[ENDS], const float *const *b,
                   float *const to[ENDS])
{
    const bool takes_one = op == AIC_ATOMIC_BM_MAX || op == AIC_ATOMIC_BM_MIN;
    for (size_t i = 0; i < r->words; i++) {
        const bool known = is_known(a, i) && (!b || is_known(b, i)), finite = is_finite(a, i) && !b;
        const bool nan = known || finite || is_nan(a, i) || (b && is_nan(b, i));
        const bool unbounded = is_unbounded(a, i) || (b && is_unbounded(b, i));
        if (r->numbers[i] == 2 && nan) {
            to[LOW][i] = to[HIGH][i] = (float)NAN;
        } else if (r->numbers[i] != 1 || (takes_one && unbounded)) {
            to[LOW][i] = -(float)INFINITY;
            to[HIGH][i] = (float)INFINITY;
        }
    }
}

/* The hull of op at the four pairs of ends, into to[]; a constant has one end. */
static aic_status hull(const ranges *r, aic_atomic_op op, const float *const from[ENDS], float *const to[ENDS])
{
    const int others = r->other[LOW] == r->other[HIGH] ? 1 : ENDS;
    aic_status status = AIC_OK;
    for (int a = 0; a < ENDS && status == AIC_OK; a++) {
        for (int b = 0; b < others && status == AIC_OK; b++) {
            status = combine(r, op, from[a], r->other[b]);
            take(r, a == 0 && b == 0, to[LOW], to[HIGH]);
        }
    }
    finish(r, op, from, others == 1 ? NULL : r->other, to);
    return status;
}

/* A divisor that may be 0 leaves no bound. */
static void divide_by_zero(const ranges *r, float *const to[ENDS])
{
    for (size_t i = 0; r->other[LOW] != r->other[HIGH] && i < r->words; i++) {
        if (!(r->other[LOW][i] > 0 || r->other[HIGH][i] < 0)) {
            to[LOW][i] = -(float)INFINITY;
            to[HIGH][i] = (float)INFINITY;
        }
    }
}

/* The sum of the old accumulators and the products, which lie in products[]: that of the low ends and of the high
 * ones. */
static aic_status add_products(const ranges *r, float *const products[ENDS], float *const old[ENDS])
{
    aic_tensor_arithmetic_desc desc = *r->desc;
    const ranges sum = {&desc, r->semantics, r->words, r->other, r->result, r->numbers};
    float *to[ENDS];
    aic_status status = AIC_OK;
    void *memory = malloc(ENDS * r->words * sizeof(float));
    if (!memory) {
        return aic_fail_memory("reference", ENDS * r->words * sizeof(float));
    }
    to[LOW] = memory;
    to[HIGH] = to[LOW] + r->words;
    desc.input1_is_const = false;
    memcpy(desc.input1_stride, desc.input0_stride, sizeof desc.input1_stride);
    for (int end = 0; end < ENDS && status == AIC_OK; end++) {
        status = combine(&sum, AIC_ATOMIC_BM_ADD, products[end], old[end]);
        take(&sum, end == 0, to[LOW], to[HIGH]);
    }
    const float *const added[ENDS] = {products[LOW], products[HIGH]}, *const to_old[ENDS] = {old[LOW], old[HIGH]};
    finish(&sum, AIC_ATOMIC_BM_ADD, added, to_old, to);
    memcpy(old[LOW], to[LOW], r->words * sizeof(float));
    memcpy(old[HIGH], to[HIGH], r->words * sizeof(float));
    free(memory);
    return status;
}

/* Ends that are equal as numbers are the same bits; a 0 that sums may have given either sign gets both. */
static bool open_signs(float *const range[ENDS], size_t i)
{
    if (range[LOW][i] == 0 && range[HIGH][i] == 0) {
        range[LOW][i] = -0.0F;
        range[HIGH][i] = 0.0F;
    }
    return is_known((const float *const[ENDS]){range[LOW], range[HIGH]}, i);
}

/* Of an input that is an earlier stage's accumulators, a 0 has any sign, whichever the other input's is. */
static bool has_bits(const ranges *r, size_t i)
{
    return r->other[LOW] == r->other[HIGH] || (is_known(r->other, i) && r->other[LOW][i] != 0);
}

/* Bits that are known give bits that are known. */
static aic_status map_bits(const ranges *r, float *const range[ENDS])
{
    const size_t bytes = r->words * sizeof(float);
    unsigned char *memory = malloc(ENDS * bytes + r->words);
    if (!memory) {
        return aic_fail_memory("reference", ENDS * bytes + r->words);
    }
    unsigned char *ends[ENDS] = {memory, memory + bytes}, *known = memory + ENDS * bytes;
    aic_status status = AIC_OK;
    for (size_t i = 0; i < r->words; i++) {
        known[i] = open_signs(range, i) && has_bits(r, i);
    }
    for (int end = 0; end < ENDS && status == AIC_OK; end++) {
        status = combine(r, r->desc->op, range[end], r->other[end]);
        memcpy(ends[end], r->result, bytes);
    }
    for (size_t i = 0; i < r->words && status == AIC_OK; i++) {
        const size_t at = i * sizeof(float);
        const bool same = known[i] && memcmp(ends[LOW] + at, ends[HIGH] + at, sizeof(float)) == 0;
        memcpy(&range[LOW][i], ends[LOW] + at, sizeof(float));
        range[HIGH][i] = range[LOW][i];
        if (!same) {
            range[LOW][i] = -(float)INFINITY;
            range[HIGH][i] = (float)INFINITY;
        }
    }
    free(memory);
    return status;
}

/* Products that are not rounded lie within a value of their type of those that are. */
static void widen(const ranges *r, float *const to[ENDS])
{
    for (size_t i = 0; i < r->words; i++) {
        to[LOW][i] = nextafterf(to[LOW][i], -(float)INFINITY);
        to[HIGH][i] = nextafterf(to[HIGH][i], (float)INFINITY);
    }
}

static aic_status enclose(const ranges *r, float *const range[ENDS], float *const scratch[ENDS])
{
    const float *const from[ENDS] = {range[LOW], range[HIGH]};
    aic_status status;
    switch (r->desc->op) {
    case AIC_ATOMIC_BM_CPY:
        return AIC_OK;
    case AIC_ATOMIC_BM_MAC:
        status = hull(r, AIC_ATOMIC_BM_MUL, from, scratch);
        if (status == AIC_OK && r->semantics->mac == AIC_MAC_FUSED) {
            widen(r, scratch);
        }
        return status == AIC_OK ? add_products(r, scratch, range) : status;
    case AIC_ATOMIC_BM_ADD:
    case AIC_ATOMIC_BM_SUB:
    case AIC_ATOMIC_BM_MUL:
    case AIC_ATOMIC_BM_DIV:
    case AIC_ATOMIC_BM_MAX:
    case AIC_ATOMIC_BM_MIN:
    case AIC_ATOMIC_BM_SG:
        break;
    default:
        return map_bits(r, range);
    }
    status = hull(r, r->desc->op, from, scratch);
    if (r->desc->op == AIC_ATOMIC_BM_DIV) {
        divide_by_zero(r, scratch);
    }
    for (int end = 0; end < ENDS && status == AIC_OK; end++) {
        memcpy(range[end], scratch[end], r->words * sizeof(float));
    }
    return status;
}

aic_status aic_tensor_arithmetic_enclose(const void *descriptor, const aic_semantics *semantics, float *low,
                                         float *high, const float *const other[2])
{
    const aic_tensor_arithmetic_desc *desc = descriptor;
    const aic_arith p = aic_arith_of_words(desc, semantics);
    ranges r = {.desc = desc, .semantics = semantics, .words = (size_t)p.operand[AIC_ARITH_OUTPUT].extent};
    float *const range[ENDS] = {low, high};
    float *memory = calloc(3 * r.words, sizeof(float));
    r.other = other;
    r.numbers = calloc(r.words, 1);
    aic_status status;
    if (memory && r.numbers) {
        float *const scratch[ENDS] = {memory + r.words, memory + 2 * r.words};
        r.result = memory;
        status = enclose(&r, range, scratch);
    } else {
        status = aic_fail_memory("reference", 3 * r.words * sizeof(float));
    }
    free(memory);
    free(r.numbers);
    return status;
}
