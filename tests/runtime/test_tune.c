/* aic_tune() with times and a clock of the test's own: what wins, limits, what a file of records spares. */
#include "frontend/core/stage.h"
#include "tests/specs.h"
#include "tests/tune_times.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

Suite *suite_tune(void);

/* ---- what wins ---- */

START_TEST(the_fastest_is_recorded_and_applied)
{
    tune_times m = tune_usual_times();
    aic_tune_options options = tune_usual_options(&m);
    options.trials = -1;
    tune_by(&m, &options);
    ck_assert_int_eq(tune_result.outcome, AIC_TUNE_OUTCOME_FASTER);
    ck_assert(tune_result.recorded && !tune_result.stopped);
    ck_assert_ptr_nonnull(strstr(tune_result.schedule, m.pattern));
    ck_assert(tune_result.gain > 1.2 && tune_result.gain < 1.3);
    ck_assert_str_eq(m.last, tune_result.schedule);
    ck_assert_str_eq(tune_result.candidate[0].schedule, tune_result.schedule);
    ck_assert_uint_le(tune_result.measured, 64);
    ck_assert_uint_gt(tune_result.legal, tune_result.measured);
    tune_check_applied(tune_result.schedule, "tuned");
}
END_TEST

START_TEST(a_tie_keeps_the_default)
{
    char standard[AIC_TUNE_SCHEDULE_MAX];
    tune_times m = tune_usual_times();
    m.fast = m.base;
    const aic_tune_options options = tune_usual_options(&m);
    tune_default_schedule(standard);
    tune_by(&m, &options);
    ck_assert_int_eq(tune_result.outcome, AIC_TUNE_OUTCOME_DEFAULT);
    ck_assert_str_eq(tune_result.schedule, standard);
    ck_assert(tune_result.gain == 1);
    char *text = tune_read_text(tune_temporary.file);
    ck_assert_ptr_null(strstr(text, "\tschedule("));
    free(text);
    tune_check_applied(standard, "default");
}
END_TEST

/* What noise makes of equals, and a gain that is too small to matter. */
START_TEST(noise_is_no_gain)
{
    static const struct {
        double fast, noise;
    } rows[] = {{100, 0.3}, {99.5, 0.0001}};
    for (size_t i = 0; i < 2; i++) {
        tune_times m = tune_usual_times();
        m.fast = rows[i].fast;
        m.noise = rows[i].noise;
        aic_tune_options options = tune_usual_options(&m);
        options.again = true;
        tune_by(&m, &options);
        ck_assert_msg(tune_result.outcome == AIC_TUNE_OUTCOME_DEFAULT, "row %zu: %s", i, tune_result.schedule);
    }
}
END_TEST

/* A candidate that is fast in the race and not in the last measurement has had luck. */
START_TEST(luck_is_no_gain)
{
    tune_times m = tune_usual_times();
    const aic_tune_options options = tune_usual_options(&m);
    tune_by(&m, &options);
    ck_assert_int_eq(tune_result.outcome, AIC_TUNE_OUTCOME_FASTER);
    const size_t last_race = 12; /* of two that are far apart: six measurements of each */
    ck_assert_int_eq(unlink(tune_temporary.file), 0);
    tune_times luck = tune_usual_times();
    luck.lucky = m.measured - last_race;
    tune_by(&luck, &options);
    ck_assert_msg(tune_result.outcome == AIC_TUNE_OUTCOME_DEFAULT, "%s: %f", tune_result.schedule, tune_result.gain);
}
END_TEST

/* A schedule that is fast and wrong does not win, and the next does. */
START_TEST(wrong_results_do_not_win)
{
    char fastest[AIC_TUNE_SCHEDULE_MAX];
    tune_times m = tune_usual_times();
    aic_tune_options options = tune_usual_options(&m);
    options.db = "";
    tune_by(&m, &options);
    ck_assert(!tune_result.recorded);
    snprintf(fastest, sizeof fastest, "%s", tune_result.schedule);
    tune_times wrong = tune_usual_times();
    wrong.wrong = fastest;
    options.user = &wrong;
    tune_by(&wrong, &options);
    ck_assert_int_eq(tune_result.outcome, AIC_TUNE_OUTCOME_FASTER);
    ck_assert_ptr_nonnull(strstr(tune_result.schedule, m.pattern));
    ck_assert_str_ne(tune_result.schedule, fastest);
    size_t seen = 0;
    for (size_t i = 0; i < tune_result.count; i++) {
        const bool is_it = strcmp(tune_result.candidate[i].schedule, fastest) == 0;
        ck_assert_int_eq(tune_result.candidate[i].state == AIC_TUNE_STATE_WRONG, is_it);
        seen += is_it;
    }
    ck_assert_uint_eq(seen, 1);
    wrong = tune_usual_times();
    wrong.wrong = "schedule(";
    tune_by(&wrong, &options);
    ck_assert_int_eq(tune_result.outcome, AIC_TUNE_OUTCOME_DEFAULT);
}
END_TEST

/* Schedules that differ in what the shape makes no use of are one candidate: a transposition unrolls nothing. */
START_TEST(equal_code_is_measured_once)
{
    tune_times m = tune_usual_times();
    aic_tune_options options = tune_usual_options(&m);
    options.trials = 64;
    tune_spec = spec_of("transdata(dtype=float16, src=NCHW, dst=NC1HWC0, shape=[1,32,8,8])");
    tune_by(&m, &options);
    ck_assert_uint_gt(tune_result.measured, 3);
    for (size_t i = 0; i < tune_result.count; i++) {
        for (size_t k = 0; k < i; k++) {
            char texts[2][AIC_TUNE_SCHEDULE_MAX];
            snprintf(texts[0], sizeof texts[0], "%s", tune_result.candidate[i].schedule);
            snprintf(texts[1], sizeof texts[1], "%s", tune_result.candidate[k].schedule);
            for (int t = 0; t < 2; t++) {
                char *unroll = strstr(texts[t], "unroll=");
                ck_assert_ptr_nonnull(unroll);
                memmove(unroll, strchr(unroll, ','), strlen(strchr(unroll, ',')) + 1);
            }
            ck_assert_str_ne(texts[0], texts[1]);
        }
    }
}
END_TEST

/* ---- limits ---- */

START_TEST(nothing_to_measure)
{
    static const struct {
        aic_tune_effort effort;
        double budget;
        int64_t trials;
    } rows[] = {
        {AIC_TUNE_EFFORT_MEASURE, 0, -1}, {AIC_TUNE_EFFORT_MEASURE, -1, 0},   {AIC_TUNE_EFFORT_MEASURE, -1, 1},
        {AIC_TUNE_EFFORT_PATIENT, 0, 0},  {AIC_TUNE_EFFORT_ESTIMATE, -1, -1}, {AIC_TUNE_EFFORT_ESTIMATE, 10, 10},
    };
    char standard[AIC_TUNE_SCHEDULE_MAX];
    tune_default_schedule(standard);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tune_times m = tune_usual_times();
        aic_tune_options options = tune_usual_options(&m);
        options.effort = rows[i].effort, options.budget = rows[i].budget, options.trials = rows[i].trials;
        tune_by(&m, &options);
        ck_assert_int_eq(tune_result.outcome, AIC_TUNE_OUTCOME_UNMEASURED);
        ck_assert_str_eq(tune_result.schedule, standard);
        ck_assert_uint_eq(m.measured, 0);
        ck_assert_uint_gt(tune_result.count, 10);
        for (size_t k = 1; k < tune_result.count; k++) {
            ck_assert(tune_result.candidate[k - 1].predicted <= tune_result.candidate[k].predicted);
        }
        ck_assert_ptr_null(tune_read_text(tune_temporary.file));
    }
}
END_TEST

/* Nor is anything measured for a file that cannot be written then. */
START_TEST(nowhere_to_record)
{
    static const char *const FILES[] = {"no/such/folder", "/dev/null/file"};
    for (size_t i = 0; i < sizeof FILES / sizeof *FILES; i++) {
        tune_times m = tune_usual_times();
        aic_tune_options options = tune_usual_options(&m);
        options.db = FILES[i];
        ck_assert_int_eq(tune_try(&m, &options), AIC_INVALID_ARGUMENT);
        ck_assert_ptr_nonnull(strstr(aic_last_error(), FILES[i]));
        ck_assert_uint_eq(m.measured, 0);
    }
}
END_TEST

/* A new file takes the place of the old one, so the folder must allow that, too; of root all do. */
START_TEST(folder_that_stays)
{
    tune_folder f;
    tune_folder_open(&f);
    tune_write_text(f.file, "");
    ck_assert_int_eq(chmod(f.folder, 0555), 0);
    tune_times m = tune_usual_times();
    aic_tune_options options = tune_usual_options(&m);
    options.db = f.file;
    const bool allowed = access(f.folder, W_OK) == 0;
    ck_assert_int_eq(tune_try(&m, &options), allowed ? AIC_OK : AIC_INVALID_ARGUMENT);
    ck_assert_int_eq(m.measured > 0, allowed);
    ck_assert_int_eq(chmod(f.folder, 0700), 0);
    tune_folder_close(&f);
}
END_TEST

START_TEST(limits_hold)
{
    for (int64_t trials = 2; trials <= 40; trials += 19) {
        tune_times m = tune_usual_times();
        aic_tune_options options = tune_usual_options(&m);
        options.trials = trials;
        options.again = true;
        tune_by(&m, &options);
        ck_assert_uint_le(tune_result.measured, (size_t)trials);
        ck_assert_uint_ge(tune_result.measured, 2);
    }
    tune_times m = tune_usual_times();
    aic_tune_options options = tune_usual_options(&m);
    options.budget = 0.5;
    options.again = true;
    tune_by(&m, &options);
    ck_assert(m.clock <= 0.51);
    ck_assert(tune_result.seconds <= 0.51);
}
END_TEST

START_TEST(wrong_options_are_refused)
{
    tune_times m = tune_usual_times();
    const struct {
        double budget;
        int64_t trials;
        int effort;
        const char *message;
    } rows[] = {
        {0.0 / 0.0 * 1, -1, 1, "budget"}, {1e308 * 10, -1, 1, "budget"}, {-1, 1001, 1, "trials = 1001 is above 1000"},
        {-1, -1, 3, "effort = 3"},        {-1, -1, -1, "effort = -1"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        aic_tune_options options = tune_usual_options(&m);
        options.budget = rows[i].budget, options.trials = rows[i].trials;
        options.effort = (aic_tune_effort)rows[i].effort;
        tune_result = aic_tune_result_init();
        ck_assert_int_eq(aic_tune(tune_context, &tune_spec, &options, &tune_result), AIC_INVALID_ARGUMENT);
        ck_assert_msg(strstr(aic_last_error(), rows[i].message) != NULL, "%s", aic_last_error());
    }
    aic_tune_options options = tune_usual_options(&m);
    const aic_spec illegal = spec_of("mmad(dtype=int8, m=5000, n=16, k=32)");
    ck_assert_int_eq(aic_tune(tune_context, &illegal, &options, &tune_result), AIC_INVALID_ARGUMENT);
    tune_write_text(tune_temporary.file, "something else\n");
    ck_assert_int_eq(aic_tune(tune_context, &tune_spec, &options, &tune_result), AIC_INVALID_ARGUMENT);
    ck_assert_msg(strstr(aic_last_error(), "is no tuning file") != NULL, "%s", aic_last_error());
}
END_TEST

/* ---- resuming ---- */

START_TEST(records_spare_a_search)
{
    tune_times m = tune_usual_times();
    aic_tune_options options = tune_usual_options(&m);
    tune_by(&m, &options);
    char *before = tune_read_text(tune_temporary.file);
    char found[AIC_TUNE_SCHEDULE_MAX];
    snprintf(found, sizeof found, "%s", tune_result.schedule);
    const double gain = tune_result.gain;
    m = tune_usual_times();
    tune_by(&m, &options);
    ck_assert_int_eq(tune_result.outcome, AIC_TUNE_OUTCOME_KNOWN);
    ck_assert_uint_eq(m.measured, 0);
    ck_assert_str_eq(tune_result.schedule, found);
    ck_assert(tune_result.gain > gain - 0.001 && tune_result.gain < gain + 0.001);
    char *after = tune_read_text(tune_temporary.file);
    ck_assert_str_eq(before, after);
    options.effort = AIC_TUNE_EFFORT_PATIENT; /* more than what is known */
    tune_by(&m, &options);
    ck_assert_int_eq(tune_result.outcome, AIC_TUNE_OUTCOME_FASTER);
    m = tune_usual_times();
    options.effort = AIC_TUNE_EFFORT_MEASURE; /* less */
    tune_by(&m, &options);
    ck_assert_int_eq(tune_result.outcome, AIC_TUNE_OUTCOME_KNOWN);
    options.again = true;
    tune_by(&m, &options);
    ck_assert_int_eq(tune_result.outcome, AIC_TUNE_OUTCOME_FASTER);
    ck_assert_uint_gt(m.measured, 0);
    free(before);
    free(after);
}
END_TEST

/* That nothing is faster is known, too. */
START_TEST(ties_spare_a_search)
{
    tune_times m = tune_usual_times();
    m.pattern = NULL;
    const aic_tune_options options = tune_usual_options(&m);
    tune_by(&m, &options);
    ck_assert_int_eq(tune_result.outcome, AIC_TUNE_OUTCOME_DEFAULT);
    m.measured = 0;
    tune_by(&m, &options);
    ck_assert_int_eq(tune_result.outcome, AIC_TUNE_OUTCOME_KNOWN);
    ck_assert_uint_eq(m.measured, 0);
    ck_assert(tune_result.gain == 1);
}
END_TEST

/* A search that is stopped keeps what it has found, and the next one goes on from there. */
START_TEST(stopped_searches_keep_what_they_have)
{
    tune_times m = tune_usual_times();
    m.stop_after = 150;
    aic_tune_options options = tune_usual_options(&m);
    tune_by(&m, &options);
    ck_assert(tune_result.stopped);
    ck_assert_int_eq(tune_result.outcome, AIC_TUNE_OUTCOME_FASTER);
    ck_assert(tune_result.recorded);
    char *text = tune_read_text(tune_temporary.file);
    ck_assert_ptr_nonnull(strstr(text, "effort=partial"));
    free(text);
    tune_check_applied(tune_result.schedule, "tuned");
    m = tune_usual_times();
    tune_by(&m, &options);
    ck_assert(!tune_result.stopped);
    ck_assert_int_eq(tune_result.outcome, AIC_TUNE_OUTCOME_FASTER);
    text = tune_read_text(tune_temporary.file);
    ck_assert_ptr_nonnull(strstr(text, "effort=measure"));
    ck_assert_ptr_null(strstr(text, "effort=partial"));
    free(text);
    ck_assert_int_eq(unlink(tune_temporary.file), 0);
    m = tune_usual_times();
    m.second = 0.2;   /* progress is called for every measurement */
    m.stop_after = 1; /* too early to know anything */
    tune_by(&m, &options);
    ck_assert(tune_result.stopped && !tune_result.recorded);
    ck_assert_ptr_null(tune_read_text(tune_temporary.file));
}
END_TEST

Suite *suite_tune(void)
{
    Suite *suite = suite_create("tune");
    TCase *cases = tcase_create("tune");
    tcase_add_checked_fixture(cases, tune_setup, tune_teardown);
    tcase_set_timeout(cases, 120);
    tcase_add_test(cases, the_fastest_is_recorded_and_applied);
    tcase_add_test(cases, a_tie_keeps_the_default);
    tcase_add_test(cases, noise_is_no_gain);
    tcase_add_test(cases, luck_is_no_gain);
    tcase_add_test(cases, wrong_results_do_not_win);
    tcase_add_test(cases, equal_code_is_measured_once);
    tcase_add_test(cases, nothing_to_measure);
    tcase_add_test(cases, nowhere_to_record);
    tcase_add_test(cases, folder_that_stays);
    tcase_add_test(cases, limits_hold);
    tcase_add_test(cases, wrong_options_are_refused);
    tcase_add_test(cases, records_spare_a_search);
    tcase_add_test(cases, ties_spare_a_search);
    tcase_add_test(cases, stopped_searches_keep_what_they_have);
    suite_add_tcase(suite, cases);
    return suite;
}
