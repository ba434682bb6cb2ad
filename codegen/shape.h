/* Shapes of computation. An operator describes itself as one of them; a shape knows how to schedule and compose every
 * operator of its kind, and knows no operator by name. */
#pragma once

#include "codegen/plan.h"
#include "codegen/program.h"

#include <stdio.h>

/* The bodies of a kernel, which the shape delivers in place of entry points (kernel.c has those):
 *
 *     pack    void (packed, source; first, last)
 *     phase   void (operands..., shared, private; first, last)
 *
 * Each does the items first .. last-1 of what the plan's requirements say. For AIC_NEEDS_TILES: enter and leave, void
 * (), configure the tiles of the running worker, and give them up. */
typedef struct aic_bodies {
    aic_routine pack, enter, leave;
    aic_routine phase[AIC_PHASES_MAX];
} aic_bodies;

enum { AIC_FORM_NUMBERS = 32 };

typedef struct aic_shape {
    const char *name;
    const aic_record *schedule; /* the fields of its schedules */
    size_t derived_bytes;
    bool rewrites; /* derive() writes all that is read of the derived part: it need not be zeroed for each schedule */
    bool divided;  /* its frames are worth a module of their own (emit.h), which takes LLVM some time in itself */

    /* Changes the description to one of the same work that suits the target better. NULL: it stays as it is. */
    void (*suit)(aic_plan *plan);
    /* Offers (aic_plan_offer) the schedules of the space; at least one for every legal work and target. */
    void (*enumerate)(aic_plan *plan, aic_space space, const aic_visitor *visitor);
    /* From work and schedule to derived, requirements (zeroed before) and cost; AIC_INVALID_ARGUMENT, naming the
     * schedule's field, when the schedule does not fit. Takes bounded time whatever the extents are. */
    aic_status (*derive)(aic_plan *plan);
    /* Writes numbers that decide the bytes of a packed image beside the contents of its source, all of them and no
     * others, at most AIC_FORM_NUMBERS; returns how many. NULL: it packs no operand. */
    size_t (*form)(const aic_plan *plan, int64_t number[]);
    /* Vector operations that no schedule can save. */
    double (*bound)(const aic_plan *plan);
    /* Composes the bodies. */
    void (*compose)(aic_program *program, const aic_plan *plan, aic_bodies *bodies);
    /* What was refused and what the schedule amounts to, for people. */
    void (*report)(FILE *out, const aic_plan *plan);
    /* Its loops, lines of aic_nest_line(). */
    void (*nest)(FILE *out, const aic_plan *plan);
    /* The micro-kernel that the schedule uses; NULL: the shape has one way only. */
    const char *(*kernel)(const aic_plan *plan);
    /* Adds the bytes that a call moves (explain.h); NULL: those of every operand once. */
    void (*traffic)(const aic_plan *plan, double bytes[AIC_TRAFFIC_LEVELS]);
    /* What is where in the scratch memory, lines of a comment of IR; NULL: there is nothing to tell. */
    void (*memory)(FILE *out, const aic_plan *plan);
} aic_shape;

/* ---- for operators (codegen/ops) ---- */

/* One in each codegen/ops/NAME.c; ops.def names them all. */
typedef struct aic_generator {
    /* Describes the (valid, resolved) descriptor: aic_work_begin(), or the begin function of a shape. */
    void (*describe)(const void *desc, const aic_semantics *semantics, aic_work *work);
    /* In a fused chain: changes the description of the stages before so that it ends in this operator. operand[i]: the
     * index of the operator's own operand i among the kernel's. NULL: never fused. */
    void (*fuse)(const void *desc, const aic_semantics *semantics, const int *operand, aic_work *work);
} aic_generator;

#define AIC_OP(ENUM, name, count, params, args) extern const aic_generator aic_generator_##name;
#include <aic/ops.def>
#undef AIC_OP

/* Makes the work one of this shape and returns the shape's structure, zeroed; `bytes` is its size. */
void *aic_work_begin(aic_work *work, const aic_shape *shape, size_t bytes);

/* A descriptor without work: the kernel returns at once. */
void aic_work_empty(aic_work *work);

/* ---- for shapes ---- */

/* Adds a phase to a plan's requirements. */
void aic_requirements_phase(aic_requirements *requirements, const char *name, int64_t items);
