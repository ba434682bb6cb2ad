/* Threads that make parts beside the one that makes the kernel: each part is made once, failures are those of the first
 * part, and how many threads a context may have. */
#include "codegen/program.h"
#include "frontend/core/diag.h"
#include "runtime/request/build.h"
#include "tests/context_case.h"

#include <check.h>
#include <pthread.h>
#include <stdatomic.h>

Suite *suite_part_helpers(void);

enum { PARTS = 6 };

/* ---- programs ---- */

typedef struct number_key {
    int64_t number;
} number_key;

static const aic_field FIELDS[] = {AIC_FIELD_ROW(number_key, INT, number, 1, REQUIRED, 0)};
static const aic_record RECORD = {"number", FIELDS, 1};
static const aic_part_kind KIND = {.name = "number", .record = &RECORD, .key_bytes = sizeof(number_key)};

static atomic_int made[PARTS];
static bool fails[PARTS];
static pthread_barrier_t *both; /* where the first parts of two threads are made at the same time; NULL: nobody waits */

/* A piece without bytes. */
static aic_status make(const aic_part_kind *kind, const void *key, const aic_target *target, aic_piece *piece)
{
    static _Thread_local bool waited;
    const int64_t number = ((const number_key *)key)->number;
    (void)kind;
    (void)target;
    *piece = (aic_piece){NULL, 0};
    atomic_fetch_add(&made[number], 1);
    if (both != NULL && !waited) {
        waited = true;
        (void)pthread_barrier_wait(both);
    }
    return fails[number] ? aic_fail(AIC_COMPILE, "part", "number %d", (int)number) : AIC_OK;
}

/* Threads of LLVM's: work apart within such work is on the same one. */
static int entered, depth;

static aic_status apart(aic_status (*body)(void *), void *argument)
{
    entered += depth == 0;
    depth++;
    const aic_status status = body(argument);
    depth--;
    return status;
}

static aic_status refuse(aic_status (*body)(void *), void *argument)
{
    return entered++ == 0 ? body(argument) : aic_fail(AIC_OUT_OF_MEMORY, "apart", "no second thread");
}

static aic_status take_apart(aic_part_helpers helpers,
                             aic_status (*work_apart)(aic_status (*body)(void *), void *argument))
{
    aic_program program = {.status = AIC_OK};
    for (int64_t i = 0; i < PARTS; i++) {
        const number_key key = {i};
        aic_use use;
        aic_use_begin(&use, &program, &KIND, &key);
        (void)aic_program_add(&program, &use, "number_%d", (int)i);
        atomic_store(&made[i], 0);
    }
    ck_assert_int_eq(program.status, AIC_OK);
    const aic_program_sources sources = {
        .target = aic_target_find(AIC_ARCH_X86_64, "avx2"), .make = make, .helpers = helpers, .apart = work_apart};
    const aic_status status = aic_program_take(&program, &sources);
    aic_program_free(&program);
    return status;
}

static aic_status take(aic_part_helpers helpers)
{
    return take_apart(helpers, NULL);
}

/* ---- helpers ---- */

static int begun, ended;
static size_t most_asked;

typedef aic_status beginning(void *user, size_t most, aic_status (*body)(void *), void *argument, void **of);

/* Has it all done before the caller goes on. */
static aic_status begin_at_once(void *user, size_t most, aic_status (*body)(void *), void *argument, void **of)
{
    begun++;
    most_asked = most;
    *of = user;
    (void)body(argument);
    return AIC_OK;
}

static aic_status begin_nothing(void *user, size_t most, aic_status (*body)(void *), void *argument, void **of)
{
    (void)user;
    (void)most;
    (void)body;
    (void)argument;
    (void)of;
    begun++;
    return AIC_OK;
}

static aic_status begin_without_memory(void *user, size_t most, aic_status (*body)(void *), void *argument, void **of)
{
    (void)begin_nothing(user, most, body, argument, of);
    return aic_fail_memory("helpers", 1);
}

static aic_status end(void *of)
{
    (void)of;
    ended++;
    return AIC_OK;
}

static aic_status end_without_memory(void *of)
{
    (void)end(of);
    return aic_fail_memory("helpers", 1);
}

static void set_up(void)
{
    begun = ended = 0;
    both = NULL;
    for (int i = 0; i < PARTS; i++) {
        fails[i] = false;
    }
}

START_TEST(made_once)
{
    static beginning *const begin[] = {NULL, begin_nothing, begin_at_once};
    for (size_t i = 0; i < sizeof begin / sizeof begin[0]; i++) {
        set_up();
        ck_assert_int_eq(take((aic_part_helpers){begin[i], end, &begun}), AIC_OK);
        ck_assert_int_eq(begun, begin[i] != NULL);
        ck_assert_int_eq(ended, begin[i] == begin_at_once);
        for (int part = 0; part < PARTS; part++) {
            ck_assert_int_eq(atomic_load(&made[part]), 1);
        }
    }
    ck_assert_uint_eq(most_asked, PARTS - 1);
    ck_assert_int_eq(take((aic_part_helpers){begin_without_memory, end, NULL}), AIC_OUT_OF_MEMORY);
    ck_assert_int_eq(atomic_load(&made[0]), 0);
    ck_assert_int_eq(take((aic_part_helpers){begin_at_once, end_without_memory, &begun}), AIC_OUT_OF_MEMORY);
}
END_TEST

/* The helper comes to the later of two parts that fail before the earlier one has failed. */
START_TEST(first_failure)
{
    set_up();
    fails[0] = fails[2] = true;
    ck_assert_int_eq(take((aic_part_helpers){begin_at_once, end, &begun}), AIC_COMPILE);
    ck_assert_str_eq(aic_last_error(), "part: number 0");
    ck_assert_int_eq(ended, 1);
    fails[0] = false;
    ck_assert_int_eq(take((aic_part_helpers){begin_at_once, end, &begun}), AIC_COMPILE);
    ck_assert_str_eq(aic_last_error(), "part: number 2");
    ck_assert_int_eq(atomic_load(&made[1]), 1);
    ck_assert_int_eq(atomic_load(&made[3]), 0);
}
END_TEST

/* However many parts are made, LLVM has two threads: one for the first part, one for all others. */
START_TEST(few_threads)
{
    set_up();
    entered = 0;
    ck_assert_int_eq(take_apart((aic_part_helpers){.begin = NULL}, apart), AIC_OK);
    ck_assert_int_eq(entered, 2);
    for (int part = 0; part < PARTS; part++) {
        ck_assert_int_eq(atomic_load(&made[part]), 1);
    }
    entered = 0;
    fails[0] = true;
    ck_assert_int_eq(take_apart((aic_part_helpers){.begin = NULL}, apart), AIC_COMPILE);
    ck_assert_int_eq(entered, 1);
    entered = 0;
    fails[0] = false;
    ck_assert_int_eq(take_apart((aic_part_helpers){.begin = NULL}, refuse), AIC_OUT_OF_MEMORY);
    ck_assert_str_eq(aic_last_error(), "apart: no second thread");
}
END_TEST

/* ---- of a context ---- */

static aic_context *context_of(int threads, aic_parallel_for parallel_for)
{
    aic_context_options options = aic_context_options_init();
    options.threads = threads;
    options.parallel_for = parallel_for;
    return context_new(&options);
}

START_TEST(at_the_same_time)
{
    pthread_barrier_t barrier;
    aic_context *context = context_of(2, NULL);
    set_up();
    ck_assert_int_eq(pthread_barrier_init(&barrier, NULL, 2), 0);
    both = &barrier;
    ck_assert_int_eq(take(aic_helpers_of(context)), AIC_OK);
    for (int part = 0; part < PARTS; part++) {
        ck_assert_int_eq(atomic_load(&made[part]), 1);
    }
    for (int part = 1; part < PARTS; part++) {
        fails[part] = true;
    }
    both = NULL;
    ck_assert_int_eq(take(aic_helpers_of(context)), AIC_COMPILE);
    ck_assert_str_eq(aic_last_error(), "part: number 1");
    pthread_barrier_destroy(&barrier);
    aic_context_destroy(context);
}
END_TEST

static atomic_int called;

static aic_status count(void *unused)
{
    (void)unused;
    atomic_fetch_add(&called, 1);
    return AIC_OK;
}

static int helpers_of(aic_context *context, size_t most)
{
    const aic_part_helpers helpers = aic_helpers_of(context);
    atomic_store(&called, 0);
    void *of = NULL;
    ck_assert_int_eq(helpers.begin(helpers.user, most, count, NULL, &of), AIC_OK);
    if (of != NULL) {
        ck_assert_int_eq(helpers.end(of), AIC_OK);
    }
    aic_context_destroy(context);
    return atomic_load(&called);
}

static void own_loop(void *user, int64_t items, int workers, aic_parallel_body body, void *data)
{
    (void)user;
    (void)workers;
    body(data, 0, items, 0);
}

START_TEST(how_many)
{
    ck_assert_int_eq(helpers_of(context_of(1, NULL), PARTS), 0);
    ck_assert_int_eq(helpers_of(context_of(3, own_loop), PARTS), 0);
    ck_assert_int_eq(helpers_of(context_of(3, NULL), PARTS), 2);
    ck_assert_int_eq(helpers_of(context_of(3, NULL), 1), 1);
    ck_assert_int_eq(helpers_of(context_of(64, NULL), SIZE_MAX), 3);
}
END_TEST

Suite *suite_part_helpers(void)
{
    Suite *suite = suite_create("part_helpers");
    TCase *tcase = tcase_create("helpers");
    tcase_add_test(tcase, made_once);
    tcase_add_test(tcase, first_failure);
    tcase_add_test(tcase, few_threads);
    tcase_add_test(tcase, at_the_same_time);
    tcase_add_test(tcase, how_many);
    suite_add_tcase(suite, tcase);
    return suite;
}
