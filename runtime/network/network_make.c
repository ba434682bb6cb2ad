/* Machine code and packed constants of a network. Kernels are made by as many threads as share calls, each kernel by
 * one; the caller's thread waits and tells how far it is. */
#include "frontend/core/diag.h"
#include "frontend/core/neutral.h"
#include "runtime/call/scratch.h"
#include "runtime/generator/worker.h"
#include "runtime/network/network.h"
#include "runtime/request/pipeline.h"
#include "runtime/system/large_pages.h"

#include <stdlib.h>
#include <string.h>

/* ---- kernels ---- */

enum { MAKERS_MAX = 64 };

/* What makers share; everything but the first three is under the mutex. */
typedef struct making {
    aic_network *net;
    aic_context *context;
    bool telling; /* to a log, which opens the network */
    size_t kernels;
    pthread_mutex_t mutex;
    pthread_cond_t changed; /* a kernel was made, or a maker has ended */
    size_t next, made;
    int makers; /* that have not ended */
    bool stopped;
    aic_status status; /* of the first kernel that failed */
    size_t failed;     /* its number; SIZE_MAX: none */
    aic_messages messages;
} making;

static aic_status make_kernel(aic_context *context, aic_net_kernel *kernel)
{
    aic_stage_view stage[AIC_STAGES_MAX];
    const aic_request request = {.specs = 1, .count = aic_stage_views(&kernel->spec, stage), .stage = stage};
    aic_result result;
    const aic_status status = aic_pipeline(context, &request, &result);
    if (status == AIC_OK) {
        kernel->code = result.code;
    }
    return status;
}

/* The next kernel; SIZE_MAX: nothing is left to do. */
static size_t take_kernel(making *m)
{
    return m->stopped || m->failed != SIZE_MAX || m->next == m->kernels ? SIZE_MAX : m->next++;
}

static void note(making *m, size_t kernel, aic_status status)
{
    m->made++;
    if (status != AIC_OK && kernel < m->failed) {
        m->failed = kernel;
        m->status = status;
        aic_messages_get(&m->messages);
    }
    pthread_cond_signal(&m->changed);
}

static void make_kernels(making *m)
{
    pthread_mutex_lock(&m->mutex);
    for (size_t kernel = take_kernel(m); kernel != SIZE_MAX; kernel = take_kernel(m)) {
        pthread_mutex_unlock(&m->mutex);
        const aic_status status = make_kernel(m->context, &m->net->kernel[kernel]);
        pthread_mutex_lock(&m->mutex);
        note(m, kernel, status);
    }
    pthread_mutex_unlock(&m->mutex);
}

/* A maker's thread, in the environment that kernels are made in. Without memory for its record it makes none, and
 * leaves them to the others. */
static void *work(void *argument)
{
    making *m = argument;
    aic_thread *thread = aic_thread_get();
    aic_neutral starters;
    if (thread != NULL) {
        aic_neutral_enter(&starters);
        thread->own = true;
        thread->telling = m->telling;
        make_kernels(m);
        aic_neutral_leave(&starters);
    }
    pthread_mutex_lock(&m->mutex);
    m->makers--;
    pthread_cond_signal(&m->changed);
    pthread_mutex_unlock(&m->mutex);
    return NULL;
}

/* Tells how far the makers are until all have ended. They note no kernel meanwhile: whoever says stop after one was
 * made gets at most those that had been begun. */
static void watch(making *m)
{
    const aic_network_options *options = &m->net->options;
    size_t told = 0;
    pthread_mutex_lock(&m->mutex);
    while (m->makers > 0 || told < m->made) {
        while (told == m->made && m->makers > 0) {
            pthread_cond_wait(&m->changed, &m->mutex);
        }
        const size_t made = m->made;
        const bool tell = made > told && options->progress != NULL && !m->stopped;
        told = made;
        if (tell) {
            m->stopped = !options->progress(options->user, made, m->kernels);
        }
    }
    pthread_mutex_unlock(&m->mutex);
}

static aic_status run_makers(making *m)
{
    pthread_t maker[MAKERS_MAX];
    int started = 0, error = 0;
    const int threads = m->net->share.threads < MAKERS_MAX ? m->net->share.threads : MAKERS_MAX;
    const int wanted = m->kernels < (size_t)threads ? (int)m->kernels : threads;
    m->makers = wanted;
    while (started < wanted && (error = aic_worker_start(&maker[started], work, m)) == 0) {
        started++;
    }
    pthread_mutex_lock(&m->mutex);
    m->makers -= wanted - started;
    pthread_mutex_unlock(&m->mutex);
    watch(m);
    for (int i = 0; i < started; i++) {
        pthread_join(maker[i], NULL);
    }
    return started > 0
               ? AIC_OK
               : aic_fail(AIC_OUT_OF_MEMORY, AIC_NETWORK_SUBJECT, "no thread can be started: %s", strerror(error));
}

static aic_status make_all(aic_network *net, aic_context *context)
{
    making m = {.net = net,
                .telling = aic_telling(),
                .context = context,
                .kernels = net->kernels,
                .mutex = PTHREAD_MUTEX_INITIALIZER,
                .changed = PTHREAD_COND_INITIALIZER,
                .failed = SIZE_MAX};
    const aic_status status = run_makers(&m);
    pthread_cond_destroy(&m.changed);
    pthread_mutex_destroy(&m.mutex);
    if (m.failed != SIZE_MAX) {
        aic_messages_put(&m.messages, m.status);
        return aic_net_blame(net, net->kernel[m.failed].line, m.status);
    }
    if (m.stopped) {
        return aic_fail(AIC_INVALID_ARGUMENT, AIC_NETWORK_SUBJECT, "progress ended the work after %zu of %zu kernels",
                        m.made, m.kernels);
    }
    /* Some are left where no maker had memory for its record. */
    return status == AIC_OK && m.made < m.kernels ? aic_fail_memory(AIC_NETWORK_SUBJECT, sizeof(aic_thread)) : status;
}

/* ---- constants ---- */

/* The image of the same constant in the same form, of a kernel before; NULL: there is none. */
static void *find_image(const aic_network *net, const aic_net_kernel *kernel, size_t operand)
{
    const aic_net_tensor *tensor = &net->tensor[kernel->operand[operand].tensor];
    for (const aic_net_kernel *k = net->kernel; k < kernel; k++) {
        if (k->image == NULL || k->code->requirements.pack.bytes != kernel->code->requirements.pack.bytes ||
            memcmp(&k->code->head, &kernel->code->head, sizeof k->code->head) != 0) {
            continue;
        }
        const aic_net_tensor *other = &net->tensor[k->operand[k->code->requirements.pack.operand].tensor];
        if (other->base == tensor->base && other->offset == tensor->offset) {
            return k->image;
        }
    }
    return NULL;
}

/* Packs the constant, unless a kernel before has done so. */
static aic_status pack(aic_network *net, aic_net_kernel *kernel, size_t operand)
{
    const size_t bytes = (size_t)kernel->code->requirements.pack.bytes;
    const void *image = find_image(net, kernel, operand);
    if (image == NULL) {
        kernel->image = aligned_alloc(AIC_SCRATCH_ALIGNMENT, bytes);
        if (kernel->image == NULL) {
            return aic_fail_memory(AIC_NETWORK_SUBJECT, bytes);
        }
        const void *source = aic_net_data(net, &net->tensor[kernel->operand[operand].tensor]);
        ((void (*)(void *, const void *))kernel->code->function[AIC_FUNCTION_PACK])(kernel->image, source);
        aic_large_pages_wish(kernel->image, bytes);
        net->constant_bytes += (int64_t)bytes;
        image = kernel->image;
    }
    kernel->operand[operand].fixed = image;
    return AIC_OK;
}

/* Says what the operands of a kernel are when it is called. */
static aic_status bind(aic_network *net, aic_net_kernel *kernel)
{
    const size_t packs = kernel->code != NULL ? kernel->code->requirements.pack.operand : 0;
    aic_status status = AIC_OK;
    for (size_t i = 0; i < kernel->count && status == AIC_OK; i++) {
        aic_net_operand *operand = &kernel->operand[i];
        if (operand->tensor == AIC_NET_NONE) {
            continue;
        }
        const aic_net_tensor *tensor = &net->tensor[operand->tensor];
        aic_net_tensor *base = &net->tensor[tensor->base];
        if (base->kind == AIC_NET_CONSTANT && i != 0 && i == packs) {
            kernel->form = AIC_PACKED;
            status = pack(net, kernel, i);
        } else if (base->kind == AIC_NET_CONSTANT) {
            base->plain = true;
            operand->fixed = aic_net_data(net, tensor);
        } else {
            operand->root = aic_net_root(net, tensor, &operand->offset);
        }
    }
    if (kernel->code != NULL) {
        const int64_t bytes = aic_workspace_bytes(&kernel->code->requirements, kernel->form);
        net->workspace_bytes = bytes > net->workspace_bytes ? bytes : net->workspace_bytes;
    }
    return status;
}

aic_status aic_net_make(aic_network *net, aic_context *context)
{
    aic_status status = net->options.reference ? AIC_OK : make_all(net, context);
    for (size_t i = 0; i < net->kernels && status == AIC_OK; i++) {
        status = bind(net, &net->kernel[i]);
    }
    for (size_t i = 0; i < net->tensors; i++) {
        aic_net_tensor *tensor = &net->tensor[i];
        if (tensor->kind == AIC_NET_CONSTANT && tensor->plain) {
            net->constant_bytes += tensor->bytes;
        } else if (status == AIC_OK) {
            free(tensor->data);
            tensor->data = NULL;
        }
    }
    return status;
}
