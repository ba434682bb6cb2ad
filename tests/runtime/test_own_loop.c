/* A caller's own parallel loop, in the place of the pool: any order, on any thread, nested; loops that do not do what
 * they should. */
#include "frontend/random/rng.h"
#include "runtime/threads/pool.h"
#include "tests/shared_case.h"
#include "tools/harness/entry.h"

#include <check.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

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
    ck_assert_int_eq(aic_context_threads(context), LOOP_THREADS);
    shared_check(context, &c, expected);
    aic_kernel *kernel = shared_kernel(context, &c);
    if (shared_threads(kernel) > 1) { /* a phase or more in every call */
        ck_assert_int_ge(atomic_load(&l.calls), SHARED_WAYS);
        ck_assert_int_gt(atomic_load(&l.elsewhere), 0);
    }
    aic_kernel_destroy(kernel);
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
    ck_assert_int_eq(entry_jit(context, c->spec, operands, c->count), AIC_INVALID_ARGUMENT);
    ck_assert_msg(strstr(aic_last_error(), part) != NULL, "%s", aic_last_error());
    free(output);
}

START_TEST(wrong_loops)
{
    static misuse rows[] = {
        {.skip = 1, .message = "tensor_arithmetic: parallel_for: did not do each of the items 0.."},
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

/* ---- which items ---- */

/* Cuts the items into ranges and does them in any order; then perhaps does one twice in the place of another that is as
 * long, or moves an end between two. */
typedef struct cutter {
    uint64_t state;
    bool wrong; /* the last loop did not do each item once */
} cutter;

static uint64_t draw(cutter *c, uint64_t below)
{
    return (uint64_t)aic_rng_range(&c->state, 0, (int64_t)below - 1);
}

enum { RANGES = 6 };

typedef struct range {
    int64_t begin, end;
} range;

/* Cuts ranges of random lengths, some of them empty. */
static void cut(cutter *c, int64_t items, range list[RANGES])
{
    int64_t begin = 0;
    for (int i = 0; i < RANGES; i++) {
        const int64_t left = items - begin, most = left / 2 + 1;
        const int64_t end = i + 1 == RANGES ? items : begin + (int64_t)draw(c, (uint64_t)most);
        list[i] = (range){begin, end};
        begin = end;
    }
    for (int i = RANGES - 1; i > 0; i--) {
        const int other = (int)draw(c, (uint64_t)i + 1);
        const range kept = list[i];
        list[i] = list[other];
        list[other] = kept;
    }
}

static void cut_and_do(void *user, int64_t items, int workers, aic_parallel_body body, void *data)
{
    cutter *c = user;
    range list[RANGES];
    cut(c, items, list);
    range *one = &list[draw(c, RANGES)], *other = &list[draw(c, RANGES)];
    switch (draw(c, 4)) {
    case 0: /* twice, and as many left out: the number of items is right */
        if (one->begin != other->begin && one->end - one->begin == other->end - other->begin && one->begin < one->end) {
            *one = *other;
            c->wrong = true;
        } else if (one->end - one->begin >= 2) {
            body(data, one->begin, one->begin + 1, 0);
            one->end--;
            c->wrong = true;
        }
        break;
    case 1: /* one item is left out */
        c->wrong |= one->begin < one->end;
        one->begin += one->begin < one->end;
        break;
    case 2: /* one is done once more */
        body(data, 0, 1, 0);
        c->wrong = true;
        break;
    default:
        break;
    }
    for (int i = 0; i < RANGES; i++) {
        body(data, list[i].begin, list[i].end, (int)draw(c, (uint64_t)workers));
    }
}

static aic_status call_into(aic_context *context, const verify_case *c, void *output)
{
    void *operands[AIC_OPERANDS_MAX];
    for (size_t i = 0; i < c->count; i++) {
        operands[i] = i == c->output ? output : c->content[i].data;
    }
    return entry_jit(context, c->spec, operands, c->count);
}

/* Loops that do each item once are right whatever their ranges are, and all others are refused, also those that do as
 * many items as there are. */
START_TEST(each_item_once)
{
    enum { ROUNDS = 200 };
    cutter cuts = {.state = 1};
    verify_case c;
    shared_case_open(&c, SHARED_ROW[12]);
    const size_t bytes = c.content[c.output].size;
    aic_context *context = context_by(cut_and_do, &cuts), *alone = shared_context(1, NULL);
    void *expected = shared_output(alone, &c, SHARED_BY_JIT), *output = malloc(bytes);
    int right = 0;
    for (int round = 0; round < ROUNDS; round++) {
        cuts.wrong = false;
        memset(output, 0xA5, bytes);
        const aic_status status = call_into(context, &c, output);
        ck_assert_msg(status == (cuts.wrong ? AIC_INVALID_ARGUMENT : AIC_OK), "round %d: status %d", round, status);
        if (cuts.wrong) {
            ck_assert_msg(
                strstr(aic_last_error(), "tensor_arithmetic: parallel_for: did not do each of the items 0..") != NULL,
                "%s", aic_last_error());
        } else {
            ck_assert_int_eq(memcmp(output, expected, bytes), 0);
            right++;
        }
    }
    ck_assert_int_gt(right, ROUNDS / 10);
    ck_assert_int_lt(right, ROUNDS * 9 / 10);
    free(output);
    free(expected);
    verify_close(&c);
    aic_context_destroy(alone);
    aic_context_destroy(context);
}
END_TEST

/* ---- bodies that come late ---- */

/* Keeps what it was given the first time, and calls that again when it is used a second time. */
typedef struct keeper {
    aic_parallel_body body;
    void *data;
    int64_t items;
} keeper;

static void keep_and_do(void *user, int64_t items, int workers, aic_parallel_body body, void *data)
{
    keeper *k = user;
    (void)workers;
    if (k->body != NULL) {
        k->body(k->data, 0, k->items, 0);
    }
    body(data, 0, items, 0);
    *k = (keeper){body, data, items};
}

/* A body of a loop that is over does nothing, whether or not another loop is under way by then. */
START_TEST(late_bodies)
{
    keeper k = {.body = NULL};
    verify_case c;
    shared_case_open(&c, SHARED_ROW[12]);
    const size_t bytes = c.content[c.output].size;
    aic_context *context = context_by(keep_and_do, &k);
    void *expected = malloc(bytes), *output = malloc(bytes);
    ck_assert_int_eq(call_into(context, &c, expected), AIC_OK);
    memset(output, 0xA5, bytes);
    void *untouched = malloc(bytes);
    memcpy(untouched, output, bytes);
    ck_assert_ptr_nonnull(k.body);
    k.body(k.data, 0, k.items, 0);
    ck_assert_int_eq(memcmp(output, untouched, bytes), 0);
    for (int round = 0; round < 3; round++) {
        memset(output, 0xA5, bytes);
        ck_assert_int_eq(call_into(context, &c, output), AIC_OK);
        ck_assert_int_eq(memcmp(output, expected, bytes), 0);
    }
    free(untouched);
    free(output);
    free(expected);
    verify_close(&c);
    aic_context_destroy(context);
}
END_TEST

/* A loop that returns while a thread of it may be in a body. */
typedef struct deserter {
    pthread_t thread;
    int64_t items;
    aic_parallel_body body;
    void *data;
    atomic_bool begun;
} deserter;

static void *do_all(void *argument)
{
    deserter *d = argument;
    atomic_store(&d->begun, true);
    d->body(d->data, 0, d->items, 1);
    return NULL;
}

static void desert(void *user, int64_t items, int workers, aic_parallel_body body, void *data)
{
    deserter *d = user;
    (void)workers;
    d->items = items;
    d->body = body;
    d->data = data;
    atomic_store(&d->begun, false);
    ck_assert_int_eq(pthread_create(&d->thread, NULL, do_all, d), 0);
    while (!atomic_load(&d->begun)) {
        sched_yield();
    }
}

/* The call waits for the body, or has closed the door before it came: nothing is written when the call has returned. */
START_TEST(loop_that_does_not_wait)
{
    enum { ROUNDS = 100 };
    deserter d = {.items = 0};
    verify_case c;
    shared_case_open(&c, SHARED_ROW[12]);
    const size_t bytes = c.content[c.output].size;
    aic_context *context = context_by(desert, &d), *alone = shared_context(1, NULL);
    void *expected = shared_output(alone, &c, SHARED_BY_JIT), *output = malloc(bytes), *seen = malloc(bytes);
    for (int round = 0; round < ROUNDS; round++) {
        memset(output, 0xA5, bytes);
        const aic_status status = call_into(context, &c, output);
        memcpy(seen, output, bytes);
        ck_assert_msg(status == AIC_OK || status == AIC_INVALID_ARGUMENT, "status %d", status);
        ck_assert(status != AIC_OK || memcmp(output, expected, bytes) == 0);
        pthread_join(d.thread, NULL);
        ck_assert_int_eq(memcmp(output, seen, bytes), 0);
    }
    free(seen);
    free(output);
    free(expected);
    verify_close(&c);
    aic_context_destroy(alone);
    aic_context_destroy(context);
}
END_TEST

/* ---- fork ---- */

/* Loops on the calling thread: one that waits until it may go on, and one that forks. */
typedef struct waiter {
    atomic_bool inside, go;
} waiter;

static void wait_and_do(void *user, int64_t items, int workers, aic_parallel_body body, void *data)
{
    waiter *w = user;
    (void)workers;
    atomic_store(&w->inside, true);
    while (!atomic_load(&w->go)) {
        sched_yield();
    }
    body(data, 0, items, 0);
}

static void fork_and_do(void *user, int64_t items, int workers, aic_parallel_body body, void *data)
{
    pid_t *child = user;
    (void)workers;
    if (*child == -1) {
        *child = fork();
    }
    body(data, 0, items, 0);
}

typedef struct waiting {
    aic_context *context;
    const verify_case *c;
    void *output;
    aic_status status;
} waiting;

static void *call_and_wait(void *argument)
{
    waiting *w = argument;
    w->status = call_into(w->context, w->c, w->output);
    return NULL;
}

/* A child that is forked inside of a loop ends that call as its parent does, and makes others; the loop that another
 * thread was in is not the child's. */
START_TEST(forked_in_a_loop)
{
    waiter hold = {.inside = false};
    pid_t child = -1;
    int status = -1;
    pthread_t thread;
    verify_case c;
    shared_case_open(&c, SHARED_ROW[12]);
    const size_t bytes = c.content[c.output].size;
    aic_context *context = context_by(fork_and_do, &child);
    waiting other = {context_by(wait_and_do, &hold), &c, malloc(bytes), AIC_INTERNAL};
    aic_kernel *kernel = shared_kernel(context, &c); /* no compilation in the child */
    void *output = malloc(bytes);
    ck_assert_int_eq(pthread_create(&thread, NULL, call_and_wait, &other), 0);
    while (!atomic_load(&hold.inside)) {
        sched_yield();
    }
    bool right = true;
    for (int round = 0; round < 3; round++) {
        memset(output, 0xA5, bytes);
        right = call_into(context, &c, output) == AIC_OK && memcmp(output, c.expected.data, bytes) == 0 && right;
    }
    if (child == 0) {
        _exit(right ? 0 : 1);
    }
    ck_assert_int_gt(child, 0);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    ck_assert(right);
    atomic_store(&hold.go, true);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    ck_assert(other.status == AIC_OK && memcmp(other.output, c.expected.data, bytes) == 0);
    free(output);
    free(other.output);
    verify_close(&c);
    aic_kernel_destroy(kernel);
    aic_context_destroy(other.context);
    aic_context_destroy(context);
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
    tcase_add_test(cases, each_item_once);
    tcase_add_test(cases, late_bodies);
    tcase_add_test(cases, loop_that_does_not_wait);
    tcase_add_test(cases, forked_in_a_loop);
    suite_add_tcase(suite, cases);
    return suite;
}
