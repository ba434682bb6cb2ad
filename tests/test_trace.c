/* Traces against the reference, with which they share nothing: every element of pseudo-random operators and chains; the
 * worked examples of the documents line by line; what is refused. */
#include "tests/claims.h"
#include "tools/harness/element.h"
#include "tools/harness/operand_text.h"
#include "tools/harness/rng.h"
#include "tools/harness/verify.h"

#include <aic/aic.h>
#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Suite *suite_trace(void);

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

enum { SEEDS = 60, ELEMENTS_MAX = 150, TEXT_MAX = 1 << 18 };

static char text[TEXT_MAX];

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
        aic_trace(&c->spec, &c->semantics, pointers, c->count, element, value, text, sizeof text, &length);
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
    ck_assert_int_eq(aic_reference(&c->spec, &c->semantics, pointers, c->count), AIC_OK);
}

static void check_element(const verify_case *c, const unsigned char *other, int64_t e)
{
    const aic_operand *output = &c->operand[c->output];
    const size_t size = aic_dtype_size(output->dtype);
    const unsigned char *expected = (const unsigned char *)c->expected.data + (size_t)e * size;
    uint64_t value;
    const aic_status status = trace_of(c, e, &value);
    if (output->direction == AIC_OUT) {
        const bool written = element_equal(output->dtype, expected, other + (size_t)e * size);
        ck_assert_msg(written == (status == AIC_OK), "element %" PRId64 ": %s", e, aic_last_error());
    }
    if (status == AIC_OK) {
        char last[256], where[OPERAND_TEXT_MAX];
        ck_assert_msg(element_equal(output->dtype, &value, expected), "element %" PRId64 " differs:\n%s", e, text);
        aic_coordinates coordinates;
        ck_assert_int_eq(aic_spec_coordinates(&c->spec, &c->semantics, c->output, &coordinates), AIC_OK);
        coordinates_text(&coordinates, e, where);
        snprintf(last, sizeof last, "\n%s%.200s = ", output->name, where);
        ck_assert_msg(strstr(text, last) != NULL, "no last line \"%s\":\n%s", last, text);
    } else {
        ck_assert_int_eq(status, AIC_INVALID_ARGUMENT);
        ck_assert_ptr_nonnull(strstr(aic_last_error(), "is not written"));
    }
}

/* Semantics of a seed: the default choices, or in every other one each choice at random. */
static aic_semantics semantics_of(uint64_t seed)
{
    aic_semantics semantics = aic_semantics_init();
    uint64_t state = seed;
    const aic_reading *reading;
    semantics.overflow = seed % 2 == 0 ? AIC_OVERFLOW_SATURATE : AIC_OVERFLOW_IEEE;
    for (size_t i = 0; seed / 2 % 2 != 0 && (reading = aic_reading_at(i)) != NULL; i++) {
        if (rng_range(&state, 0, 1) != 0) {
            ck_assert_int_eq(aic_semantics_choose(&semantics, reading->key, reading->value), AIC_OK);
        }
    }
    return semantics;
}

static void check_spec(const aic_spec *spec, uint64_t seed)
{
    verify_case c;
    verify_report report;
    const aic_semantics semantics = semantics_of(seed);
    if (aic_spec_validate(spec, &semantics) != AIC_OK) {
        ck_assert_int_eq(semantics.scale_bits, AIC_SCALE_BITS_FULL); /* which makes some scales subnormal */
        return;
    }
    ck_assert_msg(verify_open(&c, spec, &semantics, seed, &report) == VERIFY_PASSED, "%s", report.text);
    const aic_operand *output = &c.operand[c.output];
    unsigned char *other = malloc((size_t)output->bytes + 1);
    run_on_inverse(&c, other);
    uint64_t state = claims_seed(seed);
    for (int64_t i = 0; i < output->elements && i < ELEMENTS_MAX; i++) {
        check_element(&c, other, output->elements <= ELEMENTS_MAX ? i : rng_range(&state, 0, output->elements - 1));
    }
    free(other);
    verify_close(&c);
}

static const aic_op operators[] = {AIC_OP_CONV2D, AIC_OP_MMAD, AIC_OP_FIXPIPE, AIC_OP_TIK_FIXPIPE};

START_TEST(random_operators)
{
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        aic_spec spec;
        ck_assert_int_eq(aic_spec_random(operators[_i], NULL, seed, &spec), AIC_OK);
        if (aic_spec_exact(&spec)) {
            check_spec(&spec, seed);
        }
    }
}
END_TEST

START_TEST(random_chains)
{
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        aic_spec spec;
        ck_assert_int_eq(aic_spec_random_chain(operators[_i], AIC_OP_FIXPIPE, NULL, seed, &spec), AIC_OK);
        if (aic_spec_exact(&spec)) {
            check_spec(&spec, seed);
        }
    }
}
END_TEST

/* ---- worked examples ---- */

static const struct {
    const char *word;
    int32_t x;
    const char *lines;
} quantised[] = {
    /* AscendC Fixpipe, E5 */
    {"0x40133E800000", 1000,
     "  acc                      1000\n"
     "  word                     0x40133e800000: scale 0.25, shift 4, offset 0, signed\n"
     "  >> 4                     62\n"
     "  to float32               62 (0x42780000)\n"
     "  * scale, to float32      15.5 (0x41780000) (scale 0.25)\n"
     "  to integer, ties to even 16\n"
     "  + offset                 16 (offset 0)\n"
     "  clamp to -128..127       16\n"
     "dst[0,0] = 16\n"},
    {"0x40133E800000", -1000,
     "  >> 4                     -63\n"
     "  to float32               -63 (0xC27C0000)\n"
     "  * scale, to float32      -15.75 (0xC17C0000) (scale 0.25)\n"
     "  to integer, ties to even -16\n"},
    /* The issue's: 1017 >> 4, 15.75, 16, less 3. */
    {"0x7FB33E800000", 1017,
     "  >> 4                     63\n"
     "  to float32               63 (0x427C0000)\n"
     "  * scale, to float32      15.75 (0x417C0000) (scale 0.25)\n"
     "  to integer, ties to even 16\n"
     "  + offset                 13 (offset -3)\n"
     "  clamp to -128..127       13\n"
     "dst[0,0] = 13\n"},
    /* E4: the clamp to 9 bits comes before the offset */
    {"quant(0.5, 10, uint8)", 1000,
     "  * scale, to float32      500 (0x43FA0000) (scale 0.5)\n"
     "  clamp to -256..255       255\n"
     "  to integer, ties to even 255\n"
     "  + offset                 265 (offset 10)\n"
     "  clamp to 0..255          255\n"},
    {"0x40133E800000", 2000000000,
     "  >> 4                     125000000\n"
     "  clamp to int16           32767\n"},
};

START_TEST(quantisation_step_by_step)
{
    char operator[256];
    aic_spec spec;
    int8_t dst[16] = {0};
    int32_t src[16] = {0};
    void *operands[] = {dst, src, NULL};
    src[0] = quantised[_i].x;
    snprintf(operator, sizeof operator,
             "fixpipe(src=int32, dst=int8, nSize=16, mSize=1, srcStride=1, dstStride=16, quantPre=REQ8, deqScalar=%s)",
             quantised[_i].word);
    ck_assert_msg(aic_spec_parse(operator, & spec) == AIC_OK, "%s", aic_last_error());
    ck_assert_int_eq(aic_trace(&spec, NULL, operands, 3, 0, NULL, text, sizeof text, NULL), AIC_OK);
    ck_assert_msg(strstr(text, quantised[_i].lines) != NULL, "%s", text);
    ck_assert_int_eq(dst[0], 0); /* nothing is written */
}
END_TEST

/* Blocks that round: 2^24 and 1 in every block of 16 channels. */
START_TEST(cube_block_by_block)
{
    uint16_t fm[2][16] = {{0x6800, 0x3C00}, {0x3C00}}, weight[2][16][16] = {{{0}}}; /* 2048, 1; 1 */
    float dst[16][16];
    weight[0][0][0] = 0x7000; /* 8192: 2048 * 8192 = 2^24 */
    weight[0][0][1] = 0x3C00;
    weight[1][0][0] = 0x3C00;
    aic_spec spec;
    void *operands[] = {dst, fm, weight};
    float value = 0;
    ck_assert_int_eq(aic_spec_parse("conv2d(dtype=float16, fm_shape=[2,1,1,16], kernel_shape=[2,1,1,16,16])", &spec),
                     AIC_OK);
    ck_assert_msg(aic_trace(&spec, NULL, operands, 3, 0, &value, text, sizeof text, NULL) == AIC_OK, "%s",
                  aic_last_error());
    ck_assert_str_eq(text, "conv2d, ho 0, wo 0, output channel 0:\n"
                           "  c1 0 kh 0 kw 0           s 16777217, acc 16777216 (0x4B800000)\n"
                           "  c1 1 kh 0 kw 0           s 1, acc 16777216 (0x4B800000)\n"
                           "dst[0,0,0] = 16777216\n");
    ck_assert(value == 16777216);
}
END_TEST

START_TEST(long_sums_are_cut)
{
    static int8_t fm[128][32], weight[128][3][3][16][32];
    static int32_t dst[16][16];
    memset(fm, 1, sizeof fm);
    memset(weight, 1, sizeof weight);
    aic_spec spec;
    void *operands[] = {dst, fm, weight};
    int32_t value = 0;
    ck_assert_int_eq(aic_spec_parse("conv2d(dtype=int8, fm_shape=[128,1,1,32], kernel_shape=[128,3,3,16,32], "
                                    "pad=[1,1,1,1], pad_value=1)",
                                    &spec),
                     AIC_OK);
    char *room = malloc(1 << 18);
    ck_assert_msg(aic_trace(&spec, NULL, operands, 3, 5, &value, room, 1 << 18, NULL) == AIC_OK, "%s",
                  aic_last_error());
    ck_assert_int_eq(value, 128 * 9 * 32);
    ck_assert_ptr_nonnull(strstr(room, "  ...                      128 more blocks are added in the same way\n"));
    ck_assert_ptr_nonnull(strstr(room, "(padding)"));
    ck_assert_ptr_nonnull(strstr(room, "dst[0,0,5] = 36864\n"));
    free(room);
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
    {"mmad(dtype=int8, m=1, n=16, k=1, c_format=Nz)", 16, AIC_INVALID_ARGUMENT,
     "mmad: element: 16 of c is not written"},
    {"mmad(dtype=float16, m=1, n=16, k=1, accumulate=fast)", 0, AIC_UNSUPPORTED, "accumulate: fast allows every order"},
    {"nd2nz(dtype=int8, nValue=1, dValue=32, srcDValue=32, dstNzC0Stride=1)", 0, AIC_UNSUPPORTED,
     "nd2nz: there is no trace of it"},
};

START_TEST(refused)
{
    static unsigned char memory[3][4096];
    void *operands[] = {memory[0], memory[1], memory[2]};
    aic_spec spec;
    aic_operand table[AIC_OPERANDS_MAX];
    size_t count = 0;
    ck_assert_int_eq(aic_spec_parse(refusals[_i].spec, &spec), AIC_OK);
    ck_assert_int_eq(aic_spec_operands(&spec, NULL, table, &count), AIC_OK);
    ck_assert_int_eq(aic_trace(&spec, NULL, operands, count, refusals[_i].element, NULL, text, sizeof text, NULL),
                     refusals[_i].status);
    ck_assert_msg(strstr(aic_last_error(), refusals[_i].message) != NULL, "%s", aic_last_error());
}
END_TEST

Suite *suite_trace(void)
{
    Suite *suite = suite_create("trace");
    TCase *tests = tcase_create("trace");
    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, random_operators, 0, COUNT(operators));
    tcase_add_loop_test(tests, random_chains, 0, 2);
    tcase_add_loop_test(tests, quantisation_step_by_step, 0, COUNT(quantised));
    tcase_add_test(tests, cube_block_by_block);
    tcase_add_test(tests, long_sums_are_cut);
    tcase_add_loop_test(tests, refused, 0, COUNT(refusals));
    suite_add_tcase(suite, tests);
    return suite;
}
