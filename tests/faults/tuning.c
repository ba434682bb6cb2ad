/* Tasks of tuning: searches by estimates and by measurements, files of records. */
#include "frontend/core/spec.h"
#include "runtime/tuning/tune.h"
#include "runtime/tuning/tune_file.h"
#include "tests/faults/calls.h"
#include "tests/faults/scenarios.h"
#include "tests/faults/task.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *merged_before; /* what is in the file that is merged into */

aic_status tuning_merge(const char **wrong)
{
    const char *const inputs[] = {task_path.tuning};
    size_t records = 0;
    calls_pause(true);
    task_write_text(task_path.merged, merged_before);
    calls_pause(false);
    const aic_status status = aic_tune_merge(inputs, 1, task_path.merged, &records);
    calls_pause(true);
    char *after = task_read_text(task_path.merged);
    const bool same = after != NULL && strcmp(merged_before, after) == 0;
    if (status == AIC_OK ? records != 2 || same : !same) {
        *wrong = "a merge that failed has changed the file, or one that did not is incomplete";
    }
    free(after);
    calls_pause(false);
    return status;
}

aic_status tuning_estimate(const char **wrong)
{
    aic_context *context;
    aic_spec spec;
    aic_tune_options options = aic_tune_options_init();
    aic_tune_result result = aic_tune_result_init();
    options.effort = AIC_TUNE_EFFORT_ESTIMATE;
    options.db = "";
    aic_status status = task_context(NULL, NULL, 0, 1, &context);
    status = status == AIC_OK ? aic_spec_read(TASK_MOVE, &spec) : status;
    status = status == AIC_OK ? aic_tune(context, &spec, &options, &result) : status;
    *wrong = status == AIC_OK && result.count == 0 ? "a search without schedules" : *wrong;
    aic_tune_result_destroy(&result);
    aic_context_destroy(context);
    return status;
}

/* A machine on which every schedule but the default's, which is measured first, takes half of its time. */
typedef struct pretence {
    const char *standard;
    double seconds;
} pretence;

static double pretend_time(void *user, const char *schedule)
{
    pretence *p = user;
    p->standard = p->standard == NULL ? schedule : p->standard;
    return strcmp(p->standard, schedule) == 0 ? 1000 : 500;
}

static double pretend_clock(void *user)
{
    pretence *p = user;
    return p->seconds += 1e-6;
}

/* Whether the file has as many records as it should. */
static bool has_records(const char *path, size_t count)
{
    aic_tune_file file;
    bool exists;
    const bool read = aic_tune_file_read(path, &file, &exists) == AIC_OK;
    const bool right = read && file.count == count && file.damaged == 0;
    if (read) {
        aic_tune_file_free(&file);
    }
    return right;
}

/* Candidates that cannot be made take no part, so that failures need not be the search's. */
aic_status tuning_measure(const char **wrong)
{
    aic_context *context;
    aic_spec spec;
    pretence p = {.standard = NULL};
    const aic_tune_machine_hooks hooks = {.measure = pretend_time, .now = pretend_clock, .user = &p};
    aic_tune_options options = aic_tune_options_init();
    aic_tune_result result = aic_tune_result_init();
    options.trials = 2;
    options.db = task_path.tuned;
    calls_pause(true);
    (void)unlink(task_path.tuned);
    calls_pause(false);
    aic_status status = task_context(NULL, NULL, 0, 1, &context);
    status = status == AIC_OK ? aic_spec_read(TASK_MOVE, &spec) : status;
    status = status == AIC_OK ? aic_tune_with(context, &spec, &options, &hooks, &result) : status;
    calls_pause(true);
    if (!has_records(task_path.tuned, result.recorded ? 1 : 0)) {
        *wrong = "the file has not what the result says";
    }
    if (status == AIC_OK && (result.outcome == AIC_TUNE_OUTCOME_FASTER) != (result.gain > 1.9)) {
        *wrong = "a winner that gains nothing";
    }
    if (status == AIC_OK && calls_failed() == NULL && !result.recorded) {
        *wrong = "nothing is recorded though nothing failed";
    }
    calls_pause(false);
    aic_tune_result_destroy(&result);
    aic_context_destroy(context);
    return status;
}

/* Puts a record of this product into a tuning file: the default is its best schedule. */
static bool put_record(const char *path, const char *text)
{
    const aic_semantics semantics = aic_semantics_init();
    const aic_tune_time time = {1000, 990, 1010};
    aic_spec spec, resolved;
    aic_tune_record record;
    aic_tune_file file = {.count = 0};
    char *key = NULL;
    const aic_problem problem = {&resolved, &semantics, aic_target_find(AIC_ARCH_X86_64, "avx2"),
                                 aic_machine_of(aic_host_this()->core)};
    const bool good =
        aic_spec_read(text, &spec) == AIC_OK && aic_spec_resolve_kernel(&spec, &semantics, &resolved) == AIC_OK &&
        aic_tune_key(&problem, NULL, &key) == AIC_OK &&
        aic_tune_record_make(key, AIC_TUNE_EFFORT_MEASURE, NULL, &time, &time, &record) == AIC_OK &&
        aic_tune_file_add(&file, &record) == AIC_OK && aic_tune_file_merge(path, &file, 5, NULL) == AIC_OK;
    aic_tune_file_free(&file);
    free(key);
    return good;
}

bool tuning_open(void)
{
    if (!put_record(task_path.tuning, TASK_PRODUCT) ||
        !put_record(task_path.merged, "mmad(dtype=int8, m=32, n=16, k=32)")) {
        return false;
    }
    merged_before = task_read_text(task_path.merged);
    return merged_before != NULL;
}

void tuning_close(void)
{
    free(merged_before);
}
