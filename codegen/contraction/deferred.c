/* Deferred tiles: the epilogue stores a tile from its staging buffer, some rows at a time, between the products of the
 * next tile, which fills another buffer.
 *
 * This is for micro-kernels whose products leave the vector units idle. A core executes out of order within a window of
 * a few hundred instructions, so that products overlap with the epilogue only if the two are interleaved more finely
 * than that: rows stored after the products of a whole tile would overlap with nothing. Rows that are left when the
 * next tile's products end are stored then.
 *
 * A note in the worker's memory, in words of 64 bits, says what remains to be stored. */
#include "codegen/parts/deferred.h"
#include "codegen/contraction/emitters.h"
#include "codegen/llvm/notes.h"
#include "codegen/llvm/vec.h"
#include "codegen/own.h"

_Static_assert((int)AIC_NOTE_INPUTS + AIC_EPILOGUE_STEPS == (int)AIC_DEFERRED_WORDS, "a worker has memory for a note");

/* ---- storing its rows ---- */

/* Advances the note by `rows` rows of the current run; if the run ends there, to the start of the next run. */
static void advance(aic_emit *e, LLVMValueRef note, LLVMValueRef rows)
{
    LLVMBuilderRef b = e->builder;
    LLVMValueRef none = aic_int(e, 0), left = LLVMBuildNSWSub(b, aic_note_word(e, note, AIC_NOTE_LEFT), rows, "");
    LLVMValueRef ends = LLVMBuildICmp(b, LLVMIntEQ, left, none, "");
    LLVMValueRef skip = LLVMBuildSelect(b, ends, aic_note_word(e, note, AIC_NOTE_SKIP), none, "");
    LLVMValueRef gap = LLVMBuildSelect(b, ends, aic_note_word(e, note, AIC_NOTE_GAP), none, "");
    LLVMValueRef source = aic_at(e, aic_note_address(e, note, AIC_NOTE_SOURCE), aic_mul(e, rows, AIC_ROW_BYTES));
    aic_note_set(e, note, AIC_NOTE_SOURCE, aic_at(e, source, skip));
    aic_note_set(e, note, AIC_NOTE_ROW, aic_add(e, aic_add(e, aic_note_word(e, note, AIC_NOTE_ROW), rows), gap));
    aic_note_set(e, note, AIC_NOTE_LEFT, LLVMBuildSelect(b, ends, aic_note_word(e, note, AIC_NOTE_COUNT), left, ""));
    aic_note_set(e, note, AIC_NOTE_RUNS,
                 LLVMBuildNSWSub(b, aic_note_word(e, note, AIC_NOTE_RUNS), LLVMBuildZExt(b, ends, e->i64, ""), ""));
}

/* Stores `most` rows of the current run, or all that remain of it if fewer than AIC_DEFERRED_STEP would be left. */
static void emit_rows(aic_emit *e, const aic_plan_staging *s, LLVMValueRef note, LLVMValueRef store, LLVMValueRef most)
{
    LLVMValueRef args[3 + AIC_EPILOGUE_STEPS + 3] = {aic_note_address(e, note, AIC_NOTE_TARGET),
                                                     aic_note_address(e, note, AIC_NOTE_SOURCE),
                                                     aic_note_address(e, note, AIC_NOTE_TABLE)};
    unsigned operands[AIC_EPILOGUE_STEPS], count = 3;
    const unsigned inputs = aic_epilogue_inputs(&s->epilogue, operands);
    LLVMValueRef left = aic_note_word(e, note, AIC_NOTE_LEFT), end = aic_add(e, most, aic_int(e, AIC_DEFERRED_STEP));
    LLVMValueRef few = LLVMBuildICmp(e->builder, LLVMIntSLT, left, end, "few");
    LLVMValueRef rows = LLVMBuildSelect(e->builder, few, left, most, "rows");
    for (unsigned i = 0; i < inputs; i++) {
        args[count++] = aic_note_address(e, note, AIC_NOTE_INPUTS + (int)i);
    }
    args[count++] = aic_note_word(e, note, AIC_NOTE_ROW);
    args[count++] = rows;
    args[count++] = aic_note_word(e, note, AIC_NOTE_COLUMN);
    aic_emit_call(e, store, args, count);
    advance(e, note, rows);
}

/* The function is compiled without optimization: it only moves a few words, and optimizing it would take a tenth of the
 * time to compile a kernel. */
LLVMValueRef aic_emit_own_deferred(aic_emit *e, const aic_plan *plan, const int64_t *argument, const char *name)
{
    static const char *const PARAMS[] = {"note", "runs", "most"};
    const aic_plan_staging *s = &aic_tiling_of(plan)->staging;
    unsigned operands[AIC_EPILOGUE_STEPS];
    (void)argument;
    aic_emit_function(e, name, AIC_EMIT_FRAME, PARAMS, 1, 2);
    aic_note_function(e,
                      "of so many runs of the tile that is noted `most` rows or a few more leave the staging buffer");
    LLVMValueRef function = e->function, note = aic_emit_param(e, 0);
    LLVMValueRef store = aic_callee(e, "store", 3 + aic_epilogue_inputs(&s->epilogue, operands), 3);
    LLVMValueRef runs = aic_min(e, aic_emit_param(e, 1), aic_note_word(e, note, AIC_NOTE_RUNS));
    aic_loop loop;
    aic_loop_begin(e, &loop, "run: runs that are still in the staging buffer", aic_int(e, 0), runs, 1, NULL, 0);
    emit_rows(e, s, note, store, aic_emit_param(e, 2));
    aic_loop_end(e, &loop);
    aic_emit_function_end(e);
    return function;
}

/* Calls the function for at most `runs` runs and about `rows` rows of each. */
void aic_deferred_pause(aic_emit *e, const aic_plan_staging *s, LLVMValueRef note, LLVMValueRef function)
{
    LLVMValueRef args[] = {note, aic_int(e, s->deferred_runs), aic_int(e, s->deferred_rows)};
    aic_emit_call(e, function, args, sizeof args / sizeof args[0]);
}

aic_routine aic_compose_deferred(aic_program *program, const aic_plan *plan, aic_routine store)
{
    aic_own_key key = {.code = AIC_OWN_deferred, .plan = plan};
    aic_use use;
    aic_own_begin(&use, &key, 1, 2);
    aic_use_call(&use, store, "store");
    return aic_program_add(program, &use, "leave");
}
