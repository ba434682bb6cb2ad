/* Which family serves a target. */
#include "codegen/family/family.h"

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
