/* Choices (aic/choices.def) and profiles: by name, in the reference by hand-made rows, for which operators each
 * matters, and what kernels refuse (test_choice_kernels.c: what kernels compute). test_trace.c holds traces against the
 * reference under random choices. */
#include "frontend/core/spec.h"
#include "tests/choice_case.h"
#include "tests/levels.h"
#include "tests/specs.h"
#include "tools/harness/verify.h"

#include <aic/aic.h>
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Suite *suite_choices(void);

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

enum { TEXT_MAX = 512 };

/* ---- by name ---- */

START_TEST(readings_belong_to_choices)
{
    const aic_choice *choice;
    const aic_reading *reading;
    size_t used = 0;
    for (size_t c = 0; (choice = aic_choice_at(c)) != NULL; c++) {
        size_t values = 0;
        for (size_t r = 0; (reading = aic_reading_at(r)) != NULL; r++) {
            aic_semantics semantics = aic_semantics_init();
            if (strcmp(reading->key, choice->key) == 0) {
                if (values++ == 0) {
                    ck_assert_str_eq(aic_semantics_choice(&semantics, choice->key), reading->value);
                }
                ck_assert_int_eq(aic_semantics_choose(&semantics, choice->key, reading->value), AIC_OK);
                ck_assert_str_eq(aic_semantics_choice(&semantics, choice->key), reading->value);
                ck_assert_int_eq(aic_semantics_check(&semantics), AIC_OK);
                used++;
            }
        }
        ck_assert_uint_ge(values, 2);
    }
    ck_assert_ptr_nonnull(aic_reading_at(used - 1));
    ck_assert_ptr_null(aic_reading_at(used)); /* none is of another key */
}
END_TEST

START_TEST(wrong_names)
{
    aic_semantics semantics = aic_semantics_init();
    const aic_semantics before = semantics;
    static const char *const rows[][3] = {
        {"lanes", "1",
         "choice: \"lanes\" is none of sum, int_overflow, offset_sign, n_field, shift, scale_bits, offset_clamp, "
         "relu, relu_zero, overflow, rounding, mac, minmax_nan, mat_valid"},
        {"mac", "three", "choice: mac: \"three\" is not two or fused"},
        {"sum", "", "choice: sum: \"\" is not block, sequential or exact"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        ck_assert_int_eq(aic_semantics_choose(&semantics, rows[i][0], rows[i][1]), AIC_INVALID_ARGUMENT);
        ck_assert_str_eq(aic_last_error(), rows[i][2]);
    }
    ck_assert_int_eq(aic_semantics_apply_profile(&semantics, "docs"), AIC_INVALID_ARGUMENT);
    ck_assert_str_eq(aic_last_error(), "profile: \"docs\" is none of document, simulator, script, library");
    ck_assert_mem_eq(&semantics, &before, sizeof before);
    ck_assert_int_eq(aic_semantics_choose(NULL, "mac", "two"), AIC_INVALID_ARGUMENT);
    ck_assert_int_eq(aic_semantics_choose(&semantics, NULL, "two"), AIC_INVALID_ARGUMENT);
    ck_assert_int_eq(aic_semantics_apply_profile(&semantics, NULL), AIC_INVALID_ARGUMENT);
    ck_assert_ptr_null(aic_semantics_choice(&semantics, "lanes"));
}
END_TEST

/* What a program has put into the structure is shown, whatever it is. */
START_TEST(values_without_a_name)
{
    aic_semantics semantics = aic_semantics_init();
    char text[128];
    semantics.mac = AIC_MAC_FUSED;
    semantics.rounding = (aic_rounding)99;
    ck_assert_int_eq(aic_semantics_print_choices(&semantics, text, sizeof text, NULL), AIC_OK);
    ck_assert_str_eq(text, "rounding=?, mac=fused");
    ck_assert_ptr_null(aic_semantics_choice(&semantics, "rounding"));
}
END_TEST

/* ---- the reference ---- */

#define FIX "fixpipe(format=ROW_MAJOR, nSize=1, mSize=1, srcStride=1, dstStride=1, "
#define REQ8 FIX "src=int32, dst=int8, quantPre=REQ8, "
#define QF FIX "src=float32, dst=int8, quantPre=QF322B8_PRE, "

/* One element through fixpipe: the byte or half that comes of it by default, and with the choice. */
static const struct {
    const char *key, *value, *text;
    double source;
    int expected[2];
} elements[] = {
    /* offset field 0x1FD: -3, or 509; 10 * 0.5 + offset, clamped to int8 */
    {"offset_sign", "unsigned", REQ8 "deqScalar=0x7FA03F000000)", 10, {2, 127}},
    {"offset_sign", "unsigned", REQ8 "deqScalar=0x40003F000000)", 10, {5, 5}},
    /* field 3: 1000 >> 4 = 62, * 0.25 = 15.5, to 16; 1000 >> 3 = 125, 31.25 */
    {"n_field", "bare", REQ8 "deqScalar=0x40133E800000)", 1000, {16, 31}},
    /* field 0: >> 1; not shifted, but clamped to int16 all the same: 70000 becomes 32767, * 2^-10 is 31.999 */
    {"n_field", "bare", REQ8 "deqScalar=0x40103A800000)", 70000, {32, 32}},
    {"n_field", "bare", REQ8 "deqScalar=0x401039800000)", 70000, {8, 8}},
    /* >> 4: -1 rounds down to -1, * 1; to nearest 0. 24 / 16 = 1.5: 1, or 2; 40 / 16 = 2.5: 2, tie to even */
    {"shift", "nearest", REQ8 "deqScalar=0x40133F800000)", -1, {-1, 0}},
    {"shift", "nearest", REQ8 "deqScalar=0x40133F800000)", 24, {1, 2}},
    {"shift", "nearest", REQ8 "deqScalar=0x40133F800000)", 40, {2, 2}},
    {"shift", "nearest", REQ8 "deqScalar=0x40133F800000)", -40, {-3, -2}},
    /* 0.3f is 0.2998046875 without its 13 lowest bits: 335 * 0.29980 = 100.43; * 0.3 = 100.50 */
    {"scale_bits", "full", REQ8 "deqScalar=0x40003E99999A)", 335, {100, 101}},
    /* 1000 with offset -200: 255 - 200 = 55, or 800, clamped; NaN is 0 with either */
    {"offset_clamp", "none", REQ8 "deqScalar=0x67003F800000)", 1000, {55, 127}},
    {"offset_clamp", "none", QF "deqScalar=0x67003F800000)", INFINITY, {55, 127}},
    {"offset_clamp", "none", QF "deqScalar=0x41403F800000)", -INFINITY, {-128, -128}},
    {"offset_clamp", "none", QF "deqScalar=0x41403F800000)", NAN, {10, 10}},
    /* scale -1: 5 is positive, -5 is not; scaled, -5 is not positive, 5 is */
    {"relu", "after", REQ8 "deqScalar=0x4000BF800000, reluEn=true)", 5, {-5, 0}},
    {"relu", "after", REQ8 "deqScalar=0x4000BF800000, reluEn=true)", -5, {0, 5}},
    {"relu", "after", REQ8 "deqScalar=0x40003F800000, reluEn=true)", -5, {0, 0}},
    /* halves: -0 of a negative float, NaN (with saturation 0) of -infinity */
    {"relu_zero", "product", FIX "src=float32, dst=float16, quantPre=F322F16, reluEn=true)", -2, {0, 0x8000}},
    {"relu_zero", "product", FIX "src=float32, dst=float16, quantPre=F322F16, reluEn=true)", -INFINITY, {0, 0}},
    {"relu_zero", "product", FIX "src=float32, dst=float16, quantPre=F322F16, reluEn=true)", 1, {0x3C00, 0x3C00}},
    {"relu_zero",
     "product",
     FIX "src=int32, dst=float16, quantPre=DEQF16, deqScalar=0x3F800000, reluEn=true)",
     -2,
     {0, 0}},
};

START_TEST(fixpipe_elements)
{
    const aic_spec spec = spec_of(elements[_i].text);
    const aic_dtype src = spec.stage[0].desc.fixpipe.src, dst = spec.stage[0].desc.fixpipe.dst;
    const aic_semantics both[] = {aic_semantics_init(), choice_made(elements[_i].key, elements[_i].value)};
    for (size_t i = 0; i < 2; i++) {
        int32_t integer = src == AIC_INT32 ? (int32_t)elements[_i].source : 0;
        float number = (float)elements[_i].source;
        uint16_t result = 0;
        void *operands[] = {&result, src == AIC_INT32 ? (void *)&integer : (void *)&number, NULL};
        run_reference(&spec, &both[i], operands, 3);
        ck_assert_int_eq(dst == AIC_INT8 ? (int8_t)result : (int)result, elements[_i].expected[i]);
    }
}
END_TEST

/* 1, eight times 2^-24, -1. Halves are one block, 2^-21. Of floats 1 + 7 * 2^-24 are a block, which is rounded to
 * 1 + 2^-21, ties to even; the second one adds 2^-24 - 1. One by one every 2^-24 is lost. */
START_TEST(sums_of_floats)
{
    static const char *const models[] = {"block", "sequential", "exact"};
    static const float expected[2][3] = {{0x1p-21F, 0, 0x1p-21F}, {0x1p-21F + 0x1p-24F, 0, 0x1p-21F}};
    for (int32_t format = 0; format < 2; format++) { /* half: a block of 16; float: of 8 */
        const aic_spec spec =
            spec_of(format == 0 ? "mmad(dtype=float16, m=1, k=10, n=1)" : "mmad(dtype=float32, m=1, k=10, n=1)");
        uint16_t half[2][10];
        float single[2][10];
        for (int i = 0; i < 10; i++) {
            half[0][i] = i == 0 ? 0x3C00 : i == 9 ? 0xBC00 : 0x0C00; /* 1, 2^-12 ..., -1 */
            half[1][i] = i == 0 || i == 9 ? 0x3C00 : 0x0C00;
            single[0][i] = i == 0 ? 1 : i == 9 ? -1 : 0x1p-12F;
            single[1][i] = i == 0 || i == 9 ? 1 : 0x1p-12F;
        }
        for (size_t m = 0; m < COUNT(models); m++) {
            const aic_semantics semantics = choice_made("sum", models[m]);
            float c = NAN;
            void *operands[] = {&c, format == 0 ? (void *)half[0] : (void *)single[0],
                                format == 0 ? (void *)half[1] : (void *)single[1]};
            run_reference(&spec, &semantics, operands, 3);
            ck_assert_float_eq(c, expected[format][m]);
        }
    }
}
END_TEST

START_TEST(sums_of_integers)
{
    const aic_spec spec = spec_of("mmad(dtype=int8, m=1, k=2, n=1, init_c=false)");
    int8_t a[] = {1, 127}, b[] = {1, 127};
    static const struct {
        const char *value;
        int32_t old, expected;
    } rows[] = {{"clamp", INT32_MAX, INT32_MAX},
                {"wrap", INT32_MAX, INT32_MIN + 16129},
                {"wrap", INT32_MAX - 16130, INT32_MAX}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        const aic_semantics semantics = choice_made("int_overflow", rows[i].value);
        int32_t c = rows[i].old;
        void *operands[] = {&c, a, b};
        run_reference(&spec, &semantics, operands, 3);
        ck_assert_int_eq(c, rows[i].expected);
    }
}
END_TEST

START_TEST(arithmetic)
{
    /* (1 + 2^-23)^2 - 1 = 2^-22 + 2^-46: the product rounds to 1 + 2^-22. */
    static const struct {
        const char *key, *value, *op;
        float a, b, old, expected[2];
    } rows[] = {
        {"mac", "fused", "BM_MAC", 1 + 0x1p-23F, 1 + 0x1p-23F, -1, {0x1p-22F, 0x1p-22F + 0x1p-46F}},
        {"minmax_nan", "number", "BM_MAX", NAN, -3, 0, {NAN, -3}},
        {"minmax_nan", "number", "BM_MIN", -3, NAN, 0, {NAN, -3}},
        {"minmax_nan", "number", "BM_MIN", NAN, NAN, 0, {NAN, NAN}},
        {"minmax_nan", "number", "BM_MAX", -0.0F, 0, 5, {0, 0}},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        char text[TEXT_MAX];
        snprintf(text, sizeof text, "tensor_arithmetic(op=%s, shape=[1,1,1,1])", rows[i].op);
        const aic_spec spec = spec_of(text);
        const aic_semantics both[] = {aic_semantics_init(), choice_made(rows[i].key, rows[i].value)};
        for (size_t s = 0; s < 2; s++) {
            float a = rows[i].a, b = rows[i].b, result = rows[i].old;
            void *operands[] = {&result, &a, &b};
            run_reference(&spec, &both[s], operands, 3);
            ck_assert(isnan(rows[i].expected[s]) ? isnan(result) : result == rows[i].expected[s]);
            ck_assert_int_eq(isnan(result) || !signbit(result), isnan(result) || !signbit(rows[i].expected[s]));
        }
    }
}
END_TEST

START_TEST(mat_tiles)
{
    const char *text = "texpands(arch=A5, loc=mat, dtype=float16, rows=16, cols=16, v_row=3, v_col=5)";
    const aic_spec spec = spec_of(text);
    for (int valid = 0; valid < 2; valid++) {
        const aic_semantics semantics = choice_made("mat_valid", valid != 0 ? "valid" : "whole");
        uint16_t dst[256] = {0}, scalar = 7;
        void *operands[] = {dst, &scalar};
        run_reference(&spec, &semantics, operands, 2);
        for (int i = 0; i < 256; i++) {
            ck_assert_uint_eq(dst[i], valid == 0 || (i / 16 < 3 && i % 16 < 5) ? 7 : 0);
        }
        aic_operand operand[AIC_OPERANDS_MAX];
        size_t count;
        ck_assert_int_eq(aic_spec_operands(&spec, &semantics, operand, &count), AIC_OK);
        ck_assert_int_eq(operand[0].direction, valid != 0 ? AIC_DIRECTION_INOUT : AIC_DIRECTION_OUT);
    }
    const aic_semantics valid = choice_made("mat_valid", "valid");
    aic_spec wrong = spec;
    wrong.stage[0].desc.texpands.v_row = 17;
    ck_assert_int_eq(aic_spec_validate(&wrong, &valid), AIC_INVALID_ARGUMENT);
    ck_assert_int_eq(aic_spec_validate(&wrong, NULL), AIC_OK);
    wrong.stage[0].desc.texpands.v_row = AIC_DYNAMIC;
    ck_assert_int_eq(aic_spec_validate(&wrong, &valid), AIC_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(aic_last_error(), "texpands: v_row: a size that the call gives"));
    wrong.stage[0].desc.texpands.v_row = 3;
    wrong.stage[0].desc.texpands.v_col = AIC_DYNAMIC;
    ck_assert_int_eq(aic_spec_validate(&wrong, &valid), AIC_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(aic_last_error(), "texpands: v_col: a size that the call gives"));
}
END_TEST

/* Full scales may be subnormal where cut ones are 0. */
START_TEST(scales_are_checked_as_they_are_read)
{
    const aic_semantics full = choice_made("scale_bits", "full");
    const aic_spec spec = spec_of(REQ8 "deqScalar=0x400000000001)");
    ck_assert_int_eq(aic_spec_validate(&spec, NULL), AIC_OK);
    ck_assert_int_eq(aic_spec_validate(&spec, &full), AIC_INVALID_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(aic_last_error(), "subnormal"));
}
END_TEST

/* ---- what a choice matters for ---- */

/* A choice that does not matter changes no bit, and its kernel is made; of one that matters kernels have it or refuse
 * it by name. */
static void check_reading(const verify_case *c, const aic_reading *reading, const void *expected)
{
    bool matters;
    const aic_semantics semantics = choice_made(reading->key, reading->value), defaults = aic_semantics_init();
    if (aic_spec_validate(c->spec, &semantics) != AIC_OK) {
        return; /* a full scale that is subnormal */
    }
    ck_assert_int_eq(aic_spec_choice_matters(c->spec, &semantics, reading->key, &matters), AIC_OK);
    if (!matters) {
        void *result = choice_result(c, &semantics);
        ck_assert_mem_eq(result, expected, (size_t)c->operand[c->output].bytes);
        free(result);
    }
    const bool have =
        choice_in_kernels(reading->key) || strcmp(aic_semantics_choice(&defaults, reading->key), reading->value) == 0;
    aic_spec canonical;
    const aic_status status = aic_spec_resolve_kernel(c->spec, &semantics, &canonical);
    ck_assert_int_eq(status, matters && !have ? AIC_UNSUPPORTED : AIC_OK);
    if (status != AIC_OK) {
        char text[TEXT_MAX];
        snprintf(text, sizeof text, "only the reference computes %s=%s", reading->key, reading->value);
        ck_assert_ptr_nonnull(strstr(aic_last_error(), text));
    }
}

START_TEST(matters)
{
    enum { SEEDS = 10, CAMPAIGN_SEEDS = 40 }; /* times 30 readings, a run of the reference each */
    const uint64_t seeds = levels_campaign() > 0 ? CAMPAIGN_SEEDS : SEEDS;
    for (uint64_t seed = 0; seed < seeds; seed++) {
        aic_spec spec;
        verify_case c;
        verify_report report;
        const aic_semantics defaults = aic_semantics_init();
        const aic_op producer = seed % 2 == 0 ? AIC_OP_CONV2D : AIC_OP_MMAD;
        const aic_status drawn = _i < AIC_OP_END ? aic_spec_draw((aic_op)_i, NULL, seed, &spec)
                                                 : aic_spec_draw_chain(producer, AIC_OP_FIXPIPE, NULL, seed, &spec);
        ck_assert_int_eq(drawn, AIC_OK);
        if (!aic_spec_exact(&spec)) {
            continue;
        }
        ck_assert_msg(verify_open(&c, &spec, &defaults, seed, &report) == VERIFY_PASSED, "%s", report.text);
        const aic_reading *reading;
        for (size_t r = 0; (reading = aic_reading_at(r)) != NULL; r++) {
            check_reading(&c, reading, c.expected.data);
        }
        verify_close(&c);
    }
}
END_TEST

/* Contexts under a choice: kernels of operators that do not depend on it, and a refusal of the others. */
/* Rounding matters for a product that is shifted, and for nothing else of its operator. */
START_TEST(products_that_are_not_shifted)
{
    static const struct {
        const char *rest;
        bool matters;
    } rows[] = {{"op=BM_MUL, rshift_bit=1", true},
                {"op=BM_MUL, rshift_bit=0", false},
                {"op=BM_MAC, rshift_bit=0, output_8bit=false", false},
                {"op=BM_ADD, rshift_bit=1", false}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        char text[160];
        bool result = !rows[i].matters;
        snprintf(text, sizeof text, "tensor_arithmetic_quantized(shape=[4,1,1,4], %s)", rows[i].rest);
        const aic_spec spec = spec_of(text);
        ck_assert_msg(aic_spec_choice_matters(&spec, NULL, "rounding", &result) == AIC_OK, "%s", aic_last_error());
        ck_assert_msg(result == rows[i].matters, "%s", text);
    }
}
END_TEST

START_TEST(contexts)
{
    aic_context_options options = aic_context_options_init();
    aic_context *context = NULL;
    options.semantics = choice_made("relu_zero", "product");
    ck_assert_int_eq(aic_context_create(&options, &context), AIC_OK);
    aic_kernel *kernel = NULL;
    aic_spec spec = spec_of(REQ8 "deqScalar=0x4000BF800000, reluEn=true)");
    ck_assert_int_eq(aic_kernel_create(context, &spec, NULL, &kernel), AIC_OK);
    aic_kernel_destroy(kernel);
    kernel = NULL;
    spec = spec_of(FIX "src=float32, dst=float16, quantPre=F322F16, reluEn=true)");
    ck_assert_int_eq(aic_kernel_create(context, &spec, NULL, &kernel), AIC_UNSUPPORTED);
    ck_assert_str_eq(aic_last_error(), "fixpipe: only the reference computes relu_zero=product");
    ck_assert_ptr_null(kernel);
    aic_context_destroy(context);
}
END_TEST

Suite *suite_choices(void)
{
    Suite *suite = suite_create("choices");
    TCase *tcase = tcase_create("choices");
    tcase_set_timeout(tcase, 300);
    tcase_add_test(tcase, readings_belong_to_choices);
    tcase_add_test(tcase, wrong_names);
    tcase_add_test(tcase, values_without_a_name);
    tcase_add_test(tcase, products_that_are_not_shifted);
    tcase_add_loop_test(tcase, fixpipe_elements, 0, COUNT(elements));
    tcase_add_test(tcase, sums_of_floats);
    tcase_add_test(tcase, sums_of_integers);
    tcase_add_test(tcase, arithmetic);
    tcase_add_test(tcase, mat_tiles);
    tcase_add_test(tcase, scales_are_checked_as_they_are_read);
    tcase_add_loop_test(tcase, matters, AIC_OP_NONE + 1, AIC_OP_END + 1);
    tcase_add_test(tcase, contexts);
    suite_add_tcase(suite, tcase);
    return suite;
}
