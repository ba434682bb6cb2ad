/* Kernels for the benchmarks, checked against the reference before they are timed.
 *
 * The reference of a whole layer would take longer than all measurements. But an output pixel depends on its window
 * only: cut out, with its padding written as zeros, the window is a convolution with one output pixel, and the
 * reference of that is quick. So the outputs that are checked are those of the very kernel that is timed. */
#include "tests/bench/common.h"
#include "tools/harness/stages.h"

#include "tools/harness/element.h"
#include "tools/harness/rng.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DST, FEATURE_MAP, WEIGHT, WORDS };
enum { H = 1, W = 2, C0 = 3 };     /* of fm_shape */
enum { KH = 1, KW = 2, COUT = 3 }; /* of kernel_shape */
enum { BLOCK = 16 };               /* output channels of a block of conv2d's dst */

/* One output pixel as a specification of its own. */
typedef struct window {
    bench_data data;       /* weight and quantisation words are the layer's */
    double *exact, *bound; /* NULL when the result is exact */
} window;

static aic_conv2d_desc desc_of(const aic_spec *spec)
{
    return stage_of(spec, 0).desc.conv2d;
}

static int64_t reach(const aic_conv2d_desc *d, int axis)
{
    return d->dilation[axis] * (d->kernel_shape[KH + axis] - 1) + 1;
}

static int64_t outputs(const aic_conv2d_desc *d, int axis)
{
    int64_t padding = axis == 0 ? d->pad[2] + d->pad[3] : d->pad[0] + d->pad[1];
    return (d->fm_shape[H + axis] + padding - reach(d, axis)) / d->stride[axis] + 1;
}

static void window_open(window *w, const bench_data *layer)
{
    stage_desc first = stage_of(layer->spec, 0);
    aic_conv2d_desc d = first.desc.conv2d;
    for (int axis = 0; axis < 2; axis++) {
        d.fm_shape[H + axis] = reach(&d, axis);
        d.stride[axis] = 1;
    }
    /* An image as wide as the kernel and higher is not supported; the pixel beside that of the window is not read. */
    d.fm_shape[W] += d.fm_shape[W] == d.kernel_shape[KW] && d.fm_shape[H] > d.kernel_shape[KH];
    memset(d.pad, 0, sizeof d.pad);
    first.desc.conv2d = d; /* of a fixpipe behind it the sizes are 0, so that they follow */
    aic_spec *spec = NULL;
    if (stage_replace(layer->spec, 0, &first, &spec) != AIC_OK) {
        bench_die("window");
    }
    bench_data_open(&w->data, spec);
    for (size_t i = WEIGHT; i <= WORDS; i++) {
        free(w->data.pointer[i]);
        w->data.pointer[i] = layer->pointer[i];
    }
    size_t elements = (size_t)w->data.operand[DST].elements;
    bool exact = aic_spec_exact(spec);
    w->exact = exact ? NULL : bench_memory(elements * sizeof *w->exact);
    w->bound = exact ? NULL : bench_memory(elements * sizeof *w->bound);
}

static void window_close(window *w)
{
    w->data.pointer[WEIGHT] = w->data.pointer[WORDS] = NULL; /* the layer's */
    bench_data_close(&w->data);
    free(w->exact);
    free(w->bound);
}

/* Copies the window of output pixel (row, col); zeros outside the image. */
static void window_cut(window *w, const bench_data *layer, int64_t row, int64_t col)
{
    const aic_conv2d_desc own = desc_of(layer->spec), *d = &own;
    int64_t top = row * d->stride[0] - d->pad[2], left = col * d->stride[1] - d->pad[0];
    const int64_t width = desc_of(w->data.spec).fm_shape[W];
    size_t pixel = (size_t)d->fm_shape[C0] * aic_dtype_size(d->dtype);
    unsigned char *to = w->data.pointer[FEATURE_MAP];
    const unsigned char *image = layer->pointer[FEATURE_MAP];
    for (int64_t c1 = 0; c1 < d->fm_shape[0]; c1++) {
        for (int64_t h = top; h < top + reach(d, 0); h++) {
            for (int64_t x = left; x < left + width; x++, to += pixel) {
                bool inside = h >= 0 && h < d->fm_shape[H] && x >= 0 && x < d->fm_shape[W];
                int64_t from = (c1 * d->fm_shape[H] + h) * d->fm_shape[W] + x;
                if (inside) {
                    memcpy(to, image + (size_t)from * pixel, pixel);
                } else {
                    memset(to, 0, pixel);
                }
            }
        }
    }
}

static void window_compute(window *w)
{
    const bench_data *d = &w->data;
    aic_status status = w->exact == NULL ? aic_reference(d->spec, NULL, d->pointer, d->count)
                                         : aic_reference_bound(d->spec, NULL, d->pointer, d->count, w->exact, w->bound);
    if (status != AIC_OK) {
        bench_die("reference");
    }
}

/* A convolution writes blocks of 16 channels, each with a whole number of 16 rows; a fixpipe blocks of 32 bytes, or of
 * 16 of them where no more channels are left, with a row a pixel. */
int64_t bench_output_at(const bench_data *data, int64_t pixel, int64_t channel)
{
    const aic_operand *dst = &data->operand[DST];
    if (aic_spec_stages(data->spec) == 1) {
        return (channel / BLOCK * dst->shape[1] + pixel) * BLOCK + channel % BLOCK;
    }
    const aic_conv2d_desc own = desc_of(data->spec), *d = &own;
    const int64_t block = aic_dtype_size(dst->dtype) == 1 ? 2 * BLOCK : BLOCK, head = channel / block * block;
    const int64_t left = d->kernel_shape[COUT] - head, width = left < block ? left : block;
    return head * outputs(d, 0) * outputs(d, 1) + pixel * width + channel % block;
}

/* Compares all channels of output pixel `pixel` with the window's result. */
static void compare_pixel(const window *w, const bench_data *layer, int64_t pixel, const char *how)
{
    const aic_operand *dst = &layer->operand[DST];
    size_t size = aic_dtype_size(dst->dtype);
    for (int64_t co = 0; co < desc_of(layer->spec).kernel_shape[COUT]; co++) {
        const int64_t at = bench_output_at(layer, pixel, co), expected_at = bench_output_at(&w->data, 0, co);
        const unsigned char *got = (const unsigned char *)layer->pointer[DST] + (size_t)at * size;
        const unsigned char *expected = (const unsigned char *)w->data.pointer[DST] + (size_t)expected_at * size;
        bool right = w->exact == NULL
                         ? element_equal(dst->dtype, got, expected)
                         : fabs(element_to_double(dst->dtype, got) - w->exact[expected_at]) <= w->bound[expected_at];
        if (!right) {
            fprintf(stderr, "bench: wrong result, %s weights, pixel %" PRId64 ", channel %" PRId64 "\n", how, pixel,
                    co);
            exit(1);
        }
    }
}

/* Corners first, then any. */
static int64_t sample_pixel(const aic_conv2d_desc *d, int index, uint64_t *state)
{
    int64_t oh = outputs(d, 0), ow = outputs(d, 1);
    const int64_t corner[] = {0, ow - 1, (oh - 1) * ow, oh * ow - 1};
    return index < 4 ? corner[index] : rng_range(state, 0, oh * ow - 1);
}

void bench_check_pixels(const bench_data *layer, const char *how)
{
    enum { PIXELS_MIN = 8, PIXELS_MAX = 64 };
    static const double MACS = 16e6; /* some tenths of a second of the reference */
    window w;
    window_open(&w, layer);
    double fitting = MACS / (double)w.data.macs;
    int pixels = fitting < PIXELS_MIN ? PIXELS_MIN : fitting > PIXELS_MAX ? PIXELS_MAX : (int)fitting;
    uint64_t state = 1;
    const aic_conv2d_desc own = desc_of(layer->spec), *d = &own;
    for (int i = 0; i < pixels; i++) {
        int64_t pixel = sample_pixel(d, i, &state);
        window_cut(&w, layer, pixel / outputs(d, 1), pixel % outputs(d, 1));
        window_compute(&w);
        compare_pixel(&w, layer, pixel, how);
    }
    window_close(&w);
}

/* The packed run is compared with the reference, the plain run with the packed one, every byte. */
static void check_kernel(bench_kernel *k)
{
    size_t bytes = (size_t)k->data->operand[DST].bytes;
    void *copy = bench_memory(bytes);
    memset(k->data->pointer[DST], 0xA5, bytes);
    bench_run_packed(k);
    bench_check_pixels(k->data, "packed");
    memcpy(copy, k->data->pointer[DST], bytes);
    memset(k->data->pointer[DST], 0xA5, bytes);
    bench_run_plain(k);
    if (memcmp(copy, k->data->pointer[DST], bytes) != 0) {
        fprintf(stderr, "bench: packed and plain weights give different results\n");
        exit(1);
    }
    free(copy);
}

void bench_kernel_open(bench_kernel *kernel, bench_data *data, aic_context *context, const char *schedule)
{
    *kernel = (bench_kernel){.data = data, .info = aic_kernel_info_init()};
    if (aic_kernel_create(context, data->spec, schedule, &kernel->kernel) != AIC_OK ||
        aic_kernel_get_info(kernel->kernel, &kernel->info) != AIC_OK) {
        bench_die("kernel");
    }
    kernel->packed_fn = aic_kernel_conv2d_packed(kernel->kernel);
    kernel->plain_fn = aic_kernel_conv2d(kernel->kernel);
    kernel->workspace = bench_memory(aic_kernel_workspace_size(kernel->kernel));
    size_t bytes = 0;
    if (aic_kernel_packed_size(kernel->kernel, WEIGHT, &bytes) != AIC_OK) {
        bench_die("packed size");
    }
    kernel->packed = bench_memory(bytes);
    bench_run_pack(kernel);
    check_kernel(kernel);
}

void bench_kernel_close(bench_kernel *kernel)
{
    aic_kernel_destroy(kernel->kernel);
    free(kernel->workspace);
    free(kernel->packed);
}

void bench_run_packed(void *kernel)
{
    const bench_kernel *k = kernel;
    k->packed_fn(k->data->pointer[DST], k->data->pointer[FEATURE_MAP], k->packed, k->workspace);
}

void bench_run_plain(void *kernel)
{
    const bench_kernel *k = kernel;
    k->plain_fn(k->data->pointer[DST], k->data->pointer[FEATURE_MAP], k->data->pointer[WEIGHT], k->workspace);
}

void bench_run_pack(void *kernel)
{
    const bench_kernel *k = kernel;
    if (aic_kernel_pack(k->kernel, WEIGHT, k->packed, k->data->pointer[WEIGHT]) != AIC_OK) {
        bench_die("pack");
    }
}
