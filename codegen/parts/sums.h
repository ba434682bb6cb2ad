/* What tiles of vectors do with sums. */
#pragma once

#include "codegen/arithmetic.h"
#include "codegen/llvm/emit.h"
#include "codegen/parts/tile.h"

/* Adds the sum of a block of taps to the total. AIC_SUM_INT may saturate here, as it has only one block; sums of
 * AIC_SUM_FAST are the total. */
LLVMValueRef aic_sum_fold(aic_emit *e, aic_sum kind, aic_tile_start start, LLVMValueRef total, LLVMValueRef sum);

/* Adds products of k-packs of the image and of weights. */
LLVMValueRef aic_sum_add(aic_emit *e, aic_product product, LLVMValueRef sum, LLVMValueRef image, LLVMValueRef weight);
