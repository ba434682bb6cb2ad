/* Tensor arithmetic, both entries (tensor arithmetic): descriptors in one
 * form, the rules they share, where their elements lie. */
#pragma once

#include "frontend/core/op.h"
#include "frontend/core/rule.h"

#include <string.h>

/* Operands in calling order; dimensions in the document's order. */
enum { AIC_ARITH_OUTPUT, AIC_ARITH_INPUT0, AIC_ARITH_INPUT1, AIC_ARITH_OPERANDS };
enum { AIC_ARITH_N, AIC_ARITH_C, AIC_ARITH_H, AIC_ARITH_W, AIC_ARITH_RANK };

/* AIC_ARITH_WORD: a constant that code gets by the address of a word (take_word of aic_op_info). */
typedef enum aic_arith_source {
    AIC_ARITH_TENSOR,
    AIC_ARITH_CONSTANT,
    AIC_ARITH_UNUSED,
    AIC_ARITH_WORD
} aic_arith_source;

typedef struct aic_arith_operand {
    /* From the descriptor. */
    aic_arith_source source;
    int64_t bits; /* of an element: 32, 16 or 8; a word holds 32/bits of neighbouring batches */
    bool sign;    /* whether elements of 16 and 8 bits are signed */
    int64_t address;
    int64_t given_stride[AIC_ARITH_RANK];
    bool broadcast[AIC_ARITH_RANK]; /* has size 1 where the shape may have more */

    /* From aic_arith_locate(), for tensors; words are counted in a lane. */
    int64_t lane, word;             /* of the first element */
    int64_t size[AIC_ARITH_RANK];   /* word batches, rows, H, W; 1 where broadcast */
    int64_t stride[AIC_ARITH_RANK]; /* words; 0 where the size is 1 */
    int64_t extent;                 /* words from the first to the last that is used */

    /* Of constants: the word of 32 bits, or the value. From the descriptor, or (16, 8 bits) from aic_arith_locate(). */
    int64_t constant;
} aic_arith_operand;

typedef struct aic_arith {
    const char *name; /* of the operator, for messages */
    bool chain;       /* the shape is that of a chain's accumulators */
    aic_memory memory;
    aic_atomic_op number;
    int64_t shape[AIC_ARITH_RANK];
    int64_t lanes, lane_words; /* flat: 1, and no end */
    aic_arith_operand operand[AIC_ARITH_OPERANDS];
    uint32_t select_value; /* its bits */
    int64_t shift_type, rshift, lshift;
    aic_rounding rounding;
    aic_mac mac;
    aic_minmax_nan minmax_nan;
} aic_arith;

/* ---- operations: one table (ops.c) ---- */

typedef struct aic_arith_op {
    aic_atomic_op number;
    bool unary;     /* input1 is not looked at */
    bool reads_old; /* the old output is an operand */

    /* 32-bit entry, which has all of them: what its words are, float32 or uint32 (bits). */
    aic_dtype dtype;

    /* Fixed-point entry. Widths as sums of the legal numbers of bits; inputs 0: it is not in this entry; output 0: that
     * of the inputs. */
    int64_t input_bits, output_bits;
} aic_arith_op;

/* NULL for numbers that are in neither entry. */
const aic_arith_op *aic_arith_op_get(aic_atomic_op number);

/* The rules that the lists of both entries begin with, so that their numbers are the same; one of constants follows in
 * that of the fixed-point entry. */
enum {
#define AIC_RULE(id, fields, text, origin, source) AIC_ARITH_RULE_##id,
#include <aic/arith_rules.def>
#undef AIC_RULE
    AIC_ARITH_RULE_constant
};

/* The rule of the field op; fixed: of the fixed-point entry. */
void aic_arith_check_op(aic_verdict *verdict, const aic_arith *p, bool fixed);

/* ---- rules and addresses (arith.c) ---- */

/* Where the operands are: in local memory, whose geometry the semantics have, or in one lane without an end. */
void aic_arith_set_memory(aic_arith *p, aic_memory memory, const aic_semantics *semantics);

/* Whether all strides are those of the compact packing: its number has all bits set. */
static inline bool aic_arith_is_compact(const int64_t stride[AIC_ARITH_RANK])
{
    return (stride[0] & stride[1] & stride[2] & stride[3]) == AIC_COMPACT;
}

/* Clears what the strides of a tensor, or of none, say to nobody (clear_ignored of aic_op_info): those that lead
 * nowhere, unless they are all of the compact packing; of no tensor all. */
static inline void aic_arith_clear_strides(bool tensor, const int64_t shape[AIC_ARITH_RANK],
                                           int64_t stride[AIC_ARITH_RANK])
{
    if (!tensor) {
        stride[0] = stride[1] = stride[2] = stride[3] = AIC_COMPACT;
    } else if (!aic_arith_is_compact(stride)) {
        stride[0] = shape[0] == 1 ? 0 : stride[0];
        stride[1] = shape[1] == 1 ? 0 : stride[1];
        stride[2] = shape[2] == 1 ? 0 : stride[2];
        stride[3] = shape[3] == 1 ? 0 : stride[3];
    }
}

/* The rules from memory to the strides, in the order of the parameter tables; then, where no rule is broken, locates
 * the operands. */
void aic_arith_check_addresses(aic_verdict *verdict, aic_arith *p);

/* The rule on memory that output and inputs share (arith_overlap.c). May return AIC_OUT_OF_MEMORY. */
void aic_arith_check_overlap(aic_verdict *verdict, const aic_arith *p);

/* Whether output and input put every element at the same address, apart from where they begin in flat memory. */
bool aic_arith_same_addresses(const aic_arith *p, const aic_arith_operand *input);

/* Fills in what follows from legal fields. */
void aic_arith_locate(aic_arith *p);

/* The word that holds an element: its number in the operand, with memory=local in the memory. */
int64_t aic_arith_word(const aic_arith *p, const aic_arith_operand *operand, const int64_t at[AIC_ARITH_RANK]);

/* The element of the lowest part of a word of the output; false where the word holds none. */
bool aic_arith_find(const aic_arith *p, int64_t word, int64_t at[AIC_ARITH_RANK]);

/* See aic_op_info. */
size_t aic_arith_operands(const aic_arith *p, aic_operand operands[AIC_OPERANDS_MAX]);

void aic_arith_coordinates(const aic_arith *p, int operand, aic_coordinates *coordinates);
void aic_arith_accessed(const aic_arith *p, int64_t bytes[AIC_OPERANDS_MAX]);

/* ---- of legal descriptors ---- */

aic_arith aic_arith_of_words(const aic_tensor_arithmetic_desc *desc, const aic_semantics *semantics);
aic_arith aic_arith_of_integers(const aic_tensor_arithmetic_quantized_desc *desc, const aic_semantics *semantics);
