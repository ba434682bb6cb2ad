/* The golden file of each profile, tests/golden/profile_NAME.txt, which NumPy has made (tests/golden/profiles.py):
 * against the reference, and against kernels at every level where they have the readings. */
#include "frontend/core/stage.h"
#include "tests/levels.h"
#include "tests/specs.h"
#include "tools/harness/element.h"

#include <aic/aic.h>
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef AIC_TEST_DATA
#define AIC_TEST_DATA "tests"
#endif

Suite *suite_profiles(void);

static const char *const files[] = {"document", "simulator", "script", "library", "others"};
enum { FILES = sizeof files / sizeof files[0], SPECS = 23, OTHERS = 6, OTHER_SPECS = 14, LINE = 1 << 16 };

/* An operator of a file: its operands in calling order, the result first, and what is expected of that. */
typedef struct golden {
    aic_spec spec;
    aic_semantics semantics;
    aic_operand operand[AIC_OPERANDS_MAX];
    size_t count, given; /* operands; of which the file has given so many */
    void *content[AIC_OPERANDS_MAX];
} golden;

static void close_golden(golden *g)
{
    for (size_t i = 0; i < g->count; i++) {
        free(g->content[i]);
    }
    g->count = 0;
}

/* Elements as hexadecimal numbers, just as many as the operand has. */
static void read_bits(const char *text, const aic_operand *operand, void *to)
{
    const size_t size = aic_dtype_size(operand->dtype);
    for (int64_t i = 0; i < operand->elements; i++) {
        char *end = NULL;
        const uint64_t bits = strtoull(text, &end, 16);
        ck_assert_msg(end != text, "%s has fewer than %lld elements", operand->name, (long long)operand->elements);
        memcpy((unsigned char *)to + (size_t)i * size, &bits, size); /* little-endian */
        text = end;
    }
    ck_assert_msg(strspn(text, " \n") == strlen(text), "%s has more elements", operand->name);
}

static void open_golden(golden *g, const char *text)
{
    close_golden(g);
    g->spec = spec_of(text);
    ck_assert_int_eq(aic_spec_operands(&g->spec, &g->semantics, g->operand, &g->count), AIC_OK);
    g->given = 1;
    for (size_t i = 0; i < g->count; i++) {
        const bool used = g->operand[i].direction != AIC_DIRECTION_UNUSED;
        g->content[i] = used ? calloc(1, (size_t)g->operand[i].bytes + 1) : NULL;
    }
}

static void check_result(const golden *g, const void *result, const void *expected, const char *who)
{
    const aic_operand *o = &g->operand[0];
    const size_t size = aic_dtype_size(o->dtype);
    char text[512] = "";
    (void)aic_spec_print(&g->spec, text, sizeof text, NULL);
    for (int64_t i = 0; i < o->elements; i++) {
        const unsigned char *a = (const unsigned char *)result + (size_t)i * size;
        const unsigned char *b = (const unsigned char *)expected + (size_t)i * size;
        char got[ELEMENT_TEXT_MAX], wanted[ELEMENT_TEXT_MAX];
        element_text(o->dtype, a, got);
        element_text(o->dtype, b, wanted);
        ck_assert_msg(element_equal(o->dtype, a, b), "%s: element %lld of %s is %s, not %s", who, (long long)i, text,
                      got, wanted);
    }
}

static size_t run_kernels(golden *g, void *pointers[], const void *expected)
{
    const size_t bytes = (size_t)g->operand[0].bytes;
    if (aic_spec_check_choices(&g->spec, &g->semantics) != AIC_OK) {
        return 0;
    }
    for (int level = 0; level < levels_count(); level++) {
        aic_context_options options = aic_context_options_init();
        aic_context *context = NULL;
        aic_kernel *kernel = NULL;
        options.isa = levels_name(level);
        options.semantics = g->semantics;
        ck_assert_int_eq(aic_context_create(&options, &context), AIC_OK);
        ck_assert_msg(aic_kernel_create(context, &g->spec, NULL, &kernel) == AIC_OK, "%s", aic_last_error());
        memcpy(pointers[0], g->content[0], bytes);
        ck_assert_msg(aic_kernel_call(kernel, pointers, g->count) == AIC_OK, "%s", aic_last_error());
        check_result(g, pointers[0], expected, options.isa);
        aic_kernel_destroy(kernel);
        aic_context_destroy(context);
    }
    return 1;
}

/* Returns how many kernels there are of it. */
static size_t check_golden(golden *g, const char *expected_text)
{
    const size_t bytes = (size_t)g->operand[0].bytes;
    void *expected = malloc(bytes), *result = malloc(bytes), *pointers[AIC_OPERANDS_MAX];
    ck_assert_uint_eq(g->given, g->count - (g->operand[g->count - 1].direction == AIC_DIRECTION_UNUSED));
    read_bits(expected_text, &g->operand[0], expected);
    memcpy(pointers, g->content, sizeof pointers);
    pointers[0] = result;
    memcpy(result, g->content[0], bytes);
    run_reference(&g->spec, &g->semantics, pointers, g->count);
    check_result(g, result, expected, "the reference");
    const size_t kernels = run_kernels(g, pointers, expected);
    free(expected);
    free(result);
    return kernels;
}

/* A line that says whose readings: those of a profile, or the documents' and one other. */
static void read_readings(const char *kind, char *text, aic_semantics *semantics)
{
    *semantics = aic_semantics_init();
    char *value = strchr(text, '=');
    if (strcmp(kind, "profile") == 0) {
        ck_assert_int_eq(aic_semantics_apply_profile(semantics, text), AIC_OK);
        return;
    }
    ck_assert_ptr_nonnull(value);
    *value = '\0';
    ck_assert_int_eq(aic_semantics_choose(semantics, text, value + 1), AIC_OK);
}

/* All operators of a file, and kernels of a third at least. */
START_TEST(golden_file)
{
    char path[512], kind[16];
    static char line[LINE];
    golden g = {.count = 0};
    size_t readings = 0, specs = 0, kernels = 0;
    int at = 0;
    snprintf(path, sizeof path, "%s/golden/profile_%s.txt", AIC_TEST_DATA, files[_i]);
    FILE *in = fopen(path, "r");
    ck_assert_msg(in != NULL, "%s cannot be read", path);
    while (fgets(line, sizeof line, in) != NULL) {
        ck_assert_msg(sscanf(line, "%15s %n", kind, &at) == 1 && strchr(line, '\n') != NULL, "%s: a line", path);
        line[strcspn(line, "\n")] = '\0';
        if (strcmp(kind, "profile") == 0 || strcmp(kind, "choice") == 0) {
            read_readings(kind, line + at, &g.semantics);
            readings++;
        } else if (strcmp(kind, "spec") == 0) {
            open_golden(&g, line + at);
            specs++;
        } else if (strcmp(kind, "expect") == 0) {
            kernels += check_golden(&g, line + at);
        } else {
            const size_t number = strcmp(kind, "old") == 0 ? 0 : g.given++;
            ck_assert_uint_lt(number, g.count);
            read_bits(line + at, &g.operand[number], g.content[number]);
        }
    }
    fclose(in);
    close_golden(&g);
    ck_assert_uint_eq(readings, _i < FILES - 1 ? 1 : OTHERS);
    ck_assert_uint_eq(specs, _i < FILES - 1 ? SPECS : OTHER_SPECS);
    ck_assert_uint_gt(kernels, specs / 3);
}
END_TEST

START_TEST(profiles_have_files)
{
    const aic_profile *profile;
    size_t i = 0;
    while ((profile = aic_profile_at(i)) != NULL) {
        ck_assert_uint_lt(i, FILES);
        ck_assert_str_eq(profile->name, files[i++]);
    }
    ck_assert_uint_eq(i, FILES - 1);
}
END_TEST

/* Of each profile what differs from the documents. */
START_TEST(readings_of_profiles)
{
    static const char *const rows[][2] = {
        {"document", ""},
        {"simulator",
         "sum=sequential, offset_sign=unsigned, scale_bits=full, offset_clamp=none, relu=after, mat_valid=valid"},
        {"script", "offset_sign=unsigned, n_field=bare, shift=nearest"},
        {"library", "rounding=half_up"},
    };
    enum { ROWS = sizeof rows / sizeof rows[0] };
    for (size_t i = 0; i < ROWS; i++) {
        char text[512];
        aic_semantics semantics = aic_semantics_init();
        ck_assert_str_eq(aic_profile_at(i)->name, rows[i][0]);
        semantics.lanes = 7; /* no choice: stays */
        semantics.mac = AIC_MAC_FUSED;
        ck_assert_int_eq(aic_semantics_apply_profile(&semantics, rows[i][0]), AIC_OK);
        ck_assert_int_eq(aic_semantics_print_choices(&semantics, text, sizeof text, NULL), AIC_OK);
        ck_assert_str_eq(text, rows[i][1]);
        ck_assert_int_eq(semantics.lanes, 7);
    }
    ck_assert_ptr_null(aic_profile_at(ROWS));
}
END_TEST

Suite *suite_profiles(void)
{
    Suite *suite = suite_create("profiles");
    TCase *tcase = tcase_create("profiles");
    tcase_set_timeout(tcase, 300);
    tcase_add_test(tcase, readings_of_profiles);
    tcase_add_test(tcase, profiles_have_files);
    tcase_add_loop_test(tcase, golden_file, 0, FILES);
    suite_add_tcase(suite, tcase);
    return suite;
}
