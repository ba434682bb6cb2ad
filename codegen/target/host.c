/* From what a processor, a kernel and an emulator say to the levels that run. Nothing here looks at the machine: tests
 * give it machines that they do not have. */
#include "codegen/target/host.h"
#include "frontend/text/sink.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* ---- features ---- */

/* Register state in XCR0: vectors of AVX; those of AVX-512 with its masks; tiles with their configuration. */
enum { STATE_AVX = 0x6, STATE_AVX512 = 0xe6, STATE_TILES = 0x60000 };

enum {
    ECX1_FMA = 1u << 12,
    ECX1_SSE42 = 1u << 20,
    ECX1_MOVBE = 1u << 22,
    ECX1_POPCNT = 1u << 23,
    ECX1_OSXSAVE = 1u << 27,
    ECX1_AVX = 1u << 28,
    ECX1_F16C = 1u << 29,
    ECX80000001_LZCNT = 1u << 5,
    EBX7_BMI1 = 1u << 3,
    EBX7_AVX2 = 1u << 5,
    EBX7_BMI2 = 1u << 8,
    EBX7_AVX512F = 1u << 16,
    EBX7_AVX512DQ = 1u << 17,
    EBX7_AVX512CD = 1u << 28,
    EBX7_AVX512BW = 1u << 30,
    EBX7_AVX512VL = 1u << 31,
    ECX7_AVX512VNNI = 1u << 11,
    EDX7_AMX_BF16 = 1u << 22,
    EDX7_AVX512FP16 = 1u << 23,
    EDX7_AMX_TILE = 1u << 24,
    EDX7_AMX_INT8 = 1u << 25,
    EAX7_1_AVX_VNNI = 1u << 4,
};

static const struct {
    uint32_t feature;
    aic_x86_words needs;
} X86[] = {
    {AIC_CPU_SSE2, {0}}, /* every 64-bit processor has it */
    {AIC_CPU_AVX2,
     {.leaf1_ecx = ECX1_OSXSAVE | ECX1_AVX | ECX1_FMA | ECX1_F16C | ECX1_MOVBE | ECX1_POPCNT | ECX1_SSE42,
      .leaf7_ebx = EBX7_AVX2 | EBX7_BMI1 | EBX7_BMI2,
      .leaf80000001_ecx = ECX80000001_LZCNT,
      .state = STATE_AVX}},
    {AIC_CPU_AVXVNNI, {.leaf1_ecx = ECX1_OSXSAVE | ECX1_AVX, .leaf7_1_eax = EAX7_1_AVX_VNNI, .state = STATE_AVX}},
    {AIC_CPU_AVX512,
     {.leaf1_ecx = ECX1_OSXSAVE,
      .leaf7_ebx = EBX7_AVX512F | EBX7_AVX512BW | EBX7_AVX512CD | EBX7_AVX512DQ | EBX7_AVX512VL,
      .state = STATE_AVX512}},
    {AIC_CPU_VNNI, {.leaf1_ecx = ECX1_OSXSAVE, .leaf7_ecx = ECX7_AVX512VNNI, .state = STATE_AVX512}},
    {AIC_CPU_FP16, {.leaf1_ecx = ECX1_OSXSAVE, .leaf7_edx = EDX7_AVX512FP16, .state = STATE_AVX512}},
    {AIC_CPU_TILES, {.leaf1_ecx = ECX1_OSXSAVE, .leaf7_edx = EDX7_AMX_TILE, .state = STATE_TILES}},
    {AIC_CPU_TILES_INT8, {.leaf1_ecx = ECX1_OSXSAVE, .leaf7_edx = EDX7_AMX_INT8, .state = STATE_TILES}},
    {AIC_CPU_TILES_BF16, {.leaf1_ecx = ECX1_OSXSAVE, .leaf7_edx = EDX7_AMX_BF16, .state = STATE_TILES}},
};

static bool have(const aic_x86_words *words, const aic_x86_words *needs)
{
    return (words->leaf1_ecx & needs->leaf1_ecx) == needs->leaf1_ecx &&
           (words->leaf7_ebx & needs->leaf7_ebx) == needs->leaf7_ebx &&
           (words->leaf7_ecx & needs->leaf7_ecx) == needs->leaf7_ecx &&
           (words->leaf7_edx & needs->leaf7_edx) == needs->leaf7_edx &&
           (words->leaf7_1_eax & needs->leaf7_1_eax) == needs->leaf7_1_eax &&
           (words->leaf80000001_ecx & needs->leaf80000001_ecx) == needs->leaf80000001_ecx &&
           (words->state & needs->state) == needs->state;
}

uint32_t aic_x86_features(const aic_x86_words *words)
{
    uint32_t found = 0;
    for (size_t i = 0; i < sizeof X86 / sizeof *X86; i++) {
        found |= have(words, &X86[i].needs) ? X86[i].feature : 0;
    }
    return found;
}

aic_core aic_x86_core(uint32_t vendor, uint32_t features)
{
    static const struct {
        uint32_t vendor, features;
        aic_core core;
    } rows[] = {
        {AIC_VENDOR_INTEL, AIC_CPU_AVX512 | AIC_CPU_AVXVNNI, AIC_CORE_GOLDEN_COVE},
        {AIC_VENDOR_INTEL, AIC_CPU_AVX512 | AIC_CPU_FP16, AIC_CORE_GOLDEN_COVE},
        {AIC_VENDOR_INTEL, AIC_CPU_AVX512 | AIC_CPU_TILES, AIC_CORE_GOLDEN_COVE},
        {AIC_VENDOR_INTEL, AIC_CPU_AVX512, AIC_CORE_SKYLAKE},
        {AIC_VENDOR_AMD, AIC_CPU_AVX512 | AIC_CPU_AVXVNNI, AIC_CORE_ZEN5},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (vendor == rows[i].vendor && (rows[i].features & ~features) == 0) {
            return rows[i].core;
        }
    }
    return AIC_CORE_ZEN4;
}

void aic_x86_needs(uint32_t features, aic_x86_words *needs)
{
    *needs = (aic_x86_words){0};
    for (size_t i = 0; i < sizeof X86 / sizeof *X86; i++) {
        if ((features & X86[i].feature) != 0) {
            const aic_x86_words *own = &X86[i].needs;
            needs->leaf1_ecx |= own->leaf1_ecx;
            needs->leaf7_ebx |= own->leaf7_ebx;
            needs->leaf7_ecx |= own->leaf7_ecx;
            needs->leaf7_edx |= own->leaf7_edx;
            needs->leaf7_1_eax |= own->leaf7_1_eax;
            needs->leaf80000001_ecx |= own->leaf80000001_ecx;
            needs->state |= own->state;
        }
    }
}

static const struct {
    const char *name, *which;
} CORES[] = {
#define AIC_CORE(NAME, name, which) {name, which},
#include "codegen/target/core.def"
#undef AIC_CORE
};

const char *aic_core_name(aic_core core)
{
    return CORES[core].name;
}

const char *aic_core_describe(aic_core core)
{
    return CORES[core].which;
}

aic_core aic_core_find(const char *name)
{
    aic_core core = 0;
    while (core < AIC_CORES && strcmp(CORES[core].name, name) != 0) {
        core++;
    }
    return core;
}

const char *aic_feature_at(size_t index, uint32_t *feature)
{
    static const struct {
        uint32_t feature;
        const char *name;
    } FEATURES[] = {
#define AIC_FEATURE(bit, NAME, name) {AIC_CPU_##NAME, name},
#include "codegen/target/feature.def"
#undef AIC_FEATURE
    };
    if (index >= sizeof FEATURES / sizeof *FEATURES) {
        return NULL;
    }
    *feature = FEATURES[index].feature;
    return FEATURES[index].name;
}

uint32_t aic_aarch64_features(uint64_t hwcap, uint64_t hwcap2)
{
    const uint64_t asimddp = UINT64_C(1) << 20, i8mm = UINT64_C(1) << 13;
    return AIC_CPU_NEON | ((hwcap & asimddp) != 0 ? AIC_CPU_DOTPROD : 0u) | ((hwcap2 & i8mm) != 0 ? AIC_CPU_I8MM : 0u);
}

aic_host aic_host_with(uint32_t native, uint32_t emulated, int (*permit)(void))
{
    aic_host host = {.features = native | emulated, .emulated = emulated};
    if ((native & ~emulated & AIC_CPU_TILES) != 0) {
        host.refusal = permit();
        host.refused = host.refusal != 0 ? native & ~emulated & AIC_CPU_AMX : 0;
        host.features &= ~host.refused;
    }
    return host;
}

/* ---- levels ---- */

aic_host_way aic_host_way_of(const aic_host *host, const aic_target *target)
{
    if ((target->needs & ~host->features) != 0) {
        return AIC_HOST_LACKS;
    }
    return (target->needs & host->emulated) != 0 ? AIC_HOST_EMULATED : AIC_HOST_NATIVE;
}

const aic_target *aic_host_best(const aic_host *host, aic_arch arch)
{
    const aic_target *target, *best = aic_target_at(arch, 0);
    for (size_t i = 0; (target = aic_target_at(arch, i)) != NULL; i++) {
        best = aic_host_way_of(host, target) == AIC_HOST_NATIVE ? target : best;
    }
    return best;
}

/* What the kernel's answers to the request for tile state mean (Linux, Documentation/arch/x86/xstate.rst). */
static const struct {
    int error;
    const char *meaning;
} REFUSALS[] = {
    {EINVAL, "it does not know the request, Linux 5.16 is the first that does"},
    {EOPNOTSUPP, "it does not support tile state"},
    {ENOSPC, "a thread of this process has an alternate signal stack that is too small for it"},
    {EPERM, "the process may not request it"},
    {ENOSYS, "the system call is not there"},
};

static void explain_refusal(int error, char *text, size_t capacity)
{
    static const char refused[] = "the processor has AMX, the kernel refuses the permission for tile state";
    for (size_t i = 0; i < sizeof REFUSALS / sizeof *REFUSALS; i++) {
        if (REFUSALS[i].error == error) {
            (void)snprintf(text, capacity, "%s: %s", refused, REFUSALS[i].meaning);
            return;
        }
    }
    (void)snprintf(text, capacity, "%s: error %d", refused, error);
}

bool aic_host_refusal(const aic_host *host, char *text, size_t capacity)
{
    if (host->refused != 0) {
        explain_refusal(host->refusal, text, capacity);
    }
    return host->refused != 0;
}

void aic_host_explain(const aic_host *host, const aic_target *target, char *text, size_t capacity)
{
    const uint32_t missing = target->needs & ~host->features;
    if (missing != 0 && (missing & ~host->refused) == 0) {
        explain_refusal(host->refusal, text, capacity);
        return;
    }
    (void)snprintf(text, capacity, "%s", missing != 0 ? "" : "nothing is missing");
    uint32_t feature;
    const char *name;
    for (size_t i = 0; (name = aic_feature_at(i, &feature)) != NULL; i++) {
        if ((missing & feature) != 0) {
            aic_text_add(text, capacity, "%s%s", text[0] == '\0' ? "no " : ", ", name);
        }
    }
}
