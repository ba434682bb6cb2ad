/* What the host can run. The CPU's own flags decide, together with the register state the operating system saves; a
 * CPU name is never trusted, virtual machines make them up. */
#include "codegen/target/target.h"

#if defined(__x86_64__)

#include <cpuid.h>

enum { /* a bit for every feature a level may ask for */
       CPU_AVX2 = 1u << 0,
       CPU_AVX512 = 1u << 1,
       CPU_VNNI = 1u << 2,
       CPU_FP16 = 1u << 3,
       CPU_AMX = 1u << 4,
};

static uint64_t enabled_state(void)
{
    uint32_t low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return ((uint64_t)high << 32) | low;
}

static bool all(uint32_t word, uint32_t bits)
{
    return (word & bits) == bits;
}

static uint32_t cpu_features(void)
{
    enum { STATE_AVX = 0x6, STATE_AVX512 = 0xe6, STATE_AMX = 0x60000 };
    uint32_t a, b, c, d, b7, c7, d7, extended;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !all(c, bit_OSXSAVE) || !__get_cpuid_count(7, 0, &a, &b7, &c7, &d7) ||
        !__get_cpuid(0x80000001u, &a, &b, &extended, &d)) {
        return 0;
    }
    uint64_t state = enabled_state();
    uint32_t found = 0;
    bool avx2 = all(c, bit_AVX | bit_FMA | bit_F16C | bit_MOVBE | bit_POPCNT | bit_SSE4_2) &&
                all(b7, bit_AVX2 | bit_BMI | bit_BMI2) && all(extended, bit_LZCNT);
    if (avx2 && (state & STATE_AVX) == STATE_AVX) {
        found |= CPU_AVX2;
    }
    if (all(b7, bit_AVX512F | bit_AVX512BW | bit_AVX512CD | bit_AVX512DQ | bit_AVX512VL) &&
        (state & STATE_AVX512) == STATE_AVX512) {
        found |= CPU_AVX512;
    }
    found |= all(c7, 1u << 11) ? CPU_VNNI : 0;
    found |= all(d7, 1u << 23) ? CPU_FP16 : 0;
    if (all(d7, (1u << 22) | (1u << 24) | (1u << 25)) && (state & STATE_AMX) == STATE_AMX) {
        found |= CPU_AMX;
    }
    return found;
}

/* Needs of the levels, in their order; each level needs all of the ones before it. */
static const uint32_t LEVEL_NEEDS[] = {0, 0, CPU_AVX2, CPU_AVX512, CPU_VNNI, CPU_FP16, CPU_AMX};

#elif defined(__aarch64__)

#include <sys/auxv.h>

enum { CPU_DOTPROD = 1u << 0, CPU_I8MM = 1u << 1 };

static uint32_t cpu_features(void)
{
    uint32_t found = 0;
    found |= (getauxval(AT_HWCAP) & (1ul << 20)) != 0 ? CPU_DOTPROD : 0;
    found |= (getauxval(AT_HWCAP2) & (1ul << 13)) != 0 ? CPU_I8MM : 0;
    return found;
}

static const uint32_t LEVEL_NEEDS[] = {0, 0, CPU_DOTPROD, CPU_I8MM};

#else
#error "aicjit generates code for x86-64 and AArch64 only"
#endif

aic_arch aic_target_host_arch(void)
{
#if defined(__x86_64__)
    return AIC_ARCH_X86_64;
#else
    return AIC_ARCH_AARCH64;
#endif
}

static size_t host_levels(void)
{
    uint32_t features = cpu_features();
    size_t count = 0;
    while (count < sizeof LEVEL_NEEDS / sizeof *LEVEL_NEEDS && (LEVEL_NEEDS[count] & features) == LEVEL_NEEDS[count]) {
        count++;
    }
    return count;
}

const aic_target *aic_target_host(void)
{
    return aic_target_at(aic_target_host_arch(), host_levels() - 1);
}

bool aic_target_host_runs(const aic_target *target)
{
    for (size_t i = 0; i < host_levels(); i++) {
        if (aic_target_at(aic_target_host_arch(), i) == target) {
            return true;
        }
    }
    return false;
}
