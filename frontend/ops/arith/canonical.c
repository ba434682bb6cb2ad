/* What the code of tensor arithmetic depends on: the one form of all descriptors of a kernel (tensor
 * arithmetic). */
#include "frontend/ops/arith/arith.h"
#include "frontend/ops/arith/tensor_arithmetic.h"

#include <string.h>

static bool is_constant(const aic_arith *p, int i)
{
    return p->operand[i].source == AIC_ARITH_CONSTANT;
}

/* The strides of a tensor written out; 0 where they lead nowhere, as those of what is no tensor. */
static void write_strides(const aic_arith *p, int i, int64_t stride[AIC_ARITH_RANK])
{
    const aic_arith_operand *o = &p->operand[i];
    for (int d = 0; d < AIC_ARITH_RANK; d++) {
        stride[d] = o->source == AIC_ARITH_TENSOR ? o->stride[d] : 0;
    }
}

/* ---- words ---- */

/* Of the count, a constant, six bits are looked at. Shifts to the left, and of a number that has no sign, are of one
 * kind. */
static void shift_words(const aic_arith *p, aic_tensor_arithmetic_desc *desc)
{
    const aic_arith_operand *a = &p->operand[AIC_ARITH_INPUT0];
    bool right = true;
    if (is_constant(p, AIC_ARITH_INPUT1)) {
        const uint32_t count = aic_bits_of_float(desc->input1_const) & 63;
        right = count > 31;
        memcpy(&desc->input1_const, &count, sizeof count);
    }
    const bool has_sign = a->source == AIC_ARITH_TENSOR || a->constant >> 31 != 0;
    desc->shift_type = right && has_sign ? desc->shift_type : 0;
}

void aic_tensor_arithmetic_canonicalise(void *descriptor, const aic_semantics *semantics)
{
    aic_tensor_arithmetic_desc *desc = descriptor;
    const aic_arith p = aic_arith_of_words(desc, semantics);
    write_strides(&p, AIC_ARITH_OUTPUT, desc->output_stride);
    write_strides(&p, AIC_ARITH_INPUT0, desc->input0_stride);
    write_strides(&p, AIC_ARITH_INPUT1, desc->input1_stride);
    if (desc->op == AIC_ATOMIC_BM_SHIFT) {
        shift_words(&p, desc);
    }
}

/* ---- integers ---- */

/* Along H and W, a second input that is broadcast is one whose stride is 0; along N, its elements are all the first of
 * their words. */
static void canonicalise_broadcast(aic_tensor_arithmetic_quantized_desc *desc)
{
    desc->input1_n_is1 = desc->input1_n_is1 && desc->shape[AIC_ARITH_N] > 1;
    desc->input1_h_is1 = desc->input1_w_is1 = false;
}

/* Whether one bit pattern is one number, signed or not. */
static bool is_small(const aic_arith *p, int i)
{
    return is_constant(p, i) && p->operand[i].constant >= 0 &&
           p->operand[i].constant < INT64_C(1) << (p->operand[i].bits - 1);
}

/* The bits of a constant, without those above it; a number that has no sign takes that of the tensor beside it. */
static void canonicalise_constants(const aic_arith *p, aic_tensor_arithmetic_quantized_desc *desc)
{
    int64_t *const address[] = {&desc->output_addr, &desc->input0_addr, &desc->input1_addr};
    bool *const sign[] = {&desc->output_sign, &desc->input0_sign, &desc->input1_sign};
    for (int i = AIC_ARITH_INPUT0; i <= AIC_ARITH_INPUT1; i++) {
        const int other = i == AIC_ARITH_INPUT0 ? AIC_ARITH_INPUT1 : AIC_ARITH_INPUT0;
        if (is_constant(p, i)) {
            *address[i] &= (INT64_C(1) << p->operand[i].bits) - 1;
        }
        if (is_small(p, i)) {
            *sign[i] = p->operand[other].source != AIC_ARITH_TENSOR || p->operand[other].sign;
        }
    }
}

/* The result is a pattern of bits. Signs count where it is shifted right, as that of the count says; the sign of the
 * shifted number then distinguishes the two kinds of shift. All counts of 16 and more shift everything out. */
static void canonicalise_shift(const aic_arith *p, aic_tensor_arithmetic_quantized_desc *desc)
{
    enum { ALL = 16 };
    const aic_arith_operand *a = &p->operand[AIC_ARITH_INPUT0], *b = &p->operand[AIC_ARITH_INPUT1];
    const bool fixed = is_constant(p, AIC_ARITH_INPUT1), right = b->sign && !(fixed && b->constant >= 0);
    const bool has_sign = a->sign && !is_small(p, AIC_ARITH_INPUT0);
    if (fixed && (b->constant > ALL || b->constant < -ALL)) {
        desc->input1_addr = right ? (1 << 16) - ALL : ALL;
    }
    desc->shift_type = desc->shift_type == 1 && right && has_sign;
    desc->input0_sign = desc->output_sign = true;
    desc->input1_sign = right;
}

static void clear_signs(aic_tensor_arithmetic_quantized_desc *desc)
{
    desc->input0_sign = desc->input1_sign = desc->output_sign = true;
}

/* What is shifted is an integer below 2^bits, not less than -2^bits: a product of two of 8 bits, or its sum with a
 * number of 16 bits times 2^lshift_bit. All shifts by so many bits and more leave 0 or -1; rounded half up, by one bit
 * more, 0.
 */
static void limit_right_shift(const aic_arith *p, const aic_semantics *semantics,
                              aic_tensor_arithmetic_quantized_desc *desc)
{
    const bool sign = p->operand[AIC_ARITH_INPUT0].sign || p->operand[AIC_ARITH_INPUT1].sign;
    const int64_t bits = desc->op == AIC_ATOMIC_BM_MAC ? desc->lshift_bit + 17 : sign ? 15 : 16;
    const int64_t most = bits + (semantics->rounding == AIC_ROUNDING_HALF_UP);
    desc->rshift_bit = desc->rshift_bit < most ? desc->rshift_bit : most;
}

void aic_tensor_arithmetic_quantized_canonicalise(void *descriptor, const aic_semantics *semantics)
{
    aic_tensor_arithmetic_quantized_desc *desc = descriptor;
    aic_arith p = aic_arith_of_integers(desc, semantics);
    write_strides(&p, AIC_ARITH_OUTPUT, desc->output_stride);
    write_strides(&p, AIC_ARITH_INPUT0, desc->input0_stride);
    write_strides(&p, AIC_ARITH_INPUT1, desc->input1_stride);
    canonicalise_broadcast(desc);
    canonicalise_constants(&p, desc);
    p = aic_arith_of_integers(desc, semantics);
    switch (desc->op) {
    case AIC_ATOMIC_BM_AND:
    case AIC_ATOMIC_BM_OR:
    case AIC_ATOMIC_BM_XOR:
    case AIC_ATOMIC_BM_CPY:
        clear_signs(desc);
        break;
    case AIC_ATOMIC_BM_SHIFT:
        canonicalise_shift(&p, desc);
        break;
    case AIC_ATOMIC_BM_MUL:
    case AIC_ATOMIC_BM_MAC:
        limit_right_shift(&p, semantics, desc);
        break;
    default:
        break;
    }
}
