/* mmad's rules: every field's message, both ends of its range, the order of the list; operands; what fusion requires.
 */
#include "frontend/core/stage.h"
#include "tests/rule_case.h"
#include "tests/specs.h"

#include <check.h>
#include <string.h>

Suite *suite_mmad_rules(void);

#define BASE "mmad(dtype=float16, m=3, n=5, k=7)"

static const rule_case cases[] = {
    {BASE, NULL, 0, NULL},
    {BASE, "dtype", AIC_INT8, NULL},
    {BASE, "dtype", AIC_BFLOAT16, NULL},
    {BASE, "dtype", AIC_FLOAT32, NULL},
    {BASE, "dtype", AIC_DTYPE_NONE, "mmad: dtype: none is not int8, float16, bfloat16 or float32"},
    {BASE, "dtype", AIC_UINT8, "mmad: dtype: uint8 is not int8, float16, bfloat16 or float32"},
    {BASE, "dtype", 99, "mmad: dtype: value 99 is not int8, float16, bfloat16 or float32"},
    {BASE, "m", 0, NULL},
    {BASE, "m", 4095, NULL},
    {BASE, "m", 4096, "mmad: m: 4096 is outside 0..4095"},
    {BASE, "m", -1, "mmad: m: -1 is outside 0..4095"},
    {BASE, "n", 0, NULL},
    {BASE, "n", 4095, NULL},
    {BASE, "n", INT64_MAX, "mmad: n: 9223372036854775807 is outside 0..4095"},
    {BASE, "k", 0, NULL},
    {BASE, "k", 4095, NULL},
    {BASE, "k", INT64_MIN, "mmad: k: -9223372036854775808 is outside 0..4095"},
    {BASE, "a_format", AIC_LAYOUT_ZZ, NULL},
    {BASE, "a_format", AIC_LAYOUT_ZN, "mmad: a_format: Zn is not ND or Zz"},
    {BASE, "a_format", 50, "mmad: a_format: value 50 is not ND or Zz"},
    {BASE, "b_format", AIC_LAYOUT_ZN, NULL},
    {BASE, "b_format", AIC_LAYOUT_NZ, "mmad: b_format: Nz is not ND or Zn"},
    {BASE, "c_format", AIC_LAYOUT_NZ, NULL},
    {BASE, "c_format", AIC_LAYOUT_ZZ, "mmad: c_format: Zz is not ND or Nz"},
    {BASE, "c_format", AIC_LAYOUT_NHWC, "mmad: c_format: NHWC is not ND or Nz"},
    {BASE, "init_c", 0, NULL},
    {BASE, "init_c", 2, "mmad: init_c: value 2 is not true or false"},
    {BASE, "init_c", 255, "mmad: init_c: value 255 is not true or false"},
    {BASE, "accumulate", AIC_ACCUMULATE_FAST, NULL},
    {BASE, "accumulate", AIC_ACCUMULATE_WINOGRAD, NULL},
    {BASE, "accumulate", 3, "mmad: accumulate: value 3 is not cube, fast or winograd"},
};

START_TEST(every_row)
{
    rule_case_check(&cases[_i]);
}
END_TEST

START_TEST(first_broken_rule_is_reported)
{
    static const rule_case mends[] = {
        {BASE, "dtype", AIC_FLOAT16, "mmad: dtype: "}, /* int8 has no rule for accumulate */
        {BASE, "m", 1, "mmad: m: "},
        {BASE, "n", 1, "mmad: n: "},
        {BASE, "k", 1, "mmad: k: "},
        {BASE, "a_format", AIC_LAYOUT_ND, "mmad: a_format: "},
        {BASE, "b_format", AIC_LAYOUT_ND, "mmad: b_format: "},
        {BASE, "c_format", AIC_LAYOUT_ND, "mmad: c_format: "},
        {BASE, "init_c", 1, "mmad: init_c: "},
        {BASE, "accumulate", 0, "mmad: accumulate: "},
        {BASE, "l1out", 0, "mmad: l1out: "},
    };
    rule_check_order(mends, sizeof mends / sizeof mends[0]);
}
END_TEST

START_TEST(any_words_are_answered)
{
    rule_check_any_words(BASE);
}
END_TEST

START_TEST(random_is_legal_and_wide)
{
    int types[AIC_FLOAT32 + 1] = {0};
    int empty = 0, vectors = 0, documents = 0, accumulating = 0, fast = 0, tails = 0, long_reductions = 0;
    rule_check_random(AIC_OP_MMAD, 5000000, 10000000);
    for (uint64_t seed = 0; seed < 2000; seed++) {
        aic_spec spec;
        ck_assert_int_eq(aic_spec_draw(AIC_OP_MMAD, NULL, seed, &spec), AIC_OK);
        const aic_mmad_desc *d = &spec.stage[0].desc.mmad;
        types[d->dtype]++;
        empty += d->m == 0 || d->n == 0 || d->k == 0;
        vectors += d->m == 1 && d->a_format == AIC_LAYOUT_ZZ;
        documents += d->a_format != AIC_LAYOUT_ND && d->b_format != AIC_LAYOUT_ND && d->c_format != AIC_LAYOUT_ND;
        accumulating += !d->init_c;
        fast += d->accumulate == AIC_ACCUMULATE_FAST;
        tails += d->m % 16 != 0 && d->n % 16 != 0 && d->k % 32 != 0;
        long_reductions += d->k >= 300;
    }
    ck_assert_int_gt(types[AIC_INT8], 300);
    ck_assert_int_gt(types[AIC_FLOAT16], 300);
    ck_assert_int_gt(types[AIC_BFLOAT16], 300);
    ck_assert_int_gt(types[AIC_FLOAT32], 300);
    ck_assert_int_gt(empty, 20);
    ck_assert_int_gt(vectors, 50);
    ck_assert_int_gt(documents, 300);
    ck_assert_int_gt(accumulating, 300);
    ck_assert_int_gt(fast, 300);
    ck_assert_int_gt(tails, 300);
    ck_assert_int_gt(long_reductions, 50);
}
END_TEST

START_TEST(random_illegal_reaches_every_rule)
{
    static const char *const rules[] = {
        "dtype: ", "m: ", "n: ", "k: ", "a_format: ", "b_format: ", "c_format: ", "init_c: ", "accumulate: "};
    rule_check_random_illegal(AIC_OP_MMAD, rules, sizeof rules / sizeof rules[0]);
}
END_TEST

/* Direction, type and shape of c, a and b; bytes of all. */
typedef struct operand_row {
    const char *text;
    aic_direction direction;
    aic_dtype sum;
    int32_t rank[3];
    int64_t shape[3][4];
    int64_t bytes;
} operand_row;

static const operand_row operand_rows[] = {
    {"mmad(dtype=int8, m=17, n=5, k=33)",
     AIC_DIRECTION_OUT,
     AIC_INT32,
     {2, 2, 2},
     {{17, 5}, {17, 33}, {33, 5}},
     17 * 5 * 4 + 17 * 33 + 33 * 5},
    {"mmad(dtype=int8, m=17, n=5, k=33, a_format=Zz, b_format=Zn, c_format=Nz, init_c=false)",
     AIC_DIRECTION_INOUT,
     AIC_INT32,
     {4, 4, 4},
     {{1, 2, 16, 16}, {2, 2, 16, 32}, {2, 1, 16, 32}},
     2 * 17 * 5 * 4 + 17 * 33 + 33 * 5},
    {"mmad(dtype=half, m=17, n=33, k=33, a_format=Zz, b_format=Zn, c_format=Nz)",
     AIC_DIRECTION_OUT,
     AIC_FLOAT32,
     {4, 4, 4},
     {{3, 2, 16, 16}, {2, 3, 16, 16}, {3, 3, 16, 16}},
     17 * 33 * 4 + 17 * 33 * 2 + 33 * 33 * 2},
    {"mmad(dtype=bfloat16, m=1, n=2, k=3)",
     AIC_DIRECTION_OUT,
     AIC_FLOAT32,
     {2, 2, 2},
     {{1, 2}, {1, 3}, {3, 2}},
     8 + 6 + 12},
    {"mmad(dtype=float, m=1, n=9, k=9, a_format=Zz, b_format=Zn, c_format=Nz)",
     AIC_DIRECTION_OUT,
     AIC_FLOAT32,
     {4, 1, 4},
     {{1, 1, 16, 16}, {9}, {2, 1, 16, 8}},
     9 * 4 + 9 * 4 + 9 * 9 * 4},
    {"mmad(dtype=float, m=0, n=9, k=9, a_format=Zz, b_format=Zn, c_format=Nz)",
     AIC_DIRECTION_OUT,
     AIC_FLOAT32,
     {4, 4, 4},
     {{1, 0, 16, 16}, {0, 2, 16, 8}, {2, 1, 16, 8}},
     0},
    {"mmad(dtype=int8, m=0, n=0, k=0)", AIC_DIRECTION_OUT, AIC_INT32, {2, 2, 2}, {{0, 0}, {0, 0}, {0, 0}}, 0},
};

START_TEST(operands)
{
    static const char *const names[] = {"c", "a", "b"};
    const operand_row *row = &operand_rows[_i];
    const aic_spec spec = spec_of(row->text);
    aic_operand operand[AIC_OPERANDS_MAX];
    size_t count;
    int64_t macs, bytes;
    ck_assert_int_eq(aic_spec_operands(&spec, NULL, operand, &count), AIC_OK);
    ck_assert_uint_eq(count, 3);
    for (size_t i = 0; i < count; i++) {
        ck_assert_str_eq(operand[i].name, names[i]);
        ck_assert_int_eq(operand[i].direction, i == 0 ? row->direction : AIC_DIRECTION_IN);
        ck_assert_int_eq(operand[i].dtype, i == 0 ? row->sum : spec.stage[0].desc.mmad.dtype);
        ck_assert_int_eq(operand[i].rank, row->rank[i]);
        ck_assert_mem_eq(operand[i].shape, row->shape[i], (size_t)operand[i].rank * sizeof(int64_t));
    }
    ck_assert_int_eq(aic_spec_work(&spec, NULL, &macs, &bytes), AIC_OK);
    const aic_mmad_desc *desc = &spec.stage[0].desc.mmad;
    ck_assert_int_eq(macs, desc->m * desc->n * desc->k);
    ck_assert_int_eq(bytes, row->bytes);
}
END_TEST

START_TEST(exactness)
{
    static const struct {
        const char *text;
        bool exact;
    } rows[] = {
        {"mmad(dtype=int8, m=1, n=1, k=1, accumulate=fast)", true},
        {"mmad(dtype=half, m=1, n=1, k=1)", true},
        {"mmad(dtype=half, m=1, n=1, k=1, accumulate=fast)", false},
        {"mmad(dtype=float, m=1, n=1, k=1, accumulate=fast)", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const aic_spec spec = spec_of(rows[i].text);
        ck_assert_int_eq(aic_spec_exact(&spec), rows[i].exact);
    }
}
END_TEST

/* What a chain cannot have; the rest of a fused fixpipe follows from mmad. */
static const rule_case chain_cases[] = {
    {"mmad(dtype=half, m=20, n=32, k=7) | fixpipe(src=float, dst=half, quantPre=F322F16)", NULL, 0, NULL},
    {"mmad(dtype=half, m=20, n=32, k=7, c_format=Nz) | fixpipe(src=float, dst=half, quantPre=F322F16, nSize=32, "
     "mSize=20, srcStride=32, dstStride=32)",
     NULL, 0, NULL},
    {"mmad(dtype=half, m=20, n=32, k=7, init_c=false) | fixpipe(src=float, dst=half, quantPre=F322F16)", NULL, 0, NULL},
    {"mmad(dtype=half, m=0, n=32, k=7) | fixpipe(src=float, dst=half, quantPre=F322F16)", NULL, 0,
     "mmad: m: 0 is outside 1..4095, which fusion requires: there would be nothing to store"},
    {"mmad(dtype=half, m=20, n=0, k=7) | fixpipe(src=float, dst=half, quantPre=F322F16)", NULL, 0,
     "mmad: n: 0 is outside 1..4095, which fusion requires: there would be nothing to store"},
    {"mmad(dtype=half, m=20, n=32, k=0) | fixpipe(src=float, dst=half, quantPre=F322F16)", NULL, 0,
     "mmad: k: 0 is outside 1..4095, which fusion requires: there would be nothing to store"},
};

START_TEST(chains)
{
    rule_case_check(&chain_cases[_i]);
}
END_TEST

#define COUNT(rows) (int)(sizeof(rows) / sizeof(rows)[0])

Suite *suite_mmad_rules(void)
{
    Suite *suite = suite_create("mmad_rules");
    TCase *tcase = tcase_create("mmad_rules");
    tcase_add_loop_test(tcase, every_row, 0, COUNT(cases));
    tcase_add_test(tcase, first_broken_rule_is_reported);
    tcase_add_test(tcase, any_words_are_answered);
    tcase_add_test(tcase, random_is_legal_and_wide);
    tcase_add_test(tcase, random_illegal_reaches_every_rule);
    tcase_add_loop_test(tcase, operands, 0, COUNT(operand_rows));
    tcase_add_test(tcase, exactness);
    tcase_add_loop_test(tcase, chains, 0, COUNT(chain_cases));
    tcase_set_timeout(tcase, 60);
    suite_add_tcase(suite, tcase);
    return suite;
}
