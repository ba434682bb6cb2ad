/* The note of a deferred tile in a worker's memory, which says what remains to be stored: words of staging.h. */
#pragma once

#include "codegen/llvm/emit.h"
#include "codegen/parts/staging.h"

/* A word, an address of the note. */
LLVMValueRef aic_note_word(aic_emit *e, LLVMValueRef note, int which);
LLVMValueRef aic_note_address(aic_emit *e, LLVMValueRef note, int which);
void aic_note_set(aic_emit *e, LLVMValueRef note, int which, LLVMValueRef value);

/* A tile in a staging buffer. A run is some pixels of it that are contiguous in the result. */
typedef struct aic_staged {
    LLVMValueRef staging;     /* address of the tile in the buffer */
    LLVMValueRef pixel;       /* its first pixel in the result */
    LLVMValueRef column;      /* its first column in the result */
    LLVMValueRef runs, count; /* number of runs, and pixels of each */
    LLVMValueRef pitch;       /* bytes in the buffer from one run to the next */
    LLVMValueRef distance;    /* pixels in the result from one run to the next */
} aic_staged;

/* Notes a tile as deferred, but for SKIP and GAP, and the offset of the buffer that is free from then on. */
void aic_note_tile(aic_emit *e, LLVMValueRef note, const aic_staged *tile, LLVMValueRef free);

/* Calls void leave(note; runs, most): all rows that remain. */
void aic_note_finish(aic_emit *e, LLVMValueRef note, LLVMValueRef leave);
