/* Lists that grow by doubling. */
#pragma once

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Makes room for one entry more in a list of `count` entries of `size` bytes; `list` is the address of the pointer to
 * them. There is room for a power of two, or more: a list that has lost entries may grow again. Returns false where
 * there is no memory, and the list is as it was. */
static inline bool aic_list_grow(void *list, size_t count, size_t size)
{
    void *entries;
    memcpy(&entries, list, sizeof entries);
    if ((count & (count - 1)) != 0) {
        return true;
    }
    void *grown = realloc(entries, (count == 0 ? 1 : 2 * count) * size);
    if (grown != NULL) {
        memcpy(list, &grown, sizeof grown);
    }
    return grown != NULL;
}
