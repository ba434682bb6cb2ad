/* Generated kernels against the reference: every file of tests/corpus over every instruction set level that runs here
 * and the candidate schedules, plain and packed, operands between guard pages, and a stretch of pseudo-random
 * specifications of every operator and of fused chains; with both values of the option overflow.
 *
 * Nearly all of the time goes into compiling and the reference. So every level sees the default schedule of a line, and
 * of the candidates one level (tests/levels.h) sees every THOROUGH-th, the others every OTHER-th, beginning with
 * another one from line to line and level to level; and contents are renewed for every RENEW-th candidate only. Where
 * levels make the same code of an operator they take turns, line by line. A campaign sees every candidate at every
 * level. */
#include "tests/levels.h"
#include "tests/specs.h"
#include "tools/harness/verify.h"

#include <aic/aic.h>
#include <check.h>
#include <glob.h>
#include <stdio.h>
#include <string.h>

Suite *suite_kernels(void);

enum { LINE_MAX_BYTES = 4096, RANDOM_SPECS = 12, MODES = AIC_OVERFLOW_IEEE + 1, RENEW = 4, THOROUGH = 4, OTHER = 16 };

/* One level, with a context for each overflow mode. */
typedef struct level {
    size_t number;
    size_t step; /* every which candidate is tried */
    aic_semantics semantics[MODES];
    aic_context *context[MODES];
} level;

static void open_level(level *at, int number)
{
    const char *name = levels_name(number);
    at->step = levels_campaign() > 0 ? 1 : levels_is_thorough(number) ? THOROUGH : OTHER;
    at->number = (size_t)number;
    for (int mode = 0; mode < MODES; mode++) {
        aic_context_options options = aic_context_options_init();
        options.isa = name;
        options.semantics.overflow = (aic_overflow)mode;
        at->semantics[mode] = options.semantics;
        ck_assert_int_eq(aic_context_create(&options, &at->context[mode]), AIC_OK);
    }
}

static void close_level(level *at)
{
    for (int mode = 0; mode < MODES; mode++) {
        aic_context_destroy(at->context[mode]);
    }
}

/* ---- one kernel ---- */

static void expect_passed(const verify_case *c, aic_context *context, const char *schedule, verify_verdict verdict,
                          const verify_report *report)
{
    char text[LINE_MAX_BYTES];
    ck_assert_int_eq(aic_spec_print(&c->spec, text, sizeof text, NULL), AIC_OK);
    ck_assert_msg(verdict == VERIFY_PASSED, "%s %s %s %s: %s", aic_context_isa(context), text,
                  c->semantics.overflow == AIC_OVERFLOW_IEEE ? "ieee" : "saturate",
                  schedule ? schedule : "default schedule", report->text);
}

static void open_case(verify_case *c, const aic_spec *spec, const level *at, int mode, uint64_t seed)
{
    verify_report report;
    verify_verdict verdict = verify_open(c, spec, &at->semantics[mode], seed, &report);
    expect_passed(c, at->context[mode], "reference", verdict, &report);
}

static void check_case(const verify_case *c, const level *at, int mode, const char *schedule)
{
    verify_report report;
    verify_verdict verdict = verify_kernel(c, at->context[mode], schedule, &report);
    expect_passed(c, at->context[mode], schedule, verdict, &report);
}

/* Contents and results of one line, in both modes. */
typedef struct line_cases {
    verify_case mode[MODES];
    bool differ; /* the results of the modes, for these contents */
} line_cases;

static void open_cases(line_cases *cases, const aic_spec *spec, const level *at, uint64_t seed)
{
    for (int mode = 0; mode < MODES; mode++) {
        open_case(&cases->mode[mode], spec, at, mode, seed);
    }
    const verify_case *a = &cases->mode[0], *b = &cases->mode[1];
    cases->differ = memcmp(a->expected.data, b->expected.data, a->expected.size) != 0;
}

static void close_cases(line_cases *cases)
{
    for (int mode = 0; mode < MODES; mode++) {
        verify_close(&cases->mode[mode]);
    }
}

/* The candidates of one line; with the second mode the first candidate, and those whose contents show a difference. */
static void check_line(const aic_spec *spec, const level *at, uint64_t line)
{
    char schedule[LINE_MAX_BYTES];
    line_cases cases;
    size_t count = 0, tried = 0;
    for (; aic_schedule_candidate(at->context[0], spec, count, schedule, sizeof schedule) == AIC_OK; count++) {
        if (count > 0 && (count + line + at->number) % at->step != 0) {
            continue;
        }
        if (tried % RENEW == 0) {
            if (tried > 0) {
                close_cases(&cases);
            }
            open_cases(&cases, spec, at, line * 100 + tried);
        }
        for (int mode = 0; mode < MODES; mode++) {
            if (mode == 0 || tried == 0 || cases.differ) {
                check_case(&cases.mode[mode], at, mode, schedule);
            }
        }
        tried++;
    }
    ck_assert_uint_gt(tried, 0);
    close_cases(&cases);
}

/* ---- the corpus: a test a file and level ---- */

static glob_t files;

START_TEST(corpus)
{
    const char *path = files.gl_pathv[_i / levels_count()];
    level at;
    open_level(&at, _i % levels_count());
    FILE *file = fopen(path, "r");
    ck_assert_msg(file != NULL, "%s cannot be read", path);
    char line[LINE_MAX_BYTES];
    uint64_t lines = 0;
    while (fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0] != '#' && line[0] != '\0') {
            const aic_spec spec = spec_of(line);
            if (levels_is_turn(_i % levels_count(), spec.stage[0].op, ++lines)) {
                check_line(&spec, &at, lines);
            }
        }
    }
    ck_assert_msg(lines > 0, "%s holds no operator", path);
    fclose(file);
    close_level(&at);
}
END_TEST

/* ---- pseudo-random: a test a level ---- */

static void check_random(const aic_spec *spec, const level *at, uint64_t seed)
{
    const int mode = (int)(seed % MODES);
    verify_case c;
    open_case(&c, spec, at, mode, seed);
    check_case(&c, at, mode, NULL);
    verify_close(&c);
}

START_TEST(random_specs)
{
    level at;
    open_level(&at, _i);
    aic_spec spec;
    for (uint64_t seed = 0; seed < RANDOM_SPECS; seed++) {
        for (int op = AIC_OP_NONE + 1; op < AIC_OP_END; op++) {
            ck_assert_int_eq(aic_spec_random((aic_op)op, NULL, seed, &spec), AIC_OK);
            if (levels_is_turn(_i, (aic_op)op, seed / MODES)) { /* in both modes at each level */
                check_random(&spec, &at, seed);
            }
            if (aic_spec_random_chain((aic_op)op, AIC_OP_NONE, NULL, seed, &spec) == AIC_OK) {
                check_random(&spec, &at, seed);
            }
        }
    }
    close_level(&at);
}
END_TEST

Suite *suite_kernels(void)
{
    Suite *suite = suite_create("kernels");
    TCase *levels = tcase_create("levels");
    (void)glob(AIC_TEST_DATA "/corpus/*.txt", 0, NULL, &files);
    tcase_set_timeout(levels, 600); /* sanitizers are slow */
    tcase_add_loop_test(levels, corpus, 0, (int)files.gl_pathc * levels_count());
    tcase_add_loop_test(levels, random_specs, 0, levels_count());
    suite_add_tcase(suite, levels);
    return suite;
}
