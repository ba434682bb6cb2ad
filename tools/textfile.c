/* Text files as a whole. */
#include "tools/textfile.h"

#include "tools/harness/fail.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int open_file(const char *option, const char *path, size_t most, FILE **file)
{
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* a pipe without writer must not block */
    struct stat info;
    if (fd == -1) {
        return cli_fail(CLI_WRONG, "%s: \"%.400s\" cannot be read: %s", option, path, strerror(errno));
    }
    if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode) || (size_t)info.st_size > most) {
        (void)close(fd);
        return cli_fail(CLI_WRONG, "%s: \"%.400s\" is not a regular file of at most %zu bytes", option, path, most);
    }
    *file = fdopen(fd, "r");
    if (*file == NULL) {
        (void)close(fd);
        return cli_fail(CLI_SYSTEM, "%s: \"%.400s\": %s", option, path, strerror(errno));
    }
    return CLI_DONE;
}

int textfile_read(const char *option, const char *path, size_t most, char **text, size_t *length)
{
    FILE *file = NULL;
    int status = open_file(option, path, most, &file);
    if (status != CLI_DONE) {
        return status;
    }
    char *bytes = malloc(most + 1);
    if (bytes == NULL) {
        status = cli_fail_memory(path, most + 1);
    } else {
        *length = fread(bytes, 1, most + 1, file); /* the file may have grown meanwhile */
        if (ferror(file)) {
            status = cli_fail(CLI_SYSTEM, "%s: \"%.400s\": %s", option, path, strerror(errno));
        } else if (*length > most) {
            status = cli_fail(CLI_WRONG, "%s: \"%.400s\" has more than %zu bytes", option, path, most);
        }
    }
    (void)fclose(file);
    if (status != CLI_DONE) {
        free(bytes);
        return status;
    }
    *text = bytes;
    return CLI_DONE;
}
