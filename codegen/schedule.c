/* Schedules of any shape of computation: candidates, text form, report. */
#include "codegen/schedule.h"
#include "codegen/generator.h"
#include "frontend/core/diag.h"
#include "frontend/text/text.h"

#include <stdlib.h>

/* ---- candidates ---- */

void aic_candidates_add(aic_candidates *list, const aic_schedule *schedule, double cost)
{
    size_t at = list->count < AIC_CANDIDATES_MAX ? list->count++ : AIC_CANDIDATES_MAX;
    while (at > 0 && list->best[at - 1].cost > cost) {
        if (at < AIC_CANDIDATES_MAX) {
            list->best[at] = list->best[at - 1];
        }
        at--;
    }
    if (at < AIC_CANDIDATES_MAX) {
        list->best[at] = (aic_candidate){.schedule = *schedule, .cost = cost};
    }
}

aic_status aic_schedule_candidate_at(const aic_problem *problem, size_t index, aic_schedule *schedule)
{
    aic_work work;
    aic_candidates list = {.count = 0};
    aic_describe(problem->spec, problem->semantics, &work)->candidates(&work, problem->target, &list);
    if (index >= list.count) {
        return aic_fail(AIC_INVALID_ARGUMENT, "schedule", "candidate = %zu is outside 0..%zu", index,
                        list.count == 0 ? 0 : list.count - 1);
    }
    *schedule = list.best[index].schedule;
    return AIC_OK;
}

aic_status aic_schedule_default(const aic_problem *problem, aic_schedule *schedule)
{
    return aic_schedule_candidate_at(problem, 0, schedule);
}

/* ---- text ---- */

static const aic_field FIELDS[] = {
#define AIC_FIELD(...) AIC_FIELD_ROW(aic_schedule, __VA_ARGS__)
#include "codegen/schedule.def"
#undef AIC_FIELD
};

static const aic_record RECORD = {"schedule", FIELDS, sizeof FIELDS / sizeof *FIELDS};

aic_status aic_schedule_print(const aic_schedule *schedule, char *buffer, size_t capacity)
{
    return aic_record_print(&RECORD, schedule, buffer, capacity, NULL);
}

aic_status aic_schedule_parse(const char *text, const aic_problem *problem, aic_schedule *schedule)
{
    aic_schedule result = {0};
    aic_work work;
    aic_sizes sizes;
    aic_status status = aic_record_parse(&RECORD, text, &result);
    if (status == AIC_OK) {
        const aic_shape *shape = aic_describe(problem->spec, problem->semantics, &work);
        status = shape->check(&work, problem->target, &result, &sizes);
    }
    if (status == AIC_OK) {
        *schedule = result;
    }
    return status;
}

/* ---- the report ---- */

static void report(FILE *out, const aic_shape *shape, const aic_work *work, const aic_target *target)
{
    char text[AIC_SCHEDULE_TEXT_MAX];
    aic_candidates list = {.count = 0};
    double bound = shape->bound(work, target);
    shape->candidates(work, target, &list);
    fprintf(out, "target: %s, vectors of %d bits, %d registers\n", target->name, target->vector_bits,
            target->vector_registers);
    fprintf(out, "bound: %.4g vector operations\n", bound);
    fprintf(out, "candidates, lowest predicted cost first; the first is the default:\n");
    for (size_t i = 0; i < list.count; i++) {
        if (aic_schedule_print(&list.best[i].schedule, text, sizeof text) == AIC_OK) {
            fprintf(out, "  %s  cost %.4g, %.1f %% of it the bound\n", text, list.best[i].cost,
                    100 * bound / list.best[i].cost);
        }
    }
    if (list.count > 0) {
        shape->report(out, work, target, &list.best[0].schedule);
    }
}

aic_status aic_schedule_explain(const aic_problem *problem, char **text)
{
    aic_work work;
    const aic_shape *shape = aic_describe(problem->spec, problem->semantics, &work);
    size_t size = 0;
    *text = NULL;
    FILE *out = open_memstream(text, &size);
    if (out == NULL) {
        return aic_fail_memory("schedule", 0);
    }
    report(out, shape, &work, problem->target);
    const bool incomplete = ferror(out) != 0; /* memory ran out on the way */
    if (fclose(out) != 0 || incomplete || *text == NULL) {
        free(*text);
        *text = NULL;
        return aic_fail_memory("schedule", size);
    }
    return AIC_OK;
}
