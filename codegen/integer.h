/* Arithmetic on extents and bytes. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* How many parts of `part` there are in `whole`, the last of which may be smaller; whole >= 0, part > 0. */
static inline int64_t aic_parts(int64_t whole, int64_t part)
{
    return (whole + part - 1) / part;
}

/* The least multiple of `step` that is at least `value`; value >= 0, step > 0. */
static inline int64_t aic_round_up(int64_t value, int64_t step)
{
    return aic_parts(value, step) * step;
}

static inline int64_t aic_least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t aic_most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Whether a value is a power of two; 0 counts as one. */
static inline bool aic_is_power(int64_t value)
{
    return (value & (value - 1)) == 0;
}

/* The largest power of two that is at most `value`; 1 where there is none. */
static inline int64_t aic_power_within(int64_t value)
{
    int64_t power = 1;
    while (power <= value / 2) {
        power *= 2;
    }
    return power;
}
