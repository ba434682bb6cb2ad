/* The table of targets and look-ups in it. */
#include "codegen/target/target.h"
#include "frontend/core/diag.h"

#include <string.h>

struct aic_family;
extern const struct aic_family aic_family_x86_generic, aic_family_x86, aic_family_x86_vnni;
extern const struct aic_family aic_family_aarch64_generic, aic_family_aarch64, aic_family_aarch64_dotprod;

#define AIC_X86_AVX2 "+sse4.2,+popcnt,+avx,+avx2,+fma,+f16c,+bmi,+bmi2,+lzcnt,+movbe"
#define AIC_X86_AVX512 AIC_X86_AVX2 ",+avx512f,+avx512cd,+avx512bw,+avx512dq,+avx512vl"
/* fast-dpwssd: else LLVM splits the fused instruction wherever that shortens a chain, and loses half of the gain. */
#define AIC_X86_VNNI AIC_X86_AVX512 ",+avx512vnni,+fast-dpwssd"
#define AIC_X86_FP16 AIC_X86_VNNI ",+avx512fp16"
#define AIC_X86_AMX AIC_X86_FP16 ",+amx-tile,+amx-int8,+amx-bf16"

static const aic_target TARGETS[] = {
#define AIC_TARGET(arch, level, bits, registers, has, family, features)                                                \
    {level, AIC_ARCH_##arch, features, bits, registers, has, &aic_family_##family},
#include "codegen/target/targets.def"
#undef AIC_TARGET
};

#define AIC_TARGET(arch, level, bits, registers, has, family, features)                                                \
    _Static_assert((bits) <= AIC_VECTOR_BITS_MAX, "vectors of " level);
#include "codegen/target/targets.def"
#undef AIC_TARGET

typedef struct aic_arch_facts {
    const char *prefix; /* of a triple */
    const char *triple;
    const char *cpu;
} aic_arch_facts;

static const aic_arch_facts ARCHES[] = {
    [AIC_ARCH_X86_64] = {"x86_64", "x86_64-unknown-linux-gnu", "x86-64"},
    [AIC_ARCH_AARCH64] = {"aarch64", "aarch64-unknown-linux-gnu", "generic"},
};

const char *aic_target_cpu(const aic_target *target)
{
    return ARCHES[target->arch].cpu;
}

const char *aic_target_triple(aic_arch arch)
{
    return ARCHES[arch].triple;
}

const aic_target *aic_target_at(aic_arch arch, size_t index)
{
    for (size_t i = 0; i < sizeof TARGETS / sizeof *TARGETS; i++) {
        if (TARGETS[i].arch == arch && index-- == 0) {
            return &TARGETS[i];
        }
    }
    return NULL;
}

const aic_target *aic_target_find(aic_arch arch, const char *name)
{
    const aic_target *target;
    for (size_t i = 0; (target = aic_target_at(arch, i)) != NULL; i++) {
        if (strcmp(target->name, name) == 0) {
            return target;
        }
    }
    return NULL;
}

aic_status aic_target_arch(const char *triple, aic_arch *arch)
{
    for (size_t i = 0; i < sizeof ARCHES / sizeof *ARCHES; i++) {
        size_t length = strlen(ARCHES[i].prefix);
        if (strncmp(triple, ARCHES[i].prefix, length) == 0 && (triple[length] == '-' || triple[length] == '\0')) {
            *arch = (aic_arch)i;
            return AIC_OK;
        }
    }
    return aic_fail(AIC_INVALID_ARGUMENT, "target", "'%.60s' is not a triple of x86_64 or aarch64", triple);
}
