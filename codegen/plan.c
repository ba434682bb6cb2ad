/* From a problem to a plan; see plan.h. */
#include "codegen/plan.h"
#include "codegen/explain.h"
#include "codegen/shape.h"
#include "frontend/core/chain.h"
#include "frontend/core/diag.h"

#include <math.h>
#include <stdlib.h>

/* ---- what operators describe ---- */

static const aic_generator *const GENERATORS[] = {
    [AIC_OP_NONE] = NULL,
#define AIC_OP(ENUM, name, count, params, args) [AIC_OP_##ENUM] = &aic_generator_##name,
#include <aic/ops.def>
#undef AIC_OP
};

/* The first stage describes itself, each later one changes that description. */
static void describe(const aic_problem *problem, aic_work *work)
{
    const aic_spec *spec = problem->spec;
    const aic_stage *first = &spec->stage[0];
    GENERATORS[first->op]->describe(&first->desc, problem->semantics, work);
    if (spec->count > 1) {
        aic_chain_operands chain;
        aic_chain_operands_of(spec, problem->semantics, &chain);
        for (int32_t s = 1; s < spec->count; s++) {
            const aic_stage *stage = &spec->stage[s];
            GENERATORS[stage->op]->fuse(&stage->desc, problem->semantics, chain.from[s], work);
        }
    }
}

/* ---- plans ---- */

aic_status aic_plan_create(const aic_problem *problem, aic_plan **plan)
{
    aic_plan *made = calloc(1, sizeof *made);
    if (made == NULL) {
        return aic_fail_memory("plan", sizeof *made);
    }
    aic_operand operands[AIC_OPERANDS_MAX];
    made->problem = *problem;
    made->operands = aic_spec_operands_of(problem->spec, problem->semantics, operands);
    describe(problem, &made->work);
    made->shape = made->work.shape;
    if (made->shape->suit != NULL) {
        made->shape->suit(made);
    }
    made->schedule = (aic_schedule){.record = made->shape->schedule};
    made->derived = calloc(1, made->shape->derived_bytes);
    if (made->derived == NULL) {
        const size_t bytes = made->shape->derived_bytes;
        free(made);
        return aic_fail_memory("plan", bytes);
    }
    *plan = made;
    return AIC_OK;
}

void aic_plan_free(aic_plan *plan)
{
    if (plan != NULL) {
        free(plan->derived);
        free(plan);
    }
}

void aic_plan_enumerate(aic_plan *plan, aic_space space, const aic_visitor *visitor)
{
    plan->shape->enumerate(plan, space, visitor);
}

/* The cheapest schedule seen so far. */
typedef struct cheapest {
    bool found;
    aic_candidate best;
} cheapest;

static void note(cheapest *seen, const aic_plan *plan)
{
    if (!seen->found || plan->cost < seen->best.cost) {
        *seen = (cheapest){true, {plan->schedule, plan->cost}};
    }
}

static bool keep_cheapest(void *user, const aic_plan *plan)
{
    note(user, plan);
    return true;
}

aic_status aic_plan_choose(aic_plan *plan)
{
    cheapest seen = {.found = false, .best = {.cost = INFINITY}};
    aic_plan_enumerate(plan, AIC_SPACE_USUAL, &(aic_visitor){keep_cheapest, &seen, &seen.best.cost});
    if (!seen.found) {
        return aic_fail(AIC_INTERNAL, "schedule", "the shape %s offers none for this specification", plan->shape->name);
    }
    return aic_plan_set(plan, &seen.best.schedule);
}

/* ---- schedules of which a part is given ---- */

/* Looks for the cheapest schedule that has the given fields of `wanted`. */
typedef struct completion {
    const aic_schedule *wanted;
    uint64_t given;
    aic_plan *trial; /* of the same problem: where a walk's schedules are tried with fields replaced; NULL: they must
                        agree as they are */
    size_t tried;    /* schedules with replaced fields, at most AIC_SPACE_MAX: large extents have many more */
    cheapest seen;
} completion;

static bool keep_completed(void *user, const aic_plan *plan)
{
    completion *c = user;
    if (c->trial == NULL) {
        if (aic_schedule_agrees(&plan->schedule, c->wanted, c->given)) {
            note(&c->seen, plan);
        }
        return true;
    }
    aic_schedule replaced = plan->schedule;
    aic_schedule_overwrite(&replaced, c->wanted, c->given);
    if (aic_plan_set(c->trial, &replaced) == AIC_OK) {
        note(&c->seen, c->trial);
    }
    return ++c->tried < AIC_SPACE_MAX;
}

/* What is left out is chosen as the default rule chooses: of its schedules that have the given fields, the cheapest.
 * Where none has them, they replace those of its schedules, and then those of all legal ones. The last resort is the
 * default schedule with them, whose refusal says what is wrong. */
static aic_status complete(aic_plan *plan, const aic_schedule *wanted, uint64_t given)
{
    completion c = {.wanted = wanted, .given = given};
    const aic_visitor visitor = {.visit = keep_completed, .user = &c};
    aic_plan_enumerate(plan, AIC_SPACE_USUAL, &visitor);
    if (!c.seen.found) {
        aic_status status = aic_plan_create(&plan->problem, &c.trial);
        if (status != AIC_OK) {
            return status;
        }
        aic_plan_enumerate(plan, AIC_SPACE_USUAL, &visitor);
        if (!c.seen.found) {
            aic_plan_enumerate(plan, AIC_SPACE_LEGAL, &visitor);
        }
        aic_plan_free(c.trial);
    }
    if (c.seen.found) {
        return aic_plan_set(plan, &c.seen.best.schedule);
    }
    aic_status status = aic_plan_choose(plan);
    if (status == AIC_OK) {
        aic_schedule replaced = plan->schedule;
        aic_schedule_overwrite(&replaced, wanted, given);
        status = aic_plan_set(plan, &replaced);
    }
    return status;
}

aic_status aic_plan_parse(aic_plan *plan, const char *text)
{
    aic_schedule schedule;
    uint64_t given;
    const aic_record *record = plan->shape->schedule;
    aic_status status = aic_schedule_read(record, text, &schedule, &given);
    if (status == AIC_OK) {
        status =
            aic_schedule_is_whole(record, given) ? aic_plan_set(plan, &schedule) : complete(plan, &schedule, given);
    }
    return status;
}

aic_status aic_codegen_plan(const aic_problem *problem, const char *text, aic_plan **plan)
{
    aic_status status = aic_plan_create(problem, plan);
    if (status != AIC_OK) {
        return status;
    }
    status = text == NULL ? aic_plan_choose(*plan) : aic_plan_parse(*plan, text);
    if (status != AIC_OK) {
        aic_plan_free(*plan);
    }
    return status;
}

/* ---- candidates ---- */

bool aic_candidates_add(void *list_pointer, const aic_plan *plan)
{
    aic_candidates *list = list_pointer;
    size_t at = list->count < AIC_CANDIDATES_MAX ? list->count++ : AIC_CANDIDATES_MAX;
    while (at > 0 && list->best[at - 1].cost > plan->cost) {
        if (at < AIC_CANDIDATES_MAX) {
            list->best[at] = list->best[at - 1];
        }
        at--;
    }
    if (at < AIC_CANDIDATES_MAX) {
        list->best[at] = (aic_candidate){.schedule = plan->schedule, .cost = plan->cost};
    }
    return true;
}

/* ---- the report ---- */

void aic_plan_report(FILE *out, aic_plan *plan)
{
    char text[AIC_SCHEDULE_TEXT_MAX];
    aic_candidates list = {.count = 0};
    const double bound = plan->shape->bound(plan);
    const aic_target *target = plan->problem.target;
    const aic_core core = plan->problem.machine->core;
    const aic_schedule chosen = plan->schedule;
    aic_plan_enumerate(plan, AIC_SPACE_USUAL, &(aic_visitor){.visit = aic_candidates_add, .user = &list});
    fprintf(out, "target: %s, vectors of %d bits, %d registers\n", target->name, target->vector_bits,
            target->vector_registers);
    fprintf(out, "machine: %s (%s)\n", aic_core_name(core), aic_core_describe(core));
    fprintf(out, "bound: %.4g vector operations\n", bound);
    fprintf(out, "candidates, lowest predicted cost first; the first is the default:\n");
    for (size_t i = 0; i < list.count; i++) {
        if (aic_schedule_print(&list.best[i].schedule, text, sizeof text) == AIC_OK) {
            fprintf(out, "  %s  cost %.4g, %.1f %% of it the bound\n", text, list.best[i].cost,
                    list.best[i].cost > 0 ? 100 * bound / list.best[i].cost : 100);
        }
    }
    if (aic_plan_set(plan, &chosen) == AIC_OK) { /* it fitted */
        plan->shape->report(out, plan);
        aic_explain_plan(out, plan);
    }
}
