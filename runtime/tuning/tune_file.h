/* Tuning files: a first line that says what it is, comments, and a record a line (tune_record.h).
 *
 * Reading is all or nothing: a file with a damaged line gives no record. Writing merges: under a lock on the file it is
 * read again, what is new is added, and the whole is put in the file's place, so that writers lose nothing of each
 * other and readers see the old file or the new one. What is intact in a damaged file stays, and the file as it was is
 * kept beside the new one. */
#pragma once

#include "runtime/tuning/tune_record.h"

#include <aic/types.h>

typedef struct aic_tune_file {
    aic_tune_record *record; /* sorted by aic_tune_record_compare() and of different keys, once it is tidied */
    size_t count;
    char **comment; /* lines but for the first one, in their order */
    size_t comments;
    size_t damaged, first_damaged; /* lines that are no records; the number of the first */
} aic_tune_file;

void aic_tune_file_free(aic_tune_file *file);

/* Reads what is intact and counts what is not. A file that is not there, or empty, has no records: *exists says which.
 * AIC_INVALID_ARGUMENT for one that is no tuning file, or of another version, or cannot be opened; AIC_IO,
 * AIC_OUT_OF_MEMORY. */
aic_status aic_tune_file_read(const char *path, aic_tune_file *file, bool *exists);

/* Adds the record, which changes hands, also on failure. */
aic_status aic_tune_file_add(aic_tune_file *file, aic_tune_record *record);

/* The record with this key of a file that was read, or NULL. */
const aic_tune_record *aic_tune_file_find(const aic_tune_file *file, const char *key);

/* Merges the records of `added`, which is emptied, into the file at `path`, which is made if it is not there. Waits
 * `patience` seconds for other writers, then AIC_IO. *records (may be NULL): how many there are afterwards. */
aic_status aic_tune_file_merge(const char *path, aic_tune_file *added, double patience, size_t *records);

/* What aic_tune() and aic_tune_merge() wait. */
#define AIC_TUNE_PATIENCE 10.0

/* ---- one writer at a time ---- */

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
