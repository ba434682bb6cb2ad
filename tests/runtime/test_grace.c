/* Sections in which readers look at what may be removed meanwhile: it is freed when the last one has left. What removes
 * it is in test_evict.c. */
#include "runtime/cache/grace.h"
#include "tests/child.h"

#include <check.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

Suite *suite_grace(void);

typedef struct thing {
    aic_retired retired;
    int value;
} thing;

static atomic_int freed;

static void free_thing(aic_retired *retired)
{
    thing *t = (thing *)retired;
    t->value = -1;
    free(t);
    atomic_fetch_add(&freed, 1);
}

static void retire_one(void)
{
    thing *t = calloc(1, sizeof *t);
    ck_assert_ptr_nonnull(t);
    aic_retire(&t->retired, free_thing);
}

static int freed_by_now(void)
{
    aic_reclaim();
    return atomic_load(&freed);
}

START_TEST(sections)
{
    atomic_store(&freed, 0);
    retire_one();
    ck_assert_int_eq(freed_by_now(), 1); /* nobody is inside */
    aic_presence *outer = aic_grace_enter();
    ck_assert_ptr_eq(aic_presence_get(), outer);
    retire_one();
    ck_assert_int_eq(freed_by_now(), 1);
    aic_presence *inner = aic_grace_enter();
    retire_one();
    aic_grace_leave(inner);
    ck_assert_int_eq(freed_by_now(), 1); /* the outer one goes on */
    aic_grace_leave(outer);
    ck_assert_int_eq(freed_by_now(), 3);
    aic_grace_enter_unknown();
    retire_one();
    ck_assert_int_eq(freed_by_now(), 3);
    aic_grace_leave_unknown();
    ck_assert_int_eq(freed_by_now(), 4);
}
END_TEST

/* A section that begins later holds back nothing of what was retired before. */
START_TEST(later_sections)
{
    atomic_store(&freed, 0);
    aic_presence *p = aic_grace_enter();
    retire_one();
    aic_grace_leave(p);
    p = aic_grace_enter();
    ck_assert_int_eq(freed_by_now(), 1);
    aic_grace_leave(p);
}
END_TEST

static void *end_within_a_section(void *unused)
{
    (void)aic_grace_enter();
    return unused;
}

START_TEST(thread_that_ends_inside)
{
    pthread_t thread;
    atomic_store(&freed, 0);
    for (int i = 0; i < 20; i++) { /* its record goes to the next one */
        ck_assert_int_eq(pthread_create(&thread, NULL, end_within_a_section, NULL), 0);
        pthread_join(thread, NULL);
    }
    retire_one();
    ck_assert_int_eq(freed_by_now(), 1);
}
END_TEST

#if !defined(AIC_SANITIZED) /* ThreadSanitizer ends a child that starts threads when its parent had some */

static atomic_bool inside, leave;

static void *stay_inside(void *unused)
{
    aic_presence *p = aic_grace_enter();
    atomic_store(&inside, true);
    while (!atomic_load(&leave)) {
        usleep(1000);
    }
    aic_grace_leave(p);
    return unused;
}

static void reclaim_in_child(void *unused)
{
    (void)unused;
    aic_reclaim();
    child_expect(atomic_load(&freed) == 1, "the other thread is not here");
}

START_TEST(fork_ends_sections_of_others)
{
    pthread_t thread;
    atomic_store(&freed, 0);
    ck_assert_int_eq(pthread_create(&thread, NULL, stay_inside, NULL), 0);
    while (!atomic_load(&inside)) {
        usleep(1000);
    }
    retire_one();
    ck_assert_int_eq(freed_by_now(), 0);
    ck_assert_str_eq(child_run(reclaim_in_child, NULL), "");
    ck_assert_int_eq(freed_by_now(), 0);
    atomic_store(&leave, true);
    pthread_join(thread, NULL);
    ck_assert_int_eq(freed_by_now(), 1);
}
END_TEST

#endif

Suite *suite_grace(void)
{
    Suite *suite = suite_create("grace");
    TCase *tcase = tcase_create("grace");
    tcase_set_timeout(tcase, 300);
    tcase_add_test(tcase, sections);
    tcase_add_test(tcase, later_sections);
    tcase_add_test(tcase, thread_that_ends_inside);
#if !defined(AIC_SANITIZED)
    tcase_add_test(tcase, fork_ends_sections_of_others);
#endif
    suite_add_tcase(suite, tcase);
    return suite;
}
