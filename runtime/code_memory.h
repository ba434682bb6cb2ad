/* Memory that holds machine code: written once, then executable, never both at the same time. */
#ifndef AIC_RUNTIME_CODE_MEMORY_H
#define AIC_RUNTIME_CODE_MEMORY_H

#include "codegen/image.h"

typedef struct aic_code_memory {
    unsigned char *base; /* the image's first byte; NULL: nothing is placed */
    size_t size;         /* of the mapping */
} aic_code_memory;

/* Puts a copy of the image where it can run. AIC_OUT_OF_MEMORY, or AIC_UNSUPPORTED where the system lets nobody make
 * memory executable. */
aic_status aic_code_memory_place(const aic_image *image, aic_code_memory *memory);

/* Frees it; nobody may be executing it. Does nothing where nothing is placed. */
void aic_code_memory_release(aic_code_memory *memory);

#endif
