/* Output files that appear whole or not at all. */
#include "tools/harness/outfile.h"

#include "tools/harness/fail.h"
#include "tools/harness/rng.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { LINKS_MAX = 40, ATTEMPTS_MAX = 100 };

/* "folder/.aicjit.NUMBER" next to `path`; NULL when memory ran out. */
static char *temporary_name(const char *path)
{
    static uint64_t counter;
    const char *slash = strrchr(path, '/');
    const size_t folder = slash == NULL ? 0 : (size_t)(slash - path) + 1;
    const size_t capacity = folder + sizeof ".aicjit.0123456789abcdef";
    struct timespec now;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    uint64_t state = ((uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec) ^ (uint64_t)getpid() << 40;
    state += counter++;
    char *name = malloc(capacity);
    if (name != NULL) {
        /* Not the file's own name: with a suffix it could be too long for the folder. */
        (void)snprintf(name, capacity, "%.*s.aicjit.%016" PRIx64, (int)folder, path, rng_next(&state));
    }
    return name;
}

/* Exit status for a file that cannot be opened or created. */
static int open_status(int error)
{
    bool system = error == ENOSPC || error == EIO || error == ENOMEM || error == EMFILE || error == ENFILE;
    return system || error == EDQUOT ? CLI_SYSTEM : CLI_WRONG;
}

static int open_new(outfile *file)
{
    int error = EEXIST;
    for (int i = 0; i < ATTEMPTS_MAX && error == EEXIST; i++) {
        char *temporary = temporary_name(file->path);
        if (temporary == NULL) {
            return ENOMEM;
        }
        interrupt_hold();
        file->fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        error = file->fd == -1 ? errno : 0;
        if (error == 0) {
            file->temporary = temporary;
            interrupt_remember(&file->guard, temporary);
        }
        interrupt_release();
        if (error != 0) {
            free(temporary);
        }
    }
    return error;
}

/* Gives the new file owner, group and mode of the old one, as far as this user may. The members of another group get
 * nothing. */
static void keep_mode(int fd, const struct stat *old)
{
    struct stat now;
    if (fchown(fd, old->st_uid, old->st_gid) != 0 && fchown(fd, (uid_t)-1, old->st_gid) != 0) {
        errno = 0; /* reported by what follows */
    }
    const bool same_group = fstat(fd, &now) == 0 && now.st_gid == old->st_gid;
    (void)fchmod(fd, old->st_mode & (same_group ? 0777 : 0707));
}

/* The target of a link, from where the link can be seen; NULL with errno. */
static char *read_link(const char *path)
{
    char target[PATH_MAX];
    const ssize_t length = readlink(path, target, sizeof target - 1);
    if (length < 0) {
        return NULL;
    }
    target[length] = '\0';
    const char *slash = strrchr(path, '/');
    const size_t folder = slash == NULL || target[0] == '/' ? 0 : (size_t)(slash - path) + 1;
    char *joined = malloc(folder + (size_t)length + 1);
    if (joined != NULL) {
        memcpy(joined, path, folder);
        memcpy(joined + folder, target, (size_t)length + 1);
    }
    return joined;
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

/* The same behind any number of links. */
static char *follow_links(const char *path)
{
    struct stat info;
    char *at = strdup(path);
    for (int i = 0; at != NULL && lstat(at, &info) == 0 && S_ISLNK(info.st_mode); i++) {
        errno = ELOOP;
        char *target = i < LINKS_MAX ? read_link(at) : NULL;
        free(at);
        at = target;
    }
    char *found = at == NULL ? NULL : new_path(at);
    free(at);
    return found;
}

bool outfile_ends(const char *path, const char *suffix)
{
    const size_t length = strlen(path), tail = strlen(suffix);
    return length > tail && strcmp(path + length - tail, suffix) == 0;
}

bool outfile_same(const outfile *a, const outfile *b)
{
    return strcmp(a->path, b->path) == 0;
}

/* Opens the temporary file; `old` is the file to replace, NULL for none. */
static int open_temporary(outfile *file, const char *subject, const char *path, const struct stat *old)
{
    const int error = open_new(file);
    if (error != 0) {
        return cli_fail(open_status(error), "%s: \"%s\" cannot be created: %s", subject, path, strerror(error));
    }
    if (old != NULL) {
        keep_mode(file->fd, old);
    }
    return CLI_DONE;
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
    const bool regular = exists && S_ISREG(info.st_mode);
    file->path = regular ? realpath(path, NULL) : exists ? strdup(path) : follow_links(path);
    if (file->path == NULL) {
        return cli_fail(open_status(errno), "%s: \"%s\" cannot be created: %s", subject, path, strerror(errno));
    }
    if (!exists || regular) {
        return open_temporary(file, subject, path, regular ? &info : NULL);
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

/* The temporary file is gone. */
static void forget(outfile *file)
{
    interrupt_hold();
    interrupt_forget(&file->guard);
    interrupt_release();
    free(file->temporary);
    file->temporary = NULL;
}

int outfile_commit(outfile *file, const char *subject)
{
    int fd = file->fd;
    file->fd = -1;
    if (close(fd) != 0 || (file->temporary != NULL && rename(file->temporary, file->path) != 0)) {
        return cli_fail(CLI_SYSTEM, "%s: \"%s\": %s", subject, file->path, strerror(errno));
    }
    forget(file);
    return CLI_DONE;
}

void outfile_close(outfile *file)
{
    if (file->fd != -1) {
        (void)close(file->fd);
    }
    if (file->temporary != NULL) {
        (void)unlink(file->temporary);
        forget(file);
    }
    free(file->path);
    *file = (outfile){.fd = -1};
}

/* ---- an export ---- */

int export_files_write(const char *object_path, const char *header_path, const aic_exported *made)
{
    outfile object = {.fd = -1}, header = {.fd = -1};
    int status = outfile_open(&object, "-o", object_path);
    status = status == CLI_DONE ? outfile_open(&header, "--header", header_path) : status;
    if (status == CLI_DONE && outfile_same(&object, &header)) {
        status = cli_fail(CLI_WRONG, "export: -o and --header name the same file");
    }
    status = status == CLI_DONE ? outfile_write(&object, "-o", made->object, made->object_size) : status;
    status = status == CLI_DONE ? outfile_write(&header, "--header", made->header, made->header_size) : status;
    status = status == CLI_DONE ? outfile_commit(&object, "-o") : status;
    status = status == CLI_DONE ? outfile_commit(&header, "--header") : status;
    outfile_close(&object);
    outfile_close(&header);
    return status;
}
