/* tensor_arithmetic's plain-C reference, element by element, every one read before its result is written (tensor
 * arithmetic). */
#include "frontend/reference/arith_address.h"
#include "frontend/reference/reference.h"

#include <math.h>
#include <string.h>

/* ---- floats ---- */

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

static uint32_t word_add(const aic_tensor_arithmetic_desc *desc, uint32_t a, uint32_t b, uint32_t old)
{
    (void)desc;
    (void)old;
    return result_bits(float_of(a) + float_of(b));
}

static uint32_t word_sub(const aic_tensor_arithmetic_desc *desc, uint32_t a, uint32_t b, uint32_t old)
{
    (void)desc;
    (void)old;
    return result_bits(float_of(a) - float_of(b));
}

static uint32_t word_mul(const aic_tensor_arithmetic_desc *desc, uint32_t a, uint32_t b, uint32_t old)
{
    (void)desc;
    (void)old;
    return result_bits(float_of(a) * float_of(b));
}

static uint32_t word_div(const aic_tensor_arithmetic_desc *desc, uint32_t a, uint32_t b, uint32_t old)
{
    (void)desc;
    (void)old;
    return result_bits(float_of(a) / float_of(b));
}

/* Two roundings. */
static uint32_t word_mac(const aic_tensor_arithmetic_desc *desc, uint32_t a, uint32_t b, uint32_t old)
{
    (void)desc;
    const float product = float_of(a) * float_of(b);
    return result_bits(product + float_of(old));
}

/* One. */
static uint32_t word_mac_fused(const aic_tensor_arithmetic_desc *desc, uint32_t a, uint32_t b, uint32_t old)
{
    (void)desc;
    return result_bits(fmaf(float_of(a), float_of(b), float_of(old)));
}

/* IEEE 754-2019 maximum; the bits of two zeros: +0 is in either, or both are -0. */
static uint32_t word_max(const aic_tensor_arithmetic_desc *desc, uint32_t a, uint32_t b, uint32_t old)
{
    (void)desc;
    (void)old;
    const float x = float_of(a), y = float_of(b);
    if (isnan(x) || isnan(y)) {
        return bits_of(NAN);
    }
    return x == 0 && y == 0 ? a & b : x > y ? a : b;
}

static uint32_t word_min(const aic_tensor_arithmetic_desc *desc, uint32_t a, uint32_t b, uint32_t old)
{
    (void)desc;
    (void)old;
    const float x = float_of(a), y = float_of(b);
    if (isnan(x) || isnan(y)) {
        return bits_of(NAN);
    }
    return x == 0 && y == 0 ? a | b : x < y ? a : b;
}

/* IEEE 754-2008 maxNum and minNum: a number rather than a NaN. */
static uint32_t word_max_number(const aic_tensor_arithmetic_desc *desc, uint32_t a, uint32_t b, uint32_t old)
{
    return isnan(float_of(a)) ? result_bits(float_of(b)) : isnan(float_of(b)) ? a : word_max(desc, a, b, old);
}

static uint32_t word_min_number(const aic_tensor_arithmetic_desc *desc, uint32_t a, uint32_t b, uint32_t old)
{
    return isnan(float_of(a)) ? result_bits(float_of(b)) : isnan(float_of(b)) ? a : word_min(desc, a, b, old);
}

static uint32_t word_sg(const aic_tensor_arithmetic_desc *desc, uint32_t a, uint32_t b, uint32_t old)
{
    (void)old;
    return float_of(a) > float_of(b) ? bits_of(desc->select_value) : 0;
}

/* ---- bits ---- */

static uint32_t word_and(const aic_tensor_arithmetic_desc *desc, uint32_t a, uint32_t b, uint32_t old)
{
    (void)desc;
    (void)old;
    return a & b;
}

static uint32_t word_or(const aic_tensor_arithmetic_desc *desc, uint32_t a, uint32_t b, uint32_t old)
{
    (void)desc;
    (void)old;
    return a | b;
}

static uint32_t word_xor(const aic_tensor_arithmetic_desc *desc, uint32_t a, uint32_t b, uint32_t old)
{
    (void)desc;
    (void)old;
    return a ^ b;
}

static uint32_t word_se(const aic_tensor_arithmetic_desc *desc, uint32_t a, uint32_t b, uint32_t old)
{
    (void)old;
    return a == b ? bits_of(desc->select_value) : 0;
}

static uint32_t word_cpy(const aic_tensor_arithmetic_desc *desc, uint32_t a, uint32_t b, uint32_t old)
{
    (void)desc;
    (void)b;
    (void)old;
    return a;
}

/* Section 3.3. */
static uint32_t word_shift(const aic_tensor_arithmetic_desc *desc, uint32_t a, uint32_t b, uint32_t old)
{
    (void)old;
    const int32_t s = (int32_t)((b & 63) ^ 32) - 32;
    if (s >= 0) {
        return a << s;
    }
    const uint64_t fill = desc->shift_type == 1 && a >> 31 != 0 ? UINT64_C(0xFFFFFFFF00000000) : 0;
    return (uint32_t)((fill | a) >> -s); /* by up to 32 */
}

/* ---- elements ---- */

typedef uint32_t formula(const aic_tensor_arithmetic_desc *desc, uint32_t a, uint32_t b, uint32_t old);

static const struct {
    aic_atomic_op op;
    formula *formula;
} formulas[] = {
    {AIC_ATOMIC_BM_ADD, word_add}, {AIC_ATOMIC_BM_SUB, word_sub},     {AIC_ATOMIC_BM_MUL, word_mul},
    {AIC_ATOMIC_BM_DIV, word_div}, {AIC_ATOMIC_BM_MAC, word_mac},     {AIC_ATOMIC_BM_MAX, word_max},
    {AIC_ATOMIC_BM_MIN, word_min}, {AIC_ATOMIC_BM_AND, word_and},     {AIC_ATOMIC_BM_OR, word_or},
    {AIC_ATOMIC_BM_XOR, word_xor}, {AIC_ATOMIC_BM_SG, word_sg},       {AIC_ATOMIC_BM_SE, word_se},
    {AIC_ATOMIC_BM_CPY, word_cpy}, {AIC_ATOMIC_BM_SHIFT, word_shift},
};

static formula *formula_of(aic_atomic_op op, const aic_semantics *semantics)
{
    const bool number = semantics->minmax_nan == AIC_MINMAX_NUMBER;
    if (op == AIC_ATOMIC_BM_MAC && semantics->mac == AIC_MAC_FUSED) {
        return word_mac_fused;
    }
    if (number && (op == AIC_ATOMIC_BM_MAX || op == AIC_ATOMIC_BM_MIN)) {
        return op == AIC_ATOMIC_BM_MAX ? word_max_number : word_min_number;
    }
    size_t f = 0;
    while (formulas[f].op != op) {
        f++;
    }
    return formulas[f].formula;
}

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
    formula *const compute = formula_of(desc->op, semantics);
    const int64_t *shape = desc->shape;
    for (int64_t i = 0; i < shape[0] * shape[1] * shape[2] * shape[3]; i++) {
        const int64_t at[AIC_NCHW] = {i / shape[3] / shape[2] / shape[1], i / shape[3] / shape[2] % shape[1],
                                      i / shape[3] % shape[2], i % shape[3]};
        const uint32_t old = aic_reference_load(&output, at);
        aic_reference_store(&output, at, compute(desc, read_input(&a, at), read_input(&b, at), old));
    }
    return AIC_OK;
}
