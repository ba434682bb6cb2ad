/* Functions of a generator (codegen.h) beside those that make a kernel's code. A schedule that is NULL is the default
 * rule's. */
#pragma once

#include "codegen/plan.h"

aic_status aic_answer_plan(const aic_problem *problem, const char *schedule, aic_schedule_info *info);
aic_status aic_answer_candidate(const aic_problem *problem, size_t index, char text[AIC_SCHEDULE_TEXT_MAX]);
aic_status aic_answer_facts(const aic_problem *problem, const char *schedule, aic_explanation *facts);
aic_status aic_answer_space(const aic_problem *problem, aic_space_list *list);
aic_status aic_answer_packer(const aic_problem *problem, const char *schedule, aic_packer *packer);
aic_status aic_bundle_create(const aic_bundle_request *request, aic_bundle *bundle);
