/* Images: the machine code of a kernel as flat bytes that run wherever they lie.
 *
 * A kernel refers to nothing but itself, so it is finished when its pieces have offsets relative to each other and the
 * places that their patches name are filled in: a copy of the bytes in executable memory is the kernel. */
#pragma once

#include "codegen/piece.h"
#include "codegen/record.h"

#include <stdbool.h>

typedef struct aic_image {
    unsigned char *bytes; /* code and constants; free with aic_image_free() */
    size_t size;
    size_t alignment;               /* of the address that the bytes are copied to; at most 4096 */
    size_t function[AIC_FUNCTIONS]; /* where each begins; AIC_NO_FUNCTION: the kernel has none. The entry is
                                       always there */
    size_t frames, frames_size;     /* where its unwind table lies (DWARF, as in .eh_frame); size 0: it has none */
} aic_image;

/* A value that only the shape decides, by its name: row.pitch, pixel.3, kpacks. */
enum { AIC_NUMBER_NAME_MAX = 24 };
typedef struct aic_number_value {
    char name[AIC_NUMBER_NAME_MAX];
    int64_t value;
} aic_number_value;

/* What a piece calls by the name of a role, and what takes that role in this kernel: the function of an item, or, where
 * that is AIC_NO_ITEM, a function that some piece defines by its name. */
enum { AIC_ROLE_NAME_MAX = 24 };
#define AIC_NO_ITEM SIZE_MAX
typedef struct aic_binding {
    const char *role;
    size_t item;
    const char *symbol;
} aic_binding;

/* The name of the function that a piece is for, where it is one of a part: parts know no kernel. */
#define AIC_PART_SYMBOL "part"

/* A piece of a kernel, with what is filled in. The same piece may be in a kernel several times. */
typedef struct aic_image_item {
    const aic_piece *piece;
    const char *symbol; /* of a part: what others call its function AIC_PART_SYMBOL; NULL: they bind roles to it only.
                           Of other pieces they know the functions by their names, and the kernel's are among them */
    const char *name;   /* what messages call it */
    bool is_part;       /* its function is AIC_PART_SYMBOL, even where others do not know it by a symbol */
    aic_function_role function; /* of a part: which of the kernel's functions it is; AIC_FUNCTIONS: none */
    const aic_number_value *number;
    size_t numbers;
    const aic_binding *binding;
    size_t bindings;
} aic_image_item;

enum { AIC_IMAGE_ITEMS_MAX = 1024 };

/* Links up to AIC_IMAGE_ITEMS_MAX pieces, which together define the functions of `symbol`. AIC_COMPILE, with a message
 * that names it, for what is no piece, a patch outside of its piece, a number that is not given or does not fit, a
 * reference to something outside. Reads and writes nothing outside of them whatever they say. */
aic_status aic_image_link(const aic_image_item *item, size_t count, const char *symbol, aic_image *image);

enum { AIC_IMAGE_OBJECTS_MAX = 2 };

/* The same of objects, up to AIC_IMAGE_OBJECTS_MAX, that may refer to each other by the names of their functions. */
aic_status aic_image_create(const aic_elf *object, size_t count, const char *symbol, aic_image *image);
void aic_image_free(aic_image *image);
