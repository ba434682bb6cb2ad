/* Text files as a whole. */
#include "tools/textfile.h"

#include "tools/harness/fail.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

/* Waiting for the first byte from a pipe with a name. */
enum { SILENT_MS = 1000, PATIENCE_MS = 30000 };

enum { PIPES_WITHOUT_NAME = 0x50495045 }; /* their file system's number, PIPEFS_MAGIC in linux/magic.h */

static int fail_read(const char *option, const char *path, int error)
{
    return cli_fail(CLI_WRONG, "%s: \"%s\" cannot be read: %s", option, path, strerror(error));
}

/* Whether there is something to read, or a writer has gone, within that time. */
static bool wait_for_bytes(int fd, int milliseconds)
{
    struct pollfd pipe = {.fd = fd, .events = POLLIN};
    return poll(&pipe, 1, milliseconds) != 0;
}

/* A pipe without a name has a writer, or has had one, for whom its end is known; of one with a name nobody knows
 * whether there will be any. */
static int wait_for_writer(const char *option, const char *path, int fd)
{
    struct statfs where;
    if ((fstatfs(fd, &where) == 0 && where.f_type == PIPES_WITHOUT_NAME) || wait_for_bytes(fd, SILENT_MS)) {
        return CLI_DONE;
    }
    (void)fprintf(stderr, "aicjit: %s: waiting for somebody to write to \"%s\"\n", option, path);
    return wait_for_bytes(fd, PATIENCE_MS - SILENT_MS)
               ? CLI_DONE
               : cli_fail(CLI_WRONG, "%s: nobody has written to \"%s\" for %d s", option, path, PATIENCE_MS / 1000);
}

static int open_file(const char *option, const char *path, size_t most, int *fd)
{
    struct stat info;
    *fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (*fd == -1) {
        return fail_read(option, path, errno);
    }
    int error = fstat(*fd, &info) != 0 ? errno : S_ISDIR(info.st_mode) ? EISDIR : 0;
    int status = error == 0 ? CLI_DONE : fail_read(option, path, error);
    if (status == CLI_DONE && S_ISREG(info.st_mode) && (size_t)info.st_size > most) {
        status = cli_fail(CLI_WRONG, "%s: \"%s\" has more than %zu bytes", option, path, most);
    }
    if (status == CLI_DONE && S_ISFIFO(info.st_mode)) {
        status = wait_for_writer(option, path, *fd);
    }
    const int flags = fcntl(*fd, F_GETFL);
    if (flags != -1) {
        (void)fcntl(*fd, F_SETFL, flags & ~O_NONBLOCK);
    }
    if (status != CLI_DONE) {
        (void)close(*fd);
    }
    return status;
}

/* Reads up to `size` bytes; how many there are, or -1. */
static ssize_t read_some(int fd, char *bytes, size_t size)
{
    ssize_t got;
    do {
        got = read(fd, bytes, size);
    } while (got < 0 && errno == EINTR);
    return got;
}

static int read_all(const char *option, const char *path, int fd, size_t most, char **text, size_t *length)
{
    enum { FIRST_BYTES = 1 << 16 };
    size_t capacity = 0;
    ssize_t got = 1;
    for (*length = 0; got > 0 && *length <= most; *length += (size_t)(got > 0 ? got : 0)) {
        if (*length + 1 >= capacity) {
            capacity = capacity == 0 ? FIRST_BYTES : 2 * capacity;
            char *grown = realloc(*text, capacity);
            if (grown == NULL) {
                return cli_fail_memory(path, capacity);
            }
            *text = grown;
        }
        got = read_some(fd, *text + *length, capacity - 1 - *length);
    }
    if (got < 0) {
        return cli_fail(CLI_SYSTEM, "%s: \"%s\": %s", option, path, strerror(errno));
    }
    if (*length > most) {
        return cli_fail(CLI_WRONG, "%s: \"%s\" has more than %zu bytes", option, path, most);
    }
    (*text)[*length] = '\0';
    return CLI_DONE;
}

int textfile_read(const char *option, const char *path, size_t most, char **text, size_t *length)
{
    int fd;
    int status = open_file(option, path, most, &fd);
    if (status != CLI_DONE) {
        return status;
    }
    char *bytes = NULL;
    status = read_all(option, path, fd, most, &bytes, length);
    (void)close(fd);
    if (status != CLI_DONE) {
        free(bytes);
        return status;
    }
    *text = bytes;
    return CLI_DONE;
}

char *textfile_line(char **at, const char *end, size_t *length)
{
    if (*at >= end) {
        return NULL;
    }
    char *line = *at, *newline = memchr(line, '\n', (size_t)(end - line));
    *length = newline != NULL ? (size_t)(newline - line) : (size_t)(end - line);
    line[*length] = '\0';
    *at = line + *length + 1;
    return line;
}
