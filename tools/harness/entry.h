/* The typed entry points of every operator with operands from an array. */
#pragma once

#include <aic/aic.h>

/* Calls aic_jit_OP() of a specification's operator, operands in calling order; of a chain, which has none,
 * and of a descriptor with more operands than that one takes, aic_jit_spec(). */
aic_status entry_jit(aic_context *context, const aic_spec *spec, void *const operand[], size_t count);

/* Calls the C function of the specification's kernel; false, and nothing is called, when it has none: it is a chain, or
 * has more operands. */
bool entry_direct(const aic_spec *spec, const aic_kernel *kernel, bool packed, void *const operand[], void *workspace);
