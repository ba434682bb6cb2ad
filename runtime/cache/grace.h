/* Freeing memory that readers without locks may be using, after a grace period as in RCU: what was removed from a cache
 * is freed when every reader that was inside a section at that time has left it.
 *
 *     readers   aic_grace_enter() ... aic_grace_leave() around all that they do with what they find: no lock, no system
 *               call, no write to shared memory. Sections may nest
 *     writers   remove something, so that no new reader finds it, then aic_retire() it
 *     freeing   aic_reclaim(), called after misses
 *
 * Periods are numbered. A reader notes the number of the period in which it enters. What is retired gets the number of
 * the current period and ends that period. It is freed when every reader inside entered in a later period. A reader's
 * note must be visible before the reader looks at anything. Where Linux has membarrier(), aic_reclaim() ensures that
 * with one system call for all threads, and readers need no barrier of their own. */
#pragma once

#include "frontend/core/thread.h"
#include <stdatomic.h>
#include <stdint.h>

/* A reader's note. That of a thread that ends is used again by the next new thread. */
typedef struct aic_presence {
    atomic_uint_fast64_t period; /* in which its outermost section began; 0: it is outside */
    unsigned depth;              /* of nested sections; only its thread uses it */
    atomic_bool taken;           /* by a thread */
    struct aic_presence *next;
} aic_presence;

extern atomic_uint_fast64_t aic_grace_period; /* begins with 1 */
extern atomic_bool aic_grace_fences;          /* readers need barriers of their own */

/* The calling thread's reader, made if there is none; NULL when memory has run out. */
aic_presence *aic_presence_get(void);

/* For threads without a reader: nothing is freed as long as one of them is inside. */
void aic_grace_enter_unknown(void);
void aic_grace_leave_unknown(void);

/* aic_grace_enter() for a caller that has the calling thread's record, which may be NULL. */
static inline aic_presence *aic_grace_enter_as(const aic_thread *thread)
{
    aic_presence *reader = thread != NULL && thread->reader != NULL ? thread->reader : aic_presence_get();
    if (reader == NULL) {
        aic_grace_enter_unknown();
        return NULL;
    }
    if (reader->depth++ == 0) {
        /* acquire: a thread that sees a period sees what was taken out before it began. */
        const uint64_t period = atomic_load_explicit(&aic_grace_period, memory_order_acquire);
        if (atomic_load_explicit(&aic_grace_fences, memory_order_relaxed)) {
            (void)atomic_exchange_explicit(&reader->period, period, memory_order_seq_cst);
        } else {
            atomic_store_explicit(&reader->period, period, memory_order_release);
            atomic_signal_fence(memory_order_seq_cst); /* the compiler keeps the order, membarrier() the processor */
        }
    }
    return reader;
}

/* Enters a section; the result is for aic_grace_leave() of the same thread. */
static inline aic_presence *aic_grace_enter(void)
{
    return aic_grace_enter_as(aic_thread_peek());
}

static inline void aic_grace_leave(aic_presence *reader)
{
    if (reader == NULL) {
        aic_grace_leave_unknown();
    } else if (--reader->depth == 0) {
        /* release: all that the section did comes before. */
        atomic_store_explicit(&reader->period, 0, memory_order_release);
    }
}

/* Part of what may be retired. */
typedef struct aic_retired {
    struct aic_retired *next;
    uint64_t period;
    void (*free)(struct aic_retired *retired); /* called outside of every lock */
} aic_retired;

/* Hands over what no new reader can find. Needs no memory, and may be called with locks held. */
void aic_retire(aic_retired *retired, void (*free)(aic_retired *retired));

/* Frees what no reader can be looking at. Cheap when nothing is retired. */
void aic_reclaim(void);
