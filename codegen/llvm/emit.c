/* Functions, addresses and loops of the emitter. */
#include "codegen/llvm/emit.h"
#include "codegen/llvm/guard.h"
#include "codegen/llvm/load.h"
#include "codegen/llvm/notes.h"

#include <stdio.h>
#include <string.h>

void aic_emit_open(aic_emit *e, LLVMContextRef context, LLVMModuleRef module, const aic_target *target,
                   aic_notes *notes)
{
    *e = (aic_emit){.target = target,
                    .context = context,
                    .frame = module,
                    .hot = module,
                    .module = module,
                    .notes = notes,
                    .prefix = ""};
    LLVMContextSetDiscardValueNames(context, notes == NULL);
    e->builder = LLVMCreateBuilderInContext(context);
    e->i1 = LLVMInt1TypeInContext(context);
    e->i8 = LLVMInt8TypeInContext(context);
    e->i16 = LLVMInt16TypeInContext(context);
    e->i32 = LLVMInt32TypeInContext(context);
    e->i64 = LLVMInt64TypeInContext(context);
    e->f32 = LLVMFloatTypeInContext(context);
    e->f64 = LLVMDoubleTypeInContext(context);
    e->ptr = LLVMPointerTypeInContext(context, 0);
    e->none = LLVMVoidTypeInContext(context);
}

void aic_emit_close(aic_emit *e)
{
    LLVMDisposeBuilder(e->builder);
    e->builder = NULL;
}

void aic_emit_divide(aic_emit *e, LLVMModuleRef hot)
{
    e->hot = hot;
}

/* ---- functions ---- */

static LLVMAttributeRef attribute(aic_emit *e, const char *name, uint64_t value)
{
    return LLVMCreateEnumAttribute(e->context, LLVMGetEnumAttributeKindForName(name, strlen(name)), value);
}

static void add_attribute(aic_emit *e, const char *name, uint64_t value)
{
    LLVMAddAttributeAtIndex(e->function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, attribute(e, name, value));
}

static void set_text_attribute(aic_emit *e, const char *name, const char *value)
{
    LLVMAddAttributeAtIndex(
        e->function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
        LLVMCreateStringAttribute(e->context, name, (unsigned)strlen(name), value, (unsigned)strlen(value)));
}

/* A block with the name that `text` begins with, and this behind it. */
static LLVMBasicBlockRef append_block(aic_emit *e, const char *text, const char *suffix)
{
    LLVMBasicBlockRef block = LLVMAppendBasicBlockInContext(e->context, e->function, "");
    aic_name(e, LLVMBasicBlockAsValue(block), "%.*s%s", (int)strcspn(text, ":"), text, suffix);
    return block;
}

void aic_emit_hide(const aic_emit *e, LLVMValueRef function)
{
    if (e->frame == e->hot) {
        LLVMSetLinkage(function, LLVMInternalLinkage);
    } else {
        LLVMSetVisibility(function, LLVMHiddenVisibility);
    }
}

/* Adds a function and makes it the one that is emitted. */
static void add_function(aic_emit *e, const char *name, aic_emit_kind kind, LLVMTypeRef type)
{
    enum { ASYNCHRONOUS = 2 };
    e->compiled_well = kind == AIC_EMIT_HOT || kind == AIC_EMIT_HOT_ENTRY;
    e->carries_vectors = kind == AIC_EMIT_HOT || kind == AIC_EMIT_SELDOM;
    e->module = e->compiled_well ? e->hot : e->frame;
    e->function = LLVMAddFunction(e->module, name, type);
    if (kind != AIC_EMIT_ENTRY && kind != AIC_EMIT_HOT_ENTRY) {
        aic_emit_hide(e, e->function);
    }
    /* No unwind tables unless somebody reads them: else an object consists of code and its constants only. A table
     * holds at every instruction, as a debugger stops at any. */
    add_attribute(e, "nounwind", 0);
    if (e->unwind) {
        add_attribute(e, "uwtable", ASYNCHRONOUS);
    }
    /* Each function gets its own register allocation. */
    add_attribute(e, "noinline", 0);
    if (!e->compiled_well) {
        add_attribute(e, "optnone", 0);
    }
    if (!e->own_machine) {
        set_text_attribute(e, "target-cpu", aic_target_cpu(e->target));
        set_text_attribute(e, "target-features", e->target->features);
    }
    LLVMPositionBuilderAtEnd(e->builder, append_block(e, "entry", ""));
}

/* void (ptr, ..., i64, ...). */
static LLVMTypeRef function_type(aic_emit *e, unsigned pointers, unsigned integers)
{
    LLVMTypeRef params[AIC_PARAMS_MAX];
    const unsigned count = pointers + integers;
    aic_limit("parameters of a function", count, AIC_PARAMS_MAX);
    for (unsigned i = 0; i < count; i++) {
        params[i] = i < pointers ? e->ptr : e->i64;
    }
    return LLVMFunctionType(e->none, params, count, false);
}

void aic_emit_function(aic_emit *e, const char *name, aic_emit_kind kind, const char *const *names, unsigned pointers,
                       unsigned integers)
{
    add_function(e, name, kind, function_type(e, pointers, integers));
    for (unsigned i = 0; i < pointers + integers; i++) {
        LLVMValueRef param = LLVMGetParam(e->function, i);
        aic_name(e, param, "%s", names[i]);
        if (i < pointers) {
            LLVMAddAttributeAtIndex(e->function, i + 1, attribute(e, "noalias", 0));
        }
    }
}

LLVMValueRef aic_emit_internal(aic_emit *e, const char *name, LLVMTypeRef type)
{
    add_function(e, name, AIC_EMIT_FRAME, type);
    return e->function;
}

void aic_emit_aliases(aic_emit *e)
{
    static const char NAME[] = "noalias";
    unsigned kind = LLVMGetEnumAttributeKindForName(NAME, sizeof NAME - 1);
    for (unsigned i = 1; i <= LLVMCountParams(e->function); i++) {
        LLVMRemoveEnumAttributeAtIndex(e->function, i, kind);
    }
}

LLVMValueRef aic_emit_function_end(aic_emit *e)
{
    LLVMValueRef ended = e->function;
    LLVMBuildRetVoid(e->builder);
    e->function = NULL;
    return ended;
}

LLVMValueRef aic_emit_param(aic_emit *e, unsigned index)
{
    return LLVMGetParam(e->function, index);
}

/* The function as the module of the one being emitted knows it. */
static LLVMValueRef declared(aic_emit *e, LLVMValueRef function)
{
    if (LLVMGetGlobalParent(function) == e->module) {
        return function;
    }
    size_t length;
    const char *name = LLVMGetValueName2(function, &length);
    LLVMValueRef known = LLVMGetNamedFunction(e->module, name);
    if (known == NULL) {
        known = LLVMAddFunction(e->module, name, LLVMGlobalGetValueType(function));
        aic_emit_hide(e, known);
    }
    return known;
}

void aic_emit_call(aic_emit *e, LLVMValueRef function, LLVMValueRef *args, unsigned count)
{
    LLVMBuildCall2(e->builder, LLVMGlobalGetValueType(function), declared(e, function), args, count, "");
}

LLVMValueRef aic_emit_intrinsic(aic_emit *e, const char *name, LLVMTypeRef *overloads, unsigned overload_count,
                                LLVMValueRef *args, unsigned count)
{
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMTypeRef type = LLVMIntrinsicGetType(e->context, id, overloads, overload_count);
    LLVMValueRef function = LLVMGetIntrinsicDeclaration(e->module, id, overloads, overload_count);
    LLVMTypeRef params[AIC_PARAMS_MAX];
    aic_limit("parameters of an intrinsic", LLVMCountParamTypes(type), AIC_PARAMS_MAX);
    aic_limit("arguments of an intrinsic", count, LLVMCountParamTypes(type));
    LLVMGetParamTypes(type, params);
    for (unsigned i = 0; i < count; i++) {
        if (LLVMTypeOf(args[i]) != params[i]) {
            args[i] = LLVMBuildBitCast(e->builder, args[i], params[i], "");
        }
    }
    return LLVMBuildCall2(e->builder, type, function, args, count, "");
}

LLVMValueRef aic_emit_declare(aic_emit *e, const char *name, unsigned pointers, unsigned integers)
{
    LLVMValueRef known = LLVMGetNamedFunction(e->module, name);
    if (known == NULL) {
        known = LLVMAddFunction(e->module, name, function_type(e, pointers, integers));
        LLVMSetVisibility(known, LLVMHiddenVisibility);
    }
    return known;
}

/* ---- integers and addresses ---- */

/* Symbols of numbers that are at least 1 have another type, which nothing else depends on: it tells is_positive(). */
static LLVMTypeRef symbol_type(aic_emit *e, int64_t least)
{
    return least > 0 ? e->i16 : e->i8;
}

/* The number as an instruction at the begin of a function that is compiled fast. LLVM's fast selection of instructions
 * knows no numbers whose values are symbols: it leaves the rest of a block that has one to the slow selection, which
 * takes three times as long. So only the first block has them, and inner loops that are worth it. */
static LLVMValueRef held_at_entry(aic_emit *e, LLVMValueRef number)
{
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e->builder);
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(e->function);
    LLVMValueRef next = LLVMGetFirstInstruction(entry);
    while (next != NULL && LLVMIsAFreezeInst(next) != NULL) {
        if (LLVMGetOperand(next, 0) == number) {
            return next;
        }
        next = LLVMGetNextInstruction(next);
    }
    LLVMPositionBuilder(e->builder, entry, next);
    LLVMValueRef held = LLVMBuildFreeze(e->builder, number, "");
    LLVMPositionBuilderAtEnd(e->builder, here);
    return held;
}

LLVMValueRef aic_emit_symbol(aic_emit *e, const char *name, int64_t least, int64_t most, bool held)
{
    static const char KIND[] = "absolute_symbol";
    LLVMValueRef symbol = LLVMGetNamedGlobal(e->module, name);
    if (symbol == NULL) {
        LLVMMetadataRef range[] = {LLVMValueAsMetadata(aic_int(e, 0)), LLVMValueAsMetadata(aic_int(e, most + 1))};
        symbol = LLVMAddGlobal(e->module, symbol_type(e, least), name);
        LLVMSetVisibility(symbol, LLVMHiddenVisibility);
        LLVMGlobalSetMetadata(symbol, LLVMGetMDKindIDInContext(e->context, KIND, sizeof KIND - 1),
                              LLVMMDNodeInContext2(e->context, range, 2));
    }
    LLVMValueRef number = LLVMConstPtrToInt(symbol, e->i64);
    return held && !e->compiled_well ? held_at_entry(e, number) : number;
}

/* Whether it is the address of a symbol that is at least 1. */
static bool is_positive(aic_emit *e, LLVMValueRef value)
{
    LLVMValueRef number = LLVMIsAFreezeInst(value) != NULL ? LLVMGetOperand(value, 0) : value;
    LLVMValueRef symbol = LLVMIsAConstantExpr(number) != NULL ? LLVMGetOperand(number, 0) : NULL;
    return symbol != NULL && LLVMIsAGlobalVariable(symbol) != NULL &&
           LLVMGlobalGetValueType(symbol) == symbol_type(e, 1);
}

LLVMValueRef aic_int(aic_emit *e, int64_t value)
{
    return LLVMConstInt(e->i64, (unsigned long long)value, true);
}

static bool is_constant(LLVMValueRef value, int64_t *result)
{
    if (LLVMIsAConstantInt(value) == NULL) {
        return false;
    }
    *result = LLVMConstIntGetSExtValue(value);
    return true;
}

LLVMValueRef aic_add(aic_emit *e, LLVMValueRef a, LLVMValueRef b)
{
    int64_t constant;
    if (is_constant(a, &constant) && constant == 0) {
        return b;
    }
    if (is_constant(b, &constant) && constant == 0) {
        return a;
    }
    return LLVMBuildNSWAdd(e->builder, a, b, "");
}

LLVMValueRef aic_mul(aic_emit *e, LLVMValueRef a, int64_t factor)
{
    return factor == 1 ? a : LLVMBuildNSWMul(e->builder, a, aic_int(e, factor), "");
}

LLVMValueRef aic_times(aic_emit *e, LLVMValueRef a, LLVMValueRef b)
{
    int64_t constant;
    if (is_constant(a, &constant) && (constant == 0 || constant == 1)) {
        return constant == 0 ? a : b;
    }
    return is_constant(b, &constant) ? aic_mul(e, a, constant) : LLVMBuildNSWMul(e->builder, a, b, "");
}

LLVMValueRef aic_min(aic_emit *e, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildSelect(e->builder, LLVMBuildICmp(e->builder, LLVMIntSLT, a, b, ""), a, b, "");
}

LLVMValueRef aic_max(aic_emit *e, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildSelect(e->builder, LLVMBuildICmp(e->builder, LLVMIntSGT, a, b, ""), a, b, "");
}

LLVMValueRef aic_at(aic_emit *e, LLVMValueRef pointer, LLVMValueRef offset)
{
    int64_t constant;
    if (is_constant(offset, &constant) && constant == 0) {
        return pointer;
    }
    return LLVMBuildGEP2(e->builder, e->i8, pointer, &offset, 1, "");
}

LLVMValueRef aic_at_const(aic_emit *e, LLVMValueRef pointer, int64_t offset)
{
    return aic_at(e, pointer, aic_int(e, offset));
}

/* ---- loops ---- */

/* Whether a loop's index and what it carries lie on the stack from the begin. Where a function is compiled fast that is
 * where they come to lie, phis by way of copies of their own; one module for all is a reader's, or compiled better. */
static bool lies_in_memory(const aic_emit *e, const aic_loop *loop)
{
    bool words = !e->compiled_well && (e->named || e->frame != e->hot);
    for (unsigned i = 0; i < loop->count; i++) {
        words = words && LLVMGetTypeKind(LLVMTypeOf(loop->carried[i])) != LLVMVectorTypeKind;
    }
    return words;
}

/* A place on the stack with this value. Numbers that are held stay the first instructions. */
static LLVMValueRef stored(aic_emit *e, LLVMValueRef value)
{
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e->builder), entry = LLVMGetEntryBasicBlock(e->function);
    LLVMValueRef first = LLVMGetFirstInstruction(entry);
    while (first != NULL && LLVMIsAFreezeInst(first) != NULL) {
        first = LLVMGetNextInstruction(first);
    }
    LLVMPositionBuilder(e->builder, entry, first);
    LLVMValueRef place = LLVMBuildAlloca(e->builder, LLVMTypeOf(value), "");
    LLVMPositionBuilderAtEnd(e->builder, here);
    LLVMBuildStore(e->builder, value, place);
    return place;
}

static LLVMValueRef loaded(aic_emit *e, LLVMValueRef place)
{
    return LLVMBuildLoad2(e->builder, LLVMGetAllocatedType(place), place, "");
}

/* The same pointer, but one whose history loop strength reduction cannot see. The emitter has chosen its addresses;
 * LLVM trying every other way to form them takes up to a third of the compile time. The intrinsic is gone before
 * instruction selection. */
static LLVMValueRef laundered(aic_emit *e, LLVMValueRef pointer)
{
    return aic_emit_intrinsic(e, "llvm.launder.invariant.group", &e->ptr, 1, &pointer, 1);
}

/* What the body of a loop and its next iteration see of its index, and the body of the pointers it carries. Where code
 * is compiled fast nobody looks for other addresses. */
static void enter_body(aic_emit *e, aic_loop *loop)
{
    const char *text = loop->text;
    const int name = (int)strcspn(text, ":");
    if (loop->in_memory) {
        loop->index = loaded(e, loop->kept_index);
        for (unsigned i = 0; i < loop->count; i++) {
            loop->carried[i] = loaded(e, loop->kept[i]);
        }
        return;
    }
    if (!e->compiled_well) {
        loop->index = loop->kept_index;
        return;
    }
    LLVMValueRef index = LLVMBuildIntToPtr(e->builder, loop->kept_index, e->ptr, "");
    LLVMValueRef hidden = laundered(e, index);
    loop->index = LLVMBuildPtrToInt(e->builder, hidden, e->i64, "");
    aic_name(e, index, "%.*s.ptr", name, text);
    aic_name(e, hidden, "%.*s.laundered", name, text);
    aic_name(e, loop->index, "%.*s", name, text);
    for (unsigned i = 0; i < loop->count; i++) {
        if (LLVMTypeOf(loop->carried[i]) == e->ptr) {
            loop->carried[i] = laundered(e, loop->carried[i]);
        }
    }
}

/* A loop whose function should be compiled well, or in which a vector should become a word, is found by tests. */
static void check_carried(const aic_loop *loop)
{
    enum { TEXT_MAX = 160 };
    char what[TEXT_MAX];
    size_t vectors = 0;
    for (unsigned i = 0; i < loop->count; i++) {
        vectors += LLVMGetTypeKind(LLVMTypeOf(loop->carried[i])) == LLVMVectorTypeKind;
    }
    (void)snprintf(what, sizeof what, "vectors that code compiled fast carries through the loop \"%s\"", loop->text);
    aic_limit(what, vectors, 0);
}

static void make_phis(aic_emit *e, aic_loop *loop, LLVMBasicBlockRef before)
{
    for (unsigned i = 0; i < loop->count; i++) {
        loop->kept[i] = LLVMBuildPhi(e->builder, LLVMTypeOf(loop->carried[i]), "");
        LLVMAddIncoming(loop->kept[i], &loop->carried[i], &before, 1);
        loop->carried[i] = loop->kept[i];
    }
}

/* The index, as the header has it, and what is carried. The builder stands before the loop, then in its header. */
static LLVMValueRef enter_loop(aic_emit *e, aic_loop *loop, LLVMValueRef first)
{
    LLVMBasicBlockRef before = LLVMGetInsertBlock(e->builder);
    if (loop->in_memory) {
        loop->kept_index = stored(e, first);
        for (unsigned i = 0; i < loop->count; i++) {
            loop->kept[i] = stored(e, loop->carried[i]);
        }
    }
    LLVMBuildBr(e->builder, loop->header);
    LLVMPositionBuilderAtEnd(e->builder, loop->header);
    if (loop->in_memory) {
        return loop->tested ? loaded(e, loop->kept_index) : NULL;
    }
    loop->kept_index = LLVMBuildPhi(e->builder, e->i64, "");
    aic_name(e, loop->kept_index, "%.*s.phi", (int)strcspn(loop->text, ":"), loop->text);
    LLVMAddIncoming(loop->kept_index, &first, &before, 1);
    make_phis(e, loop, before);
    return loop->kept_index;
}

/* Makes the loop's blocks and what its header holds; the builder stands in its body afterwards. */
static void open_loop(aic_emit *e, aic_loop *loop, LLVMValueRef first)
{
    const char *text = loop->text;
    const int name = (int)strcspn(text, ":");
    if (!e->carries_vectors && aic_llvm_verifies()) {
        check_carried(loop);
    }
    loop->in_memory = lies_in_memory(e, loop);
    loop->header = append_block(e, text, ".loop");
    loop->exit = append_block(e, text, ".end");
    aic_note_loop(e, loop, text, first);
    LLVMValueRef index = enter_loop(e, loop, first);
    if (loop->tested) {
        LLVMBasicBlockRef body = append_block(e, text, ".body");
        LLVMValueRef more = LLVMBuildICmp(e->builder, LLVMIntSLT, index, loop->limit, "");
        aic_name(e, more, "%.*s.more", name, text);
        LLVMBuildCondBr(e->builder, more, body, loop->exit);
        LLVMPositionBuilderAtEnd(e->builder, body);
    }
    enter_body(e, loop);
}

/* All but the steps and whether the header tests; there is one iteration so far. */
static void set_up(aic_loop *loop, const char *text, LLVMValueRef first, LLVMValueRef limit, LLVMValueRef *carried,
                   unsigned count)
{
    aic_limit("values that a loop carries", count, AIC_CARRIED_MAX);
    loop->text = text;
    loop->index = first;
    loop->limit = limit;
    loop->step = 0;
    loop->by = NULL;
    loop->carried = carried;
    loop->count = count;
    loop->tested = false;
    loop->header = loop->exit = NULL;
}

void aic_loop_begin(aic_emit *e, aic_loop *loop, const char *text, LLVMValueRef first, LLVMValueRef limit, int64_t step,
                    LLVMValueRef *carried, unsigned count)
{
    int64_t low = 0, high = 0;
    const bool fixed = is_constant(first, &low) && is_constant(limit, &high);
    const bool entered = fixed ? low < high : is_constant(first, &low) && low == 0 && is_positive(e, limit);
    set_up(loop, text, first, limit, carried, count);
    loop->step = step;
    loop->tested = !entered;
    if (!entered || !fixed || low + step < high) {
        open_loop(e, loop, first);
    }
}

void aic_loop_over(aic_emit *e, aic_loop *loop, const char *text, LLVMValueRef limit)
{
    aic_loop_begin(e, loop, text, aic_int(e, 0), limit, 1, NULL, 0);
}

void aic_loop_begin_entered(aic_emit *e, aic_loop *loop, const char *text, LLVMValueRef limit, int64_t step,
                            LLVMValueRef *carried, unsigned count)
{
    set_up(loop, text, aic_int(e, 0), limit, carried, count);
    loop->step = step;
    open_loop(e, loop, loop->index);
}

void aic_loop_begin_by(aic_emit *e, aic_loop *loop, const char *text, LLVMValueRef first, LLVMValueRef limit,
                       LLVMValueRef by, bool entered, LLVMValueRef *carried, unsigned count)
{
    set_up(loop, text, first, limit, carried, count);
    loop->by = by;
    loop->tested = !entered;
    open_loop(e, loop, first);
}

void aic_loop_end(aic_emit *e, aic_loop *loop)
{
    if (loop->header == NULL) {
        return;
    }
    const int name = (int)strcspn(loop->text, ":");
    LLVMValueRef index = loop->in_memory ? loaded(e, loop->kept_index) : loop->index;
    LLVMValueRef step = loop->by != NULL ? loop->by : aic_int(e, loop->step);
    LLVMValueRef next = LLVMBuildNSWAdd(e->builder, index, step, "");
    aic_name(e, next, "%.*s.next", name, loop->text);
    LLVMBasicBlockRef latch = LLVMGetInsertBlock(e->builder);
    if (loop->in_memory) {
        LLVMBuildStore(e->builder, next, loop->kept_index);
        for (unsigned i = 0; i < loop->count; i++) {
            LLVMBuildStore(e->builder, loop->carried[i], loop->kept[i]);
        }
    }
    if (loop->tested) {
        LLVMBuildBr(e->builder, loop->header);
    } else {
        LLVMValueRef more = LLVMBuildICmp(e->builder, LLVMIntSLT, next, loop->limit, "");
        aic_name(e, more, "%.*s.more", name, loop->text);
        LLVMBuildCondBr(e->builder, more, loop->header, loop->exit);
    }
    LLVMMoveBasicBlockAfter(loop->exit, latch);
    LLVMPositionBuilderAtEnd(e->builder, loop->exit);
    if (loop->in_memory) {
        for (unsigned i = 0; i < loop->count; i++) {
            loop->carried[i] = loaded(e, loop->kept[i]);
        }
        return;
    }
    LLVMAddIncoming(loop->kept_index, &next, &latch, 1);
    for (unsigned i = 0; i < loop->count; i++) {
        LLVMAddIncoming(loop->kept[i], &loop->carried[i], &latch, 1);
        if (loop->tested) {
            loop->carried[i] = loop->kept[i];
        }
    }
}

LLVMValueRef aic_loop_carried(aic_emit *e, const aic_loop *loop, unsigned i)
{
    return loop->header != NULL && loop->in_memory ? loaded(e, loop->kept[i]) : loop->carried[i];
}

void aic_branch_begin(aic_emit *e, aic_branch *branch, LLVMValueRef condition)
{
    LLVMBasicBlockRef then = append_block(e, "then", "");
    branch->join = append_block(e, "join", "");
    LLVMBuildCondBr(e->builder, condition, then, branch->join);
    LLVMPositionBuilderAtEnd(e->builder, then);
}

void aic_branch_end(aic_emit *e, aic_branch *branch)
{
    LLVMBuildBr(e->builder, branch->join);
    LLVMMoveBasicBlockAfter(branch->join, LLVMGetInsertBlock(e->builder));
    LLVMPositionBuilderAtEnd(e->builder, branch->join);
}
