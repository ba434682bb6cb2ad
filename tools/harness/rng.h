/* Pseudo-random numbers for operand contents: splitmix64, the same sequence for a seed on every host. */
#ifndef AIC_HARNESS_RNG_H
#define AIC_HARNESS_RNG_H

#include <stdint.h>

uint64_t rng_next(uint64_t *state);

/* In low .. high, both included; uniform enough for tests. */
int64_t rng_range(uint64_t *state, int64_t low, int64_t high);

#endif
