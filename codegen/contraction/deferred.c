/* Deferred tiles: the epilogue stores a tile from its staging buffer, some rows at a time, between the products of the
 * next tile, which fills another buffer.
 *
 * This is for micro-kernels whose products leave the vector units idle. A core executes out of order within a window of
 * a few hundred instructions, so that products overlap with the epilogue only if the two are interleaved more finely
 * than that: rows stored after the products of a whole tile would overlap with nothing. Rows that are left when the
 * next tile's products end are stored then.
 *
 * A note in the worker's memory, in words of 64 bits, says what remains to be stored. */
#include "codegen/contraction/emitters.h"
#include "codegen/llvm/notes.h"
#include "codegen/llvm/vec.h"

#include <stdio.h>

/* The words of a note. A run is a number of rows that are contiguous in the result. */
enum {
    FREE,   /* offset of the staging buffer that the next tile may fill */
    SOURCE, /* address in the staging buffer of the next row to be stored */
    ROW,    /* number of that row in the result */
    COLUMN, /* the tile's first column in the result */
    LEFT,   /* rows of the current run that remain */
    RUNS,   /* runs that remain, the current one included; 0: no tile is deferred */
    COUNT,  /* rows of a whole run */
    SKIP,   /* bytes in the buffer from the end of a run to the next run */
    GAP,    /* rows in the result from the end of a run to the next run */
    TARGET, /* the result */
    TABLE,  /* the epilogue's table of column parameters */
    INPUTS  /* from here on: operands of the epilogue's steps */
};
enum { WORDS = INPUTS + AIC_EPILOGUE_STEPS, WORD_BYTES = sizeof(int64_t) };

_Static_assert((int)WORDS == (int)AIC_DEFERRED_WORDS, "a worker has memory for a note");

static LLVMValueRef word(aic_emit *e, LLVMValueRef note, int which)
{
    return aic_load(e, e->i64, note, which * (int64_t)WORD_BYTES, WORD_BYTES);
}

static LLVMValueRef address(aic_emit *e, LLVMValueRef note, int which)
{
    return aic_load(e, e->ptr, note, which * (int64_t)WORD_BYTES, WORD_BYTES);
}

static void set(aic_emit *e, LLVMValueRef note, int which, LLVMValueRef value)
{
    aic_store(e, value, note, which * (int64_t)WORD_BYTES, WORD_BYTES);
}

/* ---- noting a tile ---- */

void aic_deferred_begin(aic_emit *e, LLVMValueRef note, LLVMValueRef target, LLVMValueRef table,
                        const LLVMValueRef *inputs, unsigned count)
{
    set(e, note, FREE, aic_int(e, 0));
    set(e, note, RUNS, aic_int(e, 0));
    set(e, note, TARGET, target);
    set(e, note, TABLE, table);
    for (unsigned i = 0; i < count; i++) {
        set(e, note, INPUTS + (int)i, inputs[i]);
    }
}

LLVMValueRef aic_deferred_free(aic_emit *e, LLVMValueRef note)
{
    return word(e, note, FREE);
}

void aic_deferred_note(aic_emit *e, LLVMValueRef note, const aic_staged *tile, LLVMValueRef free)
{
    set(e, note, FREE, free);
    set(e, note, SOURCE, tile->staging);
    set(e, note, ROW, tile->pixel);
    set(e, note, COLUMN, tile->column);
    set(e, note, LEFT, aic_int(e, tile->count));
    set(e, note, RUNS, aic_int(e, tile->runs));
    set(e, note, COUNT, aic_int(e, tile->count));
    set(e, note, SKIP, aic_int(e, tile->pitch - tile->count * AIC_ROW_BYTES));
    set(e, note, GAP, aic_int(e, tile->distance - tile->count));
}

/* ---- storing its rows ---- */

/* Advances the note by `rows` rows of the current run; if the run ends there, to the start of the next run. */
static void advance(aic_emit *e, LLVMValueRef note, LLVMValueRef rows)
{
    LLVMBuilderRef b = e->builder;
    LLVMValueRef none = aic_int(e, 0), left = LLVMBuildNSWSub(b, word(e, note, LEFT), rows, "");
    LLVMValueRef ends = LLVMBuildICmp(b, LLVMIntEQ, left, none, "");
    LLVMValueRef skip = LLVMBuildSelect(b, ends, word(e, note, SKIP), none, "");
    LLVMValueRef gap = LLVMBuildSelect(b, ends, word(e, note, GAP), none, "");
    LLVMValueRef source = aic_at(e, address(e, note, SOURCE), aic_mul(e, rows, AIC_ROW_BYTES));
    set(e, note, SOURCE, aic_at(e, source, skip));
    set(e, note, ROW, aic_add(e, aic_add(e, word(e, note, ROW), rows), gap));
    set(e, note, LEFT, LLVMBuildSelect(b, ends, word(e, note, COUNT), left, ""));
    set(e, note, RUNS, LLVMBuildNSWSub(b, word(e, note, RUNS), LLVMBuildZExt(b, ends, e->i64, ""), ""));
}

/* Stores `most` rows of the current run, or all that remain of it if fewer than AIC_DEFERRED_STEP would be left. */
static void emit_rows(aic_emit *e, const aic_plan_staging *s, LLVMValueRef note, LLVMValueRef store, LLVMValueRef most)
{
    LLVMValueRef args[3 + AIC_EPILOGUE_STEPS + 3] = {address(e, note, TARGET), address(e, note, SOURCE),
                                                     address(e, note, TABLE)};
    unsigned operands[AIC_EPILOGUE_STEPS], count = 3;
    const unsigned inputs = aic_epilogue_inputs(&s->epilogue, operands);
    LLVMValueRef left = word(e, note, LEFT), end = aic_add(e, most, aic_int(e, AIC_DEFERRED_STEP));
    LLVMValueRef few = LLVMBuildICmp(e->builder, LLVMIntSLT, left, end, "few");
    LLVMValueRef rows = LLVMBuildSelect(e->builder, few, left, most, "rows");
    for (unsigned i = 0; i < inputs; i++) {
        args[count++] = address(e, note, INPUTS + (int)i);
    }
    args[count++] = word(e, note, ROW);
    args[count++] = rows;
    args[count++] = word(e, note, COLUMN);
    aic_emit_call(e, store, args, count);
    advance(e, note, rows);
}

/* The function is compiled without optimization: it only moves a few words, and optimizing it would take a tenth of the
 * time to compile a kernel. */
LLVMValueRef aic_emit_deferred(aic_emit *e, const aic_plan_staging *s, LLVMValueRef store, const char *name)
{
    static const char *const PARAMS[] = {"note", "runs", "most"};
    aic_emit_function(e, name, AIC_EMIT_FRAME, PARAMS, 1, 2);
    aic_note_function(e,
                      "of so many runs of the tile that is noted `most` rows or a few more leave the staging buffer");
    LLVMValueRef function = e->function, note = aic_emit_param(e, 0);
    LLVMValueRef runs = aic_min(e, aic_emit_param(e, 1), word(e, note, RUNS));
    aic_loop loop;
    aic_loop_begin(e, &loop, "run: runs that are still in the staging buffer", aic_int(e, 0), runs, 1, NULL, 0);
    emit_rows(e, s, note, store, aic_emit_param(e, 2));
    aic_loop_end(e, &loop);
    aic_emit_function_end(e);
    return function;
}

/* Calls the function for at most `runs` runs and about `rows` rows of each. */
static void emit_leave(aic_emit *e, LLVMValueRef note, LLVMValueRef function, int64_t runs, int64_t rows)
{
    LLVMValueRef args[] = {note, aic_int(e, runs), aic_int(e, rows)};
    aic_emit_call(e, function, args, sizeof args / sizeof args[0]);
}

void aic_deferred_pause(aic_emit *e, const aic_plan_staging *s, LLVMValueRef note, LLVMValueRef function)
{
    emit_leave(e, note, function, s->deferred_runs, s->deferred_rows);
}

void aic_deferred_finish(aic_emit *e, LLVMValueRef note, LLVMValueRef function)
{
    emit_leave(e, note, function, INT32_MAX, INT32_MAX);
}
