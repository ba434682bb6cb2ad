/* Pseudo-random transdata descriptors for the checks: legal ones that prefer the corners, and ones that break exactly
 * one rule. */
#include "frontend/ops/transdata.h"

#include "frontend/layout/fractal.h"
#include "frontend/layout/layout.h"
#include "frontend/random/rng.h"

#include <string.h>

/* Cells of the larger operand of one check. */
#define CELLS_MAX INT64_C(200000)

/* ---- legal ---- */

static aic_layout draw_layout(uint64_t *state)
{
    return (aic_layout)aic_rng_range(state, AIC_LAYOUT_ND, AIC_LAYOUT_2N);
}

static void draw_pair(uint64_t *state, aic_transdata_desc *desc)
{
    do {
        desc->src = draw_layout(state);
    } while (!aic_layout_takes(desc->src, desc->dtype));
    do {
        desc->dst = draw_layout(state);
    } while (!aic_layout_takes(desc->dst, desc->dtype) || !aic_layout_pair(desc->src, desc->dst) ||
             (desc->src == desc->dst && !aic_rng_once_in(state, 10)));
}

/* Usual and largest sizes: what is cut into blocks is long, the rest short. */
static int64_t draw_size(uint64_t *state, char letter)
{
    static const struct {
        char letter;
        int64_t usual, most;
    } rows[] = {{'R', 140, 3000}, {'C', 140, 1500}, {'N', 18, 70}, {'O', 70, 600},
                {'I', 140, 600},  {'W', 40, 600},   {'H', 9, 60}};
    size_t i = 0;
    while (i + 1 < sizeof rows / sizeof rows[0] && rows[i].letter != letter) {
        i++;
    }
    if (aic_rng_once_in(state, 6)) {
        return AIC_RNG_PICK(state, 1, 8, 16, 32); /* whole blocks */
    }
    return aic_rng_skewed(state, 1, rows[i].usual, rows[i].most);
}

static int64_t cells(const aic_transdata_desc *desc, aic_layout layout)
{
    const aic_tensor tensor = aic_transdata_tensor(desc);
    int64_t dims[AIC_RANK_MAX], product = 1;
    const int32_t rank = aic_layout_get(layout)->dims(&tensor, dims);
    for (int32_t d = 0; d < rank; d++) {
        product *= dims[d];
    }
    return product;
}

static void halve_largest(aic_transdata_desc *desc)
{
    size_t largest = 0;
    for (size_t i = 1; i < AIC_TENSOR_RANK_MAX; i++) {
        largest = desc->shape[i] > desc->shape[largest] ? i : largest;
    }
    desc->shape[largest] /= 2;
}

static bool is_too_large(const aic_transdata_desc *desc)
{
    return cells(desc, desc->src) > CELLS_MAX || cells(desc, desc->dst) > CELLS_MAX;
}

/* Sizes are drawn again before they are halved, which leads away from the edges. */
static void draw_shape(uint64_t *state, aic_transdata_desc *desc)
{
    enum { DRAWS = 8 };
    const char *letters = aic_layout_shape_letters(desc->src, desc->dst);
    memset(desc->shape, 0, sizeof desc->shape);
    for (int draw = 0; draw == 0 || (draw < DRAWS && is_too_large(desc)); draw++) {
        for (size_t i = 0; letters[i] != '\0'; i++) {
            desc->shape[i] = draw_size(state, letters[i]);
        }
    }
    while (is_too_large(desc)) {
        halve_largest(desc);
    }
}

void aic_transdata_random(uint64_t *state, void *descriptor)
{
    aic_transdata_desc *desc = descriptor;
    desc->dtype = aic_random_moved_dtype(state);
    draw_pair(state, desc);
    draw_shape(state, desc);
}

/* ---- illegal ---- */

static void break_dtype(uint64_t *state, aic_transdata_desc *desc)
{
    desc->dtype = aic_random_unmoved_dtype(state);
}

static void break_src(uint64_t *state, aic_transdata_desc *desc)
{
    uint32_t wrong = (uint32_t)AIC_RNG_PICK(state, AIC_LAYOUT_2N + 1, 77, UINT32_MAX);
    if (aic_rng_once_in(state, 2)) { /* words of batches of another element size */
        wrong = aic_layout_takes(AIC_LAYOUT_4N, desc->dtype) ? AIC_LAYOUT_2N : AIC_LAYOUT_4N;
    }
    memcpy(&desc->src, &wrong, sizeof wrong);
}

static void break_dst(uint64_t *state, aic_transdata_desc *desc)
{
    if (aic_rng_once_in(state, 4)) {
        const uint32_t wrong = (uint32_t)AIC_RNG_PICK(state, AIC_LAYOUT_2N + 1, 77, UINT32_MAX);
        memcpy(&desc->dst, &wrong, sizeof wrong);
        return;
    }
    do {
        desc->dst = draw_layout(state);
    } while (aic_layout_takes(desc->dst, desc->dtype) && aic_layout_pair(desc->src, desc->dst));
}

static void break_size(uint64_t *state, aic_transdata_desc *desc)
{
    const size_t count = strlen(aic_layout_shape_letters(desc->src, desc->dst));
    desc->shape[aic_rng_range(state, 0, (int64_t)count - 1)] = aic_rng_outside(state, 1, AIC_TRANSDATA_SIZE_MAX);
}

/* A matrix with three sizes or four. */
static void break_rank(uint64_t *state, aic_transdata_desc *desc)
{
    do {
        draw_pair(state, desc);
    } while (strlen(aic_layout_shape_letters(desc->src, desc->dst)) > 2);
    draw_shape(state, desc);
    desc->shape[aic_rng_range(state, 2, 3)] = AIC_RNG_PICK(state, 1, 16, -1, INT64_MAX);
}

/* Three of four sizes so large that no address can tell the cells apart. */
static void break_bytes(uint64_t *state, aic_transdata_desc *desc)
{
    do {
        draw_pair(state, desc);
    } while (strlen(aic_layout_shape_letters(desc->src, desc->dst)) < 4);
    for (size_t i = 0; i < AIC_TENSOR_RANK_MAX; i++) {
        desc->shape[i] = aic_rng_range(state, AIC_TRANSDATA_SIZE_MAX / 2, AIC_TRANSDATA_SIZE_MAX);
    }
    desc->shape[aic_rng_range(state, 0, AIC_TENSOR_RANK_MAX - 1)] = 1;
}

void aic_transdata_random_illegal(uint64_t *state, void *descriptor)
{
    static void (*const breakers[])(uint64_t *, aic_transdata_desc *) = {break_dtype, break_src,  break_dst,
                                                                         break_size,  break_rank, break_bytes};
    aic_transdata_random(state, descriptor);
    breakers[aic_rng_range(state, 0, (int64_t)(sizeof breakers / sizeof breakers[0]) - 1)](state, descriptor);
}
