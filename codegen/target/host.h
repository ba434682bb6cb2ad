/* What the host can run: which features its processor has, its operating system permits or an emulator executes, and
 * which levels follow from them. */
#pragma once

#include "codegen/target/target.h"

typedef enum aic_core {
#define AIC_CORE(NAME, name, which) AIC_CORE_##NAME,
#include "codegen/target/core.def"
#undef AIC_CORE
    AIC_CORES
} aic_core;

typedef struct aic_host {
    uint32_t features; /* AIC_CPU_..., all that code may use, those of the emulator included */
    uint32_t emulated; /* those that an emulator executes */
    uint32_t refused;  /* those that the processor has, but Linux does not let the process use */
    int refusal;       /* the errno of Linux's refusal */
    aic_core core;
} aic_host;

/* The name of a type of core ("golden-cove"), and which processors have such cores. */
const char *aic_core_name(aic_core core);
const char *aic_core_describe(aic_core core);

/* AIC_CORES where there is none of this name. */
aic_core aic_core_find(const char *name);

/* How a level runs. */
typedef enum aic_host_way { AIC_HOST_LACKS, AIC_HOST_NATIVE, AIC_HOST_EMULATED } aic_host_way;

/* This host. Found by the first call, which also requests the permission from the kernel that AMX needs. Threads may
 * call it at any time. */
const aic_host *aic_host_this(void);

aic_arch aic_host_arch(void);

/* How `target`, of the host's architecture, runs. */
aic_host_way aic_host_way_of(const aic_host *host, const aic_target *target);

/* The highest level of the architecture that runs without an emulator. */
const aic_target *aic_host_best(const aic_host *host, aic_arch arch);

/* Why the host lacks the level: "no avx512fp16", or that the kernel refuses what the processor has. */
void aic_host_explain(const aic_host *host, const aic_target *target, char *text, size_t capacity);

/* Whether the kernel refuses the process what the processor has, and why. */
bool aic_host_refusal(const aic_host *host, char *text, size_t capacity);

/* ---- how it is found ---- */

/* What the instructions CPUID and XGETBV return. In a table of features: the bits that a feature needs. */
typedef struct aic_x86_words {
    uint32_t leaf1_ecx, leaf7_ebx, leaf7_ecx, leaf7_edx, leaf7_1_eax, leaf80000001_ecx; /* 7_1: subleaf 1 */
    uint64_t state; /* register state that the operating system saves (XCR0) */
} aic_x86_words;

/* Features by name, in the order of feature.def; NULL past the last. */
const char *aic_feature_at(size_t index, uint32_t *feature);

uint32_t aic_x86_features(const aic_x86_words *words);

/* The bits that all of these features need together. */
void aic_x86_needs(uint32_t features, aic_x86_words *needs);

/* Who made the processor: the first four letters of what leaf 0 of CPUID tells, in EBX. */
enum { AIC_VENDOR_INTEL = 0x756e6547, AIC_VENDOR_AMD = 0x68747541 };

/* The type of the processor's cores, told from its features, as virtual machines make up families and models. */
aic_core aic_x86_core(uint32_t vendor, uint32_t features);

/* From the auxiliary vector's AT_HWCAP and AT_HWCAP2. */
uint32_t aic_aarch64_features(uint64_t hwcap, uint64_t hwcap2);

/* The host with the processor's features `native` and the emulator's `emulated`. Where the processor has AMX and no
 * emulator takes it over, `permit` requests the kernel's permission: 0 or an errno. */
aic_host aic_host_with(uint32_t native, uint32_t emulated, int (*permit)(void));
