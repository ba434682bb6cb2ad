/* tensor_arithmetic_quantized: fields, rules, operands (tensor arithmetic). */
#include "frontend/ops/arith/tensor_arithmetic.h"

#include "frontend/core/rule.h"
#include "frontend/ops/arith/arith.h"

#include <inttypes.h>
#include <string.h>

/* Clears strides that are not those of the compact packing. Batches that fit into one word, and a dimension that is
 * `single`, have one index. */
static void clear_written(const int64_t *shape, bool narrow, const bool single[3], int64_t *stride)
{
    const bool word = shape[0] <= (narrow ? 4 : 2);
    const int64_t extent[AIC_ARITH_RANK] = {word || single[0] ? 1 : shape[0], shape[1], single[1] ? 1 : shape[2],
                                            single[2] ? 1 : shape[3]};
    aic_arith_clear_strides(true, extent, stride);
}

/* Of the second input, or of a constant in its place. Where the operation does not read it, it is the constant 0. */
static inline void clear_second(aic_tensor_arithmetic_quantized_desc *desc)
{
    if (desc->op == AIC_ATOMIC_BM_CPY) {
        desc->input1_is_const = desc->input1_sign = desc->input1_8bit = true;
        desc->input1_addr = 0;
    }
    if (aic_flag(&desc->input1_is_const)) {
        desc->input1_n_is1 = desc->input1_h_is1 = desc->input1_w_is1 = false;
        aic_arith_clear_strides(false, desc->shape, desc->input1_stride);
    } else if (!aic_arith_is_compact(desc->input1_stride)) {
        const bool single[] = {aic_flag(&desc->input1_n_is1), aic_flag(&desc->input1_h_is1),
                               aic_flag(&desc->input1_w_is1)};
        clear_written(desc->shape, aic_flag(&desc->input1_8bit), single, desc->input1_stride);
    }
}

static inline void clear_ignored(aic_tensor_arithmetic_quantized_desc *desc)
{
    static const bool none[3] = {false};
    const aic_atomic_op op = desc->op;
    clear_second(desc);
    if (aic_flag(&desc->input0_is_const)) {
        aic_arith_clear_strides(false, desc->shape, desc->input0_stride);
    } else if (!aic_arith_is_compact(desc->input0_stride)) {
        clear_written(desc->shape, aic_flag(&desc->input0_8bit), none, desc->input0_stride);
    }
    if (!aic_arith_is_compact(desc->output_stride)) {
        clear_written(desc->shape, aic_flag(&desc->output_8bit), none, desc->output_stride);
    }
    desc->rshift_bit = op == AIC_ATOMIC_BM_MUL || op == AIC_ATOMIC_BM_MAC ? desc->rshift_bit : 0;
    desc->lshift_bit = op == AIC_ATOMIC_BM_MAC ? desc->lshift_bit : 0;
    desc->shift_type = op == AIC_ATOMIC_BM_SHIFT ? desc->shift_type : 0;
}

#define AIC_THIS tensor_arithmetic_quantized
#define AIC_THIS_CANONICALISE aic_tensor_arithmetic_quantized_canonicalise
#define AIC_THIS_CLEAR_IGNORED clear_ignored
#include "frontend/core/operator.inc"

_Static_assert((int)RULE_constant == (int)AIC_ARITH_RULE_constant, "it follows the shared rules");

/* ---- the common form ---- */

static void set_operand(aic_arith_operand *o, int64_t address, const int64_t stride[AIC_ARITH_RANK], const bool *narrow,
                        const bool *sign)
{
    o->bits = aic_flag(narrow) ? 8 : 16;
    o->sign = aic_flag(sign);
    o->address = address;
    memcpy(o->given_stride, stride, sizeof o->given_stride);
}

static void set_source(aic_arith_operand *o, const bool *is_const)
{
    o->source = aic_flag(is_const) ? AIC_ARITH_CONSTANT : AIC_ARITH_TENSOR;
}

/* Of any descriptor; nothing is located. */
static aic_arith read_fields(const aic_tensor_arithmetic_quantized_desc *desc, const aic_semantics *semantics)
{
    const aic_arith_op *op = aic_arith_op_get(desc->op);
    aic_arith p = {.name = NAME,
                   .number = desc->op,
                   .shift_type = desc->shift_type,
                   .rshift = desc->rshift_bit,
                   .lshift = desc->lshift_bit,
                   .rounding = semantics->rounding};
    aic_arith_operand *output = &p.operand[AIC_ARITH_OUTPUT];
    aic_arith_operand *input0 = &p.operand[AIC_ARITH_INPUT0], *input1 = &p.operand[AIC_ARITH_INPUT1];
    aic_arith_set_memory(&p, desc->memory, semantics);
    memcpy(p.shape, desc->shape, sizeof p.shape);
    set_operand(output, desc->output_addr, desc->output_stride, &desc->output_8bit, &desc->output_sign);
    set_operand(input0, desc->input0_addr, desc->input0_stride, &desc->input0_8bit, &desc->input0_sign);
    set_operand(input1, desc->input1_addr, desc->input1_stride, &desc->input1_8bit, &desc->input1_sign);
    set_source(input0, &desc->input0_is_const);
    set_source(input1, &desc->input1_is_const);
    input1->broadcast[AIC_ARITH_N] = aic_flag(&desc->input1_n_is1);
    input1->broadcast[AIC_ARITH_H] = aic_flag(&desc->input1_h_is1);
    input1->broadcast[AIC_ARITH_W] = aic_flag(&desc->input1_w_is1);
    if (op && op->unary) {
        input1->source = AIC_ARITH_UNUSED;
    }
    return p;
}

aic_arith aic_arith_of_integers(const aic_tensor_arithmetic_quantized_desc *desc, const aic_semantics *semantics)
{
    aic_arith p = read_fields(desc, semantics);
    aic_arith_locate(&p);
    return p;
}

/* ---- rules, in the order of the list ---- */

/* Fields that count only for some operations. */
static void check_shifts(aic_verdict *v, const aic_arith *p)
{
    const bool mac = p->number == AIC_ATOMIC_BM_MAC;
    if (mac || p->number == AIC_ATOMIC_BM_MUL) {
        aic_rule_range(v, RULE_rshift_bit, "rshift_bit", NULL, p->rshift, 0, 31);
    }
    if (mac) {
        aic_rule_range(v, RULE_lshift_bit, "lshift_bit", NULL, p->lshift, 0, 31);
    }
    if (p->number == AIC_ATOMIC_BM_SHIFT) {
        aic_rule_range(v, RULE_shift_type, "shift_type", NULL, p->shift_type, 0, 1);
    }
}

/* What a flag belongs to. */
typedef struct flag_row {
    int rule;
    const char *name;
    size_t offset;
    int operand;
    bool tensor; /* counts for tensors only */
} flag_row;

#define FLAG(name, operand, tensor)                                                                                    \
    {RULE_##name, #name, offsetof(aic_tensor_arithmetic_quantized_desc, name), operand, tensor}

static const flag_row const_flags[] = {FLAG(input0_is_const, AIC_ARITH_INPUT0, false),
                                       FLAG(input1_is_const, AIC_ARITH_INPUT1, false)};

static const flag_row other_flags[] = {
    FLAG(input0_sign, AIC_ARITH_INPUT0, false), FLAG(input1_sign, AIC_ARITH_INPUT1, false),
    FLAG(output_sign, AIC_ARITH_OUTPUT, false), FLAG(input0_8bit, AIC_ARITH_INPUT0, false),
    FLAG(input1_8bit, AIC_ARITH_INPUT1, false), FLAG(output_8bit, AIC_ARITH_OUTPUT, false),
    FLAG(input1_n_is1, AIC_ARITH_INPUT1, true), FLAG(input1_h_is1, AIC_ARITH_INPUT1, true),
    FLAG(input1_w_is1, AIC_ARITH_INPUT1, true)};

static void check_flags(aic_verdict *v, const aic_tensor_arithmetic_quantized_desc *desc, const aic_arith *p,
                        const flag_row *flags, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const aic_arith_source source = p->operand[flags[i].operand].source;
        if (source == AIC_ARITH_TENSOR || (source == AIC_ARITH_CONSTANT && !flags[i].tensor)) {
            aic_rule_bool(v, flags[i].rule, flags[i].name,
                          (const bool *)((const unsigned char *)desc + flags[i].offset));
        }
    }
}

/* legal: 8 or 16; where both are, nothing is refused. */
static void refuse_width(aic_verdict *v, int rule, const aic_arith *p, int64_t bits, const char *of, int64_t legal)
{
    aic_break(v, rule, "%s: %s takes %s of %" PRId64 " bits, not %" PRId64, provenance[rule].field,
              aic_enum_word(AIC_KIND_ATOMIC_OP, p->number), of, legal, bits);
}

static void check_widths(aic_verdict *v, const aic_arith *p)
{
    const aic_arith_op *op = aic_arith_op_get(p->number);
    const int64_t bits = p->operand[AIC_ARITH_INPUT0].bits;
    const int64_t second = p->operand[AIC_ARITH_INPUT1].bits, output = p->operand[AIC_ARITH_OUTPUT].bits;
    const int64_t legal = op->output_bits != 0 ? op->output_bits : bits;
    if ((op->input_bits & bits) == 0) {
        refuse_width(v, RULE_input_width, p, bits, "inputs", op->input_bits);
    }
    if (!op->unary && second != bits) {
        refuse_width(v, RULE_second_width, p, second, "a second input like the first,", bits);
    }
    if ((legal & output) == 0) {
        refuse_width(v, RULE_output_width, p, output, "an output", legal);
    }
}

static aic_status tensor_arithmetic_quantized_validate(const void *descriptor, const aic_semantics *semantics)
{
    const aic_tensor_arithmetic_quantized_desc *desc = descriptor;
    aic_verdict v = verdict();
    aic_arith p = read_fields(desc, semantics);
    aic_arith_check_addresses(&v, &p);
    aic_arith_check_op(&v, &p, true);
    check_flags(&v, desc, &p, const_flags, sizeof const_flags / sizeof const_flags[0]);
    check_shifts(&v, &p);
    check_flags(&v, desc, &p, other_flags, sizeof other_flags / sizeof other_flags[0]);
    if (aic_kept(&v, AIC_ARITH_RULE_op, AIC_ARITH_RULE_op) && aic_kept(&v, RULE_input0_8bit, RULE_output_8bit)) {
        check_widths(&v, &p);
    }
    if (v.status == AIC_OK) {
        aic_arith_check_overlap(&v, &p);
    }
    return v.status;
}

/* ---- operands ---- */

static size_t tensor_arithmetic_quantized_operands(const void *desc, const aic_semantics *semantics,
                                                   aic_operand operands[AIC_OPERANDS_MAX])
{
    const aic_arith p = aic_arith_of_integers(desc, semantics);
    return aic_arith_operands(&p, operands);
}

static void tensor_arithmetic_quantized_coordinates(const void *desc, const aic_semantics *semantics, int operand,
                                                    aic_coordinates *coordinates)
{
    const aic_arith p = aic_arith_of_integers(desc, semantics);
    aic_arith_coordinates(&p, operand, coordinates);
}

static void tensor_arithmetic_quantized_accessed(const void *desc, const aic_semantics *semantics,
                                                 int64_t bytes[AIC_OPERANDS_MAX])
{
    const aic_arith p = aic_arith_of_integers(desc, semantics);
    aic_arith_accessed(&p, bytes);
}

const aic_op_info aic_op_tensor_arithmetic_quantized = {
    AIC_THIS_ENTRIES,
    .coordinates = tensor_arithmetic_quantized_coordinates,
    .random_under = aic_tensor_arithmetic_quantized_random,
};
