/* Error bounds of fused chains with accumulate=fast and results of 8 bits: the verifier accepts every byte that some
 * order of summation may give, and no other. The formula of AscendC Fixpipe, section 6.2, stands here once more. */
#include "frontend/core/stage.h"
#include "tests/specs.h"
#include "tools/harness/element.h"
#include "tools/harness/verify.h"

#include <aic/aic.h>
#include <check.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

Suite *suite_chain_bounds(void);

enum { COLUMNS = 16, PRODUCTS = 2, BYTES = 256 };

/* What a column computes: the products that are summed, and its word. */
typedef struct column {
    float product[PRODUCTS]; /* each times 1 */
    float scale;
    int offset;
    bool is_signed;
} column;

/* Sums of 2t + 1 with a scale of a half lie in the middle between two results. */
static const column ordinary[COLUMNS] = {
    {{20, 1}, 0.5F, 0, true},                                    /* 10, 11 */
    {{20, 1}, 0.5F, 0, false},                                   /* the same, unsigned */
    {{-2, 1}, 0.5F, 0, true},                                    /* -1, 0: bytes 0xFF and 0x00 */
    {{-2, 1}, -0.5F, 0, true},                                   /* 0, 1, the larger sum gives the smaller one */
    {{254, 1}, 0.5F, 0, false},                                  /* 127, 128: bytes 0x7F and 0x80 */
    {{254, 1}, 0.5F, 0, true},                                   /* 127 both: clamped */
    {{-256, -1}, 0.5F, 0, true},                                 /* -128 both */
    {{-2, 1}, 0.5F, 0, false},                                   /* 0 both: -1 is clamped */
    {{508, 1}, 0.5F, 0, false},                                  /* 254, 255 */
    {{-20, -1}, -0.5F, -100, true},                              /* -90, -89 */
    {{30, 3}, 0.5F, 112, false},                                 /* 128, 129 */
    {{30, 3}, 0.5F, 112, true},                                  /* 127 both */
    {{20, 0}, 0.5F, 0, true},                                    /* 10, far from the middle */
    {{2000, -1999.5F}, 1, 0, true},                              /* 0, 1, and cancellation */
    {{0, 0}, 1, 7, true},           {{2048, -2047}, 8, 0, true}, /* 8: the bound is a small part of a step */
};

/* Sums that may overflow on the way: the exact one is about 1. */
static const column overflowing[COLUMNS] = {
    {{3e38F, -3e38F}, 1, 0, true},     /* all of -128..127 */
    {{3e38F, -3e38F}, 1, -200, true},  /* -128..55 */
    {{3e38F, -3e38F}, 1, -200, false}, /* 0..55 */
    {{3e38F, -3e38F}, -1, 200, false}, /* 0..255 */
    {{3e38F, -3e38F}, 0, 9, true},     /* 9, whatever is summed */
    {{1, 0}, 1, 3, true},              /* 4 */
    {{3e38F, 3e38F}, 1, 100, false},   /* 255: beyond the range in every order */
};

static uint64_t word_of(const column *c)
{
    uint32_t bits;
    memcpy(&bits, &c->scale, sizeof bits);
    return bits | (uint64_t)((unsigned)c->offset & 0x1FF) << 37 | (uint64_t)c->is_signed << 46;
}

/* b8(a * scale) of the rectified sum */
static uint8_t result(const column *c, bool relu, float a)
{
    const float p = (relu && a <= 0 ? 0 : a) * c->scale, t = isnan(p) ? 0 : p < -256 ? -256 : p > 255 ? 255 : p;
    const int r = (int)nearbyintf(t) + c->offset;
    const int low = c->is_signed ? -128 : 0, high = c->is_signed ? 127 : 255;
    return (uint8_t)(r < low ? low : r > high ? high : r);
}

/* Adds the bytes of all accumulators from `low` to `high`. */
static void list_bytes(const column *c, bool relu, float low, float high, bool right[BYTES])
{
    if (isfinite(high) && high - low > 1000) { /* too many to try; integers meet every step of the formula */
        ck_assert(low < -600 && high > 600);
        for (int a = -600; a <= 600; a++) {
            right[result(c, relu, (float)a)] = true;
        }
        return;
    }
    float a = low;
    while (a < high) {
        right[result(c, relu, a)] = true;
        a = nextafterf(a, INFINITY);
    }
    right[result(c, relu, high)] = true;
}

/* The case of one row, with these contents and what follows from them. */
static void open_case(verify_case *c, const aic_spec *spec, const column *columns)
{
    const aic_semantics semantics = aic_semantics_init();
    verify_report report;
    float *a, *b;
    ck_assert_int_eq(verify_open(c, spec, &semantics, 1, &report), VERIFY_PASSED);
    ck_assert_uint_eq(c->count, 4);
    a = c->content[1].data;
    b = c->content[2].data;
    uint64_t *words = c->content[3].data;
    for (int k = 0; k < PRODUCTS; k++) {
        a[k] = 1;
        for (int n = 0; n < COLUMNS; n++) {
            b[k * COLUMNS + n] = columns[n].product[k];
        }
    }
    for (int n = 0; n < COLUMNS; n++) {
        words[n] = word_of(&columns[n]);
    }
    void *pointer[] = {c->content[0].data, a, b, words};
    ck_assert_msg(aic_reference_allowed(spec, NULL, pointer, 4, c->allowed.data) == AIC_OK, "%s", aic_last_error());
    pointer[0] = c->expected.data;
    ck_assert_int_eq(aic_reference(spec, NULL, pointer, 4), AIC_OK);
}

/* What the accumulators may be. */
static void bound_accumulators(const verify_case *c, aic_allowed allowed[COLUMNS])
{
    const aic_spec mmad = spec_of("mmad(dtype=float32, m=1, n=16, k=2, accumulate=fast)");
    float old[COLUMNS] = {0};
    void *const pointer[] = {old, c->content[1].data, c->content[2].data};
    ck_assert_int_eq(aic_reference_allowed(&mmad, NULL, pointer, 3, allowed), AIC_OK);
}

static bool accepts(const verify_case *c, int n, int byte)
{
    verify_report report = {.verdict = VERIFY_PASSED};
    uint8_t output[COLUMNS];
    ck_assert_uint_eq(c->expected.size, sizeof output);
    memcpy(output, c->expected.data, sizeof output);
    output[n] = (uint8_t)byte;
    return verify_compare(c, output, "test", &report) == VERIFY_PASSED;
}

static const struct {
    const char *spec;
    const column *columns;
    bool relu;
    int several; /* columns where more than one byte is right */
} cases[] = {
#define CHAIN(type, relu)                                                                                              \
    "mmad(dtype=float32, m=1, n=16, k=2, accumulate=fast) | fixpipe(src=float32, dst=" type                            \
    ", format=ROW_MAJOR, quantPre=VQF322B8_PRE" relu ")"
    {CHAIN("int8", ""), ordinary, false, 9},
    {CHAIN("uint8", ""), ordinary, false, 9},
    {CHAIN("int8", ", reluEn=true"), ordinary, true, 6},
    {CHAIN("int8", ""), overflowing, false, 4},
    {CHAIN("uint8", ""), overflowing, false, 4},
    {CHAIN("uint8", ", reluEn=true"), overflowing, true, 4},
};
#undef CHAIN

START_TEST(bytes_that_an_order_may_give)
{
    const aic_spec spec = spec_of(cases[_i].spec);
    verify_case c;
    aic_allowed allowed[COLUMNS];
    int several = 0;
    open_case(&c, &spec, cases[_i].columns);
    bound_accumulators(&c, allowed);
    for (int n = 0; n < COLUMNS; n++) {
        /* Of the accumulators that are right; and of one more on either side. */
        bool within[BYTES] = {false}, around[BYTES] = {false};
        const column *of = &cases[_i].columns[n];
        const aic_allowed *a = &allowed[n];
        float low = (float)a->low, high = (float)a->high;
        list_bytes(of, cases[_i].relu, (double)low < a->low ? nextafterf(low, INFINITY) : low,
                   (double)high > a->high ? nextafterf(high, -INFINITY) : high, within);
        list_bytes(of, cases[_i].relu, nextafterf(low, -INFINITY), nextafterf(high, INFINITY), around);
        for (int i = 0; i < a->others; i++) {
            within[result(of, cases[_i].relu, (float)a->other[i])] =
                around[result(of, cases[_i].relu, (float)a->other[i])] = true;
        }
        int accepted = 0;
        for (int byte = 0; byte < BYTES; byte++) {
            const bool answer = accepts(&c, n, byte);
            accepted += answer;
            ck_assert_msg(answer || !within[byte], "column %d: byte %d is refused", n, byte);
            ck_assert_msg(!answer || around[byte], "column %d: byte %d is accepted", n, byte);
        }
        several += accepted > 1;
    }
    ck_assert_int_eq(several, cases[_i].several);
    verify_close(&c);
}
END_TEST

/* The sign of a sum that is 0 depends on the order of summation, and stages that read bits show it. */
static const struct {
    const char *stages;
    double right[2];
    double wrong; /* NaN: everything is right */
} signs[] = {
#define STAGE(op, constant) " | tensor_arithmetic(op=" op ", input1_is_const=true, input1_const=" constant ")"
    {STAGE("BM_XOR", "1"), {1, -1}, (double)NAN},
    {STAGE("BM_OR", "1"), {1, -1}, (double)NAN},
    {STAGE("BM_AND", "0x7fffffff"), {0, 0}, 1},
    {" | fixpipe(src=float32, dst=float32)", {0, 0}, 1},
    {STAGE("BM_MUL", "1") " | fixpipe(src=int32, dst=float16, quantPre=DEQF16, deqScalar=quant(1))",
     {0, -65504},
     (double)NAN},
#undef STAGE
};

/* b: the products, each of 1. */
static void allow_under(const aic_semantics *semantics, const char *chain, const char *stages,
                        float b[PRODUCTS * COLUMNS], aic_allowed allowed[256])
{
    char text[512];
    snprintf(text, sizeof text, "%s%s", chain, stages);
    const aic_spec spec = spec_of(text);
    aic_operand operand[AIC_OPERANDS_MAX];
    size_t count;
    float a[PRODUCTS] = {1, 1}, dst[256] = {0};
    ck_assert_msg(aic_spec_operands(&spec, semantics, operand, &count) == AIC_OK, "%s", aic_last_error());
    void *const pointers[AIC_OPERANDS_MAX] = {dst, a, b};
    ck_assert_msg(aic_reference_allowed(&spec, semantics, pointers, count, allowed) == AIC_OK, "%s", aic_last_error());
}

static void allow(const char *chain, const char *stages, float b[PRODUCTS * COLUMNS], aic_allowed allowed[256])
{
    allow_under(NULL, chain, stages, b, allowed);
}

START_TEST(signs_of_sums_that_are_0)
{
    float b[PRODUCTS * COLUMNS] = {0};
    aic_allowed allowed[256];
    allow("mmad(dtype=float32, m=1, n=16, k=2, accumulate=fast)", signs[_i].stages, b, allowed);
    for (int i = 0; i < 2; i++) {
        ck_assert_msg(aic_is_allowed(&allowed[0], signs[_i].right[i]), "%g is right", signs[_i].right[i]);
    }
    ck_assert(isnan(signs[_i].wrong) || !aic_is_allowed(&allowed[0], signs[_i].wrong));
}
END_TEST

/* What sums lead to that overflow on the way are bits, too, which no float holds as a number. */
START_TEST(bits_of_sums_that_overflow)
{
    float b[PRODUCTS * COLUMNS] = {3e38F};
    aic_allowed allowed[256];
    b[COLUMNS] = -3e38F;
    allow("mmad(dtype=float32, m=1, n=16, k=2, accumulate=fast)",
          " | tensor_arithmetic(op=BM_MUL, input1_is_const=true, input1_const=1) | fixpipe(src=int32, dst=int32)", b,
          allowed);
    const float most[] = {FLT_MAX, -FLT_MAX}; /* what infinities are stored as */
    for (int i = 0; i < 2; i++) {
        int32_t bits;
        memcpy(&bits, &most[i], sizeof bits);
        ck_assert_msg(aic_is_allowed(&allowed[0], bits), "%d is right", bits);
    }
}
END_TEST

#define FAST "mmad(dtype=float32, m=1, n=16, k=2, accumulate=fast)"

/* Sums next to the largest float, on either side. */
START_TEST(sums_next_to_the_largest)
{
    for (int sign = -1; sign <= 1; sign += 2) {
        const float most = (float)sign * FLT_MAX;
        float b[PRODUCTS * COLUMNS] = {most};
        aic_allowed allowed[256];
        b[COLUMNS] = (float)sign;
        allow(FAST, " | fixpipe(src=float32, dst=float32)", b, allowed);
        ck_assert(aic_is_allowed(&allowed[0], (double)most));
        ck_assert(aic_is_allowed(&allowed[0], (double)nextafterf(most, 0)));
        ck_assert(!aic_is_allowed(&allowed[0], -(double)most));
        ck_assert(!aic_is_allowed(&allowed[0], (double)(most / 2)));
    }
}
END_TEST

/* A range and another stage that is NaN, of which NaN comes, or may be anything, as a quotient of what may be 0 is:
 * then the larger of both may be, too. The first sum is 0 but for rounding. */
START_TEST(other_stages_without_a_number)
{
    static const struct {
        const char *stages;
        bool nan, any; /* is NaN right, and is everything */
    } rows[] = {
        {" | tensor_arithmetic(op=BM_MUL, input1_is_const=true, input1_const=nan)"
         " | tensor_arithmetic(op=BM_MAX, input1_stage=1)",
         false, false},
        {" | tensor_arithmetic(op=BM_MUL, input1_is_const=true, input1_const=nan)"
         " | tensor_arithmetic(op=BM_MAX, input1_stage=1) | tensor_arithmetic(op=BM_ADD, input1_stage=2)",
         true, false},
        {" | tensor_arithmetic(op=BM_DIV, input1_stage=1)"
         " | tensor_arithmetic(op=BM_SG, input1_is_const=true, select_value=1)",
         false, false},
        {" | tensor_arithmetic(op=BM_DIV, input1_stage=1)"
         " | tensor_arithmetic(op=BM_SG, input1_is_const=true, select_value=1)"
         " | tensor_arithmetic(op=BM_MAX, input1_stage=2)",
         true, true},
    };
    aic_semantics semantics = aic_semantics_init();
    ck_assert_int_eq(aic_semantics_choose(&semantics, "minmax_nan", "number"), AIC_OK);
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        float b[PRODUCTS * COLUMNS] = {1.1F};
        aic_allowed allowed[256];
        b[COLUMNS] = -1.1F;
        allow_under(&semantics, FAST, rows[r].stages, b, allowed);
        ck_assert_msg(aic_is_allowed(&allowed[0], (double)NAN) == rows[r].nan, "row %zu", r);
        ck_assert_msg(aic_is_allowed(&allowed[0], 0) == (!rows[r].nan || rows[r].any), "row %zu", r);
        ck_assert_msg(aic_is_allowed(&allowed[0], -5) == rows[r].any, "row %zu", r);
    }
}
END_TEST

Suite *suite_chain_bounds(void)
{
    Suite *suite = suite_create("chain_bounds");
    TCase *tcase = tcase_create("chain_bounds");
    tcase_add_loop_test(tcase, signs_of_sums_that_are_0, 0, sizeof signs / sizeof signs[0]);
    tcase_add_loop_test(tcase, bytes_that_an_order_may_give, 0, sizeof cases / sizeof cases[0]);
    tcase_add_test(tcase, bits_of_sums_that_overflow);
    tcase_add_test(tcase, sums_next_to_the_largest);
    tcase_add_test(tcase, other_stages_without_a_number);
    suite_add_tcase(suite, tcase);
    return suite;
}
