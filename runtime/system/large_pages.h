/* Memory that kernels read from end to end in every call, such as packed weights beyond the caches: on pages of the
 * usual size calls wait for addresses, and which lines fall into the same set of a cache is left to chance. */
#pragma once

#include <stddef.h>

/* Lets the system put large pages in place of the block's while the process runs, as far as it is whole ones: here that
 * takes no time. What the system has none of it does without. */
void aic_large_pages_wish(void *memory, size_t bytes);
