/* A fused chain computes, bit for bit, what its operators compute when they are called one after the other. */
#include "frontend/core/chain.h"
#include "frontend/core/spec.h"
#include "frontend/core/stage.h"
#include "tools/harness/element.h"
#include "tools/harness/testdata.h"

#include <check.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

Suite *suite_fused(void);

/* Memory for an operand, filled as the harness fills it. */
static void *filled(const aic_operand *operand, uint64_t seed)
{
    void *memory = aligned_alloc(64, ((size_t)operand->bytes + 64) / 64 * 64);
    ck_assert_ptr_nonnull(memory);
    testdata_fill(operand, seed, memory);
    return memory;
}

/* Keys that have a meaning in chains only as the operator alone has them. */
static void stand_alone(aic_spec *stage)
{
    switch (stage->stage[0].op) {
    case AIC_OP_CONV2D:
        stage->stage[0].desc.conv2d.l1out = AIC_L1OUT_TENSOR;
        break;
    case AIC_OP_MMAD:
        stage->stage[0].desc.mmad.l1out = AIC_L1OUT_TENSOR;
        break;
    case AIC_OP_TENSOR_ARITHMETIC:
        stage->stage[0].desc.tensor_arithmetic.input1_stage = 0;
        break;
    default:
        break;
    }
}

/* Which NaN arithmetic gives is left open, but within a chain whose later stages read its bits: there it is 0x7fc00000.
 * Makes every NaN of a stage's results that one. */
static void settle_nans(const aic_stage *stage, uint32_t *words, int64_t bytes)
{
    static const aic_atomic_op floats[] = {AIC_ATOMIC_BM_ADD, AIC_ATOMIC_BM_SUB, AIC_ATOMIC_BM_MUL, AIC_ATOMIC_BM_DIV,
                                           AIC_ATOMIC_BM_MAC, AIC_ATOMIC_BM_MAX, AIC_ATOMIC_BM_MIN};
    bool computes = (stage->op == AIC_OP_CONV2D && stage->desc.conv2d.dtype != AIC_INT8) ||
                    (stage->op == AIC_OP_MMAD && stage->desc.mmad.dtype != AIC_INT8);
    for (size_t i = 0; stage->op == AIC_OP_TENSOR_ARITHMETIC && i < sizeof floats / sizeof floats[0]; i++) {
        computes = computes || stage->desc.tensor_arithmetic.op == floats[i];
    }
    for (int64_t i = 0; computes && i < bytes / (int64_t)sizeof *words; i++) {
        words[i] = (words[i] & 0x7FFFFFFF) > 0x7F800000 ? 0x7FC00000 : words[i];
    }
}

static void *duplicate(const void *memory, size_t bytes)
{
    void *copy = aligned_alloc(64, (bytes + 63) / 64 * 64);
    ck_assert_ptr_nonnull(copy);
    return memcpy(copy, memory, bytes);
}

/* The number of an accumulator. */
static int64_t accumulator_at(const aic_accumulator *a, int64_t row, int64_t column)
{
    return (column / 16 * a->block_rows + row) * 16 + column % 16;
}

/* The old accumulators, or those that the values of channels make. */
static void start(const aic_spec *resolved, const aic_chain_operands *chain, void *const operands[], int32_t *to)
{
    const aic_accumulator a = aic_chain_accumulator(resolved, 0);
    for (int64_t row = 0; chain->l1out != 0 && row < a.rows; row++) {
        for (int64_t column = 0; column < a.columns; column++) {
            const int64_t at = accumulator_at(&a, row, column);
            to[at] = ((const int32_t *)operands[chain->l1out])[a.start == AIC_START_CHANNEL ? column : at];
        }
    }
}

static void store(const aic_spec *resolved, const int32_t *accumulators, int32_t *to)
{
    const aic_accumulator a = aic_chain_accumulator(resolved, 0);
    for (int64_t row = 0; row < a.rows; row++) {
        for (int64_t column = 0; column < a.columns; column++) {
            const int64_t at = accumulator_at(&a, row, column);
            to[at] = accumulators[at];
        }
    }
}

/* Runs the chain's operators one after the other: `operands` are the chain's. */
static void run_in_turn(const aic_spec *resolved, const aic_semantics *semantics, aic_context *context,
                        void *const operands[])
{
    aic_chain_operands chain;
    aic_operand own[AIC_OPERANDS_MAX];
    aic_spec stage[AIC_STAGES_MAX];
    aic_chain_operands_of(resolved, semantics, &chain);
    for (int s = 0; s < resolved->count; s++) {
        stage[s] = (aic_spec){.count = 1, .stage = {resolved->stage[s]}};
    }
    (void)aic_spec_operands_of(&stage[0], semantics, own);
    void *left[AIC_STAGES_MAX] = {NULL}; /* the accumulators that each stage leaves */
    for (int s = 0; s < resolved->count; s++) {
        void *pointer[AIC_OPERANDS_MAX];
        const aic_op_info *op = aic_op_get(resolved->stage[s].op);
        const int other = op->change ? op->other_stage(&resolved->stage[s].desc) : 0;
        stand_alone(&stage[s]);
        left[s] = s == 0 ? filled(&own[0], 1) : duplicate(left[s - 1], (size_t)own[0].bytes);
        if (s == 0) {
            start(resolved, &chain, operands, left[0]);
        }
        aic_operand alone[AIC_OPERANDS_MAX];
        const size_t count = aic_spec_operands_of(&stage[s], semantics, alone);
        for (size_t i = 0; i < count; i++) {
            const int from = chain.from[s][i];
            pointer[i] = from != AIC_ACCUMULATED ? operands[from]
                         : alone[i].direction == AIC_DIRECTION_UNUSED
                             ? NULL
                             : left[i == 0 || s == 0 || op->change ? s : s - 1];
        }
        pointer[2] = other > 0 ? left[other - 1] : pointer[2];
        pointer[0] = op->change ? left[s] : pointer[0];
        ck_assert_msg(aic_jit_spec(context, &stage[s], pointer, count) == AIC_OK, "%s", aic_last_error());
        settle_nans(&stage[s].stage[0], (uint32_t *)left[s], own[0].bytes);
    }
    if (aic_op_get(resolved->stage[resolved->count - 1].op)->change) {
        store(resolved, left[resolved->count - 1], operands[0]);
    }
    for (int s = 0; s < resolved->count; s++) {
        free(left[s]);
    }
}

/* Bit for bit, but for which NaN a float is. */
static void check_fused(const aic_spec *spec, const aic_semantics *semantics, aic_context *context, uint64_t seed)
{
    aic_spec resolved;
    aic_operand operand[AIC_OPERANDS_MAX];
    void *fused[AIC_OPERANDS_MAX] = {NULL}, *turn[AIC_OPERANDS_MAX] = {NULL};
    ck_assert_int_eq(aic_spec_resolve(spec, semantics, &resolved), AIC_OK);
    const size_t count = aic_spec_operands_of(&resolved, semantics, operand);
    for (size_t i = 0; i < count; i++) {
        if (operand[i].direction != AIC_DIRECTION_UNUSED) {
            fused[i] = filled(&operand[i], seed);
            turn[i] = i == 0 ? filled(&operand[i], seed) : fused[i];
        }
    }
    ck_assert_msg(aic_jit_spec(context, spec, fused, count) == AIC_OK, "%s", aic_last_error());
    run_in_turn(&resolved, semantics, context, turn);
    const size_t size = aic_dtype_size(operand[0].dtype);
    for (size_t at = 0; at < (size_t)operand[0].bytes; at += size) {
        ck_assert_msg(element_equal(operand[0].dtype, (const char *)fused[0] + at, (const char *)turn[0] + at),
                      "seed %" PRIu64 ": element %zu", seed, at / size);
    }
    free(turn[0]);
    for (size_t i = 0; i < count; i++) {
        free(fused[i]);
    }
}

START_TEST(a_chain_is_its_operators_in_turn)
{
    aic_context_options options = aic_context_options_init();
    options.semantics.overflow = (aic_overflow)_i;
    aic_context *context;
    size_t checked = 0;
    ck_assert_int_eq(aic_context_create(&options, &context), AIC_OK);
    for (uint64_t seed = 0; seed < 80; seed++) {
        aic_spec spec, resolved;
        ck_assert_int_eq(aic_spec_draw_chain(AIC_OP_NONE, AIC_OP_NONE, NULL, seed, &spec), AIC_OK);
        ck_assert_int_eq(aic_spec_resolve(&spec, &options.semantics, &resolved), AIC_OK);
        aic_spec consumer = {.count = 1, .stage = {resolved.stage[resolved.count - 1]}};
        stand_alone(&consumer);
        /* An inexact accumulator depends on the schedule; and one instruction has narrower limits than a chain. */
        if (aic_spec_exact(&spec) && aic_spec_validate(&consumer, &options.semantics) == AIC_OK) {
            check_fused(&spec, &options.semantics, context, seed);
            checked++;
        }
    }
    ck_assert_uint_gt(checked, 30);
    (void)aic_take_warning();
    aic_context_destroy(context);
}
END_TEST

Suite *suite_fused(void)
{
    Suite *suite = suite_create("fused");
    TCase *tcase = tcase_create("fused");
    tcase_set_timeout(tcase, 300);
    tcase_add_loop_test(tcase, a_chain_is_its_operators_in_turn, 0, AIC_OVERFLOW_IEEE + 1);
    suite_add_tcase(suite, tcase);
    return suite;
}
