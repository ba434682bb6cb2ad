/* AArch64 families: widening multiplies on the two halves of a vector and a pairwise addition; sdot where the CPU has
 * it. */
#include "codegen/family/family.h"
#include "codegen/llvm/vec.h"

/* smull of even and odd halves, then addp: the pair sums come out in lane order. */
static LLVMValueRef smull_addp(aic_emit *e, LLVMValueRef acc, LLVMValueRef a, LLVMValueRef b)
{
    LLVMTypeRef type = LLVMTypeOf(acc);
    LLVMValueRef products[2];
    for (unsigned i = 0; i < 2; i++) {
        LLVMValueRef args[] = {aic_lanes_of(e, a, 4 * i, 1, 4), aic_lanes_of(e, b, 4 * i, 1, 4)};
        products[i] = aic_emit_intrinsic(e, "llvm.aarch64.neon.smull", &type, 1, args, 2);
    }
    LLVMValueRef sums = aic_emit_intrinsic(e, "llvm.aarch64.neon.addp", &type, 1, products, 2);
    return LLVMBuildAdd(e->builder, acc, sums, "");
}

static LLVMValueRef sdot(aic_emit *e, LLVMValueRef acc, LLVMValueRef image, LLVMValueRef weight)
{
    LLVMTypeRef types[] = {LLVMTypeOf(acc), LLVMTypeOf(image)};
    LLVMValueRef args[] = {acc, image, weight};
    return aic_emit_intrinsic(e, "llvm.aarch64.neon.sdot", types, 2, args, 3);
}

static LLVMValueRef fcvtns(aic_emit *e, LLVMValueRef floats)
{
    LLVMTypeRef types[] = {aic_vector(e->i32, LLVMGetVectorSize(LLVMTypeOf(floats))), LLVMTypeOf(floats)};
    LLVMValueRef args[] = {floats};
    return aic_emit_intrinsic(e, "llvm.aarch64.neon.fcvtns", types, 2, args, 1);
}

/* Round to nearest, no flush to zero, no traps. */
enum { FPCR_DEFAULT = 0 };

static LLVMValueRef fpcr_save(aic_emit *e)
{
    return aic_emit_intrinsic(e, "llvm.aarch64.get.fpcr", NULL, 0, NULL, 0);
}

static LLVMValueRef fpcr_differs(aic_emit *e, LLVMValueRef saved)
{
    return LLVMBuildICmp(e->builder, LLVMIntNE, saved, aic_int(e, FPCR_DEFAULT), "");
}

static void fpcr_restore(aic_emit *e, LLVMValueRef saved)
{
    LLVMValueRef args[] = {saved};
    aic_emit_intrinsic(e, "llvm.aarch64.set.fpcr", NULL, 0, args, 1);
}

static void fpcr_set_default(aic_emit *e, LLVMValueRef saved)
{
    (void)saved;
    fpcr_restore(e, aic_int(e, FPCR_DEFAULT));
}

#define FPCR .fp_control = {fpcr_save, fpcr_differs, fpcr_set_default, fpcr_restore}

const aic_family aic_family_aarch64_generic = {.dot2 = {aic_portable_dot2, 8, 0}, FPCR};
const aic_family aic_family_aarch64 = {.dot2 = {smull_addp, 4, 0}, .round = fcvtns, FPCR};
const aic_family aic_family_aarch64_dotprod = {.dot2 = {smull_addp, 4, 0}, .dot4 = {sdot, 1, 0}, .round = fcvtns, FPCR};
