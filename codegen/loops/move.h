/* Moves: work that goes over every element once - copies, fills, layout moves - as boxes of strided loops.
 *
 *     for every index of the box: out[sum index*out stride] = op(in[k][sum index*in stride of k], ...)
 *
 * A box is one such move; several make up what a layout leaves over at its edges. An operator gives boxes, in any order
 * of dimensions; which of them are one, which run innermost and how they are cut is found here. */
#pragma once

#include "codegen/loops/boxes.h"
#include "codegen/parts/move.h"

enum { AIC_BOX_DIMS = 8, AIC_BOX_INPUTS = 6, AIC_MOVE_BOXES = AIC_BOXES_MAX };

/* What is done to an element; rows of the table in move.c. */
typedef enum aic_box_op {
    AIC_BOX_FILL,        /* out = value */
    AIC_BOX_COPY,        /* out = in[0] */
    AIC_BOX_ELEMENTWISE, /* out = what elementwise.h says */
} aic_box_op;

typedef struct aic_box_dim {
    int64_t extent;
    int64_t out, in[AIC_BOX_INPUTS]; /* bytes from one index to the next; an input's 0 is a broadcast */
} aic_box_dim;

/* No two indices of a box may have the same address in the output. */
typedef struct aic_box {
    aic_box_op op;
    int64_t out, in[AIC_BOX_INPUTS]; /* bytes from the operands to the first element */
    unsigned dims;
    aic_box_dim dim[AIC_BOX_DIMS];
    /* Where the last dimension is dense in the output: its elements from here on are not read but `value`. 0: none;
     * never less. */
    int64_t valid;
} aic_box;

typedef struct aic_move {
    unsigned size;  /* bytes of an element: 1, 2 or 4 */
    uint32_t value; /* of FILL, and past `valid`: its bits */
    unsigned boxes;
    aic_box box[AIC_MOVE_BOXES];
    bool incomplete; /* there was no room for all boxes, or for their dimensions: no kernel can be made */
} aic_move;

typedef struct aic_move_schedule {
#define AIC_FIELD AIC_MEMBER
#include "codegen/loops/move.def"
#undef AIC_FIELD
} aic_move_schedule;

/* Starts the description of a move, all zeros. */
aic_move *aic_move_begin(aic_work *work);

static inline const aic_move *aic_move_of(const aic_plan *plan)
{
    return (const aic_move *)(const void *)plan->work.part;
}

extern const aic_shape aic_shape_move;

/* ---- moves from one layout to another (move_layout.c) ---- */

/* The blocked stride of a logical dimension of a tensor: its index i lies at (i / block)*outer + (i % block)*inner
 * bytes. Without blocks: block = 1. */
typedef struct aic_blocked_stride {
    int64_t block, outer, inner;
} aic_blocked_stride;

typedef struct aic_move_axis {
    int64_t extent;
    aic_blocked_stride out, in;
    bool padded; /* the rest of the last block of the output is written as 0 */
} aic_move_axis;

/* Describes a move of elements of `size` bytes as boxes of copies and, where blocks are padded, zeros. Blocks are
 * powers of two. Two dimensions with blocks on both sides take a third of the room for boxes, further ones multiply it
 * by three: beyond that the move is incomplete. */
void aic_move_describe(aic_move *move, unsigned size, const aic_move_axis *dim, unsigned dims);

/* The input starts `bytes` bytes further on; what is filled reads none. */
void aic_move_shift_input(aic_move *move, int64_t bytes);

/* ---- analysis (move.c) ---- */

/* A tile of a move (aic_move_plan has its dimensions). */
typedef struct aic_move_tile {
    /* Runs or elements of a tile along `write` and `read`; a tile that does not fit overlaps the one before. With
     * `next`, rows are all of `write` for `next_count` indices of `next`. Transposes: rows are a power of two, or all
     * of a short `write`. */
    int64_t rows, cols, next_count;
    int64_t follow_count; /* with `follow`, columns are all of `read` for so many indices of it, and `over` */
    /* Columns that are loaded with the others and that the input does not have, as registers are filled by powers of
     * two: a row goes on with the bytes behind it, the last one ends where the input does. */
    int64_t over;
    int64_t tail;   /* columns of the last tile, where less than `cols` do; 0: it is as large as the others */
    int64_t stage;  /* columns of a tile that are copied aside before they are transposed, `cols` at a time; 0: none */
    int64_t unit;   /* bytes within which rows or columns of an odd number are turned (move_sets.c); 0: they are not */
    int64_t gather; /* bytes of a column, all of a band, that are gathered before they are written; 0: they are not */
    int64_t band;   /* rows along `write` (indices of `next`) that are done before a step along `read` */
} aic_move_tile;

/* A box made ready for code: loops over dim[] outside, around tiles that advance along `write`, in which the output is
 * dense, and `read`, in which the input is. */
typedef struct aic_move_plan {
    const aic_machine *machine; /* whose lines and caches it suits */
    const aic_target *target;
    aic_box box; /* without the dimensions below; outermost first */
    /* Moves elements that are dense along `write` in the output and along `read` in the input: rows x columns in
     * registers. Otherwise it moves runs, contiguous on both sides. */
    bool transposes;
    int64_t run, run_valid; /* bytes of a run, or of an element; from run_valid on they are not read */
    int64_t rows_valid;     /* transposes: elements along `write` that are read */
    int64_t rows_stored;    /* transposes: of these, those that are stored, as the others keep their value; 0: all */
    aic_box_dim write, read;
    aic_box_dim
        near; /* a loop whose steps in the input are short: `burst` at a time are taken innermost; extent 1: none */
    int64_t burst;
    aic_box_dim next;   /* transposes: continues in the output where `write`, a short one, ends; extent 1: none */
    aic_box_dim follow; /* transposes: continues in the input where `read`, a short one, ends; extent 1: none */
    aic_move_tile tile;
    int64_t bytes;         /* that the box writes */
    int64_t vector;        /* bytes of the widest access */
    int64_t chunk;         /* bytes of a long run that one iteration moves; 0: runs are moved straight-line */
    bool past;             /* stores go past the caches; the output must be aligned to AIC_MOVE_PAST_ALIGN bytes */
    aic_division division; /* of the loops (aic_move_loop) */
} aic_move_plan;

/* Columns of a tile that exist. */
static inline int64_t aic_move_columns(const aic_move_plan *p)
{
    return p->tile.cols - p->tile.over;
}

/* Bytes in the output from the tile's first column to this one. */
static inline int64_t aic_move_column(const aic_move_plan *p, int64_t column)
{
    return column / p->read.extent % p->tile.follow_count * p->follow.out + column % p->read.extent * p->read.out;
}

/* What follows from a move and a schedule. */
typedef struct aic_move_derived {
    aic_move_plan box[AIC_MOVE_BOXES];
} aic_move_derived;

/* Drops dimensions of one element and joins those that are one stride in every operand. */
void aic_box_coalesce(aic_box *box);

/* Takes a dimension out of the box; puts the others in the order of their steps in the output, the largest first. */
aic_box_dim aic_box_take(aic_box *box, unsigned dim);
void aic_box_sort(aic_box *box);

/* Whether the schedule's field is a power of two of 1..most; whether the bytes are those of a register. */
aic_status aic_check_power(const char *field, int64_t value, int64_t most);
aic_status aic_check_vector(const aic_target *target, int64_t bytes);

/* Whether a description found room for all that it is made of; else AIC_INTERNAL. */
aic_status aic_move_check_room(bool incomplete);

/* Whether the schedule's fields are in their ranges. */
aic_status aic_move_check_schedule(const aic_target *target, const aic_move_schedule *schedule);

/* What a (legal) schedule makes of a box for a target on a machine. */
void aic_move_plan_make(const aic_move *move, const aic_box *box, const aic_move_schedule *schedule,
                        const aic_target *target, const aic_machine *machine, aic_move_plan *plan);

/* The same where the output is larger than caches are: stores go past them. False: they cannot, or need not. */
bool aic_move_plan_past(const aic_move *move, const aic_box *box, const aic_move_schedule *schedule,
                        const aic_target *target, const aic_machine *machine, aic_move_plan *plan);

/* Makes the tile of a transposition one that is turned; false: it cannot be, or that gains nothing. */
bool aic_move_plan_turn(aic_move_plan *p, unsigned size, const aic_move_schedule *schedule);

/* ---- elements with gaps between them (move_sets.c) ---- */

/* Makes a dimension of the box that is dense in the output and longer than what is written of it, and says how many
 * elements of it are written; 0: there is none. */
int64_t aic_move_spread(aic_box *box, unsigned size, const aic_target *target);

/* Columns from a row of so many columns to the next where these share lanes of the input; else 0. */
int64_t aic_move_columns_apart(const aic_box_dim *write, int64_t columns, unsigned size);

/* ---- sets of the first-level cache (move_sets.c) ---- */

/* Columns that are copied aside at a time as the tile's rows share sets; 0: none. */
int64_t aic_move_staged_columns(const aic_move_plan *p, unsigned size);

/* Whether lines of a few columns, all of a short `read`, are more than the sets that they share hold. */
bool aic_move_columns_collide(const aic_move_plan *p);

/* Whether a tile of so many rows, and indices of what would be `follow`, stores to parts of more lines than the sets
 * that they share hold, where tiles of `read` alone do not. */
bool aic_move_parts_collide(const aic_move_plan *p, const aic_box_dim *follow, unsigned size, int64_t count,
                            int64_t rows);

/* Makes more rows of the tile one that is copied aside; plans bands that are gathered. */
void aic_move_fill_registers(aic_move_plan *p, unsigned size);
void aic_move_plan_gather(aic_move_plan *p, unsigned size);

/* Lines that the first-level cache holds of those that begin so many bytes apart. */
int64_t aic_move_lines_held(const aic_machine *machine, int64_t bytes);

/* Bytes that a box writes. */
int64_t aic_box_bytes(const aic_move *move, const aic_box *box);

/* Input operands of an operation; its name. */
unsigned aic_box_op_inputs(aic_box_op op);
const char *aic_box_op_name(aic_box_op op);

/* ---- schedules (move_schedule.c) ---- */

void aic_move_enumerate(aic_plan *plan, aic_space space, const aic_visitor *visitor);
double aic_move_cost(const aic_move *move, const aic_move_derived *derived);
double aic_move_bound(const aic_plan *plan);
void aic_move_report(FILE *out, const aic_plan *plan);
void aic_move_nest(FILE *out, const aic_plan *plan);
