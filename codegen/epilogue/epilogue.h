/* Epilogues: accumulators are rectified, scaled, converted and stored in another layout. An epilogue is a shape of its
 * own (fixpipe), which reads a whole tensor of accumulators, or the end of a contraction (mmad, fused chains), which
 * hands it strips of a staging buffer.
 *
 *     source(r, c) = source + (c/16)*block_bytes + (r*16 + c%16)*4
 *     target(r, c) = target + (c/width)*target_block + r*target_row + (c%width)*size
 *
 * Of several matrices each lies source_matrix rows, in the target target_matrix bytes, after the previous one. Where
 * the target has several blocks their rows lie one behind the other, target_row = width*size bytes, which are a cache
 * line or divide one. Only the last strip has a narrow tail or one that is filled, and then columns are whole blocks
 * of 16. */
#pragma once

#include "codegen/parts/elementwise_value.h"
#include "codegen/parts/epilogue.h"
#include "codegen/shape.h"

/* A step. The operand of ARITHMETIC has its word for row r, column c at byte (c/16)*block + r*row + c%16*column. */
typedef struct aic_step {
    aic_step_op op;
    unsigned operand; /* of the kernel; 0: it has none */
    aic_dtype dtype;  /* BIAS: int32 or float32 */
    /* ARITHMETIC; input a is the accumulator, and so is the old output. */
    aic_elementwise_value value;
    int64_t block, row, column;
    bool takes_sums; /* the accumulator is a sum of floats: where it is NaN it may have any bits */
    int stage; /* input b is the accumulator as stage number `stage` of the chain, from 1 on, left it; 0: it is not */
} aic_step;

/* For width 32, if only the first 16 columns of the last target block exist: its rows are 16 columns (narrow), or 32
 * with zeros in the last 16 (fill). */
typedef struct aic_epilogue_tail {
    bool narrow, fill;
} aic_epilogue_tail;

/* How words are read. */
typedef struct aic_word_reading {
    bool shift;           /* those with MCB set shift int32 first (REQ8) */
    bool full_scale;      /* of one word all bits of the scale count; else the 13 lowest of its mantissa do not */
    bool unsigned_offset; /* offsets are 0..511, else -256..255 */
    bool wide_products;   /* products are not cut to 9 bits before the offset is added */
} aic_word_reading;

typedef struct aic_epilogue {
    aic_dtype source, target; /* source: int32 or float32 */
    int64_t rows, columns;    /* of a matrix */
    int64_t matrices, source_matrix, target_matrix;
    int64_t width; /* columns of a target block; at least `columns` if one block has all of them */
    int64_t target_block, target_row;
    aic_epilogue_tail tail;

    unsigned steps; /* number of steps, in the order in which they are applied */
    aic_step step[AIC_EPILOGUE_STEPS];
    aic_relu relu;
    aic_scale scale;
    unsigned scale_operand; /* number of the operand with words or halves, or with the one; 0: the one is `word` */
    unsigned need;          /* of one word or half by an address: bits of aic_scale_need */
    uint64_t word;          /* the one word, or the bits of the one half, where code knows it */
    aic_word_reading reads;
    bool saturate; /* float16 and bfloat16 results that are too large, infinite or NaN: overflow mode SATURATE */
} aic_epilogue;

/* Add a step: as the last one, one whose values have the epilogue's source type, or any; and any as the first one. */
void aic_epilogue_add_step(aic_epilogue *p, aic_step_op op, unsigned operand);
void aic_epilogue_add(aic_epilogue *p, const aic_step *step);
void aic_epilogue_begin_with(aic_epilogue *p, const aic_step *step);

/* Whether there is such a step. */
bool aic_epilogue_has_step(const aic_epilogue *p, aic_step_op op);

/* The number of the biases' operand, 0 if there is none; their type; whether adding them is the last step. */
unsigned aic_epilogue_bias(const aic_epilogue *p);
aic_dtype aic_epilogue_bias_type(const aic_epilogue *p);
bool aic_epilogue_bias_is_last(const aic_epilogue *p);

/* Whether a step reads an operand itself, not through the table of column parameters. The operands of such steps in the
 * order of the steps; returns how many there are. */
bool aic_step_reads(const aic_step *step);
unsigned aic_epilogue_inputs(const aic_epilogue *p, unsigned operand[AIC_EPILOGUE_STEPS]);

/* Whether accumulators are stored as they are. */
static inline bool aic_epilogue_copies(const aic_epilogue *p)
{
    return p->source == p->target && p->steps == 0 && p->scale == AIC_SCALE_NONE && p->relu == AIC_RELU_NONE;
}

/* Prints a line for each step, for `explain`. */
void aic_epilogue_report_steps(FILE *out, const aic_epilogue *p);

/* An epilogue as a kernel of its own: the whole source, operand 1, lies in memory. */
typedef struct aic_epilogue_kernel {
    aic_epilogue epilogue;
    int64_t block_bytes; /* of the source, from a block of 16 columns to the next */
} aic_epilogue_kernel;

typedef struct aic_epilogue_schedule {
#define AIC_FIELD AIC_MEMBER
#include "codegen/epilogue/schedule.def"
#undef AIC_FIELD
} aic_epilogue_schedule;

/* Starts the description of an epilogue kernel, all zeros. */
aic_epilogue_kernel *aic_epilogue_begin(aic_work *work);

extern const aic_shape aic_shape_epilogue;

/* What its columns need. */
aic_scaling aic_epilogue_scaling(const aic_epilogue *p);

/* The packet of a loop over rows of so many blocks of columns. */
aic_packet aic_epilogue_packet(const aic_epilogue *p, const aic_target *target, int64_t blocks);

/* Bytes of the table of column parameters: scales, offsets, limits and biases as the inner loops read them; 0: none. */
int64_t aic_epilogue_table_bytes(const aic_epilogue *p);

/* The function of the part that fills the table (parts/epilogue.h); 0 when there is no table. And the plan's phase that
 * fills the table in the shared memory by that function. */
aic_routine aic_compose_epilogue_table(aic_program *program, const aic_epilogue *p, const aic_target *target,
                                       aic_emit_kind kind);
aic_routine aic_compose_epilogue_phase(aic_program *program, const aic_plan *plan, const aic_epilogue *p,
                                       aic_routine table);

/* The loop over a strip: how many blocks of 16 columns, a power of two, share a loop over rows, and rows of one
 * iteration. Fewer blocks are taken if the results of so many are not contiguous in memory. */
typedef struct aic_epilogue_form {
    int64_t blocks, rows;
} aic_epilogue_form;

/* The form that suits most strips; and that for strips of so many columns, whose blocks it divides. */
aic_epilogue_form aic_epilogue_default_form(const aic_epilogue *p, const aic_target *target);
aic_epilogue_form aic_epilogue_strip_form(const aic_epilogue *p, const aic_target *target, int64_t columns);

/* How a strip of `columns` columns is stored by its form: in slabs that have a loop over rows each, packet by
 * packet. */
typedef struct aic_epilogue_slab {
    aic_packet packet;
    int64_t count; /* of slabs */
    bool apart;    /* the rows of a packet do not follow each other in memory */
} aic_epilogue_slab;

aic_epilogue_slab aic_epilogue_slab_of(const aic_epilogue *p, const aic_target *target, int64_t columns);

/* Predicted vector operations of storing a run of `count` rows of `columns` columns between products, which may keep
 * all vector units busy: more than it takes, unless it was measured (aic_machine_is_timed()). */
double aic_epilogue_cost(const aic_epilogue *p, const aic_machine *machine, const aic_target *target, int64_t columns,
                         int64_t count, bool busy);

/* The same for a run that is stored `rows` rows at a time beside products of tile registers (contraction/staging.c). As
 * these leave load, store and issue capacity idle, only operations of the vector arithmetic units count. Columns are
 * supposed to take the fast path. */
double aic_epilogue_cost_beside(const aic_epilogue *p, const aic_target *target, int64_t columns, int64_t count,
                                int64_t rows);

typedef struct aic_epilogue_strip {
    aic_emit_kind kind; /* HOT, or SELDOM for a function that serves a small part of all columns */
    aic_epilogue_form form;
    int64_t block_bytes; /* of the source, from a block of 16 columns to the next */
    int64_t columns;
    int64_t step;                  /* every strip begins at a multiple of this many columns, itself a multiple of 16 */
    bool last;                     /* its columns are the last ones, with the narrow tail where there is one */
    int64_t least_rows, most_rows; /* bounds of a call's rows in any matrix; code that no call needs is not emitted */
    int64_t row_multiple;          /* divides the rows of every call, all of them in one matrix; 0: nothing is known */
    bool past;                     /* stores bypass the caches; the target then begins with a cache line */
} aic_epilogue_strip;

/* Whether the stores of a strip of whole blocks of columns can bypass the caches: they fill whole lines one after the
 * other. */
bool aic_epilogue_strip_fills_lines(const aic_epilogue *p, const aic_epilogue_strip *strip);

/* The function of the part that stores a strip (parts/epilogue.h). inputs: the operands of aic_epilogue_inputs(). */
aic_routine aic_compose_epilogue_strip(aic_program *program, const aic_epilogue *p, const aic_target *target,
                                       const aic_epilogue_strip *strip, const char *name);
