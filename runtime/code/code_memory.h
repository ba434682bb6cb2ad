/* Memory that holds machine code: an arena of regions in which every image has pages of its own, written once, then
 * executable, never both at the same time. Regions are few mappings, so that the number of kernels is not limited by
 * the number of mappings that a process may have.
 *
 * Where the system lets nobody make anonymous memory executable (SELinux without execmem, PR_SET_MDWE), regions are
 * files without a name, mapped twice: executable, and at another address for writing, which is open only while an image
 * is copied. That takes a file that may be mapped executable: memory of memfd_create(), or a file in TMPDIR, /tmp or
 * /var/tmp; under SELinux the permission `execute` on such a file. A fork freezes these regions: parent and child see
 * the same memory, so neither writes to it any more. */
#pragma once

#include "codegen/image.h"

typedef struct aic_code_memory {
    unsigned char *base; /* the image's first byte; NULL: nothing is placed */
    size_t size;         /* of the image */
    size_t mapped;       /* bytes that it takes */
} aic_code_memory;

/* Puts a copy of the image where it can run. AIC_OUT_OF_MEMORY, or AIC_UNSUPPORTED where the system lets nobody make
 * memory executable. */
aic_status aic_code_memory_place(const aic_image *image, aic_code_memory *memory);

/* Frees it; nobody may be executing it. Does nothing where nothing is placed. */
void aic_code_memory_release(aic_code_memory *memory);

/* Regions that there are; for tests. */
size_t aic_code_memory_regions(void);
