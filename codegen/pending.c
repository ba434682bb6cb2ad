/* Operators whose frontend is there and whose generator is not yet: kernels of them are refused. */
#include "codegen/generator.h"
#include "frontend/diag.h"

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

static aic_status check(const aic_work *work, const aic_target *target, const aic_schedule *schedule, aic_sizes *sizes)
{
    (void)work;
    (void)target;
    (void)schedule;
    (void)sizes;
    return aic_fail(AIC_UNSUPPORTED, NULL, "this operator has a reference but no generator");
}

static void report(FILE *out, const aic_work *work, const aic_target *target, const aic_schedule *schedule)
{
    (void)work;
    (void)target;
    (void)schedule;
    fprintf(out, "no generator\n");
}

static const aic_shape shape_pending = {candidates, bound, check, NULL, report};

static const aic_shape *describe(const void *desc, const aic_semantics *semantics, aic_work *work)
{
    (void)desc;
    (void)semantics;
    (void)work;
    return &shape_pending;
}

#define AIC_PENDING(name) const aic_generator aic_generator_##name = {.describe = describe}
AIC_PENDING(texpands);
