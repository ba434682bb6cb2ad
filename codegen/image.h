/* Images: the machine code of a kernel as flat bytes that run wherever they lie.
 *
 * A kernel refers to nothing but itself, so its object is finished when its sections have offsets relative to each
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
    size_t frames, frames_size;     /* where its unwind table lies (DWARF, as in .eh_frame); size 0: it has none */
} aic_image;

/* An ELF relocatable object. */
typedef struct aic_elf {
    const void *bytes;
    size_t size;
} aic_elf;

enum { AIC_IMAGE_OBJECTS_MAX = 2 };

/* Finishes up to AIC_IMAGE_OBJECTS_MAX objects of x86-64 or AArch64, which may refer to each other and together define
 * the functions of `symbol`. AIC_COMPILE for what is no such object or cannot be an image: a section that is neither
 * code nor constants, a reference to something outside, or a relocation that depends on the image's address; the
 * message names it. Reads nothing outside the objects however malformed they are. */
aic_status aic_image_create(const aic_elf *object, size_t count, const char *symbol, aic_image *image);
void aic_image_free(aic_image *image);

/* A function in an image, internal ones among them. */
enum { AIC_PART_NAME_MAX = 48, AIC_PARTS_MAX = 64 };
typedef struct aic_image_part {
    size_t offset, size;
    char name[AIC_PART_NAME_MAX]; /* what is behind the kernel's symbol: "", "_pack", "_bands"; long ones are cut */
} aic_image_part;

/* Lists the functions of an object that has been made an image, in the order of its symbol table, at most
 * AIC_PARTS_MAX. Returns their number; 0, too, when memory runs out. */
size_t aic_image_parts(const void *object, size_t size, const char *symbol, aic_image_part part[AIC_PARTS_MAX]);

#endif
