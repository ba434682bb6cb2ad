/* conv2d's reference: the document's worked examples, the vendor's printed numbers, and the cases in which it must
 * not do the obvious. */
#include "frontend/core/stage.h"
#include "frontend/numeric/element.h"
#include "frontend/random/rng.h"
#include "tests/claims.h"
#include "tests/golden.h"
#include "tests/specs.h"

#include <aic/aic.h>
#include <check.h>
#include <fenv.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

Suite *suite_reference(void);

static aic_spec parse(const char *text)
{
    aic_spec spec;
    ck_assert_msg(aic_spec_read(text, &spec) == AIC_OK, "%s", aic_last_error());
    return spec;
}

static void run(const aic_spec *spec, void *dst, const void *feature_map, const void *weight)
{
    void *operands[] = {dst, (void *)(uintptr_t)feature_map, (void *)(uintptr_t)weight};
    ck_assert_msg(aic_reference(spec, NULL, operands, 3) == AIC_OK, "%s", aic_last_error());
}

static uint32_t float_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static void fill_halves(uint16_t *halves, size_t count, double value)
{
    for (size_t i = 0; i < count; i++) {
        halves[i] = aic_half_from_double(value);
    }
}

/* ---- E1: the vendor's float16 example ---- */

#define EX2 "conv2d(dtype=float16, fm_shape=[2,4,4,16], kernel_shape=[2,2,2,16,16], dilation=[2,2])"

enum { EX2_FEATURE_MAP = 2 * 4 * 4 * 16, EX2_WEIGHT = 2 * 2 * 2 * 16 * 16, EX2_VALUES = 4 * 16, EX2_DST = 16 * 16 };

static void ex2_block(const char *name, uint16_t *halves, size_t expected)
{
    size_t count = 0;
    uint64_t *bits = golden_read("conv2d_ex2.txt", name, &count);
    ck_assert_ptr_nonnull(bits);
    ck_assert_uint_eq(count, expected);
    const double step = aic_half_to_double(aic_half_from_double(0.01));
    for (size_t i = 0; i < count; i++) {
        halves[i] = (uint16_t)bits[i];
        ck_assert_uint_eq(halves[i], aic_half_from_double((double)i * step)); /* the file's formula */
    }
    free(bits);
}

static void ex2_inputs(uint16_t feature_map[EX2_FEATURE_MAP], uint16_t weight[EX2_WEIGHT])
{
    ex2_block("feature_map_bits", feature_map, EX2_FEATURE_MAP);
    ex2_block("weight_bits", weight, EX2_WEIGHT);
}

/* How many of the 64 printed values come out; *ulp gets the largest distance. */
static int ex2_matches(const float *dst, int64_t *ulp)
{
    size_t count = 0;
    uint64_t *printed = golden_read("conv2d_ex2.txt", "dst", &count);
    uint64_t *bits = golden_read("conv2d_ex2.txt", "dst_bits", &count);
    int matches = 0;
    *ulp = 0;
    ck_assert(printed && bits);
    ck_assert_uint_eq(count, EX2_VALUES);
    for (size_t i = 0; i < count; i++) {
        ck_assert_uint_eq(printed[i], bits[i]);
        const int64_t distance = llabs((int64_t)bits[i] - (int64_t)float_bits(dst[i]));
        matches += distance == 0;
        *ulp = distance > *ulp ? distance : *ulp;
    }
    free(printed);
    free(bits);
    return matches;
}

START_TEST(golden_float16_cube)
{
    uint16_t feature_map[EX2_FEATURE_MAP];
    uint16_t weight[EX2_WEIGHT];
    float dst[EX2_DST];
    int64_t ulp;
    memset(dst, 0x5A, sizeof dst);
    ex2_inputs(feature_map, weight);
    const aic_spec spec = parse(EX2);
    run(&spec, dst, feature_map, weight);
    ck_assert_int_eq(ex2_matches(dst, &ulp), 64);
    for (int i = EX2_VALUES; i < EX2_DST; i++) {
        ck_assert_uint_eq(float_bits(dst[i]), 0x5A5A5A5A); /* rows past howo */
    }
}
END_TEST

/* The golden file says of the exact sum rounded once: 53 of 64, one unit in the last place at most. */
START_TEST(golden_float16_fast)
{
    uint16_t feature_map[EX2_FEATURE_MAP];
    uint16_t weight[EX2_WEIGHT];
    float dst[EX2_DST];
    int64_t ulp;
    ex2_inputs(feature_map, weight);
    aic_spec spec = parse(EX2);
    spec.stage[0].desc.conv2d.accumulate = AIC_ACCUMULATE_FAST;
    run(&spec, dst, feature_map, weight);
    ck_assert_int_eq(ex2_matches(dst, &ulp), 53);
    ck_assert_int_eq(ulp, 1);
}
END_TEST

/* The trace of dst[0][0][0]: with the weights of later blocks zero, the accumulator stays as it is. */
START_TEST(trace_of_the_first_value)
{
    static const uint32_t acc_bits[8] = {0x3DFE08B1, 0x41869069, 0x430185F6, 0x43A8BC36,
                                         0x44412453, 0x44ACB2C7, 0x4512CD8E, 0x455F0BCC};
    uint16_t feature_map[EX2_FEATURE_MAP];
    uint16_t weight[EX2_WEIGHT];
    float dst[EX2_DST];
    const aic_spec spec = parse(EX2);
    for (int block = 0; block < 8; block++) {
        ex2_inputs(feature_map, weight);
        memset(weight + (block + 1) * 16 * 16, 0, (size_t)(7 - block) * 16 * 16 * sizeof weight[0]);
        run(&spec, dst, feature_map, weight);
        ck_assert_uint_eq(float_bits(dst[0]), acc_bits[block]);
    }
}
END_TEST

/* ---- E2, E3: padding and accumulation in int8 ---- */

#define E2 "conv2d(dtype=int8, fm_shape=[1,1,1,32], kernel_shape=[1,3,3,16,32], pad=[1,1,1,1], pad_value=-1)"

START_TEST(padding_and_accumulation)
{
    int8_t feature_map[32];
    int8_t weight[9 * 16 * 32];
    int32_t dst[16 * 16];
    memset(feature_map, 2, sizeof feature_map);
    memset(weight, 1, sizeof weight);
    for (int i = 0; i < 16 * 16; i++) {
        dst[i] = 1000 + i;
    }
    aic_spec spec = parse(E2);
    run(&spec, dst, feature_map, weight);
    for (int i = 0; i < 16 * 16; i++) {
        ck_assert_int_eq(dst[i], i < 16 ? -192 : 1000 + i);
    }
    spec.stage[0].desc.conv2d.init_l1out = false;
    run(&spec, dst, feature_map, weight);
    for (int i = 0; i < 16 * 16; i++) {
        ck_assert_int_eq(dst[i], i < 16 ? -384 : 1000 + i);
    }
}
END_TEST

/* ---- int8: positions, clamp ---- */

/* One product per output: which element of feature map and weight meet is the whole question. */
START_TEST(index_formulas)
{
    enum { C1 = 2, H = 5, W = 7, C0 = 32, KH = 2, KW = 3, COUT = 32 };
    static int8_t feature_map[C1 * H * W * C0];
    static int8_t weight[C1 * KH * KW * COUT * C0];
    static int32_t dst[2 * 16 * 16];
    const aic_spec spec = parse("conv2d(dtype=int8, fm_shape=[2,5,7,32], kernel_shape=[2,2,3,32,32], stride=[2,3], "
                                "pad=[1,2,0,3], dilation=[3,2])");
    const int ho_count = (5 + 0 + 3 - 4) / 2 + 1;
    const int wo_count = (7 + 1 + 2 - 5) / 3 + 1;
    uint64_t state = claims_seed(5);
    for (int n = 0; n < 300; n++) {
        const int c1 = (int)aic_rng_range(&state, 0, C1 - 1);
        const int kh = (int)aic_rng_range(&state, 0, KH - 1);
        const int kw = (int)aic_rng_range(&state, 0, KW - 1);
        const int co = (int)aic_rng_range(&state, 0, COUT - 1);
        const int c0 = (int)aic_rng_range(&state, 0, C0 - 1);
        const int h = (int)aic_rng_range(&state, 0, H - 1);
        const int w = (int)aic_rng_range(&state, 0, W - 1);
        memset(feature_map, 0, sizeof feature_map);
        memset(weight, 0, sizeof weight);
        feature_map[((c1 * H + h) * W + w) * C0 + c0] = 7;
        weight[(((c1 * KH + kh) * KW + kw) * COUT + co) * C0 + c0] = -11;
        run(&spec, dst, feature_map, weight);
        for (int out = 0; out < COUT; out++) {
            for (int p = 0; p < ho_count * wo_count; p++) {
                const bool meets =
                    out == co && p / wo_count * 2 + kh * 3 - 0 == h && p % wo_count * 3 + kw * 2 - 1 == w;
                ck_assert_int_eq(dst[out / 16 * 16 * 16 + p * 16 + out % 16], meets ? -77 : 0);
            }
        }
    }
}
END_TEST

/* The clamp acts once, on the exact sum with the old dst. */
START_TEST(int8_clamps_once)
{
    enum { K = 128 * 6 * 6 * 32 };
    aic_spec spec = parse("conv2d(dtype=int8, fm_shape=[128,6,6,32], kernel_shape=[128,6,6,16,32], init_l1out=false)");
    int8_t *feature_map = malloc(K);
    int8_t *weight = malloc((size_t)K * 16);
    int32_t dst[16 * 16] = {0};
    ck_assert(feature_map && weight);
    memset(feature_map, -128, K);
    memset(weight, -128, (size_t)K * 16);
    run(&spec, dst, feature_map, weight);
    ck_assert_int_eq(dst[0], INT32_MAX); /* 147456 * 16384 = 2415919104 */
    dst[0] = INT32_MIN;
    run(&spec, dst, feature_map, weight);
    ck_assert_int_eq(dst[0], 268435456); /* not clamped before the old value is added */
    memset(feature_map, 127, K);
    dst[0] = -1;
    run(&spec, dst, feature_map, weight);
    ck_assert_int_eq(dst[0], INT32_MIN);
    free(feature_map);
    free(weight);
}
END_TEST

/* ---- float16: blocks, padding, special values, rounding ---- */

/* C0 = 4: a block of 16 products holds four kernel positions. Ones added to 2^24 get lost one by one, not by twos. */
START_TEST(blocks_of_four_channels)
{
    static const struct {
        int first, second; /* kernel positions that hold a one */
        double expected;
    } rows[] = {{0, 3, 16777218.0}, {3, 4, 16777216.0}, {4, 5, 16777218.0}, {0, 4, 16777216.0}};
    const aic_spec spec =
        parse("conv2d(dtype=float16, fm_shape=[1,1,6,4], kernel_shape=[1,1,6,16,4], init_l1out=false)");
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        uint16_t feature_map[6 * 4];
        uint16_t weight[6 * 16 * 4] = {0};
        float dst[16 * 16];
        fill_halves(feature_map, 6 * 4, 1);
        for (int co = 0; co < 16; co++) {
            weight[(rows[r].first * 16 + co) * 4] = aic_half_from_double(1);
            weight[(rows[r].second * 16 + co) * 4 + 3] = aic_half_from_double(1);
            dst[co] = 16777216.0F;
        }
        run(&spec, dst, feature_map, weight);
        for (int co = 0; co < 16; co++) {
            ck_assert_msg((double)dst[co] == rows[r].expected, "row %zu: %a", r, (double)dst[co]);
        }
    }
}
END_TEST

/* One padding cell times a weight: pad_value is rounded once to half; -0 shows up only at an infinite weight. */
START_TEST(pad_value_and_special_values)
{
    static const struct {
        double pad_value, weight, expected;
    } rows[] = {
        {0.1, 1, 16 * 0.0999755859375},
        {65504, 0.5, 16 * 32752.0},
        {1e-300, 2, 0},
        {0, (double)INFINITY, (double)NAN},
        {-0.0, (double)INFINITY, (double)NAN},
        {1, (double)INFINITY, (double)INFINITY},
        {1, (double)NAN, (double)NAN},
        {5.9604644775390625e-08, 5.9604644775390625e-08, 16 * 0x1p-48},
    };
    for (int fast = 0; fast < 2; fast++) {
        aic_spec spec = parse("conv2d(dtype=float16, fm_shape=[1,1,1,16], kernel_shape=[1,1,2,16,16], pad=[1,0,0,0])");
        spec.stage[0].desc.conv2d.accumulate = fast ? AIC_ACCUMULATE_FAST : AIC_ACCUMULATE_CUBE;
        for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
            uint16_t feature_map[16] = {0};
            uint16_t weight[2 * 16 * 16] = {0};
            float dst[16 * 16];
            fill_halves(weight, 16 * 16, rows[r].weight);
            spec.stage[0].desc.conv2d.pad_value = rows[r].pad_value;
            run(&spec, dst, feature_map, weight);
            const double got = (double)dst[15];
            ck_assert_msg(isnan(rows[r].expected) ? isnan(got) : got == rows[r].expected, "row %zu: %a", r, got);
        }
    }
}
END_TEST

/* Exact sums that two roundings, to double and to float32, would get wrong; the products are a*a and b*b. */
START_TEST(fast_rounds_once)
{
    static const struct {
        double initial, a, b, sign_b;
        double expected;
    } rows[] = {
        {0x1p30, 8, 0x1p-24, 1, 0x1p30 + 128}, /* just above the middle: up */
        {0x1p30, 8, 0x1p-24, -1, 0x1p30},      /* just below: down */
        {0x1p30, 8, 0, 1, 0x1p30},             /* the middle: to even */
        {0x1p30 + 128, 8, 0, 1, 0x1p30 + 256}, /* the middle, odd below: to even */
        {0x1p30 + 128, 8, 0x1p-24, -1, 0x1p30 + 128},
        {-0x1p30, 8, 0x1p-24, 1, -0x1p30 + 64}, /* neighbours below 2^30 are 64 apart */
        {0x1p100, 8, 0x1p-24, 1, 0x1p100},
        {0x1p-140, 0x1p-24, 0, 1, 0x1p-48},
        {-0x1p12, 64, 0x1p-24, 1, 0x1p-48}, /* all but the last bit cancels */
    };
    const aic_spec spec = parse("conv2d(dtype=float16, fm_shape=[1,1,1,16], kernel_shape=[1,1,1,16,16], "
                                "init_l1out=false, accumulate=fast)");
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        uint16_t feature_map[16] = {0};
        uint16_t weight[16 * 16] = {0};
        float dst[16 * 16];
        feature_map[0] = weight[0] = aic_half_from_double(rows[r].a);
        feature_map[1] = aic_half_from_double(rows[r].b);
        weight[1] = aic_half_from_double(rows[r].sign_b * rows[r].b);
        dst[0] = (float)rows[r].initial;
        run(&spec, dst, feature_map, weight);
        ck_assert_msg((double)dst[0] == rows[r].expected, "row %zu: %a, not %a", r, (double)dst[0], rows[r].expected);
    }
}
END_TEST

START_TEST(bound_of_fast)
{
    enum { K = 2 * 16 };
    const char *text = "conv2d(dtype=float16, fm_shape=[1,2,3,16], kernel_shape=[1,1,2,16,16], init_l1out=false, "
                       "accumulate=fast)";
    uint16_t feature_map[2 * 3 * 16];
    uint16_t weight[2 * 16 * 16];
    float dst[16 * 16];
    double exact[16 * 16];
    double bound[16 * 16];
    void *operands[] = {dst, feature_map, weight};
    fill_halves(feature_map, 2 * 3 * 16, -0.5);
    fill_halves(weight, 2 * 16 * 16, 3);
    for (int i = 0; i < 16 * 16; i++) {
        dst[i] = (float)i;
    }
    const aic_spec spec = parse(text);
    ck_assert(!aic_spec_exact(&spec));
    ck_assert_int_eq(aic_reference_bound(&spec, NULL, operands, 3, exact, bound), AIC_OK);
    for (int i = 0; i < 16 * 16; i++) { /* howo = 4 */
        ck_assert(exact[i] == (i < 64 ? i - K * 1.5 : i));
        ck_assert(bound[i] == (i < 64 ? K * 0x1p-24 * (i + K * 1.5) : 0));
        ck_assert(dst[i] == (float)i);
    }
    aic_spec cube = spec;
    cube.stage[0].desc.conv2d.accumulate = AIC_ACCUMULATE_CUBE;
    ck_assert(aic_spec_exact(&cube));
    ck_assert_int_eq(aic_reference_bound(&cube, NULL, operands, 3, exact, bound), AIC_UNSUPPORTED);
}
END_TEST

/* ---- the caller's environment, bad calls ---- */

/* Sets the rounding mode and, where the host has them, flush-to-zero and denormals-are-zero. */
static void disturb_environment(void)
{
    fesetround(FE_UPWARD);
#ifdef __SSE2__
    __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040);
#endif
}

START_TEST(floating_point_environment_does_not_matter)
{
    uint16_t feature_map[EX2_FEATURE_MAP];
    uint16_t weight[EX2_WEIGHT];
    float dst[EX2_DST];
    int64_t ulp;
    fenv_t before;
    void *operands[] = {dst, feature_map, weight};
    ex2_inputs(feature_map, weight);
    const aic_spec spec = parse(EX2);
    fegetenv(&before);
    disturb_environment();
    const aic_status status = aic_reference(&spec, NULL, operands, 3);
    const int mode = fegetround();
    fesetenv(&before);
    ck_assert_int_eq(status, AIC_OK);
    ck_assert_int_eq(mode, FE_UPWARD);
    ck_assert_int_eq(ex2_matches(dst, &ulp), 64);

    /* A subnormal float32 sum and a subnormal old value are kept. */
    aic_spec sum = parse("conv2d(dtype=float16, fm_shape=[1,1,1,16], kernel_shape=[1,1,1,16,16], init_l1out=false)");
    uint16_t zeros[16 * 16] = {0};
    void *others[] = {dst, feature_map, zeros};
    dst[0] = 0x1p-149F;
    disturb_environment();
    const aic_status again = aic_reference(&sum, NULL, others, 3);
    fesetenv(&before);
    ck_assert_int_eq(again, AIC_OK);
    ck_assert_uint_eq(float_bits(dst[0]), 1);
}
END_TEST

START_TEST(bad_operands)
{
    int8_t feature_map[32] = {0};
    int8_t weight[9 * 16 * 32] = {0};
    int32_t dst[16 * 16];
    aic_spec spec = parse(E2);
    static const char *const messages[] = {
        "conv2d: dst: is NULL",
        "conv2d: feature_map: is NULL",
        "conv2d: weight: is NULL",
    };
    for (int i = 0; i < 3; i++) {
        void *operands[] = {dst, feature_map, weight};
        operands[i] = NULL;
        ck_assert_int_eq(aic_reference(&spec, NULL, operands, 3), AIC_INVALID_ARGUMENT);
        check_error(messages[i]);
    }
    void *few[] = {dst, feature_map, weight};
    ck_assert_int_eq(aic_reference(&spec, NULL, few, 2), AIC_INVALID_ARGUMENT);
    check_error("conv2d: 2 operands given, 3 expected");
    ck_assert_int_eq(aic_reference(&spec, NULL, NULL, 3), AIC_INVALID_ARGUMENT);
    void *crooked[] = {(char *)dst + 1, feature_map, weight};
    ck_assert_int_eq(aic_reference(&spec, NULL, crooked, 3), AIC_INVALID_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(aic_last_error(), "conv2d: dst: address"));
    void *overlapping[] = {dst, weight + sizeof weight - 1, weight};
    ck_assert_int_eq(aic_reference(&spec, NULL, overlapping, 3), AIC_INVALID_ARGUMENT);
    check_error("conv2d: weight: overlaps feature_map");
    spec.stage[0].desc.conv2d.stride[0] = 0;
    ck_assert_int_eq(aic_reference(&spec, NULL, few, 3), AIC_INVALID_ARGUMENT);
    check_error("conv2d: stride: stride_h = 0 is outside 1..63");
}
END_TEST

/* limits=host computes W == Kw with H > Kh by the same formulas. */
START_TEST(host_limits_are_computed)
{
    int8_t feature_map[4 * 2 * 32];
    int8_t weight[2 * 2 * 16 * 32];
    int32_t dst[16 * 16];
    void *operands[] = {dst, feature_map, weight};
    aic_semantics host = aic_semantics_init();
    host.limits = AIC_LIMITS_HOST;
    const aic_spec spec = parse("conv2d(dtype=int8, fm_shape=[1,4,2,32], kernel_shape=[1,2,2,16,32])");
    for (int i = 0; i < 4 * 2 * 32; i++) {
        feature_map[i] = (int8_t)(i / 64); /* the row */
    }
    memset(weight, 1, sizeof weight);
    ck_assert_int_eq(aic_reference(&spec, NULL, operands, 3), AIC_INVALID_ARGUMENT);
    ck_assert_int_eq(aic_reference(&spec, &host, operands, 3), AIC_OK);
    for (int ho = 0; ho < 3; ho++) {
        ck_assert_int_eq(dst[ho * 16], 64 * (ho + ho + 1));
    }
}
END_TEST

Suite *suite_reference(void)
{
    Suite *suite = suite_create("reference");
    TCase *tcase = tcase_create("reference");
    tcase_add_test(tcase, golden_float16_cube);
    tcase_add_test(tcase, golden_float16_fast);
    tcase_add_test(tcase, trace_of_the_first_value);
    tcase_add_test(tcase, padding_and_accumulation);
    tcase_add_test(tcase, index_formulas);
    tcase_add_test(tcase, int8_clamps_once);
    tcase_add_test(tcase, blocks_of_four_channels);
    tcase_add_test(tcase, pad_value_and_special_values);
    tcase_add_test(tcase, fast_rounds_once);
    tcase_add_test(tcase, bound_of_fast);
    tcase_add_test(tcase, floating_point_environment_does_not_matter);
    tcase_add_test(tcase, bad_operands);
    tcase_add_test(tcase, host_limits_are_computed);
    tcase_set_timeout(tcase, 60);
    suite_add_tcase(suite, tcase);
    return suite;
}
