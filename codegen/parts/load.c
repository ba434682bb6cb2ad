/* Filling the staging buffer with an old result, which sums start from: see staging.h. */
#include "codegen/llvm/notes.h"
#include "codegen/llvm/vec.h"
#include "codegen/parts.h"
#include "codegen/parts/staging.h"

enum { LANES = AIC_EPILOGUE_LANES, WORD_BYTES = 4, ROW_BYTES = LANES * WORD_BYTES };

LLVMValueRef aic_emit_part_load(aic_emit *e, const void *of, const char *name)
{
    static const char *const PARAMS[] = {"staging", "old", "row", "count", "column"};
    const aic_load_key *key = of;
    aic_emit_function(e, name, AIC_EMIT_HOT, PARAMS, 2, 3);
    aic_note_function(e, "fills the staging buffer with the old result, which the sums start from");
    LLVMValueRef pitch = aic_number(e, "old.row");
    LLVMValueRef first = LLVMBuildUDiv(e->builder, aic_emit_param(e, 4), aic_int(e, LANES), "");
    LLVMValueRef old = aic_at(e, aic_emit_param(e, 1), aic_times(e, aic_emit_param(e, 2), pitch));
    old = aic_at_index(e, old, first, "old.block");
    LLVMValueRef mask = key->masks ? aic_first_lanes(e, aic_number(e, "last.columns"), LANES) : NULL;
    aic_loop rows;
    aic_loop_over(e, &rows, "row: pixels of a run", aic_emit_param(e, 3));
    LLVMValueRef from = aic_at(e, old, aic_times(e, rows.index, pitch));
    LLVMValueRef to = aic_at(e, aic_emit_param(e, 0), aic_mul(e, rows.index, ROW_BYTES));
    for (int64_t block = 0; block * LANES < key->columns; block++) {
        const int64_t left = key->columns - block * LANES;
        if (mask != NULL && left == LANES) {
            LLVMValueRef some =
                aic_load_lanes_or_zero(e, aic_vector(e->i32, LANES), mask, aic_at_nth(e, from, "old.block", block), 0);
            aic_store(e, some, aic_at_nth(e, to, "staging.block", block), 0, WORD_BYTES);
            continue;
        }
        const unsigned count = left < LANES ? (unsigned)left : LANES;
        LLVMValueRef words = aic_load_part(e, e->i32, LANES, count, aic_at_nth(e, from, "old.block", block), 0);
        aic_store_part(e, words, count, aic_at_nth(e, to, "staging.block", block), 0);
    }
    aic_loop_end(e, &rows);
    return aic_emit_function_end(e);
}
