/* The emulator of AMX as it is linked into this program (tests/emulate): that it is there where the processor has none,
 * that it counts, and what only fabricated frames show. tests/emulate/program tests what instructions do. */
#include <check.h>

Suite *suite_emulate(void);

#if defined(__x86_64__)

#include "codegen/target/feature.h"
#include "tests/emulate/emulate.h"
#include "tests/emulate/frame.h"

#include <aic/aic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void use_one_tile(void)
{
    _Alignas(64) uint8_t config[64] = {1};
    uint32_t element = 0x01020304;
    config[16] = 4, config[48] = 1; /* tile 0: one row of 4 bytes */
    __asm__ volatile(
        "ldtilecfg %0\n\ttileloadd (%1), %%tmm0\n\ttilezero %%tmm0\n\ttilestored %%tmm0, (%1)\n\ttilerelease"
        : "+m"(config)
        : "r"(&element)
        : "memory");
    ck_assert_uint_eq(element, 0);
}

/* Where the processor has AMX the emulator must leave it alone. A claim of a level leaves out what is above it. */
START_TEST(levels)
{
    const bool above = emulate_active() && aic_isa_check("avx512vnni") == AIC_OK && getenv("AIC_CLAIM_LEVEL") == NULL;
    ck_assert_uint_eq(aic_emulated_features(), emulate_active() ? AIC_CPU_AMX : 0);
    ck_assert_int_eq(aic_isa_emulated("amx"), above);
    ck_assert_int_eq(aic_isa_check("amx") == AIC_OK && !aic_isa_emulated("amx"),
                     strcmp(aic_context_isa(NULL), "amx") == 0);
}
END_TEST

START_TEST(counts)
{
    static const amx_kind used[] = {AMX_TILELOADD, AMX_TILEZERO, AMX_TILESTORED, AMX_LDTILECFG, AMX_TILERELEASE};
    const size_t kinds = emulate_counts_all() ? sizeof used / sizeof *used : 3;
    uint64_t before[AMX_KINDS];
    for (int kind = 0; kind < AMX_KINDS; kind++) {
        before[kind] = emulate_count((amx_kind)kind);
    }
    use_one_tile();
    const pid_t child = fork();
    if (child == 0) {
        use_one_tile();
        _exit(0);
    }
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    for (size_t i = 0; i < kinds; i++) {
        before[used[i]] += 2;
    }
    for (int kind = 0; kind < AMX_KINDS; kind++) {
        ck_assert_msg(emulate_count((amx_kind)kind) == before[kind], "%s", amx_mnemonics[kind]);
    }
}
END_TEST

/* Configurations of a processor that has AMX itself, in frames as Linux writes them. */
START_TEST(frames)
{
    enum { OFFSET = 2752, SIZE = OFFSET + 64 };
    static uint8_t fpregs[SIZE];
    const uint32_t mark = 0x46505853, size = SIZE;
    const uint64_t present = UINT64_C(1) << 17 | 7;
    ck_assert_ptr_null(frame_tile_config(fpregs, OFFSET)); /* of a processor without XSAVE */
    ck_assert(!frame_has_vectors(fpregs));
    memcpy(fpregs + 464, &mark, sizeof mark);
    memcpy(fpregs + 480, &size, sizeof size);
    ck_assert_ptr_null(frame_tile_config(fpregs, OFFSET)); /* initialised */
    ck_assert(frame_has_vectors(fpregs));
    memcpy(fpregs + 512, &present, sizeof present);
    ck_assert_ptr_eq(frame_tile_config(fpregs, OFFSET), fpregs + OFFSET);
    ck_assert_ptr_null(frame_tile_config(fpregs, 0));          /* a processor without the component */
    ck_assert_ptr_null(frame_tile_config(fpregs, OFFSET + 1)); /* a kernel that does not save it */
}
END_TEST

Suite *suite_emulate(void)
{
    Suite *suite = suite_create("emulate");
    TCase *tcase = tcase_create("emulate");
    tcase_add_test(tcase, levels);
    tcase_add_test(tcase, frames);
    suite_add_tcase(suite, tcase);
    if (emulate_active()) { /* else nothing counts */
        tcase = tcase_create("counted");
        tcase_add_test(tcase, counts);
        suite_add_tcase(suite, tcase);
    }
    return suite;
}

#else

/* Nothing to emulate for other processors. */
Suite *suite_emulate(void)
{
    return suite_create("emulate");
}

#endif
