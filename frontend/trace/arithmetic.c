/* How a stage of tensor arithmetic changes one accumulator (tensor arithmetic, section 3). */
#include "frontend/trace/trace.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { C = 1, H = 2, W = 3, BLOCK = 16 };

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

static uint32_t float_result(aic_sink *out, const aic_tensor_arithmetic_desc *desc, const aic_semantics *semantics,
                             float a, float b)
{
    float (*const extremum)(float, float, float) =
        semantics->minmax_nan == AIC_MINMAX_NUMBER ? extreme_number : extreme;
    float product;
    switch (desc->op) {
    case AIC_BM_ADD:
        return aic_trace_result(a + b);
    case AIC_BM_SUB:
        return aic_trace_result(a - b);
    case AIC_BM_MUL:
        return aic_trace_result(a * b);
    case AIC_BM_DIV:
        return aic_trace_result(a / b);
    case AIC_BM_MAC:
        if (semantics->mac == AIC_MAC_FUSED) {
            return aic_trace_result(fmaf(a, b, a));
        }
        product = a * b;
        aic_trace_step(out, "acc * input1", "%s", aic_trace_element(AIC_FLOAT32, aic_trace_bits(product)).text);
        return aic_trace_result(a + product);
    case AIC_BM_MAX:
        return aic_trace_result(extremum(a, b, 1));
    case AIC_BM_MIN:
        return aic_trace_result(extremum(a, b, -1));
    default:
        return a > b ? aic_trace_bits(desc->select_value) : 0;
    }
}

static uint32_t bits_result(const aic_tensor_arithmetic_desc *desc, uint32_t a, uint32_t b)
{
    switch (desc->op) {
    case AIC_BM_AND:
        return a & b;
    case AIC_BM_OR:
        return a | b;
    case AIC_BM_XOR:
        return a ^ b;
    case AIC_BM_SHIFT:
        return shifted(a, count_of(b), desc->shift_type == 1);
    case AIC_BM_SE:
        return a == b ? aic_trace_bits(desc->select_value) : 0;
    default:
        return a;
    }
}

static bool on_bits(aic_atomic_op op)
{
    return op == AIC_BM_AND || op == AIC_BM_OR || op == AIC_BM_XOR || op == AIC_BM_SHIFT || op == AIC_BM_SE ||
           op == AIC_BM_CPY;
}

uint64_t aic_trace_arithmetic(aic_sink *out, const aic_tensor_arithmetic_desc *desc, const aic_semantics *semantics,
                              const char *name, const void *input1, const uint64_t *left, int64_t element,
                              uint64_t source)
{
    static const char *const NAMES[] = {
        [AIC_BM_MUL] = "BM_MUL", [AIC_BM_MAC] = "BM_MAC", [AIC_BM_ADD] = "BM_ADD",     [AIC_BM_SUB] = "BM_SUB",
        [AIC_BM_MAX] = "BM_MAX", [AIC_BM_MIN] = "BM_MIN", [AIC_BM_SHIFT] = "BM_SHIFT", [AIC_BM_AND] = "BM_AND",
        [AIC_BM_OR] = "BM_OR",   [AIC_BM_XOR] = "BM_XOR", [AIC_BM_SG] = "BM_SG",       [AIC_BM_SE] = "BM_SE",
        [AIC_BM_DIV] = "BM_DIV", [AIC_BM_CPY] = "BM_CPY"};
    const bool bits = on_bits(desc->op), copies = desc->op == AIC_BM_CPY;
    const aic_dtype dtype = bits ? AIC_UINT32 : AIC_FLOAT32;
    char what[64];
    snprintf(what, sizeof what, "tensor_arithmetic, %s:\n", NAMES[desc->op]);
    aic_sink_put(out, what);
    uint32_t b = aic_trace_bits(desc->input1_const);
    if (!copies && desc->input1_stage != 0) {
        b = (uint32_t)left[desc->input1_stage];
        snprintf(what, sizeof what, "acc of stage %" PRId64, desc->input1_stage);
    } else if (!copies && !desc->input1_is_const) {
        const int64_t index = index_of(desc, element);
        b = (uint32_t)aic_trace_load(AIC_UINT32, input1, index);
        snprintf(what, sizeof what, "%s[%" PRId64 "]", name, index);
    } else {
        snprintf(what, sizeof what, "input1");
    }
    aic_trace_step(out, "acc", "%s", aic_trace_element(dtype, source).text);
    if (!copies) {
        aic_trace_step(out, what, "%s", aic_trace_element(dtype, b).text);
    }
    const uint32_t result = bits ? bits_result(desc, (uint32_t)source, b)
                                 : float_result(out, desc, semantics, aic_trace_float(source), aic_trace_float(b));
    aic_trace_step(out, NAMES[desc->op], "%s", aic_trace_element(dtype, result).text);
    return result;
}
