/* The lean form of a contraction; see tiling.h. */
#include "codegen/contraction/lean.h"
#include "codegen/contraction/bands.h"
#include "codegen/contraction/microkernel.h"
#include "codegen/parts/lean.h"

#include <stdlib.h>

/* Channels that the lean form leaves out: half a block, which is how networks that count channels by 16 leave blocks of
 * int8 half empty. */
static int64_t left_out(const aic_contraction *c)
{
    return c->c0 / 2;
}

/* Whether images of its weights can have either form. Floats are left out: what is not finite in the image makes NaN of
 * a weight of 0. Micro-kernels that want it take one group, and blocks have four channels at least. */
static bool can_have(const aic_contraction *c, const aic_microkernel *kernel)
{
    return kernel->wants_lean && c->dtype == AIC_INT8 && c->weight == AIC_WEIGHT_BLOCKS && c->channels == c->c1 * c->c0;
}

/* The schedule, in the lean form: its tap may have another number of steps. */
static aic_contraction_schedule lean_schedule(const aic_contraction *lean, const aic_target *target,
                                              const aic_microkernel *kernel, const aic_contraction_schedule *schedule)
{
    aic_contraction_schedule s = *schedule;
    s.unroll = kernel->unroll(lean, target, s.rows * s.cols, s.vectors);
    return s;
}

/* A tenth of the time is worth the second form, which has nearly the same code. Where less is predicted it may be
 * slower: 3x3 80-80 @40 takes 1.15 times as long (0.95 predicted), as more rows of registers cross lines. */
static bool pays(const aic_plan *plan, const aic_tiling *t, const aic_contraction *c, const aic_tiling *lean)
{
    static const double SHARE = 0.9;
    const aic_target *target = plan->problem.target;
    return aic_contraction_cost(c, target, lean) <= SHARE * aic_contraction_cost(aic_contraction_of(plan), target, t);
}

/* Whether a call has the same phases and items in both forms, and weights take no more room. */
static bool is_alike(const aic_tiling *t, const aic_tiling *lean)
{
    return t->band.count == lean->band.count && t->staging.strips == lean->staging.strips &&
           t->staging.has_epilogue == lean->staging.has_epilogue && t->panel.items == lean->panel.items &&
           t->panel.packed_bytes >= lean->panel.packed_bytes;
}

void aic_lean_derive(const aic_plan *plan, const aic_contraction_schedule *schedule, aic_tiling *t)
{
    aic_tiling lean;
    t->lean = (aic_plan_lean){.channels = 0};
    if (!can_have(aic_contraction_of(plan), t->kernel)) {
        return;
    }
    aic_contraction c = *aic_contraction_of(plan);
    c.channels -= left_out(&c);
    const aic_contraction_schedule s = lean_schedule(&c, plan->problem.target, t->kernel, schedule);
    if (aic_tiling_of_work(&c, &plan->problem, &s, &lean) == AIC_OK && is_alike(t, &lean) && pays(plan, t, &c, &lean)) {
        t->lean = (aic_plan_lean){.channels = left_out(&c),
                                  .note = t->panel.image_bytes,
                                  .taps = lean.panel.taps,
                                  .kpacks = lean.panel.kpacks,
                                  .merged = lean.wish.merged,
                                  .pixel_kpacks = lean.band.pixel_kpacks,
                                  .private_bytes = lean.staging.private_bytes};
    }
}

typedef struct lean_plan {
    aic_plan plan;
    aic_tiling tiling;
} lean_plan;

aic_plan *aic_lean_plan(const aic_plan *plan)
{
    const aic_tiling *t = aic_tiling_of(plan);
    lean_plan *lean = malloc(sizeof *lean);
    if (lean == NULL) {
        return NULL;
    }
    lean->plan = *plan;
    lean->plan.derived = &lean->tiling;
    aic_contraction *c = (aic_contraction *)(void *)lean->plan.work.part;
    c->channels -= t->lean.channels;
    aic_contraction_schedule *schedule = (aic_contraction_schedule *)(void *)lean->plan.schedule.fields;
    *schedule = lean_schedule(c, plan->problem.target, t->kernel, schedule);
    (void)aic_tiling_of_work(c, &plan->problem, schedule, &lean->tiling); /* it has fitted before */
    lean->tiling.division = t->division;
    return &lean->plan;
}

static aic_routine join_weights(aic_program *program, const aic_plan *plan, aic_routine whole, aic_routine lean)
{
    const aic_contraction *c = aic_contraction_of(plan);
    const aic_tiling *t = aic_tiling_of(plan);
    const int64_t row = c->c0 * t->geometry.source_bytes, seen = t->lean.channels * t->geometry.source_bytes;
    const int64_t taps = c->down.taps * c->across.taps, tap = c->weight_n * row;
    const aic_lean_weights_key key = {.row_bytes = row, .seen = seen};
    aic_use use;
    aic_use_begin(&use, program, &aic_part_lean_weights, &key);
    aic_use_number(&use, t->lean.note, "note.at");
    aic_use_number(&use, (c->c1 - 1) * taps * tap + row - seen, "weights.at");
    aic_use_number(&use, tap, "tap.bytes");
    aic_use_trips(&use, taps, "taps");
    aic_use_number(&use, c->weight_n, "columns");
    aic_use_call(&use, whole, "whole");
    aic_use_call(&use, lean, "lean");
    return aic_program_add(program, &use, "weights_either");
}

static aic_routine join_bands(aic_program *program, const aic_plan *plan, aic_routine whole, const aic_bodies *lean,
                              aic_routine enter, unsigned phase)
{
    const aic_lean_bands_key key = {.operands = (int64_t)plan->operands, .tiles = lean->enter != enter};
    aic_use use;
    aic_use_begin(&use, program, &aic_part_lean_bands, &key);
    aic_use_number(&use, aic_tiling_of(plan)->lean.note, "note.at");
    aic_use_call(&use, whole, "whole");
    aic_use_call(&use, lean->phase[phase], "lean");
    if (key.tiles) {
        aic_use_call(&use, lean->enter, "enter");
    }
    return aic_program_add(program, &use, "bands_either");
}

void aic_lean_join(aic_program *program, const aic_plan *plan, const aic_bodies *lean, aic_bodies *bodies)
{
    const unsigned last = plan->requirements.phases - 1; /* those before it are the same */
    bodies->pack = join_weights(program, plan, bodies->pack, lean->pack);
    bodies->phase[last] = join_bands(program, plan, bodies->phase[last], lean, bodies->enter, last);
}
