/* Opening files that others could have prepared: a pipe that nobody writes to, a link, another user's file. Whatever
 * the library opens by a name goes this way, but for what the kernel shows in /proc and /sys. */
#pragma once

#include <aic/types.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

/* What is asked of a file besides that it is a regular one. */
typedef enum aic_file_rule {
    AIC_FILE_CHOSEN,  /* nothing: the user chose the name. Links are followed */
    AIC_FILE_INSIDE,  /* no link, which could lead out of the folder that the user chose */
    AIC_FILE_TRUSTED, /* what it holds is believed: it is the user's, and nobody else may write to it */
    AIC_FILE_SHARED,  /* lies in everybody's folder and is written: it is the user's, and has no second name */
} aic_file_rule;

/* openat() with O_CLOEXEC, for a regular file that keeps the rule; waits for nothing and changes no other file. *info
 * (may be NULL) is of the open file. A descriptor, or -1: then errno says why, EPERM that the file was refused, and
 * *problem says it in words, NULL for what errno says. A child after fork may call it. */
int aic_open_file(int folder, const char *name, int flags, mode_t mode, aic_file_rule rule, struct stat *info,
                  const char **problem);

/* Reads up to `size` bytes from `at` on, whatever interrupts it: how many there were, or -1 with errno. */
ssize_t aic_file_read(int file, void *bytes, size_t size, off_t at);

/* What is wrong with the owner or the mode of something whose content is believed; NULL: nothing. */
const char *aic_file_distrust(const struct stat *info);

/* AIC_IO where the system failed, AIC_INVALID_ARGUMENT where a name that was given is the reason. */
aic_status aic_file_status(int error);
