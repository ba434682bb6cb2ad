/* Inside of aic_tune(); see aic/tune.h. */
#pragma once

#include <aic/tune.h>

/* What a search takes from the machine, so that a test can put its own in the place: then nothing depends on how long
 * anything takes. */
typedef struct aic_tune_machine_hooks {
    double (*measure)(void *user, const char *schedule); /* nanoseconds of one call; NULL: calls are measured */
    double (*now)(void *user);                           /* seconds; NULL: a clock */
    bool (*verify)(void *user, const char *schedule);    /* whether results are right; NULL: they are compared */
    void *user;
} aic_tune_machine_hooks;

/* aic_tune() with these; NULL: the machine's. */
aic_status aic_tune_with(aic_context *context, const aic_spec *spec, const aic_tune_options *options,
                         const aic_tune_machine_hooks *hooks, aic_tune_result *result);
