/* Calls with several images: the same kernel on operands that lie a stride apart. */
#pragma once

#include "runtime/code/code.h"

/* Where the operands of the images are: number i of image k at address[i] + k * stride[i]. */
typedef struct aic_images {
    const void *const *address;
    const size_t *stride; /* bytes */
    size_t count;         /* of images */
} aic_images;

/* The `count` operands of image number `image`; those that are not taken are NULL. */
static inline void aic_images_operands(const aic_images *images, size_t count, size_t image,
                                       const void *operands[AIC_OPERANDS_MAX])
{
    for (size_t i = 0; i < count; i++) {
        const char *address = images->address[i];
        operands[i] = address != NULL ? address + image * images->stride[i] : NULL;
    }
}

/* Refuses what aic_call() refuses for one of the images, and outputs that share memory with what belongs to another
 * image: AIC_INVALID_ARGUMENT. */
aic_status aic_batch_check(const aic_code *code, int form, const aic_images *images);

/* Checks the images, runs the code of a single specification on them, and logs the call. Whole rounds of images, one a
 * worker, are divided among the threads; what is left is shared image by image where that keeps more threads busy. A
 * constant operand that all images share is packed once. AIC_OUT_OF_MEMORY; AIC_INVALID_ARGUMENT when a parallel_for
 * did not do what it should. */
aic_status aic_batch_call(const aic_code *code, int form, const aic_images *images);
