/* Records of tuning: which kernels they apply to, and files that do not apply. */
#include "tests/machines.h"
#include "tests/network_case.h"
#include "tests/specs.h"
#include "tests/tune_times.h"
#include "tools/harness/verify.h"

#include <aic/tool.h>
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

Suite *suite_tune_applied(void);

/* ---- what applies ---- */

/* A schedule that a caller gives wins over a record, also that of the default rule; each is the kernel that it says,
 * and the record's is one with the kernel of a caller that gives it. */
START_TEST(given_schedules_win)
{
    char standard[AIC_TUNE_SCHEDULE_MAX], other[AIC_TUNE_SCHEDULE_MAX], text[AIC_TUNE_SCHEDULE_MAX];
    tune_times m = tune_usual_times();
    const aic_tune_options options = tune_usual_options(&m);
    tune_by(&m, &options);
    tune_default_schedule(standard);
    ck_assert_int_eq(aic_schedule_candidate(tune_context, &tune_spec, 1, other, sizeof other), AIC_OK);
    aic_context *of = tune_context_with(tune_temporary.file);
    const struct {
        const char *given, *made, *origin;
        bool compiled;
    } rows[] = {
        {standard, standard, "given", true},
        {NULL, tune_result.schedule, "tuned", true},
        {other, other, "given", true},
        {tune_result.schedule, tune_result.schedule, "given", false},
        {NULL, tune_result.schedule, "tuned", false},
        {standard, standard, "given", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const aic_kernel_info info = tune_kernel_info(of, rows[i].given, text);
        ck_assert_msg(strcmp(text, rows[i].made) == 0, "row %zu: %s", i, text);
        ck_assert_msg(strcmp(info.origin, rows[i].origin) == 0, "row %zu: %s", i, info.origin);
        ck_assert_msg(info.compiled == rows[i].compiled, "row %zu", i);
    }
    aic_cache_stats stats = aic_cache_stats_init();
    ck_assert_int_eq(aic_context_cache_stats(of, &stats), AIC_OK);
    ck_assert_uint_eq(stats.compiles, 3);
    ck_assert_uint_eq(stats.kernels, 3);
    aic_context_destroy(of);
    const aic_kernel_info plain = tune_kernel_info(tune_context, NULL, text);
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
        aic_kernel_info info = aic_kernel_info_init();
        ck_assert_int_eq(aic_kernel_create(contexts[i], &tune_spec, schedules[i], &kernel), AIC_OK);
        ck_assert_int_eq(aic_kernel_get_info(kernel, &info), AIC_OK);
        snprintf(name[i], sizeof name[i], "%s", info.name);
        aic_kernel_destroy(kernel);
    }
    ck_assert_str_eq(name[0], name[1]);
}

/* A kernel is what it is made of, and not how its schedule was found: with and without a record its name is the same.
 */
START_TEST(records_make_no_other_kernel)
{
    char standard[AIC_TUNE_SCHEDULE_MAX];
    tune_times m = tune_usual_times();
    const aic_tune_options options = tune_usual_options(&m);
    tune_by(&m, &options);
    tune_default_schedule(standard);
    aic_context *of = tune_context_with(tune_temporary.file);
    check_symbol(of, NULL, tune_context, tune_result.schedule);
    check_symbol(of, tune_result.schedule, tune_context, tune_result.schedule);
    check_symbol(of, standard, tune_context, NULL);
    check_symbol(of, standard, tune_context, standard);
    aic_context_destroy(of);
}
END_TEST

/* Everything that makes kernels goes by the record: calls, dumps, reports; and results are right. */
START_TEST(records_apply_everywhere)
{
    tune_times m = tune_usual_times();
    const aic_tune_options options = tune_usual_options(&m);
    tune_by(&m, &options);
    aic_context *of = tune_context_with(tune_temporary.file);
    verify_report report;
    const aic_semantics semantics = aic_semantics_init();
    ck_assert_msg(verify_spec(&tune_spec, &semantics, 1, of, NULL, &report) == VERIFY_PASSED, "%s", report.text);
    aic_cache_stats stats = aic_cache_stats_init();
    ck_assert_int_eq(aic_context_cache_stats(of, &stats), AIC_OK);
    ck_assert_uint_eq(stats.compiles, 1); /* aic_jit_conv2d, aic_jit_spec and the handle: one kernel */
    char *text;
    size_t size;
    ck_assert_int_eq(aic_dump(of, &tune_spec, NULL, AIC_DUMP_PLAN, NULL, NULL, &text, &size), AIC_OK);
    ck_assert_str_eq(text, tune_result.schedule);
    aic_free(text);
    ck_assert_int_eq(aic_dump(of, &tune_spec, NULL, AIC_DUMP_EXPLAIN, NULL, NULL, &text, &size), AIC_OK);
    ck_assert_ptr_nonnull(strstr(text, "origin: tuned, by"));
    ck_assert_ptr_nonnull(strstr(text, tune_temporary.file));
    ck_assert_ptr_nonnull(strstr(text, tune_result.schedule));
    aic_free(text);
    ck_assert_int_eq(aic_dump(of, &tune_spec, NULL, AIC_DUMP_EXPLAIN, aic_isa_name(1), NULL, &text, &size), AIC_OK);
    ck_assert_ptr_nonnull(strstr(text, "origin: default"));
    aic_free(text);
    char standard[AIC_TUNE_SCHEDULE_MAX];
    tune_default_schedule(standard);
    ck_assert_int_eq(aic_dump(of, &tune_spec, standard, AIC_DUMP_EXPLAIN, NULL, NULL, &text, &size), AIC_OK);
    ck_assert_ptr_nonnull(strstr(text, "origin: given"));
    aic_free(text);
    aic_tuning_info info = aic_tuning_info_init();
    ck_assert_int_eq(aic_context_tuning(of, &info), AIC_OK);
    ck_assert_str_eq(info.path, tune_temporary.file);
    ck_assert(info.records == 1 && info.usable == 1 && info.damaged == 0);
    aic_context_destroy(of);
}
END_TEST

/* The path of a record's file, as long as it may be, is told whole. */
START_TEST(a_long_path_is_told)
{
    char path[2048];
    int used = snprintf(path, sizeof path, "%s", tune_temporary.folder);
    for (int i = 0; i < 800; i++) {
        used += snprintf(path + used, sizeof path - (size_t)used, "/.");
    }
    snprintf(path + used, sizeof path - (size_t)used, "%s", strrchr(tune_temporary.file, '/'));
    tune_times m = tune_usual_times();
    const aic_tune_options options = tune_usual_options(&m);
    tune_by(&m, &options);
    aic_context *of = tune_context_with(path);
    char *text, told[sizeof path + 64];
    size_t size;
    snprintf(told, sizeof told, "origin: tuned, by \"%s\" (effort ", path);
    ck_assert_int_eq(aic_dump(of, &tune_spec, NULL, AIC_DUMP_EXPLAIN, NULL, NULL, &text, &size), AIC_OK);
    ck_assert_msg(strstr(text, told) != NULL, "%s", text);
    aic_free(text);
    aic_context_destroy(of);
}
END_TEST

/* Another spelling of the same kernel has the record, too; another specification, level or option has not. */
START_TEST(records_are_about_one_kernel)
{
    tune_times m = tune_usual_times();
    const aic_tune_options options = tune_usual_options(&m);
    tune_spec = spec_of("mmad(dtype=int8, m=40, n=32, k=64) | fixpipe(src=int32, dst=float16, quantPre=DEQF16)");
    m.pattern = "rows=8,";
    tune_by(&m, &options);
    ck_assert_int_eq(tune_result.outcome, AIC_TUNE_OUTCOME_FASTER);
    char found[AIC_TUNE_SCHEDULE_MAX], text[AIC_TUNE_SCHEDULE_MAX];
    snprintf(found, sizeof found, "%s", tune_result.schedule);
    tune_spec =
        spec_of("mmad(dtype=int8, m=40, n=32, k=64) | fixpipe(src=int32, dst=float16, quantPre=DEQF16, nSize=32, "
                "mSize=40, dstStride=32)");
    aic_context *of = tune_context_with(tune_temporary.file);
    if (strcmp(tune_kernel_info(of, NULL, text).origin, "tuned") == 0) { /* where these are one kernel */
        ck_assert_str_eq(text, found);
    }
    tune_spec = spec_of("mmad(dtype=int8, m=41, n=32, k=64) | fixpipe(src=int32, dst=float16, quantPre=DEQF16)");
    ck_assert_str_eq(tune_kernel_info(of, NULL, text).origin, "default");
    aic_context_destroy(of);
    tune_spec = spec_of("mmad(dtype=int8, m=40, n=32, k=64) | fixpipe(src=int32, dst=float16, quantPre=DEQF16)");
    for (int i = 0; i < 3; i++) {
        aic_context_options o = aic_context_options_init();
        o.tuning_db = tune_temporary.file;
        o.isa = i == 0 ? aic_isa_name(1) : TUNE_LEVEL;
        o.passes = i == 1 ? "instcombine" : NULL;
        o.semantics.overflow = i == 2 ? AIC_OVERFLOW_IEEE : AIC_OVERFLOW_SATURATE;
        if (aic_isa_check(o.isa) != AIC_OK) { /* there is one level only */
            continue;
        }
        ck_assert_int_eq(aic_context_create(&o, &of), AIC_OK);
        ck_assert_str_eq(tune_kernel_info(of, NULL, text).origin, "default");
        aic_context_destroy(of);
    }
}
END_TEST

/* The environment names a file for contexts that are not given one. */
START_TEST(the_environment_names_a_file)
{
    char text[AIC_TUNE_SCHEDULE_MAX];
    tune_times m = tune_usual_times();
    const aic_tune_options options = tune_usual_options(&m);
    tune_by(&m, &options);
    ck_assert_int_eq(setenv("AIC_TUNING_DB", tune_temporary.file, 1), 0);
    static const char *const OPTIONS[] = {NULL, ""}, *const ORIGINS[] = {"tuned", "default"};
    for (int i = 0; i < 2; i++) {
        aic_context *of = tune_context_with(OPTIONS[i]);
        ck_assert_str_eq(tune_kernel_info(of, NULL, text).origin, ORIGINS[i]);
        aic_context_destroy(of);
    }
    ck_assert_int_eq(unsetenv("AIC_TUNING_DB"), 0);
}
END_TEST

enum { LINES_BYTES = 4096 };

static void keep_line(void *data, int level, const char *line)
{
    (void)level;
    char *lines = data;
    const size_t used = strlen(lines);
    (void)snprintf(lines + used, LINES_BYTES - used, "%s\n", line);
}

/* A kernel that was made of a given schedule is found where a record has the same one, and lines say so. */
START_TEST(lines_tell_where_schedules_come_from)
{
    static char lines[LINES_BYTES];
    tune_times m = tune_usual_times();
    const aic_tune_options options = tune_usual_options(&m);
    aic_context_options o = aic_context_options_init();
    aic_context *of;
    tune_by(&m, &options);
    ck_assert_int_eq(tune_result.outcome, AIC_TUNE_OUTCOME_FASTER);
    o.isa = TUNE_LEVEL;
    o.cache = "off";
    o.tuning_db = tune_temporary.file;
    o.verbose = AIC_VERBOSE_DISPATCH;
    o.log = keep_line;
    o.log_data = lines;
    static const char *const WORDS[][2] = {{"made", "given"}, {"found", "tuned"}};
    ck_assert_int_eq(aic_context_create(&o, &of), AIC_OK);
    for (int i = 0; i < 2; i++) {
        aic_kernel *kernel;
        lines[0] = '\0';
        ck_assert_int_eq(aic_kernel_create(of, &tune_spec, i == 0 ? tune_result.schedule : NULL, &kernel), AIC_OK);
        ck_assert_msg(strstr(lines, WORDS[i][0]) != NULL && strstr(lines, WORDS[i][1]) != NULL, "%s", lines);
        aic_kernel_destroy(kernel);
    }
    aic_context_destroy(of);
}
END_TEST

/* The object of a kernel, or of a network of it, that a context exports. */
static aic_exported exported(aic_context *context, const char *folder)
{
    aic_exported made = aic_exported_init();
    const aic_export_kernel kernel = {.size = sizeof kernel, .spec = &tune_spec, .name = "k"};
    const aic_status status = folder != NULL ? aic_network_export(context, folder, "k", TUNE_LEVEL, NULL, &made)
                                             : aic_export(context, &kernel, 1, TUNE_LEVEL, NULL, &made);
    ck_assert_msg(status == AIC_OK, "%s", aic_last_error());
    return made;
}

/* What is exported has the schedules of the context's file. */
START_TEST(exports_are_tuned)
{
    network_case c;
    char text[1024], spec[512];
    tune_times m = tune_usual_times();
    const aic_tune_options options = tune_usual_options(&m);
    tune_by(&m, &options);
    ck_assert_int_eq(tune_result.outcome, AIC_TUNE_OUTCOME_FASTER);
    ck_assert_int_eq(aic_spec_print(&tune_spec, spec, sizeof spec, NULL), AIC_OK);
    (void)snprintf(text, sizeof text,
                   "input x int8 [1,6,7,32]\ninput w int8 [9216]\nbuffer y int32 [1536]\n"
                   "kernel %s : dst=y feature_map=x weight=w\n"
                   "output y\n",
                   spec);
    network_case_open(&c);
    network_case_text(&c, text);
    aic_context *of = tune_context_with(tune_temporary.file);
    for (int network = 0; network < 2; network++) {
        const char *folder = network == 1 ? c.folder : NULL;
        aic_exported tuned = exported(of, folder), plain = exported(tune_context, folder);
        ck_assert(tuned.object_size != plain.object_size || memcmp(tuned.object, plain.object, plain.object_size) != 0);
        aic_exported_destroy(&tuned);
        aic_exported_destroy(&plain);
    }
    aic_context_destroy(of);
    network_case_close(&c);
}
END_TEST

/* ---- files that do not apply ---- */

/* A machine that lost a feature, or another one: nothing applies, nothing is lost, and tuning starts anew. */
START_TEST(other_machines_keep_their_records)
{
    char standard[AIC_TUNE_SCHEDULE_MAX];
    tune_times m = tune_usual_times();
    const aic_tune_options options = tune_usual_options(&m);
    tune_default_schedule(standard);
    aic_tune_machine_suppose("this processor; with a feature");
    tune_by(&m, &options);
    ck_assert_int_eq(tune_result.outcome, AIC_TUNE_OUTCOME_FASTER);
    tune_check_applied(tune_result.schedule, "tuned");
    aic_tune_machine_suppose("this processor; without it");
    tune_check_applied(standard, "default");
    tune_by(&m, &options);
    ck_assert_int_eq(tune_result.outcome, AIC_TUNE_OUTCOME_FASTER);
    aic_context *of = tune_context_with(tune_temporary.file);
    aic_tuning_info info = aic_tuning_info_init();
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
    tune_times m = tune_usual_times();
    const aic_tune_options options = tune_usual_options(&m);
    tune_default_schedule(standard);
    tune_by(&m, &options);
    char *whole = tune_read_text(tune_temporary.file), damaged[8192], cut[8192];
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
            tune_write_text(tune_temporary.file, rows[i].text);
        } else {
            ck_assert_int_eq(unlink(tune_temporary.file), 0);
        }
        (void)aic_take_warning();
        aic_context *of = tune_context_with(tune_temporary.file);
        const char *warning = aic_take_warning();
        ck_assert_msg(warning != NULL && strstr(warning, rows[i].warning) != NULL, "%s", warning);
        aic_context_destroy(of);
        tune_check_applied(standard, "default");
    }
    free(whole);
}
END_TEST

/* A record whose schedule the specification does not take, and one that is the default's. */
START_TEST(unfit_records_cost_speed_only)
{
    char standard[AIC_TUNE_SCHEDULE_MAX];
    tune_default_schedule(standard);
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
        const aic_problem problem = {&tune_spec, &semantics,
                                     aic_target_find(AIC_ARCH_X86_64, aic_context_isa(tune_context)),
                                     machine_of(tune_context)};
        ck_assert_int_eq(aic_tune_key(&problem, NULL, &key), AIC_OK);
        ck_assert_int_eq(aic_tune_record_make(key, 1, rows[i].schedule, &time, &time, &record), AIC_OK);
        tune_put(tune_temporary.file, record);
        aic_context *of = tune_context_with(tune_temporary.file);
        (void)aic_take_warning();
        const aic_kernel_info info = tune_kernel_info(of, NULL, text);
        ck_assert_str_eq(info.origin, "default");
        ck_assert_str_eq(text, standard);
        const char *warning = aic_take_warning();
        if (rows[i].warning == NULL) {
            ck_assert_ptr_null(warning);
        } else {
            ck_assert_msg(warning != NULL && strstr(warning, rows[i].warning) != NULL, "%s", warning);
        }
        aic_context_destroy(of);
        ck_assert_int_eq(unlink(tune_temporary.file), 0);
        free(key);
    }
}
END_TEST

Suite *suite_tune_applied(void)
{
    Suite *suite = suite_create("what tuning applies to");
    TCase *cases = tcase_create("what tuning applies to");
    tcase_add_checked_fixture(cases, tune_setup, tune_teardown);
    tcase_set_timeout(cases, 120);
    tcase_add_test(cases, given_schedules_win);
    tcase_add_test(cases, records_make_no_other_kernel);
    tcase_add_test(cases, records_apply_everywhere);
    tcase_add_test(cases, a_long_path_is_told);
    tcase_add_test(cases, records_are_about_one_kernel);
    tcase_add_test(cases, the_environment_names_a_file);
    tcase_add_test(cases, exports_are_tuned);
    tcase_add_test(cases, lines_tell_where_schedules_come_from);
    tcase_add_test(cases, other_machines_keep_their_records);
    tcase_add_test(cases, bad_files_cost_speed_only);
    tcase_add_test(cases, unfit_records_cost_speed_only);
    suite_add_tcase(suite, cases);
    return suite;
}
