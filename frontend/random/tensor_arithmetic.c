/* Pseudo-random descriptors of both entries of tensor arithmetic for the checks. */
#include "frontend/ops/arith/tensor_arithmetic.h"

#include "frontend/random/arith.h"
#include "frontend/random/rng.h"

#include <string.h>

/* ---- both entries ---- */

#define FIELDS_OF(desc)                                                                                                \
    {                                                                                                                  \
        .memory = &(desc)->memory,                                                                                     \
        .shape = (desc)->shape,                                                                                        \
        .addr = {&(desc)->output_addr, &(desc)->input0_addr, &(desc)->input1_addr},                                    \
        .stride = {(desc)->output_stride, (desc)->input0_stride, (desc)->input1_stride},                               \
    }

static bool is_legal(const aic_op_info *op, const aic_semantics *semantics, const void *desc)
{
    const aic_semantics memory = aic_random_memory(semantics);
    return op->validate(desc, &memory) == AIC_OK && op->validate(desc, semantics) == AIC_OK;
}

/* Local memory costs a check its copies: seldom where it is as large as the documents', never where it is larger. */
static aic_memory draw_memory(uint64_t *state, const aic_semantics *semantics)
{
    const aic_semantics defaults = aic_semantics_init();
    const int64_t usual = defaults.lanes * defaults.lane_bytes, bytes = semantics->lanes * semantics->lane_bytes;
    const bool local = bytes <= usual / 4 ? !aic_rng_once_in(state, 3) : bytes <= usual && aic_rng_once_in(state, 12);
    return local ? AIC_MEMORY_LOCAL : AIC_MEMORY_FLAT;
}

/* ---- tensor_arithmetic ---- */

static float draw_float(uint64_t *state)
{
    const uint32_t bits = (uint32_t)AIC_RNG_PICK(state, 0, 0x3F800000, 0xC0200000, 0x80000000, 0x7F800000, 0x7FC00000,
                                                 1, 0x7F7FFFFF, 0x7F800001, (int64_t)(uint32_t)aic_rng_next(state));
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

void aic_tensor_arithmetic_random(uint64_t *state, const aic_semantics *semantics, void *descriptor)
{
    aic_tensor_arithmetic_desc *desc = descriptor;
    const aic_memory memory = draw_memory(state, semantics);
    static const int64_t bits[] = {32, 32, 32};
    const aic_arith_fields fields = FIELDS_OF(desc);
    do {
        desc->memory = memory;
        aic_random_addresses(state, semantics, &fields, bits);
        desc->op = aic_random_op(state, false);
        desc->input0_is_const = aic_rng_once_in(state, 6);
        desc->input1_is_const = aic_rng_once_in(state, 4);
        desc->input0_const = draw_float(state);
        desc->input1_const = draw_float(state);
        desc->select_value = draw_float(state);
        desc->shift_type = aic_rng_range(state, 0, 1);
        for (int i = AIC_ARITH_INPUT0; i <= AIC_ARITH_INPUT1; i++) {
            if (aic_rng_once_in(state, 4)) {
                aic_random_in_place(&fields, i);
            }
        }
    } while (!is_legal(&aic_op_tensor_arithmetic, semantics, desc));
}

/* ---- tensor_arithmetic_quantized ---- */

/* One of the widths whose sum is given. */
static int64_t draw_bits(uint64_t *state, int64_t legal)
{
    return legal == 24 ? AIC_RNG_PICK(state, 8, 16) : legal;
}

/* A constant in the address field: the value's low bits, above a negative one zeros or ones. */
static int64_t draw_constant(uint64_t *state, int64_t bits, bool sign)
{
    const int64_t range = INT64_C(1) << bits;
    const int64_t low = AIC_RNG_PICK(state, 0, 1, 5, range / 2 - 1, range / 2, range - 1, range - 3,
                                     aic_rng_range(state, 0, range - 1));
    const bool ones = sign && low >= range / 2 && aic_rng_once_in(state, 2);
    return low + (ones ? (INT64_C(1) << 32) - range : 0);
}

static void draw_widths(uint64_t *state, aic_tensor_arithmetic_quantized_desc *desc, int64_t bits[AIC_ARITH_OPERANDS])
{
    const aic_arith_op *op = aic_arith_op_get(desc->op);
    const int64_t input = draw_bits(state, op->input_bits);
    bits[AIC_ARITH_INPUT0] = bits[AIC_ARITH_INPUT1] = input;
    bits[AIC_ARITH_OUTPUT] = op->output_bits != 0 ? draw_bits(state, op->output_bits) : input;
    desc->input0_8bit = desc->input1_8bit = input == 8;
    desc->output_8bit = bits[AIC_ARITH_OUTPUT] == 8;
    desc->input0_sign = aic_rng_once_in(state, 2);
    desc->input1_sign = aic_rng_once_in(state, 2);
    desc->output_sign = aic_rng_once_in(state, 2);
}

static void draw_constants(uint64_t *state, aic_tensor_arithmetic_quantized_desc *desc, const int64_t *bits)
{
    desc->input0_is_const = aic_rng_once_in(state, 6);
    desc->input1_is_const = aic_rng_once_in(state, 4);
    if (desc->input0_is_const) {
        desc->input0_addr = draw_constant(state, bits[AIC_ARITH_INPUT0], desc->input0_sign);
    }
    if (desc->input1_is_const) {
        desc->input1_addr = draw_constant(state, bits[AIC_ARITH_INPUT1], desc->input1_sign);
    }
}

void aic_tensor_arithmetic_quantized_random(uint64_t *state, const aic_semantics *semantics, void *descriptor)
{
    aic_tensor_arithmetic_quantized_desc *desc = descriptor;
    const aic_memory memory = draw_memory(state, semantics);
    const aic_arith_fields fields = FIELDS_OF(desc);
    int64_t bits[AIC_ARITH_OPERANDS];
    do {
        desc->memory = memory;
        desc->op = aic_random_op(state, true);
        draw_widths(state, desc, bits);
        aic_random_addresses(state, semantics, &fields, bits);
        desc->rshift_bit = AIC_RNG_PICK(state, 0, 1, 3, 7, aic_rng_range(state, 0, 31));
        desc->lshift_bit = AIC_RNG_PICK(state, 0, 1, 3, aic_rng_range(state, 0, 31));
        desc->shift_type = aic_rng_range(state, 0, 1);
        desc->input1_n_is1 = aic_rng_once_in(state, 4);
        desc->input1_h_is1 = aic_rng_once_in(state, 4);
        desc->input1_w_is1 = aic_rng_once_in(state, 4);
        for (int i = AIC_ARITH_INPUT0; i <= AIC_ARITH_INPUT1; i++) {
            if (bits[i] == bits[AIC_ARITH_OUTPUT] && aic_rng_once_in(state, 4)) {
                aic_random_in_place(&fields, i);
            }
        }
        draw_constants(state, desc, bits);
    } while (!is_legal(&aic_op_tensor_arithmetic_quantized, semantics, desc));
}

/* ---- in chains ---- */

/* On bits, among them those of floats. */
static aic_atomic_op draw_chain_bits(uint64_t *state)
{
    static const aic_atomic_op ops[] = {AIC_ATOMIC_BM_AND,   AIC_ATOMIC_BM_OR, AIC_ATOMIC_BM_XOR,
                                        AIC_ATOMIC_BM_SHIFT, AIC_ATOMIC_BM_SE, AIC_ATOMIC_BM_CPY};
    return ops[aic_rng_range(state, 0, (int64_t)(sizeof ops / sizeof ops[0]) - 1)];
}

/* Constant, one value a channel, a whole tensor, what an earlier stage has left, or other strides. */
static void draw_input(uint64_t *state, const aic_accumulator *from, aic_tensor_arithmetic_desc *desc)
{
    const int64_t block = from->block_rows * 16;
    const int64_t strides[][AIC_ARITH_RANK] = {
        {0, 16, 0, 1}, {0, 16, 0, 1}, {-1, -1, -1, -1}, {0, block, 16, 1}, {0, from->rows * 16, 16, 1},
        {0, 0, 1, 0},  {7, 0, 0, 0},  {0, 0, 0, 1},     {0, 3, 16, 2},     {0, 40, 32, 1},
        {0, 48, 0, 3}};
    const int64_t row = aic_rng_range(state, 0, (int64_t)(sizeof strides / sizeof strides[0]) - 1);
    desc->input1_is_const = aic_rng_once_in(state, 4);
    desc->input1_const = draw_float(state);
    memcpy(desc->input1_stride, strides[row], sizeof desc->input1_stride);
    if (!desc->input1_is_const && aic_rng_once_in(state, 4)) {
        desc->input1_stage = aic_rng_range(state, 1, from->stage);
        memcpy(desc->input1_stride, strides[2], sizeof desc->input1_stride);
    }
}

/* What is left out, or given. */
static void draw_shape(uint64_t *state, const aic_accumulator *from, aic_tensor_arithmetic_desc *desc)
{
    const int64_t shape[] = {1, (from->columns + 15) / 16, from->block_rows, 16};
    for (int d = 0; d < AIC_ARITH_RANK; d++) {
        desc->shape[d] = AIC_RNG_PICK(state, 0, shape[d]);
    }
    if (aic_rng_once_in(state, 3)) {
        desc->shape[AIC_ARITH_H] = from->rows;
    }
    if (aic_rng_once_in(state, 3)) {
        const int64_t stride[] = {5, from->block_rows * 16, 16, 1};
        memcpy(desc->output_stride, stride, sizeof stride);
        memcpy(desc->input0_stride, stride, sizeof stride);
    }
}

void aic_tensor_arithmetic_random_fused(uint64_t *state, const aic_accumulator *accumulator, void *descriptor)
{
    static const aic_atomic_op floats[] = {AIC_ATOMIC_BM_ADD, AIC_ATOMIC_BM_SUB, AIC_ATOMIC_BM_MUL,
                                           AIC_ATOMIC_BM_MUL, AIC_ATOMIC_BM_DIV, AIC_ATOMIC_BM_MAC,
                                           AIC_ATOMIC_BM_MAX, AIC_ATOMIC_BM_MIN, AIC_ATOMIC_BM_SG};
    aic_tensor_arithmetic_desc *desc = descriptor;
    draw_shape(state, accumulator, desc);
    draw_input(state, accumulator, desc);
    desc->select_value = draw_float(state);
    desc->shift_type = aic_rng_range(state, 0, 1);
    if (aic_rng_once_in(state, accumulator->dtype == AIC_INT32 ? 2 : 4)) {
        desc->op = draw_chain_bits(state);
    } else {
        desc->op = floats[aic_rng_range(state, 0, (int64_t)(sizeof floats / sizeof floats[0]) - 1)];
    }
}
