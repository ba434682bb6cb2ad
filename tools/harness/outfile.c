/* Output files that appear whole or not at all. */
#include "tools/harness/outfile.h"

#include "tools/harness/fail.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* "folder/.name.XXXXXX" next to `path`; NULL when memory ran out. */
static char *temporary_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    size_t folder = slash == NULL ? 0 : (size_t)(slash - path) + 1;
    size_t capacity = strlen(path) + sizeof ".aicjit.XXXXXX";
    char *name = malloc(capacity);
    if (name != NULL) {
        /* Not the file's own name: with a suffix it could be too long for the folder. */
        (void)snprintf(name, capacity, "%.*s.aicjit.XXXXXX", (int)folder, path);
    }
    return name;
}

/* Exit status for a file that cannot be opened or created. */
static int open_status(int error)
{
    bool system = error == ENOSPC || error == EIO || error == ENOMEM || error == EMFILE || error == ENFILE;
    return system || error == EDQUOT ? CLI_SYSTEM : CLI_WRONG;
}

static int open_temporary(outfile *file, const char *subject, const char *path)
{
    char *temporary = temporary_name(file->path);
    if (temporary == NULL) {
        return cli_fail(CLI_SYSTEM, "%s: memory ran out", subject);
    }
    file->fd = mkstemp(temporary);
    if (file->fd == -1) {
        int error = errno;
        free(temporary);
        return cli_fail(open_status(error), "%s: \"%s\" cannot be created: %s", subject, path, strerror(error));
    }
    file->temporary = temporary;
    mode_t mask = umask(0);
    (void)umask(mask);
    (void)fchmod(file->fd, 0666 & ~mask);
    return CLI_DONE;
}

/* Of a file that is not there: its folder without links, and its name. NULL, with errno, when there is no such folder.
 */
static char *new_path(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash == NULL ? path : slash + 1;
    const size_t length = slash == NULL ? 0 : (size_t)(slash - path) + 1;
    char *folder = length == 0 ? strdup(".") : strndup(path, length);
    char *resolved = folder == NULL ? NULL : realpath(folder, NULL);
    const size_t capacity = resolved == NULL ? 0 : strlen(resolved) + strlen(name) + 2;
    char *joined = resolved == NULL ? NULL : malloc(capacity);
    if (joined != NULL) {
        (void)snprintf(joined, capacity, "%s/%s", resolved, name);
    }
    free(resolved);
    free(folder);
    return joined;
}

bool outfile_same(const outfile *a, const outfile *b)
{
    return strcmp(a->path, b->path) == 0;
}

int outfile_open(outfile *file, const char *subject, const char *path)
{
    *file = (outfile){.fd = -1};
    struct stat info;
    bool exists = stat(path, &info) == 0;
    if (!exists && errno != ENOENT) {
        return cli_fail(CLI_WRONG, "%s: \"%s\" cannot be created: %s", subject, path, strerror(errno));
    }
    if (path[0] == '\0' || (exists && S_ISDIR(info.st_mode))) {
        return cli_fail(CLI_WRONG, "%s: \"%s\" is not the name of a file", subject, path);
    }
    if (exists && access(path, W_OK) != 0) {
        return cli_fail(CLI_WRONG, "%s: \"%s\" cannot be written: %s", subject, path, strerror(errno));
    }
    file->path = exists ? realpath(path, NULL) : new_path(path);
    if (file->path == NULL) {
        return cli_fail(open_status(errno), "%s: \"%s\" cannot be created: %s", subject, path, strerror(errno));
    }
    if (!exists || S_ISREG(info.st_mode)) {
        return open_temporary(file, subject, path);
    }
    file->fd = open(file->path, O_WRONLY | O_NONBLOCK | O_CLOEXEC); /* a pipe without reader must not block */
    if (file->fd == -1) {
        return cli_fail(open_status(errno), "%s: \"%s\" cannot be written: %s", subject, path, strerror(errno));
    }
    (void)fcntl(file->fd, F_SETFL, 0);
    return CLI_DONE;
}

int outfile_write(outfile *file, const char *subject, const void *bytes, size_t size)
{
    const char *at = bytes;
    while (size > 0) {
        ssize_t written = write(file->fd, at, size);
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written <= 0) {
            return cli_fail(CLI_SYSTEM, "%s: \"%s\": %s", subject, file->path, strerror(errno));
        }
        at += written;
        size -= (size_t)written;
    }
    return CLI_DONE;
}

int outfile_commit(outfile *file, const char *subject)
{
    int fd = file->fd;
    file->fd = -1;
    if (close(fd) != 0 || (file->temporary != NULL && rename(file->temporary, file->path) != 0)) {
        return cli_fail(CLI_SYSTEM, "%s: \"%s\": %s", subject, file->path, strerror(errno));
    }
    free(file->temporary);
    file->temporary = NULL;
    return CLI_DONE;
}

void outfile_close(outfile *file)
{
    if (file->fd != -1) {
        (void)close(file->fd);
    }
    if (file->temporary != NULL) {
        (void)unlink(file->temporary);
    }
    free(file->temporary);
    free(file->path);
    *file = (outfile){.fd = -1};
}
