/* Storing rows of a deferred tile: see staging.h. */
#include "codegen/llvm/notes.h"
#include "codegen/parts.h"
#include "codegen/parts/deferred.h"
#include "codegen/parts/staging.h"

enum { ROW_BYTES = AIC_EPILOGUE_LANES * 4 };

/* Advances the note by `rows` rows of the current run; if the run ends there, to the start of the next run. */
static void advance(aic_emit *e, LLVMValueRef note, LLVMValueRef rows)
{
    LLVMBuilderRef b = e->builder;
    LLVMValueRef none = aic_int(e, 0), left = LLVMBuildNSWSub(b, aic_note_word(e, note, AIC_NOTE_LEFT), rows, "");
    LLVMValueRef ends = LLVMBuildICmp(b, LLVMIntEQ, left, none, "");
    LLVMValueRef skip = LLVMBuildSelect(b, ends, aic_note_word(e, note, AIC_NOTE_SKIP), none, "");
    LLVMValueRef gap = LLVMBuildSelect(b, ends, aic_note_word(e, note, AIC_NOTE_GAP), none, "");
    LLVMValueRef source = aic_at(e, aic_note_address(e, note, AIC_NOTE_SOURCE), aic_mul(e, rows, ROW_BYTES));
    LLVMValueRef runs =
        LLVMBuildNSWSub(b, aic_note_word(e, note, AIC_NOTE_RUNS), LLVMBuildZExt(b, ends, e->i64, ""), "");
    aic_note_set(e, note, AIC_NOTE_SOURCE, aic_at(e, source, skip));
    aic_note_set(e, note, AIC_NOTE_ROW, aic_add(e, aic_add(e, aic_note_word(e, note, AIC_NOTE_ROW), rows), gap));
    aic_note_set(e, note, AIC_NOTE_LEFT, LLVMBuildSelect(b, ends, aic_note_word(e, note, AIC_NOTE_COUNT), left, ""));
    aic_note_set(e, note, AIC_NOTE_RUNS, runs);
}

/* Stores `most` rows of the current run, or all that remain of it if fewer than those of a packet would be left. */
static void emit_rows(aic_emit *e, const aic_leave_key *key, LLVMValueRef note, LLVMValueRef most)
{
    enum { POINTERS = 3, INTEGERS = 3 };
    LLVMValueRef args[POINTERS + AIC_EPILOGUE_STEPS + INTEGERS] = {aic_note_address(e, note, AIC_NOTE_TARGET),
                                                                   aic_note_address(e, note, AIC_NOTE_SOURCE),
                                                                   aic_note_address(e, note, AIC_NOTE_TABLE)};
    unsigned count = POINTERS;
    LLVMValueRef left = aic_note_word(e, note, AIC_NOTE_LEFT),
                 end = aic_add(e, most, aic_int(e, AIC_EPILOGUE_PACKET_ROWS));
    LLVMValueRef few = LLVMBuildICmp(e->builder, LLVMIntSLT, left, end, "few");
    LLVMValueRef rows = LLVMBuildSelect(e->builder, few, left, most, "rows");
    for (int i = 0; i < key->inputs; i++) {
        args[count++] = aic_note_address(e, note, AIC_NOTE_INPUTS + i);
    }
    LLVMValueRef store = aic_callee(e, "store", count, INTEGERS);
    args[count++] = aic_note_word(e, note, AIC_NOTE_ROW);
    args[count++] = rows;
    args[count++] = aic_note_word(e, note, AIC_NOTE_COLUMN);
    aic_emit_call(e, store, args, count);
    advance(e, note, rows);
}

LLVMValueRef aic_emit_part_leave(aic_emit *e, const void *of, const char *name)
{
    static const char *const PARAMS[] = {"note", "runs", "most"};
    /* It only moves a few words: optimizing it would take a tenth of the time to compile a kernel. */
    aic_emit_function(e, name, AIC_EMIT_FRAME, PARAMS, 1, 2);
    aic_note_function(e,
                      "of so many runs of the tile that is noted `most` rows or a few more leave the staging buffer");
    LLVMValueRef note = aic_emit_param(e, 0);
    LLVMValueRef runs = aic_min(e, aic_emit_param(e, 1), aic_note_word(e, note, AIC_NOTE_RUNS));
    aic_loop loop;
    aic_loop_over(e, &loop, "run: runs that are still in the staging buffer", runs);
    emit_rows(e, of, note, aic_emit_param(e, 2));
    aic_loop_end(e, &loop);
    return aic_emit_function_end(e);
}
