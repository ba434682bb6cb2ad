/* What the library keeps for a thread: scratch memory that grows and shrinks, messages, and their end. */
#include "frontend/core/diag.h"
#include "runtime/call/scratch.h"
#include "tests/memory_limit.h"
#include <aic/context.h>
#include <aic/rules.h>

#include <check.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

Suite *suite_scratch(void);

enum { LARGE = 1 << 20 }; /* malloc maps blocks of this size by themselves: what was freed cannot be touched */

/* Gets scratch memory and writes all of it. */
static void *get(size_t size)
{
    void *memory = NULL;
    ck_assert_msg(aic_scratch_get(size, &memory) == AIC_OK, "%s", aic_last_error());
    ck_assert_uint_eq((uintptr_t)memory % AIC_SCRATCH_ALIGNMENT, 0);
    if (size > 0) {
        memset(memory, 0x5A, size);
    }
    return memory;
}

static size_t held(void)
{
    return aic_thread_peek()->scratch.size;
}

START_TEST(one_block_grows)
{
    get(0);
    void *first = get(1000);
    ck_assert_ptr_eq(get(10), first);
    ck_assert_ptr_eq(get(0), first);
    get(LARGE);
    ck_assert_uint_ge(held(), LARGE);
    void *none = &none;
    ck_assert_int_eq(aic_scratch_get(SIZE_MAX, &none), AIC_OUT_OF_MEMORY);
#ifndef AIC_SANITIZED /* sanitizers end the process for such a size */
    ck_assert_int_eq(aic_scratch_get(SIZE_MAX / 2, &none), AIC_OUT_OF_MEMORY);
#endif
    get(LARGE); /* and the thread goes on */
}
END_TEST

START_TEST(scratch_grows)
{
    void *memory[3];
    ck_assert_int_eq(aic_scratch_get(0, &memory[0]), AIC_OK);
    for (size_t size = 1; size < (size_t)1 << 22; size = size * 3 + 1) {
        ck_assert_int_eq(aic_scratch_get(size, &memory[0]), AIC_OK);
        ck_assert_uint_eq((uintptr_t)memory[0] % AIC_SCRATCH_ALIGNMENT, 0);
        memset(memory[0], 1, size);
        ck_assert_int_eq(aic_scratch_get(size, &memory[1]), AIC_OK);
        ck_assert_int_eq(aic_scratch_get(size / 2, &memory[2]), AIC_OK);
        ck_assert_ptr_eq(memory[0], memory[1]); /* kept */
        ck_assert_ptr_eq(memory[0], memory[2]); /* never shrinks */
    }
#ifndef AIC_SANITIZED /* an allocation that cannot be had ends a sanitized process */
    ck_assert_int_eq(aic_scratch_get(SIZE_MAX, &memory[1]), AIC_OUT_OF_MEMORY);
    ck_assert_int_eq(aic_scratch_get(SIZE_MAX / 4, &memory[1]), AIC_OUT_OF_MEMORY);
    ck_assert_int_eq(aic_scratch_get(100, &memory[1]), AIC_OK);
    memset(memory[1], 1, 100);
#endif
}
END_TEST

/* A thread gives its block back when it wants, and gets one again; also one that has none. */
START_TEST(trimmed)
{
    aic_thread_trim();
    get(LARGE);
    aic_thread_trim();
    ck_assert_uint_eq(held(), 0);
    aic_thread_trim();
    get(100);
    ck_assert_uint_ge(held(), 100);
    ck_assert_uint_lt(held(), LARGE);
}
END_TEST

/* Calls that need nothing let go of all of it. */
START_TEST(shrinks_to_nothing)
{
    get(LARGE);
    for (int i = 0; i < AIC_SCRATCH_PATIENCE; i++) {
        get(0);
    }
    ck_assert_uint_eq(held(), 0);
    get(100);
}
END_TEST

/* Many calls in a row that need little let go of a large block; one that needs much in between keeps it. */
START_TEST(shrinks)
{
    get(LARGE);
    for (int i = 0; i < AIC_SCRATCH_PATIENCE - 1; i++) {
        get(i == 5 ? 9000 : 100);
    }
    ck_assert_uint_ge(held(), LARGE);
    get(LARGE / 2);
    for (int i = 0; i < AIC_SCRATCH_PATIENCE - 1; i++) {
        get(i == 5 ? 5000 : 0);
    }
    ck_assert_uint_ge(held(), LARGE);
    get(100);
    ck_assert_uint_ge(held(), 5000);
    ck_assert_uint_lt(held(), 9000);
    for (int i = 0; i < 3 * AIC_SCRATCH_PATIENCE; i++) {
        get(1);
    }
    ck_assert_uint_ge(held(), 5000); /* small blocks stay */
    get(LARGE);
    for (int i = 0; i < AIC_SCRATCH_PATIENCE; i++) {
        get(0);
    }
    ck_assert_uint_eq(held(), 0);
    ck_assert_ptr_null(get(0));
}
END_TEST

/* A block that a call has taken is not the one of a call meanwhile; the larger of both stays, and is what the next
 * gets.
 */
START_TEST(taken_by_a_call)
{
    aic_scratch block, again;
    void *first = get(LARGE);
    aic_thread *thread = aic_thread_peek();
    ck_assert(aic_scratch_take(thread, 1000, &block));
    ck_assert_ptr_eq(block.memory, first);
    ck_assert_uint_ge(block.size, LARGE);
    ck_assert_uint_eq(held(), 0);
    void *meanwhile = get(1000);
    ck_assert_ptr_ne(meanwhile, first);
    aic_scratch_give(thread, &block);
    ck_assert_ptr_eq(get(1000), first);
    ck_assert(aic_scratch_take(thread, LARGE, &block));
    ck_assert_ptr_eq(block.memory, first); /* nothing is allocated */
    ck_assert(aic_scratch_take(thread, 2 * LARGE, &again));
    aic_scratch_give(thread, &again);
    aic_scratch_give(thread, &block);
    ck_assert_uint_ge(held(), 2 * LARGE);
    memset(again.memory, 1, 2 * LARGE);
#ifndef AIC_SANITIZED
    ck_assert(!aic_scratch_take(thread, SIZE_MAX / 2, &block));
#endif
}
END_TEST

/* Calls that take the block count, too, for letting go of a large one. */
START_TEST(taken_blocks_shrink)
{
    aic_scratch block;
    get(LARGE);
    aic_thread *thread = aic_thread_peek();
    for (int i = 0; i < AIC_SCRATCH_PATIENCE; i++) {
        ck_assert_uint_ge(held(), LARGE);
        ck_assert(aic_scratch_take(thread, 100, &block));
        aic_scratch_give(thread, &block);
    }
    ck_assert_uint_lt(held(), LARGE);
}
END_TEST

/* ---- the end of a thread ---- */

static pthread_key_t late_key;
static int late_calls;

/* Runs after the library's own destructor, which has freed the thread's block; and again after that of the new one. */
static void call_late(void *rounds)
{
    get(LARGE);
    aic_fail(AIC_IO, "late", "message");
    ck_assert_str_eq(aic_last_error(), "late: message");
    late_calls++;
    if ((uintptr_t)rounds > 1) {
        pthread_setspecific(late_key, (void *)((uintptr_t)rounds - 1));
    }
}

static void *use_and_end(void *unused)
{
    get(LARGE);
    aic_fail(AIC_IO, "early", "message");
    pthread_setspecific(late_key, (void *)(uintptr_t)2);
    return unused;
}

START_TEST(called_by_a_later_destructor)
{
    pthread_t thread;
    ck_assert_int_eq(pthread_key_create(&late_key, call_late), 0);
    ck_assert_uint_gt(late_key, aic_thread_key); /* the C library calls destructors in the order of their keys */
    ck_assert_int_eq(pthread_create(&thread, NULL, use_and_end, NULL), 0);
    pthread_join(thread, NULL);
    ck_assert_int_eq(late_calls, 2);
    pthread_key_delete(late_key);
}
END_TEST

/* ---- messages ---- */

#ifndef AIC_SANITIZED /* sanitizers reserve more address space than any limit leaves */

typedef struct loser {
    pthread_barrier_t ready, go;
    aic_status status;
    bool more; /* is kept, for which there is no memory */
    char before[128], during[128], after[128];
} loser;

/* What is said besides, which needs the same record. */
static void say_more(void)
{
    static const aic_rule rule = {.source = "a page"};
    aic_fail_rule(&rule, 0);
    (void)aic_fail_source(AIC_IO, &rule);
    (void)aic_fail_where(AIC_IO, "where");
    aic_fail_also("another", &rule);
    aic_warn(NULL, "a warning");
}

static void *fail_without_memory(void *argument)
{
    loser *l = argument;
    pthread_barrier_wait(&l->ready);
    pthread_barrier_wait(&l->go);
    strcpy(l->before, aic_last_error());
    l->status = aic_fail(AIC_IO, "loser", "a message");
    say_more();
    l->more = aic_last_error_at(1) != NULL || aic_last_error_rule(0) != NULL || aic_take_warning() != NULL;
    strncpy(l->during, aic_last_error(), sizeof l->during - 1);
    pthread_barrier_wait(&l->ready);
    pthread_barrier_wait(&l->go);
    aic_fail(AIC_IO, "loser", "a message");
    strncpy(l->after, aic_last_error(), sizeof l->after - 1);
    return NULL;
}

/* Where there is no memory for a thread's record its status stands and its message says what is wrong. */
START_TEST(no_memory_for_a_message)
{
    static void *blocks[1 << 16];
    size_t count = 0;
    loser l = {.status = AIC_OK};
    pthread_t thread;
    ck_assert_int_eq(pthread_barrier_init(&l.ready, NULL, 2), 0);
    ck_assert_int_eq(pthread_barrier_init(&l.go, NULL, 2), 0);
    ck_assert_int_eq(pthread_create(&thread, NULL, fail_without_memory, &l), 0);
    pthread_barrier_wait(&l.ready);
    struct rlimit old = memory_limit_to(0);
    for (size_t size = 1 << 20; size >= 16; size /= 2) { /* what malloc still has */
        while (count < sizeof blocks / sizeof blocks[0] && (blocks[count] = malloc(size)) != NULL) {
            count++;
        }
    }
    pthread_barrier_wait(&l.go);
    pthread_barrier_wait(&l.ready);
    setrlimit(RLIMIT_AS, &old);
    pthread_barrier_wait(&l.go);
    pthread_join(thread, NULL);
    while (count > 0) {
        free(blocks[--count]);
    }
    ck_assert_str_eq(l.before, "");
    ck_assert_int_eq(l.status, AIC_IO);
    ck_assert(!l.more);
    ck_assert_str_eq(l.during, "out of memory: there was none for the message of this thread's last failure");
    ck_assert_str_eq(l.after, "loser: a message");
}
END_TEST

#endif

Suite *suite_scratch(void)
{
    Suite *suite = suite_create("scratch");
    TCase *tcase = tcase_create("scratch");
    tcase_add_test(tcase, one_block_grows);
    tcase_add_test(tcase, scratch_grows);
    tcase_add_test(tcase, shrinks);
    tcase_add_test(tcase, shrinks_to_nothing);
    tcase_add_test(tcase, trimmed);
    tcase_add_test(tcase, taken_by_a_call);
    tcase_add_test(tcase, taken_blocks_shrink);
    tcase_add_test(tcase, called_by_a_later_destructor);
#ifndef AIC_SANITIZED
    tcase_add_test(tcase, no_memory_for_a_message);
#endif
    suite_add_tcase(suite, tcase);
    return suite;
}
