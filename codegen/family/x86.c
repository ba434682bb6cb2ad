/* x86-64 families: pmaddwd for pairs of 16-bit products at every vector width, vpdpwssd and vpdpbusd where the CPU has
 * them, with AVX-512 or without. */
#include "codegen/family/family.h"
#include "codegen/llvm/guard.h"
#include "codegen/llvm/vec.h"

static LLVMValueRef pmaddwd(aic_emit *e, LLVMValueRef acc, LLVMValueRef a, LLVMValueRef b)
{
    static const char *const NAMES[] = {"llvm.x86.sse2.pmadd.wd", "llvm.x86.avx2.pmadd.wd",
                                        "llvm.x86.avx512.pmaddw.d.512"};
    unsigned lanes = LLVMGetVectorSize(LLVMTypeOf(acc));
    aic_limit("bits of sums of pairs", 32 * lanes, AIC_VECTOR_BITS_MAX);
    LLVMValueRef args[] = {a, b};
    LLVMValueRef sums = aic_emit_intrinsic(e, NAMES[lanes / 8], NULL, 0, args, 2);
    return LLVMBuildAdd(e->builder, acc, sums, "");
}

/* By the width of a register of 32-bit elements: 4, 8 and 16 of them. */
static const char *by_width(const char *const names[3], LLVMValueRef v)
{
    unsigned bits = LLVMGetIntTypeWidth(LLVMGetElementType(LLVMTypeOf(v)));
    aic_limit("bits of a vector", LLVMGetVectorSize(LLVMTypeOf(v)) * bits, AIC_VECTOR_BITS_MAX);
    return names[LLVMGetVectorSize(LLVMTypeOf(v)) * bits / 256];
}

static LLVMValueRef vpdpwssd(aic_emit *e, LLVMValueRef acc, LLVMValueRef a, LLVMValueRef b)
{
    static const char *const NAMES[] = {"llvm.x86.avx512.vpdpwssd.128", "llvm.x86.avx512.vpdpwssd.256",
                                        "llvm.x86.avx512.vpdpwssd.512"};
    LLVMValueRef args[] = {acc, a, b};
    return aic_emit_intrinsic(e, by_width(NAMES, acc), NULL, 0, args, 3);
}

/* The image is unsigned, the weight signed. */
static LLVMValueRef vpdpbusd(aic_emit *e, LLVMValueRef acc, LLVMValueRef image, LLVMValueRef weight)
{
    static const char *const NAMES[] = {"llvm.x86.avx512.vpdpbusd.128", "llvm.x86.avx512.vpdpbusd.256",
                                        "llvm.x86.avx512.vpdpbusd.512"};
    LLVMValueRef args[] = {acc, image, weight};
    return aic_emit_intrinsic(e, by_width(NAMES, acc), NULL, 0, args, 3);
}

static LLVMValueRef pack(aic_emit *e, LLVMValueRef a, LLVMValueRef b, bool to_unsigned)
{
    static const char *const WORDS[] = {"llvm.x86.sse2.packssdw.128", "llvm.x86.avx2.packssdw",
                                        "llvm.x86.avx512.packssdw.512"};
    static const char *const BYTES[] = {"llvm.x86.sse2.packsswb.128", "llvm.x86.avx2.packsswb",
                                        "llvm.x86.avx512.packsswb.512"};
    static const char *const UNSIGNED_BYTES[] = {"llvm.x86.sse2.packuswb.128", "llvm.x86.avx2.packuswb",
                                                 "llvm.x86.avx512.packuswb.512"};
    bool words = LLVMGetIntTypeWidth(LLVMGetElementType(LLVMTypeOf(a))) == 32;
    LLVMValueRef args[] = {a, b};
    return aic_emit_intrinsic(e, by_width(words ? WORDS : to_unsigned ? UNSIGNED_BYTES : BYTES, a), NULL, 0, args, 2);
}

/* By the control word, which says to nearest even; what is out of range gives the least integer. */
static LLVMValueRef cvtps2dq(aic_emit *e, LLVMValueRef floats)
{
    LLVMTypeRef type = aic_vector(e->i32, LLVMGetVectorSize(LLVMTypeOf(floats)));
    LLVMValueRef args[] = {floats, LLVMConstNull(type), LLVMConstAllOnes(e->i16), LLVMConstInt(e->i32, 4, false)};
    switch (LLVMGetVectorSize(type)) {
    case 4:
        return aic_emit_intrinsic(e, "llvm.x86.sse2.cvtps2dq", NULL, 0, args, 1);
    case 8:
        return aic_emit_intrinsic(e, "llvm.x86.avx.cvt.ps2dq.256", NULL, 0, args, 1);
    default:
        return aic_emit_intrinsic(e, "llvm.x86.avx512.mask.cvtps2dq.512", NULL, 0, args, 4);
    }
}

/* Round to nearest, all exceptions masked, neither DAZ nor FTZ. */
enum { MXCSR_DEFAULT = 0x1f80 };

/* The flags of exceptions are status, not control: the calling convention lets every function leave them set. */
enum { MXCSR_FLAGS = 0x3f };

/* The caller's word and room for the default one: the instructions read and write memory only. */
static LLVMValueRef mxcsr_save(aic_emit *e)
{
    LLVMValueRef saved = LLVMBuildAlloca(e->builder, aic_vector(e->i32, 2), "mxcsr");
    LLVMValueRef args[] = {saved};
    aic_emit_intrinsic(e, "llvm.x86.sse.stmxcsr", NULL, 0, args, 1);
    return saved;
}

static LLVMValueRef mxcsr_differs(aic_emit *e, LLVMValueRef saved)
{
    LLVMValueRef word = LLVMBuildLoad2(e->builder, e->i32, saved, "");
    LLVMValueRef control = LLVMBuildAnd(e->builder, word, LLVMConstInt(e->i32, ~MXCSR_FLAGS & UINT32_MAX, false), "");
    return LLVMBuildICmp(e->builder, LLVMIntNE, control, LLVMConstInt(e->i32, MXCSR_DEFAULT, false), "");
}

static void mxcsr_restore(aic_emit *e, LLVMValueRef saved)
{
    LLVMValueRef args[] = {saved};
    aic_emit_intrinsic(e, "llvm.x86.sse.ldmxcsr", NULL, 0, args, 1);
}

static void mxcsr_set_default(aic_emit *e, LLVMValueRef saved)
{
    LLVMValueRef fresh = aic_at_const(e, saved, sizeof(uint32_t));
    LLVMBuildStore(e->builder, LLVMConstInt(e->i32, MXCSR_DEFAULT, false), fresh);
    mxcsr_restore(e, fresh);
}

#define NARROWING .round = cvtps2dq, .pack = {pack, 128}
#define MXCSR .fp_control = {mxcsr_save, mxcsr_differs, mxcsr_set_default, mxcsr_restore}

const aic_family aic_family_x86_generic = {.dot2 = {aic_portable_dot2, 8, 0}, MXCSR};
const aic_family aic_family_x86 = {.dot2 = {pmaddwd, 2, 0}, NARROWING, MXCSR};
const aic_family aic_family_x86_avxvnni = {.dot2 = {vpdpwssd, 1, 0}, .dot4 = {vpdpbusd, 1, 128}, NARROWING, MXCSR};
const aic_family aic_family_x86_vnni = {.dot2 = {vpdpwssd, 1, 0}, .dot4 = {vpdpbusd, 1, 128}, NARROWING, MXCSR};
