/* Limits of a context's memory cache: the number of kernels, and the bytes that they take in code memory and besides.
 * The least recently used kernels are removed. Kernels that a handle holds stay, and code that is being called is not
 * freed (grace.h). */
#pragma once

#include "runtime/request/context.h"

/* Prepares the context's caches for removing entries. */
void aic_evict_prepare(aic_context *context);

/* Where a limit is exceeded, removes kernels until a sixteenth of it is free, so that not every miss has to sort the
 * entries by age. Does nothing where there is no memory to sort them. */
void aic_evict(aic_context *context);

/* Removes the oldest entries of a cache as long as it is full; remove() says whether it has removed one. The caches'
 * mutex is held. Does nothing where there is no memory to sort them. */
void aic_evict_oldest(aic_cache *cache, bool (*full)(const void *user), bool (*remove)(void *user, aic_cache_entry *),
                      void *user);
