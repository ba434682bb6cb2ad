/* Pseudo-random descriptors of both entries of tensor arithmetic for the checks. */
#include "frontend/ops/arith/tensor_arithmetic.h"

#include "frontend/ops/arith/arith.h"
#include "frontend/random/rng.h"

#include <string.h>

/* ---- what both operators draw ---- */

/* A descriptor's fields, operands in calling order. */
typedef struct arith_fields {
    aic_memory *memory;
    int64_t *shape;
    int64_t *addr[AIC_ARITH_OPERANDS];
    int64_t *stride[AIC_ARITH_OPERANDS];
} arith_fields;

/* Elements, and words of one operand, of one check. */
enum { ELEMENTS_MAX = 20000, EXTENT_MAX = 100000, DRAWS = 8 };

/* The small memory: lanes, and words in each; of longer lanes, words at either end. */
enum { LANES = 8, LANE_WORDS = 1024 };

static bool has_default_memory(const aic_semantics *semantics)
{
    const aic_semantics defaults = aic_semantics_init();
    return semantics->lanes == defaults.lanes && semantics->lane_bytes == defaults.lane_bytes;
}

/* Memory that local descriptors are drawn for: that of the semantics; for that of the default semantics a small one
 * with shorter lanes, in both of which they are to be legal. */
static aic_semantics random_memory(const aic_semantics *semantics)
{
    aic_semantics memory = *semantics;
    if (has_default_memory(semantics)) {
        memory.lanes = LANES;
        memory.lane_bytes = LANE_WORDS * 4;
    }
    return memory;
}

/* Words of a lane that shapes and strides are drawn for. */
static int64_t words_of(const aic_semantics *memory)
{
    const int64_t words = memory->lane_bytes / 4;
    return words < LANE_WORDS ? words : LANE_WORDS;
}

/* ---- shapes ---- */

static int64_t elements_of(const int64_t *shape)
{
    return shape[0] * shape[1] * shape[2] * shape[3];
}

/* Sizes are drawn again before they are halved, which leads away from the edges. words: of a lane, 0 in flat memory. */
static void draw_shape(uint64_t *state, int64_t words, int64_t *shape)
{
    const bool local = words > 0;
    static const int64_t usual[] = {9, 34, 20, 300}, most[] = {300, 4095, 2000, 9000}, narrow[] = {4, 10, 6, 15};
    const int64_t elements = local ? words : ELEMENTS_MAX;
    for (int draw = 0; draw == 0 || (draw < DRAWS && elements_of(shape) > elements); draw++) {
        for (int d = 0; d < AIC_ARITH_RANK; d++) {
            const bool one = aic_rng_once_in(state, 4);
            shape[d] = one     ? 1
                       : local ? aic_rng_edge(state, 1, narrow[d])
                               : aic_rng_skewed(state, 1, usual[d], most[d]);
        }
    }
    while (elements_of(shape) > elements) {
        int largest = 0;
        for (int d = 1; d < AIC_ARITH_RANK; d++) {
            largest = shape[d] > shape[largest] ? d : largest;
        }
        shape[largest] /= 2;
    }
}

/* Words of an operand along each dimension; in lanes (0 in flat memory) at most. */
static void word_sizes(int64_t lanes, const int64_t *shape, int64_t bits, int64_t sizes[AIC_ARITH_RANK])
{
    memcpy(sizes, shape, AIC_ARITH_RANK * sizeof sizes[0]);
    sizes[AIC_ARITH_N] = (shape[AIC_ARITH_N] * bits + 31) / 32;
    if (lanes > 0) {
        sizes[AIC_ARITH_C] = (lanes - 1 + shape[AIC_ARITH_C] + lanes - 1) / lanes;
    }
}

static int64_t extent_of(const int64_t sizes[AIC_ARITH_RANK], const int64_t *stride)
{
    int64_t extent = 1;
    for (int d = 0; d < AIC_ARITH_RANK; d++) {
        extent += (sizes[d] - 1) * (sizes[d] > 1 ? stride[d] : 0);
    }
    return extent;
}

/* ---- strides ---- */

/* Strides that keep elements apart: dimensions in a random order from the inside to the outside, some with room. */
static void nest_strides(uint64_t *state, const int64_t sizes[AIC_ARITH_RANK], int64_t *stride)
{
    const int64_t first = AIC_RNG_PICK(state, 3, 3, 3, 2, 1, 0), step = AIC_RNG_PICK(state, 3, 3, 3, 1);
    int64_t extent = 1;
    for (int turn = 0; turn < AIC_ARITH_RANK; turn++) {
        const int64_t d = (first + turn * step) % AIC_ARITH_RANK;
        stride[d] = extent + (aic_rng_once_in(state, 4) ? aic_rng_range(state, 0, 5) : 0);
        extent += (sizes[d] - 1) * stride[d];
        if (sizes[d] == 1) {
            stride[d] = AIC_RNG_PICK(state, 0, 1, 7, UINT32_MAX); /* has no effect */
        }
    }
}

/* Strides of an input: any, with 0 as a broadcast. */
static void any_strides(uint64_t *state, const int64_t sizes[AIC_ARITH_RANK], int64_t *stride)
{
    nest_strides(state, sizes, stride);
    for (int d = 0; d < AIC_ARITH_RANK; d++) {
        if (aic_rng_once_in(state, 3)) {
            stride[d] = aic_rng_once_in(state, 2) ? 0 : aic_rng_range(state, 1, 40);
        }
    }
}

static void draw_strides(uint64_t *state, const int64_t sizes[AIC_ARITH_RANK], bool output, int64_t limit,
                         int64_t *stride)
{
    (output || aic_rng_once_in(state, 2) ? nest_strides : any_strides)(state, sizes, stride);
    if (aic_rng_once_in(state, 3) || extent_of(sizes, stride) > limit) {
        for (int d = 0; d < AIC_ARITH_RANK; d++) {
            stride[d] = AIC_COMPACT;
        }
    }
}

/* ---- addresses ---- */

/* Words from the first to the last of an operand that begins in this lane; *sizes changes to what it is there. */
static int64_t extent_from(int64_t lane, int64_t lanes, int64_t channels, int64_t sizes[AIC_ARITH_RANK],
                           const int64_t *stride)
{
    sizes[AIC_ARITH_C] = (lane + channels + lanes - 1) / lanes;
    return stride[0] == AIC_COMPACT ? sizes[0] * sizes[1] * sizes[2] * sizes[3] : extent_of(sizes, stride);
}

/* Where an operand begins: anywhere in a lane, of long ones at either end, and often so that it ends with the lane. Not
 * so in the memory of the default semantics, whose descriptors are legal in the small one. */
static int64_t draw_address(uint64_t *state, const aic_semantics *semantics, int64_t channels,
                            int64_t sizes[AIC_ARITH_RANK], const int64_t *stride)
{
    const aic_semantics memory = random_memory(semantics);
    const int64_t near = words_of(&memory), all = memory.lane_bytes / 4;
    int64_t word = aic_rng_range(state, 0, near - 1);
    const int64_t lane = aic_rng_range(state, 0, memory.lanes - 1);
    if (!has_default_memory(semantics)) {
        const int64_t extent = extent_from(lane, memory.lanes, channels, sizes, stride);
        word += aic_rng_once_in(state, 2) ? all - near : 0;
        word = aic_rng_once_in(state, 3) ? all - extent : word;
    }
    return 4 * (lane * all + word);
}

/* Shape, strides and addresses in that memory; bits: of the operands' elements. Elements of inputs may share words with
 * the output, or lie past the end of a lane, in local memory: the caller draws again. */
static void random_addresses(uint64_t *state, const aic_semantics *semantics, const arith_fields *fields,
                             const int64_t bits[AIC_ARITH_OPERANDS])
{
    const bool local = *fields->memory == AIC_MEMORY_LOCAL;
    const aic_semantics memory = random_memory(semantics);
    const int64_t words = local ? words_of(&memory) : 0;
    draw_shape(state, words, fields->shape);
    for (int i = 0; i < AIC_ARITH_OPERANDS; i++) {
        int64_t sizes[AIC_ARITH_RANK];
        word_sizes(local ? memory.lanes : 0, fields->shape, bits[i], sizes);
        draw_strides(state, sizes, i == AIC_ARITH_OUTPUT, local ? words / 2 : EXTENT_MAX, fields->stride[i]);
        *fields->addr[i] =
            local ? draw_address(state, semantics, fields->shape[AIC_ARITH_C], sizes, fields->stride[i]) : 0;
    }
}

/* Puts an input where the output is. */
static void random_in_place(const arith_fields *fields, int input)
{
    *fields->addr[input] = *fields->addr[AIC_ARITH_OUTPUT];
    memcpy(fields->stride[input], fields->stride[AIC_ARITH_OUTPUT], AIC_ARITH_RANK * sizeof(int64_t));
}

/* ---- operations ---- */

static bool has_op(aic_atomic_op number, bool fixed)
{
    const aic_arith_op *op = aic_arith_op_get(number);
    return op && (!fixed || op->input_bits != 0);
}

/* An operation of one of the entries. */
static aic_atomic_op random_op(uint64_t *state, bool fixed)
{
    aic_atomic_op number;
    do {
        number = (aic_atomic_op)aic_rng_range(state, AIC_ATOMIC_BM_MUL, AIC_ATOMIC_BM_SQR_DIFF);
    } while (!has_op(number, fixed));
    return number;
}

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
    const aic_semantics memory = random_memory(semantics);
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
    const arith_fields fields = FIELDS_OF(desc);
    do {
        desc->memory = memory;
        random_addresses(state, semantics, &fields, bits);
        desc->op = random_op(state, false);
        desc->input0_is_const = aic_rng_once_in(state, 6);
        desc->input1_is_const = aic_rng_once_in(state, 4);
        desc->input0_const = draw_float(state);
        desc->input1_const = draw_float(state);
        desc->select_value = draw_float(state);
        desc->shift_type = aic_rng_range(state, 0, 1);
        for (int i = AIC_ARITH_INPUT0; i <= AIC_ARITH_INPUT1; i++) {
            if (aic_rng_once_in(state, 4)) {
                random_in_place(&fields, i);
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
    const arith_fields fields = FIELDS_OF(desc);
    int64_t bits[AIC_ARITH_OPERANDS];
    do {
        desc->memory = memory;
        desc->op = random_op(state, true);
        draw_widths(state, desc, bits);
        random_addresses(state, semantics, &fields, bits);
        desc->rshift_bit = AIC_RNG_PICK(state, 0, 1, 3, 7, aic_rng_range(state, 0, 31));
        desc->lshift_bit = AIC_RNG_PICK(state, 0, 1, 3, aic_rng_range(state, 0, 31));
        desc->shift_type = aic_rng_range(state, 0, 1);
        desc->input1_n_is1 = aic_rng_once_in(state, 4);
        desc->input1_h_is1 = aic_rng_once_in(state, 4);
        desc->input1_w_is1 = aic_rng_once_in(state, 4);
        for (int i = AIC_ARITH_INPUT0; i <= AIC_ARITH_INPUT1; i++) {
            if (bits[i] == bits[AIC_ARITH_OUTPUT] && aic_rng_once_in(state, 4)) {
                random_in_place(&fields, i);
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
static void draw_fused_shape(uint64_t *state, const aic_accumulator *from, aic_tensor_arithmetic_desc *desc)
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
    draw_fused_shape(state, accumulator, desc);
    draw_input(state, accumulator, desc);
    desc->select_value = draw_float(state);
    desc->shift_type = aic_rng_range(state, 0, 1);
    if (aic_rng_once_in(state, accumulator->dtype == AIC_INT32 ? 2 : 4)) {
        desc->op = draw_chain_bits(state);
    } else {
        desc->op = floats[aic_rng_range(state, 0, (int64_t)(sizeof floats / sizeof floats[0]) - 1)];
    }
}
