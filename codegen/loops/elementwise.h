/* Element-wise kernels: operations on elements, one result for every index of a box of strided loops, in vectors along
 * its densest dimension.
 *
 *     for every index of the box: out[index] = value(stream 0[index], stream 1[index], ...)
 *
 * A stream is what a box reads from one of the kernel's operands; where its stride is 0 it is a broadcast. Boxes are
 * those of moves. The output may be the same memory as a stream when both put every element at the same address. */
#pragma once

#include "codegen/loops/move.h"

enum { AIC_ELEMENTWISE_BOXES = AIC_MOVE_BOXES, AIC_ELEMENTWISE_OPERANDS = 3 };

typedef struct aic_elementwise_box {
    aic_box box; /* op AIC_BOX_ELEMENTWISE */
    bool reads[AIC_ELEMENTWISE_STREAMS];
    aic_elementwise_part part;
    int64_t pair; /* distance in bytes to a second word of the output, which the upper halves of the inputs' words make;
                   * 0: there is none */
} aic_elementwise_box;

typedef struct aic_elementwise {
    unsigned size; /* bytes of an element of a box: 1, 2 or 4 */
    aic_elementwise_value value;
    unsigned operands;                         /* pointers of the kernel, the output first */
    unsigned operand[AIC_ELEMENTWISE_STREAMS]; /* number of the operand that a stream is read from */
    unsigned boxes;
    aic_elementwise_box box[AIC_ELEMENTWISE_BOXES];
    bool incomplete; /* as in aic_move: there was no room for all boxes */
} aic_elementwise;

typedef struct aic_elementwise_schedule {
#define AIC_FIELD AIC_MEMBER
#include "codegen/loops/elementwise.def"
#undef AIC_FIELD
} aic_elementwise_schedule;

/* Starts the description of an element-wise kernel, all zeros. */
aic_elementwise *aic_elementwise_begin(aic_work *work);

/* Starts that of an element-wise kernel with the boxes of the move that is described there, all else zeros. */
aic_elementwise *aic_elementwise_begin_with_move(aic_work *work);

static inline const aic_elementwise_schedule *aic_elementwise_schedule_of(const aic_plan *plan)
{
    return (const aic_elementwise_schedule *)(const void *)plan->schedule.fields;
}

static inline const aic_elementwise *aic_elementwise_of(const aic_plan *plan)
{
    return (const aic_elementwise *)(const void *)plan->work.part;
}

extern const aic_shape aic_shape_elementwise;

/* A box made ready for code: loops over box.dim[] around a run of neighbouring elements of the output.
 *
 * A run is one dimension. Where that is shorter than a vector, the run is several dimensions that follow each other in
 * the output without a gap: element e of the run has the indices, or digits, e % digit[0].extent, e / digit[0].extent %
 * digit[1].extent, ... A stream in which these dimensions do not follow each other is folded: the elements that a
 * vector needs of it lie in few words, which are loaded and permuted. The pattern of the permutations begins again
 * after `period` elements; it begins in the same lane again after the least common multiple of `period` and `lanes`. */
typedef struct aic_elementwise_plan {
    const aic_elementwise *elementwise;
    const aic_elementwise_box *from;
    aic_box box;       /* without the run; outermost first */
    aic_box_dim inner; /* the run as one dimension; in[] means nothing for folded streams */
    unsigned digits;
    aic_box_dim digit[AIC_ELEMENTWISE_DIGITS];
    bool folded[AIC_ELEMENTWISE_STREAMS];
    int64_t period;        /* elements of all digits but the last */
    int64_t lanes;         /* elements of the widest access */
    int64_t chunk;         /* elements of one iteration of a long run; a multiple of lanes and period, not 0 */
    bool past;             /* stores go past the caches; the output must be aligned to AIC_MOVE_PAST_ALIGN bytes */
    aic_division division; /* of the loops: the box's dimensions, then the chunks of a run */
} aic_elementwise_plan;

/* What follows from an element-wise kernel and a schedule. */
typedef struct aic_elementwise_derived {
    aic_elementwise_plan box[AIC_ELEMENTWISE_BOXES];
} aic_elementwise_derived;

/* Makes the plan of a box by a legal schedule. */
void aic_elementwise_plan_make(const aic_elementwise *elementwise, const aic_elementwise_box *box,
                               const aic_elementwise_schedule *schedule, aic_elementwise_plan *plan);

/* The same with stores past the caches. False: the output is small enough for the machine's caches, or its addresses do
 * not allow it. */
bool aic_elementwise_plan_past(const aic_elementwise *elementwise, const aic_elementwise_box *box,
                               const aic_elementwise_schedule *schedule, const aic_machine *machine,
                               aic_elementwise_plan *plan);

/* elementwise_use.c: the only phase. */
void aic_compose_elementwise(aic_program *program, const aic_plan *plan, aic_bodies *bodies);
