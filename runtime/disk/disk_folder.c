/* The folder of the disk cache: whether it may be used, reading files, listing them, the quota; see disk_cache.h. */
#include "frontend/core/list.h"
#include "runtime/disk/disk_cache.h"
#include "runtime/system/open_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    STALE_SECONDS = 3600,   /* files that are being written are younger; times of use need not be more exact */
    FUTURE_SECONDS = 86400, /* a file that was used so much later than now: the clock was wrong */
    FILE_BYTES_MAX = 1 << 28
};

int aic_disk_open_folder(const aic_disk *disk, const char **problem)
{
    struct stat info;
    *problem = NULL;
    const int folder = open(disk->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) {
        *problem = errno == ENOENT ? NULL : strerror(errno);
        return -1;
    }
    *problem = fstat(folder, &info) != 0 ? strerror(errno) : aic_file_distrust(&info);
    if (*problem != NULL) {
        (void)close(folder);
        return -1;
    }
    return folder;
}

/* ---- reading ---- */

/* The time of use is the file's own time, kept to the hour: most hits write nothing. A time in the future is one of a
 * clock that was wrong. */
static void touch_file(int file, const struct stat *info)
{
    const int64_t age = (int64_t)time(NULL) - (int64_t)info->st_mtime;
    if (age > STALE_SECONDS || age < 0) {
        (void)futimens(file, NULL);
    }
}

static const char *read_open_file(int file, const struct stat *info, bool touch, unsigned char **bytes, size_t *size)
{
    if (info->st_size <= 0 || info->st_size > FILE_BYTES_MAX) {
        return "it is no kernel and no part of one";
    }
    const size_t whole = (size_t)info->st_size;
    unsigned char *made = malloc(whole);
    if (made == NULL) {
        return "there is no memory for it";
    }
    if (aic_file_read(file, made, whole, 0) != info->st_size) {
        free(made);
        return "it cannot be read";
    }
    *bytes = made;
    *size = whole;
    if (touch) {
        touch_file(file, info);
    }
    return NULL;
}

const char *aic_disk_read(int folder, const char *name, bool touch, unsigned char **bytes, size_t *size)
{
    struct stat info;
    const char *problem;
    const int file = aic_open_file(folder, name, O_RDONLY, 0, AIC_FILE_TRUSTED, &info, &problem);
    if (file < 0) {
        return problem != NULL ? problem : errno == ENOENT ? "" : strerror(errno);
    }
    problem = read_open_file(file, &info, touch, bytes, size);
    (void)close(file);
    return problem;
}

/* ---- listing ---- */

static const struct {
    const char *prefix, *suffix;
    bool part;
} forms[] = {{"aic_", AIC_DISK_KERNEL, false}, {"part_", AIC_DISK_PART, true}};

/* Whether `name` ends so; with more behind, whether ".kernel." is in it. */
static bool has_suffix(const char *name, const char *suffix, bool more)
{
    const size_t length = strlen(suffix);
    const char *at = strstr(name, suffix);
    while (at != NULL && at[length] != (more ? '.' : '\0')) {
        at = strstr(at + 1, suffix);
    }
    return at != NULL;
}

/* Whether the cache gives files such names: "aic_....kernel", or ".aic_....kernel.PROCESS.NUMBER"; parts likewise. */
static bool is_ours(const char *name, aic_disk_entry *entry)
{
    const size_t hidden = strlen(AIC_DISK_PREFIX);
    entry->finished = strncmp(name, AIC_DISK_PREFIX, hidden) != 0;
    const char *rest = name + (entry->finished ? 0 : hidden);
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        if (strncmp(rest, forms[i].prefix, strlen(forms[i].prefix)) == 0 &&
            has_suffix(rest, forms[i].suffix, !entry->finished)) {
            entry->part = forms[i].part;
            return true;
        }
    }
    return false;
}

static bool add_entry(aic_disk_list *list, const char *name, const struct stat *info, const aic_disk_entry *form)
{
    char *copy = aic_list_grow(&list->entry, list->count, sizeof *list->entry) ? strdup(name) : NULL;
    if (copy == NULL) {
        return false;
    }
    list->entry[list->count++] =
        (aic_disk_entry){copy, (uint64_t)info->st_size, (int64_t)info->st_mtime, form->finished, form->part};
    list->bytes += (uint64_t)info->st_size;
    return true;
}

bool aic_disk_list_read(int folder, aic_disk_list *list)
{
    *list = (aic_disk_list){.count = 0};
    const int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC); /* a stream closes what it is of */
    DIR *names = copy >= 0 ? fdopendir(copy) : NULL;
    if (names == NULL) {
        if (copy >= 0) {
            (void)close(copy);
        }
        return false;
    }
    bool good = true;
    const struct dirent *found;
    while (good && (found = readdir(names)) != NULL) {
        struct stat info;
        aic_disk_entry form;
        if (is_ours(found->d_name, &form) && fstatat(folder, found->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
            !S_ISDIR(info.st_mode)) {
            good = add_entry(list, found->d_name, &info, &form);
        }
    }
    closedir(names);
    if (!good) {
        aic_disk_list_free(list);
    }
    return good;
}

void aic_disk_list_free(aic_disk_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->entry[i].name);
    }
    free(list->entry);
    *list = (aic_disk_list){.count = 0};
}

/* ---- quota ---- */

static int compare_use(const void *a, const void *b)
{
    const aic_disk_entry *left = a, *right = b;
    return left->used != right->used ? (left->used < right->used ? -1 : 1) : strcmp(left->name, right->name);
}

static void remove_entry(int folder, aic_disk_list *list, const aic_disk_entry *entry)
{
    if (unlinkat(folder, entry->name, 0) == 0 || errno == ENOENT) {
        list->bytes -= entry->bytes;
    }
}

void aic_disk_trim(int folder, uint64_t limit)
{
    aic_disk_list list;
    if (!aic_disk_list_read(folder, &list)) {
        return;
    }
    const int64_t now = (int64_t)time(NULL);
    for (size_t i = 0; i < list.count; i++) {
        aic_disk_entry *entry = &list.entry[i];
        if (entry->used > now + FUTURE_SECONDS) {
            entry->used = 0; /* nobody knows when */
        }
        if (!entry->finished && (entry->used < now - STALE_SECONDS)) {
            remove_entry(folder, &list, entry);
            entry->bytes = 0;
        }
        entry->used += entry->part ? STALE_SECONDS : 0; /* as exact as times of use are */
    }
    if (list.bytes > limit) {
        qsort(list.entry, list.count, sizeof list.entry[0], compare_use);
        for (size_t i = 0; i < list.count && list.bytes > limit - limit / 8; i++) {
            if (list.entry[i].finished) {
                remove_entry(folder, &list, &list.entry[i]);
            }
        }
    }
    aic_disk_list_free(&list);
}
