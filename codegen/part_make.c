/* Making parts: the named form of a part, compiled by itself, or of several, in one module. */
#include "codegen/llvm/guard.h"
#include "codegen/llvm/load.h"
#include "codegen/llvm/shim.h"
#include "codegen/parts.h"
#include "codegen/run.h"
#include "frontend/core/diag.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Parts to be made. */
typedef struct making {
    aic_part_order *order;
    size_t count;
    const aic_target *target;
    char *bytes; /* its object */
    size_t size;
    bool failed; /* set by LLVM's diagnostics */
    bool fast;   /* how it is compiled */
} making;

/* The section of a part, and what the names of its symbols begin with: "" where it is alone. */
static const char *section_of(const making *m, size_t part, char name[AIC_PIECE_SECTION_MAX])
{
    name[0] = '\0';
    if (m->count > 1) {
        (void)snprintf(name, AIC_PIECE_SECTION_MAX, AIC_PIECE_SECTION "%zu.", part);
    }
    return name;
}

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

/* The kind says how the module is compiled, its emitter what the function is: where modules are verified, AIC_INTERNAL
 * if these differ. */
static aic_status emit_named(const making *m, size_t part, LLVMContextRef context, LLVMModuleRef module)
{
    char section[AIC_PIECE_SECTION_MAX], name[AIC_PIECE_SECTION_MAX + sizeof AIC_PART_SYMBOL];
    const aic_part_kind *kind = m->order[part].kind;
    aic_emit emit;
    aic_emit_open(&emit, context, module, m->target, NULL);
    emit.own_machine = true;
    emit.named = true;
    emit.prefix = section_of(m, part, section);
    (void)snprintf(name, sizeof name, "%s" AIC_PART_SYMBOL, section);
    LLVMValueRef function = aic_part_emitter_of(kind)->emit(&emit, m->order[part].key, name);
    if (section[0] != '\0') {
        LLVMSetSection(function, section);
    }
    LLVMSetLinkage(function, LLVMExternalLinkage);
    LLVMSetVisibility(function, LLVMHiddenVisibility);
    aic_emit_close(&emit);
    return emit.compiled_well != m->fast || !aic_llvm_verifies()
               ? AIC_OK
               : aic_fail(AIC_INTERNAL, "part", "%s is compiled %s, but not its function", kind->name,
                          m->fast ? "fast" : "well");
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
    LLVMModuleRef module = LLVMModuleCreateWithNameInContext(m->order[0].kind->name, context);
    status = aic_llvm_prepare(module, machine);
    for (size_t i = 0; i < m->count && status == AIC_OK; i++) {
        status = emit_named(m, i, context, module);
    }
    if (status == AIC_OK) {
        status = compile(m, module, machine);
    }
    LLVMDisposeModule(module);
    aic_llvm_machine_give(m->target, m->fast, machine);
    LLVMContextDispose(context);
    return status;
}

/* Makes the pieces of all parts, or none. */
static aic_status make(aic_part_order *order, size_t count, const aic_target *target)
{
    making m = {
        .order = order, .count = count, .target = target, .fast = aic_part_is_fast(order[0].kind, order[0].key)};
    char section[AIC_PIECE_SECTION_MAX];
    aic_status status = aic_guard_run(aic_codegen_part_kind(target, m.fast), run, &m);
    const aic_elf object = {m.bytes, m.size};
    size_t cut = 0;
    while (status == AIC_OK && cut < count) {
        status = aic_piece_cut(&object, section_of(&m, cut, section), order[cut].kind->name, &order[cut].piece);
        cut += status == AIC_OK;
    }
    while (status != AIC_OK && cut > 0) {
        aic_piece_free(&order[--cut].piece);
    }
    free(m.bytes);
    return status;
}

static aic_status check(const aic_part_kind *kind)
{
    if (kind->record == NULL || aic_part_emitter_of(kind) == NULL) {
        return aic_fail(AIC_INTERNAL, "part", "%s is no kind of parts", kind->name);
    }
    return AIC_OK;
}

aic_status aic_part_make(const aic_part_kind *kind, const void *key, const aic_target *target, aic_piece *piece)
{
    aic_part_order order = {.kind = kind, .key = key};
    aic_status status = check(kind);
    if (status == AIC_OK) {
        status = make(&order, 1, target);
    }
    if (status == AIC_OK) {
        *piece = order.piece;
    }
    return status;
}

aic_status aic_parts_make(aic_part_order *order, size_t count, const aic_target *target)
{
    aic_status status = AIC_OK;
    for (size_t i = 0; i < count && status == AIC_OK; i++) {
        status = check(order[i].kind);
    }
    return status == AIC_OK ? make(order, count, target) : status;
}
