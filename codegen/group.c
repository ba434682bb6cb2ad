/* Kernels of one specification, and of several that one function calls in turn; see group.h. The specifications of a
 * group know nothing of each other: each has the functions it would have alone, equal ones have them in common. */
#include "codegen/group.h"
#include "codegen/llvm/vec.h"
#include "frontend/core/op.h"

enum { POINTER_BYTES = 8, NAME_BYTES = 128, SUFFIX_BYTES = 16 };

/* The functions of one specification under this name. */
static aic_status emit_one(aic_emit *e, const aic_codegen_request *request, size_t index, const char *name,
                           aic_sizes *sizes)
{
    const aic_schedule *schedule = &request->schedule[index];
    aic_work work;
    const aic_shape *shape = aic_describe(&request->spec[index], request->semantics, &work);
    aic_status status = shape->check(&work, request->target, schedule, sizes);
    return status == AIC_OK ? shape->emit(e, &work, schedule, name) : status;
}

/* ---- groups ---- */

/* Of the functions that a specification has, a group calls the plain one. None is for others to see; what the plain one
 * does not need goes. */
static LLVMValueRef keep_plain(aic_emit *e, const char *name)
{
    static const char *const OTHERS[] = {"_packed", "_pack"};
    for (size_t i = 0; i < sizeof OTHERS / sizeof OTHERS[0]; i++) {
        char other[NAME_BYTES + SUFFIX_BYTES];
        snprintf(other, sizeof other, "%s%s", name, OTHERS[i]);
        LLVMValueRef function = LLVMGetNamedFunction(e->module, other);
        if (function != NULL && LLVMGetFirstUse(function) == NULL) {
            LLVMDeleteFunction(function);
        } else if (function != NULL) {
            LLVMSetLinkage(function, LLVMInternalLinkage);
        }
    }
    LLVMValueRef plain = LLVMGetNamedFunction(e->module, name);
    LLVMSetLinkage(plain, LLVMInternalLinkage);
    return plain;
}

/* function[i] becomes that of specification i; the workspace suffices for the most demanding one. */
static aic_status emit_members(aic_emit *e, const aic_codegen_request *request, LLVMValueRef *function,
                               aic_sizes *sizes)
{
    *sizes = (aic_sizes){.workspace_bytes = 0};
    for (size_t i = 0; i < request->count; i++) {
        size_t equal = 0;
        while (!aic_spec_equal(&request->spec[equal], &request->spec[i])) {
            equal++;
        }
        if (equal < i) {
            function[i] = function[equal];
            continue;
        }
        char name[NAME_BYTES];
        aic_sizes own;
        snprintf(name, sizeof name, "%s_%zu", request->symbol, i);
        aic_status status = emit_one(e, request, i, name, &own);
        if (status != AIC_OK) {
            return status;
        }
        function[i] = keep_plain(e, name);
        sizes->workspace_bytes =
            own.workspace_bytes > sizes->workspace_bytes ? own.workspace_bytes : sizes->workspace_bytes;
    }
    return AIC_OK;
}

/* A call with the operands from the table, and the workspace, as far as the function takes them. */
static void emit_member_call(aic_emit *e, const aic_codegen_request *request, size_t index, LLVMValueRef function)
{
    aic_operand operands[AIC_OPERANDS_MAX];
    LLVMValueRef args[AIC_OPERANDS_MAX + 1];
    const size_t count = aic_spec_operands_of(&request->spec[index], request->semantics, operands);
    const unsigned taken = LLVMCountParams(function);
    for (unsigned i = 0; i < taken; i++) {
        const int64_t offset = (int64_t)(index * AIC_OPERANDS_MAX + i) * POINTER_BYTES;
        args[i] = i < count ? aic_load(e, e->ptr, aic_emit_param(e, 0), offset, POINTER_BYTES) : aic_emit_param(e, 1);
    }
    aic_emit_call(e, function, args, taken);
}

static aic_status emit_group(aic_emit *e, const aic_codegen_request *request, aic_sizes *sizes)
{
    static const char *const PARAMS[] = {"operands", "workspace"};
    LLVMValueRef function[AIC_GROUP_MAX];
    aic_status status = emit_members(e, request, function, sizes);
    if (status != AIC_OK) {
        return status;
    }
    aic_emit_function(e, request->symbol, true, PARAMS, 2, 0);
    for (size_t i = 0; i < request->count; i++) {
        emit_member_call(e, request, i, function[i]);
    }
    aic_emit_function_end(e);
    return AIC_OK;
}

aic_status aic_emit_kernel(aic_emit *e, const aic_codegen_request *request, aic_sizes *sizes)
{
    return request->count == 1 ? emit_one(e, request, 0, request->symbol, sizes) : emit_group(e, request, sizes);
}
