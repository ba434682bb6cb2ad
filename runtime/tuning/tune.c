/* aic_tune() from its arguments to a record; tune_search.c searches. */
#include "runtime/tuning/tune.h"
#include "frontend/core/choice.h"
#include "frontend/core/diag.h"
#include "frontend/core/spec.h"
#include "frontend/core/structure.h"
#include "runtime/generator/worker.h"
#include "runtime/request/schedules.h"
#include "runtime/tuning/tune_file.h"
#include "runtime/tuning/tune_search.h"
#include "runtime/tuning/tuning.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TRIALS_MAX = 1000 };

/* What an effort is where the caller does not say. */
static const struct {
    double budget;
    int64_t trials;
} EFFORTS[] = {
    [AIC_TUNE_EFFORT_ESTIMATE] = {0, 0}, [AIC_TUNE_EFFORT_MEASURE] = {5, 64}, [AIC_TUNE_EFFORT_PATIENT] = {60, 256}};

void aic_tune_result_destroy(aic_tune_result *result)
{
    if (result != NULL) {
        free(result->candidate);
        const aic_tune_result empty = aic_tune_result_init();
        (void)aic_structure_give("result", result, &empty, sizeof empty);
    }
}

/* Checks the options and fills in what they leave to the effort. */
static aic_status complete_options(const aic_context *context, aic_tune_options *o)
{
    if ((unsigned)o->effort > AIC_TUNE_EFFORT_PATIENT) {
        return aic_fail(AIC_INVALID_ARGUMENT, "tune", "effort = %d is outside 0..%d", (int)o->effort,
                        AIC_TUNE_EFFORT_PATIENT);
    }
    if (isnan(o->budget) || isinf(o->budget)) {
        return aic_fail(AIC_INVALID_ARGUMENT, "tune", "budget = %f is no number of seconds", o->budget);
    }
    if (o->trials > TRIALS_MAX) {
        return aic_fail(AIC_INVALID_ARGUMENT, "tune", "trials = %lld is above %d", (long long)o->trials, TRIALS_MAX);
    }
    const bool estimate = o->effort == AIC_TUNE_EFFORT_ESTIMATE;
    o->budget = o->budget < 0 || estimate ? EFFORTS[o->effort].budget : o->budget;
    o->trials = o->trials < 0 || estimate ? EFFORTS[o->effort].trials : o->trials;
    o->db = o->db == NULL ? aic_tuning_path(context->tuning) : o->db;
    o->db = o->db != NULL && o->db[0] == '\0' ? NULL : o->db;
    return AIC_OK;
}

/* ---- the file ---- */

/* Looks the key up. *known: the file has a record that makes a search needless; *found is a copy of its facts. */
static aic_status look_up(const aic_tune_options *o, const char *key, bool *known, aic_tune_result *result)
{
    aic_tune_file file;
    bool exists;
    *known = false;
    aic_status status = o->db == NULL ? AIC_OK : aic_tune_file_read(o->db, &file, &exists);
    if (o->db == NULL || status != AIC_OK) {
        return status;
    }
    const aic_tune_record *record = file.damaged == 0 ? aic_tune_file_find(&file, key) : NULL;
    if (file.damaged > 0) {
        aic_warn("tuning file", "\"%s\": %zu lines are damaged, the first is line %zu; none of its records is used",
                 o->db, file.damaged, file.first_damaged);
    }
    if (record != NULL && record->effort >= (int)o->effort && !o->again) {
        *known = true;
        result->gain = record->schedule != NULL ? record->standard.median / record->tuned.median : 1;
        (void)snprintf(result->schedule, sizeof result->schedule, "%s",
                       record->schedule != NULL ? record->schedule : "");
    }
    aic_tune_file_free(&file);
    return AIC_OK;
}

static aic_tune_time time_of(const aic_racer *racer)
{
    return (aic_tune_time){racer->median, racer->low, racer->high};
}

/* Writes what the search has found; that it has found nothing only if it had the time to say so. */
static aic_status write_record(const aic_tune_search *s, const char *key, bool *recorded)
{
    const aic_tune_options *o = s->options;
    const size_t winner = s->winner;
    if (o->db == NULL || (winner == 0 && (s->stopped || !s->measured))) {
        return AIC_OK;
    }
    const aic_tune_time tuned = time_of(&s->racer[winner]), standard = time_of(&s->racer[0]);
    const char *schedule = winner != 0 ? s->space.entry[s->entry[winner].in_space].text : NULL;
    aic_tune_record record;
    aic_tune_file added = {.count = 0};
    aic_status status =
        aic_tune_record_make(key, s->stopped ? -1 : (int)o->effort, schedule, &tuned, &standard, &record);
    status = status == AIC_OK ? aic_tune_file_add(&added, &record) : status;
    status = status == AIC_OK ? aic_tune_file_merge(o->db, &added, AIC_TUNE_PATIENCE, NULL) : status;
    *recorded = status == AIC_OK;
    return status;
}

/* ---- the search ---- */

/* Searches and fills in the result but for its list of candidates and for what is recorded. */
static aic_status run(aic_tune_search *s, aic_tune_result *result)
{
    aic_status status = aic_tune_search_run(s);
    if (status == AIC_OK) {
        status = aic_tune_search_judge(s);
    }
    const size_t winner = s->winner;
    for (size_t i = 0; i < s->count; i++) {
        result->measured += s->racer[i].samples > 0;
    }
    const bool compared = result->measured > 1 || s->space.count == 1;
    result->outcome = winner != 0 ? AIC_TUNE_OUTCOME_FASTER
                      : compared  ? AIC_TUNE_OUTCOME_DEFAULT
                                  : AIC_TUNE_OUTCOME_UNMEASURED;
    result->gain = winner != 0 ? s->racer[0].median / s->racer[winner].median : 1;
    result->stopped = s->stopped;
    memcpy(result->schedule, s->space.entry[s->entry[winner].in_space].text, sizeof result->schedule);
    return status;
}

/* Whether a record can be written, before a budget is spent: to the file, if it is there, and to the folder where it
 * is, in which a new file takes its place. */
static aic_status check_writable(const char *db)
{
    if (db == NULL) {
        return AIC_OK;
    }
    char *real = realpath(db, NULL);
    if (real == NULL ? errno != ENOENT : access(real, W_OK) != 0) {
        const int error = errno;
        free(real);
        return aic_tune_fail_open(db, "written", error, NULL);
    }
    const char *path = real != NULL ? real : db, *name = strrchr(path, '/');
    char *folder = name == NULL ? strdup(".") : strndup(path, (size_t)(name - path) + 1);
    free(real);
    if (folder == NULL) {
        return aic_fail_memory("tuning file", strlen(db));
    }
    const int error = access(folder, W_OK | X_OK) == 0 ? 0 : errno;
    free(folder);
    return error == 0 ? AIC_OK : aic_tune_fail_open(db, "written", error, NULL);
}

static aic_status search(const aic_context *context, const aic_spec *resolved, const aic_tune_options *o,
                         const aic_tune_machine_hooks *hooks, const char *key, aic_tune_result *result)
{
    aic_tune_search s;
    aic_status status = aic_tune_search_open(&s, context, resolved, o, hooks);
    if (status == AIC_OK) {
        result->legal = s.space.count;
        result->outcome = AIC_TUNE_OUTCOME_UNMEASURED;
        if (o->budget > 0 && o->trials > 1) {
            status = check_writable(o->db);
            status = status == AIC_OK ? run(&s, result) : status;
        }
    }
    if (status == AIC_OK) {
        status = aic_tune_search_list(&s, &result->candidate, &result->count);
        result->seconds = aic_tune_search_elapsed(&s);
    }
    for (size_t i = 0; status == AIC_OK && result->schedule[0] == '\0' && i < result->count; i++) {
        if (result->candidate[i].is_default) {
            memcpy(result->schedule, result->candidate[i].schedule, sizeof result->schedule);
        }
    }
    /* Last: a search that fails leaves no record. */
    if (status == AIC_OK && result->outcome != AIC_TUNE_OUTCOME_UNMEASURED && s.racer[0].samples > 0) {
        status = write_record(&s, key, &result->recorded);
    }
    aic_tune_search_close(&s);
    return status;
}

/* Puts the default rule's schedule into a result that knows none. */
static aic_status put_default(const aic_context *context, const aic_spec *resolved, aic_tune_result *result)
{
    aic_schedule_info info;
    const aic_status status = aic_schedule_resolve(context, resolved, NULL, &info);
    if (status == AIC_OK) {
        memcpy(result->schedule, info.text, sizeof result->schedule);
    }
    return status;
}

static aic_status tune(const aic_context *context, const aic_spec *resolved, const aic_tune_options *o,
                       const aic_tune_machine_hooks *hooks, aic_tune_result *result)
{
    char *key;
    bool known = false;
    aic_spec canonical = *resolved;
    aic_spec_canonicalise(&canonical, &context->semantics);
    const aic_problem problem = aic_context_problem(context, &canonical, context->target);
    aic_status status = aic_tune_key(&problem, context->passes, &key);
    if (status != AIC_OK) {
        return status;
    }
    status = look_up(o, key, &known, result);
    if (status == AIC_OK && known) {
        result->outcome = AIC_TUNE_OUTCOME_KNOWN;
        status = result->schedule[0] == '\0' ? put_default(context, resolved, result) : AIC_OK;
    } else if (status == AIC_OK) {
        status = search(context, resolved, o, hooks, key, result);
    }
    free(key);
    return status;
}

static aic_status check_and_tune(aic_context *context, const aic_spec *spec, const aic_tune_options *options,
                                 const aic_tune_machine_hooks *hooks, aic_tune_result *result)
{
    aic_tune_options o = aic_tune_options_init();
    aic_tune_result made = {.size = sizeof made, .gain = 1};
    aic_spec resolved;
    aic_status status = options != NULL ? aic_structure_take("options", options, &o, sizeof o) : AIC_OK;
    status = status == AIC_OK ? aic_structure_check("result", result, sizeof *result) : status;
    status = status == AIC_OK ? aic_context_resolve(&context) : status;
    status = status == AIC_OK ? complete_options(context, &o) : status;
    status = status == AIC_OK ? aic_spec_resolve(spec, &context->semantics, &resolved) : status;
    status = status == AIC_OK ? aic_choices_check(&resolved, &context->semantics) : status;
    status = status == AIC_OK ? tune(context, &resolved, &o, hooks, &made) : status;
    if (status != AIC_OK) {
        aic_tune_result_destroy(&made);
        return status;
    }
    return aic_structure_give("result", result, &made, sizeof made);
}

aic_status aic_tune_with(aic_context *context, const aic_spec *spec, const aic_tune_options *options,
                         const aic_tune_machine_hooks *hooks, aic_tune_result *result)
{
    if (spec == NULL || result == NULL) {
        return aic_fail(AIC_INVALID_ARGUMENT, spec == NULL ? "spec" : "result", "is NULL");
    }
    const int cancellation = aic_cancellation_disable();
    const aic_status status = check_and_tune(context, spec, options, hooks, result);
    aic_cancellation_restore(cancellation);
    return status;
}

aic_status aic_tune(aic_context *context, const aic_spec *spec, const aic_tune_options *options,
                    aic_tune_result *result)
{
    return aic_tune_with(context, spec, options, NULL, result);
}

/* ---- merging ---- */

/* Adds the records of a file, which must be whole. */
static aic_status add_file(const char *path, aic_tune_file *all)
{
    aic_tune_file file;
    bool exists;
    aic_status status = aic_tune_file_read(path, &file, &exists);
    if (status == AIC_OK && !exists) {
        status = aic_fail(AIC_INVALID_ARGUMENT, "tuning file", "\"%s\" is not there", path);
    }
    if (status == AIC_OK && file.damaged > 0) {
        status = aic_fail(AIC_INVALID_ARGUMENT, "tuning file",
                          "\"%s\": line %zu is damaged, and %zu in all; nothing "
                          "is merged",
                          path, file.first_damaged, file.damaged);
    }
    for (size_t i = 0; status == AIC_OK && i < file.count; i++) {
        status = aic_tune_file_add(all, &file.record[i]);
    }
    aic_tune_file_free(&file);
    return status;
}

static aic_status merge(const char *const *inputs, size_t count, const char *output, size_t *records)
{
    aic_tune_file all = {.count = 0};
    aic_status status = AIC_OK;
    for (size_t i = 0; i < count && status == AIC_OK; i++) {
        status = inputs[i] != NULL ? add_file(inputs[i], &all)
                                   : aic_fail(AIC_INVALID_ARGUMENT, "inputs", "entry %zu is NULL", i);
    }
    if (status == AIC_OK) {
        status = aic_tune_file_merge(output, &all, AIC_TUNE_PATIENCE, records);
    }
    aic_tune_file_free(&all);
    return status;
}

aic_status aic_tune_merge(const char *const *inputs, size_t count, const char *output, size_t *records)
{
    if ((inputs == NULL && count > 0) || output == NULL) {
        return aic_fail(AIC_INVALID_ARGUMENT, output == NULL ? "output" : "inputs", "is NULL");
    }
    const int cancellation = aic_cancellation_disable();
    const aic_status status = merge(inputs, count, output, records);
    aic_cancellation_restore(cancellation);
    return status;
}
