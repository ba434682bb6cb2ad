/* Scratch memory of kernels: one block a thread, kept for the thread's next call. */
#ifndef AIC_RUNTIME_SCRATCH_H
#define AIC_RUNTIME_SCRATCH_H

#include "frontend/core/thread.h"
#include <aic/types.h>

#define AIC_SCRATCH_ALIGNMENT 64

/* Once this many calls in a row have needed less than a quarter of the block, it shrinks to what they needed. */
#define AIC_SCRATCH_PATIENCE 64

/* Blocks up to this size do not shrink. */
#define AIC_SCRATCH_SMALL ((size_t)64 << 10)

/* aic_scratch_get() for calls that the block is too small for, or much too large. */
aic_status aic_scratch_fit(size_t size, void **memory);

/* Sees to `size` bytes of the calling thread's own, 64-byte aligned, valid until its next call or its end; their
 * content is undefined. *memory may be NULL when size is 0. AIC_OUT_OF_MEMORY. */
static inline aic_status aic_scratch_get(size_t size, void **memory)
{
    aic_thread *thread = aic_thread_peek();
    if (thread == NULL || size > thread->scratch.size || size < thread->scratch.few) {
        return aic_scratch_fit(size, memory);
    }
    thread->scratch.calls = 0;
    *memory = thread->scratch.memory;
    return AIC_OK;
}

#endif
