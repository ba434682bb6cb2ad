/* Answers of the generator; see answers.h. */
#include "codegen/answers.h"
#include "codegen/codegen.h"
#include "codegen/explain.h"
#include "codegen/plan.h"
#include "codegen/shape.h"
#include "frontend/core/diag.h"

aic_status aic_answer_plan(const aic_problem *problem, const char *schedule, aic_schedule_info *info)
{
    aic_plan *plan;
    aic_status status = aic_codegen_plan(problem, schedule, &plan);
    if (status != AIC_OK) {
        return status;
    }
    const aic_schedule given = plan->schedule;
    info->cost = plan->cost;
    info->bound = plan->shape->bound(plan);
    status = aic_schedule_print(&given, info->text, sizeof info->text);
    if (status == AIC_OK && schedule != NULL) {
        status = aic_plan_choose(plan);
    }
    info->is_default = aic_schedule_equal(&given, &plan->schedule);
    aic_plan_free(plan);
    return status;
}

aic_status aic_answer_candidate(const aic_problem *problem, size_t index, char text[AIC_SCHEDULE_TEXT_MAX])
{
    aic_plan *plan;
    aic_status status = aic_plan_create(problem, &plan);
    if (status != AIC_OK) {
        return status;
    }
    aic_candidates list = {.count = 0};
    aic_plan_enumerate(plan, AIC_SPACE_USUAL, &(aic_visitor){.visit = aic_candidates_add, .user = &list});
    aic_plan_free(plan);
    if (index >= list.count) {
        return aic_fail(AIC_INVALID_ARGUMENT, "schedule", "candidate = %zu is not below %zu, their number", index,
                        list.count);
    }
    return aic_schedule_print(&list.best[index].schedule, text, AIC_SCHEDULE_TEXT_MAX);
}

aic_status aic_answer_facts(const aic_problem *problem, const char *schedule, aic_explanation *facts)
{
    aic_plan *plan;
    aic_status status = aic_codegen_plan(problem, schedule, &plan);
    if (status == AIC_OK) {
        aic_plan_facts_of(plan, facts);
        status = aic_schedule_print(&plan->schedule, facts->schedule, sizeof facts->schedule);
        aic_plan_free(plan);
    }
    return status;
}
