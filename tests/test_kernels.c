/* Generated kernels against the reference: the corpus over every instruction set level of the host and every
 * candidate schedule, plain and packed, operands between guard pages; and a stretch of pseudo-random convolutions. */
#include "tools/harness/verify.h"

#include <aic/aic.h>
#include <check.h>
#include <stdio.h>
#include <string.h>

Suite *suite_kernels(void);

enum { LINE_MAX_BYTES = 512, RANDOM_SPECS = 40 };

/* Context of the level in this test's turn; NULL when the host lacks it. */
static aic_context *open_level(int index)
{
    const char *name = aic_isa_name((size_t)index);
    aic_context_options options = aic_context_options_init();
    aic_context *context = NULL;
    options.isa = name;
    if (aic_isa_check(name) != AIC_OK) {
        printf("%s: this host cannot run it, not checked natively\n", name);
        return NULL;
    }
    ck_assert_int_eq(aic_context_create(&options, &context), AIC_OK);
    return context;
}

static const aic_semantics document = {.limits = AIC_LIMITS_DOCUMENT};

static void check_one(const aic_spec *spec, aic_context *context, const char *schedule, uint64_t seed)
{
    char text[LINE_MAX_BYTES];
    verify_report report;
    ck_assert_int_eq(aic_spec_print(spec, text, sizeof text, NULL), AIC_OK);
    verify_verdict verdict = verify_spec(spec, &document, seed, context, schedule, &report);
    ck_assert_msg(verdict == VERIFY_PASSED, "%s %s %s: %s", aic_context_isa(context), text,
                  schedule ? schedule : "default schedule", report.text);
}

static void check_candidates(const aic_spec *spec, aic_context *context, uint64_t seed)
{
    char schedule[LINE_MAX_BYTES];
    size_t count = 0;
    while (aic_schedule_candidate(context, spec, count, schedule, sizeof schedule) == AIC_OK) {
        check_one(spec, context, schedule, seed + count);
        count++;
    }
    ck_assert_uint_gt(count, 0);
}

START_TEST(corpus)
{
    aic_context *context = open_level(_i);
    FILE *file = fopen(AIC_TEST_DATA "/corpus/conv2d.txt", "r");
    ck_assert_ptr_nonnull(file);
    char line[LINE_MAX_BYTES];
    uint64_t seed = 0;
    while (context != NULL && fgets(line, sizeof line, file) != NULL) {
        aic_spec spec;
        line[strcspn(line, "\n")] = '\0';
        if (line[0] == '#' || line[0] == '\0') {
            continue;
        }
        ck_assert_msg(aic_spec_parse(line, &spec) == AIC_OK, "%s: %s", line, aic_last_error());
        ck_assert_msg(aic_spec_validate(&spec, &document) == AIC_OK, "%s: %s", line, aic_last_error());
        check_candidates(&spec, context, seed += 100);
    }
    fclose(file);
    aic_context_destroy(context);
}
END_TEST

START_TEST(random_specs)
{
    aic_context *context = open_level(_i);
    for (uint64_t seed = 0; context != NULL && seed < RANDOM_SPECS; seed++) {
        aic_spec spec;
        ck_assert_int_eq(aic_spec_random(AIC_OP_NONE, seed, &spec), AIC_OK);
        check_one(&spec, context, NULL, seed);
    }
    aic_context_destroy(context);
}
END_TEST

Suite *suite_kernels(void)
{
    Suite *suite = suite_create("kernels");
    TCase *levels = tcase_create("levels");
    int count = 0;
    while (aic_isa_name((size_t)count) != NULL) {
        count++;
    }
    tcase_set_timeout(levels, 600); /* sanitizers are slow */
    tcase_add_loop_test(levels, corpus, 0, count);
    tcase_add_loop_test(levels, random_specs, 0, count);
    suite_add_tcase(suite, levels);
    return suite;
}
