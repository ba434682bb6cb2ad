/* LLVM's ways of ending the process, and the generator's own broken invariants, each provoked for real: they must come
 * back as statuses, and the next request must work. */
#include "codegen/llvm/guard.h"
#include "codegen/llvm/shim.h"
#include "codegen/llvm/vec.h"
#include "codegen/loops/move.h"
#include "codegen/run.h"
#include "codegen/target/host.h"
#include "frontend/core/diag.h"
#include "tests/child.h"
#include "tests/levels.h"
#include "tests/memory_limit.h"

#include <aic/aic.h>
#include <check.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

Suite *suite_guard(void);

enum { KIND = AIC_GUARD_KINDS - 1 };

static aic_spec spec;

static void setup(void)
{
    ck_assert_int_eq(aic_spec_read("conv2d(dtype=float16, fm_shape=[2,9,9,16], kernel_shape=[2,3,3,32,16], "
                                   "pad=[1,1,1,1])",
                                   &spec),
                     AIC_OK);
}

static aic_status dump(aic_dump_stage stage)
{
    char *bytes;
    size_t size;
    aic_status status = aic_dump(NULL, &spec, NULL, stage, NULL, NULL, &bytes, &size);
    if (status == AIC_OK) {
        aic_free(bytes);
    }
    return status;
}

/* Emits a product of SSSE3 for a target without it: instruction selection gives up. */
static aic_status select_the_impossible(void *argument)
{
    const aic_target *target = aic_target_find(AIC_ARCH_X86_64, "sse2");
    LLVMTargetMachineRef machine;
    LLVMMemoryBufferRef buffer;
    aic_emit e;
    ck_assert_int_eq(aic_llvm_machine(target, NULL, false, &machine), AIC_OK);
    LLVMContextRef context = aic_llvm_context(argument);
    LLVMModuleRef module = LLVMModuleCreateWithNameInContext("impossible", context);
    ck_assert_int_eq(aic_llvm_prepare(module, machine), AIC_OK);
    aic_emit_open(&e, context, module, target, NULL);
    aic_emit_function(&e, "impossible", true, (const char *const[]){"p"}, 1, 0);
    LLVMValueRef bytes = aic_load(&e, aic_vector(e.i8, 16), aic_emit_param(&e, 0), 0, 1);
    LLVMValueRef args[] = {bytes, bytes};
    LLVMValueRef product = aic_emit_intrinsic(&e, "llvm.x86.ssse3.pmadd.ub.sw.128", NULL, 0, args, 2);
    aic_store(&e, product, aic_emit_param(&e, 0), 0, 1);
    aic_emit_function_end(&e);
    return aic_llvm_emit(module, machine, LLVMObjectFile, &buffer);
}

/* There in a build with the leak sanitizer only. */
void __lsan_disable(void) __attribute__((weak));
void __lsan_enable(void) __attribute__((weak));

/* Runs it in the guard. What LLVM held when it gave up is lost by design and no leak to report. */
static aic_status fail_to_select(void)
{
    bool failed;
    if (__lsan_disable != NULL) {
        __lsan_disable();
    }
    aic_status status = aic_guard_run(KIND, select_the_impossible, &failed);
    if (__lsan_enable != NULL) {
        __lsan_enable();
    }
    return status;
}

START_TEST(cannot_select)
{
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(fail_to_select(), AIC_COMPILE);
        ck_assert_msg(strstr(aic_last_error(), "annot select") != NULL, "%s", aic_last_error());
        ck_assert_int_eq(dump(AIC_DUMP_OBJ), AIC_OK);
    }
}
END_TEST

/* Arguments of an intrinsic as vectors of other elements than its own. */
static aic_status multiply_bytes(void *argument)
{
    const aic_target *target = aic_target_find(AIC_ARCH_X86_64, "sse2");
    aic_emit e;
    LLVMContextRef context = aic_llvm_context(argument);
    LLVMModuleRef module = LLVMModuleCreateWithNameInContext("bytes", context);
    aic_emit_open(&e, context, module, target, NULL);
    aic_emit_function(&e, "bytes", AIC_EMIT_ENTRY, (const char *const[]){"p"}, 1, 0);
    LLVMTypeRef own = aic_vector(e.i16, 8);
    const LLVMTypeRef other = aic_vector(e.i8, 16);
    LLVMValueRef p = aic_emit_param(&e, 0), args[] = {aic_load(&e, other, p, 0, 1), aic_load(&e, own, p, 16, 1)};
    LLVMValueRef product = aic_emit_intrinsic(&e, "llvm.x86.sse2.pmadd.wd", NULL, 0, args, 2);
    ck_assert(LLVMTypeOf(args[0]) == own && LLVMTypeOf(args[1]) == own);
    aic_store(&e, product, p, 0, 1);
    aic_emit_function_end(&e);
    aic_emit_close(&e);
    const aic_status status = aic_llvm_verify(module);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
    return status;
}

/* The types of intrinsics are not the same in all versions of LLVM: what is given becomes what they take. */
START_TEST(arguments_of_other_types)
{
    bool failed;
    ck_assert_msg(aic_guard_run(KIND, multiply_bytes, &failed) == AIC_OK, "%s", aic_last_error());
}
END_TEST

static aic_status return_what_is_asked(void *argument)
{
    return *(aic_status *)argument;
}

START_TEST(body_status_is_returned)
{
    aic_status status = AIC_IO;
    ck_assert_int_eq(aic_guard_run(KIND, return_what_is_asked, &status), AIC_IO);
    status = AIC_OK;
    ck_assert_int_eq(aic_guard_run(KIND, return_what_is_asked, &status), AIC_OK);
}
END_TEST

/* ---- more than arrays have room for ---- */

enum { MANY = 4 * AIC_LANES_MAX };

static LLVMValueRef long_vector(aic_emit *e)
{
    return aic_zero(aic_vector(e->i8, MANY));
}

static void want_constant(aic_emit *e)
{
    aic_const_int(aic_vector(e->i8, MANY), 7);
}

static void want_lanes(aic_emit *e)
{
    aic_lanes_of(e, long_vector(e), 0, 1, MANY);
}

static void want_permutation(aic_emit *e)
{
    static const unsigned FROM[MANY] = {0};
    aic_permute(e, long_vector(e), FROM, MANY);
}

static void want_concatenation(aic_emit *e)
{
    LLVMValueRef vectors[] = {long_vector(e), long_vector(e)};
    aic_concat(e, vectors, 2);
}

static void want_part(aic_emit *e)
{
    aic_load_part(e, e->i8, MANY, MANY - 1, aic_emit_param(e, 0), 0);
}

static void want_stored_part(aic_emit *e)
{
    aic_store_part(e, long_vector(e), MANY / 2 + 1, aic_emit_param(e, 0), 0);
}

static void want_transposition(aic_emit *e)
{
    LLVMValueRef vectors[MANY];
    for (unsigned i = 0; i < MANY; i++) {
        vectors[i] = aic_zero(aic_vector(e->i8, 4));
    }
    aic_transpose(e, vectors, MANY, 4);
}

static void want_long_transposition(aic_emit *e)
{
    LLVMValueRef vectors[] = {long_vector(e), long_vector(e)};
    aic_transpose(e, vectors, 2, 2);
}

static void want_bfloat16(aic_emit *e)
{
    const LLVMValueRef vector = aic_zero(aic_vector(e->f32, 4)), vectors[] = {vector, vector, vector};
    aic_float_to_bfloat16(e, vectors, 3, false);
}

static void want_parameters(aic_emit *e)
{
    static const char *const NAMES[AIC_PARAMS_MAX + 1] = {"a"};
    aic_emit_function(e, "wide", AIC_EMIT_HOT, NAMES, AIC_PARAMS_MAX, 1);
}

static void want_carried(aic_emit *e)
{
    LLVMValueRef carried[AIC_CARRIED_MAX + 1];
    aic_loop loop;
    for (unsigned i = 0; i <= AIC_CARRIED_MAX; i++) {
        carried[i] = aic_emit_param(e, 0);
    }
    aic_loop_begin(e, &loop, "loop", aic_int(e, 0), aic_int(e, 9), 1, carried, AIC_CARRIED_MAX + 1);
}

static void want_wide_pack(aic_emit *e)
{
    LLVMValueRef wide = aic_zero(aic_vector(e->i32, 2 * AIC_VECTOR_BITS_MAX / 32));
    aic_pack(e, wide, wide, false);
}

/* Tiles of transpositions that no schedule gives. */
static void want_tile(aic_emit *e, int64_t rows, int64_t cols, int64_t vector)
{
    const aic_move_key key = {
        .size = 1, .transposes = true, .rows = rows, .valid = rows, .cols = cols, .vector = vector};
    aic_emit_transpose(e, &key, 0, aic_emit_param(e, 0), aic_emit_param(e, 0), 0);
}

static void want_wide_tile(aic_emit *e)
{
    want_tile(e, 128, 16, 128);
}

static void want_high_tile(aic_emit *e)
{
    want_tile(e, 1024, 16, 16);
}

static void want_odd_tile(aic_emit *e)
{
    want_tile(e, 16, 17, 16);
}

static const struct {
    void (*emit)(aic_emit *e);
    const char *message;
} EXCEEDED[] = {
    {want_constant, "512 lanes of a constant, and room for 128"},
    {want_lanes, "512 lanes of a shuffle, and room for 128"},
    {want_permutation, "512 lanes of a shuffle"},
    {want_concatenation, "1024 lanes of a shuffle"},
    {want_part, "512 lanes of a vector of parts"},
    {want_stored_part, "256 lanes of a shuffle"},
    {want_transposition, "512 vectors of a transposition"},
    {want_long_transposition, "512 lanes of a transposition"},
    {want_bfloat16, "3 vectors that become bfloat16, and room for 2"},
    {want_parameters, "25 parameters of a function, and room for 24"},
    {want_carried, "129 values that a loop carries, and room for 128"},
    {want_wide_pack, "1024 bits of a vector, and room for 512"},
    {want_wide_tile, "8 lanes of a register, and room for 4"},
    {want_high_tile, "64 lane blocks of a tile, and room for 16"},
    {want_odd_tile, "1 columns of a tile behind its lane blocks, and room for 0"},
};

static aic_status want_too_much(void *argument)
{
    bool failed;
    aic_emit e;
    LLVMContextRef context = aic_llvm_context(&failed);
    LLVMModuleRef module = LLVMModuleCreateWithNameInContext("too_much", context);
    aic_emit_open(&e, context, module, aic_target_find(AIC_ARCH_X86_64, "avx512"), NULL);
    aic_emit_function(&e, "too_much", AIC_EMIT_ENTRY, (const char *const[]){"p"}, 1, 0);
    EXCEEDED[*(int *)argument].emit(&e);
    return AIC_OK;
}

START_TEST(more_than_there_is_room_for)
{
    if (__lsan_disable != NULL) {
        __lsan_disable();
    }
    aic_status status = aic_guard_run(KIND, want_too_much, &_i);
    if (__lsan_enable != NULL) {
        __lsan_enable();
    }
    ck_assert_int_eq(status, AIC_INTERNAL);
    ck_assert_msg(strstr(aic_last_error(), EXCEEDED[_i].message) != NULL, "%s", aic_last_error());
    ck_assert_int_eq(dump(AIC_DUMP_OBJ), AIC_OK);
}
END_TEST

/* Four dimensions with other blocks on both sides make more boxes than a nest has. */
START_TEST(more_boxes_than_there_is_room_for)
{
    const aic_move_axis dim = {100, {16, 1 << 20, 1}, {4, 1 << 20, 1}, false};
    const aic_move_axis dims[] = {dim, dim, dim, dim, dim, dim, dim};
    for (unsigned count = 1; count <= sizeof dims / sizeof dims[0]; count++) {
        aic_move nest;
        aic_move_describe(&nest, 1, dims, count);
        ck_assert_int_eq(aic_move_check_room(nest.incomplete), count <= 2 ? AIC_OK : AIC_INTERNAL);
    }
    ck_assert_ptr_nonnull(strstr(aic_last_error(), "more than 32 boxes"));
}
END_TEST

/* What has no room for all of its boxes has no schedule. */
START_TEST(no_schedule_of_what_is_incomplete)
{
    const aic_semantics semantics = aic_semantics_init();
    const aic_problem problem = {&spec, &semantics, aic_target_find(AIC_ARCH_X86_64, "avx2"),
                                 aic_machine_of(AIC_CORE_ZEN4)};
    aic_plan *plan;
    ck_assert_int_eq(aic_spec_read("transdata(dtype=int8, src=ND, dst=Nz, shape=[37,100])", &spec), AIC_OK);
    ck_assert_int_eq(aic_plan_create(&problem, &plan), AIC_OK);
    ck_assert_int_eq(aic_plan_choose(plan), AIC_OK);
    aic_move *move = (aic_move *)(void *)plan->work.part;
    move->incomplete = true;
    ck_assert_int_eq(aic_plan_choose(plan), AIC_INTERNAL);
    ck_assert_msg(strstr(aic_last_error(), "offers none for this specification") != NULL, "%s", aic_last_error());
    aic_plan_free(plan);
}
END_TEST

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
    ck_assert_int_eq(aic_guard_run(KIND, look_for_handler, &ours), AIC_OK);
    ck_assert(ours != first_handler && ours != NULL);
    ck_assert(cxx_get_new_handler() == first_handler);
    ck_assert_int_eq(fail_to_select(), AIC_COMPILE);
    ck_assert(cxx_get_new_handler() == first_handler);
    new_handler found = NULL;
    ck_assert_int_eq(aic_guard_run(KIND, replace_handler, &found), AIC_OK);
    ck_assert(found == ours);
    ck_assert(cxx_get_new_handler() == second_handler);
    cxx_set_new_handler(ours);
    ck_assert_int_eq(aic_guard_run(KIND, look_for_handler, &found), AIC_OK);
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
    child_expect(aic_guard_run(KIND, let_another_thread_fail, unused) == AIC_OK, "not the host's handler");
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
    child_expect(aic_guard_run(KIND, let_another_thread_allocate, &result) == AIC_OK, "the run");
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
    child_expect(aic_guard_run(KIND, succeed_at_once, NULL) == AIC_OK, "a run with memory");
    pthread_barrier_wait(&n->scarce);
    pthread_barrier_wait(&n->scarce);
    n->status = aic_guard_run(KIND, succeed_at_once, NULL);
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
    child_expect(aic_guard_run(KIND, take_all_memory, &n) == AIC_OK, "the other run");
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
    aic_guard_run(KIND, make_global, unused);
    return NULL;
}

static void exit_with_new_global(void *unused)
{
    pthread_t thread;
    child_expect(aic_guard_run(KIND, succeed, unused) == AIC_OK, "first run");
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
    aic_guard_run(KIND, exit_here, unused);
}

static void exit_later(void *unused)
{
    child_expect(aic_guard_run(KIND, succeed, unused) == AIC_OK, "first run");
    aic_guard_run(KIND, exit_here, unused);
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
    child_expect(aic_guard_run(KIND, fork_here, unused) == AIC_OK, "first run");
    child_expect(aic_guard_run(KIND, fork_here, unused) == AIC_OK, "second run");
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
        aic_guard_run(KIND, hand_over, r);
    }
    return NULL;
}

static void fork_between_runs(void *unused)
{
    relay r = {.entered = 0};
    pthread_t thread[2];
    child_expect(aic_guard_run(KIND, succeed, unused) == AIC_OK, "first run");
    for (int i = 0; i < 2; i++) {
        child_expect(pthread_create(&thread[i], NULL, run_on, &r) == 0, "thread");
    }
    while (atomic_load(&r.entered) < 4) {
        usleep(1000);
    }
    const pid_t process = fork();
    if (process == 0) {
        _exit(aic_guard_run(KIND, succeed, unused) == AIC_OK ? 0 : 1);
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

/* A function that does not end. */
static void emit_endless(void *unused, LLVMContextRef context, LLVMModuleRef module)
{
    (void)unused;
    LLVMValueRef function =
        LLVMAddFunction(module, "endless", LLVMFunctionType(LLVMVoidTypeInContext(context), NULL, 0, 0));
    (void)LLVMAppendBasicBlockInContext(context, function, "body");
}

/* Tests have every module verified, whatever the build is. */
START_TEST(malformed_module)
{
    const aic_codegen_request request = {.target = aic_target_find(AIC_ARCH_X86_64, "sse2"), .symbol = "endless"};
    char *bytes = NULL;
    size_t size = 0;
    ck_assert_int_eq(aic_codegen_run(&request, emit_endless, NULL, &bytes, &size), AIC_COMPILE);
    ck_assert_msg(strstr(aic_last_error(), "the emitted IR is malformed") != NULL, "%s", aic_last_error());
    ck_assert_int_eq(dump(AIC_DUMP_OBJ), AIC_OK);
}
END_TEST

static aic_status verify_malformed(void *unused)
{
    bool failed;
    LLVMContextRef context = aic_llvm_context(&failed);
    LLVMModuleRef module = LLVMModuleCreateWithNameInContext("endless", context);
    emit_endless(unused, context, module);
    const aic_status status = aic_llvm_verify(module);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
    return status;
}

/* Where nobody asks for it, modules are taken as they are. */
START_TEST(unverified_module)
{
    aic_llvm_verify_modules(false);
    ck_assert_int_eq(aic_guard_run(KIND, verify_malformed, NULL), AIC_OK);
    aic_llvm_verify_modules(true);
    ck_assert_int_eq(aic_guard_run(KIND, verify_malformed, NULL), AIC_COMPILE);
}
END_TEST

/* A function of an instruction that there is not. */
static void emit_no_instruction(void *unused, LLVMContextRef context, LLVMModuleRef module)
{
    static char text[] = "aicjit_is_no_instruction";
    (void)unused;
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(context), NULL, 0, 0);
    LLVMValueRef function = LLVMAddFunction(module, "wrong", type);
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
    LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(context, function, "body"));
    LLVMValueRef assembly =
        LLVMGetInlineAsm(type, text, sizeof text - 1, text, 0, true, false, LLVMInlineAsmDialectATT, false);
    LLVMBuildCall2(builder, type, assembly, NULL, 0, "");
    LLVMBuildRetVoid(builder);
    LLVMDisposeBuilder(builder);
}

/* A function that does nothing. */
static void emit_nothing(void *unused, LLVMContextRef context, LLVMModuleRef module)
{
    emit_endless(unused, context, module);
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
    LLVMPositionBuilderAtEnd(builder, LLVMGetLastBasicBlock(LLVMGetFirstFunction(module)));
    LLVMBuildRetVoid(builder);
    LLVMDisposeBuilder(builder);
}

/* Of a pipeline of passes, LLVM would not take an empty text for none. */
START_TEST(empty_pipeline)
{
    static const char *const PASSES[] = {NULL, "", "instcombine"};
    for (size_t i = 0; i < sizeof PASSES / sizeof PASSES[0]; i++) {
        const aic_codegen_request request = {
            .target = aic_target_find(AIC_ARCH_X86_64, "sse2"), .symbol = "nothing", .passes = PASSES[i]};
        char *bytes = NULL;
        size_t size = 0;
        ck_assert_msg(aic_codegen_run(&request, emit_nothing, NULL, &bytes, &size) == AIC_OK, "%s", aic_last_error());
        ck_assert_uint_gt(size, 0);
        aic_free(bytes);
    }
}
END_TEST

/* What LLVM only tells its diagnostic handler, and goes on, comes back as a status, too. */
START_TEST(wrong_assembly)
{
    const aic_codegen_request request = {.target = aic_target_find(AIC_ARCH_X86_64, "sse2"), .symbol = "wrong"};
    char *bytes = NULL;
    size_t size = 0;
    ck_assert_int_eq(aic_codegen_run(&request, emit_no_instruction, NULL, &bytes, &size), AIC_COMPILE);
    ck_assert_msg(strstr(aic_last_error(), "aicjit_is_no_instruction") != NULL, "%s", aic_last_error());
    ck_assert_ptr_null(bytes);
    ck_assert_int_eq(dump(AIC_DUMP_OBJ), AIC_OK);
}
END_TEST

START_TEST(no_such_architecture)
{
    const aic_codegen_request request = {
        .target = aic_target_find(AIC_ARCH_X86_64, "sse2"), .symbol = "wrong", .triple = "m68k-unknown-linux-gnu"};
    char *bytes = NULL;
    size_t size = 0;
    ck_assert_int_eq(aic_codegen_run(&request, emit_endless, NULL, &bytes, &size), AIC_COMPILE);
    ck_assert_msg(strstr(aic_last_error(), "m68k-unknown-linux-gnu") != NULL, "%s", aic_last_error());
    ck_assert_int_eq(dump(AIC_DUMP_OBJ), AIC_OK);
}
END_TEST

/* ---- machines of LLVM ---- */

/* A machine that was given back is used again, for what it was made for and by one at a time; more than there is room
 * for are done without. */
START_TEST(machines_are_used_again)
{
    enum { HELD = 6 };
    const aic_target *target = aic_target_find(aic_host_arch(), levels_name(0));
    LLVMTargetMachineRef machine[HELD], other;
    for (int i = 0; i < HELD; i++) {
        ck_assert_int_eq(aic_llvm_machine_take(target, false, &machine[i]), AIC_OK);
        for (int k = 0; k < i; k++) {
            ck_assert_ptr_ne(machine[k], machine[i]);
        }
    }
    aic_llvm_machine_give(target, false, machine[0]);
    ck_assert_int_eq(aic_llvm_machine_take(target, true, &other), AIC_OK);
    ck_assert_ptr_ne(other, machine[0]);
    aic_llvm_machine_give(target, true, other);
    ck_assert_int_eq(aic_llvm_machine_take(target, false, &other), AIC_OK);
    ck_assert_ptr_eq(other, machine[0]);
    for (int i = 0; i < HELD; i++) {
        aic_llvm_machine_give(target, false, machine[i]);
    }
    for (int i = 0; i < HELD; i++) {
        ck_assert_int_eq(aic_llvm_machine_take(target, false, &machine[i]), AIC_OK);
        for (int k = 0; k < i; k++) {
            ck_assert_ptr_ne(machine[k], machine[i]);
        }
    }
    for (int i = 0; i < HELD; i++) {
        LLVMDisposeTargetMachine(machine[i]);
    }
}
END_TEST

Suite *suite_guard(void)
{
    Suite *suite = suite_create("guard");
    TCase *faults = tcase_create("faults");
    tcase_set_timeout(faults, 60);
    tcase_add_checked_fixture(faults, setup, NULL);
    tcase_add_test(faults, cannot_select);
    tcase_add_test(faults, malformed_module);
    tcase_add_test(faults, unverified_module);
    tcase_add_test(faults, wrong_assembly);
    tcase_add_test(faults, no_such_architecture);
    tcase_add_test(faults, exit_inside);
    tcase_add_test(faults, fork_inside);
    tcase_add_test(faults, fork_comes_first);
    tcase_add_test(faults, arguments_of_other_types);
    tcase_add_test(faults, empty_pipeline);
    tcase_add_test(faults, body_status_is_returned);
    tcase_add_loop_test(faults, more_than_there_is_room_for, 0, (int)(sizeof EXCEEDED / sizeof EXCEEDED[0]));
    tcase_add_test(faults, more_boxes_than_there_is_room_for);
    tcase_add_test(faults, no_schedule_of_what_is_incomplete);
    tcase_add_test(faults, first_of_a_kind);
    tcase_add_test(faults, machines_are_used_again);
    tcase_add_test(faults, new_handler_of_the_host);
    tcase_add_test(faults, global_of_a_later_run);
#ifndef AIC_SANITIZED
    tcase_add_test(faults, allocation_outside);
    tcase_add_test(faults, exception_outside);
    tcase_add_test(faults, memory_of_others);
#endif
    suite_add_tcase(suite, faults);
    return suite;
}
