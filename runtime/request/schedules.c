/* Questions about schedules: what a text amounts to, what it is predicted to cost, and which candidates there are. */
#include "runtime/request/schedules.h"
#include "frontend/core/diag.h"
#include "frontend/core/spec.h"
#include "frontend/core/structure.h"
#include "runtime/generator/generator.h"
#include "runtime/generator/worker.h"
#include <aic/tool.h>
#include <string.h>

/* The arguments of a question to the generator, and its answer. */
typedef struct question {
    const aic_context *context;
    const aic_spec *spec;
    const char *text;        /* schedule to read, or */
    const size_t *candidate; /* the number of the candidate to name; NULL: the schedule is read */
    aic_schedule_info info;  /* the answer; of a candidate its text only */
} question;

/* On the worker's thread: the stack of a caller may have no room for a specification. */
static aic_status resolve_and_ask(void *argument)
{
    question *q = argument;
    aic_spec canonical;
    const aic_status status = aic_spec_resolve_kernel(q->spec, &q->context->semantics, &canonical);
    if (status != AIC_OK) {
        return status;
    }
    const aic_problem problem = aic_context_problem(q->context, &canonical, q->context->target);
    return q->candidate != NULL ? aic_generator()->candidate(&problem, *q->candidate, q->info.text)
                                : aic_generator()->plan(&problem, q->text, &q->info);
}

aic_status aic_schedule_resolve(const aic_context *context, const aic_spec *spec, const char *text,
                                aic_schedule_info *info)
{
    question q = {.context = context, .spec = spec, .text = text};
    aic_status status = aic_worker_run(resolve_and_ask, &q);
    if (status == AIC_OK) {
        *info = q.info;
    }
    return status;
}

aic_status aic_schedule_candidate(aic_context *context, const aic_spec *spec, size_t index, char *buffer,
                                  size_t capacity)
{
    if (spec == NULL || buffer == NULL) {
        return aic_fail(AIC_INVALID_ARGUMENT, spec == NULL ? "spec" : "buffer", "is NULL");
    }
    aic_status status = aic_context_resolve(&context);
    if (status != AIC_OK) {
        return status;
    }
    question q = {.context = context, .spec = spec, .candidate = &index};
    status = aic_worker_run(resolve_and_ask, &q);
    if (status != AIC_OK) {
        return status;
    }
    const size_t length = strlen(q.info.text);
    if (length >= capacity) {
        return aic_fail(AIC_INVALID_ARGUMENT, "schedule", "%zu bytes are less than the %zu of its text", capacity,
                        length + 1);
    }
    memcpy(buffer, q.info.text, length + 1);
    return AIC_OK;
}

_Static_assert(sizeof((aic_prediction *)0)->schedule == AIC_SCHEDULE_TEXT_MAX, "room for the text of a schedule");

aic_status aic_schedule_predict(aic_context *context, const aic_spec *spec, const char *schedule,
                                aic_prediction *prediction)
{
    if (spec == NULL || prediction == NULL) {
        return aic_fail(AIC_INVALID_ARGUMENT, spec == NULL ? "spec" : "prediction", "is NULL");
    }
    aic_schedule_info info;
    aic_status status = aic_structure_check("prediction", prediction, sizeof *prediction);
    status = status == AIC_OK ? aic_context_resolve(&context) : status;
    status = status == AIC_OK ? aic_schedule_resolve(context, spec, schedule, &info) : status;
    if (status == AIC_OK) {
        aic_prediction made = {.size = sizeof made,
                               .is_default = info.is_default,
                               .vector_bits = context->target->vector_bits,
                               .cost = info.cost,
                               .bound = info.bound};
        memcpy(made.schedule, info.text, sizeof made.schedule);
        status = aic_structure_give("prediction", prediction, &made, sizeof made);
    }
    return status;
}
