/* Memory that runs out while something is compiled, for real: by a limit on the address space. Every call works or says
 * what is missing, and so does every call once the limit is lifted. The whole suite stays out of sanitizers, which
 * reserve more than any limit leaves. */
#include "codegen/llvm/guard.h"
#include "tests/child.h"
#include "tests/conv_case.h"
#include "tests/memory_limit.h"

#include <check.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <llvm-c/Core.h>

Suite *suite_memory(void);

#ifndef AIC_SANITIZED

#define MIB ((rlim_t)1 << 20)

/* Limits above what is in use: fine steps where the first compilation finds its thread, then its reserve, too large. */
static rlim_t limit_of(int step)
{
    return step < 12 ? (rlim_t)step * MIB : (rlim_t)(step - 11) * 16 * MIB;
}

enum { LIMITS = 26 };

static conv_case *example, *earlier;

/* A number of threads from outside would want a pool, whose library may find no room: what these tests are not about.
 */
static void set_up(void)
{
    unsetenv("AIC_NUM_THREADS");
    const aic_conv2d_desc desc = conv_desc(AIC_INT8, 6), other = conv_desc(AIC_FLOAT16, 7);
    example = conv_case_new(&desc);
    earlier = conv_case_new(&other);
}

static void tear_down(void)
{
    conv_case_free(example);
    conv_case_free(earlier);
}

static aic_status call(conv_case *c)
{
    return aic_jit_conv2d(NULL, &c->desc, c->buffer[0], c->buffer[1], c->buffer[2]);
}

static bool is_done(const conv_case *c)
{
    return memcmp(c->buffer[0], c->expected, (size_t)c->operand[0].bytes) == 0;
}

static bool is_untouched(const conv_case *c)
{
    return memcmp(c->buffer[0], c->before, (size_t)c->operand[0].bytes) == 0;
}

static void expect_works(conv_case *c)
{
    conv_case_reset(c);
    child_expect(call(c) == AIC_OK && is_done(c), "a call with enough memory");
}

static void *expect_works_on_thread(void *c)
{
    expect_works(c);
    return NULL;
}

static void on_another_thread(void *(*body)(void *), void *argument)
{
    pthread_t thread;
    child_expect(pthread_create(&thread, NULL, body, argument) == 0, "thread");
    pthread_join(thread, NULL);
}

/* One child: calls with little memory, then with enough, on this thread and on another. */
static void call_under_limit(void *argument)
{
    const int step = *(int *)argument;
    const bool first = step % 2 == 0; /* else the process has compiled before */
    if (!first) {
        expect_works(earlier);
    }
    conv_case_reset(example);
    struct rlimit old = memory_limit_to(limit_of(step / 2));
    const aic_status status = call(example);
    const bool done = is_done(example), untouched = is_untouched(example);
    setrlimit(RLIMIT_AS, &old);
    child_expect(status == AIC_OK || status == AIC_OUT_OF_MEMORY, "status");
    child_expect(status == AIC_OK ? done : untouched, "result");
    on_another_thread(expect_works_on_thread, example);
    expect_works(example);
    expect_works(earlier);
}

START_TEST(limit_is_lifted)
{
    for (int step = 0; step < 2 * LIMITS; step++) {
        const char *end = child_run(call_under_limit, &step);
        ck_assert_msg(end[0] == '\0', "%s, %llu KiB left: %s", step % 2 == 0 ? "first" : "second",
                      (unsigned long long)limit_of(step / 2) >> 10, end);
    }
}
END_TEST

/* ---- several threads ---- */

enum { THREADS = 4 };

typedef struct asker {
    int64_t width;
    aic_status status;
} asker;

static void *request(void *argument)
{
    asker *a = argument;
    const aic_conv2d_desc desc = conv_desc(AIC_INT8, a->width);
    const aic_spec spec = aic_spec_of(AIC_OP_CONV2D, &desc);
    aic_kernel *kernel;
    a->status = aic_kernel_create(NULL, &spec, NULL, &kernel);
    return NULL;
}

/* Threads start before the limit is set, and compile under it. */
static void compile_together(void *argument)
{
    const int step = *(int *)argument;
    asker a[THREADS];
    pthread_t thread[THREADS];
    struct rlimit old = memory_limit_to(limit_of(step) + THREADS * 9 * MIB);
    int started = 0;
    for (int i = 0; i < THREADS; i++) {
        a[i] = (asker){.width = 10 + i, .status = AIC_OUT_OF_MEMORY};
        started += pthread_create(&thread[started], NULL, request, &a[i]) == 0;
    }
    for (int i = 0; i < started; i++) {
        pthread_join(thread[i], NULL);
    }
    setrlimit(RLIMIT_AS, &old);
    for (int i = 0; i < THREADS; i++) {
        child_expect(a[i].status == AIC_OK || a[i].status == AIC_OUT_OF_MEMORY, "status");
    }
    expect_works(example);
}

START_TEST(threads_under_limit)
{
    for (int step = 0; step < LIMITS; step += 3) {
        const char *end = child_run(compile_together, &step);
        ck_assert_msg(end[0] == '\0', "%llu KiB left: %s", (unsigned long long)limit_of(step) >> 10, end);
    }
}
END_TEST

/* ---- memory that runs out inside ---- */

enum { KIND = AIC_GUARD_KINDS - 1 };

extern void *cxx_new(size_t size) __asm__("_Znwm") __attribute__((weak));

typedef struct hog {
    struct rlimit old;
    int blocks; /* of 4 MiB that could be had under a limit of none */
} hog;

static aic_status allocate_blocks(void *argument)
{
    /* Volatile: a compiler that knows the symbol takes it that the result is never NULL. */
    void *(*volatile allocate)(size_t) = cxx_new;
    hog *h = argument;
    h->old = memory_limit_to(0);
    while (allocate(4 * MIB) != NULL) {
        h->blocks++;
    }
    return AIC_INTERNAL;
}

static aic_status fill_context(void *argument)
{
    hog *h = argument;
    h->old = memory_limit_to(0);
    LLVMContextRef context = LLVMContextCreate();
    for (unsigned bits = 1;; bits++) {
        LLVMIntTypeInContext(context, bits % 8000000 + 1);
    }
    return AIC_INTERNAL;
}

static void expect_cannot_compile(conv_case *c)
{
    conv_case_reset(c);
    child_expect(call(c) == AIC_COMPILE, "compiled after all");
    child_expect(strstr(aic_last_error(), "this process cannot compile any more") != NULL, "message");
    child_expect(is_untouched(c), "result");
}

static void *expect_cannot_compile_on_thread(void *c)
{
    expect_cannot_compile(c);
    return NULL;
}

/* The run in which it happens has a message about it, later ones have one that nothing can be compiled any more;
 * kernels go on. */
static void run_out_inside(void *argument)
{
    aic_status (*body)(void *) = *(aic_status(**)(void *))argument;
    hog h = {.blocks = 0};
    expect_works(earlier);
    const aic_status status = aic_guard_run(KIND, body, &h);
    setrlimit(RLIMIT_AS, &h.old);
    child_expect(status == AIC_OUT_OF_MEMORY, "status");
    child_expect(strncmp(aic_last_error(), "LLVM: ", 6) == 0, "message");
    child_expect(body != allocate_blocks || h.blocks > 0, "no emergency block");
    for (int i = 0; i < 2; i++) {
        expect_cannot_compile(example);
        on_another_thread(expect_cannot_compile_on_thread, example);
        expect_works(earlier);
        on_another_thread(expect_works_on_thread, earlier);
    }
    exit(0);
}

START_TEST(out_of_memory_inside)
{
    static aic_status (*const bodies[])(void *) = {allocate_blocks, fill_context};
    aic_status (*body)(void *) = bodies[_i];
    ck_assert_str_eq(child_run(run_out_inside, &body), "");
}
END_TEST

#endif

Suite *suite_memory(void)
{
    Suite *suite = suite_create("memory");
    TCase *tcase = tcase_create("memory");
#ifndef AIC_SANITIZED
    tcase_set_timeout(tcase, 2 * CHILD_SECONDS);
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_test(tcase, limit_is_lifted);
    tcase_add_test(tcase, threads_under_limit);
    tcase_add_loop_test(tcase, out_of_memory_inside, 0, 2);
#endif
    suite_add_tcase(suite, tcase);
    return suite;
}
