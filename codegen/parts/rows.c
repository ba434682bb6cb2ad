/* The loop over the rows of a band: see image.h. */
#include "codegen/kpacks.h"
#include "codegen/llvm/notes.h"
#include "codegen/llvm/vec.h"
#include "codegen/machine.h"
#include "codegen/parts.h"
#include "codegen/parts/image.h"

#include <stdio.h>

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

LLVMValueRef aic_emit_part_rows(aic_emit *e, const void *of, const char *name)
{
    static const char *const PARAMS[] = {"band", "image", "first", "rows"};
    const aic_rows_key *key = of;
    const unsigned pointers = key->notes ? 3 : 2;
    char role[AIC_ROLE_NAME_MAX];
    aic_loop loop;
    aic_emit_function(e, name, AIC_EMIT_FRAME, PARAMS, 2, 2);
    aic_note_function(e, "packs rows of the image into a band, image row `first` at the top");
    LLVMValueRef function = e->function, note = NULL;
    if (key->notes) {
        LLVMValueRef before = LLVMBuildNeg(e->builder, aic_number(e, "notes.before"), "");
        note = aic_at(e, aic_emit_param(e, 0), before);
        aic_store(e, LLVMConstNull(e->i32), note, 0, sizeof(int32_t));
    }
    aic_loop_begin(e, &loop, "row: rows of the band", aic_int(e, 0), aic_emit_param(e, 3), 1, NULL, 0);
    LLVMValueRef row = row_at(e, key, aic_emit_param(e, 0), loop.index);
    LLVMValueRef gap = key->gap ? aic_number(e, "row.gap") : aic_int(e, 1);
    LLVMValueRef h = aic_add(e, aic_emit_param(e, 2), aic_times(e, loop.index, gap));
    if (key->windows) {
        LLVMValueRef window = LLVMBuildUDiv(e->builder, loop.index, aic_number(e, "row.step"), "");
        h = aic_add(e, h, aic_times(e, window, aic_number(e, "row.skip")));
    }
    for (unsigned r = 0; r < key->residues; r++) {
        LLVMValueRef at = r == 0 ? row : aic_at(e, row, aic_number(e, "residue.%u", r));
        (void)snprintf(role, sizeof role, "row.%u", r);
        LLVMValueRef args[] = {at, aic_emit_param(e, 1), key->notes ? note : h, h};
        aic_emit_call(e, aic_callee(e, role, pointers, 1), args, pointers + 1);
    }
    aic_loop_end(e, &loop);
    if (key->behind) {
        LLVMValueRef end =
            aic_at(e, aic_emit_param(e, 0), aic_times(e, aic_emit_param(e, 3), aic_number(e, "row.pitch")));
        aic_fill(e, end, LLVMConstNull(e->i32), AIC_LINE_BYTES);
    }
    aic_emit_function_end(e);
    return function;
}
