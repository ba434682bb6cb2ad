/* Calls that several workers share: the phases of a kernel, one after the other, the items of each divided among the
 * threads of the pool, or by the caller's own parallel loop.
 *
 * All memory is the calling thread's: what is shared, the packed operand of a plain call, and the private memory of
 * every worker, got before anything is written. So a worker can fail at nothing, and which thread a worker runs on does
 * not matter. */
#pragma once

#include "runtime/threads/processors.h"
#include <aic/context.h>
#include <stdatomic.h>

/* How the calls of a context are shared. A kernel has a copy: it may outlive its context. Until aic_share_limit() no
 * quota is known: reading those of the process's control groups takes longer than a kernel from the disk. */
typedef struct aic_share {
    int threads;                   /* 1: not at all */
    bool all;                      /* the threads are as many as there are processors */
    aic_parallel_for parallel_for; /* NULL: by the pool */
    void *parallel_for_data;
    aic_processors processors;
    bool log; /* a line when a pool is made */
} aic_share;

/* From the options and the value of AIC_NUM_THREADS, NULL where it is not set. AIC_INVALID_ARGUMENT, AIC_UNSUPPORTED.
 */
aic_status aic_share_configure(aic_share *share, const aic_context_options *options, const char *environment);

/* Limits the processors, and the threads where they are as many, by the quota of the process. *known is what the
 * context knows of that, AIC_QUOTA_UNKNOWN at first; from then on the quota. */
enum { AIC_QUOTA_UNKNOWN = -1 };
void aic_share_limit(aic_share *share, atomic_int *known);

struct aic_code;

/* Workers that a call of the code can have, 1 when it is not shared. Limits the code's share if it is. */
int aic_share_workers(struct aic_code *code, atomic_int *known_quota);

struct aic_team;

/* Runs the phases of the code by at most `workers` of a team, in aic_workspace_bytes() for each of them, 64-byte
 * aligned. AIC_INVALID_ARGUMENT as below. */
aic_status aic_share_run(const struct aic_code *code, const struct aic_team *team, int workers, int form,
                         const void *const operands[], char *memory);

/* Runs the code, which has phases, on operands that have been checked. AIC_OUT_OF_MEMORY; AIC_INVALID_ARGUMENT when
 * parallel_for did not do what it should. */
aic_status aic_share_call(const struct aic_code *code, int form, const void *const operands[]);
