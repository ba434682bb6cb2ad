/* Strided copies; see repeat.h. */
#include "frontend/layout/repeat.h"

#include <stdlib.h>

static int by_stride(const void *a, const void *b)
{
    const aic_repeat *left = a, *right = b;
    return (left->stride > right->stride) - (left->stride < right->stride);
}

bool aic_repeats_move(int64_t extent, aic_repeat *repeats, size_t count)
{
    qsort(repeats, count, sizeof repeats[0], by_stride);
    for (size_t i = 0; i < count; i++) {
        if (repeats[i].count > 1 && repeats[i].stride < extent) {
            return false;
        }
        extent += (repeats[i].count - 1) * repeats[i].stride;
    }
    return true;
}
