/* Products of floats by tiles at level amx: numbers that these cannot multiply go another way, panel by panel and band
 * by band, and come out right; numbers that they just can multiply stay with them. */
#include "frontend/core/stage.h"
#include "frontend/random/rng.h"
#include "tests/claims.h"
#include "tests/specs.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

Suite *suite_tile_floats(void);

#if defined(__x86_64__)

#include "tests/emulate/emulate.h"

enum { OUT, IMAGE, WEIGHT, OPERANDS };

static const char *const SPECS[] = {
    "conv2d(dtype=float16, fm_shape=[3,4,18,16], kernel_shape=[3,3,3,32,16], pad=[1,1,1,1], accumulate=fast)",
    "conv2d(dtype=float16, fm_shape=[2,4,18,16], kernel_shape=[2,1,1,32,16], accumulate=fast, init_l1out=false)",
    /* the taps of a kernel row as one, several kernel rows as one, one step of a register and two */
    ("conv2d(dtype=float16, fm_shape=[1,11,37,4], kernel_shape=[1,7,7,32,4], stride=[2,2], pad=[3,3,3,3], "
     "accumulate=fast)"),
    "conv2d(dtype=float16, fm_shape=[1,9,35,4], kernel_shape=[1,3,3,32,4], accumulate=fast)",
    "conv2d(dtype=float16, fm_shape=[1,9,35,4], kernel_shape=[1,3,2,32,4], accumulate=fast)",
    "conv2d(dtype=float16, fm_shape=[1,4,19,16], kernel_shape=[1,3,3,32,16], accumulate=fast)",
    "mmad(dtype=float16, m=70, n=40, k=96, accumulate=fast)",
    "mmad(dtype=bfloat16, m=70, n=40, k=96, accumulate=fast)",
    "mmad(dtype=bfloat16, m=70, n=40, k=90, b_format=Zn, accumulate=fast, init_c=false)",
};
enum { SPECS_COUNT = sizeof SPECS / sizeof *SPECS };

/* What contents are made of: patterns of 16 bits between two numbers, of both signs. */
typedef struct contents {
    const char *name;
    uint16_t half_low, half_high, bfloat_low, bfloat_high;
    bool tiles_half, tiles_bfloat; /* nothing of it is special */
} contents;

static const contents CONTENTS[] = {
    {"usual numbers", 0x2800, 0x4400, 0x3c00, 0x4100, true, true},
    {"subnormal halves, bfloat16 from 2^-56 on", 0x0000, 0x03ff, 0x2380, 0x2400, true, true},
    {"the whole range of halves", 0x0000, 0x7bff, 0x2380, 0x4f00, true, true},
    {"numbers and a few infinite ones", 0x7bf8, 0x7c00, 0x7f78, 0x7f80, false, true},
    {"NaN", 0x7c01, 0x7fff, 0x7f81, 0x7fff, false, true},
    {"numbers and bfloat16 below 2^-56", 0x7c00, 0x7c00, 0x0001, 0x2380, false, false},
};
enum { CONTENTS_COUNT = sizeof CONTENTS / sizeof *CONTENTS };

typedef struct tensors {
    aic_spec spec;
    aic_operand operand[AIC_OPERANDS_MAX];
    void *data[OPERANDS];
    float *before; /* the old output */
} tensors;

static void open_tensors(tensors *t, const char *text)
{
    size_t count;
    uint64_t state = claims_seed(99);
    t->spec = spec_of(text);
    ck_assert_int_eq(aic_spec_operands(&t->spec, NULL, t->operand, &count), AIC_OK);
    ck_assert_uint_eq(count, OPERANDS);
    for (size_t i = 0; i < count; i++) {
        t->data[i] = aligned_alloc(64, ((size_t)t->operand[i].bytes + 63) / 64 * 64);
        ck_assert_ptr_nonnull(t->data[i]);
    }
    t->before = malloc((size_t)t->operand[OUT].bytes);
    ck_assert_ptr_nonnull(t->before);
    for (int64_t i = 0; i < t->operand[OUT].elements; i++) {
        t->before[i] = ldexpf((float)(aic_rng_next(&state) % 2001) - 1000, i % 7 == 0 ? -149 : -8); /* some subnormal */
    }
}

static void close_tensors(tensors *t)
{
    for (size_t i = 0; i < OPERANDS; i++) {
        free(t->data[i]);
    }
    free(t->before);
}

static bool is_half(const tensors *t)
{
    return t->operand[IMAGE].dtype == AIC_FLOAT16;
}

/* Element `i` of an operand from these contents. */
static void put(tensors *t, int operand, int64_t i, const contents *c, uint64_t *state)
{
    const uint16_t low = is_half(t) ? c->half_low : c->bfloat_low, high = is_half(t) ? c->half_high : c->bfloat_high;
    const uint64_t bits = aic_rng_next(state);
    const uint16_t value = (uint16_t)(low + (bits >> 16) % (uint64_t)(high - low + 1) + (bits & 0x8000));
    memcpy((char *)t->data[operand] + 2 * i, &value, sizeof value);
}

static void fill(tensors *t, int operand, const contents *c, uint64_t *state)
{
    for (int64_t i = 0; i < t->operand[operand].elements; i++) {
        put(t, operand, i, c, state);
    }
}

/* Infinite results stay infinite. */
static aic_context_options options_of_tests(void)
{
    aic_context_options options = aic_context_options_init();
    options.isa = "amx";
    options.threads = 1;
    options.semantics.overflow = AIC_OVERFLOW_IEEE;
    return options;
}

/* Calls the kernel with this schedule; the products of tiles that this took. */
static uint64_t call_with(tensors *t, const char *schedule)
{
    const aic_context_options options = options_of_tests();
    aic_context *context;
    aic_kernel *kernel;
    ck_assert_int_eq(aic_context_create(&options, &context), AIC_OK);
    ck_assert_int_eq(aic_kernel_create(context, &t->spec, schedule, &kernel), AIC_OK);
    memcpy(t->data[OUT], t->before, (size_t)t->operand[OUT].bytes);
    const uint64_t before = emulate_count(AMX_TDPBF16PS);
    ck_assert_int_eq(aic_kernel_call(kernel, t->data, OPERANDS), AIC_OK);
    aic_kernel_destroy(kernel);
    aic_context_destroy(context);
    return emulate_count(AMX_TDPBF16PS) - before;
}

static uint64_t call(tensors *t)
{
    return call_with(t, "schedule(kernel=amx)");
}

/* Every element of the result is as near to the exact one as accumulate=fast demands. */
static void expect_right(tensors *t, const char *what)
{
    const size_t count = (size_t)t->operand[OUT].elements;
    double *exact = malloc(count * sizeof *exact), *bound = malloc(count * sizeof *bound);
    void *data[OPERANDS] = {t->before, t->data[IMAGE], t->data[WEIGHT]};
    ck_assert(exact != NULL && bound != NULL);
    const aic_semantics semantics = options_of_tests().semantics;
    ck_assert_int_eq(aic_reference_bound(&t->spec, &semantics, data, OPERANDS, exact, bound), AIC_OK);
    for (size_t i = 0; i < count; i++) {
        const double got = ((const float *)t->data[OUT])[i];
        const bool same = isnan(exact[i]) ? isnan(got) : got == exact[i];
        ck_assert_msg(same || isinf(bound[i]) || fabs(got - exact[i]) <= bound[i],
                      "%s: element %zu is %a, not %a +- %a", what, i, got, exact[i], bound[i]);
    }
    free(exact);
    free(bound);
}

/* The first element of an operand, one between and the last, one at a time, from each of the contents; the other
 * elements are usual. */
static void check_special_elements(tensors *t, const char *schedule)
{
    for (int operand = IMAGE; operand <= WEIGHT; operand++) {
        const int64_t last = t->operand[operand].elements - 1, positions[] = {0, last / 3, last};
        for (size_t i = 0; i < 3 * CONTENTS_COUNT; i++) {
            const contents *c = &CONTENTS[i / 3];
            uint64_t state = claims_seed(5 + i);
            fill(t, IMAGE, &CONTENTS[0], &state);
            fill(t, WEIGHT, &CONTENTS[0], &state);
            put(t, operand, positions[i % 3], c, &state);
            (void)call_with(t, schedule);
            expect_right(t, c->name);
        }
    }
}

/* _i: a specification and contents. */
START_TEST(whole)
{
    const contents *c = &CONTENTS[_i / SPECS_COUNT];
    uint64_t state = claims_seed(4711);
    tensors t;
    open_tensors(&t, SPECS[_i % SPECS_COUNT]);
    fill(&t, IMAGE, c, &state);
    fill(&t, WEIGHT, &CONTENTS[0], &state);
    const bool tiles = is_half(&t) ? c->tiles_half : c->tiles_bfloat;
    const uint64_t products = call(&t);
    expect_right(&t, c->name);
    fill(&t, IMAGE, &CONTENTS[0], &state);
    fill(&t, WEIGHT, c, &state);
    const uint64_t others = call(&t);
    expect_right(&t, c->name);
    if (emulate_active()) {
        ck_assert_msg((products > 0) == tiles && (others > 0) == tiles, "%s: products of tiles", c->name);
    }
    close_tensors(&t);
}
END_TEST

/* One element is special: only its band or panel leaves the tiles for vector code. */
START_TEST(single)
{
    tensors t;
    open_tensors(&t, SPECS[_i]);
    check_special_elements(&t, "schedule(kernel=amx)");
    close_tensors(&t);
}
END_TEST

/* The same where the channels are multiplied block by block: the special element is in any of the blocks. */
START_TEST(blocks)
{
    static const struct {
        const char *text, *schedule;
    } ROWS[] = {
        {"conv2d(dtype=float16, fm_shape=[8,4,18,16], kernel_shape=[8,3,3,32,16], pad=[1,1,1,1], accumulate=fast)",
         "schedule(kernel=amx, rows=2, cols=9, vectors=2, unroll=16, band=2, hold=window, blocks=2)"},
        {"mmad(dtype=float16, m=40, n=48, k=128, accumulate=fast)",
         "schedule(kernel=amx, rows=20, vectors=1, unroll=16, hold=window, blocks=4)"},
        {"mmad(dtype=bfloat16, m=70, n=40, k=128, accumulate=fast)",
         "schedule(kernel=amx, rows=35, vectors=1, unroll=16, hold=window, blocks=2)"},
    };
    tensors t;
    open_tensors(&t, ROWS[_i].text);
    check_special_elements(&t, ROWS[_i].schedule);
    close_tensors(&t);
}
END_TEST

/* Of four bands of a row, two see the image's first pixel; of two panels, one has the last weight. */
START_TEST(neighbours)
{
    static const char schedule[] = "schedule(kernel=amx, rows=1, cols=18, vectors=1, band=1)";
    tensors t;
    uint64_t state = claims_seed(3);
    open_tensors(&t, SPECS[0]);
    fill(&t, IMAGE, &CONTENTS[0], &state);
    fill(&t, WEIGHT, &CONTENTS[0], &state);
    const uint64_t all = call_with(&t, schedule);
    ck_assert_uint_gt(all, 0);
    const contents nan = {.half_low = 0x7e00, .half_high = 0x7e00};
    put(&t, IMAGE, 0, &nan, &state);
    ck_assert_uint_eq(call_with(&t, schedule), all / 2);
    expect_right(&t, "bands");
    fill(&t, IMAGE, &CONTENTS[0], &state);
    put(&t, WEIGHT, t.operand[WEIGHT].elements - 1, &nan, &state);
    ck_assert_uint_eq(call_with(&t, schedule), all / 2);
    expect_right(&t, "panels");
    close_tensors(&t);
}
END_TEST

/* Infinite times 0, and infinite numbers of both signs, are NaN; times a number they are infinite. */
START_TEST(infinities)
{
    tensors t;
    uint64_t state = claims_seed(1);
    open_tensors(&t, "mmad(dtype=float16, m=48, n=32, k=64, accumulate=fast)");
    fill(&t, IMAGE, &CONTENTS[0], &state);
    fill(&t, WEIGHT, &CONTENTS[0], &state);
    uint16_t *image = t.data[IMAGE], *weight = t.data[WEIGHT];
    image[0] = 0x7c00;                      /* a[0][0] */
    image[64] = 0x7c00, image[65] = 0xfc00; /* a[1][0], a[1][1] */
    weight[0] = 0, weight[1] = 0x3c00, weight[32 + 1] = 0x3c00;
    (void)call(&t);
    expect_right(&t, "infinities");
    const float *out = t.data[OUT];
    ck_assert(isnan(out[0]) && isinf(out[1]) && out[1] > 0 && isnan(out[32 + 1]));
    close_tensors(&t);
}
END_TEST

Suite *suite_tile_floats(void)
{
    Suite *suite = suite_create("tile_floats");
    if (aic_isa_check("amx") != AIC_OK) {
        return suite; /* nothing multiplies tiles */
    }
    TCase *tcase = tcase_create("tile_floats");
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, whole, 0, SPECS_COUNT * CONTENTS_COUNT);
    tcase_add_loop_test(tcase, single, 0, SPECS_COUNT);
    tcase_add_loop_test(tcase, blocks, 0, 3);
    tcase_add_test(tcase, infinities);
    suite_add_tcase(suite, tcase);
    if (emulate_active()) { /* who counts products */
        tcase = tcase_create("counted");
        tcase_set_timeout(tcase, 120);
        tcase_add_test(tcase, neighbours);
        suite_add_tcase(suite, tcase);
    }
    return suite;
}

#else

/* No tiles on other processors. */
Suite *suite_tile_floats(void)
{
    return suite_create("tile_floats");
}

#endif
