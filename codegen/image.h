/* Images: the machine code of a kernel as flat bytes that run wherever they lie.
 *
 * A kernel refers to nothing but itself, so its object is finished when its sections have places relative to each
 * other: nothing remains to be linked, and a copy of the bytes in executable memory is the kernel. */
#ifndef AIC_IMAGE_H
#define AIC_IMAGE_H

#include "codegen/record.h"

typedef struct aic_image {
    unsigned char *bytes; /* code and constants; free with aic_image_free() */
    size_t size;
    size_t alignment;               /* of the address that the bytes are copied to; at most 4096 */
    size_t function[AIC_FUNCTIONS]; /* where each begins; AIC_NO_FUNCTION: the kernel has none. The entry is
                                       always there */
} aic_image;

/* Finishes an ELF relocatable object of x86-64 or AArch64 that defines the functions of `symbol`. AIC_COMPILE for what
 * is no such object or cannot be an image: a section that is neither code nor constants, a reference to something
 * outside, or a relocation that depends on the image's address; the message names it. Reads nothing outside the object
 * however malformed it is. */
aic_status aic_image_create(const void *object, size_t size, const char *symbol, aic_image *image);
void aic_image_free(aic_image *image);

#endif
