/* Pseudo-random mmad descriptors for the checks: they prefer the corners. */
#include "frontend/ops/mmad.h"

#include "frontend/random/rng.h"

/* What one check may cost. */
#define MACS_MAX INT64_C(3000000)
#define ELEMENTS_MAX INT64_C(300000)

/* ---- alone ---- */

static int64_t draw_size(uint64_t *state)
{
    switch (aic_rng_range(state, 0, 15)) {
    case 0:
        return 1;
    case 1:
        return aic_rng_once_in(state, 4) ? 0 : 4095;
    case 2:
    case 3:
        return 16 * aic_rng_range(state, 1, 6); /* whole fractals */
    case 4:
        return aic_rng_range(state, 100, 900);
    case 5:
        return aic_rng_edge(state, 1, 900);
    default:
        return aic_rng_once_in(state, 2) ? aic_rng_edge(state, 1, 140) : aic_rng_range(state, 1, 99);
    }
}

/* Halves m or n: the tails of k and long reductions are what matters more, and no k alone is too large. */
static void shrink(uint64_t *state, aic_mmad_desc *desc)
{
    int64_t *size = aic_rng_once_in(state, 2) ? &desc->m : &desc->n;
    *size = *size > 1 ? *size / 2 : *size;
}

static bool too_large(const aic_mmad_desc *desc)
{
    return desc->m * desc->n * desc->k > MACS_MAX || desc->m * desc->k > ELEMENTS_MAX ||
           desc->k * desc->n > ELEMENTS_MAX || desc->m * desc->n > ELEMENTS_MAX;
}

void aic_mmad_random(uint64_t *state, void *descriptor)
{
    aic_mmad_desc *desc = descriptor;
    desc->dtype = (aic_dtype)AIC_RNG_PICK(state, AIC_INT8, AIC_FLOAT16, AIC_BFLOAT16, AIC_FLOAT32);
    desc->m = draw_size(state);
    desc->n = draw_size(state);
    desc->k = draw_size(state);
    while (too_large(desc)) {
        shrink(state, desc);
    }
    const bool fractals = aic_rng_once_in(state, 4); /* as the document has them, all three */
    desc->a_format = fractals || aic_rng_once_in(state, 3) ? AIC_LAYOUT_ZZ : AIC_LAYOUT_ND;
    desc->b_format = fractals || aic_rng_once_in(state, 3) ? AIC_LAYOUT_ZN : AIC_LAYOUT_ND;
    desc->c_format = fractals || aic_rng_once_in(state, 3) ? AIC_LAYOUT_NZ : AIC_LAYOUT_ND;
    desc->init_c = !aic_rng_once_in(state, 3);
    desc->accumulate =
        (aic_accumulate)AIC_RNG_PICK(state, AIC_ACCUMULATE_CUBE, AIC_ACCUMULATE_CUBE, AIC_ACCUMULATE_CUBE,
                                     AIC_ACCUMULATE_FAST, AIC_ACCUMULATE_FAST, AIC_ACCUMULATE_WINOGRAD);
}

/* ---- in chains ---- */

void aic_mmad_random_start(uint64_t *state, void *descriptor)
{
    aic_mmad_desc *desc = descriptor;
    desc->l1out = !desc->init_c && aic_rng_once_in(state, 2) ? AIC_L1OUT_CHANNEL : AIC_L1OUT_TENSOR;
}
