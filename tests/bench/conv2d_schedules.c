/* How good the default rule's choice is: the default schedule against every candidate that the library offers, timed
 * in turn in one run.
 *
 *     conv2d_schedules [--isa LEVEL] [--kind int8|fast|cube] [--layer PART_OF_NAME] [--time SECONDS] */
#include "tests/bench/common.h"

#include <aic/tool.h>
#include <stdio.h>
#include <string.h>

enum { CANDIDATES_MAX = 32, TEXT_MAX = 256 };

/* Fills in a kernel and a body for every candidate, the default first; returns how many. */
static size_t open_candidates(bench_data *data, aic_context *context, bench_kernel *kernel, bench_body *body)
{
    char text[TEXT_MAX];
    size_t count = 0;
    while (count < CANDIDATES_MAX && aic_schedule_candidate(context, data->spec, count, text, sizeof text) == AIC_OK) {
        bench_kernel_open(&kernel[count], data, context, text);
        body[count] = (bench_body){bench_run_packed, &kernel[count], 0};
        count++;
    }
    return count;
}

static void measure(const bench_options *options, const bench_layer *layer, const bench_kind *kind,
                    aic_context *context)
{
    static bench_kernel kernel[CANDIDATES_MAX];
    static bench_body body[CANDIDATES_MAX];
    bench_data data;
    aic_spec *spec = bench_spec(layer, kind);
    bench_data_open(&data, spec);
    size_t count = open_candidates(&data, context, kernel, body), best = 0;
    double before = kind->peak();
    bench_time(body, count, options->seconds);
    double peak = (before + kind->peak()) / 2;
    for (size_t i = 1; i < count; i++) {
        best = body[i].ns < body[best].ns ? i : best;
    }
    printf("%-20s %8.1f %8.1f %8.3f %4zu of %-4zu %s\n", layer->name, 100 * (double)data.macs / body[0].ns / peak,
           100 * (double)data.macs / body[best].ns / peak, body[0].ns / body[best].ns, best, count,
           kernel[best].info.schedule);
    (void)fflush(stdout);
    for (size_t i = 0; i < count; i++) {
        bench_kernel_close(&kernel[i]);
    }
    bench_data_close(&data);
}

int main(int argc, char **argv)
{
    bench_options options = bench_parse(argc, argv, "avx512");
    options.seconds /= 8; /* many candidates */
    aic_context *context = bench_context(options.isa);
    for (const bench_kind *kind = bench_kinds; kind->name != NULL; kind++) {
        if (!bench_wants_kind(&options, kind)) {
            continue;
        }
        printf("\n%s at level %s, %% of the %s peak\n%-20s %8s %8s %8s %-12s %s\n", kind->name,
               aic_context_isa(context), kind->peak_name, "layer", "default", "best", "ratio", "candidate", "schedule");
        for (const bench_layer *layer = bench_layers; layer->name != NULL; layer++) {
            if (bench_wants_layer(&options, layer)) {
                measure(&options, layer, kind, context);
            }
        }
    }
    aic_context_destroy(context);
    return 0;
}
