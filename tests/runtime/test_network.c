/* Networks that run: results against the references one by one, with a buffer of its own for each tensor; buffers that
 * share memory; batches, threads, children; what calls refuse. */
#include "frontend/core/stage.h"
#include "runtime/threads/pool.h"
#include "tests/child.h"
#include "tests/levels.h"
#include "tests/machines.h"
#include "tests/network_case.h"
#include "tests/specs.h"
#include "tools/harness/guard.h"

#include <check.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Suite *suite_network(void);

/* ---- a network of int8: a chain of layers ---- */

#define LAYER                                                                                                          \
    "conv2d(dtype=int8, fm_shape=[1,6,6,32], kernel_shape=[1,3,3,32,32], pad=[1,1,1,1]) | "                            \
    "fixpipe(src=int32, dst=int8, format=NZ, quantPre=REQ8, deqScalar=quant(0.01, 0, int8))"
#define RUN(out, in, w) "kernel " LAYER " : dst=" #out " feature_map=" #in " weight=" #w "\n"
#define BUFFER(name) "buffer " #name " int8 [1,6,6,32]\n"

enum { PLANE = 6 * 6 * 32, WEIGHTS = 9 * 32 * 32 };

static const char LAYERS[] = "input x int8 [1,6,6,32]\n\n"
                             "constant w w.npy\nconstant v v.npy\n"
                             "  # three layers share two buffers\n" BUFFER(a) BUFFER(b) BUFFER(c) BUFFER(y) RUN(a, x, w)
                                 RUN(b, a, v) RUN(c, b, w) RUN(y, c, v) "output y\n";

static void open_layers(network_case *c, void *weights[2])
{
    network_case_open(c);
    weights[0] = network_case_npy(c, "w.npy", AIC_INT8, WEIGHTS, NULL);
    weights[1] = network_case_npy(c, "v.npy", AIC_INT8, WEIGHTS, NULL);
    network_case_text(c, LAYERS);
}

/* What the layers make of x by the reference, in memory of its own for each. */
static void expect_layers(const void *x, void *const weights[2], int8_t y[PLANE])
{
    const aic_spec spec = spec_of(LAYER);
    static _Alignas(64) int8_t plane[2][PLANE];
    memcpy(plane[0], x, PLANE);
    for (int layer = 0; layer < 4; layer++) {
        void *const operands[] = {plane[(layer + 1) % 2], plane[layer % 2], weights[layer % 2], NULL};
        run_reference(&spec, NULL, operands, 4);
    }
    memcpy(y, plane[0], PLANE);
}

static aic_status call(const aic_network *network, const void *x, void *y)
{
    return aic_network_call(network, &x, 1, &y, 1);
}

static aic_context *context_with(int threads, const char *isa)
{
    aic_context_options options = aic_context_options_init();
    aic_context *context;
    options.threads = threads;
    options.isa = isa;
    ck_assert_msg(aic_context_create(&options, &context) == AIC_OK, "%s", aic_last_error());
    return context;
}

/* Inputs and outputs end where memory ends, and begin where it begins. */
static void check_guarded(const aic_network *network, const void *x, const int8_t expected[PLANE])
{
    static const guard_side SIDES[] = {GUARD_BEFORE, GUARD_AFTER};
    for (int side = 0; side < 2; side++) {
        guard_buffer in, out;
        ck_assert(guard_open(&in, PLANE, 1, SIDES[side]) && guard_open(&out, PLANE, 1, SIDES[side]));
        memcpy(in.data, x, PLANE);
        ck_assert_msg(call(network, in.data, out.data) == AIC_OK, "%s", aic_last_error());
        ck_assert_mem_eq(out.data, expected, PLANE);
        ck_assert_mem_eq(in.data, x, PLANE);
        guard_close(&in);
        guard_close(&out);
    }
}

START_TEST(layers_give_what_the_references_give)
{
    network_case c;
    void *weights[2], *x = network_case_values(AIC_INT8, PLANE, 3);
    int8_t expected[PLANE], y[PLANE];
    aic_context *context = context_with(0, levels_name(_i));
    open_layers(&c, weights);
    expect_layers(x, weights, expected);
    aic_network *network = network_case_network(&c, context, NULL);
    network_case_close(&c); /* it is read once */
    aic_context_destroy(context);
    for (int again = 0; again < 3; again++) {
        memset(y, 0x55, sizeof y);
        ck_assert_msg(call(network, x, y) == AIC_OK, "%s", aic_last_error());
        ck_assert_mem_eq(y, expected, PLANE);
    }
    check_guarded(network, x, expected);
    aic_network_destroy(network);
    free(weights[0]);
    free(weights[1]);
    free(x);
}
END_TEST

/* Of a layer's weights, however they are packed here. */
static size_t packed_bytes(void)
{
    const aic_spec spec = spec_of(LAYER);
    aic_kernel *kernel;
    size_t bytes = 0;
    ck_assert_msg(aic_kernel_create(NULL, &spec, NULL, &kernel) == AIC_OK, "%s", aic_last_error());
    ck_assert_int_eq(aic_kernel_packed_size(kernel, 2, &bytes), AIC_OK);
    aic_kernel_destroy(kernel);
    return bytes;
}

START_TEST(facts_are_told)
{
    network_case c;
    void *weights[2];
    aic_network_facts facts = aic_network_facts_init();
    open_layers(&c, weights);
    aic_network *network = network_case_network(&c, NULL, NULL);
    ck_assert_int_eq(aic_network_info(network, &facts), AIC_OK);
    ck_assert_uint_eq(facts.inputs, 1);
    ck_assert_uint_eq(facts.outputs, 1);
    ck_assert_uint_eq(facts.kernels, 4);
    ck_assert_str_eq(facts.input[0].name, "x");
    ck_assert_str_eq(facts.output[0].name, "y");
    ck_assert_int_eq(facts.input[0].dtype, AIC_INT8);
    ck_assert_int_eq(facts.input[0].rank, 4);
    ck_assert_int_eq(facts.input[0].bytes, PLANE);
    ck_assert_str_eq(facts.kernel[1].output, "b");
    ck_assert_uint_eq(facts.kernel[1].line, 12);
    ck_assert_int_eq(facts.kernel[0].macs, INT64_C(36) * 9 * 32 * 32);
    ck_assert_ptr_nonnull(strstr(facts.kernel[3].text, "conv2d(dtype=int8"));
    ck_assert_ptr_nonnull(strstr(facts.kernel[3].schedule, "schedule("));
    ck_assert_int_eq(facts.buffer_bytes, 3 * PLANE); /* y is the caller's */
    ck_assert_int_eq(facts.arena_bytes, 2 * PLANE);
    ck_assert_uint_eq((size_t)facts.constant_bytes, 2 * packed_bytes()); /* each is packed once, for two kernels */
    ck_assert(facts.kernel[0].packed && facts.kernel[3].packed);
    facts.size = offsetof(aic_network_facts, outputs); /* of an older library's user */
    facts.outputs = 77;
    ck_assert_int_eq(aic_network_info(network, &facts), AIC_OK);
    ck_assert_uint_eq(facts.outputs, 77);
    aic_network_destroy(network);
    network_case_close(&c);
    free(weights[0]);
    free(weights[1]);
}
END_TEST

/* ---- a residual, views, in place ---- */

#define CONV(acc) "conv2d(dtype=float16, fm_shape=[1,5,5,16], kernel_shape=[1,1,1,16,16]" acc ")"
#define HALF " | fixpipe(src=float32, dst=float16, quantPre=F322F16, format=NZ)"
enum { HALVES = 5 * 5 * 16, SUMS = 32 * 16 };

static const char RESIDUAL[] =
    "input x float16 [1,5,5,16]\n"
    "constant w w.npy\n"
    "buffer sums float32 [1,32,16]\n"
    "buffer both float16 [2,5,5,16]\n"
    "view low both float16 [1,5,5,16] at 0\n"
    "view high both float16 [1,5,5,16] at 800\n"
    "view words both uint32 [400] at 0\n"
    "buffer y float32 [400]\n"
    "kernel " CONV("") " : dst=sums feature_map=x weight=w\n"
                       "kernel tensor_arithmetic(op=BM_ADD, shape=[1,1,32,16]) : output=sums input0=sums input1=sums\n"
                       "kernel " CONV("") HALF
    " : dst=high feature_map=x weight=w\n"
    "kernel " CONV("") " | tensor_arithmetic(op=BM_ADD)" HALF " : dst=low feature_map=high weight=w input1=sums\n"
                       "kernel tensor_arithmetic(op=BM_CPY, shape=[1,1,25,16]) : output=y input0=words\n"
                       "output y\n";

static void expect_residual(const void *x, void *w, void *y)
{
    static _Alignas(64) float sums[SUMS];
    static _Alignas(64) uint16_t both[2][HALVES];
    const aic_spec conv = spec_of(CONV("")), half = spec_of(CONV("") HALF);
    const aic_spec add = spec_of("tensor_arithmetic(op=BM_ADD, shape=[1,1,32,16])");
    const aic_spec residual = spec_of(CONV("") " | tensor_arithmetic(op=BM_ADD)" HALF);
    void *in = (void *)(uintptr_t)x;
    memset(sums, 0, sizeof sums);
    run_reference(&conv, NULL, (void *[]){sums, in, w}, 3);
    run_reference(&add, NULL, (void *[]){sums, sums, sums}, 3);
    run_reference(&half, NULL, (void *[]){both[1], in, w, NULL}, 4);
    run_reference(&residual, NULL, (void *[]){both[0], both[1], w, sums, NULL}, 5);
    memcpy(y, both, sizeof both);
}

START_TEST(residuals_views_and_in_place)
{
    network_case c;
    aic_network_options options = aic_network_options_init();
    static _Alignas(64) unsigned char expected[4 * HALVES], y[4 * HALVES];
    network_case_open(&c);
    void *x = network_case_values(AIC_FLOAT16, HALVES, 5), *w = network_case_npy(&c, "w.npy", AIC_FLOAT16, 256, NULL);
    network_case_text(&c, RESIDUAL);
    expect_residual(x, w, expected);
    for (int reference = 0; reference < 2; reference++) {
        options.reference = reference == 1;
        aic_network *network = network_case_network(&c, NULL, &options);
        memset(y, 0, sizeof y);
        ck_assert_msg(call(network, x, y) == AIC_OK, "%s", aic_last_error());
        ck_assert_mem_eq(y, expected, sizeof y);
        aic_network_destroy(network);
    }
    network_case_close(&c);
    free(x);
    free(w);
}
END_TEST

/* ---- batches, threads, children ---- */

enum { IMAGES = 7, BY_REFERENCE = 4 };

START_TEST(batches_are_as_many_calls)
{
    network_case c;
    void *weights[2];
    static int8_t expected[IMAGES][PLANE], y[IMAGES][PLANE];
    int8_t *x = network_case_values(AIC_INT8, (int64_t)IMAGES * PLANE, 3);
    aic_network_options options = aic_network_options_init();
    options.reference = _i == BY_REFERENCE;
    aic_pool_suppose(AIC_POOL_ALWAYS);
    aic_context *context = context_with(_i == BY_REFERENCE ? 2 : 1 + _i, NULL);
    machine_share_from(context, 0);
    open_layers(&c, weights);
    aic_network *network = network_case_network(&c, context, &options);
    for (size_t k = 0; k < IMAGES; k++) {
        expect_layers(x + k * PLANE, weights, expected[k]);
    }
    for (size_t n = 0; n <= IMAGES; n++) {
        const void *in = x;
        void *out = y;
        memset(y, 0x55, sizeof y);
        ck_assert_msg(aic_network_batch(network, &in, 1, &out, 1, n) == AIC_OK, "%s", aic_last_error());
        ck_assert(n == 0 || memcmp(y, expected, n * PLANE) == 0);
        ck_assert(n == IMAGES || y[n][0] == 0x55);
    }
    aic_network_destroy(network);
    aic_context_destroy(context);
    aic_pool_suppose(AIC_POOL_USUAL);
    network_case_close(&c);
    free(weights[0]);
    free(weights[1]);
    free(x);
}
END_TEST

/* So many that threads are at different kernels at the same time: an arena that two had would show. */
START_TEST(threads_have_arenas_of_their_own)
{
    enum { MANY = 1000 };
    network_case c;
    void *weights[2];
    int8_t *few = network_case_values(AIC_INT8, (int64_t)IMAGES * PLANE, 3);
    int8_t *x = malloc((size_t)MANY * PLANE), *y = malloc((size_t)MANY * PLANE);
    static int8_t expected[IMAGES][PLANE];
    ck_assert(x != NULL && y != NULL);
    aic_pool_suppose(AIC_POOL_ALWAYS);
    aic_context *context = context_with(4, NULL);
    open_layers(&c, weights);
    aic_network *network = network_case_network(&c, context, NULL);
    for (size_t k = 0; k < MANY; k++) {
        memcpy(x + k * PLANE, few + k % IMAGES * PLANE, PLANE);
    }
    for (size_t k = 0; k < IMAGES; k++) {
        expect_layers(few + k * PLANE, weights, expected[k]);
    }
    ck_assert_int_eq(aic_network_batch(network, (const void *[]){x}, 1, (void *[]){y}, 1, MANY), AIC_OK);
    for (size_t k = 0; k < MANY; k++) {
        ck_assert_mem_eq(y + k * PLANE, expected[k % IMAGES], PLANE);
    }
    aic_network_destroy(network);
    aic_context_destroy(context);
    aic_pool_suppose(AIC_POOL_USUAL);
    network_case_close(&c);
    free(weights[0]);
    free(weights[1]);
    free(few);
    free(x);
    free(y);
}
END_TEST

typedef struct caller {
    const aic_network *network;
    const int8_t *x, *expected;
    bool same;
} caller;

static void *call_often(void *argument)
{
    enum { CALLS = 50 };
    caller *who = argument;
    who->same = true;
    for (int i = 0; i < CALLS && who->same; i++) {
        int8_t y[PLANE];
        who->same = call(who->network, who->x, y) == AIC_OK && memcmp(y, who->expected, PLANE) == 0;
    }
    return NULL;
}

static void call_in_child(void *argument)
{
    caller *who = argument;
    (void)call_often(who);
    child_expect(who->same, "the child's result");
}

/* More callers than arenas are kept; each has an input of its own. */
START_TEST(any_number_of_threads_calls)
{
    enum { CALLERS = 11 };
    network_case c;
    void *weights[2], *x[CALLERS];
    pthread_t thread[CALLERS];
    static int8_t expected[CALLERS][PLANE];
    caller who[CALLERS];
    open_layers(&c, weights);
    aic_network *network = network_case_network(&c, NULL, NULL);
    for (size_t i = 0; i < CALLERS; i++) {
        x[i] = network_case_values(AIC_INT8, PLANE, 100 + i);
        expect_layers(x[i], weights, expected[i]);
        who[i] = (caller){network, x[i], expected[i], false};
        ck_assert_int_eq(pthread_create(&thread[i], NULL, call_often, &who[i]), 0);
    }
    for (size_t i = 0; i < CALLERS; i++) {
        ck_assert_int_eq(pthread_join(thread[i], NULL), 0);
        ck_assert(who[i].same);
    }
    ck_assert_str_eq(child_run(call_in_child, &who[0]), "");
    aic_network_destroy(network);
    network_case_close(&c);
    for (size_t i = 0; i < CALLERS; i++) {
        free(x[i]);
    }
    free(weights[0]);
    free(weights[1]);
}
END_TEST

/* ---- progress, steps ---- */

typedef struct seen {
    size_t calls, last, most, stop;
} seen;

static bool see(void *user, size_t made, size_t kernels)
{
    seen *s = user;
    s->calls++;
    ck_assert_uint_gt(made, s->last);
    s->last = made;
    s->most = kernels;
    return made < s->stop;
}

static void take_step(void *user, size_t kernel)
{
    seen *s = user;
    ck_assert_uint_eq(kernel, s->calls++);
}

/* A timed call gives the results of any other, and the time of each of the four kernels. */
static void times_are_of_kernels(const aic_network *network, const void *x, const int8_t *y)
{
    int8_t again[PLANE];
    uint64_t ns[5];
    memset(ns, 0xff, sizeof ns);
    ck_assert_int_eq(aic_network_call_timed(network, &x, 1, (void *[]){again}, 1, ns), AIC_OK);
    ck_assert_mem_eq(again, y, sizeof again);
    for (int i = 0; i < 4; i++) {
        ck_assert_uint_lt(ns[i], UINT64_MAX);
    }
    ck_assert_uint_eq(ns[4], UINT64_MAX);
}

START_TEST(progress_and_steps)
{
    network_case c;
    void *weights[2], *x = network_case_values(AIC_INT8, PLANE, 3);
    int8_t y[PLANE];
    seen s = {.stop = 100};
    aic_network_options options = aic_network_options_init();
    aic_network *network = NULL;
    options.user = &s;
    options.progress = see;
    open_layers(&c, weights);
    aic_network_destroy(network_case_network(&c, NULL, &options));
    ck_assert_uint_eq(s.last, 4);
    ck_assert_uint_eq(s.most, 4);
    s = (seen){.stop = 4}; /* whoever says stop at last is heard, too */
    ck_assert_int_eq(aic_network_open(NULL, c.folder, &options, &network), AIC_INVALID_ARGUMENT);
    ck_assert_ptr_null(network);
    ck_assert_str_eq(aic_last_error(), "network: progress ended the work after 4 of 4 kernels");
    s = (seen){.calls = 0};
    options.progress = NULL;
    options.step = take_step;
    network = network_case_network(&c, NULL, &options);
    ck_assert_int_eq(call(network, x, y), AIC_OK);
    ck_assert_uint_eq(s.calls, 4);
    s.calls = 0;
    times_are_of_kernels(network, x, y);
    aic_network_destroy(network);
    network_case_close(&c);
    free(weights[0]);
    free(weights[1]);
    free(x);
}
END_TEST

/* Four kernels that are none but the first the same. */
#define WORDS(op, out, in)                                                                                             \
    "kernel tensor_arithmetic(op=" #op ", shape=[1,1,4,4]) : output=" #out " input0=" #in " input1=x\n"
static const char DIFFERENT[] =
    "input x float32 [16]\nbuffer a float32 [16]\nbuffer b float32 [16]\nbuffer y float32 [16]\n" WORDS(BM_MUL, a, x)
        WORDS(BM_ADD, b, a) WORDS(BM_SUB, a, b) WORDS(BM_MAX, y, a) "output y\n";

/* Holds the only maker with its second kernel until progress has said stop. */
typedef struct stopper {
    sem_t told;
    int made, calls;
    size_t last;
} stopper;

static void hold_second(void *data, int level, const char *line)
{
    stopper *s = data;
    if (level == 2 && strncmp(line, "miss ", 5) == 0 && ++s->made == 2) {
        while (sem_wait(&s->told) != 0) {
        }
    }
}

static bool stop(void *user, size_t made, size_t kernels)
{
    stopper *s = user;
    ck_assert_uint_eq(kernels, 4);
    s->calls++;
    s->last = made;
    ck_assert_int_eq(sem_post(&s->told), 0);
    return false;
}

/* What was begun when progress says stop is made, and no kernel more. */
START_TEST(progress_ends_the_work)
{
    network_case c;
    stopper s = {.made = 0};
    aic_context_options options = aic_context_options_init();
    aic_network_options network_options = aic_network_options_init();
    aic_context *context;
    aic_network *network = NULL;
    ck_assert_int_eq(sem_init(&s.told, 0, 0), 0);
    options.threads = 1;
    options.cache = "off";
    options.verbose = 2;
    options.log = hold_second;
    options.log_data = &s;
    network_options.progress = stop;
    network_options.user = &s;
    ck_assert_int_eq(aic_context_create(&options, &context), AIC_OK);
    network_case_open(&c);
    network_case_text(&c, DIFFERENT);
    ck_assert_int_eq(aic_network_open(context, c.folder, &network_options, &network), AIC_INVALID_ARGUMENT);
    ck_assert_str_eq(aic_last_error(), "network: progress ended the work after 2 of 4 kernels");
    ck_assert_ptr_null(network);
    ck_assert(s.calls == 1 && s.last == 1 && s.made == 2);
    aic_context_destroy(context);
    (void)sem_destroy(&s.told);
    network_case_close(&c);
}
END_TEST

/* ---- what ends a call, calls in calls ---- */

/* A caller's loop on the calling thread, in halves. Inside of it, perhaps, a batch of another network. */
typedef struct loop {
    int calls;
    const aic_network *inner;
    const void *in[2];
    void *out;
} loop;

static void by_halves(void *user, int64_t items, int workers, aic_parallel_body body, void *data)
{
    loop *l = user;
    l->calls++;
    if (l->inner != NULL) {
        ck_assert_msg(aic_network_batch(l->inner, l->in, 2, &l->out, 1, 4) == AIC_OK, "%s", aic_last_error());
    }
    body(data, 0, items / 2, 0);
    body(data, items / 2, items, workers - 1);
}

enum { TILE = 8 * 8 };
static const char TILES[] = "input rows int32 [1]\ninput s float32 [1]\nbuffer y float32 [8,8]\n"
                            "kernel texpands(dtype=float32, rows=8, cols=8) : dst=y scalar=s\n"
                            "kernel texpands(dtype=float32, rows=8, cols=8, v_row=dyn) : dst=y scalar=s v_row=rows\n"
                            "output y\n";

static aic_network *open_tiles(network_case *c, loop *l, aic_context **context)
{
    aic_context_options options = aic_context_options_init();
    options.threads = 2;
    options.parallel_for = by_halves;
    options.parallel_for_data = l;
    ck_assert_msg(aic_context_create(&options, context) == AIC_OK, "%s", aic_last_error());
    network_case_open(c);
    network_case_text(c, TILES);
    return network_case_network(c, *context, NULL);
}

/* Of images that break a rule it is the first that was come to that the batch tells; no worker goes on behind its own.
 */
START_TEST(an_image_that_fails_ends_a_batch)
{
    network_case c;
    loop l = {.calls = 0};
    aic_context *context;
    aic_network *network = open_tiles(&c, &l, &context);
    static const int32_t rows[6] = {8, 99, 8, 77, 8, 8}, right[6] = {8, 1, 2, 3, 4, 5};
    static const float values[6] = {1, 2, 3, 4, 5, 6};
    static float y[6][TILE];
    void *out = y;
    ck_assert_int_eq(aic_network_batch(network, (const void *[]){rows, values}, 2, &out, 1, 6), AIC_INVALID_ARGUMENT);
    ck_assert_msg(strstr(aic_last_error(), "line 6") != NULL && strstr(aic_last_error(), "99") != NULL, "%s",
                  aic_last_error());
    ck_assert_int_eq(l.calls, 1);
    ck_assert(y[0][0] == 1 && y[2][0] == 0 && y[4][0] == 0 && y[5][0] == 0);
    ck_assert_int_eq(aic_network_batch(network, (const void *[]){right, values}, 2, &out, 1, 6), AIC_OK);
    ck_assert(y[1][7] == 2 && y[5][4 * 8] == 6);
    aic_network_destroy(network);
    aic_context_destroy(context);
    network_case_close(&c);
}
END_TEST

/* In a loop of the library's a batch is done by the thread that it is called on. */
START_TEST(batches_in_loops_are_not_divided)
{
    network_case c;
    loop l = {.calls = 0};
    aic_context *context;
    aic_network *network = open_tiles(&c, &l, &context);
    static const int32_t rows[4] = {8, 8, 8, 8};
    static const float values[4] = {1, 2, 3, 4}, others[4] = {5, 6, 7, 8};
    static float y[4][TILE], z[4][TILE];
    void *out = y;
    l = (loop){.inner = network, .in = {rows, others}, .out = z};
    ck_assert_int_eq(aic_network_batch(network, (const void *[]){rows, values}, 2, &out, 1, 4), AIC_OK);
    ck_assert_int_eq(l.calls, 1);
    for (int k = 0; k < 4; k++) {
        ck_assert(y[k][0] == values[k] && y[k][TILE - 1] == values[k]);
        ck_assert(z[k][0] == others[k] && z[k][TILE - 1] == others[k]);
    }
    aic_network_destroy(network);
    aic_context_destroy(context);
    network_case_close(&c);
}
END_TEST

/* A step that calls the network once more, to a depth. */
typedef struct depth {
    const aic_network *network;
    const int8_t *x;
    int left;
} depth;

static void call_deeper(void *user, size_t kernel)
{
    depth *d = user;
    int8_t y[PLANE];
    if (kernel == 1 && d->left-- > 0) {
        ck_assert_int_eq(call(d->network, d->x, y), AIC_OK);
    }
}

/* More calls at a time than arenas are kept, each within a step of another. */
START_TEST(calls_in_steps_have_arenas_of_their_own)
{
    network_case c;
    void *weights[2], *x = network_case_values(AIC_INT8, PLANE, 3), *other = network_case_values(AIC_INT8, PLANE, 4);
    int8_t expected[PLANE], y[PLANE];
    depth d = {.x = other};
    aic_network_options options = aic_network_options_init();
    options.step = call_deeper;
    options.user = &d;
    open_layers(&c, weights);
    expect_layers(x, weights, expected);
    aic_network *network = network_case_network(&c, NULL, &options);
    d.network = network;
    for (int again = 0; again < 2; again++) {
        d.left = 10;
        ck_assert_int_eq(call(network, x, y), AIC_OK);
        ck_assert_mem_eq(y, expected, PLANE);
    }
    aic_network_destroy(network);
    network_case_close(&c);
    free(weights[0]);
    free(weights[1]);
    free(other);
    free(x);
}
END_TEST

/* ---- images of constants, places ---- */

#define LAYERED(out, in, fm, kernel, more, w)                                                                          \
    "kernel conv2d(dtype=int8, fm_shape=[" fm ",32], kernel_shape=[" kernel ",32]" more                                \
    ") | fixpipe(src=int32, dst=int8, format=NZ, quantPre=REQ8, deqScalar=quant(0.01, 0, int8)) : dst=" #out           \
    " feature_map=" #in " weight=" #w "\n"

/* Constants in parts, of which one is packed for two kernels, in two forms, and one is another part of the same file.
 */
static const char PARTS[] =
    "input x int8 [1,6,6,32]\nconstant w w.npy\nview t w int8 [9216] at 0\nview v w int8 [9216] at 9216\n"
    "view u w int8 [2048] at 0\nview xw x uint32 [288] at 0\nbuffer d int8 [2,6,6,32]\n" BUFFER(a) BUFFER(b)
        BUFFER(y) "view aw a uint32 [288] at 0\n"
                  "kernel tensor_arithmetic(op=BM_CPY, shape=[1,1,18,16]) : output=aw input0=xw\n" LAYERED(
                      b, a, "1,6,6", "1,3,3,32", ", pad=[1,1,1,1]", t)
                      LAYERED(a, b, "1,6,6", "1,3,3,32", ", pad=[1,1,1,1]", v) LAYERED(d, a, "1,6,6", "1,1,1,64", "", u)
                          LAYERED(b, d, "2,6,6", "2,1,1,32", "", u)
                              LAYERED(y, b, "1,6,6", "1,3,3,32", ", pad=[1,1,1,1]", t) "output y\n";

START_TEST(constants_are_packed_by_part_and_form)
{
    network_case c;
    aic_network_options options = aic_network_options_init();
    static int8_t y[2][PLANE];
    network_case_open(&c);
    free(network_case_npy(&c, "w.npy", AIC_INT8, 2 * WEIGHTS, NULL));
    void *x = network_case_values(AIC_INT8, PLANE, 3);
    network_case_text(&c, PARTS);
    for (int reference = 0; reference < 2; reference++) {
        options.reference = reference == 1;
        aic_network *network = network_case_network(&c, NULL, &options);
        ck_assert_msg(call(network, x, y[reference]) == AIC_OK, "%s", aic_last_error());
        aic_network_destroy(network);
    }
    ck_assert_mem_eq(y[0], y[1], PLANE);
    network_case_close(&c);
    free(x);
}
END_TEST

/* mid lives before big, low as long as both; none is never used. Rows of 16 floats, a line each. */
static const char PLACES[] =
    "input x float32 [16]\nbuffer big float32 [5,16]\nview b big float32 [16] at 0\nbuffer mid float32 [3,16]\n"
    "view m mid float32 [16] at 0\nbuffer low float32 [2,16]\nview l low float32 [16] at 0\nbuffer none float32 "
    "[9,16]\n"
    "buffer y float32 [16]\n" WORDS(BM_MUL, m, x) WORDS(BM_ADD, l, m) WORDS(BM_ADD, b, l) WORDS(
        BM_ADD, b, b) "kernel tensor_arithmetic(op=BM_ADD, shape=[1,1,4,4]) : output=y input0=l input1=b\noutput y\n";

START_TEST(buffers_share_places_when_their_lives_are_apart)
{
    enum { LINE = 64 };
    network_case c;
    aic_network_facts facts = aic_network_facts_init();
    static const float x[16] = {1, 2, 3};
    float y[16];
    network_case_open(&c);
    network_case_text(&c, PLACES);
    aic_network *network = network_case_network(&c, NULL, NULL);
    ck_assert_int_eq(aic_network_info(network, &facts), AIC_OK);
    ck_assert_int_eq(facts.buffer_bytes, (5 + 3 + 2) * LINE);
    ck_assert_int_eq(facts.arena_bytes, (5 + 2) * LINE);
    ck_assert_int_eq(call(network, x, y), AIC_OK);
    for (int i = 0; i < 16; i++) {
        ck_assert(y[i] == 2 * x[i] * x[i] + 4 * x[i]);
    }
    aic_network_destroy(network);
    network_case_close(&c);
}
END_TEST

/* ---- what calls refuse ---- */

static void refuse(const aic_network *network, const void *x, size_t xs, void *y, size_t ys, size_t n, const char *say)
{
    ck_assert_int_eq(aic_network_batch(network, &x, xs, &y, ys, n), AIC_INVALID_ARGUMENT);
    ck_assert_msg(strstr(aic_last_error(), say) != NULL, "\"%s\" lacks \"%s\"", aic_last_error(), say);
}

START_TEST(wrong_calls_are_refused)
{
    network_case c;
    static _Alignas(64) unsigned char memory[4][4 * SUMS];
    aic_network_options options = aic_network_options_init();
    aic_network *network = NULL;
    network_case_open(&c);
    free(network_case_npy(&c, "w.npy", AIC_FLOAT16, 256, NULL));
    network_case_text(&c, RESIDUAL);
    ck_assert_msg(aic_network_open(NULL, c.folder, NULL, &network) == AIC_OK, "%s", aic_last_error());
    memset(memory, 0x11, sizeof memory);
    refuse(network, NULL, 1, memory[1], 1, 1, "x: is NULL");
    refuse(network, memory[0], 1, NULL, 1, 1, "y: is NULL");
    refuse(network, memory[0] + 1, 1, memory[1], 1, 1, "x: the address is not a multiple of 2");
    refuse(network, memory[0], 1, memory[1] + 2, 1, 1, "y: the address is not a multiple of 4");
    refuse(network, memory[0], 2, memory[1], 1, 1, "2 inputs given, 1 expected");
    refuse(network, memory[0], 1, memory[1], 0, 1, "0 outputs given, 1 expected");
    refuse(network, memory[0], 1, memory[0] + 796, 1, 1, "y: overlaps x");
    refuse(network, memory[0], 1, memory[1], 1, SIZE_MAX / 2, "x: 9223372036854775807 images leave the address space");
    refuse(network, memory[0], 1, memory[1], 1, SIZE_MAX / (2 * HALVES), "images leave the address space");
    refuse(network, memory[1], 1, memory[0] + 4, 1, 3, "y: overlaps x");
    for (size_t i = 0; i < sizeof memory; i++) {
        ck_assert_uint_eq(memory[i / sizeof memory[0]][i % sizeof memory[0]], 0x11);
    }
    options.size = 4;
    aic_network *none = NULL;
    ck_assert_int_eq(aic_network_open(NULL, c.folder, &options, &none), AIC_INVALID_ARGUMENT);
    aic_network_destroy(network);
    network_case_close(&c);
}
END_TEST

/* Three float16 read as one word: a second image would begin in the middle of a word. */
START_TEST(images_that_cannot_follow_each_other)
{
    network_case c;
    static _Alignas(64) uint16_t x[2][3] = {{1, 2, 3}};
    uint32_t y[2] = {0};
    network_case_open(&c);
    network_case_text(&c, "input x float16 [3]\nview w x uint32 [1] at 0\nbuffer y float32 [1]\n"
                          "kernel tensor_arithmetic(op=BM_CPY, shape=[1,1,1,1]) : output=y input0=w\noutput y\n");
    aic_network *network = network_case_network(&c, NULL, NULL);
    refuse(network, x, 1, y, 1, 2,
           "x: images of 6 bytes cannot follow each other, their addresses must be multiples of 4");
    ck_assert_int_eq(aic_network_batch(network, (const void *[]){x}, 1, (void *[]){y}, 1, 1), AIC_OK);
    ck_assert(y[0] == 0x20001 && y[1] == 0);
    aic_network_destroy(network);
    network_case_close(&c);
}
END_TEST

Suite *suite_network(void)
{
    Suite *suite = suite_create("network");
    TCase *tcase = tcase_create("calls");
    tcase_add_loop_test(tcase, layers_give_what_the_references_give, 0, levels_count());
    tcase_add_test(tcase, facts_are_told);
    tcase_add_test(tcase, residuals_views_and_in_place);
    tcase_add_loop_test(tcase, batches_are_as_many_calls, 0, BY_REFERENCE + 1);
    tcase_add_test(tcase, threads_have_arenas_of_their_own);
    tcase_add_test(tcase, any_number_of_threads_calls);
    tcase_add_test(tcase, progress_and_steps);
    tcase_add_test(tcase, progress_ends_the_work);
    tcase_add_test(tcase, an_image_that_fails_ends_a_batch);
    tcase_add_test(tcase, batches_in_loops_are_not_divided);
    tcase_add_test(tcase, calls_in_steps_have_arenas_of_their_own);
    tcase_add_test(tcase, constants_are_packed_by_part_and_form);
    tcase_add_test(tcase, buffers_share_places_when_their_lives_are_apart);
    tcase_add_test(tcase, wrong_calls_are_refused);
    tcase_add_test(tcase, images_that_cannot_follow_each_other);
    suite_add_tcase(suite, tcase);
    return suite;
}
