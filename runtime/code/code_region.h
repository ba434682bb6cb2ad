/* Regions of code memory as the system gives them; see code_memory.h. */
#pragma once

#include <aic/types.h>

typedef struct aic_code_region {
    unsigned char *base; /* where code runs */
    unsigned char *open; /* where it is written: the same for anonymous memory, else a second mapping of the file */
    size_t size;
} aic_code_region;

/* Maps a region, `size` being whole pages: anonymous, or of a file without a name. */
aic_status aic_code_region_map(size_t size, bool file, aic_code_region *region);
void aic_code_region_unmap(aic_code_region *region);

/* Copies bytes into pages that nobody executes, and makes them executable. 0 or an errno: EACCES and EPERM of anonymous
 * memory mean that the system wants files. `pages`: bytes of whole pages. */
int aic_code_region_write(const aic_code_region *region, size_t at, size_t pages, const void *bytes, size_t size);

/* Gives the memory behind pages back to the system, where that can be done. */
void aic_code_region_drop(const aic_code_region *region, size_t at, size_t pages);
