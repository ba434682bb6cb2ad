/* Kernels ahead of time; see aic/export.h. */
#include <aic/export.h>

#include "codegen/build_name.h"
#include "codegen/codegen.h"
#include "frontend/core/choice.h"
#include "frontend/core/diag.h"
#include "frontend/core/spec.h"
#include "frontend/core/structure.h"
#include "frontend/text/sink.h"
#include "frontend/text/text.h"
#include "runtime/call/scratch.h"
#include "runtime/export/export_names.h"
#include "runtime/generator/generator.h"
#include "runtime/generator/worker.h"
#include "runtime/request/context.h"
#include "runtime/tuning/tuning.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the header ---- */

/* It includes nothing, so that it suits programs without a C library. */

/* What the header describes. */
typedef struct aic_export_contents {
    const aic_bundle_request *request;
    const aic_bundle *bundle;
    const aic_spec *shown; /* resolved: the operator text of each kernel */
    const char *triple;
} aic_export_contents;

/* A kernel of the header: what all its levels need. */
typedef struct exported_kernel {
    const char *name;
    aic_operand operand[AIC_OPERANDS_MAX];
    size_t count;
    uint32_t packed; /* number of the operand that can be packed; 0: none */
    int64_t workspace[AIC_FORMS], packed_bytes;
} exported_kernel;

static void describe(const aic_export_contents *c, size_t number, exported_kernel *k)
{
    const size_t levels = c->request->levels;
    const aic_bundle_part *part = &c->bundle->part[number * levels];
    *k = (exported_kernel){.name = c->request->kernel[number].name, .packed = part->requirements.pack.operand};
    k->count = aic_spec_operands_of(&c->shown[number], c->request->semantics, k->operand);
    for (size_t l = 0; l < levels; l++) {
        for (int form = 0; form < AIC_FORMS; form++) {
            const int64_t bytes = aic_workspace_bytes(&part[l].requirements, form);
            k->workspace[form] = bytes > k->workspace[form] ? bytes : k->workspace[form];
        }
        const int64_t bytes = part[l].requirements.pack.bytes;
        k->packed_bytes = bytes > k->packed_bytes ? bytes : k->packed_bytes;
    }
}

/* ---- comments ---- */

static const char *const direction_text[] = {
    [AIC_DIRECTION_IN] = "read", [AIC_DIRECTION_OUT] = "written", [AIC_DIRECTION_INOUT] = "read and written"};

/* " *     dst: int32 [2,16,16], 2048 bytes, written" */
static void put_operand(FILE *out, const aic_operand *operand)
{
    if (operand->direction == AIC_DIRECTION_UNUSED) {
        return; /* it is no parameter */
    }
    fprintf(out, " *     %s: %s [", operand->name, aic_dtype_name(operand->dtype));
    for (int32_t i = 0; i < operand->rank; i++) {
        fprintf(out, "%s%" PRId64, i > 0 ? "," : "", operand->shape[i]);
    }
    fprintf(out, "], %" PRId64 " bytes, %s", operand->bytes, direction_text[operand->direction]);
    fprintf(out, "%s\n",
            operand->overlaps != 0 || operand->coincides != 0 ? "; may be where an operand before it is" : "");
}

/* Operator text in lines that end behind a comma where they get long. */
static void put_text(FILE *out, const char *text)
{
    enum { COLUMNS = 110 };
    size_t column = 0;
    fprintf(out, "/* ");
    for (const char *at = text; *at != '\0'; at++) {
        if (*at == ' ' && column > COLUMNS) {
            fprintf(out, "\n * ");
            column = 0;
            continue;
        }
        fputc(*at, out);
        column++;
    }
    fprintf(out, "\n *\n");
}

/* ---- declarations ---- */

/* The operands that are taken, the packed one by another name. */
static void put_parameters(FILE *out, const exported_kernel *k, bool packed)
{
    for (size_t i = 0; i < k->count; i++) {
        const bool written = (k->operand[i].direction & AIC_DIRECTION_OUT) != 0;
        if (k->operand[i].direction == AIC_DIRECTION_UNUSED) {
            continue;
        }
        const char *suffix = packed && i == k->packed ? "_packed" : "";
        fprintf(out, "%svoid *%s%s, ", written ? "" : "const ", k->operand[i].name, suffix);
    }
    fprintf(out, "void *workspace);\n");
}

static void put_macro(FILE *out, const exported_kernel *k, const char *what, int64_t bytes)
{
    char macro[AIC_EXPORT_MACRO_MAX];
    aic_export_macro(k->name, what, macro);
    fprintf(out, "#define %s %" PRId64 "\n", macro, bytes);
}

static void put_macros(FILE *out, const exported_kernel *k)
{
    for (size_t i = 0; i < k->count; i++) {
        if (k->operand[i].direction != AIC_DIRECTION_UNUSED) {
            put_macro(out, k, k->operand[i].name, k->operand[i].bytes);
        }
    }
    put_macro(out, k, "workspace", k->workspace[AIC_PLAIN]);
    if (k->packed != 0) {
        put_macro(out, k, "packed", k->packed_bytes);
        put_macro(out, k, "packed_workspace", k->workspace[AIC_PACKED]);
    }
}

static void put_functions(FILE *out, const exported_kernel *k)
{
    fprintf(out, "void %s(", k->name);
    put_parameters(out, k, false);
    if (k->packed == 0) {
        return;
    }
    const char *operand = k->operand[k->packed].name;
    char macro[AIC_EXPORT_MACRO_MAX];
    aic_export_macro(k->name, "packed", macro);
    fprintf(out, "\n/* %s once, for many calls: writes its image, %s bytes. Calls with it do not pack. */\n", operand,
            macro);
    fprintf(out, "void %s_pack(void *%s_packed, const void *%s);\n", k->name, operand, operand);
    fprintf(out, "void %s_packed(", k->name);
    put_parameters(out, k, true);
    fprintf(out,
            "\n/* Sets *fits to 1 for an image that %s_packed() reads on this processor, to 0 for other memory of 64 "
            "bytes or\n * more. %s_packed() itself does not look. */\n",
            k->name, k->name);
    fprintf(out, "void %s_packed_check(const void *%s_packed, int *fits);\n", k->name, operand);
}

/* Whose readings the kernel computes, where they are not the documents'. */
static void put_choices(FILE *out, const aic_semantics *semantics)
{
    char text[AIC_CHOICES_TEXT_MAX];
    if (aic_semantics_print_choices(semantics, text, sizeof text, NULL) == AIC_OK && text[0] != '\0') {
        fprintf(out, " *     choices: %s\n", text);
    }
}

static aic_status put_kernel(FILE *out, const aic_export_contents *c, size_t number)
{
    exported_kernel k;
    char *text;
    const aic_status status = aic_spec_print_new(&c->shown[number], &text);
    if (status != AIC_OK) {
        return status;
    }
    describe(c, number, &k);
    fprintf(out, "\n");
    put_text(out, text);
    free(text);
    for (size_t i = 0; i < k.count; i++) {
        put_operand(out, &k.operand[i]);
    }
    put_choices(out, c->request->semantics);
    fprintf(out, " *\n");
    for (size_t l = 0; l < c->request->levels; l++) {
        fprintf(out, " * %s: %s\n", c->request->target[l]->name,
                c->bundle->part[number * c->request->levels + l].schedule);
    }
    fprintf(out, " */\n");
    put_macros(out, &k);
    put_functions(out, &k);
    return AIC_OK;
}

/* ---- the whole ---- */

static void put_begin(FILE *out, const aic_export_contents *c, const char *guard)
{
    const size_t levels = c->request->levels;
    fprintf(out, "/* Kernels made by aicjit %s with LLVM %s for %s, instruction set level", aic_version(),
            aic_build_llvm, c->triple);
    for (size_t l = 0; l < levels; l++) {
        fprintf(out, "%s%s", l == 0 ? (levels > 1 ? "s " : " ") : ", ", c->request->target[l]->name);
    }
    fprintf(out, ".\n");
    if (levels > 1) {
        fprintf(out, " * The functions choose the highest of these that the processor has; %s is taken for granted.\n",
                c->request->target[0]->name);
    }
    if ((c->request->target[levels - 1]->has & AIC_HAS_TILES) != 0) {
        fprintf(out,
                " * The process must have the system's permission to use tiles (arch_prctl, ARCH_REQ_XCOMP_PERM).\n");
    }
    fprintf(out,
            " *\n"
            " * The functions need nothing but their object. They check and allocate nothing. Operands are apart from "
            "each\n"
            " * other unless it says otherwise, and aligned to the size of their elements; workspaces and packed "
            "images are\n"
            " * aligned to %d bytes. Calls that run at the same time have workspaces of their own. */\n"
            "#ifndef %s\n#define %s\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n",
            AIC_SCRATCH_ALIGNMENT, guard, guard);
}

/* Writes it, malloc'ed with a closing zero. */
static aic_status aic_export_header(const aic_export_contents *contents, char **text, size_t *size)
{
    char guard[AIC_EXPORT_MACRO_MAX];
    *text = NULL;
    FILE *out = open_memstream(text, size);
    if (out == NULL) {
        return aic_fail_memory("export", 0);
    }
    aic_export_guard(contents->request->kernel[0].name, guard);
    put_begin(out, contents, guard);
    aic_status status = AIC_OK;
    for (size_t i = 0; i < contents->request->count && status == AIC_OK; i++) {
        status = put_kernel(out, contents, i);
    }
    fprintf(out, "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
    if (!aic_stream_end(out, text) && status == AIC_OK) {
        status = aic_fail_memory("export", 0);
    }
    if (status != AIC_OK) {
        free(*text);
        *text = NULL;
    }
    return status;
}

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
