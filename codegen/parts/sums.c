/* See sums.h. */
#include "codegen/parts/sums.h"
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
