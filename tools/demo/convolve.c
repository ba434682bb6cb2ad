/* From a picture to tensors, through aic_jit_conv2d, and back to brightnesses.
 *
 * int8 computes with pixel - 128 and the taps themselves, float16 with pixel / 256 and taps divided; both see mid grey
 * outside the picture. */
#include "tools/demo/convolve.h"

#include "tools/harness/element.h"
#include "tools/harness/fail.h"
#include "tools/harness/timer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHANNELS = 4, MARGIN = FILTER_SIZE / 2, MID_GREY = 128 };

typedef struct tensors {
    aic_conv2d_desc desc;
    int64_t rows; /* of dst, rounded up to 16 */
    void *dst, *feature_map, *weight;
} tensors;

static aic_conv2d_desc describe(const demo_job *job, const picture *in)
{
    aic_conv2d_desc desc = aic_conv2d_desc_init();
    desc.dtype = job->dtype;
    desc.accumulate = job->accumulate;
    memcpy(desc.fm_shape, (int64_t[]){1, in->height, in->width, CHANNELS}, sizeof desc.fm_shape);
    memcpy(desc.kernel_shape, (int64_t[]){1, FILTER_SIZE, FILTER_SIZE, FILTER_COUNT, CHANNELS},
           sizeof desc.kernel_shape);
    memcpy(desc.pad, (int64_t[]){MARGIN, MARGIN, MARGIN, MARGIN}, sizeof desc.pad);
    desc.pad_value = job->dtype == AIC_INT8 ? 0 : MID_GREY / 256.0;
    return desc;
}

static bool open_tensors(tensors *t, const demo_job *job, const picture *in)
{
    size_t size = aic_dtype_size(job->dtype);
    size_t pixels = (size_t)in->width * (size_t)in->height;
    t->desc = describe(job, in);
    t->rows = (int64_t)((pixels + 15) / 16 * 16);
    t->dst = calloc((size_t)t->rows * FILTER_COUNT, sizeof(int32_t));
    t->feature_map = calloc(pixels * CHANNELS, size);
    t->weight = calloc((size_t)FILTER_SIZE * FILTER_SIZE * FILTER_COUNT * CHANNELS, size);
    return t->dst != NULL && t->feature_map != NULL && t->weight != NULL;
}

static void close_tensors(tensors *t)
{
    free(t->dst);
    free(t->feature_map);
    free(t->weight);
}

static void fill_feature_map(const tensors *t, const picture *in)
{
    size_t pixels = (size_t)in->width * (size_t)in->height;
    for (size_t i = 0; i < pixels * 3; i++) {
        size_t at = i / 3 * CHANNELS + i % 3; /* the fourth channel stays 0 */
        if (t->desc.dtype == AIC_INT8) {
            ((int8_t *)t->feature_map)[at] = (int8_t)(in->rgb[i] - MID_GREY);
        } else {
            ((uint16_t *)t->feature_map)[at] = element_half(in->rgb[i] / 256.0);
        }
    }
}

/* weight [1, Kh, Kw, Cout, C0] */
static void fill_weight(const tensors *t)
{
    for (int tap = 0; tap < FILTER_SIZE * FILTER_SIZE; tap++) {
        for (int f = 0; f < FILTER_COUNT; f++) {
            for (int c = 0; c < 3; c++) {
                int weight = filters[f].taps[tap] * filters[f].colour[c];
                size_t at = (size_t)((tap * FILTER_COUNT + f) * CHANNELS + c);
                if (t->desc.dtype == AIC_INT8) {
                    ((int8_t *)t->weight)[at] = (int8_t)weight;
                } else {
                    ((uint16_t *)t->weight)[at] = element_half((double)weight / filters[f].divisor);
                }
            }
        }
    }
}

static int sum_of_weights(const filter *f)
{
    int sum = 0;
    for (int tap = 0; tap < FILTER_SIZE * FILTER_SIZE; tap++) {
        sum += f->taps[tap] * (f->colour[0] + f->colour[1] + f->colour[2]);
    }
    return sum;
}

/* dst [1, rows, 16] as brightnesses, a plane a filter. */
static void read_result(const tensors *t, size_t pixels, float *value)
{
    for (int f = 0; f < FILTER_COUNT; f++) {
        int offset = MID_GREY * sum_of_weights(&filters[f]);
        for (size_t i = 0; i < pixels; i++) {
            size_t at = i * FILTER_COUNT + (size_t)f;
            if (t->desc.dtype == AIC_INT8) {
                value[(size_t)f * pixels + i] =
                    (float)(((const int32_t *)t->dst)[at] + offset) / (float)filters[f].divisor;
            } else {
                value[(size_t)f * pixels + i] = ((const float *)t->dst)[at] * 256;
            }
        }
    }
}

typedef struct timed_call {
    aic_context *context;
    const tensors *tensors;
    aic_status status;
} timed_call;

static void call_conv2d(void *argument)
{
    timed_call *call = argument;
    const tensors *t = call->tensors;
    call->status = aic_jit_conv2d(call->context, &t->desc, t->dst, t->feature_map, t->weight);
}

/* The first call, the kernel behind it, and the later ones. */
static aic_status run(aic_context *context, const tensors *t, demo_result *result)
{
    timed_call call = {.context = context, .tensors = t};
    uint64_t start = timer_now();
    call_conv2d(&call);
    result->first_call_ns = (double)(timer_now() - start);
    aic_spec *spec = NULL;
    result->info = aic_kernel_info_init();
    aic_semantics host = aic_semantics_init(); /* as the context */
    host.limits = AIC_LIMITS_HOST;
    int64_t macs = 0, bytes = 0;
    aic_status status = call.status;
    status = status == AIC_OK ? aic_spec_create_conv2d(&t->desc, &spec) : status;
    status = status == AIC_OK ? aic_spec_print(spec, result->spec, sizeof result->spec, NULL) : status;
    status = status == AIC_OK ? aic_spec_work(spec, &host, &macs, &bytes) : status;
    status = status == AIC_OK ? aic_kernel_create(context, spec, NULL, &result->kernel) : status;
    status = status == AIC_OK ? aic_kernel_get_info(result->kernel, &result->info) : status;
    aic_spec_destroy(spec);
    if (status == AIC_OK) {
        result->median_ns = timer_measure(call_conv2d, &call, 0.3, NULL).median_ns;
        result->gmacs = (double)macs / result->median_ns;
        status = call.status;
    }
    return status;
}

int demo_convolve(aic_context *context, const demo_job *job, const picture *in, demo_result *result)
{
    size_t pixels = (size_t)in->width * (size_t)in->height;
    tensors t = {0};
    *result = (demo_result){.value = calloc(pixels * FILTER_COUNT, sizeof *result->value)};
    int status = CLI_DONE;
    if (!open_tensors(&t, job, in) || result->value == NULL) {
        status = cli_fail_memory("tensors", pixels * FILTER_COUNT * sizeof(float));
    } else {
        fill_feature_map(&t, in);
        fill_weight(&t);
        aic_status failed = run(context, &t, result);
        status = failed == AIC_OK ? CLI_DONE : cli_fail_library(job->name, failed);
    }
    if (status == CLI_DONE) {
        read_result(&t, pixels, result->value);
    }
    close_tensors(&t);
    return status;
}

void demo_result_free(demo_result *result)
{
    aic_kernel_destroy(result->kernel);
    free(result->value);
    *result = (demo_result){0};
}
