/* The text of traces: the worked examples of the documents line by line, long sums, and a line of each kind. */
#include "frontend/core/stage.h"

#include <aic/aic.h>
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Suite *suite_trace_lines(void);

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static char text[1 << 18];

static const struct {
    const char *word;
    int32_t x;
    const char *lines;
} quantised[] = {
    /* AscendC Fixpipe, E5 */
    {"0x40133E800000", 1000,
     "  acc                      1000 = src[0,0,0]\n"
     "  word                     0x40133e800000: scale 0.25, shift 4, offset 0, signed  [offset_sign=signed (F5), "
     "n_field=plus_one (F6), scale_bits=cut (F9)]\n"
     "  >> 4                     1000 -> 62  [shift=floor (F7)]\n"
     "  to float32               62 -> 62 (0x42780000), exact  [our choice: once to float32, ties to even]\n"
     "  * scale, to float32      62 * 0.25 -> 15.5 (0x41780000), exact  [our choice: the product is rounded once to "
     "float32, the width of the data path]\n"
     "  to integer, ties to even 15.5 -> 16, a tie, to the even one  [public vendor source: reference script of "
     "fixpipe]\n"
     "  + offset                 16 + 0 -> 16  [public vendor source: table of the word's bits]\n"
     "  clamp to -128..127       16 -> 16  [public vendor source: bit 46 of the word gives the range]\n"
     "dst[0,0] = 16\n"},
    {"0x40133E800000", -1000, ">> 4                     -1000 -> -63  [shift=floor (F7)]\n"},
    {"0x40133E800000", -1000, "-15.75 -> -16, down to the nearest  ["},
    /* The issue's: 1017 >> 4, 15.75, 16, less 3. */
    {"0x7FB33E800000", 1017, "15.75 -> 16, up to the nearest  ["},
    {"0x7FB33E800000", 1017, "+ offset                 16 + -3 -> 13  ["},
    /* E4: the clamp to 9 bits comes before the offset */
    {"quant(0.5, 10, uint8)", 1000,
     "  clamp to -256..255       500 -> 255  [offset_clamp=clamp (F12)]\n"
     "  to integer, ties to even 255 -> 255, exact  [public vendor source: reference script of fixpipe]\n"
     "  + offset                 255 + 10 -> 265  [public vendor source: table of the word's bits]\n"
     "  clamp to 0..255          265 -> 255  [public vendor source: bit 46 of the word gives the range]\n"},
    {"0x40133E800000", 2000000000, "  clamp to int16           125000000 -> 32767  [our choice: "},
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
    ck_assert_msg(aic_spec_read(operator, & spec) == AIC_OK, "%s", aic_last_error());
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
    ck_assert_int_eq(aic_spec_read("conv2d(dtype=float16, fm_shape=[2,1,1,16], kernel_shape=[2,1,1,16,16])", &spec),
                     AIC_OK);
    ck_assert_msg(aic_trace(&spec, NULL, operands, 3, 0, &value, text, sizeof text, NULL) == AIC_OK, "%s",
                  aic_last_error());
    ck_assert_str_eq(text,
                     "conv2d, ho 0, wo 0, output channel 0:\n"
                     "  c1 0 kh 0 kw 0           s 2048*8192 + 1*1 = 16777217, acc 16777216 (0x4B800000), rounded\n"
                     "  c1 1 kh 0 kw 0           s 1*1 = 1, acc 16777216 (0x4B800000), rounded\n"
                     "  sum                      16777216 (0x4B800000)  [sum=block (C1)]\n"
                     "dst[0,0,0] = 16777216\n");
    ck_assert(value == 16777216);
}
END_TEST

/* Of floats as of integers. */
START_TEST(long_float_sums_are_cut)
{
    static uint16_t fm[128][16], weight[128][3][3][16][16];
    static float dst[16][16];
    memset(weight, 0, sizeof weight);
    aic_spec spec;
    void *operands[] = {dst, fm, weight};
    for (size_t i = 0; i < sizeof fm / sizeof(uint16_t); i++) {
        fm[i / 16][i % 16] = 0x3C00;
    }
    ck_assert_int_eq(
        aic_spec_read("conv2d(dtype=float16, fm_shape=[128,1,1,16], kernel_shape=[128,3,3,16,16], pad=[1,1,1,1])",
                      &spec),
        AIC_OK);
    char *room = malloc(1 << 18);
    ck_assert_msg(aic_trace(&spec, NULL, operands, 3, 5, NULL, room, 1 << 18, NULL) == AIC_OK, "%s", aic_last_error());
    ck_assert_ptr_nonnull(strstr(room, "  ...                      128 more blocks are added in the same way\n"));
    ck_assert_ptr_nonnull(strstr(room, "  c1 56 kh 2 kw 1 ")); /* block 511 */
    ck_assert_ptr_null(strstr(room, "  c1 56 kh 2 kw 2 "));    /* and the next, which is left out */
    ck_assert_ptr_nonnull(strstr(room, "dst[0,0,5] = 0\n"));
    free(room);
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
    ck_assert_int_eq(aic_spec_read("conv2d(dtype=int8, fm_shape=[128,1,1,32], kernel_shape=[128,3,3,16,32], "
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

#define FIX "fixpipe(nSize=16, mSize=1, srcStride=1, dstStride=16, "
#define QF FIX "src=float32, dst=int8, quantPre=QF322B8_PRE, deqScalar=0x40003F800000)"
#define REQ8 FIX "src=int32, dst=int8, quantPre=REQ8, "
#define SHIFT                                                                                                          \
    "tensor_arithmetic_quantized(op=BM_SHIFT, shape=[1,1,1,4], input0_8bit=false, input1_8bit=false, "                 \
    "output_8bit=false"

/* The trace of an element has this line where operands hold these words, the output first, over and over. */
static void check_line(const char *operator, const aic_semantics * semantics, int64_t element, const uint32_t words[3],
                       const char *line)
{
    static uint32_t memory[3][4096];
    void *operands[AIC_OPERANDS_MAX] = {memory[0], memory[1], memory[2]};
    aic_spec spec;
    aic_operand table[AIC_OPERANDS_MAX];
    size_t count = 0;
    for (size_t o = 0; o < 3; o++) {
        for (size_t i = 0; i < COUNT(memory[0]); i++) {
            memory[o][i] = words[o];
        }
    }
    ck_assert_msg(aic_spec_read(operator, & spec) == AIC_OK, "%s", aic_last_error());
    ck_assert_msg(aic_spec_operands(&spec, semantics, table, &count) == AIC_OK, "%s", aic_last_error());
    for (size_t o = 0; o < count; o++) {
        operands[o] = table[o].direction == AIC_DIRECTION_UNUSED ? NULL : operands[o];
    }
    ck_assert_msg(aic_trace(&spec, semantics, operands, count, element, NULL, text, sizeof text, NULL) == AIC_OK, "%s",
                  aic_last_error());
    ck_assert_msg(strstr(text, line) != NULL, "no \"%s\":\n%s", line, text);
}

static const struct {
    const char *spec;
    int64_t element;
    uint32_t words[3];
    const char *line;
} lines[] = {
    {"transdata(dtype=int8, src=NCHW, dst=4N, shape=[3,1,1,1])",
     3,
     {0x7F7F7F7F, 1},
     "nothing writes it        a word has parts for more batches than there are  ["},
    {"transdata(dtype=int8, src=NCHW, dst=4N, shape=[3,1,1,1])", 3, {0x7F7F7F7F, 1}, "dst[0,0,0,0,3] = 127\n"},
    {FIX "src=int32, dst=int32, reluEn=true)", 3, {0, 0xFFFFFFFE}, "relu                     -2 -> 0  ["},
    {FIX "src=float32, dst=float32, reluEn=true)",
     3,
     {0, 0xC0000000},
     "relu                     -2 -> 0 (0x00000000)  ["},
    {QF, 0, {0, 0x7FC00000}, "NaN to 0                 nan -> 0  ["},
    {QF, 0, {0, 0x44000000}, "clamp to -256..255       512 -> 255  ["},
    {SHIFT ")", 0, {0, 0x80F0, 0xFFFC}, "BM_SHIFT                 0x080F = 2063  ["},
    {SHIFT ", shift_type=1)", 0, {0, 0x80F0, 0xFFFC}, "BM_SHIFT                 0xF80F = -2033  ["},
    {SHIFT ")", 0, {0, 0x80F0, 0xFFEC}, "BM_SHIFT                 0x0000 = 0  ["},
    {SHIFT ", shift_type=1)", 0, {0, 0x80F0, 0xFFEC}, "BM_SHIFT                 0xFFFF = -1  ["},
    {"conv2d(dtype=float16, fm_shape=[1,4,4,16], kernel_shape=[1,3,3,16,16], accumulate=winograd)",
     0,
     {0, 0x3C003C00, 0x3C003C00},
     "transforms               may be off by "},
    {"tensor_arithmetic(op=BM_SE, shape=[1,1,1,4], select_value=3)", 2, {0, 5, 5}, " -> 0x40400000  ["},
    {"mmad(dtype=int8, m=1, n=16, k=1, c_format=Nz)", 16, {7}, "nothing writes it        row 1, column 0 is outside"},
    {"mmad(dtype=int8, m=1, n=16, k=1, c_format=Nz)", 16, {7}, "\nc[0,0,1,0] = 7\n"},
    {"mmad(dtype=float16, m=1, n=16, k=1, accumulate=fast)",
     0,
     {0, 0x3C003C00, 0x40004000},
     "1*2, exact sum 2\n  exact sum                2  [our choice: accumulate=fast"},
    {"mmad(dtype=float16, m=1, n=16, k=1, accumulate=fast)",
     0,
     {0, 0x3C003C00, 0x40004000},
     "bound                    1.1920928955078125e-07: any result from"},
    {"nd2nz(dtype=int8, nValue=1, dValue=31, srcDValue=31, dstNzC0Stride=1)",
     31,
     {1, 1},
     "padding                  0: src"},
    {"nd2nz(dtype=int8, nValue=1, dValue=32, srcDValue=32, dstNzC0Stride=1)",
     5,
     {1, 0x03020100},
     "copied                   src[0,5] = 1  ["},
    {"load_data(dtype=float16, repeatTimes=1, ifTranspose=true)", 17, {0, 0x40003C00}, "src[0,1,1] = 2 (0x4000)  ["},
    {"load_data_transpose(dtype=int8, repeatTimes=1)", 34, {0, 0x04030201}, "src[0,2,1] = 2  ["},
    {"transdata(dtype=int8, src=NHWC, dst=NC1HWC0, shape=[1,2,2,3])", 33, {0, 0x04030201}, "src[0,0,1,1] = 1  ["},
    {"texpands(dtype=int32, rows=2, cols=8, v_row=1)", 9, {5, 6}, "the valid region is 1 x 8"},
    {"tensor_arithmetic(op=BM_ADD, shape=[1,1,1,4])",
     2,
     {0, 0x3F800000, 0x33800000},
     "1 + 5.9604645e-08 -> 1 (0x3F800000), a tie, to the even one  [tensor"},
    {"tensor_arithmetic(op=BM_MAC, shape=[1,1,1,4])",
     2,
     {0x3F800000, 0x40000000, 0x40400000},
     "6 + 1 -> 7 (0x40E00000)"},
    {"tensor_arithmetic(op=BM_MAX, shape=[1,1,1,4])", 2, {0, 0x80000000, 0}, "-0 and 0 -> 0 (0x00000000)"},
    {"tensor_arithmetic(op=BM_MAX, shape=[1,1,1,4])", 2, {0, 0, 0x80000000}, "0 and -0 -> 0 (0x00000000)"},
    {"tensor_arithmetic(op=BM_MIN, shape=[1,1,1,4])", 2, {0, 0, 0x80000000}, "0 and -0 -> -0 (0x80000000)"},
    {"tensor_arithmetic(op=BM_DIV, shape=[1,1,1,4])",
     2,
     {0, 0x3F800000, 0x40400000},
     "1 / 3 -> 0.33333334 (0x3EAAAAAB), up"},
    {"tensor_arithmetic_quantized(op=BM_MUL, shape=[1,1,1,4], rshift_bit=1, output_8bit=true, output_sign=true, "
     "input0_8bit=true, input1_8bit=true)",
     2,
     {0x11223344, 5, 7},
     ">> 1                     35 -> 17  [rounding=floor (T1)]"},
    {"tensor_arithmetic_quantized(op=BM_MUL, shape=[1,1,1,4], rshift_bit=1, output_8bit=true, output_sign=true, "
     "input0_8bit=true, input1_8bit=true)",
     2,
     {0x11223344, 5, 7},
     "part 1                   51 stays: there is no batch 1"},
};

START_TEST(a_line_each)
{
    check_line(lines[_i].spec, NULL, lines[_i].element, lines[_i].words, lines[_i].line);
}
END_TEST

/* The same under a choice that is not the default. */
static const struct {
    const char *key, *value, *spec;
    int64_t element;
    uint32_t words[3];
    const char *line;
} chosen[] = {
    {"shift", "nearest", REQ8 "deqScalar=0x40133E800000)", 0, {0, 1000}, ">> 4                     1000 -> 62  ["},
    {"shift", "nearest", REQ8 "deqScalar=0x40133E800000)", 0, {0, 1016}, ">> 4                     1016 -> 64  ["},
    {"shift", "nearest", REQ8 "deqScalar=0x40133E800000)", 0, {0, 1001}, ">> 4                     1001 -> 63  ["},
    {"shift", "nearest", REQ8 "deqScalar=0x40133E800000)", 0, {0, 999}, ">> 4                     999 -> 62  ["},
    {"relu",
     "before",
     REQ8 "reluEn=true, deqScalar=0x3F000000)",
     0,
     {0, 0xFFFFFFFE},
     "relu                     -2 -> 0  ["},
    {"int_overflow",
     "clamp",
     "mmad(dtype=int8, m=1, n=16, k=1, init_c=false)",
     0,
     {0x80000000, 0xFFFFFFFF, 0x01010101},
     "clamp to int32           -2147483649 -> -2147483648  ["},
    {"int_overflow",
     "clamp",
     "mmad(dtype=int8, m=1, n=16, k=1, init_c=false)",
     0,
     {0x7FFFFFFF, 0x01010101, 0x01010101},
     "clamp to int32           2147483648 -> 2147483647  ["},
};

START_TEST(a_line_under_a_choice)
{
    aic_semantics semantics = aic_semantics_init();
    ck_assert_int_eq(aic_semantics_choose(&semantics, chosen[_i].key, chosen[_i].value), AIC_OK);
    check_line(chosen[_i].spec, &semantics, chosen[_i].element, chosen[_i].words, chosen[_i].line);
}
END_TEST

Suite *suite_trace_lines(void)
{
    Suite *suite = suite_create("trace_lines");
    TCase *tests = tcase_create("trace_lines");
    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, quantisation_step_by_step, 0, COUNT(quantised));
    tcase_add_test(tests, cube_block_by_block);
    tcase_add_test(tests, long_sums_are_cut);
    tcase_add_test(tests, long_float_sums_are_cut);
    tcase_add_loop_test(tests, a_line_each, 0, COUNT(lines));
    tcase_add_loop_test(tests, a_line_under_a_choice, 0, COUNT(chosen));
    suite_add_tcase(suite, tests);
    return suite;
}
