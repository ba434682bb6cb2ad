#include "tests/bench/layers/values.h"

#include "tools/harness/element.h"
#include "tools/harness/fail.h"
#include "tools/harness/fill.h"
#include "tools/harness/stages.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DST, FEATURE_MAP, WEIGHT, WORDS };
enum { C1, H, W, C0 };                          /* of fm_shape */
enum { KH = 1, KW = 2, COUT = 3, SEEN_C0 = 4 }; /* of kernel_shape */

static aic_conv2d_desc desc_of(const bench_data *data)
{
    return stage_of(data->spec, 0).desc.conv2d;
}

/* Where value (c, h, w) of an image of ours lies, and weight (o, c, h, w), of channel c of a group. */
static int64_t image_at(const aic_conv2d_desc *d, int64_t c, int64_t h, int64_t w)
{
    return ((c / d->fm_shape[C0] * d->fm_shape[H] + h) * d->fm_shape[W] + w) * d->fm_shape[C0] + c % d->fm_shape[C0];
}

static int64_t weight_at(const aic_conv2d_desc *d, int64_t o, int64_t c, int64_t h, int64_t w)
{
    const int64_t *k = d->kernel_shape, c0 = k[SEEN_C0];
    return (((c / c0 * k[KH] + h) * k[KW] + w) * k[COUT] + o) * c0 + c % c0;
}

/* Makes weights even and at most 64 in magnitude. A peer without VNNI adds products of an unsigned and a signed byte in
 * pairs that saturate at 16 bits, and may halve weights before: 255 * 64 * 2 is below 2^15, and half an even number is
 * exact, so that its sums are exact, too. */
static void tame_weights(bench_data *data)
{
    int8_t *weight = data->pointer[WEIGHT];
    for (int64_t i = 0; i < data->operand[WEIGHT].elements; i++) {
        weight[i] = (int8_t)(weight[i] / 4 * 2);
    }
}

/* Channels that the peer does not have. */
static void clear_channels(const aic_conv2d_desc *d, const layer *l, unsigned char *image)
{
    const size_t size = aic_dtype_size(d->dtype);
    for (int64_t c = l->channels; c < d->fm_shape[C1] * d->fm_shape[C0]; c++) {
        for (int64_t h = 0; h < l->height; h++) {
            for (int64_t w = 0; w < l->width; w++) {
                memset(image + (size_t)image_at(d, c, h, w) * size, 0, size);
            }
        }
    }
}

/* The same of the weights: whoever fills up blocks of channels has nothing to multiply there. */
static void clear_weights(const aic_conv2d_desc *d, const layer *l, unsigned char *weight)
{
    const size_t size = aic_dtype_size(d->dtype);
    const int64_t seen = l->channels / l->groups, all = l->groups > 1 ? seen : d->fm_shape[C1] * d->fm_shape[C0];
    for (int64_t c = seen; c < all; c++) {
        for (int64_t o = 0; o < d->kernel_shape[COUT]; o++) {
            for (int64_t tap = 0; tap < d->kernel_shape[KH] * d->kernel_shape[KW]; tap++) {
                const int64_t kh = tap / d->kernel_shape[KW], kw = tap % d->kernel_shape[KW];
                memset(weight + (size_t)weight_at(d, o, c, kh, kw) * size, 0, size);
            }
        }
    }
}

size_t values_stride(const bench_data *data, size_t operand)
{
    enum { LINE = 64 };
    return operand <= FEATURE_MAP ? ((size_t)data->operand[operand].bytes + LINE - 1) / LINE * LINE : 0;
}

/* The first image is there. */
static void prepare_images(bench_data *data, const layer *l, int batch)
{
    const aic_conv2d_desc d = desc_of(data);
    const size_t stride = values_stride(data, FEATURE_MAP);
    free(data->pointer[DST]);
    free(data->pointer[FEATURE_MAP]);
    data->pointer[DST] = bench_memory(values_stride(data, DST) * (size_t)batch);
    data->pointer[FEATURE_MAP] = bench_memory(stride * (size_t)batch);
    for (int i = 0; i < batch; i++) {
        unsigned char *image = (unsigned char *)data->pointer[FEATURE_MAP] + (size_t)i * stride;
        char values[32];
        (void)snprintf(values, sizeof values, "random:%d", i + 1);
        if (fill_operand(&data->operand[FEATURE_MAP], values, image) != CLI_DONE) {
            bench_die("images");
        }
        clear_channels(&d, l, image);
    }
}

float *values_prepare(bench_data *data, const layer *l, int batch)
{
    const aic_conv2d_desc own = desc_of(data), *d = &own;
    prepare_images(data, l, batch);
    clear_weights(d, l, data->pointer[WEIGHT]);
    if (d->dtype == AIC_INT8) {
        tame_weights(data);
    }
    if (aic_spec_stages(data->spec) == 1) {
        return NULL;
    }
    /* Images have a deviation of 74, weights one of 37, sums of K products one of 74*37 sqrt(K): most results then lie
     * between 0 and 127. */
    const double products = (double)l->channels / l->groups * l->kernel_h * l->kernel_w;
    float *scale = bench_memory((size_t)data->operand[WORDS].elements * sizeof *scale);
    uint64_t *words = data->pointer[WORDS];
    for (int64_t o = 0; o < data->operand[WORDS].elements; o++) {
        if (aic_quant_word((float)(50 * (1 + (double)(o % 61) / 64) / (74 * 37 * sqrt(products))), 0, true,
                           &words[o]) != AIC_OK) {
            bench_die("quantisation word");
        }
        scale[o] = aic_quant_parts(words[o]).scale;
    }
    return scale;
}

/* ---- the peer's ---- */

/* Puts our element as the peer's number `to`: bytes and halves as they are, halves also extended. */
static void put(void *dense, int64_t to, aic_dtype dtype, const unsigned char *source, peer_types types)
{
    const size_t size = aic_dtype_size(dtype);
    if (types == PEER_F32_F32) {
        ((float *)dense)[to] = (float)element_to_double(dtype, source);
    } else {
        memcpy((unsigned char *)dense + (size_t)to * size, source, size);
    }
}

static void *dense_images(const bench_data *data, const layer *l, int batch, peer_types types)
{
    const int64_t count = (int64_t)l->channels * l->height * l->width * batch;
    const aic_conv2d_desc d = desc_of(data);
    const size_t size = aic_dtype_size(d.dtype);
    void *dense = bench_memory((size_t)count * (types == PEER_F32_F32 ? sizeof(float) : size));
    for (int64_t to = 0; to < count; to++) {
        const int64_t w = to % l->width, h = to / l->width % l->height, c = to / l->width / l->height % l->channels;
        const size_t image = (size_t)(to / l->width / l->height / l->channels) * values_stride(data, FEATURE_MAP);
        put(dense, to, d.dtype,
            (const unsigned char *)data->pointer[FEATURE_MAP] + image + (size_t)image_at(&d, c, h, w) * size, types);
    }
    return dense;
}

static void *dense_weight(const bench_data *data, const layer *l, peer_types types)
{
    const int64_t taps = (int64_t)l->kernel_h * l->kernel_w, seen = l->channels / l->groups,
                  count = taps * seen * l->cout;
    const aic_conv2d_desc d = desc_of(data);
    const size_t size = aic_dtype_size(d.dtype);
    void *dense = bench_memory((size_t)count * sizeof(float));
    for (int64_t to = 0; to < count; to++) {
        const int64_t tap = to % taps, c = to / taps % seen, o = to / taps / seen;
        const int64_t from = weight_at(&d, o, c, tap / l->kernel_w, tap % l->kernel_w);
        put(dense, to, d.dtype, (const unsigned char *)data->pointer[WEIGHT] + (size_t)from * size, types);
    }
    return dense;
}

static int64_t outputs(int size, int pad, int kernel, const layer *l)
{
    return (size + 2 * pad - l->dilation * (kernel - 1) - 1) / l->stride + 1;
}

int64_t layer_pixels(const layer *l)
{
    return outputs(l->height, l->pad_h, l->kernel_h, l) * outputs(l->width, l->pad_w, l->kernel_w, l);
}

peer_convolution *values_open_peer(const bench_data *data, const layer *l, int batch, peer_types types,
                                   const float *scale)
{
    if (peer_name() == NULL) {
        return NULL;
    }
    void *image = dense_images(data, l, batch, types), *weight = dense_weight(data, l, types);
    const peer_problem problem = {
        .types = types,
        .image = {batch, l->channels, l->height, l->width},
        .weight = {l->cout, l->channels / l->groups, l->kernel_h, l->kernel_w},
        .result = {batch, l->cout, outputs(l->height, l->pad_h, l->kernel_h, l),
                   outputs(l->width, l->pad_w, l->kernel_w, l)},
        .stride = l->stride,
        .dilation = l->dilation,
        .pad_h = l->pad_h,
        .pad_w = l->pad_w,
        .groups = l->groups,
        .image_data = image,
        .weight_data = weight,
        .scale = scale,
    };
    peer_convolution *peer = peer_open(&problem);
    free(image);
    free(weight);
    return peer;
}

bool values_same(const bench_data *data, const layer *l, int batch, peer_types types, peer_convolution *peer)
{
    const aic_operand *dst = &data->operand[DST];
    const size_t size = aic_dtype_size(dst->dtype);
    const int64_t count = l->cout * layer_pixels(l); /* of one image */
    unsigned char *theirs = bench_memory((size_t)(count * batch) * size);
    double worst = 0, largest = 0;
    peer_result(peer, theirs);
    for (int64_t i = 0; i < count * batch; i++) {
        const size_t at = (size_t)bench_output_at(data, i % layer_pixels(l), i % count / layer_pixels(l)) * size +
                          (size_t)(i / count) * values_stride(data, DST);
        const double ours = element_to_double(dst->dtype, (const unsigned char *)data->pointer[DST] + at);
        worst = fmax(worst, fabs(ours - element_to_double(dst->dtype, theirs + (size_t)i * size)));
        largest = fmax(largest, fabs(ours));
    }
    free(theirs);
    return types == PEER_S8_S32 ? worst == 0 : types == PEER_S8_S8 ? worst <= 1 : worst <= 1e-5 * largest;
}
