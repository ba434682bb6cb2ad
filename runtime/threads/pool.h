/* The threads that share calls: one pool a process, that of the library pthreadpool.
 *
 * Why pthreadpool and not an OpenMP runtime: both OpenMP runtimes of Debian end the process when a thread cannot be
 * started, which may be at any call; libgomp's threads belong to the thread that calls, so that every calling thread
 * gets a team of its own, and a child after fork() waits for ever for the team of its parent; and a process that has
 * another OpenMP runtime must not get a second one. pthreadpool makes its threads in one function, at a time that we
 * choose, and all else it does is to hand out work. What it does not do is done here:
 *
 *   a thread that cannot be started    It would wait for ever for it. Whether there is room is tried first, and the
 *                                      pool is made on a thread of its own, for which calls do not wait for long.
 *   fork()                             The child forgets the pool, whose threads it does not have, and makes one when
 *                                      it first needs it.
 *   signals, affinity                  Its threads block every signal, and may run where the context's maker may, not
 *                                      where the caller that comes first is bound to.
 *   several callers                    It would make them wait. Here a second one does its work itself, and each caller
 *                                      leaves the pool one thread fewer: as many threads work as one caller would use.
 *   waiting                            Its threads spin for some ten milliseconds before they sleep, which makes waking
 *                                      them cheap between the calls of a network. Where they would take the processor
 *                                      from somebody, or use up a quota of processor time, they sleep at once.
 *   a busy machine                     A call waits for every thread of the pool, which elsewhere may wait for a
 *                                      processor. Where that made calls slower than they are alone, the pool is left
 *                                      alone for a while.
 *
 * The library is loaded when the first call is to be shared, so that nobody else needs to have it, and by its own name
 * for its functions, so that another copy of it in the process is not taken for it. */
#pragma once

#include "runtime/threads/processors.h"
#include <aic/types.h>

/* What a call wants. */
typedef struct aic_pool_wish {
    int threads; /* at most that many work, the caller among them */
    bool log;    /* a line when a pool is made, or cannot be made */
    const aic_processors *processors;
} aic_pool_wish;

/* A call's stay. */
typedef struct aic_pool_turn {
    int workers; /* that it has, the calling thread among them: 1 where the pool is in use or cannot be had */
    bool holds;
    bool spins;
} aic_pool_turn;

/* Whether there is the library, which is loaded to find out; the other one is AIC_UNSUPPORTED, with the reason, when
 * there is not. */
bool aic_pool_exists(void);
aic_status aic_pool_check(void);

/* Every caller that has work for several threads enters and leaves, also when it gets none. */
void aic_pool_enter(aic_pool_turn *turn, const aic_pool_wish *wish);
void aic_pool_leave(const aic_pool_turn *turn);

/* Calls work(data, 0) to work(data, workers - 1), each once, some of them at the same time, others perhaps one after
 * the other by one thread; returns when all have returned. */
void aic_pool_run(const aic_pool_turn *turn, int workers, void (*work)(void *data, size_t worker), void *data);

/* Tells how that went, in times of aic_log_now(): when aic_pool_run() began, and when worker 0 found nothing left to
 * do. */
void aic_pool_report(int workers, uint64_t began, uint64_t ran_out);

/* Whether this worker of a call for `threads` threads should give up its processor: other callers came. Never worker 0,
 * which finishes what there is. */
bool aic_pool_is_crowded(size_t worker, int threads);

/* For tests: threads that the pool has now, the callers' own not counted. */
int aic_pool_threads(void);

/* For tests: as usual; as if no thread could be started; without leaving a late pool alone, whose
 * threads sleep then. */
typedef enum aic_pool_mode { AIC_POOL_USUAL, AIC_POOL_NONE, AIC_POOL_ALWAYS } aic_pool_mode;
void aic_pool_suppose(aic_pool_mode mode);

/* For tests, which share the processors with others: whether the pool's threads always sleep at once. */
void aic_pool_sleep_at_once(bool always);
