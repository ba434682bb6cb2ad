/* The shape of descriptors without work: kernels that return at once. */
#include "codegen/shape.h"

static void enumerate(aic_plan *plan, aic_space space, const aic_visitor *visitor)
{
    (void)space;
    (void)aic_plan_offer(plan, "", 0, visitor);
}

/* No phase. */
static aic_status derive(aic_plan *plan)
{
    plan->cost = 0;
    return AIC_OK;
}

static double bound(const aic_plan *plan)
{
    (void)plan;
    return 0;
}

static void compose(aic_program *program, const aic_plan *plan, aic_bodies *bodies)
{
    (void)program;
    (void)plan;
    (void)bodies;
}

static void report(FILE *out, const aic_plan *plan)
{
    (void)plan;
    fprintf(out, "nothing to do: a size is 0\n");
}

static void nest(FILE *out, const aic_plan *plan)
{
    (void)plan;
    fprintf(out, "  none\n");
}

static const aic_record RECORD = {"schedule", NULL, 0};

static const aic_shape NOTHING = {
    .name = "empty",
    .schedule = &RECORD,
    .derived_bytes = 1,
    .enumerate = enumerate,
    .derive = derive,
    .bound = bound,
    .compose = compose,
    .report = report,
    .nest = nest,
};

void aic_work_empty(aic_work *work)
{
    work->shape = &NOTHING;
}
