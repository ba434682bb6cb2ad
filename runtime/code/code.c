/* Making and freeing aic_code; see code.h. */
#include "runtime/code/code.h"
#include "frontend/core/diag.h"
#include "frontend/core/memory.h"
#include "frontend/core/spec.h"
#include "frontend/text/text.h"
#include "runtime/call/function.h"
#include "runtime/call/scratch.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* About as many vector operations as a call needs: 64 multiply-accumulates or 32 bytes of an operand in each. */
static double estimate_cost(const aic_code *code)
{
    const aic_stage *first = &code->spec.stage[0];
    const aic_op_info *op = aic_op_get(first->op);
    double cost = op->macs != NULL ? (double)op->macs(&first->desc) / 64 : 0;
    for (size_t i = 0; i < code->operand_count; i++) {
        cost += (double)code->argument[AIC_PLAIN][i].bytes / 32;
    }
    return cost;
}

/* Operands and rules of data of the only specification. */
static void describe_one(aic_code *code, size_t hidden, const aic_semantics *semantics)
{
    aic_operand operands[AIC_OPERANDS_MAX];
    aic_data_check_of(&code->spec, semantics, &code->data_check);
    code->passed_count = aic_spec_operands_of(&code->spec, semantics, operands);
    code->operand_count = code->passed_count - hidden;
    for (size_t i = 0; i < code->operand_count; i++) {
        code->argument[AIC_PLAIN][i] = aic_operand_argument(&operands[i]);
        code->argument[AIC_PACKED][i] = code->argument[AIC_PLAIN][i];
    }
    code->cost = estimate_cost(code);
}

static void describe_group(aic_code *code, const aic_spec *specs, size_t count, const aic_semantics *semantics)
{
    size_t operands = 0;
    for (size_t i = 0; i < count; i++) {
        aic_operand own[AIC_OPERANDS_MAX];
        operands += aic_spec_operands_of(&specs[i], semantics, own);
    }
    const size_t length = strlen(code->subject), bytes = operands * sizeof(void *);
    snprintf(code->subject + length, sizeof code->subject - length, " x%zu", count);
    code->operand_count = code->passed_count = 1;
    code->argument[AIC_PLAIN][0] =
        (aic_argument){.name = "operands", .least = 1, .misalignment = sizeof(void *) - 1, .bytes = bytes};
}

aic_status aic_code_create(const aic_spec *canonical, size_t count, size_t hidden, const aic_context *context,
                           aic_code **code)
{
    aic_code *made = aic_memory_zeros(sizeof *made);
    if (made == NULL) {
        return aic_fail_memory("kernel", sizeof *made);
    }
    atomic_init(&made->references, 1);
    made->count = count;
    made->spec = *canonical;
    made->target = context->target;
    made->machine = context->machine;
    made->share = context->share;
    made->logged = (context->log & AIC_VERBOSE_EXEC) != 0;
    made->hooks = context->hooks;
    aic_spec_subject(canonical, " | ", made->subject, sizeof made->subject);
    if (count == 1) {
        describe_one(made, hidden, &context->semantics);
    } else {
        describe_group(made, canonical, count, &context->semantics);
    }
    *code = made;
    return AIC_OK;
}

aic_status aic_code_set_text(aic_code *code, const aic_spec *shown)
{
    static const char LEFT_OUT[] = "(...)";
    const size_t size = strlen(code->subject) + sizeof LEFT_OUT;
    if (code->count == 1) {
        return aic_spec_print_new(shown, &code->text);
    }
    code->text = malloc(size);
    if (code->text == NULL) {
        return aic_fail_memory("kernel", size);
    }
    snprintf(code->text, size, "%s%s", code->subject, LEFT_OUT);
    return AIC_OK;
}

static void find_special(aic_code *code)
{
    code->special = aic_hooks_any(&code->hooks) || code->data_check.check != NULL || code->words.count != 0 ||
                    code->workers > 1 || code->logged;
}

void aic_code_describe(aic_code *code, aic_context *context, const aic_object *object)
{
    code->requirements = object->requirements;
    code->workers = aic_share_workers(code, &context->quota);
    code->workspace[AIC_PLAIN] = (size_t)aic_workspace_bytes(&code->requirements, AIC_PLAIN);
    code->workspace[AIC_PACKED] = (size_t)aic_workspace_bytes(&code->requirements, AIC_PACKED);
    find_special(code);
    const aic_packing *pack = &object->requirements.pack;
    if (pack->operand != 0 && pack->operand < code->operand_count) {
        code->packed = pack->operand;
        aic_packed_head_make(pack, &code->head);
        code->argument[AIC_PACKED][pack->operand].bytes = (uintptr_t)pack->bytes;
        code->argument[AIC_PACKED][pack->operand].misalignment = AIC_SCRATCH_ALIGNMENT - 1;
    }
    snprintf(code->schedule, sizeof code->schedule, "%s", code->count > 1 ? "default schedules" : object->schedule);
    code->emit_ns = object->emit_ns;
    code->codegen_ns = object->codegen_ns;
    code->code_bytes = object->size;
    for (size_t i = 0; i < object->parts; i++) {
        code->parts[object->part[i].origin]++;
    }
}

aic_status aic_code_view(aic_code *base, const aic_spec *shown, const aic_words *words, aic_code **view)
{
    aic_code *made = aic_memory_new(sizeof *made);
    if (made == NULL) {
        return aic_fail_memory("kernel", sizeof *made);
    }
    memcpy(made, base, sizeof *made);
    atomic_init(&made->references, 1);
    atomic_init(&made->functions, NULL);
    made->entry_of_kernel = NULL;
    made->requests = 0;
    made->profile = NULL;
    made->text = NULL;
    made->base = base;
    made->words = *words;
    find_special(made);
    aic_code_hold(base);
    aic_status status = aic_code_set_text(made, shown);
    if (status != AIC_OK) {
        aic_code_release(made);
        return status;
    }
    *view = made;
    return AIC_OK;
}

aic_status aic_code_place(aic_code *code, const aic_image *image)
{
    aic_status status = aic_code_memory_place(image, &code->memory);
    for (int f = 0; status == AIC_OK && f < AIC_FUNCTIONS; f++) {
        if (image->function[f] != AIC_NO_FUNCTION) {
            code->function[f] = (aic_function)(uintptr_t)(code->memory.base + image->function[f]);
        }
    }
    code->entry[AIC_PLAIN] = code->function[AIC_FUNCTION_ENTRY];
    const aic_function packed = code->function[AIC_FUNCTION_PACKED];
    code->entry[AIC_PACKED] = packed != NULL ? packed : code->entry[AIC_PLAIN];
    return status;
}

aic_status aic_code_count_check(const aic_code *code, size_t count)
{
    return count == code->operand_count ? AIC_OK
                                        : aic_fail(AIC_INVALID_ARGUMENT, code->subject,
                                                   "operands: %zu given, %zu needed", count, code->operand_count);
}

void aic_code_hold(aic_code *code)
{
    /* relaxed: the cache's hold, which the caller has reached the code through, keeps it alive meanwhile. */
    atomic_fetch_add_explicit(&code->references, 1, memory_order_relaxed);
}

void aic_code_release(aic_code *code)
{
    /* acq_rel: everything that other holders did happens before the memory goes. */
    if (atomic_fetch_sub_explicit(&code->references, 1, memory_order_acq_rel) != 1) {
        return;
    }
    aic_functions_free(code);
    if (code->base != NULL) {
        aic_code_release(code->base);
    } else {
        aic_profile_remove(code->profile);
        aic_code_memory_release(&code->memory);
    }
    free(code->text);
    aic_memory_free(code);
}
