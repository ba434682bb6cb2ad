/* The harness judges everything else, so here it must show that it can say no. */
#include "frontend/core/stage.h"
#include "tools/harness/element.h"
#include "tools/harness/testdata.h"
#include "tools/harness/verify.h"

#include <check.h>
#include <math.h>
#include <string.h>

Suite *suite_verdicts(void);

static const aic_semantics *defaults(void)
{
    static aic_semantics semantics;
    semantics = aic_semantics_init();
    return &semantics;
}

static aic_spec parse(const char *text)
{
    aic_spec spec;
    ck_assert_int_eq(aic_spec_read(text, &spec), AIC_OK);
    return spec;
}

#define INT8_SPEC "conv2d(dtype=int8, fm_shape=[1,4,4,32], kernel_shape=[1,2,2,16,32], init_l1out=false)"
#define CUBE_SPEC "conv2d(dtype=float16, fm_shape=[1,4,4,16], kernel_shape=[1,2,2,16,16])"
#define FAST_SPEC "conv2d(dtype=float16, fm_shape=[1,4,4,16], kernel_shape=[1,2,2,16,16], accumulate=fast)"

enum { VALID = 9 * 16, STORED = 16 * 16 };

/* Whether every result is a number, and, where a range is right, several float32 are in it, all near the result, and
 * nothing beside it is right. */
static bool is_ordinary(const verify_case *c)
{
    const aic_dtype dtype = c->operand[c->output].dtype;
    const aic_allowed *allowed = c->allowed.data;
    bool ordinary = true;
    for (size_t i = 0; i < VALID && dtype == AIC_FLOAT32; i++) {
        const float right = ((const float *)c->expected.data)[i];
        ordinary = ordinary && isfinite(right);
        if (!aic_spec_exact(c->spec)) {
            const double next = (double)nextafterf(right, INFINITY) - (double)right;
            const double bound = allowed[i].high - allowed[i].exact;
            ordinary = ordinary && allowed[i].others == 0 && bound > 4 * next && bound < fabs((double)right) / 8;
        }
    }
    return ordinary;
}

/* With the first ordinary contents: of others, less can be told to be wrong. */
static void open_case(verify_case *c, const char *text)
{
    enum { TRIES = 100 };
    verify_report report;
    aic_spec spec = parse(text);
    for (uint64_t seed = 7; seed < 7 + TRIES; seed++) {
        ck_assert_int_eq(verify_open(c, &spec, defaults(), seed, &report), VERIFY_PASSED);
        if (is_ordinary(c)) {
            return;
        }
        verify_close(c);
    }
    ck_abort_msg("no ordinary contents of %s", text);
}

static verify_verdict judge(const verify_case *c, const void *output, verify_report *report)
{
    *report = (verify_report){.verdict = VERIFY_PASSED};
    return verify_compare(c, output, "test", report);
}

static const char *const specs[] = {INT8_SPEC, CUBE_SPEC, FAST_SPEC};
enum { SPECS = sizeof specs / sizeof specs[0] };

/* The reference's result passes; with any one element changed, also one that must stay untouched, it fails. */
START_TEST(a_wrong_element_fails)
{
    verify_case c;
    verify_report report;
    uint32_t output[STORED];
    open_case(&c, specs[_i]);
    ck_assert_uint_eq(c.expected.size, sizeof output);
    memcpy(output, c.expected.data, sizeof output);
    ck_assert_int_eq(judge(&c, output, &report), VERIFY_PASSED);
    for (size_t i = 0; i < STORED; i++) {
        uint32_t right = output[i];
        output[i] ^= i < VALID ? 0x00400000U : 1U; /* the fraction's leading bit is beyond any bound */
        if (!isnan(element_to_double(c.operand[0].dtype, &output[i])) || c.operand[0].dtype == AIC_INT32) {
            ck_assert_int_eq(judge(&c, output, &report), VERIFY_FAILED);
            ck_assert_ptr_nonnull(strstr(report.text, "1 of 256 elements"));
        }
        output[i] = right;
    }
    verify_close(&c);
}
END_TEST

START_TEST(the_last_bit_counts_where_the_result_is_exact)
{
    verify_case c;
    verify_report report;
    uint32_t output[STORED];
    open_case(&c, specs[_i]);
    memcpy(output, c.expected.data, sizeof output);
    output[VALID / 2] ^= 1;
    ck_assert_int_eq(judge(&c, output, &report), aic_spec_exact(c.spec) ? VERIFY_FAILED : VERIFY_PASSED);
    verify_close(&c);
}
END_TEST

/* Half the bound away passes, twice the bound fails, on either side. */
START_TEST(the_bound_decides_where_a_range_is_right)
{
    verify_case c;
    verify_report report;
    float output[STORED];
    open_case(&c, FAST_SPEC);
    memcpy(output, c.expected.data, sizeof output);
    const aic_allowed *allowed = c.allowed.data;
    size_t tried = 0;
    for (size_t i = 0; i < VALID; i++) {
        float right = output[i];
        const double exact = allowed[i].exact, bound = allowed[i].high - exact;
        for (int sign = -1; sign <= 1 && bound > 0; sign += 2) {
            output[i] = (float)(exact + sign * 0.5 * bound);
            ck_assert_int_eq(judge(&c, output, &report), VERIFY_PASSED);
            output[i] = (float)(exact + sign * 2.0 * bound);
            ck_assert_int_eq(judge(&c, output, &report), VERIFY_FAILED);
            tried++;
        }
        output[i] = NAN;
        ck_assert_int_eq(judge(&c, output, &report), VERIFY_FAILED);
        output[i] = INFINITY;
        ck_assert_int_eq(judge(&c, output, &report), VERIFY_FAILED);
        output[i] = right;
    }
    ck_assert_uint_gt(tried, VALID);
    verify_close(&c);
}
END_TEST

/* Where sums may leave the range of float32 the values that this leads to are right: there, and only these. */
START_TEST(what_overflow_leads_to_is_right)
{
    verify_case c;
    verify_report report;
    float output[STORED];
    open_case(&c, FAST_SPEC);
    memcpy(output, c.expected.data, sizeof output);
    aic_allowed *allowed = c.allowed.data;
    allowed[1].other[allowed[1].others++] = -INFINITY;
    allowed[1].other[allowed[1].others++] = NAN;
    output[1] = NAN;
    ck_assert_int_eq(judge(&c, output, &report), VERIFY_PASSED);
    output[1] = -INFINITY;
    ck_assert_int_eq(judge(&c, output, &report), VERIFY_PASSED);
    output[2] = -INFINITY;
    ck_assert_int_eq(judge(&c, output, &report), VERIFY_FAILED);
    output[2] = ((const float *)c.expected.data)[2];
    output[1] = INFINITY;
    ck_assert_int_eq(judge(&c, output, &report), VERIFY_FAILED);
    output[1] = 1e30F;
    ck_assert_int_eq(judge(&c, output, &report), VERIFY_FAILED);
    verify_close(&c);
}
END_TEST

/* A kernel of another operator stands for one that computes wrongly: same operands, other dilation or sign of zero. */
START_TEST(a_wrong_kernel_fails)
{
    static const char *const wrong[SPECS] = {
        "conv2d(dtype=int8, fm_shape=[1,4,4,32], kernel_shape=[1,2,2,16,32], init_l1out=true)",
        "conv2d(dtype=float16, fm_shape=[1,4,4,16], kernel_shape=[1,2,2,16,16], init_l1out=false)",
        "conv2d(dtype=float16, fm_shape=[1,4,4,16], kernel_shape=[1,2,2,16,16], init_l1out=false, accumulate=fast)"};
    verify_case c;
    verify_report report;
    open_case(&c, specs[_i]);
    ck_assert_int_eq(verify_kernel(&c, NULL, NULL, &report), VERIFY_PASSED);
    ck_assert_str_eq(report.text, "");
    *c.spec = parse(wrong[_i]);
    ck_assert_int_eq(verify_kernel(&c, NULL, NULL, &report), VERIFY_FAILED);
    ck_assert_ptr_nonnull(strstr(report.text, "elements are wrong"));
    verify_close(&c);
}
END_TEST

START_TEST(a_legal_operator_is_no_refusal)
{
    verify_report report;
    aic_spec spec = parse(INT8_SPEC);
    ck_assert_int_eq(verify_refused(&spec, defaults(), NULL, &report), VERIFY_FAILED);
    spec.stage[0].desc.conv2d.stride[0] = 64;
    ck_assert_int_eq(verify_refused(&spec, defaults(), NULL, &report), VERIFY_PASSED);
}
END_TEST

START_TEST(a_bad_schedule_fails_with_the_message)
{
    verify_case c;
    verify_report report;
    open_case(&c, INT8_SPEC);
    ck_assert_int_eq(verify_kernel(&c, NULL, "schedule(rows=-1)", &report), VERIFY_FAILED);
    ck_assert_ptr_nonnull(strstr(report.text, "schedule"));
    verify_close(&c);
}
END_TEST

/* ---- operands that a call must refuse ---- */

#define SCALAR_SPEC "fixpipe(dst=float16, src=int32, nSize=5, mSize=3, srcStride=16, dstStride=5, quantPre=DEQF16"
#define VECTOR_SPEC "fixpipe(dst=float16, src=int32, nSize=5, mSize=3, srcStride=16, dstStride=5, quantPre=VDEQF16"
#define WARNING_SPEC "fixpipe(dst=int32, src=int32, nSize=5, mSize=3, srcStride=16, dstStride=5, ndNum=0)"
enum { WORDS = 2 }; /* number of the operand cbufWorkspace */

/* A kernel that takes what the case says it does not, or the other way round. */
START_TEST(an_accepted_operand_fails)
{
    verify_case c;
    verify_report report;
    open_case(&c, VECTOR_SPEC ", ndNum=0)"); /* computes nothing: only the operands can be wrong */
    ck_assert_int_eq(verify_kernel(&c, NULL, NULL, &report), VERIFY_PASSED);
    c.spec->stage[0].desc.fixpipe.quantPre = AIC_QUANT_DEQF16;
    ck_assert_int_eq(verify_kernel(&c, NULL, NULL, &report), VERIFY_FAILED);
    ck_assert_ptr_nonnull(strstr(report.text, "this descriptor takes none"));
    verify_close(&c);

    open_case(&c, SCALAR_SPEC ", ndNum=0)");
    ck_assert_ptr_null(c.content[WORDS].data);
    ck_assert_int_eq(verify_kernel(&c, NULL, NULL, &report), VERIFY_PASSED);
    c.spec->stage[0].desc.fixpipe.quantPre = AIC_QUANT_VDEQF16;
    ck_assert_int_eq(verify_kernel(&c, NULL, NULL, &report), VERIFY_FAILED);
    ck_assert_ptr_nonnull(strstr(report.text, "cbufWorkspace: is NULL"));
    c.spec->stage[0].desc.fixpipe.quantPre = AIC_QUANT_DEQF16;
    c.operand[WORDS].name = "workspace"; /* no message names that */
    ck_assert_int_eq(verify_kernel(&c, NULL, NULL, &report), VERIFY_FAILED);
    ck_assert_ptr_nonnull(strstr(report.text, "the message does not name it"));
    verify_close(&c);
}
END_TEST

START_TEST(another_warning_fails)
{
    verify_case c;
    verify_report report;
    open_case(&c, WARNING_SPEC);
    ck_assert_str_eq(c.warning, "fixpipe: ndNum: 0 matrices: nothing is read or written");
    ck_assert_int_eq(verify_kernel(&c, NULL, NULL, &report), VERIFY_PASSED);
    c.warning[0] = '\0';
    ck_assert_int_eq(verify_kernel(&c, NULL, NULL, &report), VERIFY_FAILED);
    ck_assert_ptr_nonnull(strstr(report.text, "the warning is \"fixpipe: ndNum"));
    verify_close(&c);
}
END_TEST

/* Words as they are filled are legal, of every kind; a spoiled one is not, and is one. */
START_TEST(spoiled_data_are_illegal)
{
    const aic_spec spec = parse(VECTOR_SPEC ")");
    const aic_operand words = {
        .name = "cbufWorkspace", .direction = AIC_DIRECTION_IN, .dtype = AIC_UINT64, .elements = 5, .bytes = 40};
    const aic_operand others = {
        .name = "x", .direction = AIC_DIRECTION_IN, .dtype = AIC_UINT64, .elements = 5, .bytes = 40};
    int32_t src[48] = {0};
    uint16_t dst[15];
    uint64_t word[5], before[5];
    void *const operands[] = {dst, src, word};
    for (uint64_t seed = 0; seed < 60; seed++) {
        testdata_fill(&words, seed, word);
        ck_assert_msg(aic_reference(&spec, NULL, operands, 3) == AIC_OK, "%s", aic_last_error());
        memcpy(before, word, sizeof before);
        ck_assert(!testdata_spoil(&others, seed, word));
        ck_assert_mem_eq(word, before, sizeof before);
        ck_assert(testdata_spoil(&words, seed, word));
        ck_assert_int_eq(aic_reference(&spec, NULL, operands, 3), AIC_INVALID_ARGUMENT);
        size_t changed = 0;
        for (size_t i = 0; i < 5; i++) {
            changed += word[i] != before[i];
        }
        ck_assert_uint_eq(changed, 1);
    }
}
END_TEST

Suite *suite_verdicts(void)
{
    Suite *suite = suite_create("verdicts");
    TCase *verdicts = tcase_create("verdicts");
    tcase_add_loop_test(verdicts, a_wrong_element_fails, 0, SPECS);
    tcase_add_loop_test(verdicts, the_last_bit_counts_where_the_result_is_exact, 0, SPECS);
    tcase_add_test(verdicts, the_bound_decides_where_a_range_is_right);
    tcase_add_test(verdicts, what_overflow_leads_to_is_right);
    tcase_add_loop_test(verdicts, a_wrong_kernel_fails, 0, SPECS);
    tcase_add_test(verdicts, a_legal_operator_is_no_refusal);
    tcase_add_test(verdicts, a_bad_schedule_fails_with_the_message);
    tcase_add_test(verdicts, an_accepted_operand_fails);
    tcase_add_test(verdicts, another_warning_fails);
    tcase_add_test(verdicts, spoiled_data_are_illegal);
    suite_add_tcase(suite, verdicts);
    return suite;
}
