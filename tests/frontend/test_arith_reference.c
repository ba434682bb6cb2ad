/* tensor_arithmetic and tensor_arithmetic_quantized: the worked examples of the document (tensor arithmetic, section
 * 5), special values, addresses in memory, all of 8 bits. */
#include "frontend/core/stage.h"
#include "frontend/ops/arith/arith.h"
#include "frontend/random/rng.h"
#include "tests/claims.h"
#include "tests/specs.h"

#include <check.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

Suite *suite_arith_reference(void);

#define COUNT(rows) (int)(sizeof(rows) / sizeof(rows)[0])

enum { TEXT_MAX = 512 };

/* One element of the 32-bit entry. */
static uint32_t word_of(const char *keys, uint32_t a, uint32_t b, uint32_t old)
{
    char text[TEXT_MAX];
    snprintf(text, sizeof text, "tensor_arithmetic(shape=[1,1,1,1], %s)", keys);
    const aic_spec spec = spec_of(text);
    const bool unary = strstr(keys, "BM_CPY") != NULL;
    run_reference(&spec, NULL, (void *[]){&old, &a, unary ? NULL : &b}, 3);
    return old;
}

/* One element of the fixed-point entry; the upper sub-words of all words are garbage. */
static int64_t integer_of(const char *keys, int64_t a, int64_t b, int64_t old, aic_rounding rounding)
{
    char text[TEXT_MAX];
    snprintf(text, sizeof text, "tensor_arithmetic_quantized(shape=[1,1,1,1], %s)", keys);
    const aic_spec spec = spec_of(text);
    const aic_tensor_arithmetic_quantized_desc *d = &spec.stage[0].desc.tensor_arithmetic_quantized;
    const uint32_t in = d->input0_8bit ? 0xFF : 0xFFFF, out = d->output_8bit ? 0xFF : 0xFFFF;
    uint32_t words[3] = {((uint32_t)old & out) | (0xA5A5A5A5 & ~out), ((uint32_t)a & in) | (0x5A5A5A5A & ~in),
                         ((uint32_t)b & in) | (0x3C3C3C3C & ~in)};
    aic_semantics semantics = aic_semantics_init();
    semantics.rounding = rounding;
    const bool unary = strstr(keys, "BM_CPY") != NULL;
    run_reference(&spec, &semantics, (void *[]){&words[0], &words[1], unary ? NULL : &words[2]}, 3);
    ck_assert_uint_eq(words[0] & ~out, 0xA5A5A5A5 & ~out);
    const int64_t value = words[0] & out;
    return d->output_sign && value > out / 2 ? value - out - 1 : value;
}

/* ---- 32-bit entry ---- */

typedef struct word_row {
    const char *keys;
    uint32_t a, b, old, result;
} word_row;

#define QNAN 0x7FC00000
#define ONE 0x3F800000
#define INF 0x7F800000
#define MINUS 0x80000000

static const word_row word_rows[] = {
    /* E1 */
    {"op=BM_SHIFT", 0x80000010, 0x03, 0, 0x00000080},
    {"op=BM_SHIFT, shift_type=1", 0x80000010, 0x03, 0, 0x00000080},
    {"op=BM_SHIFT", 0x80000010, 0x3D, 0, 0x10000002},
    {"op=BM_SHIFT, shift_type=1", 0x80000010, 0x3D, 0, 0xF0000002},
    {"op=BM_SHIFT", 0x80000010, 0x3F, 0, 0x40000008},
    {"op=BM_SHIFT, shift_type=1", 0x80000010, 0x3F, 0, 0xC0000008},
    {"op=BM_SHIFT", 0x80000010, 0x1F, 0, 0},
    {"op=BM_SHIFT, shift_type=1", 0x80000010, 0x1F, 0, 0},
    {"op=BM_SHIFT", 0x80000010, 0x20, 0, 0},
    {"op=BM_SHIFT, shift_type=1", 0x80000010, 0x20, 0, 0xFFFFFFFF},
    {"op=BM_SHIFT, shift_type=1", 0x70000010, 0x20, 0, 0},
    {"op=BM_SHIFT", 0x80000010, 0xFFFFFFFD, 0, 0x10000002},
    {"op=BM_SHIFT", 0x12345678, 0xABCDEF40, 0, 0x12345678}, /* only the low six bits count */
    /* E2 */
    {"op=BM_SE, select_value=7", 0, MINUS, 0, 0},
    {"op=BM_SE, select_value=7", QNAN, QNAN, 0, 0x40E00000},
    {"op=BM_SE, select_value=0xffc12345", 5, 5, 0, 0xFFC12345},
    {"op=BM_SG, select_value=7", QNAN, ONE, 9, 0},
    {"op=BM_SG, select_value=7", ONE, QNAN, 9, 0},
    {"op=BM_SG, select_value=7", 0, MINUS, 9, 0},
    {"op=BM_SG, select_value=7", ONE, 0, 9, 0x40E00000},
    {"op=BM_SG, select_value=0xffc12345", ONE, 0, 9, 0xFFC12345},
    {"op=BM_SG, select_value=7", 0, ONE, 9, 0},
    /* floats */
    {"op=BM_ADD", ONE, ONE, 9, 0x40000000},
    {"op=BM_ADD", ONE, ONE | MINUS, 9, 0},
    {"op=BM_ADD", MINUS, MINUS, 9, MINUS},
    {"op=BM_ADD", 1, 1, 9, 2}, /* subnormals */
    {"op=BM_ADD", INF, INF | MINUS, 9, QNAN},
    {"op=BM_SUB", ONE, 0x40000000, 9, ONE | MINUS},
    {"op=BM_MUL", 0x7F7FFFFF, 0x40000000, 9, INF},
    {"op=BM_MUL", 0x00800000, 0x3F000000, 9, 0x00400000},
    {"op=BM_DIV", ONE, 0, 9, INF},
    {"op=BM_DIV", ONE, MINUS, 9, INF | MINUS},
    {"op=BM_DIV", 0, 0, 9, QNAN},
    {"op=BM_DIV", INF, INF, 9, QNAN},
    {"op=BM_DIV", ONE, 0x40400000, 9, 0x3EAAAAAB},
    /* two roundings: (1 + 2^-12)^2 is 1 + 2^-11 + 2^-24, of which the first rounding takes the last term */
    {"op=BM_MAC", 0x3F800800, 0x3F800800, 0xBF801000, 0},
    {"op=BM_MAC", ONE, 0x40400000, 0x40000000, 0x40A00000},
    {"op=BM_MAX", 0, MINUS, 9, 0},
    {"op=BM_MAX", MINUS, 0, 9, 0},
    {"op=BM_MAX", MINUS, MINUS, 9, MINUS},
    {"op=BM_MAX", ONE, QNAN, 9, QNAN},
    {"op=BM_MAX", QNAN, ONE, 9, QNAN},
    {"op=BM_MAX", ONE | MINUS, INF | MINUS, 9, ONE | MINUS},
    {"op=BM_MIN", 0, MINUS, 9, MINUS},
    {"op=BM_MIN", 0, 0, 9, 0},
    {"op=BM_MIN", ONE, QNAN, 9, QNAN},
    {"op=BM_MIN", ONE, INF, 9, ONE},
    /* bits */
    {"op=BM_AND", 0xF0F01234, 0xFF00FF00, 9, 0xF0001200},
    {"op=BM_OR", 0xF0F01234, 0xFF00FF00, 9, 0xFFF0FF34},
    {"op=BM_XOR", 0xF0F01234, 0xFF00FF00, 9, 0x0FF0ED34},
    {"op=BM_CPY", 0x7F800001, 0, 9, 0x7F800001},
};

START_TEST(words)
{
    const word_row *row = &word_rows[_i];
    const uint32_t result = word_of(row->keys, row->a, row->b, row->old);
    if (row->result == QNAN) {
        float value;
        memcpy(&value, &result, sizeof value);
        ck_assert_msg(isnan(value), "%08" PRIX32, result);
    } else {
        ck_assert_uint_eq(result, row->result);
    }
}
END_TEST

#define LEFT "input0_is_const=true, input0_const=0x40490fdb"
#define RIGHT "input1_is_const=true, input1_const=0xc0200003"

/* Constants on either side are what a tensor full of them is. */
START_TEST(constants)
{
    static const char *const names[] = {"BM_ADD", "BM_SUB", "BM_DIV", "BM_SHIFT", "BM_SG", "BM_XOR"};
    const uint32_t a = 0x40490FDB, b = 0xC0200003;
    for (int i = 0; i < COUNT(names); i++) {
        char text[TEXT_MAX], keys[32];
        snprintf(keys, sizeof keys, "op=%s, select_value=3", names[i]);
        const uint32_t expected = word_of(keys, a, b, 0);
        uint32_t results[3] = {0}, left = a, right = b;
        static const char *const given[] = {LEFT, RIGHT, LEFT ", " RIGHT};
        for (int k = 0; k < 3; k++) {
            snprintf(text, sizeof text, "tensor_arithmetic(shape=[1,1,1,1], %s, %s)", keys, given[k]);
            const aic_spec spec = spec_of(text);
            run_reference(&spec, NULL, (void *[]){&results[k], k == 1 ? &left : NULL, k == 0 ? &right : NULL}, 3);
            ck_assert_uint_eq(results[k], expected);
        }
    }
    const aic_spec fill =
        spec_of("tensor_arithmetic(op=BM_CPY, shape=[1,1,1,2], input0_is_const=true, input0_const=1)");
    uint32_t filled[2] = {0};
    run_reference(&fill, NULL, (void *[]){filled, NULL, NULL}, 3);
    ck_assert_uint_eq(filled[0], ONE);
    ck_assert_uint_eq(filled[1], ONE);
}
END_TEST

/* ---- fixed-point entry ---- */

typedef struct integer_row {
    const char *keys;
    int64_t a, b, old, floor, half_up;
} integer_row;

#define TO16 "output_8bit=false"
#define UNSIGNED "input0_sign=false, input1_sign=false, output_sign=false"
#define ALL16 "input0_8bit=false, input1_8bit=false, output_8bit=false"

static const integer_row integer_rows[] = {
    /* E3 */
    {"op=BM_MUL", 100, 100, 0, 127, 127},
    {"op=BM_MUL, " TO16, 100, 100, 0, 10000, 10000},
    {"op=BM_MUL, rshift_bit=6", 100, 100, 0, 127, 127},
    {"op=BM_MUL, rshift_bit=6, " TO16, 100, 100, 0, 156, 156},
    {"op=BM_MUL, rshift_bit=2", -7, 3, 0, -6, -5},
    {"op=BM_MUL, rshift_bit=1", -1, 1, 0, -1, 0},
    {"op=BM_MUL, rshift_bit=7", -128, -128, 0, 127, 127},
    {"op=BM_MUL, rshift_bit=7, " TO16, -128, -128, 0, 128, 128},
    {"op=BM_MUL, rshift_bit=31", -128, 127, 0, -1, 0},
    {"op=BM_MUL, lshift_bit=5", 3, 4, 0, 12, 12}, /* not looked at */
    {"op=BM_MUL, " UNSIGNED, 255, 255, 0, 255, 255},
    {"op=BM_MUL, output_8bit=false, " UNSIGNED, 255, 255, 0, 65025, 65025},
    /* E4 */
    {"op=BM_MAC, lshift_bit=2, rshift_bit=3, " TO16, -50, 30, -1000, -688, -687},
    {"op=BM_MAC, lshift_bit=4, " TO16, -50, 30, -1000, -17500, -17500},
    {"op=BM_MAC, lshift_bit=31, rshift_bit=31, " TO16, 1, 1, -32768, -32768, -32768},
    {"op=BM_MAC, lshift_bit=31, " TO16, 0, 0, -1, -32768, -32768},
    {"op=BM_MAC, output_sign=false, " TO16, -1, 1, 65535, 65534, 65534},
    /* E5 */
    {"op=BM_ADD", 100, 100, 0, 127, 127},
    {"op=BM_ADD, " TO16, 100, 100, 0, 200, 200},
    {"op=BM_ADD, rshift_bit=40, " TO16, 100, 100, 0, 200, 200},
    {"op=BM_ADD, " UNSIGNED, 200, 100, 0, 255, 255},
    {"op=BM_SUB, " UNSIGNED, 3, 5, 0, 0, 0},
    {"op=BM_SUB, input0_sign=false, input1_sign=false", 3, 5, 0, -2, -2},
    {"op=BM_ADD, " ALL16, 32000, 32000, 0, 32767, 32767},
    {"op=BM_ADD, input0_8bit=false, input1_8bit=false", -32000, 31000, 0, -128, -128},
    {"op=BM_MAX, input1_sign=false", -1, 255, 0, 127, 127},
    {"op=BM_MIN, input1_sign=false, output_sign=false", -1, 255, 0, 0, 0},
    {"op=BM_MIN, " ALL16, -5, 4, 0, -5, -5},
    {"op=BM_AND", -16, 0x5F, 0, 0x50, 0x50},
    {"op=BM_OR, output_sign=false", -128, 1, 0, 0x81, 0x81},
    {"op=BM_XOR, " ALL16, -1, 0x00FF, 0, -256, -256},
    {"op=BM_CPY, output_sign=false", -1, 0, 7, 255, 255},
    /* section 4.6 */
    {"op=BM_SHIFT, " ALL16, 0x4321, 4, 0, 0x3210, 0x3210},
    {"op=BM_SHIFT, " ALL16, 1, 15, 0, -32768, -32768},
    {"op=BM_SHIFT, " ALL16, 1, 16, 0, 0, 0},
    {"op=BM_SHIFT, " ALL16, -1, 32767, 0, 0, 0},
    {"op=BM_SHIFT, " ALL16, -32768, -3, 0, 4096, 4096},
    {"op=BM_SHIFT, shift_type=1, " ALL16, -32768, -3, 0, -4096, -4096},
    {"op=BM_SHIFT, shift_type=1, " ALL16, -5, -1, 0, -3, -3},
    {"op=BM_SHIFT, shift_type=1, " ALL16, -5, -16, 0, -1, -1},
    {"op=BM_SHIFT, shift_type=1, " ALL16, -5, -32768, 0, -1, -1},
    {"op=BM_SHIFT, " ALL16, -5, -16, 0, 0, 0},
    {"op=BM_SHIFT, shift_type=1, input0_sign=false, " ALL16, 0x8000, -15, 0, 1, 1},
    {"op=BM_SHIFT, input1_sign=false, " ALL16, 1, 65535, 0, 0, 0}, /* only to the left */
};

START_TEST(integers)
{
    const integer_row *row = &integer_rows[_i];
    ck_assert_int_eq(integer_of(row->keys, row->a, row->b, row->old, AIC_ROUNDING_FLOOR), row->floor);
    ck_assert_int_eq(integer_of(row->keys, row->a, row->b, row->old, AIC_ROUNDING_HALF_UP), row->half_up);
}
END_TEST

/* All pairs of 8 bits, four to a word: the first input has a row of all values, the second one value a channel. */
static void run_pairs(const char *keys, aic_rounding rounding, uint8_t output[256][256])
{
    static uint8_t all[256], each[256][4];
    char text[TEXT_MAX];
    snprintf(text, sizeof text,
             "tensor_arithmetic_quantized(shape=[4,256,1,64], input0_stride=[0,0,0,1], input1_stride=[0,1,0,0], %s)",
             keys);
    for (int i = 0; i < 256; i++) {
        all[i] = (uint8_t)i; /* (n, w) is 4w + n */
        memset(each[i], i, sizeof each[i]);
    }
    aic_semantics semantics = aic_semantics_init();
    semantics.rounding = rounding;
    const aic_spec spec = spec_of(text);
    run_reference(&spec, &semantics, (void *[]){output, all, each}, 3);
}

START_TEST(all_of_8_bits)
{
    static const struct {
        const char *keys;
        int operation; /* 0 add, 1 subtract, 2 multiply */
        int shift;
        aic_rounding rounding;
        bool input_sign, output_sign;
    } rows[] = {
        {"op=BM_ADD", 0, 0, AIC_ROUNDING_FLOOR, true, true},
        {"op=BM_ADD, input0_sign=false, input1_sign=false", 0, 0, AIC_ROUNDING_FLOOR, false, true},
        {"op=BM_SUB, " UNSIGNED, 1, 0, AIC_ROUNDING_FLOOR, false, false},
        {"op=BM_SUB, output_sign=false", 1, 0, AIC_ROUNDING_FLOOR, true, false},
        {"op=BM_MUL, rshift_bit=7", 2, 7, AIC_ROUNDING_FLOOR, true, true},
        {"op=BM_MUL, rshift_bit=7", 2, 7, AIC_ROUNDING_HALF_UP, true, true},
        {"op=BM_MUL, rshift_bit=9, " UNSIGNED, 2, 9, AIC_ROUNDING_HALF_UP, false, false},
    };
    static uint8_t output[256][256];
    run_pairs(rows[_i].keys, rows[_i].rounding, output);
    for (int k = 0; k < 256 * 256; k++) {
        const double b = rows[_i].input_sign ? (int8_t)(k / 256) : k / 256;
        const double a = rows[_i].input_sign ? (int8_t)(k % 256) : k % 256;
        const double exact = rows[_i].operation == 0 ? a + b : rows[_i].operation == 1 ? a - b : a * b;
        const double half = rows[_i].rounding == AIC_ROUNDING_HALF_UP ? 0.5 : 0;
        const double shifted = floor(ldexp(exact, -rows[_i].shift) + half);
        const double low = rows[_i].output_sign ? -128 : 0, high = low + 255;
        const int expected = (int)fmin(fmax(shifted, low), high);
        ck_assert_int_eq(rows[_i].output_sign ? (int8_t)output[k / 256][k % 256] : output[k / 256][k % 256], expected);
    }
}
END_TEST

/* E6: 4N to 2N, three batches. */
START_TEST(words_of_other_widths)
{
    const aic_spec spec = spec_of("tensor_arithmetic_quantized(op=BM_ADD, shape=[3,1,1,1], output_8bit=false)");
    uint32_t a = 0xEE030201, b = 0xDD0A0A0A, output[2] = {0x11112222, 0x33334444};
    run_reference(&spec, NULL, (void *[]){output, &a, &b}, 3);
    ck_assert_uint_eq(output[0], 0x000C000B);
    ck_assert_uint_eq(output[1], 0x3333000D);
}
END_TEST

/* E8: input1 has one batch and one column, its own compact strides. */
START_TEST(broadcast)
{
    const aic_spec spec =
        spec_of("tensor_arithmetic_quantized(op=BM_ADD, shape=[4,2,1,3], input1_n_is1=true, input1_w_is1=true)");
    uint32_t a[2][3], b[2] = {0xFFFFFF05, 0xFFFFFF09}, output[2][3];
    for (uint32_t i = 0; i < 6; i++) {
        a[i / 3][i % 3] = i * 0x01010101 + 0x30201000;
    }
    run_reference(&spec, NULL, (void *[]){output, a, b}, 3);
    for (uint32_t i = 0; i < 6; i++) {
        const uint32_t sum = i + (i < 3 ? 5 : 9);
        ck_assert_uint_eq(output[i / 3][i % 3], sum * 0x01010101 + 0x30201000);
    }
}
END_TEST

/* ---- addresses ---- */

/* The example of data layouts, section 7: element (5,2,0,1) of [6,3,1,2] is byte 13 of lane 2. */
START_TEST(address_by_hand)
{
    enum { LANE_BYTES = 64, LANES = 4 };
    static unsigned char memory[LANES * LANE_BYTES];
    const aic_spec spec = spec_of("tensor_arithmetic_quantized(op=BM_CPY, shape=[6,3,1,2], memory=local, "
                                  "output_addr=32, input0_stride=[2,2,2,1])");
    aic_semantics semantics = aic_semantics_init();
    semantics.lanes = LANES;
    semantics.lane_bytes = LANE_BYTES;
    memset(memory, 0, sizeof memory);
    memory[2 * LANE_BYTES + 13] = 0x77;
    for (int batch = 6; batch < 8; batch++) { /* nobody's */
        memory[2 * LANE_BYTES + 12 + batch % 4] = 0x55;
    }
    run_reference(&spec, &semantics, (void *[]){memory, NULL, NULL}, 3);
    for (size_t i = 0; i < sizeof memory; i++) {
        const bool element = i == 2 * LANE_BYTES + 13 || i == 2 * LANE_BYTES + 32 + 13;
        const bool nobodys = i == 2 * LANE_BYTES + 14 || i == 2 * LANE_BYTES + 15;
        ck_assert_uint_eq(memory[i], element ? 0x77 : nobodys ? 0x55 : 0);
    }
}
END_TEST

/* Channels go round the lanes; a start in the middle of them puts the rest into the next row. */
START_TEST(rows_of_channels)
{
    enum { LANES = 4, LANE_WORDS = 32 };
    static uint32_t memory[LANES][LANE_WORDS];
    const aic_spec spec = spec_of("tensor_arithmetic(op=BM_CPY, shape=[1,7,1,2], memory=local, output_addr=440, "
                                  "output_stride=[0,5,0,2], input0_is_const=true, input0_const=0x1234)");
    aic_semantics semantics = aic_semantics_init();
    semantics.lanes = LANES;
    semantics.lane_bytes = LANE_WORDS * 4;
    run_reference(&spec, &semantics, (void *[]){memory, NULL, NULL}, 3);
    /* lane 3, word 14; channels 1 to 4 in row 1, 5 and 6 in row 2 */
    for (int lane = 0; lane < LANES; lane++) {
        for (int word = 0; word < LANE_WORDS; word++) {
            bool written = false;
            for (int c = 0; c < 7; c++) {
                const int first = 14 + (3 + c) / 4 * 5;
                written |= lane == (3 + c) % 4 && (word == first || word == first + 2);
            }
            ck_assert_uint_eq(memory[lane][word], written ? 0x1234 : 0);
        }
    }
}
END_TEST

/* The words of an operand, by the formula of data layouts, section 7; each as often as it is used. */
static void count_words(const aic_arith *p, const aic_arith_operand *o, const int64_t stride[4], unsigned char *used)
{
    for (int64_t n = 0; n < p->shape[0]; n++) {
        for (int64_t c = 0; c < p->shape[1]; c++) {
            for (int64_t h = 0; h < p->shape[2]; h++) {
                for (int64_t w = 0; w < p->shape[3]; w++) {
                    const int64_t q = o->address / 4 / p->lane_words, r = o->address / 4 % p->lane_words;
                    const int64_t word =
                        r + n * stride[0] + (q + c) / p->lanes * stride[1] + h * stride[2] + w * stride[3];
                    ck_assert_int_lt(word, p->lane_words);
                    used[(q + c) % p->lanes * p->lane_words + word]++;
                }
            }
        }
    }
}

/* Whatever local memory is accepted: no word of the output is written twice, and none belongs to the input but in
 * place. What is refused for its words does share some. */
START_TEST(overlaps_are_found)
{
    enum { LANES = 3, LANE_WORDS = 70, CASES = 60000 };
    int legal = 0, shared_seen = 0, twice_seen = 0, same_seen = 0;
    uint64_t state = claims_seed(11);
    aic_semantics semantics = aic_semantics_init();
    semantics.lanes = LANES;
    semantics.lane_bytes = LANE_WORDS * 4;
    for (int k = 0; k < CASES; k++) {
        aic_tensor_arithmetic_desc d = aic_tensor_arithmetic_desc_init();
        d.memory = AIC_MEMORY_LOCAL;
        d.op = AIC_ATOMIC_BM_CPY;
        for (int i = 0; i < 4; i++) {
            d.shape[i] = aic_rng_range(&state, 1, i == 1 ? 5 : 3);
            d.output_stride[i] = aic_rng_range(&state, 0, 9);
            d.input0_stride[i] = aic_rng_once_in(&state, 2) ? d.output_stride[i] : aic_rng_range(&state, 0, 9);
        }
        d.output_addr = 4 * aic_rng_range(&state, 0, LANES * LANE_WORDS - 1);
        d.input0_addr =
            aic_rng_once_in(&state, 2) ? d.output_addr : 4 * aic_rng_range(&state, 0, LANES * LANE_WORDS - 1);
        const aic_spec spec = aic_spec_of(AIC_OP_TENSOR_ARITHMETIC, &d);
        const aic_status status = aic_spec_validate(&spec, &semantics);
        if (status != AIC_OK && strstr(aic_last_error(), "elements reach") != NULL) {
            continue;
        }
        const aic_arith p = aic_arith_of_words(&d, &semantics);
        unsigned char written[LANES * LANE_WORDS] = {0}, read[LANES * LANE_WORDS] = {0};
        count_words(&p, &p.operand[AIC_ARITH_OUTPUT], d.output_stride, written);
        count_words(&p, &p.operand[AIC_ARITH_INPUT0], d.input0_stride, read);
        bool twice = false, shared = false;
        for (int i = 0; i < LANES * LANE_WORDS; i++) {
            twice |= written[i] > 1;
            shared |= written[i] > 0 && read[i] > 0;
        }
        const bool same = aic_arith_same_addresses(&p, &p.operand[AIC_ARITH_INPUT0]);
        if (status == AIC_OK) {
            ck_assert(!twice && (!shared || same));
        } else if (strstr(aic_last_error(), "shares words") != NULL) {
            ck_assert(shared && !same);
        }
        legal += status == AIC_OK;
        shared_seen += status != AIC_OK && shared && !twice;
        twice_seen += twice;
        same_seen += status == AIC_OK && same;
    }
    ck_assert_int_gt(legal, 2000);
    ck_assert_int_gt(shared_seen, 500);
    ck_assert_int_gt(twice_seen, 2000);
    ck_assert_int_gt(same_seen, 200);
}
END_TEST

/* Flat memory is one lane: the same descriptor in a local memory of one lane has the same result. */
START_TEST(flat_is_one_lane)
{
    enum { LANE_WORDS = 4096 };
    static uint32_t memory[LANE_WORDS], buffers[3][LANE_WORDS];
    int compared = 0;
    aic_semantics semantics = aic_semantics_init();
    semantics.lanes = 1;
    semantics.lane_bytes = (int64_t)sizeof memory;
    for (uint64_t seed = 0; seed < 1500; seed++) {
        aic_spec flat;
        aic_operand operand[AIC_OPERANDS_MAX];
        size_t count;
        ck_assert_int_eq(aic_spec_draw(AIC_OP_TENSOR_ARITHMETIC_QUANTIZED, NULL, seed, &flat), AIC_OK);
        aic_tensor_arithmetic_quantized_desc *d = &flat.stage[0].desc.tensor_arithmetic_quantized;
        ck_assert_int_eq(aic_spec_operands(&flat, NULL, operand, &count), AIC_OK);
        if (d->memory == AIC_MEMORY_LOCAL || operand[0].elements > 1000 || operand[1].elements > 1000 ||
            operand[2].elements > 1000) {
            continue;
        }
        uint64_t state = claims_seed(seed);
        for (int i = 0; i < 3000; i++) {
            buffers[i / 1000][i % 1000] = memory[i] = (uint32_t)aic_rng_next(&state);
        }
        void *operands[] = {buffers[0], operand[1].direction == AIC_DIRECTION_UNUSED ? NULL : buffers[1],
                            operand[2].direction == AIC_DIRECTION_UNUSED ? NULL : buffers[2]};
        run_reference(&flat, NULL, operands, 3);
        d->memory = AIC_MEMORY_LOCAL;
        d->input0_addr += d->input0_is_const ? 0 : 4000;
        d->input1_addr += d->input1_is_const ? 0 : 8000;
        run_reference(&flat, &semantics, (void *[]){memory, NULL, NULL}, 3);
        ck_assert_mem_eq(memory, buffers[0], 4000);
        ck_assert_mem_eq(memory + 1000, buffers[1], 4000);
        compared++;
    }
    ck_assert_int_gt(compared, 500);
}
END_TEST

/* In place, on either side, is what apart is. */
START_TEST(in_place)
{
    static const char *const texts[] = {
        "tensor_arithmetic(op=BM_SUB, shape=[2,3,4,5], input0_stride=[1,2,6,24], input1_stride=[1,2,6,24], "
        "output_stride=[1,2,6,24])",
        "tensor_arithmetic(op=BM_MAC, shape=[2,3,4,5])",
        "tensor_arithmetic_quantized(op=BM_SUB, shape=[7,3,4,5], input0_sign=false)",
        "tensor_arithmetic_quantized(op=BM_SHIFT, shape=[3,3,4,5], input0_8bit=false, input1_8bit=false, "
        "output_8bit=false)",
    };
    for (int i = 0; i < COUNT(texts); i++) {
        const aic_spec spec = spec_of(texts[i]);
        uint32_t apart[3][120], together[3][120];
        for (uint32_t k = 0; k < 120; k++) {
            for (uint32_t o = 0; o < 3; o++) {
                apart[o][k] = 0x3F800000 + o * 0x01234567 + k * 0x00101010;
            }
        }
        for (int input = 1; input < 3; input++) {
            uint32_t expected[120];
            memcpy(together, apart, sizeof together);
            memcpy(together[0], apart[input], sizeof together[0]);
            memcpy(expected, together[0], sizeof expected); /* the old output is the input */
            run_reference(&spec, NULL, (void *[]){expected, apart[1], apart[2]}, 3);
            run_reference(&spec, NULL,
                          (void *[]){together[0], together[input == 1 ? 0 : 1], together[input == 2 ? 0 : 2]}, 3);
            ck_assert_mem_eq(together[0], expected, sizeof expected);
        }
    }
}
END_TEST

Suite *suite_arith_reference(void)
{
    Suite *suite = suite_create("arith_reference");
    TCase *tcase = tcase_create("arith_reference");
    tcase_add_loop_test(tcase, words, 0, COUNT(word_rows));
    tcase_add_test(tcase, constants);
    tcase_add_loop_test(tcase, integers, 0, COUNT(integer_rows));
    tcase_add_loop_test(tcase, all_of_8_bits, 0, 7);
    tcase_add_test(tcase, words_of_other_widths);
    tcase_add_test(tcase, broadcast);
    tcase_add_test(tcase, address_by_hand);
    tcase_add_test(tcase, rows_of_channels);
    tcase_add_test(tcase, overlaps_are_found);
    tcase_add_test(tcase, flat_is_one_lane);
    tcase_add_test(tcase, in_place);
    tcase_set_timeout(tcase, 60);
    suite_add_tcase(suite, tcase);
    return suite;
}
