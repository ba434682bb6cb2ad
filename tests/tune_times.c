/* Tuning with times and a clock of the test's own; see tune_times.h. */
#include "tests/tune_times.h"
#include "frontend/core/stage.h"
#include "tests/specs.h"
#include "tools/harness/rng.h"

#include <aic/tool.h>
#include <check.h>
#include <stdio.h>
#include <string.h>

tune_folder tune_temporary;
aic_context *tune_context;
aic_spec tune_spec;
aic_tune_result tune_result;

static double measure(void *user, const char *schedule)
{
    tune_times *m = user;
    uint64_t state = m->measured++;
    m->clock += m->second;
    const double noise = 1 + m->noise * (double)rng_range(&state, -1000, 1000) / 1000;
    const bool fast = m->pattern != NULL && strstr(schedule, m->pattern) != NULL;
    return (fast && (m->lucky == 0 || m->measured <= m->lucky) ? m->fast : m->base) * noise;
}

static double now(void *user)
{
    return ((const tune_times *)user)->clock;
}

static bool verify(void *user, const char *schedule)
{
    tune_times *m = user;
    snprintf(m->last, sizeof m->last, "%s", schedule);
    return m->wrong == NULL || strstr(schedule, m->wrong) == NULL;
}

static bool progress(void *user, const aic_tune_result *so_far, double left)
{
    const tune_times *m = user;
    ck_assert(left >= 0);
    for (size_t i = 0; i < so_far->count; i++) {
        ck_assert_uint_gt(strlen(so_far->candidate[i].schedule), 9);
    }
    return m->stop_after == 0 || m->measured < m->stop_after;
}

tune_times tune_usual_times(void)
{
    return (tune_times){.pattern = "cols=3,", .base = 100, .fast = 80, .noise = 0.01, .second = 1e-3};
}

aic_tune_options tune_usual_options(tune_times *m)
{
    aic_tune_options options = aic_tune_options_init();
    options.db = tune_temporary.file;
    options.trials = 16;
    options.progress = progress;
    options.user = m;
    return options;
}

aic_status tune_try(tune_times *m, const aic_tune_options *options)
{
    const aic_tune_machine_hooks hooks = {measure, now, verify, m};
    aic_tune_result_destroy(&tune_result);
    tune_result = aic_tune_result_init();
    return aic_tune_with(tune_context, &tune_spec, options, &hooks, &tune_result);
}

void tune_by(tune_times *m, const aic_tune_options *options)
{
    ck_assert_msg(tune_try(m, options) == AIC_OK, "%s", aic_last_error());
}

void tune_setup(void)
{
    aic_context_options options = aic_context_options_init();
    options.isa = TUNE_LEVEL;
    options.tuning_db = "";
    tune_folder_open(&tune_temporary);
    tune_spec = spec_of(TUNE_CONV);
    ck_assert_int_eq(aic_context_create(&options, &tune_context), AIC_OK);
}

void tune_teardown(void)
{
    aic_tune_machine_suppose(NULL);
    aic_tune_result_destroy(&tune_result);
    aic_context_destroy(tune_context);
    tune_folder_close(&tune_temporary);
}

aic_context *tune_context_with(const char *db)
{
    aic_context_options options = aic_context_options_init();
    aic_context *made;
    options.isa = TUNE_LEVEL;
    options.tuning_db = db;
    ck_assert_int_eq(aic_context_create(&options, &made), AIC_OK);
    return made;
}

aic_kernel_info tune_kernel_info(aic_context *of, const char *schedule, char text[AIC_TUNE_SCHEDULE_MAX])
{
    aic_kernel *kernel;
    aic_kernel_info info = aic_kernel_info_init();
    ck_assert_msg(aic_kernel_create(of, &tune_spec, schedule, &kernel) == AIC_OK, "%s", aic_last_error());
    ck_assert_int_eq(aic_kernel_get_info(kernel, &info), AIC_OK);
    snprintf(text, AIC_TUNE_SCHEDULE_MAX, "%s", info.schedule);
    aic_kernel_destroy(kernel);
    return info;
}

void tune_default_schedule(char text[AIC_TUNE_SCHEDULE_MAX])
{
    ck_assert_int_eq(aic_schedule_candidate(tune_context, &tune_spec, 0, text, AIC_TUNE_SCHEDULE_MAX), AIC_OK);
}

void tune_check_applied(const char *schedule, const char *origin)
{
    char text[AIC_TUNE_SCHEDULE_MAX];
    aic_context *of = tune_context_with(tune_temporary.file);
    const aic_kernel_info info = tune_kernel_info(of, NULL, text);
    ck_assert_str_eq(info.origin, origin);
    ck_assert_str_eq(text, schedule);
    aic_context_destroy(of);
}
