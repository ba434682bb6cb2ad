/* Memory of contexts; see memory.h. In front of a block lies where it comes from. */
#include "frontend/core/memory.h"
#include "frontend/core/thread.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct origin {
    void (*deallocate)(void *data, void *memory, size_t bytes); /* NULL: free() */
    void *data;
    size_t before, bytes; /* of the whole, before the block; and in all */
} origin;

_Static_assert(sizeof(origin) % alignof(max_align_t) == 0, "what is behind it is aligned, too");
_Static_assert(sizeof(origin) <= AIC_MEMORY_LINE, "it fits in front of a line");

static void *get(size_t bytes, size_t before, size_t alignment)
{
    const aic_thread *thread = aic_thread_peek();
    const aic_hooks *hooks =
        thread != NULL && thread->hooks != NULL && thread->hooks->allocate != NULL ? thread->hooks : NULL;
    size_t size;
    if (__builtin_add_overflow(bytes, before + alignment - 1, &size)) {
        return NULL;
    }
    size -= size % alignment; /* what aligned_alloc() wants */
    char *whole = hooks != NULL                      ? hooks->allocate(hooks->allocate_data, size, alignment)
                  : alignment > alignof(max_align_t) ? aligned_alloc(alignment, size)
                                                     : malloc(size);
    if (whole == NULL) {
        return NULL;
    }
    const origin from = {.before = before, .bytes = size};
    origin *at = (origin *)(void *)(whole + before - sizeof from);
    *at = from;
    if (hooks != NULL) {
        at->deallocate = hooks->deallocate;
        at->data = hooks->allocate_data;
    }
    return whole + before;
}

void *aic_memory_new(size_t bytes)
{
    return get(bytes, sizeof(origin), alignof(max_align_t));
}

void *aic_memory_zeros(size_t bytes)
{
    void *memory = aic_memory_new(bytes);
    return memory != NULL ? memset(memory, 0, bytes) : NULL;
}

void *aic_memory_lines(size_t bytes)
{
    return get(bytes, AIC_MEMORY_LINE, AIC_MEMORY_LINE);
}

void aic_memory_free(void *memory)
{
    if (memory == NULL) {
        return;
    }
    origin from;
    memcpy(&from, (char *)memory - sizeof from, sizeof from);
    void *whole = (char *)memory - from.before;
    if (from.deallocate != NULL) {
        from.deallocate(from.data, whole, from.bytes);
    } else {
        free(whole);
    }
}
