/* Code that looks for halves that are not finite; see finite.h. */
#include "codegen/parts/finite.h"
#include "codegen/llvm/vec.h"

enum { HALF = 2 };

/* The larger of two vectors of signed 16-bit integers: what is greatest so far, and the magnitudes of some halves. */
static LLVMValueRef larger_magnitude(aic_emit *e, LLVMValueRef most, LLVMValueRef from, LLVMValueRef offset)
{
    enum { MAGNITUDE = 0x7fff };
    LLVMTypeRef type = LLVMTypeOf(most);
    LLVMValueRef bits = aic_load(e, type, aic_at(e, from, offset), 0, HALF);
    LLVMValueRef args[] = {most, LLVMBuildAnd(e->builder, bits, aic_const_int(type, MAGNITUDE), "")};
    return aic_emit_intrinsic(e, "llvm.smax", &type, 1, args, 2);
}

/* Whether any of the magnitudes is that of an infinite half or of a NaN. */
static LLVMValueRef is_special(aic_emit *e, LLVMValueRef most)
{
    enum { INFINITE = 0x7c00 };
    LLVMTypeRef type = LLVMTypeOf(most);
    LLVMValueRef greatest = aic_emit_intrinsic(e, "llvm.vector.reduce.smax", &type, 1, &most, 1);
    return LLVMBuildICmp(e->builder, LLVMIntSGE, greatest, aic_const_int(e->i16, INFINITE), "");
}

LLVMValueRef aic_any_special_half(aic_emit *e, LLVMValueRef from, LLVMValueRef bytes, int64_t block)
{
    enum { WIDE = 64 };
    aic_loop loop;
    LLVMValueRef most = aic_zero(aic_vector(e->i16, WIDE / HALF));
    LLVMValueRef rest = aic_zero(aic_vector(e->i16, (unsigned)block));
    LLVMValueRef whole = LLVMBuildAnd(e->builder, bytes, aic_int(e, -WIDE), "");
    aic_loop_begin(e, &loop, "half: halves of the last block of channels", aic_int(e, 0), whole, WIDE, &most, 1);
    most = larger_magnitude(e, most, from, loop.index);
    aic_loop_end(e, &loop);
    aic_loop_begin(e, &loop, "half: those that are left", whole, bytes, block * HALF, &rest, 1);
    rest = larger_magnitude(e, rest, from, loop.index);
    aic_loop_end(e, &loop);
    return LLVMBuildOr(e->builder, is_special(e, most), is_special(e, rest), "");
}
