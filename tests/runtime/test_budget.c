/* Making a kernel takes bounded time, whatever the extents are: specifications are enlarged, field by field, up to the
 * limits of the documents; checking, scheduling, explaining and emitting each of them has a budget of processor time,
 * which is many times what an ordinary operator takes on the same machine in the same build. Nothing is run, so that
 * memory does not matter. */
#include "codegen/codegen.h"
#include "codegen/target/host.h"
#include "frontend/core/spec.h"
#include "frontend/random/rng.h"
#include "tests/claims.h"
#include "tests/machines.h"
#include "tests/specs.h"

#include <aic/aic.h>
#include <check.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

Suite *suite_budget(void);

enum { TIMES = 200 }; /* what an ordinary operator takes; large ones take up to ten times that */
enum { UNLIMITED = 3600 };
enum { WATCHDOG = 5 }; /* budgets, after which a step is ended */

/* ---- budgets ---- */

static char subject[4400]; /* what is being done, for the watchdog */
static double budget;      /* seconds */

static void end_test(int signal)
{
    static const char MESSAGE[] = "this does not end:\n";
    (void)signal;
    if (write(STDERR_FILENO, MESSAGE, sizeof MESSAGE - 1) > 0 && write(STDERR_FILENO, subject, strlen(subject)) > 0) {
        _exit(EXIT_FAILURE);
    }
    _exit(EXIT_FAILURE);
}

static void set_watchdog(double seconds)
{
    const struct itimerval timer = {
        .it_value = {.tv_sec = (time_t)seconds, .tv_usec = (suseconds_t)(1e6 * (seconds - floor(seconds)))}};
    ck_assert(signal(SIGPROF, end_test) != SIG_ERR);
    ck_assert_int_eq(setitimer(ITIMER_PROF, &timer, NULL), 0);
}

static double seconds_used(void)
{
    struct timespec now;
    ck_assert_int_eq(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now), 0);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void begin_step(const char *step, const aic_spec *spec, double *start)
{
    char text[4096];
    ck_assert_int_eq(aic_spec_print(spec, text, sizeof text, NULL), AIC_OK);
    (void)snprintf(subject, sizeof subject, "%s of %s\n", step, text);
    set_watchdog(WATCHDOG * budget);
    *start = seconds_used();
}

static void end_step(double start)
{
    const double used = seconds_used() - start;
    set_watchdog(0);
    ck_assert_msg(used <= budget, "%.3f s of processor time, more than %.3f: %s", used, budget, subject);
}

/* ---- large specifications ---- */

/* Limits of fields, numbers next to them, primes, products of limits. */
static const int64_t SIZES[] = {1,          2,          3,          17,         63,          64,         65,
                                255,        256,        4095,       4096,       8192,        16384,      32749,
                                32767,      65521,      65535,      65536,      1048573,     2147483647, 4294836225,
                                4294967291, 4294967295, 4294967296, 1000000007, 99999999977, 1 << 30};

static bool is_size(const aic_field *field)
{
    return field->kind == AIC_KIND_INT || field->kind == AIC_KIND_DIMS || field->kind == AIC_KIND_SIZE;
}

/* Puts the size into an entry of a field of the stage; one that was larger stays more often than not. */
static void put_size(uint64_t *state, aic_stage *stage, uint64_t size)
{
    const aic_record *record = &aic_op_get(stage->op)->record;
    const aic_field *field = &record->fields[aic_rng_range(state, 0, (int64_t)record->count - 1)];
    const uint32_t entry = (uint32_t)aic_rng_range(state, 0, field->count - 1);
    if (is_size(field) && (aic_field_word(field, &stage->desc, entry) < size || aic_rng_once_in(state, 4))) {
        aic_field_set_word(field, &stage->desc, entry, size);
    }
}

/* A dense input that does not move along one dimension of tensor arithmetic. */
static void broadcast_input(uint64_t *state, aic_spec *spec)
{
    enum { RANK = 4 };
    aic_stage *stage = &spec->stage[0];
    const bool words = stage->op == AIC_OP_TENSOR_ARITHMETIC;
    const int64_t *shape = words ? stage->desc.tensor_arithmetic.shape : stage->desc.tensor_arithmetic_quantized.shape;
    int64_t *stride =
        words ? stage->desc.tensor_arithmetic.input1_stride : stage->desc.tensor_arithmetic_quantized.input1_stride;
    int64_t step = 1;
    for (int d = RANK - 1; d >= 0; d--) {
        stride[d] = step;
        step *= d == 0 ? 1 : shape[d];
    }
    stride[aic_rng_range(state, 0, RANK - 1)] = 0;
}

static void enlarge(uint64_t *state, const aic_semantics *semantics, aic_spec *spec)
{
    enum { TURNS = 150 };
    for (int turn = 0; turn < TURNS; turn++) {
        aic_spec larger = *spec;
        const uint64_t size = (uint64_t)SIZES[aic_rng_range(state, 0, sizeof SIZES / sizeof SIZES[0] - 1)];
        for (int64_t fields = aic_rng_range(state, 1, 3); fields > 0; fields--) {
            put_size(state, &larger.stage[aic_rng_range(state, 0, spec->count - 1)], size);
        }
        if (aic_spec_validate(&larger, semantics) == AIC_OK) {
            *spec = larger;
        }
    }
    aic_spec sharing = *spec;
    if (spec->stage[0].op == AIC_OP_TENSOR_ARITHMETIC || spec->stage[0].op == AIC_OP_TENSOR_ARITHMETIC_QUANTIZED) {
        broadcast_input(state, &sharing);
        *spec = aic_spec_validate(&sharing, semantics) == AIC_OK && aic_rng_once_in(state, 2) ? sharing : *spec;
    }
}

/* ---- what is timed ---- */

static void plan(const aic_spec *spec, const aic_semantics *semantics, const aic_target *target)
{
    double start;
    int64_t macs, bytes;
    aic_spec resolved;
    char *text;
    begin_step("plan", spec, &start);
    ck_assert_int_eq(aic_spec_resolve_kernel(spec, semantics, &resolved), AIC_OK);
    ck_assert_int_eq(aic_spec_work(spec, semantics, &macs, &bytes), AIC_OK);
    const aic_problem problem = {&resolved, semantics, target, machine_of(NULL)};
    ck_assert_int_eq(aic_generator_linked()->explain(&problem, NULL, &text), AIC_OK);
    free(text);
    end_step(start);
}

static void emit(const aic_spec *spec, aic_context *context)
{
    double start;
    char *object;
    size_t size;
    begin_step("object", spec, &start);
    const aic_status status = aic_dump(context, spec, NULL, AIC_DUMP_OBJ, NULL, NULL, &object, &size);
    ck_assert_msg(status == AIC_OK, "%s: %s", subject, aic_last_error());
    aic_free(object);
    end_step(start);
}

static void check(const aic_spec *spec, const aic_semantics *semantics, aic_context *context, bool emits)
{
    const aic_target *target = aic_target_find(aic_host_arch(), aic_context_isa(context));
    plan(spec, semantics, target);
    if (emits) {
        emit(spec, context);
    }
}

/* The least of several times, the first of which loads what all need. */
static void set_budget(const aic_semantics *semantics, aic_context *context)
{
    const aic_spec spec = spec_of("conv2d(dtype=int8, fm_shape=[2,14,14,32], kernel_shape=[2,3,3,64,32])");
    double least = INFINITY;
    budget = UNLIMITED;
    for (int round = 0; round < 3; round++) {
        const double start = seconds_used();
        check(&spec, semantics, context, true);
        least = fmin(least, seconds_used() - start);
    }
    budget = TIMES * least;
}

/* Contexts of the lowest and of the highest level of this host. */
enum { LEVELS = 2 };

static void open_contexts(const aic_semantics *semantics, aic_context *contexts[LEVELS])
{
    for (int i = 0; i < LEVELS; i++) {
        aic_context_options options = aic_context_options_init();
        options.isa = i == 0 ? aic_isa_name(0) : NULL;
        options.semantics = *semantics;
        ck_assert_msg(aic_context_create(&options, &contexts[i]) == AIC_OK, "%s", aic_last_error());
    }
    set_budget(semantics, contexts[LEVELS - 1]);
}

static void close_contexts(aic_context *contexts[LEVELS])
{
    for (int i = 0; i < LEVELS; i++) {
        aic_context_destroy(contexts[i]);
    }
}

/* ---- pseudo-random ones ---- */

static const struct {
    aic_op op, consumer;
    int64_t lanes, lane_bytes; /* 0: the defaults */
} SUBJECTS[] = {
    {AIC_OP_CONV2D, AIC_OP_NONE, 0, 0},
    {AIC_OP_CONV2D, AIC_OP_FIXPIPE, 0, 0},
    {AIC_OP_MMAD, AIC_OP_NONE, 0, 0},
    {AIC_OP_MMAD, AIC_OP_FIXPIPE, 0, 0},
    {AIC_OP_FIXPIPE, AIC_OP_NONE, 0, 0},
    {AIC_OP_TIK_FIXPIPE, AIC_OP_NONE, 0, 0},
    {AIC_OP_TENSOR_ARITHMETIC, AIC_OP_NONE, 0, 0},
    {AIC_OP_TENSOR_ARITHMETIC, AIC_OP_NONE, 4096, 1 << 30},
    {AIC_OP_TENSOR_ARITHMETIC_QUANTIZED, AIC_OP_NONE, 0, 0},
    {AIC_OP_TENSOR_ARITHMETIC_QUANTIZED, AIC_OP_NONE, 63, 1 << 30},
    {AIC_OP_TEXPANDS, AIC_OP_NONE, 0, 0},
    {AIC_OP_TRANSDATA, AIC_OP_NONE, 0, 0},
    {AIC_OP_ND2NZ, AIC_OP_NONE, 0, 0},
    {AIC_OP_LOAD_DATA, AIC_OP_NONE, 0, 0},
    {AIC_OP_LOAD_DATA_TRANSPOSE, AIC_OP_NONE, 0, 0},
};

START_TEST(large_extents)
{
    enum { SPECS = 48, EMITTED_OF = 6 };
    aic_semantics semantics = aic_semantics_init();
    aic_context *contexts[LEVELS];
    if (SUBJECTS[_i].lanes != 0) {
        semantics.lanes = SUBJECTS[_i].lanes;
        semantics.lane_bytes = SUBJECTS[_i].lane_bytes;
    }
    open_contexts(&semantics, contexts);
    for (uint64_t seed = 0; seed < SPECS; seed++) {
        uint64_t state = claims_seed(seed);
        aic_spec spec;
        const aic_status status =
            SUBJECTS[_i].consumer == AIC_OP_NONE
                ? aic_spec_draw(SUBJECTS[_i].op, &semantics, seed, &spec)
                : aic_spec_draw_chain(SUBJECTS[_i].op, SUBJECTS[_i].consumer, &semantics, seed, &spec);
        ck_assert_msg(status == AIC_OK, "%s", aic_last_error());
        enlarge(&state, &semantics, &spec);
        check(&spec, &semantics, contexts[seed % LEVELS], seed / LEVELS % (EMITTED_OF / LEVELS) == 0);
    }
    close_contexts(contexts);
}
END_TEST

/* ---- those that took long ---- */

static const char *const LONG[] = {
    "tensor_arithmetic(op=BM_ADD, shape=[2,4095,65535,65535], input1_stride=[0,4294836225,65535,1])",
    "tensor_arithmetic(op=BM_ADD, shape=[1,3,65535,65535], input1_stride=[0,0,65535,1])",
    "tensor_arithmetic_quantized(op=BM_ADD, shape=[9,4095,65535,65535], input1_stride=[0,4294836225,65535,1])",
};

START_TEST(took_long)
{
    const aic_semantics semantics = aic_semantics_init();
    const aic_spec spec = spec_of(LONG[_i]);
    aic_context *contexts[LEVELS];
    open_contexts(&semantics, contexts);
    for (int i = 0; i < LEVELS; i++) {
        check(&spec, &semantics, contexts[i], true);
    }
    close_contexts(contexts);
}
END_TEST

Suite *suite_budget(void)
{
    Suite *suite = suite_create("budget");
    TCase *cases = tcase_create("budgets");
    tcase_set_timeout(cases, 3600); /* the watchdog counts processor time, whatever else this machine does */
    tcase_add_loop_test(cases, large_extents, 0, (int)(sizeof SUBJECTS / sizeof SUBJECTS[0]));
    tcase_add_loop_test(cases, took_long, 0, (int)(sizeof LONG / sizeof LONG[0]));
    suite_add_tcase(suite, cases);
    return suite;
}
