/* The table of targets and look-ups in it. */
#include "codegen/target/target.h"
#include "frontend/core/diag.h"

#include <string.h>

/* Sets of features by name: what a host must have, and what LLVM may use. No set need hold another. */
#define AIC_NEEDS_X86_GENERIC 0
#define AIC_NEEDS_X86_SSE2 AIC_CPU_SSE2
#define AIC_NEEDS_X86_AVX2 (AIC_NEEDS_X86_SSE2 | AIC_CPU_AVX2)
#define AIC_NEEDS_X86_AVXVNNI (AIC_NEEDS_X86_AVX2 | AIC_CPU_AVXVNNI)
#define AIC_NEEDS_X86_AVX512 (AIC_NEEDS_X86_AVX2 | AIC_CPU_AVX512)
#define AIC_NEEDS_X86_VNNI (AIC_NEEDS_X86_AVX512 | AIC_CPU_VNNI)
#define AIC_NEEDS_X86_FP16 (AIC_NEEDS_X86_VNNI | AIC_CPU_FP16)
#define AIC_NEEDS_X86_AMX (AIC_NEEDS_X86_VNNI | AIC_CPU_AMX)
#define AIC_NEEDS_ARM_GENERIC 0
#define AIC_NEEDS_ARM_NEON AIC_CPU_NEON
#define AIC_NEEDS_ARM_DOTPROD (AIC_NEEDS_ARM_NEON | AIC_CPU_DOTPROD)
#define AIC_NEEDS_ARM_I8MM (AIC_NEEDS_ARM_DOTPROD | AIC_CPU_I8MM)

#define AIC_LLVM_X86_GENERIC "+sse2"
#define AIC_LLVM_X86_SSE2 "+sse2"
/* Without those that others imply: for each LLVM takes as long as for a function or two. */
#define AIC_LLVM_X86_BITS "+popcnt,+bmi,+bmi2,+lzcnt,+movbe"
#define AIC_LLVM_X86_AVX2 AIC_LLVM_X86_BITS ",+avx2,+fma,+f16c"
#define AIC_LLVM_X86_AVXVNNI AIC_LLVM_X86_AVX2 ",+avxvnni,+fast-dpwssd"
#define AIC_LLVM_X86_AVX512 AIC_LLVM_X86_BITS ",+avx512cd,+avx512bw,+avx512dq,+avx512vl"
/* fast-dpwssd: else LLVM splits the fused instruction wherever that shortens a chain, and loses half of the gain. */
#define AIC_LLVM_X86_VNNI AIC_LLVM_X86_AVX512 ",+avx512vnni,+fast-dpwssd"
#define AIC_LLVM_X86_FP16 AIC_LLVM_X86_VNNI ",+avx512fp16"
#define AIC_LLVM_X86_AMX AIC_LLVM_X86_VNNI ",+amx-tile,+amx-int8,+amx-bf16"
#define AIC_LLVM_ARM_GENERIC "+fp-armv8,+neon"
#define AIC_LLVM_ARM_NEON "+fp-armv8,+neon"
#define AIC_LLVM_ARM_DOTPROD "+fp-armv8,+neon,+dotprod"
#define AIC_LLVM_ARM_I8MM "+fp-armv8,+neon,+dotprod,+i8mm"

static const aic_target TARGETS[] = {
#define AIC_TARGET(arch, level, bits, registers, has, set)                                                             \
    {level, AIC_ARCH_##arch, AIC_NEEDS_##set, AIC_LLVM_##set, bits, registers, has},
#include "codegen/target/targets.def"
#undef AIC_TARGET
};

#define AIC_TARGET(arch, level, bits, registers, has, set)                                                             \
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

/* A word of a triple, up to the next '-'. */
typedef struct triple_word {
    const char *text;
    size_t length;
} triple_word;

static bool word_is(triple_word word, const char *text)
{
    return strlen(text) == word.length && memcmp(word.text, text, word.length) == 0;
}

/* Cuts a triple into words. Their number; more than `most`, none empty, for one that has too many. */
static size_t cut(const char *triple, triple_word *words, size_t most)
{
    size_t count = 0;
    for (const char *at = triple;; at++) {
        const size_t length = strcspn(at, "-");
        if (count == most || length == 0) {
            return most + 1;
        }
        words[count++] = (triple_word){at, length};
        at += length;
        if (*at == '\0') {
            return count;
        }
    }
}

/* Environments of Linux whose ABI is the architecture's own one of 64 bits, so neither gnux32 nor gnu_ilp32. */
static bool is_environment(triple_word word)
{
    return word_is(word, "gnu") || word_is(word, "musl") || word_is(word, "android");
}

/* Whether the words behind the architecture are [VENDOR] linux [ENVIRONMENT]. */
static bool is_linux(const triple_word *words, size_t count)
{
    const size_t vendor = count > 0 && !word_is(words[0], "linux");
    words += vendor;
    count -= vendor;
    return count >= 1 && word_is(words[0], "linux") && (count == 1 || (count == 2 && is_environment(words[1])));
}

aic_status aic_target_arch(const char *triple, aic_arch *arch)
{
    enum { WORDS_MAX = 4 };
    triple_word words[WORDS_MAX];
    const size_t count = cut(triple, words, WORDS_MAX);
    for (size_t i = 0; i < sizeof ARCHES / sizeof *ARCHES && count <= WORDS_MAX; i++) {
        if (word_is(words[0], ARCHES[i].prefix) && is_linux(words + 1, count - 1)) {
            *arch = (aic_arch)i;
            return AIC_OK;
        }
    }
    return aic_fail(AIC_INVALID_ARGUMENT, "target",
                    "\"%.60s\" is no triple of 64-bit Linux on x86_64 or aarch64: "
                    "ARCH[-VENDOR]-linux[-gnu|-musl|-android]",
                    triple);
}
