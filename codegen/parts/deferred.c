/* The note of a deferred tile; see deferred.h. */
#include "codegen/parts/deferred.h"
#include "codegen/llvm/vec.h"

enum { WORD_BYTES = sizeof(int64_t) };

LLVMValueRef aic_note_word(aic_emit *e, LLVMValueRef note, int which)
{
    return aic_load(e, e->i64, note, which * (int64_t)WORD_BYTES, WORD_BYTES);
}

LLVMValueRef aic_note_address(aic_emit *e, LLVMValueRef note, int which)
{
    return aic_load(e, e->ptr, note, which * (int64_t)WORD_BYTES, WORD_BYTES);
}

void aic_note_set(aic_emit *e, LLVMValueRef note, int which, LLVMValueRef value)
{
    aic_store(e, value, note, which * (int64_t)WORD_BYTES, WORD_BYTES);
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
