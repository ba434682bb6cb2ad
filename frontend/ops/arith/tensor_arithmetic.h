/* The hooks of both entries of tensor arithmetic that have files of their own. */
#pragma once

#include "frontend/core/op.h"
#include "frontend/core/rule.h"

/* See aic_op_info. */
void aic_tensor_arithmetic_canonicalise(void *desc, const aic_semantics *semantics);
void aic_tensor_arithmetic_quantized_canonicalise(void *desc, const aic_semantics *semantics);

/* In chains, see aic_op_info (chain.c, enclose.c). */
aic_status aic_tensor_arithmetic_consume(void *desc, const aic_accumulator *from, const aic_semantics *semantics);
void aic_tensor_arithmetic_change(const void *desc, aic_accumulator *accumulator);
int aic_tensor_arithmetic_other_stage(const void *desc);
void aic_tensor_arithmetic_limit_rows(void *desc, int64_t rows);
aic_status aic_tensor_arithmetic_enclose(const void *desc, const aic_semantics *semantics, float *low, float *high,
                                         const float *const other[2]);

/* The rules but for those of the keys that chains have; in a chain, whose shape is filled in, one instruction does not
 * bound it. */
void aic_tensor_arithmetic_check(aic_verdict *verdict, const aic_tensor_arithmetic_desc *desc, bool chain,
                                 const aic_semantics *semantics);

/* The numbers of its rules. */
enum {
#define AIC_RULE(id, fields, text, origin, source) AIC_WORDS_RULE_##id,
#include <aic/tensor_arithmetic.def>
#undef AIC_RULE
    AIC_WORDS_RULES
};

/* Pseudo-random descriptors, see aic_op_info. */
void aic_tensor_arithmetic_random(uint64_t *state, const aic_semantics *semantics, void *desc);
void aic_tensor_arithmetic_random_fused(uint64_t *state, const aic_accumulator *accumulator, void *desc);
void aic_tensor_arithmetic_quantized_random(uint64_t *state, const aic_semantics *semantics, void *desc);
