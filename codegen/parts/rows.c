/* The loop over the rows of a band: see image.h. */
#include "codegen/kpacks.h"
#include "codegen/llvm/notes.h"
#include "codegen/llvm/vec.h"
#include "codegen/machine.h"
#include "codegen/parts.h"
#include "codegen/parts/image.h"

/* Where row number `index` of the band lies. */
static LLVMValueRef row_at(aic_emit *e, const aic_rows_key *key, LLVMValueRef band, LLVMValueRef index)
{
    LLVMBuilderRef b = e->builder;
    LLVMValueRef pitch = aic_number(e, "row.pitch");
    if (!key->row_residues) {
        return aic_at(e, band, aic_times(e, index, pitch));
    }
    LLVMValueRef residues = aic_number(e, "row.residues");
    LLVMValueRef residue = aic_times(e, LLVMBuildURem(b, index, residues, ""), aic_number(e, "row.residue"));
    return aic_at(e, band, aic_add(e, residue, aic_times(e, LLVMBuildUDiv(b, index, residues, ""), pitch)));
}

/* Calls what packs `rows` rows of a column residue, h being the image row at the top of the first one. */
static void call_row(aic_emit *e, unsigned residue, LLVMValueRef row, LLVMValueRef note, LLVMValueRef h,
                     LLVMValueRef rows)
{
    const unsigned pointers = note != NULL ? 3 : 2;
    LLVMValueRef args[] = {row, aic_emit_param(e, 1), note, h, rows};
    if (note == NULL) {
        args[2] = h;
        args[3] = rows;
    }
    aic_call_role(e, args, pointers, 2, "row.%u", residue);
}

/* Row by row: each lies somewhere else, or has several parts. */
static void emit_apart(aic_emit *e, const aic_rows_key *key, LLVMValueRef note)
{
    aic_loop loop;
    aic_loop_over(e, &loop, "row: rows of the band", aic_emit_param(e, 3));
    LLVMValueRef row = row_at(e, key, aic_emit_param(e, 0), loop.index);
    LLVMValueRef gap = key->gap ? aic_number(e, "row.gap") : aic_int(e, 1);
    LLVMValueRef h = aic_add(e, aic_emit_param(e, 2), aic_times(e, loop.index, gap));
    if (key->windows) {
        LLVMValueRef window = LLVMBuildUDiv(e->builder, loop.index, aic_number(e, "row.step"), "");
        h = aic_add(e, h, aic_scaled(e, window, "row.skip"));
    }
    for (unsigned r = 0; r < key->residues; r++) {
        call_row(e, r, aic_at_nth(e, row, "residue", r), note, h, aic_int(e, 1));
    }
    aic_loop_end(e, &loop);
}

LLVMValueRef aic_emit_part_rows(aic_emit *e, const void *of, const char *name)
{
    static const char *const PARAMS[] = {"band", "image", "first", "rows"};
    const aic_rows_key *key = of;
    aic_emit_function(e, name, AIC_EMIT_FRAME, PARAMS, 2, 2);
    aic_note_function(e, "packs rows of the image into a band, image row `first` at the top");
    LLVMValueRef note = NULL;
    if (key->notes) {
        LLVMValueRef before = LLVMBuildNeg(e->builder, aic_number(e, "notes.before"), "");
        note = aic_at(e, aic_emit_param(e, 0), before);
        aic_store(e, LLVMConstNull(e->i32), note, 0, sizeof(int32_t));
    }
    if (aic_rows_are_together(key)) {
        call_row(e, 0, aic_emit_param(e, 0), note, aic_emit_param(e, 2), aic_emit_param(e, 3));
    } else {
        emit_apart(e, key, note);
    }
    if (key->behind) {
        LLVMValueRef end =
            aic_at(e, aic_emit_param(e, 0), aic_times(e, aic_emit_param(e, 3), aic_number(e, "row.pitch")));
        aic_fill(e, end, LLVMConstNull(e->i32), AIC_LINE_BYTES);
    }
    return aic_emit_function_end(e);
}
