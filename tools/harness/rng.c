/* Pseudo-random numbers. */
#include "tools/harness/rng.h"

int64_t rng_range(uint64_t *state, int64_t low, int64_t high)
{
    return low + (int64_t)(rng_next(state) % ((uint64_t)(high - low) + 1));
}
