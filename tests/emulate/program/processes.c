/* Whose tiles they are: threads, children, handlers of signals; and what gets SIGILL that is not the emulator's. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* REG_RIP */
#endif
#include "tests/emulate/program/program.h"

#include <limits.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

static const uint8_t no_config[sizeof(tile_config)];

static bool is_configured(void)
{
    uint8_t described[sizeof(tile_config)];
    amx_sttilecfg(described);
    return memcmp(described, no_config, sizeof described) != 0;
}

/* ---- threads ---- */

static void *run_products(void *seed)
{
    const int count = 300;
    return (void *)(intptr_t)wrong_products((uintptr_t)seed, count);
}

START_TEST(threads_have_their_own_tiles)
{
    enum { THREADS = 4 };
    pthread_t thread[THREADS];
    for (uintptr_t i = 0; i < THREADS; i++) {
        ck_assert_int_eq(pthread_create(&thread[i], NULL, run_products, (void *)(i + 1)), 0);
    }
    ck_assert_ptr_null(run_products((void *)(uintptr_t)99));
    for (int i = 0; i < THREADS; i++) {
        void *wrong;
        ck_assert_int_eq(pthread_join(thread[i], &wrong), 0);
        ck_assert_ptr_null(wrong);
    }
}
END_TEST

static void *small_product(void *unused)
{
    (void)unused;
    const tile_config config = config_of(4, 16);
    static const uint8_t ones[4][16] = {{1, 1, 1, 1}, {1, 1, 1, 1}, {1, 1, 1, 1}, {1, 1, 1, 1}};
    static uint32_t result[4][4];
    if (is_configured()) {
        return result;
    }
    amx_ldtilecfg(&config);
    on_tile(amx_tileloadd_table, 1, ones, 16);
    on_tile(amx_tileloadd_table, 2, ones, 16);
    multiply(amx_tdpbssd_table, 0, 1, 2);
    multiply(amx_tdpbf16ps_table, 3, 4, 5);
    on_tile(amx_tilestored_table, 0, result, 16);
    return result[0][0] == 4 && result[3][0] == 4 && result[0][1] == 0 ? NULL : result;
}

static long mapped_pages(void)
{
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(fscanf(file, "%ld", &pages), 1);
    (void)fclose(file);
    return pages;
}

/* Many threads, one after the other, on the smallest stack that there is: nothing is left of the one before. */
START_TEST(threads_may_be_small)
{
    enum { THREADS = 200, SOME = 20 };
    pthread_attr_t attributes;
    long pages = 0;
    ck_assert_int_eq(pthread_attr_init(&attributes), 0);
    ck_assert_int_eq(pthread_attr_setstacksize(&attributes, (size_t)sysconf(_SC_THREAD_STACK_MIN)), 0);
    for (int i = 0; i < THREADS; i++) {
        pthread_t thread;
        void *wrong;
        ck_assert_int_eq(pthread_create(&thread, &attributes, small_product, NULL), 0);
        ck_assert_int_eq(pthread_join(thread, &wrong), 0);
        ck_assert_ptr_null(wrong);
        pages = i == SOME ? mapped_pages() : pages;
    }
    ck_assert_int_le(mapped_pages(), pages + SOME);
    ck_assert_int_eq(pthread_attr_destroy(&attributes), 0);
}
END_TEST

/* ---- children ---- */

/* The exit status of a child that runs `function`. */
static int in_child(int (*function)(void))
{
    int status;
    const pid_t child = fork();
    if (child == 0) {
        _exit(function());
    }
    ck_assert_int_gt(child, 0);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_msg(WIFEXITED(status), "signal %d", WTERMSIG(status));
    return WEXITSTATUS(status);
}

static int child_of_configured(void)
{
    const tile_config config = config_of(16, 64);
    tile_config described;
    tile got;
    amx_sttilecfg(&described);
    if (memcmp(&described, &config, sizeof config) != 0) {
        return 1;
    }
    on_tile(amx_tilestored_table, 6, &got, ROW_BYTES);
    static const tile zeros;
    if (memcmp(&got, &zeros, sizeof got) != 0) {
        return 2;
    }
    return wrong_products(17, 20) == 0 ? 0 : 3;
}

static int child_of_unconfigured(void)
{
    return is_configured() ? 1 : wrong_products(18, 20) == 0 ? 0 : 3;
}

/* Linux hands on the configuration, not the tiles; the parent keeps both. */
START_TEST(children)
{
    const tile_config config = config_of(16, 64);
    uint64_t state = 12;
    tile data, got;
    fill_random(&data, sizeof data, &state);
    ck_assert_int_eq(in_child(child_of_unconfigured), 0);
    amx_ldtilecfg(&config);
    on_tile(amx_tileloadd_table, 6, &data, ROW_BYTES);
    ck_assert_int_eq(in_child(child_of_configured), 0);
    on_tile(amx_tilestored_table, 6, &got, ROW_BYTES);
    ck_assert_mem_eq(&got, &data, sizeof data);
}
END_TEST

/* ---- handlers of signals ---- */

static volatile int handled, configured_in_handler, wrong_in_handler, depth;
static sigjmp_buf jump;

static void use_tiles(int number)
{
    const tile_config left = config_of(3, 4);
    configured_in_handler += is_configured();
    wrong_in_handler += wrong_products((uint64_t)number + 1, 3);
    if (depth++ == 0) { /* one within the other */
        const tile_config config = config_of(2, 8);
        amx_ldtilecfg(&config);
        (void)raise(SIGUSR2);
        tile_config described;
        amx_sttilecfg(&described);
        wrong_in_handler += memcmp(&described, &config, sizeof config) != 0;
    }
    amx_ldtilecfg(&left); /* what handlers leave is not to be seen by anybody */
    handled++;
}

static void use_tiles_with_info(int number, siginfo_t *info, void *context)
{
    ck_assert_int_eq(info->si_signo, number);
    ck_assert_ptr_nonnull(context);
    use_tiles(number);
}

static void jump_out(int number)
{
    siglongjmp(jump, number);
}

/* A handler begins with initialised tiles, and the interrupted program goes on with its own. */
START_TEST(handlers_have_their_own_tiles)
{
    const tile_config config = config_of(16, 64);
    struct sigaction action = {.sa_sigaction = use_tiles_with_info, .sa_flags = SA_SIGINFO};
    uint64_t state = 13;
    tile data, got;
    tile_config described;
    fill_random(&data, sizeof data, &state);
    ck_assert_int_eq(sigaction(SIGUSR1, &action, NULL), 0);
    (void)signal(SIGUSR2, SIG_DFL); /* whoever began this process may have it ignored */
    ck_assert(signal(SIGUSR2, use_tiles) == SIG_DFL);
    amx_ldtilecfg(&config);
    on_tile(amx_tileloadd_table, 7, &data, ROW_BYTES);
    ck_assert_int_eq(raise(SIGUSR1), 0);
    ck_assert_int_eq(handled, 2);
    ck_assert_int_eq(raise(SIGUSR2), 0);
    ck_assert_int_eq(handled, 3);
    ck_assert_int_eq(configured_in_handler, 0);
    ck_assert_int_eq(wrong_in_handler, 0);
    amx_sttilecfg(&described);
    ck_assert_mem_eq(&described, &config, sizeof config);
    on_tile(amx_tilestored_table, 7, &got, ROW_BYTES);
    ck_assert_mem_eq(&got, &data, sizeof data);
}
END_TEST

/* One that jumps leaves the state it had itself. */
START_TEST(handlers_may_jump)
{
    const tile_config config = config_of(16, 64);
    (void)signal(SIGUSR1, SIG_DFL);
    ck_assert(signal(SIGUSR1, jump_out) == SIG_DFL);
    for (int i = 0; i < 100; i++) {
        amx_ldtilecfg(&config);
        if (sigsetjmp(jump, 1) == 0) {
            (void)raise(SIGUSR1);
        }
        ck_assert(!is_configured());
        ck_assert_int_eq(wrong_products(19, 1), 0);
    }
}
END_TEST

static volatile sig_atomic_t ticks;

static void tick(int number)
{
    (void)number;
    ticks++;
    if (wrong_products((uint64_t)ticks, 1) != 0) {
        _exit(98);
    }
}

/* Signals at any time, between instructions or while one is executed: until some have come. */
START_TEST(handlers_at_any_time)
{
    const struct sigaction action = {.sa_handler = tick, .sa_flags = SA_RESTART};
    ck_assert_int_eq(sigaction(SIGALRM, &action, NULL), 0);
    for (int i = 0; i < 200 || ticks <= 10; i++) {
        (void)ualarm(300, 0);
        ck_assert_int_eq(wrong_products((uint64_t)i + 1, 10), 0);
    }
}
END_TEST

/* Neither a handler's mask nor a thread's keeps instructions from being executed. */
START_TEST(signals_may_be_blocked)
{
    struct sigaction action = {.sa_handler = use_tiles};
    sigset_t all, before, mask;
    sigfillset(&all);
    sigfillset(&action.sa_mask);
    depth = 1;
    ck_assert_int_eq(sigaction(SIGUSR1, &action, NULL), 0);
    ck_assert_int_eq(raise(SIGUSR1), 0);
    ck_assert_int_eq(handled, 1);
    ck_assert_int_eq(pthread_sigmask(SIG_BLOCK, &all, &before), 0);
    const int wrong = wrong_products(22, 3);
    ck_assert_int_eq(sigprocmask(SIG_SETMASK, &before, &mask), 0);
    ck_assert_int_eq(wrong + wrong_in_handler, 0);
    ck_assert(sigismember(&mask, SIGUSR1) == 1 && sigismember(&before, SIGUSR1) == 0);
    ck_assert_int_eq(sigprocmask(SIG_SETMASK, &all, NULL), 0);
    ck_assert_int_eq(wrong_products(23, 3), 0);
}
END_TEST

/* What a program can query of its handlers is what it installed. */
START_TEST(actions_are_the_programs_own)
{
    static const int numbers[] = {SIGUSR1, SIGILL, SIGSEGV, SIGHUP};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct sigaction action = {.sa_sigaction = use_tiles_with_info, .sa_flags = SA_SIGINFO | SA_RESTART}, old;
        sigset_t set;
        sigemptyset(&action.sa_mask);
        sigaddset(&action.sa_mask, SIGUSR2);
        sigaddset(&action.sa_mask, SIGILL);
        ck_assert(signal(numbers[i], SIG_DFL) != SIG_ERR); /* whoever started the program may ignore it */
        ck_assert_int_eq(sigaction(numbers[i], NULL, &old), 0);
        ck_assert(old.sa_handler == SIG_DFL);
        ck_assert_int_eq(sigaction(numbers[i], &action, &old), 0);
        ck_assert(old.sa_handler == SIG_DFL);
        ck_assert_int_eq(sigaction(numbers[i], NULL, &old), 0);
        ck_assert(old.sa_sigaction == use_tiles_with_info);
        ck_assert_int_eq(old.sa_flags & (SA_SIGINFO | SA_RESTART | SA_NODEFER), SA_SIGINFO | SA_RESTART);
        set = old.sa_mask;
        ck_assert(sigismember(&set, SIGUSR2) == 1 && sigismember(&set, SIGILL) == 1);
        ck_assert(sigismember(&set, SIGUSR1) == 0);
        ck_assert((void (*)(void))signal(numbers[i], use_tiles) == (void (*)(void))use_tiles_with_info);
        ck_assert(signal(numbers[i], SIG_IGN) == use_tiles);
        ck_assert(signal(numbers[i], SIG_DFL) == SIG_IGN);
    }
    struct sigaction action = {.sa_handler = use_tiles};
    ck_assert_int_ne(sigaction(SIGKILL, &action, NULL), 0);
    ck_assert_int_ne(sigaction(1000, &action, NULL), 0);
    ck_assert(signal(SIGUSR1, SIG_ERR) == SIG_ERR);
}
END_TEST

/* ---- SIGILL of others ---- */

static volatile int codes[2], calls;
static sigset_t mask_in_handler;

static void skip_ud2(int number, siginfo_t *info, void *context)
{
    greg_t *instruction = &((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
    codes[0] = number, codes[1] = info->si_code;
    calls++;
    (void)pthread_sigmask(SIG_SETMASK, NULL, &mask_in_handler);
    if (info->si_code > 0) {
        *instruction = (greg_t)(uintptr_t)amx_return;
    }
    wrong_in_handler += wrong_products(20, 2);
}

/* An instruction that is none goes to the program's handler, under the mask that it set; so does a signal that was
 * sent. */
START_TEST(other_illegal_instructions)
{
    struct sigaction action = {.sa_sigaction = skip_ud2, .sa_flags = SA_SIGINFO};
    sigset_t mask;
    sigemptyset(&action.sa_mask);
    sigaddset(&action.sa_mask, SIGUSR1);
    ck_assert_int_eq(sigaction(SIGILL, &action, NULL), 0);
    ck_assert_int_eq(pthread_sigmask(SIG_SETMASK, NULL, &mask), 0);
    amx_ud2();
    ck_assert_int_eq(calls, 1);
    ck_assert_int_eq(codes[0], SIGILL);
    ck_assert_int_gt(codes[1], 0);
    ck_assert_int_eq(wrong_in_handler, 0);
    ck_assert(sigismember(&mask_in_handler, SIGUSR1) == 1 && sigismember(&mask_in_handler, SIGUSR2) == 0);
    ck_assert_int_eq(pthread_sigmask(SIG_SETMASK, NULL, &mask_in_handler), 0);
    ck_assert_mem_eq(&mask_in_handler, &mask, sizeof(uint64_t));
    ck_assert_int_eq(raise(SIGILL), 0);
    ck_assert_int_eq(calls, 2);
    ck_assert_int_le(codes[1], 0);
    ck_assert_int_eq(wrong_products(21, 2), 0); /* the emulator still has its instructions */
    const tile_config config = config_of(1, 4);
    uint32_t element = 1;
    amx_ldtilecfg(&config);
    on_tile(amx_tileloadd_table, 0, &element, 0);
    ck_assert_int_eq(amx_send_then_tilezero(getpid(), gettid(), SIGILL), 0);
    ck_assert_int_eq(calls, 3);
    on_tile(amx_tilestored_table, 0, &element, 0);
    ck_assert_uint_eq(element, 0);
    action.sa_flags = (int)(SA_SIGINFO | SA_RESETHAND);
    ck_assert_int_eq(sigaction(SIGILL, &action, NULL), 0);
    amx_ud2();
    ck_assert_int_eq(calls, 4);
    ck_assert_int_eq(sigaction(SIGILL, NULL, &action), 0);
    ck_assert(action.sa_handler == SIG_DFL);
}
END_TEST

TCase *tests_of_processes(void)
{
    TCase *tcase = tcase_create("processes");
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, threads_have_their_own_tiles);
    tcase_add_test(tcase, threads_may_be_small);
    tcase_add_test(tcase, children);
    tcase_add_test(tcase, handlers_have_their_own_tiles);
    tcase_add_test(tcase, handlers_may_jump);
    tcase_add_test(tcase, handlers_at_any_time);
    tcase_add_test(tcase, signals_may_be_blocked);
    tcase_add_test(tcase, actions_are_the_programs_own);
    tcase_add_test(tcase, other_illegal_instructions);
    return tcase;
}
