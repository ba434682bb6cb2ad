/* Pseudo-random conv2d descriptors for the checks: they prefer the corners of the ranges. */
#include "frontend/ops/conv2d.h"

#include "frontend/random/rng.h"

/* What one check may cost. */
#define MACS_MAX INT64_C(5000000)
#define ELEMENTS_MAX INT64_C(2000000)

/* ---- alone ---- */

static void draw_shapes(uint64_t *state, aic_conv2d_desc *desc)
{
    const bool first = aic_rng_once_in(state, 4); /* C0 = 4: the first convolution of a network */
    const int64_t c0 = first ? 4 : desc->dtype == AIC_INT8 ? 32 : 16;
    const int64_t c1 = first ? 1 : aic_rng_skewed(state, 1, 4, 4096 / c0 < 256 ? 4096 / c0 : 256);
    const int64_t square = AIC_RNG_PICK(state, 1, 1, 2, 3, 3, 3, 5, 7);
    const bool oblong = aic_rng_once_in(state, 3);
    desc->fm_shape[0] = desc->kernel_shape[0] = c1;
    desc->fm_shape[1] = aic_rng_skewed(state, 1, 20, 4096);
    desc->fm_shape[2] = aic_rng_once_in(state, 3) ? aic_rng_edge(state, 1, 70) : aic_rng_skewed(state, 1, 20, 4096);
    desc->fm_shape[3] = desc->kernel_shape[4] = c0;
    desc->kernel_shape[1] = oblong ? aic_rng_skewed(state, 1, 6, 255) : square;
    desc->kernel_shape[2] = oblong ? aic_rng_skewed(state, 1, 6, 255) : square;
    desc->kernel_shape[3] = 16 * (aic_rng_once_in(state, 3) ? 1 : aic_rng_skewed(state, 1, 10, 256));
}

static void draw_window(uint64_t *state, aic_conv2d_desc *desc)
{
    const bool plain = aic_rng_once_in(state, 3);
    for (int i = 0; i < 2; i++) {
        desc->stride[i] = plain ? 1 : aic_rng_skewed(state, 1, 3, 63);
        desc->dilation[i] = plain ? 1 : aic_rng_skewed(state, 1, 3, 255);
    }
    for (int i = 0; i < 4; i++) {
        desc->pad[i] = plain ? 0 : aic_rng_skewed(state, 0, 4, 255);
    }
}

static void draw_values(uint64_t *state, aic_conv2d_desc *desc)
{
    static const double halves[] = {0,     -0.0,   1,      -1,        0.1,    -2.5,   0.333,    65504,  -65504,
                                    65503, 6.1e-5, 5.9e-8, 2.9802e-8, 1e-300, 2049.0, -1.00049, 1023.75};
    if (desc->dtype == AIC_INT8) {
        desc->pad_value = (double)AIC_RNG_PICK(state, 0, 0, 1, -1, -128, 127, aic_rng_range(state, -128, 127));
    } else {
        desc->pad_value = halves[aic_rng_range(state, 0, (int64_t)(sizeof halves / sizeof halves[0]) - 1)];
    }
    desc->init_l1out = !aic_rng_once_in(state, 3);
    desc->accumulate = aic_rng_once_in(state, 2) ? AIC_ACCUMULATE_FAST : AIC_ACCUMULATE_CUBE;
}

/* Any order of summation may also be Winograd's, mostly of a shape for which that is something else. */
static void draw_winograd(uint64_t *state, aic_conv2d_desc *desc)
{
    if (desc->accumulate == AIC_ACCUMULATE_FAST && aic_rng_once_in(state, 2)) {
        desc->accumulate = AIC_ACCUMULATE_WINOGRAD;
        if (!aic_rng_once_in(state, 4)) {
            desc->kernel_shape[1] = desc->kernel_shape[2] = 3;
            desc->stride[0] = desc->stride[1] = desc->dilation[0] = desc->dilation[1] = 1;
        }
    }
}

/* A reduction longer than 131071: int8 sums that can leave int32 and must be clamped. */
static void draw_long_reduction(uint64_t *state, aic_conv2d_desc *desc)
{
    desc->dtype = AIC_INT8;
    desc->fm_shape[0] = desc->kernel_shape[0] = 128;
    desc->fm_shape[3] = desc->kernel_shape[4] = 32;
    desc->kernel_shape[1] = aic_rng_range(state, 4, 6);
    desc->kernel_shape[2] = 33 / desc->kernel_shape[1] + 1;
    desc->kernel_shape[3] = 16;
    desc->fm_shape[1] = desc->kernel_shape[1];
    desc->fm_shape[2] = aic_rng_range(state, 1, desc->kernel_shape[2]);
    desc->pad[0] = desc->kernel_shape[2] - desc->fm_shape[2];
    desc->pad_value = (double)AIC_RNG_PICK(state, -128, 127, 0);
    desc->init_l1out = aic_rng_once_in(state, 2);
}

/* The longest kernels the document allows, over an image that is mostly padding. */
static void draw_large_kernel(uint64_t *state, aic_conv2d_desc *desc)
{
    draw_values(state, desc);
    desc->fm_shape[0] = desc->kernel_shape[0] = 1;
    desc->fm_shape[1] = aic_rng_range(state, 1, 9);
    desc->fm_shape[2] = aic_rng_range(state, 1, 9);
    desc->fm_shape[3] = desc->kernel_shape[4] = 4;
    desc->kernel_shape[1] = AIC_RNG_PICK(state, 255, 255, 254, 200);
    desc->kernel_shape[2] = AIC_RNG_PICK(state, 255, 255, 253, 100, 1);
    desc->kernel_shape[3] = 16;
    desc->pad[0] = desc->pad[2] = 255;
    desc->pad[1] = desc->kernel_shape[2] < 255 ? 0 : AIC_RNG_PICK(state, 0, 1);
    desc->pad[3] = aic_rng_range(state, 0, 2);
    desc->stride[0] = desc->stride[1] = 63;
}

/* Makes Ho and Wo positive, and the shape one within the limits. */
static void repair(aic_limits limits, aic_conv2d_desc *desc)
{
    for (int i = 0; i < 2; i++) {
        const int64_t before = desc->pad[i == 0 ? 2 : 0];
        const int64_t after = desc->pad[i == 0 ? 3 : 1];
        const int64_t extent = desc->fm_shape[1 + i] + before + after;
        int64_t *kernel = &desc->kernel_shape[1 + i];
        *kernel = *kernel > extent ? extent : *kernel;
        if (*kernel > 1 && desc->dilation[i] > (extent - 1) / (*kernel - 1)) {
            desc->dilation[i] = (extent - 1) / (*kernel - 1);
        }
    }
    if (limits == AIC_LIMITS_DOCUMENT && desc->fm_shape[2] == desc->kernel_shape[2] &&
        desc->fm_shape[1] > desc->kernel_shape[1]) {
        desc->fm_shape[2]++; /* at most 256: Kw is at most 255 */
    }
}

static bool too_large(const aic_conv2d_desc *desc)
{
    const aic_conv2d_sizes s = aic_conv2d_sizes_of(desc);
    return aic_op_conv2d.macs(desc) > MACS_MAX || s.cout * s.round_howo > ELEMENTS_MAX ||
           s.c1 * s.h * s.w * s.c0 > ELEMENTS_MAX;
}

/* Halves one size that is above its minimum. */
static void shrink(uint64_t *state, aic_conv2d_desc *desc)
{
    int64_t *sizes[] = {&desc->fm_shape[1],     &desc->fm_shape[2],     &desc->kernel_shape[0], &desc->kernel_shape[1],
                        &desc->kernel_shape[2], &desc->kernel_shape[3], &desc->pad[0],          &desc->pad[1],
                        &desc->pad[2],          &desc->pad[3]};
    const int64_t which = aic_rng_range(state, 0, 9);
    int64_t *size = sizes[which];
    const int64_t multiple = which == 5 ? 16 : 1;
    const int64_t low = which >= 6 ? 0 : multiple;
    *size = *size / multiple / 2 * multiple;
    *size = *size < low ? low : *size;
    desc->fm_shape[0] = desc->kernel_shape[0];
}

/* An image as wide as the kernel, and higher: what limits=document refuses. */
static void make_column(uint64_t *state, aic_conv2d_desc *desc)
{
    desc->kernel_shape[1] = desc->kernel_shape[2] = aic_rng_range(state, 1, 5);
    desc->dilation[0] = desc->dilation[1] = 1;
    desc->fm_shape[2] = desc->kernel_shape[2];
    desc->fm_shape[1] = desc->kernel_shape[1] + aic_rng_range(state, 1, 9);
}

static void draw_dense(uint64_t *state, aic_limits limits, aic_conv2d_desc *desc)
{
    desc->dtype = aic_rng_once_in(state, 2) ? AIC_INT8 : AIC_FLOAT16;
    if (aic_rng_once_in(state, 100)) {
        draw_long_reduction(state, desc);
    } else if (aic_rng_once_in(state, 50)) {
        draw_large_kernel(state, desc);
    } else {
        draw_shapes(state, desc);
        draw_window(state, desc);
        draw_values(state, desc);
        draw_winograd(state, desc);
        if (limits == AIC_LIMITS_HOST && aic_rng_once_in(state, 8)) {
            make_column(state, desc);
        }
    }
    repair(limits, desc);
    while (too_large(desc)) {
        shrink(state, desc);
        repair(limits, desc);
    }
}

/* Groups of any size from one channel to half of them, and as many output channels as they need; where these are too
 * many, none. */
static void draw_groups(uint64_t *state, aic_conv2d_desc *desc)
{
    const aic_conv2d_desc dense = *desc;
    const int64_t c1 = desc->fm_shape[0], c0 = desc->fm_shape[3];
    int64_t blocks = aic_rng_once_in(state, 3) ? aic_rng_range(state, 1, (c1 + 1) / 2) : 1;
    blocks = c1 % blocks == 0 ? blocks : 1;
    const int64_t drawn = AIC_RNG_PICK(state, 1, 1, 1, 2, 4, 8, 16, 32), block = blocks > 1 || drawn > c0 ? c0 : drawn;
    const int64_t groups = c1 * c0 / (blocks * block);
    int64_t outputs = groups; /* the least multiple of 16 that has so many groups */
    while (outputs % 16 != 0) {
        outputs += groups;
    }
    desc->groups = groups;
    desc->kernel_shape[0] = blocks;
    desc->kernel_shape[3] = outputs * aic_rng_skewed(state, 1, 3, 4);
    desc->kernel_shape[4] = block;
    if (groups == 1 || desc->kernel_shape[3] > 4096 || too_large(desc)) {
        *desc = dense;
    }
}

void aic_conv2d_random(uint64_t *state, const aic_semantics *semantics, void *descriptor)
{
    aic_conv2d_desc *desc = descriptor;
    draw_dense(state, semantics->limits, desc);
    if (aic_rng_once_in(state, 4)) {
        draw_groups(state, desc);
    }
}

/* ---- in chains ---- */

void aic_conv2d_random_start(uint64_t *state, void *descriptor)
{
    aic_conv2d_desc *desc = descriptor;
    desc->l1out = !desc->init_l1out && aic_rng_once_in(state, 2) ? AIC_L1OUT_CHANNEL : AIC_L1OUT_TENSOR;
}
