/* How much faster is accumulate=winograd than accumulate=fast, and how far are its results from the exact sums?
 *
 *     winograd [--isa LEVEL] [--layer PART_OF_NAME] [--time SECONDS]
 *
 * Layers of 3 x 3 kernels, weights packed, one thread, all kernels of a layer timed in turns. Errors are in units of
 * the last place that the exact sum has as a float16, over a sample of the pixels, all channels. */
#include "tests/bench/common.h"
#include "tools/harness/element.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const bench_layer LAYERS[] = {
    {"64-64 @112", 64, 112, 64, 3, 1, 1, 1, 0, false},   {"64-64 @56", 64, 56, 64, 3, 1, 1, 1, 0, false},
    {"64-64 @28", 64, 28, 64, 3, 1, 1, 1, 0, false},     {"128-128 @56", 128, 56, 128, 3, 1, 1, 1, 0, false},
    {"128-128 @28", 128, 28, 128, 3, 1, 1, 1, 0, false}, {"256-256 @28", 256, 28, 256, 3, 1, 1, 1, 0, false},
    {"256-256 @14", 256, 14, 256, 3, 1, 1, 1, 0, false}, {"512-512 @28", 512, 28, 512, 3, 1, 1, 1, 0, false},
    {"512-512 @14", 512, 14, 512, 3, 1, 1, 1, 0, false}, {NULL, 0, 0, 0, 0, 0, 0, 0, 0, false},
};

enum { FAST, DEFAULT, TWO, FOUR, KERNELS };

static const char *const SCHEDULES[KERNELS] = {NULL, NULL, "schedule(kernel=winograd, m=2)",
                                               "schedule(kernel=winograd, m=4)"};

typedef struct error {
    double mean, largest;
} error;

static double half_at(const void *halves, int64_t index)
{
    return element_to_double(AIC_FLOAT16, (const unsigned char *)halves + 2 * index);
}

/* The sum of one output in double, in which products are exact. */
static double exact_sum(const bench_data *data, const bench_layer *l, int64_t pixel, int64_t channel)
{
    enum { C0 = 16, TAPS = 3 };
    const int64_t row = pixel / l->size - l->pad, col = pixel % l->size - l->pad;
    double sum = 0;
    for (int64_t c = 0; c < l->channels; c++) {
        for (int64_t tap = 0; tap < TAPS * TAPS; tap++) {
            const int64_t y = row + tap / TAPS, x = col + tap % TAPS;
            if (y >= 0 && y < l->size && x >= 0 && x < l->size) {
                const int64_t image = ((c / C0 * l->size + y) * l->size + x) * C0 + c % C0;
                const int64_t weight = ((c / C0 * TAPS * TAPS + tap) * l->cout + channel) * C0 + c % C0;
                sum += half_at(data->pointer[1], image) * half_at(data->pointer[2], weight);
            }
        }
    }
    return sum;
}

/* One unit in the last place of a float16 near `value`. */
static double half_unit(double value)
{
    int exponent;
    (void)frexp(value, &exponent);
    return ldexp(1, (exponent < -13 ? -13 : exponent) - 11);
}

static error error_of(const bench_data *data, const bench_layer *l)
{
    enum { PIXELS = 12 };
    const float *out = data->pointer[0];
    error e = {0, 0};
    for (int64_t i = 0; i < PIXELS; i++) {
        const int64_t pixel = i * (l->size * l->size - 1) / (PIXELS - 1);
        for (int64_t channel = 0; channel < l->cout; channel++) {
            const double exact = exact_sum(data, l, pixel, channel);
            const double off = fabs((double)out[bench_output_at(data, pixel, channel)] - exact) / half_unit(exact);
            e.mean += off / (double)(PIXELS * l->cout);
            e.largest = fmax(e.largest, off);
        }
    }
    return e;
}

/* Returns how many times as fast as FAST the default of WINOGRAD is. */
static double measure(const bench_options *options, const bench_layer *layer, aic_context *context)
{
    const bench_kind fast = {"fast", AIC_FLOAT16, AIC_ACCUMULATE_FAST, "", NULL, 0};
    const bench_kind winograd = {"winograd", AIC_FLOAT16, AIC_ACCUMULATE_WINOGRAD, "", NULL, 0};
    bench_data data[2];
    bench_kernel kernel[KERNELS];
    bench_body body[KERNELS];
    error off[KERNELS];
    bench_data_open(&data[0], bench_spec(layer, &fast));
    bench_data_open(&data[1], bench_spec(layer, &winograd));
    for (int i = 0; i < KERNELS; i++) {
        bench_data *own = &data[i != FAST];
        bench_kernel_open(&kernel[i], own, context, SCHEDULES[i]);
        body[i] = (bench_body){bench_run_packed, &kernel[i], 0};
        bench_run_packed(&kernel[i]);
        off[i] = error_of(own, layer);
    }
    bench_time(body, KERNELS, options->seconds);
    printf("%-12s %9.1f us %6.2f %6.2f %6.2f   %8.5f %8.5f %8.5f   %6.3f %6.3f %6.3f  %s\n", layer->name,
           body[FAST].ns / 1000, body[FAST].ns / body[DEFAULT].ns, body[FAST].ns / body[TWO].ns,
           body[FAST].ns / body[FOUR].ns, off[FAST].mean, off[TWO].mean, off[FOUR].mean, off[FAST].largest,
           off[TWO].largest, off[FOUR].largest, kernel[DEFAULT].info.schedule);
    (void)fflush(stdout);
    for (int i = 0; i < KERNELS; i++) {
        bench_kernel_close(&kernel[i]);
    }
    bench_data_close(&data[0]);
    bench_data_close(&data[1]);
    return body[FAST].ns / body[DEFAULT].ns;
}

int main(int argc, char **argv)
{
    const bench_options options = bench_parse(argc, argv, NULL);
    aic_context *context = bench_context(options.isa);
    double sum = 0;
    int count = 0;
    printf("level %s; 3 x 3, accumulate=fast over accumulate=winograd; errors in units of a float16's last place\n"
           "%-12s %12s %6s %6s %6s   %26s   %20s\n",
           aic_context_isa(context), "layer", "fast", "ratio", "m=2", "m=4", "mean error fast, m=2, m=4", "largest");
    for (const bench_layer *layer = LAYERS; layer->name != NULL; layer++) {
        if (bench_wants_layer(&options, layer)) {
            sum += log(measure(&options, layer, context));
            count++;
        }
    }
    if (count > 0) {
        printf("geometric mean of the ratios: %.2f\n", exp(sum / count));
    }
    aic_context_destroy(context);
    return 0;
}
