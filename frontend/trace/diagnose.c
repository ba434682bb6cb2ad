/* What happens to the data of every element: traces without text; see aic/diagnose.h. */
#include "frontend/core/diag.h"
#include "frontend/core/neutral.h"
#include "frontend/core/rule.h"
#include "frontend/core/spec.h"
#include "frontend/numeric/element.h"
#include "frontend/trace/trace.h"

#include <math.h>
#include <stdlib.h>

static const aic_event_info events[] = {
#define AIC_EVENT(ENUM, name, meaning) {sizeof(aic_event_info), #name, meaning},
#include <aic/events.def>
#undef AIC_EVENT
};

_Static_assert((int)AIC_EVENT_END <= 32, "aic_finding has a bit for each");

const aic_event_info *aic_event_at(size_t index)
{
    return index < sizeof events / sizeof events[0] ? &events[index] : NULL;
}

/* Whether an operator moves the elements of its first input, each to one place or, where blocks overlap, to several. */
static bool reads_once(const aic_spec *spec)
{
    const aic_op op = spec->stage[0].op;
    return op == AIC_OP_FIXPIPE || op == AIC_OP_TIK_FIXPIPE || op == AIC_OP_ND2NZ || op == AIC_OP_LOAD_DATA ||
           op == AIC_OP_LOAD_DATA_TRANSPOSE;
}

static aic_status open_seen(aic_trace_run *run)
{
    enum { SRC = 1, CELL_BITS = 64 };
    aic_operand operands[AIC_OPERANDS_MAX];
    (void)aic_spec_operands_of(run->tracer.spec, run->tracer.semantics, operands);
    const size_t cells = (size_t)(operands[SRC].elements / CELL_BITS + 1);
    if (!reads_once(run->tracer.spec)) {
        return AIC_OK;
    }
    run->tracer.seen = calloc(cells, sizeof *run->tracer.seen);
    return run->tracer.seen ? AIC_OK : aic_fail_memory("diagnose", cells * sizeof *run->tracer.seen);
}

static void diagnose(aic_trace_run *run, aic_finding *findings)
{
    const aic_dtype dtype = run->output.dtype;
    const bool floats = dtype == AIC_FLOAT16 || dtype == AIC_BFLOAT16 || dtype == AIC_FLOAT32;
    for (int64_t i = 0; i < run->output.elements; i++) {
        aic_tracer *t = &run->tracer;
        uint64_t bits = 0;
        aic_trace_all(run, i, &bits);
        const bool written = (t->events >> AIC_EVENT_UNWRITTEN & 1) == 0;
        aic_trace_event(t, AIC_EVENT_NOT_FINITE, written && floats && !isfinite(aic_element_value(dtype, &bits)));
        findings[i] = (aic_finding){.events = t->events, .channel = (int32_t)t->channel};
    }
}

aic_status aic_diagnose(const aic_spec *spec, const aic_semantics *semantics, void *const operands[], size_t count,
                        aic_finding *findings)
{
    aic_semantics own;
    aic_spec resolved = {.count = 0};
    aic_trace_run run;
    semantics = aic_semantics_of(semantics, &own);
    aic_status status = aic_rule_given("findings", findings);
    status = status == AIC_OK ? aic_spec_check_call(spec, semantics, operands, count, &resolved) : status;
    if (status != AIC_OK) {
        return status;
    }
    aic_trace_open(&run, &resolved, semantics, operands);
    status = open_seen(&run);
    if (status == AIC_OK) {
        aic_neutral callers;
        aic_neutral_enter(&callers);
        diagnose(&run, findings);
        aic_neutral_leave(&callers);
    }
    free(run.tracer.seen);
    return status;
}
