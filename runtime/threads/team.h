/* The workers of one call of the library: the threads of the pool, the caller's own parallel loop, or the calling
 * thread alone. They divide the items of a phase among themselves, phase after phase. */
#pragma once

#include "frontend/core/thread.h"
#include "runtime/threads/pool.h"
#include "runtime/threads/share.h"

typedef struct aic_team {
    const aic_share *share;
    const char *subject; /* opens messages */
    aic_thread *thread;  /* the calling one */
    int workers;         /* 1: the calling thread works alone */
    aic_pool_turn turn;
    bool pooled; /* it has a turn, also where that gave it no thread */
    int cancellation;
} aic_team;

/* Does items first .. last-1 as number `worker`, one of 0 .. workers-1; no two that run at the same time have the same
 * number. */
typedef void (*aic_team_body)(void *data, int64_t first, int64_t last, int worker);

/* Gathers at most `wanted` workers, of which there are two or more; inside a parallel loop of the library's there is
 * one. The calling thread cannot be cancelled until aic_team_leave(), as others use its memory. */
void aic_team_enter(aic_team *team, const aic_share *share, const char *subject, aic_thread *thread, int wanted);
void aic_team_leave(const aic_team *team);

/* Has every item 0 .. items-1 done once by at most `workers` of the team's workers, and returns when all are done.
 * AIC_INVALID_ARGUMENT when a parallel_for did not do what it should. */
aic_status aic_team_run(const aic_team *team, int workers, int64_t items, aic_team_body body, void *data);
