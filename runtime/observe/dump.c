/* Dumps of the generator's stages and the explanation of a schedule. Nothing is cached. */
#include "codegen/target/host.h"
#include "frontend/core/diag.h"
#include "frontend/core/spec.h"
#include "frontend/core/structure.h"
#include "frontend/text/sink.h"
#include "runtime/generator/generator.h"
#include "runtime/generator/worker.h"
#include "runtime/request/context.h"
#include "runtime/request/identity.h"
#include "runtime/request/isa.h"
#include "runtime/tuning/tuning.h"
#include <aic/explain.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The level to generate for. Without one by name it is the context's; on another architecture, where that has no
 * meaning, the lowest, which every host of it runs. */
static aic_status choose_target(const aic_context *context, const char *isa, const char *triple,
                                const aic_target **target)
{
    aic_arch arch = aic_host_arch();
    aic_status status = triple != NULL ? aic_target_arch(triple, &arch) : AIC_OK;
    if (status != AIC_OK) {
        return status;
    }
    if (isa != NULL) {
        return aic_isa_find("isa", arch, isa, target);
    }
    *target = arch == context->target->arch ? context->target : aic_target_at(arch, 0);
    return AIC_OK;
}

static aic_status dump_plan(const aic_problem *problem, const char *schedule, char **bytes)
{
    aic_schedule_info info;
    aic_status status = aic_generator()->plan(problem, schedule, &info);
    if (status == AIC_OK) {
        *bytes = strdup(info.text);
        status = *bytes != NULL ? AIC_OK : aic_fail_memory("dump", sizeof info.text);
    }
    return status;
}

/* What the report begins with: the schedule, and where it comes from. record NULL: none applies. */
static void put_origin(FILE *out, const aic_codegen_request *request, const char *schedule,
                       const aic_tune_record *record, const aic_context *context)
{
    const char *origin = request->schedule == NULL ? aic_origin_default : aic_origin_given;
    if (record == NULL) {
        (void)fprintf(out, "schedule: %s\norigin: %s\n", schedule, origin);
        return;
    }
    (void)fprintf(out,
                  "schedule: %s\norigin: %s, by \"%s\" (effort %s): %.2f us a call (%.2f .. %.2f), the default "
                  "%.2f us (%.2f .. %.2f)\n",
                  schedule, aic_origin_tuned, aic_tuning_path(context->tuning), aic_tune_effort_name(record->effort),
                  record->tuned.median * 1e-3, record->tuned.low * 1e-3, record->tuned.high * 1e-3,
                  record->standard.median * 1e-3, record->standard.low * 1e-3, record->standard.high * 1e-3);
}

/* The report of the generator behind the origin of the schedule. */
static aic_status dump_explain(const aic_problem *problem, const aic_codegen_request *request,
                               const aic_tune_record *record, const aic_context *context, char **bytes)
{
    char *report;
    size_t size;
    aic_schedule_info info;
    aic_status status = aic_generator()->plan(problem, request->schedule, &info);
    if (status == AIC_OK) {
        status = aic_generator()->explain(problem, request->schedule, &report);
    }
    if (status != AIC_OK) {
        return status;
    }
    *bytes = NULL;
    FILE *out = open_memstream(bytes, &size);
    if (out != NULL) {
        put_origin(out, request, info.text, record, context);
        (void)fputs(report, out);
    }
    const bool whole = out != NULL && aic_stream_end(out, bytes);
    const size_t length = strlen(report);
    free(report);
    return whole ? AIC_OK : aic_fail_memory("explain", length);
}

/* The generator's stages, under the name that the kernel has when it is compiled: that depends on the schedule in its
 * canonical form, and on whether it is the default one. */
static aic_status dump_generated(const aic_codegen_request *request, aic_dump_stage stage, char **bytes, size_t *size)
{
    const aic_problem problem = aic_codegen_problem(request, 0);
    aic_codegen_request named = *request;
    aic_schedule_info given;
    aic_identity identity;
    aic_status status = AIC_OK;
    if (request->schedule != NULL) {
        status = aic_generator()->plan(&problem, request->schedule, &given);
        named.schedule = status != AIC_OK || given.is_default ? NULL : given.text;
    }
    if (status == AIC_OK) {
        status = aic_identity_create(&named, &identity);
    }
    if (status == AIC_OK) {
        named.symbol = identity.symbol;
        status = aic_generator()->dump(&named, stage, bytes, size);
        aic_identity_free(&identity);
    }
    return status;
}

/* The stage of a canonical specification; the request needs no symbol. `record` has given its schedule, or is NULL.
 * Text stages leave *size alone. */
static aic_status dump_stage(const aic_codegen_request *request, const aic_context *context,
                             const aic_tune_record *record, aic_dump_stage stage, char **bytes, size_t *size)
{
    const aic_problem problem = aic_codegen_problem(request, 0);
    aic_status status;
    switch (stage) {
    case AIC_DUMP_PLAN:
        status = dump_plan(&problem, request->schedule, bytes);
        break;
    case AIC_DUMP_EXPLAIN:
        status = dump_explain(&problem, request, record, context, bytes);
        break;
    default:
        return dump_generated(request, stage, bytes, size);
    }
    if (status == AIC_OK) {
        *size = strlen(*bytes);
    }
    return status;
}

/* The arguments of aic_dump() and aic_explain(), and their results. */
typedef struct dump_job {
    const aic_context *context;
    const aic_spec *spec;
    const char *schedule;
    aic_dump_stage stage;
    const char *isa, *triple;
    char *bytes;
    size_t size;
    aic_explanation *explanation; /* NULL: only bytes are wanted */
} dump_job;

/* Writes the explanation but for its text. */
static aic_status explain(const aic_codegen_request *request, const aic_tune_record *record, aic_explanation *e)
{
    const aic_problem problem = aic_codegen_problem(request, 0);
    const aic_status status = aic_generator()->facts(&problem, request->schedule, e);
    e->origin = record != NULL ? aic_origin_tuned : request->schedule == NULL ? aic_origin_default : aic_origin_given;
    return status;
}

static aic_status run_dump_job(void *argument)
{
    dump_job *job = argument;
    const aic_context *context = job->context;
    aic_spec canonical;
    const aic_target *target;
    aic_status status = aic_spec_resolve_kernel(job->spec, &context->semantics, &canonical);
    if (status == AIC_OK) {
        status = choose_target(context, job->isa, job->triple, &target);
    }
    if (status != AIC_OK) {
        return status;
    }
    const aic_tune_record *record = NULL;
    status = job->schedule == NULL ? aic_tuning_find(context, &canonical, target, &record) : AIC_OK;
    if (status != AIC_OK) {
        return status;
    }
    const aic_codegen_request request = {.count = 1,
                                         .spec = &canonical,
                                         .schedule = record != NULL ? record->schedule : job->schedule,
                                         .semantics = &context->semantics,
                                         .target = target,
                                         .machine = context->machine,
                                         .triple = job->triple,
                                         .passes = context->passes};
    status = job->explanation != NULL ? explain(&request, record, job->explanation) : AIC_OK;
    return status == AIC_OK ? dump_stage(&request, context, record, job->stage, &job->bytes, &job->size) : status;
}

aic_status aic_dump(aic_context *context, const aic_spec *spec, const char *schedule, aic_dump_stage stage,
                    const char *isa, const char *triple, char **bytes, size_t *size)
{
    if (spec == NULL || bytes == NULL || size == NULL) {
        return aic_fail(AIC_INVALID_ARGUMENT, spec == NULL ? "spec" : bytes == NULL ? "bytes" : "size", "is NULL");
    }
    if ((unsigned)stage > AIC_DUMP_EXPLAIN) {
        return aic_fail(AIC_INVALID_ARGUMENT, "stage", "%d is outside 0..%d", (int)stage, AIC_DUMP_EXPLAIN);
    }
    aic_status status = aic_context_resolve(&context);
    if (status != AIC_OK) {
        return status;
    }
    dump_job job = {context, spec, schedule, stage, isa, triple, NULL, 0, NULL};
    status = aic_worker_run(run_dump_job, &job);
    if (status == AIC_OK) {
        *bytes = job.bytes;
        *size = job.size;
    }
    return status;
}

_Static_assert(sizeof((aic_explanation *)0)->schedule == AIC_SCHEDULE_TEXT_MAX, "room for the text of a schedule");

aic_status aic_explain(aic_context *context, const aic_spec *spec, const char *schedule, const char *isa,
                       aic_explanation *explanation)
{
    if (spec == NULL || explanation == NULL) {
        return aic_fail(AIC_INVALID_ARGUMENT, spec == NULL ? "spec" : "explanation", "is NULL");
    }
    aic_status status = aic_structure_check("explanation", explanation, sizeof *explanation);
    status = status == AIC_OK ? aic_context_resolve(&context) : status;
    if (status != AIC_OK) {
        return status;
    }
    aic_explanation made = aic_explanation_init();
    dump_job job = {context, spec, schedule, AIC_DUMP_EXPLAIN, isa, NULL, NULL, 0, &made};
    status = aic_worker_run(run_dump_job, &job);
    if (status == AIC_OK) {
        made.text = job.bytes;
        status = aic_structure_give("explanation", explanation, &made, sizeof made);
    }
    return status;
}

void aic_free(void *memory)
{
    free(memory);
}
