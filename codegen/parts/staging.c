/* Old results into the staging buffer, and rows of a deferred tile out of it; see staging.h and deferred.h. */
#include "codegen/parts/staging.h"
#include "codegen/llvm/notes.h"
#include "codegen/llvm/vec.h"
#include "codegen/parts.h"
#include "codegen/parts/deferred.h"

enum { LANES = AIC_EPILOGUE_LANES, WORD_BYTES = 4, ROW_BYTES = LANES * WORD_BYTES, NOTE_BYTES = sizeof(int64_t) };

/* ---- rows of a deferred tile ---- */

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

/* ---- the note ---- */

LLVMValueRef aic_note_word(aic_emit *e, LLVMValueRef note, int which)
{
    return aic_load(e, e->i64, note, which * (int64_t)NOTE_BYTES, NOTE_BYTES);
}

LLVMValueRef aic_note_address(aic_emit *e, LLVMValueRef note, int which)
{
    return aic_load(e, e->ptr, note, which * (int64_t)NOTE_BYTES, NOTE_BYTES);
}

void aic_note_set(aic_emit *e, LLVMValueRef note, int which, LLVMValueRef value)
{
    aic_store(e, value, note, which * (int64_t)NOTE_BYTES, NOTE_BYTES);
}

void aic_note_tile(aic_emit *e, LLVMValueRef note, const aic_staged *tile, LLVMValueRef free)
{
    aic_note_set(e, note, AIC_NOTE_FREE, free);
    aic_note_set(e, note, AIC_NOTE_SOURCE, tile->staging);
    aic_note_set(e, note, AIC_NOTE_ROW, tile->pixel);
    aic_note_set(e, note, AIC_NOTE_COLUMN, tile->column);
    aic_note_set(e, note, AIC_NOTE_LEFT, tile->count);
    aic_note_set(e, note, AIC_NOTE_RUNS, tile->runs);
    aic_note_set(e, note, AIC_NOTE_COUNT, tile->count);
}

void aic_note_finish(aic_emit *e, LLVMValueRef note, LLVMValueRef leave)
{
    LLVMValueRef args[] = {note, aic_int(e, INT32_MAX), aic_int(e, INT32_MAX)};
    aic_emit_call(e, leave, args, 3);
}

/* ---- filling it with an old result, which sums start from ---- */

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
