/* Two threads against one: the same kernels called by handles of two contexts, in turn, packed weights; then batches of
 * images. What is timed is the wall clock, as the work of other threads does not count as this one's processor time:
 * other processes disturb.
 *
 *     threads [--isa LEVEL] [--kind NAME] [--layer PART_OF_NAME] [--time SECONDS] */
#include "tests/bench/common.h"
#include "tools/harness/timer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ONE, TWO, WAYS };

static const double TARGET = 1.8, TARGET_NS = 50e3;

/* A kernel with the operands of its calls, which both ways share but for the output. */
typedef struct side {
    aic_kernel *kernel;
    aic_kernel_info info;
    void *operand[AIC_OPERANDS_MAX], *packed;
    size_t count;
    size_t images; /* of a call: 0: it is no batch */
    size_t stride[AIC_OPERANDS_MAX];
} side;

static void run(const side *s)
{
    if (s->images > 0) {
        if ((s->packed != NULL ? aic_kernel_call_batch_packed : aic_kernel_call_batch)(s->kernel, s->operand, s->stride,
                                                                                       s->images) != AIC_OK) {
            bench_die("batch");
        }
        return;
    }
    if ((s->packed != NULL ? aic_kernel_call_packed : aic_kernel_call)(s->kernel, s->operand, s->count) != AIC_OK) {
        bench_die("call");
    }
}

/* Images of a batch: outputs one after the other, the same inputs for all, which are then in the caches. */
static size_t output_bytes(const bench_data *data, size_t images)
{
    return ((size_t)data->operand[0].bytes + 63) / 64 * 64 * (images > 0 ? images : 1);
}

static void side_open(side *s, aic_context *context, const bench_data *data, size_t images)
{
    *s = (side){.count = data->count, .images = images, .info = aic_kernel_info_init()};
    s->stride[0] = output_bytes(data, 1);
    if (aic_kernel_create(context, data->spec, NULL, &s->kernel) != AIC_OK ||
        aic_kernel_get_info(s->kernel, &s->info) != AIC_OK) {
        bench_die("kernel");
    }
    memcpy(s->operand, data->pointer, sizeof s->operand);
    s->operand[0] = bench_memory(output_bytes(data, images));
    for (size_t i = 1; i < data->count; i++) {
        size_t bytes = 0;
        if (aic_kernel_packed_size(s->kernel, i, &bytes) == AIC_OK && bytes > 0) {
            s->packed = bench_memory(bytes);
            if (aic_kernel_pack(s->kernel, i, s->packed, s->operand[i]) != AIC_OK) {
                bench_die("pack");
            }
            s->operand[i] = s->packed;
        }
    }
}

static void side_close(side *s)
{
    free(s->operand[0]);
    free(s->packed);
    aic_kernel_destroy(s->kernel);
}

/* Nanoseconds of one call, over `calls` calls behind one that wakes the threads. */
static double time_calls(const side *s, int calls)
{
    run(s);
    const uint64_t start = timer_now();
    for (int i = 0; i < calls; i++) {
        run(s);
    }
    return (double)(timer_now() - start) / calls;
}

/* Medians of both ways, in turn for about `seconds` each. */
static void time_sides(const side *sides, double seconds, double ns[WAYS])
{
    enum { SAMPLES_MIN = 5, SAMPLES_MAX = 4000 };
    static double sample[WAYS][SAMPLES_MAX];
    const double once = time_calls(&sides[ONE], 1);
    const int calls = once < 1e6 ? 1 + (int)(1e6 / (once + 1)) : 1;
    const uint64_t start = timer_now();
    size_t samples = 0;
    while (samples < SAMPLES_MIN ||
           (samples < SAMPLES_MAX && (double)(timer_now() - start) < seconds * 1e9 * (double)WAYS)) {
        for (int way = 0; way < WAYS; way++) {
            sample[way][samples] = time_calls(&sides[way], calls);
        }
        samples++;
    }
    for (int way = 0; way < WAYS; way++) {
        ns[way] = timer_median(sample[way], samples);
    }
}

/* Takes the specification over. */
static void measure(const char *name, aic_spec *spec, aic_context *const contexts[WAYS], double seconds, size_t images)
{
    bench_data data;
    side sides[WAYS];
    double ns[WAYS];
    bench_data_open(&data, spec);
    for (int way = 0; way < WAYS; way++) {
        side_open(&sides[way], contexts[way], &data, images);
        run(&sides[way]);
    }
    if (memcmp(sides[ONE].operand[0], sides[TWO].operand[0], output_bytes(&data, images)) != 0) {
        fprintf(stderr, "bench: %s: two threads give another result than one\n", name);
        exit(1);
    }
    time_sides(sides, seconds, ns);
    const double ratio = ns[ONE] / ns[TWO];
    printf("%-36s %7d %10.1f %10.1f %7.2f %s\n", name, sides[TWO].info.threads, ns[ONE] * 1e-3, ns[TWO] * 1e-3, ratio,
           ns[ONE] < TARGET_NS ? ""
           : ratio >= TARGET   ? "target 1.80: met"
                               : "target 1.80: missed");
    (void)fflush(stdout);
    side_close(&sides[ONE]);
    side_close(&sides[TWO]);
    bench_data_close(&data);
}

/* Operators without products, by their text. */
static const char *const MOVES[] = {
    "tensor_arithmetic(op=BM_ADD, shape=[1,8,64,64])",
    "tensor_arithmetic(op=BM_ADD, shape=[1,8,512,512])",
    "transdata(dtype=float16, src=NHWC, dst=NC1HWC0, shape=[1,112,112,64])",
    "fixpipe(src=int32, dst=float16, nSize=256, mSize=3136, srcStride=3136, dstStride=256, quantPre=VDEQF16)",
};

static void measure_moves(const bench_options *options, aic_context *const contexts[WAYS])
{
    for (size_t i = 0; i < sizeof MOVES / sizeof MOVES[0]; i++) {
        aic_spec *spec = NULL;
        char name[37];
        (void)snprintf(name, sizeof name, "%s", MOVES[i]);
        if (options->kind == NULL && (options->layer == NULL || strstr(MOVES[i], options->layer) != NULL)) {
            if (aic_spec_parse(MOVES[i], &spec) != AIC_OK) {
                bench_die(MOVES[i]);
            }
            measure(name, spec, contexts, options->seconds, 0);
        }
    }
}

/* Kernels too small to be shared themselves, by the number of images. */
static const struct {
    const char *text;
    size_t images;
} BATCHES[] = {
    {"conv2d(dtype=int8, fm_shape=[1,14,14,32], kernel_shape=[1,1,1,64,32])", 4},
    {"conv2d(dtype=int8, fm_shape=[1,14,14,32], kernel_shape=[1,1,1,64,32])", 64},
    {"tensor_arithmetic(op=BM_ADD, shape=[1,8,32,32])", 64},
};

static void measure_batches(const bench_options *options, aic_context *const contexts[WAYS])
{
    for (size_t i = 0; i < sizeof BATCHES / sizeof BATCHES[0]; i++) {
        aic_spec *spec = NULL;
        char name[37];
        (void)snprintf(name, sizeof name, "%zu x %s", BATCHES[i].images, BATCHES[i].text);
        if (options->kind == NULL && (options->layer == NULL || strstr(name, options->layer) != NULL)) {
            if (aic_spec_parse(BATCHES[i].text, &spec) != AIC_OK) {
                bench_die(BATCHES[i].text);
            }
            measure(name, spec, contexts, options->seconds, BATCHES[i].images);
        }
    }
}

static aic_context *context_with(int threads, const char *isa)
{
    aic_context_options options = aic_context_options_init();
    aic_context *context;
    options.isa = isa;
    options.threads = threads;
    if (aic_context_create(&options, &context) != AIC_OK) {
        bench_die("context");
    }
    return context;
}

int main(int argc, char **argv)
{
    const bench_options options = bench_parse(argc, argv, NULL);
    aic_context *contexts[WAYS] = {context_with(1, options.isa), context_with(2, options.isa)};
    printf("two threads against one at level %s, weights packed\n", aic_context_isa(contexts[ONE]));
    printf("%-36s %7s %10s %10s %7s\n", "", "threads", "one, us", "two, us", "ratio");
    for (const bench_kind *kind = bench_kinds; kind->name != NULL; kind++) {
        for (const bench_layer *layer = bench_layers; layer->name != NULL; layer++) {
            if (bench_wants_kind(&options, kind) && bench_wants_layer(&options, layer)) {
                aic_spec *spec = bench_spec(layer, kind);
                char name[64];
                (void)snprintf(name, sizeof name, "%s %s", kind->name, layer->name);
                measure(name, spec, contexts, options.seconds, 0);
            }
        }
    }
    measure_moves(&options, contexts);
    measure_batches(&options, contexts);
    aic_context_destroy(contexts[TWO]);
    aic_context_destroy(contexts[ONE]);
    return 0;
}
