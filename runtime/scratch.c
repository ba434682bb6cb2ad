/* Scratch memory of kernels; see scratch.h. The block is freed by a destructor of thread-specific data, which runs
 * when the thread ends. */
#include "runtime/scratch.h"
#include "frontend/core/diag.h"
#include <pthread.h>
#include <stdlib.h>

#define SUBJECT "workspace"
#define GRANULE 4096 /* sizes are rounded up, so that slowly growing shapes do not allocate every time */

_Thread_local aic_scratch_block aic_scratch_mine;

static pthread_key_t key;
static int key_error;
static pthread_once_t key_once = PTHREAD_ONCE_INIT;

static void make_key(void)
{
    key_error = pthread_key_create(&key, free);
}

/* The library may be unloaded before its threads end; they must not call free through a stale key then. */
__attribute__((destructor)) static void drop_key(void)
{
    pthread_once(&key_once, make_key);
    if (key_error == 0) {
        pthread_key_delete(key);
    }
}

aic_status aic_scratch_grow(size_t size)
{
    pthread_once(&key_once, make_key);
    if (key_error != 0) {
        return aic_fail(AIC_OUT_OF_MEMORY, SUBJECT, "no thread-specific key is left");
    }
    if (size > SIZE_MAX - GRANULE) {
        return aic_fail_memory(SUBJECT, size);
    }
    size_t rounded = (size + GRANULE - 1) / GRANULE * GRANULE;
    /* The old block goes first: the content need not survive, and the peak stays at one block. */
    free(aic_scratch_mine.memory);
    aic_scratch_mine = (aic_scratch_block){.memory = NULL, .size = 0};
    void *memory = aligned_alloc(AIC_SCRATCH_ALIGNMENT, rounded);
    if (pthread_setspecific(key, memory) != 0) {
        /* The key still names the old block: without memory for a new slot there was none. */
        free(memory);
        memory = NULL;
    }
    if (memory == NULL) {
        return aic_fail_memory(SUBJECT, size);
    }
    aic_scratch_mine = (aic_scratch_block){.memory = memory, .size = rounded};
    return AIC_OK;
}
