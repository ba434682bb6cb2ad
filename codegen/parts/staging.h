/* The parts that fill the staging buffer of a contraction and empty it late. Numbers, in bytes.
 *
 *     void load(staging, old; row, count, column)
 *
 * fills some columns of `count` rows of the buffer with what the sums start from, rows from `row` and columns from
 * `column` on.
 *
 *     old.block, old.row         of the old result, from one block of 16 columns, one row to the next
 *     old.block.B                to block B of the strip
 *     staging.block.B            the same in the buffer
 *
 *     void leave(note; runs, most)
 *
 * stores, of so many runs of the tile that is noted (deferred.h), `most` rows or a few more, by the role `store`, a
 * strip (epilogue.h). */
#ifndef AIC_PART_STAGING_H
#define AIC_PART_STAGING_H

#include "codegen/parts/epilogue.h"

typedef struct aic_load_key {
#define AIC_FIELD AIC_MEMBER
#include "codegen/parts/load.def"
#undef AIC_FIELD
} aic_load_key;

typedef struct aic_leave_key {
#define AIC_FIELD AIC_MEMBER
#include "codegen/parts/leave.def"
#undef AIC_FIELD
} aic_leave_key;

#endif
