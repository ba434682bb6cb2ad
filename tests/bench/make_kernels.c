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
#include <stdlib.h>
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
static aic_spec *spec_of(const bench_layer *layer, const bench_kind *kind, bool fused)
{
    aic_spec *conv = bench_spec(layer, kind), *next = NULL, *chain = NULL;
    if (!fused) {
        return conv;
    }
    aic_fixpipe_desc fix = aic_fixpipe_desc_init();
    fix.src = AIC_INT32, fix.dst = AIC_INT8, fix.format = AIC_FORMAT_NZ, fix.quantPre = AIC_QUANT_VREQ8,
    fix.reluEn = true;
    if (aic_spec_create_fixpipe(&fix, &next) != AIC_OK ||
        aic_spec_chain((const aic_spec *const[]){conv, next}, 2, &chain) != AIC_OK) {
        bench_die("chain");
    }
    aic_spec_destroy(conv);
    aic_spec_destroy(next);
    return chain;
}

static void make_all(const bench_options *options, const bench_kind *kind, bool fused, aic_context *context, making *m)
{
    *m = (making){.count = 0};
    for (const bench_layer *layer = bench_layers; layer->name != NULL; layer++) {
        if (layer->count == 0 || !bench_wants_layer(options, layer) || m->count == LAYERS_MAX) {
            continue;
        }
        aic_spec *spec = spec_of(layer, kind, fused);
        aic_kernel *kernel;
        aic_kernel_info info = aic_kernel_info_init();
        const double start = processor_ms();
        if (aic_kernel_create(context, spec, NULL, &kernel) != AIC_OK || aic_kernel_get_info(kernel, &info) != AIC_OK) {
            bench_die(layer->name);
        }
        m->ms[m->count++] = processor_ms() - start;
        m->ready += info.parts_ready;
        m->made += info.parts_made;
        aic_spec_destroy(spec);
        aic_kernel_destroy(kernel);
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

/* A kernel with packed weights. */
typedef struct called {
    aic_kernel *kernel;
    void *operand[AIC_OPERANDS_MAX];
    size_t count;
} called;

enum { OUT, WEIGHT = 2 };

static void run_called(void *argument)
{
    const called *c = argument;
    if (aic_kernel_call_packed(c->kernel, c->operand, c->count) != AIC_OK) {
        bench_die("call");
    }
}

static void open_called(called *c, const bench_data *data, aic_context *context)
{
    size_t bytes = 0;
    *c = (called){.count = data->count};
    memcpy(c->operand, data->pointer, sizeof c->operand);
    if (aic_kernel_create(context, data->spec, NULL, &c->kernel) != AIC_OK ||
        aic_kernel_packed_size(c->kernel, WEIGHT, &bytes) != AIC_OK) {
        bench_die("kernel");
    }
    c->operand[OUT] = bench_memory((size_t)data->operand[OUT].bytes);
    c->operand[WEIGHT] = bench_memory(bytes);
    if (aic_kernel_pack(c->kernel, WEIGHT, c->operand[WEIGHT], data->pointer[WEIGHT]) != AIC_OK) {
        bench_die("pack");
    }
    run_called(c);
}

static void close_called(called *c)
{
    aic_kernel_destroy(c->kernel);
    free(c->operand[OUT]);
    free(c->operand[WEIGHT]);
}

/* Scales for all columns, without offsets. */
static void fill_words(const bench_data *data)
{
    for (size_t i = 0; i < data->count; i++) {
        uint64_t *words = data->pointer[i];
        for (int64_t w = 0; data->operand[i].dtype == AIC_DTYPE_UINT64 && w < data->operand[i].bytes / 8; w++) {
            words[w] = UINT64_C(0x40003B800000) + ((uint64_t)(w % 61) << 13);
        }
    }
}

/* Takes the specification over. The time of the literal form by that of the form of parts. Both give the same bytes. */
static double speed_of(const bench_options *options, const bench_layer *layer, aic_spec *spec, aic_context *literal,
                       aic_context *parts)
{
    bench_data data;
    called kernel[2];
    bench_data_open(&data, spec);
    fill_words(&data);
    open_called(&kernel[0], &data, literal);
    open_called(&kernel[1], &data, parts);
    if (memcmp(kernel[0].operand[OUT], kernel[1].operand[OUT], (size_t)data.operand[OUT].bytes) != 0) {
        fprintf(stderr, "make_kernels: %s: the forms give different results\n", layer->name);
        exit(1);
    }
    bench_body body[] = {{run_called, &kernel[0], 0}, {run_called, &kernel[1], 0}};
    bench_time(body, 2, options->seconds);
    printf("  %-20s literal %9.1f us, parts %9.1f us, ratio %.3f\n", layer->name, body[0].ns * 1e-3, body[1].ns * 1e-3,
           body[0].ns / body[1].ns);
    (void)fflush(stdout);
    close_called(&kernel[0]);
    close_called(&kernel[1]);
    bench_data_close(&data);
    return body[0].ns / body[1].ns;
}

static void measure_speed(const bench_options *options, const bench_kind *kind, bool fused)
{
    aic_context *literal = open_context(options->isa, true), *parts = open_context(options->isa, false);
    double sum = 0, least = INFINITY;
    size_t count = 0;
    for (const bench_layer *layer = bench_layers; layer->name != NULL && options->seconds > 0; layer++) {
        if (bench_wants_layer(options, layer)) {
            const double ratio = speed_of(options, layer, spec_of(layer, kind, fused), literal, parts);
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
            measure_speed(&options, kind, fused != 0);
        }
    }
    return 0;
}
