/* Compiling needs nothing of the calling thread: neither its stack nor its floating-point environment, signal mask,
 * locale or cancellation. */
#define _GNU_SOURCE /* feenableexcept, pthread_getattr_np */
#include "frontend/core/diag.h"
#include "runtime/generator/worker.h"
#include "tests/conv_case.h"
#include "tests/levels.h"
#include "tests/memory_limit.h"
#include "tests/specs.h"

#include <aic/tool.h>
#include <check.h>
#include <fcntl.h>
#include <fenv.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

Suite *suite_worker(void);

/* ---- the thread itself ---- */

static aic_status fail_and_warn(void *argument)
{
    aic_warn("worker", "a warning of %d", *(int *)argument);
    return aic_fail(AIC_IO, "worker", "failure %d", *(int *)argument);
}

static aic_status succeed(void *argument)
{
    *(int *)argument += 1;
    aic_fail(AIC_COMPILE, "worker", "a failure that was got over");
    return AIC_OK;
}

START_TEST(status_and_messages)
{
    int number = 7;
    ck_assert_int_eq(aic_worker_run(fail_and_warn, &number), AIC_IO);
    ck_assert_str_eq(aic_last_error(), "worker: failure 7");
    const char *warning = aic_take_warning();
    ck_assert_ptr_nonnull(warning);
    ck_assert_str_eq(warning, "worker: a warning of 7");
    ck_assert_int_eq(aic_worker_run(succeed, &number), AIC_OK);
    ck_assert_int_eq(number, 8);
    ck_assert_str_eq(aic_last_error(), "worker: failure 7"); /* still that of the last call that failed */
    ck_assert_ptr_null(aic_take_warning());
}
END_TEST

typedef struct surroundings {
    int signals_open, rounding, traps;
    bool own_locale;
    size_t stack;
} surroundings;

static aic_status look_around(void *argument)
{
    surroundings *s = argument;
    sigset_t mask;
    pthread_attr_t attributes;
    s->rounding = fegetround();
    s->traps = fegetexcept();
    s->own_locale = uselocale((locale_t)0) != LC_GLOBAL_LOCALE;
    pthread_sigmask(SIG_BLOCK, NULL, &mask);
    for (int signal = 1; signal < 32; signal++) { /* the C library keeps 32 and 33 for itself, the emulator SIGILL */
        const bool blockable = signal != SIGKILL && signal != SIGSTOP && signal != SIGILL;
        s->signals_open += blockable && !sigismember(&mask, signal);
    }
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
        pthread_attr_getstacksize(&attributes, &s->stack);
        pthread_attr_destroy(&attributes);
    }
    return AIC_OK;
}

START_TEST(what_the_thread_sees)
{
    surroundings s = {.signals_open = 0};
    fesetround(FE_UPWARD);
    feenableexcept(FE_ALL_EXCEPT);
    aic_status status = aic_worker_run(look_around, &s);
    const int rounding = fegetround(), traps = fegetexcept();
    fesetenv(FE_DFL_ENV);
    ck_assert_int_eq(status, AIC_OK);
    ck_assert_int_eq(s.rounding, FE_TONEAREST);
    ck_assert_int_eq(s.traps, 0);
    ck_assert_int_eq(rounding, FE_UPWARD); /* and the caller keeps its own */
    ck_assert_int_eq(traps, FE_ALL_EXCEPT);
    ck_assert_int_eq(s.signals_open, 0);
    ck_assert(s.own_locale);
    ck_assert_uint_ge(s.stack, (size_t)8 << 20);
}
END_TEST

/* ---- callers ---- */

static const char *const SPECS[] = {
    "conv2d(dtype=int8, fm_shape=[2,5,7,32], kernel_shape=[2,3,3,32,32], pad=[1,1,1,1])",
    "conv2d(dtype=float16, fm_shape=[2,5,7,16], kernel_shape=[2,3,3,32,16], accumulate=fast)",
    "mmad(dtype=bfloat16, m=17, k=40, n=33)",
    "mmad(dtype=int8, m=33, k=64, n=32) | fixpipe(src=int32, dst=int8, format=NZ, quantPre=VREQ8)",
    "tensor_arithmetic(op=BM_DIV, shape=[1,3,5,7])",
    "tensor_arithmetic_quantized(op=BM_ADD, shape=[8,3,5,7])",
    "transdata(dtype=float16, src=NHWC, dst=NC1HWC0, shape=[1,9,7,20])",
    "texpands(arch=A5, loc=mat, dtype=float16, layout=NC1HWC0, shape=[1,16,7,7,16])",
};

enum { SPEC_COUNT = sizeof SPECS / sizeof SPECS[0], STAGES = AIC_DUMP_EXPLAIN + 1, TILES = 16 };

static const char PROGRAM[] = ".arg %s : f32\n"
                              "%a = texpands %s : f32, !pto.tile<64x64xf32>\n"
                              "%b = texpands 2.5 : f32, !pto.tile<vec, 33x24xf32, valid=32x17>\n"
                              "%c = texpands %s : f32, !pto.tile<16x16xf32>\n"
                              "%d = texpands 1.0 : f32, !pto.tile<8x8xf32>\n";

/* Operands of zeros for every specification; quantisation words of zeros are refused by nobody. */
typedef struct caller {
    aic_context *context;
    aic_spec spec[SPEC_COUNT];
    void *operand[SPEC_COUNT][AIC_OPERANDS_MAX];
    size_t count[SPEC_COUNT];
    void *argument[TILES];
    aic_status status;
    char failed[256]; /* what, "" for nothing */
} caller;

static void *zeros(size_t bytes)
{
    void *block = aligned_block(bytes);
    return memset(block, 0, bytes);
}

static caller *caller_new(void)
{
    caller *c = calloc(1, sizeof *c);
    ck_assert_ptr_nonnull(c);
    ck_assert_int_eq(aic_context_create(NULL, &c->context), AIC_OK);
    for (size_t i = 0; i < SPEC_COUNT; i++) {
        aic_operand operands[AIC_OPERANDS_MAX];
        c->spec[i] = spec_of(SPECS[i]);
        ck_assert_msg(aic_spec_operands(&c->spec[i], NULL, operands, &c->count[i]) == AIC_OK, "%s", aic_last_error());
        for (size_t k = 0; k < c->count[i]; k++) {
            const bool used = operands[k].direction != AIC_DIRECTION_UNUSED;
            c->operand[i][k] = used ? zeros((size_t)operands[k].bytes) : NULL;
        }
    }
    for (size_t i = 0; i < TILES; i++) {
        c->argument[i] = zeros(64 * 64 * sizeof(float));
    }
    return c;
}

static void caller_free(caller *c)
{
    for (size_t i = 0; i < SPEC_COUNT; i++) {
        for (size_t k = 0; k < c->count[i]; k++) {
            free(c->operand[i][k]);
        }
    }
    for (size_t i = 0; i < TILES; i++) {
        free(c->argument[i]);
    }
    aic_context_destroy(c->context);
    free(c);
}

/* Notes the first failure. */
static void expect(caller *c, aic_status status, const char *what)
{
    if (status != AIC_OK && c->failed[0] == '\0') {
        snprintf(c->failed, sizeof c->failed, "%s: %s", what, aic_last_error());
    }
}

/* Every way of making something of one specification. */
static void use_spec(caller *c, size_t i)
{
    char schedule[256], *bytes;
    size_t size;
    aic_kernel *kernel;
    expect(c, aic_jit_spec(c->context, &c->spec[i], c->operand[i], c->count[i]), "jit");
    expect(c, aic_schedule_candidate(c->context, &c->spec[i], 0, schedule, sizeof schedule), "candidate");
    if (aic_schedule_candidate(c->context, &c->spec[i], 1, schedule, sizeof schedule) == AIC_OK) {
        expect(c, aic_kernel_create(c->context, &c->spec[i], schedule, &kernel), "kernel");
        if (c->failed[0] == '\0') {
            expect(c, aic_kernel_call(kernel, c->operand[i], c->count[i]), "call");
            aic_kernel_destroy(kernel);
        }
    }
    for (int stage = 0; stage < STAGES; stage++) {
        const aic_status status =
            aic_dump(c->context, &c->spec[i], NULL, (aic_dump_stage)stage, NULL, NULL, &bytes, &size);
        expect(c, status, "dump");
        if (status == AIC_OK) {
            aic_free(bytes);
        }
    }
}

static void *use_everything(void *argument)
{
    caller *c = argument;
    for (size_t i = 0; i < SPEC_COUNT && c->failed[0] == '\0'; i++) {
        use_spec(c, i);
    }
    aic_pto_program *program;
    expect(c, aic_pto_parse(PROGRAM, strlen(PROGRAM), NULL, &program), "read");
    if (c->failed[0] == '\0') {
        expect(c, aic_pto_run(c->context, program, c->argument, aic_pto_argument_count(program)), "run");
        aic_pto_destroy(program);
    }
    return NULL;
}

#ifdef AIC_SANITIZED
#define LITTLE_STACK ((size_t)512 << 10) /* frames of sanitized code are several times as large */
#else
#define LITTLE_STACK ((size_t)32 << 10)
#endif

START_TEST(little_stack)
{
    caller *c = caller_new();
    pthread_t thread;
    pthread_attr_t attributes;
    ck_assert_int_eq(pthread_attr_init(&attributes), 0);
    ck_assert_int_eq(pthread_attr_setstacksize(&attributes, LITTLE_STACK), 0);
    ck_assert_int_eq(pthread_create(&thread, &attributes, use_everything, c), 0);
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
    ck_assert_msg(c->failed[0] == '\0', "%s", c->failed);
    caller_free(c);
}
END_TEST

/* Every exception of floating-point arithmetic raises a signal, also the inexact result that most operations have. */
START_TEST(trapping_caller)
{
    caller *c = caller_new();
    feenableexcept(FE_ALL_EXCEPT);
    fesetround(FE_TOWARDZERO);
    use_everything(c);
    const int traps = fegetexcept(), rounding = fegetround();
    fesetenv(FE_DFL_ENV);
    ck_assert_msg(c->failed[0] == '\0', "%s", c->failed);
    ck_assert_int_eq(traps, FE_ALL_EXCEPT);
    ck_assert_int_eq(rounding, FE_TOWARDZERO);
    caller_free(c);
}
END_TEST

/* ---- cancellation ---- */

typedef struct victim {
    aic_context *context;
    conv_case *c;
    aic_status status;
    pthread_barrier_t ready;
} victim;

/* Is cancelled before it calls, so that the first cancellation point inside would end it. */
static void *call_cancelled(void *argument)
{
    victim *v = argument;
    pthread_cancel(pthread_self());
    v->status = aic_jit_conv2d(v->context, &v->c->desc, v->c->buffer[0], v->c->buffer[1], v->c->buffer[2]);
    pthread_testcancel();
    return v;
}

/* A thread that is cancelled while it compiles finishes the kernel, and nobody waits for ever. It logs, too: to write
 * is a cancellation point. */
START_TEST(cancelled_caller)
{
    aic_context_options options = aic_context_options_init();
    options.verbose = 2;
    aic_conv2d_desc desc = conv_desc(AIC_INT8, 6);
    victim v = {.c = conv_case_new(&desc), .status = AIC_INTERNAL};
    ck_assert_int_eq(aic_context_create(&options, &v.context), AIC_OK);
    const int saved = dup(STDERR_FILENO), nowhere = open("/dev/null", O_WRONLY);
    ck_assert_int_ge(dup2(nowhere, STDERR_FILENO), 0);
    for (int round = 0; round < 2; round++) { /* a miss, and a hit */
        pthread_t thread;
        void *result;
        v.status = AIC_INTERNAL;
        ck_assert_int_eq(pthread_create(&thread, NULL, call_cancelled, &v), 0);
        ck_assert_int_eq(pthread_join(thread, &result), 0);
        ck_assert_ptr_eq(result, PTHREAD_CANCELED);
        ck_assert_int_eq(v.status, AIC_OK);
    }
    ck_assert_int_eq(aic_jit_conv2d(v.context, &desc, v.c->buffer[0], v.c->buffer[1], v.c->buffer[2]), AIC_OK);
    ck_assert_int_ge(dup2(saved, STDERR_FILENO), 0);
    close(saved);
    close(nowhere);
    aic_context_destroy(v.context);
    conv_case_free(v.c);
}
END_TEST

/* ---- memory ---- */

#ifndef AIC_SANITIZED /* sanitizers reserve more address space than any limit leaves */

/* A thread that cannot be started is a status. */
START_TEST(no_thread)
{
    int number = 0;
    struct rlimit old = memory_limit_to(1 << 20);
    aic_status status = aic_worker_run(succeed, &number);
    ck_assert_int_eq(setrlimit(RLIMIT_AS, &old), 0);
    ck_assert_int_eq(status, AIC_OUT_OF_MEMORY);
    ck_assert_int_eq(strncmp(aic_last_error(), "compile thread: cannot be started: ", 35), 0);
    ck_assert_int_eq(aic_worker_run(succeed, &number), AIC_OK);
    ck_assert_int_eq(number, 1);
}
END_TEST

static aic_status make_kernel(aic_context *context, const char *text)
{
    aic_kernel *kernel;
    const aic_spec spec = spec_of(text);
    const aic_status status = aic_kernel_create(context, &spec, NULL, &kernel);
    if (status == AIC_OK) {
        aic_kernel_destroy(kernel);
    }
    return status;
}

/* Waits for the end of a test. */
static void *wait_for_end(void *barrier)
{
    pthread_barrier_wait(barrier);
    return NULL;
}

/* A kernel whose parts are at hand needs no thread; one with a part that is not cannot do without. Threads that wait
 * have the stacks that the C library keeps for further ones. */
START_TEST(no_thread_for_parts)
{
    enum { WAITING = 8 };
    static const char AGAIN[] = "conv2d(dtype=int8, fm_shape=[2,7,9,32], kernel_shape=[2,3,3,32,32])";
    aic_context_options options = aic_context_options_init();
    aic_context *context;
    pthread_t waiting[WAITING];
    pthread_barrier_t end;
    options.cache = "off";
    options.cache_kernels = 1;
    ck_assert_int_eq(pthread_barrier_init(&end, NULL, WAITING + 1), 0);
    ck_assert_int_eq(aic_context_create(&options, &context), AIC_OK);
    ck_assert_int_eq(make_kernel(context, AGAIN), AIC_OK);
    ck_assert_int_eq(make_kernel(context, "mmad(dtype=int8, m=1, n=1, k=3)"), AIC_OK);
    for (int i = 0; i < WAITING; i++) {
        ck_assert_int_eq(aic_worker_start(&waiting[i], wait_for_end, &end), 0);
    }
    const struct rlimit old = memory_limit_to(2 << 20);
    const aic_status again = make_kernel(context, AGAIN);
    const aic_status other = make_kernel(context, "mmad(dtype=float32, m=5, n=48, k=7, accumulate=fast)");
    ck_assert_int_eq(setrlimit(RLIMIT_AS, &old), 0);
    pthread_barrier_wait(&end);
    for (int i = 0; i < WAITING; i++) {
        pthread_join(waiting[i], NULL);
    }
    ck_assert_int_eq(other, AIC_OUT_OF_MEMORY);
    ck_assert_msg(strstr(aic_last_error(), "compile thread: cannot be started") != NULL, "%s", aic_last_error());
    ck_assert_int_eq(again, AIC_OK);
    aic_context_destroy(context);
    pthread_barrier_destroy(&end);
}
END_TEST

#endif

/* Schedules that are refused while one is chosen, as are tiles of 76 rows at level amx, are no failure of a caller
 * whose kernel is made. */
START_TEST(last_failure_stays)
{
    static const char WRONG[] = "conv2d(dtype=int8, fm_shape=[0,0,0,0], kernel_shape=[2,3,3,32,32])";
    const aic_spec spec = spec_of("mmad(dtype=float16, m=152, n=82, k=61, accumulate=fast, init_c=false)");
    aic_spec wrong;
    char before[1024], also[1024];
    ck_assert_int_eq(aic_spec_read(WRONG, &wrong), AIC_OK);
    ck_assert_int_ne(aic_spec_validate(&wrong, NULL), AIC_OK);
    const aic_rule *rule = aic_last_error_rule(1);
    snprintf(before, sizeof before, "%s", aic_last_error());
    snprintf(also, sizeof also, "%s", aic_last_error_at(1));
    for (int level = 0; level < levels_count(); level++) {
        aic_context *context = levels_context(level, 1);
        aic_kernel *kernel;
        ck_assert_int_eq(aic_kernel_create(context, &spec, NULL, &kernel), AIC_OK);
        ck_assert_str_eq(aic_last_error(), before);
        ck_assert_str_eq(aic_last_error_at(1), also);
        ck_assert_ptr_eq(aic_last_error_rule(1), rule);
        aic_kernel_destroy(kernel);
        aic_context_destroy(context);
    }
}
END_TEST

Suite *suite_worker(void)
{
    Suite *suite = suite_create("worker");
    TCase *tcase = tcase_create("worker");
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, status_and_messages);
    tcase_add_test(tcase, what_the_thread_sees);
    tcase_add_test(tcase, little_stack);
    tcase_add_test(tcase, last_failure_stays);
    tcase_add_test(tcase, trapping_caller);
    tcase_add_test(tcase, cancelled_caller);
#ifndef AIC_SANITIZED
    tcase_add_test(tcase, no_thread);
    tcase_add_test(tcase, no_thread_for_parts);
#endif
    suite_add_tcase(suite, tcase);
    return suite;
}
