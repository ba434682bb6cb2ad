/* Layers, operands, kernels and timing of the conv2d benchmarks. */
#include "tests/bench/common.h"

#include "tools/harness/fail.h"
#include "tools/harness/fill.h"
#include "tools/harness/peak.h"
#include "tools/harness/timer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* What is measured is made here, not read from a disk cache. */
__attribute__((constructor)) static void read_no_cache(void)
{
    (void)setenv("AIC_CACHE", "off", 1);
}

/* name, channels, size, cout, kernel, stride, pad, dilation, count, target */
const bench_layer bench_layers[] = {
    {"3x3 64-64 @56", 64, 56, 64, 3, 1, 1, 1, 3, true},
    {"1x1 256-64 @56", 256, 56, 64, 1, 1, 0, 1, 2, true},
    {"7x7/2 4-64 @224", 4, 224, 64, 7, 2, 3, 1, 1, false},
    {"1x1 64-64 @56", 64, 56, 64, 1, 1, 0, 1, 1, false},
    {"1x1 64-256 @56", 64, 56, 256, 1, 1, 0, 1, 4, false},
    {"1x1 256-128 @56", 256, 56, 128, 1, 1, 0, 1, 1, false},
    {"3x3/2 128-128 @56", 128, 56, 128, 3, 2, 1, 1, 1, false},
    {"1x1 128-512 @28", 128, 28, 512, 1, 1, 0, 1, 4, false},
    {"1x1/2 256-512 @56", 256, 56, 512, 1, 2, 0, 1, 1, false},
    {"1x1 512-128 @28", 512, 28, 128, 1, 1, 0, 1, 3, false},
    {"3x3 128-128 @28", 128, 28, 128, 3, 1, 1, 1, 3, false},
    {"1x1 512-256 @28", 512, 28, 256, 1, 1, 0, 1, 1, false},
    {"3x3/2 256-256 @28", 256, 28, 256, 3, 2, 1, 1, 1, false},
    {"1x1 256-1024 @14", 256, 14, 1024, 1, 1, 0, 1, 6, false},
    {"1x1/2 512-1024 @28", 512, 28, 1024, 1, 2, 0, 1, 1, false},
    {"1x1 1024-256 @14", 1024, 14, 256, 1, 1, 0, 1, 5, false},
    {"3x3 256-256 @14", 256, 14, 256, 3, 1, 1, 1, 5, false},
    {"1x1 1024-512 @14", 1024, 14, 512, 1, 1, 0, 1, 1, false},
    {"3x3/2 512-512 @14", 512, 14, 512, 3, 2, 1, 1, 1, false},
    {"1x1 512-2048 @7", 512, 7, 2048, 1, 1, 0, 1, 3, false},
    {"1x1/2 1024-2048 @14", 1024, 14, 2048, 1, 2, 0, 1, 1, false},
    {"1x1 2048-512 @7", 2048, 7, 512, 1, 1, 0, 1, 2, false},
    {"3x3 512-512 @7", 512, 7, 512, 3, 1, 1, 1, 2, false},
    {"3x3 48-80 @35", 48, 35, 80, 3, 1, 1, 1, 0, false},
    {"5x5 96-96 @28", 96, 28, 96, 5, 1, 2, 1, 0, false},
    {"3x3 dil 2 64-64 @28", 64, 28, 64, 3, 1, 2, 2, 0, false},
    {"3x3 256-512 @13", 256, 13, 512, 3, 1, 1, 1, 0, false},
    {"1x1 320-16 @13", 320, 13, 16, 1, 1, 0, 1, 0, false},
    {"3x3/2 4-32 @299", 4, 299, 32, 3, 2, 0, 1, 0, false},
    {0},
};

const bench_kind bench_kinds[] = {
    {"int8", AIC_INT8, AIC_ACCUMULATE_CUBE, "fp32", aic_peak_fma_f32, 0.70},
    {"fast", AIC_FLOAT16, AIC_ACCUMULATE_FAST, "fp32", aic_peak_fma_f32, 0.75},
    {"cube", AIC_FLOAT16, AIC_ACCUMULATE_CUBE, "fp64", aic_peak_fma_f64, 0.50},
    {0},
};

_Noreturn void bench_die(const char *what)
{
    fprintf(stderr, "bench: %s: %s%s\n", what, aic_last_error(), cli_fail_message());
    exit(3);
}

void *bench_memory(size_t bytes)
{
    enum { LARGE_PAGE = 2 << 20 };
    size_t rounded = (bytes + 64) / 64 * 64;
    void *memory = aligned_alloc(64, rounded);
    if (memory == NULL) {
        fprintf(stderr, "bench: %zu bytes of memory cannot be had\n", bytes);
        exit(3);
    }
    /* Both sides have large pages where there are any: otherwise figures depend on which pages the system has left. */
    const size_t before = -(uintptr_t)memory % LARGE_PAGE;
    if (rounded >= before + LARGE_PAGE) {
        (void)madvise((char *)memory + before, (rounded - before) / LARGE_PAGE * LARGE_PAGE, MADV_HUGEPAGE);
    }
    return memset(memory, 0, rounded);
}

/* ---- options ---- */

/* The last level the host runs itself, `most` being the highest one considered. */
static const char *best_isa(const char *most)
{
    const char *best = aic_isa_name(0), *name;
    for (size_t i = 0; (name = aic_isa_name(i)) != NULL; i++) {
        best = aic_isa_check(name) == AIC_OK && !aic_isa_emulated(name) ? name : best;
        if (most != NULL && strcmp(name, most) == 0) {
            break;
        }
    }
    return best;
}

static const char *program = "bench"; /* its name, for messages about options */

const char *bench_program(void)
{
    return program;
}

static _Noreturn void refuse_option(const bench_option *table, const char *option, const char *problem)
{
    fprintf(stderr, "%s: %s: %s; options are", program, option, problem);
    for (size_t i = 0; table[i].name != NULL; i++) {
        fprintf(stderr, "%s %s", i > 0 ? "," : "", table[i].name);
    }
    fprintf(stderr, ", each with a value\n");
    exit(2);
}

void bench_read_options(int argc, char **argv, const bench_option *table)
{
    const char *slash = strrchr(argv[0], '/');
    program = slash != NULL ? slash + 1 : argv[0];
    for (int i = 1; i < argc; i += 2) {
        const bench_option *row = table;
        while (row->name != NULL && strcmp(argv[i], row->name) != 0) {
            row++;
        }
        if (row->name == NULL || i + 1 == argc) {
            refuse_option(table, argv[i], row->name == NULL ? "there is no such option" : "no value");
        }
        *row->target = argv[i + 1];
    }
}

_Noreturn void bench_refuse(const char *option, const char *value)
{
    fprintf(stderr, "%s: %s: %s does not fit\n", program, option, value);
    exit(2);
}

double bench_number(const char *option, const char *text, double low, double high)
{
    char *end;
    const double value = strtod(text, &end);
    if (end == text || *end != '\0' || !(value >= low && value <= high)) {
        bench_refuse(option, text);
    }
    return value;
}

FILE *bench_open_output(const char *option, const char *path)
{
    FILE *file = path == NULL ? NULL : fopen(path, "we");
    if (path != NULL && file == NULL) {
        bench_refuse(option, path);
    }
    return file;
}

void bench_close_output(FILE *file, const char *path)
{
    const bool whole = ferror(file) == 0;
    if (fclose(file) != 0 || !whole) {
        bench_die(path);
    }
}

void bench_write_text(FILE *out, const char *text)
{
    (void)fputc('"', out);
    for (const char *c = text; *c != '\0'; c++) {
        if (*c == '"' || *c == '\\') {
            (void)fputc('\\', out);
        }
        (void)fputc((unsigned char)*c < ' ' ? ' ' : *c, out);
    }
    (void)fputc('"', out);
}

bench_options bench_parse(int argc, char **argv, const char *isa_most)
{
    bench_options o = {.isa = best_isa(isa_most), .seconds = 0.25};
    const char *seconds = NULL;
    bench_read_options(argc, argv,
                       (const bench_option[]){
                           {"--isa", &o.isa}, {"--kind", &o.kind}, {"--layer", &o.layer}, {"--time", &seconds}, {0}});
    o.seconds = seconds != NULL ? bench_number("--time", seconds, 0, 3600) : o.seconds;
    return o;
}

bool bench_wants_kind(const bench_options *options, const bench_kind *kind)
{
    return options->kind == NULL || strcmp(options->kind, kind->name) == 0;
}

bool bench_wants_layer(const bench_options *options, const bench_layer *layer)
{
    return options->layer == NULL || strstr(layer->name, options->layer) != NULL;
}

/* ---- contexts, specifications, operands ---- */

aic_context *bench_context(const char *isa)
{
    aic_context_options options = aic_context_options_init();
    options.isa = isa;
    options.threads = 1; /* the clock is that of one thread */
    aic_context *context;
    if (aic_context_create(&options, &context) != AIC_OK) {
        bench_die("context");
    }
    return context;
}

aic_spec *bench_spec(const bench_layer *layer, const bench_kind *kind)
{
    aic_conv2d_desc d = aic_conv2d_desc_init();
    int64_t c0 = layer->channels == 4 ? 4 : 32 / (int64_t)aic_dtype_size(kind->dtype);
    int64_t c1 = (layer->channels + c0 - 1) / c0;
    const int64_t fm_shape[] = {c1, layer->size, layer->size, c0};
    const int64_t kernel_shape[] = {c1, layer->kernel, layer->kernel, layer->cout, c0};
    memcpy(d.fm_shape, fm_shape, sizeof fm_shape);
    memcpy(d.kernel_shape, kernel_shape, sizeof kernel_shape);
    for (size_t i = 0; i < 2; i++) {
        d.stride[i] = layer->stride;
        d.dilation[i] = layer->dilation;
    }
    for (size_t i = 0; i < 4; i++) {
        d.pad[i] = layer->pad;
    }
    d.dtype = kind->dtype;
    d.accumulate = kind->accumulate;
    aic_spec *spec = NULL;
    if (aic_spec_create_conv2d(&d, &spec) != AIC_OK) {
        bench_die("specification");
    }
    return spec;
}

void bench_data_open(bench_data *data, aic_spec *spec)
{
    int64_t bytes;
    *data = (bench_data){.spec = spec};
    if (aic_spec_validate(spec, NULL) != AIC_OK ||
        aic_spec_operands(spec, NULL, data->operand, &data->count) != AIC_OK ||
        aic_spec_work(spec, NULL, &data->macs, &bytes) != AIC_OK) {
        bench_die("specification");
    }
    for (size_t i = 0; i < data->count; i++) {
        if (data->operand[i].direction == AIC_DIRECTION_UNUSED) {
            continue;
        }
        data->pointer[i] = bench_memory((size_t)data->operand[i].bytes);
        if (i > 0 && fill_operand(&data->operand[i], "random:1", data->pointer[i]) != CLI_DONE) {
            bench_die(data->operand[i].name);
        }
    }
}

void bench_data_close(bench_data *data)
{
    for (size_t i = 0; i < AIC_OPERANDS_MAX; i++) {
        free(data->pointer[i]);
    }
    aic_spec_destroy(data->spec);
}

void bench_data_check(const bench_data *data, const bench_body *kernel, const char *what)
{
    const size_t bytes = (size_t)data->operand[0].bytes;
    void *expected = bench_memory(bytes), *operands[AIC_OPERANDS_MAX];
    memcpy(operands, data->pointer, sizeof operands);
    operands[0] = expected;
    memcpy(expected, data->pointer[0], bytes);
    kernel->run(kernel->argument);
    if (aic_reference(data->spec, NULL, operands, data->count) != AIC_OK) {
        bench_die("reference");
    }
    if (memcmp(expected, data->pointer[0], bytes) != 0) {
        fprintf(stderr, "bench: %s is wrong\n", what);
        exit(1);
    }
    free(expected);
}

/* ---- timing ---- */

/* Nanoseconds of processor time that this thread has used. */
static double cpu_ns(void)
{
    struct timespec t;
    if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t) != 0) {
        bench_die("the clock of processor time");
    }
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Nanoseconds of one call, over `calls` calls behind one that brings the caches into their steady state. */
static double time_calls(const bench_body *body, int calls)
{
    body->run(body->argument);
    double start = cpu_ns();
    for (int i = 0; i < calls; i++) {
        body->run(body->argument);
    }
    return (cpu_ns() - start) / calls;
}

void bench_time(bench_body *body, size_t count, double seconds)
{
    enum { SAMPLES_MIN = 5, SAMPLES_MAX = 4000, BODIES_MAX = 64 };
    static double sample[BODIES_MAX][SAMPLES_MAX];
    static const double BATCH_NS = 2e6; /* long enough that the caches a neighbour left count little */
    int calls[BODIES_MAX];
    if (count > BODIES_MAX) {
        bench_die("too many bodies");
    }
    for (size_t i = 0; i < count; i++) {
        double once = time_calls(&body[i], 1);
        calls[i] = once < BATCH_NS ? 1 + (int)(BATCH_NS / (once + 1)) : 1;
    }
    double start = cpu_ns();
    size_t samples = 0;
    while (samples < SAMPLES_MAX && (samples < SAMPLES_MIN || cpu_ns() - start < seconds * 1e9 * (double)count)) {
        for (size_t i = 0; i < count; i++) {
            sample[i][samples] = time_calls(&body[i], calls[i]);
        }
        samples++;
    }
    for (size_t i = 0; i < count; i++) {
        body[i].ns = timer_median(sample[i], samples);
    }
}

/* Kernels are made on a thread of the library's own, whose time is not the caller's: the process' time counts. */
static double process_cpu_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

double bench_compile_ms(const char *isa, const aic_spec *spec)
{
    enum { COMPILES = 9 };
    double sample[COMPILES];
    for (size_t i = 0; i < COMPILES; i++) {
        aic_context *context = bench_context(isa);
        aic_kernel *kernel;
        double start = process_cpu_ns();
        if (aic_kernel_create(context, spec, NULL, &kernel) != AIC_OK) {
            bench_die("kernel");
        }
        sample[i] = (process_cpu_ns() - start) * 1e-6;
        aic_kernel_destroy(kernel);
        aic_context_destroy(context);
    }
    return timer_median(sample, COMPILES);
}

void bench_use_environment(char **argv, const bench_variable *variables, size_t count)
{
    bool changed = false;
    for (size_t i = 0; i < count; i++) {
        const char *now = getenv(variables[i].name);
        if (now == NULL || strcmp(now, variables[i].value) != 0) {
            changed = true;
            if (setenv(variables[i].name, variables[i].value, 1) != 0) {
                bench_die(variables[i].name);
            }
        }
    }
    if (changed) {
        (void)execv("/proc/self/exe", argv);
        bench_die("cannot start with another environment");
    }
}

void bench_use_one_thread(char **argv)
{
    bench_use_environment(argv, &(bench_variable){"OMP_NUM_THREADS", "1"}, 1);
}

/* The peer's name for one of our levels; NULL: what it likes. */
static const char *level_of_peer(const char *isa)
{
    static const struct {
        const char *isa, *peer;
    } NAMES[] = {{"generic", "SSE41"},
                 {"sse2", "SSE41"},
                 {"avx2", "AVX2"},
                 {"avx512", "AVX512_CORE"},
                 {"avx512vnni", "AVX512_CORE_VNNI"},
                 {"avx512fp16", "AVX512_CORE_FP16"}};
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
        if (strcmp(NAMES[i].isa, isa) == 0) {
            return NAMES[i].peer;
        }
    }
    return NULL;
}

void bench_use_peer(char **argv, const char *threads, const char *isa, const char *best)
{
    const char *level = strcmp(isa, best) == 0 ? NULL : level_of_peer(isa);
    const bench_variable variables[] = {{"OMP_NUM_THREADS", threads},
                                        {"ONEDNN_MAX_CPU_ISA", level != NULL ? level : "DEFAULT"}};
    bench_use_environment(argv, variables, 2);
}
