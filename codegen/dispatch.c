/* Asking the processor; see dispatch.h. The code refers to nothing: neither the compiler's library, whose
 * __builtin_cpu_supports() wants a constructor to have run, nor getauxval() of the C library.
 *
 *     i32 aic.find_level():
 *         level = aic.level                     relaxed: all threads find the same
 *         if level == 0: level = what the instructions say; aic.level = level
 *         return level */
#include "codegen/dispatch.h"
#include "codegen/llvm/guard.h"
#include "codegen/target/host.h"

#include <string.h>

enum { INT_BYTES = 4 };

/* What a call of the instruction cpuid gives. */
typedef struct cpuid_words {
    LLVMValueRef a, b, c, d;
} cpuid_words;

static LLVMValueRef number(aic_emit *e, uint32_t value)
{
    return LLVMConstInt(e->i32, value, false);
}

/* Inline assembly with this result, which depends on the machine alone. */
static LLVMValueRef assembly(aic_emit *e, LLVMTypeRef type, const char *text, const char *constraints,
                             LLVMValueRef *args, unsigned count)
{
    LLVMValueRef code = LLVMGetInlineAsm(type, text, strlen(text), constraints, strlen(constraints), true, false,
                                         LLVMInlineAsmDialectATT, false);
    return LLVMBuildCall2(e->builder, type, code, args, count, "");
}

static cpuid_words cpuid(aic_emit *e, uint32_t leaf, uint32_t subleaf)
{
    LLVMTypeRef words[] = {e->i32, e->i32, e->i32, e->i32}, params[] = {e->i32, e->i32};
    LLVMTypeRef result = LLVMStructTypeInContext(e->context, words, 4, false);
    LLVMValueRef args[] = {number(e, leaf), number(e, subleaf)};
    LLVMValueRef all = assembly(e, LLVMFunctionType(result, params, 2, false), "cpuid",
                                "={ax},={bx},={cx},={dx},{ax},{cx},~{dirflag},~{fpsr},~{flags}", args, 2);
    return (cpuid_words){
        .a = LLVMBuildExtractValue(e->builder, all, 0, ""),
        .b = LLVMBuildExtractValue(e->builder, all, 1, ""),
        .c = LLVMBuildExtractValue(e->builder, all, 2, ""),
        .d = LLVMBuildExtractValue(e->builder, all, 3, ""),
    };
}

/* The low half of XCR0, which has all that levels without tiles need. */
static LLVMValueRef saved_state(aic_emit *e)
{
    LLVMTypeRef words[] = {e->i32, e->i32}, params[] = {e->i32};
    LLVMTypeRef result = LLVMStructTypeInContext(e->context, words, 2, false);
    LLVMValueRef args[] = {number(e, 0)};
    LLVMValueRef all = assembly(e, LLVMFunctionType(result, params, 1, false), "xgetbv",
                                "={ax},={dx},{cx},~{dirflag},~{fpsr},~{flags}", args, 1);
    return LLVMBuildExtractValue(e->builder, all, 0, "");
}

/* Whether both hold. */
static LLVMValueRef both(aic_emit *e, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildAnd(e->builder, a, b, "");
}

/* Whether a word has all bits of the mask. */
static LLVMValueRef has_bits(aic_emit *e, LLVMValueRef word, uint32_t mask)
{
    LLVMValueRef bits = LLVMBuildAnd(e->builder, word, number(e, mask), "");
    return LLVMBuildICmp(e->builder, LLVMIntEQ, bits, number(e, mask), "");
}

/* The highest level whose condition holds; condition[0] is not tested. */
static LLVMValueRef highest(aic_emit *e, const LLVMValueRef *condition, size_t levels)
{
    LLVMValueRef level = number(e, 1);
    for (size_t i = 1; i < levels; i++) {
        level = LLVMBuildSelect(e->builder, condition[i], number(e, (uint32_t)i + 1), level, "");
    }
    return level;
}

enum { LEVELS_MAX = 16 };

/* Where the processor has leaf 7 and saves states: all that levels need is compared. Otherwise the first level. */
static LLVMValueRef probe_x86(aic_emit *e, const aic_target *const *target, size_t levels)
{
    enum { LEAF_FEATURES = 7, OSXSAVE = 1u << 27 };
    static const uint32_t EXTENDED = 0x80000000u;
    LLVMValueRef condition[LEVELS_MAX] = {NULL};
    LLVMValueRef most = cpuid(e, 0, 0).a, leaf1 = cpuid(e, 1, 0).c;
    LLVMValueRef can =
        both(e, LLVMBuildICmp(e->builder, LLVMIntUGE, most, number(e, LEAF_FEATURES), ""), has_bits(e, leaf1, OSXSAVE));
    LLVMBasicBlockRef before = LLVMGetInsertBlock(e->builder);
    aic_branch branch;
    aic_branch_begin(e, &branch, can);
    cpuid_words leaf7 = cpuid(e, LEAF_FEATURES, 0);
    LLVMValueRef more = cpuid(e, LEAF_FEATURES, 1).a; /* 0 where there is no such subleaf */
    LLVMValueRef extended = LLVMBuildICmp(e->builder, LLVMIntUGT, cpuid(e, EXTENDED, 0).a, number(e, EXTENDED), "");
    LLVMValueRef extra = LLVMBuildSelect(e->builder, extended, cpuid(e, EXTENDED + 1, 0).c, number(e, 0), "");
    LLVMValueRef state = saved_state(e);
    for (size_t i = 1; i < levels; i++) {
        aic_x86_words needs;
        aic_x86_needs(target[i]->needs, &needs);
        condition[i] = both(e, has_bits(e, leaf1, needs.leaf1_ecx), has_bits(e, leaf7.b, needs.leaf7_ebx));
        condition[i] = both(e, condition[i], has_bits(e, leaf7.c, needs.leaf7_ecx));
        condition[i] = both(e, condition[i], has_bits(e, leaf7.d, needs.leaf7_edx));
        condition[i] = both(e, condition[i], has_bits(e, more, needs.leaf7_1_eax));
        condition[i] = both(e, condition[i], has_bits(e, extra, needs.leaf80000001_ecx));
        condition[i] = both(e, condition[i], has_bits(e, state, (uint32_t)needs.state));
    }
    LLVMValueRef found = highest(e, condition, levels), first = number(e, 1);
    LLVMBasicBlockRef then = LLVMGetInsertBlock(e->builder);
    aic_branch_end(e, &branch);
    LLVMValueRef level = LLVMBuildPhi(e->builder, e->i32, "level");
    LLVMAddIncoming(level, &found, &then, 1);
    LLVMAddIncoming(level, &first, &before, 1);
    return level;
}

/* Whether the field of 4 bits that begins at `bit` is not 0. */
static LLVMValueRef has_field(aic_emit *e, LLVMValueRef word, unsigned bit)
{
    LLVMValueRef field = LLVMBuildAnd(e->builder, word, aic_int(e, (int64_t)(UINT64_C(15) << bit)), "");
    return LLVMBuildICmp(e->builder, LLVMIntNE, field, aic_int(e, 0), "");
}

/* The identification registers of instructions: dot products and products of int8 matrices. */
static LLVMValueRef probe_aarch64(aic_emit *e, const aic_target *const *target, size_t levels)
{
    enum { DOTPROD_BIT = 44, I8MM_BIT = 52 };
    LLVMTypeRef type = LLVMFunctionType(e->i64, NULL, 0, false);
    LLVMValueRef condition[LEVELS_MAX] = {NULL};
    LLVMValueRef dotprod = has_field(e, assembly(e, type, "mrs $0, ID_AA64ISAR0_EL1", "=r", NULL, 0), DOTPROD_BIT);
    LLVMValueRef i8mm = has_field(e, assembly(e, type, "mrs $0, ID_AA64ISAR1_EL1", "=r", NULL, 0), I8MM_BIT);
    for (size_t i = 1; i < levels; i++) {
        LLVMValueRef all = LLVMConstInt(e->i1, 1, false);
        all = (target[i]->needs & AIC_CPU_DOTPROD) != 0 ? both(e, all, dotprod) : all;
        condition[i] = (target[i]->needs & AIC_CPU_I8MM) != 0 ? both(e, all, i8mm) : all;
    }
    return highest(e, condition, levels);
}

static LLVMValueRef add_variable(aic_emit *e)
{
    LLVMValueRef variable = LLVMAddGlobal(e->module, e->i32, AIC_DISPATCH_VARIABLE);
    LLVMSetInitializer(variable, number(e, 0));
    LLVMSetLinkage(variable, LLVMInternalLinkage);
    LLVMSetAlignment(variable, INT_BYTES);
    return variable;
}

/* Loads and stores are atomic; they order nothing. */
static LLVMValueRef relaxed(LLVMValueRef access)
{
    LLVMSetOrdering(access, LLVMAtomicOrderingMonotonic);
    LLVMSetAlignment(access, INT_BYTES);
    return access;
}

void aic_dispatch_emit(aic_emit *e, const aic_target *const *target, size_t levels, aic_dispatch *dispatch)
{
    aic_limit("levels to choose from", levels, LEVELS_MAX);
    LLVMValueRef variable = add_variable(e);
    dispatch->type = LLVMFunctionType(e->i32, NULL, 0, false);
    dispatch->function = aic_emit_internal(e, "aic.find_level", dispatch->type);
    LLVMValueRef kept = relaxed(LLVMBuildLoad2(e->builder, e->i32, variable, "kept"));
    LLVMBasicBlockRef before = LLVMGetInsertBlock(e->builder);
    aic_branch branch;
    aic_branch_begin(e, &branch, LLVMBuildICmp(e->builder, LLVMIntEQ, kept, number(e, 0), ""));
    LLVMValueRef found =
        e->target->arch == AIC_ARCH_X86_64 ? probe_x86(e, target, levels) : probe_aarch64(e, target, levels);
    relaxed(LLVMBuildStore(e->builder, found, variable));
    LLVMBasicBlockRef then = LLVMGetInsertBlock(e->builder);
    aic_branch_end(e, &branch);
    LLVMValueRef level = LLVMBuildPhi(e->builder, e->i32, "level");
    LLVMAddIncoming(level, &found, &then, 1);
    LLVMAddIncoming(level, &kept, &before, 1);
    LLVMBuildRet(e->builder, level);
    e->function = NULL;
}

LLVMValueRef aic_dispatch_level(aic_emit *e, const aic_dispatch *dispatch)
{
    return LLVMBuildCall2(e->builder, dispatch->type, dispatch->function, NULL, 0, "");
}
