/* tensor_arithmetic: fields, rules, operands (tensor arithmetic). */
#include "frontend/ops/arith/tensor_arithmetic.h"

#include "frontend/core/rule.h"
#include "frontend/ops/arith/arith.h"

#include <inttypes.h>
#include <string.h>

/* Clears what an input has and does not take: of a tensor the constant, of a constant address and strides. */
static inline void clear_input(const int64_t *shape, const bool *constant, int64_t *address, int64_t *stride,
                               float *value)
{
    if (aic_flag(constant)) {
        *address = 0;
        aic_arith_clear_strides(false, shape, stride);
    } else {
        *value = 0;
        aic_arith_clear_strides(true, shape, stride);
    }
}

static inline void clear_ignored(aic_tensor_arithmetic_desc *desc)
{
    const aic_atomic_op op = desc->op;
    if (op == AIC_ATOMIC_BM_CPY) { /* reads the first input only: the second is the constant 0 */
        desc->input1_is_const = true;
        desc->input1_const = 0;
        desc->input1_stage = 0;
    }
    clear_input(desc->shape, &desc->input0_is_const, &desc->input0_addr, desc->input0_stride, &desc->input0_const);
    clear_input(desc->shape, &desc->input1_is_const, &desc->input1_addr, desc->input1_stride, &desc->input1_const);
    aic_arith_clear_strides(true, desc->shape, desc->output_stride);
    desc->select_value = op == AIC_ATOMIC_BM_SG || op == AIC_ATOMIC_BM_SE ? desc->select_value : 0;
    desc->shift_type = op == AIC_ATOMIC_BM_SHIFT ? desc->shift_type : 0;
}

#define AIC_THIS tensor_arithmetic
#define AIC_THIS_CANONICALISE aic_tensor_arithmetic_canonicalise
#define AIC_THIS_CLEAR_IGNORED clear_ignored
#include "frontend/core/operator.inc"

/* ---- the common form ---- */

static void set_operand(aic_arith_operand *o, int64_t address, const int64_t stride[AIC_ARITH_RANK])
{
    o->bits = 32;
    o->address = address;
    memcpy(o->given_stride, stride, sizeof o->given_stride);
}

/* Marks a constant that code gets by an address, in the place of a stride, which canonical constants do not have. */
enum { BY_ADDRESS = AIC_COMPACT - 1 };

static void set_source(aic_arith_operand *o, const bool *is_const, float constant)
{
    const bool marked = o->given_stride[AIC_ARITH_N] == BY_ADDRESS;
    o->source = !aic_flag(is_const) ? AIC_ARITH_TENSOR : marked ? AIC_ARITH_WORD : AIC_ARITH_CONSTANT;
    o->constant = aic_bits_of_float(constant);
}

/* Of any descriptor; nothing is located. */
static aic_arith read_fields(const aic_tensor_arithmetic_desc *desc, const aic_semantics *semantics)
{
    const aic_arith_op *op = aic_arith_op_get(desc->op);
    aic_arith p = {.name = NAME,
                   .number = desc->op,
                   .select_value = aic_bits_of_float(desc->select_value),
                   .shift_type = desc->shift_type,
                   .mac = semantics->mac,
                   .minmax_nan = semantics->minmax_nan};
    aic_arith_set_memory(&p, desc->memory, semantics);
    memcpy(p.shape, desc->shape, sizeof p.shape);
    set_operand(&p.operand[AIC_ARITH_OUTPUT], desc->output_addr, desc->output_stride);
    set_operand(&p.operand[AIC_ARITH_INPUT0], desc->input0_addr, desc->input0_stride);
    set_operand(&p.operand[AIC_ARITH_INPUT1], desc->input1_addr, desc->input1_stride);
    set_source(&p.operand[AIC_ARITH_INPUT0], &desc->input0_is_const, desc->input0_const);
    set_source(&p.operand[AIC_ARITH_INPUT1], &desc->input1_is_const, desc->input1_const);
    if (op && op->unary) {
        p.operand[AIC_ARITH_INPUT1].source = AIC_ARITH_UNUSED;
    }
    return p;
}

aic_arith aic_arith_of_words(const aic_tensor_arithmetic_desc *desc, const aic_semantics *semantics)
{
    aic_arith p = read_fields(desc, semantics);
    aic_arith_locate(&p);
    return p;
}

/* Whether code is better for knowing the constant: counts of shifts are immediates, what divides by a power of two can
 * multiply, and the larger of two floats takes no care of a constant that is neither 0 nor NaN. */
static bool is_better_known(aic_atomic_op op, float constant)
{
    enum { FRACTION = 0x7FFFFF };
    return op == AIC_ATOMIC_BM_SHIFT || op == AIC_ATOMIC_BM_CPY || op == AIC_ATOMIC_BM_MAX || op == AIC_ATOMIC_BM_MIN ||
           (op == AIC_ATOMIC_BM_DIV && (aic_bits_of_float(constant) & FRACTION) == 0);
}

/* The same of the first input: its sign decides what shifts to the right do, and what a quotient takes care of. */
static bool is_first_known(aic_atomic_op op)
{
    return op == AIC_ATOMIC_BM_SHIFT || op == AIC_ATOMIC_BM_MAX || op == AIC_ATOMIC_BM_MIN || op == AIC_ATOMIC_BM_DIV;
}

/* The constant that is input1, or input0 where the other is a tensor. Local memory is one operand, and has no place for
 * an address. */
static size_t tensor_arithmetic_take_word(void *descriptor, bool alone, uint64_t *word)
{
    (void)alone;
    aic_tensor_arithmetic_desc *desc = descriptor;
    const bool unary = aic_arith_op_get(desc->op)->unary, second = !unary && desc->input1_is_const;
    if (desc->memory != AIC_MEMORY_FLAT || (!second && !desc->input0_is_const) ||
        (second ? is_better_known(desc->op, desc->input1_const) : is_first_known(desc->op))) {
        return 0;
    }
    float *constant = second ? &desc->input1_const : &desc->input0_const;
    *word = aic_bits_of_float(*constant);
    *constant = 0;
    (second ? desc->input1_stride : desc->input0_stride)[AIC_ARITH_N] = BY_ADDRESS;
    return second ? AIC_ARITH_INPUT1 : AIC_ARITH_INPUT0;
}

static bool tensor_arithmetic_is_marked(const void *descriptor)
{
    const aic_tensor_arithmetic_desc *desc = descriptor;
    return desc->input1_is_const && desc->input1_stride[AIC_ARITH_N] == BY_ADDRESS;
}

/* ---- rules, in the order of the list ---- */

void aic_tensor_arithmetic_check(aic_verdict *v, const aic_tensor_arithmetic_desc *desc, bool chain,
                                 const aic_semantics *semantics)
{
    aic_arith p = read_fields(desc, semantics);
    p.chain = chain;
    aic_arith_check_addresses(v, &p);
    aic_arith_check_op(v, &p, false);
    if (!chain) {
        aic_rule_bool(v, RULE_input0_is_const, "input0_is_const", &desc->input0_is_const);
    }
    if (!chain && p.operand[AIC_ARITH_INPUT1].source != AIC_ARITH_UNUSED) {
        aic_rule_bool(v, RULE_input1_is_const, "input1_is_const", &desc->input1_is_const);
    }
    if (p.number == AIC_ATOMIC_BM_SHIFT) {
        aic_rule_range(v, RULE_shift_type, "shift_type", NULL, p.shift_type, 0, 1);
    }
    if (v->status == AIC_OK) {
        aic_arith_check_overlap(v, &p);
    }
}

static aic_status tensor_arithmetic_validate(const void *descriptor, const aic_semantics *semantics)
{
    const aic_tensor_arithmetic_desc *desc = descriptor;
    aic_verdict v = verdict();
    aic_tensor_arithmetic_check(&v, desc, false, semantics);
    if (desc->op != AIC_ATOMIC_BM_CPY && desc->input1_stage != 0) {
        aic_break(&v, RULE_stage_alone,
                  "input1_stage: %" PRId64 " is not 0: only chains have stages whose accumulators it can be",
                  desc->input1_stage);
    }
    return v.status;
}

/* ---- operands ---- */

static size_t tensor_arithmetic_operands(const void *desc, const aic_semantics *semantics,
                                         aic_operand operands[AIC_OPERANDS_MAX])
{
    const aic_arith p = aic_arith_of_words(desc, semantics);
    return aic_arith_operands(&p, operands);
}

static void tensor_arithmetic_coordinates(const void *desc, const aic_semantics *semantics, int operand,
                                          aic_coordinates *coordinates)
{
    const aic_arith p = aic_arith_of_words(desc, semantics);
    aic_arith_coordinates(&p, operand, coordinates);
}

static void tensor_arithmetic_accessed(const void *desc, const aic_semantics *semantics,
                                       int64_t bytes[AIC_OPERANDS_MAX])
{
    const aic_arith p = aic_arith_of_words(desc, semantics);
    aic_arith_accessed(&p, bytes);
}

const aic_op_info aic_op_tensor_arithmetic = {
    AIC_THIS_ENTRIES,
    .coordinates = tensor_arithmetic_coordinates,
    .consume = aic_tensor_arithmetic_consume,
    .change = aic_tensor_arithmetic_change,
    .other_stage = aic_tensor_arithmetic_other_stage,
    .take_word = tensor_arithmetic_take_word,
    .is_marked = tensor_arithmetic_is_marked,
    .limit_rows = aic_tensor_arithmetic_limit_rows,
    .enclose = aic_tensor_arithmetic_enclose,
    .random_under = aic_tensor_arithmetic_random,
    .random_fused = aic_tensor_arithmetic_random_fused,
};
