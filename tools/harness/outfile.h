/* Output files: written under a temporary name in the same folder, then renamed, so that a failed or interrupted run
 * leaves an old file as it was. A new file has the mode that the umask gives it, one that is replaced keeps its mode.
 */
#pragma once

#include "tools/harness/interrupt.h"

#include <aic/aic.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct outfile {
    char *path; /* of the file to replace, links resolved, those of its folder, too; of a device or pipe as given */
    char *temporary; /* NULL: the path is a device or pipe and is written in place */
    int fd;          /* -1: not open */
    interrupt_file guard;
} outfile;

/* Each returns an exit status with a message that begins with `subject`. A path that cannot be created is the
 * caller's mistake; a write that fails is the system's. A link is followed, also where its target is not there yet. An
 * open outfile must not be moved in memory. */
int outfile_open(outfile *file, const char *subject, const char *path);
int outfile_write(outfile *file, const char *subject, const void *bytes, size_t size);

/* Whether the name ends so, and has something before. */
bool outfile_ends(const char *path, const char *suffix);

/* Whether both are the same file. */
bool outfile_same(const outfile *a, const outfile *b);

/* Makes the content final under its name. */
int outfile_commit(outfile *file, const char *subject);

/* Frees; what was not committed is removed. A zeroed outfile with fd -1 does nothing. */
void outfile_close(outfile *file);

/* Both files or none: nothing is renamed before both are written. Returns an exit status. */
int export_files_write(const char *object_path, const char *header_path, const aic_exported *made);
