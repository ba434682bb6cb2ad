/* Schedules: how a specification is cut into tiles on a target. Data, chosen by a default rule, with a text form. */
#ifndef AIC_SCHEDULE_H
#define AIC_SCHEDULE_H

#include "codegen/target/target.h"
#include <aic/field.h>
#include <aic/spec.h>

typedef struct aic_schedule {
#define AIC_FIELD AIC_MEMBER
#include "codegen/schedule.def"
#undef AIC_FIELD
} aic_schedule;

/* What a schedule is for. */
typedef struct aic_problem {
    const aic_spec *spec; /* resolved (aic_spec_resolve) */
    const aic_semantics *semantics;
    const aic_target *target;
} aic_problem;

/* Enough for the text of any schedule. */
#define AIC_SCHEDULE_TEXT_MAX 160

/* "schedule(rows=1, cols=14, ...)". */
aic_status aic_schedule_print(const aic_schedule *schedule, char *buffer, size_t capacity);

/* Reads the text form and checks it against the problem: an illegal schedule is AIC_INVALID_ARGUMENT with
 * field, value and limit. */
aic_status aic_schedule_parse(const char *text, const aic_problem *problem, aic_schedule *schedule);

/* The schedule the default rule picks: the candidate with the lowest predicted cost. */
aic_status aic_schedule_default(const aic_problem *problem, aic_schedule *schedule);

/* Candidate number `index`, lowest predicted cost first; AIC_INVALID_ARGUMENT past the last. */
aic_status aic_schedule_candidate_at(const aic_problem *problem, size_t index, aic_schedule *schedule);

/* The report of `aicjit explain`, malloc'ed. */
aic_status aic_schedule_explain(const aic_problem *problem, char **text);

#endif
