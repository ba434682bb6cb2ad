/* Strided copies, and whether they lie clear of each other. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* `count` copies, `stride` from one to the next. */
typedef struct aic_repeat {
    int64_t count, stride;
} aic_repeat;

/* Whether the copies of something `extent` long lie clear of each other because they nest: each stride leaves room for
 * everything that is repeated at smaller ones. Sorts `repeats`. */
bool aic_repeats_move(int64_t extent, aic_repeat *repeats, size_t count);
