/* How operators reach the generator. An operator describes itself as one of a few shapes of computation; a shape knows
 * how to schedule and emit every operator of its kind, and knows no operator by name. */
#ifndef AIC_GENERATOR_H
#define AIC_GENERATOR_H

#include "codegen/contraction/contraction.h"
#include "codegen/epilogue/epilogue.h"
#include "codegen/loops/map.h"
#include "codegen/loops/nest.h"
#include "codegen/loops/region.h"
#include "codegen/schedule.h"

#include <stdio.h>

/* A specification described as a shape: the member that belongs to it. */
typedef union aic_work {
    aic_contraction contraction;
    aic_epilogue_kernel epilogue;
    aic_nest nest;
    aic_map map;
    aic_region region;
} aic_work;

/* What the caller of a kernel must provide. */
typedef struct aic_sizes {
    size_t workspace_bytes;
    size_t packed_bytes[AIC_OPERANDS_MAX]; /* of the packed image of each operand; 0: it is not packed */
} aic_sizes;

typedef struct aic_candidate {
    aic_schedule schedule;
    double cost; /* predicted, in vector operations */
} aic_candidate;

#define AIC_CANDIDATES_MAX 12

typedef struct aic_candidates {
    aic_candidate best[AIC_CANDIDATES_MAX]; /* cheapest first */
    size_t count;
} aic_candidates;

/* Puts a schedule in its place, if it is among the best. */
void aic_candidates_add(aic_candidates *list, const aic_schedule *schedule, double cost);

typedef struct aic_shape {
    /* Adds every schedule worth trying; at least one for every legal work and target. */
    void (*candidates)(const aic_work *work, const aic_target *target, aic_candidates *list);
    /* Vector operations that no schedule can save. */
    double (*bound)(const aic_work *work, const aic_target *target);
    /* Whether the schedule fits, else AIC_INVALID_ARGUMENT naming its field; sizes of the kernel it gives. */
    aic_status (*check)(const aic_work *work, const aic_target *target, const aic_schedule *schedule, aic_sizes *sizes);
    /* Emits the functions of codegen.h into e's module; fails as check does, before anything is emitted. */
    aic_status (*emit)(aic_emit *e, const aic_work *work, const aic_schedule *schedule, const char *symbol);
    /* What was refused and what the schedule amounts to, for people. */
    void (*report)(FILE *out, const aic_work *work, const aic_target *target, const aic_schedule *schedule);
} aic_shape;

extern const aic_shape aic_shape_contraction, aic_shape_epilogue, aic_shape_nest, aic_shape_map, aic_shape_region;

/* Neither reads nor writes: descriptors with a size of 0, where the documents allow it. */
extern const aic_shape aic_shape_nothing;

/* One in each emit_NAME.c; ops.def names them all. */
typedef struct aic_generator {
    /* Describes the (valid, resolved) descriptor; returns the shape it is. */
    const aic_shape *(*describe)(const void *desc, const aic_semantics *semantics, aic_work *work);
    /* The end of a fused chain: changes the producer's description so that it ends in this operator. NULL: never fused.
     */
    const aic_shape *(*fuse)(const void *desc, const aic_semantics *semantics, const aic_shape *producer,
                             aic_work *work);
} aic_generator;

#define AIC_OP(ENUM, name, params, args) extern const aic_generator aic_generator_##name;
#include <aic/ops.def>
#undef AIC_OP

/* Describes a resolved specification; returns the shape it is. */
const aic_shape *aic_describe(const aic_spec *resolved, const aic_semantics *semantics, aic_work *work);

/* ---- the parts of aic_shape_contraction, in contraction_schedule.c ---- */

void aic_contraction_candidates(const aic_work *work, const aic_target *target, aic_candidates *list);
double aic_contraction_bound(const aic_work *work, const aic_target *target);
void aic_contraction_report(FILE *out, const aic_work *work, const aic_target *target, const aic_schedule *schedule);

/* ---- the parts of aic_shape_nest, in nest_schedule.c ---- */

void aic_nest_candidates(const aic_work *work, const aic_target *target, aic_candidates *list);
double aic_nest_bound(const aic_work *work, const aic_target *target);
void aic_nest_report(FILE *out, const aic_work *work, const aic_target *target, const aic_schedule *schedule);

#endif
