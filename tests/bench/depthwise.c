/* How near do depthwise convolutions come to what the machine allows, and how much faster are they than dense ones?
 *
 *     depthwise [--isa LEVEL] [--kind int8|fast|cube] [--layer PART_OF_NAME] [--time SECONDS]
 *
 * Layers of MobileNet's kind, a group a channel, weights packed, one thread, alternating with the dense convolution of
 * the same sizes, which computes the same where the other channels' weights are 0. The limit is the longer of two
 * times: of its products by the unit that multiplies, and of its image and results by copying as many bytes again and
 * again. An instruction for int8 multiplies two and adds both to one sum, hence two taps of one result: of an odd
 * number of taps the last one takes an instruction, too, five for 3x3 and thirteen for 5x5. */
#include "tests/bench/common.h"
#include "tests/bench/unit_peak.h"
#include "tools/harness/peak.h"

#include <math.h>
#include <stdio.h>

static const bench_layer LAYERS[] = {
    {"32 @112", 32, 112, 32, 3, 1, 1, 1, 0, false},      {"64 @112 /2", 64, 112, 64, 3, 2, 1, 1, 0, false},
    {"128 @56", 128, 56, 128, 3, 1, 1, 1, 0, false},     {"128 @56 /2", 128, 56, 128, 3, 2, 1, 1, 0, false},
    {"256 @28", 256, 28, 256, 3, 1, 1, 1, 0, false},     {"512 @14", 512, 14, 512, 3, 1, 1, 1, 0, false},
    {"1024 @7", 1024, 7, 1024, 3, 1, 1, 1, 0, false},    {"128 @28 5x5", 128, 28, 128, 5, 1, 2, 1, 0, false},
    {"512 @14 5x5", 512, 14, 512, 5, 1, 2, 1, 0, false}, {NULL, 0, 0, 0, 0, 0, 0, 0, 0, false},
};

/* The layer with a group a channel. */
static aic_spec *depthwise_spec(const bench_layer *layer, const bench_kind *kind)
{
    aic_conv2d_desc d = aic_conv2d_desc_init();
    aic_spec *dense = bench_spec(layer, kind), *spec = NULL;
    if (aic_spec_get_conv2d(dense, 0, &d) != AIC_OK) {
        bench_die("descriptor");
    }
    d.groups = d.fm_shape[0] * d.fm_shape[3];
    d.kernel_shape[0] = d.kernel_shape[4] = 1;
    if (aic_spec_create_conv2d(&d, &spec) != AIC_OK) {
        bench_die("specification");
    }
    aic_spec_destroy(dense);
    return spec;
}

/* The shortest time that the machine allows, in nanoseconds. */
static double limit_of(const bench_layer *layer, const bench_data *data, const bench_kind *kind)
{
    enum { WIDEST = 512 };
    const double bytes = (double)(data->operand[0].bytes + data->operand[1].bytes);
    const int64_t taps = layer->kernel * layer->kernel;
    const bool pairs = kind->dtype == AIC_INT8;
    const double peak = pairs ? aic_peak_pairs(WIDEST) : kind->peak();
    const double whole = pairs ? (double)((taps + 1) / 2 * 2) / (double)taps : 1;
    return fmax((double)data->macs * whole / peak, bytes / aic_peak_copy_of((size_t)bytes));
}

/* Returns the limit over the time. */
static double measure(const bench_options *options, const bench_layer *layer, const bench_kind *kind,
                      aic_context *context)
{
    bench_data data[2];
    bench_kernel kernel[2];
    bench_data_open(&data[0], depthwise_spec(layer, kind));
    bench_data_open(&data[1], bench_spec(layer, kind));
    for (int i = 0; i < 2; i++) {
        bench_kernel_open(&kernel[i], &data[i], context, NULL);
    }
    bench_body body[] = {{bench_run_packed, &kernel[0], 0}, {bench_run_packed, &kernel[1], 0}};
    bench_time(body, 2, options->seconds);
    const double limit = limit_of(layer, &data[0], kind);
    printf("%-12s %-5s %9.1f us %9.1f us %6.2f %8.1f  %s\n", layer->name, kind->name, body[0].ns / 1000, limit / 1000,
           limit / body[0].ns, body[1].ns / body[0].ns, kernel[0].info.schedule);
    (void)fflush(stdout);
    for (int i = 0; i < 2; i++) {
        bench_kernel_close(&kernel[i]);
        bench_data_close(&data[i]);
    }
    return limit / body[0].ns;
}

int main(int argc, char **argv)
{
    const bench_options options = bench_parse(argc, argv, NULL);
    aic_context *context = bench_context(options.isa);
    printf("level %s\n%-12s %-5s %12s %12s %6s %8s\n", aic_context_isa(context), "layer", "kind", "time", "limit",
           "reached", "to dense");
    for (const bench_kind *kind = bench_kinds; kind->name != NULL; kind++) {
        double sum = 0;
        int count = 0;
        for (const bench_layer *layer = LAYERS; bench_wants_kind(&options, kind) && layer->name != NULL; layer++) {
            if (bench_wants_layer(&options, layer)) {
                sum += log(measure(&options, layer, kind, context));
                count++;
            }
        }
        if (count > 0) {
            printf("geometric mean of %s: %.2f of the limit\n", kind->name, exp(sum / count));
        }
    }
    aic_context_destroy(context);
    return 0;
}
