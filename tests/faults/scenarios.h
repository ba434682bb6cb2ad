/* What is done while calls fail: each a task that begins and ends without the library's memory. */
#pragma once

#include <aic/aic.h>

typedef struct scenario {
    const char *name;
    /* Does the work and gives everything back. The first status that is not AIC_OK, with its message as the thread's
     * last one. What is wrong beside that - a result, a file, a buffer that was written to although the call failed -
     * it says by *wrong, in static storage. */
    aic_status (*run)(const char **wrong);
    /* What it does beside results may be left undone without a status: what it writes, by how many threads it works. */
    bool lenient;
} scenario;

extern const scenario scenarios[];
extern const size_t scenario_count;

/* Those of scarce.c: calls that go on with less when memory is short; calls of threads that get no record; kernels that
 * are to be given up. */
aic_status scarce_memory(const char **wrong);
aic_status scarce_records(const char **wrong);
aic_status scarce_cache(const char **wrong);

/* Those of tuning.c. */
aic_status tuning_merge(const char **wrong);
aic_status tuning_estimate(const char **wrong);
aic_status tuning_measure(const char **wrong);

/* Those of disk.c: a kernel that is kept and found, the folder looked after, the same of a part, ready-made parts. */
aic_status disk_keep(const char **wrong);
aic_status disk_look_after(const char **wrong);
aic_status disk_keep_parts(const char **wrong);
aic_status disk_ready_parts(const char **wrong);

/* Those of networks.c. */
aic_status networks_run(const char **wrong);
aic_status networks_export(const char **wrong);

/* Makes what scenarios read: a folder with files. False when that fails. */
bool scenarios_open(void);
void scenarios_close(void);

/* The same of what those of a file read, in that folder. */
bool tuning_open(void);
void tuning_close(void);
bool networks_open(void);
