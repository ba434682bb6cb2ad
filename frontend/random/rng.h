/* Pseudo-random numbers for checks: splitmix64. The same state gives the same sequence on every host. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
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

/* True once in n. */
static inline bool aic_rng_once_in(uint64_t *state, int64_t n)
{
    return aic_rng_range(state, 1, n) == 1;
}

/* One of the values. */
static inline int64_t aic_rng_pick(uint64_t *state, const int64_t *values, size_t count)
{
    return values[aic_rng_range(state, 0, (int64_t)count - 1)];
}

#define AIC_RNG_PICK(state, ...)                                                                                       \
    aic_rng_pick(state, (const int64_t[]){__VA_ARGS__}, sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

/* A size of low .. high at which generated code is likely to change: a small one, or up to two off a small multiple of
 * a power of two, where vectors, blocks, tiles and unrolled steps begin and end. */
static inline int64_t aic_rng_edge(uint64_t *state, int64_t low, int64_t high)
{
    const int64_t small = 10, first = 4;
    int64_t doublings = 0;
    if (high - low < small || aic_rng_once_in(state, 3)) {
        return aic_rng_range(state, low, high - low < small ? high : low + small - 1);
    }
    while (first << (doublings + 1) <= high) {
        doublings++;
    }
    const int64_t power = first << aic_rng_range(state, 0, doublings);
    const int64_t size = power * AIC_RNG_PICK(state, 1, 1, 1, 2, 3, 5) + aic_rng_range(state, -2, 2);
    return size < low ? low : size > high ? high : size;
}

/* Mostly `usual` or less, every other one of them at an edge; sometimes up to `limit`, sometimes the limit itself. */
static inline int64_t aic_rng_skewed(uint64_t *state, int64_t low, int64_t usual, int64_t limit)
{
    const int64_t which = aic_rng_range(state, 0, 15);
    if (which < 2) {
        return which == 0 ? limit : aic_rng_range(state, low, limit);
    }
    return (which % 2 == 0 ? aic_rng_edge : aic_rng_range)(state, low, usual);
}
