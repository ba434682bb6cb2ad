/* Opening and closing networks, and what is said of them; see network.h. */
#include "runtime/network/network.h"
#include "frontend/core/diag.h"
#include "frontend/core/structure.h"
#include "runtime/generator/worker.h"
#include "runtime/system/open_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- messages ---- */

aic_status aic_net_fail(const aic_network *net, size_t line, const char *format, ...)
{
    char text[AIC_MESSAGE_MAX];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return aic_fail(AIC_INVALID_ARGUMENT, AIC_NETWORK_SUBJECT, "\"%s\", line %zu: %s", net->path, line, text);
}

aic_status aic_net_blame(const aic_network *net, size_t line, aic_status status)
{
    static const char SUBJECT[] = AIC_NETWORK_SUBJECT ": ";
    char text[AIC_MESSAGE_MAX];
    (void)snprintf(text, sizeof text, "%s", aic_last_error());
    const char *said = text + (strncmp(text, SUBJECT, sizeof SUBJECT - 1) == 0 ? sizeof SUBJECT - 1 : 0);
    return aic_fail(status, AIC_NETWORK_SUBJECT, "\"%s\", line %zu: %s", net->path, line, said);
}

/* ---- what is said of a network ---- */

static void show_tensor(const aic_network *net, size_t number, aic_network_tensor *shown)
{
    const aic_net_tensor *tensor = &net->tensor[number];
    *shown = (aic_network_tensor){.size = sizeof *shown,
                                  .name = tensor->name,
                                  .dtype = tensor->dtype,
                                  .rank = tensor->rank,
                                  .elements = tensor->elements,
                                  .bytes = tensor->bytes,
                                  .alignment = tensor->alignment};
    memcpy(shown->shape, tensor->shape, sizeof shown->shape);
}

static void show_kernel(const aic_network *net, const aic_net_kernel *kernel, aic_network_kernel *shown)
{
    *shown = (aic_network_kernel){.size = sizeof *shown,
                                  .line = kernel->line,
                                  .text = kernel->text,
                                  .output = net->tensor[kernel->operand[0].tensor].name,
                                  .threads = 1,
                                  .packed = kernel->form == AIC_PACKED};
    (void)aic_spec_work(&kernel->spec, &net->semantics, &shown->macs, &shown->bytes);
    if (kernel->code != NULL) {
        shown->schedule = kernel->code->schedule;
        shown->threads = kernel->code->workers;
    }
}

static aic_status show(aic_network *net)
{
    net->shown = calloc(net->inputs + net->outputs, sizeof *net->shown);
    net->shown_kernel = calloc(net->kernels + 1, sizeof *net->shown_kernel);
    if (net->shown == NULL || net->shown_kernel == NULL) {
        return aic_fail_memory(AIC_NETWORK_SUBJECT, (net->kernels + 1) * sizeof *net->shown_kernel);
    }
    for (size_t i = 0; i < net->inputs + net->outputs; i++) {
        const bool in = i < net->inputs;
        show_tensor(net, in ? net->ends[0][i] : net->ends[1][i - net->inputs], &net->shown[i]);
    }
    for (size_t i = 0; i < net->kernels; i++) {
        show_kernel(net, &net->kernel[i], &net->shown_kernel[i]);
    }
    return AIC_OK;
}

aic_status aic_network_info(const aic_network *network, aic_network_facts *facts)
{
    if (network == NULL || facts == NULL) {
        return aic_fail(AIC_INVALID_ARGUMENT, network == NULL ? "network" : "facts", "is NULL");
    }
    const aic_network_facts all = {.size = sizeof all,
                                   .input = network->shown,
                                   .output = network->shown + network->inputs,
                                   .kernel = network->shown_kernel,
                                   .inputs = network->inputs,
                                   .outputs = network->outputs,
                                   .kernels = network->kernels,
                                   .arena_bytes = network->arena_bytes,
                                   .buffer_bytes = network->buffer_bytes,
                                   .constant_bytes = network->constant_bytes,
                                   .workspace_bytes = network->workspace_bytes,
                                   .isa = network->isa};
    return aic_structure_give("facts", facts, &all, sizeof all);
}

/* ---- opening ---- */

static aic_status open_folder(aic_network *net, const char *folder)
{
    const size_t length = strlen(folder) + 1 + sizeof AIC_NETWORK_FILE;
    net->path = malloc(length);
    if (net->path == NULL) {
        return aic_fail_memory(AIC_NETWORK_SUBJECT, length);
    }
    (void)snprintf(net->path, length, "%s/%s", folder, AIC_NETWORK_FILE);
    net->folder = open(folder, O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC);
    return net->folder >= 0
               ? AIC_OK
               : aic_fail(aic_file_status(errno), AIC_NETWORK_SUBJECT, "\"%s\": %s", folder, strerror(errno));
}

static void close_folder(aic_network *net)
{
    if (net->folder >= 0) {
        (void)close(net->folder);
        net->folder = -1;
    }
}

/* An arena that the first call finds. */
static aic_status make_arena(aic_network *net)
{
    void *arena = aic_net_arena_take(net);
    if (arena == NULL) {
        return aic_fail_memory(AIC_NETWORK_SUBJECT, (size_t)net->arena_bytes);
    }
    aic_net_arena_give(net, arena);
    return AIC_OK;
}

/* Reads and checks. */
static aic_status read_network(aic_network *net, const char *folder)
{
    aic_status status = open_folder(net, folder);
    status = status == AIC_OK ? aic_net_read(net) : status;
    close_folder(net);
    status = status == AIC_OK ? aic_net_check_order(net) : status;
    return status == AIC_OK ? aic_net_place(net) : status;
}

aic_status aic_net_begin(aic_context *context, const char *folder, aic_network **network)
{
    aic_network *made = calloc(1, sizeof *made);
    if (made == NULL) {
        return aic_fail_memory(AIC_NETWORK_SUBJECT, sizeof *made);
    }
    made->folder = -1;
    made->options = aic_network_options_init();
    made->semantics = context->semantics;
    made->isa = context->target->name;
    made->share = context->share;
    if (made->share.threads > 1) {
        aic_share_limit(&made->share, &context->quota);
    }
    const aic_status status = read_network(made, folder);
    if (status != AIC_OK) {
        aic_network_destroy(made);
        return status;
    }
    *network = made;
    return AIC_OK;
}

/* By a thread that is not cancelled meanwhile. */
static aic_status open_network(aic_context *context, const char *folder, const aic_network_options *options,
                               aic_network **network)
{
    aic_network *made = NULL;
    aic_status status = aic_context_resolve(&context);
    status = status == AIC_OK ? aic_net_begin(context, folder, &made) : status;
    if (status != AIC_OK) {
        return status;
    }
    made->options = *options;
    status = aic_net_make(made, context);
    status = status == AIC_OK ? show(made) : status;
    status = status == AIC_OK ? make_arena(made) : status;
    if (status != AIC_OK) {
        aic_network_destroy(made);
        return status;
    }
    *network = made;
    return AIC_OK;
}

aic_status aic_network_open(aic_context *context, const char *folder, const aic_network_options *options,
                            aic_network **network)
{
    aic_network_options taken = aic_network_options_init();
    if (folder == NULL || network == NULL) {
        return aic_fail(AIC_INVALID_ARGUMENT, folder == NULL ? "folder" : "network", "is NULL");
    }
    aic_status status = options != NULL ? aic_structure_take("options", options, &taken, sizeof taken) : AIC_OK;
    if (status == AIC_OK) {
        const int cancellation = aic_cancellation_disable();
        status = open_network(context, folder, &taken, network);
        aic_cancellation_restore(cancellation);
    }
    return status;
}

void aic_network_destroy(aic_network *network)
{
    if (network == NULL) {
        return;
    }
    for (size_t i = 0; i < AIC_NETWORK_ARENAS; i++) {
        free(atomic_load(&network->arena[i]));
    }
    for (size_t i = 0; i < network->kernels; i++) {
        aic_net_kernel *kernel = &network->kernel[i];
        if (kernel->code != NULL) {
            aic_code_release(kernel->code);
        }
        free(kernel->text);
        free(kernel->image);
    }
    for (size_t i = 0; i < network->tensors; i++) {
        free(network->tensor[i].data);
    }
    free(network->shown);
    free(network->shown_kernel);
    free(network->tensor);
    free(network->kernel);
    free(network->path);
    free(network);
}
