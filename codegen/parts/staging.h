/* The parts that fill the staging buffer of a contraction and empty it late.
 *
 *     void load(staging, old; row, count, column)
 *       fills some columns of `count` rows of the buffer with what the sums start from: the rows from `row` and the
 *       columns from `column` on
 *       old.block, old.row              bytes from one block of 16 columns, one row, of the old result to the next
 *       old.block.B, staging.block.B    to block B of the strip; likewise in the buffer
 *
 *     void leave(note; runs, most)
 *       of so many runs of the tile that is noted stores `most` rows or a few more, by the role `store`, a strip
 *       (epilogue.h) */
#pragma once

#include "codegen/parts/epilogue.h"

/* The words of 64 bits of a note about a deferred tile. A run is a number of rows that are contiguous in the result. */
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
enum { AIC_NOTE_WORDS = AIC_NOTE_INPUTS + AIC_EPILOGUE_STEPS };
