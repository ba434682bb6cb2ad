/* The hooks of both entries of tensor arithmetic that have files of their own. */
#ifndef AIC_OP_TENSOR_ARITHMETIC_H
#define AIC_OP_TENSOR_ARITHMETIC_H

#include "frontend/core/op.h"

/* See aic_op_info. */
void aic_tensor_arithmetic_canonicalise(void *desc, const aic_semantics *semantics);
void aic_tensor_arithmetic_quantized_canonicalise(void *desc, const aic_semantics *semantics);

/* Pseudo-random descriptors, see aic_op_info. */
void aic_tensor_arithmetic_random(uint64_t *state, const aic_semantics *semantics, void *desc);
void aic_tensor_arithmetic_random_illegal(uint64_t *state, void *desc);
void aic_tensor_arithmetic_quantized_random(uint64_t *state, const aic_semantics *semantics, void *desc);
void aic_tensor_arithmetic_quantized_random_illegal(uint64_t *state, void *desc);

#endif
