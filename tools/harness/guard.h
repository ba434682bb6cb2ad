/* Buffers next to inaccessible pages: an access outside traps at once. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef enum guard_side {
    GUARD_AFTER,  /* the buffer ends where an inaccessible page begins, as far as its alignment allows */
    GUARD_BEFORE, /* it begins where an inaccessible page ends */
    GUARD_SHIFTED /* it begins one alignment behind that: aligned to no more than required */
} guard_side;

enum { GUARD_SIDES = GUARD_SHIFTED + 1 };

typedef struct guard_buffer {
    void *data; /* zeroed */
    size_t size;
    unsigned char *map;
    size_t map_size;
} guard_buffer;

/* Makes a buffer of `size` bytes (0 is legal), aligned to `alignment`, a power of two up to a page, with
 * inaccessible pages on both sides. False when memory cannot be had. */
bool guard_open(guard_buffer *buffer, size_t size, size_t alignment, guard_side side);

/* Allows or forbids writing. This and what follows leave a zeroed buffer alone. */
void guard_writable(guard_buffer *buffer, bool writable);

/* Whether the bytes between the buffer and the inaccessible pages are as guard_open left them. */
bool guard_intact(const guard_buffer *buffer);

/* Frees. */
void guard_close(guard_buffer *buffer);
