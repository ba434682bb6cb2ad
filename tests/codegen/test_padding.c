/* Weights that are infinite or NaN: padding of 0 times one of them is NaN, so that tiles may leave out no tap of its
 * panel. */
#include "frontend/core/stage.h"
#include "tests/half_case.h"
#include "tests/levels.h"
#include "tests/specs.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

Suite *suite_padding(void);

/* Outputs near the borders see padding alone by some kernel rows and columns; by rows; by columns. In the last two only
 * pixels at the edges of tiles do. */
static const char *const SPECS[] = {
    ("conv2d(dtype=float16, fm_shape=[2,9,11,16], kernel_shape=[2,3,3,48,16], dilation=[8,8], pad=[8,8,8,8], "
     "accumulate=fast)"),
    "conv2d(dtype=float16, fm_shape=[2,9,11,16], kernel_shape=[2,3,3,48,16], dilation=[8,8], pad=[8,8,8,8])",
    "conv2d(dtype=float16, fm_shape=[2,9,11,16], kernel_shape=[2,3,1,48,16], dilation=[1,8], pad=[0,0,8,8])",
    "conv2d(dtype=float16, fm_shape=[2,9,11,16], kernel_shape=[2,1,3,48,16], dilation=[8,1], pad=[8,8,0,0])",
    "conv2d(dtype=float16, fm_shape=[2,7,7,16], kernel_shape=[2,3,3,48,16], pad=[1,1,1,1], accumulate=fast)",
    "conv2d(dtype=float16, fm_shape=[2,7,7,16], kernel_shape=[2,3,3,48,16], pad=[1,1,1,1])",
};
enum { SPECS_COUNT = sizeof SPECS / sizeof *SPECS };

static const uint16_t SPECIALS[] = {0x7c00, 0xfc00, 0x7e00};

/* The number of outputs that are NaN; those of the kernel and of the reference are the same, as are infinite ones. */
static size_t expect_same(half_case *t, aic_kernel *kernel, int64_t position)
{
    void *operands[] = {t->expected, t->data[HALF_IMAGE], t->data[HALF_WEIGHT]};
    size_t count = 0;
    ck_assert_int_eq(aic_reference(&t->spec, NULL, operands, HALF_OPERANDS), AIC_OK);
    ck_assert_int_eq(aic_kernel_call(kernel, t->data, HALF_OPERANDS), AIC_OK);
    for (int64_t i = 0; i < t->operand[HALF_OUT].elements; i++) {
        const float got = ((const float *)t->data[HALF_OUT])[i], expected = t->expected[i];
        const bool same = isfinite(expected) ? isfinite(got) : isnan(expected) ? isnan(got) : got == expected;
        ck_assert_msg(same, "weight %lld is special: element %lld is %a, not %a", (long long)position, (long long)i,
                      (double)got, (double)expected);
        count += isnan(expected) ? 1 : 0;
    }
    return count;
}

/* One weight of the last panel, which narrow ones are packed together with, is special, of each tap in turn. */
static void check_specials(const char *level, const char *text)
{
    enum { CHANNELS_OUT = 48, C0 = 16, CHANNEL_OUT = 47, CHANNEL = 5 };
    const aic_conv2d_desc *desc;
    half_case t;
    aic_context_options options = aic_context_options_init();
    aic_context *context;
    aic_kernel *kernel;
    size_t count = 0;
    options.isa = level;
    options.threads = 1;
    half_case_open(&t, text);
    half_case_fill(&t, HALF_IMAGE);
    desc = &t.spec.stage[0].desc.conv2d;
    ck_assert_int_eq(aic_context_create(&options, &context), AIC_OK);
    ck_assert_int_eq(aic_kernel_create(context, &t.spec, NULL, &kernel), AIC_OK);
    const int64_t taps = desc->kernel_shape[1] * desc->kernel_shape[2];
    for (int64_t tap = 0; tap < taps; tap++) {
        for (size_t i = 0; i < sizeof SPECIALS / sizeof *SPECIALS; i++) {
            const int64_t position = ((taps + tap) * CHANNELS_OUT + CHANNEL_OUT) * C0 + CHANNEL;
            half_case_fill(&t, HALF_WEIGHT);
            ((uint16_t *)t.data[HALF_WEIGHT])[position] = SPECIALS[i];
            count += expect_same(&t, kernel, position);
        }
    }
    ck_assert_uint_gt(count, 0);
    aic_kernel_destroy(kernel);
    aic_context_destroy(context);
    half_case_close(&t);
}

/* _i: a level and a specification. Levels that make the same code take turns. */
START_TEST(specials)
{
    const char *level = levels_name(_i / SPECS_COUNT), *text = SPECS[_i % SPECS_COUNT];
    const aic_spec spec = spec_of(text);
    if (levels_is_turn(_i / SPECS_COUNT, &spec, (uint64_t)(_i % SPECS_COUNT))) {
        check_specials(level, text);
    }
}
END_TEST

/* Pixels that read padding alone: -0, the old result, and the sum of their products are 0, whatever a tile leaves out.
 */
static const char *const LONE[] = {
    "conv2d(dtype=float16, fm_shape=[1,5,6,16], kernel_shape=[1,2,3,16,16], pad=[5,5,5,5], init_l1out=false)",
    "conv2d(dtype=float16, fm_shape=[1,12,9,16], kernel_shape=[1,3,3,64,16], stride=[1,3], pad=[0,3,4,3], "
    "init_l1out=false)",
    "conv2d(dtype=float16, fm_shape=[1,1,1,16], kernel_shape=[1,1,5,16,16], stride=[1,2], pad=[5,7,2,0], "
    "dilation=[2,2], init_l1out=false)",
    "conv2d(dtype=float16, fm_shape=[2,2,1,16], kernel_shape=[2,1,2,16,16], stride=[3,2], pad=[5,8,6,7], "
    "dilation=[2,3], init_l1out=false)",
};
enum { LONE_COUNT = sizeof LONE / sizeof *LONE };

static void fill_negative_zeros(float *values, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        values[i] = -0.0F;
    }
}

/* _i: a level and a specification. */
START_TEST(negative_zeros)
{
    half_case t;
    aic_context_options options = aic_context_options_init();
    aic_context *context;
    aic_kernel *kernel;
    options.isa = levels_name(_i / LONE_COUNT);
    half_case_open(&t, LONE[_i % LONE_COUNT]);
    half_case_fill(&t, HALF_IMAGE);
    half_case_fill(&t, HALF_WEIGHT);
    const int64_t elements = t.operand[HALF_OUT].elements;
    void *operands[] = {t.expected, t.data[HALF_IMAGE], t.data[HALF_WEIGHT]};
    fill_negative_zeros(t.expected, elements);
    fill_negative_zeros(t.data[HALF_OUT], elements);
    ck_assert_int_eq(aic_context_create(&options, &context), AIC_OK);
    ck_assert_int_eq(aic_kernel_create(context, &t.spec, NULL, &kernel), AIC_OK);
    ck_assert_int_eq(aic_reference(&t.spec, NULL, operands, HALF_OPERANDS), AIC_OK);
    ck_assert_int_eq(aic_kernel_call(kernel, t.data, HALF_OPERANDS), AIC_OK);
    ck_assert_mem_eq(t.data[HALF_OUT], t.expected, (size_t)elements * sizeof *t.expected);
    aic_kernel_destroy(kernel);
    aic_context_destroy(context);
    half_case_close(&t);
}
END_TEST

Suite *suite_padding(void)
{
    Suite *suite = suite_create("padding");
    TCase *tcase = tcase_create("padding");
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, specials, 0, levels_count() * SPECS_COUNT);
    tcase_add_loop_test(tcase, negative_zeros, 0, levels_count() * LONE_COUNT);
    suite_add_tcase(suite, tcase);
    return suite;
}
