/* Relocations of ELF objects, one row each: what kernels may contain, and how it is written. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum aic_relocation_kind {
    AIC_RELOCATION_REFUSED,  /* depends on the image's address, or on something outside */
    AIC_RELOCATION_NUMBER,   /* a number that is not negative, in 32 bits */
    AIC_RELOCATION_NUMBER_S, /* a number in 32 bits that the instruction extends by its sign */
    AIC_RELOCATION_REL32,    /* a signed distance in 32 bits */
    AIC_RELOCATION_REL64,
    AIC_RELOCATION_BRANCH26, /* AArch64: a distance in instructions, in the low 26 bits of one */
    AIC_RELOCATION_PAGE21,   /* AArch64: a distance in pages, in the operand of adrp */
    AIC_RELOCATION_LOW12     /* AArch64: an offset in a page, counted in accesses, in bits 10 to 21 */
} aic_relocation_kind;

/* AArch64 takes addresses apart into the number of a page of so many bytes and the offset in it. */
enum { AIC_RELOCATION_PAGE = 4096 };

typedef struct aic_relocation {
    unsigned machine, type; /* as ELF numbers them */
    const char *name;
    aic_relocation_kind kind;
    unsigned shift; /* LOW12: the logarithm of the access's size */
} aic_relocation;

/* The row of a type; NULL: none is known. */
const aic_relocation *aic_relocation_find(unsigned machine, unsigned type);

/* Whether it takes a number instead of a distance. */
static inline bool aic_relocation_takes_number(const aic_relocation *row)
{
    return row->kind == AIC_RELOCATION_NUMBER || row->kind == AIC_RELOCATION_NUMBER_S;
}

/* Whether what it writes depends on where in a page the code lies. */
static inline bool aic_relocation_needs_page(const aic_relocation *row)
{
    return row->kind == AIC_RELOCATION_PAGE21 || row->kind == AIC_RELOCATION_LOW12;
}

/* Bytes that a relocation changes. */
size_t aic_relocation_width(const aic_relocation *row);

/* Writes at bytes + from the reference to `target`: an offset from `bytes`, as `from` is, or the number. False when it
 * does not fit, or is not a multiple of the access's size. */
bool aic_relocation_apply(const aic_relocation *row, unsigned char *bytes, uint64_t from, uint64_t target);
