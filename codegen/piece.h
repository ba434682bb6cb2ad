/* Pieces: machine code that is finished but for the places that its table of patches names. An object becomes a piece
 * once; images are linked from pieces (image.h), as often as kernels need them.
 *
 * A piece is one block of bytes without pointers: a head, the code, symbols, patches, names. The code has all sections
 * of the object, those of code and then those of constants, one after the other, and whatever it refers to in itself is
 * written already. What remains is
 *
 *     a call of a function of another piece, by its name
 *     a number that is known when the kernel is linked, by its name
 *     where in a page something in it lies (AArch64) */
#pragma once

#include <aic/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An ELF relocatable object. */
typedef struct aic_elf {
    const void *bytes;
    size_t size;
} aic_elf;

/* Whatever the bytes are, the functions here read nothing outside of them. */
typedef struct aic_piece {
    unsigned char *bytes; /* malloc'ed */
    size_t size;
} aic_piece;

typedef struct aic_piece_head {
    char magic[8];
    uint32_t machine; /* as ELF numbers it */
    uint32_t alignment;
    uint64_t code_bytes;
    uint64_t frames, frames_bytes; /* where in the code its unwind table lies; 0 bytes: it has none */
    uint32_t symbols, patches;
    uint64_t name_bytes;
} aic_piece_head;

enum { AIC_PIECE_DEFINED = 1, AIC_PIECE_FUNCTION = 2 };

/* Most of a piece are tables, and most of a kernel's parts are pieces: rows are small. */
typedef struct aic_piece_symbol {
    uint32_t offset; /* in the code, of one that is defined */
    uint32_t name;   /* where it begins among the names; "": nobody else refers to it */
    uint32_t flags;  /* AIC_PIECE_... */
} aic_piece_symbol;

/* A place in the code that is filled in when the piece is linked. */
typedef struct aic_piece_patch {
    uint32_t at;
    int32_t addend;
    uint16_t type; /* of the relocation, as ELF numbers it */
    uint16_t symbol;
} aic_piece_patch;

/* Spacing of sections and pieces: code and constants share no cache line. */
enum { AIC_PIECE_SPACING = 64 };

/* In an object of several parts, what the name of each part's section begins with. */
#define AIC_PIECE_SECTION ".part."
enum { AIC_PIECE_SECTION_MAX = 32 };

/* Makes a piece of an object of x86-64 or AArch64; `name` is what messages call it. AIC_COMPILE for what is no such
 * object or cannot be a piece: a section that is neither code nor constants, or a relocation that depends on where the
 * code lies; the message names it. Reads nothing outside of the object however malformed it is.
 *
 * only: "", all sections; or, of one part in an object of several, the section that it has, and its share of the
 * sections of constants (piece_share.h). The names of the part's symbols begin with that of its section, which is left
 * out, so that its piece is that of an object which has the part alone. AIC_COMPILE, too, where there is other code, it
 * refers to what is another part's, or shares of constants are in doubt. */
aic_status aic_piece_cut(const aic_elf *object, const char *only, const char *name, aic_piece *piece);

/* The same of all sections. */
static inline aic_status aic_piece_create(const aic_elf *object, const char *name, aic_piece *piece)
{
    return aic_piece_cut(object, "", name, piece);
}

void aic_piece_free(aic_piece *piece);

/* A piece, opened for reading. */
typedef struct aic_piece_view {
    aic_piece_head head;
    const unsigned char *code, *symbols, *patches;
    const char *names; /* the last byte is a zero */
} aic_piece_view;

/* Opens a block of bytes; false when it is no piece: its parts do not fill it, or lie outside of each other. */
bool aic_piece_open(const aic_piece *piece, aic_piece_view *view);

/* What is wrong with the piece of a part that was kept outside of the process; NULL: nothing. In order is what
 * aic_piece_create() makes of a part on this architecture: one function AIC_PART_SYMBOL (image.h), and patches of known
 * kinds, by their places, each within the code and none over another. That its numbers and roles are those that a
 * kernel gives, linking finds out. */
const char *aic_piece_check(const aic_piece *piece);

/* A symbol or a patch by its number, which is below that of the head. */
aic_piece_symbol aic_piece_symbol_at(const aic_piece_view *view, uint32_t index);
aic_piece_patch aic_piece_patch_at(const aic_piece_view *view, uint32_t index);
static inline const char *aic_piece_name(const aic_piece_view *view, const aic_piece_symbol *symbol)
{
    return view->names + symbol->name;
}

/* A function in an object, internal ones among them. */
enum { AIC_PART_NAME_MAX = 48, AIC_PARTS_MAX = 64 };
typedef struct aic_image_part {
    size_t offset, size;
    char name[AIC_PART_NAME_MAX]; /* what is behind the kernel's symbol: "", "_pack", "_bands"; long ones are cut */
} aic_image_part;

/* Lists the functions of an object that has been made an image, in the order of its symbol table, at most
 * AIC_PARTS_MAX. Returns their number; 0, too, when memory runs out. */
size_t aic_image_parts(const void *object, size_t size, const char *symbol, aic_image_part part[AIC_PARTS_MAX]);
