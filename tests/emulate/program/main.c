/* aicjit-emulate-tests: instructions of AMX against a plain model, on whatever executes them: the processor, or the
 * emulator in LD_PRELOAD (tests/emulate/run.sh). The last line is "N passed, N failed". Exit status 3: nothing here
 * executes them. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* REG_RIP */
#endif
#include "tests/emulate/program/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

/* There when the emulator is in the process. */
__attribute__((weak)) uint32_t aic_emulated_features(void);

uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

void fill_random(void *bytes, size_t size, uint64_t *state)
{
    for (size_t i = 0; i < size; i++) {
        ((uint8_t *)bytes)[i] = (uint8_t)(next_random(state) >> 24);
    }
}

void on_tile(const char *table, unsigned number, const void *address, int64_t stride)
{
    void (*function)(const void *, int64_t);
    const char *code = table + (size_t)number * AMX_STEP;
    memcpy(&function, &code, sizeof function);
    function(address, stride);
}

void multiply(const char *table, unsigned c, unsigned a, unsigned b)
{
    on_tile(table, 64 * c + 8 * a + b, NULL, 0);
}

tile_config config_of(unsigned rows, unsigned colsb)
{
    tile_config config = {.palette = 1};
    for (int i = 0; i < TILES; i++) {
        config.rows[i] = (uint8_t)rows;
        config.colsb[i] = (uint16_t)colsb;
    }
    return config;
}

int wrong_products(uint64_t state, int count)
{
    int wrong = 0;
    for (int i = 0; i < count; i++) {
        const int m = (int)(next_random(&state) % 16) + 1, n = (int)(next_random(&state) % 16) + 1,
                  k = (int)(next_random(&state) % 16) + 1;
        tile_config config = {.palette = 1};
        tile c, a, b, got;
        config.rows[0] = config.rows[1] = (uint8_t)m, config.rows[2] = (uint8_t)k;
        config.colsb[0] = config.colsb[2] = (uint16_t)(4 * n), config.colsb[1] = (uint16_t)(4 * k);
        fill_random(&a, sizeof a, &state);
        fill_random(&b, sizeof b, &state);
        fill_random(&c, sizeof c, &state);
        got = c;
        amx_ldtilecfg(&config);
        on_tile(amx_tileloadd_table, 0, &c, ROW_BYTES);
        on_tile(amx_tileloadd_table, 1, &a, ROW_BYTES);
        on_tile(amx_tileloadd_table, 2, &b, ROW_BYTES);
        multiply(amx_tdpbusd_table, 0, 1, 2);
        on_tile(amx_tilestored_table, 0, &got, ROW_BYTES);
        model_bytes(&c.byte[0][0], &a.byte[0][0], &b.byte[0][0], m, n, k, false, true);
        wrong += memcmp(&got, &c, sizeof c) != 0;
    }
    amx_tilerelease();
    return wrong;
}

/* ---- exceptions ---- */

static _Thread_local volatile fault last_fault;

static void note(int number, siginfo_t *info, void *context)
{
    greg_t *instruction = &((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
    last_fault.number = number;
    last_fault.code = info->si_code;
    last_fault.address = info->si_addr;
    last_fault.instruction = (const void *)*instruction;
    *instruction = (greg_t)(uintptr_t)amx_return;
    if (wrong_products(25, 1) != 0) {
        _exit(97);
    }
}

void catch_faults(void)
{
    struct sigaction action = {.sa_sigaction = note, .sa_flags = SA_SIGINFO};
    ck_assert_int_eq(sigaction(SIGILL, &action, NULL), 0);
    ck_assert_int_eq(sigaction(SIGSEGV, &action, NULL), 0);
}

fault take_fault(void)
{
    const fault taken = last_fault;
    last_fault.number = 0;
    return taken;
}

/* ---- the program ---- */

/* Whether an instruction of each kind that a kernel must permit goes through. */
static bool is_executed(void)
{
    enum { REQUEST_PERMISSION = 0x1023, TILE_DATA = 18 };
    if (aic_emulated_features == NULL || aic_emulated_features() == 0) {
        (void)syscall(SYS_arch_prctl, REQUEST_PERMISSION, TILE_DATA);
    }
    (void)fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        const tile_config config = config_of(1, 4);
        (void)signal(SIGILL, SIG_DFL);
        amx_ldtilecfg(&config);
        on_tile(amx_tilezero_table, 0, NULL, 0);
        amx_tilerelease();
        _exit(0);
    }
    int status;
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status);
}

int main(void)
{
    if (!is_executed()) {
        printf("nothing here executes AMX: neither the processor nor an emulator in LD_PRELOAD\n");
        return 3;
    }
    printf("AMX is executed by %s\n",
           aic_emulated_features != NULL && aic_emulated_features() != 0 ? "the emulator" : "the processor");
    (void)setenv("CK_DEFAULT_TIMEOUT", "60", 0); /* for tests that hang: other programs may have the processors */
    (void)setenv("CK_TIMEOUT_MULTIPLIER", "10", 0);
    Suite *suite = suite_create("emulate");
    suite_add_tcase(suite, tests_of_products());
    suite_add_tcase(suite, tests_of_addresses());
    suite_add_tcase(suite, tests_of_exceptions());
    suite_add_tcase(suite, tests_of_processes());
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    const int failed = srunner_ntests_failed(runner), passed = srunner_ntests_run(runner) - failed;
    srunner_free(runner);
    printf("%d passed, %d failed\n", passed, failed);
    return failed == 0 && passed > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
