/* Opening files that others could have prepared; see open_file.h. */
#include "runtime/system/open_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <unistd.h>

#define NOT_A_FILE "it is no file"
#define NOT_OWNED "it belongs to another user"

const char *aic_file_distrust(const struct stat *info)
{
    if (info->st_uid != geteuid()) {
        return NOT_OWNED;
    }
    return (info->st_mode & (S_IWGRP | S_IWOTH)) != 0 ? "others may write to it" : NULL;
}

/* What breaks the rule; NULL: nothing does. */
static const char *judge(const struct stat *info, aic_file_rule rule)
{
    if (!S_ISREG(info->st_mode)) {
        return NOT_A_FILE;
    }
    if (rule == AIC_FILE_TRUSTED) {
        return aic_file_distrust(info);
    }
    if (rule == AIC_FILE_SHARED && info->st_uid != geteuid()) {
        return NOT_OWNED;
    }
    return rule == AIC_FILE_SHARED && info->st_nlink != 1 ? "it has another name, too" : NULL;
}

int aic_open_file(int folder, const char *name, int flags, mode_t mode, aic_file_rule rule, struct stat *info,
                  const char **problem)
{
    struct stat own;
    const int links = rule == AIC_FILE_CHOSEN ? 0 : O_NOFOLLOW;
    *problem = NULL;
    const int file = openat(folder, name, flags | links | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, mode);
    if (file < 0) {
        const bool pipe = errno == ENXIO; /* without reader, or a socket */
        *problem = pipe ? NOT_A_FILE : links != 0 && errno == ELOOP ? "it is a link" : NULL;
        return -1;
    }
    info = info != NULL ? info : &own;
    const int error = fstat(file, info) != 0 ? errno : 0;
    *problem = error == 0 ? judge(info, rule) : NULL;
    if (error == 0 && *problem == NULL) {
        return file; /* O_NONBLOCK means nothing to a regular file */
    }
    (void)close(file);
    errno = error != 0 ? error : EPERM;
    return -1;
}

ssize_t aic_file_read(int file, void *bytes, size_t size, off_t at)
{
    size_t done = 0;
    for (ssize_t got = 1; got != 0 && done < size; done += got > 0 ? (size_t)got : 0) {
        got = pread(file, (char *)bytes + done, size - done, at + (off_t)done);
        if (got < 0 && errno != EINTR) {
            return -1;
        }
    }
    return (ssize_t)done;
}

aic_status aic_file_status(int error)
{
    static const int SYSTEM[] = {ENOSPC, EDQUOT, EFBIG, EIO, EMFILE, ENFILE, ENOMEM, EINTR, ENOLCK};
    for (size_t i = 0; i < sizeof SYSTEM / sizeof SYSTEM[0]; i++) {
        if (error == SYSTEM[i]) {
            return AIC_IO;
        }
    }
    return AIC_INVALID_ARGUMENT;
}
