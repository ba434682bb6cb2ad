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
#include "codegen/llvm/vec.h"
#include "codegen/parts/staging.h"

enum { WORD_BYTES = sizeof(int64_t) };

_Static_assert((int)AIC_NOTE_WORDS == (int)AIC_DEFERRED_WORDS, "a worker has memory for a note");

static LLVMValueRef word(aic_emit *e, LLVMValueRef note, int which)
{
    return aic_load(e, e->i64, note, which * (int64_t)WORD_BYTES, WORD_BYTES);
}

static void set(aic_emit *e, LLVMValueRef note, int which, LLVMValueRef value)
{
    aic_store(e, value, note, which * (int64_t)WORD_BYTES, WORD_BYTES);
}

/* ---- noting a tile ---- */

void aic_deferred_begin(aic_emit *e, LLVMValueRef note, LLVMValueRef target, LLVMValueRef table,
                        const LLVMValueRef *inputs, unsigned count)
{
    set(e, note, AIC_NOTE_FREE, aic_int(e, 0));
    set(e, note, AIC_NOTE_RUNS, aic_int(e, 0));
    set(e, note, AIC_NOTE_TARGET, target);
    set(e, note, AIC_NOTE_TABLE, table);
    for (unsigned i = 0; i < count; i++) {
        set(e, note, AIC_NOTE_INPUTS + (int)i, inputs[i]);
    }
}

LLVMValueRef aic_deferred_free(aic_emit *e, LLVMValueRef note)
{
    return word(e, note, AIC_NOTE_FREE);
}

void aic_deferred_note(aic_emit *e, LLVMValueRef note, const aic_staged *tile, LLVMValueRef free)
{
    set(e, note, AIC_NOTE_FREE, free);
    set(e, note, AIC_NOTE_SOURCE, tile->staging);
    set(e, note, AIC_NOTE_ROW, tile->pixel);
    set(e, note, AIC_NOTE_COLUMN, tile->column);
    set(e, note, AIC_NOTE_LEFT, aic_int(e, tile->count));
    set(e, note, AIC_NOTE_RUNS, aic_int(e, tile->runs));
    set(e, note, AIC_NOTE_COUNT, aic_int(e, tile->count));
    set(e, note, AIC_NOTE_SKIP, aic_int(e, tile->pitch - tile->count * AIC_ROW_BYTES));
    set(e, note, AIC_NOTE_GAP, aic_int(e, tile->distance - tile->count));
}

/* ---- storing its rows ---- */

LLVMValueRef aic_emit_deferred(aic_emit *e, const aic_plan_staging *s, LLVMValueRef store, const char *name)
{
    unsigned operands[AIC_EPILOGUE_STEPS];
    const aic_leave_key key = {.inputs = aic_epilogue_inputs(&s->epilogue, operands)};
    aic_use use;
    aic_use_begin(&use, &aic_part_leave, &key, 1, 2);
    aic_use_call(&use, "store", store);
    return aic_emit_use(e, &use, name);
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
