/* Pseudo-random numbers for checks: splitmix64. The same state gives the same sequence on every host. */
#ifndef AIC_RNG_H
#define AIC_RNG_H

#include <stdint.h>

static inline uint64_t aic_rng_next(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

/* Uniform enough for tests in low .. high, both included. */
static inline int64_t aic_rng_range(uint64_t *state, int64_t low, int64_t high)
{
    return low + (int64_t)(aic_rng_next(state) % ((uint64_t)(high - low) + 1));
}

#endif
