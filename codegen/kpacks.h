/* From elements in memory to channels of k-packs; what the emitters of packing share. */
#pragma once

#include "codegen/arithmetic.h"
#include "codegen/llvm/emit.h"

#include <aic/types.h>

/* The type of a channel in a k-pack. */
LLVMTypeRef aic_kpack_channel(aic_emit *e, const aic_arithmetic *a);

/* Converts a vector of elements of this type, as integers, to channels, one vector for each plane; adds no image
 * offset. */
void aic_to_kpacks(aic_emit *e, aic_dtype dtype, const aic_arithmetic *a, LLVMValueRef elements,
                   LLVMValueRef kpacks[AIC_PLANES_MAX]);

/* Whether any of the 16-bit elements is special, an i1: its bits without the sign are first .. end - 1. */
LLVMValueRef aic_any_special(aic_emit *e, int64_t first, int64_t end, LLVMValueRef elements);

/* In each lane the larger of `most` and an element's bits without the sign. */
LLVMValueRef aic_larger_magnitude(aic_emit *e, LLVMValueRef most, LLVMValueRef elements);

/* `bytes` bytes of copies of an integer. */
void aic_fill(aic_emit *e, LLVMValueRef pointer, LLVMValueRef value, int64_t bytes);

/* Of k-packs of two float16 the number `half` of each, as floats. */
LLVMValueRef aic_kpack_half(aic_emit *e, LLVMValueRef kpacks, unsigned half);
