/* Pseudo-random numbers for operand contents: splitmix64, the same sequence for a seed on every host. */
#pragma once

#include <stdint.h>

static inline uint64_t rng_next(uint64_t *state)
{
    *state += UINT64_C(0x9E3779B97F4A7C15);
    uint64_t bits = *state;
    bits = (bits ^ bits >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    bits = (bits ^ bits >> 27) * UINT64_C(0x94D049BB133111EB);
    return bits ^ bits >> 31;
}

/* In low .. high, both included; uniform enough for tests. */
static inline int64_t rng_range(uint64_t *state, int64_t low, int64_t high)
{
    return low + (int64_t)(rng_next(state) % ((uint64_t)(high - low) + 1));
}
