/* Code that looks for halves that are not finite, which make NaN of a weight of 0. */
#ifndef AIC_FINITE_H
#define AIC_FINITE_H

#include "codegen/llvm/emit.h"

/* Whether any of the halves in `bytes` bytes from `from` on is infinite or NaN. They are whole blocks of `block`
 * halves, which are read at once. */
LLVMValueRef aic_any_special_half(aic_emit *e, LLVMValueRef from, LLVMValueRef bytes, int64_t block);

#endif
