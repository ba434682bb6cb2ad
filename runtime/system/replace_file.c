/* Writing files as a whole; see replace_file.h. */
#include "runtime/system/replace_file.h"
#include "runtime/system/hold_signals.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_BYTES = 4096 };

/* Writes all bytes and closes the file; 0 or an errno. */
static int write_and_close(int file, const char *bytes, size_t size, bool durable)
{
    int error = 0;
    while (size > 0 && error == 0) {
        ssize_t written = write(file, bytes, size);
        if (written >= 0) {
            bytes += written;
            size -= (size_t)written;
        } else if (errno != EINTR) {
            error = errno;
        }
    }
    if (error == 0 && durable && fsync(file) != 0 && errno != EINVAL) { /* what cannot be synchronised need not be */
        error = errno;
    }
    return close(file) != 0 && error == 0 ? errno : error;
}

/* Creates PREFIX NAME.PROCESS.NUMBER, a name that no other thread or process uses, with the mode that the umask makes
 * of this one. The descriptor, or -1 with errno. */
static int create_temporary(int folder, const char *prefix, const char *name, mode_t mode, char temporary[PATH_BYTES])
{
    enum { ATTEMPTS_MAX = 100 }; /* files that a process of the same number has left */
    static _Atomic unsigned counter;
    int file = -1;
    for (int i = 0; i < ATTEMPTS_MAX && file < 0 && (i == 0 || errno == EEXIST); i++) {
        const int length = snprintf(temporary, PATH_BYTES, "%s%s.%ld.%u", prefix, name, (long)getpid(), counter++);
        if (length >= PATH_BYTES) {
            errno = ENAMETOOLONG;
            break;
        }
        file = openat(folder, temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    }
    return file;
}

/* Gives the bytes their name, or removes the file that was made for them. */
static int finish(int folder, int file, const char *temporary, const char *name, const void *bytes, size_t size,
                  bool durable)
{
    int error = write_and_close(file, bytes, size, durable);
    if (error == 0 && renameat(folder, temporary, folder, name) != 0) {
        error = errno;
    }
    if (error != 0) {
        (void)unlinkat(folder, temporary, 0);
    }
    return error;
}

int aic_replace_own_file(int folder, const char *prefix, const char *name, const void *bytes, size_t size)
{
    char temporary[PATH_BYTES];
    const int file = create_temporary(folder, prefix, name, 0600, temporary);
    return file < 0 ? errno : finish(folder, file, temporary, name, bytes, size, false);
}

static int replace(const char *path, const char *bytes, size_t size, bool durable)
{
    char temporary[PATH_BYTES];
    struct stat old;
    const int file = create_temporary(AT_FDCWD, "", path, 0666, temporary);
    if (file < 0) {
        return errno;
    }
    if (lstat(path, &old) == 0 && S_ISREG(old.st_mode)) {
        (void)fchmod(file, old.st_mode & 0777);
    }
    return finish(AT_FDCWD, file, temporary, path, bytes, size, durable);
}

int aic_replace_file(const char *path, const char *bytes, size_t size, bool durable)
{
    aic_held_signals held;
    aic_signals_hold(AIC_SIGNALS_ALL, &held);
    const int error = replace(path, bytes, size, durable);
    aic_signals_release(&held);
    return error;
}
