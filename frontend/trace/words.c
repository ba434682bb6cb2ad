/* How tensor_arithmetic makes one word, alone or as a stage that changes an accumulator (tensor arithmetic, section
 * 3). */
#include "frontend/trace/trace.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { C = AIC_ARITH_C, H = AIC_ARITH_H, W = AIC_ARITH_W };
enum { BLOCK = 16 };
enum { INPUT0 = 1, INPUT1 = 2 };

/* The words of one element. */
typedef struct words {
    uint32_t a, b, old;
} words;

/* ---- bits ---- */

/* -32..31: the low six bits are a signed number. */
static int count_of(uint32_t word)
{
    const int low = (int)(word & 63);
    return low >= 32 ? low - 64 : low;
}

static uint32_t shifted(uint32_t a, int count, bool arithmetic)
{
    if (count >= 0) {
        return a << count;
    }
    const int64_t wide = arithmetic ? (int64_t)(int32_t)a : (int64_t)a;
    return (uint32_t)(wide >> -count);
}

static uint32_t bits_result(const aic_tensor_arithmetic_desc *desc, uint32_t a, uint32_t b)
{
    switch (desc->op) {
    case AIC_ATOMIC_BM_AND:
        return a & b;
    case AIC_ATOMIC_BM_OR:
        return a | b;
    case AIC_ATOMIC_BM_XOR:
        return a ^ b;
    case AIC_ATOMIC_BM_SHIFT:
        return shifted(a, count_of(b), desc->shift_type == 1);
    case AIC_ATOMIC_BM_SE:
        return a == b ? aic_bits_of_float(desc->select_value) : 0;
    default:
        return a;
    }
}

/* ---- floats ---- */

/* The larger, or where sign is -1 the smaller one; NaN where one is; of zeros +0 is the larger. */
static float extreme(float a, float b, float sign)
{
    if (isnan(a) || isnan(b)) {
        return (float)NAN;
    }
    if (a == b) {
        return (signbit(a) != 0) == (sign > 0) ? b : a;
    }
    return sign * a > sign * b ? a : b;
}

/* The same, but a number rather than a NaN. */
static float extreme_number(float a, float b, float sign)
{
    return isnan(a) ? b : isnan(b) ? a : extreme(a, b, sign);
}

/* A result before and after it is rounded: before + rest is exact. */
static uint32_t rounded(aic_tracer *t, aic_step step, const char *what, aic_trace_text formula, double before,
                        double rest, float after)
{
    const uint32_t bits = aic_trace_result(after);
    aic_trace_round(t, step, what, formula.text, before, rest, AIC_FLOAT32, bits);
    return bits;
}

static aic_trace_text formula_of(const aic_tracer *t, float a, const char *sign, float b)
{
    return aic_trace_format(t, "%s %s %s", aic_trace_value(t, AIC_FLOAT32, aic_bits_of_float(a)).text, sign,
                            aic_trace_value(t, AIC_FLOAT32, aic_bits_of_float(b)).text);
}

static uint32_t sum_of(aic_tracer *t, aic_step step, const char *what, const char *sign, float a, float b)
{
    double rest;
    const bool minus = sign[0] == '-';
    const double before = aic_trace_two_sum((double)a, minus ? -(double)b : (double)b, &rest);
    return rounded(t, step, what, formula_of(t, a, sign, b), before, rest, minus ? a - b : a + b);
}

static uint32_t product_of(aic_tracer *t, aic_step step, const char *what, float a, float b)
{
    return rounded(t, step, what, formula_of(t, a, "*", b), (double)a * (double)b, 0, a * b);
}

static uint32_t quotient_of(aic_tracer *t, float a, float b)
{
    const double before = (double)a / (double)b, rest = fma(-before, (double)b, (double)a) / (double)b;
    return rounded(t, AIC_STEP_ARITHMETIC, "BM_DIV", formula_of(t, a, "/", b), before, isfinite(rest) ? rest : 0,
                   a / b);
}

static uint32_t mac_of(aic_tracer *t, float a, float b, float old)
{
    if (t->semantics->mac == AIC_MAC_FUSED) {
        double rest;
        const double before = aic_trace_two_sum((double)a * (double)b, (double)old, &rest);
        const aic_trace_text product = formula_of(t, a, "*", b);
        return rounded(
            t, AIC_STEP_ARITHMETIC_MAC, "BM_MAC",
            aic_trace_format(t, "%s + %s", product.text, aic_trace_value(t, AIC_FLOAT32, aic_bits_of_float(old)).text),
            before, rest, fmaf(a, b, old));
    }
    const uint32_t product = product_of(t, AIC_STEP_ARITHMETIC_MAC, "BM_MAC, the product", a, b);
    return sum_of(t, AIC_STEP_ARITHMETIC_MAC, "BM_MAC, the sum", "+", aic_trace_float(product), old);
}

static uint32_t extremum_of(aic_tracer *t, bool largest, float a, float b)
{
    float (*const extremum)(float, float, float) =
        t->semantics->minmax_nan == AIC_MINMAX_NUMBER ? extreme_number : extreme;
    const uint32_t bits = aic_trace_result(extremum(a, b, largest ? 1 : -1));
    aic_trace_step(t, isnan(a) || isnan(b) ? AIC_STEP_ARITHMETIC_EXTREME : AIC_STEP_ARITHMETIC,
                   largest ? "BM_MAX" : "BM_MIN", "%s -> %s", formula_of(t, a, "and", b).text,
                   aic_trace_element(t, AIC_FLOAT32, bits).text);
    return bits;
}

static uint32_t float_result(aic_tracer *t, const aic_tensor_arithmetic_desc *desc, float a, float b, float old)
{
    switch (desc->op) {
    case AIC_ATOMIC_BM_ADD:
        return sum_of(t, AIC_STEP_ARITHMETIC, "BM_ADD", "+", a, b);
    case AIC_ATOMIC_BM_SUB:
        return sum_of(t, AIC_STEP_ARITHMETIC, "BM_SUB", "-", a, b);
    case AIC_ATOMIC_BM_MUL:
        return product_of(t, AIC_STEP_ARITHMETIC, "BM_MUL", a, b);
    case AIC_ATOMIC_BM_DIV:
        return quotient_of(t, a, b);
    case AIC_ATOMIC_BM_MAC:
        return mac_of(t, a, b, old);
    case AIC_ATOMIC_BM_MAX:
    case AIC_ATOMIC_BM_MIN:
        return extremum_of(t, desc->op == AIC_ATOMIC_BM_MAX, a, b);
    default: {
        const uint32_t bits = a > b ? aic_bits_of_float(desc->select_value) : 0;
        aic_trace_step(t, AIC_STEP_ARITHMETIC, "BM_SG", "%s? -> %s", formula_of(t, a, ">", b).text,
                       aic_trace_element(t, AIC_FLOAT32, bits).text);
        return bits;
    }
    }
}

/* ---- both ---- */

static bool works_on_bits(aic_atomic_op op)
{
    return op == AIC_ATOMIC_BM_AND || op == AIC_ATOMIC_BM_OR || op == AIC_ATOMIC_BM_XOR || op == AIC_ATOMIC_BM_SHIFT ||
           op == AIC_ATOMIC_BM_SE || op == AIC_ATOMIC_BM_CPY;
}

static const char *name_of(const aic_tensor_arithmetic_desc *desc)
{
    return aic_enum_word(AIC_KIND_ATOMIC_OP, desc->op);
}

static uint32_t result_of(aic_tracer *t, const aic_tensor_arithmetic_desc *desc, const words *w)
{
    const char *name = name_of(desc);
    if (works_on_bits(desc->op)) {
        const uint32_t result = bits_result(desc, w->a, w->b);
        if (desc->op == AIC_ATOMIC_BM_CPY) {
            aic_trace_step(t, AIC_STEP_ARITHMETIC, name, "0x%08" PRIX32 " -> 0x%08" PRIX32, w->a, result);
        } else if (desc->op == AIC_ATOMIC_BM_SHIFT) {
            aic_trace_step(t, AIC_STEP_ARITHMETIC, name, "0x%08" PRIX32 " by %d, %s -> 0x%08" PRIX32, w->a,
                           count_of(w->b), desc->shift_type == 1 ? "arithmetic" : "logical", result);
        } else {
            aic_trace_step(t, AIC_STEP_ARITHMETIC, name, "0x%08" PRIX32 ", 0x%08" PRIX32 " -> 0x%08" PRIX32, w->a, w->b,
                           result);
        }
        return result;
    }
    const float a = aic_trace_float(w->a), b = aic_trace_float(w->b), old = aic_trace_float(w->old);
    const uint32_t result = float_result(t, desc, a, b, old);
    aic_trace_nan(t, isnan(a) || isnan(b) || (desc->op == AIC_ATOMIC_BM_MAC && isnan(old)),
                  aic_trace_is_nan(AIC_FLOAT32, result));
    return result;
}

/* ---- a stage of a chain ---- */

/* The word of input1 that belongs to accumulator number `element`. */
static int64_t index_of(const aic_tensor_arithmetic_desc *desc, int64_t element)
{
    const int64_t block = desc->output_stride[C], *shape = desc->shape, *stride = desc->input1_stride;
    const int64_t c = element / block, h = element % block / BLOCK, w = element % BLOCK;
    if (stride[C] == AIC_COMPACT && stride[H] == AIC_COMPACT && stride[W] == AIC_COMPACT) {
        return (c * shape[H] + h) * shape[W] + w;
    }
    return (shape[C] > 1 ? c * stride[C] : 0) + (shape[H] > 1 ? h * stride[H] : 0) + w * stride[W];
}

uint64_t aic_trace_arithmetic(aic_tracer *t, const aic_tensor_arithmetic_desc *desc, const void *input1,
                              const uint64_t *left, int64_t element, uint64_t source)
{
    const bool bits = works_on_bits(desc->op), copies = desc->op == AIC_ATOMIC_BM_CPY;
    const aic_dtype dtype = bits ? AIC_UINT32 : AIC_FLOAT32;
    words w = {.a = (uint32_t)source, .b = aic_bits_of_float(desc->input1_const), .old = (uint32_t)source};
    aic_trace_text what = aic_trace_format(t, "input1");
    aic_trace_put(t, "tensor_arithmetic, %s:\n", name_of(desc));
    if (!copies && desc->input1_stage != 0) {
        w.b = (uint32_t)left[desc->input1_stage];
        what = aic_trace_format(t, "acc of stage %" PRId64, desc->input1_stage);
    } else if (!copies && !desc->input1_is_const) {
        const int64_t index = index_of(desc, element);
        w.b = (uint32_t)(bits ? aic_trace_load(t, dtype, input1, index) : aic_trace_read(t, dtype, input1, index));
        what = aic_trace_place(t, INPUT1, index);
    }
    aic_trace_step(t, AIC_STEP_PLAIN, "acc", "%s", aic_trace_element(t, dtype, source).text);
    if (!copies) {
        aic_trace_step(t, AIC_STEP_PLAIN, what.text, "%s", aic_trace_element(t, dtype, w.b).text);
    }
    return result_of(t, desc, &w);
}

/* ---- alone ---- */

/* An input: a constant, or the word of a tensor at these indices. */
static uint32_t input_of(aic_tracer *t, const aic_tensor_arithmetic_desc *desc, int number, void *const operands[],
                         const int64_t at[AIC_ARITH_RANK])
{
    const bool first = number == INPUT0, bits = works_on_bits(desc->op), local = desc->memory == AIC_MEMORY_LOCAL;
    const aic_dtype dtype = bits ? AIC_UINT32 : AIC_FLOAT32;
    const char *what = first ? "input0" : "input1";
    uint32_t word = aic_bits_of_float(first ? desc->input0_const : desc->input1_const);
    if (first ? !desc->input0_is_const : !desc->input1_is_const) {
        const int operand = local ? 0 : number;
        const int64_t index = aic_arith_word(&t->arith, &t->arith.operand[number], at);
        word = (uint32_t)(bits ? aic_trace_load(t, dtype, operands[operand], index)
                               : aic_trace_read(t, dtype, operands[operand], index));
        aic_trace_step(t, AIC_STEP_PLAIN, what, "%s = %s", aic_trace_place(t, operand, index).text,
                       aic_trace_element(t, dtype, word).text);
    } else {
        aic_trace_step(t, AIC_STEP_PLAIN, what, "%s, a constant", aic_trace_element(t, dtype, word).text);
    }
    return word;
}

bool aic_trace_tensor_arithmetic(aic_tracer *t, const aic_tensor_arithmetic_desc *desc, void *const operands[],
                                 int64_t element, uint64_t *bits)
{
    int64_t at[AIC_ARITH_RANK];
    if (!aic_arith_find(&t->arith, element, at)) {
        return aic_trace_unwritten(t, "the output's shape and strides do not lead to it");
    }
    words w = {.b = 0};
    t->channel = at[C];
    aic_trace_put(t, "tensor_arithmetic, n %" PRId64 ", c %" PRId64 ", h %" PRId64 ", w %" PRId64 ":\n", at[0], at[C],
                  at[H], at[W]);
    w.a = input_of(t, desc, INPUT0, operands, at);
    w.b = desc->op == AIC_ATOMIC_BM_CPY ? 0 : input_of(t, desc, INPUT1, operands, at);
    if (desc->op == AIC_ATOMIC_BM_MAC) {
        w.old = (uint32_t)aic_trace_read(t, AIC_FLOAT32, operands[0], element);
        aic_trace_event(t, AIC_EVENT_OLD_READ, true);
        aic_trace_step(t, AIC_STEP_PLAIN, "old output", "%s", aic_trace_element(t, AIC_FLOAT32, w.old).text);
    }
    *bits = result_of(t, desc, &w);
    return true;
}
