/* Networks called for many images and by many callers: batches, threads, children, a caller's loop, calls within calls.
 * Each has an arena of its own. */
#include "runtime/threads/pool.h"
#include "tests/child.h"
#include "tests/layers_case.h"
#include "tests/machines.h"
#include "tests/network_case.h"

#include <aic/aic.h>
#include <check.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

Suite *suite_network_batch(void);

/* ---- batches, threads, children ---- */

enum { IMAGES = 7, BY_REFERENCE = 4 };

START_TEST(batches_are_as_many_calls)
{
    network_case c;
    void *weights[2];
    static int8_t expected[IMAGES][LAYERS_PLANE], y[IMAGES][LAYERS_PLANE];
    int8_t *x = network_case_values(AIC_INT8, (int64_t)IMAGES * LAYERS_PLANE, 3);
    aic_network_options options = aic_network_options_init();
    options.reference = _i == BY_REFERENCE;
    aic_pool_suppose(AIC_POOL_ALWAYS);
    aic_context *context = network_case_context(_i == BY_REFERENCE ? 2 : 1 + _i, NULL);
    machine_share_from(context, 0);
    layers_open(&c, weights);
    aic_network *network = network_case_network(&c, context, &options);
    for (size_t k = 0; k < IMAGES; k++) {
        layers_expect(x + k * LAYERS_PLANE, weights, expected[k]);
    }
    for (size_t n = 0; n <= IMAGES; n++) {
        const void *in = x;
        void *out = y;
        memset(y, 0x55, sizeof y);
        ck_assert_msg(aic_network_batch(network, &in, 1, &out, 1, n) == AIC_OK, "%s", aic_last_error());
        ck_assert(n == 0 || memcmp(y, expected, n * LAYERS_PLANE) == 0);
        ck_assert(n == IMAGES || y[n][0] == 0x55);
    }
    aic_network_destroy(network);
    aic_context_destroy(context);
    aic_pool_suppose(AIC_POOL_USUAL);
    layers_close(&c, weights);
    free(x);
}
END_TEST

/* So many that threads are at different kernels at the same time: an arena that two had would show. */
START_TEST(threads_have_arenas_of_their_own)
{
    enum { MANY = 1000 };
    network_case c;
    void *weights[2];
    int8_t *few = network_case_values(AIC_INT8, (int64_t)IMAGES * LAYERS_PLANE, 3);
    int8_t *x = malloc((size_t)MANY * LAYERS_PLANE), *y = malloc((size_t)MANY * LAYERS_PLANE);
    static int8_t expected[IMAGES][LAYERS_PLANE];
    ck_assert(x != NULL && y != NULL);
    aic_pool_suppose(AIC_POOL_ALWAYS);
    aic_context *context = network_case_context(4, NULL);
    layers_open(&c, weights);
    aic_network *network = network_case_network(&c, context, NULL);
    for (size_t k = 0; k < MANY; k++) {
        memcpy(x + k * LAYERS_PLANE, few + k % IMAGES * LAYERS_PLANE, LAYERS_PLANE);
    }
    for (size_t k = 0; k < IMAGES; k++) {
        layers_expect(few + k * LAYERS_PLANE, weights, expected[k]);
    }
    ck_assert_int_eq(aic_network_batch(network, (const void *[]){x}, 1, (void *[]){y}, 1, MANY), AIC_OK);
    for (size_t k = 0; k < MANY; k++) {
        ck_assert_mem_eq(y + k * LAYERS_PLANE, expected[k % IMAGES], LAYERS_PLANE);
    }
    aic_network_destroy(network);
    aic_context_destroy(context);
    aic_pool_suppose(AIC_POOL_USUAL);
    layers_close(&c, weights);
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
        int8_t y[LAYERS_PLANE];
        who->same = network_case_call(who->network, who->x, y) == AIC_OK && memcmp(y, who->expected, LAYERS_PLANE) == 0;
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
    static int8_t expected[CALLERS][LAYERS_PLANE];
    caller who[CALLERS];
    layers_open(&c, weights);
    aic_network *network = network_case_network(&c, NULL, NULL);
    for (size_t i = 0; i < CALLERS; i++) {
        x[i] = network_case_values(AIC_INT8, LAYERS_PLANE, 100 + i);
        layers_expect(x[i], weights, expected[i]);
        who[i] = (caller){network, x[i], expected[i], false};
        ck_assert_int_eq(pthread_create(&thread[i], NULL, call_often, &who[i]), 0);
    }
    for (size_t i = 0; i < CALLERS; i++) {
        ck_assert_int_eq(pthread_join(thread[i], NULL), 0);
        ck_assert(who[i].same);
    }
    ck_assert_str_eq(child_run(call_in_child, &who[0]), "");
    aic_network_destroy(network);
    layers_close(&c, weights);
    for (size_t i = 0; i < CALLERS; i++) {
        free(x[i]);
    }
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

/* Of images that break a rule the first that was come to is told; no worker goes on behind its own. */
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
    int8_t y[LAYERS_PLANE];
    if (kernel == 1 && d->left-- > 0) {
        ck_assert_int_eq(network_case_call(d->network, d->x, y), AIC_OK);
    }
}

/* More calls at a time than arenas are kept, each within a step of another. */
START_TEST(calls_in_steps_have_arenas_of_their_own)
{
    network_case c;
    void *weights[2], *x = network_case_values(AIC_INT8, LAYERS_PLANE, 3),
                      *other = network_case_values(AIC_INT8, LAYERS_PLANE, 4);
    int8_t expected[LAYERS_PLANE], y[LAYERS_PLANE];
    depth d = {.x = other};
    aic_network_options options = aic_network_options_init();
    options.step = call_deeper;
    options.user = &d;
    layers_open(&c, weights);
    layers_expect(x, weights, expected);
    aic_network *network = network_case_network(&c, NULL, &options);
    d.network = network;
    for (int again = 0; again < 2; again++) {
        d.left = 10;
        ck_assert_int_eq(network_case_call(network, x, y), AIC_OK);
        ck_assert_mem_eq(y, expected, LAYERS_PLANE);
    }
    aic_network_destroy(network);
    layers_close(&c, weights);
    free(other);
    free(x);
}
END_TEST

Suite *suite_network_batch(void)
{
    Suite *suite = suite_create("network_batch");
    TCase *tcase = tcase_create("batches");
    tcase_add_loop_test(tcase, batches_are_as_many_calls, 0, BY_REFERENCE + 1);
    tcase_add_test(tcase, threads_have_arenas_of_their_own);
    tcase_add_test(tcase, any_number_of_threads_calls);
    tcase_add_test(tcase, an_image_that_fails_ends_a_batch);
    tcase_add_test(tcase, batches_in_loops_are_not_divided);
    tcase_add_test(tcase, calls_in_steps_have_arenas_of_their_own);
    suite_add_tcase(suite, tcase);
    return suite;
}
