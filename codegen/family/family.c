/* Which family serves a target, and hooks in plain IR that families share whose instruction set has nothing better. */
#include "codegen/family/family.h"
#include "codegen/llvm/vec.h"

/* ---- portable ---- */

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

/* Of an architecture's rows the last one counts whose features the target has. */
static const struct {
    aic_arch arch;
    uint32_t needs; /* AIC_CPU_... */
    const aic_family *family;
} FAMILIES[] = {
    {AIC_ARCH_X86_64, 0, &aic_family_x86_generic},
    {AIC_ARCH_X86_64, AIC_CPU_SSE2, &aic_family_x86},
    {AIC_ARCH_X86_64, AIC_CPU_AVX2 | AIC_CPU_AVXVNNI, &aic_family_x86_avxvnni},
    {AIC_ARCH_X86_64, AIC_CPU_AVX512 | AIC_CPU_VNNI, &aic_family_x86_vnni},
    {AIC_ARCH_AARCH64, 0, &aic_family_aarch64_generic},
    {AIC_ARCH_AARCH64, AIC_CPU_NEON, &aic_family_aarch64},
    {AIC_ARCH_AARCH64, AIC_CPU_DOTPROD, &aic_family_aarch64_dotprod},
};

const aic_family *aic_family_of(const aic_target *target)
{
    for (size_t i = sizeof FAMILIES / sizeof *FAMILIES; i-- > 0;) {
        if (FAMILIES[i].arch == target->arch && (FAMILIES[i].needs & ~target->needs) == 0) {
            return FAMILIES[i].family;
        }
    }
    return NULL;
}
