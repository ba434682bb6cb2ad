/* Calls that several threads share: the bits do not depend on their number; which calls are shared. The caller's own
 * loop, the pool and the number of threads have suites of their own. */
#include "codegen/machine.h"
#include "frontend/core/stage.h"
#include "runtime/threads/pool.h"
#include "tests/levels.h"
#include "tests/pto_case.h"
#include "tests/shared_case.h"
#include "tests/specs.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

Suite *suite_threads(void);

static const int THREADS[] = {2, 3, 7};
enum { THREADS_COUNT = sizeof THREADS / sizeof THREADS[0] };

static void check_threads(const char *isa, const verify_case *c, int threads, const void *alone)
{
    aic_context *context = shared_context(threads, isa);
    ck_assert_int_eq(aic_context_threads(context), threads);
    shared_check(context, c, alone);
    aic_context_destroy(context);
}

/* Every row at every level, where levels that make the same code take turns: with one thread and with each number of
 * threads at the thorough level, with one of the numbers at the others. */
START_TEST(equal_bits)
{
    const int row = _i % SHARED_ROWS, level = _i / SHARED_ROWS;
    const aic_spec spec = spec_of(SHARED_ROW[row]);
    const bool thorough = levels_is_thorough(level) || levels_campaign() > 0;
#ifdef AIC_SANITIZED /* references are slow, and kernels the same */
    if (!thorough) {
        return;
    }
#endif
    if (!levels_is_turn(level, &spec, (uint64_t)row)) {
        return;
    }
    const char *isa = levels_name(level);
    verify_case c;
    shared_case_open(&c, SHARED_ROW[row]);
    aic_context *context = shared_context(1, isa);
    void *alone = shared_output(context, &c, SHARED_BY_JIT);
    shared_check(context, &c, alone);
    for (int i = 0; i < THREADS_COUNT; i++) {
        if (thorough || (row / THREADS_COUNT + level) % THREADS_COUNT == i) {
            check_threads(isa, &c, THREADS[i], alone);
        }
    }
    free(alone);
    verify_close(&c);
    aic_context_destroy(context);
}
END_TEST

/* Calls of every row are, but for one whose usual schedule has one band only. */
START_TEST(shared_rows)
{
    int shared = 0;
    for (size_t row = 0; row < SHARED_ROWS; row++) {
        verify_case c;
        aic_context *context = shared_context(7, NULL), *alone = shared_context(1, NULL);
        shared_case_open(&c, SHARED_ROW[row]);
        aic_kernel *kernel = shared_kernel(context, &c), *single = shared_kernel(alone, &c);
        shared += shared_threads(kernel) > 1;
        ck_assert_int_eq(shared_threads(single), 1);
        aic_kernel_destroy(single);
        aic_kernel_destroy(kernel);
        verify_close(&c);
        aic_context_destroy(alone);
        aic_context_destroy(context);
    }
    ck_assert_int_ge(shared, SHARED_ROWS - 1);
}
END_TEST

/* The default machine: what is large is shared, what is small is not. */
START_TEST(small_calls)
{
    static const struct {
        const char *text;
        int threads;
    } rows[] = {
        {"tensor_arithmetic(op=BM_ADD, shape=[1,8,256,256])", 3},
        {"tensor_arithmetic(op=BM_ADD, shape=[1,1,16,16])", 1},
        {"conv2d(dtype=int8, fm_shape=[1,1,4,32], kernel_shape=[1,1,1,32,32])", 1},
    };
    shared_as_usual();
    aic_context *context = shared_context(3, NULL);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        verify_case c;
        shared_case_open(&c, rows[i].text);
        aic_kernel *kernel = shared_kernel(context, &c);
        ck_assert_int_eq(shared_threads(kernel), rows[i].threads);
        aic_kernel_destroy(kernel);
        shared_check(context, &c, NULL);
        verify_close(&c);
    }
    aic_context_destroy(context);
}
END_TEST

static const char PROGRAM[] = "pto.tassign %a, @tile(0)\n"
                              "pto.tassign %b, @tile(0x8000)\n"
                              ".arg %s : f32\n"
                              "%a = texpands %s : f32, !pto.tile<vec, 64x64xf32, valid=61x64>\n"
                              "%b = texpands 2.5 : f32, !pto.tile<vec, 32x64xf32>\n";

/* A group of statements is one call. */
START_TEST(programs)
{
    static const int numbers[] = {1, 2, 3, 7};
    aic_pto_program *program = pto_program_of(PROGRAM);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        aic_context *context = shared_context(numbers[i], NULL);
        pto_case *c = pto_case_new(program, GUARD_AFTER, 3);
        for (int round = 0; round < 3; round++) {
            pto_case_reset(c);
            ck_assert_msg(aic_pto_run(context, program, c->pointers, c->count) == AIC_OK, "%s", aic_last_error());
            ck_assert(pto_case_done(c));
        }
        ck_assert_int_eq(aic_pool_threads() > 0, numbers[i] > 1);
        pto_case_free(c);
        aic_context_destroy(context);
    }
    aic_pto_destroy(program);
}
END_TEST

Suite *suite_threads(void)
{
    Suite *suite = suite_create("threads");
    TCase *cases = tcase_create("threads");
    tcase_set_timeout(cases, 240);
    tcase_add_checked_fixture(cases, shared_begin, shared_end);
    tcase_add_loop_test(cases, equal_bits, 0, SHARED_ROWS * levels_count());
    tcase_add_test(cases, shared_rows);
    tcase_add_test(cases, small_calls);
    tcase_add_test(cases, programs);
    suite_add_tcase(suite, cases);
    return suite;
}
