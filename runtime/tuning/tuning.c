/* Applying tuning files; see tuning.h. */
#include "runtime/tuning/tuning.h"
#include "codegen/target/host.h"
#include "frontend/core/diag.h"
#include "frontend/core/structure.h"
#include "runtime/generator/generator.h"
#include "runtime/tuning/tune_file.h"

#include <stdlib.h>
#include <string.h>

const char aic_origin_default[] = "default", aic_origin_tuned[] = "tuned", aic_origin_given[] = "given";

struct aic_tuning {
    char *path;
    aic_tune_file file; /* the usable records only */
    aic_tuning_info info;
};

void aic_tuning_free(aic_tuning *tuning)
{
    if (tuning != NULL) {
        aic_tune_file_free(&tuning->file);
        free(tuning->path);
        free(tuning);
    }
}

const char *aic_tuning_path(const aic_tuning *tuning)
{
    return tuning != NULL ? tuning->path : NULL;
}

/* Leaves the records of this machine and these versions; none where lines are damaged. */
static void keep_usable(aic_tuning *tuning, const aic_machine *machine)
{
    aic_tune_file *file = &tuning->file;
    char host[AIC_TUNE_HOST_MAX];
    size_t kept = 0;
    aic_tune_host(machine, host);
    tuning->info = (aic_tuning_info){.path = tuning->path, .records = file->count, .damaged = file->damaged};
    for (size_t i = 0; i < file->count; i++) {
        if (file->damaged == 0 && aic_tune_record_is_usable(&file->record[i], host)) {
            file->record[kept++] = file->record[i];
        } else {
            aic_tune_record_free(&file->record[i]);
        }
    }
    file->count = tuning->info.usable = kept;
    if (file->damaged > 0) {
        aic_warn("tuning file", "\"%s\": %zu lines are damaged, the first is line %zu; none of its records is used",
                 tuning->path, file->damaged, file->first_damaged);
    }
}

aic_status aic_tuning_open(const char *path, const aic_machine *machine, aic_tuning **tuning)
{
    *tuning = NULL;
    if (path == NULL || path[0] == '\0') {
        return AIC_OK;
    }
    aic_tuning *made = calloc(1, sizeof *made);
    if (made != NULL) {
        made->path = strdup(path);
    }
    if (made == NULL || made->path == NULL) {
        free(made);
        return aic_fail_memory("tuning file", sizeof *made + strlen(path) + 1);
    }
    bool exists;
    const aic_status status = aic_tune_file_read(path, &made->file, &exists);
    if (status == AIC_OUT_OF_MEMORY) {
        aic_tuning_free(made);
        return status;
    }
    if (status != AIC_OK) {
        aic_warn(NULL, "%s; no record is used", aic_last_error());
    } else if (!exists) {
        aic_warn("tuning file", "\"%s\" is not there; no record is used", path);
    }
    keep_usable(made, machine);
    *tuning = made;
    return AIC_OK;
}

aic_status aic_tuning_check(const aic_context *context, const aic_spec *spec, const aic_target *target,
                            const aic_tune_record **record)
{
    const aic_problem problem = aic_context_problem(context, spec, target);
    const char *schedule = (*record)->schedule;
    aic_schedule_info info;
    const aic_status status = aic_generator()->plan(&problem, schedule, &info);
    if (status == AIC_OK && !info.is_default) {
        return AIC_OK;
    }
    *record = NULL;
    if (status == AIC_OUT_OF_MEMORY) {
        return status;
    }
    if (status != AIC_OK) {
        aic_warn("tuning file", "\"%s\": %.160s does not fit: %.160s; the default is used", context->tuning->path,
                 schedule, aic_last_error());
    }
    return AIC_OK;
}

aic_status aic_tuning_look_up(const aic_context *context, const aic_spec *spec, const aic_target *target,
                              const aic_tune_record **record)
{
    char *key;
    *record = NULL;
    if (context->tuning == NULL || context->tuning->file.count == 0) {
        return AIC_OK;
    }
    const aic_problem problem = aic_context_problem(context, spec, target);
    aic_status status = aic_tune_key(&problem, context->passes, &key);
    if (status != AIC_OK) {
        return status;
    }
    *record = aic_tune_file_find(&context->tuning->file, key);
    free(key);
    if (*record != NULL && (*record)->schedule == NULL) {
        *record = NULL; /* the default is best */
    }
    return AIC_OK;
}

aic_status aic_tuning_find(const aic_context *context, const aic_spec *spec, const aic_target *target,
                           const aic_tune_record **record)
{
    *record = NULL;
    if (target->arch != aic_host_arch()) {
        return AIC_OK;
    }
    const aic_status status = aic_tuning_look_up(context, spec, target, record);
    return status == AIC_OK && *record != NULL ? aic_tuning_check(context, spec, target, record) : status;
}

aic_status aic_context_tuning(aic_context *context, aic_tuning_info *info)
{
    aic_status status = aic_structure_check("info", info, sizeof *info);
    status = status == AIC_OK ? aic_context_resolve(&context) : status;
    if (status == AIC_OK) {
        const aic_tuning_info made = context->tuning != NULL ? context->tuning->info : (aic_tuning_info){.path = NULL};
        status = aic_structure_give("info", info, &made, sizeof made);
    }
    return status;
}
