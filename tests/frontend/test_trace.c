/* Traces against the reference, with which they share nothing: every element of pseudo-random operators and chains;
 * what is refused. Their text is in test_trace_lines.c. */
#include "frontend/core/stage.h"
#include "tests/claims.h"
#include "tests/levels.h"
#include "tools/harness/element.h"
#include "tools/harness/operand_text.h"
#include "tools/harness/rng.h"
#include "tools/harness/verify.h"

#include <aic/aic.h>
#include <aic/tool.h>
#include <check.h>
#include <fenv.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Suite *suite_trace(void);

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

enum { SEEDS = 12, CAMPAIGN_SEEDS = 40, ELEMENTS_MAX = 60, TEXT_MAX = 1 << 18 };

static char text[TEXT_MAX];
static int others; /* references that were run on other elements; each test has a process of its own */

/* The text of a trace, which must succeed; its value in *value. */
static aic_status trace_of(const verify_case *c, int64_t element, uint64_t *value)
{
    void *pointers[AIC_OPERANDS_MAX];
    size_t length = 0;
    for (size_t i = 0; i < c->count; i++) {
        pointers[i] = c->content[i].data;
    }
    *value = 0;
    aic_status status =
        aic_trace(c->spec, &c->semantics, pointers, c->count, element, value, text, sizeof text, &length);
    ck_assert(status != AIC_OK || strlen(text) == length);
    return status;
}

/* Whether the reference writes each element of an output that it does not read: the same comes of two different old
 * contents. The second result is in `other`. */
static void run_on_inverse(const verify_case *c, unsigned char *other)
{
    void *pointers[AIC_OPERANDS_MAX];
    const aic_operand *output = &c->operand[c->output];
    for (size_t i = 0; i < c->count; i++) {
        pointers[i] = c->content[i].data;
    }
    for (int64_t i = 0; i < output->bytes; i++) {
        other[i] = (unsigned char)~((const unsigned char *)c->content[c->output].data)[i];
    }
    pointers[c->output] = other;
    ck_assert_int_eq(aic_reference(c->spec, &c->semantics, pointers, c->count), AIC_OK);
}

static void check_element(const verify_case *c, const unsigned char *other, int64_t e)
{
    const aic_operand *output = &c->operand[c->output];
    const size_t size = aic_dtype_size(output->dtype);
    const unsigned char *expected = (const unsigned char *)c->expected.data + (size_t)e * size;
    uint64_t value;
    char last[256], where[OPERAND_TEXT_MAX];
    ck_assert_msg(trace_of(c, e, &value) == AIC_OK, "element %" PRId64 ": %s", e, aic_last_error());
    if (output->direction == AIC_DIRECTION_OUT) {
        const bool written = element_equal(output->dtype, expected, other + (size_t)e * size);
        ck_assert_msg(written == (strstr(text, "nothing writes it") == NULL), "element %" PRId64 ":\n%s", e, text);
    }
    ck_assert_msg(element_equal(output->dtype, &value, expected), "element %" PRId64 " differs:\n%s", e, text);
    aic_coordinates coordinates = aic_coordinates_init();
    ck_assert_int_eq(aic_spec_coordinates(c->spec, &c->semantics, c->output, &coordinates), AIC_OK);
    coordinates_text(&coordinates, e, where);
    snprintf(last, sizeof last, "%s%.200s = ", output->name, where);
    const char *end = text + strlen(text) - 1;
    while (end > text && end[-1] != '\n') {
        end--;
    }
    ck_assert_msg(strncmp(end, last, strlen(last)) == 0, "the last line is not \"%s\":\n%s", last, text);
}

/* Semantics of a seed: one of the profiles, or each choice at random. */
static aic_semantics semantics_of(uint64_t seed)
{
    aic_semantics semantics = aic_semantics_init();
    uint64_t state = seed;
    size_t profiles = 0;
    while (aic_profile_at(profiles) != NULL) {
        profiles++;
    }
    const aic_profile *profile = aic_profile_at(seed % (profiles + 2));
    if (profile != NULL) {
        ck_assert_int_eq(aic_semantics_apply_profile(&semantics, profile->name), AIC_OK);
        return semantics;
    }
    const aic_reading *reading;
    for (size_t i = 0; (reading = aic_reading_at(i)) != NULL; i++) {
        if (rng_range(&state, 0, 1) != 0) {
            ck_assert_int_eq(aic_semantics_choose(&semantics, reading->key, reading->value), AIC_OK);
        }
    }
    return semantics;
}

/* Local memories of 32 MiB would take most of the time. */
static void shrink(aic_semantics *semantics)
{
    semantics->lanes = 8;
    semantics->lane_bytes = 8192;
}

/* A copy of an operand in which all elements are others but those that are marked. */
static unsigned char *change_unread(const verify_case *c, size_t i, const unsigned char *reads)
{
    const aic_operand *operand = &c->operand[i];
    const int64_t size = operand->elements > 0 ? operand->bytes / operand->elements : 0;
    unsigned char *copy = malloc((size_t)operand->bytes + 1);
    for (int64_t b = 0; b < operand->bytes; b++) {
        copy[b] = ((const unsigned char *)c->content[i].data)[b];
        copy[b] ^= b % size == 0 && reads[b / size] == 0 ? 0x15 : 0;
    }
    return copy;
}

/* An element comes of those that aic_trace_reads() marks alone, and the caller's floating-point environment does not
 * count and stays as it is. */
static void check_reads(const verify_case *c, int64_t e)
{
    const aic_operand *output = &c->operand[c->output];
    const size_t size = aic_dtype_size(output->dtype);
    unsigned char *reads[AIC_OPERANDS_MAX] = {NULL};
    void *pointers[AIC_OPERANDS_MAX];
    for (size_t i = 0; i < c->count; i++) {
        pointers[i] = c->content[i].data;
        reads[i] = calloc((size_t)c->operand[i].elements + 1, 1);
    }
    fenv_t before;
    fegetenv(&before);
    feclearexcept(FE_ALL_EXCEPT);
    const aic_status status = aic_trace_reads(c->spec, &c->semantics, pointers, c->count, e, reads);
    const int raised = fetestexcept(FE_ALL_EXCEPT);
    fesetenv(&before);
    ck_assert_msg(status == AIC_OK, "%s", aic_last_error());
    ck_assert_int_eq(raised, 0);
    for (size_t i = 0; i < c->count; i++) {
        pointers[i] = pointers[i] != NULL ? change_unread(c, i, reads[i]) : NULL;
        free(reads[i]);
    }
    if (aic_reference(c->spec, &c->semantics, pointers, c->count) == AIC_OK) { /* other words may be illegal */
        const size_t at = (size_t)e * size;
        ck_assert_msg(element_equal(output->dtype, (const unsigned char *)pointers[c->output] + at,
                                    (const unsigned char *)c->expected.data + at),
                      "element %" PRId64 " comes of elements that are not marked", e);
        others++;
    }
    for (size_t i = 0; i < c->count; i++) {
        free(pointers[i]);
    }
}

static void check_spec(const aic_spec *spec, const aic_semantics *semantics, uint64_t seed)
{
    verify_case c;
    verify_report report;
    if (aic_spec_validate(spec, semantics) != AIC_OK) {
        ck_assert_msg(semantics->scale_bits == AIC_SCALE_BITS_FULL, "%s", aic_last_error()); /* subnormal scales */
        return;
    }
    ck_assert_msg(verify_open(&c, spec, semantics, seed, &report) == VERIFY_PASSED, "%s", report.text);
    const aic_operand *output = &c.operand[c.output];
    unsigned char *other = malloc((size_t)output->bytes + 1);
    run_on_inverse(&c, other);
    uint64_t state = claims_seed(seed);
    for (int64_t i = 0; i < output->elements && i < ELEMENTS_MAX; i++) {
        check_element(&c, other, output->elements <= ELEMENTS_MAX ? i : rng_range(&state, 0, output->elements - 1));
    }
    if (output->elements > 0) {
        check_reads(&c, rng_range(&state, 0, output->elements - 1));
    }
    free(other);
    verify_close(&c);
}

/* A run of the reference an element: half of the suite's time finds what a quarter of the cases finds. */
static uint64_t seeds(void)
{
    return levels_campaign() > 0 ? CAMPAIGN_SEEDS : SEEDS;
}

START_TEST(random_operators)
{
    for (uint64_t seed = 0; seed < seeds(); seed++) {
        aic_spec spec;
        aic_semantics semantics = semantics_of(seed);
        shrink(&semantics);
        ck_assert_int_eq(aic_spec_draw((aic_op)_i, &semantics, seed, &spec), AIC_OK);
        check_spec(&spec, &semantics, seed);
    }
    ck_assert_int_ge(others, 3);
}
END_TEST

/* Under the choice by which a Mat tile, whose boxes may go down, has a valid region. */
START_TEST(tiles_with_a_region)
{
    aic_semantics semantics = aic_semantics_init();
    ck_assert_int_eq(aic_semantics_choose(&semantics, "mat_valid", "valid"), AIC_OK);
    int boxes = 0;
    for (uint64_t seed = 0; seed < 400; seed++) {
        aic_spec spec;
        ck_assert_int_eq(aic_spec_draw(AIC_OP_TEXPANDS, &semantics, seed, &spec), AIC_OK);
        const aic_texpands_desc *d = &spec.stage[0].desc.texpands;
        if (d->loc == AIC_LOC_MAT && d->layout == AIC_LAYOUT_ND && d->slayout == AIC_SLAYOUT_COL_MAJOR) {
            check_spec(&spec, &semantics, seed);
            boxes++;
        }
    }
    ck_assert_int_ge(boxes, 10);
}
END_TEST

/* Of any length, with any operator at either end that can be there. */
START_TEST(random_chains)
{
    for (uint64_t seed = 0; seed < seeds(); seed++) {
        aic_spec spec;
        const aic_semantics semantics = semantics_of(seed);
        ck_assert_int_eq(aic_spec_draw_chain((aic_op)_i, AIC_OP_NONE, &semantics, seed, &spec), AIC_OK);
        check_spec(&spec, &semantics, seed);
    }
    ck_assert_int_ge(others, 3);
}
END_TEST

/* What pseudo-random requests seldom are: operations and layouts that are one of many, strides that do not count. A
 * second choice goes with some. */
static const struct {
    const char *spec, *key, *value;
} seldom[] = {
    {"transdata(dtype=int8, src=NCHW, dst=4N, shape=[6,3,2,2])", NULL, NULL},
    {"transdata(dtype=int8, src=4N, dst=NCHW, shape=[6,3,2,2])", NULL, NULL},
    {"transdata(dtype=float16, src=NCHW, dst=2N, shape=[3,3,2,2])", NULL, NULL},
    {"tensor_arithmetic(op=BM_SE, shape=[1,1,1,4], input0_is_const=true, input0_const=2, input1_is_const=true, "
     "input1_const=2, select_value=3)",
     NULL, NULL},
    {"texpands(loc=mat, dtype=float16, layout=NDC1HWC0, shape=[1,1,2,1,1,16], buffer_size=50)", NULL, NULL},
    {"tensor_arithmetic_quantized(op=BM_AND, shape=[2,1,2,5])", NULL, NULL},
    {"tensor_arithmetic_quantized(op=BM_MIN, shape=[2,1,2,5], input0_sign=true)", NULL, NULL},
    {"tensor_arithmetic_quantized(op=BM_MAX, shape=[2,1,2,5])", NULL, NULL},
    {"tensor_arithmetic_quantized(op=BM_MUL, shape=[2,1,2,5])", "rounding", "half_up"},
    {"tensor_arithmetic_quantized(op=BM_MUL, shape=[2,1,2,5], rshift_bit=3)", "rounding", "half_up"},
    {"mmad(dtype=float16, m=20, n=40, k=3) | tensor_arithmetic(op=BM_ADD)", NULL, NULL},
    {"mmad(dtype=float16, m=20, n=16, k=3) | tensor_arithmetic(op=BM_ADD, input1_stride=[-1,-1,40,2])", NULL, NULL},
    {"mmad(dtype=float16, m=1, n=16, k=3) | tensor_arithmetic(op=BM_ADD, shape=[0,0,1,0], input1_stride=[-1,-1,-1,2])",
     NULL, NULL},
    {"fixpipe(src=int32, dst=int8, nSize=16, mSize=5, srcStride=5, dstStride=16, quantPre=REQ8, "
     "deqScalar=0x40133E800000)",
     "shift", "nearest"},
    {"fixpipe(src=int32, dst=int8, nSize=16, mSize=5, srcStride=5, dstStride=16, quantPre=REQ8, reluEn=true, "
     "deqScalar=quant(0.01))",
     "relu", "before"},
    {"fixpipe(src=float32, dst=int8, nSize=16, mSize=5, srcStride=5, dstStride=16, quantPre=QF322B8_PRE, reluEn=true, "
     "deqScalar=quant(0.5))",
     "relu", "before"},
};

START_TEST(seldom_requests)
{
    aic_spec spec;
    aic_semantics semantics = aic_semantics_init();
    ck_assert_msg(aic_spec_read(seldom[_i].spec, &spec) == AIC_OK, "%s", aic_last_error());
    ck_assert(seldom[_i].key == NULL || aic_semantics_choose(&semantics, seldom[_i].key, seldom[_i].value) == AIC_OK);
    ck_assert_msg(aic_spec_validate(&spec, &semantics) == AIC_OK, "%s", aic_last_error());
    check_spec(&spec, &semantics, 1);
}
END_TEST

/* ---- refusals ---- */

static const struct {
    const char *spec;
    int64_t element;
    aic_status status;
    const char *message;
} refusals[] = {
    {"mmad(dtype=int8, m=1, n=16, k=1)", 16, AIC_INVALID_ARGUMENT, "element: 16 is outside 0..15 of c"},
    {"mmad(dtype=int8, m=1, n=16, k=1)", -1, AIC_INVALID_ARGUMENT, "element: -1 is outside 0..15 of c"},
};

START_TEST(refused)
{
    static unsigned char memory[3][4096];
    void *operands[] = {memory[0], memory[1], memory[2]};
    aic_spec spec;
    aic_operand table[AIC_OPERANDS_MAX];
    size_t count = 0;
    ck_assert_int_eq(aic_spec_read(refusals[_i].spec, &spec), AIC_OK);
    ck_assert_int_eq(aic_spec_operands(&spec, NULL, table, &count), AIC_OK);
    ck_assert_int_eq(aic_trace(&spec, NULL, operands, count, refusals[_i].element, NULL, text, sizeof text, NULL),
                     refusals[_i].status);
    ck_assert_msg(strstr(aic_last_error(), refusals[_i].message) != NULL, "%s", aic_last_error());
    unsigned char *reads[AIC_OPERANDS_MAX] = {NULL};
    ck_assert_int_eq(aic_trace_reads(&spec, NULL, operands, count, refusals[_i].element, reads), refusals[_i].status);
    ck_assert_msg(strstr(aic_last_error(), refusals[_i].message) != NULL, "%s", aic_last_error());
    ck_assert_int_eq(aic_trace_reads(&spec, NULL, operands, count, 0, NULL), AIC_INVALID_ARGUMENT);
}
END_TEST

Suite *suite_trace(void)
{
    Suite *suite = suite_create("trace");
    TCase *tests = tcase_create("trace");
    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, random_operators, AIC_OP_NONE + 1, AIC_OP_END);
    tcase_add_test(tests, tiles_with_a_region);
    tcase_add_loop_test(tests, random_chains, AIC_OP_CONV2D, AIC_OP_MMAD + 1);
    tcase_add_loop_test(tests, seldom_requests, 0, COUNT(seldom));
    tcase_add_loop_test(tests, refused, 0, COUNT(refusals));
    suite_add_tcase(suite, tests);
    return suite;
}
