/* Kernels ahead of time; see aic/export.h. */
#include <aic/export.h>

#include "frontend/core/diag.h"
#include "frontend/core/spec.h"
#include "frontend/core/structure.h"
#include "runtime/export/export_header.h"
#include "runtime/export/export_levels.h"
#include "runtime/export/export_names.h"
#include "runtime/generator/generator.h"
#include "runtime/generator/worker.h"
#include "runtime/request/context.h"
#include "runtime/tuning/tuning.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SUBJECT "export"

/* The arguments of aic_export(), what they come to, and the result. */
typedef struct export_job {
    const aic_context *context;
    const aic_export_kernel *given;
    size_t count;
    const char *isa;
    aic_export_levels to;
    aic_export_name *name;
    aic_spec *shown, *canonical;
    const char **schedule; /* one a kernel and level */
    aic_bundle_kernel *kernel;

    aic_exported result;
} export_job;

/* ---- kernels ---- */

static aic_status allocate(export_job *job)
{
    if (job->count == 0 || job->to.count == 0) {
        return aic_fail(AIC_INTERNAL, SUBJECT, "%zu kernels for %zu levels", job->count, job->to.count);
    }
    job->name = calloc(job->count, sizeof *job->name);
    job->shown = calloc(job->count, sizeof *job->shown);
    job->canonical = calloc(job->count, sizeof *job->canonical);
    job->schedule = calloc(job->count * job->to.count, sizeof *job->schedule);
    job->kernel = calloc(job->count, sizeof *job->kernel);
    const bool good = job->name != NULL && job->shown != NULL && job->canonical != NULL && job->schedule != NULL &&
                      job->kernel != NULL;
    return good ? AIC_OK : aic_fail_memory(SUBJECT, job->count * sizeof *job->shown);
}

/* Checks and resolves a kernel, and chooses its schedules. */
static aic_status resolve(export_job *job, size_t i)
{
    const aic_context *context = job->context;
    const aic_spec *spec = job->given[i].spec;
    aic_status status = aic_spec_resolve(spec, &context->semantics, &job->shown[i]);
    if (status == AIC_OK) {
        status = aic_spec_resolve_kernel(spec, &context->semantics, &job->canonical[i]);
    }
    const char **schedule = &job->schedule[i * job->to.count];
    for (size_t l = 0; l < job->to.count && status == AIC_OK; l++) {
        const aic_tune_record *record = NULL;
        if (job->given[i].schedule == NULL) {
            status = aic_tuning_find(context, &job->canonical[i], job->to.target[l], &record);
        }
        schedule[l] = record != NULL ? record->schedule : job->given[i].schedule;
    }
    job->kernel[i] = (aic_bundle_kernel){&job->canonical[i], schedule, job->name[i].text};
    return status;
}

static aic_status make_result(export_job *job)
{
    const aic_bundle_request request = {.count = job->count,
                                        .kernel = job->kernel,
                                        .levels = job->to.count,
                                        .target = job->to.target,
                                        .semantics = &job->context->semantics,
                                        .machine = job->context->machine,
                                        .triple = job->to.triple,
                                        .passes = job->context->passes};
    aic_bundle bundle;
    aic_status status = aic_generator()->bundle(&request, &bundle);
    if (status != AIC_OK) {
        return status;
    }
    const aic_export_contents contents = {&request, &bundle, job->shown, job->to.triple};
    status = aic_export_header(&contents, &job->result.header, &job->result.header_size);
    if (status == AIC_OK) {
        job->result.object = bundle.bytes;
        job->result.object_size = bundle.size;
        bundle.bytes = NULL;
    }
    aic_bundle_free(&bundle);
    return status;
}

static aic_status run_export(void *argument)
{
    export_job *job = argument;
    aic_status status = aic_export_choose_levels(job->context, job->isa, &job->to);
    if (status == AIC_OK && job->count * job->to.count > AIC_EXPORT_MAX) {
        status = aic_fail(AIC_INVALID_ARGUMENT, SUBJECT, "%zu kernels for %zu levels are more than %d", job->count,
                          job->to.count, AIC_EXPORT_MAX);
    }
    status = status == AIC_OK ? allocate(job) : status;
    for (size_t i = 0; i < job->count && status == AIC_OK; i++) {
        status = resolve(job, i);
    }
    const aic_export_request names = {job->count, job->given, job->shown, &job->context->semantics};
    status = status == AIC_OK ? aic_export_names(&names, job->name) : status; /* of known operators */
    status = status == AIC_OK ? make_result(job) : status;
    free(job->name);
    free(job->shown);
    free(job->canonical);
    free(job->schedule);
    free(job->kernel);
    return status;
}

/* Takes the caller's kernels, which lie as far apart as the first says that it is large. */
static aic_status take_given(const aic_export_kernel *kernels, size_t count, aic_export_kernel *taken)
{
    aic_status status = AIC_OK;
    for (size_t i = 0; i < count && status == AIC_OK; i++) {
        const void *given = (const char *)kernels + i * aic_structure_size(kernels);
        taken[i] = aic_export_kernel_init();
        status = aic_structure_take("kernels", given, &taken[i], sizeof taken[i]);
        if (status == AIC_OK && taken[i].spec == NULL) {
            status = aic_fail(AIC_INVALID_ARGUMENT, "spec", "of kernel %zu is NULL", i);
        }
    }
    return status;
}

aic_status aic_export(aic_context *context, const aic_export_kernel *kernels, size_t count, const char *isa,
                      const char *triple, aic_exported *result)
{
    if (kernels == NULL) {
        return aic_fail(AIC_INVALID_ARGUMENT, "kernels", "is NULL");
    }
    if (count == 0 || count > AIC_EXPORT_MAX) {
        return aic_fail(AIC_INVALID_ARGUMENT, SUBJECT, "%zu kernels are outside 1..%d", count, AIC_EXPORT_MAX);
    }
    aic_status status = aic_structure_check("result", result, sizeof *result);
    aic_export_kernel *taken = status == AIC_OK ? calloc(count, sizeof *taken) : NULL;
    if (status == AIC_OK && taken == NULL) {
        status = aic_fail_memory(SUBJECT, count * sizeof *taken);
    }
    status = status == AIC_OK ? take_given(kernels, count, taken) : status;
    status = status == AIC_OK ? aic_context_resolve(&context) : status;
    if (status == AIC_OK) {
        export_job job = {.context = context, .given = taken, .count = count, .isa = isa, .to.triple = triple};
        status = aic_worker_run(run_export, &job);
        status = status == AIC_OK ? aic_structure_give("result", result, &job.result, sizeof job.result) : status;
    }
    free(taken);
    return status;
}

void aic_exported_destroy(aic_exported *result)
{
    if (result != NULL) {
        free(result->object);
        free(result->header);
        const aic_exported empty = aic_exported_init();
        (void)aic_structure_give("result", result, &empty, sizeof empty);
    }
}
