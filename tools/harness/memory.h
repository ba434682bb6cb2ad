/* Memory for tensors: mapped, zeroed, and refused beyond what the machine has instead of overcommitted. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Bytes that may be mapped in all: what the system called available at the first call. */
uint64_t memory_limit(void);

/* Bytes that may still be mapped; code that allocates by itself should stay below. */
uint64_t memory_left(void);

/* `size` bytes of zeroed whole pages, or NULL when the system or the limit refuses. */
void *memory_map(size_t size);
void memory_unmap(void *memory, size_t size);

/* Bytes of a page. */
size_t memory_page(void);
