/* The function of a network: of each level one that calls the kernels, and where there are several one before them. */
#include "codegen/bundle_network.h"
#include "codegen/bundle.h"
#include "codegen/dispatch.h"
#include "codegen/llvm/guard.h"
#include "codegen/record.h"

#include <stdio.h>
#include <string.h>

enum { NAME_BYTES = AIC_BUNDLE_NAME_BYTES, CONSTANT_ALIGNMENT = 64 };

/* The constant's global, made when it is first used. Bytes that are the same in memory are the same constant. */
static LLVMValueRef constant_of(aic_emit *e, const aic_bundle_constant *constant)
{
    char name[40];
    snprintf(name, sizeof name, "aic.%p", constant->bytes); /* private: no file has this name in it */
    LLVMValueRef global = LLVMGetNamedGlobal(e->module, name);
    if (global == NULL) {
        LLVMValueRef bytes = LLVMConstStringInContext2(e->context, constant->bytes, constant->size, true);
        global = LLVMAddGlobal(e->module, LLVMTypeOf(bytes), name);
        LLVMSetInitializer(global, bytes);
        LLVMSetGlobalConstant(global, true);
        LLVMSetLinkage(global, LLVMPrivateLinkage);
        LLVMSetAlignment(global, CONSTANT_ALIGNMENT);
    }
    return global;
}

static LLVMValueRef operand_of(aic_emit *e, const aic_bundle_network *net, const aic_bundle_operand *operand)
{
    if (!operand->taken) {
        return LLVMConstNull(e->ptr);
    }
    if (operand->constant.bytes != NULL) {
        return constant_of(e, &operand->constant);
    }
    const unsigned root = operand->root == 0 ? (unsigned)net->parameters : (unsigned)operand->root - 1;
    return aic_at_const(e, aic_emit_param(e, root), operand->offset);
}

static void emit_step(aic_emit *e, const aic_bundle_request *request, const aic_bundle_step *step, size_t level)
{
    const aic_bundle_network *net = request->network;
    const aic_bundle_image *image = &step->image[level];
    const bool packed = image->constant.bytes != NULL;
    char symbol[NAME_BYTES], name[NAME_BYTES + 16];
    LLVMValueRef args[AIC_OPERANDS_MAX + 1];
    aic_bundle_symbol(request, step->kernel, level, symbol);
    snprintf(name, sizeof name, "%s%s", symbol, aic_function_suffix[packed ? AIC_FUNCTION_PACKED : AIC_FUNCTION_ENTRY]);
    for (size_t i = 0; i < step->count; i++) {
        args[i] =
            packed && i == image->operand ? constant_of(e, &image->constant) : operand_of(e, net, &step->operand[i]);
    }
    args[step->count] = aic_at_const(e, aic_emit_param(e, (unsigned)net->parameters), net->arena_bytes);
    aic_emit_call(e, LLVMGetNamedFunction(e->module, name), args, (unsigned)step->count + 1);
}

static void begin(aic_emit *e, const aic_bundle_network *net, const char *name)
{
    const char *names[AIC_BUNDLE_PARAMETERS_MAX + 1];
    memcpy(names, net->parameter, net->parameters * sizeof names[0]);
    names[net->parameters] = "workspace";
    aic_emit_function(e, name, AIC_EMIT_ENTRY, names, (unsigned)net->parameters + 1, 0);
}

/* NAME.LEVEL, or NAME where it is the only one. */
static LLVMValueRef emit_level(const aic_bundle_request *request, size_t level, LLVMContextRef context,
                               LLVMModuleRef module)
{
    char name[NAME_BYTES];
    aic_emit emit;
    const bool only = request->levels == 1;
    snprintf(name, sizeof name, "%s%s%s", request->network->name, only ? "" : ".",
             only ? "" : request->target[level]->name);
    aic_emit_open(&emit, context, module, request->target[level], NULL);
    begin(&emit, request->network, name);
    for (size_t i = 0; i < request->network->steps; i++) {
        emit_step(&emit, request, &request->network->step[i], level);
    }
    LLVMValueRef function = aic_emit_function_end(&emit);
    aic_emit_close(&emit);
    return function;
}

/* NAME: calls that of the level that is found. */
static void emit_choice(const aic_bundle_request *request, LLVMValueRef *level, LLVMContextRef context,
                        LLVMModuleRef module)
{
    const unsigned count = (unsigned)request->network->parameters + 1;
    LLVMValueRef args[AIC_BUNDLE_PARAMETERS_MAX + 1];
    aic_emit emit;
    aic_dispatch dispatch;
    aic_emit_open(&emit, context, module, request->target[0], NULL);
    aic_dispatch_emit(&emit, request->target, request->levels, &dispatch);
    begin(&emit, request->network, request->network->name);
    for (unsigned i = 0; i < count; i++) {
        args[i] = aic_emit_param(&emit, i);
    }
    LLVMValueRef found = aic_dispatch_level(&emit, &dispatch);
    for (size_t l = 0; l < request->levels; l++) {
        aic_branch branch;
        LLVMValueRef number = LLVMConstInt(emit.i32, l + 1, false);
        aic_branch_begin(&emit, &branch, LLVMBuildICmp(emit.builder, LLVMIntEQ, found, number, ""));
        aic_emit_call(&emit, level[l], args, count);
        aic_branch_end(&emit, &branch);
    }
    aic_emit_function_end(&emit);
    aic_emit_close(&emit);
}

/* Removes what nobody calls, and what is not called any more then. */
static void sweep(LLVMModuleRef module)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (LLVMValueRef f = LLVMGetFirstFunction(module), next; f != NULL; f = next) {
            next = LLVMGetNextFunction(f);
            if (LLVMGetLinkage(f) == LLVMInternalLinkage && LLVMGetFirstUse(f) == NULL) {
                LLVMDeleteFunction(f);
                changed = true;
            }
        }
    }
}

void aic_bundle_emit_network(const aic_bundle_request *request, LLVMContextRef context, LLVMModuleRef module)
{
    enum { LEVELS_MAX = 16 };
    LLVMValueRef level[LEVELS_MAX];
    aic_limit("levels of a network", request->levels, LEVELS_MAX);
    aic_limit("parameters of a network", request->network->parameters, AIC_BUNDLE_PARAMETERS_MAX);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f)) {
        if (!LLVMIsDeclaration(f)) {
            LLVMSetLinkage(f, LLVMInternalLinkage);
        }
    }
    for (size_t l = 0; l < request->levels; l++) {
        level[l] = emit_level(request, l, context, module);
    }
    if (request->levels > 1) {
        for (size_t l = 0; l < request->levels; l++) {
            LLVMSetLinkage(level[l], LLVMInternalLinkage);
        }
        emit_choice(request, level, context, module);
    }
    sweep(module);
}
