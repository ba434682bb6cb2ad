/* conv2d as a contraction (TIK conv2d, sections 4 and 5). */
#include "codegen/contraction/contraction.h"

static aic_sum sum_of(const aic_conv2d_desc *d)
{
    if (d->dtype == AIC_FLOAT16) {
        return d->accumulate == AIC_ACCUMULATE_FAST ? AIC_SUM_FAST : AIC_SUM_CUBE;
    }
    int64_t products = d->kernel_shape[0] * d->kernel_shape[1] * d->kernel_shape[2] * d->kernel_shape[4];
    return products <= AIC_INT32_PRODUCTS ? AIC_SUM_INT : AIC_SUM_INT_WIDE;
}

static int64_t output_size(int64_t in, int64_t before, int64_t after, int64_t kernel, int64_t dilation, int64_t stride)
{
    return (in + before + after - dilation * (kernel - 1) - 1) / stride + 1;
}

static void describe(const void *desc, const aic_semantics *semantics, aic_work *work)
{
    (void)semantics;
    aic_contraction *c = aic_contraction_begin(work);
    const aic_conv2d_desc *d = desc;
    *c = (aic_contraction){
        .sum = sum_of(d),
        .dtype = d->dtype,
        .c1 = d->fm_shape[0],
        .h = d->fm_shape[1],
        .w = d->fm_shape[2],
        .c0 = d->fm_shape[3],
        .kh = d->kernel_shape[1],
        .kw = d->kernel_shape[2],
        .n = d->kernel_shape[3],
        .weight = AIC_WEIGHT_BLOCKS,
        .weight_n = d->kernel_shape[3],
        .stride_h = d->stride[0],
        .stride_w = d->stride[1],
        .dilation_h = d->dilation[0],
        .dilation_w = d->dilation[1],
        .pad_left = d->pad[0],
        .pad_top = d->pad[2],
        .pad_value = d->pad_value,
        .accumulate = !d->init_l1out,
        .start_channel = d->l1out == AIC_L1OUT_CHANNEL,
    };
    c->channels = c->c1 * c->c0;
    c->image = (aic_image_layout){
        .block = c->h * c->w * c->c0, .fractal_rows = c->h, .row_pitch = c->w * c->c0, .pixel = c->c0};
    c->oh = output_size(c->h, d->pad[2], d->pad[3], c->kh, c->dilation_h, c->stride_h);
    c->ow = output_size(c->w, d->pad[0], d->pad[1], c->kw, c->dilation_w, c->stride_w);
    c->block_rows = (c->oh * c->ow + 15) / 16 * 16;
}

const aic_generator aic_generator_conv2d = {.describe = describe};
