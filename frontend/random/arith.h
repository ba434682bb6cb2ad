/* Pseudo-random fields that both entries of tensor arithmetic have. */
#ifndef AIC_RANDOM_ARITH_H
#define AIC_RANDOM_ARITH_H

#include "frontend/ops/arith/arith.h"

/* A descriptor's fields, operands in calling order. */
typedef struct aic_arith_fields {
    aic_memory *memory;
    int64_t *shape;
    int64_t *addr[AIC_ARITH_OPERANDS];
    int64_t *stride[AIC_ARITH_OPERANDS];
} aic_arith_fields;

/* Memory that local descriptors are drawn for: that of the semantics; for that of the default semantics a small one
 * with shorter lanes, in both of which they are to be legal. */
aic_semantics aic_random_memory(const aic_semantics *semantics);

/* Shape, strides and addresses in that memory; bits: of the operands' elements. Elements of inputs may share words with
 * the output, or lie past the end of a lane, in local memory: the caller draws again. */
void aic_random_addresses(uint64_t *state, const aic_semantics *semantics, const aic_arith_fields *fields,
                          const int64_t bits[AIC_ARITH_OPERANDS]);

/* Puts an input where the output is. */
void aic_random_in_place(const aic_arith_fields *fields, int input);

/* An operation of one of the entries. */
aic_atomic_op aic_random_op(uint64_t *state, bool fixed);

#endif
