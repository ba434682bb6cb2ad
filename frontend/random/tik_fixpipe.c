/* Pseudo-random tik_fixpipe descriptors for the checks: of every pair of types. */
#include "frontend/ops/tik_fixpipe.h"

#include "frontend/random/rng.h"

#include <math.h>

/* What one check may touch. */
#define ELEMENTS_MAX INT64_C(100000)

#define COUNT(array) ((int64_t)(sizeof(array) / sizeof((array)[0])))

/* ---- alone ---- */

static void draw_types(uint64_t *state, aic_tik_fixpipe_desc *desc)
{
    const aic_tik_fixpipe_conversion *row =
        &aic_tik_fixpipe_conversions[aic_rng_range(state, 0, AIC_TIK_FIXPIPE_CONVERSIONS - 1)];
    desc->src = row->src;
    desc->dst = row->dst;
    desc->quantize_params = row->mode;
}

static void draw_extend_params(uint64_t *state, aic_tik_fixpipe_desc *desc)
{
    static const double scales[] = {1, -1, 0, -0.0, 0.5, 0.1, -3.25, 65504, -65504, 6e-8, 1e-300, 0.0078125, 5e-324};
    const bool scaled = desc->quantize_params == AIC_TIK_QUANTIZE_INT322FP16;
    desc->mode_param_tensor = scaled && aic_rng_once_in(state, 2);
    desc->mode_param = scales[aic_rng_range(state, 0, COUNT(scales) - 1)];
    desc->bias = aic_rng_once_in(state, 2);
    desc->relu = !desc->bias && (!scaled || desc->mode_param_tensor) && aic_rng_once_in(state, 2);
    if (!(scaled && !desc->mode_param_tensor) && aic_rng_once_in(state, 4)) { /* not used */
        desc->mode_param = (double)INFINITY;
    }
}

static void draw_bursts(uint64_t *state, aic_tik_fixpipe_desc *desc)
{
    desc->cburst_num = aic_rng_skewed(state, 1, 18, 4095);
    int64_t rows = aic_rng_skewed(state, 1, 200, 32767);
    while (desc->cburst_num * rows * 16 > ELEMENTS_MAX) {
        int64_t *larger = desc->cburst_num > rows ? &desc->cburst_num : &rows;
        *larger /= 2;
    }
    desc->burst_len = 2 * rows;
    desc->dst_stride = aic_rng_once_in(state, 2) ? 0 : aic_rng_range(state, 1, 40);
    if (desc->cburst_num <= 3 && aic_rng_once_in(state, 20)) {
        desc->dst_stride = 65535;
    }
}

void aic_tik_fixpipe_random(uint64_t *state, void *descriptor)
{
    aic_tik_fixpipe_desc *desc = descriptor;
    draw_types(state, desc);
    draw_bursts(state, desc);
    draw_extend_params(state, desc);
}

/* ---- at the end of a chain ---- */

/* Bursts of a chain: all rows, or as many as the blocks of the accumulators have rows apart. */
static void fit_bursts(uint64_t *state, const aic_accumulator *from, aic_tik_fixpipe_desc *desc)
{
    const int64_t blocks = from->columns / 16, least = from->block_rows - 15;
    desc->cburst_num = AIC_RNG_PICK(state, 0, blocks, aic_rng_edge(state, 1, blocks));
    desc->burst_len = AIC_RNG_PICK(state, 0, from->rows, aic_rng_range(state, least, from->rows)) * 2;
    if (desc->cburst_num == 1 && aic_rng_once_in(state, 2)) {
        desc->burst_len = aic_rng_edge(state, 1, from->rows) * 2;
    }
    desc->dst_stride = aic_rng_once_in(state, 2) ? 0 : aic_rng_range(state, 1, 40);
}

/* Accumulators of fewer than 16 columns have no burst: the caller draws other ones. */
void aic_tik_fixpipe_random_fused(uint64_t *state, const aic_accumulator *accumulator, void *descriptor)
{
    aic_tik_fixpipe_desc *desc = descriptor;
    const bool any = accumulator->words && aic_rng_once_in(state, 2); /* words are read as either type */
    do {
        draw_types(state, desc);
    } while (!any && desc->src != accumulator->dtype);
    if (accumulator->columns >= 16) {
        fit_bursts(state, accumulator, desc);
        draw_extend_params(state, desc);
    }
}
