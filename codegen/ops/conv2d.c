/* conv2d as a contraction (TIK conv2d). */
#include "codegen/contraction/contraction.h"

static bool wraps(const aic_conv2d_desc *d, const aic_semantics *semantics)
{
    return d->dtype == AIC_INT8 && semantics->int_overflow == AIC_INT_OVERFLOW_WRAP;
}

static aic_sum sum_of(const aic_conv2d_desc *d, const aic_semantics *semantics)
{
    if (d->dtype == AIC_FLOAT16) {
        return d->accumulate == AIC_ACCUMULATE_CUBE ? AIC_SUM_CUBE : AIC_SUM_FAST;
    }
    int64_t products = d->kernel_shape[0] * d->kernel_shape[1] * d->kernel_shape[2] * d->kernel_shape[4];
    return products <= AIC_INT32_PRODUCTS || wraps(d, semantics) ? AIC_SUM_INT : AIC_SUM_INT_WIDE;
}

/* `pad` is that before the image and that behind it. */
static aic_line line_of(int64_t extent, int64_t taps, int64_t stride, int64_t dilation, const int64_t pad[2])
{
    return (aic_line){.extent = extent,
                      .taps = taps,
                      .stride = stride,
                      .dilation = dilation,
                      .pad = pad[0],
                      .out = (extent + pad[0] + pad[1] - dilation * (taps - 1) - 1) / stride + 1};
}

static void describe(const void *desc, const aic_semantics *semantics, aic_work *work)
{
    aic_contraction *c = aic_contraction_begin(work);
    const aic_conv2d_desc *d = desc;
    *c = (aic_contraction){
        .sum = sum_of(d, semantics),
        .winograd = d->accumulate == AIC_ACCUMULATE_WINOGRAD,
        .wraps = wraps(d, semantics),
        .dtype = d->dtype,
        .c1 = d->fm_shape[0],
        .c0 = d->fm_shape[3],
        .channels = d->fm_shape[0] * d->fm_shape[3],
        .groups = d->groups,
        .down = line_of(d->fm_shape[1], d->kernel_shape[1], d->stride[0], d->dilation[0], &d->pad[2]),
        .across = line_of(d->fm_shape[2], d->kernel_shape[2], d->stride[1], d->dilation[1], &d->pad[0]),
        .n = d->kernel_shape[3],
        .weight = AIC_WEIGHT_BLOCKS,
        .weight_n = d->kernel_shape[3],
        .pad_value = d->pad_value,
        .accumulate = !d->init_l1out,
        .start_channel = d->l1out == AIC_L1OUT_CHANNEL,
    };
    const int64_t h = c->down.extent, w = c->across.extent;
    c->image = (aic_image_layout){.block = h * w * c->c0, .fractal_rows = h, .row_pitch = w * c->c0, .pixel = c->c0};
    c->block_rows = (c->down.out * c->across.out + 15) / 16 * 16;
}

const aic_generator aic_generator_conv2d = {.describe = describe};
