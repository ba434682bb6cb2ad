/* The processors that this process may really use: fewer than the machine has where an affinity mask names them, or
 * where a control group limits the processor time. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* An affinity mask as sched_setaffinity() takes it. */
enum { AIC_AFFINITY_BYTES = 128 };
typedef struct aic_affinity {
    unsigned char mask[AIC_AFFINITY_BYTES];
    bool known; /* false: the system does not tell it, or it has more processors than the mask has bits */
} aic_affinity;

typedef struct aic_processors {
    int count;  /* effective processors, at least 1 */
    bool quota; /* a control group's quota is what limits them: time that is spent waiting is lost to the work */
    aic_affinity affinity; /* of the calling thread */
} aic_processors;

/* Finds the processors of the calling thread's mask; a quota is not looked for. What cannot be found out does not limit
 * them. */
void aic_processors_find(aic_processors *processors);

/* Limits them by the quota of the process. */
void aic_processors_limit(aic_processors *processors, int quota);

/* Processors of which the control groups of this process may use the time, rounded down but at least 1; 0 where there
 * is no quota. `root` is put in front of every path that is read, "" for the system's own: tests have files elsewhere.
 */
int aic_processors_quota(const char *root);

/* Makes the affinity that of the calling thread, if it is known. Where the system refuses it the thread keeps its own.
 */
void aic_processors_bind(const aic_affinity *affinity);
