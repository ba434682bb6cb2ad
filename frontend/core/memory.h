/* Memory that belongs to a context: of its own functions (aic_context_options.allocate), or of malloc(). Each block
 * knows where it comes from, so that it can be freed by whoever holds it last. */
#pragma once

#include <stddef.h>

/* A block for any type, by the functions that the calling thread uses (aic_thread_use()); NULL when there is none. */
void *aic_memory_new(size_t bytes);

/* The same, all zeros. */
void *aic_memory_zeros(size_t bytes);

/* A block that is aligned to AIC_MEMORY_LINE bytes. */
#define AIC_MEMORY_LINE 64
void *aic_memory_lines(size_t bytes);

/* Frees a block; NULL does nothing. */
void aic_memory_free(void *memory);
