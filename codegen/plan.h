/* Plans: everything that follows from a problem and a schedule, derived once. Emission, prediction and report read it.
 *
 *     describe    the operators of the specification describe the work as one shape of computation
 *     schedule    given, or the cheapest that the shape offers
 *     derive      the shape derives its geometry, what a caller must provide, and the predicted cost */
#pragma once

#include "codegen/codegen.h"
#include "codegen/schedule.h"

#include <stdio.h>

struct aic_shape;

/* What an operator describes: a shape, and the structure in which that shape has its work described. */
enum { AIC_WORK_BYTES = 24 * 1024 };

typedef struct aic_work {
    const struct aic_shape *shape;
    _Alignas(16) unsigned char part[AIC_WORK_BYTES];
} aic_work;

typedef struct aic_plan {
    aic_problem problem;
    size_t operands; /* of the specification */
    const struct aic_shape *shape;
    aic_schedule schedule;
    aic_requirements requirements;
    double cost;   /* predicted, in vector operations */
    void *derived; /* the shape's */
    aic_work work;
} aic_plan;

/* Describes the problem, whose parts must outlive the plan. The plan has no schedule yet. End with aic_plan_free(). */
aic_status aic_plan_create(const aic_problem *problem, aic_plan **plan);
void aic_plan_free(aic_plan *plan); /* NULL does nothing */

/* Gives the plan a schedule of its shape. AIC_INVALID_ARGUMENT, naming the field, when it does not fit; the plan then
 * has no schedule. */
aic_status aic_plan_set(aic_plan *plan, const aic_schedule *schedule);

/* Whether a call takes so short that so many vector operations more are percents of it. */
static inline bool aic_plan_is_within(const aic_plan *plan, int surplus)
{
    enum { PERCENT = 1 };
    return plan->cost * PERCENT < 100.0 * surplus;
}

/* Whether those are which code compiled fast does around the work and code compiled well does not, some tens. */
static inline bool aic_plan_is_short(const aic_plan *plan)
{
    enum { SURPLUS = 40 };
    return aic_plan_is_within(plan, SURPLUS);
}

/* The same from its text form. Fields that are left out follow the default rule, given the others. */
aic_status aic_plan_parse(aic_plan *plan, const char *text);

/* Gives it the cheapest of the usual schedules. */
aic_status aic_plan_choose(aic_plan *plan);

/* The plan of a problem with the schedule of this text; NULL: the default rule's. */
aic_status aic_codegen_plan(const aic_problem *problem, const char *text, aic_plan **plan);

/* ---- schedules of a plan ---- */

/* The schedules that the default rule looks at, few enough for every compilation; or all that are legal. */
typedef enum aic_space { AIC_SPACE_USUAL, AIC_SPACE_LEGAL } aic_space;

/* Sees a plan with one schedule after the other; false ends the walk. */
typedef struct aic_visitor {
    bool (*visit)(void *user, const aic_plan *plan);
    void *user;
    const double
        *limit; /* schedules that cost no less than this, as it is at the time, need not be shown, and of those
                 * that are the plan need have schedule and cost alone; NULL: all must be, with all that follows */
} aic_visitor;

/* Shows every schedule of the space; the plan has some schedule, or none, afterwards. */
void aic_plan_enumerate(aic_plan *plan, aic_space space, const aic_visitor *visitor);

/* For shapes: shows one schedule, if it fits. False when the walk shall end. */
bool aic_plan_offer(aic_plan *plan, const void *fields, size_t bytes, const aic_visitor *visitor);

/* The cheapest schedules of a walk, cheapest first; aic_candidates_add() is the visitor that fills the list. */
enum { AIC_CANDIDATES_MAX = 12 };
typedef struct aic_candidate {
    aic_schedule schedule;
    double cost;
} aic_candidate;

typedef struct aic_candidates {
    aic_candidate best[AIC_CANDIDATES_MAX];
    size_t count;
} aic_candidates;

bool aic_candidates_add(void *list, const aic_plan *plan);

/* The report of `aicjit explain` on the plan. */
void aic_plan_report(FILE *out, aic_plan *plan);
