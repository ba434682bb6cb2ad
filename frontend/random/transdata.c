/* Pseudo-random transdata descriptors for the checks: they prefer the corners. */
#include "frontend/ops/transdata.h"

#include "frontend/layout/fractal.h"
#include "frontend/layout/layout.h"
#include "frontend/random/rng.h"

#include <string.h>

/* Cells of the larger operand of one check. */
#define CELLS_MAX INT64_C(200000)

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
    const int32_t rank = aic_layout_dims(layout, &tensor, dims);
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
