/* Handlers of fork(); see fork.h. */
#include "runtime/system/fork.h"

#include <stddef.h>

/* In the order in which a fork takes their locks: what a thread may take while it holds another one comes after that.
 * The caches retire entries with their lock held. Nobody takes a lock while the generator is loaded or compiles, so
 * waiting for that is done with as few locks as can be. */
static const aic_fork_lock *const PARTS[] = {&aic_pool_fork,  &aic_generator_fork,   &aic_profile_fork, &aic_cache_fork,
                                             &aic_grace_fork, &aic_code_memory_fork, &aic_loop_fork};

enum { PART_COUNT = sizeof PARTS / sizeof PARTS[0] };

static bool watched;

static void call(void (*function)(void))
{
    if (function != NULL) {
        function();
    }
}

static void before_fork(void)
{
    for (size_t i = 0; i < PART_COUNT; i++) {
        if (PARTS[i]->mutex != NULL) {
            pthread_mutex_lock(PARTS[i]->mutex);
        }
        call(PARTS[i]->part->before);
    }
}

static void after_fork(bool in_child)
{
    for (size_t i = PART_COUNT; i > 0; i--) {
        call(in_child ? PARTS[i - 1]->part->in_child : PARTS[i - 1]->part->in_parent);
        if (PARTS[i - 1]->mutex != NULL) {
            pthread_mutex_unlock(PARTS[i - 1]->mutex);
        }
    }
}

static void after_fork_in_parent(void)
{
    after_fork(false);
}

static void after_fork_in_child(void)
{
    after_fork(true);
}

/* Before other constructors, which may call the library. */
__attribute__((constructor(102))) static void watch_fork(void)
{
    watched = pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child) == 0;
}

bool aic_fork_is_watched(void)
{
    return watched;
}
