/* What tile kernels execute, counted by the emulator (tests/emulate): that the default schedules of layers that matter
 * keep tiles in registers while they add up, use nearly all rows of them, and configure them once a call.
 *
 * A core with tiles takes a cycle for a row of a product and half a cycle for a row that it loads from its first-level
 * cache, both at once. So rows of products over those that the layer needs tell how much of the peak is lost to
 * unused rows, and rows of loads over rows of products, less than 2, that products are what limits. Where lines come
 * from is told by a model of caches; nothing is fetched ahead there. Every figure is a limit: better schedules pass. */
#include "frontend/core/stage.h"
#include "tests/specs.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

Suite *suite_tile_counts(void);

#if defined(__x86_64__)

#include "tests/emulate/cache.h"
#include "tests/emulate/emulate.h"

enum { WEIGHT = 2 };

typedef struct layer {
    const char *text;
    double rows;  /* of products, for each that is needed */
    double loads; /* loaded rows for each row of a product */
    double share; /* of the peak that products and lines allow */
} layer;

#define CONV8(c1, size, n, kernel, stride, pad)                                                                        \
    "conv2d(dtype=int8, fm_shape=[" #c1 "," #size "," #size ",32], kernel_shape=[" #c1 "," #kernel "," #kernel "," #n  \
    ",32], stride=[" #stride "," #stride "], pad=[" #pad "," #pad "," #pad "," #pad "])"

#define CONV16(c1, size, n, kernel, stride, pad)                                                                       \
    "conv2d(dtype=float16, accumulate=fast, fm_shape=[" #c1 "," #size "," #size ",16], kernel_shape=[" #c1 "," #kernel \
    "," #kernel "," #n ",16], stride=[" #stride "," #stride "], pad=[" #pad "," #pad "," #pad "," #pad "])"

static const layer LAYERS[] = {
    {CONV8(2, 56, 64, 3, 1, 1), 1, 1.3, 0.99},
    {CONV8(4, 28, 128, 3, 1, 1), 1, 1.3, 0.99},
    {CONV8(8, 14, 256, 3, 1, 1), 1, 1.3, 0.98},
    {CONV8(16, 7, 64, 3, 1, 1), 1.31, 1.3, 0.71}, /* 64 pixels of a band for 49 of the output */
    {CONV8(16, 7, 512, 3, 1, 1), 1.31, 1.3, 0.27},
    {CONV8(4, 56, 128, 3, 2, 1), 1, 1.3, 0.85},
    {CONV8(8, 28, 256, 3, 2, 1), 1, 1.3, 0.65},
    {CONV8(2, 56, 64, 1, 1, 0), 1, 1.34, 0.99}, /* 3 registers by 1, which leave room for results in the cache */
    {CONV8(8, 56, 64, 1, 1, 0), 1, 1.34, 0.99}, /* the same */
    {CONV8(16, 28, 128, 1, 1, 0), 1, 1.3, 0.92},
    {CONV8(8, 56, 512, 1, 2, 0), 1, 1.3, 0.99},
    {CONV8(32, 14, 256, 1, 1, 0), 1, 1.3, 0.64},
    {CONV8(16, 7, 2048, 1, 1, 0), 1.07, 1.4, 0.83},
    {CONV8(64, 7, 512, 1, 1, 0), 1.2, 1.5, 0.66},
    {CONV8(1, 56, 64, 3, 1, 1), 1.34, 1.3, 0.74}, /* 24 cells of a kernel row in 2 steps of 16 */
    {"conv2d(dtype=int8, fm_shape=[1,112,112,4], kernel_shape=[1,7,7,64,4], stride=[2,2], pad=[3,3,3,3])", 1.31, 1.3,
     0.75},
    {CONV16(4, 56, 64, 3, 1, 1), 1, 0.75, 0.99},
    {CONV16(1, 56, 64, 3, 1, 1), 1.34, 0.75, 0.74}, /* 24 cells of a kernel row in 2 steps of 16 */
    {"conv2d(dtype=float16, accumulate=fast, fm_shape=[1,112,112,4], kernel_shape=[1,7,7,64,4], stride=[2,2], "
     "pad=[3,3,3,3])",
     1.15, 0.75, 0.85},
    {"conv2d(dtype=float16, accumulate=fast, fm_shape=[1,57,57,4], kernel_shape=[1,3,3,32,4], stride=[2,2])", 1.78,
     0.75, 0.5}, /* 9 taps of 8 bytes in two registers of 64 */
    {CONV16(8, 28, 64, 3, 1, 1), 1, 0.75, 0.99},
    {CONV16(16, 14, 64, 3, 1, 1), 1, 0.75, 0.86},
    {CONV16(32, 7, 128, 3, 1, 1), 1.31, 0.75, 0.56},
    {CONV16(32, 28, 128, 1, 1, 0), 1, 0.75, 0.9},
    {CONV16(8, 28, 64, 3, 2, 1), 1, 0.75, 0.86},
    {CONV16(16, 14, 256, 1, 1, 0), 1, 0.75, 0.96},
    {"mmad(dtype=float16, m=196, n=128, k=256, accumulate=fast)", 1.07, 0.75, 0.91}, /* 13 registers of 16 rows */
    {"mmad(dtype=bfloat16, m=196, n=256, k=512, accumulate=fast)", 1, 1.3, 0.66},
    {"mmad(dtype=bfloat16, m=196, n=256, k=2048, accumulate=fast)", 1, 1.3, 0.48},
    {"mmad(dtype=int8, m=196, n=256, k=1024)", 1, 1.3, 0.66},
    {"mmad(dtype=int8, m=1000, n=64, k=512)", 1.03, 1.5, 0.91}, /* 2 registers by 1, for the same reason */
};
enum { LAYERS_COUNT = sizeof LAYERS / sizeof *LAYERS };

/* Without weights in the last half block of channels. A kernel row is 12 cells of 16, 28 of 32, 36 of 48, 60 of 64. */
static const layer LEAN[] = {
    {CONV8(1, 56, 64, 3, 1, 1), 0.67, 1.3, 1.45},
    {CONV8(1, 56, 16, 7, 1, 3), 0.58, 1.3, 1.5},
    {CONV8(1, 56, 64, 9, 1, 4), 0.67, 1.3, 1.39},
    {CONV8(3, 28, 96, 3, 1, 1), 0.89, 1.3, 1.1},
};
enum { LEAN_COUNT = sizeof LEAN / sizeof *LEAN };

typedef struct counts {
    uint64_t count[AMX_KINDS], rows[AMX_KINDS], lines[CACHE_LEVELS];
} counts;

static counts counts_now(void)
{
    counts now;
    for (int kind = 0; kind < AMX_KINDS; kind++) {
        now.count[kind] = emulate_count((amx_kind)kind);
        now.rows[kind] = emulate_rows((amx_kind)kind);
    }
    for (int level = 0; level < CACHE_LEVELS; level++) {
        now.lines[level] = emulate_lines(level);
    }
    return now;
}

/* What a second call executes, of one worker. */
static counts call_counts(const aic_spec *spec, bool empty)
{
    aic_context_options options = aic_context_options_init();
    options.isa = "amx";
    options.threads = 1;
    aic_context *context;
    aic_kernel *kernel;
    aic_operand operand[AIC_OPERANDS_MAX];
    void *content[AIC_OPERANDS_MAX] = {NULL};
    size_t count;
    ck_assert_int_eq(aic_context_create(&options, &context), AIC_OK);
    ck_assert_int_eq(aic_kernel_create(context, spec, NULL, &kernel), AIC_OK);
    ck_assert_int_eq(aic_spec_operands(spec, NULL, operand, &count), AIC_OK);
    for (size_t i = 0; i < count; i++) {
        const size_t bytes = ((size_t)operand[i].bytes + 63) / 64 * 64;
        content[i] = operand[i].direction == AIC_DIRECTION_UNUSED ? NULL : calloc(1, bytes);
    }
    if (!empty) {
        memset(content[WEIGHT], 0x3c, (size_t)operand[WEIGHT].bytes); /* of every type an ordinary number */
    }
    ck_assert_int_eq(aic_kernel_call(kernel, content, count), AIC_OK);
    const counts before = counts_now();
    ck_assert_int_eq(aic_kernel_call(kernel, content, count), AIC_OK);
    counts after = counts_now();
    for (int kind = 0; kind < AMX_KINDS; kind++) {
        after.count[kind] -= before.count[kind];
        after.rows[kind] -= before.rows[kind];
    }
    for (int level = 0; level < CACHE_LEVELS; level++) {
        after.lines[level] -= before.lines[level];
    }
    for (size_t i = 0; i < count; i++) {
        free(content[i]);
    }
    aic_kernel_destroy(kernel);
    aic_context_destroy(context);
    return after;
}

/* Multiply-adds of the elements that there are, by a row of a product: 16 output channels of 64 bytes. A float16 has
 * two planes, which make four products. */
static double rows_needed(const aic_spec *spec)
{
    aic_operand operand[AIC_OPERANDS_MAX];
    size_t count;
    int64_t macs, bytes;
    ck_assert_int_eq(aic_spec_operands(spec, NULL, operand, &count), AIC_OK);
    ck_assert_int_eq(aic_spec_work(spec, NULL, &macs, &bytes), AIC_OK);
    const int64_t channels = 64 / (int64_t)aic_dtype_size(operand[1].dtype);
    return (double)macs / (double)(16 * channels) * (operand[1].dtype == AIC_FLOAT16 ? 4 : 1);
}

/* Cycles in which the lines come: two a cycle from the first-level cache, nearly one from the second, both as measured
 * on Emerald Rapids (tools/figures.md), one in 8 from beyond. */
static double line_cycles(const counts *did)
{
    static const double CYCLES[CACHE_LEVELS] = {0.5, 1.1, 8};
    double cycles = 0;
    for (int level = 0; level < CACHE_LEVELS; level++) {
        cycles += CYCLES[level] * (double)did->lines[level];
    }
    return cycles;
}

static void expect_counts(const layer *l, bool empty)
{
    const aic_spec spec = spec_of(l->text);
    const counts did = call_counts(&spec, empty);
    const double products = (double)(did.rows[AMX_TDPBSSD] + did.rows[AMX_TDPBF16PS]),
                 loads = (double)(did.rows[AMX_TILELOADD] + did.rows[AMX_TILELOADDT1]);
    const double share = rows_needed(&spec) / fmax(products, line_cycles(&did));
    ck_assert_msg(products > 0, "%s: no tiles", l->text);
    ck_assert_msg(products <= l->rows * rows_needed(&spec) * 1.001, "%s: %.3f times the rows that it needs", l->text,
                  products / rows_needed(&spec));
    ck_assert_msg(loads <= l->loads * products, "%s: %.3f rows loaded for one of a product", l->text, loads / products);
    ck_assert_msg(share >= l->share, "%s: %.3f of the peak", l->text, share);
    if (emulate_counts_all()) {
        ck_assert_uint_ge(did.count[AMX_LDTILECFG], 1);
        ck_assert_uint_le(did.count[AMX_LDTILECFG], empty ? 2 : 1); /* the lean form's own, if its registers differ */
        ck_assert_uint_eq(did.count[AMX_TILERELEASE], 1);
    }
    ck_assert_uint_eq(did.count[AMX_TILESTORED] % did.count[AMX_TILEZERO], 0); /* for each block of channels */
}

START_TEST(rows)
{
    expect_counts(&LAYERS[_i], false);
}
END_TEST

START_TEST(rows_of_the_lean_form)
{
    expect_counts(&LEAN[_i], true);
}
END_TEST

/* A thread without a configuration of tiles has none after a call: the system need not save tiles between threads. */
START_TEST(released)
{
    static const char NONE[64] = {0};
    char config[64];
    const aic_spec spec = spec_of(LAYERS[_i].text);
    (void)call_counts(&spec, false);
    memset(config, 1, sizeof config);
    __asm__ volatile("sttilecfg %0" : "=m"(config));
    ck_assert_mem_eq(config, NONE, sizeof config);
}
END_TEST

Suite *suite_tile_counts(void)
{
    Suite *suite = suite_create("tile_counts");
    if (aic_isa_check("amx") != AIC_OK) {
        return suite;
    }
    TCase *after = tcase_create("after a call");
    tcase_set_timeout(after, 60);
    tcase_add_loop_test(after, released, 3, 4);
    suite_add_tcase(suite, after);
    if (!emulate_active()) {
        return suite; /* only the emulator counts instructions */
    }
    TCase *tcase = tcase_create("counted");
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, rows, 0, LAYERS_COUNT);
    tcase_add_loop_test(tcase, rows_of_the_lean_form, 0, LEAN_COUNT);
    suite_add_tcase(suite, tcase);
    return suite;
}

#else

/* Nothing to count on other processors. */
Suite *suite_tile_counts(void)
{
    return suite_create("tile_counts");
}

#endif
