/* Chains of more than two operators: what is refused, and how; which operands a chain has; and, on small integers, what
 * a reader expects of the results: biases, PReLU, blocks that are filled up. That kernels and the reference agree bit
 * for bit is the subject of tests/corpus/chains.txt and of random chains. */
#include "frontend/core/stage.h"
#include "frontend/numeric/element.h"
#include "tests/rule_case.h"
#include "tests/specs.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

Suite *suite_chains(void);

#define COUNT(rows) (int)(sizeof(rows) / sizeof(rows)[0])

/* ---- rules ---- */

#define HALF "conv2d(dtype=half, fm_shape=[1,5,7,16], kernel_shape=[1,1,1,48,16])" /* 35 rows, 48 of a block */
#define INT "conv2d(dtype=int8, fm_shape=[1,5,7,32], kernel_shape=[1,1,1,48,32])"
#define MATRIX "mmad(dtype=half, m=5, n=20, k=16)"
#define NO_CHAIN                                                                                                       \
    "these two operators cannot be fused: a chain begins with conv2d or mmad, goes on with tensor_arithmetic as "      \
    "often as "                                                                                                        \
    "needed, and may end with fixpipe or tik_fixpipe"
#define STORE "fixpipe(src=float, dst=half, quantPre=F322F16)"
#define ARITH(keys) "tensor_arithmetic(op=BM_ADD" keys ")"

static const rule_case cases[] = {
    {HALF " | " ARITH(""), NULL, 0, NULL},
    {HALF " | " ARITH("") " | " STORE, NULL, 0, NULL},
    {HALF " | " ARITH(", shape=[1,3,48,16], input0_stride=[0,768,16,1], output_stride=[9,768,16,1]"), NULL, 0, NULL},
    {HALF " | " ARITH(", shape=[0,0,35,0]"), NULL, 0, NULL},
    {HALF " | " ARITH("") " | " ARITH("") " | " ARITH("") " | " ARITH("") " | " ARITH(""), NULL, 0, NULL},
    {HALF " | " ARITH(", shape=[2,3,48,16]"), NULL, 0,
     "tensor_arithmetic: shape: N = 2 is not 1 of the accumulators [1,3,48,16] of conv2d"},
    {HALF " | " ARITH(", shape=[1,4,48,16]"), NULL, 0,
     "tensor_arithmetic: shape: C = 4 is not 3 of the accumulators [1,3,48,16] of conv2d"},
    {HALF " | " ARITH(", shape=[1,3,36,16]"), NULL, 0,
     "tensor_arithmetic: shape: H = 36 is not 48 of the accumulators [1,3,48,16] of conv2d"},
    {MATRIX " | " ARITH(", shape=[1,2,16,20]"), NULL, 0,
     "tensor_arithmetic: shape: W = 20 is not 16 of the accumulators [1,2,16,16] of mmad"},
    {HALF " | " ARITH(", input0_stride=[0,560,16,1]"), NULL, 0,
     "tensor_arithmetic: input0_stride: C = 560 is not 768, which the accumulators of conv2d have"},
    {HALF " | " ARITH(", output_stride=[0,768,32,1]"), NULL, 0,
     "tensor_arithmetic: output_stride: H = 32 is not 16, which the accumulators of conv2d have"},
    {HALF " | " ARITH(", input1_stage=1, input1_stride=[0,16,0,1]"), NULL, 0,
     "tensor_arithmetic: input1_stride: C = 16 is not 768, which the accumulators of conv2d have"},
    {HALF " | " ARITH(", input1_stride=[0,-2,0,1]"), NULL, 0,
     "tensor_arithmetic: input1_stride: C = -2 is outside 0..4294967295"},
    {HALF " | " ARITH(", memory=local"), NULL, 0,
     "tensor_arithmetic: memory: local is not flat, which a chain requires: the accumulators have no address"},
    {HALF " | " ARITH(", input0_is_const=true"), NULL, 0,
     "tensor_arithmetic: input0_is_const: true is not false, which a chain requires: input0 is the accumulators"},
    {HALF " | " ARITH(", input1_addr=4"), NULL, 0,
     "tensor_arithmetic: input1_addr: 4 is outside 0..0: in memory=flat operands have no address"},
    {HALF " | " ARITH(", input1_stage=2"), NULL, 0, "tensor_arithmetic: input1_stage: 2 is outside 0..1"},
    {HALF " | " ARITH("") " | " ARITH(", input1_stage=2"), NULL, 0, NULL},
    {HALF " | " ARITH("") " | " ARITH(", input1_stage=-1"), NULL, 0,
     "tensor_arithmetic: input1_stage: -1 is outside 0..2"},
    {HALF " | " ARITH(", input1_stage=1, input1_is_const=true"), NULL, 0,
     "tensor_arithmetic: input1_stage: 1 is not 0, which input1_is_const = true requires"},
    {"tensor_arithmetic(op=BM_ADD, shape=[1,1,1,1], input1_stage=1)", NULL, 0,
     "tensor_arithmetic: input1_stage: 1 is not 0: only chains have stages whose accumulators it can be"},
    {"tensor_arithmetic(op=BM_CPY, shape=[1,1,1,1], input1_stage=1)", NULL, 0, NULL},
    {"tensor_arithmetic(op=BM_ADD)", NULL, 0, "tensor_arithmetic: shape: N = 0 is outside 1..65535"},
    {HALF " | tensor_arithmetic(op=BM_RSQRT)", NULL, 0,
     "tensor_arithmetic: op: BM_RSQRT is not BM_ADD, BM_SUB, BM_MUL, BM_DIV, BM_MAC, BM_MAX, BM_MIN, BM_AND, BM_OR, "
     "BM_XOR, BM_SHIFT, BM_SG, BM_SE or BM_CPY"},
    {HALF " | tensor_arithmetic(op=BM_SHIFT, shift_type=2)", NULL, 0,
     "tensor_arithmetic: shift_type: 2 is outside 0..1"},
    {HALF " | tensor_arithmetic_quantized(op=BM_ADD, shape=[1,1,1,1])", NULL, 0,
     "conv2d | tensor_arithmetic_quantized: " NO_CHAIN},
    {HALF " | " STORE " | " ARITH(""), NULL, 0, "fixpipe | tensor_arithmetic: " NO_CHAIN},
    {"tensor_arithmetic(op=BM_ADD, shape=[1,1,1,1]) | " ARITH(""), NULL, 0,
     "tensor_arithmetic | tensor_arithmetic: " NO_CHAIN},
    /* What arithmetic leaves are words: the next stage says of which type. */
    {HALF " | " ARITH("") " | fixpipe(src=int32, dst=int32)", NULL, 0, NULL},
    {INT " | " ARITH("") " | " STORE, NULL, 0, NULL},
    {INT " | " STORE, NULL, 0, "fixpipe: src: float32 is not int32, which conv2d accumulates"},
    /* l1out */
    {"conv2d(dtype=int8, fm_shape=[1,5,7,32], kernel_shape=[1,1,1,48,32], init_l1out=false, l1out=channel)", NULL, 0,
     "conv2d: l1out: channel is not tensor: only chains have an operand with a value a channel"},
    {"conv2d(dtype=int8, fm_shape=[1,5,7,32], kernel_shape=[1,1,1,48,32], l1out=channel) | " ARITH(""), NULL, 0,
     "conv2d: l1out: channel is not tensor, which init_l1out = true requires"},
    {"mmad(dtype=half, m=5, n=20, k=16, init_c=false, l1out=channel)", NULL, 0,
     "mmad: l1out: channel is not tensor: only chains have an operand with a value a column"},
    {"mmad(dtype=half, m=5, n=20, k=16, l1out=channel) | " ARITH(""), NULL, 0,
     "mmad: l1out: channel is not tensor, which init_c = true requires"},
    /* tik_fixpipe */
    {HALF " | tik_fixpipe(src=float, dst=float)", NULL, 0, NULL},
    {HALF " | tik_fixpipe(src=float, dst=float, cburst_num=3, burst_len=70)", NULL, 0, NULL},
    {HALF " | tik_fixpipe(src=float, dst=float, cburst_num=4)", NULL, 0, "tik_fixpipe: cburst_num: 4 is outside 1..3"},
    {HALF " | tik_fixpipe(src=float, dst=float, burst_len=72)", NULL, 0, "tik_fixpipe: burst_len: 72 is outside 1..70"},
    {HALF " | tik_fixpipe(src=float, dst=float, burst_len=69)", NULL, 0,
     "tik_fixpipe: burst_len: 69 is odd in 1..70: a burst is whole rows of 64 bytes"},
    {HALF " | tik_fixpipe(src=float, dst=float, burst_len=32)", NULL, 0,
     "tik_fixpipe: burst_len: 32 puts bursts of src 16 rows apart, but the blocks of conv2d are 48 apart"},
    {HALF " | tik_fixpipe(src=float, dst=float, cburst_num=1, burst_len=32)", NULL, 0, NULL},
    {HALF " | tik_fixpipe(src=int32, dst=int32)", NULL, 0,
     "tik_fixpipe: src: int32 is not float32, which conv2d accumulates"},
    {"mmad(dtype=half, m=5, n=12, k=16) | tik_fixpipe(src=float, dst=float)", NULL, 0,
     "tik_fixpipe: cburst_num: a burst has 16 columns, more than the 12 of mmad"},
    {MATRIX " | tik_fixpipe(src=float, dst=float, cburst_num=2)", NULL, 0,
     "tik_fixpipe: cburst_num: 2 is outside 1..1"},
    {"tik_fixpipe(src=float, dst=float, burst_len=2)", NULL, 0, "tik_fixpipe: cburst_num: 0 is outside 1..4095"},
};

START_TEST(rules)
{
    rule_case_check(&cases[_i]);
}
END_TEST

/* ---- operands ---- */

static const struct {
    const char *text, *operands;
} operand_rows[] = {
    {HALF " | " ARITH(""), "output float32 [2304], feature_map float16 [1,5,7,16], weight float16 [1,1,1,48,16], "
                           "input1 float32 [2304]"},
    {HALF " | " ARITH(", shape=[1,3,35,16]"),
     "output float32 [2096], feature_map float16 [1,5,7,16], weight float16 [1,1,1,48,16], input1 float32 [1680]"},
    {INT " | tensor_arithmetic(op=BM_AND, input1_stride=[0,16,0,1]) | " ARITH(", input1_is_const=true") " | " ARITH(
         ", input1_stage=1") " | tensor_arithmetic(op=BM_MAC, input1_stride=[0,0,1,0]) | " STORE,
     "dst float16 [1680], feature_map int8 [1,5,7,32], weight int8 [1,1,1,48,32], input1 uint32 [48], input1_2 float32 "
     "[48], cbufWorkspace -"},
    {"conv2d(dtype=int8, fm_shape=[1,5,7,32], kernel_shape=[1,1,1,48,32], init_l1out=false) | tensor_arithmetic(op="
     "BM_XOR) | fixpipe(src=int32, dst=int8, quantPre=VREQ8, format=NZ, fill_block=true)",
     "dst int8 [2240], feature_map int8 [1,5,7,32], weight int8 [1,1,1,48,32], l1out int32 [3,48,16], input1 uint32 "
     "[2304], cbufWorkspace uint64 [48]"},
    {"mmad(dtype=half, m=5, n=20, k=16, init_c=false, l1out=channel) | tensor_arithmetic(op=BM_CPY)",
     "output float32 [512], a float16 [5,16], b float16 [16,20], l1out float32 [20]"},
    {"mmad(dtype=half, m=5, n=20, k=16, init_c=false) | tik_fixpipe(src=float, dst=float, bias=true)",
     "dst float32 [80], a float16 [5,16], b float16 [16,20], l1out float32 [2,1,16,16], bias float32 [16], "
     "mode_param -"},
};

static void describe(const aic_operand *operand, char *text, size_t capacity)
{
    size_t used = strlen(text);
    used += (size_t)snprintf(text + used, capacity - used, "%s%s %s", used == 0 ? "" : ", ", operand->name,
                             operand->direction == AIC_DIRECTION_UNUSED ? "-" : aic_dtype_name(operand->dtype));
    for (int32_t d = 0; d < operand->rank; d++) {
        used += (size_t)snprintf(text + used, capacity - used, "%s%lld%s", d == 0 ? " [" : ",",
                                 (long long)operand->shape[d], d + 1 == operand->rank ? "]" : "");
    }
}

START_TEST(operands_in_their_order)
{
    const aic_spec spec = spec_of(operand_rows[_i].text);
    aic_operand operand[AIC_OPERANDS_MAX];
    size_t count;
    char text[512] = "";
    ck_assert_msg(aic_spec_operands(&spec, NULL, operand, &count) == AIC_OK, "%s", aic_last_error());
    for (size_t i = 0; i < count; i++) {
        describe(&operand[i], text, sizeof text);
    }
    ck_assert_str_eq(text, operand_rows[_i].operands);
    ck_assert_int_eq(operand[0].direction, AIC_DIRECTION_OUT); /* even of BM_MAC: the old output is the accumulators */
}
END_TEST

START_TEST(text_of_six_stages)
{
    static char text[8192];
    const aic_spec spec =
        spec_of(HALF " | " ARITH("") " | " ARITH(", input1_stage=2") " | " ARITH("") " | " ARITH("") " | " STORE);
    aic_spec again;
    ck_assert_int_eq(spec.count, 6);
    ck_assert_int_eq(aic_spec_print(&spec, text, sizeof text, NULL), AIC_OK);
    ck_assert_int_eq(aic_spec_read(text, &again), AIC_OK);
    ck_assert(aic_spec_equal(&spec, &again));
}
END_TEST

START_TEST(layouts_of_results)
{
    static const struct {
        const char *text;
        int64_t shape[5];
    } rows[] = {
        {INT " | fixpipe(src=int32, dst=int8, quantPre=VREQ8, format=NZ, fill_block=true)", {1, 2, 5, 7, 32}},
        {HALF " | " ARITH("") " | fixpipe(src=float, dst=half, quantPre=F322F16, format=NZ)", {1, 3, 5, 7, 16}},
        {HALF " | tik_fixpipe(src=float, dst=float)", {1, 3, 5, 7, 16}},
    };
    for (int i = 0; i < COUNT(rows); i++) {
        const aic_spec spec = spec_of(rows[i].text);
        aic_result_layout result = aic_result_layout_init();
        ck_assert_msg(aic_spec_result_layout(&spec, NULL, &result) == AIC_OK, "%s", aic_last_error());
        ck_assert_str_eq(result.name, "NC1HWC0");
        ck_assert_mem_eq(result.shape, rows[i].shape, sizeof rows[i].shape);
    }
}
END_TEST

/* ---- values ---- */

enum { PIXELS = 6, CHANNELS = 48, BLOCK = 16, ROWS = 16 };

/* A convolution whose sum for a pixel and an output channel is pixel_value * channel_value: one input channel counts.
 */
static int pixel_value(int pixel)
{
    return pixel - 2;
}

static int channel_value(int channel)
{
    return channel % 7 - 3;
}

static int bias_of(int channel)
{
    return channel % 5 - 2;
}

/* Multiples of 1/8, some negative, some above 1; or all within 0..1. */
static float slope_of(int channel, bool any)
{
    return any ? (float)(channel % 32 - 8) / 8 : (float)(channel % 9) / 8;
}

static float expected_prelu(int pixel, int channel, bool any)
{
    const float x = (float)(pixel_value(pixel) * channel_value(channel) + bias_of(channel));
    return x >= 0 ? x : slope_of(channel, any) * x;
}

static uint16_t image16[PIXELS * 16], weight16[CHANNELS * 16];
static int8_t image8[PIXELS * 32], weight8[CHANNELS * 32];

static void fill_operands(void)
{
    for (int p = 0; p < PIXELS; p++) {
        image16[p * 16 + 3] = aic_half_from_double(pixel_value(p));
        image8[p * 32 + 3] = (int8_t)pixel_value(p);
    }
    for (int c = 0; c < CHANNELS; c++) {
        weight16[c * 16 + 3] = aic_half_from_double(channel_value(c));
        weight8[c * 32 + 3] = (int8_t)channel_value(c);
    }
}

static void call(const char *text, void *const operands[], size_t count)
{
    const aic_spec spec = spec_of(text);
    ck_assert_msg(aic_jit_spec(NULL, &spec, operands, count) == AIC_OK, "%s", aic_last_error());
}

#define CONV16 "conv2d(dtype=half, fm_shape=[1,2,3,16], kernel_shape=[1,1,1,48,16], init_l1out=false, l1out=channel) | "
#define CONV8 "conv2d(dtype=int8, fm_shape=[1,2,3,32], kernel_shape=[1,1,1,48,32], init_l1out=false, l1out=channel) | "
#define CHANNEL "input1_stride=[0,16,0,1]"
#define HALVES " | fixpipe(src=float, dst=half, quantPre=F322F16, format=NZ)"

static void check_halves(const uint16_t *result, bool any)
{
    for (int c = 0; c < CHANNELS; c++) {
        for (int p = 0; p < PIXELS; p++) {
            const double got = aic_half_to_double(result[(c / BLOCK * PIXELS + p) * BLOCK + c % BLOCK]);
            ck_assert_msg(got == (double)expected_prelu(p, c, any), "pixel %d, channel %d: %g", p, c, got);
        }
    }
}

/* max(x, slope*x) is PReLU for slopes within 0..1; x + (slope - 1)*min(x, 0) is for every slope. */
START_TEST(prelu)
{
    float bias[CHANNELS], slope[CHANNELS], less_one[CHANNELS];
    uint16_t result[CHANNELS * PIXELS];
    fill_operands();
    for (int c = 0; c < CHANNELS; c++) {
        bias[c] = (float)bias_of(c);
        slope[c] = slope_of(c, false);
        less_one[c] = slope_of(c, true) - 1;
    }
    call(CONV16 "tensor_arithmetic(op=BM_MUL, " CHANNEL ") | tensor_arithmetic(op=BM_MAX, input1_stage=1)" HALVES,
         (void *[]){result, image16, weight16, bias, slope, NULL}, 6);
    check_halves(result, false);
    call(CONV16 "tensor_arithmetic(op=BM_MIN, input1_is_const=true) | tensor_arithmetic(op=BM_MUL, " CHANNEL
                ") | tensor_arithmetic(op=BM_ADD, input1_stage=1)" HALVES,
         (void *[]){result, image16, weight16, bias, less_one, NULL}, 6);
    check_halves(result, true);
}
END_TEST

/* Integers between -2^22 and 2^22 to which the bits of 1.5*2^23 are added are those of a float: of 1.5*2^23 plus the
 * integer. */
START_TEST(prelu_of_integers)
{
    enum { MAGIC = 0x4B400000, FILLED = 2 * PIXELS * 32 };
    int32_t bias[CHANNELS];
    float slope[CHANNELS];
    uint64_t word[CHANNELS];
    int8_t result[FILLED];
    fill_operands();
    memset(result, 99, sizeof result);
    for (int c = 0; c < CHANNELS; c++) {
        bias[c] = bias_of(c) + MAGIC;
        slope[c] = slope_of(c, true) - 1;
        ck_assert_int_eq(aic_quant_word(8, 0, true, &word[c]), AIC_OK); /* eighths */
    }
    call(CONV8 "tensor_arithmetic(op=BM_SUB, input1_is_const=true, input1_const=12582912) | tensor_arithmetic("
               "op=BM_MIN, input1_is_const=true) | tensor_arithmetic(op=BM_MUL, " CHANNEL
               ") | tensor_arithmetic(op=BM_ADD, input1_stage=2) | fixpipe(src=float, dst=int8, "
               "quantPre=VQF322B8_PRE, format=NZ, fill_block=true)",
         (void *[]){result, image8, weight8, bias, slope, word}, 6);
    for (int c = 0; c < 64; c++) {
        for (int p = 0; p < PIXELS; p++) {
            const float eighths = c < CHANNELS ? 8 * expected_prelu(p, c, true) : 0;
            const float expected = eighths > 127 ? 127 : eighths < -128 ? -128 : eighths;
            ck_assert_int_eq(result[(c / 32 * PIXELS + p) * 32 + c % 32], (int)expected);
        }
    }
}
END_TEST

/* An integer bias saturates once, with the sum; old accumulators are read where they lie. */
START_TEST(starts)
{
    int32_t bias[CHANNELS], old[CHANNELS * ROWS], result[CHANNELS * PIXELS], summed[CHANNELS * PIXELS];
    fill_operands();
    for (int c = 0; c < CHANNELS; c++) {
        bias[c] = c % 3 == 0 ? INT32_MAX - 1 : c % 3 == 1 ? INT32_MIN + 1 : bias_of(c);
        for (int p = 0; p < ROWS; p++) {
            old[(c / BLOCK * ROWS + p) * BLOCK + c % BLOCK] = 1000 * c + p;
        }
    }
    call(CONV8 "tik_fixpipe(src=int32, dst=int32)", (void *[]){result, image8, weight8, bias, NULL, NULL}, 6);
    call("conv2d(dtype=int8, fm_shape=[1,2,3,32], kernel_shape=[1,1,1,48,32], init_l1out=false) | "
         "tik_fixpipe(src=int32, dst=int32)",
         (void *[]){summed, image8, weight8, old, NULL, NULL}, 6);
    for (int c = 0; c < CHANNELS; c++) {
        for (int p = 0; p < PIXELS; p++) {
            const int at = (c / BLOCK * PIXELS + p) * BLOCK + c % BLOCK, sum = pixel_value(p) * channel_value(c);
            const int64_t exact = (int64_t)bias[c] + sum;
            ck_assert_int_eq(result[at], exact > INT32_MAX ? INT32_MAX : exact < INT32_MIN ? INT32_MIN : exact);
            ck_assert_int_eq(summed[at], 1000 * c + p + sum);
        }
    }
}
END_TEST

/* A chain that ends with arithmetic leaves conv2d's layout, and the rows past the last pixel alone. */
START_TEST(accumulators_as_a_result)
{
    float bias[CHANNELS], residual[CHANNELS * ROWS], result[CHANNELS * ROWS];
    fill_operands();
    for (int i = 0; i < CHANNELS * ROWS; i++) {
        residual[i] = (float)i;
        result[i] = -7;
    }
    for (int c = 0; c < CHANNELS; c++) {
        bias[c] = (float)bias_of(c);
    }
    call(CONV16 "tensor_arithmetic(op=BM_ADD)", (void *[]){result, image16, weight16, bias, residual}, 5);
    for (int c = 0; c < CHANNELS; c++) {
        for (int p = 0; p < ROWS; p++) {
            const int at = (c / BLOCK * ROWS + p) * BLOCK + c % BLOCK;
            const int sum = pixel_value(p) * channel_value(c) + bias_of(c) + at;
            ck_assert(result[at] == (p < PIXELS ? (float)sum : -7));
        }
    }
}
END_TEST

/* Bounds of accumulate=fast pass through arithmetic: they stay about as narrow as those of the sums, contain what is
 * right, and know a NaN; where one may divide by zero nothing is claimed. */
START_TEST(bounds_of_fast_chains)
{
    enum { ELEMENTS = CHANNELS * ROWS };
    static double exact[ELEMENTS], bound[ELEMENTS];
    static float output[ELEMENTS];
    float bias[CHANNELS], less_one[CHANNELS];
    const aic_spec prelu_of = spec_of("conv2d(dtype=half, fm_shape=[1,2,3,16], kernel_shape=[1,1,1,48,16], "
                                      "init_l1out=false, l1out=channel, accumulate=fast) | tensor_arithmetic("
                                      "op=BM_MIN, input1_is_const=true) | tensor_arithmetic(op=BM_MUL, " CHANNEL
                                      ") | tensor_arithmetic(op=BM_ADD, input1_stage=1)");
    const aic_spec quotient = spec_of("conv2d(dtype=half, fm_shape=[1,2,3,16], kernel_shape=[1,1,1,48,16], "
                                      "init_l1out=false, l1out=channel, accumulate=fast) | tensor_arithmetic("
                                      "op=BM_DIV, input1_stage=1)");
    fill_operands();
    for (int c = 0; c < CHANNELS; c++) {
        bias[c] = (float)bias_of(c);
        less_one[c] = c == 5 ? (float)NAN : slope_of(c, true) - 1;
    }
    void *const operands[] = {output, image16, weight16, bias, less_one};
    ck_assert_int_eq(aic_reference_bound(&prelu_of, NULL, operands, 5, exact, bound), AIC_OK);
    for (int c = 0; c < CHANNELS; c++) {
        for (int p = 0; p < PIXELS; p++) {
            const int at = (c / BLOCK * ROWS + p) * BLOCK + c % BLOCK;
            ck_assert_msg(bound[at] < 1e-3, "channel %d, pixel %d: %g", c, p, bound[at]);
            ck_assert(c == 5 ? isnan(exact[at]) && bound[at] == 0 : exact[at] == (double)expected_prelu(p, c, true));
        }
    }
    ck_assert_int_eq(aic_reference_bound(&quotient, NULL, operands, 4, exact, bound), AIC_OK);
    for (int c = 0; c < CHANNELS; c++) {
        for (int p = 0; p < PIXELS; p++) {
            const int at = (c / BLOCK * ROWS + p) * BLOCK + c % BLOCK;
            const bool zero = pixel_value(p) * channel_value(c) + bias_of(c) == 0;
            ck_assert(isinf(bound[at]) || (!zero && exact[at] == 1 && bound[at] < 1e-3) || (isnan(exact[at]) && zero));
        }
    }
}
END_TEST

Suite *suite_chains(void)
{
    Suite *suite = suite_create("chains");
    TCase *tcase = tcase_create("chains");
    tcase_add_loop_test(tcase, rules, 0, COUNT(cases));
    tcase_add_loop_test(tcase, operands_in_their_order, 0, COUNT(operand_rows));
    tcase_add_test(tcase, text_of_six_stages);
    tcase_add_test(tcase, layouts_of_results);
    tcase_add_test(tcase, prelu);
    tcase_add_test(tcase, prelu_of_integers);
    tcase_add_test(tcase, starts);
    tcase_add_test(tcase, accumulators_as_a_result);
    tcase_add_test(tcase, bounds_of_fast_chains);
    tcase_set_timeout(tcase, 60);
    suite_add_tcase(suite, tcase);
    return suite;
}
