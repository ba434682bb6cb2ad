/* Kernels in files: which folder, reading, writing; see disk_cache.h. */
#include "runtime/disk/disk_cache.h"
#include "codegen/build_name.h"
#include "frontend/core/bytes.h"
#include "frontend/core/diag.h"
#include "runtime/disk/disk_file.h"
#include "runtime/observe/log.h"
#include "runtime/system/environment.h"
#include "runtime/system/hold_signals.h"
#include "runtime/system/replace_file.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SUBJECT "disk cache"

enum {
    NAME_BYTES = 256,
    CHECKS = 32 /* looks at the quota while as many bytes are written as it allows */
};

#define LIMIT_BYTES (UINT64_C(1) << 29) /* by default */

/* ---- configuration ---- */

static const char *const mode_name[] = {[AIC_DISK_OFF] = "off", [AIC_DISK_RO] = "ro", [AIC_DISK_RW] = "rw"};

const char *aic_disk_mode_name(aic_disk_mode mode)
{
    return mode_name[mode];
}

static aic_status choose_mode(const char *option, aic_disk_mode *mode)
{
    const char *text = option != NULL ? option : aic_environment("AIC_CACHE");
    for (*mode = AIC_DISK_OFF; *mode <= AIC_DISK_RW; (*mode)++) {
        if (strcmp(text != NULL ? text : "rw", mode_name[*mode]) == 0) {
            return AIC_OK;
        }
    }
    return aic_fail(AIC_INVALID_ARGUMENT, option != NULL ? "cache" : "AIC_CACHE", "\"%.80s\" is none of off, ro, rw",
                    text);
}

/* "FIRST/SECOND", malloc'ed; NULL: no memory. */
static char *join(const char *first, const char *second)
{
    char *path = malloc(strlen(first) + strlen(second) + 2);
    if (path != NULL) {
        sprintf(path, "%s/%s", first, second);
    }
    return path;
}

/* A relative name means the folder that it means now. */
static char *absolute(const char *folder)
{
    char *here = folder[0] != '/' ? realpath(".", NULL) : NULL;
    char *path = here != NULL ? join(here, folder) : strdup(folder);
    free(here);
    return path;
}

/* The user's cache directory; NULL: the process has none. */
static const char *user_folder(const char **rest)
{
    const char *cache = aic_environment("XDG_CACHE_HOME"), *home = aic_environment("HOME");
    *rest = cache != NULL && cache[0] == '/' ? "aicjit" : ".cache/aicjit";
    const char *folder = cache != NULL && cache[0] == '/' ? cache : home;
    return folder != NULL && folder[0] == '/' ? folder : NULL;
}

aic_status aic_disk_configure(aic_disk *disk, const aic_context_options *options)
{
    const char *rest, *named = options->cache_dir != NULL ? options->cache_dir : aic_environment("AIC_CACHE_DIR");
    const char *users = user_folder(&rest);
    *disk = (aic_disk){.named = named != NULL, .limit = options->cache_disk_bytes};
    disk->limit = disk->limit == 0 ? LIMIT_BYTES : disk->limit;
    aic_status status = choose_mode(options->cache, &disk->mode);
    if (status != AIC_OK) {
        return status;
    }
    disk->ready_made = disk->mode != AIC_DISK_OFF;
    if (named != NULL ? named[0] == '\0' : users == NULL) {
        disk->mode = AIC_DISK_OFF;
    }
    if (disk->mode != AIC_DISK_OFF) {
        disk->folder = named != NULL ? absolute(named) : join(users, rest);
        status = disk->folder != NULL ? AIC_OK : aic_fail_memory(SUBJECT, 0);
    }
    return status;
}

void aic_disk_free(aic_disk *disk)
{
    free(disk->folder);
    disk->folder = NULL;
}

/* ---- reports ---- */

/* A file that is refused, or a folder that was named. */
static void report(const aic_disk *disk, const char *name, const char *problem)
{
    aic_warn(SUBJECT, "\"%s%s%s\" is not used: %s", disk->folder, name != NULL ? "/" : "", name != NULL ? name : "",
             problem);
    if (disk->verbose) {
        aic_log(1, "disk cache: %s%s%s is not used: %s", disk->folder, name != NULL ? "/" : "",
                name != NULL ? name : "", problem);
    }
}

/* What the user cannot mend is logged only, with AIC_VERBOSE. */
static void report_write(const aic_disk *disk, const char *problem)
{
    if (disk->verbose) {
        aic_log(1, "disk cache: cannot write to %s: %s", disk->folder, problem);
    }
}

static int open_folder(const aic_disk *disk)
{
    const char *problem;
    const int folder = aic_disk_open_folder(disk, &problem);
    if (folder < 0 && problem != NULL && disk->named) {
        report(disk, NULL, problem);
    }
    return folder;
}

static void name_file(const aic_identity *identity, char name[NAME_BYTES])
{
    snprintf(name, NAME_BYTES, "%s-%s" AIC_DISK_KERNEL, identity->symbol, aic_build_name);
}

static uint64_t name_part(const aic_part_identity *identity, char name[NAME_BYTES])
{
    const uint64_t hash = aic_hash_bytes(identity->bytes, identity->size);
    snprintf(name, NAME_BYTES, "part_%016" PRIx64 "-%s" AIC_DISK_PART, hash, aic_build_name);
    return hash;
}

/* ---- reading ---- */

/* Reads a file whole; NULL: there is none that can be used. Then, as after refuse(), there was a report if need be. */
static unsigned char *read_file(const aic_disk *disk, const char *name, size_t *size)
{
    unsigned char *bytes = NULL;
    const int folder = disk->mode != AIC_DISK_OFF ? open_folder(disk) : -1;
    if (folder < 0) {
        return NULL;
    }
    const char *problem = aic_disk_read(folder, name, disk->mode == AIC_DISK_RW, &bytes, size);
    (void)close(folder);
    if (problem != NULL && problem[0] != '\0') {
        report(disk, name, problem);
    }
    return problem == NULL ? bytes : NULL;
}

/* Ends the reading of a file; whether it is in order. */
static bool accept(const aic_disk *disk, const char *name, unsigned char *bytes, const char *problem)
{
    free(bytes);
    if (problem != NULL) {
        report(disk, name, problem);
    }
    return problem == NULL;
}

bool aic_disk_load(const aic_disk *disk, const aic_identity *identity, aic_object *object)
{
    char name[NAME_BYTES];
    size_t size = 0;
    name_file(identity, name);
    unsigned char *bytes = read_file(disk, name, &size);
    return bytes != NULL && accept(disk, name, bytes, aic_disk_file_object(bytes, size, identity, object));
}

bool aic_disk_load_part(const aic_disk *disk, const aic_part_identity *identity, aic_piece *piece)
{
    char name[NAME_BYTES];
    size_t size = 0;
    (void)name_part(identity, name);
    unsigned char *bytes = read_file(disk, name, &size);
    return bytes != NULL && accept(disk, name, bytes, aic_disk_file_piece(bytes, size, identity, piece));
}

bool aic_disk_has_part(const aic_disk *disk, const aic_part_identity *identity)
{
    char name[NAME_BYTES];
    const char *problem;
    struct stat info;
    const int folder = disk->mode != AIC_DISK_OFF ? aic_disk_open_folder(disk, &problem) : -1;
    if (folder < 0) {
        return false;
    }
    (void)name_part(identity, name);
    const bool has = fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) == 0;
    (void)close(folder);
    return has;
}

/* ---- writing ---- */

/* Makes the folder and those that it is in, for the user alone. */
static void make_folders(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(path, 0700);
        *slash = '/';
    }
    (void)mkdir(path, 0700);
}

static int open_or_make_folder(const aic_disk *disk)
{
    const char *problem;
    int folder = aic_disk_open_folder(disk, &problem);
    char *path = folder < 0 && problem == NULL ? strdup(disk->folder) : NULL;
    if (path != NULL) {
        make_folders(path);
        free(path);
        folder = aic_disk_open_folder(disk, &problem);
    }
    if (folder < 0) {
        report_write(disk, problem != NULL ? problem : "it cannot be made");
    }
    return folder;
}

/* Looks at the quota after a part of it was written by this process; and by any of many processes that write little: a
 * file's hash, as a fraction of all hashes, is below that of its size in such a part as often as the file is large. */
static void keep_quota(aic_disk *disk, int folder, uint64_t hash, size_t size)
{
    const uint64_t part = disk->limit / CHECKS;
    const uint64_t written = atomic_fetch_add(&disk->written, size) + size;
    if (written >= part || (double)hash * 0x1p-64 * (double)part < (double)size) {
        atomic_store(&disk->written, 0);
        aic_disk_trim(folder, disk->limit);
    }
}

static bool write_file(aic_disk *disk, const char *name, uint64_t hash, const unsigned char *bytes, size_t size)
{
    const int folder = size <= disk->limit ? open_or_make_folder(disk) : -1;
    if (folder < 0) {
        return false;
    }
    /* The checksum shows what a crash of the machine has damaged. */
    const int error = aic_replace_own_file(folder, AIC_DISK_PREFIX, name, bytes, size);
    if (error == 0) {
        keep_quota(disk, folder, hash, size);
    } else {
        report_write(disk, strerror(error));
    }
    (void)close(folder);
    return error == 0;
}

/* Writes a file of these bytes, if they were made, and frees them. */
static bool store(aic_disk *disk, const char *name, uint64_t hash, aic_status made, unsigned char *bytes, size_t size)
{
    if (made != AIC_OK) {
        report_write(disk, aic_last_error());
        return false;
    }
    aic_held_signals held;
    aic_signals_hold(AIC_SIGNALS_ALL, &held);
    const bool kept = write_file(disk, name, hash, bytes, size);
    aic_signals_release(&held);
    free(bytes);
    return kept;
}

bool aic_disk_store(aic_disk *disk, const aic_codegen_request *request, const aic_identity *identity,
                    const aic_object *object)
{
    char name[NAME_BYTES];
    unsigned char *bytes = NULL;
    size_t size = 0;
    if (disk->mode != AIC_DISK_RW) {
        return false;
    }
    name_file(identity, name);
    const aic_status made = aic_disk_file_write(request, identity, object, &bytes, &size);
    return store(disk, name, identity->hash, made, bytes, size);
}

bool aic_disk_store_part(aic_disk *disk, const aic_part_identity *identity, const aic_piece *piece)
{
    char name[NAME_BYTES];
    unsigned char *bytes = NULL;
    size_t size = 0;
    if (disk->mode != AIC_DISK_RW) {
        return false;
    }
    const uint64_t hash = name_part(identity, name);
    const aic_status made = aic_disk_part_write(identity, piece, &bytes, &size);
    return store(disk, name, hash, made, bytes, size);
}
