/* Weights that are infinite or NaN: padding of 0 times one of them is NaN, so that tiles may leave out no tap of its
 * panel. */
#include "frontend/core/stage.h"
#include "frontend/random/rng.h"
#include "tests/claims.h"
#include "tests/levels.h"
#include "tests/specs.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

Suite *suite_padding(void);

enum { OUT, IMAGE, WEIGHT, OPERANDS };

/* Outputs near the borders see padding alone by some kernel rows and columns; by rows; by columns. */
static const char *const SPECS[] = {
    ("conv2d(dtype=float16, fm_shape=[2,9,11,16], kernel_shape=[2,3,3,48,16], dilation=[8,8], pad=[8,8,8,8], "
     "accumulate=fast)"),
    "conv2d(dtype=float16, fm_shape=[2,9,11,16], kernel_shape=[2,3,3,48,16], dilation=[8,8], pad=[8,8,8,8])",
    "conv2d(dtype=float16, fm_shape=[2,9,11,16], kernel_shape=[2,3,1,48,16], dilation=[1,8], pad=[0,0,8,8])",
    "conv2d(dtype=float16, fm_shape=[2,9,11,16], kernel_shape=[2,1,3,48,16], dilation=[8,1], pad=[8,8,0,0])",
};
enum { SPECS_COUNT = sizeof SPECS / sizeof *SPECS };

static const uint16_t SPECIALS[] = {0x7c00, 0xfc00, 0x7e00};

typedef struct tensors {
    aic_spec spec;
    aic_operand operand[AIC_OPERANDS_MAX];
    void *data[OPERANDS];
    float *expected;
} tensors;

/* Zeros: rows of the output that belong to no pixel stay what they are. */
static void *block(int64_t bytes)
{
    const size_t size = ((size_t)bytes + 63) / 64 * 64;
    void *memory = aligned_alloc(64, size);
    ck_assert_ptr_nonnull(memory);
    return memset(memory, 0, size);
}

/* Numbers between 2^-5 and 2 in magnitude. */
static void fill(tensors *t, int operand)
{
    uint64_t state = claims_seed(7 + (uint64_t)operand);
    uint16_t *halves = t->data[operand];
    for (int64_t i = 0; i < t->operand[operand].elements; i++) {
        const uint64_t bits = aic_rng_next(&state);
        halves[i] = (uint16_t)((bits & 0x83ff) | (10 + (bits >> 32) % 6) << 10);
    }
}

static void open_tensors(tensors *t, const char *text)
{
    size_t count;
    t->spec = spec_of(text);
    ck_assert_int_eq(aic_spec_operands(&t->spec, NULL, t->operand, &count), AIC_OK);
    ck_assert_uint_eq(count, OPERANDS);
    for (size_t i = 0; i < count; i++) {
        t->data[i] = block(t->operand[i].bytes);
    }
    t->expected = block(t->operand[OUT].bytes);
    fill(t, IMAGE);
}

static void close_tensors(tensors *t)
{
    for (size_t i = 0; i < OPERANDS; i++) {
        free(t->data[i]);
    }
    free(t->expected);
}

/* The number of outputs that are NaN; those of the kernel and of the reference are the same, as are infinite ones. */
static size_t expect_same(tensors *t, aic_kernel *kernel, int64_t position)
{
    void *operands[] = {t->expected, t->data[IMAGE], t->data[WEIGHT]};
    size_t count = 0;
    ck_assert_int_eq(aic_reference(&t->spec, NULL, operands, OPERANDS), AIC_OK);
    ck_assert_int_eq(aic_kernel_call(kernel, t->data, OPERANDS), AIC_OK);
    for (int64_t i = 0; i < t->operand[OUT].elements; i++) {
        const float got = ((const float *)t->data[OUT])[i], expected = t->expected[i];
        const bool same = isfinite(expected) ? isfinite(got) : isnan(expected) ? isnan(got) : got == expected;
        ck_assert_msg(same, "weight %lld is special: element %lld is %a, not %a", (long long)position, (long long)i,
                      (double)got, (double)expected);
        count += isnan(expected) ? 1 : 0;
    }
    return count;
}

/* One weight of the last panel, which narrow ones are packed together with, is special, of each tap in turn. _i: a
 * level and a specification. */
START_TEST(specials)
{
    enum { CHANNELS_OUT = 48, C0 = 16, CHANNEL_OUT = 47, CHANNEL = 5 };
    const aic_conv2d_desc *desc;
    tensors t;
    aic_context_options options = aic_context_options_init();
    aic_context *context;
    aic_kernel *kernel;
    size_t count = 0;
    options.isa = levels_name(_i / SPECS_COUNT);
    options.threads = 1;
    open_tensors(&t, SPECS[_i % SPECS_COUNT]);
    desc = &t.spec.stage[0].desc.conv2d;
    ck_assert_int_eq(aic_context_create(&options, &context), AIC_OK);
    ck_assert_int_eq(aic_kernel_create(context, &t.spec, NULL, &kernel), AIC_OK);
    const int64_t taps = desc->kernel_shape[1] * desc->kernel_shape[2];
    for (int64_t tap = 0; tap < taps; tap++) {
        for (size_t i = 0; i < sizeof SPECIALS / sizeof *SPECIALS; i++) {
            const int64_t position = ((taps + tap) * CHANNELS_OUT + CHANNEL_OUT) * C0 + CHANNEL;
            fill(&t, WEIGHT);
            ((uint16_t *)t.data[WEIGHT])[position] = SPECIALS[i];
            count += expect_same(&t, kernel, position);
        }
    }
    ck_assert_uint_gt(count, 0);
    aic_kernel_destroy(kernel);
    aic_context_destroy(context);
    close_tensors(&t);
}
END_TEST

Suite *suite_padding(void)
{
    Suite *suite = suite_create("padding");
    TCase *tcase = tcase_create("padding");
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, specials, 0, levels_count() * SPECS_COUNT);
    suite_add_tcase(suite, tcase);
    return suite;
}
