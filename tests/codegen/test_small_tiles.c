/* Kernels of accumulate=winograd: results within the bound by every kind of schedule; elements that are not finite; the
 * same bits for any number of threads; packed weights of other forms. */
#include "tests/claims.h"
#include "tests/conv_case.h"
#include "tests/half_case.h"
#include "tests/levels.h"
#include "tests/specs.h"
#include "tools/harness/verify.h"

#include <aic/aic.h>
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Suite *suite_small_tiles(void);

#define WINOGRAD "conv2d(dtype=float16, accumulate=winograd, "
#define CHANNEL "init_l1out=false, l1out=channel)"
#define HALF " | fixpipe(src=float32, dst=float16, quantPre=F322F16, format=NZ"

/* Odd sizes, outputs of one pixel, unequal padding, padding that is no 0, several panels, old results, chains, pixels
 * of four channels, which are no whole vectors at most levels. */
static const char *const SPECS[] = {
    WINOGRAD "fm_shape=[1,3,3,16], kernel_shape=[1,3,3,16,16])",
    WINOGRAD "fm_shape=[2,1,1,16], kernel_shape=[2,3,3,48,16], pad=[1,1,1,1])",
    WINOGRAD "fm_shape=[3,14,14,16], kernel_shape=[3,3,3,64,16], pad=[1,1,1,1])",
    WINOGRAD "fm_shape=[1,7,21,16], kernel_shape=[1,3,3,32,16], pad=[0,2,1,0], init_l1out=false)",
    WINOGRAD "fm_shape=[2,11,6,16], kernel_shape=[2,3,3,80,16], pad=[2,1,0,1])",
    WINOGRAD "fm_shape=[1,8,12,16], kernel_shape=[1,3,3,16,16], pad=[1,1,1,1], pad_value=3)",
    WINOGRAD "fm_shape=[1,9,10,16], kernel_shape=[1,3,3,32,16], pad=[1,1,1,1], " CHANNEL HALF ", reluEn=true)",
    WINOGRAD "fm_shape=[2,9,13,16], kernel_shape=[2,3,3,32,16], pad=[1,1,1,1], " CHANNEL
             " | tensor_arithmetic(op=BM_MUL, input1_stride=[0,16,0,1]) | tensor_arithmetic(op=BM_MAX, input1_stage=1)"
             " | tensor_arithmetic(op=BM_ADD)" HALF ")",
    WINOGRAD "fm_shape=[1,11,32,4], kernel_shape=[1,3,3,16,4])",
    WINOGRAD "fm_shape=[1,7,10,4], kernel_shape=[1,3,3,48,4], pad=[1,1,1,1])",
};
enum { SPECS_COUNT = sizeof SPECS / sizeof *SPECS };

/* NULL: the default. */
static const char *const SCHEDULES[] = {
    NULL,
    "schedule(kernel=winograd, m=2)",
    "schedule(kernel=winograd, m=4)",
    "schedule(kernel=winograd, m=2, rows=2, cols=2, band=1)",
    "schedule(kernel=winograd, m=4, rows=4, cols=4, band=1, unroll=1)",
    "schedule(kernel=winograd, m=4, rows=4, cols=8, hold=window)",
    "schedule(kernel=winograd, m=2, rows=6, cols=4, vectors=1, ahead=256)",
    "schedule(kernel=winograd, m=4, rows=8, cols=4, band=2, unroll=16)",
};

/* Makes the kernel; NULL where the schedule does not fit the shape. */
static aic_kernel *kernel_of(aic_context *context, const aic_spec *spec, const char *schedule)
{
    aic_kernel *kernel = NULL;
    const aic_status status = aic_kernel_create(context, spec, schedule, &kernel);
    ck_assert_msg(status == AIC_OK || status == AIC_INVALID_ARGUMENT, "%s", aic_last_error());
    return status == AIC_OK ? kernel : NULL;
}

/* _i: a level and a specification. The highest native level sees every THOROUGH-th schedule, the others every
 * OTHERS-th, beginning with another one from specification to specification. */
START_TEST(within_the_bound)
{
    enum { THOROUGH = 2, OTHERS = 4 };
    const char *text = SPECS[_i % SPECS_COUNT];
    const aic_spec spec = spec_of(text);
    const aic_semantics semantics = aic_semantics_init();
    aic_context *context = levels_context(_i / SPECS_COUNT, 1);
    verify_report report;
    verify_case c;
    ck_assert_int_eq(verify_open(&c, &spec, &semantics, claims_seed((uint64_t)_i), &report), VERIFY_PASSED);
    for (size_t s = 0; s < sizeof SCHEDULES / sizeof *SCHEDULES; s++) {
        if (!levels_is_sampled(_i / SPECS_COUNT, &spec, (uint64_t)(_i % SPECS_COUNT) + s, THOROUGH, OTHERS)) {
            continue;
        }
        aic_kernel *kernel = kernel_of(context, &spec, SCHEDULES[s]);
        aic_kernel_destroy(kernel);
        ck_assert_msg(kernel != NULL || SCHEDULES[s] != NULL, "%s", aic_last_error());
        ck_assert_msg(kernel == NULL || verify_kernel(&c, context, SCHEDULES[s], &report) == VERIFY_PASSED,
                      "%s %s %s: %s", aic_context_isa(context), text, SCHEDULES[s] != NULL ? SCHEDULES[s] : "default",
                      report.text);
    }
    verify_close(&c);
    aic_context_destroy(context);
}
END_TEST

/* ---- what is not finite ---- */

/* Sums of 2 * 16 * 9 products below 4: one that spreads through a small tile is infinite or NaN, and one that is off by
 * a term is off by more than this. Returns how many results are not finite. */
static int expect_direct(const half_case *t, int operand, int64_t position)
{
    const float *got = t->data[HALF_OUT];
    int count = 0;
    for (int64_t i = 0; i < t->operand[HALF_OUT].elements; i++) {
        const float expected = t->expected[i];
        const bool same = isfinite(expected) ? fabsf(got[i] - expected) < 0x1p-9f
                          : isnan(expected)  ? isnan(got[i])
                                             : got[i] == expected;
        ck_assert_msg(same, "element %lld of operand %d: result %lld is %a, not %a", (long long)position, operand,
                      (long long)i, (double)got[i], (double)expected);
        count += !isfinite(expected);
    }
    return count;
}

/* One element is infinite or NaN, every seventh in turn. _i: a level, m, and image or weight. */
START_TEST(not_finite)
{
    enum { STEP = 7 };
    static const uint16_t SPECIALS[] = {0x7c00, 0xfc00, 0x7e00};
    static const char TEXT[] = WINOGRAD "fm_shape=[2,6,7,16], kernel_shape=[2,3,3,48,16], pad=[1,0,0,1])";
    const int operand = _i % 2 == 0 ? HALF_IMAGE : HALF_WEIGHT;
    half_case t;
    aic_context *context = levels_context(_i / 4, 1);
    half_case_open(&t, TEXT);
    half_case_fill(&t, HALF_IMAGE);
    half_case_fill(&t, HALF_WEIGHT);
    aic_kernel *small = kernel_of(context, &t.spec, SCHEDULES[1 + _i / 2 % 2]);
    aic_kernel *direct = kernel_of(context, &t.spec, "schedule(kernel=vector)");
    uint16_t *element = t.data[operand];
    int count = 0;
    for (int64_t i = 0; i < t.operand[operand].elements; i += STEP) {
        const uint16_t before = element[i];
        void *others[] = {t.expected, t.data[HALF_IMAGE], t.data[HALF_WEIGHT]};
        element[i] = SPECIALS[i % 3];
        ck_assert_int_eq(aic_kernel_call(small, t.data, HALF_OPERANDS), AIC_OK);
        ck_assert_int_eq(aic_kernel_call(direct, others, HALF_OPERANDS), AIC_OK);
        count += expect_direct(&t, operand, i);
        element[i] = before;
    }
    ck_assert_int_gt(count, 0);
    aic_kernel_destroy(small);
    aic_kernel_destroy(direct);
    aic_context_destroy(context);
    half_case_close(&t);
}
END_TEST

/* ---- threads, packed weights ---- */

/* One layer with enough to do for several threads, the same bits whatever their number. */
START_TEST(threads)
{
    enum { THREADS = 8 };
    half_case t;
    half_case_open(&t, WINOGRAD "fm_shape=[4,29,30,16], kernel_shape=[4,3,3,64,16], pad=[1,1,1,1])");
    half_case_fill(&t, HALF_IMAGE);
    half_case_fill(&t, HALF_WEIGHT);
    for (unsigned n = 1; n <= THREADS; n++) {
        aic_context *context = levels_context(levels_count() - 1, n);
        aic_kernel *kernel = kernel_of(context, &t.spec, "schedule(kernel=winograd, m=4, rows=4, cols=16, band=2)");
        memset(t.data[HALF_OUT], 0, (size_t)t.operand[HALF_OUT].bytes);
        ck_assert_int_eq(aic_kernel_call(kernel, t.data, HALF_OPERANDS), AIC_OK);
        if (n == 1) {
            memcpy(t.expected, t.data[HALF_OUT], (size_t)t.operand[HALF_OUT].bytes);
        }
        ck_assert_mem_eq(t.expected, t.data[HALF_OUT], (size_t)t.operand[HALF_OUT].bytes);
        aic_kernel_destroy(kernel);
        aic_context_destroy(context);
    }
    half_case_close(&t);
}
END_TEST

START_TEST(other_forms_are_refused)
{
    static const char *const FORMS[] = {"schedule(kernel=vector, vectors=2)",
                                        "schedule(kernel=winograd, m=2, vectors=2)",
                                        "schedule(kernel=winograd, m=4, vectors=2)"};
    enum { COUNT = 3 };
    half_case t;
    aic_context *context = levels_context(levels_count() - 1, 1);
    half_case_open(&t, SPECS[2]);
    half_case_fill(&t, HALF_IMAGE);
    half_case_fill(&t, HALF_WEIGHT);
    for (int a = 0; a < COUNT; a++) {
        aic_kernel *packs = kernel_of(context, &t.spec, FORMS[a]);
        size_t bytes;
        ck_assert_int_eq(aic_kernel_packed_size(packs, HALF_WEIGHT, &bytes), AIC_OK);
        void *packed = aligned_block(bytes);
        ck_assert_int_eq(aic_kernel_pack(packs, HALF_WEIGHT, packed, t.data[HALF_WEIGHT]), AIC_OK);
        for (int b = 0; b < COUNT; b++) {
            aic_kernel *takes = kernel_of(context, &t.spec, FORMS[b]);
            void *operands[] = {t.data[HALF_OUT], t.data[HALF_IMAGE], packed};
            ck_assert_int_eq(aic_kernel_call_packed(takes, operands, HALF_OPERANDS),
                             a == b ? AIC_OK : AIC_INVALID_ARGUMENT);
            aic_kernel_destroy(takes);
        }
        free(packed);
        aic_kernel_destroy(packs);
    }
    aic_context_destroy(context);
    half_case_close(&t);
}
END_TEST

/* ---- schedules that fit and that do not ---- */

#define PADDED(rows, cols, value)                                                                                      \
    WINOGRAD "fm_shape=[1," #rows "," #cols ",16], kernel_shape=[1,3,3,16,16], pad=[1,1,1,1], pad_value=" #value ")"

START_TEST(refused)
{
    static const struct {
        const char *text, *schedule, *message; /* message NULL: legal */
    } ROWS[] = {
        {PADDED(14, 14, 0), "schedule(kernel=winograd, m=3)", "m = 3 is neither 2 nor 4"},
        {PADDED(14, 14, 0), "schedule(kernel=winograd, m=4, rows=6)", "rows = 6 is no multiple of m = 4 nor all of"},
        {PADDED(14, 14, 0), "schedule(kernel=winograd, m=2, rows=2, cols=3)", "cols = 3 is no multiple of m = 2 nor"},
        {PADDED(14, 14, 0), "schedule(kernel=vector, rows=2, cols=2, vectors=1, unroll=1, band=1, m=2)",
         "m = 2: only tiles of the micro-kernel winograd have it"},
        {PADDED(20, 20, 0), "schedule(kernel=winograd, m=2, rows=20, cols=20)", "rows*cols is 100 small tiles, more"},
        {PADDED(16, 16, 0), "schedule(kernel=winograd, m=2, rows=16, cols=16)", NULL},
        {PADDED(7, 13, 0), "schedule(kernel=winograd, m=2)", NULL},
        {PADDED(7, 13, 0), "schedule(kernel=winograd, m=4)", NULL},
        {PADDED(8, 12, 3), "schedule(kernel=winograd, m=4)", NULL},
        {PADDED(7, 12, 3), "schedule(kernel=winograd, m=2, rows=2, cols=2)",
         "m = 2: small tiles reach beyond the padding"},
        {PADDED(8, 14, 1), "schedule(kernel=winograd, m=4, rows=4, cols=4)",
         "m = 4: small tiles reach beyond the padding"},
        {PADDED(15, 17, 1), "schedule(kernel=winograd, m=4)", "m = 4: small tiles reach beyond the padding"},
        {PADDED(15, 17, 1), "schedule(kernel=winograd)", "m = 2: small tiles reach beyond the padding"},
    };
    aic_context *context = levels_context(levels_count() - 1, 1);
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        const aic_spec spec = spec_of(ROWS[i].text);
        aic_kernel *kernel = kernel_of(context, &spec, ROWS[i].schedule);
        ck_assert_msg((kernel != NULL) == (ROWS[i].message == NULL), "%s %s", ROWS[i].text, ROWS[i].schedule);
        ck_assert_msg(kernel != NULL || strstr(aic_last_error(), ROWS[i].message) != NULL, "%s: %s", ROWS[i].schedule,
                      aic_last_error());
        aic_kernel_destroy(kernel);
    }
    aic_context_destroy(context);
}
END_TEST

Suite *suite_small_tiles(void)
{
    Suite *suite = suite_create("small_tiles");
    TCase *tcase = tcase_create("small_tiles");
    tcase_set_timeout(tcase, 240);
    tcase_add_loop_test(tcase, within_the_bound, 0, levels_count() * SPECS_COUNT);
    tcase_add_loop_test(tcase, not_finite, 0, levels_count() * 4);
    tcase_add_test(tcase, threads);
    tcase_add_test(tcase, other_forms_are_refused);
    suite_add_tcase(suite, tcase);
    TCase *schedules = tcase_create("schedules");
    tcase_add_test(schedules, refused);
    suite_add_tcase(suite, schedules);
    return suite;
}
