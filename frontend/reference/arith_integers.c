/* tensor_arithmetic_quantized's plain-C reference, element by element, every one read before its result is written
 * (tensor arithmetic). */
#include "frontend/reference/arith_address.h"
#include "frontend/reference/reference.h"

typedef aic_tensor_arithmetic_quantized_desc descriptor;

/* ---- formulas ---- */

/* floor(value / 2^count) */
static int64_t shift_right(int64_t value, int64_t count)
{
    return value >= 0 ? value >> count : ~(~value >> count);
}

/* Section 4.5. */
static int64_t shift_rounding(const descriptor *desc, const aic_semantics *semantics, int64_t value)
{
    const bool half = semantics->rounding == AIC_ROUNDING_HALF_UP && desc->rshift_bit > 0;
    return shift_right(value + (half ? INT64_C(1) << (desc->rshift_bit - 1) : 0), desc->rshift_bit);
}

/* Section 4.6; 16 bits and more are all shifted out by 16. */
static int64_t shift(const descriptor *desc, int64_t a, int64_t b)
{
    const int64_t pattern = a & 0xFFFF;
    const int64_t count = b < -16 || b > 16 ? 16 : b < 0 ? -b : b;
    if (b >= 0) {
        return pattern << count;
    }
    return shift_right(desc->shift_type == 1 ? a : pattern, count);
}

/* Of exact values a, b and the old output. */
static int64_t compute(const descriptor *desc, const aic_semantics *semantics, int64_t a, int64_t b, int64_t old)
{
    switch (desc->op) {
    case AIC_ATOMIC_BM_ADD:
        return a + b;
    case AIC_ATOMIC_BM_SUB:
        return a - b;
    case AIC_ATOMIC_BM_MUL:
        return shift_rounding(desc, semantics, a * b);
    case AIC_ATOMIC_BM_MAC:
        return shift_rounding(desc, semantics, a * b + old * (INT64_C(1) << desc->lshift_bit));
    case AIC_ATOMIC_BM_MAX:
        return a > b ? a : b;
    case AIC_ATOMIC_BM_MIN:
        return a < b ? a : b;
    case AIC_ATOMIC_BM_AND:
        return a & b;
    case AIC_ATOMIC_BM_OR:
        return a | b;
    case AIC_ATOMIC_BM_XOR:
        return a ^ b;
    case AIC_ATOMIC_BM_SHIFT:
        return shift(desc, a, b);
    default: /* BM_CPY */
        return a;
    }
}

/* Whether the result is clamped to the output's range; of the others the low bits are stored. */
static bool is_clamped(aic_atomic_op op)
{
    return op == AIC_ATOMIC_BM_ADD || op == AIC_ATOMIC_BM_SUB || op == AIC_ATOMIC_BM_MUL || op == AIC_ATOMIC_BM_MAC ||
           op == AIC_ATOMIC_BM_MAX || op == AIC_ATOMIC_BM_MIN;
}

/* ---- elements ---- */

/* An operand: its numbers, and a tensor or one value for all elements. */
typedef struct operand {
    int64_t bits;
    bool is_signed, is_const;
    int64_t constant;
    aic_reference_tensor tensor;
} operand;

/* The number whose low bits these are. */
static int64_t number_of(const operand *o, int64_t pattern)
{
    const int64_t range = INT64_C(1) << o->bits, low = pattern & (range - 1);
    return o->is_signed && low >= range / 2 ? low - range : low;
}

static int64_t read(const operand *o, const int64_t at[AIC_NCHW])
{
    return o->is_const
               ? o->constant
               : number_of(o, aic_reference_load(&o->tensor, at) >> aic_reference_part(&o->tensor, at) * o->bits);
}

/* Stores an element, and leaves the others of its word as they are. */
static void write(const operand *o, const int64_t at[AIC_NCHW], bool clamped, int64_t value)
{
    const int64_t range = INT64_C(1) << o->bits, low = o->is_signed ? -range / 2 : 0, high = low + range - 1;
    const int64_t position = aic_reference_part(&o->tensor, at) * o->bits;
    const uint32_t mask = (uint32_t)(range - 1) << position;
    if (clamped) {
        value = value < low ? low : value > high ? high : value;
    }
    const uint32_t word = aic_reference_load(&o->tensor, at);
    aic_reference_store(&o->tensor, at, (word & ~mask) | ((uint32_t)value << position & mask));
}

/* The operands of the descriptor: output, input0, input1. BM_CPY does not look at input1. */
static void open_operands(const descriptor *d, const aic_semantics *semantics, void *const operands[], operand o[3])
{
    const bool local = d->memory == AIC_MEMORY_LOCAL;
    o[0] = (operand){.bits = d->output_8bit ? 8 : 16, .is_signed = d->output_sign};
    o[0].tensor = aic_reference_tensor_of(operands[0], o[0].bits, d->memory, semantics, d->output_addr, d->shape,
                                          d->output_stride, NULL);
    o[1] = (operand){.bits = d->input0_8bit ? 8 : 16, .is_signed = d->input0_sign, .is_const = d->input0_is_const};
    o[1].constant = number_of(&o[1], d->input0_addr);
    o[1].tensor = aic_reference_tensor_of(operands[local ? 0 : 1], o[1].bits, d->memory, semantics, d->input0_addr,
                                          d->shape, d->input0_stride, NULL);
    if (d->op == AIC_ATOMIC_BM_CPY) {
        o[2] = (operand){.is_const = true};
        return;
    }
    o[2] = (operand){.bits = d->input1_8bit ? 8 : 16, .is_signed = d->input1_sign, .is_const = d->input1_is_const};
    o[2].constant = number_of(&o[2], d->input1_addr);
    if (!o[2].is_const) { /* only then do the flags count */
        const bool broadcast[AIC_NCHW] = {d->input1_n_is1, false, d->input1_h_is1, d->input1_w_is1};
        o[2].tensor = aic_reference_tensor_of(operands[local ? 0 : 2], o[2].bits, d->memory, semantics, d->input1_addr,
                                              d->shape, d->input1_stride, broadcast);
    }
}

aic_status aic_tensor_arithmetic_quantized_reference(const void *given, const aic_semantics *semantics,
                                                     void *const operands[])
{
    const descriptor *desc = given;
    const int64_t *shape = desc->shape;
    operand o[3];
    open_operands(desc, semantics, operands, o);
    for (int64_t i = 0; i < shape[0] * shape[1] * shape[2] * shape[3]; i++) {
        int64_t at[AIC_NCHW];
        aic_reference_at(shape, i, at);
        const int64_t old = read(&o[0], at);
        write(&o[0], at, is_clamped(desc->op), compute(desc, semantics, read(&o[1], at), read(&o[2], at), old));
    }
    return AIC_OK;
}
