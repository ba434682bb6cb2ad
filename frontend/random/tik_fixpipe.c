/* Pseudo-random tik_fixpipe descriptors for the checks: legal ones of every pair of types, and ones that break exactly
 * one rule of TIK conv2d. */
#include "frontend/ops/tik_fixpipe.h"

#include "frontend/random/rng.h"

#include <math.h>

/* What one check may touch. */
#define ELEMENTS_MAX INT64_C(100000)

#define COUNT(array) ((int64_t)(sizeof(array) / sizeof((array)[0])))

/* ---- legal ---- */

static void set_types(aic_tik_fixpipe_desc *desc, int64_t row)
{
    static const struct {
        aic_dtype src, dst;
        aic_tik_quantize mode;
    } rows[4] = {
        {AIC_FLOAT32, AIC_FLOAT32, AIC_TIK_QUANTIZE_NONE},
        {AIC_INT32, AIC_INT32, AIC_TIK_QUANTIZE_NONE},
        {AIC_FLOAT32, AIC_FLOAT16, AIC_TIK_QUANTIZE_FP322FP16},
        {AIC_INT32, AIC_FLOAT16, AIC_TIK_QUANTIZE_INT322FP16},
    };
    desc->src = rows[row].src;
    desc->dst = rows[row].dst;
    desc->quantize_params = rows[row].mode;
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
    set_types(desc, aic_rng_range(state, 0, 3));
    draw_bursts(state, desc);
    draw_extend_params(state, desc);
}

/* ---- illegal ---- */

static void break_dst(uint64_t *state, aic_tik_fixpipe_desc *desc)
{
    const uint32_t wrong = (uint32_t)AIC_RNG_PICK(state, AIC_DTYPE_NONE, AIC_INT8, AIC_BFLOAT16, AIC_UINT32, 77);
    memcpy(&desc->dst, &wrong, sizeof wrong);
}

static void break_src(uint64_t *state, aic_tik_fixpipe_desc *desc)
{
    const uint32_t wrong = (uint32_t)AIC_RNG_PICK(state, AIC_DTYPE_NONE, AIC_INT8, AIC_FLOAT16, AIC_UINT32, UINT32_MAX);
    memcpy(&desc->src, &wrong, sizeof wrong);
}

static void break_burst_count(uint64_t *state, aic_tik_fixpipe_desc *desc)
{
    desc->cburst_num = aic_rng_outside(state, 1, 4095);
}

static void break_burst(uint64_t *state, aic_tik_fixpipe_desc *desc)
{
    desc->burst_len = aic_rng_once_in(state, 2) ? desc->burst_len - 1 : aic_rng_outside(state, 1, 65535);
}

static void break_dst_stride(uint64_t *state, aic_tik_fixpipe_desc *desc)
{
    desc->dst_stride = aic_rng_outside(state, 0, 65535);
}

static void break_src_stride(uint64_t *state, aic_tik_fixpipe_desc *desc)
{
    desc->src_stride = AIC_RNG_PICK(state, 1, -1, 65535, INT64_MIN, INT64_MAX);
}

static void break_bias(uint64_t *state, aic_tik_fixpipe_desc *desc)
{
    memset(&desc->bias, (int)aic_rng_range(state, 2, 255), sizeof desc->bias);
}

static void break_quantize(uint64_t *state, aic_tik_fixpipe_desc *desc)
{
    const uint32_t wrong = (uint32_t)AIC_RNG_PICK(state, 3, 77, UINT32_MAX);
    desc->mode_param_tensor = false;
    if (aic_rng_once_in(state, 2)) {
        memcpy(&desc->quantize_params, &wrong, sizeof wrong);
    } else {
        const int64_t next = desc->quantize_params + aic_rng_range(state, 1, 2);
        desc->quantize_params = (aic_tik_quantize)(next % 3);
    }
}

/* Types that nothing joins. */
static void break_pair(uint64_t *state, aic_tik_fixpipe_desc *desc)
{
    (void)state;
    desc->dst = desc->src == AIC_FLOAT32 ? AIC_INT32 : AIC_FLOAT32;
}

static void break_scale(uint64_t *state, aic_tik_fixpipe_desc *desc)
{
    static const double wrong[] = {(double)NAN, (double)INFINITY, -(double)INFINITY, 65504.0001, -65505, 1e300};
    set_types(desc, 3);
    desc->mode_param_tensor = false;
    desc->relu = false;
    desc->mode_param = wrong[aic_rng_range(state, 0, COUNT(wrong) - 1)];
}

static void break_scale_tensor(uint64_t *state, aic_tik_fixpipe_desc *desc)
{
    if (aic_rng_once_in(state, 2)) {
        memset(&desc->mode_param_tensor, (int)aic_rng_range(state, 2, 255), sizeof desc->mode_param_tensor);
    } else {
        set_types(desc, aic_rng_range(state, 0, 2));
        desc->mode_param_tensor = true;
    }
}

static void break_relu(uint64_t *state, aic_tik_fixpipe_desc *desc)
{
    switch (aic_rng_range(state, 0, 2)) {
    case 0:
        memset(&desc->relu, (int)aic_rng_range(state, 2, 255), sizeof desc->relu);
        break;
    case 1: /* with a bias */
        desc->bias = true;
        desc->relu = true;
        break;
    default: /* with a number for a scale */
        set_types(desc, 3);
        desc->mode_param_tensor = false;
        desc->mode_param = 1;
        desc->bias = false;
        desc->relu = true;
        break;
    }
}

void aic_tik_fixpipe_random_illegal(uint64_t *state, void *desc)
{
    static void (*const breakers[])(uint64_t *, aic_tik_fixpipe_desc *) = {
        break_dst,  break_src,      break_burst_count, break_burst, break_dst_stride,   break_src_stride,
        break_bias, break_quantize, break_pair,        break_scale, break_scale_tensor, break_relu,
    };
    aic_tik_fixpipe_random(state, desc);
    breakers[aic_rng_range(state, 0, COUNT(breakers) - 1)](state, desc);
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
void aic_tik_fixpipe_random_fused(uint64_t *state, const aic_accumulator *accumulator, bool legal, void *descriptor)
{
    static void (*const breakers[])(uint64_t *, aic_tik_fixpipe_desc *) = {
        break_dst, break_src, break_dst_stride, break_src_stride, break_bias, break_relu,
    };
    aic_tik_fixpipe_desc *desc = descriptor;
    const bool any = accumulator->words && aic_rng_once_in(state, 2); /* words are read as either type */
    do {
        set_types(desc, aic_rng_range(state, 0, 3));
    } while (!any && desc->src != accumulator->dtype);
    if (accumulator->columns < 16) {
        return;
    }
    fit_bursts(state, accumulator, desc);
    draw_extend_params(state, desc);
    if (legal) {
        return;
    }
    switch (aic_rng_range(state, 0, 3)) {
    case 0:
        desc->cburst_num = aic_rng_outside(state, 0, accumulator->columns / 16);
        break;
    case 1:
        desc->burst_len = AIC_RNG_PICK(state, 2 * accumulator->rows + 2, 2 * accumulator->rows - 1, -2, INT64_MAX);
        break;
    default:
        breakers[aic_rng_range(state, 0, COUNT(breakers) - 1)](state, desc);
        break;
    }
}
