/* fork(): what every part of the library with a lock does then, in one place.
 *
 * The C library calls only handlers that were registered before the fork began. So they are registered once, when the
 * library is loaded, for all parts. */
#pragma once

#include "frontend/core/fork.h"
#include <pthread.h>
#include <stdbool.h>

/* A part, and its lock, NULL where it has none, which is taken before anything else and given back after it. */
typedef struct aic_fork_lock {
    pthread_mutex_t *mutex;
    const aic_fork_part *part;
} aic_fork_lock;

extern const aic_fork_lock aic_pool_fork, aic_generator_fork, aic_profile_fork, aic_cache_fork, aic_grace_fork,
    aic_code_memory_fork, aic_loop_fork;

/* Whether the handlers are registered: there was memory for it when the library was loaded. Without them there are no
 * contexts. */
bool aic_fork_is_watched(void);
