/* The parts that take accumulators to results: the table of column parameters, and strips.
 *
 *     void columns(table, parameters, bias)
 *       fills the table, 64-byte aligned, from the words or halves and the biases; either may be NULL where there is
 *       none
 *       whole                      vectors of columns that all exist: a loop, unless a block is that of all columns
 *       last.columns               of the last block; with masks
 *
 *     void strip(target, source, table, inputs...; row, count, column)
 *       stores the columns of a strip from `column` on of the `count` rows from `row` on, in every matrix that has
 *       them. target, table: of the whole; source: the first of these rows and columns, readable in whole blocks of
 *       16; inputs: the operands that steps read. Rows that are in no matrix are dropped
 *       source.block, source.block.B    bytes from one block of 16 columns to the next; to block B of a slab
 *       target.block, target.block.B    bytes from one target block to the next; to block B of a packet
 *       target.row, row.R               bytes from one row of the target to the next; to row R of an iteration
 *       blocks, blocks.last             of 16 columns before the tail, a loop; the first of the last slab that overlaps
 *       tail.block, tail.column, tail.source    the tail's block and first column; where it lies in the source
 *       tail.columns                    of the tail; with masks
 *       matrices, rows                  of the result; rows of a matrix
 *       matrix.source, matrix.up, matrix.gap    source rows from one matrix to the next; less 1; that are in none
 *       matrix.target                   bytes of the target from one matrix to the next
 *       inputS.block, inputS.block.B    of step S's operand: bytes from one block of columns to the next; to block B
 *       inputS.row, inputS.row.R        likewise for rows
 *       inputS.column.C                 bytes to column C of a block, where columns lie apart
 *
 *     void parameters(operands..., shared, private; first, last)    the phase that fills the table in the shared memory
 *       role `table`
 *
 *     void strips(operands..., shared, private; first, last)        the phase of an epilogue alone: bands of rows
 *       band, rows                 rows of a band, of the source
 *       rows.last, last.source     the last row, where it lies in the source; with a tail
 *       bands                      bands in all; with a tail
 *       tail.source, tail.column   where the tail's columns begin in the source, and their number
 *       tail.columns               how many they are; with masks
 *       roles `strip`, `past`, `tail`
 *
 *     void leave(note; runs, most)             stores rows of a deferred tile by the role `store` */
#pragma once

#include "codegen/parts/keys.h"
#include "codegen/program.h"

/* Columns of a block; the most steps, blocks of a slab, rows of an iteration. The most rows of a packet: a strip of at
 * least so many rows is computed in packets, none of it row by row. */
enum { AIC_EPILOGUE_LANES = 16, AIC_EPILOGUE_STEPS = 6 };
#define AIC_EPILOGUE_BLOCKS 8
#define AIC_EPILOGUE_ROWS 16
enum { AIC_EPILOGUE_PACKET_ROWS = 4 };

/* Where the scale comes from. */
typedef enum aic_scale {
    AIC_SCALE_NONE,   /* conversion only */
    AIC_SCALE_WORD,   /* one quantisation word (AscendC Fixpipe) */
    AIC_SCALE_WORDS,  /* one a column, in memory */
    AIC_SCALE_HALF,   /* one half */
    AIC_SCALE_HALVES, /* 16 halves in memory, for the columns of every block */
} aic_scale;

/* What code for one word or half that it gets by an address must provide for, bits: the parameters of columns that have
 * an effect on bytes (scaling.h), and large products. */
typedef enum aic_scale_need {
    AIC_NEED_LITTLE = 0, /* bytes: no offset, no limits but those of the type; products do not overflow */
    AIC_NEED_MASK = 1,
    AIC_NEED_UP = 2,
    AIC_NEED_LEAST = 4,
    AIC_NEED_DOWN = 8,
    AIC_NEED_LIMITS = 15, /* all of these */
    AIC_NEED_LARGE = 16,  /* products of int32 may be 2^31 or more; scales of float16 results may be 8 or more */
} aic_scale_need;

typedef enum aic_relu { AIC_RELU_NONE, AIC_RELU_SOURCE, AIC_RELU_RESULT } aic_relu;

/* What is done to the accumulators, words of 32 bits, before they are rectified, scaled and converted. */
typedef enum aic_step_op {
    AIC_STEP_SATURATE,   /* floats: infinities become the largest finite value, NaN +0 (mmad) */
    AIC_STEP_BIAS,       /* adds the operand, one value for each column; int32 saturates */
    AIC_STEP_ARITHMETIC, /* an operation on the accumulator and on a word of the operand or a constant */
} aic_step_op;

/* How a step reads its operand: not at all; one word for all columns; words one after the other, or apart. */
typedef enum aic_step_reading { AIC_READS_NOTHING, AIC_READS_ONE, AIC_READS_ROW, AIC_READS_APART } aic_step_reading;

/* How the rows of a strip are cut: one by one; all of them a multiple of an iteration's; an iteration of which the last
 * one may overlap the one before it; the same, or one by one where there are fewer. */
typedef enum aic_walk { AIC_WALK_SINGLES, AIC_WALK_STEPS, AIC_WALK_OVERLAPS, AIC_WALK_BOTH } aic_walk;

enum { AIC_WALK_TAIL = 2, AIC_WALK_SLOW = 1 }; /* indices of `walk` are sums of these */

typedef struct aic_scaling {
#define AIC_FIELD AIC_MEMBER
#include "codegen/parts/scaling.def"
#undef AIC_FIELD
} aic_scaling;

typedef struct aic_columns_key {
    aic_scaling scaling;
#define AIC_FIELD AIC_MEMBER
#include "codegen/parts/columns.def"
#undef AIC_FIELD
} aic_columns_key;

typedef struct aic_strip_key {
    aic_scaling scaling;
#define AIC_FIELD AIC_MEMBER
#include "codegen/parts/strip.def"
#undef AIC_FIELD
} aic_strip_key;

/* A row of the table of a key's fields that lies in its member `scaling`. */
#define AIC_SCALING_ROW(type, kind, name, count, need, fallback)                                                       \
    {#name,                                                                                                            \
     AIC_KIND_##kind,                                                                                                  \
     count,                                                                                                            \
     AIC_NEED_##need,                                                                                                  \
     AIC_ADDED_##need,                                                                                                 \
     offsetof(type, scaling.name),                                                                                     \
     (double)(fallback)},

/* ---- what plans must know ---- */

/* A packet is the unit of the arithmetic: some rows of some adjacent blocks of 16 columns, as many as fill one vector
 * register with results. The accumulators of a packet are `count` vectors of `lanes` lanes, at most 16, row by row. */
#define AIC_PACKET_VECTORS 4
_Static_assert(AIC_PACKET_VECTORS <= AIC_EPILOGUE_PACKET_ROWS, "a vector is a row of a block at most");

typedef struct aic_packet {
    unsigned rows, blocks;
    unsigned count, lanes; /* count * lanes = rows * blocks * 16 */
} aic_packet;

/* The packet for a loop over rows of `blocks` blocks, a power of two. It has all of these blocks or some of them.
 * `width`: columns of a target block; 0: it has all. */
aic_packet aic_packet_of(const aic_scaling *p, int64_t width, const aic_target *target, int64_t blocks);

/* Bytes of the table of column parameters of so many columns; 0: there is none. */
int64_t aic_table_bytes(const aic_scaling *p, int64_t columns);

/* Whether all blocks of columns have the same parameters, which the table then has once. */
bool aic_table_is_one_block(const aic_scaling *p);

/* Columns that are filled together. */
unsigned aic_table_lanes(const aic_target *target);

/* The set of paths that columns may need, bits 1 << aic_path (packet.h): one path, or the fast one and another one, of
 * which the table states at run time which is needed. */
unsigned aic_scaling_paths(const aic_scaling *p);
