/* The pool of a process: several callers, its threads, threads and memory that cannot be had, forks. */
#define _GNU_SOURCE /* sched_getaffinity, pthread_setattr_default_np */
#include "runtime/observe/log.h"
#include "runtime/threads/pool.h"
#include "tests/child.h"
#include "tests/memory_limit.h"
#include "tests/shared_case.h"
#include "tools/harness/entry.h"

#include <check.h>
#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

Suite *suite_pool(void);

/* ---- several callers ---- */

/* Calls again and again until it is stopped. */
typedef struct caller {
    aic_context *context;
    const verify_case *c;
    atomic_bool *stop;
    int rounds, wrong;
    pthread_t thread;
} caller;

static void *call_often(void *argument)
{
    caller *own = argument;
    const verify_case *c = own->c;
    const size_t bytes = c->content[c->output].size;
    void *operands[AIC_OPERANDS_MAX], *output = malloc(bytes);
    for (size_t i = 0; i < c->count; i++) {
        operands[i] = i == c->output ? output : c->content[i].data;
    }
    for (int i = 0; own->stop != NULL ? !atomic_load(own->stop) : i < own->rounds; i++) {
        memcpy(output, c->content[c->output].data, bytes);
        const aic_status status = entry_jit(own->context, c->spec, operands, c->count);
        own->wrong += status != AIC_OK || memcmp(output, c->expected.data, bytes) != 0;
    }
    free(output);
    return NULL;
}

START_TEST(concurrent_callers)
{
    enum { CALLERS = 4, ROUNDS = 40 };
    static const int rows[CALLERS] = {0, 2, 11, 12};
    verify_case c[CALLERS];
    caller callers[CALLERS];
    aic_context *context = shared_context(3, NULL);
    for (int i = 0; i < CALLERS; i++) {
        shared_case_open(&c[i], SHARED_ROW[rows[i]]);
        callers[i] = (caller){.context = context, .c = &c[i], .rounds = ROUNDS};
    }
    for (int i = 0; i < CALLERS; i++) {
        ck_assert_int_eq(pthread_create(&callers[i].thread, NULL, call_often, &callers[i]), 0);
    }
    for (int i = 0; i < CALLERS; i++) {
        pthread_join(callers[i].thread, NULL);
        ck_assert_int_eq(callers[i].wrong, 0);
        verify_close(&c[i]);
    }
    aic_context_destroy(context);
}
END_TEST

/* As many threads work as one caller would use. */
START_TEST(no_more_threads_than_one_caller)
{
    aic_processors processors = {.count = 4};
    const aic_pool_wish wish = {.threads = 4, .processors = &processors};
    aic_pool_turn turn[4];
    aic_pool_enter(&turn[0], &wish);
    ck_assert_int_eq(turn[0].workers, 4);
    for (size_t worker = 0; worker < 4; worker++) {
        ck_assert(!aic_pool_is_crowded(worker, wish.threads));
    }
    for (int callers = 1; callers < 4; callers++) {
        aic_pool_enter(&turn[callers], &wish);
        ck_assert_int_eq(turn[callers].workers, 1);
        for (int worker = 0; worker < 4; worker++) {
            ck_assert_int_eq(aic_pool_is_crowded((size_t)worker, wish.threads), worker > 0 && worker + callers >= 4);
        }
    }
    aic_pool_leave(&turn[0]);
    aic_pool_leave(&turn[1]);
    aic_pool_enter(&turn[0], &wish); /* two others are there, which do without the pool */
    ck_assert_int_eq(turn[0].workers, 2);
    for (int i = 0; i < 4; i++) {
        if (i != 1) {
            aic_pool_leave(&turn[i]);
        }
    }
    aic_pool_enter(&turn[0], &wish);
    ck_assert_int_eq(turn[0].workers, 4);
    aic_pool_leave(&turn[0]);
    ck_assert_int_eq(aic_pool_threads(), 3);
}
END_TEST

/* ---- the pool's threads ---- */

/* What a thread of the pool sees. */
typedef struct meeting {
    pthread_t caller;
    atomic_int arrived;
    int signals_open, processors;
} meeting;

static void meet(void *data, size_t worker)
{
    meeting *m = data;
    cpu_set_t set;
    sigset_t mask;
    (void)worker;
    atomic_fetch_add(&m->arrived, 1);
    while (atomic_load(&m->arrived) < 2) { /* so that no thread runs both */
        sched_yield();
    }
    if (!pthread_equal(pthread_self(), m->caller) && sched_getaffinity(0, sizeof set, &set) == 0) {
        pthread_sigmask(SIG_BLOCK, NULL, &mask);
        m->signals_open = !sigismember(&mask, SIGINT) + !sigismember(&mask, SIGUSR1) + !sigismember(&mask, SIGALRM);
        m->processors = CPU_COUNT(&set);
    }
    atomic_fetch_add(&m->arrived, 1);
}

/* The caller is bound to one processor when the pool is made; its threads are not. */
START_TEST(surroundings_of_the_pool)
{
    aic_processors processors;
    meeting m = {.caller = pthread_self(), .signals_open = -1};
    cpu_set_t one;
    aic_processors_find(&processors);
    const int all = processors.count;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    ck_assert_int_eq(sched_setaffinity(0, sizeof one, &one), 0);
    const aic_pool_wish wish = {.threads = 2, .processors = &processors};
    aic_pool_turn turn;
    aic_pool_enter(&turn, &wish);
    ck_assert_int_eq(turn.workers, 2);
    aic_pool_run(&turn, 2, meet, &m);
    aic_pool_leave(&turn);
    ck_assert_int_eq(atomic_load(&m.arrived), 4);
    ck_assert_int_eq(m.signals_open, 0);
    ck_assert_int_ge(m.processors, all);
}
END_TEST

/* Where no thread can be started calls stay on the calling thread. */
START_TEST(no_threads)
{
    verify_case c;
    aic_context *context = shared_context(3, NULL);
    shared_case_open(&c, SHARED_ROW[12]);
    aic_pool_suppose(AIC_POOL_NONE);
    shared_check(context, &c, NULL);
    ck_assert_int_eq(aic_pool_threads(), 0);
    verify_close(&c);
    aic_context_destroy(context);
}
END_TEST

#ifndef AIC_SANITIZED /* sanitizers reserve more address space than any limit leaves */

/* Threads of this process. Those that are just ending are waited for. */
static int count_threads(int expected)
{
    int count = 0;
    for (int tries = 0; tries < 1000 && count != expected; tries++) {
        DIR *tasks = opendir("/proc/self/task");
        ck_assert_ptr_nonnull(tasks);
        count = 0;
        for (const struct dirent *entry; (entry = readdir(tasks)) != NULL;) {
            count += entry->d_name[0] != '.';
        }
        closedir(tasks);
        usleep(count != expected ? 1000 : 0);
    }
    return count;
}

/* There is address space for some of the threads, whatever stacks the user's limit gives them: none stays. */
START_TEST(too_few_threads)
{
    verify_case c;
    pthread_attr_t usual, attributes;
    ck_assert_int_eq(pthread_getattr_default_np(&usual), 0);
    ck_assert_int_eq(pthread_getattr_default_np(&attributes), 0);
    ck_assert_int_eq(pthread_attr_setstacksize(&attributes, 8 << 20), 0);
    ck_assert_int_eq(pthread_setattr_default_np(&attributes), 0);
    aic_context *context = shared_context(64, NULL), *few = shared_context(2, NULL);
    shared_case_open(&c, SHARED_ROW[12]);
    void *output = malloc(c.content[c.output].size), *operands[AIC_OPERANDS_MAX] = {NULL};
    ck_assert_ptr_nonnull(output);
    for (size_t i = 0; i < c.count; i++) {
        operands[i] = i == c.output ? output : c.content[i].data;
    }
    aic_kernel *kernel = shared_kernel(context, &c);
    struct rlimit old = memory_limit_to(100 << 20);
    const aic_status status = aic_kernel_call(kernel, operands, c.count);
    const int threads = aic_pool_threads();
    ck_assert_int_eq(setrlimit(RLIMIT_AS, &old), 0);
    ck_assert_msg(status == AIC_OK, "%s", aic_last_error());
    ck_assert_int_eq(memcmp(output, c.expected.data, c.content[c.output].size), 0);
    ck_assert_int_eq(threads, 0);
    ck_assert_int_eq(count_threads(1), 1);
    shared_check(few, &c, NULL); /* fewer can be had */
    ck_assert_int_eq(aic_pool_threads(), 1);
    aic_kernel_destroy(kernel);
    free(output);
    verify_close(&c);
    aic_context_destroy(few);
    aic_context_destroy(context);
    ck_assert_int_eq(pthread_setattr_default_np(&usual), 0);
    ck_assert_int_eq(pthread_attr_destroy(&attributes), 0);
    ck_assert_int_eq(pthread_attr_destroy(&usual), 0);
}
END_TEST

/* There is memory for one worker, not for all: one does the work. */
START_TEST(memory_for_one_worker)
{
    verify_case c;
    aic_context *context = shared_context(1024, NULL);
    shared_case_open(&c, SHARED_ROW[0]);
    void *output = malloc(c.content[c.output].size), *operands[AIC_OPERANDS_MAX] = {NULL};
    ck_assert_ptr_nonnull(output);
    for (size_t i = 0; i < c.count; i++) {
        operands[i] = i == c.output ? output : c.content[i].data;
    }
    aic_pool_suppose(AIC_POOL_NONE);
    aic_kernel *kernel = shared_kernel(context, &c);
    struct rlimit old = memory_limit_to(4 << 20);
    const aic_status status = aic_kernel_call(kernel, operands, c.count);
    ck_assert_int_eq(setrlimit(RLIMIT_AS, &old), 0);
    ck_assert_msg(status == AIC_OK, "%s", aic_last_error());
    ck_assert_int_eq(memcmp(output, c.expected.data, c.content[c.output].size), 0);
    aic_kernel_destroy(kernel);
    free(output);
    verify_close(&c);
    aic_context_destroy(context);
}
END_TEST

/* Where a quota pays for the time, no thread of the pool waits for work by turning. */
START_TEST(quotas_do_not_pay_for_waiting)
{
    aic_processors processors = {.count = 2};
    const aic_pool_wish wish = {.threads = 2, .processors = &processors};
    aic_pool_sleep_at_once(false);
    for (int quota = 0; quota < 2; quota++) {
        aic_pool_turn turn;
        processors.quota = quota == 1;
        aic_pool_enter(&turn, &wish);
        ck_assert(turn.holds && turn.spins == !processors.quota);
        aic_pool_leave(&turn);
    }
}
END_TEST

/* A call that took much longer than one thread would have: the pool is left alone, or, where tests use it all the same,
 * its threads sleep. */
START_TEST(late_threads_do_not_spin)
{
    const aic_processors processors = {.count = 2};
    const aic_pool_wish wish = {.threads = 2, .processors = &processors};
    const uint64_t long_ago = aic_log_now() - UINT64_C(1000000000000);
    aic_pool_sleep_at_once(false);
    for (int late = 0; late < 2; late++) {
        for (aic_pool_mode mode = AIC_POOL_USUAL; mode <= AIC_POOL_ALWAYS; mode += AIC_POOL_ALWAYS) {
            aic_pool_turn turn;
            aic_pool_suppose(mode);
            aic_pool_enter(&turn, &wish);
            ck_assert_int_eq(turn.workers, late == 1 && mode == AIC_POOL_USUAL ? 1 : 2);
            ck_assert_int_eq(turn.spins, late == 0);
            aic_pool_leave(&turn);
        }
        aic_pool_report(2, long_ago, long_ago);
    }
}
END_TEST

/* Fresh threads may begin late, as where their maker runs: the pool is not left alone for that, unless it takes long.
 */
START_TEST(late_begin_is_forgiven)
{
    enum { LATE = 2 * 1000 * 1000, LONG = 20 * 1000 * 1000 };
    const aic_processors processors = {.count = 2};
    const aic_pool_wish wish = {.threads = 2, .processors = &processors};
    aic_pool_turn turn;
    aic_pool_suppose(AIC_POOL_USUAL);
    aic_pool_enter(&turn, &wish);
    aic_pool_leave(&turn);
    const uint64_t began = aic_log_now() - LATE;
    aic_pool_report(2, began, began);
    const uint64_t lost = aic_log_now() - began; /* more on a busy machine */
    aic_pool_enter(&turn, &wish);
    ck_assert(turn.workers == 2 || lost > LONG);
    aic_pool_leave(&turn);
    for (int again = 0; again < LONG / LATE; again++) {
        const uint64_t then = aic_log_now() - LATE;
        aic_pool_report(2, then, then);
    }
    aic_pool_enter(&turn, &wish);
    ck_assert(turn.workers == 1 || aic_log_now() - began > 2 * (uint64_t)LONG);
    aic_pool_leave(&turn);
}
END_TEST

/* ---- forks ---- */

/* A child has none of the pool's threads, and gets some. */
static void call_in_child(void *argument)
{
    caller *own = argument;
    child_expect(aic_pool_threads() == 0, "the child has the parent's pool");
    own->rounds = 3;
    own->stop = NULL;
    own->wrong = 0;
    call_often(own);
    child_expect(own->wrong == 0, "a shared call in the child");
    child_expect(aic_pool_threads() == 1, "the child has no pool");
}

START_TEST(fork_with_a_pool)
{
    verify_case c;
    aic_context *context = shared_context(2, NULL);
    shared_case_open(&c, SHARED_ROW[0]);
    shared_check(context, &c, NULL);
    ck_assert_int_eq(aic_pool_threads(), 1);
    caller own = {.context = context, .c = &c};
    for (int round = 0; round < 5; round++) {
        ck_assert_str_eq(child_run(call_in_child, &own), "");
        shared_check(context, &c, NULL);
    }
    verify_close(&c);
    aic_context_destroy(context);
}
END_TEST

/* Other threads are in the middle of shared calls, or of making the pool. */
START_TEST(fork_in_the_middle)
{
    enum { CALLERS = 2, FORKS = 30 };
    verify_case c;
    caller callers[CALLERS], own;
    atomic_bool stop = false;
    aic_context *context = shared_context(2, NULL);
    shared_case_open(&c, SHARED_ROW[12]);
    aic_kernel *kernel = shared_kernel(context, &c); /* no compilation in the child */
    own = (caller){.context = context, .c = &c};
    for (int i = 0; i < CALLERS; i++) {
        callers[i] = (caller){.context = context, .c = &c, .stop = &stop};
        ck_assert_int_eq(pthread_create(&callers[i].thread, NULL, call_often, &callers[i]), 0);
    }
    for (int i = 0; i < FORKS; i++) {
        ck_assert_str_eq(child_run(call_in_child, &own), "");
    }
    atomic_store(&stop, true);
    for (int i = 0; i < CALLERS; i++) {
        pthread_join(callers[i].thread, NULL);
        ck_assert_int_eq(callers[i].wrong, 0);
    }
    shared_check(context, &c, NULL);
    aic_kernel_destroy(kernel);
    verify_close(&c);
    aic_context_destroy(context);
}
END_TEST

#endif

Suite *suite_pool(void)
{
    Suite *suite = suite_create("pool");
    TCase *cases = tcase_create("pool");
    tcase_set_timeout(cases, 240);
    tcase_add_checked_fixture(cases, shared_begin, shared_end);
    tcase_add_test(cases, concurrent_callers);
    tcase_add_test(cases, no_more_threads_than_one_caller);
    tcase_add_test(cases, surroundings_of_the_pool);
    tcase_add_test(cases, no_threads);
#ifndef AIC_SANITIZED
    tcase_add_test(cases, quotas_do_not_pay_for_waiting);
    tcase_add_test(cases, late_threads_do_not_spin);
    tcase_add_test(cases, late_begin_is_forgiven);
    tcase_add_test(cases, too_few_threads);
    tcase_add_test(cases, memory_for_one_worker);
    tcase_add_test(cases, fork_with_a_pool);
    tcase_add_test(cases, fork_in_the_middle);
#endif
    suite_add_tcase(suite, cases);
    return suite;
}
