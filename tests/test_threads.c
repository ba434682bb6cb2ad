/* Calls that several threads share: the bits do not depend on their number nor on which thread runs what when; nested
 * and concurrent calls, forks, threads that cannot be had, a caller's own parallel loop, the number of threads. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "codegen/machine.h"
#include "runtime/context.h"
#include "runtime/pool.h"
#include "tests/child.h"
#include "tests/levels.h"
#include "tests/memory_limit.h"
#include "tests/pto_case.h"
#include "tests/specs.h"
#include "tools/harness/entry.h"
#include "tools/harness/verify.h"

#include <check.h>
#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

Suite *suite_threads(void);

/* ---- kernels that are shared however small they are ---- */

static void share_everything(void)
{
    static aic_machine machine;
    machine = *aic_machine_facts();
    machine.share_cost = 0;
    aic_machine_suppose(&machine);
    aic_pool_suppose(AIC_POOL_ALWAYS);
    unsetenv("AIC_NUM_THREADS");
}

static void as_usual(void)
{
    aic_machine_suppose(NULL);
    aic_pool_suppose(AIC_POOL_USUAL);
}

static aic_context *context_of(const aic_context_options *options)
{
    aic_context *context;
    ck_assert_msg(aic_context_create(options, &context) == AIC_OK, "%s", aic_last_error());
    return context;
}

static aic_context *context_with(int threads, const char *isa)
{
    aic_context_options options = aic_context_options_init();
    options.threads = threads;
    options.isa = isa;
    return context_of(&options);
}

/* One or two of every operator. */
static const char *const ROWS[] = {
    "conv2d(dtype=int8, fm_shape=[32,64,8,32], kernel_shape=[32,1,1,96,32])",
    "conv2d(dtype=float16, fm_shape=[6,96,48,16], kernel_shape=[6,1,1,48,16], accumulate=fast)",
    ("conv2d(dtype=int8, fm_shape=[2,101,59,32], kernel_shape=[2,3,3,32,32], stride=[2,2], pad=[1,1,1,1])"
     " | fixpipe(src=int32, dst=int8, quantPre=VREQ8, reluEn=true)"),
    "mmad(dtype=int8, m=2000, k=640, n=16)",
    "mmad(dtype=int8, m=2111, k=320, n=32) | fixpipe(src=int32, dst=int8, format=NZ, quantPre=VREQ8)",
    "fixpipe(src=int32, dst=float16, nSize=480, mSize=700, srcStride=704, dstStride=480, quantPre=VDEQF16)",
    "tik_fixpipe(src=float32, dst=float16, cburst_num=4, burst_len=800, quantize_params=fp322fp16)",
    "nd2nz(dtype=int8, ndNum=2, nValue=64, dValue=64, srcDValue=64, dstNzC0Stride=64, dstNzMatrixStride=4096)",
    "load_data(dtype=int8, repeatTimes=16, srcStride=1)",
    "load_data_transpose(dtype=int8, repeatTimes=8, dstGap=1)",
    "transdata(dtype=float16, src=NCHW, dst=NC1HWC0, shape=[2,37,8,8])",
    "transdata(dtype=int8, src=NC1HWC0, dst=NHWC, shape=[1,9,37,33])",
    "tensor_arithmetic(op=BM_ADD, shape=[1,1,2,50003])",
    "tensor_arithmetic(op=BM_MIN, shape=[1,3,200,5], input1_stride=[0,1000,0,1])",
    "tensor_arithmetic_quantized(op=BM_SUB, shape=[7,3,20,32])",
    "texpands(dtype=float32, rows=64, cols=40, v_row=61, v_col=33)",
};

enum { ROWS_COUNT = sizeof ROWS / sizeof ROWS[0] };

/* The operands of a row and what the reference makes of them. */
static void open_case(verify_case *c, const char *text)
{
    verify_report report;
    const aic_spec spec = spec_of(text);
    const aic_semantics semantics = aic_semantics_init();
    ck_assert_msg(verify_open(c, &spec, &semantics, 7, &report) == VERIFY_PASSED, "%s: %s", text, report.text);
}

/* A way to call: by aic_jit_OP(), by a handle, by a handle with packed operands. */
typedef enum way { BY_JIT, BY_HANDLE, BY_PACKED, WAYS } way;

static aic_kernel *kernel_of(aic_context *context, const verify_case *c)
{
    aic_kernel *kernel;
    ck_assert_msg(aic_kernel_create(context, &c->spec, NULL, &kernel) == AIC_OK, "%s", aic_last_error());
    return kernel;
}

static int threads_of(const aic_kernel *kernel)
{
    aic_kernel_info info;
    ck_assert_int_eq(aic_kernel_get_info(kernel, &info), AIC_OK);
    return info.threads;
}

/* Puts packed images in the place of the operands that are packed; returns the image, for free(), or NULL. */
static void *pack(const aic_kernel *kernel, size_t count, void **operands)
{
    void *packed = NULL;
    for (size_t i = 0; i < count; i++) {
        const size_t bytes = aic_kernel_packed_size(kernel, i);
        if (bytes > 0) {
            packed = aligned_alloc(64, bytes);
            ck_assert_ptr_nonnull(packed);
            ck_assert_int_eq(aic_kernel_pack(kernel, i, packed, operands[i]), AIC_OK);
            operands[i] = packed;
        }
    }
    return packed;
}

/* Calls and returns the output, for free(). */
static void *output_of(aic_context *context, const verify_case *c, way by)
{
    const guard_buffer *old = &c->content[c->output];
    void *operands[AIC_OPERANDS_MAX], *output = malloc(old->size), *packed = NULL;
    ck_assert_ptr_nonnull(output);
    memcpy(output, old->data, old->size);
    for (size_t i = 0; i < c->count; i++) {
        operands[i] = c->content[i].data;
    }
    operands[c->output] = output;
    aic_kernel *kernel = kernel_of(context, c);
    aic_status status = AIC_OK;
    if (by == BY_PACKED) {
        packed = pack(kernel, c->count, operands);
        status = aic_kernel_call_packed(kernel, operands, c->count);
    } else if (by == BY_HANDLE) {
        status = aic_kernel_call(kernel, operands, c->count);
    } else {
        status = entry_jit(context, &c->spec, operands, c->count);
    }
    ck_assert_msg(status == AIC_OK, "%s", aic_last_error());
    aic_kernel_release(kernel);
    free(packed);
    return output;
}

/* Calls in every way and compares with the reference and with the same bits. */
static void check_bits(aic_context *context, const verify_case *c, const void *expected)
{
    for (way by = 0; by < WAYS; by++) {
        verify_report report;
        void *output = output_of(context, c, by);
        ck_assert_msg(verify_compare(c, output, "shared", &report) == VERIFY_PASSED, "%s", report.text);
        ck_assert(expected == NULL || memcmp(output, expected, c->content[c->output].size) == 0);
        free(output);
    }
}

static const int NUMBERS[] = {1, 2, 3, 7};
enum { NUMBERS_COUNT = sizeof NUMBERS / sizeof NUMBERS[0] };

START_TEST(equal_bits)
{
#ifdef AIC_SANITIZED /* references are slow, and kernels the same */
    if (!levels_is_thorough(_i / ROWS_COUNT)) {
        return;
    }
#endif
    const char *isa = levels_name(_i / ROWS_COUNT);
    verify_case c;
    void *alone = NULL;
    open_case(&c, ROWS[_i % ROWS_COUNT]);
    for (size_t i = 0; i < NUMBERS_COUNT; i++) {
        aic_context *context = context_with(NUMBERS[i], isa);
        ck_assert_int_eq(aic_context_threads(context), NUMBERS[i]);
        check_bits(context, &c, alone);
        alone = alone != NULL ? alone : output_of(context, &c, BY_JIT);
        aic_context_destroy(context);
    }
    free(alone);
    verify_close(&c);
}
END_TEST

/* Calls of every row are, but for one whose usual schedule has one band only. */
START_TEST(shared_rows)
{
    int shared = 0;
    for (size_t row = 0; row < ROWS_COUNT; row++) {
        verify_case c;
        aic_context *context = context_with(7, NULL), *alone = context_with(1, NULL);
        open_case(&c, ROWS[row]);
        aic_kernel *kernel = kernel_of(context, &c), *single = kernel_of(alone, &c);
        shared += threads_of(kernel) > 1;
        ck_assert_int_eq(threads_of(single), 1);
        aic_kernel_release(single);
        aic_kernel_release(kernel);
        verify_close(&c);
        aic_context_destroy(alone);
        aic_context_destroy(context);
    }
    ck_assert_int_ge(shared, ROWS_COUNT - 1);
}
END_TEST

/* The default machine: what is large is shared, what is small is not. */
START_TEST(small_calls)
{
    static const struct {
        const char *text;
        int threads;
    } rows[] = {
        {"tensor_arithmetic(op=BM_ADD, shape=[1,8,256,256])", 3},
        {"tensor_arithmetic(op=BM_ADD, shape=[1,1,16,16])", 1},
        {"conv2d(dtype=int8, fm_shape=[1,1,4,32], kernel_shape=[1,1,1,32,32])", 1},
    };
    aic_machine_suppose(NULL);
    aic_context *context = context_with(3, NULL);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        verify_case c;
        open_case(&c, rows[i].text);
        aic_kernel *kernel = kernel_of(context, &c);
        ck_assert_int_eq(threads_of(kernel), rows[i].threads);
        aic_kernel_release(kernel);
        check_bits(context, &c, NULL);
        verify_close(&c);
    }
    aic_context_destroy(context);
}
END_TEST

static const char PROGRAM[] = "pto.tassign %a, @tile(0)\n"
                              "pto.tassign %b, @tile(0x8000)\n"
                              ".arg %s : f32\n"
                              "%a = texpands %s : f32, !pto.tile<vec, 64x64xf32, valid=61x64>\n"
                              "%b = texpands 2.5 : f32, !pto.tile<vec, 32x64xf32>\n";

/* A group of statements is one call. */
START_TEST(programs)
{
    aic_pto_program *program = pto_program_of(PROGRAM);
    for (size_t i = 0; i < NUMBERS_COUNT; i++) {
        aic_context *context = context_with(NUMBERS[i], NULL);
        pto_case *c = pto_case_new(program, GUARD_AFTER, 3);
        for (int round = 0; round < 3; round++) {
            pto_case_reset(c);
            ck_assert_msg(aic_pto_run(context, program, c->pointers, c->count) == AIC_OK, "%s", aic_last_error());
            ck_assert(pto_case_done(c));
        }
        ck_assert_int_eq(aic_pool_threads() > 0, NUMBERS[i] > 1);
        pto_case_free(c);
        aic_context_destroy(context);
    }
    aic_pto_free(program);
}
END_TEST

/* ---- a caller's own loop ---- */

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
        check_bits(l->inner, l->inner_case, NULL);
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
    return context_of(&options);
}

START_TEST(own_loop)
{
    loop l = {.inner = NULL};
    verify_case c;
    aic_context *context = context_by(backwards, &l), *alone = context_with(1, NULL);
    open_case(&c, ROWS[_i]);
    void *expected = output_of(alone, &c, BY_JIT);
    check_bits(context, &c, expected);
    aic_kernel *kernel = kernel_of(context, &c);
    if (threads_of(kernel) > 1) { /* a phase or more in every call */
        ck_assert_int_ge(atomic_load(&l.calls), WAYS);
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
    open_case(&outer, ROWS[0]);
    open_case(&inner, ROWS[2]);
    void *output = output_of(context, &outer, BY_HANDLE);
    free(output);
    l.inner = context;
    l.inner_case = &inner;
    const int before = atomic_load(&l.calls);
    check_bits(context, &outer, NULL);
    const int nested_calls = atomic_load(&l.calls) - before;
    l.inner = NULL;
    check_bits(context, &outer, NULL);
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
    open_case(&c, ROWS[12]);
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
        const aic_status status = entry_jit(own->context, &c->spec, operands, c->count);
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
    aic_context *context = context_with(3, NULL);
    for (int i = 0; i < CALLERS; i++) {
        open_case(&c[i], ROWS[rows[i]]);
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
    aic_context *context = context_with(3, NULL);
    open_case(&c, ROWS[12]);
    aic_pool_suppose(AIC_POOL_NONE);
    check_bits(context, &c, NULL);
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

/* There is address space for some of the threads: none stays. */
START_TEST(too_few_threads)
{
    verify_case c;
    aic_context *context = context_with(64, NULL), *few = context_with(2, NULL);
    open_case(&c, ROWS[12]);
    void *output = malloc(c.content[c.output].size), *operands[AIC_OPERANDS_MAX] = {NULL};
    ck_assert_ptr_nonnull(output);
    for (size_t i = 0; i < c.count; i++) {
        operands[i] = i == c.output ? output : c.content[i].data;
    }
    aic_kernel *kernel = kernel_of(context, &c);
    struct rlimit old = memory_limit_to(100 << 20);
    const aic_status status = aic_kernel_call(kernel, operands, c.count);
    const int threads = aic_pool_threads();
    ck_assert_int_eq(setrlimit(RLIMIT_AS, &old), 0);
    ck_assert_msg(status == AIC_OK, "%s", aic_last_error());
    ck_assert_int_eq(memcmp(output, c.expected.data, c.content[c.output].size), 0);
    ck_assert_int_eq(threads, 0);
    ck_assert_int_eq(count_threads(1), 1);
    check_bits(few, &c, NULL); /* fewer can be had */
    ck_assert_int_eq(aic_pool_threads(), 1);
    aic_kernel_release(kernel);
    free(output);
    verify_close(&c);
    aic_context_destroy(few);
    aic_context_destroy(context);
}
END_TEST

/* There is memory for one worker, not for all: one does the work. */
START_TEST(memory_for_one_worker)
{
    verify_case c;
    aic_context *context = context_with(1024, NULL);
    open_case(&c, ROWS[0]);
    void *output = malloc(c.content[c.output].size), *operands[AIC_OPERANDS_MAX] = {NULL};
    ck_assert_ptr_nonnull(output);
    for (size_t i = 0; i < c.count; i++) {
        operands[i] = i == c.output ? output : c.content[i].data;
    }
    aic_pool_suppose(AIC_POOL_NONE);
    aic_kernel *kernel = kernel_of(context, &c);
    struct rlimit old = memory_limit_to(4 << 20);
    const aic_status status = aic_kernel_call(kernel, operands, c.count);
    ck_assert_int_eq(setrlimit(RLIMIT_AS, &old), 0);
    ck_assert_msg(status == AIC_OK, "%s", aic_last_error());
    ck_assert_int_eq(memcmp(output, c.expected.data, c.content[c.output].size), 0);
    aic_kernel_release(kernel);
    free(output);
    verify_close(&c);
    aic_context_destroy(context);
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
    aic_context *context = context_with(2, NULL);
    open_case(&c, ROWS[0]);
    check_bits(context, &c, NULL);
    ck_assert_int_eq(aic_pool_threads(), 1);
    caller own = {.context = context, .c = &c};
    for (int round = 0; round < 5; round++) {
        ck_assert_str_eq(child_run(call_in_child, &own), "");
        check_bits(context, &c, NULL);
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
    aic_context *context = context_with(2, NULL);
    open_case(&c, ROWS[12]);
    aic_kernel *kernel = kernel_of(context, &c); /* no compilation in the child */
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
    check_bits(context, &c, NULL);
    aic_kernel_release(kernel);
    verify_close(&c);
    aic_context_destroy(context);
}
END_TEST

#endif

/* ---- the number of threads ---- */

static void refuse_options(const aic_context_options *options, const char *message)
{
    aic_context *context;
    ck_assert_int_eq(aic_context_create(options, &context), AIC_INVALID_ARGUMENT);
    ck_assert_str_eq(aic_last_error(), message);
}

START_TEST(numbers)
{
    static const char *const bad[] = {"0", "-1", "1025", "two", "2 ", " 2", "+2", "2.0", "99999999999999999999"};
    aic_context_options options = aic_context_options_init();
    options.threads = -1;
    refuse_options(&options, "threads: -1 is outside 0..1024");
    options.threads = 1025;
    refuse_options(&options, "threads: 1025 is outside 0..1024");
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char message[128];
        setenv("AIC_NUM_THREADS", bad[i], 1);
        (void)snprintf(message, sizeof message, "AIC_NUM_THREADS: \"%s\" is no integer in 1..1024", bad[i]);
        refuse_options(NULL, message);
    }
    aic_context *context = context_with(5, NULL); /* an option goes before the environment */
    ck_assert_int_eq(aic_context_threads(context), 5);
    aic_context_destroy(context);
    setenv("AIC_NUM_THREADS", "1024", 1);
    context = context_of(NULL);
    ck_assert_int_eq(aic_context_threads(context), 1024);
    aic_context_destroy(context);
    setenv("AIC_NUM_THREADS", "", 1); /* empty is not set */
    aic_processors processors;
    aic_processors_find(&processors);
    aic_processors_limit(&processors, aic_processors_quota(""));
    context = context_of(NULL);
    ck_assert_int_eq(aic_context_threads(context), processors.count);
    aic_context_destroy(context);
}
END_TEST

START_TEST(affinity)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    ck_assert_int_eq(sched_setaffinity(0, sizeof one, &one), 0);
    aic_context *context = context_of(NULL);
    ck_assert_int_eq(aic_context_threads(context), 1);
    aic_context_destroy(context);
}
END_TEST

/* Files of the system are read when a call may be shared for the first time, and not for a kernel that never is. */
START_TEST(quota_when_needed)
{
    aic_context *context = context_with(3, NULL), *other = context_with(3, NULL), *one = context_with(1, NULL);
    aic_machine_suppose(NULL);
    const struct {
        aic_context *context;
        const char *text;
        bool known;
    } rows[] = {
        {context, "tensor_arithmetic(op=BM_ADD, shape=[1,1,16,16])", false},
        {one, "tensor_arithmetic(op=BM_ADD, shape=[1,8,256,256])", false},
        {context, "tensor_arithmetic(op=BM_ADD, shape=[1,8,256,256])", true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        verify_case c;
        open_case(&c, rows[i].text);
        aic_kernel_release(kernel_of(rows[i].context, &c));
        ck_assert_int_eq(rows[i].context->quota != AIC_QUOTA_UNKNOWN, rows[i].known);
        verify_close(&c);
    }
    ck_assert_int_eq(context->quota, aic_processors_quota(""));
    ck_assert_int_eq(aic_context_threads(other), 3);
    ck_assert_int_ne(other->quota, AIC_QUOTA_UNKNOWN);
    aic_context_destroy(context);
    aic_context_destroy(other);
    aic_context_destroy(one);
}
END_TEST

/* A quota limits the threads of a context that are as many as the processors, and tells the pool not to wait. */
START_TEST(quota_limits)
{
    const aic_share all = {.threads = 8, .all = true, .processors = {.count = 8}};
    const aic_share given = {.threads = 8, .processors = {.count = 8}};
    const struct {
        const aic_share *share;
        int quota, threads, processors;
        bool limits;
    } rows[] = {
        {&all, 0, 8, 8, false}, {&all, 3, 3, 3, true},   {&all, 8, 8, 8, true},
        {&all, 9, 8, 8, false}, {&given, 3, 8, 3, true}, {&given, 0, 8, 8, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        aic_share share = *rows[i].share;
        atomic_int known = rows[i].quota;
        aic_share_limit(&share, &known);
        ck_assert_int_eq(share.threads, rows[i].threads);
        ck_assert_int_eq(share.processors.count, rows[i].processors);
        ck_assert_int_eq(share.processors.quota, rows[i].limits);
    }
}
END_TEST

/* ---- quotas ---- */

/* Writes a file of a system that is none, with its folders. */
static void put_file(const char *root, const char *path, const char *content)
{
    char name[512];
    (void)snprintf(name, sizeof name, "%s%s", root, path);
    for (char *slash = name + strlen(root); (slash = strchr(slash + 1, '/')) != NULL;) {
        *slash = '\0';
        (void)mkdir(name, 0700);
        *slash = '/';
    }
    FILE *file = fopen(name, "w");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_ge(fputs(content, file), 0);
    ck_assert_int_eq(fclose(file), 0);
}

#define MOUNTS_2 "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n31 22 0:28 / /sys/fs/cgroup rw shared:4 - cgroup2 cgroup2 rw\n"
#define MOUNTS_1                                                                                                       \
    "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n30 22 0:27 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"           \
    "31 22 0:28 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
#define IN_DOCKER "31 22 0:28 /docker/abc /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"

/* Up to four files of a system, and the processors that its quota pays for. */
static const struct quota_row {
    const char *what;
    int processors;
    struct {
        const char *path, *content;
    } file[4];
} quotas[] = {
    {"nothing is there", 0, {{NULL, NULL}}},
    {"version 2",
     3,
     {{"/proc/self/mountinfo", MOUNTS_2},
      {"/proc/self/cgroup", "0::/user.slice/a.scope\n"},
      {"/sys/fs/cgroup/user.slice/a.scope/cpu.max", "300000 100000\n"}}},
    {"version 2, no limit",
     0,
     {{"/proc/self/mountinfo", MOUNTS_2},
      {"/proc/self/cgroup", "0::/a\n"},
      {"/sys/fs/cgroup/a/cpu.max", "max 100000\n"}}},
    {"the stricter limit of the group around it",
     2,
     {{"/proc/self/mountinfo", MOUNTS_2},
      {"/proc/self/cgroup", "0::/user.slice/a.scope\n"},
      {"/sys/fs/cgroup/user.slice/a.scope/cpu.max", "300000 100000\n"},
      {"/sys/fs/cgroup/user.slice/cpu.max", "100000 50000\n"}}},
    {"a container that sees its own group as the root",
     2,
     {{"/proc/self/mountinfo", MOUNTS_2},
      {"/proc/self/cgroup", "0::/\n"},
      {"/sys/fs/cgroup/cpu.max", "250000 100000\n"}}},
    {"a group outside the mount",
     2,
     {{"/proc/self/mountinfo", MOUNTS_2},
      {"/proc/self/cgroup", "0::/../b\n"},
      {"/sys/fs/cgroup/cpu.max", "250000 100000\n"}}},
    {"a part of a processor",
     1,
     {{"/proc/self/mountinfo", MOUNTS_2},
      {"/proc/self/cgroup", "0::/\n"},
      {"/sys/fs/cgroup/cpu.max", "20000 100000\n"}}},
    {"a file of nonsense",
     0,
     {{"/proc/self/mountinfo", MOUNTS_2}, {"/proc/self/cgroup", "0::/\n"}, {"/sys/fs/cgroup/cpu.max", "lots\n"}}},
    {"a period of zero",
     0,
     {{"/proc/self/mountinfo", MOUNTS_2}, {"/proc/self/cgroup", "0::/\n"}, {"/sys/fs/cgroup/cpu.max", "100000 0\n"}}},
    {"version 1",
     4,
     {{"/proc/self/mountinfo", MOUNTS_1},
      {"/proc/self/cgroup", "5:cpuset:/other\n4:cpu,cpuacct:/a\n1:name=systemd:/b\n0::/c\n"},
      {"/sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us", "400000\n"},
      {"/sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_period_us", "100000\n"}}},
    {"version 1, no limit",
     0,
     {{"/proc/self/mountinfo", MOUNTS_1},
      {"/proc/self/cgroup", "4:cpu,cpuacct:/a\n"},
      {"/sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us", "-1\n"},
      {"/sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_period_us", "100000\n"}}},
    {"version 1 in a container",
     2,
     {{"/proc/self/mountinfo", IN_DOCKER},
      {"/proc/self/cgroup", "4:cpu:/docker/abc\n"},
      {"/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "200000\n"},
      {"/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n"}}},
};

enum { QUOTAS = sizeof quotas / sizeof quotas[0] };

START_TEST(quota)
{
    const struct quota_row *row = &quotas[_i];
    char root[] = "/tmp/aicjit-quota-XXXXXX", command[64];
    ck_assert_ptr_nonnull(mkdtemp(root));
    for (size_t i = 0; i < 4 && row->file[i].path != NULL; i++) {
        put_file(root, row->file[i].path, row->file[i].content);
    }
    const int found = aic_processors_quota(root);
    (void)snprintf(command, sizeof command, "rm -rf %s", root);
    ck_assert_int_eq(system(command), 0);
    ck_assert_msg(found == row->processors, "%s: %d", row->what, found);
}
END_TEST

Suite *suite_threads(void)
{
    Suite *suite = suite_create("threads");
    TCase *cases = tcase_create("threads");
    tcase_set_timeout(cases, 240);
    tcase_add_checked_fixture(cases, share_everything, as_usual);
    tcase_add_loop_test(cases, equal_bits, 0, ROWS_COUNT * levels_count());
    tcase_add_test(cases, shared_rows);
    tcase_add_test(cases, small_calls);
    tcase_add_test(cases, programs);
    tcase_add_loop_test(cases, own_loop, 0, ROWS_COUNT);
    tcase_add_test(cases, nested);
    tcase_add_test(cases, wrong_loops);
    tcase_add_test(cases, concurrent_callers);
    tcase_add_test(cases, no_more_threads_than_one_caller);
    tcase_add_test(cases, surroundings_of_the_pool);
    tcase_add_test(cases, no_threads);
#ifndef AIC_SANITIZED
    tcase_add_test(cases, too_few_threads);
    tcase_add_test(cases, memory_for_one_worker);
    tcase_add_test(cases, fork_with_a_pool);
    tcase_add_test(cases, fork_in_the_middle);
#endif
    tcase_add_test(cases, numbers);
    tcase_add_test(cases, affinity);
    tcase_add_test(cases, quota_when_needed);
    tcase_add_test(cases, quota_limits);
    tcase_add_loop_test(cases, quota, 0, QUOTAS);
    suite_add_tcase(suite, cases);
    return suite;
}
