/* Tuning files: a first line that says what it is, comments, and a record a line (tune_record.h).
 *
 * Reading is all or nothing: a file with a damaged line gives no record. Writing merges: under a lock on the file it is
 * read again, what is new is added, and the whole is put in the file's place, so that writers lose nothing of each
 * other and readers see the old file or the new one. What is intact in a damaged file stays, and the file as it was is
 * kept beside the new one. */
#ifndef AIC_RUNTIME_TUNE_FILE_H
#define AIC_RUNTIME_TUNE_FILE_H

#include "runtime/tuning/tune_record.h"

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

#endif
