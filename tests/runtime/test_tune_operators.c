/* Tuning every operator on the machine as it is, of which nothing but the outcome's form is asserted; and that results
 * of candidates are compared. */
#include "frontend/core/stage.h"
#include "runtime/request/pipeline.h"
#include "runtime/tuning/tune_case.h"
#include "tests/specs.h"
#include "tests/tune_times.h"
#include "tools/harness/verify.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Suite *suite_tune_operators(void);

/* Operator number _i, and chains behind the last: a search measures at least the default, finds no schedule that is
 * wrong, and what it records gives right results. */
START_TEST(every_operator_can_be_tuned)
{
    for (uint64_t seed = 1; seed <= 2; seed++) {
        verify_report report;
        const aic_semantics semantics = aic_semantics_init();
        aic_tune_options options = aic_tune_options_init();
        options.budget = 0.3;
        options.trials = 8;
        options.db = tune_temporary.file;
        const aic_status drawn = _i < AIC_OP_END
                                     ? aic_spec_draw((aic_op)_i, NULL, seed, &tune_spec)
                                     : aic_spec_draw_chain(AIC_OP_NONE, AIC_OP_NONE, NULL, seed, &tune_spec);
        ck_assert_int_eq(drawn, AIC_OK);
        aic_tune_result_destroy(&tune_result);
        tune_result = aic_tune_result_init();
        ck_assert_msg(aic_tune(tune_context, &tune_spec, &options, &tune_result) == AIC_OK, "%s", aic_last_error());
        for (size_t i = 0; i < tune_result.count; i++) {
            ck_assert_msg(tune_result.candidate[i].state < AIC_TUNE_STATE_WRONG, "%s",
                          tune_result.candidate[i].schedule);
        }
        aic_context *of = tune_context_with(tune_temporary.file);
        (void)aic_take_warning(); /* nothing was recorded */
        ck_assert_msg(verify_spec(&tune_spec, &semantics, seed, of, NULL, &report) == VERIFY_PASSED, "%s", report.text);
        aic_context_destroy(of);
    }
}
END_TEST

/* What is found of the kernel of `made` where the results of `judged` are right. It needs no larger operands. */
static const char *verdict_of(const aic_spec *judged, const aic_spec *made)
{
    const aic_semantics semantics = aic_semantics_init();
    aic_stage_view stage[AIC_STAGES_MAX];
    aic_result code;
    aic_tune_case c;
    aic_tune_kernel kernel;
    bool right = false;
    const aic_request request = {.count = aic_stage_views(made, stage), .stage = stage};
    ck_assert_int_eq(aic_pipeline(tune_context, &request, &code), AIC_OK);
    ck_assert_int_eq(aic_tune_case_open(&c, judged, &semantics, 1), AIC_OK);
    ck_assert_int_eq(aic_tune_kernel_open(&c, code.code, &kernel), AIC_OK);
    ck_assert_msg(aic_tune_case_verify(&c, &kernel, &right) == AIC_OK, "%s", aic_last_error());
    aic_tune_kernel_close(&kernel);
    if (aic_spec_exact(judged)) { /* compared with the default's, it is found to be the same */
        const aic_request standard = {.count = aic_stage_views(judged, stage), .stage = stage};
        aic_tune_kernel by_default;
        aic_result own;
        bool same = false;
        ck_assert_int_eq(aic_pipeline(tune_context, &standard, &own), AIC_OK);
        ck_assert_int_eq(aic_tune_kernel_open(&c, own.code, &by_default), AIC_OK);
        ck_assert_int_eq(aic_tune_case_keep(&c, &by_default), AIC_OK);
        ck_assert_int_eq(aic_tune_kernel_open(&c, code.code, &kernel), AIC_OK);
        ck_assert_int_eq(aic_tune_case_compare(&c, &kernel, &same), AIC_OK);
        ck_assert_int_eq(same, right);
        aic_tune_kernel_close(&by_default);
        aic_tune_kernel_close(&kernel);
        aic_code_release(own.code);
    }
    aic_tune_case_close(&c);
    aic_code_release(code.code);
    return right ? "right" : "wrong";
}

/* Without a hook, a candidate's results are compared with the reference: a case in which they are wrong is made by
 * letting the kernel of another specification run. */
START_TEST(verification_sees_wrong_results)
{
    static const char *const TEXTS[][2] = {
        {"mmad(dtype=int8, m=16, n=16, k=64)", "mmad(dtype=int8, m=16, n=16, k=32)"},
        {"mmad(dtype=float16, m=16, n=16, k=48, accumulate=fast)", "mmad(dtype=float16, m=16, n=16, k=32, "
                                                                   "accumulate=fast)"},
    };
    for (int i = 0; i < 2; i++) {
        const aic_spec right = spec_of(TEXTS[i][0]), other = spec_of(TEXTS[i][1]);
        ck_assert_str_eq(verdict_of(&right, &right), "right");
        ck_assert_str_eq(verdict_of(&right, &other), "wrong");
    }
}
END_TEST

/* Sizes that a call gives are those of the whole tile: with others a part of it only would be filled and compared. */
START_TEST(sizes_of_a_call_are_the_whole)
{
    enum { ROWS = 6, COLS = 16 };
    const aic_semantics semantics = aic_semantics_init();
    const aic_spec spec = spec_of("texpands(dtype=float32, rows=6, cols=16, v_row=dyn, v_col=dyn)");
    const aic_spec half = spec_of("texpands(dtype=float32, rows=6, cols=16, v_row=dyn)");
    aic_tune_case c;
    ck_assert_int_eq(aic_tune_case_open(&c, &spec, &semantics, 1), AIC_OK);
    ck_assert(*(const int32_t *)c.content[2] == ROWS && *(const int32_t *)c.content[3] == COLS);
    aic_tune_case_close(&c);
    ck_assert_int_eq(aic_tune_case_open(&c, &half, &semantics, 1), AIC_OK);
    ck_assert(*(const int32_t *)c.content[2] == ROWS);
    aic_tune_case_close(&c);
    ck_assert_str_eq(verdict_of(&spec, &spec), "right");
}
END_TEST

Suite *suite_tune_operators(void)
{
    Suite *suite = suite_create("tuning of operators");
    TCase *cases = tcase_create("tuning of operators");
    tcase_add_checked_fixture(cases, tune_setup, tune_teardown);
    tcase_set_timeout(cases, 120);
    tcase_add_loop_test(cases, every_operator_can_be_tuned, AIC_OP_NONE + 1, AIC_OP_END + 1);
    tcase_add_test(cases, verification_sees_wrong_results);
    tcase_add_test(cases, sizes_of_a_call_are_the_whole);
    suite_add_tcase(suite, cases);
    return suite;
}
