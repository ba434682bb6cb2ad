/* What making kernels takes, and whether it costs speed that they are linked from parts: the distinct convolutions of
 * ResNet-50, one after the other, in contexts without a disk cache.
 *
 *     make_kernels [--isa LEVEL] [--kind int8|fused|fast|cube] [--layer PART_OF_NAME] [--time SECONDS]
 *
 * literal: each kernel compiled as a whole, every number a constant. parts: a context that begins with nothing. again:
 * the same context once more, where kernels are removed but their parts are at hand. Times are the processor's. */
#include "tests/bench/common.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { LAYERS_MAX = 32, ROUNDS = 3 };

typedef struct making {
    double ms[LAYERS_MAX];
    size_t count;
    unsigned ready, made;
} making;

static double processor_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* literal: debuggers want whole objects. */
static aic_context *open_context(const char *isa, bool literal)
{
    aic_context_options options = aic_context_options_init();
    options.isa = isa;
    options.threads = 1;
    options.profile = literal ? "gdb" : NULL;
    options.cache_kernels = 1;
    aic_context *context;
    if (aic_context_create(&options, &context) != AIC_OK) {
        bench_die("context");
    }
    return context;
}

/* Kinds of kernels: those of conv2d, and int8 with a fixpipe. */
static aic_spec spec_of(const bench_layer *layer, const bench_kind *kind, bool fused)
{
    const aic_spec conv = bench_spec(layer, kind);
    aic_fixpipe_desc fix = aic_fixpipe_desc_init();
    fix.src = AIC_INT32, fix.dst = AIC_INT8, fix.format = AIC_FORMAT_NZ, fix.quantPre = AIC_QUANT_VREQ8,
    fix.reluEn = true;
    const aic_spec next = aic_spec_fixpipe(&fix);
    return fused ? aic_spec_fuse(&conv, &next) : conv;
}

static void make_all(const bench_options *options, const bench_kind *kind, bool fused, aic_context *context, making *m)
{
    *m = (making){.count = 0};
    for (const bench_layer *layer = bench_layers; layer->name != NULL; layer++) {
        if (layer->count == 0 || !bench_wants_layer(options, layer) || m->count == LAYERS_MAX) {
            continue;
        }
        const aic_spec spec = spec_of(layer, kind, fused);
        aic_kernel *kernel;
        aic_kernel_info info;
        const double start = processor_ms();
        if (aic_kernel_create(context, &spec, NULL, &kernel) != AIC_OK ||
            aic_kernel_get_info(kernel, &info) != AIC_OK) {
            bench_die(layer->name);
        }
        m->ms[m->count++] = processor_ms() - start;
        m->ready += info.parts_ready;
        m->made += info.parts_made;
        aic_kernel_release(kernel);
    }
}

static void print_making(const char *name, making *m)
{
    double all = 0, worst = 0;
    const double first = m->ms[0];
    for (size_t i = 0; i < m->count; i++) {
        all += m->ms[i];
        worst = i > 0 && m->ms[i] > worst ? m->ms[i] : worst;
    }
    const double median = bench_median(m->ms, m->count);
    printf("  %-8s %4zu kernels %8.1f ms in all, first %6.1f, median %6.2f, worst of the others %6.2f; parts: %u made, "
           "%u at "
           "hand\n",
           name, m->count, all, first, median, worst, m->made, m->ready);
    (void)fflush(stdout);
}

static void measure_making(const bench_options *options, const bench_kind *kind, bool fused)
{
    for (int round = 0; round < ROUNDS; round++) {
        making m;
        aic_context *literal = open_context(options->isa, true), *parts = open_context(options->isa, false);
        make_all(options, kind, fused, literal, &m);
        print_making("literal", &m);
        make_all(options, kind, fused, parts, &m);
        print_making("parts", &m);
        make_all(options, kind, fused, parts, &m);
        print_making("again", &m);
        aic_context_destroy(literal);
        aic_context_destroy(parts);
    }
}

/* The time of the literal form by that of the form of parts. */
static double speed_of(const bench_options *options, const bench_layer *layer, const bench_kind *kind,
                       aic_context *literal, aic_context *parts)
{
    bench_data data;
    bench_kernel kernel[2];
    const aic_spec spec = bench_spec(layer, kind);
    bench_data_open(&data, &spec);
    bench_kernel_open(&kernel[0], &data, literal, NULL);
    bench_kernel_open(&kernel[1], &data, parts, NULL);
    bench_body body[] = {{bench_run_packed, &kernel[0], 0}, {bench_run_packed, &kernel[1], 0}};
    bench_time(body, 2, options->seconds);
    printf("  %-20s literal %9.1f us, parts %9.1f us, ratio %.3f\n", layer->name, body[0].ns * 1e-3, body[1].ns * 1e-3,
           body[0].ns / body[1].ns);
    (void)fflush(stdout);
    bench_kernel_close(&kernel[0]);
    bench_kernel_close(&kernel[1]);
    bench_data_close(&data);
    return body[0].ns / body[1].ns;
}

static void measure_speed(const bench_options *options, const bench_kind *kind)
{
    aic_context *literal = open_context(options->isa, true), *parts = open_context(options->isa, false);
    double sum = 0, least = INFINITY;
    size_t count = 0;
    for (const bench_layer *layer = bench_layers; layer->name != NULL && options->seconds > 0; layer++) {
        if (bench_wants_layer(options, layer)) {
            const double ratio = speed_of(options, layer, kind, literal, parts);
            sum += log(ratio);
            least = fmin(least, ratio);
            count++;
        }
    }
    if (count > 0) {
        printf("  speed of parts against the literal form: geometric mean %.3f, worst %.3f\n", exp(sum / (double)count),
               least);
    }
    aic_context_destroy(literal);
    aic_context_destroy(parts);
}

int main(int argc, char **argv)
{
    const bench_options options = bench_parse(argc, argv, NULL);
    for (const bench_kind *kind = bench_kinds; kind->name != NULL; kind++) {
        for (int fused = 0; fused <= (kind->dtype == AIC_INT8); fused++) {
            const char *name = fused ? "fused" : kind->name;
            if (options.kind != NULL && strcmp(options.kind, name) != 0) {
                continue;
            }
            printf("%s at level %s\n", name, options.isa);
            measure_making(&options, kind, fused != 0);
            if (!fused) {
                measure_speed(&options, kind);
            }
        }
    }
    return 0;
}
