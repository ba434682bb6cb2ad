/* Scratch memory of kernels: one block a thread, kept for the thread's next call. */
#pragma once

#include "frontend/core/memory.h"
#include "frontend/core/thread.h"
#include <aic/types.h>

#define AIC_SCRATCH_ALIGNMENT AIC_MEMORY_LINE

/* Once this many calls in a row have needed less than a quarter of the block, it shrinks to what they needed. */
#define AIC_SCRATCH_PATIENCE 64

/* Blocks up to this size do not shrink. */
#define AIC_SCRATCH_SMALL ((size_t)64 << 10)

/* aic_scratch_get() for calls that the block is too small for, or much too large. */
aic_status aic_scratch_fit(size_t size, void **memory);

/* aic_scratch_get() for a caller that has the calling thread's record, which may be NULL. */
static inline aic_status aic_scratch_get_as(aic_thread *thread, size_t size, void **memory)
{
    if (thread == NULL || size > thread->scratch.size || size < thread->scratch.few) {
        return aic_scratch_fit(size, memory);
    }
    thread->scratch.calls = 0;
    *memory = thread->scratch.memory;
    return AIC_OK;
}

/* Sees to `size` bytes of the calling thread's own, 64-byte aligned, valid until its next call or its end; their
 * content is undefined. *memory may be NULL when size is 0. AIC_OUT_OF_MEMORY. */
static inline aic_status aic_scratch_get(size_t size, void **memory)
{
    return aic_scratch_get_as(aic_thread_peek(), size, memory);
}

/* A block that belongs to a call and not to a thread's next call. */
typedef struct aic_scratch {
    void *memory;
    size_t size;
} aic_scratch;

/* Takes the thread's block out of its record, with at least `size` bytes, so that a call by the same thread meanwhile
 * gets another one. False when memory has run out; there is no message. */
bool aic_scratch_take(aic_thread *thread, size_t size, aic_scratch *block);

/* Puts the block back; of that and one that the thread has got meanwhile the larger stays. */
void aic_scratch_give(aic_thread *thread, const aic_scratch *block);
