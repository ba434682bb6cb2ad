/* conv2d on one thread against the machine's own peak, measured around every layer: speed with packed and plain
 * weights, compile time, code size. The last lines say whether the design's targets are met; the exit status does not.
 *
 *     conv2d_peak [--isa LEVEL] [--kind int8|fast|cube] [--layer PART_OF_NAME] [--time SECONDS] */
#include "tests/bench/common.h"
#include "tools/harness/timer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LAYERS_MAX = 64 };

static const double COMPILE_TARGET_MS = 10;

typedef struct row {
    double gmacs, peak, compile_ms, pack_us, plain_ratio;
    aic_kernel_info info;
} row;

/* What a kind's layers added up to, for the verdict. */
typedef struct summary {
    double target_share[LAYERS_MAX], compile_ms[LAYERS_MAX];
    const char *target_name[LAYERS_MAX];
    size_t targets, compiles;
    double macs, ns, limit_ns; /* of ResNet-50: all its convolutions, their time, and the time at the peak */
} summary;

static row measure(const bench_options *options, const bench_kind *kind, aic_context *context, bench_data *data)
{
    bench_kernel kernel;
    bench_kernel_open(&kernel, data, context, NULL);
    bench_body body[] = {{bench_run_packed, &kernel, 0}, {bench_run_plain, &kernel, 0}, {bench_run_pack, &kernel, 0}};
    double before = kind->peak();
    bench_time(&body[0], 1, options->seconds);
    double after = kind->peak();
    bench_time(&body[1], 2, options->seconds / 4);
    row r = {.gmacs = (double)data->macs / body[0].ns,
             .peak = (before + after) / 2,
             .compile_ms = bench_compile_ms(options->isa, data->spec),
             .pack_us = body[2].ns * 1e-3,
             .plain_ratio = body[1].ns / body[0].ns,
             .info = kernel.info};
    printf("%10.1f %8.1f %6.1f %6.1f %6.1f %8.2f %8" PRIu64 " %9.1f %6.2f  %s\n", body[0].ns * 1e-3, r.gmacs, before,
           after, 100 * r.gmacs / r.peak, r.compile_ms, r.info.code_bytes, r.pack_us, r.plain_ratio, r.info.schedule);
    (void)fflush(stdout);
    bench_kernel_close(&kernel);
    return r;
}

static void add(summary *s, const bench_layer *layer, const row *r, int64_t macs)
{
    if (layer->target) {
        s->target_name[s->targets] = layer->name;
        s->target_share[s->targets++] = r->gmacs / r->peak;
    }
    if (layer->count > 0) {
        s->compile_ms[s->compiles++] = r->compile_ms;
        s->macs += (double)macs * layer->count;
        s->ns += (double)macs * layer->count / r->gmacs;
        s->limit_ns += (double)macs * layer->count / r->peak;
    }
}

static void measure_kind(const bench_options *options, const bench_kind *kind, summary *s)
{
    aic_context *context = bench_context(options->isa);
    printf("\n%s at level %s, peak: %s FMA\n", kind->name, aic_context_isa(context), kind->peak_name);
    printf("%-20s %10s %8s %13s %6s %8s %8s %9s %6s\n", "layer", "us", "GMAC/s", "peak", "%", "compile", "code",
           "pack us", "plain");
    printf("%-20s %10s %8s %6s %6s %6s %8s %8s %9s %6s\n", "", "", "", "before", "after", "peak", "ms", "bytes", "",
           "packed");
    for (const bench_layer *layer = bench_layers; layer->name != NULL; layer++) {
        if (!bench_wants_layer(options, layer)) {
            continue;
        }
        aic_spec *spec = bench_spec(layer, kind);
        bench_data data;
        bench_data_open(&data, spec);
        printf("%-20s ", layer->name);
        (void)fflush(stdout);
        row r = measure(options, kind, context, &data);
        add(s, layer, &r, data.macs);
        bench_data_close(&data);
    }
    if (s->ns > 0) {
        printf("%-20s %10.1f %8.1f %20.1f   the layers above by their count in ResNet-50\n", "ResNet-50", s->ns * 1e-3,
               s->macs / s->ns, 100 * s->limit_ns / s->ns);
    }
    aic_context_destroy(context);
}

static const char *met(bool is_met)
{
    return is_met ? "met" : "missed";
}

static void judge(const bench_kind *kind, summary *s)
{
    for (size_t i = 0; i < s->targets; i++) {
        printf("target %s %s: at least %.0f %% of the %s peak, measured %.1f %%: %s\n", kind->name, s->target_name[i],
               100 * kind->target, kind->peak_name, 100 * s->target_share[i], met(s->target_share[i] >= kind->target));
    }
    if (s->compiles > 0) {
        double median = timer_median(s->compile_ms, s->compiles);
        printf("target %s compile, ResNet-50 layers: median at most %.0f ms, measured %.2f ms: %s (slowest layer %.2f "
               "ms)\n",
               kind->name, COMPILE_TARGET_MS, median, met(median <= COMPILE_TARGET_MS), s->compile_ms[s->compiles - 1]);
    }
}

int main(int argc, char **argv)
{
    bench_options options = bench_parse(argc, argv, "avx512");
    static summary summaries[8];
    for (size_t i = 0; bench_kinds[i].name != NULL; i++) {
        if (bench_wants_kind(&options, &bench_kinds[i])) {
            measure_kind(&options, &bench_kinds[i], &summaries[i]);
        }
    }
    printf("\n");
    for (size_t i = 0; bench_kinds[i].name != NULL; i++) {
        judge(&bench_kinds[i], &summaries[i]);
    }
    return 0;
}
