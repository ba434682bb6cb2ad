/* Tuning files in tests: a folder of their own, records with any contents, machines that suppose. */
#pragma once

#include "runtime/tuning/tune_file.h"

/* Makes a folder, and names a file in it; tune_folder_close() removes both with what lies there. */
typedef struct tune_folder {
    char folder[64], file[96];
} tune_folder;

void tune_folder_open(tune_folder *f);
void tune_folder_close(const tune_folder *f);

/* A record of the specification at the level avx2, with the machine as it is supposed. schedule NULL: the default is
 * best. `tuned` and `standard` are medians. */
aic_tune_record tune_record_of(const char *spec, int effort, const char *schedule, double tuned, double standard);

/* Merges one record into a file; asserted. */
void tune_put(const char *path, aic_tune_record record);

/* The content of a file, with a closing zero; free(). NULL when it is not there. */
char *tune_read_text(const char *path);
void tune_write_text(const char *path, const char *text);
