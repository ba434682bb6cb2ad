/* Kernels of two forms; see lean.h. */
#include "codegen/parts/lean.h"
#include "codegen/llvm/notes.h"
#include "codegen/llvm/vec.h"
#include "codegen/parts.h"

enum { WORD_BYTES = 8, WEIGHT = 2 };

/* Whether some of the weights that are looked at are other than 0. Taps behind the first one that has such are not
 * looked at. */
static LLVMValueRef has_weights(aic_emit *e, const aic_lean_weights_key *key, LLVMValueRef weight)
{
    enum { TOGETHER = 4 };
    LLVMTypeRef words = aic_vector(e->i32, (unsigned)key->seen / sizeof(int32_t));
    LLVMValueRef any = aic_int(e, 0), at = aic_behind(e, weight, "weights.at");
    aic_loop taps, columns;
    aic_loop_begin(e, &taps, "tap: taps of the kernel", aic_int(e, 0), aic_trips(e, "taps"), 1, &any, 1);
    LLVMValueRef tap = aic_at_index(e, at, taps.index, "tap.bytes");
    LLVMValueRef none = LLVMBuildICmp(e->builder, LLVMIntEQ, any, aic_int(e, 0), "");
    LLVMValueRef limit = LLVMBuildSelect(e->builder, none, aic_number(e, "columns"), aic_int(e, 0), "");
    aic_loop_begin(e, &columns, "column: output channels", aic_int(e, 0), limit, TOGETHER, &any, 1);
    LLVMValueRef bits = aic_zero(words), row = aic_at(e, tap, aic_mul(e, columns.index, key->row_bytes));
    for (int64_t i = 0; i < TOGETHER; i++) {
        bits = LLVMBuildOr(e->builder, bits, aic_load(e, words, row, i * key->row_bytes, sizeof(int32_t)), "");
    }
    any = LLVMBuildOr(e->builder, any, aic_bits_of_any(e, bits), "");
    aic_loop_end(e, &columns);
    aic_loop_end(e, &taps);
    return LLVMBuildICmp(e->builder, LLVMIntNE, any, aic_int(e, 0), "");
}

/* Calls a role with the parameters of the part. */
static void call_form(aic_emit *e, const char *role, unsigned pointers)
{
    enum { RANGE = 2 };
    LLVMValueRef args[AIC_PARAMS_MAX];
    for (unsigned i = 0; i < pointers + RANGE; i++) {
        args[i] = aic_emit_param(e, i);
    }
    aic_call_role(e, args, pointers, RANGE, "%s", role);
}

LLVMValueRef aic_emit_part_lean_weights(aic_emit *e, const void *of, const char *name)
{
    static const char *const PARAMS[] = {"packed", "weight", "first", "last"};
    enum { POINTERS = 2 };
    aic_branch branch;
    aic_emit_function(e, name, AIC_EMIT_FRAME, PARAMS, POINTERS, 2);
    aic_note_function(e, "packs items first .. last-1 of the weight, without channels that have none");
    LLVMValueRef whole = has_weights(e, of, aic_emit_param(e, 1)), lean = LLVMBuildNot(e->builder, whole, "");
    aic_store(e, LLVMBuildZExt(e->builder, lean, e->i64, ""), aic_at(e, aic_emit_param(e, 0), aic_number(e, "note.at")),
              0, WORD_BYTES);
    aic_branch_begin(e, &branch, whole);
    call_form(e, "whole", POINTERS);
    aic_branch_end(e, &branch);
    aic_branch_begin(e, &branch, lean);
    call_form(e, "lean", POINTERS);
    aic_branch_end(e, &branch);
    return aic_emit_function_end(e);
}

LLVMValueRef aic_emit_part_lean_bands(aic_emit *e, const void *of, const char *name)
{
    const aic_lean_bands_key *key = of;
    const unsigned pointers = (unsigned)key->operands + 2;
    aic_branch branch;
    aic_emit_body(e, AIC_EMIT_FRAME, name, (unsigned)key->operands);
    aic_note_function(e, "phase: bands, in the form that the weights are packed in");
    LLVMValueRef at = aic_at(e, aic_emit_param(e, WEIGHT), aic_number(e, "note.at"));
    LLVMValueRef whole =
        LLVMBuildICmp(e->builder, LLVMIntEQ, aic_load(e, e->i64, at, 0, WORD_BYTES), aic_int(e, 0), "");
    aic_branch_begin(e, &branch, whole);
    call_form(e, "whole", pointers);
    aic_branch_end(e, &branch);
    aic_branch_begin(e, &branch, LLVMBuildNot(e->builder, whole, ""));
    if (key->tiles) {
        aic_call_role(e, NULL, 0, 0, "enter");
    }
    call_form(e, "lean", pointers);
    aic_branch_end(e, &branch);
    return aic_emit_function_end(e);
}
