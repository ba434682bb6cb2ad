/* What processes do while a thread compiles: they fork and they exit. And kernels afterwards. */
#include "runtime/cache/cache.h"
#include "tests/child.h"
#include "tests/conv_case.h"
#include "tests/specs.h"

#include <check.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

Suite *suite_process(void);

/* ThreadSanitizer ends a child that starts threads when its parent had some; the address sanitizer's allocator takes no
 * care of forks. */
#if !defined(AIC_SANITIZED)
#define FORKS_WITH_THREADS
#endif

/* Pauses between 0 and `limit` microseconds, differing from round to round. */
static void pause_in_round(int round, unsigned limit)
{
    usleep((unsigned)round * 7919u % limit);
}

/* ---- a thread that compiles ---- */

/* Number `number` of many small kernels. */
static aic_conv2d_desc numbered(int64_t number)
{
    aic_conv2d_desc desc = conv_desc(AIC_INT8, 4 + number % 40);
    desc.fm_shape[1] = 4 + number / 40;
    return desc;
}

/* Makes kernel after kernel in a context, until it is stopped or cannot any more. */
typedef struct maker {
    aic_context *context;
    atomic_int number; /* of the kernel that is being made */
    atomic_bool stop;
    aic_status status; /* of the last one */
    pthread_t thread;
} maker;

static aic_status make(aic_context *context, int64_t number)
{
    const aic_conv2d_desc desc = numbered(number);
    const aic_spec spec = aic_spec_of(AIC_OP_CONV2D, &desc);
    aic_kernel *kernel;
    aic_status status = aic_kernel_create(context, &spec, NULL, &kernel);
    if (status == AIC_OK) {
        aic_kernel_destroy(kernel);
    }
    return status;
}

static void *make_many(void *argument)
{
    maker *m = argument;
    while (!atomic_load(&m->stop) && m->status == AIC_OK) {
        m->status = make(m->context, atomic_fetch_add(&m->number, 1) + 1);
    }
    return NULL;
}

static void maker_start(maker *m, aic_context *context)
{
    *m = (maker){.context = context, .number = 10, .status = AIC_OK};
    child_expect(pthread_create(&m->thread, NULL, make_many, m) == 0, "thread");
}

/* ---- fork ---- */

/* A flight whose thread stayed in the parent: the child makes the value itself. */
static void claim_lost_flight(void *argument)
{
    aic_cache *cache = argument;
    const aic_cache_key key = {"key", sizeof "key", 7};
    const aic_cache_entry *entry;
    aic_flight *flight;
    alarm(100);
    child_expect(aic_cache_claim(cache, &key, &entry, &flight) == AIC_OK && flight != NULL, "claim");
    aic_cache_publish(cache, flight, AIC_OK, cache);
    child_expect(aic_cache_find(cache, &key)->value == cache, "find");
}

static void leave_value(void *value)
{
    (void)value;
}

START_TEST(lost_flight)
{
    const aic_cache_key key = {"key", sizeof "key", 7};
    const aic_cache_entry *entry;
    aic_flight *flight;
    aic_cache cache;
    ck_assert_int_eq(aic_cache_init(&cache), AIC_OK);
    ck_assert_int_eq(aic_cache_claim(&cache, &key, &entry, &flight), AIC_OK);
    ck_assert_ptr_nonnull(flight);
    ck_assert_str_eq(child_run(claim_lost_flight, &cache), "");
    ck_assert_ptr_null(aic_cache_find(&cache, &key)); /* here it goes on */
    aic_cache_publish(&cache, flight, AIC_OK, &cache);
    ck_assert_ptr_eq(aic_cache_find(&cache, &key)->value, &cache);
    aic_cache_destroy(&cache, leave_value);
}
END_TEST

#ifdef FORKS_WITH_THREADS

enum { FORKS = 30 };

typedef struct family {
    maker m;
    conv_case *known; /* its kernel is in the cache */
} family;

static void call_known(const family *f)
{
    const conv_case *c = f->known;
    child_expect(aic_jit_conv2d(f->m.context, &c->desc, c->buffer[0], c->buffer[1], c->buffer[2]) == AIC_OK, "call");
    child_expect(memcmp(c->buffer[0], c->expected, (size_t)c->operand[0].bytes) == 0, "result");
}

/* In the child of a fork: kernels that are cached, that nobody has made, and that the parent is just making. */
static void use_in_child(void *argument)
{
    family *f = argument;
    const int number = atomic_load(&f->m.number);
    call_known(f);
    for (int more = -1; more <= 2; more++) {
        child_expect(make(f->m.context, number + more) == AIC_OK, "make");
    }
    child_expect(make(NULL, 1) == AIC_OK, "make in the default context");
    if (number % 2 == 0) {
        exit(0); /* with handlers */
    }
}

static void fork_often(void *argument)
{
    family *f = argument;
    maker_start(&f->m, f->m.context);
    for (int round = 0; round < FORKS; round++) {
        pause_in_round(round, 5000);
        const char *end = child_run(use_in_child, f);
        child_expect(end[0] == '\0', end);
    }
    const int before = atomic_load(&f->m.number);
    call_known(f);
    while (atomic_load(&f->m.number) < before + 2 && f->m.status == AIC_OK) {
        usleep(1000);
    }
    atomic_store(&f->m.stop, true);
    pthread_join(f->m.thread, NULL);
    child_expect(f->m.status == AIC_OK, "the parent's thread");
}

/* Parent and child of a fork in the middle of a compilation both go on. */
START_TEST(fork_while_compiling)
{
    const aic_conv2d_desc desc = conv_desc(AIC_FLOAT16, 6);
    family f = {.known = conv_case_new(&desc)};
    ck_assert_int_eq(aic_context_create(NULL, &f.m.context), AIC_OK);
    ck_assert_int_eq(aic_jit_conv2d(f.m.context, &desc, f.known->buffer[0], f.known->buffer[1], f.known->buffer[2]),
                     AIC_OK);
    ck_assert_str_eq(child_run(fork_often, &f), "");
    aic_context_destroy(f.m.context);
    conv_case_free(f.known);
}
END_TEST

#endif

/* ---- exit ---- */

static void exit_while_compiling(void *argument)
{
    static maker m;
    const int round = *(int *)argument;
    aic_context *context;
    child_expect(aic_context_create(NULL, &context) == AIC_OK, "context");
    if (round % 3 == 0) {
        child_expect(make(context, 0) == AIC_OK, "first kernel");
    }
    maker_start(&m, context);
    pthread_detach(m.thread); /* its end is not waited for */
    pause_in_round(round, 25000);
    exit(0);
}

/* exit() in the middle of a compilation, the process's first or a later one. */
START_TEST(exit_at_any_time)
{
    for (int round = 0; round < 40; round++) {
        const char *end = child_run(exit_while_compiling, &round);
        ck_assert_msg(end[0] == '\0', "round %d: %s", round, end);
    }
}
END_TEST

static aic_kernel *last_kernel;
static conv_case *last_case;

/* A handler of the application's that runs after the library's: kernels can still be called, and none can be made that
 * has code of which the process has none yet. */
static void call_during_exit(void)
{
    conv_case_reset(last_case);
    child_expect(aic_kernel_call(last_kernel, last_case->buffer, CONV_OPERANDS) == AIC_OK, "call");
    child_expect(memcmp(last_case->buffer[0], last_case->expected, (size_t)last_case->operand[0].bytes) == 0, "result");
    static const char *const OTHERS[] = {"tensor_arithmetic(op=BM_MUL, shape=[1,1,4,16])",
                                         "tensor_arithmetic(op=BM_SHIFT, shape=[1,1,4,16])"};
    for (size_t i = 0; i < sizeof OTHERS / sizeof *OTHERS; i++) {
        const aic_spec spec = spec_of(OTHERS[i]);
        aic_kernel *kernel;
        child_expect(aic_kernel_create(NULL, &spec, NULL, &kernel) == AIC_COMPILE, "a kernel was made");
        child_expect(strcmp(aic_last_error(), "LLVM: the process is ending and compiles nothing more") == 0, "message");
    }
    _exit(0);
}

static void exit_with_handler(void *unused)
{
    (void)unused;
    const aic_conv2d_desc desc = conv_desc(AIC_INT8, 6);
    last_case = conv_case_new(&desc);
    child_expect(atexit(call_during_exit) == 0, "atexit");
    child_expect(aic_kernel_create(NULL, &last_case->spec, NULL, &last_kernel) == AIC_OK, "kernel");
    exit(2);
}

START_TEST(calls_during_exit)
{
    ck_assert_str_eq(child_run(exit_with_handler, NULL), "");
}
END_TEST

Suite *suite_process(void)
{
    Suite *suite = suite_create("process");
    TCase *tcase = tcase_create("process");
    tcase_set_timeout(tcase, 2 * CHILD_SECONDS);
    tcase_add_test(tcase, lost_flight);
#ifdef FORKS_WITH_THREADS
    tcase_add_test(tcase, fork_while_compiling);
#endif
    tcase_add_test(tcase, exit_at_any_time);
    tcase_add_test(tcase, calls_during_exit);
    suite_add_tcase(suite, tcase);
    return suite;
}
