/* Kernel handles: the functions of aic/kernel.h but the dumps (dump.c). A handle is a hold on cached machine code. */
#include "frontend/core/diag.h"
#include "frontend/core/memory.h"
#include "frontend/core/rule.h"
#include "runtime/call/batch.h"
#include "runtime/call/function.h"
#include "runtime/request/pipeline.h"
#include "runtime/request/schedules.h"
#include "runtime/system/large_pages.h"
#include "runtime/tuning/tuning.h"
#include <aic/kernel.h>
#include <stdlib.h>
#include <string.h>

struct aic_kernel {
    aic_code *code;
    bool given;    /* the schedule, by the caller */
    bool compiled; /* by the aic_kernel_create() of this handle */
    bool loaded;   /* likewise, from the disk cache */
};

aic_status aic_kernel_create(aic_context *context, const aic_spec *spec, const char *schedule, aic_kernel **kernel)
{
    if (spec == NULL || kernel == NULL) {
        return aic_fail(AIC_INVALID_ARGUMENT, spec == NULL ? "spec" : "kernel", "is NULL");
    }
    aic_status status = aic_ask_check(spec);
    if (status == AIC_OK) {
        status = aic_context_resolve(&context);
    }
    aic_schedule_info info = {.is_default = true};
    if (status == AIC_OK && schedule != NULL) {
        status = aic_schedule_resolve(context, spec, schedule, &info);
    }
    if (status != AIC_OK) {
        return status;
    }
    const aic_hooks *before = aic_thread_use(&context->hooks);
    aic_kernel *made = aic_memory_new(sizeof *made);
    (void)aic_thread_use(before);
    if (made == NULL) {
        return aic_fail_memory("kernel", sizeof *made);
    }
    aic_stage_view stage[AIC_STAGES_MAX];
    /* A text of the schedule that the default rule would choose requests the same kernel as no text. With a tuning file
     * it does not: no text may then mean a tuned schedule. */
    const bool open = info.is_default && (schedule == NULL || context->tuning == NULL);
    const aic_request request = {
        .specs = 1, .count = aic_stage_views(spec, stage), .stage = stage, .schedule = open ? NULL : info.text};
    aic_result result;
    status = aic_pipeline(context, &request, &result);
    if (status != AIC_OK) {
        aic_memory_free(made);
        return status;
    }
    *made = (aic_kernel){
        .code = result.code, .given = schedule != NULL, .compiled = result.compiled, .loaded = result.loaded};
    *kernel = made;
    return AIC_OK;
}

void aic_kernel_destroy(aic_kernel *kernel)
{
    if (kernel != NULL) {
        aic_code_release(kernel->code);
        aic_memory_free(kernel);
    }
}

size_t aic_kernel_workspace_size(const aic_kernel *kernel)
{
    return kernel != NULL ? (size_t)aic_workspace_bytes(&kernel->code->requirements, AIC_PLAIN) : 0;
}

size_t aic_kernel_packed_workspace_size(const aic_kernel *kernel)
{
    return kernel != NULL ? (size_t)aic_workspace_bytes(&kernel->code->requirements, AIC_PACKED) : 0;
}

/* NULL also where the kernel has operands that the operator's signature lacks. */
aic_kernel_entry_fn aic_kernel_entry(const aic_kernel *kernel, aic_op op, size_t operands, bool packed)
{
    const bool fits = kernel != NULL && kernel->code->spec.count == 1 && kernel->code->spec.stage[0].op == op &&
                      kernel->code->operand_count == operands;
    return fits ? (aic_kernel_entry_fn)aic_function_of_operands(kernel->code, packed ? AIC_PACKED : AIC_PLAIN) : NULL;
}

aic_kernel_fn aic_kernel_function(const aic_kernel *kernel, bool packed)
{
    if (kernel == NULL) {
        (void)aic_fail(AIC_INVALID_ARGUMENT, "kernel", "is NULL");
        return NULL;
    }
    return (aic_kernel_fn)aic_function_of_table(kernel->code, packed ? AIC_PACKED : AIC_PLAIN);
}

static inline aic_status call(const aic_kernel *kernel, int form, void *const operands[], size_t count)
{
    if (kernel == NULL || operands == NULL) {
        return aic_fail(AIC_INVALID_ARGUMENT, kernel == NULL ? "kernel" : "operands", "is NULL");
    }
    if (count != kernel->code->operand_count) {
        return aic_code_count_check(kernel->code, count); /* with a message */
    }
    return aic_call(kernel->code, form, (const void *const *)operands);
}

aic_status aic_kernel_call(const aic_kernel *kernel, void *const operands[], size_t count)
{
    return call(kernel, AIC_PLAIN, operands, count);
}

/* Whether every operand that is taken has the bytes that the kernel reads or writes. */
static aic_status check_sizes(const aic_code *code, const size_t bytes[])
{
    aic_verdict v = aic_request_verdict(code->subject);
    for (size_t i = 0; i < code->operand_count; i++) {
        const aic_argument *a = &code->argument[AIC_PLAIN][i];
        if (a->least != 0 && bytes[i] < a->bytes) {
            aic_break(&v, AIC_REQUEST_whole, "%s: has %zu bytes, and %zu are needed", a->name, bytes[i],
                      (size_t)a->bytes);
        }
    }
    return v.status;
}

aic_status aic_kernel_call_sized(const aic_kernel *kernel, void *const operands[], const size_t bytes[], size_t count)
{
    if (kernel == NULL || operands == NULL || bytes == NULL) {
        return aic_fail(AIC_INVALID_ARGUMENT,
                        kernel == NULL     ? "kernel"
                        : operands == NULL ? "operands"
                                           : "bytes",
                        "is NULL");
    }
    if (count != kernel->code->operand_count) {
        return aic_code_count_check(kernel->code, count); /* with a message */
    }
    const aic_argument *argument = kernel->code->argument[AIC_PLAIN];
    for (size_t i = 0; i < count; i++) {
        if (bytes[i] < argument[i].bytes && argument[i].least != 0) {
            return check_sizes(kernel->code, bytes);
        }
    }
    return aic_call(kernel->code, AIC_PLAIN, (const void *const *)operands);
}

aic_status aic_kernel_call_packed(const aic_kernel *kernel, void *const operands[], size_t count)
{
    return call(kernel, AIC_PACKED, operands, count);
}

static aic_status call_batch(const aic_kernel *kernel, int form, void *const operands[], const size_t strides[],
                             size_t n)
{
    if (kernel == NULL || operands == NULL || strides == NULL) {
        return aic_fail(AIC_INVALID_ARGUMENT,
                        kernel == NULL     ? "kernel"
                        : operands == NULL ? "operands"
                                           : "strides",
                        "is NULL");
    }
    const aic_images images = {(const void *const *)operands, strides, n};
    return n > 0 ? aic_batch_call(kernel->code, form, &images) : AIC_OK;
}

aic_status aic_kernel_call_batch(const aic_kernel *kernel, void *const operands[], const size_t strides[], size_t n)
{
    return call_batch(kernel, AIC_PLAIN, operands, strides, n);
}

aic_status aic_kernel_call_batch_packed(const aic_kernel *kernel, void *const operands[], const size_t strides[],
                                        size_t n)
{
    return call_batch(kernel, AIC_PACKED, operands, strides, n);
}

/* Bytes of an operand's packed image, 0 for one that is not packed. */
static size_t packed_bytes(const aic_code *code, size_t operand)
{
    const aic_packing *pack = &code->requirements.pack;
    return operand != 0 && operand == pack->operand ? (size_t)pack->bytes : 0;
}

aic_status aic_kernel_packed_size(const aic_kernel *kernel, size_t operand, size_t *bytes)
{
    if (kernel == NULL || bytes == NULL) {
        return aic_fail(AIC_INVALID_ARGUMENT, kernel == NULL ? "kernel" : "bytes", "is NULL");
    }
    const aic_code *code = kernel->code;
    if (operand >= code->operand_count) {
        return aic_fail(AIC_INVALID_ARGUMENT, code->subject, "operand %zu: there are %zu", operand,
                        code->operand_count);
    }
    if (packed_bytes(code, operand) == 0) {
        return aic_fail(AIC_UNSUPPORTED, code->subject, "operand %zu is not packed by this kernel", operand);
    }
    *bytes = packed_bytes(code, operand);
    return AIC_OK;
}

/* Whether the kernel packs this operand. */
static aic_status check_packs(const aic_kernel *kernel, size_t operand)
{
    if (kernel == NULL) {
        return aic_fail(AIC_INVALID_ARGUMENT, "kernel", "is NULL");
    }
    return packed_bytes(kernel->code, operand) != 0 ? AIC_OK
                                                    : aic_fail(AIC_INVALID_ARGUMENT, kernel->code->subject,
                                                               "operand %zu is not packed by this kernel", operand);
}

aic_status aic_kernel_check_packed(const aic_kernel *kernel, size_t operand, const void *packed)
{
    aic_status status = check_packs(kernel, operand);
    if (status == AIC_OK) {
        status = aic_arguments_check(kernel->code->subject, &kernel->code->argument[AIC_PACKED][operand], 1, &packed);
    }
    return status == AIC_OK ? aic_call_check_image(kernel->code, packed) : status;
}

aic_status aic_packed_identity(const void *packed, char text[AIC_FORM_TEXT])
{
    if (packed == NULL || text == NULL) {
        return aic_fail(AIC_INVALID_ARGUMENT, packed == NULL ? "packed" : "text", "is NULL");
    }
    if (!aic_packed_is_head(packed)) {
        return aic_fail(AIC_INVALID_ARGUMENT, "packed", "is no packed image of this version of the library");
    }
    aic_packed_head head;
    memcpy(&head, packed, sizeof head);
    aic_packed_text(&head, text);
    return AIC_OK;
}

aic_status aic_kernel_pack(const aic_kernel *kernel, size_t operand, void *packed, const void *source)
{
    aic_status status = check_packs(kernel, operand);
    if (status != AIC_OK) {
        return status;
    }
    const aic_code *code = kernel->code;
    const void *const addresses[] = {packed, source};
    aic_argument arguments[] = {code->argument[AIC_PACKED][operand], code->argument[AIC_PLAIN][operand]};
    arguments[0].name = "packed";
    arguments[1].name = "source";
    status = aic_arguments_check(code->subject, arguments, 2, addresses);
    if (status == AIC_OK) {
        ((void (*)(void *, const void *))code->function[AIC_FUNCTION_PACK])(packed, source);
        aic_large_pages_wish(packed, packed_bytes(code, operand));
    }
    return status;
}

aic_status aic_kernel_get_info(const aic_kernel *kernel, aic_kernel_info *info)
{
    if (kernel == NULL || info == NULL) {
        return aic_fail(AIC_INVALID_ARGUMENT, kernel == NULL ? "kernel" : "info", "is NULL");
    }
    const aic_code *code = kernel->code;
    const aic_kernel_info made = {
        .size = sizeof made,
        .name = code->symbol,
        .isa = code->target->name,
        .schedule = code->schedule,
        .origin = kernel->given ? aic_origin_given
                  : code->given ? aic_origin_tuned
                                : aic_origin_default,
        .emit_ns = code->emit_ns,
        .codegen_ns = code->codegen_ns,
        .link_ns = code->link_ns,
        .code_bytes = code->code_bytes,
        .threads = code->workers,
        .compiled = kernel->compiled,
        .loaded = kernel->loaded,
        .make_ns = code->make_ns,
        .parts_ready = code->parts[AIC_PART_READY],
        .parts_loaded = code->parts[AIC_PART_LOADED],
        .parts_made = code->parts[AIC_PART_MADE],
    };
    return aic_structure_give("info", info, &made, sizeof made);
}
