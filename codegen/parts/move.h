/* The part of a move's box (loops/move.h): loops around tiles, which are copied or filled run by run, or transposed.
 *
 *     void move(out, in; first, last)         P: out or in. Numbers are bytes, unless they are counts
 *       P.at                       from the operand to the box's first element
 *       bursts, burst, P.near      bursts: a loop; indices of `near` of one; from one to the next; with near
 *       near.last                  where the last burst begins; with near
 *       dim.D, P.dim.D             iterations of loop D; from one to the next
 *       bands, band                bands: a loop, with bands; indices of one, with writes, too
 *       along                      indices along which bands lie: a loop; with bands or writes
 *       columns                    along `read` (or `follow`) in tiles of one size: a loop; with reads
 *       P.write, P.read            from one index of `write` (or `next`), of `read` (or `follow`) to the next
 *       write.last, read.last      where the last tile begins; with write_over, read_over
 *       later                      from a row to that of a later tile that is fetched; with later
 *       later.rows                 from those of its rows that a tile fetches to those that the next one does; with
 *                                  later, where tiles next to each other share lines
 *       column                     from one index of `read` to the next in the output; with gather and follow
 *       P.tail                     to the columns of the smaller tile behind the others; with tail
 *       P.tile                     from a tile to the next along `write`; of runs, with writes, without write_over
 *       P.run.N, P.col.C           to run N of a tile, counted column by column, as far as runs are named; to column C;
 *                                  N, C > 0; unless transposes
 *       valid                      bytes of a run, or rows, that are read; with masks
 *       run, run.last              bytes of a run; with chunk. Where its last chunk or access begins
 *       row.R, column.C            to row R of a tile in the input, to column C in the output; R, C > 0; with
 *                                  transposes, where the key has no pitch of them, or they lie in groups */
#pragma once

#include "codegen/integer.h"
#include "codegen/llvm/emit.h"
#include "codegen/parts/keys.h"
#include "codegen/program.h"

/* Bytes of a lane of a register, within which tiles are transposed. */
enum { AIC_MOVE_LANE = 16 };

/* Rows or columns of an odd number that a tile has at most. */
enum { AIC_MOVE_ODD_MAX = 15 };

/* Numbers of a box's loops: its dimension i has AIC_MOVE_DIMENSION + i, then come bands, then chunks or tiles along
 * `follow`. */
typedef enum aic_move_loop { AIC_MOVE_BURSTS, AIC_MOVE_DIMENSION } aic_move_loop;

/* Columns that the last tile of `tail` columns is loaded with: as many as make a lane where there are that many, as
 * loading parts takes more than shuffling whole ones, and where columns have a lane each. */
static inline int64_t aic_move_tail_columns(int64_t size, int64_t rows, int64_t cols, int64_t tail)
{
    const int64_t lane = AIC_MOVE_LANE / size;
    int64_t columns = 1;
    while (columns < tail || (columns < cols && columns < lane && lane <= rows)) {
        columns *= 2;
    }
    return columns;
}

/* Rows that are read as keys have them, a number being the exact one: 1, 2, 3, 4, 6, 8, 12, 16 and so on. */
static inline int64_t aic_move_rows_up_to(int64_t rows)
{
    const int64_t power = aic_power_within(rows), half = power / 2;
    return rows == power ? rows : rows <= power + half ? power + half : 2 * power;
}

/* Of a group, or of a tile without, those that are read whatever the number is. */
static inline int64_t aic_move_certain_rows(const aic_move_key *k)
{
    const int64_t before = aic_is_power(k->valid) ? k->valid / 4 * 3 : k->valid / 3 * 2;
    return k->masks ? before + 1 : k->valid;
}

/* How many runs of a tile have numbers of their own: an address then needs no register for its column. There are all,
 * or if these are too many the first column's. */
static inline int64_t aic_move_runs_named(const aic_move_key *k)
{
    enum { MOST = 64 };
    return k->rows * k->cols <= MOST ? k->rows * k->cols : k->rows;
}

/* Where a column is among those that are gathered: those of one index of `read` next to each other. */
static inline int64_t aic_move_gathered(const aic_move_key *k, int64_t column)
{
    const int64_t extent = k->follow > 0 ? (k->cols - k->over) / k->follow : 1;
    return k->follow > 0 ? column % extent * k->follow + column / extent : column;
}

/* move.c: what so many bytes are loaded and stored as. */
LLVMTypeRef aic_move_bytes_type(aic_emit *e, int64_t bytes);

/* move_aside.c, inline: copies the lines of a tile's rows from the input to `aside`, row after row. */
void aic_emit_move_aside(aic_emit *e, const aic_move_key *key, LLVMValueRef in, LLVMValueRef aside);

/* move_transpose.c: where a row of a tile begins in the input. */
LLVMValueRef aic_move_row(aic_emit *e, const aic_move_key *key, LLVMValueRef in, int64_t row);

/* move_transpose.c: where a column of a tile begins in the output, or in the buffer where columns are gathered. */
LLVMValueRef aic_move_column_at(aic_emit *e, const aic_move_key *key, LLVMValueRef out, int64_t column);

/* move_turn.c, inline: a tile with a `unit`; aic_emit_transpose() calls it. */
void aic_emit_turn(aic_emit *e, const aic_move_key *key, LLVMValueRef out, LLVMValueRef in);

/* move_transpose.c, inline: a tile of elements, of which the first `skip` columns are not stored. out points at its
 * first one; in, too, or at a copy of its rows that are `aside` bytes apart. */
void aic_emit_transpose(aic_emit *e, const aic_move_key *key, int64_t skip, LLVMValueRef out, LLVMValueRef in,
                        int64_t aside);
