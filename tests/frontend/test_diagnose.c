/* What happens to data: every event by an operator that is made for it, with counts and the first element; and facts of
 * random operators that the events must agree with. */
#include "frontend/core/stage.h"
#include "tools/harness/element.h"
#include "tools/harness/verify.h"

#include <aic/aic.h>
#include <check.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

Suite *suite_diagnose(void);

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

enum { OPERANDS = 3, WORDS = 4096, ELEMENTS_MAX = 4 * WORDS, SEEDS = 25 };

#define FIXPIPE "fixpipe(mSize=1, srcStride=1, dstStride=16, nSize=16, "
#define REQ8 "src=int32, dst=int8, quantPre=REQ8, deqScalar="

/* Operands that hold these words over and over, the output first; how often the event happens, and to which element
 * first. */
static const struct {
    const char *spec;
    uint32_t words[OPERANDS];
    aic_event event;
    int64_t count, first;
} made[] = {
    {"mmad(dtype=int8, m=1, n=16, k=1, c_format=Nz)", {7, 0, 0}, AIC_EVENT_UNWRITTEN, 240, 16},
    {"mmad(dtype=int8, m=1, n=16, k=1, init_c=false)", {7, 0, 0}, AIC_EVENT_OLD_READ, 16, 0},
    {"mmad(dtype=int8, m=1, n=16, k=1, init_c=false)",
     {0x7FFFFFFF, 0x01010101, 0x01010101},
     AIC_EVENT_INT_OVERFLOW,
     16,
     0},
    {"mmad(dtype=int8, m=1, n=16, k=1, init_c=false)",
     {0x7FFFFFFE, 0x01010101, 0x01010101},
     AIC_EVENT_INT_OVERFLOW,
     0,
     -1},
    {"conv2d(dtype=int8, fm_shape=[1,2,3,32], kernel_shape=[1,1,2,16,32], pad=[1,0,0,0])",
     {0, 1, 1},
     AIC_EVENT_PADDING,
     32,
     0}, /* the first of three columns in two rows */
    {"nd2nz(dtype=int8, nValue=2, dValue=31, srcDValue=31, dstNzC0Stride=2)", {0, 1, 0}, AIC_EVENT_PADDING, 2, 31},
    {"nd2nz(dtype=int8, nValue=2, dValue=32, srcDValue=30, dstNzC0Stride=2)", {0, 1, 0}, AIC_EVENT_OVERLAP, 2, 32},
    {"fixpipe(src=int32, dst=int32, mSize=2, nSize=32, srcStride=1, dstStride=32)",
     {0, 1, 0},
     AIC_EVENT_OVERLAP,
     16,
     32},
    {"fixpipe(src=int32, dst=int32, mSize=2, nSize=32, srcStride=2, dstStride=32)",
     {0, 1, 0},
     AIC_EVENT_OVERLAP,
     0,
     -1},
    {"load_data(dtype=int8, repeatTimes=2, srcStride=1)", {0, 1, 0}, AIC_EVENT_INVALID_READ, 480, 512 + 32},
    {"load_data(dtype=int8, repeatTimes=2, srcStride=0)", {0, 1, 0}, AIC_EVENT_OVERLAP, 512, 512},
    {FIXPIPE REQ8 "quant(1, 0, int8))", {0, 126, 0}, AIC_EVENT_AT_LIMIT, 0, -1},
    {FIXPIPE REQ8 "quant(1, 0, int8))", {0, 127, 0}, AIC_EVENT_AT_LIMIT, 16, 0},
    {FIXPIPE REQ8 "quant(1, 0, int8))", {0, 127, 0}, AIC_EVENT_CLAMPED, 0, -1},
    {FIXPIPE REQ8 "quant(1, 0, int8))", {0, 128, 0}, AIC_EVENT_CLAMPED, 16, 0},
    {FIXPIPE REQ8 "quant(1, -200, int8))", {0, 300, 0}, AIC_EVENT_CLAMPED, 16, 0},  /* to nine bits */
    {FIXPIPE REQ8 "0x40113f800000)", {0, 0x7FFFFFFF, 0}, AIC_EVENT_CLAMPED, 16, 0}, /* to 16 bits behind the shift */
    {FIXPIPE REQ8 "quant(1, 0, uint8))", {0, 1, 0}, AIC_EVENT_WORD_SIGN, 16, 0},
    {FIXPIPE REQ8 "0x400000000000)", {0, 1, 0}, AIC_EVENT_WORD_SCALE, 16, 0},
    {FIXPIPE "reluEn=true, " REQ8 "0x4000BF800000)", {0, 1, 0}, AIC_EVENT_WORD_SCALE, 16, 0},
    {FIXPIPE REQ8 "0x4000BF800000)", {0, 1, 0}, AIC_EVENT_WORD_SCALE, 0, -1},
    {FIXPIPE "src=float32, dst=float16, quantPre=F322F16)", {0, 0x4E6E6B28, 0}, AIC_EVENT_OVERFLOW, 16, 0},  /* 1e9 */
    {FIXPIPE "src=float32, dst=float16, quantPre=F322F16)", {0, 0x7F800000, 0}, AIC_EVENT_OVERFLOW, 0, -1},  /* inf */
    {FIXPIPE "src=float32, dst=float16, quantPre=F322F16)", {0, 0x0DA24260, 0}, AIC_EVENT_UNDERFLOW, 16, 0}, /* 1e-30 */
    {FIXPIPE "src=float32, dst=float16, quantPre=F322F16)", {0, 0x358637BD, 0}, AIC_EVENT_SUBNORMAL, 16, 0}, /* 1e-6 */
    {FIXPIPE "src=float32, dst=float16, quantPre=F322F16)", {0, 0x7FC00000, 0}, AIC_EVENT_NAN_LOST, 16, 0},
    {"tensor_arithmetic(op=BM_ADD, shape=[1,1,1,4])", {0, 1, 0x3F800000}, AIC_EVENT_SUBNORMAL_READ, 4, 0},
    {"tensor_arithmetic(op=BM_SUB, shape=[1,1,1,4])", {0, 0x7F800000, 0x7F800000}, AIC_EVENT_NAN_MADE, 4, 0},
    {"tensor_arithmetic(op=BM_SUB, shape=[1,1,1,4])", {0, 0x7FC00000, 0x7F800000}, AIC_EVENT_NAN_MADE, 0, -1},
    {"tensor_arithmetic(op=BM_MAC, shape=[1,1,1,4])", {0x7FC00000, 0, 0}, AIC_EVENT_NAN_MADE, 0, -1}, /* was there */
    {"tensor_arithmetic(op=BM_MAC, shape=[1,1,1,4])", {0, 0x7F800000, 0}, AIC_EVENT_NAN_MADE, 4, 0},
    {"tensor_arithmetic(op=BM_ADD, shape=[1,1,1,4])", {0x7FC00000, 0x7F800000, 0xFF800000}, AIC_EVENT_NAN_MADE, 4, 0},
    {"tensor_arithmetic(op=BM_SG, shape=[1,1,1,4])", {0, 0x7FC00000, 0x7F800000}, AIC_EVENT_NAN_LOST, 4, 0},
    {"tensor_arithmetic(op=BM_ADD, shape=[1,1,1,4])", {0, 0x7F800000, 0x3F800000}, AIC_EVENT_NOT_FINITE, 4, 0},
    {"tensor_arithmetic(op=BM_MUL, shape=[1,1,1,4])", {0, 0x7F000000, 0x40000000}, AIC_EVENT_OVERFLOW, 4, 0},
    {"tensor_arithmetic(op=BM_MAC, shape=[1,1,1,4])", {0, 0, 0}, AIC_EVENT_OLD_READ, 4, 0},
    {"tensor_arithmetic_quantized(op=BM_ADD, shape=[4,1,1,2], output_8bit=true, output_sign=true, input0_8bit=true, "
     "input1_8bit=true, input0_sign=true, input1_sign=true)",
     {0, 0x7F, 0x01},
     AIC_EVENT_CLAMPED,
     2,
     0},
    {"mmad(dtype=int8, m=1, n=16, k=1) | fixpipe(src=int32, dst=int8, quantPre=REQ8, deqScalar=quant(2, 0, int8))",
     {0, 0x40404040, 0x01010101},
     AIC_EVENT_CLAMPED,
     16,
     0}, /* 128 */
};

static int64_t count_of(const aic_finding *findings, int64_t elements, aic_event event, int64_t *first)
{
    int64_t count = 0;
    *first = -1;
    for (int64_t i = 0; i < elements; i++) {
        if (findings[i].events >> event & 1) {
            *first = count++ == 0 ? i : *first;
        }
    }
    return count;
}

START_TEST(an_event_each)
{
    static uint32_t memory[OPERANDS][WORDS];
    static aic_finding findings[ELEMENTS_MAX];
    void *operands[AIC_OPERANDS_MAX] = {memory[0], memory[1], memory[2]};
    aic_spec spec;
    aic_operand table[AIC_OPERANDS_MAX];
    size_t count = 0;
    int64_t first;
    for (size_t o = 0; o < OPERANDS; o++) {
        for (size_t i = 0; i < WORDS; i++) {
            memory[o][i] = made[_i].words[o];
        }
    }
    ck_assert_msg(aic_spec_read(made[_i].spec, &spec) == AIC_OK, "%s", aic_last_error());
    ck_assert_msg(aic_spec_operands(&spec, NULL, table, &count) == AIC_OK, "%s", aic_last_error());
    ck_assert_int_le(table[0].elements, ELEMENTS_MAX);
    for (size_t o = 0; o < count; o++) {
        operands[o] = table[o].direction == AIC_DIRECTION_UNUSED ? NULL : operands[o];
    }
    ck_assert_msg(aic_diagnose(&spec, NULL, operands, count, findings) == AIC_OK, "%s", aic_last_error());
    const int64_t found = count_of(findings, table[0].elements, made[_i].event, &first);
    ck_assert_msg(found == made[_i].count && first == made[_i].first, "%s: %s: %" PRId64 ", first %" PRId64,
                  made[_i].spec, aic_event_at(made[_i].event)->name, found, first);
    ck_assert_uint_eq(memory[0][0], made[_i].words[0]); /* nothing is written */
}
END_TEST

/* Every event is one of those above. */
START_TEST(all_events_are_made)
{
    for (size_t e = 0; aic_event_at(e) != NULL; e++) {
        bool found = false;
        for (size_t i = 0; i < COUNT(made); i++) {
            found = found || (made[i].event == (aic_event)e && made[i].count > 0);
        }
        ck_assert_msg(found, "%s is never made to happen", aic_event_at(e)->name);
    }
    ck_assert_ptr_null(aic_event_at(AIC_EVENT_END));
}
END_TEST

/* ---- random operators ---- */

static bool has(const aic_finding *f, aic_event event)
{
    return (f->events >> event & 1) != 0;
}

/* What the reference's result says of an element. */
static void check_element(const verify_case *c, const aic_finding *f, const unsigned char *other, int64_t e)
{
    const aic_operand *output = &c->operand[c->output];
    const size_t at = (size_t)e * aic_dtype_size(output->dtype);
    const unsigned char *expected = (const unsigned char *)c->expected.data + at;
    if (output->direction == AIC_DIRECTION_OUT) {
        ck_assert_int_eq(has(f, AIC_EVENT_UNWRITTEN), !element_equal(output->dtype, expected, other + at));
    }
    if (has(f, AIC_EVENT_UNWRITTEN)) {
        ck_assert(element_equal(output->dtype, expected, (const unsigned char *)c->content[c->output].data + at));
    } else if (element_is_float(output->dtype)) {
        const double value = element_to_double(output->dtype, expected);
        ck_assert_int_eq(has(f, AIC_EVENT_NOT_FINITE), !isfinite(value));
        if (isnan(value)) {
            ck_assert(!has(f, AIC_EVENT_NAN_LOST) || c->spec->count > 1);
        }
    } else {
        ck_assert(!has(f, AIC_EVENT_NOT_FINITE));
    }
    ck_assert(f->channel >= -1 && f->channel < output->elements);
}

static void run_on_inverse(const verify_case *c, unsigned char *other)
{
    void *pointers[AIC_OPERANDS_MAX];
    for (size_t i = 0; i < c->count; i++) {
        pointers[i] = c->content[i].data;
    }
    for (int64_t i = 0; i < c->operand[c->output].bytes; i++) {
        other[i] = (unsigned char)~((const unsigned char *)c->content[c->output].data)[i];
    }
    pointers[c->output] = other;
    ck_assert_int_eq(aic_reference(c->spec, &c->semantics, pointers, c->count), AIC_OK);
}

static void check_spec(const aic_spec *spec, const aic_semantics *semantics, uint64_t seed)
{
    verify_case c;
    verify_report report;
    void *pointers[AIC_OPERANDS_MAX];
    ck_assert_msg(verify_open(&c, spec, semantics, seed, &report) == VERIFY_PASSED, "%s", report.text);
    const aic_operand *output = &c.operand[c.output];
    unsigned char *other = malloc((size_t)output->bytes + 1);
    aic_finding *findings = calloc((size_t)output->elements + 1, sizeof *findings);
    for (size_t i = 0; i < c.count; i++) {
        pointers[i] = c.content[i].data;
    }
    run_on_inverse(&c, other);
    ck_assert_msg(aic_diagnose(spec, semantics, pointers, c.count, findings) == AIC_OK, "%s", aic_last_error());
    for (int64_t i = 0; i < output->elements; i++) {
        check_element(&c, &findings[i], other, i);
    }
    free(findings);
    free(other);
    verify_close(&c);
}

static aic_semantics small_memories(void)
{
    aic_semantics semantics = aic_semantics_init();
    semantics.lanes = 8;
    semantics.lane_bytes = 4096;
    return semantics;
}

START_TEST(random_operators)
{
    const aic_semantics semantics = small_memories();
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        aic_spec spec;
        int64_t macs, bytes;
        ck_assert_int_eq(aic_spec_draw((aic_op)_i, &semantics, seed, &spec), AIC_OK);
        ck_assert_int_eq(aic_spec_work(&spec, &semantics, &macs, &bytes), AIC_OK);
        if (macs < 1000000 && bytes < 400000) {
            check_spec(&spec, &semantics, seed);
        }
    }
}
END_TEST

START_TEST(random_chains)
{
    const aic_semantics semantics = small_memories();
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        aic_spec spec;
        int64_t macs, bytes;
        ck_assert_int_eq(aic_spec_draw_chain((aic_op)_i, AIC_OP_NONE, &semantics, seed, &spec), AIC_OK);
        ck_assert_int_eq(aic_spec_work(&spec, &semantics, &macs, &bytes), AIC_OK);
        if (macs < 1000000) {
            check_spec(&spec, &semantics, seed);
        }
    }
}
END_TEST

Suite *suite_diagnose(void)
{
    Suite *suite = suite_create("diagnose");
    TCase *tests = tcase_create("diagnose");
    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, an_event_each, 0, COUNT(made));
    tcase_add_test(tests, all_events_are_made);
    tcase_add_loop_test(tests, random_operators, AIC_OP_NONE + 1, AIC_OP_END);
    tcase_add_loop_test(tests, random_chains, AIC_OP_CONV2D, AIC_OP_MMAD + 1);
    suite_add_tcase(suite, tests);
    return suite;
}
