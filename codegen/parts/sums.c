/* See sums.h. */
#include "codegen/parts/sums.h"
#include "codegen/family/family.h"
#include "codegen/llvm/vec.h"

LLVMValueRef aic_sum_fold(aic_emit *e, aic_sum kind, aic_tile_start start, LLVMValueRef total, LLVMValueRef sum)
{
    LLVMBuilderRef b = e->builder;
    switch (kind) {
    case AIC_SUM_INT:
        return start == AIC_TILE_FROM_ZERO ? sum
               : start == AIC_TILE_WRAPS   ? LLVMBuildAdd(b, total, sum, "")
                                           : aic_add_saturated(e, total, sum);
    case AIC_SUM_INT_WIDE:
        return LLVMBuildAdd(b, total, LLVMBuildSExt(b, sum, LLVMTypeOf(total), ""), "");
    case AIC_SUM_CUBE:
        sum = LLVMBuildFAdd(b, LLVMBuildFPExt(b, total, LLVMTypeOf(sum), ""), sum, "");
        return LLVMBuildFPTrunc(b, sum, LLVMTypeOf(total), "");
    case AIC_SUM_FAST:
        break;
    }
    return sum;
}

/* Words of int8 as pairs of int16: the upper half of each is its sign, which the weight's does not count. */
static LLVMValueRef add_words(aic_emit *e, LLVMValueRef sum, LLVMValueRef image, LLVMValueRef weight)
{
    enum { LOWER = 0xffff };
    LLVMBuilderRef b = e->builder;
    LLVMTypeRef pairs = aic_vector(e->i16, 2 * LLVMGetVectorSize(LLVMTypeOf(sum)));
    weight = LLVMBuildAnd(b, weight, aic_const_int(LLVMTypeOf(weight), LOWER), "");
    return aic_family_of(e->target)->dot2.emit(e, sum, LLVMBuildBitCast(b, image, pairs, ""),
                                               LLVMBuildBitCast(b, weight, pairs, ""));
}

LLVMValueRef aic_sum_add(aic_emit *e, aic_product product, LLVMValueRef sum, LLVMValueRef image, LLVMValueRef weight)
{
    switch (product) {
    case AIC_PRODUCT_PAIR:
    case AIC_PRODUCT_ROWS:
        return aic_family_of(e->target)->dot2.emit(e, sum, image, weight);
    case AIC_PRODUCT_WORD:
        return add_words(e, sum, image, weight);
    case AIC_PRODUCT_QUAD:
        return aic_family_of(e->target)->dot4.emit(e, sum, image, weight);
    case AIC_PRODUCT_FLOAT:
    case AIC_PRODUCT_BFLOAT: /* only in other micro-kernels */
        break;
    }
    return aic_fma(e, image, weight, sum);
}
