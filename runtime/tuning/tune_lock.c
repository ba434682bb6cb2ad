/* Locks on tuning files; see tune_lock.h. */
#include "runtime/tuning/tune_lock.h"
#include "frontend/core/diag.h"
#include "runtime/observe/log.h"
#include "runtime/system/open_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

aic_status aic_tune_fail_open(const char *path, const char *what, int error, const char *problem)
{
    return aic_fail(aic_file_status(error), "tuning file", "\"%.300s\" cannot be %s: %s", path, what,
                    problem != NULL ? problem : strerror(error));
}

static double seconds_now(void)
{
    return (double)aic_log_now() * 1e-9;
}

static aic_status fail_wait(const char *path, double patience)
{
    return aic_fail(AIC_IO, "tuning file", "\"%.300s\" is locked by another process for more than %.0f s", path,
                    patience);
}

/* Waits for the lock on an open file until `until`; tries again and again, as a wait that the system does could last
 * for ever. 0 or an errno, EWOULDBLOCK when the time is up. */
static int wait_for_lock(int fd, double until)
{
    static const struct timespec PAUSE = {.tv_nsec = 10 * 1000 * 1000};
    while (flock(fd, LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK && errno != EINTR) {
            return errno;
        }
        if (seconds_now() >= until) {
            return EWOULDBLOCK;
        }
        (void)nanosleep(&PAUSE, NULL);
    }
    return 0;
}

/* Whether the open file is still the one under its name: another writer may have replaced it while we waited. */
static bool is_current(int fd, const char *path)
{
    struct stat open_file, named_file;
    return fstat(fd, &open_file) == 0 && stat(path, &named_file) == 0 && open_file.st_dev == named_file.st_dev &&
           open_file.st_ino == named_file.st_ino;
}

aic_status aic_tune_lock_take(const char *path, double patience, aic_tune_lock *lock)
{
    const double until = seconds_now() + patience;
    for (;;) {
        const char *problem;
        const int fd = aic_open_file(AT_FDCWD, path, O_RDWR | O_CREAT, 0666, AIC_FILE_CHOSEN, NULL, &problem);
        if (fd < 0) {
            return aic_tune_fail_open(path, "written", errno, problem);
        }
        int error = wait_for_lock(fd, until);
        if (error == 0 && is_current(fd, path)) {
            char *real = realpath(path, NULL);
            if (real != NULL) {
                *lock = (aic_tune_lock){fd, real};
                return AIC_OK;
            }
            error = errno != ENOENT ? errno : 0; /* gone again: once more from the beginning */
        }
        (void)close(fd);
        if (error != 0 || seconds_now() >= until) {
            return error == 0 || error == EWOULDBLOCK ? fail_wait(path, patience)
                                                      : aic_tune_fail_open(path, "locked", error, NULL);
        }
    }
}

void aic_tune_lock_release(aic_tune_lock *lock)
{
    /* Closing alone leaves the lock to a process that was forked meanwhile. */
    (void)flock(lock->fd, LOCK_UN);
    (void)close(lock->fd);
    free(lock->path);
}
