/* The note of a deferred tile in a worker's memory, which says what remains to be stored, in words of 64 bits; see
 * contraction/deferred.c. */
#ifndef AIC_PART_DEFERRED_H
#define AIC_PART_DEFERRED_H

#include "codegen/llvm/emit.h"

/* The words of a note. A run is a number of rows that are contiguous in the result. */
enum {
    AIC_NOTE_FREE,   /* offset of the staging buffer that the next tile may fill */
    AIC_NOTE_SOURCE, /* address in the staging buffer of the next row to be stored */
    AIC_NOTE_ROW,    /* number of that row in the result */
    AIC_NOTE_COLUMN, /* the tile's first column in the result */
    AIC_NOTE_LEFT,   /* rows of the current run that remain */
    AIC_NOTE_RUNS,   /* runs that remain, the current one included; 0: no tile is deferred */
    AIC_NOTE_COUNT,  /* rows of a whole run */
    AIC_NOTE_SKIP,   /* bytes in the buffer from the end of a run to the next run */
    AIC_NOTE_GAP,    /* rows in the result from the end of a run to the next run */
    AIC_NOTE_TARGET, /* the result */
    AIC_NOTE_TABLE,  /* the epilogue's table of column parameters */
    AIC_NOTE_INPUTS  /* from here on: operands of the epilogue's steps */
};

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

#endif
