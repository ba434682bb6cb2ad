/* The loop over the rows of a band: see image.h. */
#include "codegen/llvm/notes.h"
#include "codegen/parts.h"
#include "codegen/parts/image.h"

LLVMValueRef aic_emit_part_rows(aic_emit *e, const void *of, const char *name)
{
    static const char *const PARAMS[] = {"band", "image", "first", "rows"};
    const aic_rows_key *key = of;
    aic_loop loop;
    aic_emit_function(e, name, AIC_EMIT_FRAME, PARAMS, 2, 2);
    aic_note_function(e, "packs rows of the image into a band, image row `first` at the top");
    LLVMValueRef function = e->function;
    aic_loop_begin(e, &loop, "row: rows of the band", aic_int(e, 0), aic_emit_param(e, 3), 1, NULL, 0);
    LLVMValueRef row = aic_at(e, aic_emit_param(e, 0), aic_times(e, loop.index, aic_number(e, "row.pitch")));
    LLVMValueRef gap = key->gap ? aic_number(e, "row.gap") : aic_int(e, 1);
    LLVMValueRef h = aic_add(e, aic_emit_param(e, 2), aic_times(e, loop.index, gap));
    if (key->windows) {
        LLVMValueRef window = LLVMBuildUDiv(e->builder, loop.index, aic_number(e, "row.step"), "");
        h = aic_add(e, h, aic_times(e, window, aic_number(e, "row.skip")));
    }
    aic_emit_call(e, aic_callee(e, "row", 2, 1), (LLVMValueRef[]){row, aic_emit_param(e, 1), h}, 3);
    aic_loop_end(e, &loop);
    aic_emit_function_end(e);
    return function;
}
