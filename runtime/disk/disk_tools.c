/* The functions of aic/cache.h. */
#include "codegen/build_name.h"
#include "frontend/core/diag.h"
#include "frontend/core/structure.h"
#include "runtime/disk/disk_cache.h"
#include "runtime/disk/disk_file.h"
#include "runtime/generator/worker.h"
#include "runtime/request/context.h"
#include <aic/cache.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SUBJECT "disk cache"

/* Lists the folder, open; *folder is -1 and the list empty where there is none. */
static aic_status open_list(const aic_disk *disk, int *folder, aic_disk_list *list)
{
    const char *problem = NULL;
    *list = (aic_disk_list){.count = 0};
    *folder = disk->mode == AIC_DISK_OFF ? -1 : aic_disk_open_folder(disk, &problem);
    if (problem == NULL && *folder >= 0 && !aic_disk_list_read(*folder, list)) {
        problem = "it cannot be read";
        (void)close(*folder);
    }
    return problem == NULL ? AIC_OK : aic_fail(AIC_IO, SUBJECT, "\"%s\": %s", disk->folder, problem);
}

static void close_list(int folder, aic_disk_list *list)
{
    aic_disk_list_free(list);
    if (folder >= 0) {
        (void)close(folder);
    }
}

static bool is_current(const char *name)
{
    return strstr(name, aic_build_name) != NULL;
}

static void count_files(const aic_disk *disk, const aic_disk_list *list, aic_disk_cache_info *info)
{
    *info = (aic_disk_cache_info){.size = sizeof *info,
                                  .folder = disk->folder,
                                  .mode = aic_disk_mode_name(disk->mode),
                                  .limit = disk->limit,
                                  .bytes = list->bytes};
    for (size_t i = 0; i < list->count; i++) {
        const aic_disk_entry *entry = &list->entry[i];
        const uint64_t current = entry->finished && is_current(entry->name);
        *(entry->part ? &info->parts : &info->files) += entry->finished;
        *(entry->part ? &info->current_parts : &info->current) += current;
    }
}

/* Tells of one file; returns whether it is in order. */
static bool verify_file(int folder, const aic_disk_entry *entry, aic_disk_cache_report tell, void *user)
{
    const char *name = entry->name;
    unsigned char *bytes = NULL;
    size_t size = 0;
    aic_disk_file file = {.what = {"", 0}};
    const char *problem = aic_disk_read(folder, name, false, &bytes, &size);
    if (problem == NULL) {
        problem = aic_disk_file_read(bytes, size, &file);
    }
    if (problem == NULL && file.part != entry->part) {
        problem = "it is not what its name says";
    }
    char *what = problem == NULL ? strndup(file.what.text, file.what.length) : NULL;
    if (tell != NULL && (problem == NULL || problem[0] != '\0')) {
        tell(user, name, what != NULL ? what : "", problem);
    }
    free(what);
    free(bytes);
    return problem == NULL || problem[0] == '\0'; /* it is there no more */
}

/* What the folder holds; with `read` every file is looked at. */
static aic_status look_at(aic_context *context, bool read, aic_disk_cache_report tell, void *user,
                          aic_disk_cache_info *info)
{
    aic_disk_list list;
    int folder;
    aic_status status = aic_context_resolve(&context);
    if (status == AIC_OK) {
        status = open_list(&context->disk, &folder, &list);
    }
    if (status != AIC_OK) {
        return status;
    }
    count_files(&context->disk, &list, info);
    for (size_t i = 0; read && i < list.count; i++) {
        const aic_disk_entry *entry = &list.entry[i];
        info->refused += entry->finished && !verify_file(folder, entry, tell, user);
    }
    close_list(folder, &list);
    return AIC_OK;
}

static aic_status look(aic_context *context, bool read, aic_disk_cache_report tell, void *user,
                       aic_disk_cache_info *info)
{
    aic_disk_cache_info made = aic_disk_cache_info_init();
    aic_status status = aic_structure_check("info", info, sizeof *info);
    if (status != AIC_OK) {
        return status;
    }
    const int cancellation = aic_cancellation_disable();
    status = look_at(context, read, tell, user, &made);
    aic_cancellation_restore(cancellation);
    return status == AIC_OK ? aic_structure_give("info", info, &made, sizeof made) : status;
}

aic_status aic_disk_cache_stat(aic_context *context, aic_disk_cache_info *info)
{
    return look(context, false, NULL, NULL, info);
}

aic_status aic_disk_cache_verify(aic_context *context, aic_disk_cache_report report, void *user,
                                 aic_disk_cache_info *info)
{
    return look(context, true, report, user, info);
}

static aic_status remove_all(const aic_disk *disk, uint64_t *removed)
{
    aic_disk_list list;
    int folder, error = 0;
    aic_status status = open_list(disk, &folder, &list);
    if (status != AIC_OK) {
        return status;
    }
    for (size_t i = 0; i < list.count; i++) {
        if (unlinkat(folder, list.entry[i].name, 0) == 0) {
            *removed += list.entry[i].finished;
        } else if (errno != ENOENT) {
            error = errno;
        }
    }
    close_list(folder, &list);
    return error == 0 ? AIC_OK : aic_fail(AIC_IO, SUBJECT, "\"%s\": a file stays: %s", disk->folder, strerror(error));
}

aic_status aic_disk_cache_clear(aic_context *context, uint64_t *removed)
{
    uint64_t count = 0;
    const int cancellation = aic_cancellation_disable();
    aic_status status = aic_context_resolve(&context);
    if (status == AIC_OK && context->disk.mode != AIC_DISK_RW) {
        status = aic_fail(AIC_INVALID_ARGUMENT, SUBJECT, "it is %s and cannot be cleared",
                          aic_disk_mode_name(context->disk.mode));
    }
    if (status == AIC_OK) {
        status = remove_all(&context->disk, &count);
    }
    if (removed != NULL) {
        *removed = count;
    }
    aic_cancellation_restore(cancellation);
    return status;
}
