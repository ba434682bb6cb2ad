/* From a program to an image: parts are taken from where they are kept, or compiled, and linked with what is no part.
 */
#include "codegen/build_name.h"
#include "codegen/llvm/guard.h"
#include "codegen/llvm/shim.h"
#include "codegen/parts.h"
#include "codegen/run.h"
#include "frontend/core/bytes.h"
#include "frontend/core/diag.h"

#include <stdlib.h>
#include <string.h>

#define SUBJECT "part"

enum { WORD = 8 };

/* A part to be made. */
typedef struct making {
    const aic_part_kind *kind;
    const void *key;
    const aic_target *target;
    char *bytes; /* its object */
    size_t size;
    bool failed; /* set by LLVM's diagnostics */
    bool fast;   /* how it is compiled */
} making;

/* ---- compiling ---- */

static aic_status compile(making *m, LLVMModuleRef module, LLVMTargetMachineRef machine)
{
    LLVMMemoryBufferRef buffer;
    aic_status status = aic_llvm_verify(module);
    if (status == AIC_OK) {
        status = aic_llvm_emit(module, machine, LLVMObjectFile, &buffer);
    }
    if (status != AIC_OK) {
        return status;
    }
    status = m->failed ? AIC_COMPILE : aic_llvm_keep(buffer, &m->bytes, &m->size);
    LLVMDisposeMemoryBuffer(buffer);
    return status;
}

static void emit_named(const making *m, LLVMContextRef context, LLVMModuleRef module)
{
    aic_emit emit;
    aic_emit_open(&emit, context, module, m->target, NULL);
    emit.own_machine = true;
    emit.named = true;
    LLVMValueRef function = m->kind->emit(&emit, m->key, AIC_PART_SYMBOL);
    LLVMSetLinkage(function, LLVMExternalLinkage);
    LLVMSetVisibility(function, LLVMHiddenVisibility);
    aic_emit_close(&emit);
}

/* Runs inside of the guard. */
static aic_status run(void *argument)
{
    making *m = argument;
    LLVMTargetMachineRef machine;
    aic_status status = aic_llvm_machine_take(m->target, m->fast, &machine);
    if (status != AIC_OK) {
        return status;
    }
    LLVMContextRef context = aic_llvm_context(&m->failed);
    LLVMModuleRef module = LLVMModuleCreateWithNameInContext(m->kind->name, context);
    status = aic_llvm_prepare(module, machine);
    if (status == AIC_OK) {
        emit_named(m, context, module);
        status = compile(m, module, machine);
    }
    LLVMDisposeModule(module);
    aic_llvm_machine_give(m->target, m->fast, machine);
    LLVMContextDispose(context);
    return status;
}

static aic_status make(void *argument, aic_piece *piece)
{
    making *m = argument;
    m->fast = m->kind->fast != NULL && m->kind->fast(m->key);
    aic_status status = aic_guard_run(aic_codegen_part_kind(m->target, m->fast), run, m);
    if (status == AIC_OK) {
        const aic_elf object = {m->bytes, m->size};
        status = aic_piece_create(&object, m->kind->name, piece);
    }
    free(m->bytes);
    m->bytes = NULL;
    return status;
}

aic_status aic_part_make(const aic_part_kind *kind, const void *key, const aic_target *target, aic_piece *piece)
{
    making m = {.kind = kind, .key = key, .target = target};
    return make(&m, piece);
}

/* ---- identities ---- */

aic_status aic_part_identify(const aic_part_kind *kind, const void *key, const aic_target *target,
                             aic_part_identity *identity)
{
    aic_writer out = {identity->bytes, sizeof identity->bytes, 0};
    aic_write_text(&out, aic_build_name);
    aic_write_text(&out, aic_build_llvm);
    aic_write_text(&out, target->name);
    aic_write_text(&out, aic_target_cpu(target));
    aic_write_text(&out, target->features);
    aic_write_text(&out, kind->name);
    aic_write_number(&out, aic_record_signature(kind->record), WORD);
    for (size_t f = 0; f < kind->record->count; f++) {
        for (uint32_t i = 0; i < kind->record->fields[f].count; i++) {
            aic_write_number(&out, aic_field_word(&kind->record->fields[f], key, i), WORD);
        }
    }
    identity->size = out.size;
    return out.size <= sizeof identity->bytes
               ? AIC_OK
               : aic_fail(AIC_INTERNAL, SUBJECT, "the identity of %s has %zu bytes, and room for %zu", kind->name,
                          out.size, sizeof identity->bytes);
}

/* ---- linking ---- */

/* The pieces of a program's parts. */
typedef struct pieces {
    aic_part_source *source;
    const aic_piece *taken[AIC_PROGRAM_PARTS_MAX];
    aic_piece own[AIC_PROGRAM_PARTS_MAX]; /* where there is no source */
    size_t count;
} pieces;

static aic_status take(pieces *p, aic_program_part *part, const aic_target *target)
{
    making m = {.kind = part->kind, .key = part->key, .target = target};
    aic_piece *own = &p->own[p->count];
    const uint64_t start = aic_codegen_now();
    aic_part_identity identity;
    aic_status status;
    if (p->source == NULL) {
        part->origin = AIC_PART_MADE;
        status = make(&m, own);
        p->taken[p->count] = own;
    } else {
        status = aic_part_identify(part->kind, part->key, target, &identity);
        if (status == AIC_OK) {
            status = p->source->take(p->source, &identity, make, &m, &p->taken[p->count], &part->origin);
        }
    }
    part->ns = aic_codegen_now() - start;
    part->bytes = status == AIC_OK ? p->taken[p->count]->size : 0;
    p->count += status == AIC_OK;
    return status;
}

static void give_back(pieces *p)
{
    for (size_t i = 0; i < p->count; i++) {
        if (p->source != NULL) {
            p->source->give_back(p->source, p->taken[i]);
        } else {
            aic_piece_free(&p->own[i]);
        }
    }
}

static aic_image_item item_of(const aic_program *program, const aic_program_part *part, const aic_piece *piece)
{
    return (aic_image_item){.piece = piece,
                            .symbol = part->symbol,
                            .name = part->kind->name,
                            .number = &program->number[part->first_number],
                            .numbers = part->numbers,
                            .binding = &program->binding[part->first_role],
                            .bindings = part->roles};
}

aic_status aic_program_link(aic_program *program, const aic_target *target, aic_part_source *source,
                            const aic_piece *rest, size_t count, const char *symbol, aic_image *image)
{
    aic_image_item item[AIC_IMAGE_ITEMS_MAX];
    pieces p = {.source = source};
    aic_status status = AIC_OK;
    for (size_t i = 0; i < count; i++) {
        item[i] = (aic_image_item){.piece = &rest[i], .name = symbol};
    }
    const size_t parts = program->linked ? program->parts : 0;
    for (size_t i = 0; i < parts && status == AIC_OK; i++) {
        status = take(&p, &program->part[i], target);
        item[count + i] = item_of(program, &program->part[i], p.taken[i]);
    }
    if (status == AIC_OK) {
        status = aic_image_link(item, count + parts, symbol, image);
    }
    give_back(&p);
    return status;
}
