/* From a request to IR, assembly or an object. */
#include "codegen/codegen.h"
#include "codegen/generator.h"
#include "codegen/group.h"
#include "codegen/llvm/guard.h"
#include "codegen/llvm/shim.h"
#include "frontend/core/diag.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static const aic_generator *const GENERATORS[] = {
    [AIC_OP_NONE] = NULL,
#define AIC_OP(ENUM, name, params, args) [AIC_OP_##ENUM] = &aic_generator_##name,
#include <aic/ops.def>
#undef AIC_OP
};

const aic_shape *aic_describe(const aic_spec *resolved, const aic_semantics *semantics, aic_work *work)
{
    const aic_stage *stage = resolved->stage;
    const aic_shape *shape = GENERATORS[stage[0].op]->describe(&stage[0].desc, semantics, work);
    return resolved->count == 1 ? shape : GENERATORS[stage[1].op]->fuse(&stage[1].desc, semantics, shape, work);
}

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* One run of the generator; lives on the caller's side of the guard. */
typedef struct job {
    const aic_codegen_request *request;
    aic_dump_stage stage;
    char *bytes; /* result */
    size_t size;
    aic_sizes sizes;
    uint64_t emit_ns, codegen_ns;
    bool failed; /* set by LLVM's diagnostics */
} job;

static aic_status keep_bytes(job *j, const char *bytes, size_t size)
{
    j->bytes = malloc(size + 1);
    if (j->bytes == NULL) {
        return aic_fail_memory("codegen", size + 1);
    }
    memcpy(j->bytes, bytes, size);
    j->bytes[size] = '\0';
    j->size = size;
    return AIC_OK;
}

static aic_status keep_ir(job *j, LLVMModuleRef module)
{
    char *text = LLVMPrintModuleToString(module);
    if (text == NULL) { /* its copy could not be allocated */
        return aic_fail(AIC_OUT_OF_MEMORY, "codegen", "memory for the printed module cannot be had");
    }
    aic_status status = keep_bytes(j, text, strlen(text));
    LLVMDisposeMessage(text);
    return status;
}

static aic_status keep_machine_code(job *j, LLVMModuleRef module, LLVMTargetMachineRef machine)
{
    LLVMMemoryBufferRef buffer;
    aic_status status =
        aic_llvm_emit(module, machine, j->stage == AIC_DUMP_ASM ? LLVMAssemblyFile : LLVMObjectFile, &buffer);
    if (status != AIC_OK) {
        return status;
    }
    if (!j->failed) {
        status = keep_bytes(j, LLVMGetBufferStart(buffer), LLVMGetBufferSize(buffer));
    }
    LLVMDisposeMemoryBuffer(buffer);
    return j->failed ? AIC_COMPILE : status;
}

static aic_status lower(job *j, LLVMModuleRef module, LLVMTargetMachineRef machine)
{
    if (j->stage == AIC_DUMP_IR) {
        return keep_ir(j, module);
    }
    uint64_t start = now_ns();
    aic_status status = aic_llvm_run_passes(module, machine, j->request->passes);
    if (status == AIC_OK) {
        status = j->stage == AIC_DUMP_OPT ? keep_ir(j, module) : keep_machine_code(j, module, machine);
    }
    j->codegen_ns = now_ns() - start;
    return status;
}

static aic_status emit_module(job *j, LLVMContextRef context, LLVMModuleRef module)
{
    uint64_t start = now_ns();
    aic_emit emit;
    aic_emit_open(&emit, context, module, j->request->target);
    aic_status status = aic_emit_kernel(&emit, j->request, &j->sizes);
    aic_emit_close(&emit);
    if (status == AIC_OK) {
        status = aic_llvm_verify(module);
    }
    j->emit_ns = now_ns() - start;
    return status;
}

static aic_status run_job(void *argument)
{
    job *j = argument;
    LLVMTargetMachineRef machine;
    aic_status status = aic_llvm_machine(j->request->target, j->request->triple, &machine);
    if (status != AIC_OK) {
        return status;
    }
    LLVMContextRef context = aic_llvm_context(&j->failed);
    LLVMModuleRef module = LLVMModuleCreateWithNameInContext(j->request->symbol, context);
    status = aic_llvm_prepare(module, machine);
    if (status == AIC_OK) {
        status = emit_module(j, context, module);
    }
    if (status == AIC_OK) {
        status = lower(j, module, machine);
    }
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
    LLVMDisposeTargetMachine(machine);
    return status;
}

/* How many of the functions of codegen.h there are. */
static unsigned functions(const job *j)
{
    enum { GROUP = 1, NEVER_PACKED = 2, PACKED = 3 };
    if (j->request->count > 1) {
        return GROUP;
    }
    for (size_t i = 0; i < AIC_OPERANDS_MAX; i++) {
        if (j->sizes.packed_bytes[i] != 0) {
            return PACKED;
        }
    }
    return NEVER_PACKED;
}

aic_status aic_codegen_object(const aic_codegen_request *request, aic_object *object)
{
    job j = {.request = request, .stage = AIC_DUMP_OBJ};
    aic_status status = aic_guard_run(run_job, &j);
    if (status != AIC_OK) {
        return status;
    }
    *object = (aic_object){
        .bytes = j.bytes,
        .size = j.size,
        .functions = functions(&j),
        .workspace_bytes = j.sizes.workspace_bytes,
        .emit_ns = j.emit_ns,
        .codegen_ns = j.codegen_ns,
    };
    memcpy(object->packed_bytes, j.sizes.packed_bytes, sizeof object->packed_bytes);
    return AIC_OK;
}

void aic_object_free(aic_object *object)
{
    free(object->bytes);
    object->bytes = NULL;
}

aic_status aic_codegen_dump(const aic_codegen_request *request, aic_dump_stage stage, char **bytes, size_t *size)
{
    job j = {.request = request, .stage = stage};
    aic_status status = aic_guard_run(run_job, &j);
    if (status == AIC_OK) {
        *bytes = j.bytes;
        *size = j.size;
    }
    return status;
}
