/* Fields of schedules as text gives them: what is refused, and how, and what is chosen for the fields left out. */
#include "codegen/shape.h"
#include "frontend/core/spec.h"
#include "tests/plan_case.h"

#include <check.h>
#include <string.h>

Suite *suite_schedule_fields(void);

static const struct bad {
    const char *text, *message;
} BAD[] = {
    {"schedule(rows=0, cols=4, vectors=2, unroll=4, band=1)", "rows = 0 is outside 1..28"},
    {"schedule(rows=29, cols=4, vectors=2, unroll=4, band=1)", "rows = 29 is outside 1..28"},
    {"schedule(rows=1, cols=22, vectors=2, unroll=4, band=1)", "cols = 22 is outside 1..21"},
    {"schedule(rows=2, cols=21, vectors=2, unroll=4, band=1)", "rows*cols*vectors = 84 is outside 1..64"},
    {"schedule(rows=1, cols=4, vectors=0, unroll=4, band=1)", "vectors = 0 is outside 1..64"},
    {"schedule(rows=1, cols=4, vectors=4, unroll=4, band=1)", "vectors = 4 is 64 output channels"},
    {"schedule(rows=1, cols=4, vectors=2, unroll=3, band=1)", "unroll = 3 does not divide 16"},
    {"schedule(rows=1, cols=4, vectors=2, unroll=17, band=1)", "unroll = 17 is outside 1..16"},
    {"schedule(rows=1, cols=4, vectors=2, unroll=0, band=1)", "unroll = 0 is outside 1..16"},
    {"schedule(rows=1, cols=4, vectors=2, unroll=4, band=1, hold=fancy)", "hold = fancy is none of panel, window"},
    {"schedule(rows=3, cols=4, vectors=2, unroll=4, band=11)", "band = 11 is outside 1..10"},
    {"schedule(rows=9223372036854775807, cols=4, vectors=2, unroll=4, band=1)", "rows = 9223372036854775807"},
    {"schedule(rows=1, cols=4, vectors=9223372036854775807, unroll=4, band=1)", "vectors = 9223372036854775807"},
    {"schedule(rows=0)", "rows = 0 is outside 1..28"},
    {"schedule(rows=1, cols=4, vectors=4)", "vectors = 4 is 64 output channels"},
    {"schedule(rows=1, cols=4, unroll=3)", "unroll = 3 does not divide 16"},
    {"schedule(kernel=amx)", "needs tile registers"},
    {"schedule(kernel=fancy, rows=1, cols=4, vectors=2, unroll=4, band=1)", "kernel = fancy is none of vector"},
    {"schedule(kernel=farfancier, rows=1, cols=4, vectors=2, unroll=4, band=1)", "at most eight letters"},
    {"schedule(kernel=amx, rows=1, cols=4, vectors=2, unroll=16, band=1)", "needs tile registers"},
    {"schedule(rows=1, cols=4, vectors=2, unroll=4, band=1, band=1)", "given twice"},
    {"schedule(rows=1, cols=4, vectors=2, unroll=4, band=1, ahead=100)", "ahead = 100 is no multiple of 64"},
    {"schedule(rows=1, cols=4, vectors=2, unroll=4, band=1, ahead=1048640)", "ahead = 1048640 is outside 0..1048576"},
    {"schedule(rows=1, cols=4, vectors=2, unroll=4, band=1, ahead=-64)", "ahead = -64 is outside 0..1048576"},
    {"schedule(rows=1, cols=4, vectors=2, unroll=4, band=1, narrow=2)", "narrow = 2 is outside 0..1"},
    {"schedule(rows=1, cols=4, vectors=2, unroll=4, band=1, narrow=-1)", "narrow = -1 is outside 0..1"},
    {"schedule(rows=1, cols=4, vectors=2, unroll=4, band=1, in_place=1)", "in_place = 1: an output pixel sees several"},
    {"schedule(rows=1, cols=4, vectors=2, unroll=4, band=1, in_place=2)", "in_place = 2: an output pixel sees several"},
    {"schedule(rows=1, cols=4, vectors=2, unroll=4, band=1, blocks=2)",
     "blocks = 2: the micro-kernel takes all channels"},
    {"plan(rows=1)", "expected schedule(...) instead of plan"},
    {"", "expected a name"},
};

START_TEST(illegal_schedules)
{
    aic_schedule_info info, before;
    memset(&before, 0x5a, sizeof before);
    info = before;
    ck_assert_int_eq(aic_generator_linked()->plan(&plan_problem, BAD[_i].text, &info), AIC_INVALID_ARGUMENT);
    ck_assert_msg(strstr(aic_last_error(), BAD[_i].message) != NULL, "%s", aic_last_error());
    ck_assert_mem_eq(&info, &before, sizeof before);
}
END_TEST

#define WINOGRAD                                                                                                       \
    "conv2d(dtype=float16, fm_shape=[2,14,13,16], kernel_shape=[2,3,3,64,16], pad=[1,1,1,1], accumulate=winograd)"
#define FIXPIPE                                                                                                        \
    "fixpipe(dst=float16, src=float32, nSize=100, mSize=300, srcStride=304, dstStride=100, quantPre=F322F16)"
#define ADD "tensor_arithmetic(op=BM_ADD, shape=[1,3,64,64])"

/* Schedules of other micro-kernels and other shapes, at the level amx. */
START_TEST(illegal_elsewhere)
{
    static const struct {
        const char *spec, *text, *message;
    } CASES[] = {
        {PLAN_INT8, "schedule(kernel=amx, unroll=0)", "unroll = 0 is not 16 times a divisor of 4"},
        {PLAN_INT8, "schedule(kernel=amx, unroll=24)", "unroll = 24 is not 16 times a divisor of 4"},
        {PLAN_INT8, "schedule(kernel=amx, unroll=48)", "unroll = 48 is not 16 times a divisor of 4"},
        {PLAN_INT8, "schedule(kernel=amx, hold=panel, blocks=2)", "blocks = 2: blocks of channels pass by a window"},
        {PLAN_INT8, "schedule(kernel=amx, hold=window, blocks=0)", "blocks = 0 times unroll = 32 does not divide 64"},
        {PLAN_INT8, "schedule(kernel=amx, hold=window, blocks=-1)", "blocks = -1 times unroll = 32 does not divide 64"},
        {PLAN_INT8, "schedule(kernel=amx, hold=window, blocks=3)", "blocks = 3 times unroll = 32 does not divide 64"},
        {PLAN_INT8, "schedule(kernel=amx, hold=window, blocks=4611686018427387904)",
         "blocks = 4611686018427387904 times unroll = 32"},
        {WINOGRAD, "schedule(kernel=winograd, rows=4, cols=4, m=2, unroll=0)", "unroll = 0 does not divide 16"},
        {WINOGRAD, "schedule(kernel=winograd, rows=4, cols=4, m=2, unroll=3)", "unroll = 3 does not divide 16"},
        {WINOGRAD, "schedule(kernel=winograd, rows=4, cols=4, m=2, unroll=32)", "unroll = 32 does not divide 16"},
        {FIXPIPE, "schedule(blocks=0)", "blocks = 0 is outside 1..8"},
        {FIXPIPE, "schedule(blocks=16)", "blocks = 16 is outside 1..8"},
        {FIXPIPE, "schedule(blocks=3)", "blocks = 3 is not a power of two in 1..8"},
        {FIXPIPE, "schedule(rows=0)", "rows = 0 is outside 1..16"},
        {FIXPIPE, "schedule(rows=17)", "rows = 17 is outside 1..16"},
        {FIXPIPE, "schedule(band=-1)", "band = -1 is outside 1..65536"},
        {FIXPIPE, "schedule(band=65537)", "band = 65537 is outside 1..65536"},
        {ADD, "schedule(vector=8)", "vector = 8 is less than 16"},
        {ADD, "schedule(unroll=3)", "unroll = 3 is no power of two of 1..16"},
    };
    plan_problem.target = aic_target_find(AIC_ARCH_X86_64, "amx");
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        aic_schedule_info info;
        char *text = NULL;
        ck_assert_int_eq(aic_spec_read(CASES[i].spec, &plan_spec), AIC_OK);
        ck_assert_int_eq(aic_spec_resolve_kernel(&plan_spec, &plan_semantics, &plan_spec), AIC_OK);
        ck_assert_int_eq(aic_generator_linked()->plan(&plan_problem, CASES[i].text, &info), AIC_INVALID_ARGUMENT);
        ck_assert_msg(strstr(aic_last_error(), CASES[i].message) != NULL, "%s: %s", CASES[i].text, aic_last_error());
        ck_assert_int_eq(aic_generator_linked()->explain(&plan_problem, CASES[i].text, &text), AIC_INVALID_ARGUMENT);
        ck_assert_ptr_null(text);
    }
}
END_TEST

/* A field that nothing fits, where there are millions of schedules: it is refused after so many have been tried. */
START_TEST(nothing_fits)
{
    aic_schedule_info info;
    ck_assert_int_eq(
        aic_spec_read("conv2d(dtype=float16, fm_shape=[256,4096,4096,16], kernel_shape=[256,255,255,4096,16],"
                      "pad=[255,255,255,255])",
                      &plan_spec),
        AIC_OK);
    ck_assert_int_eq(aic_generator_linked()->plan(&plan_problem, "schedule(unroll=3)", &info), AIC_INVALID_ARGUMENT);
    ck_assert_msg(strstr(aic_last_error(), "unroll = 3 does not divide 16") != NULL, "%s", aic_last_error());
}
END_TEST

/* Micro-kernels that have no say in it refuse. */
START_TEST(weights_that_are_not_fetched)
{
    const aic_generator_api *api = aic_generator_linked();
    aic_schedule_info info;
    ck_assert_int_eq(aic_spec_read("conv2d(dtype=int8, fm_shape=[2,14,14,32], kernel_shape=[2,3,3,64,32])", &plan_spec),
                     AIC_OK);
    plan_problem.target = aic_target_find(AIC_ARCH_AARCH64, "i8mm");
    ck_assert_int_eq(api->plan(&plan_problem, "schedule(kernel=mmla, ahead=64)", &info), AIC_INVALID_ARGUMENT);
    ck_assert_msg(strstr(aic_last_error(), "fetches weights in its own way") != NULL, "%s", aic_last_error());
    ck_assert_int_eq(api->plan(&plan_problem, "schedule(kernel=mmla)", &info), AIC_OK);
}
END_TEST

/* The cheapest of the usual schedules that has the fields of `text`. */
typedef struct restricted {
    aic_schedule wanted, best;
    uint64_t given;
    double cost;
} restricted;

static bool keep_agreeing(void *user, const aic_plan *plan)
{
    restricted *r = user;
    if (aic_schedule_agrees(&plan->schedule, &r->wanted, r->given) && (r->cost == 0 || plan->cost < r->cost)) {
        r->cost = plan->cost;
        r->best = plan->schedule;
    }
    return true;
}

/* Schedules of which a part is given: the rest is what the default rule chooses among those that have the part. */
START_TEST(partial_schedules)
{
    static const char *const TEXTS[] = {
        "schedule()",
        "schedule(vectors=1)",
        "schedule(rows=4)",
        "schedule(kernel=vector, cols=7)",
        "schedule(vectors=2, cols=7, rows=1)",
        "schedule(unroll=1)",
        "schedule(ahead=0)",
        "schedule(rows=1, ahead=8192)",
    };
    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++) {
        restricted r = {.cost = 0};
        aic_plan *plan = plan_of(&plan_problem), *walked = plan_of(&plan_problem);
        ck_assert_int_eq(aic_schedule_read(plan->shape->schedule, TEXTS[i], &r.wanted, &r.given), AIC_OK);
        ck_assert_msg(aic_plan_parse(plan, TEXTS[i]) == AIC_OK, "%s: %s", TEXTS[i], aic_last_error());
        aic_plan_enumerate(walked, AIC_SPACE_USUAL, &(aic_visitor){.visit = keep_agreeing, .user = &r});
        ck_assert_msg(r.cost > 0, "no usual schedule has %s", TEXTS[i]);
        ck_assert_msg(aic_schedule_equal(&plan->schedule, &r.best), "%s", TEXTS[i]);
        aic_plan_free(plan);
        aic_plan_free(walked);
    }
}
END_TEST

/* A part that no usual schedule has, and one that none of the whole space has: the default rule's are bent to it. */
START_TEST(unusual_partial_schedules)
{
    static const char *const TEXTS[] = {"schedule(rows=1, band=11)", "schedule(rows=9)", "schedule(unroll=16, rows=3)",
                                        "schedule(cols=20)", "schedule(rows=2, cols=9)"};
    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++) {
        restricted r = {.cost = 0};
        aic_plan *plan = plan_of(&plan_problem), *walked = plan_of(&plan_problem);
        ck_assert_int_eq(aic_schedule_read(plan->shape->schedule, TEXTS[i], &r.wanted, &r.given), AIC_OK);
        aic_plan_enumerate(walked, AIC_SPACE_USUAL, &(aic_visitor){.visit = keep_agreeing, .user = &r});
        ck_assert_msg(r.cost == 0, "%s is usual: choose another", TEXTS[i]);
        ck_assert_msg(aic_plan_parse(plan, TEXTS[i]) == AIC_OK, "%s: %s", TEXTS[i], aic_last_error());
        ck_assert_msg(aic_schedule_agrees(&plan->schedule, &r.wanted, r.given), "%s", TEXTS[i]);
        ck_assert(plan->cost > 0);
        aic_plan_free(plan);
        aic_plan_free(walked);
    }
}
END_TEST

Suite *suite_schedule_fields(void)
{
    Suite *suite = suite_create("schedule_fields");
    TCase *cases = tcase_create("fields");
    tcase_set_timeout(cases, 60); /* sanitizers are slow */
    tcase_add_checked_fixture(cases, plan_setup, NULL);
    tcase_add_test(cases, illegal_elsewhere);
    tcase_add_test(cases, nothing_fits);
    tcase_add_loop_test(cases, illegal_schedules, 0, (int)(sizeof BAD / sizeof *BAD));
    tcase_add_test(cases, weights_that_are_not_fetched);
    tcase_add_test(cases, partial_schedules);
    tcase_add_test(cases, unusual_partial_schedules);
    suite_add_tcase(suite, cases);
    return suite;
}
