/* Scratch memory of kernels: one block a thread, kept for the thread's next call. */
#ifndef AIC_RUNTIME_SCRATCH_H
#define AIC_RUNTIME_SCRATCH_H

#include <aic/types.h>

#define AIC_SCRATCH_ALIGNMENT 64

typedef struct aic_scratch_block {
    void *memory;
    size_t size;
} aic_scratch_block;

/* The library is built with the initial-exec model: reading it is one load from the thread pointer. */
extern _Thread_local aic_scratch_block aic_scratch_mine;

/* Makes the thread's block at least `size` bytes; its content is lost. AIC_OUT_OF_MEMORY. */
aic_status aic_scratch_grow(size_t size);

/* Sees to `size` bytes of the calling thread's own, 64-byte aligned, valid until its next call or its end.
 * *memory may be NULL when size is 0. */
static inline aic_status aic_scratch_get(size_t size, void **memory)
{
    if (size > aic_scratch_mine.size) {
        aic_status status = aic_scratch_grow(size);
        if (status != AIC_OK) {
            return status;
        }
    }
    *memory = aic_scratch_mine.memory;
    return AIC_OK;
}

#endif
