/* tensor_arithmetic and tensor_arithmetic_quantized: every rule, operands, what may share memory. */
#include "frontend/core/stage.h"
#include "frontend/ops/arith/arith.h"
#include "tests/rule_case.h"
#include "tests/specs.h"

#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

Suite *suite_arith_rules(void);

#define COUNT(rows) (int)(sizeof(rows) / sizeof(rows)[0])

/* ---- rules ---- */

#define W(more) "tensor_arithmetic(op=BM_ADD, shape=[2,3,4,5]" more ")"
#define L(more)                                                                                                        \
    "tensor_arithmetic(op=BM_ADD, shape=[2,3,4,5], memory=local, input1_addr=4096, output_addr=8192" more ")"
#define Q(more) "tensor_arithmetic_quantized(op=BM_ADD, shape=[6,3,4,5]" more ")"
#define WORDS "tensor_arithmetic: "
#define INTS "tensor_arithmetic_quantized: "
#define WORD_OPS                                                                                                       \
    "BM_ADD, BM_SUB, BM_MUL, BM_DIV, BM_MAC, BM_MAX, BM_MIN, BM_AND, BM_OR, BM_XOR, BM_SHIFT, BM_SG, BM_SE or BM_CPY"
#define INT_OPS "BM_ADD, BM_SUB, BM_MUL, BM_MAC, BM_MAX, BM_MIN, BM_AND, BM_OR, BM_XOR, BM_SHIFT or BM_CPY"
#define NO_ADDRESS " is outside 0..0: in memory=flat operands have no address"
#define SHARES "output_addr: the output shares words with input0, but not every element its own"

static const rule_case word_cases[] = {
    {W(""), NULL, 0, NULL},
    {W(""), "memory", 2, WORDS "memory: value 2 is not flat or local"},
    {W(""), "input0_addr", 64, WORDS "input0_addr: 64" NO_ADDRESS},
    {W(""), "input1_addr", -4, WORDS "input1_addr: -4" NO_ADDRESS},
    {W(""), "output_addr", 4, WORDS "output_addr: 4" NO_ADDRESS},
    {W(", input0_is_const=true"), "input0_addr", 6, NULL}, /* the constant is another field */
    {W(""), "shape", 0, WORDS "shape: N = 0 is outside 1..65535"},
    {W(""), "shape", 65535, NULL},
    {W(""), "shape", 65536, WORDS "shape: N = 65536 is outside 1..65535"},
    {"tensor_arithmetic(op=BM_ADD, shape=[1,4095,1,1])", NULL, 0, NULL},
    {"tensor_arithmetic(op=BM_ADD, shape=[1,4096,1,1])", NULL, 0, WORDS "shape: C = 4096 is outside 1..4095"},
    {"tensor_arithmetic(op=BM_ADD, shape=[1,1,65536,1])", NULL, 0, WORDS "shape: H = 65536 is outside 1..65535"},
    {"tensor_arithmetic(op=BM_ADD, shape=[1,1,1,0])", NULL, 0, WORDS "shape: W = 0 is outside 1..65535"},
    {"tensor_arithmetic(op=BM_ADD, shape=[65535,4095,65535,65535])", NULL, 0, NULL},

    {W(", input0_stride=[0,0,0,0]"), NULL, 0, NULL},
    {W(", input0_stride=[0,0,0,4294967295]"), NULL, 0, NULL},
    {W(", input0_stride=[0,0,0,4294967296]"), NULL, 0, WORDS "input0_stride: W = 4294967296 is outside 0..4294967295"},
    {W(", input1_stride=[60,20,-1,1]"), NULL, 0, WORDS "input1_stride: H = -1 is outside 0..4294967295"},
    {W(", output_stride=[60,20,5,-2]"), NULL, 0, WORDS "output_stride: W = -2 is outside 0..4294967295"},
    {"tensor_arithmetic(op=BM_CPY, shape=[1,1,1,9], input0_stride=[-7,-7,-7,1], input1_stride=[-7,-7,-7,-7])", NULL, 0,
     NULL}, /* strides of sizes of 1, and of an input that is not looked at */
    {W(", output_stride=[60,20,5,1]"), NULL, 0, NULL},
    {W(", output_stride=[1,40,10,2]"), NULL, 0, NULL}, /* batches inside */
    {W(", output_stride=[60,20,5,0]"), NULL, 0,
     WORDS "output_stride: [60,20,5,0] does not nest: each stride must leave room for what lies "
           "at smaller ones"},
    {"tensor_arithmetic(op=BM_CPY, shape=[1,1,2,3], output_stride=[0,0,3,2])", NULL, 0,
     WORDS "output_stride: [0,0,3,2] does not nest: each stride must leave room for what lies at smaller ones"},
    {W(", output_stride=[60,20,4,1]"), NULL, 0,
     WORDS "output_stride: [60,20,4,1] does not nest: each stride must leave room for what lies "
           "at smaller ones"},

    {W(""), "op", AIC_ATOMIC_BM_CPY, NULL},
    {W(""), "op", AIC_ATOMIC_BM_SG, NULL},
    {W(""), "op", UINT32_MAX, WORDS "op: value -1 is not " WORD_OPS},
    {W(""), "op", 18, WORDS "op: value 18 is not " WORD_OPS},
    {W(""), "op", AIC_ATOMIC_BM_RSQRT, WORDS "op: BM_RSQRT is not " WORD_OPS},
    {W(""), "op", AIC_ATOMIC_BM_TAYLOR, WORDS "op: BM_TAYLOR is not " WORD_OPS},
    {W(""), "op", AIC_ATOMIC_BM_SQR_DIFF, WORDS "op: BM_SQR_DIFF is not " WORD_OPS},
    {W(""), "input0_is_const", 2, WORDS "input0_is_const: value 2 is not true or false"},
    {W(""), "input1_is_const", 255, WORDS "input1_is_const: value 255 is not true or false"},
    {"tensor_arithmetic(op=BM_CPY, shape=[1,1,1,9])", "input1_is_const", 255, NULL},
    {W(", input0_is_const=true, input1_is_const=true, input0_const=0x7fc00000, select_value=inf"), NULL, 0, NULL},
    {W(""), "shift_type", 2, NULL},
    {"tensor_arithmetic(op=BM_SHIFT, shape=[1,1,1,9])", "shift_type", 1, NULL},
    {"tensor_arithmetic(op=BM_SHIFT, shape=[1,1,1,9])", "shift_type", 2, WORDS "shift_type: 2 is outside 0..1"},
    {"tensor_arithmetic(op=BM_SHIFT, shape=[1,1,1,9])", "shift_type", -1, WORDS "shift_type: -1 is outside 0..1"},

    /* local memory: 64 lanes of 131072 words */
    {L(""), NULL, 0, NULL},
    {L(""), "input0_addr", 6, WORDS "input0_addr: 6 is no multiple of 4"},
    {L(""), "output_addr", 33554432, WORDS "output_addr: 33554432 is outside 0..33554431"},
    {L(""), "input1_addr", -4, WORDS "input1_addr: -4 is outside 0..33554431"},
    {L(", input1_is_const=true"), "input1_addr", 6, NULL},
    {L(""), "input0_addr", 524288 - 4 * 40, NULL}, /* two batches of 4 x 5 in each of three lanes */
    {L(""), "input0_addr", 524288 - 4 * 39,
     WORDS "input0_addr: elements reach over 40 words from word 131033 of a lane, which has 131072"},
    {L(", input0_stride=[131053,0,5,1]"), NULL, 0,
     WORDS "input0_stride: elements reach over 131073 words from word 0 of a lane, which has 131072"},
    {L(", output_stride=[20,0,5,1]"), NULL, 0, NULL}, /* channels in lanes of their own */
    {"tensor_arithmetic(op=BM_ADD, shape=[1,65,1,1], memory=local, input0_addr=4096, output_stride=[0,0,0,0], "
     "input1_is_const=true)",
     NULL, 0,
     WORDS "output_stride: [0,0,0,0] does not nest: each stride must leave room for what lies at "
           "smaller ones"},

    /* overlap in local memory */
    {L(""), "output_addr", 0, NULL},    /* input0, in place */
    {L(""), "output_addr", 4096, NULL}, /* input1 */
    {L(""), "output_addr", 160, NULL},  /* right behind it */
    {L(""), "output_addr", 156, WORDS SHARES},
    {L(""), "output_addr", 4, WORDS SHARES},
    {L(", input0_stride=[0,0,0,0]"), "output_addr", 0, WORDS SHARES},
    {L(", input0_stride=[20,20,1,4]"), "output_addr", 0, WORDS SHARES}, /* the same words, turned */
    {L(", input0_stride=[40,40,10,2], output_stride=[40,40,10,2]"), "output_addr", 4, NULL}, /* every other word */
    {L(", input0_stride=[40,40,10,2], output_stride=[40,40,10,2]"), "output_addr", 2 * 4, WORDS SHARES},
    {L(""), "output_addr", 524288 * 3, NULL},         /* other lanes */
    {L(""), "output_addr", 524288 * 2, WORDS SHARES}, /* one lane of both */
    {L(""), "output_addr", 524288 * 2 + 160, NULL},
    {L(""), "output_addr", 524288 * 63, WORDS SHARES}, /* from the last lane on into the second row of the first */
    {L(""), "output_addr", 524288 * 63 + 160, NULL},
    {L(""), "output_addr", 4096 + 4,
     WORDS "output_addr: the output shares words with input1, but not every element its own"},
    {"tensor_arithmetic(op=BM_CPY, shape=[1,64,1,1], memory=local, input0_addr=4, output_addr=1572864, "
     "output_stride=[0,0,0,0])",
     NULL, 0, NULL}, /* two rows, but no lane has both */
};

START_TEST(words)
{
    rule_case_check(&word_cases[_i]);
}
END_TEST

static const rule_case integer_cases[] = {
    {Q(""), NULL, 0, NULL},
    {Q(""), "memory", 77, INTS "memory: value 77 is not flat or local"},
    {Q(""), "input0_addr", 64, INTS "input0_addr: 64" NO_ADDRESS},
    {Q(""), "op", AIC_ATOMIC_BM_DIV, INTS "op: BM_DIV is not " INT_OPS},
    {Q(""), "op", AIC_ATOMIC_BM_SG, INTS "op: BM_SG is not " INT_OPS},
    {Q(""), "op", AIC_ATOMIC_BM_SE, INTS "op: BM_SE is not " INT_OPS},
    {Q(""), "op", 18, INTS "op: value 18 is not " INT_OPS},
    {Q(""), "op", AIC_ATOMIC_BM_RSQRT, INTS "op: BM_RSQRT is not " INT_OPS},

    /* E7: constants in the address fields */
    {Q(", input1_is_const=true"), "input1_addr", 0xFB, NULL},
    {Q(", input1_is_const=true"), "input1_addr", 0xFFFFFFFB, NULL},
    {Q(", input1_is_const=true"), "input1_addr", 0x1FB,
     INTS "input1_addr: 0x1fb is no constant of 8 bits: those above must be 0, or all 1 above a negative one"},
    {Q(", input1_is_const=true"), "input1_addr", 0xFFFFFF7B,
     INTS "input1_addr: 0xffffff7b is no constant of 8 bits: those above must be 0, or all 1 above a negative one"},
    {Q(", input1_is_const=true, input1_sign=false"), "input1_addr", 251, NULL},
    {Q(", input1_is_const=true, input1_sign=false"), "input1_addr", 0xFFFFFFFB,
     INTS "input1_addr: 0xfffffffb is no constant of unsigned 8 bits: those above must be 0"},
    {Q(", input0_is_const=true"), "input0_addr", -5, INTS "input0_addr: -5 is outside 0..4294967295"},
    {Q(", input0_is_const=true, input0_8bit=false, input1_8bit=false"), "input0_addr", 0xFFFB, NULL},
    {Q(", input0_is_const=true, input0_8bit=false, input1_8bit=false"), "input0_addr", 0xFFFFFFFB, NULL},
    {Q(", input0_is_const=true, input0_8bit=false, input1_8bit=false"), "input0_addr", 0x1FFFB,
     INTS "input0_addr: 0x1fffb is no constant of 16 bits: those above must be 0, or all 1 above a negative one"},

    {"tensor_arithmetic_quantized(op=BM_MUL, shape=[1,1,1,1])", "rshift_bit", 31, NULL},
    {"tensor_arithmetic_quantized(op=BM_MUL, shape=[1,1,1,1])", "rshift_bit", 32,
     INTS "rshift_bit: 32 is outside 0..31"},
    {"tensor_arithmetic_quantized(op=BM_MUL, shape=[1,1,1,1])", "lshift_bit", 32, NULL},
    {"tensor_arithmetic_quantized(op=BM_MAC, shape=[1,1,1,1], output_8bit=false)", "lshift_bit", -1,
     INTS "lshift_bit: -1 is outside 0..31"},
    {Q(""), "rshift_bit", 32, NULL},
    {Q(""), "shift_type", 2, NULL},
    {"tensor_arithmetic_quantized(op=BM_SHIFT, shape=[1,1,1,1], input0_8bit=false, input1_8bit=false, "
     "output_8bit=false)",
     "shift_type", 2, INTS "shift_type: 2 is outside 0..1"},

    {Q(""), "input0_sign", 2, INTS "input0_sign: value 2 is not true or false"},
    {Q(""), "output_sign", 3, INTS "output_sign: value 3 is not true or false"},
    {Q(""), "input1_8bit", 4, INTS "input1_8bit: value 4 is not true or false"},
    {Q(""), "output_8bit", 5, INTS "output_8bit: value 5 is not true or false"},
    {Q(""), "input1_h_is1", 6, INTS "input1_h_is1: value 6 is not true or false"},
    {Q(", input1_is_const=true"), "input1_h_is1", 6, NULL},

    /* section 4.3 */
    {Q(""), "output_8bit", 0, NULL},
    {Q(", input0_8bit=false, input1_8bit=false"), NULL, 0, NULL},
    {Q(", input1_8bit=false"), NULL, 0,
     INTS "input1_8bit: BM_ADD takes a second input like the first, of 8 bits, not 16"},
    {Q(", input0_8bit=false"), NULL, 0,
     INTS "input1_8bit: BM_ADD takes a second input like the first, of 16 bits, not 8"},
    {"tensor_arithmetic_quantized(op=BM_MUL, shape=[1,1,1,1], input0_8bit=false)", NULL, 0,
     INTS "input0_8bit: BM_MUL takes inputs of 8 bits, not 16"},
    {"tensor_arithmetic_quantized(op=BM_MAC, shape=[1,1,1,1])", NULL, 0,
     INTS "output_8bit: BM_MAC takes an output of 16 bits, not 8"},
    {"tensor_arithmetic_quantized(op=BM_MAX, shape=[1,1,1,1], output_8bit=false)", NULL, 0,
     INTS "output_8bit: BM_MAX takes an output of 8 bits, not 16"},
    {"tensor_arithmetic_quantized(op=BM_SHIFT, shape=[1,1,1,1])", NULL, 0,
     INTS "input0_8bit: BM_SHIFT takes inputs of 16 bits, not 8"},
    {"tensor_arithmetic_quantized(op=BM_CPY, shape=[1,1,1,1], input0_8bit=false, output_8bit=false)", NULL, 0,
     INTS "input0_8bit: BM_CPY takes inputs of 8 bits, not 16"},
    {"tensor_arithmetic_quantized(op=BM_CPY, shape=[1,1,1,1])", "input1_8bit", 0, NULL},

    /* strides count words: two batches of words */
    {Q(", input0_stride=[0,0,0,4294967296]"), NULL, 0, INTS "input0_stride: W = 4294967296 is outside 0..4294967295"},
    {"tensor_arithmetic_quantized(op=BM_ADD, shape=[4,1,1,1], input0_stride=[-9,0,0,0])", NULL, 0, NULL},
    {"tensor_arithmetic_quantized(op=BM_ADD, shape=[5,1,1,1], input0_stride=[-9,0,0,0])", NULL, 0,
     INTS "input0_stride: N = -9 is outside 0..4294967295"},
    {Q(", input1_w_is1=true, input1_stride=[0,0,0,-9]"), NULL, 0, NULL},
    {Q(", output_stride=[60,20,5,0]"), NULL, 0,
     INTS "output_stride: [60,20,5,0] does not nest: each stride must leave room for what lies "
          "at smaller ones"},

    /* in place in local memory: only with the same width and without broadcast */
    {Q(", memory=local, input1_addr=4096"), NULL, 0, NULL},
    {Q(", memory=local, input1_addr=4096, output_8bit=false"), NULL, 0, INTS SHARES},
    {Q(", memory=local, input0_addr=4096, input1_n_is1=true"), NULL, 0,
     INTS "output_addr: the output shares words with input1, but not every element its own"},
    {"tensor_arithmetic_quantized(op=BM_ADD, shape=[1,3,4,5], memory=local, input0_addr=4096, input1_n_is1=true)", NULL,
     0, NULL},
};

START_TEST(integers)
{
    rule_case_check(&integer_cases[_i]);
}
END_TEST

/* The geometry of the memory is the caller's. */
START_TEST(geometry)
{
    static const struct {
        int64_t lanes, lane_bytes;
        const char *message;
    } rows[] = {
        {64, 524288, NULL},
        {64, 16384, NULL},
        {4, 4096, WORDS SHARES},
        {2, 4096, WORDS "output_addr: 8192 is outside 0..8191"},
        {64, 156, WORDS "input0_stride: elements reach over 40 words from word 0 of a lane, which has 39"},
        {0, 4096, "lanes: 0 is outside 1..4096"},
        {64, 6, "lane_bytes: 6 is no multiple of 4"},
        {4096, 1073741824, NULL},
    };
    const aic_spec spec = spec_of(L(", input1_is_const=true"));
    for (int i = 0; i < COUNT(rows); i++) {
        aic_semantics semantics = aic_semantics_init();
        semantics.lanes = rows[i].lanes;
        semantics.lane_bytes = rows[i].lane_bytes;
        aic_operand operand[AIC_OPERANDS_MAX];
        size_t count;
        const aic_status status = aic_spec_operands(&spec, &semantics, operand, &count);
        ck_assert_int_eq(status, rows[i].message ? AIC_INVALID_ARGUMENT : AIC_OK);
        if (rows[i].message) {
            check_error(rows[i].message);
        } else {
            ck_assert_str_eq(operand[0].name, "memory");
            ck_assert_int_eq(operand[0].bytes, rows[i].lanes * rows[i].lane_bytes);
        }
    }
}
END_TEST

START_TEST(any_words_are_answered)
{
    rule_check_any_words(W(""));
    rule_check_any_words(L(""));
    rule_check_any_words(Q(""));
}
END_TEST

/* ---- pseudo-random descriptors ---- */

START_TEST(random_is_legal_and_wide)
{
    int ops[2][AIC_ATOMIC_BM_SQR_DIFF + 1] = {{0}}, in_place[2] = {0}, local[2] = {0}, constant[2] = {0},
                                        unused_parts = 0;
    const aic_op entries[] = {AIC_OP_TENSOR_ARITHMETIC, AIC_OP_TENSOR_ARITHMETIC_QUANTIZED};
    for (int fixed = 0; fixed < 2; fixed++) {
        rule_check_random(entries[fixed], 0, INT64_C(40000000));
        for (uint64_t seed = 0; seed < 4000; seed++) {
            aic_spec spec;
            ck_assert_int_eq(aic_spec_draw(entries[fixed], NULL, seed, &spec), AIC_OK);
            const aic_semantics semantics = aic_semantics_init();
            const aic_arith p = fixed
                                    ? aic_arith_of_integers(&spec.stage[0].desc.tensor_arithmetic_quantized, &semantics)
                                    : aic_arith_of_words(&spec.stage[0].desc.tensor_arithmetic, &semantics);
            ops[fixed][p.number]++;
            local[fixed] += p.memory == AIC_MEMORY_LOCAL;
            for (int i = AIC_ARITH_INPUT0; i <= AIC_ARITH_INPUT1; i++) {
                const aic_arith_source source = p.operand[i].source;
                in_place[fixed] += source == AIC_ARITH_TENSOR && aic_arith_same_addresses(&p, &p.operand[i]);
                constant[fixed] += source == AIC_ARITH_CONSTANT;
            }
            unused_parts += fixed && p.shape[0] % (32 / p.operand[0].bits) != 0;
        }
        ck_assert_int_gt(in_place[fixed], 500);
        ck_assert_int_gt(local[fixed], 150);
        ck_assert_int_gt(constant[fixed], 500);
        for (aic_atomic_op number = 0; number <= AIC_ATOMIC_BM_SQR_DIFF; number++) {
            const aic_arith_op *op = aic_arith_op_get(number);
            const bool legal = op && (!fixed || op->input_bits != 0);
            ck_assert_int_eq(ops[fixed][number] > 100, legal);
            ck_assert_int_eq(ops[fixed][number] > 0, legal);
        }
    }
    ck_assert_int_gt(unused_parts, 500);
}
END_TEST

/* Other memories, the smallest and two that are too large to check: operands end with a lane. In the largest one what
 * an illegal specification shares is looked for in millions of words, hence there are fewer. */
START_TEST(random_in_other_memories)
{
    static const int64_t memories[][2] = {{1, 4},      {1, 4096},      {3, 4096},          {3, 20},
                                          {64, 16384}, {4096, 262144}, {4096, 1073741824}, {7, 524288}};
    const aic_op entries[] = {AIC_OP_TENSOR_ARITHMETIC, AIC_OP_TENSOR_ARITHMETIC_QUANTIZED};
    for (int i = 0; i < 2 * COUNT(memories); i++) {
        const bool fixed = i % 2 == 1;
        aic_semantics semantics = aic_semantics_init();
        semantics.lanes = memories[i / 2][0];
        semantics.lane_bytes = memories[i / 2][1];
        (void)rule_check_random_under(entries[fixed], &semantics, NULL, semantics.lane_bytes > 524288 ? 100 : 2000);
        int local = 0, at_end = 0;
        for (uint64_t seed = 0; seed < 2000; seed++) {
            aic_spec spec;
            ck_assert_int_eq(aic_spec_draw(entries[fixed], &semantics, seed, &spec), AIC_OK);
            const aic_arith p = fixed
                                    ? aic_arith_of_integers(&spec.stage[0].desc.tensor_arithmetic_quantized, &semantics)
                                    : aic_arith_of_words(&spec.stage[0].desc.tensor_arithmetic, &semantics);
            const aic_arith_operand *output = &p.operand[AIC_ARITH_OUTPUT];
            local += p.memory == AIC_MEMORY_LOCAL;
            at_end += p.memory == AIC_MEMORY_LOCAL && output->word + output->extent == p.lane_words;
        }
        const bool large = semantics.lanes == 4096;
        ck_assert_int_eq(local > 100, !large);
        ck_assert_int_eq(local > 0, !large);
        ck_assert_int_ge(at_end, local / 10);
    }
}
END_TEST

/* Each of these parts of a message is in some of those that illegal specifications get. */
static void check_messages(aic_op op, const char *const *parts, int count)
{
    enum { PARTS_MAX = 16 };
    int seen[PARTS_MAX] = {0};
    ck_assert_int_le(count, PARTS_MAX);
    for (uint64_t seed = 0; seed < 2000; seed++) {
        aic_spec spec;
        ck_assert_int_eq(aic_spec_draw_illegal(op, NULL, seed, &spec), AIC_OK);
        ck_assert_int_eq(aic_spec_validate(&spec, NULL), AIC_INVALID_ARGUMENT);
        for (int i = 0; i < count; i++) {
            seen[i] += strstr(aic_last_error(), parts[i]) != NULL;
        }
    }
    for (int i = 0; i < count; i++) {
        ck_assert_msg(seen[i] > 10, "\"%s\": %d", parts[i], seen[i]);
    }
}

START_TEST(random_illegal_reaches_every_rule)
{
    static const char *const rules[] = {
        "memory: ",        "input0_addr: ", "input1_addr: ",     "output_addr: ",     "shape: N ",
        "shape: C ",       "shape: H ",     "shape: W ",         "input0_stride: ",   "input1_stride: ",
        "output_stride: ", "op: ",          "input0_is_const: ", "input1_is_const: ", "shift_type: ",
        "rshift_bit: ",    "lshift_bit: ",  "input0_sign: ",     "input1_sign: ",     "output_sign: ",
        "input0_8bit: ",   "input1_8bit: ", "output_8bit: ",     "input1_n_is1: ",    "input1_h_is1: ",
        "input1_w_is1: "};
    enum { OF_BOTH = 15 };
    /* the first one is of words alone, the last one of integers */
    static const char *const parts[] = {"is no multiple of 4",
                                        "output_addr: the output shares words with input0",
                                        "output_addr: the output shares words with input1",
                                        "input0_addr: elements reach",
                                        "output_stride: elements reach",
                                        "input1_stride: W = ",
                                        "does not nest",
                                        "output_addr: ",
                                        "input0_addr: 0x"};
    rule_check_random_illegal(AIC_OP_TENSOR_ARITHMETIC, rules, OF_BOTH);
    rule_check_random_illegal(AIC_OP_TENSOR_ARITHMETIC_QUANTIZED, rules, sizeof rules / sizeof rules[0]);
    check_messages(AIC_OP_TENSOR_ARITHMETIC, parts, COUNT(parts) - 1);
    check_messages(AIC_OP_TENSOR_ARITHMETIC_QUANTIZED, parts + 1, COUNT(parts) - 1);
}
END_TEST

/* ---- operands ---- */

typedef struct operand_row {
    const char *text;
    aic_dtype dtype;
    aic_direction direction[3];
    int64_t elements[3];
    uint32_t coincides[3];
} operand_row;

static const operand_row operand_rows[] = {
    {W(""), AIC_FLOAT32, {AIC_DIRECTION_OUT, AIC_DIRECTION_IN, AIC_DIRECTION_IN}, {120, 120, 120}, {0, 1, 1}},
    {W(", input1_stride=[0,0,5,1]"),
     AIC_FLOAT32,
     {AIC_DIRECTION_OUT, AIC_DIRECTION_IN, AIC_DIRECTION_IN},
     {120, 120, 20},
     {0, 1, 0}},
    {W(", output_stride=[100,25,6,1]"),
     AIC_FLOAT32,
     {AIC_DIRECTION_OUT, AIC_DIRECTION_IN, AIC_DIRECTION_IN},
     {173, 120, 120},
     {0, 0, 0}},
    {W(", input0_is_const=true"),
     AIC_FLOAT32,
     {AIC_DIRECTION_OUT, AIC_DIRECTION_UNUSED, AIC_DIRECTION_IN},
     {120, 0, 120},
     {0, 0, 1}},
    {"tensor_arithmetic(op=BM_CPY, shape=[2,3,4,5])",
     AIC_UINT32,
     {AIC_DIRECTION_OUT, AIC_DIRECTION_IN, AIC_DIRECTION_UNUSED},
     {120, 120, 0},
     {0, 1, 0}},
    {"tensor_arithmetic(op=BM_MAC, shape=[2,3,4,5])",
     AIC_FLOAT32,
     {AIC_DIRECTION_INOUT, AIC_DIRECTION_IN, AIC_DIRECTION_IN},
     {120, 120, 120},
     {0, 1, 1}},
    {"tensor_arithmetic(op=BM_SE, shape=[2,3,4,5])",
     AIC_UINT32,
     {AIC_DIRECTION_OUT, AIC_DIRECTION_IN, AIC_DIRECTION_IN},
     {120, 120, 120},
     {0, 1, 1}},
    {L(""), AIC_FLOAT32, {AIC_DIRECTION_INOUT, AIC_DIRECTION_UNUSED, AIC_DIRECTION_UNUSED}, {8388608, 0, 0}, {0, 0, 0}},
    {Q(""),
     AIC_UINT32,
     {AIC_DIRECTION_INOUT, AIC_DIRECTION_IN, AIC_DIRECTION_IN},
     {120, 120, 120},
     {0, 1, 1}}, /* six batches in fours */
    {"tensor_arithmetic_quantized(op=BM_ADD, shape=[8,3,4,5], output_8bit=false)",
     AIC_UINT32,
     {AIC_DIRECTION_OUT, AIC_DIRECTION_IN, AIC_DIRECTION_IN},
     {240, 120, 120},
     {0, 0, 0}},
    {"tensor_arithmetic_quantized(op=BM_ADD, shape=[8,3,4,5], input1_n_is1=true, input1_w_is1=true)",
     AIC_UINT32,
     {AIC_DIRECTION_OUT, AIC_DIRECTION_IN, AIC_DIRECTION_IN},
     {120, 120, 12},
     {0, 1, 0}},
};

START_TEST(operands)
{
    static const char *const names[] = {"output", "input0", "input1"};
    const operand_row *row = &operand_rows[_i];
    const aic_spec spec = spec_of(row->text);
    aic_operand operand[AIC_OPERANDS_MAX];
    size_t count;
    ck_assert_int_eq(aic_spec_operands(&spec, NULL, operand, &count), AIC_OK);
    ck_assert_uint_eq(count, 3);
    for (size_t i = 0; i < 3; i++) {
        const bool memory =
            i == 0 && row->direction[1] == AIC_DIRECTION_UNUSED && row->direction[2] == AIC_DIRECTION_UNUSED;
        ck_assert_str_eq(operand[i].name, memory ? "memory" : names[i]);
        ck_assert_int_eq(operand[i].direction, row->direction[i]);
        ck_assert_int_eq(operand[i].dtype, row->dtype);
        ck_assert_int_eq(operand[i].elements, row->elements[i]);
        ck_assert_uint_eq(operand[i].coincides, row->coincides[i]);
        ck_assert_uint_eq(operand[i].overlaps, i == 2 ? 2 : 0);
    }
}
END_TEST

/* An output of 20 words and inputs of up to 20 in one block; addresses in words. */
static void check_call(const char *text, size_t output, size_t input0, size_t input1, const char *message)
{
    static uint32_t block[100];
    const aic_spec spec = spec_of(text);
    void *pointers[] = {block + output, block + input0, block + input1};
    const aic_status status = aic_reference(&spec, NULL, pointers, 3);
    ck_assert_msg(status == (message ? AIC_INVALID_ARGUMENT : AIC_OK), "%s", aic_last_error());
    if (message) {
        check_error(message);
    }
}

START_TEST(memory_that_operands_share)
{
    const char *same = "tensor_arithmetic(op=BM_XOR, shape=[1,1,4,5])";
    const char *turned = "tensor_arithmetic(op=BM_XOR, shape=[1,1,4,5], input0_stride=[0,0,1,4])";
    const char *wide = "tensor_arithmetic_quantized(op=BM_ADD, shape=[4,1,2,5], output_8bit=false)";
    check_call(same, 0, 20, 40, NULL);
    check_call(same, 0, 0, 40, NULL);
    check_call(same, 0, 0, 0, NULL);
    check_call(same, 0, 40, 0, NULL);
    check_call(same, 0, 20, 20, NULL);
    check_call(same, 0, 20, 30, NULL); /* inputs over each other */
    check_call(same, 0, 19, 40, WORDS "input0: overlaps output");
    check_call(same, 20, 1, 40, WORDS "input0: overlaps output");
    check_call(same, 20, 40, 39, WORDS "input1: overlaps output");
    check_call(turned, 0, 0, 40, WORDS "input0: overlaps output");
    check_call(turned, 0, 20, 0, NULL);
    check_call(wide, 0, 20, 30, NULL);
    check_call(wide, 0, 0, 30, INTS "input0: overlaps output");
}
END_TEST

/* ---- text ---- */

START_TEST(constants_in_text)
{
    static const struct {
        const char *written;
        uint32_t bits;
        const char *printed;
    } rows[] = {
        {"1", 0x3F800000, "1"},
        {"0x1", 1, "1e-45"},
        {"-0", 0x80000000, "-0"},
        {"0.1", 0x3DCCCCCD, "0.1"},
        {"16777217", 0x4B800000, "16777216"},
        {"0x7fc00001", 0x7FC00001, "0x7fc00001"},
        {"0xff800001", 0xFF800001, "0xff800001"},
        {"nan", 0x7FC00000, "0x7fc00000"},
        {"-nan", 0xFFC00000, "0xffc00000"},
        {"-inf", 0xFF800000, "-inf"},
        {"1.00000017881393432617187499", 0x3F800001, "1.0000001"}, /* by way of a double it would be the next */
        {"3.4028235e38", 0x7F7FFFFF, "3.4028235e+38"},
    };
    for (int i = 0; i < COUNT(rows); i++) {
        char text[128], printed[1024], expected[64];
        snprintf(text, sizeof text, "tensor_arithmetic(op=BM_ADD, shape=[1,1,1,1], input1_const=%s)", rows[i].written);
        const aic_spec spec = spec_of(text);
        ck_assert_uint_eq(aic_bits_of_float(spec.stage[0].desc.tensor_arithmetic.input1_const), rows[i].bits);
        ck_assert_int_eq(aic_spec_print(&spec, printed, sizeof printed, NULL), AIC_OK);
        snprintf(expected, sizeof expected, "input1_const=%s,", rows[i].printed);
        ck_assert_msg(strstr(printed, expected) != NULL, "%s has no %s", printed, expected);
    }
    aic_spec spec;
    ck_assert_int_eq(aic_spec_read("tensor_arithmetic(op=BM_ADD, input1_const=1e39)", &spec), AIC_INVALID_ARGUMENT);
    check_error("tensor_arithmetic: input1_const: 1e39 is not a number of single precision or "
                "its 32 bits (column 43)");
    ck_assert_int_eq(aic_spec_read("tensor_arithmetic(input1_const=0x100000000)", &spec), AIC_INVALID_ARGUMENT);
    ck_assert_int_eq(aic_spec_read("tensor_arithmetic(input1_const=-0x1)", &spec), AIC_INVALID_ARGUMENT);
}
END_TEST

Suite *suite_arith_rules(void)
{
    Suite *suite = suite_create("arith_rules");
    TCase *tcase = tcase_create("arith_rules");
    tcase_add_loop_test(tcase, words, 0, COUNT(word_cases));
    tcase_add_loop_test(tcase, integers, 0, COUNT(integer_cases));
    tcase_add_test(tcase, geometry);
    tcase_add_test(tcase, any_words_are_answered);
    tcase_add_test(tcase, random_is_legal_and_wide);
    tcase_add_test(tcase, random_in_other_memories);
    tcase_add_test(tcase, random_illegal_reaches_every_rule);
    tcase_add_loop_test(tcase, operands, 0, COUNT(operand_rows));
    tcase_add_test(tcase, memory_that_operands_share);
    tcase_add_test(tcase, constants_in_text);
    tcase_set_timeout(tcase, 60);
    suite_add_tcase(suite, tcase);
    return suite;
}
