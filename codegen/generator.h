/* What the generator knows of an operator: how it is one of the few shapes of computation that are emitted. One
 * aic_generator in each emit_NAME.c; ops.def names them all. */
#ifndef AIC_GENERATOR_H
#define AIC_GENERATOR_H

#include "codegen/contraction.h"

typedef struct aic_generator {
    /* The descriptor (valid) as a contraction. */
    void (*contraction)(const void *desc, aic_contraction *contraction);
    size_t packed_operand; /* the operand that SYMBOL_pack packs, in calling order */
} aic_generator;

#define AIC_OP(ENUM, name, params, args) extern const aic_generator aic_generator_##name;
#include <aic/ops.def>
#undef AIC_OP

/* The generator of a valid specification. */
const aic_generator *aic_generator_of(const aic_spec *spec);

/* The contraction that a valid specification is. */
void aic_contraction_of(const aic_spec *spec, aic_contraction *contraction);

#endif
