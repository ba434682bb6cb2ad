/* Contractions as a shape: how they are described, planned and composed. */
#include "codegen/contraction/contraction.h"
#include "codegen/contraction/bands.h"
#include "codegen/contraction/lean.h"
#include "codegen/contraction/microkernel.h"
#include "codegen/machine.h"
#include "frontend/core/diag.h"

#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(aic_contraction) <= AIC_WORK_BYTES, "a description of a contraction fits");
_Static_assert(sizeof(aic_contraction_schedule) <= AIC_SCHEDULE_BYTES, "a schedule of a contraction fits");

static const aic_field FIELDS[] = {
#define AIC_FIELD(...) AIC_FIELD_ROW(aic_contraction_schedule, __VA_ARGS__)
#include "codegen/contraction/schedule.def"
#undef AIC_FIELD
};

static const aic_record RECORD = {"schedule", FIELDS, sizeof FIELDS / sizeof *FIELDS};

aic_contraction *aic_contraction_begin(aic_work *work)
{
    return aic_work_begin(work, &aic_shape_contraction, sizeof(aic_contraction));
}

aic_contraction *aic_contraction_change(aic_work *work)
{
    aic_contraction *c = (aic_contraction *)(void *)work->part;
    c->start_operand = c->accumulate ? AIC_CONTRACTION_L1OUT : 0;
    if (!c->has_epilogue) {
        c->has_epilogue = true;
        c->epilogue = aic_plain_epilogue(c);
    }
    return c;
}

void aic_contraction_end(aic_contraction *c, const aic_epilogue *epilogue)
{
    const aic_epilogue before = c->epilogue;
    c->epilogue = *epilogue;
    c->epilogue.steps = 0;
    for (unsigned i = 0; i < before.steps; i++) {
        aic_epilogue_add(&c->epilogue, &before.step[i]);
    }
    for (unsigned i = 0; i < epilogue->steps; i++) {
        aic_epilogue_add(&c->epilogue, &epilogue->step[i]);
    }
}

/* Whether an output sees the pixel of its own number. As many outputs as pixels do not suffice: padding may make up for
 * a stride. */
static bool sees_itself(const aic_line *line)
{
    return line->taps == 1 && line->stride == 1 && line->pad == 0 && line->out == line->extent;
}

/* Whether any rows of pixels are a view of image and result: one tap sees each pixel, in the order of both. */
static bool has_free_rows(const aic_contraction *c)
{
    return sees_itself(&c->down) && sees_itself(&c->across) && c->image.fractal_rows >= c->down.extent;
}

/* A band is as small as the micro-kernel wishes only if rows are that short. */
static void shorten_rows(aic_contraction *c, const aic_target *target)
{
    const int64_t pixels = c->down.out * c->across.out;
    const aic_microkernel *kernel;
    for (size_t i = 0; (kernel = aic_microkernel_at(i)) != NULL; i++) {
        const int64_t wished = kernel->row_pixels;
        if (wished > 0 && pixels % wished == 0 && has_free_rows(c) && kernel->refuse(c, target) == NULL) {
            c->across.extent = c->across.out = wished;
            c->down.extent = c->down.out = c->image.fractal_rows = pixels / wished;
            c->image.row_pitch = wished * c->image.pixel;
            return;
        }
    }
}

static void suit(aic_plan *plan)
{
    aic_contraction *c = (aic_contraction *)(void *)plan->work.part;
    shorten_rows(c, plan->problem.target);
    c->staged = aic_staged_epilogue(c);
}

static void predict(aic_plan *plan)
{
    plan->cost = aic_contraction_cost(aic_contraction_of(plan), plan->problem.target, aic_tiling_of(plan));
}

/* These may have been left out. */
static void name_fields(aic_plan *plan)
{
    aic_contraction_schedule *schedule = (aic_contraction_schedule *)(void *)plan->schedule.fields;
    const aic_tiling *t = aic_tiling_of(plan);
    schedule->kernel = aic_tag(t->kernel->name);
    schedule->hold = aic_tag(t->tile.holds_window ? "window" : "panel");
}

/* What follows from the tiling besides the cost. */
static void finish(aic_plan *plan)
{
    aic_tiling *t = plan->derived;
    aic_lean_derive(plan, (const aic_contraction_schedule *)(const void *)plan->schedule.fields, t);
    aic_tiling_requirements(aic_contraction_of(plan), t, aic_machine_shares(t->geometry.machine, plan->cost),
                            &plan->requirements);
}

static aic_status derive(aic_plan *plan)
{
    const aic_contraction_schedule *schedule = (const aic_contraction_schedule *)(const void *)plan->schedule.fields;
    const aic_status status = aic_tiling_make(plan, schedule, plan->derived);
    if (status == AIC_OK) {
        predict(plan);
        name_fields(plan);
        finish(plan);
    }
    return status;
}

/* Shows the plan, whose tiling is that of the schedule. */
static bool show(aic_plan *plan, const aic_contraction_schedule *schedule, const aic_visitor *visitor)
{
    predict(plan);
    if (visitor->limit != NULL && plan->cost >= *visitor->limit) {
        return true;
    }
    plan->schedule = aic_schedule_of(&RECORD, schedule, sizeof *schedule);
    plan->requirements = (aic_requirements){.needs = 0};
    name_fields(plan);
    if (visitor->limit == NULL) {
        finish(plan);
    }
    return visitor->visit(visitor->user, plan);
}

bool aic_contraction_offer(aic_plan *plan, const aic_contraction_schedule *schedule, aic_tiling *t,
                           const aic_visitor *visitor)
{
    void *own = plan->derived;
    const bool varies = aic_tiling_varies(schedule, t);
    if ((varies ? aic_tiling_vary(plan, schedule, t) : aic_tiling_make(plan, schedule, own)) != AIC_OK) {
        return true;
    }
    plan->derived = varies ? t : own;
    const bool more = show(plan, schedule, visitor);
    plan->derived = own;
    return more;
}

/* The lowest bound of all micro-kernels that take the contraction. */
static double bound(const aic_plan *plan)
{
    const aic_contraction *c = aic_contraction_of(plan);
    const aic_target *target = plan->problem.target;
    const aic_microkernel *kernel;
    double least = 0;
    for (size_t i = 0; (kernel = aic_microkernel_at(i)) != NULL; i++) {
        if (kernel->refuse(c, target) == NULL) {
            const double own = kernel->bound(c, target);
            least = least == 0 || own < least ? own : least;
        }
    }
    return least;
}

/* The bodies of one form. */
static void compose_form(aic_program *program, const aic_plan *plan, aic_bodies *bodies)
{
    const aic_microkernel *kernel = aic_tiling_of(plan)->kernel;
    bodies->pack = (kernel->compose_weights != NULL ? kernel->compose_weights : aic_compose_pack_weight)(program, plan);
    aic_compose_bands(program, plan, bodies);
    if ((kernel->needs & AIC_NEEDS_TILES) != 0) {
        bodies->enter = kernel->compose_state(program, plan, true);
        bodies->leave = kernel->compose_state(program, plan, false);
    }
}

/* The bodies of the lean form, and those that choose. */
static void compose_lean(aic_program *program, const aic_plan *plan, aic_bodies *bodies)
{
    aic_bodies own = {.pack = 0};
    aic_plan *lean = aic_lean_plan(plan);
    const size_t before = strlen(program->prefix);
    if (lean == NULL) {
        program->status = aic_fail_memory("plan", sizeof *lean);
        return;
    }
    (void)snprintf(program->prefix + before, sizeof program->prefix - before, "lean_");
    compose_form(program, lean, &own);
    program->prefix[before] = '\0';
    aic_lean_join(program, plan, &own, bodies);
    free(lean);
}

static void compose(aic_program *program, const aic_plan *plan, aic_bodies *bodies)
{
    compose_form(program, plan, bodies);
    if (aic_tiling_of(plan)->lean.channels > 0) {
        compose_lean(program, plan, bodies);
    }
}

static size_t form(const aic_plan *plan, int64_t number[])
{
    return aic_pack_weight_form(aic_contraction_of(plan), aic_tiling_of(plan), number);
}

static const char *kernel_name(const aic_plan *plan)
{
    return aic_tiling_of(plan)->kernel->name;
}

static void memory(FILE *out, const aic_plan *plan)
{
    const aic_tiling *t = aic_tiling_of(plan);
    if (plan->requirements.shared_bytes > 0) {
        fprintf(out, ";   shared: the parameters of the result's columns\n");
    }
    fprintf(out, ";   a worker's: ");
    if (aic_tiling_skips(t)) {
        fprintf(out, "0 + kernel rows and columns that a tile does, ");
    }
    fprintf(out, "%lld + offsets of %lld taps in the band, ", (long long)t->tile.range_bytes, (long long)t->panel.taps);
    if (t->staging.pitch > 0) {
        fprintf(out, "%lld + staging buffer of results, ", (long long)t->staging.offset);
    }
    fprintf(out, "%lld + band, %lld bytes\n", (long long)t->staging.band_offset, (long long)t->band.bytes);
}

const aic_shape aic_shape_contraction = {
    .name = "contraction",
    .divided = true,
    .schedule = &RECORD,
    .derived_bytes = sizeof(aic_tiling),
    .rewrites = true,
    .suit = suit,
    .enumerate = aic_contraction_enumerate,
    .derive = derive,
    .form = form,
    .bound = bound,
    .compose = compose,
    .report = aic_contraction_report,
    .nest = aic_contraction_nest,
    .kernel = kernel_name,
    .traffic = aic_contraction_traffic,
    .memory = memory,
};
