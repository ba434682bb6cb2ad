/* Making parts: the named form of a part, compiled by itself. */
#include "codegen/llvm/guard.h"
#include "codegen/llvm/load.h"
#include "codegen/llvm/shim.h"
#include "codegen/parts.h"
#include "codegen/run.h"
#include "frontend/core/diag.h"

#include <stdlib.h>
#include <string.h>

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

/* The kind says how the module is compiled, its emitter what the function is: where modules are verified, AIC_INTERNAL
 * if these differ. */
static aic_status emit_named(const making *m, LLVMContextRef context, LLVMModuleRef module)
{
    aic_emit emit;
    aic_emit_open(&emit, context, module, m->target, NULL);
    emit.own_machine = true;
    emit.named = true;
    LLVMValueRef function = aic_part_emitter_of(m->kind)->emit(&emit, m->key, AIC_PART_SYMBOL);
    LLVMSetLinkage(function, LLVMExternalLinkage);
    LLVMSetVisibility(function, LLVMHiddenVisibility);
    aic_emit_close(&emit);
    return emit.compiled_well != m->fast || !aic_llvm_verifies()
               ? AIC_OK
               : aic_fail(AIC_INTERNAL, "part", "%s is compiled %s, but not its function", m->kind->name,
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
    LLVMModuleRef module = LLVMModuleCreateWithNameInContext(m->kind->name, context);
    status = aic_llvm_prepare(module, machine);
    if (status == AIC_OK) {
        status = emit_named(m, context, module);
    }
    if (status == AIC_OK) {
        status = compile(m, module, machine);
    }
    LLVMDisposeModule(module);
    aic_llvm_machine_give(m->target, m->fast, machine);
    LLVMContextDispose(context);
    return status;
}

aic_status aic_part_make(const aic_part_kind *kind, const void *key, const aic_target *target, aic_piece *piece)
{
    making m = {.kind = kind, .key = key, .target = target, .fast = aic_part_is_fast(kind, key)};
    if (kind->record == NULL || aic_part_emitter_of(kind) == NULL) {
        return aic_fail(AIC_INTERNAL, "part", "%s is no kind of parts", kind->name);
    }
    aic_status status = aic_guard_run(aic_codegen_part_kind(target, m.fast), run, &m);
    if (status == AIC_OK) {
        const aic_elf object = {m.bytes, m.size};
        status = aic_piece_create(&object, kind->name, piece);
    }
    free(m.bytes);
    return status;
}
