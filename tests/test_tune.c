/* aic_tune() as a whole, with times and a clock of the test's own: what wins, what is recorded, what applies. And with
 * the machine's, of which nothing but the outcome's form is asserted. */
#include "runtime/pipeline.h"
#include "runtime/tune.h"
#include "runtime/tune_case.h"
#include "tests/specs.h"
#include "tests/tune_case.h"
#include "tools/harness/rng.h"
#include "tools/harness/verify.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

Suite *suite_tune(void);

#define CONV "conv2d(dtype=int8, fm_shape=[1,6,7,32], kernel_shape=[1,3,3,32,32], pad=[1,1,1,1])"

/* Every host runs it, and it has the same schedules everywhere. */
#define LEVEL "generic"

static tune_folder temporary;
static aic_context *context;
static aic_spec spec;
static aic_tune_result result;

/* ---- a machine ---- */

/* What calls take: `base`, or `fast` with the schedules that contain `pattern`; after `lucky` measurements in all, if
 * it is not 0, all take `base`. A measurement takes `second` of a clock. */
typedef struct machine {
    const char *pattern, *wrong; /* results of schedules that contain `wrong` are wrong; NULL: none are */
    double base, fast, noise, second, clock;
    size_t lucky, measured, stop_after;
    char last[AIC_TUNE_SCHEDULE_MAX]; /* text that was verified last */
} machine;

static double measure(void *user, const char *schedule)
{
    machine *m = user;
    uint64_t state = m->measured++;
    m->clock += m->second;
    const double noise = 1 + m->noise * (double)rng_range(&state, -1000, 1000) / 1000;
    const bool fast = m->pattern != NULL && strstr(schedule, m->pattern) != NULL;
    return (fast && (m->lucky == 0 || m->measured <= m->lucky) ? m->fast : m->base) * noise;
}

static double now(void *user)
{
    return ((const machine *)user)->clock;
}

static bool verify(void *user, const char *schedule)
{
    machine *m = user;
    snprintf(m->last, sizeof m->last, "%s", schedule);
    return m->wrong == NULL || strstr(schedule, m->wrong) == NULL;
}

static bool progress(void *user, const aic_tune_result *so_far, double left)
{
    const machine *m = user;
    ck_assert(left >= 0);
    for (size_t i = 0; i < so_far->count; i++) {
        ck_assert_uint_gt(strlen(so_far->candidate[i].schedule), 9);
    }
    return m->stop_after == 0 || m->measured < m->stop_after;
}

static machine usual_machine(void)
{
    return (machine){.pattern = "cols=3,", .base = 100, .fast = 80, .noise = 0.01, .second = 1e-3};
}

static aic_tune_options usual_options(machine *m)
{
    aic_tune_options options = aic_tune_options_init();
    options.db = temporary.file;
    options.trials = 16;
    options.progress = progress;
    options.user = m;
    return options;
}

static void tune_on(machine *m, const aic_tune_options *options)
{
    const aic_tune_machine_hooks hooks = {measure, now, verify, m};
    aic_tune_result_free(&result);
    ck_assert_msg(aic_tune_with(context, &spec, options, &hooks, &result) == AIC_OK, "%s", aic_last_error());
}

static void setup(void)
{
    aic_context_options options = aic_context_options_init();
    options.isa = LEVEL;
    options.tuning_db = "";
    tune_folder_open(&temporary);
    spec = spec_of(CONV);
    ck_assert_int_eq(aic_context_create(&options, &context), AIC_OK);
}

static void teardown(void)
{
    aic_tune_machine_suppose(NULL);
    aic_tune_result_free(&result);
    aic_context_destroy(context);
    tune_folder_close(&temporary);
}

/* ---- contexts that apply the file ---- */

static aic_context *context_with(const char *db)
{
    aic_context_options options = aic_context_options_init();
    aic_context *made;
    options.isa = LEVEL;
    options.tuning_db = db;
    ck_assert_int_eq(aic_context_create(&options, &made), AIC_OK);
    return made;
}

/* The schedule and origin of the kernel that a context with the file makes. */
static aic_kernel_info kernel_info(aic_context *of, const char *schedule, char text[AIC_TUNE_SCHEDULE_MAX])
{
    aic_kernel *kernel;
    aic_kernel_info info;
    ck_assert_msg(aic_kernel_create(of, &spec, schedule, &kernel) == AIC_OK, "%s", aic_last_error());
    ck_assert_int_eq(aic_kernel_get_info(kernel, &info), AIC_OK);
    snprintf(text, AIC_TUNE_SCHEDULE_MAX, "%s", info.schedule);
    aic_kernel_release(kernel);
    return info;
}

static void default_schedule(char text[AIC_TUNE_SCHEDULE_MAX])
{
    ck_assert_int_eq(aic_schedule_candidate(context, &spec, 0, text, AIC_TUNE_SCHEDULE_MAX), AIC_OK);
}

/* Asserts what a context with the file makes of the specification. */
static void check_applied(const char *schedule, const char *origin)
{
    char text[AIC_TUNE_SCHEDULE_MAX];
    aic_context *of = context_with(temporary.file);
    const aic_kernel_info info = kernel_info(of, NULL, text);
    ck_assert_str_eq(info.origin, origin);
    ck_assert_str_eq(text, schedule);
    aic_context_destroy(of);
}

/* ---- what wins ---- */

START_TEST(the_fastest_is_recorded_and_applied)
{
    machine m = usual_machine();
    aic_tune_options options = usual_options(&m);
    options.trials = -1;
    tune_on(&m, &options);
    ck_assert_int_eq(result.outcome, AIC_TUNE_FASTER);
    ck_assert(result.recorded && !result.stopped);
    ck_assert_ptr_nonnull(strstr(result.schedule, m.pattern));
    ck_assert(result.gain > 1.2 && result.gain < 1.3);
    ck_assert_str_eq(m.last, result.schedule);
    ck_assert_str_eq(result.candidate[0].schedule, result.schedule);
    ck_assert_uint_le(result.measured, 64);
    ck_assert_uint_gt(result.legal, result.measured);
    check_applied(result.schedule, "tuned");
}
END_TEST

START_TEST(a_tie_keeps_the_default)
{
    char standard[AIC_TUNE_SCHEDULE_MAX];
    machine m = usual_machine();
    m.fast = m.base;
    const aic_tune_options options = usual_options(&m);
    default_schedule(standard);
    tune_on(&m, &options);
    ck_assert_int_eq(result.outcome, AIC_TUNE_DEFAULT);
    ck_assert_str_eq(result.schedule, standard);
    ck_assert(result.gain == 1);
    char *text = tune_read_text(temporary.file);
    ck_assert_ptr_null(strstr(text, "\tschedule("));
    free(text);
    check_applied(standard, "default");
}
END_TEST

/* What noise makes of equals, and a gain that is too small to matter. */
START_TEST(noise_is_no_gain)
{
    static const struct {
        double fast, noise;
    } rows[] = {{100, 0.3}, {99.5, 0.0001}};
    for (size_t i = 0; i < 2; i++) {
        machine m = usual_machine();
        m.fast = rows[i].fast;
        m.noise = rows[i].noise;
        aic_tune_options options = usual_options(&m);
        options.again = true;
        tune_on(&m, &options);
        ck_assert_msg(result.outcome == AIC_TUNE_DEFAULT, "row %zu: %s", i, result.schedule);
    }
}
END_TEST

/* A candidate that is fast in the race and not in the last measurement has had luck. */
START_TEST(luck_is_no_gain)
{
    machine m = usual_machine();
    const aic_tune_options options = usual_options(&m);
    tune_on(&m, &options);
    ck_assert_int_eq(result.outcome, AIC_TUNE_FASTER);
    const size_t last_race = 12; /* of two that are far apart: six measurements of each */
    ck_assert_int_eq(unlink(temporary.file), 0);
    machine luck = usual_machine();
    luck.lucky = m.measured - last_race;
    tune_on(&luck, &options);
    ck_assert_msg(result.outcome == AIC_TUNE_DEFAULT, "%s: %f", result.schedule, result.gain);
}
END_TEST

/* A schedule that is fast and wrong does not win, and the next does. */
START_TEST(wrong_results_do_not_win)
{
    char fastest[AIC_TUNE_SCHEDULE_MAX];
    machine m = usual_machine();
    aic_tune_options options = usual_options(&m);
    options.db = "";
    tune_on(&m, &options);
    ck_assert(!result.recorded);
    snprintf(fastest, sizeof fastest, "%s", result.schedule);
    machine wrong = usual_machine();
    wrong.wrong = fastest;
    options.user = &wrong;
    tune_on(&wrong, &options);
    ck_assert_int_eq(result.outcome, AIC_TUNE_FASTER);
    ck_assert_ptr_nonnull(strstr(result.schedule, m.pattern));
    ck_assert_str_ne(result.schedule, fastest);
    size_t seen = 0;
    for (size_t i = 0; i < result.count; i++) {
        const bool is_it = strcmp(result.candidate[i].schedule, fastest) == 0;
        ck_assert_int_eq(result.candidate[i].state == AIC_TUNE_WRONG, is_it);
        seen += is_it;
    }
    ck_assert_uint_eq(seen, 1);
    wrong = usual_machine();
    wrong.wrong = "schedule(";
    tune_on(&wrong, &options);
    ck_assert_int_eq(result.outcome, AIC_TUNE_DEFAULT);
}
END_TEST

/* Schedules that differ in what the shape makes no use of are one candidate: a transposition unrolls nothing. */
START_TEST(equal_code_is_measured_once)
{
    machine m = usual_machine();
    aic_tune_options options = usual_options(&m);
    options.trials = 64;
    spec = spec_of("transdata(dtype=float16, src=NCHW, dst=NC1HWC0, shape=[1,32,8,8])");
    tune_on(&m, &options);
    ck_assert_uint_gt(result.measured, 3);
    for (size_t i = 0; i < result.count; i++) {
        for (size_t k = 0; k < i; k++) {
            char texts[2][AIC_TUNE_SCHEDULE_MAX];
            snprintf(texts[0], sizeof texts[0], "%s", result.candidate[i].schedule);
            snprintf(texts[1], sizeof texts[1], "%s", result.candidate[k].schedule);
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
        {AIC_TUNE_MEASURE, 0, -1}, {AIC_TUNE_MEASURE, -1, 0},   {AIC_TUNE_MEASURE, -1, 1},
        {AIC_TUNE_PATIENT, 0, 0},  {AIC_TUNE_ESTIMATE, -1, -1}, {AIC_TUNE_ESTIMATE, 10, 10},
    };
    char standard[AIC_TUNE_SCHEDULE_MAX];
    default_schedule(standard);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        machine m = usual_machine();
        aic_tune_options options = usual_options(&m);
        options.effort = rows[i].effort, options.budget = rows[i].budget, options.trials = rows[i].trials;
        tune_on(&m, &options);
        ck_assert_int_eq(result.outcome, AIC_TUNE_UNMEASURED);
        ck_assert_str_eq(result.schedule, standard);
        ck_assert_uint_eq(m.measured, 0);
        ck_assert_uint_gt(result.count, 10);
        for (size_t k = 1; k < result.count; k++) {
            ck_assert(result.candidate[k - 1].predicted <= result.candidate[k].predicted);
        }
        ck_assert_ptr_null(tune_read_text(temporary.file));
    }
}
END_TEST

START_TEST(limits_hold)
{
    for (int64_t trials = 2; trials <= 40; trials += 19) {
        machine m = usual_machine();
        aic_tune_options options = usual_options(&m);
        options.trials = trials;
        options.again = true;
        tune_on(&m, &options);
        ck_assert_uint_le(result.measured, (size_t)trials);
        ck_assert_uint_ge(result.measured, 2);
    }
    machine m = usual_machine();
    aic_tune_options options = usual_options(&m);
    options.budget = 0.5;
    options.again = true;
    tune_on(&m, &options);
    ck_assert(m.clock <= 0.51);
    ck_assert(result.seconds <= 0.51);
}
END_TEST

START_TEST(wrong_options_are_refused)
{
    machine m = usual_machine();
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
        aic_tune_options options = usual_options(&m);
        options.budget = rows[i].budget, options.trials = rows[i].trials;
        options.effort = (aic_tune_effort)rows[i].effort;
        ck_assert_int_eq(aic_tune(context, &spec, &options, &result), AIC_INVALID_ARGUMENT);
        ck_assert_msg(strstr(aic_last_error(), rows[i].message) != NULL, "%s", aic_last_error());
    }
    aic_tune_options options = usual_options(&m);
    const aic_spec illegal = spec_of("mmad(dtype=int8, m=5000, n=16, k=32)");
    ck_assert_int_eq(aic_tune(context, &illegal, &options, &result), AIC_INVALID_ARGUMENT);
    tune_write_text(temporary.file, "something else\n");
    ck_assert_int_eq(aic_tune(context, &spec, &options, &result), AIC_INVALID_ARGUMENT);
    ck_assert_msg(strstr(aic_last_error(), "is no tuning file") != NULL, "%s", aic_last_error());
}
END_TEST

/* ---- resuming ---- */

START_TEST(records_spare_a_search)
{
    machine m = usual_machine();
    aic_tune_options options = usual_options(&m);
    tune_on(&m, &options);
    char *before = tune_read_text(temporary.file);
    char found[AIC_TUNE_SCHEDULE_MAX];
    snprintf(found, sizeof found, "%s", result.schedule);
    const double gain = result.gain;
    m = usual_machine();
    tune_on(&m, &options);
    ck_assert_int_eq(result.outcome, AIC_TUNE_KNOWN);
    ck_assert_uint_eq(m.measured, 0);
    ck_assert_str_eq(result.schedule, found);
    ck_assert(result.gain > gain - 0.001 && result.gain < gain + 0.001);
    char *after = tune_read_text(temporary.file);
    ck_assert_str_eq(before, after);
    options.effort = AIC_TUNE_PATIENT; /* more than what is known */
    tune_on(&m, &options);
    ck_assert_int_eq(result.outcome, AIC_TUNE_FASTER);
    m = usual_machine();
    options.effort = AIC_TUNE_MEASURE; /* less */
    tune_on(&m, &options);
    ck_assert_int_eq(result.outcome, AIC_TUNE_KNOWN);
    options.again = true;
    tune_on(&m, &options);
    ck_assert_int_eq(result.outcome, AIC_TUNE_FASTER);
    ck_assert_uint_gt(m.measured, 0);
    free(before);
    free(after);
}
END_TEST

/* That nothing is faster is known, too. */
START_TEST(ties_spare_a_search)
{
    machine m = usual_machine();
    m.pattern = NULL;
    const aic_tune_options options = usual_options(&m);
    tune_on(&m, &options);
    ck_assert_int_eq(result.outcome, AIC_TUNE_DEFAULT);
    m.measured = 0;
    tune_on(&m, &options);
    ck_assert_int_eq(result.outcome, AIC_TUNE_KNOWN);
    ck_assert_uint_eq(m.measured, 0);
    ck_assert(result.gain == 1);
}
END_TEST

/* A search that is stopped keeps what it has found, and the next one goes on from there. */
START_TEST(stopped_searches_keep_what_they_have)
{
    machine m = usual_machine();
    m.stop_after = 150;
    aic_tune_options options = usual_options(&m);
    tune_on(&m, &options);
    ck_assert(result.stopped);
    ck_assert_int_eq(result.outcome, AIC_TUNE_FASTER);
    ck_assert(result.recorded);
    char *text = tune_read_text(temporary.file);
    ck_assert_ptr_nonnull(strstr(text, "effort=partial"));
    free(text);
    check_applied(result.schedule, "tuned");
    m = usual_machine();
    tune_on(&m, &options);
    ck_assert(!result.stopped);
    ck_assert_int_eq(result.outcome, AIC_TUNE_FASTER);
    text = tune_read_text(temporary.file);
    ck_assert_ptr_nonnull(strstr(text, "effort=measure"));
    ck_assert_ptr_null(strstr(text, "effort=partial"));
    free(text);
    ck_assert_int_eq(unlink(temporary.file), 0);
    m = usual_machine();
    m.second = 0.2;   /* progress is called for every measurement */
    m.stop_after = 1; /* too early to know anything */
    tune_on(&m, &options);
    ck_assert(result.stopped && !result.recorded);
    ck_assert_ptr_null(tune_read_text(temporary.file));
}
END_TEST

/* ---- what applies ---- */

/* A schedule that a caller gives wins over a record, also that of the default rule; each is the kernel that it says,
 * and the record's is one with the kernel of a caller that gives it. */
START_TEST(given_schedules_win)
{
    char standard[AIC_TUNE_SCHEDULE_MAX], other[AIC_TUNE_SCHEDULE_MAX], text[AIC_TUNE_SCHEDULE_MAX];
    machine m = usual_machine();
    const aic_tune_options options = usual_options(&m);
    tune_on(&m, &options);
    default_schedule(standard);
    ck_assert_int_eq(aic_schedule_candidate(context, &spec, 1, other, sizeof other), AIC_OK);
    aic_context *of = context_with(temporary.file);
    const struct {
        const char *given, *made, *origin;
        bool compiled;
    } rows[] = {
        {standard, standard, "given", true},     {NULL, result.schedule, "tuned", true},
        {other, other, "given", true},           {result.schedule, result.schedule, "given", false},
        {NULL, result.schedule, "tuned", false}, {standard, standard, "given", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const aic_kernel_info info = kernel_info(of, rows[i].given, text);
        ck_assert_msg(strcmp(text, rows[i].made) == 0, "row %zu: %s", i, text);
        ck_assert_msg(strcmp(info.origin, rows[i].origin) == 0, "row %zu: %s", i, info.origin);
        ck_assert_msg(info.compiled == rows[i].compiled, "row %zu", i);
    }
    aic_cache_stats stats;
    ck_assert_int_eq(aic_context_cache_stats(of, &stats), AIC_OK);
    ck_assert_uint_eq(stats.compiles, 3);
    ck_assert_uint_eq(stats.kernels, 3);
    aic_context_destroy(of);
    const aic_kernel_info plain = kernel_info(context, NULL, text);
    ck_assert_str_eq(plain.origin, "default");
    ck_assert_str_eq(text, standard);
}
END_TEST

/* Checks that a schedule has one symbol in both contexts. NULL in either: what that one chooses. */
static void check_symbol(aic_context *a, const char *in_a, aic_context *b, const char *in_b)
{
    char name[2][128];
    aic_context *const contexts[] = {a, b};
    const char *const schedules[] = {in_a, in_b};
    for (int i = 0; i < 2; i++) {
        aic_kernel *kernel;
        aic_kernel_info info;
        ck_assert_int_eq(aic_kernel_create(contexts[i], &spec, schedules[i], &kernel), AIC_OK);
        ck_assert_int_eq(aic_kernel_get_info(kernel, &info), AIC_OK);
        snprintf(name[i], sizeof name[i], "%s", info.name);
        aic_kernel_release(kernel);
    }
    ck_assert_str_eq(name[0], name[1]);
}

/* A kernel is what it is made of, and not how its schedule was found: with and without a record its name is the same.
 */
START_TEST(records_make_no_other_kernel)
{
    char standard[AIC_TUNE_SCHEDULE_MAX];
    machine m = usual_machine();
    const aic_tune_options options = usual_options(&m);
    tune_on(&m, &options);
    default_schedule(standard);
    aic_context *of = context_with(temporary.file);
    check_symbol(of, NULL, context, result.schedule);
    check_symbol(of, result.schedule, context, result.schedule);
    check_symbol(of, standard, context, NULL);
    check_symbol(of, standard, context, standard);
    aic_context_destroy(of);
}
END_TEST

/* Everything that makes kernels goes by the record: calls, dumps, reports; and results are right. */
START_TEST(records_apply_everywhere)
{
    machine m = usual_machine();
    const aic_tune_options options = usual_options(&m);
    tune_on(&m, &options);
    aic_context *of = context_with(temporary.file);
    verify_report report;
    const aic_semantics semantics = aic_semantics_init();
    ck_assert_msg(verify_spec(&spec, &semantics, 1, of, NULL, &report) == VERIFY_PASSED, "%s", report.text);
    aic_cache_stats stats;
    ck_assert_int_eq(aic_context_cache_stats(of, &stats), AIC_OK);
    ck_assert_uint_eq(stats.compiles, 1); /* aic_jit_conv2d, aic_jit_spec and the handle: one kernel */
    char *text;
    size_t size;
    ck_assert_int_eq(aic_dump(of, &spec, NULL, AIC_DUMP_PLAN, NULL, NULL, &text, &size), AIC_OK);
    ck_assert_str_eq(text, result.schedule);
    aic_free(text);
    ck_assert_int_eq(aic_dump(of, &spec, NULL, AIC_DUMP_EXPLAIN, NULL, NULL, &text, &size), AIC_OK);
    ck_assert_ptr_nonnull(strstr(text, "origin: tuned, by"));
    ck_assert_ptr_nonnull(strstr(text, temporary.file));
    ck_assert_ptr_nonnull(strstr(text, result.schedule));
    aic_free(text);
    ck_assert_int_eq(aic_dump(of, &spec, NULL, AIC_DUMP_EXPLAIN, aic_isa_name(1), NULL, &text, &size), AIC_OK);
    ck_assert_ptr_nonnull(strstr(text, "origin: default"));
    aic_free(text);
    char standard[AIC_TUNE_SCHEDULE_MAX];
    default_schedule(standard);
    ck_assert_int_eq(aic_dump(of, &spec, standard, AIC_DUMP_EXPLAIN, NULL, NULL, &text, &size), AIC_OK);
    ck_assert_ptr_nonnull(strstr(text, "origin: given"));
    aic_free(text);
    aic_tuning_info info;
    ck_assert_int_eq(aic_context_tuning(of, &info), AIC_OK);
    ck_assert_str_eq(info.path, temporary.file);
    ck_assert(info.records == 1 && info.usable == 1 && info.damaged == 0);
    aic_context_destroy(of);
}
END_TEST

/* Another spelling of the same kernel has the record, too; another specification, level or option has not. */
START_TEST(records_are_about_one_kernel)
{
    machine m = usual_machine();
    const aic_tune_options options = usual_options(&m);
    spec = spec_of("mmad(dtype=int8, m=40, n=32, k=64) | fixpipe(src=int32, dst=float16, quantPre=DEQF16)");
    m.pattern = "rows=8,";
    tune_on(&m, &options);
    ck_assert_int_eq(result.outcome, AIC_TUNE_FASTER);
    char found[AIC_TUNE_SCHEDULE_MAX], text[AIC_TUNE_SCHEDULE_MAX];
    snprintf(found, sizeof found, "%s", result.schedule);
    spec = spec_of("mmad(dtype=int8, m=40, n=32, k=64) | fixpipe(src=int32, dst=float16, quantPre=DEQF16, nSize=32, "
                   "mSize=40, dstStride=32)");
    aic_context *of = context_with(temporary.file);
    if (strcmp(kernel_info(of, NULL, text).origin, "tuned") == 0) { /* where these are one kernel */
        ck_assert_str_eq(text, found);
    }
    spec = spec_of("mmad(dtype=int8, m=41, n=32, k=64) | fixpipe(src=int32, dst=float16, quantPre=DEQF16)");
    ck_assert_str_eq(kernel_info(of, NULL, text).origin, "default");
    aic_context_destroy(of);
    spec = spec_of("mmad(dtype=int8, m=40, n=32, k=64) | fixpipe(src=int32, dst=float16, quantPre=DEQF16)");
    for (int i = 0; i < 3; i++) {
        aic_context_options o = aic_context_options_init();
        o.tuning_db = temporary.file;
        o.isa = i == 0 ? aic_isa_name(1) : LEVEL;
        o.passes = i == 1 ? "instcombine" : NULL;
        o.semantics.overflow = i == 2 ? AIC_OVERFLOW_IEEE : AIC_OVERFLOW_SATURATE;
        ck_assert_int_eq(aic_context_create(&o, &of), AIC_OK);
        ck_assert_str_eq(kernel_info(of, NULL, text).origin, "default");
        aic_context_destroy(of);
    }
}
END_TEST

/* The environment names a file for contexts that are not given one. */
START_TEST(the_environment_names_a_file)
{
    char text[AIC_TUNE_SCHEDULE_MAX];
    machine m = usual_machine();
    const aic_tune_options options = usual_options(&m);
    tune_on(&m, &options);
    ck_assert_int_eq(setenv("AIC_TUNING_DB", temporary.file, 1), 0);
    static const char *const OPTIONS[] = {NULL, ""}, *const ORIGINS[] = {"tuned", "default"};
    for (int i = 0; i < 2; i++) {
        aic_context *of = context_with(OPTIONS[i]);
        ck_assert_str_eq(kernel_info(of, NULL, text).origin, ORIGINS[i]);
        aic_context_destroy(of);
    }
    ck_assert_int_eq(unsetenv("AIC_TUNING_DB"), 0);
}
END_TEST

/* ---- files that do not apply ---- */

/* A machine that lost a feature, or another one: nothing applies, nothing is lost, and tuning starts anew. */
START_TEST(other_machines_keep_their_records)
{
    char standard[AIC_TUNE_SCHEDULE_MAX];
    machine m = usual_machine();
    const aic_tune_options options = usual_options(&m);
    default_schedule(standard);
    aic_tune_machine_suppose("this processor; with a feature");
    tune_on(&m, &options);
    ck_assert_int_eq(result.outcome, AIC_TUNE_FASTER);
    check_applied(result.schedule, "tuned");
    aic_tune_machine_suppose("this processor; without it");
    check_applied(standard, "default");
    tune_on(&m, &options);
    ck_assert_int_eq(result.outcome, AIC_TUNE_FASTER);
    aic_context *of = context_with(temporary.file);
    aic_tuning_info info;
    ck_assert_int_eq(aic_context_tuning(of, &info), AIC_OK);
    ck_assert(info.records == 2 && info.usable == 1);
    ck_assert_ptr_null(aic_take_warning());
    aic_context_destroy(of);
}
END_TEST

/* Files that cannot be used: the default, and a warning that says why. */
START_TEST(bad_files_cost_speed_only)
{
    char standard[AIC_TUNE_SCHEDULE_MAX];
    machine m = usual_machine();
    const aic_tune_options options = usual_options(&m);
    default_schedule(standard);
    tune_on(&m, &options);
    char *whole = tune_read_text(temporary.file), damaged[8192], cut[8192];
    snprintf(damaged, sizeof damaged, "%sno record\n", whole);
    snprintf(cut, sizeof cut, "%.*s", (int)strlen(whole) - 9, whole);
    const struct {
        const char *text, *warning;
    } rows[] = {{damaged, "1 lines are damaged, the first is line 3; none of its records is used"},
                {cut, "1 lines are damaged, the first is line 2"},
                {"GIF89a", "is no tuning file"},
                {NULL, "is not there"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].text != NULL) {
            tune_write_text(temporary.file, rows[i].text);
        } else {
            ck_assert_int_eq(unlink(temporary.file), 0);
        }
        (void)aic_take_warning();
        aic_context *of = context_with(temporary.file);
        const char *warning = aic_take_warning();
        ck_assert_msg(warning != NULL && strstr(warning, rows[i].warning) != NULL, "%s", warning);
        aic_context_destroy(of);
        check_applied(standard, "default");
    }
    free(whole);
}
END_TEST

/* A record whose schedule the specification does not take, and one that is the default's. */
START_TEST(unfit_records_cost_speed_only)
{
    char standard[AIC_TUNE_SCHEDULE_MAX];
    default_schedule(standard);
    const struct {
        const char *schedule, *warning;
    } rows[] = {{"schedule(kernel=vector, rows=999, cols=1, vectors=1, unroll=1, band=1)", "rows = 999 is outside"},
                {"schedule(vector=64)", "does not fit"},
                {standard, NULL}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const aic_tune_time time = {10, 9, 11};
        const aic_semantics semantics = aic_semantics_init();
        aic_tune_record record;
        char *key, text[AIC_TUNE_SCHEDULE_MAX];
        ck_assert_int_eq(
            aic_tune_key(&spec, &semantics, aic_target_find(AIC_ARCH_X86_64, aic_context_isa(context)), NULL, &key),
            AIC_OK);
        ck_assert_int_eq(aic_tune_record_make(key, 1, rows[i].schedule, &time, &time, &record), AIC_OK);
        tune_put(temporary.file, record);
        aic_context *of = context_with(temporary.file);
        (void)aic_take_warning();
        const aic_kernel_info info = kernel_info(of, NULL, text);
        ck_assert_str_eq(info.origin, "default");
        ck_assert_str_eq(text, standard);
        const char *warning = aic_take_warning();
        if (rows[i].warning == NULL) {
            ck_assert_ptr_null(warning);
        } else {
            ck_assert_msg(warning != NULL && strstr(warning, rows[i].warning) != NULL, "%s", warning);
        }
        aic_context_destroy(of);
        ck_assert_int_eq(unlink(temporary.file), 0);
        free(key);
    }
}
END_TEST

/* ---- every operator, on the machine as it is ---- */

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
        options.db = temporary.file;
        const aic_status drawn = _i < AIC_OP_END ? aic_spec_random((aic_op)_i, NULL, seed, &spec)
                                                 : aic_spec_random_chain(AIC_OP_NONE, AIC_OP_NONE, NULL, seed, &spec);
        ck_assert_int_eq(drawn, AIC_OK);
        aic_tune_result_free(&result);
        ck_assert_msg(aic_tune(context, &spec, &options, &result) == AIC_OK, "%s", aic_last_error());
        for (size_t i = 0; i < result.count; i++) {
            ck_assert_msg(result.candidate[i].state < AIC_TUNE_WRONG, "%s", result.candidate[i].schedule);
        }
        aic_context *of = context_with(temporary.file);
        (void)aic_take_warning(); /* nothing was recorded */
        ck_assert_msg(verify_spec(&spec, &semantics, seed, of, NULL, &report) == VERIFY_PASSED, "%s", report.text);
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
    ck_assert_int_eq(aic_pipeline(context, &request, &code), AIC_OK);
    ck_assert_int_eq(aic_tune_case_open(&c, judged, &semantics, 1), AIC_OK);
    ck_assert_int_eq(aic_tune_kernel_open(&c, code.code, &kernel), AIC_OK);
    ck_assert_msg(aic_tune_case_verify(&c, &kernel, &right) == AIC_OK, "%s", aic_last_error());
    aic_tune_kernel_close(&kernel);
    if (aic_spec_exact(judged)) { /* compared with the default's, it is found to be the same */
        const aic_request standard = {.count = aic_stage_views(judged, stage), .stage = stage};
        aic_tune_kernel by_default;
        aic_result own;
        bool same = false;
        ck_assert_int_eq(aic_pipeline(context, &standard, &own), AIC_OK);
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

Suite *suite_tune(void)
{
    Suite *suite = suite_create("tune");
    TCase *cases = tcase_create("tuning");
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_set_timeout(cases, 120);
    tcase_add_test(cases, the_fastest_is_recorded_and_applied);
    tcase_add_test(cases, a_tie_keeps_the_default);
    tcase_add_test(cases, noise_is_no_gain);
    tcase_add_test(cases, luck_is_no_gain);
    tcase_add_test(cases, wrong_results_do_not_win);
    tcase_add_test(cases, equal_code_is_measured_once);
    tcase_add_test(cases, nothing_to_measure);
    tcase_add_test(cases, limits_hold);
    tcase_add_test(cases, wrong_options_are_refused);
    tcase_add_test(cases, records_spare_a_search);
    tcase_add_test(cases, ties_spare_a_search);
    tcase_add_test(cases, stopped_searches_keep_what_they_have);
    tcase_add_test(cases, given_schedules_win);
    tcase_add_test(cases, records_make_no_other_kernel);
    tcase_add_test(cases, records_apply_everywhere);
    tcase_add_test(cases, records_are_about_one_kernel);
    tcase_add_test(cases, the_environment_names_a_file);
    tcase_add_test(cases, other_machines_keep_their_records);
    tcase_add_test(cases, bad_files_cost_speed_only);
    tcase_add_test(cases, unfit_records_cost_speed_only);
    tcase_add_loop_test(cases, every_operator_can_be_tuned, AIC_OP_NONE + 1, AIC_OP_END + 1);
    tcase_add_test(cases, verification_sees_wrong_results);
    suite_add_tcase(suite, cases);
    return suite;
}
