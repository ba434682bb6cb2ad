/* Pseudo-random descriptors prefer the sizes at which generated code changes: around blocks, vectors and tiles. */
#include "frontend/core/op.h"
#include "frontend/core/stage.h"
#include "frontend/random/rng.h"
#include "tests/claims.h"

#include <aic/tool.h>
#include <check.h>
#include <string.h>

Suite *suite_random(void);

enum { DRAWS = 3000, SIZES = 20 };

/* A field of an operator, and what it is a multiple of. */
static const struct {
    aic_op op;
    const char *field;
    uint32_t entry;
    int64_t step, most;
} rows[] = {
    {AIC_OP_CONV2D, "fm_shape", 2, 1, 65},
    {AIC_OP_CONV2D, "kernel_shape", 3, 16, 9},
    {AIC_OP_MMAD, "m", 0, 1, 129},
    {AIC_OP_MMAD, "n", 0, 1, 129},
    {AIC_OP_MMAD, "k", 0, 1, 129},
    {AIC_OP_FIXPIPE, "mSize", 0, 1, 129},
    {AIC_OP_TIK_FIXPIPE, "burst_len", 0, 2, 129},
    {AIC_OP_TIK_FIXPIPE, "cburst_num", 0, 1, 17},
    {AIC_OP_TENSOR_ARITHMETIC, "shape", 1, 1, 33},
    {AIC_OP_TENSOR_ARITHMETIC, "shape", 3, 1, 257},
    {AIC_OP_TENSOR_ARITHMETIC_QUANTIZED, "shape", 0, 1, 9},
    {AIC_OP_TENSOR_ARITHMETIC_QUANTIZED, "shape", 3, 1, 257},
    {AIC_OP_TEXPANDS, "v_row", 0, 1, 33},
    {AIC_OP_TEXPANDS, "v_col", 0, 1, 33},
    {AIC_OP_TRANSDATA, "shape", 0, 1, 129},
    {AIC_OP_TRANSDATA, "shape", 1, 1, 129},
    {AIC_OP_TRANSDATA, "shape", 3, 1, 65},
    {AIC_OP_ND2NZ, "nValue", 0, 1, 65},
    {AIC_OP_ND2NZ, "dValue", 0, 1, 129},
    {AIC_OP_LOAD_DATA, "repeatTimes", 0, 1, 17},
    {AIC_OP_LOAD_DATA_TRANSPOSE, "repeatTimes", 0, 1, 17},
};

static const aic_field *field_of(aic_op op, const char *name)
{
    const aic_record *record = &aic_op_get(op)->record;
    size_t i = 0;
    while (strcmp(record->fields[i].name, name) != 0) {
        ck_assert_uint_lt(++i, record->count);
    }
    return &record->fields[i];
}

/* The smallest sizes, and those next to powers of two. */
static size_t list_sizes(int64_t most, int64_t sizes[SIZES])
{
    static const int64_t ALL[SIZES] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 65, 127, 129, 257};
    size_t count = 0;
    while (count < SIZES && ALL[count] <= most) {
        sizes[count] = ALL[count];
        count++;
    }
    return count;
}

START_TEST(sizes_around_widths)
{
    const aic_field *field = field_of(rows[_i].op, rows[_i].field);
    int64_t sizes[SIZES];
    int seen[SIZES] = {0};
    const size_t count = list_sizes(rows[_i].most, sizes);
    for (uint64_t seed = 0; seed < DRAWS; seed++) {
        aic_spec spec;
        if (aic_spec_draw(rows[_i].op, NULL, seed, &spec) != AIC_OK) {
            ck_abort_msg("%s", aic_last_error());
        }
        const int64_t size = (int64_t)aic_field_word(field, &spec.stage[0].desc, rows[_i].entry);
        for (size_t i = 0; i < count; i++) {
            seen[i] += size == sizes[i] * rows[_i].step;
        }
    }
    for (size_t i = 0; i < count; i++) {
        ck_assert_msg(seen[i] > 0, "%s: %s[%u] is never %lld", aic_op_get(rows[_i].op)->record.name, rows[_i].field,
                      rows[_i].entry, (long long)(sizes[i] * rows[_i].step));
    }
}
END_TEST

/* Whatever the range: every value of a short one, nothing outside. */
START_TEST(edges_of_ranges)
{
    static const struct {
        int64_t low, high;
    } RANGES[] = {{0, 0}, {1, 1}, {5, 9}, {0, 12}, {1, 16}, {16, 4096}, {1000, 1100}};
    uint64_t state = claims_seed(1);
    int64_t reached = 0;
    for (int i = 0; i < DRAWS; i++) {
        const int64_t size = aic_rng_edge(&state, RANGES[_i].low, RANGES[_i].high);
        if (size < RANGES[_i].low || size > RANGES[_i].high) {
            ck_abort_msg("%lld", (long long)size);
        }
        reached = size > reached ? size : reached;
    }
    ck_assert_int_eq(reached, RANGES[_i].high);
}
END_TEST

/* Callers' descriptors may hold anything: what looks at them gives a status, one for all that need a legal one. Values
 * without an effect are legal, and need not be values of their type; the build with sanitizers sees who takes them so.
 */
START_TEST(any_bytes)
{
    enum { SEEDS = 12 };
    const aic_op op = (aic_op)(AIC_OP_NONE + 1 + _i);
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        aic_spec spec;
        ck_assert_int_eq(aic_spec_draw(op, NULL, claims_seed(seed), &spec), AIC_OK);
        unsigned char *bytes = (unsigned char *)&spec.stage[0].desc;
        for (size_t at = sizeof(size_t); at < aic_op_get(op)->desc_size; at++) {
            char text[4096];
            int64_t macs, moved;
            aic_operand operands[AIC_OPERANDS_MAX];
            size_t count;
            const unsigned char legal = bytes[at];
            bytes[at] = (unsigned char)(seed % 2 == 0 ? 0xFF : 0x40);
            const aic_status status = aic_spec_validate(&spec, NULL);
            ck_assert(status == AIC_OK || status == AIC_INVALID_ARGUMENT);
            ck_assert_int_eq(aic_spec_advise(&spec, NULL, NULL, 0), status);
            ck_assert_int_eq(aic_spec_operands(&spec, NULL, operands, &count), status);
            ck_assert_int_eq(aic_spec_work(&spec, NULL, &macs, &moved), status);
            ck_assert_int_eq(aic_spec_print(&spec, text, sizeof text, NULL), AIC_OK);
            bytes[at] = legal;
        }
    }
    (void)aic_take_warning();
}
END_TEST

START_TEST(no_such_operator)
{
    static const aic_op ops[][2] = {{AIC_OP_END, AIC_OP_FIXPIPE},
                                    {AIC_OP_MMAD, AIC_OP_END},
                                    {AIC_OP_MMAD, AIC_OP_MMAD},
                                    {AIC_OP_ND2NZ, AIC_OP_END}};
    aic_spec *spec = NULL;
    ck_assert_int_eq(aic_spec_random(AIC_OP_END, NULL, 1, &spec), AIC_INVALID_ARGUMENT);
    ck_assert_int_eq(aic_spec_random_illegal(AIC_OP_END, NULL, 1, &spec), AIC_INVALID_ARGUMENT);
    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++) {
        ck_assert_msg(aic_spec_random_chain(ops[i][0], ops[i][1], NULL, 1, &spec) == AIC_INVALID_ARGUMENT, "row %zu",
                      i);
    }
    ck_assert_ptr_null(spec);
}
END_TEST

Suite *suite_random(void)
{
    Suite *suite = suite_create("random");
    TCase *cases = tcase_create("sizes");
    tcase_set_timeout(cases, 300); /* sanitizers are slow */
    tcase_add_loop_test(cases, sizes_around_widths, 0, (int)(sizeof rows / sizeof *rows));
    tcase_add_loop_test(cases, edges_of_ranges, 0, 7);
    tcase_add_loop_test(cases, any_bytes, 0, AIC_OP_END - AIC_OP_NONE - 1);
    tcase_add_test(cases, no_such_operator);
    suite_add_tcase(suite, cases);
    return suite;
}
