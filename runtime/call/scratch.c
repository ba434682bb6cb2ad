/* Scratch memory of kernels; see scratch.h. The block belongs to the thread's record and goes with it. */
#include "runtime/call/scratch.h"
#include "frontend/core/diag.h"
#include "frontend/core/memory.h"
#include <aic/context.h>
#include <stdlib.h>

#define SUBJECT "workspace"
#define GRANULE 4096 /* sizes are rounded up, so that slowly growing shapes do not allocate every time */

/* A block for `size` bytes, or NULL; *rounded is its size. */
static void *allocate(size_t size, size_t *rounded)
{
    if (size > SIZE_MAX - GRANULE) {
        return NULL;
    }
    *rounded = (size + GRANULE - 1) / GRANULE * GRANULE;
    return aic_memory_lines(*rounded);
}

static void set_block(aic_thread *thread, void *memory, size_t size)
{
    thread->scratch.memory = memory;
    thread->scratch.size = size;
    thread->scratch.few = size > AIC_SCRATCH_SMALL ? size / 4 : 0;
    thread->scratch.calls = 0;
}

/* The old block goes first: the content need not survive, and the peak stays at one block. */
static bool grow(aic_thread *thread, size_t size)
{
    size_t rounded = 0;
    aic_memory_free(thread->scratch.memory);
    set_block(thread, NULL, 0);
    void *memory = allocate(size, &rounded);
    if (memory != NULL) {
        set_block(thread, memory, rounded);
    }
    return memory != NULL;
}

/* Makes the block as large as the counted calls needed. Without memory for that the calls have the old one, which
 * suffices. */
static void shrink(aic_thread *thread)
{
    size_t rounded = 0;
    void *memory = thread->scratch.most > 0 ? allocate(thread->scratch.most, &rounded) : NULL;
    if (memory != NULL || thread->scratch.most == 0) {
        aic_memory_free(thread->scratch.memory);
        set_block(thread, memory, rounded);
    }
    thread->scratch.calls = 0;
}

/* Counts a call that needs far less than there is. */
static void count_small(aic_thread *thread, size_t size)
{
    if (thread->scratch.calls == 0 || size > thread->scratch.most) {
        thread->scratch.most = size;
    }
    thread->scratch.calls++;
    if (thread->scratch.calls >= AIC_SCRATCH_PATIENCE) {
        shrink(thread);
    }
}

/* Sees to a block of that size. */
static bool fit(aic_thread *thread, size_t size)
{
    if (size > thread->scratch.size) {
        return grow(thread, size);
    }
    if (size < thread->scratch.few) {
        count_small(thread, size);
    }
    return true;
}

aic_status aic_scratch_fit(size_t size, void **memory)
{
    aic_thread *thread = size > 0 ? aic_thread_get() : aic_thread_peek();
    if (thread == NULL) {
        *memory = NULL;
        return size == 0 ? AIC_OK : aic_fail_memory(SUBJECT, size);
    }
    const bool fits = fit(thread, size);
    *memory = thread->scratch.memory;
    return fits ? AIC_OK : aic_fail_memory(SUBJECT, size);
}

/* Counts of calls that need little go on: the block comes back. */
bool aic_scratch_take(aic_thread *thread, size_t size, aic_scratch *block)
{
    if (size >= thread->scratch.few) {
        thread->scratch.calls = 0;
    }
    if (!fit(thread, size)) {
        return false;
    }
    *block = (aic_scratch){thread->scratch.memory, thread->scratch.size};
    thread->scratch.memory = NULL;
    thread->scratch.size = 0;
    thread->scratch.few = 0;
    return true;
}

void aic_thread_trim(void)
{
    aic_thread *thread = aic_thread_peek();
    if (thread != NULL) {
        aic_memory_free(thread->scratch.memory);
        set_block(thread, NULL, 0);
    }
}

void aic_scratch_give(aic_thread *thread, const aic_scratch *block)
{
    if (thread->scratch.size >= block->size) {
        aic_memory_free(block->memory);
        return;
    }
    const unsigned calls = thread->scratch.calls;
    aic_memory_free(thread->scratch.memory);
    set_block(thread, block->memory, block->size);
    thread->scratch.calls = calls;
}
