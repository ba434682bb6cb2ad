/* tensor_arithmetic's plain-C reference, element by element, every one read before its result is written (tensor
 * arithmetic). */
#include "frontend/reference/arith_address.h"
#include "frontend/reference/reference.h"

#include <math.h>
#include <string.h>

/* ---- formulas ---- */

static float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* The bits of what arithmetic gives. The document leaves a NaN's payload open, but later stages of a chain can read the
 * word as an integer, so every NaN that comes of arithmetic has the bits of the default one here and in kernels. */
static uint32_t result_bits(float value)
{
    return isnan(value) ? bits_of(NAN) : bits_of(value);
}

/* Rounded once or twice. */
static float multiply_add(const aic_semantics *semantics, float a, float b, float old)
{
    const float product = a * b;
    return semantics->mac == AIC_MAC_FUSED ? fmaf(a, b, old) : product + old;
}

/* IEEE 754-2019 maximum, of `low` minimum; the bits of two zeros: +0 is the larger. Under minmax_nan=number those of
 * IEEE 754-2008, maxNum and minNum: a number rather than a NaN. */
static uint32_t extremum(const aic_semantics *semantics, bool low, uint32_t a, uint32_t b)
{
    const float x = float_of(a), y = float_of(b);
    if (semantics->minmax_nan == AIC_MINMAX_NUMBER && isnan(x) != isnan(y)) {
        return isnan(x) ? b : a;
    }
    if (isnan(x) || isnan(y)) {
        return bits_of(NAN);
    }
    if (x == 0 && y == 0) {
        return low ? a | b : a & b;
    }
    return (low ? x < y : x > y) ? a : b;
}

/* Section 3.3. */
static uint32_t shift(const aic_tensor_arithmetic_desc *desc, uint32_t a, uint32_t b)
{
    const int32_t s = (int32_t)((b & 63) ^ 32) - 32;
    if (s >= 0) {
        return a << s;
    }
    const uint64_t fill = desc->shift_type == 1 && a >> 31 != 0 ? UINT64_C(0xFFFFFFFF00000000) : 0;
    return (uint32_t)((fill | a) >> -s); /* by up to 32 */
}

static uint32_t compute(const aic_tensor_arithmetic_desc *desc, const aic_semantics *semantics, uint32_t a, uint32_t b,
                        uint32_t old)
{
    const float x = float_of(a), y = float_of(b);
    switch (desc->op) {
    case AIC_ATOMIC_BM_ADD:
        return result_bits(x + y);
    case AIC_ATOMIC_BM_SUB:
        return result_bits(x - y);
    case AIC_ATOMIC_BM_MUL:
        return result_bits(x * y);
    case AIC_ATOMIC_BM_DIV:
        return result_bits(x / y);
    case AIC_ATOMIC_BM_MAC:
        return result_bits(multiply_add(semantics, x, y, float_of(old)));
    case AIC_ATOMIC_BM_MAX:
        return extremum(semantics, false, a, b);
    case AIC_ATOMIC_BM_MIN:
        return extremum(semantics, true, a, b);
    case AIC_ATOMIC_BM_SG:
        return x > y ? bits_of(desc->select_value) : 0;
    case AIC_ATOMIC_BM_AND:
        return a & b;
    case AIC_ATOMIC_BM_OR:
        return a | b;
    case AIC_ATOMIC_BM_XOR:
        return a ^ b;
    case AIC_ATOMIC_BM_SE:
        return a == b ? bits_of(desc->select_value) : 0;
    case AIC_ATOMIC_BM_SHIFT:
        return shift(desc, a, b);
    default: /* BM_CPY */
        return a;
    }
}

/* ---- elements ---- */

/* An input: a tensor, or one word for all elements. */
typedef struct input {
    bool is_const;
    uint32_t constant;
    aic_reference_tensor tensor;
} input;

static uint32_t read_input(const input *in, const int64_t at[AIC_NCHW])
{
    return in->is_const ? in->constant : aic_reference_load(&in->tensor, at);
}

aic_status aic_tensor_arithmetic_reference(const void *descriptor, const aic_semantics *semantics,
                                           void *const operands[])
{
    const aic_tensor_arithmetic_desc *desc = descriptor;
    const bool local = desc->memory == AIC_MEMORY_LOCAL, copy = desc->op == AIC_ATOMIC_BM_CPY; /* which has one input */
    const aic_reference_tensor output = aic_reference_tensor_of(
        operands[0], 32, desc->memory, semantics, desc->output_addr, desc->shape, desc->output_stride, NULL);
    const input a = {desc->input0_is_const, bits_of(desc->input0_const),
                     aic_reference_tensor_of(operands[local ? 0 : 1], 32, desc->memory, semantics, desc->input0_addr,
                                             desc->shape, desc->input0_stride, NULL)};
    const input b = {copy || desc->input1_is_const, bits_of(desc->input1_const),
                     aic_reference_tensor_of(operands[local ? 0 : 2], 32, desc->memory, semantics, desc->input1_addr,
                                             desc->shape, desc->input1_stride, NULL)};
    const int64_t *shape = desc->shape;
    for (int64_t i = 0; i < shape[0] * shape[1] * shape[2] * shape[3]; i++) {
        int64_t at[AIC_NCHW];
        aic_reference_at(shape, i, at);
        const uint32_t old = aic_reference_load(&output, at);
        aic_reference_store(&output, at, compute(desc, semantics, read_input(&a, at), read_input(&b, at), old));
    }
    return AIC_OK;
}
