/* Hooks in plain IR, shared by families whose instruction set has nothing better. */
#include "codegen/family/family.h"
#include "codegen/llvm/vec.h"

LLVMValueRef aic_portable_dot2(aic_emit *e, LLVMValueRef acc, LLVMValueRef a, LLVMValueRef b)
{
    LLVMTypeRef type = LLVMTypeOf(acc);
    unsigned lanes = LLVMGetVectorSize(type);
    for (unsigned odd = 0; odd < 2; odd++) {
        LLVMValueRef left = LLVMBuildSExt(e->builder, aic_lanes_of(e, a, odd, 2, lanes), type, "");
        LLVMValueRef right = LLVMBuildSExt(e->builder, aic_lanes_of(e, b, odd, 2, lanes), type, "");
        acc = LLVMBuildAdd(e->builder, acc, LLVMBuildMul(e->builder, left, right, ""), "");
    }
    return acc;
}

LLVMValueRef aic_unsigned_dot4(aic_emit *e, LLVMValueRef acc, LLVMValueRef image, LLVMValueRef weight)
{
    const aic_dot *dot = &aic_family_of(e->target)->dot4;
    LLVMTypeRef type = LLVMTypeOf(acc);
    const unsigned lanes = LLVMGetVectorSize(type);
    if (dot->emit != NULL) {
        return dot->emit(e, acc, image, weight);
    }
    for (unsigned i = 0; i < 4; i++) {
        LLVMValueRef left = LLVMBuildZExt(e->builder, aic_lanes_of(e, image, i, 4, lanes), type, "");
        LLVMValueRef right = LLVMBuildSExt(e->builder, aic_lanes_of(e, weight, i, 4, lanes), type, "");
        acc = LLVMBuildAdd(e->builder, acc, LLVMBuildMul(e->builder, left, right, ""), "");
    }
    return acc;
}
