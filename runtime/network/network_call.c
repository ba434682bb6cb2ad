/* Calling networks: kernel by kernel, each shared by threads where it is worth it; batches image by image, each by one
 * thread. */
#include "frontend/core/diag.h"
#include "frontend/core/thread.h"
#include "runtime/call/scratch.h"
#include "runtime/network/network.h"
#include "runtime/observe/log.h"
#include "runtime/threads/team.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- what callers give ---- */

/* A call's addresses by side, and how many images there are. */
typedef struct given {
    const void *const *address[2];
    size_t count[2], images;
    uint64_t *ns; /* of each kernel, written; NULL: nobody asks */
} given;

static size_t bytes_of(const aic_network *net, int side, size_t i, size_t images)
{
    return (size_t)net->tensor[net->ends[side][i]].bytes * images;
}

static aic_status check_address(const aic_network *net, const given *g, int side, size_t i)
{
    const aic_net_tensor *tensor = &net->tensor[net->ends[side][i]];
    const uintptr_t address = (uintptr_t)g->address[side][i];
    size_t bytes, end;
    if (address == 0) {
        return aic_fail(AIC_INVALID_ARGUMENT, AIC_NETWORK_SUBJECT, "%s: is NULL", tensor->name);
    }
    if (address % tensor->alignment != 0) {
        return aic_fail(AIC_INVALID_ARGUMENT, AIC_NETWORK_SUBJECT, "%s: the address is not a multiple of %zu",
                        tensor->name, tensor->alignment);
    }
    if (g->images > 1 && (size_t)tensor->bytes % tensor->alignment != 0) {
        return aic_fail(AIC_INVALID_ARGUMENT, AIC_NETWORK_SUBJECT,
                        "%s: images of %zu bytes cannot follow each other, their addresses must be multiples of %zu",
                        tensor->name, (size_t)tensor->bytes, tensor->alignment);
    }
    return __builtin_mul_overflow((size_t)tensor->bytes, g->images, &bytes) ||
                   __builtin_add_overflow(address, bytes, &end)
               ? aic_fail(AIC_INVALID_ARGUMENT, AIC_NETWORK_SUBJECT, "%s: %zu images leave the address space",
                          tensor->name, g->images)
               : AIC_OK;
}

/* Output number i shares no memory with inputs, nor with outputs before it. */
static aic_status check_apart(const aic_network *net, const given *g, size_t i)
{
    const uintptr_t a = (uintptr_t)g->address[1][i], size = bytes_of(net, 1, i, g->images);
    for (int side = 0; side < 2; side++) {
        const size_t count = side == 0 ? net->inputs : i;
        for (size_t k = 0; k < count; k++) {
            const uintptr_t b = (uintptr_t)g->address[side][k];
            if (a - b < bytes_of(net, side, k, g->images) || b - a < size) {
                return aic_fail(AIC_INVALID_ARGUMENT, AIC_NETWORK_SUBJECT, "%s: overlaps %s",
                                net->tensor[net->ends[1][i]].name, net->tensor[net->ends[side][k]].name);
            }
        }
    }
    return AIC_OK;
}

static aic_status check_given(const aic_network *net, const given *g)
{
    static const char *const SIDES[] = {"inputs", "outputs"};
    aic_status status = AIC_OK;
    if (net == NULL) {
        return aic_fail(AIC_INVALID_ARGUMENT, AIC_NETWORK_SUBJECT, "is NULL");
    }
    for (int side = 0; side < 2 && status == AIC_OK; side++) {
        const size_t wanted = aic_net_ends(net, side);
        if (g->address[side] == NULL) {
            return aic_fail(AIC_INVALID_ARGUMENT, SIDES[side], "is NULL");
        }
        if (g->count[side] != wanted) {
            return aic_fail(AIC_INVALID_ARGUMENT, AIC_NETWORK_SUBJECT, "%zu %s given, %zu expected", g->count[side],
                            SIDES[side], wanted);
        }
        for (size_t i = 0; i < wanted && status == AIC_OK; i++) {
            status = check_address(net, g, side, i);
        }
    }
    for (size_t i = 0; status == AIC_OK && i < net->outputs; i++) {
        status = check_apart(net, g, i);
    }
    return status;
}

/* ---- one image ---- */

/* Where the roots of an image are. */
static void find_roots(const aic_network *net, const given *g, size_t image, void *arena, char *roots[])
{
    roots[0] = arena;
    for (int side = 0; side < 2; side++) {
        char **root = roots + 1 + (side == 0 ? 0 : net->inputs);
        for (size_t i = 0; i < aic_net_ends(net, side); i++) {
            /* Inputs are not written: every kernel's line was checked for that. */
            root[i] = (char *)(uintptr_t)g->address[side][i] + bytes_of(net, side, i, image);
        }
    }
}

/* Memory of a worker of a batch; NULL: threads share the kernels of a call. */
static aic_status run_kernel(const aic_network *net, const aic_net_kernel *kernel, char *const roots[], void *workspace)
{
    void *operands[AIC_OPERANDS_MAX];
    const void *own[AIC_OPERANDS_MAX], *const *readable = (const void *const *)operands;
    for (size_t i = 0; i < kernel->count; i++) {
        operands[i] = aic_net_address(&kernel->operand[i], roots);
    }
    aic_status status;
    if (kernel->code == NULL) {
        status = aic_reference(&kernel->spec, &net->semantics, operands, kernel->count);
    } else if (workspace == NULL) {
        status = aic_call(kernel->code, kernel->form, readable);
    } else {
        status = aic_call_check(kernel->code, kernel->form, readable);
        if (status == AIC_OK) {
            aic_call_alone(kernel->code, kernel->form, aic_code_operands(kernel->code, readable, own), workspace);
        }
    }
    return status == AIC_OK ? AIC_OK : aic_net_blame(net, kernel->line, status);
}

static aic_status run_image(const aic_network *net, const given *g, size_t image, void *arena, void *workspace)
{
    char **roots = (void *)((char *)arena + net->arena_bytes);
    aic_status status = AIC_OK;
    const aic_network_step step = workspace == NULL ? net->options.step : NULL;
    find_roots(net, g, image, arena, roots);
    for (size_t i = 0; i < net->kernels && status == AIC_OK; i++) {
        const uint64_t begun = g->ns != NULL ? aic_log_now() : 0;
        status = run_kernel(net, &net->kernel[i], roots, workspace);
        if (g->ns != NULL) {
            g->ns[i] = aic_log_now() - begun;
        }
        if (step != NULL && status == AIC_OK) {
            step(net->options.user, i);
        }
    }
    return status;
}

/* Images first .. last-1 one after the other. */
static aic_status run_images(const aic_network *net, const given *g, size_t first, size_t last)
{
    /* What is taken is given back as it was: the network does not change. */
    aic_network *owner = (aic_network *)(uintptr_t)net;
    void *arena = aic_net_arena_take(owner);
    aic_status status = AIC_OK;
    if (arena == NULL) {
        return aic_fail_memory(AIC_NETWORK_SUBJECT, (size_t)net->arena_bytes);
    }
    for (size_t image = first; image < last && status == AIC_OK; image++) {
        status = run_image(net, g, image, arena, NULL);
    }
    aic_net_arena_give(owner, arena);
    return status;
}

/* ---- images by threads ---- */

typedef struct division {
    const aic_network *net;
    const given *g;
    char *workspace; /* of the first worker */
    size_t each;     /* bytes of a worker's */
    void *arena[AIC_THREADS_MAX];
    pthread_mutex_t mutex; /* of what follows */
    aic_status status;
    aic_messages messages;
} division;

static void run_some(void *data, int64_t first, int64_t last, int worker)
{
    division *d = data;
    aic_status status = AIC_OK;
    for (int64_t image = first; image < last && status == AIC_OK; image++) {
        status = run_image(d->net, d->g, (size_t)image, d->arena[worker], d->workspace + (size_t)worker * d->each);
    }
    if (status != AIC_OK) {
        pthread_mutex_lock(&d->mutex);
        if (d->status == AIC_OK) {
            d->status = status;
            aic_messages_get(&d->messages);
        }
        pthread_mutex_unlock(&d->mutex);
    }
}

/* Gives up to `workers` workers an arena; returns how many have one. */
static int take_arenas(division *d, int workers)
{
    int count = 0;
    while (count < workers && (d->arena[count] = aic_net_arena_take((aic_network *)(uintptr_t)d->net)) != NULL) {
        count++;
    }
    return count;
}

/* Images 0 .. *done-1 by several threads; *done is 0 where that cannot be, and nothing has failed. */
static aic_status divide(division *d, aic_thread *thread, int wanted, size_t *done)
{
    aic_team team;
    aic_scratch block = {.memory = NULL};
    aic_status status = AIC_OK;
    aic_team_enter(&team, &d->net->share, AIC_NETWORK_SUBJECT, thread, wanted);
    const int workers = team.workers > 1 ? take_arenas(d, team.workers) : 0;
    if (workers > 1 && aic_scratch_take(thread, (size_t)workers * d->each, &block)) {
        d->workspace = block.memory;
        *done = d->g->images - d->g->images % (size_t)workers;
        status = aic_team_run(&team, workers, (int64_t)*done, run_some, d);
        aic_scratch_give(thread, &block);
    }
    aic_team_leave(&team);
    for (int i = 0; i < workers; i++) {
        aic_net_arena_give((aic_network *)(uintptr_t)d->net, d->arena[i]);
    }
    if (status == AIC_OK && d->status != AIC_OK) {
        aic_messages_put(&d->messages, d->status);
        status = d->status;
    }
    return status;
}

static aic_status run_batch(const aic_network *net, const given *g)
{
    aic_thread *thread = aic_thread_get();
    const int wanted = g->images < (size_t)net->share.threads ? (int)g->images : net->share.threads;
    size_t done = 0;
    aic_status status = AIC_OK;
    if (wanted > 1 && thread != NULL && !net->options.reference) {
        division *d = calloc(1, sizeof *d);
        if (d != NULL) {
            d->net = net;
            d->g = g;
            d->mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
            d->each = net->workspace_bytes > 0 ? (size_t)net->workspace_bytes : AIC_SCRATCH_ALIGNMENT;
            status = divide(d, thread, wanted, &done);
            pthread_mutex_destroy(&d->mutex);
            free(d);
        }
    }
    return status == AIC_OK && done < g->images ? run_images(net, g, done, g->images) : status;
}

/* ---- the doors ---- */

aic_status aic_network_batch(const aic_network *network, const void *const inputs[], size_t input_count,
                             void *const outputs[], size_t output_count, size_t n)
{
    const given g = {{inputs, (const void *const *)outputs}, {input_count, output_count}, n, NULL};
    const aic_status status = check_given(network, &g);
    return status != AIC_OK || n == 0 ? status : run_batch(network, &g);
}

static aic_status call_once(const aic_network *network, const given *g)
{
    const aic_status status = check_given(network, g);
    return status != AIC_OK ? status : run_images(network, g, 0, 1);
}

aic_status aic_network_call(const aic_network *network, const void *const inputs[], size_t input_count,
                            void *const outputs[], size_t output_count)
{
    return call_once(network, &(given){{inputs, (const void *const *)outputs}, {input_count, output_count}, 1, NULL});
}

aic_status aic_network_call_timed(const aic_network *network, const void *const inputs[], size_t input_count,
                                  void *const outputs[], size_t output_count, uint64_t ns[])
{
    if (ns == NULL) {
        return aic_fail(AIC_INVALID_ARGUMENT, "ns", "is NULL");
    }
    return call_once(network, &(given){{inputs, (const void *const *)outputs}, {input_count, output_count}, 1, ns});
}
