/* One writer at a time for a file that is replaced as a whole. */
#ifndef AIC_RUNTIME_TUNE_LOCK_H
#define AIC_RUNTIME_TUNE_LOCK_H

#include <aic/types.h>

typedef struct aic_tune_lock {
    int fd;     /* of the file under its name, open for reading */
    char *path; /* of the file itself, links resolved */
} aic_tune_lock;

/* Locks the file, which is made, empty, if it is not there. The lock is on the file and not beside it, so nothing is
 * left behind; it ends with the process that holds it. Waits up to `patience` seconds, then AIC_IO.
 * AIC_INVALID_ARGUMENT when the file cannot be opened. */
aic_status aic_tune_lock_take(const char *path, double patience, aic_tune_lock *lock);
void aic_tune_lock_release(aic_tune_lock *lock);

/* AIC_IO or AIC_INVALID_ARGUMENT for a tuning file that cannot be `what` ("read"): the latter where the name is the
 * reason. problem: the error in words, NULL: as the system says it. */
aic_status aic_tune_fail_open(const char *path, const char *what, int error, const char *problem);

#endif
