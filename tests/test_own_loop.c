/* A caller's own parallel loop, in the place of the pool: any order, on any thread, nested; loops that do not do what
 * they should. */
#include "runtime/pool.h"
#include "tests/shared_case.h"
#include "tools/harness/entry.h"

#include <check.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

Suite *suite_own_loop(void);

enum { LOOP_THREADS = 3 };

/* A parallel loop that does the items one by one from the last to the first, on threads that it starts. */
typedef struct loop {
    atomic_int_fast64_t left; /* items */
    int64_t items;
    aic_parallel_body body;
    void *data;
    atomic_int number; /* of the next thread */
    atomic_int calls, elsewhere;
    pthread_t caller;
    /* What it calls itself, or NULL. */
    aic_context *inner;
    const verify_case *inner_case;
} loop;

static void *run_loop(void *argument)
{
    loop *l = argument;
    const int worker = atomic_fetch_add(&l->number, 1);
    for (int64_t item; (item = atomic_fetch_sub(&l->left, 1) - 1) >= 0;) {
        l->body(l->data, item, item + 1, worker);
        atomic_fetch_add(&l->elsewhere, !pthread_equal(pthread_self(), l->caller));
    }
    return NULL;
}

static void backwards(void *user, int64_t items, int workers, aic_parallel_body body, void *data)
{
    loop *l = user;
    pthread_t threads[LOOP_THREADS];
    ck_assert_int_le(workers, LOOP_THREADS);
    ck_assert_int_gt(workers, 1);
    atomic_fetch_add(&l->calls, 1);
    l->items = items;
    l->body = body;
    l->data = data;
    l->caller = pthread_self();
    atomic_store(&l->left, items);
    atomic_store(&l->number, 0);
    for (int i = 0; i < workers; i++) {
        ck_assert_int_eq(pthread_create(&threads[i], NULL, run_loop, l), 0);
    }
    if (l->inner != NULL) {
        shared_check(l->inner, l->inner_case, NULL);
    }
    for (int i = 0; i < workers; i++) {
        pthread_join(threads[i], NULL);
    }
}

static aic_context *context_by(aic_parallel_for parallel_for, void *data)
{
    aic_context_options options = aic_context_options_init();
    options.threads = LOOP_THREADS;
    options.parallel_for = parallel_for;
    options.parallel_for_data = data;
    return shared_context_of(&options);
}

START_TEST(own_loop)
{
    loop l = {.inner = NULL};
    verify_case c;
    aic_context *context = context_by(backwards, &l), *alone = shared_context(1, NULL);
    shared_case_open(&c, SHARED_ROW[_i]);
    void *expected = shared_output(alone, &c, SHARED_BY_JIT);
    shared_check(context, &c, expected);
    aic_kernel *kernel = shared_kernel(context, &c);
    if (shared_threads(kernel) > 1) { /* a phase or more in every call */
        ck_assert_int_ge(atomic_load(&l.calls), SHARED_WAYS);
        ck_assert_int_gt(atomic_load(&l.elsewhere), 0);
    }
    aic_kernel_release(kernel);
    ck_assert_int_eq(aic_pool_threads(), 0);
    free(expected);
    verify_close(&c);
    aic_context_destroy(alone);
    aic_context_destroy(context);
}
END_TEST

/* The loop itself calls kernels, which use other memory and are not given to the loop once more. */
START_TEST(nested)
{
    loop l = {.inner = NULL};
    verify_case outer, inner;
    aic_context *context = context_by(backwards, &l);
    shared_case_open(&outer, SHARED_ROW[0]);
    shared_case_open(&inner, SHARED_ROW[2]);
    void *output = shared_output(context, &outer, SHARED_BY_HANDLE);
    free(output);
    l.inner = context;
    l.inner_case = &inner;
    const int before = atomic_load(&l.calls);
    shared_check(context, &outer, NULL);
    const int nested_calls = atomic_load(&l.calls) - before;
    l.inner = NULL;
    shared_check(context, &outer, NULL);
    ck_assert_int_eq(atomic_load(&l.calls) - before, 2 * nested_calls);
    verify_close(&inner);
    verify_close(&outer);
    aic_context_destroy(context);
}
END_TEST

/* Loops that do not what they should. */
typedef struct misuse {
    int64_t skip, shift; /* items that are left out; by which ranges are moved */
    int worker;
    const char *message;
} misuse;

static void misusing(void *user, int64_t items, int workers, aic_parallel_body body, void *data)
{
    const misuse *m = user;
    (void)workers;
    body(data, m->skip + m->shift, items + m->shift, m->worker);
}

static void reversed_range(void *user, int64_t items, int workers, aic_parallel_body body, void *data)
{
    (void)user;
    (void)workers;
    body(data, items, 0, 0);
}

static void refuse(aic_context *context, const verify_case *c, const char *part)
{
    void *operands[AIC_OPERANDS_MAX], *output = malloc(c->content[c->output].size);
    for (size_t i = 0; i < c->count; i++) {
        operands[i] = i == c->output ? output : c->content[i].data;
    }
    ck_assert_int_eq(entry_jit(context, &c->spec, operands, c->count), AIC_INVALID_ARGUMENT);
    ck_assert_msg(strstr(aic_last_error(), part) != NULL, "%s", aic_last_error());
    free(output);
}

START_TEST(wrong_loops)
{
    static misuse rows[] = {
        {.skip = 1, .message = "tensor_arithmetic: parallel_for: did "},
        {.shift = 1, .message = "tensor_arithmetic: parallel_for: called its body with items outside 0.."},
        {.shift = -1, .message = "items outside 0.."},
        {.worker = -1, .message = "worker's number outside 0..2 or in use"},
        {.worker = LOOP_THREADS, .message = "worker's number outside 0..2 or in use"},
    };
    verify_case c;
    shared_case_open(&c, SHARED_ROW[12]);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        aic_context *context = context_by(misusing, &rows[i]);
        refuse(context, &c, rows[i].message);
        aic_context_destroy(context);
    }
    aic_context *context = context_by(reversed_range, NULL);
    refuse(context, &c, "items outside 0..");
    aic_context_destroy(context);
    verify_close(&c);
}
END_TEST

Suite *suite_own_loop(void)
{
    Suite *suite = suite_create("own loop");
    TCase *cases = tcase_create("own loop");
    tcase_set_timeout(cases, 240);
    tcase_add_checked_fixture(cases, shared_begin, shared_end);
    tcase_add_loop_test(cases, own_loop, 0, SHARED_ROWS);
    tcase_add_test(cases, nested);
    tcase_add_test(cases, wrong_loops);
    suite_add_tcase(suite, cases);
    return suite;
}
