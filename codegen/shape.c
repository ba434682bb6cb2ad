/* What shapes call: this file knows none of them, nor any operator. */
#include "codegen/shape.h"

#include <string.h>

void *aic_work_begin(aic_work *work, const aic_shape *shape, size_t bytes)
{
    work->shape = shape;
    memset(work->part, 0, bytes);
    return work->part;
}

aic_status aic_plan_set(aic_plan *plan, const aic_schedule *schedule)
{
    plan->schedule = *schedule;
    if (!plan->shape->rewrites) {
        memset(plan->derived, 0, plan->shape->derived_bytes);
    }
    plan->requirements = (aic_requirements){.needs = 0};
    return plan->shape->derive(plan);
}

bool aic_plan_offer(aic_plan *plan, const void *fields, size_t bytes, const aic_visitor *visitor)
{
    const aic_schedule schedule = aic_schedule_of(plan->shape->schedule, fields, bytes);
    return aic_plan_set(plan, &schedule) != AIC_OK || visitor->visit(visitor->user, plan);
}

void aic_requirements_phase(aic_requirements *requirements, const char *name, int64_t items)
{
    aic_phase *phase = &requirements->phase[requirements->phases++];
    *phase = (aic_phase){.items = items};
    for (size_t i = 0; name[i] != '\0' && i + 1 < sizeof phase->name; i++) {
        phase->name[i] = name[i];
    }
}
