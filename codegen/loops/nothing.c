/* The shape of descriptors that ask for nothing: kernels that return at once. */
#include "codegen/generator.h"

static void candidates(const aic_work *work, const aic_target *target, aic_candidates *list)
{
    (void)work;
    (void)target;
    const aic_schedule only = {.rows = 1, .cols = 1, .vectors = 1, .unroll = 1, .band = 1};
    aic_candidates_add(list, &only, 0);
}

static double bound(const aic_work *work, const aic_target *target)
{
    (void)work;
    (void)target;
    return 0;
}

/* Any schedule does nothing equally well. */
static aic_status check(const aic_work *work, const aic_target *target, const aic_schedule *schedule, aic_sizes *sizes)
{
    (void)work;
    (void)target;
    (void)schedule;
    *sizes = (aic_sizes){.workspace_bytes = 0};
    return AIC_OK;
}

static aic_status emit(aic_emit *e, const aic_work *work, const aic_schedule *schedule, const char *symbol)
{
    static const char *const FORMS[] = {"", "_packed"};
    (void)work;
    (void)schedule;
    for (int i = 0; i < 2; i++) {
        char name[160];
        snprintf(name, sizeof name, "%s%s", symbol, FORMS[i]);
        aic_emit_function(e, name, true, NULL, 0, 0); /* the caller's arguments stay unread */
        aic_emit_function_end(e);
    }
    return AIC_OK;
}

static void report(FILE *out, const aic_work *work, const aic_target *target, const aic_schedule *schedule)
{
    (void)work;
    (void)target;
    (void)schedule;
    fprintf(out, "nothing to do: a size is 0\n");
}

const aic_shape aic_shape_nothing = {candidates, bound, check, emit, report};
