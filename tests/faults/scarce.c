/* Calls that go on with less when memory is short, and threads that have no record; see scenarios.h. What is called is
 * made before, while no call fails. */
#include "frontend/core/diag.h"
#include "frontend/core/spec.h"
#include "runtime/call/scratch.h"
#include "tests/faults/calls.h"
#include "tests/faults/scenarios.h"
#include "tests/faults/task.h"

#include <pthread.h>
#include <string.h>

#define LARGE "mmad(dtype=int8, m=64, n=64, k=512)" /* is shared */

enum { BYTES = 1 << 17, IMAGES = 3 };

/* Operands of any of the calls; the output is operand 0. The network has one input. */
static _Alignas(64) unsigned char memory[AIC_OPERANDS_MAX][BYTES];
static void *operand[AIC_OPERANDS_MAX];
static const size_t strides[] = {BYTES / 4, 0, 0};

static void fill_operands(void)
{
    for (size_t i = 0; i < AIC_OPERANDS_MAX; i++) {
        operand[i] = memory[i];
        for (size_t b = 0; b < BYTES; b++) {
            memory[i][b] = (unsigned char)(i == 0 ? 0 : (b * 7 + i) % 64);
        }
    }
}

/* What is called. */
typedef struct things {
    aic_context *context, *alone; /* of two threads, of one */
    aic_kernel *shared, *single;
    aic_network *network;
    aic_spec move;
} things;

/* All by the calling thread, whatever there are for processors. */
static void in_turn(void *user, int64_t items, int workers, aic_parallel_body body, void *data)
{
    (void)user;
    (void)workers;
    body(data, 0, items, 0);
}

/* kernels: as many as are kept in memory. 0: all, and they are kept on disk, too, as no call fails while they are made.
 */
static aic_status open_context(int threads, uint64_t kernels, aic_context **context)
{
    aic_context_options options = aic_context_options_init();
    options.threads = threads;
    options.isa = "sse2";
    options.tuning_db = "";
    options.cache = kernels == 0 ? "rw" : "off";
    options.cache_dir = task_path.made;
    options.verbose = threads == 1 ? 2 : 0;
    options.parallel_for = threads == 1 ? NULL : in_turn;
    options.cache_kernels = kernels;
    return aic_context_create(&options, context);
}

static aic_status open_kernel(aic_context *context, aic_kernel **kernel)
{
    aic_spec spec;
    const aic_status status = aic_spec_read(LARGE, &spec);
    return status == AIC_OK ? aic_kernel_create(context, &spec, NULL, kernel) : status;
}

/* Whether a call of the network calls it once more within a step, and what became of that. */
typedef struct nested {
    const aic_network *network;
    aic_status status;
} nested;

static nested inner;

static void call_in_step(void *user, size_t kernel)
{
    (void)user;
    const aic_network *network = inner.network;
    if (kernel == 0 && network != NULL) {
        inner.network = NULL;
        inner.status = aic_network_call(network, (const void *const *)&operand[1], 1, operand, 1);
    }
}

static aic_status open_things(things *t)
{
    aic_network_options options = aic_network_options_init();
    options.step = call_in_step;
    *t = (things){.context = NULL};
    calls_pause(true);
    fill_operands();
    aic_status status = open_context(2, 0, &t->context);
    status = status == AIC_OK ? open_context(1, 0, &t->alone) : status;
    status = status == AIC_OK ? open_kernel(t->context, &t->shared) : status;
    status = status == AIC_OK ? open_kernel(t->alone, &t->single) : status;
    status = status == AIC_OK ? aic_network_open(t->context, task_path.net, &options, &t->network) : status;
    status = status == AIC_OK ? aic_spec_read(TASK_MOVE, &t->move) : status;
    status = status == AIC_OK ? aic_jit_spec(t->alone, &t->move, operand, 2) : status;
    calls_pause(false);
    return status;
}

static void close_things(things *t)
{
    calls_pause(true);
    aic_network_destroy(t->network);
    aic_kernel_destroy(t->single);
    aic_kernel_destroy(t->shared);
    aic_context_destroy(t->alone);
    aic_context_destroy(t->context);
    calls_pause(false);
}

/* ---- the calls ---- */

enum { CALLS = 6 };

/* A call while another one has the arena. */
static aic_status call_inside(const things *t)
{
    static _Alignas(64) unsigned char other[BYTES];
    void *output = other;
    inner = (nested){t->network, AIC_OK};
    const aic_status status = aic_network_call(t->network, (const void *const *)&operand[1], 1, &output, 1);
    inner.network = NULL;
    return inner.status != AIC_OK ? inner.status : status;
}

static aic_status call(const things *t, int number)
{
    switch (number) {
    case 0:
        return aic_kernel_call(t->shared, operand, 3);
    case 1:
        return aic_kernel_call_batch(t->shared, operand, strides, IMAGES);
    case 2:
        return aic_network_batch(t->network, (const void *const *)&operand[1], 1, operand, 1, IMAGES);
    case 3:
        return aic_kernel_call(t->single, operand, 3);
    case 4:
        return call_inside(t);
    default:
        return aic_jit_spec(t->alone, &t->move, operand, 2); /* which is in the cache, and says so */
    }
}

/* A call that succeeds gives what the first such call of its number gave. */
static void compare(int number, const char **wrong)
{
    static unsigned char known[CALLS][BYTES];
    static bool is_known[CALLS];
    if (!is_known[number]) {
        memcpy(known[number], memory[0], BYTES);
        is_known[number] = true;
    }
    if (memcmp(known[number], memory[0], BYTES) != 0) {
        *wrong = "a result differs from that without failures";
    }
}

aic_status scarce_memory(const char **wrong)
{
    void *small;
    things t;
    aic_status status = open_things(&t);
    for (int i = 0; i < CALLS && status == AIC_OK; i++) {
        memset(memory[0], 0, BYTES);
        aic_thread_trim();
        status = call(&t, i);
        if (status == AIC_OK) {
            compare(i, wrong);
        }
    }
    status = status == AIC_OK ? aic_scratch_get((size_t)1 << 20, &small) : status;
    for (int i = 0; i <= AIC_SCRATCH_PATIENCE && status == AIC_OK; i++) {
        status = aic_scratch_get(100, &small); /* a block that cannot shrink stays */
    }
    aic_thread_trim();
    close_things(&t);
    return status;
}

/* ---- threads without a record ---- */

typedef struct caller {
    const things *things;
    int number;
    aic_status status;
} caller;

static void *call_as_new(void *argument)
{
    caller *c = argument;
    c->status = call(c->things, c->number);
    return NULL;
}

aic_status scarce_records(const char **wrong)
{
    things t;
    aic_status status = open_things(&t);
    for (int i = 0; i < CALLS && status == AIC_OK; i++) {
        caller c = {&t, i, AIC_OK};
        pthread_t thread;
        memset(memory[0], 0, BYTES);
        if (pthread_create(&thread, NULL, call_as_new, &c) != 0) {
            status = aic_fail(AIC_OUT_OF_MEMORY, "thread", "cannot be started");
            break;
        }
        (void)pthread_join(thread, NULL);
        if (c.status == AIC_OK) {
            compare(i, wrong);
        } else {
            status = aic_fail(c.status, "thread", "%s", "its message is gone with it");
        }
    }
    close_things(&t);
    return status;
}

/* ---- a small cache ---- */

aic_status scarce_cache(const char **wrong)
{
    static const char *const TEXTS[] = {TASK_MOVE, "transdata(dtype=int8, src=ND, dst=Nz, shape=[32,32])",
                                        "transdata(dtype=int8, src=ND, dst=Nz, shape=[48,32])"};
    aic_context *context = NULL;
    fill_operands();
    calls_pause(true);
    aic_status status = open_context(1, 1, &context);
    calls_pause(false);
    for (size_t i = 0; i < sizeof TEXTS / sizeof TEXTS[0] && status == AIC_OK; i++) {
        aic_spec spec;
        status = aic_spec_read(TEXTS[i], &spec);
        status = status == AIC_OK ? aic_jit_spec(context, &spec, operand, 2) : status;
        *wrong = status == AIC_OK && memcmp(memory[0], memory[1], 32) != 0 ? "a wrong result" : *wrong;
    }
    aic_context_destroy(context);
    return status;
}
