/* LLVM's runs and the rest of the process: other threads, handlers of failed allocations, memory that others have,
 * exit(), fork(). */
#include "codegen/llvm/guard.h"
#include "tests/child.h"
#include "tests/guard_case.h"
#include "tests/memory_limit.h"

#include <aic/aic.h>
#include <check.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

Suite *suite_guard_process(void);

/* ---- threads inside ---- */

enum { LONERS = 4, LONER_KIND = AIC_GUARD_KINDS - 2 };

typedef struct loners {
    atomic_int inside, most, runs;
    pthread_barrier_t start;
} loners;

/* Fails until the third run. */
static aic_status stay_a_while(void *argument)
{
    loners *l = argument;
    const int now = atomic_fetch_add(&l->inside, 1) + 1, run = atomic_fetch_add(&l->runs, 1) + 1;
    usleep(2000);
    if (now > atomic_load(&l->most) && run <= 3) {
        atomic_store(&l->most, now);
    }
    atomic_fetch_sub(&l->inside, 1);
    return run < 3 ? AIC_IO : AIC_OK;
}

static void *enter_alone(void *argument)
{
    loners *l = argument;
    pthread_barrier_wait(&l->start);
    aic_guard_run(LONER_KIND, stay_a_while, l);
    return NULL;
}

/* Runs of a kind go one by one until one has succeeded. */
START_TEST(first_of_a_kind)
{
    loners l = {.inside = 0};
    pthread_t thread[LONERS];
    ck_assert_int_eq(pthread_barrier_init(&l.start, NULL, LONERS), 0);
    for (int i = 0; i < LONERS; i++) {
        ck_assert_int_eq(pthread_create(&thread[i], NULL, enter_alone, &l), 0);
    }
    for (int i = 0; i < LONERS; i++) {
        pthread_join(thread[i], NULL);
    }
    pthread_barrier_destroy(&l.start);
    ck_assert_int_eq(atomic_load(&l.runs), LONERS);
    ck_assert_int_eq(atomic_load(&l.most), 1);
}
END_TEST

/* ---- the handlers of the process ---- */

typedef void (*new_handler)(void);
extern new_handler cxx_set_new_handler(new_handler handler) __asm__("_ZSt15set_new_handlerPFvvE") __attribute__((weak));
extern new_handler cxx_get_new_handler(void) __asm__("_ZSt15get_new_handlerv") __attribute__((weak));
extern void *cxx_new(size_t size) __asm__("_Znwm") __attribute__((weak));

static void first_handler(void)
{
    _exit(0);
}

static void second_handler(void)
{
    _exit(3);
}

static aic_status look_for_handler(void *argument)
{
    *(new_handler *)argument = cxx_get_new_handler();
    return AIC_OK;
}

static aic_status replace_handler(void *argument)
{
    *(new_handler *)argument = cxx_set_new_handler(second_handler);
    return AIC_OK;
}

/* The host's handler of failed allocations is put aside only while somebody is inside; one that it sets meanwhile
 * stays, and when it puts back ours, which it had found, nothing goes round in circles. */
START_TEST(new_handler_of_the_host)
{
    new_handler ours = NULL;
    cxx_set_new_handler(first_handler);
    ck_assert_int_eq(aic_guard_run(GUARD_KIND, look_for_handler, &ours), AIC_OK);
    ck_assert(ours != first_handler && ours != NULL);
    ck_assert(cxx_get_new_handler() == first_handler);
    ck_assert_int_eq(guard_fail_to_select(), AIC_COMPILE);
    ck_assert(cxx_get_new_handler() == first_handler);
    new_handler found = NULL;
    ck_assert_int_eq(aic_guard_run(GUARD_KIND, replace_handler, &found), AIC_OK);
    ck_assert(found == ours);
    ck_assert(cxx_get_new_handler() == second_handler);
    cxx_set_new_handler(ours);
    ck_assert_int_eq(aic_guard_run(GUARD_KIND, look_for_handler, &found), AIC_OK);
    ck_assert(found == ours);
    ck_assert(cxx_get_new_handler() == first_handler);
    cxx_set_new_handler(NULL);
}
END_TEST

#ifndef AIC_SANITIZED /* sanitizers end the process when an allocation fails, and reserve more than any limit leaves   \
                       */

static void *fail_to_allocate(void *unused)
{
    (void)unused;
    return cxx_new(SIZE_MAX / 4); /* calls the handler, which ends the process */
}

static aic_status let_another_thread_fail(void *unused)
{
    pthread_t thread;
    child_expect(pthread_create(&thread, NULL, fail_to_allocate, unused) == 0, "thread");
    pthread_join(thread, NULL);
    return AIC_INTERNAL;
}

static void fail_outside(void *unused)
{
    cxx_set_new_handler(first_handler);
    child_expect(aic_guard_run(GUARD_KIND, let_another_thread_fail, unused) == AIC_OK, "not the host's handler");
}

/* A thread of the host whose allocation fails while another is inside gets the host's handler. */
START_TEST(allocation_outside)
{
    ck_assert_str_eq(child_run(fail_outside, NULL), "");
}
END_TEST

extern const char cxx_nothrow __asm__("_ZSt7nothrow") __attribute__((weak));
extern void *cxx_new_nothrow(size_t size, const char *nothrow) __asm__("_ZnwmRKSt9nothrow_t") __attribute__((weak));

static void *allocate_too_much(void *result)
{
    *(void **)result = cxx_new_nothrow(SIZE_MAX / 4, &cxx_nothrow);
    return NULL;
}

static aic_status let_another_thread_allocate(void *result)
{
    pthread_t thread;
    child_expect(pthread_create(&thread, NULL, allocate_too_much, result) == 0, "thread");
    pthread_join(thread, NULL);
    return AIC_OK;
}

static void allocate_outside(void *unused)
{
    void *result = unused;
    cxx_set_new_handler(NULL);
    child_expect(aic_guard_run(GUARD_KIND, let_another_thread_allocate, &result) == AIC_OK, "the run");
    child_expect(result == NULL, "memory that there is not");
}

/* Without a handler of the host's it gets the exception that C++ throws then, which this operator catches. */
START_TEST(exception_outside)
{
    int there;
    ck_assert_str_eq(child_run(allocate_outside, &there), "");
}
END_TEST

/* ---- waiting for memory ---- */

typedef struct need {
    pthread_barrier_t scarce;
    aic_status status;
} need;

static aic_status succeed_at_once(void *unused)
{
    (void)unused;
    return AIC_OK;
}

static void *run_in_need(void *argument)
{
    need *n = argument;
    child_expect(aic_guard_run(GUARD_KIND, succeed_at_once, NULL) == AIC_OK, "a run with memory");
    pthread_barrier_wait(&n->scarce);
    pthread_barrier_wait(&n->scarce);
    n->status = aic_guard_run(GUARD_KIND, succeed_at_once, NULL);
    return NULL;
}

/* Leaves no memory for another run, for a while. */
static aic_status take_all_memory(void *argument)
{
    need *n = argument;
    const struct rlimit before = memory_limit_to(1 << 20);
    pthread_barrier_wait(&n->scarce);
    usleep(100000);
    setrlimit(RLIMIT_AS, &before);
    return AIC_OK;
}

static void wait_for_memory(void *unused)
{
    (void)unused;
    need n = {.status = AIC_INTERNAL};
    pthread_t thread;
    child_expect(pthread_barrier_init(&n.scarce, NULL, 2) == 0, "barrier");
    child_expect(pthread_create(&thread, NULL, run_in_need, &n) == 0, "thread");
    pthread_barrier_wait(&n.scarce);
    child_expect(aic_guard_run(GUARD_KIND, take_all_memory, &n) == AIC_OK, "the other run");
    pthread_join(thread, NULL);
    child_expect(n.status == AIC_OK, "a run that has waited for memory");
}

/* A run that finds no memory while others are inside waits for what they give back. */
START_TEST(memory_of_others)
{
    ck_assert_str_eq(child_run(wait_for_memory, NULL), "");
}
END_TEST

#endif

/* ---- exit ---- */

enum { MILLISECONDS_INSIDE = 300 };

static atomic_bool made, destroyed;

static aic_status succeed(void *unused)
{
    (void)unused;
    return AIC_OK;
}

static void destroy_global(void)
{
    atomic_store(&destroyed, true);
}

/* Makes a global that no run before needed, as LLVM does with some tables, and stays inside with it. */
static aic_status make_global(void *unused)
{
    (void)unused;
    child_expect(atexit(destroy_global) == 0, "atexit");
    atomic_store(&made, true);
    for (int i = 0; i < MILLISECONDS_INSIDE; i++) {
        usleep(1000);
        child_expect(!atomic_load(&destroyed), "the global is gone and its user is inside");
    }
    return AIC_OK;
}

static void *run_again(void *unused)
{
    aic_guard_run(GUARD_KIND, make_global, unused);
    return NULL;
}

static void exit_with_new_global(void *unused)
{
    pthread_t thread;
    child_expect(aic_guard_run(GUARD_KIND, succeed, unused) == AIC_OK, "first run");
    child_expect(pthread_create(&thread, NULL, run_again, unused) == 0, "thread");
    pthread_detach(thread);
    while (!atomic_load(&made)) {
        usleep(1000);
    }
    exit(0);
}

/* exit() waits for a run before it destroys what that run has made, though it is not the first of its kind. */
START_TEST(global_of_a_later_run)
{
    ck_assert_str_eq(child_run(exit_with_new_global, NULL), "");
}
END_TEST

static aic_status exit_here(void *unused)
{
    (void)unused;
    exit(0);
}

static void exit_first(void *unused)
{
    aic_guard_run(GUARD_KIND, exit_here, unused);
}

static void exit_later(void *unused)
{
    child_expect(aic_guard_run(GUARD_KIND, succeed, unused) == AIC_OK, "first run");
    aic_guard_run(GUARD_KIND, exit_here, unused);
}

/* A run that ends the process, as LLVM does where nobody stops it, does not wait for itself. */
START_TEST(exit_inside)
{
    ck_assert_str_eq(child_run(exit_first, NULL), "");
    ck_assert_str_eq(child_run(exit_later, NULL), "");
}
END_TEST

/* ---- fork ---- */

static void expect_good(pid_t process)
{
    int status = 0;
    child_expect(process > 0 && waitpid(process, &status, 0) == process, "fork");
    child_expect(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child of the child");
}

static aic_status fork_here(void *unused)
{
    (void)unused;
    const pid_t process = fork();
    if (process == 0) {
        _exit(0);
    }
    expect_good(process);
    return AIC_OK;
}

static void fork_twice(void *unused)
{
    child_expect(aic_guard_run(GUARD_KIND, fork_here, unused) == AIC_OK, "first run");
    child_expect(aic_guard_run(GUARD_KIND, fork_here, unused) == AIC_OK, "second run");
}

/* Nor does one that forks. */
START_TEST(fork_inside)
{
    ck_assert_str_eq(child_run(fork_twice, NULL), "");
}
END_TEST

/* Runs of two threads without a pause between them. */
typedef struct relay {
    atomic_int entered;
    atomic_bool ended;
} relay;

/* Stays until another run has entered; or for a while, as none can where a fork waits. */
static aic_status hand_over(void *argument)
{
    relay *r = argument;
    const int own = atomic_fetch_add(&r->entered, 1) + 1;
    for (int i = 0; i < MILLISECONDS_INSIDE && atomic_load(&r->entered) == own; i++) {
        usleep(1000);
    }
    return AIC_OK;
}

static void *run_on(void *argument)
{
    relay *r = argument;
    while (!atomic_load(&r->ended)) {
        aic_guard_run(GUARD_KIND, hand_over, r);
    }
    return NULL;
}

static void fork_between_runs(void *unused)
{
    relay r = {.entered = 0};
    pthread_t thread[2];
    child_expect(aic_guard_run(GUARD_KIND, succeed, unused) == AIC_OK, "first run");
    for (int i = 0; i < 2; i++) {
        child_expect(pthread_create(&thread[i], NULL, run_on, &r) == 0, "thread");
    }
    while (atomic_load(&r.entered) < 4) {
        usleep(1000);
    }
    const pid_t process = fork();
    if (process == 0) {
        _exit(aic_guard_run(GUARD_KIND, succeed, unused) == AIC_OK ? 0 : 1);
    }
    expect_good(process);
    atomic_store(&r.ended, true);
    for (int i = 0; i < 2; i++) {
        pthread_join(thread[i], NULL);
    }
}

/* A fork need not wait for more runs than are inside when it comes. */
START_TEST(fork_comes_first)
{
    ck_assert_str_eq(child_run(fork_between_runs, NULL), "");
}
END_TEST

Suite *suite_guard_process(void)
{
    Suite *suite = suite_create("guard_process");
    TCase *runs = tcase_create("runs");
    tcase_set_timeout(runs, 60);
    tcase_add_test(runs, exit_inside);
    tcase_add_test(runs, fork_inside);
    tcase_add_test(runs, fork_comes_first);
    tcase_add_test(runs, first_of_a_kind);
    tcase_add_test(runs, new_handler_of_the_host);
    tcase_add_test(runs, global_of_a_later_run);
#ifndef AIC_SANITIZED
    tcase_add_test(runs, allocation_outside);
    tcase_add_test(runs, exception_outside);
    tcase_add_test(runs, memory_of_others);
#endif
    suite_add_tcase(suite, runs);
    return suite;
}
