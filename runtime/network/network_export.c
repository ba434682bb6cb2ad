/* A network as an object: its kernels, each once, for every level; its constants, packed for each level, whether this
 * host runs it or not; and the function that calls them in order. */
#include "runtime/network/network.h"

#include "frontend/core/diag.h"
#include "frontend/core/spec.h"
#include "frontend/core/structure.h"
#include "runtime/call/scratch.h"
#include "runtime/export/export_names.h"
#include "runtime/generator/generator.h"
#include "runtime/generator/worker.h"
#include "runtime/tuning/tuning.h"
#include <aic/export.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KERNEL_NAME_MAX = 16 };

/* A kernel of the object at a level. */
typedef struct part {
    char schedule[AIC_SCHEDULE_TEXT_MAX];
    aic_packing packing; /* without an operand nothing is packed */
    aic_code_memory packer;
    void (*pack)(void *packed, const void *source);
} part;

typedef struct export_job {
    aic_context *context;
    const aic_network *net;
    const char *name, *isa;
    aic_export_levels to;

    size_t count; /* of different kernels */
    aic_spec *canonical;
    char (*kernel_name)[KERNEL_NAME_MAX];
    part *part; /* count * levels */
    const char **schedule;
    aic_bundle_kernel *kernel;
    aic_bundle_step *step;
    aic_bundle_image *image; /* steps * levels */
    bool *owned;             /* the image's bytes are this step's */
    const char *parameter[AIC_BUNDLE_PARAMETERS_MAX];
    aic_exported result;
} export_job;

static size_t levels(const export_job *job)
{
    return job->to.count;
}

static aic_status allocate(export_job *job)
{
    const size_t n = job->net->kernels + 1, parts = n * levels(job);
    job->canonical = calloc(n, sizeof *job->canonical);
    job->kernel_name = calloc(n, sizeof *job->kernel_name);
    job->part = calloc(parts, sizeof *job->part);
    job->schedule = calloc(parts, sizeof *job->schedule);
    job->kernel = calloc(n, sizeof *job->kernel);
    job->step = calloc(n, sizeof *job->step);
    job->image = calloc(parts, sizeof *job->image);
    job->owned = calloc(parts, sizeof *job->owned);
    const bool good = job->canonical != NULL && job->kernel_name != NULL && job->part != NULL &&
                      job->schedule != NULL && job->kernel != NULL && job->step != NULL && job->image != NULL &&
                      job->owned != NULL;
    return good ? AIC_OK : aic_fail_memory(AIC_NETWORK_SUBJECT, parts * sizeof *job->part);
}

static void release(export_job *job)
{
    const size_t parts = (job->net->kernels + 1) * levels(job);
    for (size_t i = 0; job->owned != NULL && i < parts; i++) {
        if (job->owned[i]) {
            free((void *)(uintptr_t)job->image[i].constant.bytes);
        }
    }
    for (size_t i = 0; job->part != NULL && i < parts; i++) {
        aic_code_memory_release(&job->part[i].packer);
    }
    free(job->canonical);
    free(job->kernel_name);
    free(job->part);
    free(job->schedule);
    free(job->kernel);
    free(job->step);
    free(job->image);
    free(job->owned);
}

/* ---- kernels ---- */

/* The schedule at a level, and what packs for it. */
static aic_status make_part(export_job *job, size_t k, size_t l)
{
    const aic_tune_record *record;
    aic_schedule_info info;
    aic_packer packer = {.packing.operand = 0};
    part *p = &job->part[k * levels(job) + l];
    const aic_target *target = job->to.target[l];
    const aic_problem problem = aic_context_problem(job->context, &job->canonical[k], target);
    aic_status status = aic_tuning_find(job->context, &job->canonical[k], target, &record);
    status =
        status == AIC_OK ? aic_generator()->plan(&problem, record != NULL ? record->schedule : NULL, &info) : status;
    if (status != AIC_OK) {
        return status;
    }
    memcpy(p->schedule, info.text, sizeof p->schedule);
    job->schedule[k * levels(job) + l] = p->schedule;
    status = aic_generator()->packer(&problem, p->schedule, &packer);
    if (status == AIC_OK && packer.packing.operand != 0) {
        p->packing = packer.packing;
        status = aic_code_memory_place(&packer.image, &p->packer);
        p->pack =
            (void (*)(void *, const void *))(uintptr_t)(p->packer.base + packer.image.function[AIC_FUNCTION_ENTRY]);
    }
    aic_image_free(&packer.image);
    return status;
}

/* The number of the kernel in the object, which gets it if it is new. */
static aic_status take_kernel(export_job *job, const aic_net_kernel *kernel, size_t *number)
{
    size_t k = 0;
    aic_spec *canonical = &job->canonical[job->count];
    aic_status status = aic_spec_resolve_kernel(&kernel->spec, &job->context->semantics, canonical);
    while (status == AIC_OK && k < job->count && !aic_spec_equal(&job->canonical[k], canonical)) {
        k++;
    }
    *number = k;
    if (status != AIC_OK || k < job->count) {
        return status;
    }
    for (size_t l = 0; l < levels(job) && status == AIC_OK; l++) {
        status = make_part(job, k, l);
    }
    snprintf(job->kernel_name[k], KERNEL_NAME_MAX, "k%zu", k);
    job->kernel[k] = (aic_bundle_kernel){canonical, &job->schedule[k * levels(job)], job->kernel_name[k]};
    job->count++;
    return status;
}

/* ---- steps ---- */

static void take_operand(const aic_network *net, const aic_net_operand *from, aic_bundle_operand *to)
{
    if (from->tensor == AIC_NET_NONE) {
        return;
    }
    const aic_net_tensor *tensor = &net->tensor[from->tensor];
    *to = (aic_bundle_operand){.taken = true};
    if (tensor->kind == AIC_NET_CONSTANT) {
        to->constant = (aic_bundle_constant){aic_net_data(net, tensor), (size_t)tensor->bytes};
    } else {
        to->root = aic_net_root(net, tensor, &to->offset);
    }
}

static const part *part_of(const export_job *job, size_t step, size_t l)
{
    return &job->part[job->step[step].kernel * levels(job) + l];
}

/* The image of the same constant in the same form, of a step or a level before; NULL: there is none. */
static const aic_bundle_image *find_image(const export_job *job, size_t step, size_t l)
{
    const part *p = part_of(job, step, l);
    const void *source = job->step[step].operand[p->packing.operand].constant.bytes;
    for (size_t i = 0; i < step * levels(job) + l; i++) {
        const part *other = part_of(job, i / levels(job), i % levels(job));
        const aic_bundle_operand *operand = &job->step[i / levels(job)].operand[other->packing.operand];
        if (job->image[i].constant.bytes != NULL && operand->constant.bytes == source &&
            other->packing.bytes == p->packing.bytes &&
            memcmp(other->packing.form, p->packing.form, sizeof p->packing.form) == 0) {
            return &job->image[i];
        }
    }
    return NULL;
}

/* The image of a step's constant at a level. */
static aic_status pack(export_job *job, size_t step, size_t l)
{
    const part *p = part_of(job, step, l);
    const size_t operand = p->packing.operand, bytes = (size_t)p->packing.bytes;
    const void *source = job->step[step].operand[operand].constant.bytes;
    aic_bundle_image *image = &job->image[step * levels(job) + l];
    if (operand == 0 || source == NULL) {
        return AIC_OK;
    }
    const aic_bundle_image *known = find_image(job, step, l);
    if (known != NULL) {
        *image = (aic_bundle_image){operand, known->constant};
        return AIC_OK;
    }
    void *made = aligned_alloc(AIC_SCRATCH_ALIGNMENT, bytes);
    if (made == NULL) {
        return aic_fail_memory(AIC_NETWORK_SUBJECT, bytes);
    }
    memset(made, 0, bytes); /* the object has all of it, also what lies between */
    p->pack(made, source);
    *image = (aic_bundle_image){operand, {made, bytes}};
    job->owned[step * levels(job) + l] = true;
    return AIC_OK;
}

static aic_status make_step(export_job *job, size_t i)
{
    const aic_net_kernel *kernel = &job->net->kernel[i];
    aic_bundle_step *step = &job->step[i];
    aic_status status = take_kernel(job, kernel, &step->kernel);
    step->count = kernel->count;
    step->image = &job->image[i * levels(job)];
    for (size_t k = 0; k < kernel->count; k++) {
        take_operand(job->net, &kernel->operand[k], &step->operand[k]);
    }
    for (size_t l = 0; l < levels(job) && status == AIC_OK; l++) {
        status = pack(job, i, l);
    }
    return status == AIC_OK ? AIC_OK : aic_net_blame(job->net, kernel->line, status);
}

/* ---- the object ---- */

/* Behind the arena: the workspace of the kernel that needs most. */
static int64_t workspace_of(const export_job *job, const aic_bundle *bundle)
{
    int64_t most = 0;
    for (size_t i = 0; i < job->net->kernels; i++) {
        for (size_t l = 0; l < levels(job); l++) {
            const int form = job->image[i * levels(job) + l].constant.bytes != NULL ? AIC_PACKED : AIC_PLAIN;
            const aic_bundle_part *made = &bundle->part[job->step[i].kernel * levels(job) + l];
            const int64_t bytes = aic_workspace_bytes(&made->requirements, form);
            most = bytes > most ? bytes : most;
        }
    }
    const int64_t all = job->net->arena_bytes + most;
    return all > 0 ? all : AIC_SCRATCH_ALIGNMENT; /* no array of 0 bytes */
}

static aic_status make_result(export_job *job)
{
    const aic_network *net = job->net;
    const aic_bundle_network function = {.name = job->name,
                                         .parameters = net->inputs + net->outputs,
                                         .parameter = job->parameter,
                                         .steps = net->kernels,
                                         .step = job->step,
                                         .arena_bytes = net->arena_bytes};
    const aic_bundle_request request = {.count = job->count,
                                        .kernel = job->kernel,
                                        .levels = levels(job),
                                        .target = job->to.target,
                                        .semantics = &job->context->semantics,
                                        .machine = job->context->machine,
                                        .triple = job->to.triple,
                                        .passes = job->context->passes,
                                        .network = &function};
    aic_bundle bundle;
    aic_status status = aic_generator()->bundle(&request, &bundle);
    if (status != AIC_OK) {
        return status;
    }
    const aic_net_header header = {net, job->name, &job->to, workspace_of(job, &bundle)};
    status = aic_net_write_header(&header, &job->result.header, &job->result.header_size);
    if (status == AIC_OK) {
        job->result.object = bundle.bytes;
        job->result.object_size = bundle.size;
        bundle.bytes = NULL;
    }
    aic_bundle_free(&bundle);
    return status;
}

static aic_status check_ends(export_job *job)
{
    const aic_network *net = job->net;
    if (net->inputs + net->outputs > AIC_BUNDLE_PARAMETERS_MAX) {
        return aic_fail(AIC_UNSUPPORTED, AIC_NETWORK_SUBJECT, "%zu inputs and outputs are more than %d",
                        net->inputs + net->outputs, AIC_BUNDLE_PARAMETERS_MAX);
    }
    for (size_t i = 0; i < net->inputs + net->outputs; i++) {
        const bool in = i < net->inputs;
        job->parameter[i] = net->tensor[net->ends[in ? 0 : 1][in ? i : i - net->inputs]].name;
    }
    return AIC_OK;
}

static aic_status run_export(void *argument)
{
    export_job *job = argument;
    aic_status status = check_ends(job);
    status = status == AIC_OK ? allocate(job) : status;
    for (size_t i = 0; i < job->net->kernels && status == AIC_OK; i++) {
        status = make_step(job, i);
    }
    if (status == AIC_OK && job->count * levels(job) > AIC_EXPORT_MAX) {
        status = aic_fail(AIC_UNSUPPORTED, AIC_NETWORK_SUBJECT, "%zu different kernels for %zu levels are more than %d",
                          job->count, levels(job), AIC_EXPORT_MAX);
    }
    status = status == AIC_OK ? make_result(job) : status;
    release(job);
    return status;
}

/* By a thread that is not cancelled meanwhile. */
static aic_status export_network(export_job *job, const char *folder)
{
    aic_network *net = NULL;
    aic_status status = aic_context_resolve(&job->context);
    status = status == AIC_OK ? aic_export_check_name(job->name) : status;
    status = status == AIC_OK ? aic_export_choose_levels(job->context, job->isa, &job->to) : status;
    status = status == AIC_OK ? aic_net_begin(job->context, folder, &net) : status;
    if (status == AIC_OK) {
        job->net = net;
        status = aic_worker_run(run_export, job);
        aic_network_destroy(net);
    }
    return status;
}

aic_status aic_network_export(aic_context *context, const char *folder, const char *name, const char *isa,
                              const char *triple, aic_exported *result)
{
    if (folder == NULL || name == NULL || result == NULL) {
        return aic_fail(AIC_INVALID_ARGUMENT, folder == NULL ? "folder" : name == NULL ? "name" : "result", "is NULL");
    }
    const aic_status fits = aic_structure_check("result", result, sizeof *result);
    if (fits != AIC_OK) {
        return fits;
    }
    export_job job = {.context = context, .name = name, .isa = isa, .to.triple = triple};
    const int cancellation = aic_cancellation_disable();
    const aic_status status = export_network(&job, folder);
    aic_cancellation_restore(cancellation);
    return status == AIC_OK ? aic_structure_give("result", result, &job.result, sizeof job.result) : status;
}
