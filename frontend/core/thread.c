/* Records of threads; see thread.h. */
#include "frontend/core/thread.h"
#include "frontend/core/memory.h"

#include <stdlib.h>

pthread_key_t aic_thread_key;
bool aic_thread_ready;

static void drop(void *record)
{
    aic_thread *thread = record;
    if (thread->reader != NULL) {
        thread->give_back_reader(thread->reader);
    }
    aic_memory_free(thread->scratch.memory);
    free(thread);
}

/* Before other constructors, which may call the library. The key is never deleted: threads go on calling kernels while
 * the process exits, and the library is not unloaded before. */
__attribute__((constructor(101))) static void make_key(void)
{
    aic_thread_ready = pthread_key_create(&aic_thread_key, drop) == 0;
}

const aic_hooks *aic_thread_use(const aic_hooks *hooks)
{
    const bool named = hooks != NULL && aic_hooks_any(hooks);
    aic_thread *thread = named ? aic_thread_get() : aic_thread_peek();
    const aic_hooks *before = NULL;
    if (thread != NULL) {
        before = thread->hooks;
        thread->hooks = named ? hooks : NULL;
    }
    return before;
}

aic_thread *aic_thread_get(void)
{
    aic_thread *thread = aic_thread_peek();
    if (thread != NULL || !aic_thread_ready) {
        return thread;
    }
    thread = calloc(1, sizeof *thread);
    if (thread != NULL && pthread_setspecific(aic_thread_key, thread) != 0) {
        free(thread);
        thread = NULL;
    }
    return thread;
}
