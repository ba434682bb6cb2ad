/* Ready-made parts; see ready_parts.h. */
#include "runtime/disk/ready_parts.h"
#include "codegen/ready_file.h"
#include "frontend/core/diag.h"
#include "runtime/generator/generator.h"
#include "runtime/system/open_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SUBJECT "ready-made parts"

struct aic_ready_parts {
    void *map;
    aic_ready_file file;
};

/* Maps a whole file; NULL, or what is wrong. */
static const char *map_file(int file, const struct stat *info, const char *level, aic_ready_parts *ready)
{
    const size_t size = (size_t)info->st_size;
    if (info->st_size <= 0) {
        return "it is empty";
    }
    void *map = mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0);
    if (map == MAP_FAILED) {
        return strerror(errno);
    }
    const char *problem = aic_ready_file_open(map, size, level, &ready->file);
    if (problem != NULL) {
        (void)munmap(map, size);
    }
    ready->map = map;
    return problem;
}

aic_ready_parts *aic_ready_parts_open_file(const char *path, const char *level)
{
    struct stat info;
    const char *problem;
    const int file = aic_open_file(AT_FDCWD, path, O_RDONLY, 0, AIC_FILE_CHOSEN, &info, &problem);
    if (file < 0 && problem == NULL && errno == ENOENT) {
        return NULL;
    }
    aic_ready_parts *ready = file >= 0 ? calloc(1, sizeof *ready) : NULL;
    if (file >= 0) {
        problem = ready != NULL ? map_file(file, &info, level, ready) : "there is no memory for it";
        (void)close(file);
    } else if (problem == NULL) {
        problem = strerror(errno);
    }
    if (problem != NULL) {
        aic_warn(SUBJECT, "\"%s\" is not used: %s", path, problem);
        free(ready);
        ready = NULL;
    }
    return ready;
}

aic_ready_parts *aic_ready_parts_open(const char *level)
{
    char path[AIC_GENERATOR_PATH_MAX + 64];
    if (!aic_generator_path(path)) {
        return NULL;
    }
    const size_t length = strlen(path);
    snprintf(path + length, sizeof path - length, ".%s" AIC_READY_SUFFIX, level);
    return aic_ready_parts_open_file(path, level);
}

void aic_ready_parts_close(aic_ready_parts *ready)
{
    if (ready != NULL) {
        (void)munmap(ready->map, ready->file.size);
        free(ready);
    }
}

bool aic_ready_parts_find(const aic_ready_parts *ready, const aic_part_identity *identity, aic_piece *piece)
{
    const char *problem = aic_ready_file_find(&ready->file, identity, piece);
    if (problem != NULL && problem[0] != '\0') {
        aic_warn(SUBJECT, "one is not used: %s", problem);
    }
    return problem == NULL;
}
