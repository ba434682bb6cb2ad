/* The plain-C references: the documents' formulas, one file an operator, written to be read and not to be fast. They
 * share no code with the generator, not even what an index, a size or a number's bits are: of the rest of the library
 * they use the types of the public headers and the messages of errors (tests/checks/references.sh).
 *
 * Descriptors are valid and complete; operands are in calling order and of the sizes that the
 * rules demand; the floating-point environment is the default one. See aic_op_info for what each hook does. */
#pragma once

#include "frontend/core/stage.h"

#define AIC_OP(ENUM, name, count, params, args)                                                                        \
    aic_status aic_##name##_reference(const void *desc, const aic_semantics *semantics, void *const operands[]);
#include <aic/ops.def>
#undef AIC_OP

aic_status aic_conv2d_reference_allowed(const void *desc, const aic_semantics *semantics, void *const operands[],
                                        aic_allowed *allowed);
aic_status aic_mmad_reference_allowed(const void *desc, const aic_semantics *semantics, void *const operands[],
                                      aic_allowed *allowed);
void aic_fixpipe_byte_signs(const void *desc, void *const operands[], unsigned char *is_signed);
