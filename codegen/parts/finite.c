/* Looking for halves that are not finite: see bands.h. */
#include "codegen/kpacks.h"
#include "codegen/llvm/notes.h"
#include "codegen/llvm/vec.h"
#include "codegen/machine.h"
#include "codegen/parts.h"
#include "codegen/parts/bands.h"

enum { HALF = 2, WORD_BYTES = 8 };

/* The larger of two vectors of signed 16-bit integers: what is greatest so far, and the magnitudes of some halves. */
static LLVMValueRef larger_magnitude(aic_emit *e, LLVMValueRef most, LLVMValueRef from, LLVMValueRef offset)
{
    return aic_larger_magnitude(e, most, aic_load(e, LLVMTypeOf(most), aic_at(e, from, offset), 0, HALF));
}

/* Whether any of the magnitudes is that of an infinite half or of a NaN. */
static LLVMValueRef is_special(aic_emit *e, LLVMValueRef most)
{
    enum { INFINITE = 0x7c00 };
    LLVMTypeRef type = LLVMTypeOf(most);
    LLVMValueRef greatest = aic_emit_intrinsic(e, "llvm.vector.reduce.smax", &type, 1, &most, 1);
    return LLVMBuildICmp(e->builder, LLVMIntSGE, greatest, aic_const_int(e->i16, INFINITE), "");
}

/* Whether any of the halves from byte `first` to byte `end` is special, a vector of so many at a time. */
static LLVMValueRef any_special(aic_emit *e, LLVMValueRef from, LLVMValueRef first, LLVMValueRef end, int64_t halves,
                                const char *text)
{
    aic_loop loop;
    LLVMValueRef most = aic_zero(aic_vector(e->i16, (unsigned)halves));
    aic_loop_begin(e, &loop, text, first, end, halves * HALF, &most, 1);
    most = larger_magnitude(e, most, from, loop.index);
    aic_loop_end(e, &loop);
    return is_special(e, most);
}

LLVMValueRef aic_emit_part_finite(aic_emit *e, const void *of, const char *name)
{
    static const char *const PARAMS[] = {"from", "count", "bytes"};
    const aic_finite_key *key = of;
    aic_branch branch;
    aic_emit_function(e, name, AIC_EMIT_HOT, PARAMS, 2, 1);
    aic_note_function(e, "sets the count to all k-packs if a half of the image is infinite or NaN");
    LLVMValueRef from = aic_emit_param(e, 0), bytes = aic_emit_param(e, 2);
    LLVMValueRef lines = LLVMBuildAnd(e->builder, bytes, aic_int(e, -AIC_LINE_BYTES), "");
    LLVMValueRef in_lines =
        any_special(e, from, aic_int(e, 0), lines, AIC_LINE_BYTES / HALF, "half: halves of the last block of channels");
    LLVMValueRef in_rest = any_special(e, from, lines, bytes, key->block, "half: those that are left");
    aic_branch_begin(e, &branch, LLVMBuildOr(e->builder, in_lines, in_rest, ""));
    aic_store(e, aic_number(e, "all"), aic_emit_param(e, 1), 0, WORD_BYTES);
    aic_branch_end(e, &branch);
    return aic_emit_function_end(e);
}
