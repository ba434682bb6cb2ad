/* Maps: operations on elements, one result for every index of a box of strided loops, in vectors along its densest
 * dimension.
 *
 *     for every index of the box: out[index] = value(stream 0[index], stream 1[index], ...)
 *
 * A stream is what a box reads from one of the kernel's operands; where its stride is 0 it is a broadcast. Boxes are
 * those of nests. The output may be the same memory as a stream when both put every element in the same place. */
#ifndef AIC_MAP_H
#define AIC_MAP_H

#include "codegen/loops/map_value.h"
#include "codegen/loops/nest.h"

enum { AIC_MAP_BOXES = AIC_NEST_BOXES, AIC_MAP_OPERANDS = 3 };

typedef struct aic_map_box {
    aic_box box; /* op AIC_NEST_MAP */
    bool reads[AIC_MAP_STREAMS];
    aic_map_part part;
    int64_t pair; /* bytes to a second word of the output, from the upper halves of the inputs' words; 0: none */
} aic_map_box;

typedef struct aic_map {
    unsigned size; /* bytes of an element of a box: 1, 2 or 4 */
    aic_map_value value;
    unsigned operands;                 /* pointers of the kernel, the output first */
    unsigned operand[AIC_MAP_STREAMS]; /* that a stream is read from */
    unsigned boxes;
    aic_map_box box[AIC_MAP_BOXES];
    bool incomplete; /* of a nest that is */
} aic_map;

typedef struct aic_map_schedule {
#define AIC_FIELD AIC_MEMBER
#include "codegen/loops/map.def"
#undef AIC_FIELD
} aic_map_schedule;

/* Starts the description of a map, all zeros. */
aic_map *aic_map_begin(aic_work *work);

static inline const aic_map *aic_map_of(const aic_plan *plan)
{
    return (const aic_map *)(const void *)plan->work.part;
}

extern const aic_shape aic_shape_map;

enum { AIC_MAP_DIGITS = 4 };

/* A box made ready for code: loops over box.dim[] around a run of neighbouring elements of the output.
 *
 * A run is one dimension, or, where that is shorter than a vector, several that follow each other in the output without
 * a gap: element e of the run has the digits e % digit[0].extent, e / digit[0].extent % digit[1].extent, ... Streams in
 * which those are not one dimension are folded: what a vector needs of them lies in few words, from which it is
 * permuted. The permutations repeat after `unit` elements in another place, and after a multiple of `unit` in the same
 * lanes. */
typedef struct aic_map_plan {
    const aic_map *map;
    const aic_map_box *from;
    aic_box box;        /* without the run; outermost first */
    aic_nest_dim inner; /* the run as one dimension; in[] means nothing for folded streams */
    unsigned digits;
    aic_nest_dim digit[AIC_MAP_DIGITS];
    bool folded[AIC_MAP_STREAMS];
    int64_t unit;          /* elements of all digits but the last */
    int64_t lanes;         /* elements of the widest access */
    int64_t chunk;         /* elements of one iteration of a long run; a multiple of lanes and unit */
    bool past;             /* stores go past the caches; the output must be aligned to AIC_NEST_PAST_ALIGN bytes */
    aic_division division; /* of the loops: the box's dimensions, then the chunks of a run */
} aic_map_plan;

/* What follows from a map and a schedule. */
typedef struct aic_map_derived {
    aic_map_plan box[AIC_MAP_BOXES];
} aic_map_derived;

/* What a (legal) schedule makes of a box. */
void aic_map_plan_make(const aic_map *map, const aic_map_box *box, const aic_map_schedule *schedule,
                       aic_map_plan *plan);

/* The same where the output is larger than caches are: stores go past them. False: they cannot, or need not. */
bool aic_map_plan_past(const aic_map *map, const aic_map_box *box, const aic_map_schedule *schedule,
                       aic_map_plan *plan);

/* Emits `void name(operands...; first, last)`: iterations of the box's loop that is divided. map_emit.c. */
LLVMValueRef aic_emit_map_box(aic_emit *e, const aic_map_plan *plan, const char *name);

#endif
