/* x86-64 families: pmaddwd for pairs of 16-bit products at every vector width, vpdpwssd and vpdpbusd where the CPU has
 * them. */
#include "codegen/target/family.h"
#include "codegen/vec.h"

static LLVMValueRef pmaddwd(aic_emit *e, LLVMValueRef acc, LLVMValueRef a, LLVMValueRef b)
{
    static const char *const NAMES[] = {"llvm.x86.sse2.pmadd.wd", "llvm.x86.avx2.pmadd.wd",
                                        "llvm.x86.avx512.pmaddw.d.512"};
    unsigned lanes = LLVMGetVectorSize(LLVMTypeOf(acc));
    LLVMValueRef args[] = {a, b};
    LLVMValueRef sums = aic_emit_intrinsic(e, NAMES[lanes / 8], NULL, 0, args, 2);
    return LLVMBuildAdd(e->builder, acc, sums, "");
}

static LLVMValueRef vpdpwssd(aic_emit *e, LLVMValueRef acc, LLVMValueRef a, LLVMValueRef b)
{
    LLVMValueRef args[] = {acc, a, b};
    return aic_emit_intrinsic(e, "llvm.x86.avx512.vpdpwssd.512", NULL, 0, args, 3);
}

/* The image is unsigned, the weight signed. */
static LLVMValueRef vpdpbusd(aic_emit *e, LLVMValueRef acc, LLVMValueRef image, LLVMValueRef weight)
{
    LLVMValueRef args[] = {acc, image, weight};
    return aic_emit_intrinsic(e, "llvm.x86.avx512.vpdpbusd.512", NULL, 0, args, 3);
}

/* Round to nearest, all exceptions masked, neither DAZ nor FTZ. */
enum { MXCSR_DEFAULT = 0x1f80 };

static void load_mxcsr(aic_emit *e, LLVMValueRef slot)
{
    LLVMValueRef args[] = {slot};
    aic_emit_intrinsic(e, "llvm.x86.sse.ldmxcsr", NULL, 0, args, 1);
}

static LLVMValueRef mxcsr_enter(aic_emit *e)
{
    LLVMValueRef saved = LLVMBuildAlloca(e->builder, e->i32, "mxcsr");
    LLVMValueRef fresh = LLVMBuildAlloca(e->builder, e->i32, "mxcsr_default");
    LLVMValueRef args[] = {saved};
    aic_emit_intrinsic(e, "llvm.x86.sse.stmxcsr", NULL, 0, args, 1);
    LLVMBuildStore(e->builder, LLVMConstInt(e->i32, MXCSR_DEFAULT, false), fresh);
    load_mxcsr(e, fresh);
    return saved;
}

static void mxcsr_leave(aic_emit *e, LLVMValueRef saved)
{
    load_mxcsr(e, saved);
}

#define MXCSR .fp_enter = mxcsr_enter, .fp_leave = mxcsr_leave

const aic_family aic_family_x86_generic = {.dot2 = {aic_portable_dot2, 8, 0}, MXCSR};
const aic_family aic_family_x86 = {.dot2 = {pmaddwd, 2, 0}, MXCSR};
const aic_family aic_family_x86_vnni = {.dot2 = {vpdpwssd, 1, 0}, .dot4 = {vpdpbusd, 1, 128}, MXCSR};
