/* Pseudo-random fields that both entries of tensor arithmetic have; see arith.h. */
#include "frontend/random/arith.h"

#include "frontend/random/rng.h"

#include <string.h>

/* Elements, and words of one operand, of one check. */
enum { ELEMENTS_MAX = 20000, EXTENT_MAX = 100000, DRAWS = 8 };

/* The small memory: lanes, and words in each; of longer lanes, words at either end. */
enum { LANES = 8, LANE_WORDS = 1024 };

static bool has_default_memory(const aic_semantics *semantics)
{
    const aic_semantics defaults = aic_semantics_init();
    return semantics->lanes == defaults.lanes && semantics->lane_bytes == defaults.lane_bytes;
}

aic_semantics aic_random_memory(const aic_semantics *semantics)
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
    const aic_semantics memory = aic_random_memory(semantics);
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

void aic_random_addresses(uint64_t *state, const aic_semantics *semantics, const aic_arith_fields *fields,
                          const int64_t bits[AIC_ARITH_OPERANDS])
{
    const bool local = *fields->memory == AIC_MEMORY_LOCAL;
    const aic_semantics memory = aic_random_memory(semantics);
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

void aic_random_in_place(const aic_arith_fields *fields, int input)
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

aic_atomic_op aic_random_op(uint64_t *state, bool fixed)
{
    aic_atomic_op number;
    do {
        number = (aic_atomic_op)aic_rng_range(state, AIC_ATOMIC_BM_MUL, AIC_ATOMIC_BM_SQR_DIFF);
    } while (!has_op(number, fixed));
    return number;
}
