/* tensor_arithmetic in chains: a stage that changes the accumulators where they are. They are words of the shape
 *
 *     [1, blocks of 16 columns, rows of a block, 16]
 *
 * and input0 and the output; input1 is an operand, a constant or what an earlier stage has left. */
#include "frontend/core/rule.h"
#include "frontend/ops/arith/arith.h"
#include "frontend/ops/arith/tensor_arithmetic.h"

#include <inttypes.h>

#define NAME "tensor_arithmetic"

enum { BLOCK = 16 };

static const char *const dimensions[] = {"N", "C", "H", "W"};

/* Shape and strides of the accumulators in the operator's terms. */
typedef struct geometry {
    int64_t shape[AIC_ARITH_RANK], stride[AIC_ARITH_RANK];
} geometry;

static geometry geometry_of(const aic_accumulator *from)
{
    const int64_t blocks = (from->columns + BLOCK - 1) / BLOCK, block = from->block_rows * BLOCK;
    return (geometry){{1, blocks, from->block_rows, BLOCK}, {0, block, BLOCK, 1}};
}

/* Flags and words that must be legal before anything is filled in. */
static void check_modes(aic_verdict *v, const aic_tensor_arithmetic_desc *desc)
{
    if (aic_rule_enum(v, AIC_ARITH_RULE_memory, "memory", AIC_KIND_MEMORY, desc->memory) &&
        desc->memory != AIC_MEMORY_FLAT) {
        aic_break(v, AIC_WORDS_RULE_chain_memory,
                  "memory: local is not flat, which a chain requires: the accumulators have no address");
    }
    if (aic_rule_bool(v, AIC_WORDS_RULE_input0_is_const, "input0_is_const", &desc->input0_is_const) &&
        desc->input0_is_const) {
        aic_break(v, AIC_WORDS_RULE_chain_input0,
                  "input0_is_const: true is not false, which a chain requires: input0 is the accumulators");
    }
    aic_rule_bool(v, AIC_WORDS_RULE_input1_is_const, "input1_is_const", &desc->input1_is_const);
}

static void check_stage(aic_verdict *v, const aic_tensor_arithmetic_desc *desc, const aic_accumulator *from)
{
    if (desc->op != AIC_ATOMIC_BM_CPY /* has one input */ &&
        aic_rule_range(v, AIC_WORDS_RULE_input1_stage, "input1_stage", NULL, desc->input1_stage, 0, from->stage) &&
        desc->input1_stage != 0 && desc->input1_is_const) {
        aic_break(v, AIC_WORDS_RULE_stage_const,
                  "input1_stage: %" PRId64 " is not 0, which input1_is_const = true requires", desc->input1_stage);
    }
}

/* Of accumulators that are not known: nothing is broken by what was left out, or follows from them. A shape of any size
 * may be theirs, and sizes that nobody has checked have no product. */
static void fill_unknown(aic_tensor_arithmetic_desc *desc)
{
    for (int d = 0; d < AIC_ARITH_RANK; d++) {
        desc->shape[d] = 1;
        desc->input0_stride[d] = desc->output_stride[d] = AIC_COMPACT;
    }
}

/* All rows of a block, or those that are defined. */
static void fill_shape(aic_verdict *v, aic_tensor_arithmetic_desc *desc, const aic_accumulator *from,
                       const geometry *at)
{
    for (int d = 0; d < AIC_ARITH_RANK; d++) {
        desc->shape[d] = desc->shape[d] == 0 ? at->shape[d] : desc->shape[d];
        const bool defined = d == AIC_ARITH_H && desc->shape[d] == from->rows;
        if (desc->shape[d] != at->shape[d] && !defined) {
            aic_break(v, AIC_WORDS_RULE_chain_shape,
                      "shape: %s = %" PRId64 " is not %" PRId64 " of the accumulators [%" PRId64 ",%" PRId64 ",%" PRId64
                      ",%" PRId64 "] of %s",
                      dimensions[d], desc->shape[d], at->shape[d], at->shape[0], at->shape[1], at->shape[2],
                      at->shape[3], from->producer);
        }
    }
}

/* Strides of the accumulators; those that lead nowhere may be anything. */
static void fill_strides(aic_verdict *v, const char *field, const int64_t shape[AIC_ARITH_RANK],
                         int64_t stride[AIC_ARITH_RANK], const aic_accumulator *from, const geometry *at)
{
    const bool left_out = aic_arith_is_compact(stride);
    for (int d = 0; d < AIC_ARITH_RANK; d++) {
        if (left_out || shape[d] == 1) {
            stride[d] = at->stride[d];
        }
        if (stride[d] != at->stride[d]) {
            aic_break(v, AIC_WORDS_RULE_chain_stride,
                      "%s: %s = %" PRId64 " is not %" PRId64 ", which the accumulators of %s have", field,
                      dimensions[d], stride[d], at->stride[d], from->producer);
        }
    }
}

aic_status aic_tensor_arithmetic_consume(void *descriptor, const aic_accumulator *from, const aic_semantics *semantics)
{
    aic_tensor_arithmetic_desc *desc = descriptor;
    aic_verdict v = {.subject = NAME, .rules = aic_op_tensor_arithmetic.rules, .below = from->broken};
    const geometry at = geometry_of(from);
    check_modes(&v, desc);
    if (from->unknown) {
        fill_unknown(desc);
    } else if (v.status == AIC_OK) {
        fill_shape(&v, desc, from, &at);
        fill_strides(&v, "input0_stride", desc->shape, desc->input0_stride, from, &at);
        if (aic_tensor_arithmetic_other_stage(desc) != 0) {
            fill_strides(&v, "input1_stride", desc->shape, desc->input1_stride, from, &at);
        }
        fill_strides(&v, "output_stride", desc->shape, desc->output_stride, from, &at);
    }
    aic_tensor_arithmetic_check(&v, desc, true, semantics);
    if (aic_kept(&v, AIC_WORDS_RULE_input1_is_const, AIC_WORDS_RULE_input1_is_const)) {
        check_stage(&v, desc, from);
    }
    return v.status;
}

void aic_tensor_arithmetic_change(const void *descriptor, aic_accumulator *accumulator)
{
    const aic_tensor_arithmetic_desc *desc = descriptor;
    accumulator->words = true;
    if (aic_arith_op_get(desc->op)->dtype == AIC_FLOAT32) {
        accumulator->dtype = AIC_FLOAT32;
    }
}

int aic_tensor_arithmetic_other_stage(const void *descriptor)
{
    const aic_tensor_arithmetic_desc *desc = descriptor;
    return desc->op == AIC_ATOMIC_BM_CPY ? 0 : (int)desc->input1_stage;
}

void aic_tensor_arithmetic_limit_rows(void *descriptor, int64_t rows)
{
    aic_tensor_arithmetic_desc *desc = descriptor;
    desc->shape[AIC_ARITH_H] = desc->shape[AIC_ARITH_H] < rows ? desc->shape[AIC_ARITH_H] : rows;
}
