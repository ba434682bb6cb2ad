/* Which levels run on a host: machines that are not there, described by the words that CPUID would give and by the
 * answer of a kernel. */
#include "codegen/family/family.h"
#include "codegen/target/host.h"
#include "tests/levels.h"
#include "tools/harness/processor.h"

#include <aic/aic.h>
#include <check.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

Suite *suite_host(void);

/* ---- machines ---- */

/* Flags of processors, as sets that come or go together. */
typedef enum flag {
    OSXSAVE = 1 << 0,
    AVX2 = 1 << 1,
    AVX512 = 1 << 2,
    VNNI = 1 << 3,
    FP16 = 1 << 4,
    TILE = 1 << 5,
    INT8 = 1 << 6,
    BF16 = 1 << 7,
    AMX = TILE | INT8 | BF16,
    SKYLAKE = OSXSAVE | AVX2 | AVX512,
    ICE_LAKE = SKYLAKE | VNNI,
    SAPPHIRE_RAPIDS = ICE_LAKE | FP16 | AMX,
    AVXVNNI = 1 << 8,
    ALDER_LAKE = OSXSAVE | AVX2 | AVXVNNI,
    ANY_FLAGS = 1 << 9,
} flag;

/* Register state that an operating system saves, as XCR0 has it. */
enum { SSE_STATE = 0x3, AVX_STATE = 0x7, AVX512_STATE = 0xe7, AMX_STATE = 0x600e7 };

static aic_x86_words words_of(unsigned flags, uint64_t state)
{
    return (aic_x86_words){
        .leaf1_ecx = ((flags & OSXSAVE) != 0 ? 1u << 27 : 0) | ((flags & AVX2) != 0 ? 0x30d01000u : 0),
        .leaf7_ebx = ((flags & AVX2) != 0 ? 0x128u : 0) | ((flags & AVX512) != 0 ? 0xd0030000u : 0),
        .leaf7_ecx = (flags & VNNI) != 0 ? 1u << 11 : 0,
        .leaf7_edx = ((flags & FP16) != 0 ? 1u << 23 : 0) | ((flags & TILE) != 0 ? 1u << 24 : 0) |
                     ((flags & INT8) != 0 ? 1u << 25 : 0) | ((flags & BF16) != 0 ? 1u << 22 : 0),
        .leaf7_1_eax = (flags & AVXVNNI) != 0 ? 1u << 4 : 0,
        .leaf80000001_ecx = (flags & AVX2) != 0 ? 1u << 5 : 0,
        .state = (flags & OSXSAVE) != 0 ? state : 0,
    };
}

static int requests, answer;

static int permit(void)
{
    requests++;
    return answer;
}

static aic_host machine(unsigned flags, uint64_t state, uint32_t emulated, int permission)
{
    const aic_x86_words words = words_of(flags, state);
    requests = 0, answer = permission;
    return aic_host_with(aic_x86_features(&words), emulated, permit);
}

/* The levels that run, one letter each in their order: n natively, e emulated, - not. */
static const char *levels_of(const aic_host *host, aic_arch arch)
{
    static char text[16];
    const aic_target *target;
    size_t i = 0;
    for (; (target = aic_target_at(arch, i)) != NULL; i++) {
        text[i] = "-ne"[aic_host_way_of(host, target)];
    }
    text[i] = '\0';
    return text;
}

/* ---- levels ---- */

static const struct {
    const char *what;
    unsigned flags;
    uint64_t state;
    uint32_t emulated;
    int permission;
    const char *levels, *best; /* generic, sse2, avx2, avx2+avxvnni, avx512, avx512vnni, avx512fp16, amx */
} machines[] = {
    {"nothing but the baseline", 0, 0, 0, 0, "nn------", "sse2"},
    {"AVX2 only", OSXSAVE | AVX2, AVX_STATE, 0, 0, "nnn-----", "avx2"},
    {"AVX2 and AVX-VNNI", ALDER_LAKE, AVX_STATE, 0, 0, "nnnn----", "avx2+avxvnni"},
    {"AVX-VNNI, AVX2 hidden", OSXSAVE | AVXVNNI, AVX_STATE, 0, 0, "nn------", "sse2"},
    {"AVX-VNNI, its state not saved", ALDER_LAKE, SSE_STATE, 0, 0, "nn------", "sse2"},
    {"AVX-VNNI and AVX-512", ALDER_LAKE | SKYLAKE, AVX512_STATE, 0, 0, "nnnnn---", "avx512"},
    {"all and AVX-VNNI", ALDER_LAKE | SAPPHIRE_RAPIDS, AMX_STATE, 0, 0, "nnnnnnnn", "amx"},
    {"AVX-VNNI emulated", OSXSAVE | AVX2, AVX_STATE, AIC_CPU_AVXVNNI, 0, "nnne----", "avx2"},
    {"AVX2, its state not saved", OSXSAVE | AVX2, SSE_STATE, 0, 0, "nn------", "sse2"},
    {"AVX2, XSAVE not enabled", AVX2, AVX_STATE, 0, 0, "nn------", "sse2"},
    {"AVX-512 without VNNI", SKYLAKE, AVX512_STATE, 0, 0, "nnn-n---", "avx512"},
    {"AVX-512, its state not saved", ICE_LAKE, AVX_STATE, 0, 0, "nnn-----", "avx2"},
    {"AVX-512 without AVX2", OSXSAVE | AVX512 | VNNI, AVX512_STATE, 0, 0, "nn------", "sse2"},
    {"VNNI", ICE_LAKE, AVX512_STATE, 0, 0, "nnn-nn--", "avx512vnni"},
    {"VNNI and FP16", ICE_LAKE | FP16, AVX512_STATE, 0, 0, "nnn-nnn-", "avx512fp16"},
    {"VNNI hidden, FP16 there", SKYLAKE | FP16, AVX512_STATE, 0, 0, "nnn-n---", "avx512"},
    {"all", SAPPHIRE_RAPIDS, AMX_STATE, 0, 0, "nnn-nnnn", "amx"},
    {"AMX without FP16", ICE_LAKE | AMX, AMX_STATE, 0, 0, "nnn-nn-n", "amx"},
    {"AMX, VNNI hidden", SKYLAKE | AMX, AMX_STATE, 0, 0, "nnn-n---", "avx512"},
    {"AMX, AVX-512 hidden", OSXSAVE | AVX2 | AMX, AMX_STATE, 0, 0, "nnn-----", "avx2"},
    {"AMX, the system saves no tiles", SAPPHIRE_RAPIDS, AVX512_STATE, 0, 0, "nnn-nnn-", "avx512fp16"},
    {"AMX, only configurations saved", SAPPHIRE_RAPIDS, AVX512_STATE | 0x20000, 0, 0, "nnn-nnn-", "avx512fp16"},
    {"tiles without int8", ICE_LAKE | TILE | BF16, AMX_STATE, 0, 0, "nnn-nn--", "avx512vnni"},
    {"tiles without bf16", ICE_LAKE | TILE | INT8, AMX_STATE, 0, 0, "nnn-nn--", "avx512vnni"},
    {"AMX without tiles", ICE_LAKE | INT8 | BF16, AMX_STATE, 0, 0, "nnn-nn--", "avx512vnni"},
    {"AMX, no permission", SAPPHIRE_RAPIDS, AMX_STATE, 0, ENOSPC, "nnn-nnn-", "avx512fp16"},
    {"AMX without FP16, no permission", ICE_LAKE | AMX, AMX_STATE, 0, EPERM, "nnn-nn--", "avx512vnni"},
    {"AMX emulated", ICE_LAKE, AVX512_STATE, AIC_CPU_AMX, 0, "nnn-nn-e", "avx512vnni"},
    {"AMX emulated, AVX-512 hidden", OSXSAVE | AVX2, AVX_STATE, AIC_CPU_AMX, 0, "nnn-----", "avx2"},
    {"AMX emulated in part", ICE_LAKE, AVX512_STATE, AIC_CPU_TILES, 0, "nnn-nn--", "avx512vnni"},
    {"AMX there and emulated", SAPPHIRE_RAPIDS, AMX_STATE, AIC_CPU_AMX, EPERM, "nnn-nnne", "avx512fp16"},
    {"FP16 emulated", ICE_LAKE | AMX, AMX_STATE, AIC_CPU_FP16, 0, "nnn-nnen", "amx"},
};

enum { MACHINES = sizeof machines / sizeof *machines };

START_TEST(levels_of_machines)
{
    const aic_host host =
        machine(machines[_i].flags, machines[_i].state, machines[_i].emulated, machines[_i].permission);
    ck_assert_msg(strcmp(levels_of(&host, AIC_ARCH_X86_64), machines[_i].levels) == 0, "%s: %s, not %s",
                  machines[_i].what, levels_of(&host, AIC_ARCH_X86_64), machines[_i].levels);
    ck_assert_str_eq(aic_host_best(&host, AIC_ARCH_X86_64)->name, machines[_i].best);
}
END_TEST

static bool has_words(const aic_x86_words *all, const aic_x86_words *some)
{
    return (some->leaf1_ecx & ~all->leaf1_ecx) == 0 && (some->leaf7_ebx & ~all->leaf7_ebx) == 0 &&
           (some->leaf7_ecx & ~all->leaf7_ecx) == 0 && (some->leaf7_edx & ~all->leaf7_edx) == 0 &&
           (some->leaf7_1_eax & ~all->leaf7_1_eax) == 0 && (some->leaf80000001_ecx & ~all->leaf80000001_ecx) == 0 &&
           (some->state & ~all->state) == 0;
}

/* The bits that exported code looks for: a processor has all those of a level where the level runs. */
START_TEST(bits_of_machines)
{
    const aic_x86_words words = words_of(machines[_i].flags, machines[_i].state);
    const aic_host host = machine(machines[_i].flags, machines[_i].state, 0, 0);
    const aic_target *target;
    for (size_t i = 0; (target = aic_target_at(AIC_ARCH_X86_64, i)) != NULL; i++) {
        aic_x86_words needs;
        aic_x86_needs(target->needs, &needs);
        ck_assert_msg(has_words(&words, &needs) == (aic_host_way_of(&host, target) == AIC_HOST_NATIVE), "%s: %s",
                      machines[_i].what, target->name);
    }
}
END_TEST

/* A feature needs all its bits: without those of any one word of CPUID, or of the saved state, it is not there. */
START_TEST(bits_of_features)
{
    static const uint32_t FEATURES[] = {AIC_CPU_AVX2, AIC_CPU_AVXVNNI, AIC_CPU_AVX512,     AIC_CPU_VNNI,
                                        AIC_CPU_FP16, AIC_CPU_TILES,   AIC_CPU_TILES_INT8, AIC_CPU_TILES_BF16};
    for (size_t i = 0; i < sizeof FEATURES / sizeof *FEATURES; i++) {
        aic_x86_words needs, words;
        aic_x86_needs(FEATURES[i], &needs);
        ck_assert_uint_ne(aic_x86_features(&needs) & FEATURES[i], 0);
        uint32_t *const word[] = {&words.leaf1_ecx, &words.leaf7_ebx,   &words.leaf7_ecx,
                                  &words.leaf7_edx, &words.leaf7_1_eax, &words.leaf80000001_ecx};
        for (size_t w = 0; w < sizeof word / sizeof *word; w++) {
            words = needs;
            const bool needed = *word[w] != 0;
            *word[w] = 0;
            ck_assert_msg(((aic_x86_features(&words) & FEATURES[i]) == 0) == needed, "feature %zu, word %zu", i, w);
        }
        words = needs;
        words.state = 0;
        ck_assert_uint_eq(aic_x86_features(&words) & FEATURES[i], 0);
    }
}
END_TEST

/* ---- types of cores ---- */

static const struct {
    const char *what;
    uint32_t vendor;
    unsigned flags;
    uint64_t state;
    const char *core;
} processors[] = {
    {"Haswell", AIC_VENDOR_INTEL, OSXSAVE | AVX2, AVX_STATE, "zen4"},
    {"Alder Lake", AIC_VENDOR_INTEL, ALDER_LAKE, AVX_STATE, "zen4"},
    {"Skylake", AIC_VENDOR_INTEL, SKYLAKE, AVX512_STATE, "skylake-avx512"},
    {"Ice Lake", AIC_VENDOR_INTEL, ICE_LAKE, AVX512_STATE, "skylake-avx512"},
    {"Sapphire Rapids", AIC_VENDOR_INTEL, ALDER_LAKE | SAPPHIRE_RAPIDS, AMX_STATE, "golden-cove"},
    {"Sapphire Rapids, AMX hidden", AIC_VENDOR_INTEL, ALDER_LAKE | ICE_LAKE | FP16, AVX512_STATE, "golden-cove"},
    {"Sapphire Rapids, AVX-VNNI hidden", AIC_VENDOR_INTEL, ICE_LAKE | FP16, AVX512_STATE, "golden-cove"},
    {"Sapphire Rapids, FP16 and AVX-VNNI hidden", AIC_VENDOR_INTEL, ICE_LAKE | AMX, AMX_STATE, "golden-cove"},
    {"Sapphire Rapids, AVX-512 hidden", AIC_VENDOR_INTEL, ALDER_LAKE, AVX_STATE, "zen4"},
    {"Sapphire Rapids, AVX-512 not saved", AIC_VENDOR_INTEL, ALDER_LAKE | ICE_LAKE | FP16, AVX_STATE, "zen4"},
    {"Zen 3", AIC_VENDOR_AMD, OSXSAVE | AVX2, AVX_STATE, "zen4"},
    {"Zen 4", AIC_VENDOR_AMD, ICE_LAKE, AVX512_STATE, "zen4"},
    {"Zen 5", AIC_VENDOR_AMD, ALDER_LAKE | ICE_LAKE, AVX512_STATE, "zen5"},
    {"another maker", 0x746e6543, ALDER_LAKE | ICE_LAKE, AVX512_STATE, "zen4"},
};

START_TEST(cores_of_processors)
{
    const aic_x86_words words = words_of(processors[_i].flags, processors[_i].state);
    const aic_core core = aic_x86_core(processors[_i].vendor, aic_x86_features(&words));
    ck_assert_msg(strcmp(aic_core_name(core), processors[_i].core) == 0, "%s: %s", processors[_i].what,
                  aic_core_name(core));
}
END_TEST

START_TEST(names_of_cores)
{
    for (aic_core core = 0; core < AIC_CORES; core++) {
        ck_assert_int_eq(aic_core_find(aic_core_name(core)), core);
        ck_assert_uint_gt(strlen(aic_core_describe(core)), 0);
    }
    ck_assert_int_eq(aic_core_find("zen"), AIC_CORES);
}
END_TEST

START_TEST(levels_of_aarch64)
{
    static const struct {
        uint64_t hwcap, hwcap2;
        const char *levels; /* generic, neon, dotprod, i8mm */
    } rows[] = {
        {0, 0, "nn--"},
        {1u << 20, 0, "nnn-"},
        {1u << 20, 1u << 13, "nnnn"},
        {0, 1u << 13, "nn--"}, /* i8mm without dotprod */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const aic_host host = aic_host_with(aic_aarch64_features(rows[i].hwcap, rows[i].hwcap2), 0, permit);
        ck_assert_str_eq(levels_of(&host, AIC_ARCH_AARCH64), rows[i].levels);
        ck_assert_int_eq(levels_of(&host, AIC_ARCH_X86_64)[1], '-');
    }
}
END_TEST

/* Every set of flags with every state: a level runs when the host has what the level's name says and what lies below
 * it, whatever else is missing. */
START_TEST(levels_of_every_machine)
{
    static const uint64_t states[] = {SSE_STATE, AVX_STATE, AVX512_STATE, AMX_STATE};
    for (unsigned flags = 0; flags < ANY_FLAGS; flags++) {
        for (size_t s = 0; s < sizeof states / sizeof *states; s++) {
            const aic_host host = machine(flags, states[s], 0, 0);
            const bool avx2 = (flags & OSXSAVE) != 0 && (flags & AVX2) != 0 && states[s] >= AVX_STATE;
            const bool avx512 = avx2 && (flags & AVX512) != 0 && states[s] >= AVX512_STATE;
            const bool vnni = avx512 && (flags & VNNI) != 0;
            const bool runs[] = {true,
                                 true,
                                 avx2,
                                 avx2 && (flags & AVXVNNI) != 0,
                                 avx512,
                                 vnni,
                                 vnni && (flags & FP16) != 0,
                                 vnni && (flags & AMX) == AMX && states[s] == AMX_STATE};
            for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
                ck_assert_msg((levels_of(&host, AIC_ARCH_X86_64)[i] == 'n') == runs[i], "flags %#x, state %#x: %s",
                              flags, (unsigned)states[s], levels_of(&host, AIC_ARCH_X86_64));
            }
        }
    }
}
END_TEST

/* ---- the permission ---- */

START_TEST(permission_is_asked_when_it_is_needed)
{
    for (int m = 0; m < MACHINES; m++) {
        (void)machine(machines[m].flags, machines[m].state, machines[m].emulated, machines[m].permission);
        const bool tiles = (machines[m].flags & (TILE | OSXSAVE)) == (TILE | OSXSAVE) &&
                           machines[m].state == AMX_STATE && (machines[m].emulated & AIC_CPU_TILES) == 0;
        ck_assert_msg(requests == (tiles ? 1 : 0), "%s: requested %d times", machines[m].what, requests);
    }
}
END_TEST

START_TEST(reasons)
{
    static const struct {
        unsigned flags;
        int permission;
        const char *level, *reason;
    } rows[] = {
        {ICE_LAKE, 0, "avx512fp16", "no avx512fp16"},
        {SKYLAKE, 0, "avx512fp16", "no avx512vnni, avx512fp16"},
        {0, 0, "avx2", "no avx2"},
        {SKYLAKE, 0, "avx2+avxvnni", "no avxvnni"},
        {ICE_LAKE, 0, "amx", "no amx-tile, amx-int8, amx-bf16"},
        {ICE_LAKE | TILE | BF16, 0, "amx", "no amx-int8"},
        {SKYLAKE | AMX, 0, "amx", "no avx512vnni"},
        {SKYLAKE | AMX, ENOSPC, "amx", "no avx512vnni, amx-tile, amx-int8, amx-bf16"},
        {ICE_LAKE | AMX, ENOSPC, "amx",
         "the processor has AMX, the kernel refuses the permission for tile state: a thread of this process has an "
         "alternate signal stack that is too small for it"},
        {ICE_LAKE | AMX, EINVAL, "amx",
         "the processor has AMX, the kernel refuses the permission for tile state: it does not know the request, Linux "
         "5.16 is the first that does"},
        {ICE_LAKE | AMX, 77, "amx",
         "the processor has AMX, the kernel refuses the permission for tile state: error 77"},
        {ICE_LAKE | AMX, 0, "amx", "nothing is missing"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const aic_host host = machine(rows[i].flags, AMX_STATE, 0, rows[i].permission);
        char text[256], cut[8], refusal[256];
        const bool refused = rows[i].permission != 0;
        ck_assert_int_eq(aic_host_refusal(&host, refusal, sizeof refusal), refused);
        ck_assert(!refused || strstr(refusal, "the kernel refuses the permission for tile state: ") != NULL);
        aic_host_explain(&host, aic_target_find(AIC_ARCH_X86_64, rows[i].level), text, sizeof text);
        ck_assert_str_eq(text, rows[i].reason);
        aic_host_explain(&host, aic_target_find(AIC_ARCH_X86_64, rows[i].level), cut, sizeof cut);
        ck_assert_int_eq(strncmp(cut, text, sizeof cut - 1), 0);
        ck_assert_uint_lt(strlen(cut), sizeof cut);
    }
}
END_TEST

/* ---- this host ---- */

static void *this_host(void *unused)
{
    (void)unused;
    return (void *)(uintptr_t)aic_host_this();
}

START_TEST(threads_find_one_host)
{
    enum { THREADS = 8 };
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++) {
        ck_assert_int_eq(pthread_create(&thread[i], NULL, this_host, NULL), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        void *host;
        ck_assert_int_eq(pthread_join(thread[i], &host), 0);
        ck_assert_ptr_eq(host, aic_host_this());
    }
    ck_assert_int_eq(aic_host_way_of(aic_host_this(), aic_target_at(aic_host_arch(), 0)), AIC_HOST_NATIVE);
    ck_assert_int_eq(aic_host_way_of(aic_host_this(), aic_host_best(aic_host_this(), aic_host_arch())),
                     AIC_HOST_NATIVE);
}
END_TEST

/* Tests are made for the levels that run, and for no other; reports call the others not run. */
START_TEST(levels_of_tests)
{
    const char *name;
    int running = 0;
    for (size_t i = 0; (name = aic_isa_name(i)) != NULL; i++) {
        const aic_target *target = aic_target_find(aic_host_arch(), name);
        const char *const ways[] = {"not run, this host lacks it", "native", "emulated"};
        const aic_host_way way = aic_host_way_of(aic_host_this(), target);
        ck_assert_str_eq(level_way(name), ways[way]);
        running += way != AIC_HOST_LACKS;
    }
    ck_assert_int_eq(levels_count(), running);
}
END_TEST

/* ---- families ---- */

START_TEST(families)
{
    static const struct {
        aic_arch arch;
        const char *level;
        const aic_family *family;
    } rows[] = {
        {AIC_ARCH_X86_64, "generic", &aic_family_x86_generic},
        {AIC_ARCH_X86_64, "sse2", &aic_family_x86},
        {AIC_ARCH_X86_64, "avx2", &aic_family_x86},
        {AIC_ARCH_X86_64, "avx2+avxvnni", &aic_family_x86_avxvnni},
        {AIC_ARCH_X86_64, "avx512", &aic_family_x86},
        {AIC_ARCH_X86_64, "avx512vnni", &aic_family_x86_vnni},
        {AIC_ARCH_X86_64, "avx512fp16", &aic_family_x86_vnni},
        {AIC_ARCH_X86_64, "amx", &aic_family_x86_vnni},
        {AIC_ARCH_AARCH64, "generic", &aic_family_aarch64_generic},
        {AIC_ARCH_AARCH64, "neon", &aic_family_aarch64},
        {AIC_ARCH_AARCH64, "dotprod", &aic_family_aarch64_dotprod},
        {AIC_ARCH_AARCH64, "i8mm", &aic_family_aarch64_dotprod},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ck_assert_ptr_eq(aic_family_of(aic_target_find(rows[i].arch, rows[i].level)), rows[i].family);
    }
}
END_TEST

/* The bits that operators require belong to levels whose features bring the instructions. */
START_TEST(tiles_need_amx)
{
    static const struct {
        uint32_t has, needs;
    } rows[] = {{AIC_HAS_TILES, AIC_CPU_TILES},
                {AIC_HAS_TILES_INT8, AIC_CPU_TILES_INT8},
                {AIC_HAS_TILES_BF16, AIC_CPU_TILES_BF16}};
    for (int arch = AIC_ARCH_X86_64; arch <= AIC_ARCH_AARCH64; arch++) {
        const aic_target *target;
        for (size_t level = 0; (target = aic_target_at((aic_arch)arch, level)) != NULL; level++) {
            for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
                ck_assert_msg(((target->has & rows[i].has) != 0) == ((target->needs & rows[i].needs) != 0), "%s",
                              target->name);
            }
        }
    }
    ck_assert_uint_ne(aic_target_find(AIC_ARCH_X86_64, "amx")->has & AIC_HAS_TILES_INT8, 0);
}
END_TEST

Suite *suite_host(void)
{
    Suite *suite = suite_create("host");
    TCase *tcase = tcase_create("host");
    tcase_add_loop_test(tcase, levels_of_machines, 0, MACHINES);
    tcase_add_loop_test(tcase, bits_of_machines, 0, MACHINES);
    tcase_add_test(tcase, bits_of_features);
    tcase_add_loop_test(tcase, cores_of_processors, 0, (int)(sizeof processors / sizeof *processors));
    tcase_add_test(tcase, names_of_cores);
    tcase_add_test(tcase, levels_of_aarch64);
    tcase_add_test(tcase, levels_of_every_machine);
    tcase_add_test(tcase, permission_is_asked_when_it_is_needed);
    tcase_add_test(tcase, reasons);
    tcase_add_test(tcase, threads_find_one_host);
    tcase_add_test(tcase, levels_of_tests);
    tcase_add_test(tcase, families);
    tcase_add_test(tcase, tiles_need_amx);
    suite_add_tcase(suite, tcase);
    return suite;
}
