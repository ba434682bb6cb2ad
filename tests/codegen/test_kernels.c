/* Generated kernels against the reference: every file of tests/corpus over every instruction set level that runs here
 * and the candidate schedules, plain and packed, operands between guard pages, and a stretch of pseudo-random
 * specifications of every operator and of fused chains; with both values of the option overflow.
 *
 * Nearly all of the time goes into compiling. So every level sees the default schedule of a line, and of the candidates
 * one level (tests/levels.h) sees every THOROUGH-th, the others every OTHER-th, beginning with another one from line to
 * line and level to level. Where levels make the same code of an operator they take turns, line by line. Contents and
 * the reference's results are shared by the levels and renewed for every RENEW-th candidate only. Operators whose code
 * does not depend on the overflow mode, which is about floats that mmad, fixpipe and tik_fixpipe make, see the second
 * mode at one level in every OTHER_MODE-th line, and wherever the reference's results differ. A campaign sees every
 * candidate at every level. */
#include "frontend/core/stage.h"
#include "tests/levels.h"
#include "tests/specs.h"
#include "tools/harness/verify.h"

#include <aic/aic.h>
#include <aic/tool.h>
#include <check.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Suite *suite_kernels(void);

enum {
    LINE_MAX_BYTES = 4096,
    RANDOM_SPECS = 2, /* jobs of tools/dev test (aicjit check --fuzz) have more of the kind */
    MODES = AIC_OVERFLOW_IEEE + 1,
    RENEW = 4,
    THOROUGH = 27,
    OTHER = 108,
    OTHER_MODE = 4
};

/* One level, with a context for each overflow mode, and how far it is with a line. */
typedef struct level {
    int number;
    size_t step; /* every which candidate is tried */
    aic_context *context[MODES];
    size_t candidate; /* the next one */
    bool is_done;     /* no candidate is left */
    char schedule[LINE_MAX_BYTES];
} level;

/* All that run here. */
typedef struct level_list {
    int count;
    level *at;
} level_list;

static aic_semantics semantics_of(int mode)
{
    aic_semantics semantics = aic_semantics_init();
    semantics.overflow = (aic_overflow)mode;
    return semantics;
}

static void open_level(level *at, int number)
{
    const char *name = levels_name(number);
    at->step = levels_campaign() > 0 ? 1 : levels_is_thorough(number) ? THOROUGH : OTHER;
    at->number = number;
    for (int mode = 0; mode < MODES; mode++) {
        aic_context_options options = aic_context_options_init();
        options.isa = name;
        options.semantics = semantics_of(mode);
        ck_assert_int_eq(aic_context_create(&options, &at->context[mode]), AIC_OK);
    }
}

static level_list open_levels(void)
{
    level_list levels = {.count = levels_count()};
    levels.at = calloc((size_t)levels.count, sizeof *levels.at);
    ck_assert_ptr_nonnull(levels.at);
    for (int i = 0; i < levels.count; i++) {
        open_level(&levels.at[i], i);
    }
    return levels;
}

static void close_levels(level_list *levels)
{
    for (int i = 0; i < levels->count; i++) {
        for (int mode = 0; mode < MODES; mode++) {
            aic_context_destroy(levels->at[i].context[mode]);
        }
    }
    free(levels->at);
}

/* ---- one kernel ---- */

static void expect_passed(const verify_case *c, aic_context *context, const char *schedule, verify_verdict verdict,
                          const verify_report *report)
{
    char text[LINE_MAX_BYTES];
    ck_assert_int_eq(aic_spec_print(c->spec, text, sizeof text, NULL), AIC_OK);
    ck_assert_msg(verdict == VERIFY_PASSED, "%s %s %s %s: %s", aic_context_isa(context), text,
                  c->semantics.overflow == AIC_OVERFLOW_IEEE ? "ieee" : "saturate",
                  schedule ? schedule : "default schedule", report->text);
}

static void open_case(verify_case *c, const aic_spec *spec, int mode, uint64_t seed)
{
    const aic_semantics semantics = semantics_of(mode);
    verify_report report;
    char text[LINE_MAX_BYTES];
    const verify_verdict verdict = verify_open(c, spec, &semantics, seed, &report);
    ck_assert_int_eq(aic_spec_print(spec, text, sizeof text, NULL), AIC_OK);
    ck_assert_msg(verdict == VERIFY_PASSED, "reference %s: %s", text, report.text);
}

static void check_case(const verify_case *c, const level *at, int mode, const char *schedule)
{
    verify_report report;
    verify_verdict verdict = verify_kernel(c, at->context[mode], schedule, &report);
    expect_passed(c, at->context[mode], schedule, verdict, &report);
    ck_assert_str_eq(report.warning, "");
}

/* Contents and results of one line, in both modes. */
typedef struct line_cases {
    verify_case mode[MODES];
    bool differ; /* the results of the modes, for these contents */
} line_cases;

static void open_cases(line_cases *cases, const aic_spec *spec, uint64_t seed)
{
    for (int mode = 0; mode < MODES; mode++) {
        open_case(&cases->mode[mode], spec, mode, seed);
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

/* Goes on to the next candidate that the level tries, if it is not at one. */
static void find_candidate(level *at, const aic_spec *spec, uint64_t line)
{
    while (!at->is_done && at->candidate > 0 && (at->candidate + line + (size_t)at->number) % at->step != 0) {
        at->candidate++;
    }
    at->is_done = at->is_done || aic_schedule_candidate(at->context[0], spec, at->candidate, at->schedule,
                                                        sizeof at->schedule) != AIC_OK;
}

/* Whether the stage makes floats that may be too large for their type, which is what the overflow mode is about. */
static bool makes_floats(const aic_stage *stage)
{
    switch (stage->op) {
    case AIC_OP_MMAD:
        return aic_dtype_size(stage->desc.mmad.dtype) > 1;
    case AIC_OP_FIXPIPE:
        return aic_dtype_size(stage->desc.fixpipe.dst) == 2;
    case AIC_OP_TIK_FIXPIPE:
        return true;
    default:
        return false;
    }
}

/* Whether the first candidate is tried with the second mode, too: where the code depends on it, else at one level for
 * some of the lines. */
static bool shows_mode(const aic_spec *spec, const level *at, uint64_t line)
{
    bool depends = (levels_is_thorough(at->number) && line % OTHER_MODE == 0) || levels_campaign() > 0;
    for (int32_t i = 0; i < spec->count; i++) {
        depends = depends || makes_floats(&spec->stage[i]);
    }
    return depends;
}

/* Up to RENEW candidates of a level; with the second mode those whose contents show a difference. */
static void check_candidates(const line_cases *cases, const aic_spec *spec, level *at, uint64_t line)
{
    for (int tried = 0; tried < RENEW && !at->is_done; tried++) {
        for (int mode = 0; mode < MODES; mode++) {
            if (mode == 0 || cases->differ || (at->candidate == 0 && shows_mode(spec, at, line))) {
                check_case(&cases->mode[mode], at, mode, at->schedule);
            }
        }
        at->candidate++;
        find_candidate(at, spec, line);
    }
}

/* The candidates of one line at every level whose turn it is. The levels share contents and the reference's result. */
static void check_line(const aic_spec *spec, level_list *levels, uint64_t line)
{
    bool is_done = true;
    for (int i = 0; i < levels->count; i++) {
        level *at = &levels->at[i];
        at->candidate = 0;
        at->is_done = !levels_is_turn(at->number, spec, line);
        find_candidate(at, spec, line);
        is_done = is_done && at->is_done;
    }
    ck_assert(!is_done);
    for (uint64_t seed = line * 100; !is_done; seed += RENEW) {
        line_cases cases;
        open_cases(&cases, spec, seed);
        is_done = true;
        for (int i = 0; i < levels->count; i++) {
            check_candidates(&cases, spec, &levels->at[i], line);
            is_done = is_done && levels->at[i].is_done;
        }
        close_cases(&cases);
    }
}

/* ---- the corpus: a test a file ---- */

static glob_t files;

START_TEST(corpus)
{
    const char *path = files.gl_pathv[_i];
    level_list levels = open_levels();
    FILE *file = fopen(path, "r");
    ck_assert_msg(file != NULL, "%s cannot be read", path);
    char line[LINE_MAX_BYTES];
    uint64_t lines = 0;
    while (fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0] != '#' && line[0] != '\0') {
            const aic_spec spec = spec_of(line);
            check_line(&spec, &levels, ++lines);
        }
    }
    ck_assert_msg(lines > 0, "%s holds no operator", path);
    fclose(file);
    close_levels(&levels);
}
END_TEST

/* ---- pseudo-random ---- */

/* At the levels whose turn it is; those that make the same code take turns in both modes. */
static void check_random(const aic_spec *spec, const level_list *levels, uint64_t seed)
{
    const int mode = (int)(seed % MODES);
    verify_case c;
    open_case(&c, spec, mode, seed);
    for (int i = 0; i < levels->count; i++) {
        if (levels_is_turn(i, spec, seed / MODES)) {
            check_case(&c, &levels->at[i], mode, NULL);
        }
    }
    verify_close(&c);
}

START_TEST(random_specs)
{
    level_list levels = open_levels();
    aic_spec spec;
    for (uint64_t seed = 0; seed < RANDOM_SPECS; seed++) {
        ck_assert_int_eq(aic_spec_draw((aic_op)_i, NULL, seed, &spec), AIC_OK);
        check_random(&spec, &levels, seed);
        if (aic_spec_draw_chain((aic_op)_i, AIC_OP_NONE, NULL, seed, &spec) == AIC_OK) {
            check_random(&spec, &levels, seed);
        }
    }
    close_levels(&levels);
}
END_TEST

Suite *suite_kernels(void)
{
    Suite *suite = suite_create("kernels");
    TCase *levels = tcase_create("levels");
    (void)glob(AIC_TEST_DATA "/corpus/*.txt", 0, NULL, &files);
    tcase_set_timeout(levels, 1800); /* sanitizers are slow */
    tcase_add_loop_test(levels, corpus, 0, (int)files.gl_pathc);
    tcase_add_loop_test(levels, random_specs, AIC_OP_NONE + 1, AIC_OP_END);
    suite_add_tcase(suite, levels);
    return suite;
}
