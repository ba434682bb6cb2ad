/* A model of the caches of a core with tiles, for what its tile instructions load and store: 48 KB of 12 ways and 2 MB
 * of 16, of which each keeps the lines that were used last. Other instructions are not seen, nor is what the processor
 * fetches by itself or on request. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Where a line was when it was loaded. */
enum { CACHE_FIRST, CACHE_SECOND, CACHE_BEYOND, CACHE_LEVELS };

/* `bytes` bytes are loaded; what need not stay does not come into the first level. */
void cache_load(uint64_t address, unsigned bytes, bool stays);
void cache_store(uint64_t address, unsigned bytes);

/* Lines loaded so far. */
uint64_t cache_lines(int level);
