/* Readers and what they may be looking at; see grace.h. */
#define _GNU_SOURCE /* syscall() */
#include "runtime/cache/grace.h"
#include "runtime/system/fork.h"

#include <linux/membarrier.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

atomic_uint_fast64_t aic_grace_period = 1;
atomic_bool aic_grace_fences = true; /* until membarrier() is known to work */

static _Atomic(aic_presence *) readers; /* of all threads that there were; none is ever freed */
static atomic_uint unknown;             /* sections of threads without a reader */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* the list of what is retired */
static aic_retired *retired_list;
static _Atomic(bool) anything; /* the list is not empty */

/* ---- barriers ---- */

static bool membarrier_do(int command)
{
    return syscall(SYS_membarrier, command, 0, 0) == 0;
}

/* Makes the notes of all readers visible; false: that is not known. */
static bool see_all_readers(void)
{
    if (atomic_load(&aic_grace_fences)) {
        atomic_signal_fence(memory_order_seq_cst);
        return true;
    }
    return membarrier_do(MEMBARRIER_CMD_PRIVATE_EXPEDITED) ||
           (membarrier_do(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) &&
            membarrier_do(MEMBARRIER_CMD_PRIVATE_EXPEDITED));
}

/* ---- readers ---- */

static void give_back(void *reader)
{
    aic_presence *r = reader;
    r->depth = 0;
    atomic_store_explicit(&r->period, 0, memory_order_release); /* a thread that was ended within a section */
    atomic_store_explicit(&r->taken, false, memory_order_release);
}

/* One that an ended thread has left, or a new one. */
static aic_presence *take_reader(void)
{
    for (aic_presence *r = atomic_load_explicit(&readers, memory_order_acquire); r != NULL; r = r->next) {
        bool taken = false;
        if (atomic_compare_exchange_strong(&r->taken, &taken, true)) {
            return r;
        }
    }
    aic_presence *made = aligned_alloc(64, 64); /* a cache line: others' notes are no business of its thread */
    _Static_assert(sizeof *made <= 64, "a reader fits a cache line");
    if (made != NULL) {
        *made = (aic_presence){.depth = 0};
        atomic_init(&made->period, 0);
        atomic_init(&made->taken, true);
        made->next = atomic_load_explicit(&readers, memory_order_relaxed);
        while (!atomic_compare_exchange_weak_explicit(&readers, &made->next, made, memory_order_release,
                                                      memory_order_relaxed)) {
        }
    }
    return made;
}

aic_presence *aic_presence_get(void)
{
    aic_thread *thread = aic_thread_get();
    if (thread == NULL) {
        return NULL;
    }
    if (thread->reader == NULL) {
        thread->reader = take_reader();
        thread->give_back_reader = give_back;
    }
    return thread->reader;
}

void aic_grace_enter_unknown(void)
{
    atomic_fetch_add(&unknown, 1);
}

void aic_grace_leave_unknown(void)
{
    atomic_fetch_sub(&unknown, 1);
}

/* ---- what is retired ---- */

void aic_retire(aic_retired *retired, void (*free)(aic_retired *retired))
{
    pthread_mutex_lock(&mutex);
    /* Readers that enter from here on see a later period. */
    retired->period = atomic_fetch_add(&aic_grace_period, 1);
    retired->free = free;
    retired->next = retired_list;
    retired_list = retired;
    atomic_store(&anything, true);
    pthread_mutex_unlock(&mutex);
}

/* The earliest period that a reader is in; 0: a thread without a reader is inside. */
static uint64_t earliest_reader(void)
{
    uint64_t earliest = UINT64_MAX;
    if (atomic_load(&unknown) > 0) {
        return 0;
    }
    for (const aic_presence *r = atomic_load_explicit(&readers, memory_order_acquire); r != NULL; r = r->next) {
        /* acquire: what a reader did before it left comes before the memory goes. */
        const uint64_t period = atomic_load_explicit(&r->period, memory_order_acquire);
        earliest = period != 0 && period < earliest ? period : earliest;
    }
    return earliest;
}

/* Takes what is older than all readers out of the list, whose newest come first. */
static aic_retired *take_free(void)
{
    aic_retired **link = &retired_list;
    const uint64_t earliest = see_all_readers() ? earliest_reader() : 0;
    while (*link != NULL && (*link)->period >= earliest) {
        link = &(*link)->next;
    }
    aic_retired *list = *link;
    *link = NULL;
    atomic_store(&anything, retired_list != NULL);
    return list;
}

void aic_reclaim(void)
{
    if (!atomic_load_explicit(&anything, memory_order_relaxed)) {
        return;
    }
    pthread_mutex_lock(&mutex);
    aic_retired *list = take_free();
    pthread_mutex_unlock(&mutex);
    while (list != NULL) {
        aic_retired *next = list->next;
        list->free(list);
        list = next;
    }
}

/* ---- the process ---- */

/* The other threads are not in the child; their sections are over. */
static void after_fork_in_child(void)
{
    const aic_thread *thread = aic_thread_peek();
    for (aic_presence *r = atomic_load(&readers); r != NULL; r = r->next) {
        if (thread == NULL || r != thread->reader) {
            give_back(r);
        }
    }
    if (thread != NULL && thread->reader != NULL) { /* else it may be this thread that is inside */
        atomic_store(&unknown, 0);
    }
}

const aic_fork_lock aic_grace_fork = {&mutex, &(const aic_fork_part){.in_child = after_fork_in_child}};

/* Before other constructors, which may call the library. */
__attribute__((constructor(103))) static void choose_barrier(void)
{
    if (membarrier_do(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED)) {
        atomic_store(&aic_grace_fences, false);
    }
}
