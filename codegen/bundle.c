/* Kernels for programs without this library; see codegen.h. All are emitted into one module, each level by its own
 * attributes, under names with a dot in them, which no C identifier has: KERNEL.LEVEL and what kernel.c puts behind.
 * Then the entry points get their callers' names, or functions are put before them that choose a level. */
#include "codegen/answers.h"
#include "codegen/codegen.h"
#include "codegen/dispatch.h"
#include "codegen/elf_object.h"
#include "codegen/kernel.h"
#include "codegen/llvm/emit.h"
#include "codegen/llvm/guard.h"
#include "codegen/parts.h"
#include "codegen/plan.h"
#include "codegen/record.h"
#include "codegen/run.h"
#include "frontend/core/diag.h"
#include "frontend/core/spec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SUBJECT "export"

enum { NAME_BYTES = 256, CONSTANT_ALIGNMENT = 64 };

/* What the names of a kernel's functions at a level begin with. */
static void symbol_of(const aic_bundle_request *request, size_t kernel, size_t level, char symbol[NAME_BYTES])
{
    snprintf(symbol, NAME_BYTES, "%s.%s", request->kernel[kernel].name, request->target[level]->name);
}

/* ---- the function of a network ---- */

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
    symbol_of(request, step->kernel, level, symbol);
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

/* Emits it and its constants behind the kernels, which nobody outside sees from then on; those of their functions that
 * it does not need go. */
static void bundle_emit_network(const aic_bundle_request *request, LLVMContextRef context, LLVMModuleRef module)
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

/* The roles that a program calls; calls are not shared by threads. */
static const aic_function_role ROLES[] = {AIC_FUNCTION_ENTRY, AIC_FUNCTION_PACKED, AIC_FUNCTION_PACK,
                                          AIC_FUNCTION_CHECK};
enum { ROLES_COUNT = sizeof ROLES / sizeof ROLES[0] };

typedef struct bundling {
    const aic_bundle_request *request;
    aic_plan **plan; /* of kernel k at level l: number k * levels + l */
    aic_program *program;
    LLVMValueRef *function; /* room for those of the largest program */
} bundling;

static size_t part_count(const aic_bundle_request *request)
{
    return request->count * request->levels;
}

static const aic_bundle_kernel *kernel_of(const bundling *b, size_t part)
{
    return &b->request->kernel[part / b->request->levels];
}

static const aic_target *target_of(const bundling *b, size_t part)
{
    return b->request->target[part % b->request->levels];
}

/* ---- emission ---- */

/* The function of a kernel at a level in this role; NULL: it has none. */
static LLVMValueRef part_function(const bundling *b, size_t kernel, size_t level, aic_function_role role,
                                  LLVMModuleRef module)
{
    char symbol[NAME_BYTES], name[NAME_BYTES + 16];
    symbol_of(b->request, kernel, level, symbol);
    snprintf(name, sizeof name, "%s%s", symbol, aic_function_suffix[role]);
    return LLVMGetNamedFunction(module, name);
}

static void emit_part(const bundling *b, size_t part, LLVMContextRef context, LLVMModuleRef module)
{
    char symbol[NAME_BYTES];
    aic_emit emit;
    aic_emission emission = {.program = &b->program[part], .symbol = symbol, .function = b->function};
    symbol_of(b->request, part / b->request->levels, part % b->request->levels, symbol);
    aic_emit_open(&emit, context, module, target_of(b, part), NULL);
    aic_program_emit(&emit, &emission);
    aic_emit_close(&emit);
}

/* Which parameters of a kernel's function in this role callers pass: all but operands that the kernel does not take. */
typedef struct taken {
    bool all;
    bool param[AIC_PARAMS_MAX];
} taken;

static taken find_taken(const bundling *b, size_t part, aic_function_role role)
{
    const bool has_operands = role == AIC_FUNCTION_ENTRY || role == AIC_FUNCTION_PACKED;
    const aic_problem *problem = &b->plan[part]->problem;
    aic_operand operand[AIC_OPERANDS_MAX];
    const size_t operands = has_operands ? aic_spec_operands_of(problem->spec, problem->semantics, operand) : 0;
    taken t = {.all = true};
    for (size_t i = 0; i < AIC_PARAMS_MAX; i++) {
        t.param[i] = i >= operands || operand[i].direction != AIC_DIRECTION_UNUSED;
        t.all &= t.param[i];
    }
    return t;
}

/* Begins the function of a kernel that has this name, which callers see; args are those of a part's function, NULL in
 * the place of operands that are not taken. Returns how many. */
static unsigned begin_function(aic_emit *e, const char *name, LLVMValueRef part, const taken *t,
                               LLVMValueRef args[AIC_PARAMS_MAX])
{
    const char *names[AIC_PARAMS_MAX];
    const unsigned count = LLVMCountParams(part);
    unsigned passed = 0, given = 0;
    for (unsigned i = 0; i < count; i++) {
        size_t length;
        if (t->param[i]) {
            names[passed++] = LLVMGetValueName2(LLVMGetParam(part, i), &length);
        }
    }
    aic_emit_function(e, name, AIC_EMIT_ENTRY, names, passed, 0);
    for (unsigned i = 0; i < count; i++) {
        args[i] = t->param[i] ? aic_emit_param(e, given++) : LLVMConstPointerNull(e->ptr);
    }
    return count;
}

/* The function of a kernel in this role: calls that of the only level, or of the level that is found. The only level's
 * function itself gets the name where all operands are taken. */
static void emit_function(const bundling *b, size_t kernel, aic_function_role role, aic_emit *e,
                          const aic_dispatch *dispatch)
{
    const size_t levels = b->request->levels;
    const taken t = find_taken(b, kernel * levels, role);
    LLVMValueRef first = part_function(b, kernel, 0, role, e->module), args[AIC_PARAMS_MAX];
    char name[NAME_BYTES];
    const int length = snprintf(name, sizeof name, "%s%s", b->request->kernel[kernel].name, aic_function_suffix[role]);
    if (first == NULL) {
        return;
    }
    if (levels == 1 && t.all) {
        LLVMSetValueName2(first, name, (size_t)length);
        return;
    }
    const unsigned count = begin_function(e, name, first, &t, args);
    LLVMValueRef level = levels > 1 ? aic_dispatch_level(e, dispatch) : NULL;
    for (size_t l = 0; l < levels; l++) {
        aic_branch branch;
        LLVMValueRef part = part_function(b, kernel, l, role, e->module), number = LLVMConstInt(e->i32, l + 1, false);
        LLVMSetLinkage(part, LLVMInternalLinkage);
        if (levels > 1) {
            aic_branch_begin(e, &branch, LLVMBuildICmp(e->builder, LLVMIntEQ, level, number, ""));
        }
        aic_emit_call(e, part, args, count);
        if (levels > 1) {
            aic_branch_end(e, &branch);
        }
    }
    aic_emit_function_end(e);
}

static void emit_functions(const bundling *b, LLVMContextRef context, LLVMModuleRef module)
{
    aic_emit emit;
    aic_dispatch dispatch;
    aic_emit_open(&emit, context, module, b->request->target[0], NULL);
    if (b->request->levels > 1) {
        aic_dispatch_emit(&emit, b->request->target, b->request->levels, &dispatch);
    }
    for (size_t k = 0; k < b->request->count; k++) {
        for (size_t r = 0; r < ROLES_COUNT; r++) {
            emit_function(b, k, ROLES[r], &emit, &dispatch);
        }
    }
    aic_emit_close(&emit);
}

static void emit_all(void *user, LLVMContextRef context, LLVMModuleRef module)
{
    const bundling *b = user;
    for (size_t part = 0; part < part_count(b->request); part++) {
        emit_part(b, part, context, module);
    }
    if (b->request->network != NULL) {
        bundle_emit_network(b->request, context, module);
    } else {
        emit_functions(b, context, module);
    }
}

/* ---- plans ---- */

static void free_plans(bundling *b)
{
    for (size_t part = 0; part < part_count(b->request); part++) {
        if (b->program != NULL) {
            aic_program_free(&b->program[part]);
        }
        if (b->plan != NULL) {
            aic_plan_free(b->plan[part]);
        }
    }
    free(b->function);
    free(b->program);
    free(b->plan);
}

/* One caller packs for all levels: they agree on what is packed, as the shape of the work decides it. */
static aic_status make_plans(bundling *b)
{
    const aic_bundle_request *request = b->request;
    aic_status status = AIC_OK;
    b->plan = calloc(part_count(request), sizeof(aic_plan *));
    if (b->plan == NULL) {
        return aic_fail_memory(SUBJECT, part_count(request) * sizeof(aic_plan *));
    }
    for (size_t part = 0; part < part_count(request) && status == AIC_OK; part++) {
        const aic_bundle_kernel *kernel = kernel_of(b, part);
        const aic_problem problem = {kernel->spec, request->semantics, target_of(b, part), request->machine};
        status = aic_codegen_plan(&problem, kernel->schedule[part % request->levels], &b->plan[part]);
        if (status != AIC_OK) {
            b->plan[part] = NULL;
        }
    }
    return status;
}

static aic_status compose(bundling *b)
{
    aic_status status = AIC_OK;
    size_t most = 0;
    b->program = calloc(part_count(b->request), sizeof *b->program);
    if (b->program == NULL) {
        return aic_fail_memory(SUBJECT, part_count(b->request) * sizeof *b->program);
    }
    for (size_t part = 0; part < part_count(b->request) && status == AIC_OK; part++) {
        const aic_kernel_plan plan = {1, &b->plan[part]};
        status = aic_kernel_compose(&b->program[part], &plan, true);
        most = b->program[part].parts > most ? b->program[part].parts : most;
    }
    b->function = status == AIC_OK ? calloc(most + 1, sizeof(LLVMValueRef)) : NULL;
    return status != AIC_OK || b->function != NULL ? status : aic_fail_memory(SUBJECT, most * sizeof(LLVMValueRef));
}

static aic_status describe_parts(const bundling *b, aic_bundle_part *part)
{
    aic_status status = AIC_OK;
    for (size_t i = 0; i < part_count(b->request) && status == AIC_OK; i++) {
        part[i].requirements = b->plan[i]->requirements;
        part[i].requirements.phases = 0;
        status = aic_schedule_print(&b->plan[i]->schedule, part[i].schedule, sizeof part[i].schedule);
    }
    return status;
}

/* ---- the object ---- */

/* Whether all that the object refers to is in it. The generator makes it so; a call to memcpy that LLVM put in would
 * show here. */
static aic_status check_symbols(const aic_elf *elf)
{
    aic_elf_object object;
    aic_status status = aic_elf_open(elf, &object);
    for (size_t s = 0; status == AIC_OK && s < object.header.e_shnum; s++) {
        aic_elf_symbols table = {.count = 0};
        if (aic_elf_section(&object, s).sh_type == SHT_SYMTAB) {
            status = aic_elf_open_symbols(&object, s, &table);
        }
        for (uint64_t i = 1; status == AIC_OK && i < table.count; i++) {
            const Elf64_Sym symbol = aic_elf_symbol(&object, &table, i);
            if (symbol.st_shndx == SHN_UNDEF) {
                return aic_fail(AIC_INTERNAL, SUBJECT, "the code refers to %s, which is not part of it",
                                aic_elf_symbol_name(&object, &table, &symbol));
            }
        }
    }
    return status;
}

static aic_status make_object(bundling *b, aic_bundle *made)
{
    const aic_bundle_request *request = b->request;
    const aic_codegen_request run = {.target = request->target[0],
                                     .triple = request->triple,
                                     .passes = request->passes,
                                     .symbol =
                                         request->network != NULL ? request->network->name : request->kernel[0].name};
    aic_status status = aic_codegen_run(&run, emit_all, b, &made->bytes, &made->size);
    return status == AIC_OK ? check_symbols(&(aic_elf){made->bytes, made->size}) : status;
}

aic_status aic_bundle_create(const aic_bundle_request *request, aic_bundle *bundle)
{
    bundling b = {.request = request};
    aic_bundle made = {.part = calloc(part_count(request), sizeof(aic_bundle_part))};
    aic_status status = made.part != NULL ? make_plans(&b) : aic_fail_memory(SUBJECT, sizeof(aic_bundle_part));
    if (status == AIC_OK) {
        status = compose(&b);
    }
    if (status == AIC_OK) {
        status = describe_parts(&b, made.part);
    }
    if (status == AIC_OK) {
        status = make_object(&b, &made);
    }
    free_plans(&b);
    if (status == AIC_OK) {
        *bundle = made;
    } else {
        aic_bundle_free(&made);
    }
    return status;
}
