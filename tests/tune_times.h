/* Tuning with times and a clock of the test's own. What a test tunes, by what, and what comes of it is the state of its
 * process. */
#pragma once

#include "frontend/core/stage.h"
#include "runtime/tuning/tune.h"
#include "tests/tune_case.h"

#include <aic/aic.h>
#include <stdbool.h>

#define TUNE_CONV "conv2d(dtype=int8, fm_shape=[1,6,7,32], kernel_shape=[1,3,3,32,32], pad=[1,1,1,1])"

/* Every host runs it, and it has the same schedules everywhere. */
#define TUNE_LEVEL "generic"

extern tune_folder tune_temporary;
extern aic_context *tune_context;
extern aic_spec tune_spec; /* TUNE_CONV, until a test puts another one there */
extern aic_tune_result tune_result;

/* Before a test and after it. */
void tune_setup(void);
void tune_teardown(void);

/* What calls take: `base`, or `fast` with the schedules that contain `pattern`; after `lucky` measurements in all, if
 * it is not 0, all take `base`. A measurement takes `second` of a clock. */
typedef struct tune_times {
    const char *pattern, *wrong; /* results of schedules that contain `wrong` are wrong; NULL: none are */
    double base, fast, noise, second, clock;
    size_t lucky, measured, stop_after;
    char last[AIC_TUNE_SCHEDULE_MAX]; /* text that was verified last */
} tune_times;

tune_times tune_usual_times(void);
aic_tune_options tune_usual_options(tune_times *m);

/* Tunes tune_spec by these times; tune_result has the outcome. tune_by() asserts that it succeeds. */
aic_status tune_try(tune_times *m, const aic_tune_options *options);
void tune_by(tune_times *m, const aic_tune_options *options);

/* ---- contexts that apply the file ---- */

aic_context *tune_context_with(const char *db);

/* The schedule and origin of the kernel that a context with the file makes. */
aic_kernel_info tune_kernel_info(aic_context *of, const char *schedule, char text[AIC_TUNE_SCHEDULE_MAX]);
void tune_default_schedule(char text[AIC_TUNE_SCHEDULE_MAX]);

/* Asserts what a context with the file makes of the specification. */
void tune_check_applied(const char *schedule, const char *origin);
